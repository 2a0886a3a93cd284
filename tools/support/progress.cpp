#include "support/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace support {

bool colours_wanted(int fd) { return ::isatty(fd) && !std::getenv("NO_COLOR"); }

Progress::Progress(std::string title) : title_(std::move(title)), terminal_(::isatty(STDERR_FILENO)) {}

void Progress::update(std::int64_t done, std::int64_t total, const std::string& note) {
  const std::int64_t percent = total > 0 ? 100 * done / total : 100;
  if (terminal_) {
    if (percent == last_percent_ && done != total) return;
    last_percent_ = percent;
    constexpr std::int64_t kWidth = 30;
    const auto filled = static_cast<std::size_t>(std::clamp<std::int64_t>(percent * kWidth / 100, 0, kWidth));
    fmt::print(stderr, "\r{} [{}{}] {:3}%  {:<48.48}", title_, std::string(filled, '#'), std::string(kWidth - filled, '.'), percent, note);
    std::fflush(stderr);
    drawn_ = true;
  } else if (percent / 10 != last_tenth_) {
    last_tenth_ = percent / 10;
    fmt::print(stderr, "{} {:3}%  {}\n", title_, percent, note);
  }
}

void Progress::finish() {
  if (drawn_) fmt::print(stderr, "\n");
  drawn_ = false;
}

}  // namespace support
