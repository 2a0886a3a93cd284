// Cases of the control family, without the operators that need handles of a caller.
#include <fmt/format.h>

#include <cstring>

#include <adjoint/ops/control.h>

#include "driver/libraries.hpp"
#include "harness/harness.hpp"

namespace harness {

namespace {

void fill_bits(Data& data, Rng& rng) {
  for (std::byte& b : data.bytes) b = static_cast<std::byte>(rng());
}

const std::vector<std::int64_t> kLists[] = {{}, {1}, {0, 5}, {33, 1, 64}};

template <class Descriptor>
std::vector<Case> event_cases(const adj::Signature& signature, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Case> cases;
  for (const auto& numel : kLists)
    for (bool in_place : {false, true}) {
      const Descriptor d{.count = static_cast<std::int64_t>(numel.size()), .numel = numel.data(), .skip = 1, .element = signature[0]};
      auto problem = std::make_shared<Problem>(d.header);
      for (Data& data : problem->list("inputs")) fill_bits(data, rng);
      if (in_place) problem->share("outputs", "inputs");
      cases.push_back({fmt::format("{} tensors{}", numel.size(), in_place ? ", in place" : ""), problem, {}});
    }
  return cases;
}

}  // namespace

std::vector<Case> group_cases(const adj::Signature& signature, Level, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Case> cases;
  for (const auto& numel : kLists) {
    const adj_group_descriptor d{.count = static_cast<std::int64_t>(numel.size()), .numel = numel.data(), .element = signature[0]};
    auto problem = std::make_shared<Problem>(d.header);
    for (Data& data : problem->list("inputs")) fill_bits(data, rng);
    if (cases.size() % 2) problem->omit("inputs");
    cases.push_back({fmt::format("{} tensors", numel.size()), problem, {}});
  }
  return cases;
}

std::vector<Case> record_event_cases(const adj::Signature& signature, Level, std::uint64_t seed) {
  return event_cases<adj_record_event_descriptor>(signature, seed);
}
std::vector<Case> wait_event_cases(const adj::Signature& signature, Level, std::uint64_t seed) {
  return event_cases<adj_wait_event_descriptor>(signature, seed);
}

std::vector<Case> yield_cases(const adj::Signature& signature, Level, std::uint64_t) {
  const std::int64_t numel[] = {4, 7, 2}, skipped[] = {1};
  const adj_yield_descriptor d{.count = 3, .numel = numel, .non_differentiable_count = 1, .non_differentiable = skipped, .element = signature[0]};
  const std::int64_t loose[] = {2};
  adj_yield_descriptor any_shape = d;
  any_shape.free_shape_count = 1;
  any_shape.free_shape = loose;
  return {{"three outputs, one without gradient", std::make_shared<Problem>(d.header), {}},
          {"a gradient of free shape", std::make_shared<Problem>(any_shape.header), {}}};
}

// Kernel of a caller: source, with the type as a macro, and PTX of the same kernel for f32.
std::vector<Case> user_kernel_cases(const adj::Signature& signature, Level, std::uint64_t seed) {
  if (signature[0] != ADJ_F32 && signature[0] != ADJ_F64) return {};
  static constexpr const char* kSource =
      "extern \"C\" __global__ void axpy(const REAL* x, const REAL* y, REAL* z, long long n, double a) {\n"
      "  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)\n"
      "    z[i] = (REAL)a * x[i] + y[i];\n"
      "}\n";
  static constexpr const char* kPtx =
      ".version 7.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry axpy(.param .u64 x, .param .u64 y, .param .u64 z, .param .u64 n, .param .f64 a)\n"
      "{\n"
      "  .reg .pred %p<1>; .reg .f32 %f<4>; .reg .f64 %d<1>; .reg .b32 %r<4>; .reg .b64 %l<8>;\n"
      "  ld.param.u64 %l0, [x]; ld.param.u64 %l1, [y]; ld.param.u64 %l2, [z]; ld.param.u64 %l3, [n]; ld.param.f64 %d0, [a];\n"
      "  cvt.rn.f32.f64 %f0, %d0;\n"
      "  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mov.u32 %r3, %nctaid.x;\n"
      "  mad.wide.u32 %l4, %r0, %r1, 0; cvt.u64.u32 %l5, %r2; add.s64 %l4, %l4, %l5; mul.wide.u32 %l5, %r3, %r1;\n"
      "NEXT:\n"
      "  setp.ge.s64 %p0, %l4, %l3;\n"
      "  @%p0 bra DONE;\n"
      "  shl.b64 %l6, %l4, 2;\n"
      "  add.s64 %l7, %l0, %l6; ld.f32 %f1, [%l7];\n"
      "  add.s64 %l7, %l1, %l6; ld.f32 %f2, [%l7];\n"
      "  fma.rn.f32 %f3, %f0, %f1, %f2;\n"
      "  add.s64 %l7, %l2, %l6; st.f32 [%l7], %f3;\n"
      "  add.s64 %l4, %l4, %l5;\n"
      "  bra NEXT;\n"
      "DONE:\n"
      "  ret;\n"
      "}\n";
  std::vector<Case> cases;
  for (adj_code_kind kind : {ADJ_CODE_SOURCE, ADJ_CODE_PTX}) {
    if (kind == ADJ_CODE_PTX && signature[0] != ADJ_F32) continue;
    for (std::int64_t n : {1, 33, 100003}) {
      const std::int64_t inputs[] = {n, n}, outputs[] = {n};
      const double a[] = {0.5};
      adj_user_kernel_descriptor d{.code = kSource,
                                   .entry = "axpy",
                                   .macros = signature[0] == ADJ_F32 ? "REAL=float" : "REAL=double",
                                   .input_count = 2,
                                   .input_numel = inputs,
                                   .output_count = 1,
                                   .output_numel = outputs,
                                   .integer_count = 1,
                                   .integers = &n,
                                   .real_count = 1,
                                   .reals = a,
                                   .grid = {1, {5}},
                                   .block = {1, {128}},
                                   .code_kind = kind,
                                   .element = signature[0]};
      if (kind == ADJ_CODE_PTX) d.code = kPtx, d.macros = nullptr;
      d.host = [](const adj_callback_call* call) -> std::int32_t {
        const bool f32 = call->outputs->dtype == ADJ_F32;
        const std::uint64_t count = call->outputs->bytes[0] / (f32 ? 4 : 8);
        for (std::uint64_t i = 0; i < count; ++i)
          if (f32)
            static_cast<float*>(call->outputs->data[0])[i] =
                0.5f * static_cast<const float*>(call->inputs->data[0])[i] + static_cast<const float*>(call->inputs->data[1])[i];
          else
            static_cast<double*>(call->outputs->data[0])[i] =
                0.5 * static_cast<const double*>(call->inputs->data[0])[i] + static_cast<const double*>(call->inputs->data[1])[i];
        return 0;
      };
      auto problem = std::make_shared<Problem>(d.header);
      Rng rng(seed);
      // Multiples of a half: exact, so a fused multiplication and addition has the bits of two operations.
      for (Data& data : problem->list("inputs"))
        for (std::int64_t i = 0; i < data.numel(); ++i) data.set(i, static_cast<double>(static_cast<std::int64_t>(rng() % 2001) - 1000) / 2);
      cases.push_back({fmt::format("axpy of {}{}", n, kind == ADJ_CODE_PTX ? ", PTX" : ""), problem, {}});
    }
  }
  return cases;
}

// Callback that copies, in the order of the stream for which it is called.
std::vector<Case> callback_cases(const adj::Signature& signature, Level, std::uint64_t seed) {
  std::vector<Case> cases;
  for (std::int64_t n : {0, 1, 1027}) {
    const std::int64_t numel[] = {n, 3};
    adj_callback_descriptor d{.input_count = 2, .input_numel = numel, .output_count = 2, .output_numel = numel, .element = signature[0]};
    d.function = [](const adj_callback_call* call) -> std::int32_t {
      for (std::int64_t i = 0; i < call->inputs->count; ++i) {
        if (!call->inputs->bytes[i]) continue;
        if (call->stream->kind == ADJ_STREAM_HOST) {
          std::memcpy(call->outputs->data[i], call->inputs->data[i], call->inputs->bytes[i]);
        } else if ((*adj::cuda())
                       ->memcpy_dtod_async(reinterpret_cast<adj::cu::DevicePtr>(call->outputs->data[i]),
                                           reinterpret_cast<adj::cu::DevicePtr>(call->inputs->data[i]), call->inputs->bytes[i],
                                           static_cast<adj::cu::Stream>(call->stream->handle))) {
          return 1;
        }
      }
      return 0;
    };
    auto problem = std::make_shared<Problem>(d.header);
    Rng rng(seed);
    for (Data& data : problem->list("inputs")) fill_bits(data, rng);
    cases.push_back({fmt::format("copies {} elements", n), problem, {}});
  }
  return cases;
}

}  // namespace harness
