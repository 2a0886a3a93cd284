// Selection: the candidates of a problem in the order of trial, until one can serve it.
#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "driver/trace.hpp"
#include "plan/candidates.hpp"
#include "plan/descriptor.hpp"
#include "plan/tune.hpp"
#include "plan/words.hpp"

namespace adj {

namespace {

Result<Problem> read_problem(const adj_stream& stream, const adj_header* header, const adj_preference* given) {
  auto descriptor = DescriptorCopy::make(header);
  if (!descriptor) return descriptor.take_error();
  auto device = stream_device(stream);
  if (!device) return device.take_error();
  auto preference = read_preference(given);
  if (!preference) return preference.take_error();
  const OpInfo* op = descriptor->op();
  if (stream.reserved != 0) return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: stream.reserved = {}, expected 0", op->name, stream.reserved);
  if (auto ok = check_problem(*op, descriptor->get()); !ok) return ok.take_error();
  return Problem{std::move(*descriptor), op, *device, *preference};
}

Selection first_loaded(const Problem& problem, const adj_stream& stream);

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
  const Selection selection = first_loaded(there, stream);
  if (!selection.plan) return;
  plan.workspace_size = std::max(plan.workspace_size, selection.plan->workspace_size);
  plan.bind_workspace_size = std::max(plan.bind_workspace_size, selection.plan->bind_workspace_size);
}

void reject(Selection& selection, const Sku& sku, const Error& error) { selection.candidates.push_back({sku.id, error.code, error.message}); }
void accept(Selection& selection, const Sku& sku) { selection.candidates.push_back({sku.id, ADJ_OK, "accepted"}); }

// Plans a candidate, unless its row rules it out: then it is rejected, and the result is empty.
std::optional<Attempt> plan_admitted(const Problem& problem, const adj_stream& stream, const Sku& sku, Selection& selection) {
  if (auto ok = check_row(sku, guarantee_of(sku, problem.descriptor.get()), stream, problem.device, problem.preference); !ok) {
    reject(selection, sku, ok.error());
    return std::nullopt;
  }
  if (!selection.most_telling || selection.candidates[*selection.most_telling].code == ADJ_ERROR_BACKEND_UNAVAILABLE)
    selection.most_telling = selection.candidates.size();
  Attempt attempt = plan_candidate(problem, stream, sku, nullptr);
  if (!attempt.plan) return attempt;
  if (problem.preference.workspace_arch && stream.kind == ADJ_STREAM_HOST) demand_as_device(*attempt.plan, problem);
  if (auto ok = check_sizes(*attempt.plan, problem.preference); !ok) attempt = {nullptr, ok.take_error()};
  return attempt;
}

// The first candidate that can be loaded, with those that were tried before it.
Selection first_loaded(const Problem& problem, const adj_stream& stream) {
  Selection selection;
  for (const Sku* sku : skus_for(problem)) {
    auto planned = plan_admitted(problem, stream, *sku, selection);
    if (!planned) continue;
    Attempt attempt = load_candidate(std::move(*planned), problem, selection.sources);
    if (attempt.plan) {
      accept(selection, *sku);
      if (auto ok = complete(*attempt.plan, problem); !ok) {
        selection.first_hard_error = ok.take_error();
      } else {
        attempt.plan->candidates = std::move(selection.candidates);
        selection.plan = std::move(attempt.plan);
      }
      return selection;
    }
    reject(selection, *sku, attempt.error);
    if (!attempt.hard) continue;
    if (!selection.first_hard_error) selection.first_hard_error = std::move(attempt.error);
    // Another SKU could run, but its bits would differ from a process in which this SKU loads.
    if (!problem.preference.fallback) return selection;
  }
  return selection;
}

// Every candidate, of which none is loaded.
std::vector<Rejection> planned_candidates(const Problem& problem, const adj_stream& stream) {
  Selection selection;
  for (const Sku* sku : skus_for(problem)) {
    const auto attempt = plan_admitted(problem, stream, *sku, selection);
    if (!attempt) continue;
    if (attempt->plan) accept(selection, *sku);
    else reject(selection, *sku, attempt->error);
  }
  return std::move(selection.candidates);
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
  if (const char* glob = problem.preference.sku;
      glob && !selection.candidates.empty() &&
      std::none_of(selection.candidates.begin(), selection.candidates.end(), [&](const Rejection& r) { return glob_match(glob, r.sku); }))
    error = fail(ADJ_ERROR_UNSUPPORTED, "{}: preference.sku = '{}' matches no SKU for these element types, of which one is {}", op.name, glob,
                 selection.candidates.front().sku);
  else if (selection.candidates.empty()) error = wrong_types(op, problem.descriptor.get());
  else if (selection.first_hard_error) error = std::move(*selection.first_hard_error);
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

// The plan of a selection, or why there is none.
Result<Plan*> take_plan(const Problem& problem, const adj_stream& stream, Selection& selection) {
  if (!selection.plan) return refusal(problem, stream, selection);
  Plan& plan = *selection.plan;
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
  Sources sources{};
  auto selected = [&]() -> Result<Plan*> {
    auto tuned = select_tuned(*problem, stream);
    if (!tuned) return tuned.take_error();
    Selection selection = tuned->selection ? std::move(*tuned->selection) : first_loaded(*problem, stream);
    if (selection.plan && !tuned->note.empty()) selection.plan->candidates.back().reason += "; nothing was measured: " + tuned->note;
    sources = selection.sources;
    return take_plan(*problem, stream, selection);
  }();
  if (span && trace::wants(trace::kSelect)) trace_selection(*span, *problem, stream, sources, selected);
  return selected;
}

Result<Requirements> requirements_of(const adj_header* header) {
  auto descriptor = DescriptorCopy::make(header);
  if (!descriptor) return descriptor.take_error();
  const OpInfo& op = *descriptor->op();
  if (auto ok = check_problem(op, descriptor->get()); !ok) return ok.take_error();
  if (std::ranges::find(op.signatures, op.signature(descriptor->get())) == op.signatures.end()) return wrong_types(op, descriptor->get());
  Requirements made{std::move(*descriptor), {}};
  made.specs = specs_of(op, made.descriptor.get());
  return made;
}

Result<std::vector<Rejection>> explain_plan(const adj_stream& stream, const adj_header* descriptor, const adj_preference* preference) {
  auto problem = read_problem(stream, descriptor, preference);
  if (!problem) return problem.take_error();
  std::vector<Rejection> candidates = planned_candidates(*problem, stream);
  explain_verdict(*problem, candidates);
  return candidates;
}

void retain(Plan& plan) { ++plan.references; }
void release(Plan* plan) {
  if (plan && --plan->references == 0) delete plan;
}

}  // namespace adj
