// Shared by the tests of the host backend: arguments from vectors, and one call from a descriptor to the result.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace support {

// The values of an enumeration from first to last, which count up by 1.
template <class Enum>
std::vector<Enum> values(Enum first, Enum last) {
  std::vector<Enum> all;
  for (int i = first; i <= last; ++i) all.push_back(static_cast<Enum>(i));
  return all;
}

struct Release {
  void operator()(adj::Plan* plan) const { adj::release(plan); }
  void operator()(adj::BoundCall* call) const { adj::release(call); }
};
using PlanPtr = std::unique_ptr<adj::Plan, Release>;

template <class Descriptor>
adj::Result<PlanPtr> select(const Descriptor& d, const adj_stream& stream = adj::host_stream(), const adj_preference* preference = nullptr) {
  auto plan = adj::select_plan(stream, &d.header, preference);
  if (!plan) return plan.take_error();
  return PlanPtr(*plan);
}

// Selects and runs, with a workspace of exactly the plan's size, rounded up to the alignment.
template <class Descriptor, class Args>
adj::Result<void> run(const Descriptor& d, const Args& args) {
  auto plan = select(d);
  if (!plan) return plan.take_error();
  struct alignas(256) Block {
    std::byte bytes[256];
  };
  const std::uint64_t size = (*plan)->workspace_size;
  std::vector<Block> workspace((size + sizeof(Block) - 1) / sizeof(Block));
  return adj::run_plan(**plan, adj::host_stream(), {workspace.empty() ? nullptr : workspace.data(), size}, &args.header);
}

template <class Descriptor>
adj_status select_status(const Descriptor& d, std::string* message = nullptr) {
  auto plan = select(d);
  if (plan) return ADJ_OK;
  if (message) *message = plan.error().message;
  return plan.error().code;
}

template <class T>
adj_tensor tensor(std::vector<T>& v) {
  adj_tensor t;
  t.data = v.data();
  t.bytes = v.size() * sizeof(T);
  t.dtype = adj::dtype_of<T>;
  return t;
}

template <class T>
adj_tensor tensor(std::vector<T>& v, std::vector<std::int64_t> shape) {
  adj_tensor t = tensor(v);
  t.rank = static_cast<std::int32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), t.shape);
  return t;
}

// Numbers of both signs, without a pattern in which a mistake could hide.
inline std::vector<double> wave(std::int64_t count, double phase) {
  std::vector<double> v;
  for (std::int64_t i = 0; i < count; ++i) v.push_back(1.3 * std::sin(0.9 * static_cast<double>(i) + phase));
  return v;
}

}  // namespace support
