#include "plan/candidates.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "base/text.hpp"
#include "driver/libraries.hpp"
#include "plan/descriptor.hpp"
#include "plan/words.hpp"

namespace adj {

Choices Choices::parse(std::string_view text) {
  Choices choices;
  for (const std::string& part : split(text, ' '))
    if (const std::size_t equals = part.find('='); equals != std::string::npos) choices.want(std::string_view(part).substr(0, equals), part.substr(equals + 1));
  return choices;
}

const std::string* Choices::wanted(std::string_view part) const {
  for (const auto& [name, alternative] : wanted_)
    if (name == part) return &alternative;
  return nullptr;
}

void Choices::want(std::string_view part, std::string alternative) {
  for (auto& [name, old] : wanted_)
    if (name == part) {
      old = std::move(alternative);
      return;
    }
  wanted_.emplace_back(part, std::move(alternative));
}

std::string Choices::text() const {
  std::string text;
  for (const Part& part : parts_) text += fmt::format("{}{}={}", text.empty() ? "" : " ", part.name, part.taken);
  return text;
}

std::vector<const Sku*> skus_for(const Problem& problem) {
  const void* const descriptor = problem.descriptor.get();
  const Signature signature = problem.op->signature(descriptor);
  std::vector<const Sku*> skus, last;
  for (const Sku& sku : skus_of(*problem.op))
    if (sku.signature == signature) (sku.variant->yields && sku.variant->yields(descriptor) ? last : skus).push_back(&sku);
  skus.insert(skus.end(), last.begin(), last.end());
  return skus;
}

Result<void> check_row(const Sku& sku, const adj_guarantee& guarantee, const adj_stream& stream, const Device* device, const adj_preference& p) {
  const Variant& v = *sku.variant;
  const bool host_sku = v.backend == ADJ_BACKEND_HOST;
  if (p.sku && !glob_match(p.sku, sku.id)) return fail(ADJ_ERROR_UNSUPPORTED, "excluded by preference.sku = '{}'", p.sku);
  if (p.backend != ADJ_BACKEND_ANY && p.backend != v.backend)
    return fail(ADJ_ERROR_UNSUPPORTED, "excluded by preference.backend = {} ({})", p.backend, backend_name(p.backend));
  if (host_sku != (stream.kind == ADJ_STREAM_HOST)) return fail(ADJ_ERROR_UNSUPPORTED, "runs on {} stream only", host_sku ? "the host" : "a CUDA");
  if (device)
    if (auto ok = check_arch(sku, device->cc); !ok) return ok;
  if (guarantee.determinism < p.determinism)
    return fail(ADJ_ERROR_UNSUPPORTED, "its determinism is {}, {} is required", determinism_name(guarantee.determinism), determinism_name(p.determinism));
  if (v.on_request && p.math != ADJ_MATH_FAST)
    return fail(ADJ_ERROR_UNSUPPORTED, "rounds more than the element type does, preference.math does not ask for fast");
  if (p.math == ADJ_MATH_IEEE && guarantee.math != ADJ_MATH_IEEE)
    return fail(ADJ_ERROR_UNSUPPORTED, "uses hardware approximations, preference.math asks for IEEE");
  return {};
}

namespace {

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
      } catch (...) { exception = std::current_exception(); }
    }
  };
  std::vector<Job> jobs;
  auto find = [&](const Program* program) { return std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) { return job.program == program; }); };
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
  for (const Binding& binding : step.bindings)
    if (binding.kind == Binding::list) {
      taken.emplace_back(binding.offset, binding.offset + binding.count * 4);
      taken.emplace_back(binding.high, binding.high + binding.count * 2);
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

}  // namespace

namespace {

// A failure of the device or of a library is hard; every other one rejects the candidate alone.
Attempt refused(Error error) {
  const bool hard = error.code == ADJ_ERROR_CUDA;
  return {nullptr, std::move(error), hard};
}

}  // namespace

Attempt plan_candidate(const Problem& problem, const adj_stream& stream, const Sku& sku, Choices* choices) {
  const OpInfo& op = *problem.op;
  auto plan = std::make_unique<Plan>();
  plan->op = &op;
  plan->sku = &sku;
  plan->guarantee = guarantee_of(sku, problem.descriptor.get());
  plan->stream = stream;
  plan->specs = specs_of(op, problem.descriptor.get());
  PlanBuilder builder(*plan);
  const PlanRequest request{problem.descriptor.get(), problem.device, &sku, &problem.preference, choices};
  const FinishFunction finish = sku.variant->finish ? sku.variant->finish : op.finish;
  if (auto ok = finish(request, builder); !ok) return refused(ok.take_error());
  if (auto ok = check_params(*plan, problem.device); !ok) return refused(ok.take_error());
  return {std::move(plan)};
}

Result<void> check_sizes(Plan& plan, const adj_preference& preference) {
  plan.bind_workspace_size = std::max(plan.bind_workspace_size, plan.workspace_size);
  if (plan.bind_workspace_size >= kMostWorkspace) return fail(ADJ_ERROR_UNSUPPORTED, "needs more than 2^60 bytes of workspace");
  if (plan.workspace_size > preference.workspace_limit)
    return fail(ADJ_ERROR_UNSUPPORTED, "needs {} bytes of workspace, preference.workspace_limit = {}", plan.workspace_size, preference.workspace_limit);
  return {};
}

Attempt load_candidate(Attempt planned, const Problem& problem, Sources& sources) {
  if (!planned.plan || !problem.device) return planned;
  Plan& plan = *planned.plan;
  const Device& device = *problem.device;
  const adj_jit_policy policy = problem.preference.jit;
  auto ok = device.real() ? load_programs(plan, device, policy, sources = {}) : find_programs(plan, device, policy);
  if (!ok) return {nullptr, ok.take_error(), true};
  if (device.real())
    if (ok = check_clusters(plan, device); !ok) return refused(ok.take_error());
  return planned;
}

Result<void> complete(Plan& plan, const Problem& problem) {
  plan.descriptor = problem.descriptor;
  for (Step& step : plan.steps)
    if (auto* kernel = std::get_if<KernelStep>(&step)) find_constant_parts(*kernel);
  return check_bounds(plan);
}

}  // namespace adj
