// adjoint sku explain: fills a descriptor from key=value words and shows how the kernel for it is chosen. adjoint tune: measures for such a
// descriptor, and keeps the verdict in a file.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "abi.hpp"
#include "commands.hpp"
#include "descriptor.hpp"
#include "output.hpp"
#include "pack.hpp"
#include "words.hpp"

namespace {

using namespace cli;

struct ExplainOptions {
  std::string op;
  std::vector<std::string> words;
  std::string arch, determinism, math, jit, backend, sku, workspace_limit, workspace_arch, pack, tuning;
  std::optional<std::int64_t> device;
  bool host = false, fields = false, json = false, tune = false;
};

struct Target {
  adj_stream stream;
  std::string kind;  // "host", "offline" or "device"
  std::string text;
  adj_stream unloaded;  // stream on which planning compiles and loads no kernel: for a device, the offline stream of its architecture
};

// Says what planning for the architecture of an offline stream takes for granted; empty where the library knows it.
std::string assumption(const adj_stream& stream) {
  if (std::ranges::count(adj::known_capabilities(), stream.arch)) return "";
  const adj::Device& device = **adj::offline_device(stream.arch);
  return fmt::format(", which this version does not know: {} multiprocessors and {} of shared memory a block are assumed", device.multiprocessors,
                     bytes_text(device.shared_optin));
}

Target target_of(const ExplainOptions& o) {
  auto offline = [](const char* arch, std::string text) {
    const auto stream = get<adj_stream>(adj_stream_offline, arch);
    return Target{stream, "offline", text + assumption(stream), stream};
  };
  if (o.host) return {adj_stream_host(), "host", "the host", adj_stream_host()};
  if (!o.arch.empty()) return offline(o.arch.c_str(), fmt::format("a device of {}", o.arch));
  const std::int64_t devices = adj_device_count();
  if (o.device || devices > 0) {
    const std::int64_t i = o.device.value_or(0);
    if (i < 0 || i >= devices) throw Refused(ADJ_ERROR_NOT_FOUND, fmt::format("there is no device {}; this machine has {}", i, plural(devices, "device")));
    const auto info = get<adj_device_info>(adj_device_get, i);
    const std::string arch = info.arch;
    const auto unloaded = get<adj_stream>(adj_stream_offline, arch.c_str());
    adj_stream stream = unloaded;  // of the device, without a handle: nothing runs on it
    stream.kind = ADJ_STREAM_CUDA;
    stream.device = static_cast<std::int32_t>(i);
    return {stream, "device", fmt::format("device {}: {} ({}){}", i, info.name, arch, assumption(unloaded)), unloaded};
  }
  constexpr const char* kAssumed = "sm_90a";
  return offline(kAssumed, fmt::format("a device of {} (assumed: no GPU here)", kAssumed));
}

adj_preference preference_of(const ExplainOptions& o) {
  adj_preference p;
  if (!o.determinism.empty()) p.determinism = value_of<adj_determinism>(kDeterminismWords, o.determinism);
  if (!o.math.empty()) p.math = value_of<adj_math>(kMathWords, o.math);
  if (!o.workspace_limit.empty()) p.workspace_limit = parse_bytes("--workspace-limit", o.workspace_limit);
  if (!o.workspace_arch.empty()) p.workspace_arch = get<adj_stream>(adj_stream_offline, o.workspace_arch.c_str()).arch;
  if (!o.backend.empty()) p.backend = value_of<adj_backend>(kBackendWords, o.backend);
  if (!o.sku.empty()) p.sku = o.sku.c_str();
  p.tune = o.tune;
  return p;
}

// Availability of a plan's kernels in the places where select would look for them.
struct Supply {
  std::string where;
  std::vector<const adj::Program*> needed, missing;
  bool decides = false;  // true: select compiles nothing, so a missing kernel makes it fail

  std::string text() const {
    return fmt::format("{} of {} in {}", needed.size() - missing.size(), plural(static_cast<std::int64_t>(needed.size()), "kernel"), where);
  }
};

std::optional<Supply> supply_of(const ExplainOptions& o, const adj_plan* plan, int cc) {
  if (!plan || (o.pack.empty() && o.jit.empty())) return std::nullopt;
  const std::optional<adj::Pack> pack = o.pack.empty() ? std::nullopt : std::optional(read_pack(o.pack));
  const adj_jit_policy policy = o.jit.empty() ? ADJ_JIT_DEFAULT : value_of<adj_jit_policy>(kJitWords, o.jit);
  Supply supply{.where = pack                           ? o.pack
                         : policy == ADJ_JIT_PACKS_ONLY ? "the packs of ADJOINT_PACK"
                                                        : "packs and the disk cache",
                .needed = programs_of(plan),
                .missing = {},
                .decides = policy != ADJ_JIT_DEFAULT};
  for (const adj::Program* program : supply.needed)
    if (!(pack && has(*pack, *program, cc)) &&
        ((pack && policy != ADJ_JIT_CACHED_ONLY) || !program->image(cc, policy == ADJ_JIT_PACKS_ONLY ? ADJ_JIT_PACKS_ONLY : ADJ_JIT_CACHED_ONLY)))
      supply.missing.push_back(program);
  return supply;
}

void print_supply(const Supply& supply) {
  if (supply.needed.empty()) {
    fmt::print("  it has no kernels to compile\n");
    return;
  }
  fmt::print("  {}\n", supply.text());
  for (const adj::Program* program : supply.missing) fmt::print("    missing: {}\n", indented(program->name(), 13));
}

struct Choice {
  PlanPtr plan;
  ErrorPtr error;  // set when there is no plan
  adj_status code = ADJ_OK;
  adj_sku_info sku;
  adj_plan_info info;
};

Choice choose(const adj_stream& stream, const Descriptor& descriptor, const adj_preference& preference) {
  Choice choice;
  adj_plan* plan = nullptr;
  adj_error* error = nullptr;
  choice.code = adj_plan_select(&stream, descriptor.header(), &preference, &plan, &error);
  choice.plan.reset(plan);
  choice.error.reset(error);
  if (choice.code == ADJ_OK) {
    choice.sku = get<adj_sku_info>(adj_plan_sku, plan);
    choice.info = get<adj_plan_info>(adj_plan_get_info, plan);
  }
  return choice;
}

Json candidates_json(const std::vector<adj_rejection>& candidates) {
  Json rows = Json::array();
  for (const adj_rejection& c : candidates)
    rows.push_back({{"sku", c.sku}, {"accepted", c.code == ADJ_OK}, {"code", adj_status_name(c.code)}, {"reason", c.reason}});
  return rows;
}

void print_candidates(const std::vector<adj_rejection>& candidates) {
  Table table({{"CANDIDATE"}, {"VERDICT"}, {"WHY"}});
  for (const adj_rejection& c : candidates) {
    const bool accepted = c.code == ADJ_OK;
    const bool silent = accepted && std::string_view(c.reason) == "accepted";
    table.add({c.sku, {accepted ? "accepted" : adj_status_name(c.code), accepted ? Style::good : Style::bad}, silent ? "" : c.reason});
  }
  table.print();
}

std::vector<OutputLevel> levels_of(const Choice& choice) {
  return output_levels(choice.sku, [&](const char* output) { return get<adj_guarantee>(adj_plan_guarantee, choice.plan.get(), output); });
}

Json choice_json(const Choice& choice) {
  if (!choice.plan) return nullptr;
  return {{"sku", choice.sku.id},
          {"workspace_bytes", choice.info.workspace_size},
          {"bind_workspace_bytes", choice.info.bind_workspace_size},
          {"launches", choice.info.launches},
          {"bound_launches", choice.info.bound_launches},
          {"guarantee", guarantee_json(choice.sku.guarantee)},
          {"output_determinism", levels_json(levels_of(choice))}};
}

void print_choice(const Choice& choice) {
  if (!choice.plan) {
    fmt::print("\nselect would choose nothing\n");
    return;
  }
  fmt::print("\nselect would choose {}\n", styled(choice.sku.id, Style::strong));
  fmt::print("  {}\n", indented(choice.sku.summary, 2));
  fmt::print("  workspace: {}", bytes_text(choice.info.workspace_size));
  if (choice.info.bind_workspace_size != choice.info.workspace_size) fmt::print(", {} to bind", bytes_text(choice.info.bind_workspace_size));
  fmt::print("\n  launches: {}", choice.info.launches);
  if (choice.info.bound_launches != choice.info.launches) fmt::print(", {} bound", choice.info.bound_launches);
  fmt::print("\n");
  for (const std::string& sentence : guarantee_sentences(choice.sku.guarantee, levels_of(choice))) fmt::print("  {}\n", indented(sentence, 2));
}

void explain(const ExplainOptions& o) {
  Descriptor descriptor(o.op);
  if (o.fields) {
    fmt::print("{}\n{}", descriptor.field_table(), descriptor.argument_table());
    return;
  }
  for (const std::string& word : o.words) descriptor.set(word);
  if (!o.tuning.empty()) check(adj_tuning_load(o.tuning.c_str()));
  const Target target = target_of(o);
  const adj_preference preference = preference_of(o);

  adj_error* raw = nullptr;
  const adj_status status = adj_plan_explain(&target.stream, descriptor.header(), &preference, &raw);
  const ErrorPtr report(raw);
  check(status, report);
  std::vector<adj_rejection> candidates;
  const std::int64_t count = adj_error_rejection_count(report.get());
  for (std::int64_t i = 0; i < count; ++i) candidates.push_back(get<adj_rejection>(adj_error_rejection, report.get(), i));

  adj_preference chosen = preference;
  chosen.tune = 0;  // nothing is measured to explain; the verdict's SKU is the first candidate
  adj_stream stream = target.stream;
  for (const adj_rejection& c : candidates)
    if (c.code == ADJ_OK) {
      chosen.sku = c.sku;
      // cuDNN and cuBLASLt plan only on the device itself, and need no kernel of ours to be compiled.
      const adj_backend backend = get<adj_sku_info>(adj_sku_find, c.sku).backend;
      if (backend != ADJ_BACKEND_CUDNN && backend != ADJ_BACKEND_CUBLASLT) stream = target.unloaded;
      break;
    }
  const Choice choice = choose(stream, descriptor, chosen);
  const std::string refusal = choice.plan ? "" : adj_last_error();

  const std::optional<Supply> supply = supply_of(o, choice.plan.get(), target.unloaded.arch);

  Json fields = Json::object();
  for (const adj_field& field : descriptor.fields()) fields[field.name] = descriptor.value(field);
  if (o.json) {
    Json object{{"op", descriptor.op_name()},    {"target", {{"kind", target.kind}, {"text", target.text}}},
                {"descriptor", fields},          {"candidates", candidates_json(candidates)},
                {"chosen", choice_json(choice)}, {"kernels", nullptr}};
    if (supply) {
      std::vector<std::string> missing;
      for (const adj::Program* program : supply->missing) missing.push_back(program->name());
      object["kernels"] = {{"where", supply->where}, {"needed", supply->needed.size()}, {"missing", missing}};
    }
    object["error"] = choice.plan ? Json(nullptr) : Json{{"code", adj_status_name(choice.code)}, {"message", refusal}};
    print_json(object);
  } else {
    fmt::print("{} on {}\n", styled(descriptor.op_name(), Style::strong), target.text);
    for (const auto& [name, value] : fields.items()) fmt::print("  {} = {}\n", name, Descriptor::value_text(value));
    fmt::print("\n");
    if (candidates.empty()) fmt::print("no candidate: {}\n", refusal);  // which names the element types that the operator has
    else print_candidates(candidates);
    print_choice(choice);
    if (supply) print_supply(*supply);
  }
  if (!choice.plan) check(choice.code, choice.error);
  if (supply && supply->decides && !supply->missing.empty())
    throw Refused(ADJ_ERROR_BACKEND_UNAVAILABLE, fmt::format("{}: only {}; `adjoint sku compile --arch {}` makes a pack of what is missing",
                                                             descriptor.op_name(), supply->text(), adj::arch_name(target.unloaded.arch)));
}

void tune(const ExplainOptions& o) {
  Descriptor descriptor(o.op);
  for (const std::string& word : o.words) descriptor.set(word);
  need_gpu("tune");
  if (std::filesystem::exists(o.tuning)) check(adj_tuning_load(o.tuning.c_str()));
  const Target target = target_of(o);
  adj_preference preference = preference_of(o);
  preference.tune = 1;
  const Choice choice = choose(target.stream, descriptor, preference);
  check(choice.code, choice.error);
  std::vector<adj_rejection> candidates;
  for (std::int64_t i = 0; i < adj_plan_candidate_count(choice.plan.get()); ++i)
    candidates.push_back(get<adj_rejection>(adj_plan_candidate, choice.plan.get(), i));
  const bool measured = std::string_view(candidates.back().reason).starts_with("measured");
  if (measured) check(adj_tuning_save(o.tuning.c_str()));
  if (o.json) {
    print_json({{"op", descriptor.op_name()},
                {"target", target.text},
                {"candidates", candidates_json(candidates)},
                {"chosen", choice_json(choice)},
                {"measured", measured},
                {"file", o.tuning}});
  } else {
    fmt::print("{} on {}\n\n", styled(descriptor.op_name(), Style::strong), target.text);
    print_candidates(candidates);
    if (measured) fmt::print("\n{} has the verdict\n", o.tuning);
  }
  if (measured) return;
  const std::string_view reason = candidates.back().reason;
  throw Refused(ADJ_ERROR_UNSUPPORTED,
                fmt::format("{}: there is no verdict: {}", descriptor.op_name(), reason == "accepted" ? "one kernel fits, with one algorithm" : reason));
}

// Options that stand for a preference, and the device.
CLI::Option* add_preference(CLI::App& command, ExplainOptions& o) {
  command.add_option("OP", o.op, "operator")->required();
  command.add_option("FIELDS", o.words,
                     "FIELD=VALUE...: fields of the descriptor: integers, numbers, element types and enumerators by name, lists as 10,20,30 "
                     "or 1000x4096 (a thousand items of 4096)");
  command.add_option("--determinism", o.determinism, "least level accepted (default run_to_run)")
      ->check(one_of(names(kDeterminismWords, ADJ_NONDETERMINISTIC)));
  command.add_option("--math", o.math, "ieee rules out hardware approximations; fast allows products of f32 in TF32")
      ->check(one_of(names(kMathWords, ADJ_MATH_IEEE)));
  command.add_option("--backend", o.backend, "only this backend")->check(one_of(names(kBackendWords, ADJ_BACKEND_BESPOKE)));
  command.add_option("--sku", o.sku, "only SKUs whose id matches, '*' and '?' allowed")->type_name("GLOB");
  command.add_option("--workspace-limit", o.workspace_limit, "most workspace accepted, in bytes or as 64MiB")->type_name("BYTES");
  return command.add_option("--device", o.device, "a GPU of this machine (default: the first)")->type_name("N");
}

}  // namespace

void add_sku_explain(CLI::App& sku) {
  CLI::App& command = *sku.add_subcommand("explain", "how the kernel for a problem is chosen, candidate by candidate");
  auto o = std::make_shared<ExplainOptions>();
  auto* device = add_preference(command, *o);
  auto* arch = command.add_option("--arch", o->arch, "a device that need not exist (sm_90a where there is no GPU)")->type_name("sm_XX");
  auto* host = command.add_flag("--host", o->host, "the host backend");
  arch->excludes(host)->excludes(device);
  host->excludes(device);
  command.add_option("--jit", o->jit, "where the kernels may come from: packs_only, cached_only (packs and the disk cache); says which are there")
      ->check(one_of(names(kJitWords, ADJ_JIT_CACHED_ONLY)));
  command.add_option("--pack", o->pack, "a pack to look for the kernels in")->type_name("FILE");
  command.add_option("--workspace-arch", o->workspace_arch, "with --host: the workspace that this architecture would need")->type_name("ARCH");
  command.add_flag("--tune", o->tune, "by a verdict of an earlier measurement, where the disk cache has one; measures nothing");
  command.add_option("--tuning", o->tuning, "a file of verdicts (`adjoint tune`), whose times are shown")->type_name("FILE");
  command.add_flag("--fields", o->fields, "list the operator's fields and arguments, and stop");
  command.add_flag("--json", o->json, "a JSON object");
  command.footer(
      "Examples:\n"
      "  adjoint sku explain embedding_backward --fields\n"
      "  adjoint sku explain embedding_backward num_embeddings=50257 embedding_dim=768 num_indices=8192 \\\n"
      "      element=bf16 index=i64 write_mode=accumulate --arch sm_80\n"
      "  adjoint sku explain adam numel=148x1048576 param=f32 grad=bf16 --determinism shape_only\n"
      "  adjoint sku explain softmax_backward outer=64 extent=1000 element=bf16 --arch sm_90a \\\n"
      "      --jit packs_only --pack kernels.pack\n"
      "\n"
      "Exits with 1 when select would find no kernel.");
  command.callback([o] { explain(*o); });
}

void add_tune(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("tune", "measure the kernels for a problem, and keep the verdict in a file; needs a GPU");
  auto o = std::make_shared<ExplainOptions>();
  add_preference(command, *o);
  command.add_option("-o,--output", o->tuning, "file to write; verdicts that it has stay")->required()->type_name("FILE");
  command.add_flag("--json", o->json, "a JSON object: op, target, candidates, chosen, measured, file");
  command.footer(
      "Measures as select does with preference.tune = 1: each SKU that the options accept, and each algorithm of cuBLASLt and cuDNN, on arguments made\n"
      "for it, with a cold level-2 cache. A verdict that the disk cache has is not measured again (`adjoint cache clear`).\n"
      "A program finds the file through ADJOINT_TUNING (files separated by ':') or adj_tuning_load. Its verdicts hold for this device model and these\n"
      "versions of the driver, of this library, of cuDNN and of cuBLASLt; elsewhere they are passed over.\n"
      "\n"
      "Examples:\n"
      "  adjoint tune matmul m=8192 n=768 k=3072 element=bf16 transpose_b=1 -o model.tuning\n"
      "  adjoint sku explain matmul m=8192 n=768 k=3072 element=bf16 transpose_b=1 --tuning model.tuning\n"
      "\n"
      "Exits with 1 when there is nothing to measure or it cannot be, with 77 where there is no GPU.");
  command.callback([o] { tune(*o); });
}
