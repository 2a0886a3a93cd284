// How many threads work is divided among. A file of its own, so that a test can have another one in its place.
#include <algorithm>
#include <thread>

#include "host/parallel.hpp"

namespace adj::host {

unsigned processors() { return std::max(1u, std::thread::hardware_concurrency()); }

}  // namespace adj::host
