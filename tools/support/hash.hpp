// Hash of what a training has computed, by which two trainings are compared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

// Hash of bytes, a word of 64 bits at a time.
inline std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  for (std::size_t i = 0; i < bytes.size(); i += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
    hash = (hash ^ word) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  }
  return hash;
}
