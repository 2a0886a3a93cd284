// Prints the programs that tests/simt executes, one per line: architecture, source, entry and macros, separated by tabs.
#include <cstdio>
#include <set>

#include "plan/op.hpp"

int main() {
  for (int cc : {80, 90, 100}) {
    std::set<const adj::Program*> older;
    if (cc == 100)
      for (const adj::Program* program : adj::programs_for("*", 90)) older.insert(program);
    for (const adj::Program* program : adj::programs_for("*", cc)) {
      if (older.count(program)) continue;
      std::printf("%d\t%s\t%s", cc, program->source().c_str(), program->entry().c_str());
      for (const std::string& define : program->defines()) std::printf("\t%s", define.c_str());
      std::printf("\n");
    }
  }
}
