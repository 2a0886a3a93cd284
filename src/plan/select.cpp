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
#include "plan/structs.hpp"
#include "plan/words.hpp"

namespace adj {

namespace {

std::string supported_signatures(const OpInfo& op) {
  std::string text;
  for (const Signature& s : op.signatures) text += (text.empty() ? "" : ", ") + s.name();
  return text;
}

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

// Bytes that no field covers are reserved. They must be zero, so that a later version may give them a meaning.
Result<void> check_reserved(const OpInfo& op, const void* descriptor) {
  std::vector<bool> used(op.descriptor_size);
  auto use = [&](std::uint32_t offset, std::uint32_t size) { std::fill_n(used.begin() + offset, size, true); };
  use(0, sizeof(adj_header));
  for (const Field& field : op.fields) {
    use(field.offset, bytes_of(field));
    if (has_length(field)) use(field.offset - 8, 8);
  }
  for (std::uint32_t i = 0; i < op.descriptor_size; ++i)
    if (!used[i] && read<unsigned char>(descriptor, i) != 0) {
      const Field* before = nullptr;
      for (const Field& field : op.fields)
        if (field.offset < i && (!before || field.offset > before->offset)) before = &field;
      return fail(ADJ_ERROR_INVALID_ARGUMENT, "{} descriptor: the reserved byte {}, behind {}, is not zero", op.name, i, before ? before->name : "header");
    }
  return {};
}

// Checks a shape or a list of axes: its length is at most ADJ_MAX_RANK, its elements behind the end are zero.
Result<void> check_dims(const OpInfo& op, const Field& field, const void* descriptor) {
  const bool shape = field.kind == kFieldShape;
  const auto count = read<std::int64_t>(descriptor, field.offset);
  if (count < 0 || count > ADJ_MAX_RANK)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.{} = {}, expected 0 to {}", op.name, field.name, shape ? "rank" : "count", count, ADJ_MAX_RANK);
  for (std::int64_t i = 0; i < ADJ_MAX_RANK; ++i) {
    const auto item = read<std::int64_t>(descriptor, field.offset + 8 + 8 * static_cast<std::uint64_t>(i));
    if (i >= count && item != 0)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.{}[{}] = {} is set, but {}.{} = {}", op.name, field.name, shape ? "dims" : "at", i, item,
                  field.name, shape ? "rank" : "count", count);
    if (shape && item < 0) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.dims[{}] = {} is negative", op.name, field.name, i, item);
  }
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

constexpr std::uint64_t kMostWorkspace = std::uint64_t{1} << 60;

// The parameters of a launch must fit the buffer that run copies them into (kLargestParams) and the limit of the device.
Result<void> check_params(const Plan& plan, const Device* device) {
  for (const Step& step : plan.steps)
    if (const auto* kernel = std::get_if<KernelStep>(&step); kernel && kernel->params.size() > std::min<std::size_t>(kLargestParams, device->param_bytes))
      return fail(ADJ_ERROR_UNSUPPORTED, "{} takes {} bytes of parameters, the device at most {}", kernel->program->entry(), kernel->params.size(),
                  device->param_bytes);
  return {};
}

// Checks that every element type is one of adj_dtype, and every enumeration has a value with a name.
Result<void> check_known(const OpInfo& op, const void* descriptor) {
  for (const Field& field : op.fields) {
    const auto value = field.kind == kFieldDtype || field.choices ? read<std::int32_t>(descriptor, field.offset) : 0;
    if (field.kind == kFieldDtype && value != ADJ_DTYPE_NONE && !dtype_name(value))
      return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} = {} is not an element type; the operator has {} ({})", op.name, field.name, value,
                  supported_signatures(op), op.signature_columns);
    if (field.choices && (value < 0 || value > std::count(field.choices, field.choices + std::strlen(field.choices), ',')))
      return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} = {} is not a known value (0 to {}: {})", op.name, field.name, value,
                  std::count(field.choices, field.choices + std::strlen(field.choices), ','), field.choices);
  }
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
  if (auto ok = check_reserved(*op, descriptor->get()); !ok) return ok.take_error();
  if (auto ok = check_known(*op, descriptor->get()); !ok) return ok.take_error();
  for (const Field& field : op->fields)
    if (field.kind == kFieldShape || field.kind == kFieldAxes)
      if (auto ok = check_dims(*op, field, descriptor->get()); !ok) return ok.take_error();
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

}  // namespace

Result<adj_preference> read_preference(const adj_preference* given) {
  static constexpr adj_preference kDefault;
  if (!given) given = &kDefault;
  adj_preference p;
  if (auto ok = check_header(&given->header, ADJ_TAG_PREFERENCE, first_size(ADJ_TAG_PREFERENCE), sizeof p, "preference"); !ok) return ok.take_error();
  copy_struct(&p, &given->header, sizeof p);
  auto check = [](const char* field, std::int32_t value, std::int32_t last) -> Result<void> {
    if (value >= 0 && value <= last) return {};
    return fail(ADJ_ERROR_INVALID_ARGUMENT, "preference.{} = {} is not a known value (0 to {})", field, value, last);
  };
  if (auto ok = check("determinism", p.determinism, ADJ_BATCH_INVARIANT); !ok) return ok.take_error();
  if (auto ok = check("math", p.math, ADJ_MATH_FAST); !ok) return ok.take_error();
  if (auto ok = check("jit", p.jit, ADJ_JIT_PACKS_ONLY); !ok) return ok.take_error();
  if (auto ok = check("backend", p.backend, ADJ_BACKEND_NCCL); !ok) return ok.take_error();
  if (auto ok = check("fallback", p.fallback, 1); !ok) return ok.take_error();
  if (p.workspace_arch)
    if (auto known = offline_device(p.workspace_arch); !known)
      return fail(ADJ_ERROR_INVALID_ARGUMENT, "preference.workspace_arch = {}: {}", p.workspace_arch, known.error().message);
  if (p.determinism == ADJ_DETERMINISM_DEFAULT) p.determinism = ADJ_RUN_TO_RUN;
  return p;
}

Result<DescriptorCopy> DescriptorCopy::make(const adj_header* header) {
  if (!header) return fail(ADJ_ERROR_INVALID_ARGUMENT, "descriptor is null");
  const OpInfo* op = described_op(header->tag);
  if (!op) return wrong_tag("descriptor", header->tag, ADJ_TAG_NONE);
  const std::string what = fmt::format("{} descriptor", op->name);
  if (auto ok = check_header(header, ADJ_DESCRIPTOR_TAG(op->id), op->first_descriptor_size, op->descriptor_size, what.c_str()); !ok)
    return ok.take_error();
  DescriptorCopy copy;
  copy.op_ = op;
  copy.bytes_.resize((op->descriptor_size + 7) / 8);
  std::memcpy(copy.bytes_.data(), op->default_descriptor, op->descriptor_size);
  copy_struct(copy.bytes_.data(), header, op->descriptor_size);
  copy.lists_ = std::make_shared<std::vector<std::vector<std::int64_t>>>();
  copy.texts_ = std::make_shared<std::deque<std::string>>();
  auto write = [&](std::uint32_t offset, auto value) { std::memcpy(reinterpret_cast<char*>(copy.bytes_.data()) + offset, &value, sizeof value); };
  for (const Field& field : op->fields) {
    if (field.kind == kFieldText) {
      if (const auto* text = read<const char*>(copy.get(), field.offset)) write(field.offset, copy.texts_->emplace_back(text).c_str());
    }
    if (!has_length(field)) continue;
    const auto count = read<std::int64_t>(copy.get(), field.offset - 8);
    if (field.kind == kFieldBytes) {
      const auto* bytes = read<const char*>(copy.get(), field.offset);
      if (count < -1 || count > kMostBytes)
        return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} has {} bytes, expected -1 to {}", op->name, field.name, count, kMostBytes);
      if (!bytes) {
        if (count > 0) return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} is null, {} bytes expected", op->name, field.name, count);
        continue;
      }
      const std::string& own = count < 0 ? copy.texts_->emplace_back(bytes) : copy.texts_->emplace_back(bytes, static_cast<std::size_t>(count));
      write(field.offset - 8, static_cast<std::int64_t>(own.size()));
      write(field.offset, own.c_str());
      continue;
    }
    const auto* items = read<const std::int64_t*>(copy.get(), field.offset);  // i64 or f64, copied as 8 bytes each
    if (count < 0 || count > kLongestList)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: the list {} has length {}, expected 0 to {}", op->name, field.name, count, kLongestList);
    if (count > 0 && !items)
      return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} is null, {} elements expected", op->name, field.name, count);
    auto& list = copy.lists_->emplace_back();
    if (count > 0) list.assign(items, items + count);
    write(field.offset, list.data());
  }
  return copy;
}

std::size_t DescriptorCopy::bytes() const {
  std::size_t total = bytes_.size() * sizeof bytes_[0];
  for (const auto& list : *lists_) total += list.size() * sizeof list[0];
  for (const std::string& text : *texts_) total += text.size();
  return total;
}

namespace {

// The error that reports why no SKU was selected.
Error refusal(const Problem& problem, const adj_stream& stream, Selection& selection) {
  const OpInfo& op = *problem.op;
  Error error;
  // Name of an element type that the descriptor does not give, and that every signature of the operator has.
  const Signature signature = op.signature(problem.descriptor.get());
  const std::vector<std::string> columns = split(op.signature_columns, ',');
  const char* forgotten = nullptr;
  for (const Field& field : op.fields)
    for (std::size_t i = 0; i < columns.size() && selection.candidates.empty() && !forgotten; ++i) {
      const int type = static_cast<int>(i) - static_cast<int>(columns.size()) + signature.count;  // the choice, when there is one, has the first column
      if (columns[i] == field.name && field.kind == kFieldDtype && type >= 0 && signature[type] == ADJ_DTYPE_NONE &&
          std::none_of(op.signatures.begin(), op.signatures.end(), [&](const Signature& s) { return s[type] == ADJ_DTYPE_NONE; }))
        forgotten = field.name;
    }
  if (forgotten)
    error = fail(ADJ_ERROR_UNSUPPORTED, "{}: {} was not given; supported: {} ({})", op.name, forgotten, supported_signatures(op), op.signature_columns);
  else if (const char* glob = problem.preference.sku; glob && !selection.candidates.empty() &&
           std::none_of(selection.candidates.begin(), selection.candidates.end(), [&](const Rejection& r) { return glob_match(glob, r.sku); }))
    error = fail(ADJ_ERROR_UNSUPPORTED, "{}: preference.sku = '{}' matches no SKU for these element types, of which one is {}", op.name, glob,
                 selection.candidates.front().sku);
  else if (selection.candidates.empty())
    error = fail(ADJ_ERROR_UNSUPPORTED, "{}: no kernel for element types {} ({}); supported: {}", op.name,
                 signature.name(), op.signature_columns, supported_signatures(op));
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

// ---- builder

namespace {
// End of a booking in the workspace. A sum that could overflow saturates at kMostWorkspace; walk refuses a plan of that size.
std::uint64_t end_of(std::uint64_t offset, std::uint64_t bytes) { return bytes > kMostWorkspace - offset ? kMostWorkspace : offset + bytes; }
}  // namespace

std::uint64_t PlanBuilder::book(std::uint64_t bytes) {
  const std::uint64_t offset = std::min(align_workspace(plan_.workspace_size), kMostWorkspace);
  plan_.workspace_size = end_of(offset, bytes);
  return offset;
}

void PlanBuilder::align_tensors(std::uint32_t bytes) {
  for (SlotSpec& spec : plan_.specs) spec.alignment = std::max(spec.alignment, bytes);
}

std::uint64_t PlanBuilder::book_for_bind(std::uint64_t bytes) {
  const std::uint64_t used = std::max(plan_.workspace_size, plan_.bind_workspace_size);
  const std::uint64_t offset = std::min(align_workspace(used), kMostWorkspace);
  plan_.bind_workspace_size = end_of(offset, bytes);
  return offset;
}

void PlanBuilder::add(Step step) {
  step.when = when_;
  plan_.steps.push_back(std::move(step));
}
bool PlanBuilder::follows_kernel() const {
  for (bool bound : {false, true}) {
    if (when_ == (bound ? When::run : When::bound)) continue;
    const auto last = std::find_if(plan_.steps.rbegin(), plan_.steps.rend(), [&](const Step& step) { return step.in(bound); });
    if (last == plan_.steps.rend() || !std::holds_alternative<KernelStep>(*last)) return false;
  }
  return true;
}
PlanBuilder::Kernel PlanBuilder::kernel(int program, std::int64_t grid, unsigned block, std::int64_t grid_y) {
  const bool follows = follows_kernel();
  KernelStep step;
  step.program = plan_.sku->programs.at(static_cast<std::size_t>(program));
  // The clamp is safe: kernels stride over the grid, or their plans bound it below these limits.
  step.config.grid_x = static_cast<unsigned>(std::clamp<std::int64_t>(grid, 1, std::numeric_limits<std::int32_t>::max()));
  step.config.grid_y = static_cast<unsigned>(std::clamp<std::int64_t>(grid_y, 1, 65535));
  step.config.grid_z = 1;
  step.config.block_x = block;
  step.config.block_y = step.config.block_z = 1;
  add(std::move(step));
  return Kernel(std::get<KernelStep>(plan_.steps.back()), *plan_.sku, follows);
}
void PlanBuilder::user_kernel(std::shared_ptr<const Program> program, const cu::LaunchConfig& config, std::vector<std::byte> params, std::vector<Patch> patches) {
  KernelStep step;
  step.program = program.get();
  step.owner = std::move(program);
  step.config = config;
  step.apart = true;
  step.params = std::move(params);
  step.patches = std::move(patches);
  add(std::move(step));
}
void PlanBuilder::clear_workspace(std::uint64_t offset, std::uint64_t bytes, unsigned char value) {
  if (bytes) add(MemsetStep{true, 0, offset, bytes, value});
}
void PlanBuilder::clear_output(int slot, unsigned char value) {
  const std::uint64_t bytes = plan_.specs[static_cast<std::size_t>(slot)].bytes;
  if (bytes) add(MemsetStep{false, static_cast<std::uint16_t>(slot), 0, bytes, value});
}
void PlanBuilder::copy(int from, int to) { add(CopyStep{static_cast<std::uint16_t>(from), static_cast<std::uint16_t>(to)}); }
void PlanBuilder::record(int event_slot) { add(EventStep{static_cast<std::uint16_t>(event_slot), false}); }
void PlanBuilder::wait(int event_slot) { add(EventStep{static_cast<std::uint16_t>(event_slot), true}); }
void PlanBuilder::call(CallStep step) { add(std::move(step)); }
void PlanBuilder::host(HostFunction function) { add(HostStep{function}); }

std::vector<Step> Plan::steps_of(bool bound) const {
  std::vector<Step> own;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(own), [&](const Step& step) { return step.in(bound); });
  return own;
}
std::int64_t Plan::count_steps(bool bound) const {
  return std::count_if(steps.begin(), steps.end(), [&](const Step& step) { return step.in(bound); });
}

PlanBuilder::Kernel& PlanBuilder::Kernel::early(const Device& device) {
  step_.early = device.early_launches && follows_kernel_;
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::tensor(std::size_t offset, int slot) {
  step_.patches.push_back({Patch::tensor, static_cast<std::uint16_t>(slot), static_cast<std::uint32_t>(offset)});
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::workspace(std::size_t offset, std::uint64_t addend) {
  step_.patches.push_back({Patch::workspace, 0, static_cast<std::uint32_t>(offset), addend});
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::scalar(std::size_t offset, int slot) {
  step_.patches.push_back({Patch::scalar, static_cast<std::uint16_t>(slot), static_cast<std::uint32_t>(offset)});
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::random(std::size_t offset, int slot) {
  step_.patches.push_back({Patch::random, static_cast<std::uint16_t>(slot), static_cast<std::uint32_t>(offset)});
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::list(std::size_t low, std::size_t high, int slot, std::uint32_t first, std::uint32_t count) {
  step_.patches.push_back({.kind = Patch::list, .slot = static_cast<std::uint16_t>(slot), .offset = static_cast<std::uint32_t>(low),
                           .high = static_cast<std::uint32_t>(high), .first = first, .count = count});
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::when_unaligned(int program, std::span<const int> slots, unsigned block) {
  if (slots.empty()) return *this;
  step_.unaligned_program = sku_.programs.at(static_cast<std::size_t>(program));
  step_.unaligned_block = block ? block : step_.config.block_x;
  for (int slot : slots) step_.unaligned_slots |= 1u << slot;
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::unless_in_place(int from, int to) {
  step_.in_place_from = static_cast<std::uint16_t>(from);
  step_.in_place_to = static_cast<std::uint16_t>(to);
  return *this;
}
PlanBuilder::Kernel& PlanBuilder::Kernel::unread(std::size_t begin, std::size_t end) {
  if (begin < end) step_.unread.emplace_back(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
  return *this;
}

}  // namespace adj
