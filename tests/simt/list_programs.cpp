// Prints the programs that tests/simt executes, one per line: architecture, source, entry and macros, separated by tabs.
// ADJOINT_SIMT_SKUS, globs over SKU ids separated by blanks, leaves out the programs of all others while a kernel is being written.
#include <cstdio>
#include <cstdlib>
#include <set>

#include "base/text.hpp"
#include "plan/op.hpp"

int main() {
  const char* skus = std::getenv("ADJOINT_SIMT_SKUS");
  for (int cc : {80, 90, 100}) {
    std::set<const adj::Program*> seen;
    for (const std::string& glob : adj::split(skus ? skus : "*", ' '))
      for (const adj::Program* program : adj::programs_for(glob, cc)) {
        if (!seen.insert(program).second) continue;
        std::printf("%d\t%s\t%s", cc, program->source().c_str(), program->entry().c_str());
        for (const std::string& define : program->defines()) std::printf("\t%s", define.c_str());
        std::printf("\n");
      }
  }
}
