// Headers of a source with cases.
#include "base/pch/standard.hpp"
#include "harness/harness.hpp"
