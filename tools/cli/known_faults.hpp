// Faults that versions of NVIDIA's libraries are known to have, and what this library does about each. It needs no device: probes.hpp tries problems on one.
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace cli {

using LibraryVersion = std::array<int, 3>;
constexpr int kAnyPatch = 99;  // as the last number of a version: any
constexpr LibraryVersion kAnyLater{1 << 20, 0, 0};

struct KnownFault {
  const char* library;           // name as in adj_library_info
  LibraryVersion first, last;    // oldest and newest version that has it, kAnyLater where no newer one is known to be without it
  const char *what, *remedy;

  bool is_in(std::string_view name, std::string_view version) const;  // version: "13.1.0"; false for text that is no version
};

const std::vector<KnownFault>& known_faults();

}  // namespace cli
