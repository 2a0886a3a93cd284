// list_programs TIER: prints the programs that tests/simt executes, one per line: architecture, source, entry and macros, separated by tabs.
#include <cstdio>

#include "tests/tier.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const Tier tier(argv[1]);
  for (int cc : {80, 90, 100})
    for (const adj::Program* program : tier.programs(cc)) {
      std::printf("%d\t%s\t%s", cc, program->source().c_str(), program->entry().c_str());
      for (const std::string& define : program->defines()) std::printf("\t%s", define.c_str());
      std::printf("\n");
    }
}
