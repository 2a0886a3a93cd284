#include "driver/trace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "driver/libraries.hpp"

namespace adj::trace {

std::atomic<int> events{-1};

namespace {

std::atomic<int> sink{STDERR_FILENO};

constexpr struct {
  const char* name;
  int events;
} kWords[] = {{"select", kSelect}, {"compile", kCompile}, {"run", kRun}, {"warning", kWarning}, {"nvtx", kNvtx}, {"all", kSelect | kCompile | kRun | kWarning}};

void open_file() {
  const char* path = environment("ADJOINT_LOG_FILE");
  if (!path || !*path) return;
  // O_NONBLOCK: a pipe that nobody reads is refused, not waited for.
  const int fd = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
  if (fd >= 0 && ::fcntl(fd, F_SETFL, O_APPEND) == 0) sink = fd;
  else write(fmt::format("ADJOINT_LOG_FILE = '{}' cannot be opened ({}); the log goes to standard error", path, std::strerror(errno)));
}

int wanted_by_environment() {
  const char* text = environment("ADJOINT_LOG");
  if (!text || !*text) return 0;
  open_file();
  int wanted = 0;
  for (const std::string& word : split(text, ',')) {
    int found = 0;
    for (const auto& known : kWords)
      if (word == known.name) found = known.events;
    if (!found) write(fmt::format("ADJOINT_LOG: '{}' is not one of select, compile, run, warning, all, nvtx", word));
    wanted |= found;
  }
  if (wanted & kNvtx)
    if (auto api = nvtx(); !api) {
      write(fmt::format("ADJOINT_LOG: no NVTX ranges: {}", api.error().message));
      wanted &= ~kNvtx;
    }
  return wanted;
}

constinit Lazy<int> from_environment;

void write_warning(std::int32_t level, const std::string& message) noexcept {
  if (level < 1 || !wants(kWarning)) return;
  write_line([&] { return "warning: " + message; });
}
[[gnu::constructor]] void watch_log() { log_writer = write_warning; }

}  // namespace

int read_environment() {
  const int wanted = from_environment.get(wanted_by_environment);
  events.store(wanted, std::memory_order_relaxed);
  return wanted;
}

void write(std::string_view line) noexcept {
  try {
    std::string text = fmt::format("adjoint: {}", line);
    for (char& c : text)
      if (static_cast<unsigned char>(c) < ' ') c = ' ';  // a control character in a name must not break the line
    text += '\n';
    write_all(sink, text);  // what is not written is lost
  } catch (...) {}
}

Span::Span(const char* name) : ranged_(wants(kNvtx)), start_(std::chrono::steady_clock::now()) {
  if (ranged_) (*nvtx())->range_push(name);
}
Span::~Span() {
  if (ranged_) (*nvtx())->range_pop();
}

std::string Span::time() const {
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start_;
  return fmt::format("time={:.{}f}ms", elapsed.count(), elapsed.count() < 10 ? 4 : 1);
}

}  // namespace adj::trace
