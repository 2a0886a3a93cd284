#include "plan/verdicts.hpp"

#include <charconv>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "driver/libraries.hpp"
#include "jit/cache.hpp"
#include "jit/kernel_sources.hpp"
#include "plan/words.hpp"

namespace adj {

namespace {

// Text of a verdict, and of a tuning file, which is a list of them: lines of a word and its value. The first lines are those of `subject`, an
// empty line ends a verdict.
constexpr std::string_view kSku = "sku ", kChoices = "choices ", kTime = "time ";
constexpr std::size_t kMostKept = std::size_t{1} << 16;  // verdicts in memory; later ones are in the disk cache only

std::string text_of(const Verdict& v) {
  std::string text = v.subject + std::string(kSku) + v.sku + "\n" + std::string(kChoices) + v.choices + "\n";
  for (const Verdict::Time& time : v.times) text += fmt::format("{}{} {}\n", kTime, time.us, time.sku);
  return text + "\n";
}

// Nothing when the text is no list of verdicts.
std::optional<std::vector<Verdict>> parse(std::string_view text) {
  std::vector<Verdict> all;
  Verdict v;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.empty()) {
      if (v.subject.empty() || v.sku.empty()) return std::nullopt;
      all.push_back(std::exchange(v, {}));
    } else if (line.starts_with(kSku)) {
      v.sku = line.substr(kSku.size());
    } else if (line.starts_with(kChoices)) {
      v.choices = line.substr(kChoices.size());
    } else if (line.starts_with(kTime)) {
      double us = 0;
      const auto [stop, error] = std::from_chars(line.data() + kTime.size(), line.data() + line.size(), us);
      if (error != std::errc{} || stop == line.data() + line.size() || *stop != ' ') return std::nullopt;
      v.times.push_back({std::string(stop + 1, line.data() + line.size()), us});
    } else if (v.sku.empty()) {
      v.subject += std::string(line) + "\n";
    } else {
      return std::nullopt;
    }
  }
  if (!v.subject.empty()) return std::nullopt;
  return all;
}

constexpr std::string_view kNvrtc = ", NVRTC ";  // in a subject, followed by the version and the end of the line

std::string without_nvrtc(std::string subject) {
  if (const std::size_t at = subject.rfind(kNvrtc); at != std::string::npos) subject.erase(at, subject.find('\n', at) - at);
  return subject;
}

struct Store {
  ProcessLock lock;
  // By subject. loaded: also by the subject of a process without NVRTC. found: measured by this process or read from the disk cache.
  std::map<std::string, Verdict> loaded, found;
};
constinit Lazy<Store> store;
std::atomic<bool> any_loaded{false};
constinit Lazy<bool> environment_files;  // true once they have been loaded

Result<void> add_file(const std::string& path) {
  auto bytes = read_file(path);
  if (!bytes) return bytes.take_error();
  const auto text = unseal(*bytes);
  if (!text) return fail(ADJ_ERROR_CORRUPT, "'{}' is not a usable tuning file: it fails its checksum, or is none", path);
  auto verdicts = parse(*text);
  if (!verdicts) return fail(ADJ_ERROR_CORRUPT, "'{}' is not a usable tuning file: its lines are those of no verdict", path);
  Store& s = store.get();
  std::lock_guard lock(s.lock);
  for (Verdict& v : *verdicts) {
    s.loaded.insert_or_assign(without_nvrtc(v.subject), v);
    std::string subject = v.subject;
    s.loaded.insert_or_assign(std::move(subject), std::move(v));
  }
  any_loaded = true;
  return {};
}

bool load_environment_files() {
  const char* paths = environment("ADJOINT_TUNING");
  for (const std::string& path : split(paths ? paths : "", ':'))
    if (auto added = add_file(path); !added) log(1, "ADJOINT_TUNING: " + added.error().message);
  return true;
}

// Digest of the kernel sources that this process compiles.
constinit Lazy<std::string> digest;
const std::string& digest_of_kernels() {
  return digest.get([] {
    std::string all;
    for (const EmbeddedFile& file : kernel_sources().files) all += std::string(file.name) + " " + file.sha256 + "\n";
    return sha256_hex(all).substr(0, 16);
  });
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return text;
}

std::string key_of(const std::string& subject) { return sha256_hex(subject); }

}  // namespace

std::string subject_of(const Problem& problem) {
  const OpInfo& op = *problem.op;
  for (const Field& field : op.fields)
    if (field.kind == kFieldPointer || field.kind == kFieldBytes) return {};
  adj_preference p = problem.preference;  // without what changes no result
  p.jit = ADJ_JIT_DEFAULT;
  p.workspace_arch = p.tune = 0;
  bool cudnn_matters = false, cublaslt_matters = false;
  for (const Variant& v : op.variants) cudnn_matters |= v.backend == ADJ_BACKEND_CUDNN, cublaslt_matters |= v.backend == ADJ_BACKEND_CUBLASLT;
  std::string text = fmt::format("problem {}{}\n", words_of(op, problem.descriptor.get()), words_of(p));
  text += fmt::format("device {}, {}, {} multiprocessors\n", one_line(problem.device->name), problem.device->arch, problem.device->multiprocessors);
  text += fmt::format("versions adjoint {}, kernels {}, driver {}", ADJ_LIBRARY_VERSION, digest_of_kernels(), driver_interface());
  // A library that is missing has no candidates, so that a verdict with it and one without it differ.
  if (cudnn_matters) text += fmt::format(", cuDNN {}", version_of_cudnn());
  if (cublaslt_matters) text += fmt::format(", cuBLASLt {}", version_of_cublaslt());
  if (const auto api = nvrtc()) text += fmt::format("{}{}.{}", kNvrtc, (*api)->major, (*api)->minor);
  return text + "\n";
}

bool has_loaded_verdicts() {
  environment_files.get(load_environment_files);
  return any_loaded.load(std::memory_order_relaxed);
}

std::optional<Verdict> find_verdict(const std::string& subject, bool all) {
  environment_files.get(load_environment_files);
  Store& s = store.get();
  {
    std::shared_lock lock(s.lock);
    if (const auto it = s.loaded.find(subject); it != s.loaded.end()) return it->second;
    if (!all) return std::nullopt;
    if (const auto it = s.found.find(subject); it != s.found.end()) return it->second;
  }
  const auto text = disk_cache().get_text(key_of(subject));
  if (!text) return std::nullopt;
  const auto verdicts = parse(*text);
  if (!verdicts || verdicts->size() != 1 || verdicts->front().subject != subject) return std::nullopt;
  keep_verdict(verdicts->front(), false);
  return verdicts->front();
}

void keep_verdict(const Verdict& verdict, bool on_disk) {
  {
    Store& s = store.get();
    std::lock_guard lock(s.lock);
    if (s.found.size() < kMostKept || s.found.contains(verdict.subject)) s.found.insert_or_assign(verdict.subject, verdict);
  }
  if (on_disk) disk_cache().put_text(key_of(verdict.subject), text_of(verdict));
}

Result<void> load_verdicts(const std::string& path) {
  environment_files.get(load_environment_files);  // first, so that a file of the program counts more
  return add_file(path);
}

Result<void> save_verdicts(const std::string& path) {
  std::string text;
  {
    Store& s = store.get();
    std::shared_lock lock(s.lock);
    std::map<std::string_view, const Verdict*> all;
    for (const auto* part : {&s.found, &s.loaded})
      for (const auto& [subject, verdict] : *part) all[verdict.subject] = &verdict;
    for (const auto& [subject, verdict] : all) text += text_of(*verdict);
  }
  if (text.empty()) return fail(ADJ_ERROR_NOT_FOUND, "cannot write '{}': this process has measured, found or loaded no verdict", path);
  return write_file(path, seal(text), 0666);
}

}  // namespace adj
