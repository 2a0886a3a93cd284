// Kernels of a caller, compiled by NVRTC: their parameters as read from machine code and from PTX, for every architecture and for both forms in
// which parameters are stated.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <adjoint/ops/control.h>
#include <fmt/format.h>

#include <cstdlib>

#include "driver/libraries.hpp"
#include "jit/code.hpp"
#include "jit/program.hpp"
#include "tests/host/support.hpp"

namespace {

constexpr const char* kSource =
    "struct Large { double x[700]; };\n"
    "struct Few { float x; short y; };\n"
    "extern \"C\" __global__ void scale(const float* x, float* y, long long n, double f) {\n"
    "  long long i = threadIdx.x;\n"
    "  if (i < n) y[i] = f * x[i];\n"
    "}\n"
    "extern \"C\" __global__ void unused(const float* x, int n, float* y, char c, Few few, unsigned short h) { y[0] = 1; }\n"
    "extern \"C\" __global__ void none() {}\n"
    "extern \"C\" __global__ void large(Large b, float* y, long long n) { y[n] = b.x[n]; }\n";

struct Known {
  const char* name;
  std::vector<std::uint32_t> bytes, offsets;
};
const std::vector<Known> kKnown = {{"scale", {8, 8, 8, 8}, {0, 8, 16, 24}},
                                   {"unused", {8, 4, 8, 1, 8, 2}, {0, 8, 16, 24, 28, 36}},
                                   {"none", {}, {}},
                                   {"large", {5600, 8, 8}, {0, 5600, 5608}}};

// Compiles a source with NVRTC, for a real architecture or, as PTX, for a virtual one.
adj::Result<std::string> compile(const char* source, const std::string& arch, bool ptx) {
  auto library = adj::nvrtc();
  if (!library) return library.take_error();
  const adj::cu::NvrtcApi& api = **library;
  adj::cu::NvrtcProgram program = nullptr;
  std::string code;
  const std::string option = (ptx ? "--gpu-architecture=compute_" : "--gpu-architecture=sm_") + arch;
  const char* options[] = {option.c_str()};
  std::size_t size = 0;
  if (api.create(&program, source, "user.cu", 0, nullptr, nullptr)) return adj::fail(ADJ_ERROR_INTERNAL, "nvrtcCreateProgram");
  int rc = api.compile(program, 1, options);
  if (rc == 0) rc = ptx ? api.ptx_size(program, &size) : api.cubin_size(program, &size);
  code.resize(size);
  if (rc == 0) rc = ptx ? api.ptx(program, code.data()) : api.cubin(program, code.data());
  if (rc != 0 && api.log_size(program, &size) == 0) code.resize(size), api.log(program, code.data());
  api.destroy(&program);
  if (rc != 0) return adj::fail(ADJ_ERROR_COMPILE_FAILED, "{}", code);
  return code;
}

}  // namespace

TEST_CASE("macros are defined at the head of the source, whose lines keep their numbers") {
  const int cc = 90;
  const auto program = [](std::vector<std::string> macros, std::string text) {
    return std::make_unique<adj::Program>("user_kernel(scale)", "scale", std::move(macros), std::move(text), nullptr);
  };
  const std::string text = "extern \"C\" __global__ void scale(const T* x, T* y, long long n, double f) {\n  y[0] = TWICE(x[0]) + N + FLAG;\n}\n";
  // NVRTC's own header has templates of a type T.
  const auto image = program({"T=float", "TWICE(v)=(v+v)", "N=4", "FLAG"}, text)->compile(cc);
  REQUIRE_MESSAGE(image.ok(), (image ? "" : image.error().message + image.error().log));
  const auto wrong = program({"T=float", "TWICE(v)=(v+v)", "N=4"}, text)->compile(cc);
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().code == ADJ_ERROR_COMPILE_FAILED);
  CHECK_MESSAGE(wrong.error().log.find("user_kernel(scale)(2)") != std::string::npos, wrong.error().log);
  CHECK(program({"A=1", "B=2"}, "")->key(cc) != program({"A=1 B=2"}, "")->key(cc));
  CHECK(program({"A=1"}, "#define B 2\n")->key(cc) != program({"A=1", "B=2"}, "")->key(cc));
}

TEST_CASE("parameters in machine code and in PTX") {
  for (const bool ptx : {false, true})
    for (const char* arch : {"80", "90", "90a", "100", "120"}) {
      CAPTURE(arch);
      CAPTURE(ptx);
      const int cc = std::atoi(arch);
      const auto& known = (*adj::nvrtc())->compute_capabilities;
      if (!known.empty() && std::find(known.begin(), known.end(), cc) == known.end()) continue;
      const auto bytes = compile(kSource, arch, ptx);
      REQUIRE_MESSAGE(bytes.ok(), (bytes ? "" : bytes.error().message));
      const auto code = ptx ? adj::read_ptx(*bytes) : adj::read_cubin(*bytes);
      REQUIRE_MESSAGE(code.ok(), (code ? "" : code.error().message));
      CHECK(code->cc == cc);
      if (ptx) CHECK(code->exact == (std::string(arch) == "90a"));
      CHECK(code->kernels.size() == kKnown.size());
      for (const Known& expected : kKnown) {
        CAPTURE(expected.name);
        const auto kernel = std::find_if(code->kernels.begin(), code->kernels.end(), [&](const adj::KernelEntry& k) { return k.name == expected.name; });
        REQUIRE(kernel != code->kernels.end());
        REQUIRE(kernel->parameters.size() == expected.bytes.size());
        for (std::size_t i = 0; i < expected.bytes.size(); ++i) {
          CHECK(kernel->parameters[i].bytes == expected.bytes[i]);
          CHECK(kernel->parameters[i].offset == expected.offsets[i]);
        }
      }
    }
}

TEST_CASE("user_kernel of NVRTC's machine code and PTX") {
  const std::int64_t numel = 8;
  const double f = 0.5;
  adj_user_kernel_descriptor d{.entry = "scale",
                               .input_count = 1,
                               .input_numel = &numel,
                               .output_count = 1,
                               .output_numel = &numel,
                               .integer_count = 1,
                               .integers = &numel,
                               .real_count = 1,
                               .reals = &f,
                               .grid = {1, {1}},
                               .block = {1, {32}},
                               .element = ADJ_F32};
  for (const bool ptx : {false, true}) {
    const auto code = compile(kSource, "90", ptx);
    REQUIRE_MESSAGE(code.ok(), (code ? "" : code.error().message));
    d.code = code->data(), d.code_bytes = static_cast<std::int64_t>(code->size());
    d.code_kind = ptx ? ADJ_CODE_PTX : ADJ_CODE_CUBIN;
    d.entry = "scale";
    auto plan = support::select(d, *adj::offline_stream("sm_90a"));
    REQUIRE_MESSAGE(plan.ok(), (plan ? "" : plan.error().message));
    CHECK(support::select(d, *adj::offline_stream("sm_100")).ok() == ptx);
    d.entry = "unused";
    auto wrong = support::select(d, *adj::offline_stream("sm_90a"));
    REQUIRE_FALSE(wrong.ok());
    CHECK(wrong.error().message.find("parameter 1 of unused has 4 bytes in the code, outputs[0] in the descriptor has 8") != std::string::npos);
    d.entry = "missing";
    wrong = support::select(d, *adj::offline_stream("sm_90a"));
    REQUIRE_FALSE(wrong.ok());
    for (const Known& kernel : kKnown) CHECK(wrong.error().message.find(kernel.name) != std::string::npos);
  }
  // For a source, the compiled code is checked before a plan is handed out.
  d.code_kind = ADJ_CODE_SOURCE;
  d.code_bytes = -1;
  d.entry = "scale";
  for (const char* parameters : {"const float* x, float* y, long long n, double f", "const float* x, float* y, int n, double f"}) {
    const std::string text = "extern \"C\" __global__ void scale(" + std::string(parameters) + ") { y[n] = f * x[n]; }";
    d.code = text.c_str();
    auto plan = support::select(d, *adj::offline_stream("sm_90a"));
    REQUIRE_MESSAGE(plan.ok(), (plan ? "" : plan.error().message));
    const auto image = std::get<adj::KernelStep>((*plan)->steps[0]).program->image(90, ADJ_JIT_DEFAULT);
    CHECK(image.ok() == (text.find("int n") == std::string::npos));
    if (!image) CHECK(image.error().message.find("parameter 2 of scale has 4 bytes in the code, integers[0]") != std::string::npos);
  }
}

int main(int argc, char** argv) {
  if (auto library = adj::nvrtc(); !library) {
    fmt::print("skipped: {}\n", library.error().message);
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
