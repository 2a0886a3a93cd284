// File access with errors as values.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace adj {

// Bytes of a regular file. One of more than `most` is an error.
Result<std::string> read_file(const std::string& path, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

// What stands where a file is to be written.
enum class Target {
  followed,  // links lead to the file that is meant, and a device or a pipe gets the bytes itself
  replaced   // it is a place of the library's own: whatever else stands there makes room
};

// Writes a whole file; everything that is written at once is written by this function. A regular file is replaced: a temporary file beside
// it is flushed to disk and renamed, so a reader sees the old file or the new one, and any failure leaves the old one. A device or a pipe gets the bytes
// itself. mode: permissions of a new file, reduced by the umask; a file that exists keeps its own, and is refused where they forbid writing.
Result<void> write_file(const std::string& path, std::string_view bytes, unsigned mode = 0600, Target target = Target::followed);

}  // namespace adj
