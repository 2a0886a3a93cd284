// Prints the programs that tests/simt executes, one per line: architecture, source, entry and macros, separated by tabs.
// ADJOINT_SIMT_SKUS, globs over SKU ids with commas between them, leaves out the programs of all others while a kernel is being written.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "plan/op.hpp"

int main() {
  const char* skus = std::getenv("ADJOINT_SIMT_SKUS");
  const std::string globs = skus ? skus : "*";
  for (int cc : {80, 90, 100}) {
    std::set<const adj::Program*> programs;
    for (std::size_t begin = 0, end; begin <= globs.size(); begin = end + 1) {
      end = std::min(globs.find(',', begin), globs.size());
      for (const adj::Program* program : adj::programs_for(globs.substr(begin, end - begin), cc)) programs.insert(program);
    }
    for (const adj::Program* program : programs) {
      std::printf("%d\t%s\t%s", cc, program->source().c_str(), program->entry().c_str());
      for (const std::string& define : program->defines()) std::printf("\t%s", define.c_str());
      std::printf("\n");
    }
  }
}
