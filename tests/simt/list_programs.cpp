// list_programs TIER: prints the programs that tests/simt executes, one per line: architecture, source, entry and macros, separated by tabs.
// list_programs TIER --summary: prints how many SKUs a run takes.
// list_programs --ids: prints the id of every SKU that has kernels, and every kernel source.
// list_programs --programs: prints the programs of every SKU that tests/simt executes, one per line: the SKU's id, then as above.
#include <cstdio>
#include <cstring>
#include <set>

#include "tests/tier.hpp"

static void print(int cc, const adj::Program& program) {
  std::printf("%d\t%s\t%s", cc, program.source().c_str(), program.entry().c_str());
  for (const std::string& define : program.defines()) std::printf("\t%s", define.c_str());
  std::printf("\n");
}

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--programs") == 0) {
    for (const adj::Sku& sku : adj::all_skus())
      for (int cc : {80, 90, 100}) {
        if ((sku.variant->backend != ADJ_BACKEND_BESPOKE && !is_of_library_with_kernels(sku)) || !adj::check_arch(sku, cc)) continue;
        for (const adj::Program* program : sku.programs) {
          std::printf("%s\t", sku.id.c_str());
          print(cc, *program);
        }
      }
    return 0;
  }
  if (argc == 2 && std::strcmp(argv[1], "--ids") == 0) {
    std::set<std::string> sources;
    for (const adj::Sku& sku : adj::all_skus()) {
      if (!sku.programs.empty()) std::printf("%s\n", sku.id.c_str());
      for (const adj::Program* program : sku.programs) sources.insert(program->source());
    }
    for (const std::string& source : sources) std::printf("%s\n", source.c_str());
    return 0;
  }
  const bool summary = argc == 3 && std::strcmp(argv[2], "--summary") == 0;
  if (argc != 2 && !summary) return 2;
  const Tier tier(argv[1]);
  if (summary) {
    std::printf("%zu of %zu SKUs were taken%s\n", tier.skus().size(), adj::all_skus().size(),
                tier.is_sample() ? ", one of each algorithm, on one case in four; `tools/dev test --all` takes every SKU with all of its cases" : "");
    return 0;
  }
  for (int cc : {80, 90, 100}) {
    if (tier.takes_lines() && cc != 90) continue;
    for (const adj::Program* program : tier.programs(cc)) print(cc, *program);
  }
}
