// A picture of measurements.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace bench {

// The cases of run()'s report: bytes at the floor against the fraction of the copy ceiling, a colour for each operator. For light and
// dark pages.
std::string svg(const nlohmann::ordered_json& report);

}  // namespace bench
