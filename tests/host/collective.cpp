// Collectives among threads: 1 to 5 ranks, every operator against plain loops, disagreement and destroyed ranks.
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <adjoint/ops/collective.h>
#include <doctest/doctest.h>

#include "host/communicator.hpp"
#include "host/shards.hpp"
#include "support.hpp"

namespace {

using namespace support;
using I = std::vector<std::int64_t>;
using F = std::vector<float>;

// Runs fn(rank, handle) on a thread for each rank.
void with_ranks(int ranks, const std::function<void(int, void*)>& fn) {
  auto handles = adj::host::create_communicator(ranks);
  REQUIRE(handles.ok());
  {
    std::vector<std::jthread> threads;
    for (int r = 0; r < ranks; ++r) threads.emplace_back([&, r] { fn(r, (*handles)[static_cast<std::size_t>(r)]); });
  }
  for (void* handle : *handles) CHECK(adj::host::destroy_communicator(handle));
}

// Lists of tensors of one rank.
struct Tensors {
  std::vector<F> values;
  std::vector<void*> data;
  std::vector<std::uint64_t> bytes;
  explicit Tensors(const I& numel, std::function<float(std::size_t, std::int64_t)> value = [](std::size_t, std::int64_t) { return -1.0f; }) {
    for (std::size_t i = 0; i < numel.size(); ++i) {
      F& v = values.emplace_back();
      for (std::int64_t e = 0; e < numel[i]; ++e) v.push_back(value(i, e));
    }
    for (F& v : values) {
      data.push_back(v.data());
      bytes.push_back(v.size() * sizeof(float));
    }
  }
  adj_tensor_list list() const { return {static_cast<std::int64_t>(data.size()), ADJ_F32, 0, data.data(), bytes.data()}; }
};
float value_of(int rank, std::size_t tensor, std::int64_t e) {
  return static_cast<float>(rank * 10 + 1) * 0.5f + static_cast<float>(tensor) - static_cast<float>(e % 7) * 0.25f;
}
Tensors brought(int rank, const I& numel) {
  return Tensors(numel, [=](std::size_t i, std::int64_t e) { return value_of(rank, i, e); });
}

template <class Descriptor, class Args>
void check_run(const Descriptor& d, const Args& a) {
  auto ok = run(d, a);
  CHECK_MESSAGE(ok.ok(), (ok ? std::string() : ok.error().message));
}

const I kNumel{5, 0, 33};

}  // namespace

TEST_CASE("all_reduce: each reduction, in place and not") {
  for (int ranks = 1; ranks <= 5; ++ranks)
    for (adj_collective_reduction how : values(ADJ_COLLECTIVE_REDUCTION_DEFAULT, ADJ_COLLECTIVE_REDUCTION_PROD))
      for (bool in_place : {false, true})
        with_ranks(ranks, [&](int rank, void* handle) {
          Tensors in = brought(rank, kNumel), out(kNumel);
          adj_all_reduce_args a;
          a.communicator = handle;
          a.inputs = in.list();
          a.outputs = in_place ? in.list() : out.list();
          check_run(adj_all_reduce_descriptor{.count = 3, .numel = kNumel.data(), .reduction = how, .element = ADJ_F32}, a);
          const Tensors& got = in_place ? in : out;
          for (std::size_t i = 0; i < kNumel.size(); ++i)
            for (std::int64_t e = 0; e < kNumel[i]; ++e) {
              double want = value_of(0, i, e);
              for (int r = 1; r < ranks; ++r) {
                const double v = value_of(r, i, e);
                want = how == ADJ_COLLECTIVE_REDUCTION_MAX    ? std::max(want, v)
                       : how == ADJ_COLLECTIVE_REDUCTION_MIN  ? std::min(want, v)
                       : how == ADJ_COLLECTIVE_REDUCTION_PROD ? want * v
                                                              : want + v;
              }
              if (how == ADJ_COLLECTIVE_REDUCTION_AVERAGE) want /= ranks;
              CHECK(got.values[i][static_cast<std::size_t>(e)] == static_cast<float>(want));
            }
        });
}

TEST_CASE("all_gather and reduce_scatter: even parts") {
  for (int ranks = 1; ranks <= 5; ++ranks)
    with_ranks(ranks, [&](int rank, void* handle) {
      I all;
      for (std::int64_t n : kNumel) all.push_back(n * ranks);
      {
        Tensors in = brought(rank, kNumel), out(all);
        adj_all_gather_args a;
        a.communicator = handle;
        a.inputs = in.list();
        a.outputs = out.list();
        check_run(adj_all_gather_descriptor{.ranks = ranks, .count = 3, .numel = kNumel.data(), .element = ADJ_F32}, a);
        for (std::size_t i = 0; i < all.size(); ++i)
          for (std::int64_t e = 0; e < all[i]; ++e)
            CHECK(out.values[i][static_cast<std::size_t>(e)] == value_of(static_cast<int>(e / kNumel[i]), i, e % kNumel[i]));
      }
      Tensors in = brought(rank, all), out(kNumel);
      adj_reduce_scatter_args a;
      a.communicator = handle;
      a.inputs = in.list();
      a.outputs = out.list();
      check_run(adj_reduce_scatter_descriptor{.ranks = ranks, .count = 3, .numel = kNumel.data(), .element = ADJ_F32}, a);
      for (std::size_t i = 0; i < kNumel.size(); ++i)
        for (std::int64_t e = 0; e < kNumel[i]; ++e) {
          double want = 0;
          for (int r = 0; r < ranks; ++r) want += value_of(r, i, rank * kNumel[i] + e);
          CHECK(out.values[i][static_cast<std::size_t>(e)] == static_cast<float>(want));
        }
    });
}

TEST_CASE("all_gather and reduce_scatter in place: this rank's part, and no other") {
  for (int ranks = 1; ranks <= 5; ++ranks)
    with_ranks(ranks, [&](int rank, void* handle) {
      I all;
      for (std::int64_t n : kNumel) all.push_back(n * ranks);
      // The parts of a rank, as a list of their own.
      struct Parts {
        std::vector<void*> data;
        std::vector<std::uint64_t> bytes;
        Parts(Tensors& whole, int of) {
          for (std::size_t i = 0; i < kNumel.size(); ++i) {
            data.push_back(whole.values[i].data() + of * kNumel[i]);
            bytes.push_back(static_cast<std::uint64_t>(kNumel[i]) * sizeof(float));
          }
        }
        adj_tensor_list list() const { return {static_cast<std::int64_t>(data.size()), ADJ_F32, 0, data.data(), bytes.data()}; }
      };
      const adj_all_gather_descriptor g{.ranks = ranks, .count = 3, .numel = kNumel.data(), .element = ADJ_F32};
      const adj_reduce_scatter_descriptor s{.ranks = ranks, .count = 3, .numel = kNumel.data(), .element = ADJ_F32};
      const auto gather = select(g), scatter = select(s);
      Tensors whole = brought(rank, all);
      for (bool once : {true, false}) {
        Tensors gathered(all);
        for (std::size_t i = 0; i < all.size(); ++i)
          for (std::int64_t e = 0; e < kNumel[i]; ++e) gathered.values[i][static_cast<std::size_t>(rank * kNumel[i] + e)] = value_of(rank, i, e);
        const Parts brought_parts(gathered, rank), own(whole, rank);
        adj_all_gather_args a;
        a.communicator = handle;
        a.inputs = brought_parts.list();
        a.outputs = gathered.list();
        CHECK(adj::can_implement(**gather, &a.header).ok());
        check_run(g, a);
        for (std::size_t i = 0; i < all.size(); ++i)
          for (std::int64_t e = 0; e < all[i]; ++e)
            CHECK(gathered.values[i][static_cast<std::size_t>(e)] == value_of(static_cast<int>(e / kNumel[i]), i, e % kNumel[i]));
        if (!once) continue;
        adj_reduce_scatter_args r;
        r.communicator = handle;
        r.inputs = whole.list();
        r.outputs = own.list();
        CHECK(adj::can_implement(**scatter, &r.header).ok());
        check_run(s, r);
        for (std::size_t i = 0; i < kNumel.size(); ++i)
          for (std::int64_t e = 0; e < kNumel[i]; ++e) {
            double want = 0;
            for (int other = 0; other < ranks; ++other) want += value_of(other, i, rank * kNumel[i] + e);
            CHECK(whole.values[i][static_cast<std::size_t>(rank * kNumel[i] + e)] == static_cast<float>(want));
          }
      }
      if (ranks < 2) return;
      // The part of another rank is an error of the calling rank alone; the other ranks finish.
      Tensors gathered(all);
      const Parts wrong(gathered, rank == 1 ? 0 : rank), theirs(whole, rank == 1 ? 0 : rank);
      adj_all_gather_args a;
      a.communicator = handle;
      a.inputs = wrong.list();
      a.outputs = gathered.list();
      const auto first = run(g, a);
      CHECK(first.ok() == (rank != 1));
      if (!first) {
        CHECK(first.error().code == ADJ_ERROR_ALIASING);
        CHECK(first.error().message == "all_gather: inputs[0] is part 0 of outputs[0], that of this rank is 1");
        CHECK(gathered.values == Tensors(all).values);
      }
      adj_reduce_scatter_args r;
      r.communicator = handle;
      r.inputs = whole.list();
      r.outputs = theirs.list();
      const auto before = whole.values;
      const auto second = run(s, r);
      CHECK(second.ok() == (rank != 1));
      if (!second) {
        CHECK(second.error().message == "reduce_scatter: outputs[0] is part 0 of inputs[0], that of this rank is 1");
        CHECK(whole.values == before);
      }
      // Across the border of two parts, and a part of another tensor of the list.
      std::vector<void*> shifted = wrong.data, crossed = wrong.data;
      shifted[2] = gathered.values[2].data() + 1;
      crossed[0] = gathered.values[2].data();
      for (const auto& data : {shifted, crossed}) {
        a.inputs = {3, ADJ_F32, 0, data.data(), wrong.bytes.data()};
        const auto refused = adj::can_implement(**gather, &a.header);
        REQUIRE_FALSE(refused.ok());
        CHECK(refused.error().code == ADJ_ERROR_ALIASING);
      }
    });
}

TEST_CASE("all_gather and reduce_scatter: whole tensors, with the contract's examples of who owns what") {
  CHECK(*adj::owners_of("op", I{32, 8, 20}, 2) == std::vector<int>{0, 1, 1});
  CHECK(*adj::owners_of("op", I{64}, 2) == std::vector<int>{0});
  CHECK(*adj::owners_of("op", I{64, 0}, 2) == std::vector<int>{0, 1});
  auto refused = adj::owners_of("op", I{40, 20}, 2);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("numel[0] = 40") != std::string::npos);
  const I numel{32, 8, 20};
  for (int ranks : {1, 2})
    with_ranks(ranks, [&](int rank, void* handle) {
      const auto owners = *adj::owners_of("op", numel, ranks);
      for (bool in_place : {false, true}) {
        Tensors in = brought(rank, numel), out(numel);
        adj_all_gather_args a;
        a.communicator = handle;
        a.inputs = in.list();
        a.outputs = in_place ? in.list() : out.list();
        check_run(adj_all_gather_descriptor{.ranks = ranks, .count = 3, .numel = numel.data(), .layout = ADJ_SHARD_LAYOUT_WHOLE, .element = ADJ_F32}, a);
        for (std::size_t i = 0; i < numel.size(); ++i) CHECK((in_place ? in : out).values[i] == brought(owners[i], numel).values[i]);
        Tensors terms = brought(rank, numel), sums(numel);
        adj_reduce_scatter_args s;
        s.communicator = handle;
        s.inputs = terms.list();
        s.outputs = in_place ? terms.list() : sums.list();
        check_run(adj_reduce_scatter_descriptor{.ranks = ranks, .count = 3, .numel = numel.data(), .layout = ADJ_SHARD_LAYOUT_WHOLE, .element = ADJ_F32}, s);
        const Tensors untouched = in_place ? brought(rank, numel) : Tensors(numel);
        for (std::size_t i = 0; i < numel.size(); ++i) {
          if (owners[i] != rank) {
            CHECK((in_place ? terms : sums).values[i] == untouched.values[i]);
            continue;
          }
          for (std::int64_t e = 0; e < numel[i]; ++e) {
            double want = 0;
            for (int r = 0; r < ranks; ++r) want += value_of(r, i, e);
            CHECK((in_place ? terms : sums).values[i][static_cast<std::size_t>(e)] == static_cast<float>(want));
          }
        }
      }
    });
}

TEST_CASE("broadcast from each root, send and recv around a ring") {
  for (int ranks = 1; ranks <= 5; ++ranks)
    with_ranks(ranks, [&](int rank, void* handle) {
      for (int root = 0; root < ranks; ++root) {
        Tensors t = brought(rank, kNumel);
        adj_broadcast_args a;
        a.communicator = handle;
        a.tensors = t.list();
        check_run(adj_broadcast_descriptor{.root = root, .count = 3, .numel = kNumel.data(), .element = ADJ_F32}, a);
        CHECK(t.values == brought(root, kNumel).values);
      }
      adj_broadcast_args outside;
      outside.communicator = handle;
      Tensors none = brought(rank, kNumel);
      outside.tensors = none.list();
      CHECK(run(adj_broadcast_descriptor{.root = ranks, .count = 3, .numel = kNumel.data(), .element = ADJ_F32}, outside).error().code ==
            ADJ_ERROR_INVALID_PROBLEM);
      if (ranks == 1) return;
      Tensors own = brought(rank, kNumel), other(kNumel);
      adj_send_args s;
      s.communicator = handle;
      s.tensors = own.list();
      check_run(adj_send_descriptor{.peer = (rank + 1) % ranks, .count = 3, .numel = kNumel.data(), .element = ADJ_F32}, s);
      const int before = (rank + ranks - 1) % ranks;
      adj_recv_args r;
      r.communicator = handle;
      r.tensors = other.list();
      check_run(adj_recv_descriptor{.peer = before, .count = 3, .numel = kNumel.data(), .element = ADJ_F32}, r);
      CHECK(other.values == brought(before, kNumel).values);
      CHECK(run(adj_send_descriptor{.peer = rank, .count = 3, .numel = kNumel.data(), .element = ADJ_F32}, s).error().message.find("own rank") !=
            std::string::npos);
    });
}

TEST_CASE("adasum_all_reduce: its properties, and the formula for 2 and 4 ranks") {
  auto run_on = [](const std::vector<F>& vectors) {
    const int ranks = static_cast<int>(vectors.size());
    const I numel{static_cast<std::int64_t>(vectors[0].size())};
    std::vector<F> results(vectors.size());
    with_ranks(ranks, [&](int rank, void* handle) {
      Tensors in(numel, [&](std::size_t, std::int64_t e) { return vectors[static_cast<std::size_t>(rank)][static_cast<std::size_t>(e)]; });
      adj_adasum_all_reduce_args a;
      a.communicator = handle;
      a.inputs = a.outputs = in.list();
      check_run(adj_adasum_all_reduce_descriptor{.ranks = ranks, .count = 1, .numel = numel.data(), .element = ADJ_F32}, a);
      results[static_cast<std::size_t>(rank)] = in.values[0];
    });
    for (const F& r : results) CHECK(r == results[0]);
    return results[0];
  };
  CHECK(run_on({{1, 0, 2}, {0, 3, 0}}) == F{1, 3, 2});       // orthogonal: the sum
  CHECK(run_on({{1, -2, 2}, {1, -2, 2}}) == F{1, -2, 2});    // equal: either
  CHECK(run_on({{1, -2, 2}, {0, 0, 0}}) == F{1, -2, 2});
  CHECK(run_on({{4, 5}}) == F{4, 5});
  using D = std::vector<double>;
  auto pair = [](const D& a, const D& b) {
    const double dot = std::inner_product(a.begin(), a.end(), b.begin(), 0.0), aa = std::inner_product(a.begin(), a.end(), a.begin(), 0.0),
                 bb = std::inner_product(b.begin(), b.end(), b.begin(), 0.0);
    D r;
    for (std::size_t i = 0; i < a.size(); ++i) r.push_back((1 - dot / (2 * aa)) * a[i] + (1 - dot / (2 * bb)) * b[i]);
    return r;
  };
  std::vector<F> vectors;
  std::vector<D> exact;
  for (int r = 0; r < 4; ++r) {
    exact.push_back(wave(9, r));
    vectors.emplace_back(exact.back().begin(), exact.back().end());
  }
  const D want = pair(pair(exact[0], exact[1]), pair(exact[2], exact[3]));
  const F got = run_on(vectors);
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-5));
  std::string message;
  CHECK(select_status(adj_adasum_all_reduce_descriptor{.ranks = 3, .count = 1, .numel = kNumel.data(), .element = ADJ_F32}, &message) ==
        ADJ_ERROR_INVALID_PROBLEM);
  CHECK(message.find("ranks = 3 is not a power of two") != std::string::npos);
}

TEST_CASE("megatron_f and megatron_g: a copy in one direction, a sum in the other") {
  auto one = [&](auto d, auto a, bool sums, int rank, void* handle) {
    F in{static_cast<float>(rank + 1), 2}, out(2);
    d.numel = 2;
    d.element = ADJ_F32;
    if (sums) a.communicator = handle;
    a.input = tensor(in);
    a.output = tensor(out);
    check_run(d, a);
    CHECK(out == (sums ? F{6, 6} : in));
    a.communicator = sums ? nullptr : handle;
    CHECK_FALSE(run(d, a).ok());
  };
  with_ranks(3, [&](int rank, void* handle) {
    one(adj_megatron_f_descriptor{}, adj_megatron_f_args{}, false, rank, handle);
    one(adj_megatron_f_descriptor{.backward = 1}, adj_megatron_f_args{}, true, rank, handle);
    one(adj_megatron_g_descriptor{}, adj_megatron_g_args{}, true, rank, handle);
    one(adj_megatron_g_descriptor{.backward = 1}, adj_megatron_g_args{}, false, rank, handle);
  });
}

TEST_CASE("collectives: ranks that disagree all get an error, and go on together") {
  with_ranks(3, [&](int rank, void* handle) {
    const I numel{rank == 1 ? 4 : 3};
    Tensors t = brought(rank, numel);
    adj_all_reduce_args a;
    a.communicator = handle;
    a.inputs = a.outputs = t.list();
    auto disagreed = run(adj_all_reduce_descriptor{.count = 1, .numel = numel.data(), .element = ADJ_F32}, a);
    REQUIRE_FALSE(disagreed.ok());
    CHECK(disagreed.error().message.find("ranks 0 and 1 disagree in the element counts") != std::string::npos);
    CHECK(t.values == brought(rank, numel).values);
    const I same{2};
    Tensors u = brought(rank, same);
    a.inputs = a.outputs = u.list();
    check_run(adj_all_reduce_descriptor{.count = 1, .numel = same.data(), .element = ADJ_F32}, a);
    // A communicator of another size than the descriptor says.
    adj_adasum_all_reduce_args s;
    s.communicator = handle;
    s.inputs = s.outputs = u.list();
    CHECK(run(adj_adasum_all_reduce_descriptor{.ranks = 2, .count = 1, .numel = same.data(), .element = ADJ_F32}, s)
              .error()
              .message.find("ranks = 2, the communicator has 3") != std::string::npos);
  });
}

TEST_CASE("collectives: a destroyed rank wakes those who wait; other handles are refused") {
  auto handles = *adj::host::create_communicator(2);
  const I numel{3};
  Tensors t = brought(0, numel);
  adj_all_reduce_args a;
  a.communicator = handles[0];
  a.inputs = a.outputs = t.list();
  const adj_all_reduce_descriptor d{.count = 1, .numel = numel.data(), .element = ADJ_F32};
  {
    std::jthread waiting([&] {
      auto gone = run(d, a);
      REQUIRE_FALSE(gone.ok());
      CHECK(gone.error().message.find("rank 1 has been destroyed") != std::string::npos);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(adj::host::destroy_communicator(handles[1]));
  }
  CHECK(adj::host::destroy_communicator(handles[0]));
  CHECK(run(d, a).error().message.find("not a handle of adj_host_comm_create") != std::string::npos);
  a.communicator = nullptr;
  CHECK(run(d, a).error().code == ADJ_ERROR_NULL_BUFFER);
}

TEST_CASE("collectives refuse descriptors that cannot be") {
  std::string message;
  auto says = [&](const char* part) { return message.find(part) != std::string::npos; };
  const I numel{3};
  CHECK(select_status(adj_all_reduce_descriptor{.element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("numel needs at least 1 tensor"));
  CHECK(select_status(adj_all_reduce_descriptor{.count = 1, .numel = numel.data(), .reduction = ADJ_COLLECTIVE_REDUCTION_AVERAGE, .element = ADJ_I32},
                      &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("reduction = average"));
  CHECK(select_status(adj_all_gather_descriptor{.count = 1, .numel = numel.data(), .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("ranks was not given"));
  CHECK(select_status(adj_send_descriptor{.count = 1, .numel = numel.data(), .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("peer was not given"));
  CHECK(select_status(adj_broadcast_descriptor{.root = -2, .count = 1, .numel = numel.data(), .element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("root = -2"));
  CHECK(select_status(adj_megatron_f_descriptor{.element = ADJ_F32}, &message) == ADJ_ERROR_INVALID_PROBLEM);
  CHECK(says("numel was not given"));
  // Integers wrap.
  with_ranks(2, [&](int, void* handle) {
    std::vector<std::int32_t> v{std::numeric_limits<std::int32_t>::max()};
    const I one{1};
    void* data[] = {v.data()};
    const std::uint64_t bytes[] = {4};
    adj_all_reduce_args a;
    a.communicator = handle;
    a.inputs = a.outputs = {1, ADJ_I32, 0, data, bytes};
    check_run(adj_all_reduce_descriptor{.count = 1, .numel = one.data(), .element = ADJ_I32}, a);
    CHECK(v[0] == -2);
  });
}
