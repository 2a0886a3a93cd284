// Kernel sources from a directory (ADJOINT_KERNEL_DIR) and line information (ADJOINT_LINEINFO), with the stand-in for NVRTC. Each case is a process of
// its own, since a process reads the variables once.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "child.hpp"
#include "jit/kernel_sources.hpp"
#include "machine.hpp"

namespace fs = std::filesystem;
using namespace faults;

namespace {

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// A directory with the kernel sources of the library, and files in which the stand-in writes what it was given.
struct Workshop {
  fs::path path;
  Workshop() {
    std::string name = (fs::temp_directory_path() / "adjoint-kernels-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
    for (const adj::EmbeddedFile& file : adj::embedded_files())
      if (std::string(file.name).find('/') != std::string::npos) write(kernels() / file.name, file.text);
  }
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path kernels() const { return path / "kernels"; }
  std::string options() const { return read(path / "options"); }  // a line of each compilation
  std::string given() const { return read(path / "given"); }      // names and texts of programs and headers

  // Sets the variables of this process. Null: not set.
  void enter(const char* kernel_dir, const char* line_info) const {
    ::setenv("FAKE_NVRTC_LOG", (path / "options").c_str(), 1);
    ::setenv("FAKE_NVRTC_SOURCES", (path / "given").c_str(), 1);
    ::setenv("ADJOINT_CACHE_DIR", (path / "cache").c_str(), 1);
    if (kernel_dir) ::setenv("ADJOINT_KERNEL_DIR", kernel_dir, 1);
    if (line_info) ::setenv("ADJOINT_LINEINFO", line_info, 1);
  }
  // Runs every verb in a process with these variables; returns its number of compilations, or what failed.
  std::string compilations(const char* kernel_dir, const char* line_info, int& count) const {
    const auto lines = [&] {
      const std::string text = options();
      return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    };
    const int before = lines();
    const std::string problem = in_child([&] {
      enter(kernel_dir, line_info);
      return whole_program();
    });
    count = lines() - before;
    return problem;
  }
};

const char* kSource = "optimizer/sgd.cu";       // of a kernel of Program
const char* kHeader = "optimizer/step.cuh";     // that it includes
const char* kParams = "prelude/multi_tensor.h"; // its parameters, which the library fills in

}  // namespace

TEST_CASE("ADJOINT_KERNEL_DIR: kernels come from the directory, and the cache follows their text") {
  prepare();
  const Workshop shop;
  REQUIRE(fs::exists(shop.kernels() / kSource));
  REQUIRE(fs::exists(shop.kernels() / kHeader));
  const std::string directory = shop.kernels().string();
  Tally tally("kernel directory");
  int embedded = 0, count = 0;
  tally.add("embedded", shop.compilations(nullptr, nullptr, embedded));
  CHECK(embedded > 0);
  tally.add("the same text", shop.compilations(directory.c_str(), nullptr, count));
  CHECK_MESSAGE(count == 0, "the same text is compiled again");

  write(shop.kernels() / kSource, read(shop.kernels() / kSource) + "// an edit of the source\n");
  tally.add("an edited source", shop.compilations(directory.c_str(), nullptr, count));
  CHECK(count > 0);
  CHECK(count < embedded);
  CHECK(contains(shop.given(), "// an edit of the source"));
  CHECK(contains(shop.given(), std::string("program ") + kSource + "\n"));
  write(shop.kernels() / kHeader, "// an edit of the header\n" + read(shop.kernels() / kHeader));
  tally.add("an edited header", shop.compilations(directory.c_str(), nullptr, count));
  CHECK(count > 0);
  CHECK(contains(shop.given(), "// an edit of the header"));
  tally.add("the edited ones again", shop.compilations(directory.c_str(), nullptr, count));
  CHECK_MESSAGE(count == 0, "what was edited is compiled twice");
  tally.add("embedded once more", shop.compilations(nullptr, nullptr, count));
  CHECK_MESSAGE(count == 0, "the embedded text has lost its entries");
}

TEST_CASE("ADJOINT_KERNEL_DIR: what is missing is an error, and never the embedded text") {
  prepare();
  const Workshop shop;
  const std::string directory = shop.kernels().string(), missing = (shop.path / "missing").string(), file = (shop.kernels() / kSource).string(),
                    parent = shop.path.string();
  Tally tally("missing kernel sources");
  const auto refuses = [&](const std::string& what, const std::string& value, adj_status code, std::initializer_list<const char*> words) {
    tally.add(what, in_child([&]() -> std::string {
                shop.enter(value.c_str(), nullptr);
                const Outcome o = first_failure();
                if (fakes().entry("nvrtcCreateProgram").calls || fakes().driver.launches) return "something was compiled, or launched";
                return expect(o, code, words);
              }));
  };
  refuses("no directory", missing, ADJ_ERROR_IO, {"ADJOINT_KERNEL_DIR", missing.c_str(), "No such file"});
  refuses("a file", file, ADJ_ERROR_IO, {"ADJOINT_KERNEL_DIR", file.c_str(), "is not a directory"});
  refuses("empty", "", ADJ_ERROR_INVALID_ARGUMENT, {"ADJOINT_KERNEL_DIR is empty"});
  refuses("the folder above", parent, ADJ_ERROR_IO, {"ADJOINT_KERNEL_DIR", parent.c_str(), "folder kernels"});
  const fs::path folder = (shop.kernels() / kSource).parent_path();
  fs::permissions(shop.path, fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(folder, fs::perms::none);
  tally.add("a folder that cannot be read", in_child([&]() -> std::string {
              shop.enter(directory.c_str(), nullptr);
              return as_nobody([] { return expect(first_failure(), ADJ_ERROR_IO, {"ADJOINT_KERNEL_DIR", "cannot be read", "Permission denied"}); });
            }));
  fs::permissions(folder, fs::perms::owner_all);

  const auto without = [&](const char* name, const std::string& what, std::initializer_list<const char*> words) {
    const std::string text = read(shop.kernels() / name);
    fs::remove(shop.kernels() / name);
    tally.add(what, in_child([&]() -> std::string {
                shop.enter(directory.c_str(), nullptr);
                return expect(first_failure(), ADJ_ERROR_IO, words);
              }));
    write(shop.kernels() / name, text);
  };
  without(kSource, "no source", {"ADJOINT_KERNEL_DIR", "has no file optimizer/sgd.cu"});
  without(kHeader, "no header", {"ADJOINT_KERNEL_DIR", "has no file optimizer/step.cuh, which optimizer/sgd.cu includes"});
  const std::string parameters = read(shop.kernels() / kParams);
  write(shop.kernels() / kParams, parameters + "struct More {};\n");
  for (const char* lines : {"0", "1"})
    tally.add(std::string("other parameters, lines ") + lines, in_child([&]() -> std::string {
                shop.enter(directory.c_str(), lines);
                return expect(first_failure(), ADJ_ERROR_INVALID_ARGUMENT,
                              {"ADJOINT_KERNEL_DIR", "prelude/multi_tensor.h differs from the file that the library was built with"});
              }));
  write(shop.kernels() / kParams, parameters);
  int count = 0;
  tally.add("whole again", shop.compilations(directory.c_str(), nullptr, count));
}

TEST_CASE("ADJOINT_LINEINFO: an option of the compiler, part of the key, and paths that a profiler finds") {
  prepare();
  const Workshop shop;
  const std::string directory = shop.kernels().string();
  Tally tally("line information");
  int plain = 0, count = 0;
  tally.add("none", shop.compilations(nullptr, nullptr, plain));
  CHECK_FALSE(contains(shop.options(), "-lineinfo"));
  tally.add("0", shop.compilations(nullptr, "0", count));
  CHECK_MESSAGE(count == 0, "0 is not the default");
  tally.add("1", shop.compilations(nullptr, "1", count));
  CHECK_MESSAGE(count == plain, "code without lines is taken for code with them");
  CHECK(contains(shop.options(), " -lineinfo"));
  CHECK_FALSE(contains(shop.given(), "#line 1 \""));
  tally.add("1 again", shop.compilations(nullptr, "1", count));
  CHECK(count == 0);
  tally.add("of a directory", shop.compilations(directory.c_str(), "1", count));
  CHECK_MESSAGE(count == plain, "code that names other places is taken");
  for (const char* name : {kSource, kHeader}) CHECK(contains(shop.given(), "#line 1 \"" + directory + "/" + name + "\"\n"));
  for (const char* value : {"", "yes", "2", "01", " 1"})
    tally.add(std::string("'") + value + "'", in_child([&]() -> std::string {
                shop.enter(nullptr, value);
                const Outcome o = first_failure();
                if (fakes().entry("nvrtcCreateProgram").calls) return "something was compiled";
                return expect(o, ADJ_ERROR_INVALID_ARGUMENT, {"ADJOINT_LINEINFO = '", value, "is neither 1 nor 0"});
              }));
}
