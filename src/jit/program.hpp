// A program is one NVRTC translation unit with one entry point: a source file and a set of macros. It is compiled at most
// once per architecture and process, and loaded at most once per device.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "driver/device.hpp"
#include "jit/sources.hpp"

namespace adj {

// The place where code was found.
enum class Found : std::uint8_t { compiled, disk, pack, memory };
constexpr int kFoundCount = 4;
const char* found_name(Found from);

// Machine code (or PTX, for a device that NVRTC does not know).
struct Image {
  std::string bytes;
  bool ptx = false;
  std::string compiler{}; // version of the NVRTC that made the image, "13.0"; empty when unknown
  double compile_ms = 0;  // 0 when the image was found and not compiled
  Found from = Found::compiled;
};

struct LoadedKernel {
  cu::Function function = nullptr;  // a CUkernel: the launch takes its context from the stream
  cu::Library library = nullptr;    // the kernel's
  bool from_ptx = false;
  Found from = Found::compiled;
};

class Program {
 public:
  Program(std::string source, std::string entry, std::vector<std::string> defines);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  // A program whose source is the caller's `text`; messages name it `source`. `check` may refuse any image that was made from it. The macros
  // are defined at the head of the text, behind what NVRTC itself includes.
  using Check = std::function<Result<void>(const Image&)>;
  Program(std::string source, std::string entry, std::vector<std::string> defines, std::string text, Check check);
  // A program given as machine code or PTX by the caller. It is neither compiled nor looked up.
  Program(std::string source, std::string entry, Image given);

  const std::string& source() const { return source_; }
  const std::string& entry() const { return entry_; }
  const std::vector<std::string>& defines() const { return defines_; }
  const std::string& macros() const { return macros_; }  // "ADJ_T=bf16 ADJ_I=i64"
  std::string name() const;  // "segment_sum/lookup.cu:embedding_forward ADJ_T=bf16 ADJ_I=i64"

  // Identifies the program for an architecture: a hash over the source, every file that it includes, the entry, the macros and the options.
  // The compiler's version is not part of it: packs look images up by this key. `files`: the embedded files.
  std::string key(int cc, std::span<const EmbeddedFile> files = embedded_files()) const;
  // Key of the disk cache for the machine code that an NVRTC of this major version makes from the program with this key.
  static std::string entry_key(std::string_view key, int major);
  std::vector<std::string> options(int cc, bool ptx) const;

  // Looks in packs, then on disk, then compiles, as far as the policy allows. The image is for no device of this machine in particular, so a
  // compiled one is stored without having been loaded.
  Result<Image> image(int cc, adj_jit_policy policy) const;
  Result<Image> compile(int cc) const;  // always with NVRTC, bypassing every cache
  bool loaded(const Device& device) const;  // true when the program is loaded; never waits
  // Loads onto a device. Concurrent callers of one program wait for the first. An image that was compiled is stored on disk once it has
  // loaded. An image from a pack or from disk that the driver refuses is passed over, on disk removed, and the program is compiled.
  Result<LoadedKernel> load(const Device& device, adj_jit_policy policy) const;
  ~Program();  // unloads a program of a caller's; those of the library live as long as the process

 private:
  struct Candidate;
  struct Search;
  Result<Candidate> find(int cc, adj_jit_policy policy, const Search& search) const;
  Result<Candidate> find_or_compile(int cc, adj_jit_policy policy, const Search& search) const;
  Result<LoadedKernel> load_once(const Device& device, adj_jit_policy policy) const;
  Result<LoadedKernel> load_image(const Device& device, const Image& image) const;
  const EmbeddedFile* file() const;

  std::string text_, text_digest_;
  EmbeddedFile own_{};  // describes text_; its name is null when the source is an embedded file
  Check check_;         // may be empty
  Image given_;         // empty: the program has a source
  std::string source_, entry_;
  std::vector<std::string> defines_;
  std::string macros_;
  mutable std::map<int, std::shared_future<std::shared_ptr<const LoadedKernel>>> loaded_;  // by device ordinal; one lock for all programs
};

struct JitCounters {
  std::int64_t memory_hits = 0, pack_hits = 0, disk_hits = 0, compiles = 0;
};
JitCounters jit_counters();

}  // namespace adj
