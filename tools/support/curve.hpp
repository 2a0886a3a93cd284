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
  double target = 0;  // drawn as a line, where it is not 0
  std::vector<Point> points;
  std::vector<Point> validation;  // losses of a text that is not trained on

  // Writes prefix.json and prefix.svg; throws std::runtime_error when it cannot.
  void write(const std::string& prefix, nlohmann::ordered_json facts) const;
  // Throws where write(prefix, ...) would fail now: a training is not begun whose results cannot be kept.
  static void check(const std::string& prefix);
};
