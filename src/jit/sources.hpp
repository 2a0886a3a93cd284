// Files embedded at build time: kernel sources with their prelude and parameter headers, and data tables.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace adj {

struct EmbeddedFile {
  const char* name;  // relative to kernels/: "segment_sum/lookup.cu", "prelude/memory.cuh"; or "registry.tsv"
  const char* text;
  const char* sha256;
  std::span<const std::uint16_t> includes;  // indices into kEmbeddedFiles of every file that this one includes, directly or not
};
extern const EmbeddedFile kEmbeddedFiles[];
extern const int kEmbeddedFileCount;

std::span<const EmbeddedFile> embedded_files();
const EmbeddedFile* find_embedded(std::string_view name);

}  // namespace adj
