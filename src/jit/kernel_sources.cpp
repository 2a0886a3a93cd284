#include "jit/kernel_sources.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <vector>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace adj {

namespace fs = std::filesystem;

namespace {

// Text, digest and includes of a file of ADJOINT_KERNEL_DIR; `files` of KernelSources points here.
struct ReadFile {
  std::string name, text, sha256;
  std::vector<std::uint16_t> includes;
};

// Names in the lines #include "..." of a text.
std::vector<std::string> included_names(std::string_view text) {
  std::vector<std::string> names;
  const auto skip_blanks = [](std::string_view& line) { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    skip_blanks(line);
    if (!line.starts_with('#')) continue;
    line.remove_prefix(1);
    skip_blanks(line);
    if (!line.starts_with("include")) continue;
    line.remove_prefix(7);
    skip_blanks(line);
    if (!line.starts_with('"')) continue;
    line.remove_prefix(1);
    names.emplace_back(line.substr(0, line.find('"')));
  }
  return names;
}

// The path as a string literal of C.
std::string literal(std::string_view path) {
  std::string text = "\"";
  for (const char c : path) text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return text + '"';
}

// The files of a directory, and the list that describes them. The list points into `files`.
struct Directory {
  std::deque<ReadFile> files;
  std::vector<EmbeddedFile> list;
};

// Reads <folder>/<name>.cu, .cuh and .h, as they lie in kernels/. With line_info each text says where it lies, so that profilers find it.
Result<std::shared_ptr<Directory>> read_directory(const std::string& path, bool line_info) {
  std::error_code ec;
  const fs::path root = fs::absolute(path, ec).lexically_normal();
  std::error_code unknown;
  if (fs::exists(root, unknown) && !fs::is_directory(root, unknown)) return fail(ADJ_ERROR_IO, "ADJOINT_KERNEL_DIR = '{}' is not a directory", path);
  std::vector<fs::path> found;
  for (fs::directory_iterator folder(root, ec), end; !ec && folder != end; folder.increment(ec)) {
    if (!folder->is_directory(unknown)) continue;
    for (fs::directory_iterator file(folder->path(), ec); !ec && file != end; file.increment(ec))
      if (const fs::path extension = file->path().extension(); extension == ".cu" || extension == ".cuh" || extension == ".h") found.push_back(file->path());
    if (ec) break;
  }
  if (ec) return fail(ADJ_ERROR_IO, "ADJOINT_KERNEL_DIR = '{}' cannot be read: {}", path, ec.message());
  if (std::none_of(found.begin(), found.end(), [](const fs::path& file) { return file.extension() == ".cu"; }))
    return fail(ADJ_ERROR_IO, "ADJOINT_KERNEL_DIR = '{}' has no file <folder>/<name>.cu; it is to be like the folder kernels of the source tree", path);
  std::sort(found.begin(), found.end());
  auto directory = std::make_shared<Directory>();
  std::map<std::string, std::uint16_t> rows;
  for (const fs::path& file : found) {
    auto text = read_file(file.string());
    if (!text) return fail(ADJ_ERROR_IO, "ADJOINT_KERNEL_DIR: {}", text.error().message);
    ReadFile& row = directory->files.emplace_back();
    row.name = file.lexically_relative(root).generic_string();
    row.text = (line_info ? fmt::format("#line 1 {}\n", literal(file.string())) : "") + *text;
    row.sha256 = sha256_hex(row.text);
    rows.emplace(row.name, static_cast<std::uint16_t>(rows.size()));
  }
  for (ReadFile& file : directory->files) {
    const auto add = [&](const auto& self, const ReadFile& of) -> void {
      for (const std::string& name : included_names(of.text))
        if (const auto row = rows.find(name); row != rows.end() && std::find(file.includes.begin(), file.includes.end(), row->second) == file.includes.end()) {
          file.includes.push_back(row->second);
          self(self, directory->files[row->second]);
        }
    };
    add(add, file);
    std::sort(file.includes.begin(), file.includes.end());
    directory->list.push_back({file.name.c_str(), file.text.c_str(), file.sha256.c_str(), file.includes});
  }
  return directory;
}

KernelSources from_environment() {
  KernelSources sources;
  sources.files = embedded_files();
  if (const char* lines = environment("ADJOINT_LINEINFO")) {
    sources.line_info = std::string_view(lines) == "1";
    if (!sources.line_info && std::string_view(lines) != "0") {
      sources.problem = fail(ADJ_ERROR_INVALID_ARGUMENT, "ADJOINT_LINEINFO = '{}' is neither 1 nor 0", lines);
      return sources;
    }
  }
  const char* directory = environment("ADJOINT_KERNEL_DIR");
  if (!directory) return sources;
  sources.directory = directory;
  sources.files = {};
  if (!*directory) {
    sources.problem = fail(ADJ_ERROR_INVALID_ARGUMENT, "ADJOINT_KERNEL_DIR is empty; it is to name a directory of kernel sources, or not to be set");
    return sources;
  }
  auto read = read_directory(directory, sources.line_info);
  if (!read) {
    sources.problem = read.take_error();
    return sources;
  }
  sources.files = (*read)->list;
  sources.owner = *read;
  return sources;
}

constinit Lazy<KernelSources> of_process;

}  // namespace

std::span<const EmbeddedFile> embedded_files() { return {kEmbeddedFiles, static_cast<std::size_t>(kEmbeddedFileCount)}; }
const EmbeddedFile* find_file(std::string_view name, std::span<const EmbeddedFile> files) {
  const auto found = std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& file) { return name == file.name; });
  return found == files.end() ? nullptr : &*found;
}
const EmbeddedFile* find_embedded(std::string_view name) { return find_file(name, embedded_files()); }

Result<const EmbeddedFile*> KernelSources::find(std::string_view name) const {
  if (problem) return Error(*problem);
  const EmbeddedFile* file = find_file(name, files);
  if (!file && directory.empty()) return fail(ADJ_ERROR_INTERNAL, "kernel source '{}' is not embedded", name);
  if (!file) return fail(ADJ_ERROR_IO, "ADJOINT_KERNEL_DIR = '{}' has no file {}", directory, name);
  if (directory.empty()) return file;
  // Kernels name each other as folder/name; device.hpp and matrix.hpp are of tests/simt. The library fills in the structures of .h files.
  const auto check = [&](const EmbeddedFile& of) -> Result<void> {
    if (const EmbeddedFile* built_in = std::string_view(of.name).ends_with(".h") ? find_embedded(of.name) : nullptr) {
      std::string_view text = of.text;
      if (line_info) text.remove_prefix(text.find('\n') + 1);
      if (text != built_in->text)
        return fail(ADJ_ERROR_INVALID_ARGUMENT, "ADJOINT_KERNEL_DIR = '{}': {} differs from the file that the library was built with; build it again",
                    directory, of.name);
    }
    for (const std::string& included : included_names(of.text))
      if (included.find('/') != std::string::npos && !find_file(included, files))
        return fail(ADJ_ERROR_IO, "ADJOINT_KERNEL_DIR = '{}' has no file {}, which {} includes", directory, included, of.name);
    return {};
  };
  if (auto ok = check(*file); !ok) return ok.take_error();
  for (const std::uint16_t row : file->includes)
    if (auto ok = check(files[row]); !ok) return ok.take_error();
  return file;
}

const KernelSources& kernel_sources() { return of_process.get(from_environment); }

}  // namespace adj
