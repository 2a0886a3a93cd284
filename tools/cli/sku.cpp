// adjoint sku list, sku show, sku kernels.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "abi.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "support/progress.hpp"
#include "words.hpp"

namespace {

using namespace cli;

struct ListOptions {
  std::string op, dtype, arch, backend;
  bool json = false;
};

std::vector<OutputLevel> levels_of(const adj_sku_info& sku) {
  return output_levels(sku, [&](const char* output) { return get<adj_guarantee>(adj_sku_guarantee, sku.id, output); });
}

Json sku_json(const adj_sku_info& sku) {
  return {{"id", sku.id},
          {"op", sku.op_name},
          {"algorithm", sku.algorithm},
          {"signature", sku.signature},
          {"arch", sku.arch},
          {"backend", name_of(kBackendWords, sku.backend)},
          {"kernels", sku.program_count},
          {"source", sku.source},
          {"summary", sku.summary},
          {"guarantee", guarantee_json(sku.guarantee)},
          {"output_determinism", levels_json(levels_of(sku))}};
}

void list(const ListOptions& o) {
  std::string dtype;
  if (!o.dtype.empty()) {
    if (!dtype_value(o.dtype))
      throw Misuse(fmt::format("--dtype: unknown element type '{}'; known: {}{}", o.dtype, known_dtypes(), suggestion(o.dtype, dtype_names())));
    dtype = dtype_text(*dtype_value(o.dtype));
  }
  int capability = 0;
  if (!o.arch.empty()) capability = get<adj_stream>(adj_stream_offline, o.arch.c_str()).arch;

  std::vector<adj_sku_info> kept;
  for (const adj_sku_info& sku : all_skus()) {
    if (!o.op.empty() && ::fnmatch(o.op.c_str(), sku.op_name, FNM_NOESCAPE) != 0) continue;
    const std::vector<std::string> types = split(sku.signature, '.');
    if (!dtype.empty() && std::find(types.begin(), types.end(), dtype) == types.end()) continue;
    if (capability && !runs_on(sku, capability)) continue;
    if (!o.backend.empty() && o.backend != name_of(kBackendWords, sku.backend)) continue;
    kept.push_back(sku);
  }
  const std::vector<std::string> ops = op_names();
  if (!o.op.empty() && std::none_of(ops.begin(), ops.end(), [&](const std::string& name) { return ::fnmatch(o.op.c_str(), name.c_str(), FNM_NOESCAPE) == 0; }))
    throw Refused(ADJ_ERROR_NOT_FOUND, fmt::format("no operator matches '{}'{}", o.op, suggestion(o.op, ops)));
  if (o.json) {
    Json rows = Json::array();
    for (const adj_sku_info& sku : kept) rows.push_back(sku_json(sku));
    print_json(rows);
    return;
  }
  Table table({{"SKU"}, {"DETERMINISM"}, {"SUMS"}, {"MATH"}, {"BOUND"}, {"KERNELS", true}});
  for (const adj_sku_info& sku : kept)
    table.add({sku.id, name_of(kDeterminismWords, sku.guarantee.determinism), dtype_text(sku.guarantee.accumulator), name_of(kMathWords, sku.guarantee.math),
               bound_text(sku.guarantee), std::to_string(sku.program_count)});
  table.print();
  fmt::print("{}\n", plural(static_cast<std::int64_t>(kept.size()), "SKU"));
}

Json shown_json(const adj_sku_info& sku) {
  Json object = sku_json(sku);
  object["guarantee_in_words"] = guarantee_sentences(sku.guarantee, levels_of(sku));
  return object;
}

void print_shown(const adj_sku_info& sku) {
  const std::string_view arch = sku.arch;
  const char* rule = !arch.starts_with("sm") ? "" : arch.ends_with('a') ? " (exactly that)" : " (that and later)";
  fmt::print("{}\n", styled(sku.id, Style::strong));
  auto line = [](const char* name, std::string_view value) {
    if (!value.empty()) fmt::print("  {:<14}{}\n", name, indented(value, 16));
  };
  line("operator", sku.op_name);
  line("algorithm", fmt::format("{}: {}", sku.algorithm, sku.summary));
  line("signature", sku.signature);
  line("architecture", fmt::format("{}{}", sku.arch, rule));
  line("backend", fmt::format("{}: {}", name_of(kBackendWords, sku.backend), meaning_of(kBackendWords, sku.backend)));
  line("kernels", std::to_string(sku.program_count));
  line("source", sku.source);
  fmt::print("guarantee\n");
  for (const std::string& sentence : guarantee_sentences(sku.guarantee, levels_of(sku))) fmt::print("  {}\n", indented(sentence, 2));
}

void show(const std::string& glob, bool json) {
  std::vector<adj_sku_info> wanted;
  for (const adj_sku_info& sku : all_skus())
    if (::fnmatch(glob.c_str(), sku.id, FNM_NOESCAPE) == 0) wanted.push_back(sku);
  if (wanted.empty()) throw Refused(ADJ_ERROR_NOT_FOUND, no_sku_matches(glob));
  if (json) {
    Json rows = Json::array();
    for (const adj_sku_info& sku : wanted) rows.push_back(shown_json(sku));
    print_json(rows);
    return;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i) fmt::print("\n");
    print_shown(wanted[i]);
  }
}

struct KernelsOptions {
  std::string skus, arch;
  bool json = false;
};

void kernels(const KernelsOptions& o) {
  const int capability = get<adj_stream>(adj_stream_offline, o.arch.c_str()).arch;
  std::vector<adj_sku_info> wanted;
  std::int64_t total = 0;
  bool matched = false;
  for (const adj_sku_info& sku : all_skus()) {
    if (!o.skus.empty() && ::fnmatch(o.skus.c_str(), sku.id, FNM_NOESCAPE) != 0) continue;
    matched = true;
    if (!runs_on(sku, capability)) continue;
    wanted.push_back(sku);
    total += sku.program_count;
  }
  if (!matched) throw Refused(ADJ_ERROR_NOT_FOUND, no_sku_matches(o.skus));
  if (wanted.empty()) throw Refused(ADJ_ERROR_NOT_FOUND, fmt::format("no SKU with kernels matches '{}' for {}", o.skus.empty() ? "*" : o.skus, o.arch));
  Json rows = Json::array();
  Table table({{"SKU"}, {"KERNEL"}, {"REGISTERS", true}, {"SHARED", true}, {"LOCAL", true}, {"CODE", true}, {"COMPILED IN", true}, {"MACROS"}});
  support::Progress progress{"compiling"};
  std::int64_t done = 0;
  for (const adj_sku_info& sku : wanted)
    for (std::int64_t i = 0; i < sku.program_count; ++i) {
      adj_kernel_info kernel;
      adj_error* error = nullptr;
      const adj_status status = adj_sku_kernel(sku.id, i, o.arch.c_str(), &kernel, &error);
      check(status, ErrorPtr(error));
      ++done;
      progress.update(done, total, fmt::format("{} of {}", done, plural(total, "kernel")));
      rows.push_back({{"sku", sku.id},
                      {"arch", o.arch},
                      {"source", kernel.source},
                      {"entry", kernel.entry},
                      {"macros", split(kernel.macros, ' ')},
                      {"registers", kernel.registers},
                      {"static_shared_bytes", kernel.static_shared_bytes},
                      {"local_bytes", kernel.local_bytes},
                      {"code_bytes", kernel.code_bytes},
                      {"compile_ms", kernel.compile_ms}});
      table.add({sku.id, kernel.entry, std::to_string(kernel.registers), grouped(kernel.static_shared_bytes), std::to_string(kernel.local_bytes),
                 grouped(kernel.code_bytes), kernel.compile_ms > 0 ? fmt::format("{:.0f} ms", kernel.compile_ms) : "(cached)", kernel.macros});
    }
  progress.finish();
  if (o.json) {
    print_json(rows);
    return;
  }
  table.print();
  fmt::print("{} for {}\n", plural(total, "kernel"), o.arch);
}

}  // namespace

void add_sku(CLI::App& app) {
  CLI::App& sku = *app.add_subcommand("sku", "the kernels: list, show, explain the choice, compile ahead of time");
  sku.require_subcommand(1);

  CLI::App& list_command = *sku.add_subcommand("list", "list the SKUs with what they guarantee");
  auto list_options = std::make_shared<ListOptions>();
  list_command.add_option("--op", list_options->op, "operators, '*' and '?' allowed")->type_name("GLOB");
  list_command.add_option("--dtype", list_options->dtype, "only those with this element type, e.g. bf16")->type_name("T");
  list_command.add_option("--arch", list_options->arch, "only those that a device of this architecture can run")->type_name("sm_XX");
  list_command.add_option("--backend", list_options->backend, "only those of this backend")->check(one_of(names(kBackendWords, ADJ_BACKEND_BESPOKE)));
  list_command.add_flag("--json", list_options->json, "a JSON list instead of a table");
  list_command.footer(
      "SUMS is the type of the accumulator. BOUND limits |computed - exact|: ulp counts units in the last place of the result, sum is the sum of the\n"
      "magnitudes of the terms of a reduction.\n"
      "\n"
      "Examples:\n"
      "  adjoint sku list --op 'embedding*' --dtype bf16\n"
      "  adjoint sku list --arch sm_80 --json");
  list_command.callback([list_options] { list(*list_options); });

  CLI::App& show_command = *sku.add_subcommand("show", "everything about the SKUs that match");
  auto id = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  show_command.add_option("ID", *id, "SKU id, as sku list prints it, '*' and '?' allowed")->required();
  show_command.add_flag("--json", *json, "a JSON list");
  show_command.footer(
      "Examples:\n"
      "  adjoint sku show embedding_backward/reference/bf16.i64/host\n"
      "  adjoint sku show 'softmax_backward/*/bf16/*'");
  show_command.callback([id, json] { show(*id, *json); });

  CLI::App& kernels_command = *sku.add_subcommand("kernels", "registers, memory and code size of the kernels; needs NVRTC or a pack, no GPU");
  auto kernels_options = std::make_shared<KernelsOptions>();
  kernels_command.add_option("--sku", kernels_options->skus, "only SKUs whose id matches, '*' and '?' allowed (default: all)")->type_name("GLOB");
  kernels_command.add_option("--arch", kernels_options->arch, "architecture")->required()->type_name("sm_XX");
  kernels_command.add_flag("--json", kernels_options->json, "a JSON list instead of a table");
  kernels_command.footer(
      "REGISTERS and LOCAL (stack: spills and arrays indexed at run time, bytes) are per thread, SHARED is what a block declares, to\n"
      "which a launch may add, CODE is the size of the instructions in bytes.\n"
      "\n"
      "Example:\n"
      "  adjoint sku kernels --arch sm_90a --sku 'adam/*'");
  kernels_command.callback([kernels_options] { kernels(*kernels_options); });

  add_sku_explain(sku);
  add_sku_compile(sku);
}
