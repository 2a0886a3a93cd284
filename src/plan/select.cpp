#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <limits>
#include <optional>
#include <thread>

#include "base/text.hpp"
#include "driver/libraries.hpp"
#include "driver/trace.hpp"
#include "plan/plan.hpp"
#include "plan/select.hpp"
#include "plan/words.hpp"

namespace adj {

namespace {

// Fails when the SKU's row in the table rules it out for this device or this preference. `guarantee`: the SKU's for the problem.
Result<void> check_row(const Sku& sku, const adj_guarantee& guarantee, const adj_stream& stream, const Device* device, const adj_preference& p) {
  const Variant& v = *sku.variant;
  const bool host_sku = v.backend == ADJ_BACKEND_HOST;
  if (p.sku && !glob_match(p.sku, sku.id))
    return fail(ADJ_ERROR_UNSUPPORTED, "excluded by preference.sku = '{}'", p.sku);
  if (p.backend != ADJ_BACKEND_ANY && p.backend != v.backend)
    return fail(ADJ_ERROR_UNSUPPORTED, "excluded by preference.backend = {} ({})", p.backend, backend_name(p.backend));
  if (host_sku != (stream.kind == ADJ_STREAM_HOST))
    return fail(ADJ_ERROR_UNSUPPORTED, "runs on {} stream only", host_sku ? "the host" : "a CUDA");
  if (device)
    if (auto ok = check_arch(sku, device->cc); !ok) return ok;
  if (guarantee.determinism < p.determinism)
    return fail(ADJ_ERROR_UNSUPPORTED, "its determinism is {}, {} is required", determinism_name(guarantee.determinism),
                determinism_name(p.determinism));
  if (v.on_request && p.math != ADJ_MATH_FAST)
    return fail(ADJ_ERROR_UNSUPPORTED, "rounds more than the element type does, preference.math does not ask for fast");
  if (p.math == ADJ_MATH_IEEE && guarantee.math != ADJ_MATH_IEEE)
    return fail(ADJ_ERROR_UNSUPPORTED, "uses hardware approximations, preference.math asks for IEEE");
  return {};
}

// Number of kernels of a plan by the place where they were found, indexed by Found.
using Sources = std::array<int, kFoundCount>;

// Loads every program of a plan. Programs that must be compiled or read are loaded in parallel, so that the plan waits for the slowest
// of them and not for their sum.
Result<void> load_programs(Plan& plan, const Device& device, adj_jit_policy policy, Sources& sources) {
  struct Job {
    const Program* program;
    std::optional<Result<LoadedKernel>> result;
    std::exception_ptr exception;

    void run(const Device& on, adj_jit_policy how) {
      try {
        result = program->load(on, how);
      } catch (...) {
        exception = std::current_exception();
      }
    }
  };
  std::vector<Job> jobs;
  auto find = [&](const Program* program) {
    return std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) { return job.program == program; });
  };
  struct Use {
    const Program* program;
    cu::Function* function;
  };
  std::vector<Use> uses;
  for (Step& step : plan.steps)
    if (auto* kernel = std::get_if<KernelStep>(&step)) {
      uses.push_back({kernel->program, &kernel->function});
      if (kernel->unaligned_program) uses.push_back({kernel->unaligned_program, &kernel->unaligned_function});
    }
  for (const Use& use : uses)
    if (!use.program->loaded(device) && find(use.program) == jobs.end()) jobs.push_back({use.program, {}, {}});
  if (!jobs.empty()) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i; (i = next++) < jobs.size();) jobs[i].run(device, policy);
    };
    const std::size_t helpers = std::min<std::size_t>(jobs.size(), std::max(1u, std::thread::hardware_concurrency())) - 1;
    std::vector<std::jthread> threads;
    try {
      while (threads.size() < helpers) threads.emplace_back(work);
    } catch (...) {  // fewer threads do the same work
    }
    work();
  }
  for (const Job& job : jobs)
    if (job.exception) std::rethrow_exception(job.exception);
  for (const Use& use : uses) {
    const auto job = find(use.program);
    auto loaded = job == jobs.end() ? use.program->load(device, policy) : std::move(*job->result);
    if (!loaded) return loaded.take_error();
    ++sources[static_cast<std::size_t>(loaded->from)];
    *use.function = loaded->function;
    if (job != jobs.end()) {  // for a later use of the same program
      loaded->from = Found::memory;
      job->result = *loaded;
    }
    plan.from_ptx |= loaded->from_ptx;
  }
  return {};
}

// Refuses clusters that the device cannot hold. The architecture allows 8 blocks, but a slice of a GPU (MIG) or a small one may have too few
// multiprocessors side by side, and the launch would fail.
Result<void> check_clusters(const Plan& plan, const Device& device) {
  for (const Step& step : plan.steps) {
    const auto* kernel = std::get_if<KernelStep>(&step);
    if (!kernel || kernel->cluster <= 1) continue;
    const cu::Api& api = **cuda();
    const ContextScope context(api, device);
    LaunchAttributes attributes{};
    cu::LaunchConfig config = launch_config(*kernel, nullptr, attributes);
    for (const bool unaligned : {false, true}) {
      if (unaligned && !kernel->unaligned_program) continue;
      if (unaligned) config.block_x = kernel->unaligned_block;
      int clusters = 0;
      const cu::Result rc = api.occupancy_of_clusters(&clusters, unaligned ? kernel->unaligned_function : kernel->function, &config);
      if (rc && rc != cu::kErrorInvalidClusterSize) return cuda_error(api, rc, "cuOccupancyMaxActiveClusters");
      if (rc || clusters < 1)
        return fail(ADJ_ERROR_UNSUPPORTED, "{} needs clusters of {} blocks with {} bytes of shared memory each, of which the device holds none",
                    (unaligned ? kernel->unaligned_program : kernel->program)->entry(), kernel->cluster, config.shared_bytes);
    }
  }
  return {};
}

// Counterpart of load_programs for an offline device: under ADJ_JIT_PACKS_ONLY, fails when a pack lacks a program of the plan.
Result<void> find_programs(const Plan& plan, const Device& device, adj_jit_policy policy) {
  if (policy != ADJ_JIT_PACKS_ONLY) return {};
  for (const Step& step : plan.steps)
    if (const auto* kernel = std::get_if<KernelStep>(&step))
      for (const Program* program : {kernel->program, kernel->unaligned_program})
        if (program)
          if (auto image = program->image(device.cc, policy); !image) return image.take_error();
  return {};
}

// Fills in step.constant. Long lists overwrite most of a parameter block, so run copies only the constant ranges.
void find_constant_parts(KernelStep& step) {
  auto taken = step.unread;
  for (const Patch& patch : step.patches)
    if (patch.kind == Patch::list) {
      taken.emplace_back(patch.offset, patch.offset + patch.count * 4);
      taken.emplace_back(patch.high, patch.high + patch.count * 2);
    }
  std::sort(taken.begin(), taken.end());
  std::uint32_t at = 0;
  for (const auto& [begin, end] : taken) {
    if (begin > at) step.constant.emplace_back(at, begin);
    at = std::max(at, end);
  }
  const auto size = static_cast<std::uint32_t>(step.params.size());
  if (at < size) step.constant.emplace_back(at, size);
}

// The parameters of a launch must fit the buffer that run copies them into (kLargestParams) and the limit of the device.
Result<void> check_params(const Plan& plan, const Device* device) {
  for (const Step& step : plan.steps)
    if (const auto* kernel = std::get_if<KernelStep>(&step); kernel && kernel->params.size() > std::min<std::size_t>(kLargestParams, device->param_bytes))
      return fail(ADJ_ERROR_UNSUPPORTED, "{} takes {} bytes of parameters, the device at most {}", kernel->program->entry(), kernel->params.size(),
                  device->param_bytes);
  return {};
}

struct Selection {
  std::unique_ptr<Plan> plan;  // null: nothing accepted, or explain
  std::vector<Rejection> candidates;
  // Index of the first candidate that fits the stream and the preference but not the problem; its reason is the one to report. A candidate
  // whose library is missing counts only when no later candidate qualifies.
  std::optional<std::size_t> most_telling;
  Sources sources{};                      // origins of the plan's kernels
  std::optional<Error> first_hard_error;  // first failure of a compile, the driver or a library for a candidate that otherwise fits
};

struct Problem {
  DescriptorCopy descriptor;
  const OpInfo* op;
  const Device* device;
  adj_preference preference;
};

Result<Problem> read_problem(const adj_stream& stream, const adj_header* header, const adj_preference* given) {
  auto descriptor = DescriptorCopy::make(header);
  if (!descriptor) return descriptor.take_error();
  auto device = stream_device(stream);
  if (!device) return device.take_error();
  auto preference = read_preference(given);
  if (!preference) return preference.take_error();
  const OpInfo* op = descriptor->op();
  if (stream.reserved != 0) return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: stream.reserved = {}, expected 0", op->name, stream.reserved);
  if (auto ok = check_fields(*op, descriptor->get()); !ok) return ok.take_error();
  if (auto ok = op->validate(descriptor->get()); !ok) return ok.take_error();
  return Problem{std::move(*descriptor), op, *device, *preference};
}

Selection walk(const Problem& problem, const adj_stream& stream, bool stop_at_first);

// Enlarges the workspace of a host plan to that of the plan that select chooses on preference.workspace_arch. Where no kernel fits there, the plan
// stays as it is.
void demand_as_device(Plan& plan, const Problem& problem) {
  Problem there = problem;
  adj_stream stream;
  stream.kind = ADJ_STREAM_OFFLINE;
  stream.arch = problem.preference.workspace_arch;
  there.device = *offline_device(stream.arch);
  adj_preference& p = there.preference;
  p.sku = nullptr;
  p.backend = ADJ_BACKEND_ANY;
  p.jit = ADJ_JIT_DEFAULT;
  const Selection selection = walk(there, stream, true);
  if (!selection.plan) return;
  plan.workspace_size = std::max(plan.workspace_size, selection.plan->workspace_size);
  plan.bind_workspace_size = std::max(plan.bind_workspace_size, selection.plan->bind_workspace_size);
}

Selection walk(const Problem& problem, const adj_stream& stream, bool stop_at_first) {
  Selection selection;
  const OpInfo& op = *problem.op;
  const Signature signature = op.signature(problem.descriptor.get());
  auto reject = [&](const Sku& sku, const Error& error) {
    selection.candidates.push_back({sku.id, error.code, error.message});
  };
  // True when the failure ends the selection. Another SKU could run, but its bits would differ from a process in which this SKU loads.
  auto failed = [&](Error error) {
    if (!selection.first_hard_error) selection.first_hard_error = std::move(error);
    return !problem.preference.fallback;
  };
  std::vector<const Sku*> skus, last;
  for (const Sku& sku : skus_of(op))
    if (sku.signature == signature)
      (sku.variant->yields && sku.variant->yields(problem.descriptor.get()) ? last : skus).push_back(&sku);
  skus.insert(skus.end(), last.begin(), last.end());
  for (const Sku* candidate : skus) {
    const Sku& sku = *candidate;
    const adj_guarantee guarantee = guarantee_of(sku, problem.descriptor.get());
    if (auto ok = check_row(sku, guarantee, stream, problem.device, problem.preference); !ok) {
      reject(sku, ok.error());
      continue;
    }
    if (!selection.most_telling || selection.candidates[*selection.most_telling].code == ADJ_ERROR_BACKEND_UNAVAILABLE)
      selection.most_telling = selection.candidates.size();
    auto plan = std::make_unique<Plan>();
    plan->op = &op;
    plan->sku = &sku;
    plan->guarantee = guarantee;
    plan->stream = stream;
    plan->specs.resize(op.slots.size());
    op.shapes(problem.descriptor.get(), plan->specs);
    PlanBuilder builder(*plan);
    const PlanRequest request{problem.descriptor.get(), problem.device, &sku, &problem.preference};
    const FinishFunction finish = sku.variant->finish ? sku.variant->finish : op.finish;
    if (auto ok = finish(request, builder); !ok) {
      reject(sku, ok.error());
      if (stop_at_first && ok.error().code == ADJ_ERROR_CUDA && failed(ok.take_error())) return selection;
      continue;
    }
    if (problem.preference.workspace_arch && stream.kind == ADJ_STREAM_HOST) demand_as_device(*plan, problem);
    plan->bind_workspace_size = std::max(plan->bind_workspace_size, plan->workspace_size);
    if (plan->bind_workspace_size >= kMostWorkspace) {
      reject(sku, fail(ADJ_ERROR_UNSUPPORTED, "needs more than 2^60 bytes of workspace"));
      continue;
    }
    if (auto ok = check_params(*plan, problem.device); !ok) {
      reject(sku, ok.error());
      continue;
    }
    if (plan->workspace_size > problem.preference.workspace_limit) {
      reject(sku, fail(ADJ_ERROR_UNSUPPORTED, "needs {} bytes of workspace, preference.workspace_limit = {}",
                       plan->workspace_size, problem.preference.workspace_limit));
      continue;
    }
    if (stop_at_first && problem.device) {
      auto ok = problem.device->real() ? load_programs(*plan, *problem.device, problem.preference.jit, selection.sources = {})
                                       : find_programs(*plan, *problem.device, problem.preference.jit);
      if (!ok) {
        reject(sku, ok.error());
        if (failed(ok.take_error())) return selection;
        continue;
      }
      if (problem.device->real())
        if (ok = check_clusters(*plan, *problem.device); !ok) {
          reject(sku, ok.error());
          if (ok.error().code == ADJ_ERROR_CUDA && failed(ok.take_error())) return selection;
          continue;
        }
    }
    selection.candidates.push_back({sku.id, ADJ_OK, "accepted"});
    if (stop_at_first) {
      plan->candidates = std::move(selection.candidates);
      selection.plan = std::move(plan);
      return selection;
    }
  }
  return selection;
}

// The candidate whose reason is reported. When the table rows exclude every candidate, it is the first of the stream's own kind: that a GPU
// kernel does not run on the host explains nothing.
const Rejection& most_telling(const Selection& selection, const adj_stream& stream) {
  const std::vector<Rejection>& candidates = selection.candidates;
  if (selection.most_telling) return candidates[*selection.most_telling];
  for (const Rejection& r : candidates)
    if ((find_sku(r.sku)->variant->backend == ADJ_BACKEND_HOST) == (stream.kind == ADJ_STREAM_HOST)) return r;
  return candidates.front();
}

// The error of a descriptor whose element types are none of the operator's.
Error wrong_types(const OpInfo& op, const void* descriptor) {
  // Name of an element type that the descriptor does not give, and that every signature of the operator has.
  const Signature signature = op.signature(descriptor);
  const std::vector<std::string> columns = split(op.signature_columns, ',');
  const char* forgotten = nullptr;
  for (const Field& field : op.fields)
    for (std::size_t i = 0; i < columns.size() && !forgotten; ++i) {
      const int type = static_cast<int>(i) - static_cast<int>(columns.size()) + signature.count;  // the choice, when there is one, has the first column
      if (columns[i] == field.name && field.kind == kFieldDtype && type >= 0 && signature[type] == ADJ_DTYPE_NONE &&
          std::none_of(op.signatures.begin(), op.signatures.end(), [&](const Signature& s) { return s[type] == ADJ_DTYPE_NONE; }))
        forgotten = field.name;
    }
  if (forgotten)
    return fail(ADJ_ERROR_UNSUPPORTED, "{}: {} was not given; supported: {} ({})", op.name, forgotten, supported_signatures(op), op.signature_columns);
  return fail(ADJ_ERROR_UNSUPPORTED, "{}: no kernel for element types {} ({}); supported: {}", op.name, signature.name(), op.signature_columns,
              supported_signatures(op));
}

// The error that reports why no SKU was selected.
Error refusal(const Problem& problem, const adj_stream& stream, Selection& selection) {
  const OpInfo& op = *problem.op;
  Error error;
  if (const char* glob = problem.preference.sku; glob && !selection.candidates.empty() &&
           std::none_of(selection.candidates.begin(), selection.candidates.end(), [&](const Rejection& r) { return glob_match(glob, r.sku); }))
    error = fail(ADJ_ERROR_UNSUPPORTED, "{}: preference.sku = '{}' matches no SKU for these element types, of which one is {}", op.name, glob,
                 selection.candidates.front().sku);
  else if (selection.candidates.empty())
    error = wrong_types(op, problem.descriptor.get());
  else if (selection.first_hard_error)
    error = std::move(*selection.first_hard_error);
  else {
    const Rejection& told = most_telling(selection, stream);
    const bool unavailable = told.code == ADJ_ERROR_BACKEND_UNAVAILABLE;
    error = fail(unavailable ? told.code : ADJ_ERROR_UNSUPPORTED, "{}: no kernel fits; {}: {}", op.name, told.sku, told.reason);
  }
  if (selection.candidates.size() > 1 && !selection.first_hard_error)
    error.message += fmt::format(" (and {} more candidates, see the rejections)", selection.candidates.size() - 1);
  error.rejections = std::move(selection.candidates);
  return error;
}

Result<Plan*> select(const Problem& problem, const adj_stream& stream, Selection& selection) {
  if (!selection.plan) return refusal(problem, stream, selection);
  Plan& plan = *selection.plan;
  plan.descriptor = problem.descriptor;
  for (Step& step : plan.steps)
    if (auto* kernel = std::get_if<KernelStep>(&step)) find_constant_parts(*kernel);
  if (auto ok = check_bounds(plan); !ok) return ok.take_error();
  for (const Step& step : plan.steps)
    if (auto* call = std::get_if<CallStep>(&step); call && call->selected) call->selected(call->state.get());
  return selection.plan.release();
}

void trace_selection(const trace::Span& span, const Problem& problem, const adj_stream& stream, const Sources& sources,
                     const Result<Plan*>& selected) noexcept {
  trace::write_line([&] {
    std::string text = fmt::format("select {} {} on={}", span.time(),
                                   selected ? "sku=" + (*selected)->sku->id : fmt::format("error={}", status_name(selected.error().code)), words_of(stream));
    for (int i = 0; i < kFoundCount; ++i)
      if (const int n = sources[static_cast<std::size_t>(i)]) text += fmt::format(" {}={}", found_name(static_cast<Found>(i)), n);
    return text + " -- " + words_of(*problem.op, problem.descriptor.get()) + words_of(problem.preference);
  });
}

}  // namespace

Result<Plan*> select_plan(const adj_stream& stream, const adj_header* descriptor, const adj_preference* preference) {
  std::optional<trace::Span> span;
  if (trace::wants(trace::kSelect | trace::kNvtx)) span.emplace("adjoint select");
  auto problem = read_problem(stream, descriptor, preference);
  if (!problem) return problem.take_error();
  Selection selection = walk(*problem, stream, true);
  auto selected = select(*problem, stream, selection);
  if (span && trace::wants(trace::kSelect)) trace_selection(*span, *problem, stream, selection.sources, selected);
  return selected;
}

Result<Requirements> requirements_of(const adj_header* header) {
  auto descriptor = DescriptorCopy::make(header);
  if (!descriptor) return descriptor.take_error();
  const OpInfo& op = *descriptor->op();
  if (auto ok = check_fields(op, descriptor->get()); !ok) return ok.take_error();
  if (auto ok = op.validate(descriptor->get()); !ok) return ok.take_error();
  if (std::ranges::find(op.signatures, op.signature(descriptor->get())) == op.signatures.end()) return wrong_types(op, descriptor->get());
  Requirements made{std::move(*descriptor), std::vector<SlotSpec>(op.slots.size())};
  op.shapes(made.descriptor.get(), made.specs);
  return made;
}

Result<std::vector<Rejection>> explain_plan(const adj_stream& stream, const adj_header* descriptor,
                                            const adj_preference* preference) {
  auto problem = read_problem(stream, descriptor, preference);
  if (!problem) return problem.take_error();
  return std::move(walk(*problem, stream, false).candidates);
}

void retain(Plan& plan) { ++plan.references; }
void release(Plan* plan) {
  if (plan && --plan->references == 0) delete plan;
}

}  // namespace adj
