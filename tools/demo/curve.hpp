// The loss curve, written as JSON and as an SVG picture.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

struct Curve {
  struct Point {
    std::int64_t step;
    double loss;
  };
  std::string title;
  double target;  // drawn as a line
  std::vector<Point> points;

  // Writes prefix.json and prefix.svg; throws std::runtime_error when it cannot.
  void write(const std::string& prefix, nlohmann::ordered_json facts) const;
};
