#include "jit/program.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "jit/kernel_sources.hpp"
#include "jit/search.hpp"

namespace adj {

constinit Counters counters;
constinit Lazy<ProgramLocks> program_locks;

std::string join(const std::vector<std::string>& parts, char separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : std::string(1, separator)) + part;
  return text;
}

namespace {

// Part of every key. Raise the number when the meaning of a cached image changes but its sources do not.
constexpr const char* kSchema = "adjoint-image-2";

// Lines that define the macros before a caller's text, whose own lines keep their numbers.
std::string head_of(const std::vector<std::string>& defines, const std::string& name) {
  if (defines.empty()) return {};
  std::string head;
  for (const std::string& define : defines) {
    const std::size_t equals = define.find('=');
    head += fmt::format("#define {} {}\n", define.substr(0, equals), equals == std::string::npos ? "1" : define.substr(equals + 1));
  }
  return head + fmt::format("#line 1 \"{}\"\n", name);
}

}  // namespace

const char* found_name(Found from) {
  switch (from) {
    case Found::compiled: return "compiled";
    case Found::disk: return "disk";
    case Found::pack: return "pack";
    case Found::memory: return "memory";
  }
  return "unknown";
}

JitCounters jit_counters() { return {counters.memory_hits, counters.pack_hits, counters.disk_hits, counters.compiles}; }

Program::Program(std::string source, std::string entry, std::vector<std::string> defines)
    : source_(std::move(source)), entry_(std::move(entry)), defines_(std::move(defines)), macros_(join(defines_, ' ')) {}

Program::Program(std::string source, std::string entry, Image given) : Program(std::move(source), std::move(entry), std::vector<std::string>()) {
  given_ = std::move(given);
}

Program::Program(std::string source, std::string entry, std::vector<std::string> defines, std::string text, Check check)
    : Program(std::move(source), std::move(entry), std::move(defines)) {
  check_ = std::move(check);
  text_ = head_of(defines_, source_) + text;
  text_digest_ = sha256_hex(text_);
  own_ = {source_.c_str(), text_.c_str(), text_digest_.c_str(), {}};
}

// Null when kernel_sources() has no such file, or a problem; its find() says which.
const EmbeddedFile* Program::file() const {
  if (own_.name) return kernel_sources().problem ? nullptr : &own_;
  const auto found = kernel_sources().find(source_);
  return found ? *found : nullptr;
}

std::string Program::name() const { return fmt::format("{}:{} {}", source_, entry_, macros_); }

std::vector<std::string> Program::options(int cc, bool ptx) const {
  std::vector<std::string> options{fmt::format("--gpu-architecture={}", ptx ? fmt::format("compute_{}", cc) : arch_name(cc)), "--std=c++17", "-default-device",
                                   fmt::format("-DADJ_ARCH={}", cc), fmt::format("-DADJ_ENTRY={}", entry_)};
  if (!own_.name)  // a caller's text defines them itself
    for (const std::string& define : defines_) options.push_back("-D" + define);
  if (kernel_sources().line_info) options.push_back("-lineinfo");
  return options;
}

std::string Program::key(int cc, std::span<const EmbeddedFile> files) const {
  const std::vector<std::string> own_options = options(cc, false);
  std::vector<std::string_view> parts{kSchema, source_};
  if (const EmbeddedFile* source = own_.name ? &own_ : find_file(source_, files)) {
    // Names and checksums of the source and of the files that it includes. Files that it does not include have no influence.
    parts.insert(parts.end(), {source->name, source->sha256});
    for (std::uint16_t i : source->includes) parts.insert(parts.end(), {files[i].name, files[i].sha256});
  }
  parts.insert(parts.end(), own_options.begin(), own_options.end());
  return sha256_hex(framed(parts));
}

std::string Program::entry_key(std::string_view key, int major) {
  const std::string number = std::to_string(major);
  const std::string_view parts[] = {key, number};
  return sha256_hex(framed(parts));
}

}  // namespace adj
