// Stand-in for NVRTC. It translates a program of the library into one line, any other source into code that names its kernels. Every compilation
// of every process adds a line to the file that FAKE_NVRTC_LOG names. Every program adds its name, its text and those of its headers to the file
// that FAKE_NVRTC_SOURCES names.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "entries.hpp"
#include "tests/cubin.hpp"

namespace adj::cu {
struct NvrtcProgramOpaque {
  std::string source, image, log;
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

void append(const char* variable, const std::string& line) {
  const char* file = std::getenv(variable);
  if (!file) return;
  const int fd = ::open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (fd < 0 || ::write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
  ::close(fd);
}

// Kernels of a source. Parameters of type int or float have 4 bytes, all others 8.
std::vector<MadeKernel> kernels_in(const std::string& source) {
  const std::string mark = "__global__ void ";
  std::vector<MadeKernel> kernels;
  for (std::size_t at = 0; (at = source.find(mark, at)) != std::string::npos;) {
    at += mark.size();
    const std::size_t open = source.find('(', at), close = source.find(')', open);
    if (close == std::string::npos) break;
    MadeKernel& kernel = kernels.emplace_back(source.substr(at, open - at), std::vector<std::uint32_t>{});
    for (std::size_t begin = open + 1; begin < close;) {
      const std::size_t end = std::min(source.find(',', begin), close);
      const std::string parameter = source.substr(begin, end - begin);
      const bool small = parameter.find("int ") != std::string::npos || parameter.find("float ") != std::string::npos;
      kernel.parameters.push_back(small ? 4 : 8);
      begin = end + 1;
    }
  }
  return kernels;
}
std::string translate(const std::string& source, const std::string& entry, const std::string& arch) {
  if (source.find("ADJ_ENTRY") != std::string::npos) return fake::kImageMagic + entry + fake::kCompilerMark + std::to_string(state.major);
  const std::vector<MadeKernel> kernels = kernels_in(source);
  if (arch.starts_with("sm_")) return make_cubin(std::atoi(arch.c_str() + 3), kernels);
  std::string text = ".version 8.0\n.target sm_" + arch.substr(8) + "\n";
  for (const MadeKernel& kernel : kernels) {
    text += ".visible .entry " + kernel.name + "(";
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
      text += (i ? ", .param .b" : ".param .b") + std::to_string(8 * kernel.parameters[i]) + " p" + std::to_string(i);
    text += ") { ret; }\n";
  }
  return text;
}

}  // namespace

FAKE_EXPORT NvrtcResult nvrtcVersion(int* major, int* minor) {
  if (const int code = scripted("nvrtcVersion")) return code;
  *major = state.major;
  *minor = state.minor;
  return kNvrtcSuccess;
}
FAKE_EXPORT const char* nvrtcGetErrorString(NvrtcResult) { return scripted("nvrtcGetErrorString") ? "unknown" : "NVRTC_ERROR_SCRIPTED"; }
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
FAKE_EXPORT NvrtcResult nvrtcCreateProgram(NvrtcProgram* program, const char* source, const char* name, int headers, const char* const* texts,
                                           const char* const* names) {
  if (const int code = scripted("nvrtcCreateProgram")) return code;
  if (!source || !*source) return kInvalidInput;
  std::string all = std::string("program ") + name + "\n" + source;
  for (int i = 0; i < headers; ++i) all += std::string("header ") + names[i] + "\n" + texts[i];
  append("FAKE_NVRTC_SOURCES", all);
  *program = new NvrtcProgramOpaque{source, {}, {}};
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
  program->log = state.remarks ? "ptxas info : (C7510) Potential Performance Loss in '" + entry + "'\n" : "";
  program->image = translate(program->source, entry, arch);
  std::string line = "compile";
  for (int i = 0; i < count; ++i) line += std::string(" ") + options[i];
  append("FAKE_NVRTC_LOG", line + "\n");
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
