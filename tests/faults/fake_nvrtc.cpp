// An NVRTC that translates any program into one line. Where FAKE_NVRTC_LOG names a file, every compile of every process
// adds a line to it.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "entries.hpp"

namespace adj::cu {
struct NvrtcProgramOpaque {
  std::string image, log;
};
}  // namespace adj::cu

namespace {

using namespace adj::cu;

constexpr NvrtcResult kCompilation = 6, kInvalidOption = 5, kInvalidInput = 3;

fake::Entry entries[] = {
#define FAKE_ENTRY(member, symbol, result, arguments) {.name = #symbol},
    ADJ_NVRTC_FUNCTIONS(FAKE_ENTRY)
#undef FAKE_ENTRY
};
fake::Nvrtc state;

int scripted(const char* name) { return fake::enter(*fake::find(entries, name)); }

void write_log_line(const std::string& line) {
  const char* file = std::getenv("FAKE_NVRTC_LOG");
  if (!file) return;
  const int fd = ::open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (fd < 0 || ::write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
  ::close(fd);
}

}  // namespace

FAKE_EXPORT NvrtcResult nvrtcVersion(int* major, int* minor) {
  if (const int code = scripted("nvrtcVersion")) return code;
  *major = state.major;
  *minor = state.minor;
  return kNvrtcSuccess;
}
FAKE_EXPORT const char* nvrtcGetErrorString(NvrtcResult) {
  return scripted("nvrtcGetErrorString") ? "unknown" : "NVRTC_ERROR_SCRIPTED";
}
FAKE_EXPORT NvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  if (const int code = scripted("nvrtcGetNumSupportedArchs")) return code;
  *count = 3;
  return kNvrtcSuccess;
}
FAKE_EXPORT NvrtcResult nvrtcGetSupportedArchs(int* archs) {
  if (const int code = scripted("nvrtcGetSupportedArchs")) return code;
  archs[0] = 80;
  archs[1] = 90;
  archs[2] = state.newest_cc;
  return kNvrtcSuccess;
}
FAKE_EXPORT NvrtcResult nvrtcCreateProgram(NvrtcProgram* program, const char* source, const char*, int, const char* const*,
                                           const char* const*) {
  if (const int code = scripted("nvrtcCreateProgram")) return code;
  if (!source || !*source) return kInvalidInput;
  *program = new NvrtcProgramOpaque;
  ++state.programs;
  return kNvrtcSuccess;
}
FAKE_EXPORT NvrtcResult nvrtcDestroyProgram(NvrtcProgram* program) {
  const int code = scripted("nvrtcDestroyProgram");
  delete *program;
  *program = nullptr;
  --state.programs;
  return code;
}
FAKE_EXPORT NvrtcResult nvrtcCompileProgram(NvrtcProgram program, int count, const char* const* options) {
  std::string entry, arch;
  for (int i = 0; i < count; ++i) {
    const std::string option = options[i];
    if (option.starts_with("-DADJ_ENTRY=")) entry = option.substr(12);
    if (option.starts_with("--gpu-architecture=")) arch = option.substr(19);
  }
  if (entry.empty() || arch.empty()) return kInvalidOption;
  program->log = "fake.cu(1): error: nothing is right about " + entry + "\n";
  if (const int code = scripted("nvrtcCompileProgram")) return code;
  if (state.rejects) return kCompilation;
  if (state.compile_ms) std::this_thread::sleep_for(std::chrono::milliseconds(state.compile_ms));
  program->log.clear();
  program->image = fake::kImageMagic + entry;
  std::string line = "compile";
  for (int i = 0; i < count; ++i) line += std::string(" ") + options[i];
  write_log_line(line + "\n");
  return kNvrtcSuccess;
}
FAKE_EXPORT NvrtcResult nvrtcGetProgramLogSize(NvrtcProgram program, std::size_t* size) {
  if (const int code = scripted("nvrtcGetProgramLogSize")) return code;
  *size = program->log.size() + 1;
  return kNvrtcSuccess;
}
FAKE_EXPORT NvrtcResult nvrtcGetProgramLog(NvrtcProgram program, char* log) {
  if (const int code = scripted("nvrtcGetProgramLog")) return code;
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return kNvrtcSuccess;
}

namespace {
NvrtcResult image_size(const char* function, NvrtcProgram program, std::size_t* size) {
  if (const int code = scripted(function)) return code;
  *size = program->image.size();
  return kNvrtcSuccess;
}
NvrtcResult image(const char* function, NvrtcProgram program, char* bytes) {
  if (const int code = scripted(function)) return code;
  std::memcpy(bytes, program->image.data(), program->image.size());
  return kNvrtcSuccess;
}
}  // namespace

FAKE_EXPORT NvrtcResult nvrtcGetCUBINSize(NvrtcProgram program, std::size_t* size) { return image_size("nvrtcGetCUBINSize", program, size); }
FAKE_EXPORT NvrtcResult nvrtcGetCUBIN(NvrtcProgram program, char* bytes) { return image("nvrtcGetCUBIN", program, bytes); }
FAKE_EXPORT NvrtcResult nvrtcGetPTXSize(NvrtcProgram program, std::size_t* size) { return image_size("nvrtcGetPTXSize", program, size); }
FAKE_EXPORT NvrtcResult nvrtcGetPTX(NvrtcProgram program, char* bytes) { return image("nvrtcGetPTX", program, bytes); }

FAKE_EXPORT fake::Entry* fake_entry(const char* name) { return fake::find(entries, name); }
FAKE_EXPORT fake::Nvrtc* fake_nvrtc() { return &state; }
