// File access with errors as values.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace adj {

Result<std::string> read_file(const std::string& path);

// Writes a temporary file beside path, flushes it to disk and renames it to path. A reader sees the old file or the new one, never a part.
// mode: permissions, reduced by the umask.
Result<void> write_file_atomically(const std::string& path, std::string_view bytes, unsigned mode = 0600);

}  // namespace adj
