// Headers of a source that writes JSON.
#include <nlohmann/json.hpp>

#include "base/pch/standard.hpp"
