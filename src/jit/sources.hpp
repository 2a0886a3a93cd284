// Files embedded at build time: kernel sources with their prelude and parameter headers, and data tables.
#pragma once

#include <string_view>

namespace adj {

struct EmbeddedFile {
  const char* name;  // relative to kernels/: "embedding.cu", "prelude/vector.cuh"; or "registry.tsv"
  const char* text;
  const char* sha256;
};
extern const EmbeddedFile kEmbeddedFiles[];
extern const int kEmbeddedFileCount;

const EmbeddedFile* find_embedded(std::string_view name);

}  // namespace adj
