// Bound calls: a plan with its buffers resolved.
#include <atomic>
#include <cstring>

#include "driver/libraries.hpp"
#include "plan/arguments.hpp"
#include "plan/run.hpp"

namespace adj {

// Number of the calling thread when the stream is the default stream per thread: one handle then means another stream in each thread. 0 for every
// other stream. No two threads of a process have the same number.
static std::uint64_t thread_of(const adj_stream& stream) {
  if (stream.kind != ADJ_STREAM_CUDA || reinterpret_cast<std::uintptr_t>(stream.handle) != cu::kStreamPerThread) return 0;
  static std::atomic<std::uint64_t> last{0};
  thread_local const std::uint64_t number = ++last;
  return number;
}

// A call with its buffers resolved.
class BoundCall {
 public:
  Plan* plan = nullptr;
  std::vector<Step> steps;               // parameters complete
  std::vector<std::vector<std::byte>> tables;  // sources of the copies into the workspace
  // The arguments at full size; their lists point to `addresses` and `capacities`.
  std::vector<std::uint64_t> args;
  std::vector<std::vector<void*>> addresses;
  std::vector<std::vector<std::uint64_t>> capacities;
  void* workspace = nullptr;
  // The stream on which the tables were copied: its handle, and for the default stream per thread the thread as well.
  void* stream = nullptr;
  std::uint64_t thread = 0;

  ~BoundCall() { release(plan); }
};

Result<BoundCall*> bind_plan(Plan& plan, const adj_stream& stream, const adj_workspace& workspace, const adj_header* args) {
  if (auto ok = check_stream(plan, stream); !ok) return ok.take_error();
  ArgsView view;
  if (auto ok = view.read(*plan.op, args); !ok) return ok.take_error();
  if (auto ok = check_args(plan, view.get(), true); !ok) return ok.take_error();
  if (auto ok = check_workspace(plan, workspace, plan.bind_workspace_size, view.get()); !ok) return ok.take_error();

  auto bound = std::make_unique<BoundCall>();
  bound->workspace = workspace.data;
  bound->stream = stream.handle;
  bound->thread = thread_of(stream);
  bound->steps = plan.steps_of(true);
  bound->args.resize((plan.op->args_size + 7) / 8);
  std::memcpy(bound->args.data(), view.get(), plan.op->args_size);
  for (const ArgumentInfo& info : plan.op->arguments) {
    if (info.kind != ArgumentKind::list) continue;
    auto& list = *reinterpret_cast<adj_tensor_list*>(reinterpret_cast<std::byte*>(bound->args.data()) + info.offset);
    if (list.count == 0) continue;
    list.data = bound->addresses.emplace_back(list.data, list.data + list.count).data();
    list.bytes = bound->capacities.emplace_back(list.bytes, list.bytes + list.count).data();
  }
  if (stream.kind != ADJ_STREAM_HOST) {
    const cu::Api& api = **cuda();
    const auto handle = static_cast<cu::Stream>(stream.handle);
    const auto* base = static_cast<const std::byte*>(workspace.data);
    if (!plan.tables.empty()) {
      int capturing = 0;
      if (auto rc = api.stream_is_capturing(handle, &capturing)) return cuda_error(api, rc, "cuStreamIsCapturing");
      if (capturing)
        return fail(ADJ_ERROR_CAPTURING,
                    "{}: bind copies a pointer table and is not allowed while the stream is being captured; bind "
                    "before the capture and run the bound call inside it",
                    plan.op->name);
    }
    for (const BoundTable& table : plan.tables) {
      auto& image = bound->tables.emplace_back(table.image);
      apply(table.bindings, image.data(), *plan.op, view.get(), base);
      const auto target = reinterpret_cast<cu::DevicePtr>(base) + table.offset;
      if (auto rc = api.memcpy_htod_async(target, image.data(), image.size(), handle)) return cuda_error(api, rc, "cuMemcpyHtoDAsync");
    }
    std::erase_if(bound->steps, [&](const Step& step) {
      const auto* kernel = std::get_if<KernelStep>(&step);
      return kernel && is_left_out(*kernel, plan, view.get());
    });
    for (Step& step : bound->steps) {
      if (auto* kernel = std::get_if<KernelStep>(&step)) {
        apply(kernel->bindings, kernel->params.data(), *plan.op, view.get(), base);
        if (takes_unaligned(*kernel, *plan.op, view.get())) {
          kernel->program = kernel->unaligned_program;
          kernel->function = kernel->unaligned_function;
          kernel->config.block_x = kernel->unaligned_block;
        }
      }
    }
  }
  retain(plan);
  bound->plan = &plan;
  return bound.release();
}

namespace {

Result<void> run_bound_now(const BoundCall& bound, const adj_stream& stream) {
  if (auto ok = check_stream(*bound.plan, stream); !ok) return ok;
  // A launch on another stream would not be ordered after the copy of the table.
  if (!bound.tables.empty() && bound.thread != thread_of(stream))
    return fail(ADJ_ERROR_STREAM_MISMATCH,
                "{}: the call was bound on the default stream of another thread, where its pointer table was copied, and cannot "
                "run on that of this thread; bind once more in this one",
                bound.plan->op->name);
  if (!bound.tables.empty() && stream.handle != bound.stream)
    return fail(ADJ_ERROR_STREAM_MISMATCH,
                "{}: the call was bound on stream {}, where its pointer table was copied, and cannot run on stream {}; bind "
                "once more on that one",
                bound.plan->op->name, bound.stream, stream.handle);
  if (const auto write = bound.plan->op->host_outputs) write(bound.plan->descriptor.get(), bound.args.data());
  if (bound.steps.empty()) return {};
  const auto* args = reinterpret_cast<const std::byte*>(bound.args.data());
  if (stream.kind == ADJ_STREAM_HOST) return run_on_host(*bound.plan, bound.steps, stream, args, bound.workspace);
  const cu::Api& api = **cuda();
  const auto handle = static_cast<cu::Stream>(stream.handle);
  for (const Step& step : bound.steps) {
    Result<void> ok;
    if (const auto* kernel = std::get_if<KernelStep>(&step)) ok = launch(api, *kernel, false, handle, const_cast<std::byte*>(kernel->params.data()));
    else ok = issue(api, *bound.plan, step, stream, args, bound.workspace);
    if (!ok) return ok;
  }
  return {};
}

}  // namespace

Result<void> run_bound(const BoundCall& bound, const adj_stream& stream) {
  if (!trace::wants(trace::kRun | trace::kNvtx)) [[likely]]
    return run_bound_now(bound, stream);
  return traced(*bound.plan, stream, true, [&] { return run_bound_now(bound, stream); });
}

void release(BoundCall* bound) { delete bound; }
const std::vector<Step>& bound_call_steps(const BoundCall& bound) { return bound.steps; }

}  // namespace adj
