// File access with errors as values.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace adj {

// Bytes of a regular file of any size.
Result<std::string> read_file(const std::string& path);

// Writes a whole file; everything that is written at once is written by this function. Links are followed. A regular file is replaced: a temporary file beside
// it is flushed to disk and renamed, so a reader sees the old file or the new one, and any failure leaves the old one. A device or a pipe gets the bytes
// itself. mode: permissions of a new file, reduced by the umask; a file that exists keeps its own, and is refused where they forbid writing.
Result<void> write_file(const std::string& path, std::string_view bytes, unsigned mode = 0600);

}  // namespace adj
