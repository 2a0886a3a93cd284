// Small problems that versions of NVIDIA's libraries are known to compute wrongly, tried on a device. src/driver/README.md lists the faults.
#pragma once

#include <string>
#include <vector>

namespace cli {

struct Probe {
  std::string name;
  bool right;
  std::string because;  // the SKU that computed it, and where it is wrong, or why it was not tried
};

// Runs every probe whose library can be loaded, with the SKU that select takes of it.
std::vector<Probe> probe_device(int ordinal);

}  // namespace cli
