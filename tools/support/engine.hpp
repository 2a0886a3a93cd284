// What a training engine keeps beside its buffers: operations that are selected and checked once, and one workspace for all of them.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/machine.hpp"
#include "support/work.hpp"

template <class T>
T must(adjoint::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}
inline void must(adjoint::Result<void> result) {
  if (!result) throw std::runtime_error(result.error().message);
}

// Operation with its buffers, ready to run.
struct Call {
  std::string operation;
  std::function<void()> run;
  Work work = {};  // of one run; that of exchanges between ranks is not counted
};
using Calls = std::vector<Call>;

class Engine {
 public:
  explicit Engine(Machine& machine, adjoint::Preference preference = {}) : machine_(machine), preference_(preference) {
    // On the host a plan demands the workspace that an sm_90a device would need: what is forgotten shows without a GPU.
    preference_.workspace_arch = 90;
  }
  Engine(const Engine&) = delete;  // calls hold its address
  Engine& operator=(const Engine&) = delete;
  Machine& machine() const { return machine_; }
  const std::vector<adjoint::SkuInfo>& skus() const { return skus_; }  // each one once, in the order of their first use

  // Selects and checks an operation. Its workspace is the common one, unless a bound call keeps a table there.
  template <class Descriptor, class Args>
  Call call(const Descriptor& descriptor, const Args& args) {
    return call_on(machine_.stream(), true, descriptor, args);
  }
  // The same for the side stream of the machine, with a workspace of its own.
  template <class Descriptor, class Args>
  Call side_call(const Descriptor& descriptor, const Args& args) {
    return call_on(machine_.side(), false, descriptor, args);
  }

  // A list of one tensor. Its arrays live as long as the engine.
  adj_tensor_list list(void* data, adj_dtype type, std::int64_t numel) { return list(std::vector{std::pair{data, numel}}, type); }
  adj_tensor_list list(const std::vector<std::pair<void*, std::int64_t>>& tensors, adj_dtype type) {
    Lists& own = lists_.emplace_back();
    for (const auto& [data, numel] : tensors) {
      own.data.push_back(data);
      own.bytes.push_back(static_cast<std::uint64_t>(numel) * adjoint::size_of(type));
    }
    return adjoint::tensor_list(type, own.data, own.bytes);
  }

  // The workspace that operations share. Made by the first run, or by reserve() before a capture.
  void reserve() { workspace(); }

 private:
  template <class Descriptor, class Args>
  Call call_on(const adjoint::Stream& stream, bool shares, const Descriptor& descriptor, const Args& args) {
    auto plan = must(adjoint::Plan<Descriptor, Args>::cached(stream, descriptor, preference_));
    must(plan.can_implement(args));
    const adjoint::SkuInfo sku = plan.sku();
    if (seen_.emplace(sku.id, true).second) skus_.push_back(sku);
    const Work work = shares ? work_of(sku.op, descriptor, args) : Work{};
    const std::uint64_t own = plan.bind_workspace_size(), common = plan.workspace_size();
    if (own == 0 || own > common) {
      auto bound = std::make_shared<adjoint::BoundCall>(must(plan.bind(stream, {own ? machine_.allocate(own, kWorkspaces) : nullptr, own}, args)));
      return {sku.op_name, [stream, bound] { must(bound->run(stream)); }, work};
    }
    if (!shares) {
      const adjoint::Workspace workspace{machine_.allocate(common, kWorkspaces), common};
      return {sku.op_name, [stream, plan, workspace, args] { must(plan.run(stream, workspace, args)); }};
    }
    needed_ = std::max(needed_, common);
    return {sku.op_name, [this, plan, args] { must(plan.run(machine_.stream(), workspace(), args)); }, work};
  }

  static constexpr const char* kWorkspaces = "workspaces";
  struct Lists {
    std::vector<void*> data;
    std::vector<std::uint64_t> bytes;
  };
  const adjoint::Workspace& workspace() {
    if (workspace_.bytes < needed_) workspace_ = {machine_.allocate(needed_, kWorkspaces), needed_};
    return workspace_;
  }

  Machine& machine_;
  adjoint::Preference preference_;
  adjoint::Workspace workspace_{nullptr, 0};
  std::uint64_t needed_ = 0;
  std::deque<Lists> lists_;  // a deque, because lists must not move when more are added
  std::map<std::string, bool> seen_;
  std::vector<adjoint::SkuInfo> skus_;
};

inline void run(const Calls& calls) {
  for (const Call& call : calls) call.run();
}
