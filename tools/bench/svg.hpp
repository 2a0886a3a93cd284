// Picture of measurements.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace bench {

// Draws the cases of run()'s report: floor bytes against the fraction of the copy ceiling, one colour for each operator. For light and dark
// pages.
std::string svg(const nlohmann::ordered_json& report);

}  // namespace bench
