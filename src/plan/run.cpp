// Runs of a plan: its steps, one after another, on a stream or on the host.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // vectorises the loops over lists
#endif

// Runs plans: the hot path. run_plan and run_bound do not allocate, lock, search a map or read device memory, except to report an error.
#include "plan/run.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cstring>

#include "driver/libraries.hpp"
#include "plan/arguments.hpp"

namespace adj {

Result<void> launch(const cu::Api& api, const KernelStep& step, bool unaligned, cu::Stream stream, void* params) {
  LaunchAttributes attributes;
  cu::LaunchConfig config = launch_config(step, stream, attributes);
  if (unaligned) config.block_x = step.unaligned_block;
  void* pointers[] = {params};
  std::size_t size = step.params.size();
  void* extra[] = {cu::kLaunchParamBuffer, params, cu::kLaunchParamSize, &size, cu::kLaunchParamEnd};
  if (auto rc = api.launch(&config, unaligned ? step.unaligned_function : step.function, step.apart ? nullptr : pointers, step.apart ? extra : nullptr))
    return cuda_error(api, rc, ("the launch of " + (unaligned ? step.unaligned_program : step.program)->entry()).c_str());
  return {};
}

namespace {

// Performs a MemsetStep. A null base (an absent optional output) is left alone.
Result<void> fill(const cu::Api& api, const MemsetStep& step, cu::Stream stream, void* base) {
  if (!base) return {};
  const auto address = reinterpret_cast<cu::DevicePtr>(base) + step.offset;
  if (auto rc = api.memset_d8_async(address, step.value, step.bytes, stream)) return cuda_error(api, rc, "cuMemsetD8Async");
  return {};
}

Result<void> copy(const cu::Api& api, void* to, const void* from, std::uint64_t bytes, cu::Stream stream) {
  if (!to || !from || to == from || bytes == 0) return {};
  if (auto rc = api.memcpy_dtod_async(reinterpret_cast<cu::DevicePtr>(to), reinterpret_cast<cu::DevicePtr>(from), bytes, stream))
    return cuda_error(api, rc, "cuMemcpyDtoDAsync");
  return {};
}
Result<void> copy(const cu::Api& api, const Plan& plan, const CopyStep& step, const std::byte* args, cu::Stream stream) {
  const ArgumentInfo &from = plan.op->arguments[step.from], &to = plan.op->arguments[step.to];
  const ArgumentSpec& spec = plan.specs[step.from];
  if (from.kind == ArgumentKind::tensor) return copy(api, argument<adj_tensor>(args, to).data, argument<adj_tensor>(args, from).data, spec.bytes, stream);
  const auto &source = argument<adj_tensor_list>(args, from), &target = argument<adj_tensor_list>(args, to);
  for (std::int64_t i = 0; i < std::min(source.count, target.count); ++i)
    if (auto ok = copy(api, target.data[i], source.data[i], static_cast<std::uint64_t>(spec.numel[static_cast<std::size_t>(i)]) * size_of(spec.dtype), stream);
        !ok)
      return ok;
  return {};
}

Result<void> call(const Plan& plan, const CallStep& step, const adj_stream& stream, const std::byte* args, void* workspace) {
  if (!step.capturable && stream.kind == ADJ_STREAM_CUDA) {
    const cu::Api& api = **cuda();
    int capturing = 0;
    if (auto rc = api.stream_is_capturing(static_cast<cu::Stream>(stream.handle), &capturing)) return cuda_error(api, rc, "cuStreamIsCapturing");
    if (capturing) return fail(ADJ_ERROR_CAPTURING, "{}: {} cannot run while the stream is being captured", plan.op->name, plan.sku->id);
  }
  return step.function({plan, stream, args, static_cast<std::byte*>(workspace), step.state.get()});
}

// Splits addresses into their lower 32 bits and the 16 bits above.
ADJ_WIDE void split_addresses(void* const* data, std::uint32_t count, std::uint32_t* low, std::uint16_t* high) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto address = reinterpret_cast<std::uintptr_t>(data[i]);
    low[i] = static_cast<std::uint32_t>(address);
    high[i] = static_cast<std::uint16_t>(address >> 32);
  }
}

// Bitwise or of all addresses of a list.
ADJ_WIDE std::uintptr_t bits_of_addresses(const adj_tensor_list& list) {
  std::uintptr_t bits = 0;
  for (std::int64_t k = 0; k < list.count; ++k) bits |= reinterpret_cast<std::uintptr_t>(list.data[k]);
  return bits;
}

}  // namespace

Result<void> issue(const cu::Api& api, const Plan& plan, const Step& step, const adj_stream& stream, const std::byte* args, void* workspace) {
  const auto handle = static_cast<cu::Stream>(stream.handle);
  if (const auto* memset = std::get_if<MemsetStep>(&step))
    return fill(api, *memset, handle, memset->workspace ? workspace : argument<adj_tensor>(args, plan.op->arguments[memset->argument]).data);
  if (const auto* from_to = std::get_if<CopyStep>(&step)) return copy(api, plan, *from_to, args, handle);
  if (const auto* event = std::get_if<EventStep>(&step)) {
    const auto which = argument<cu::Event>(args, plan.op->arguments[event->argument]);
    if (auto rc = event->wait ? api.stream_wait_event(handle, which, 0) : api.event_record(which, handle))
      return cuda_error(api, rc, event->wait ? "cuStreamWaitEvent" : "cuEventRecord");
    return {};
  }
  return call(plan, std::get<CallStep>(step), stream, args, workspace);
}

namespace {

// The floating-point environment of C while it lives, then the caller's: results depend neither on the thread's rounding mode nor on flushed subnormals.
// Threads that host functions make inherit it.
class DefaultFloatingPoint {
 public:
  DefaultFloatingPoint() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatingPoint() { std::fesetenv(&callers_); }
  DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
  DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;

 private:
  std::fenv_t callers_;
};

}  // namespace

Result<void> run_on_host(const Plan& plan, const std::vector<Step>& steps, const adj_stream& stream, const std::byte* args, void* workspace) {
  const DefaultFloatingPoint environment;
  for (const Step& step : steps) {
    if (const auto* own = std::get_if<HostStep>(&step)) own->function(plan.descriptor.get(), args, workspace);
    else if (auto ok = call(plan, std::get<CallStep>(step), stream, args, workspace); !ok) return ok;
  }
  return {};
}

cu::LaunchConfig launch_config(const KernelStep& step, cu::Stream stream, LaunchAttributes& attributes) {
  cu::LaunchConfig config = step.config;
  const auto add = [&](unsigned id) -> cu::LaunchAttributeValue& {
    cu::LaunchAttribute& attribute = attributes[config.attribute_count++];
    attribute.id = id;
    return attribute.value;
  };
  if (step.cluster > 1) add(cu::kLaunchAttributeClusterDimension).cluster = {step.cluster, 1, 1};
  if (step.early) add(cu::kLaunchAttributeProgrammaticStreamSerialization).programmatic_serialization = 1;
  config.stream = stream;
  config.attributes = attributes.data();
  return config;
}

void apply(const std::vector<Binding>& bindings, std::byte* block, const OpInfo& op, const std::byte* args, const std::byte* workspace) {
  for (const Binding& binding : bindings) {
    std::byte* at = block + binding.offset;
    switch (binding.kind) {
      case Binding::tensor: {
        auto* data = static_cast<std::byte*>(argument<adj_tensor>(args, op.arguments[binding.argument]).data);
        if (data) data += binding.addend;
        std::memcpy(at, &data, sizeof data);
        break;
      }
      case Binding::scalar: std::memcpy(at, &argument<adj_scalar>(args, op.arguments[binding.argument]), sizeof(adj_scalar)); break;
      case Binding::entry: std::memcpy(at, argument<adj_tensor_list>(args, op.arguments[binding.argument]).data + binding.first, sizeof(void*)); break;
      case Binding::random: std::memcpy(at, &argument<adj_random>(args, op.arguments[binding.argument]), sizeof(adj_random)); break;
      case Binding::list:
        if (const auto& list = argument<adj_tensor_list>(args, op.arguments[binding.argument]); list.data) {
          split_addresses(list.data + binding.first, binding.count, reinterpret_cast<std::uint32_t*>(at),
                          reinterpret_cast<std::uint16_t*>(block + binding.high));
        } else {  // an optional list that was left out
          std::memset(at, 0, std::size_t{binding.count} * 4);
          std::memset(block + binding.high, 0, std::size_t{binding.count} * 2);
        }
        break;
      case Binding::workspace: {
        const std::byte* address = workspace + binding.addend;
        std::memcpy(at, &address, sizeof address);
        break;
      }
    }
  }
}

bool is_left_out(const KernelStep& step, const Plan& plan, const std::byte* args) {
  if (step.in_place_from == step.in_place_to) return false;
  const auto& from = argument<adj_tensor_list>(args, plan.op->arguments[step.in_place_from]);
  const auto& to = argument<adj_tensor_list>(args, plan.op->arguments[step.in_place_to]);
  const std::span<const std::int64_t> numel = plan.specs[step.in_place_from].numel;
  for (std::size_t i = 0; i < numel.size(); ++i)
    if (numel[i] && from.data[i] != to.data[i]) return false;
  return true;
}

bool takes_unaligned(const KernelStep& step, const OpInfo& op, const std::byte* args) {
  std::uintptr_t addresses = 0;
  for (std::uint32_t arguments = step.unaligned_arguments; arguments; arguments &= arguments - 1) {
    const ArgumentInfo& info = op.arguments[static_cast<std::size_t>(std::countr_zero(arguments))];
    addresses |= info.kind == ArgumentKind::list ? bits_of_addresses(argument<adj_tensor_list>(args, info))
                                                 : reinterpret_cast<std::uintptr_t>(argument<adj_tensor>(args, info).data);
  }
  return addresses % 16 != 0;
}

namespace {

Result<void> run_now(const Plan& plan, const adj_stream& stream, const adj_workspace& workspace, const adj_header* args) {
  if (auto ok = check_stream(plan, stream); !ok) return ok;
  ArgsView view;
  if (auto ok = view.read(*plan.op, args); !ok) return ok;
  if (auto ok = check_args(plan, view.get(), false); !ok) return ok;
  if (auto ok = check_workspace(plan, workspace, plan.workspace_size, view.get()); !ok) return ok;
  if (plan.op->host_outputs) plan.op->host_outputs(plan.descriptor.get(), view.get());
  if (plan.steps.empty()) return {};

  if (stream.kind == ADJ_STREAM_HOST) return run_on_host(plan, plan.steps, stream, view.get(), workspace.data);
  const cu::Api& api = **cuda();
  const auto handle = static_cast<cu::Stream>(stream.handle);
  const auto* base = static_cast<const std::byte*>(workspace.data);
  alignas(16) std::byte params[kLargestParams];
  std::uint32_t looked_at = 0;  // unaligned_arguments that `unaligned` was computed for; the launches of a plan usually have the same
  bool unaligned = false;
  for (const Step& step : plan.steps) {
    if (step.when == When::bound) continue;
    Result<void> ok;
    if (const auto* kernel = std::get_if<KernelStep>(&step)) {
      if (is_left_out(*kernel, plan, view.get())) continue;
      if (kernel->unaligned_arguments && kernel->unaligned_arguments != looked_at) {
        looked_at = kernel->unaligned_arguments;
        unaligned = takes_unaligned(*kernel, *plan.op, view.get());
      }
      for (const auto& [begin, end] : kernel->constant) std::memcpy(params + begin, kernel->params.data() + begin, end - begin);
      apply(kernel->bindings, params, *plan.op, view.get(), base);
      ok = launch(api, *kernel, kernel->unaligned_arguments && unaligned, handle, params);
    } else {
      ok = issue(api, plan, step, stream, view.get(), workspace.data);
    }
    if (!ok) return ok;
  }
  return {};
}

}  // namespace

Result<void> run_plan(const Plan& plan, const adj_stream& stream, const adj_workspace& workspace, const adj_header* args) {
  if (!trace::wants(trace::kRun | trace::kNvtx)) [[likely]]
    return run_now(plan, stream, workspace, args);
  return traced(plan, stream, false, [&] { return run_now(plan, stream, workspace, args); });
}

}  // namespace adj
