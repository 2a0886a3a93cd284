// Prints the programs that tests/simt executes, one per line: architecture, source, entry and macros, separated by tabs.
#include <cstdio>

#include "plan/op.hpp"

int main() {
  for (int cc : {80, 90, 100}) {
    for (const adj::Program* program : adj::programs_for("*", cc)) {
      std::printf("%d\t%s\t%s", cc, program->source().c_str(), program->entry().c_str());
      for (const std::string& define : program->defines()) std::printf("\t%s", define.c_str());
      std::printf("\n");
    }
  }
}
