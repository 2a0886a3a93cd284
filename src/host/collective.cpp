#include "host/collective.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/ranges.h>

#include "base/dtype.hpp"
#include "base/lists.hpp"
#include "host/communicator.hpp"
#include "host/sum.hpp"
#include "host/shards.hpp"

namespace adj::host {

namespace {

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

// Reduces element `at` of one tensor of every rank, in the order of the ranks, into element `to` of `out`.
template <class T>
void reduce_element(std::span<const Contribution> all, std::size_t tensor, std::int64_t at, adj_collective_reduction how, T* out, std::int64_t to) {
  const auto value = [&](const Contribution& c) { return static_cast<const T*>(c.inputs[tensor])[at]; };
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;  // sums and products wrap
    T result = value(all[0]);
    for (std::size_t r = 1; r < all.size(); ++r) {
      const T v = value(all[r]);
      switch (how) {
        case ADJ_COLLECTIVE_REDUCTION_MAX: result = std::max(result, v); break;
        case ADJ_COLLECTIVE_REDUCTION_MIN: result = std::min(result, v); break;
        case ADJ_COLLECTIVE_REDUCTION_PROD:
          result = static_cast<T>(static_cast<std::uint64_t>(static_cast<U>(result)) * static_cast<std::uint64_t>(static_cast<U>(v)));
          break;
        default: result = static_cast<T>(static_cast<std::uint64_t>(static_cast<U>(result)) + static_cast<std::uint64_t>(static_cast<U>(v)));
      }
    }
    out[to] = result;
  } else {
    double result = to_double(value(all[0]));
    Sum sum;
    sum.add(result);
    for (std::size_t r = 1; r < all.size(); ++r) {
      const double v = to_double(value(all[r]));
      sum.add(v);
      switch (how) {
        case ADJ_COLLECTIVE_REDUCTION_MAX: result = std::isnan(v) || v > result ? v : result; break;
        case ADJ_COLLECTIVE_REDUCTION_MIN: result = std::isnan(v) || v < result ? v : result; break;
        case ADJ_COLLECTIVE_REDUCTION_PROD: result *= v; break;
        default: result = sum.value();
      }
    }
    if (how == ADJ_COLLECTIVE_REDUCTION_AVERAGE) result /= static_cast<double>(all.size());
    out[to] = from_double<T>(result);
  }
}

// Reduces elements [begin, begin + count) of one tensor of every rank into `out`.
void reduce(std::span<const Contribution> all, std::size_t tensor, std::int64_t begin, std::int64_t count, adj_collective_reduction how, void* out) {
  const auto every = [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    for (std::int64_t i = 0; i < count; ++i) reduce_element(all, tensor, begin + i, how, static_cast<T*>(out), i);
  };
  if (!with_float(all[0].element, every)) with_integer(all[0].element, every);
}

// A rank's part of a collective. make(contributions, rank) computes into the workspace; write(rank) stores the results once all ranks have read
// the inputs, so outputs may be inputs.
template <class Make, class Write>
Result<void> collective(void* communicator, const Contribution& own, std::int64_t ranks, Make make, Write write) {
  auto end = rank_of(communicator);
  if (!end) return end.take_error();
  Group& group = *end->group;
  if (ranks >= 0 && ranks != group.ranks()) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: ranks = {}, the communicator has {}", own.op, ranks, group.ranks());
  auto all = group.enter(end->rank, own);
  if (!all) return all.take_error();
  make(*all, end->rank);
  if (auto ok = group.leave(end->rank); !ok) return ok;
  write(end->rank);
  return {};
}

// Calls fn(tensor, place in the workspace, bytes) for tensors packed there.
template <class Fn>
void for_each_packed(std::span<const std::int64_t> numel, adj_dtype element, void* workspace, Fn fn) {
  auto* place = static_cast<char*>(workspace);
  for (std::size_t i = 0; i < numel.size(); ++i) {
    const std::size_t bytes = static_cast<std::size_t>(numel[i]) * size_of(element);
    if (bytes) fn(i, place, bytes);
    place += aligned(bytes);
  }
}

adj_collective_reduction canonical(adj_collective_reduction r) { return r == ADJ_COLLECTIVE_REDUCTION_DEFAULT ? ADJ_COLLECTIVE_REDUCTION_SUM : r; }
bool is_whole(adj_shard_layout layout) { return layout == ADJ_SHARD_LAYOUT_WHOLE; }

Result<void> reduce_all(const char* op, std::span<const std::int64_t> numel, adj_dtype element, adj_collective_reduction how, void* communicator,
                        void* const* inputs, void* const* outputs, void* workspace) {
  const Contribution own{.op = op, .element = element, .choice = canonical(how), .numel = numel, .inputs = inputs};
  return collective(
      communicator, own, -1,
      [&](std::span<const Contribution> all, int) {
        for_each_packed(numel, element, workspace, [&](std::size_t i, char* place, std::size_t) {
          reduce(all, i, 0, numel[i], static_cast<adj_collective_reduction>(own.choice), place);
        });
      },
      [&](int) {
        for_each_packed(numel, element, workspace, [&](std::size_t i, const char* place, std::size_t bytes) { std::memcpy(outputs[i], place, bytes); });
      });
}

}  // namespace

std::uint64_t packed_bytes(std::int64_t count, const std::int64_t* numel, adj_dtype element) {
  std::uint64_t bytes = 0;
  for (std::int64_t i = 0; i < count; ++i) bytes += aligned(static_cast<std::uint64_t>(numel[i]) * size_of(element));
  return bytes;
}

Result<void> all_reduce(const adj_all_reduce_descriptor& d, const adj_all_reduce_args& a, void* workspace) {
  return reduce_all("all_reduce", numel_of(d), d.element, d.reduction, a.communicator, a.inputs.data, a.outputs.data, workspace);
}

Result<void> all_reduce_one(const char* op, std::int64_t numel, adj_dtype element, void* communicator, const void* input, void* output, void* workspace) {
  void* const in[] = {const_cast<void*>(input)};
  return reduce_all(op, {&numel, 1}, element, ADJ_COLLECTIVE_REDUCTION_SUM, communicator, in, &output, workspace);
}

std::uint64_t all_gather_workspace(const adj_all_gather_descriptor& d) {
  return packed_bytes(d.count, d.numel, d.element) * (is_whole(d.layout) ? 1 : static_cast<std::uint64_t>(d.ranks));
}

Result<void> all_gather(const adj_all_gather_descriptor& d, const adj_all_gather_args& a, void* workspace) {
  const auto numel = numel_of(d);
  const bool whole = is_whole(d.layout);
  const Contribution own{.op = "all_gather", .element = d.element, .choice = whole, .numel = numel, .inputs = a.inputs.data};
  std::vector<int> owners;
  if (whole) {
    auto found = owners_of(own.op, numel, d.ranks);
    if (!found) return found.take_error();
    owners = std::move(*found);
  }
  std::vector<std::int64_t> outputs;
  for (std::int64_t n : numel) outputs.push_back(whole ? n : n * d.ranks);
  Result<void> misplaced;  // an error of this rank alone: the rank still takes part, so that the other ranks do not wait for it
  auto done = collective(
      a.communicator, own, d.ranks,
      [&](std::span<const Contribution> all, int) {
        for_each_packed(outputs, d.element, workspace, [&](std::size_t i, char* place, std::size_t bytes) {
          if (whole) {
            std::memcpy(place, all[static_cast<std::size_t>(owners[i])].inputs[i], bytes);
            return;
          }
          const std::size_t part = bytes / all.size();
          for (std::size_t r = 0; r < all.size(); ++r) std::memcpy(place + r * part, all[r].inputs[i], part);
        });
      },
      [&](int rank) {
        if (misplaced = whole ? Result<void>() : check_own_parts(own.op, "inputs", "outputs", numel, d.element, a.inputs.data, a.outputs.data, rank, d.ranks);
            !misplaced)
          return;
        for_each_packed(outputs, d.element, workspace,
                        [&](std::size_t i, const char* place, std::size_t bytes) { std::memcpy(a.outputs.data[i], place, bytes); });
      });
  return done ? std::move(misplaced) : std::move(done);
}

Result<void> reduce_scatter(const adj_reduce_scatter_descriptor& d, const adj_reduce_scatter_args& a, void* workspace) {
  const auto numel = numel_of(d);
  const bool whole = is_whole(d.layout);
  const adj_collective_reduction how = canonical(d.reduction);
  const Contribution own{.op = "reduce_scatter", .element = d.element, .choice = how * 2 + whole, .numel = numel, .inputs = a.inputs.data};
  std::vector<int> owners;
  if (whole) {
    auto found = owners_of(own.op, numel, d.ranks);
    if (!found) return found.take_error();
    owners = std::move(*found);
  }
  const auto takes = [&](std::size_t i, int rank) { return !whole || owners[i] == rank; };
  Result<void> misplaced;  // as in all_gather
  auto done = collective(
      a.communicator, own, d.ranks,
      [&](std::span<const Contribution> all, int rank) {
        for_each_packed(numel, d.element, workspace, [&](std::size_t i, char* place, std::size_t) {
          if (takes(i, rank)) reduce(all, i, whole ? 0 : rank * numel[i], numel[i], how, place);
        });
      },
      [&](int rank) {
        if (misplaced = whole ? Result<void>() : check_own_parts(own.op, "outputs", "inputs", numel, d.element, a.outputs.data, a.inputs.data, rank, d.ranks);
            !misplaced)
          return;
        for_each_packed(numel, d.element, workspace, [&](std::size_t i, const char* place, std::size_t bytes) {
          if (takes(i, rank)) std::memcpy(a.outputs.data[i], place, bytes);
        });
      });
  return done ? std::move(misplaced) : std::move(done);
}

Result<void> broadcast(const adj_broadcast_descriptor& d, const adj_broadcast_args& a, void* workspace) {
  const auto numel = numel_of(d);
  const Contribution own{.op = "broadcast", .element = d.element, .number = d.root, .numel = numel, .inputs = a.tensors.data};
  auto end = rank_of(a.communicator);
  if (!end) return end.take_error();
  if (d.root >= end->group->ranks()) return fail(ADJ_ERROR_INVALID_PROBLEM, "broadcast: root = {}, the communicator has {} ranks", d.root, end->group->ranks());
  return collective(
      a.communicator, own, -1,
      [&](std::span<const Contribution> all, int) {
        for_each_packed(numel, d.element, workspace,
                        [&](std::size_t i, char* place, std::size_t bytes) { std::memcpy(place, all[static_cast<std::size_t>(d.root)].inputs[i], bytes); });
      },
      [&](int rank) {
        if (rank == d.root) return;
        for_each_packed(numel, d.element, workspace,
                        [&](std::size_t i, const char* place, std::size_t bytes) { std::memcpy(a.tensors.data[i], place, bytes); });
      });
}

namespace {

Result<void> check_peer(const char* op, const Rank& end, std::int64_t peer) {
  if (peer >= end.group->ranks()) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: peer = {}, the communicator has {} ranks", op, peer, end.group->ranks());
  if (peer == end.rank) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: peer = {} is the own rank", op, peer);
  return {};
}

}  // namespace

Result<void> send(const adj_send_descriptor& d, const adj_send_args& a, void*) {
  auto end = rank_of(a.communicator);
  if (!end) return end.take_error();
  if (auto ok = check_peer("send", *end, d.peer); !ok) return ok;
  Group::Message message{.element = d.element, .numel = {d.numel, d.numel + d.count}, .tensors = {}};
  for (std::int64_t i = 0; i < d.count; ++i) {
    const auto* data = static_cast<const std::byte*>(a.tensors.data[i]);
    const std::size_t bytes = static_cast<std::size_t>(d.numel[i]) * size_of(d.element);
    message.tensors.emplace_back(data, data + bytes);
  }
  return end->group->send(end->rank, static_cast<int>(d.peer), std::move(message));
}

Result<void> recv(const adj_recv_descriptor& d, const adj_recv_args& a, void*) {
  auto end = rank_of(a.communicator);
  if (!end) return end.take_error();
  if (auto ok = check_peer("recv", *end, d.peer); !ok) return ok;
  auto message = end->group->receive(static_cast<int>(d.peer), end->rank);
  if (!message) return message.take_error();
  if (message->element != d.element || !std::equal(message->numel.begin(), message->numel.end(), d.numel, d.numel + d.count))
    return fail(ADJ_ERROR_INVALID_PROBLEM, "recv: rank {} has sent {} tensors of {} elements of {}, expected {} of {} of {}", d.peer, message->numel.size(),
                fmt::format("[{}]", fmt::join(message->numel, ", ")), dtype_name(message->element), d.count,
                fmt::format("[{}]", fmt::join(d.numel, d.numel + d.count, ", ")), dtype_name(d.element));
  for (std::int64_t i = 0; i < d.count; ++i) {
    const auto& tensor = message->tensors[static_cast<std::size_t>(i)];
    if (!tensor.empty()) std::memcpy(a.tensors.data[i], tensor.data(), tensor.size());
  }
  return {};
}

namespace {

// Adasum of `count` vectors from `first` on: the combination of the two halves' combinations.
template <class T, class Value>
std::vector<double> adasum(std::size_t first, std::size_t count, std::int64_t numel, Value value) {
  if (count == 1) {
    std::vector<double> own(static_cast<std::size_t>(numel));
    for (std::int64_t e = 0; e < numel; ++e) own[static_cast<std::size_t>(e)] = value(first, e);
    return own;
  }
  // Results of a level are rounded to f32 (f64 for f64), as the kernels store them.
  const auto half = [&](std::size_t begin) {
    auto vector = adasum<T>(begin, count / 2, numel, value);
    if constexpr (!std::is_same_v<T, double>)
      for (double& v : vector) v = static_cast<float>(v);
    return vector;
  };
  auto a = half(first);
  const auto b = half(first + count / 2);
  Sum dot, aa, bb;
  for (std::size_t e = 0; e < a.size(); ++e) {
    dot.add(a[e] * b[e]);
    aa.add(a[e] * a[e]);
    bb.add(b[e] * b[e]);
  }
  const double least = std::sqrt(std::numeric_limits<double>::min());
  const double of_a = aa.value() < least ? 1 : 1 - dot.value() / (2 * aa.value()), of_b = bb.value() < least ? 1 : 1 - dot.value() / (2 * bb.value());
  for (std::size_t e = 0; e < a.size(); ++e) a[e] = of_a * a[e] + of_b * b[e];
  return a;
}

}  // namespace

Result<void> adasum_all_reduce(const adj_adasum_all_reduce_descriptor& d, const adj_adasum_all_reduce_args& a, void* workspace) {
  const auto numel = numel_of(d);
  const Contribution own{.op = "adasum_all_reduce", .element = d.element, .numel = numel, .inputs = a.inputs.data};
  return collective(
      a.communicator, own, d.ranks,
      [&](std::span<const Contribution> all, int) {
        for_each_packed(numel, d.element, workspace, [&](std::size_t i, char* place, std::size_t) {
          with_float(d.element, [&](auto* type) {
            using T = std::remove_pointer_t<decltype(type)>;
            const auto value = [&](std::size_t r, std::int64_t e) { return to_double(static_cast<const T*>(all[r].inputs[i])[e]); };
            const auto sum = adasum<T>(0, all.size(), numel[i], value);
            for (std::size_t e = 0; e < sum.size(); ++e) reinterpret_cast<T*>(place)[e] = from_double<T>(sum[e]);
          });
        });
      },
      [&](int) {
        for_each_packed(numel, d.element, workspace,
                        [&](std::size_t i, const char* place, std::size_t bytes) { std::memcpy(a.outputs.data[i], place, bytes); });
      });
}

}  // namespace adj::host
