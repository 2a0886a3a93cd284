// A progress bar on standard error: redrawn in place on a terminal, a line every tenth otherwise.
#pragma once

#include <cstdint>
#include <string>

namespace support {

class Progress {
 public:
  explicit Progress(std::string title);
  void update(std::int64_t done, std::int64_t total, const std::string& note);
  void finish();

 private:
  std::string title_;
  bool terminal_;
  std::int64_t last_tenth_ = -1;
  std::int64_t last_percent_ = -1;
  bool drawn_ = false;
};

bool colours_wanted(int fd);  // a terminal, and NO_COLOR unset

}  // namespace support
