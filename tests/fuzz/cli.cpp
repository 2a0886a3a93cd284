// The command line tool with any words: it must end with one of its exit codes.
#include <fcntl.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

int adjoint_main(int argc, char** argv);  // tools/cli/main.cpp

namespace {

// True for large numbers, which only make the tool work longer.
bool tedious(const std::string& word) {
  constexpr int kDigits = 4;
  int digits = 0;
  for (const char c : word) {
    digits = std::isdigit(static_cast<unsigned char>(c)) ? digits + 1 : 0;
    if (digits > kDigits && word.find('x') != std::string::npos) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // Nothing outside is read or written.
  for (const char* variable : {"ADJOINT_LIBCUDA", "ADJOINT_LIBNVRTC", "ADJOINT_LIBCUDNN", "ADJOINT_LIBCUBLASLT", "ADJOINT_LIBNCCL", "ADJOINT_CACHE_DIR"})
    ::setenv(variable, "", 1);
  ::unsetenv("ADJOINT_PACK");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words{"adjoint"};
  std::string word;
  for (std::size_t i = 0; i <= size; ++i) {
    const char c = i < size ? static_cast<char>(data[i]) : '\n';
    if (c != '\n' && c != '\0') {
      word += c;
    } else if (!word.empty()) {
      if (tedious(word)) return 0;
      words.push_back(std::exchange(word, {}));
    }
  }
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  // The tool's output goes to /dev/null; the fuzzer's own still goes to standard error.
  static const int nowhere = ::open("/dev/null", O_WRONLY), error = ::dup(2), output = ::dup(1);
  std::fflush(nullptr);
  ::dup2(nowhere, 1), ::dup2(nowhere, 2);
  const int code = adjoint_main(static_cast<int>(words.size()), argv.data());
  std::fflush(nullptr);
  ::dup2(output, 1), ::dup2(error, 2);
  if ((code < 0 || code > 2) && code != 77) std::abort();
  return 0;
}
