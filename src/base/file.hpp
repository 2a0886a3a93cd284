// File access with errors as values.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace adj {

// What may be read.
enum class Source {
  regular,  // a regular file, whose size is known before
  any       // also a device or a pipe, to its end: what a user names on a command line
};

// Bytes of a file. More than `most` are an error, and so are more than kMostOfStream of a device or a pipe, which may have no end.
constexpr std::uint64_t kMostOfStream = std::uint64_t{1} << 32;
Result<std::string> read_file(const std::string& path, Source source = Source::regular, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

// What stands where a file is to be written.
enum class Target {
  followed,  // links lead to the file that is meant, and a device or a pipe gets the bytes itself
  replaced   // it is a place of the library's own: whatever else stands there makes room
};

// Writes a whole file; everything that is written at once is written by this function. A regular file is replaced: a temporary file beside
// it is flushed to disk and renamed, so a reader sees the old file or the new one, and any failure leaves the old one. A device, a pipe or an open
// descriptor (/dev/stdout) gets the bytes itself. mode: permissions of a new file, reduced by the umask; a file that exists keeps its own, its owner where
// the process may give files away, and is refused where they forbid writing.
Result<void> write_file(const std::string& path, std::string_view bytes, unsigned mode = 0600, Target target = Target::followed);

// An error where write_file(path, ...) would fail now, for a program that is to write much later. Nothing is written.
Result<void> check_writable(const std::string& path);

// True when all bytes are written to a descriptor; else errno says why not. A pipe that nobody reads is such an error, and ends no process.
bool write_all(int fd, std::string_view bytes) noexcept;

}  // namespace adj
