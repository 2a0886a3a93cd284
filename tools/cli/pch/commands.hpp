// Headers of a source with commands: those of other projects are most of what it reads.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/pch/standard.hpp"
