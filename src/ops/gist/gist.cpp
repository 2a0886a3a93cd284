// Planning of the Gist formats.
#include "host/gist.hpp"
#include "kernels/gist/params.h"
#include "ops/common/common.hpp"
#include "ops/gist.gen.hpp"

namespace adj {

namespace {

constexpr std::int64_t kOctet = 8;
constexpr int kBlock = 256;

// Format: its name in signatures, the type of `packed`, the element types that it takes.
struct Format {
  const char* name;
  adj_dtype packed;
  std::initializer_list<adj_dtype> elements;
};
// In the order of adj_gist_format.
const Format kFormats[] = {{"", ADJ_DTYPE_NONE, {}},
                           {"binarize", ADJ_BOOL, {ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16}},
                           {"pack1", ADJ_U8, {ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16, ADJ_BOOL}},
                           {"pack8", ADJ_U8, {ADJ_F32, ADJ_F16, ADJ_BF16}},
                           {"pack8", ADJ_U8, {ADJ_F32, ADJ_F16, ADJ_BF16}},
                           {"pack8_reference", ADJ_U8, {ADJ_F32, ADJ_F16}},
                           {"pack16", ADJ_F16, {ADJ_F32}},
                           {"pack16_bf16", ADJ_BF16, {ADJ_F32}},
                           {"msfp15", ADJ_U8, {ADJ_F32, ADJ_F16, ADJ_BF16}}};
constexpr int kFormatCount = ADJ_GIST_FORMAT_MSFP15 + 1;
static_assert(std::size(kFormats) == kFormatCount);

const std::vector<Signature>& signatures() {
  static const auto* list = [] {
    auto all = std::make_unique<std::vector<Signature>>();
    for (int f = 1; f < kFormatCount; ++f) {
      if (f == ADJ_GIST_FORMAT_PACK8_SATURATED) continue;  // shares the programs of pack8
      for (adj_dtype element : kFormats[f].elements) all->push_back(Signature::with_choice(kFormats[f].name, {element}));
    }
    return all.release();
  }();
  return *list;
}
template <class Descriptor>
Signature signature_of(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return Signature::with_choice(kFormats[d.format].name, {d.element});
}

template <class Descriptor>
void launch(const Descriptor& d, const Device& device, PlanBuilder& builder, int from, int to) {
  GistParams p{};
  const bool rows = d.format == ADJ_GIST_FORMAT_MSFP15 && d.inner % kOctet != 0;
  p.outer = rows ? d.outer : 1;
  p.inner = rows ? d.inner : d.outer * d.inner;
  p.octets = ceil_div(p.inner, kOctet);
  p.saturate = d.format == ADJ_GIST_FORMAT_PACK8_SATURATED;
  builder.kernel(kMain, strided_grid(device, ceil_div(p.outer * p.octets, kBlock)), kBlock)
      .params(p)
      .tensor(offsetof(GistParams, from), from)
      .tensor(offsetof(GistParams, to), to);
}

template <class Descriptor, adj_gist_format format>
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.outer = 4;
  d.inner = 8;
  d.format = format;
  d.element = types[0];
  return true;
}

// Variants of both operators.
#define ADJ_GIST_VARIANTS(file, entry)                                                                                                                      \
  {.algorithm = "octets", .summary = "a thread has eight elements", .programs = {{file, entry, "ADJ_T={0} ADJ_FORMAT={c}"}}, .guarantee = exact_guarantee}, \
      host_row(exact_guarantee)

// Note of GistPack8Encoder and GistPack8Decoder.
constexpr const char* kPack8 = "The bits are FP8 E5M2. With format=pack8_reference they are those of ONNX Runtime, which lose most values.";

namespace encode {

using namespace gist_encode_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.outer == 0 || d.inner == 0) return {};
  if (request.device) launch(d, *request.device, builder, kInput, kPacked);
  else builder.host(host_call<Descriptor, Args, host::gist_encode>);
  return {};
}
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{ADJ_GIST_VARIANTS("gist/encode.cu", "gist_encode")};
  return *list;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "GistBinarizeEncoder", describe<Descriptor, ADJ_GIST_FORMAT_BINARIZE>},
                                 {"ms", "GistPack1Encoder", describe<Descriptor, ADJ_GIST_FORMAT_PACK1>},
                                 {"ms", "GistPack8Encoder", describe<Descriptor, ADJ_GIST_FORMAT_PACK8>, kPack8},
                                 {"ms", "GistPack16Encoder", describe<Descriptor, ADJ_GIST_FORMAT_PACK16>},
                                 {"ms", "GistPackMsfp15Encoder", describe<Descriptor, ADJ_GIST_FORMAT_MSFP15>}};

}  // namespace encode

namespace decode {

using namespace gist_decode_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.outer == 0 || d.inner == 0) return {};
  if (request.device) launch(d, *request.device, builder, kPacked, kOut);
  else builder.host(host_call<Descriptor, Args, host::gist_decode>);
  return {};
}
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{ADJ_GIST_VARIANTS("gist/decode.cu", "gist_decode")};
  return *list;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "GistBinarizeDecoder", describe<Descriptor, ADJ_GIST_FORMAT_BINARIZE>},
                                 {"ms", "GistPack1Decoder", describe<Descriptor, ADJ_GIST_FORMAT_PACK1>},
                                 {"ms", "GistPack8Decoder", describe<Descriptor, ADJ_GIST_FORMAT_PACK8>, kPack8},
                                 {"ms", "GistPack16Decoder", describe<Descriptor, ADJ_GIST_FORMAT_PACK16>},
                                 {"ms", "GistPackMsfp15Decoder", describe<Descriptor, ADJ_GIST_FORMAT_MSFP15>}};

}  // namespace decode

}  // namespace

const OpInfo& info_gist_encode() {
  using namespace encode;
  static const OpInfo info = op_info(base_info(), {.signatures = signatures(),
                                                   .signature_columns = "format, element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .signature = signature_of<Descriptor>,
                                                   .finish = finish});
  return info;
}

const OpInfo& info_gist_decode() {
  using namespace decode;
  static const OpInfo info = op_info(base_info(), {.signatures = signatures(),
                                                   .signature_columns = "format, element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .signature = signature_of<Descriptor>,
                                                   .finish = finish});
  return info;
}

}  // namespace adj
