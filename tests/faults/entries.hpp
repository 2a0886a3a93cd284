// Table of entry points of one fake library, made from the list of functions that we ask of the real library.
#pragma once

#include <cstdlib>
#include <cstring>

#include "driver/cuda_abi.hpp"
#include "fake.hpp"

namespace fake {

// Counts a call. Returns the code with which it must fail, or 0.
inline int enter(Entry& entry) {
  entry.calls.fetch_add(1, std::memory_order_relaxed);
  if (entry.countdown.load(std::memory_order_relaxed) > 0 && entry.countdown.fetch_sub(1, std::memory_order_relaxed) == 1)
    return entry.code.load(std::memory_order_relaxed);
  return 0;
}

template <std::size_t N>
Entry* find(Entry (&entries)[N], const char* name) {
  for (Entry& entry : entries)
    if (std::strcmp(entry.name, name) == 0) return &entry;
  return nullptr;
}

// The number that an environment variable has, for programs that cannot reach the state of a stand-in.
template <class Number>
Number told(const char* variable, Number otherwise) {
  const char* text = std::getenv(variable);
  return text ? static_cast<Number>(std::atoll(text)) : otherwise;
}

}  // namespace fake

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))
