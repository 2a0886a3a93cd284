// The kernel sources that this process compiles: the embedded files, or those of a directory.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "jit/sources.hpp"

namespace adj {

const EmbeddedFile* find_file(std::string_view name, std::span<const EmbeddedFile> files);  // null: there is none

struct KernelSources {
  std::span<const EmbeddedFile> files;  // `includes` of each are indices into this list
  std::string directory;                // ADJOINT_KERNEL_DIR, which `files` were read from; empty: they are the embedded files
  bool line_info = false;               // ADJOINT_LINEINFO=1: machine code names the lines that it was made from
  std::optional<Error> problem{};       // set: a variable has a value that cannot be followed, and no kernel is looked for or compiled
  std::shared_ptr<const void> owner{};  // of `files`, unless they are embedded

  // The file, whose includes are all there. An error names what is missing, and where, or a structure of parameters that is not the library's.
  Result<const EmbeddedFile*> find(std::string_view name) const;
};
// Reads the environment, and the directory, at the first call.
const KernelSources& kernel_sources();

}  // namespace adj
