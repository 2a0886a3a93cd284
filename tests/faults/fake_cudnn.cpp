// Stand-in for cuDNN with ordinary memory. It computes convolutions from their definition, in f64, as the descriptors say. It lists algorithms
// from a table; all of them compute the same way.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "base/dtype.hpp"
#include "entries.hpp"

namespace adj::cu {
struct CudnnHandleOpaque {
  Stream stream = nullptr;
  std::atomic<bool> busy{false};
};
struct CudnnTensorOpaque {
  CudnnFormat format = -1;
  CudnnType type = -1;
  std::vector<int> dims;
};
struct CudnnFilterOpaque : CudnnTensorOpaque {};
struct CudnnConvOpaque {
  std::vector<int> pad, stride, dilation;
  CudnnMode mode = -1;
  CudnnType type = -1;
  CudnnMath math = kCudnnDefaultMath;
  int groups = 1;
};
}  // namespace adj::cu

namespace {

using namespace adj::cu;

fake::Entry entries[] = {
#define FAKE_ENTRY(member, symbol, result, arguments) {.name = #symbol},
    ADJ_CUDNN_FUNCTIONS(FAKE_ENTRY)
#undef FAKE_ENTRY
};
fake::Cudnn state;

int scripted(const char* name) { return fake::enter(*fake::find(entries, name)); }
void complain(const char* what) {
  const char* none = nullptr;
  state.complaint.compare_exchange_strong(none, what);
}

// Marks a handle as in use. Two calls at a time on one handle are an error of the caller.
struct InUse {
  explicit InUse(CudnnHandle h) : handle(h) {
    if (handle->busy.exchange(true)) complain("a handle is used by two calls at a time");
    if (const int us = state.call_us) std::this_thread::sleep_for(std::chrono::microseconds(us));
  }
  ~InUse() { handle->busy = false; }
  CudnnHandle handle;
};

// ---- the table of algorithms

struct Listed {
  CudnnAlgo algo;
  bool deterministic;
  std::size_t workspace;
};
constexpr Listed kForward[] = {{6, true, 1 << 20}, {kCudnnForwardPrecomputed, true, 4096}, {kCudnnForwardImplicit, true, 0}};
constexpr Listed kData[] = {{kCudnnData0, false, 0}, {5, true, 1 << 20}, {kCudnnData1, true, 8192}};
constexpr Listed kFilter[] = {{kCudnnFilter3, false, 512}, {kCudnnFilter1, true, 65536}, {kCudnnFilter0, false, 0}};

template <std::size_t N>
CudnnStatus list(const Listed (&table)[N], CudnnMath math, int room, int* count, CudnnPerf* perfs) {
  *count = 0;
  for (const Listed& l : table)
    if (*count < room)
      perfs[(*count)++] = {.algo = l.algo, .status = kCudnnSuccess, .time = 1, .memory = l.workspace, .determinism = l.deterministic, .math = math,
                           .reserved = {}};
  return kCudnnSuccess;
}
template <std::size_t N>
CudnnStatus workspace(const Listed (&table)[N], CudnnAlgo algo, std::size_t* bytes) {
  for (const Listed& l : table)
    if (l.algo == algo) {
      *bytes = l.workspace;
      return kCudnnSuccess;
    }
  return kCudnnBadParam;
}

// ---- arithmetic

// Access to the elements of a tensor by image, channel and place.
struct View {
  const CudnnTensorOpaque* shape;
  char* data;
  std::int64_t places = 1;

  View(const CudnnTensorOpaque* t, const void* d) : shape(t), data(static_cast<char*>(const_cast<void*>(d))) {
    for (std::size_t i = 2; i < t->dims.size(); ++i) places *= t->dims[i];
  }
  std::int64_t at(std::int64_t n, std::int64_t c, std::int64_t place) const {
    const std::int64_t channels = shape->dims[1];
    return shape->format == kCudnnChannelsLast ? (n * places + place) * channels + c : (n * channels + c) * places + place;
  }
  double get(std::int64_t i) const {
    switch (shape->type) {
      case kCudnnDouble: return reinterpret_cast<double*>(data)[i];
      case kCudnnHalf: return adj::to_double(reinterpret_cast<adj::f16*>(data)[i]);
      case kCudnnBfloat16: return adj::to_double(reinterpret_cast<adj::bf16*>(data)[i]);
      default: return reinterpret_cast<float*>(data)[i];
    }
  }
  void set(std::int64_t i, double value) const {
    switch (shape->type) {
      case kCudnnDouble: reinterpret_cast<double*>(data)[i] = value; break;
      case kCudnnHalf: reinterpret_cast<adj::f16*>(data)[i] = adj::to_f16(value); break;
      case kCudnnBfloat16: reinterpret_cast<adj::bf16*>(data)[i] = adj::to_bf16(value); break;
      default: reinterpret_cast<float*>(data)[i] = static_cast<float>(value);
    }
  }
  std::int64_t volume() const { return shape->dims[0] * std::int64_t{shape->dims[1]} * places; }
};

double factor(const CudnnTensorOpaque* of, const void* f) {
  return of->type == kCudnnDouble ? *static_cast<const double*>(f) : *static_cast<const float*>(f);
}

// Writes alpha * sums + beta * old values, rounded once. Old values are read only when beta is not 0.
void write(const View& out, const std::vector<double>& sums, const void* alpha, const void* beta) {
  const double a = factor(out.shape, alpha), b = factor(out.shape, beta);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    out.set(at, b == 0 ? a * sums[i] : a * sums[i] + b * out.get(at));
  }
}

// Calls fn(big, small, weight) with the indices of the elements of every product of the convolution; the index in big is -1 in the padding.
// Returns false when the descriptors contradict each other.
template <class Fn>
bool for_products(const View& big, const View& small, const View& weight, const CudnnConvOpaque& c, Fn fn) {
  const auto &b = big.shape->dims, &s = small.shape->dims, &w = weight.shape->dims;
  const std::size_t rank = b.size(), spatial = rank - 2;
  if (rank < 4 || rank > 5 || s.size() != rank || w.size() != rank || c.pad.size() != spatial || c.mode != kCudnnCrossCorrelation) return false;
  if (b[0] != s[0] || b[1] != w[1] * c.groups || s[1] != w[0] || s[1] % c.groups != 0) return false;
  if (big.shape->type != small.shape->type || big.shape->type != weight.shape->type) return false;
  if (c.type != (big.shape->type == kCudnnDouble ? kCudnnDouble : kCudnnFloat)) return false;
  for (std::size_t i = 0; i < spatial; ++i)
    if (s[2 + i] != (b[2 + i] + 2 * c.pad[i] - c.dilation[i] * (w[2 + i] - 1) - 1) / c.stride[i] + 1) return false;
  const int per_group = s[1] / c.groups;
  for (int n = 0; n < b[0]; ++n)
    for (int m = 0; m < s[1]; ++m)
      for (int ch = 0; ch < w[1]; ++ch)
        for (std::int64_t o = 0; o < small.places; ++o)
          for (std::int64_t k = 0; k < weight.places; ++k) {
            std::int64_t place = 0, ow = o, kw = k, pitch = 1;
            bool inside = true;
            for (std::size_t i = spatial; i-- > 0;) {
              const std::int64_t at = ow % s[2 + i] * c.stride[i] + kw % w[2 + i] * c.dilation[i] - c.pad[i];
              inside &= at >= 0 && at < b[2 + i];
              place += at * pitch;
              pitch *= b[2 + i], ow /= s[2 + i], kw /= w[2 + i];
            }
            fn(inside ? big.at(n, m / per_group * w[1] + ch, place) : -1, small.at(n, m, o), weight.at(m, ch, k));
          }
  return true;
}

// Checks that the three products share.
CudnnStatus begin(CudnnHandle handle, const CudnnConvOpaque& c, std::size_t given, std::size_t needed, const void* memory,
                  std::initializer_list<const void*> tensors) {
  if (given < needed || (needed && !memory)) complain("the workspace is smaller than the algorithm's");
  for (const void* t : tensors)
    if (!t || reinterpret_cast<std::uintptr_t>(t) % 16) complain("a tensor is null or not at a multiple of 16 bytes");
  state.math = c.math;
  state.workspace = given;
  state.stream = handle->stream;
  return kCudnnSuccess;
}

}  // namespace

// Every function that returns a status first asks the script whether it must fail.
#define FAKE(symbol, arguments) \
  FAKE_EXPORT CudnnStatus symbol arguments
#define SCRIPTED(symbol) \
  if (const int scripted_code = scripted(symbol)) return scripted_code

FAKE_EXPORT std::size_t cudnnGetVersion() { return scripted("cudnnGetVersion") ? 0 : state.version.load(); }
FAKE_EXPORT const char* cudnnGetErrorString(CudnnStatus) { return scripted("cudnnGetErrorString") ? nullptr : "CUDNN_STATUS_SCRIPTED"; }
FAKE_EXPORT void cudnnGetLastErrorString(char* text, std::size_t size) {
  std::snprintf(text, size, "%s", scripted("cudnnGetLastErrorString") ? "" : "as the test asked");
}
FAKE(cudnnCreate, (CudnnHandle* handle)) {
  SCRIPTED("cudnnCreate");
  *handle = new CudnnHandleOpaque;
  ++state.handles;
  return kCudnnSuccess;
}
FAKE(cudnnDestroy, (CudnnHandle handle)) {
  const int code = scripted("cudnnDestroy");
  delete handle;
  --state.handles;
  return code;
}
FAKE(cudnnSetStream, (CudnnHandle handle, Stream stream)) {
  SCRIPTED("cudnnSetStream");
  if (handle->busy) complain("the stream of a handle changes in the middle of a call");
  handle->stream = stream;
  return kCudnnSuccess;
}

namespace {
template <class Opaque>
CudnnStatus create(Opaque** made) {
  *made = new Opaque;
  ++state.descriptors;
  return kCudnnSuccess;
}
template <class Opaque>
CudnnStatus destroy(const char* name, Opaque* one) {
  const int code = scripted(name);
  delete one;
  --state.descriptors;
  return code;
}
CudnnStatus set(CudnnTensorOpaque* t, CudnnFormat format, CudnnType type, int count, const int* dims) {
  if (count < 4 || count > 5) return kCudnnBadParam;
  t->format = format;
  t->type = type;
  t->dims.assign(dims, dims + count);
  for (int d : t->dims)
    if (d <= 0) return kCudnnBadParam;
  return kCudnnSuccess;
}
}  // namespace

FAKE(cudnnCreateTensorDescriptor, (CudnnTensor* t)) {
  SCRIPTED("cudnnCreateTensorDescriptor");
  return create(t);
}
FAKE(cudnnSetTensorNdDescriptorEx, (CudnnTensor t, CudnnFormat format, CudnnType type, int count, const int* dims)) {
  SCRIPTED("cudnnSetTensorNdDescriptorEx");
  return set(t, format, type, count, dims);
}
FAKE(cudnnDestroyTensorDescriptor, (CudnnTensor t)) { return destroy("cudnnDestroyTensorDescriptor", t); }
FAKE(cudnnCreateFilterDescriptor, (CudnnFilter* f)) {
  SCRIPTED("cudnnCreateFilterDescriptor");
  return create(f);
}
FAKE(cudnnSetFilterNdDescriptor, (CudnnFilter f, CudnnType type, CudnnFormat format, int count, const int* dims)) {
  SCRIPTED("cudnnSetFilterNdDescriptor");
  return set(f, format, type, count, dims);
}
FAKE(cudnnDestroyFilterDescriptor, (CudnnFilter f)) { return destroy("cudnnDestroyFilterDescriptor", f); }
FAKE(cudnnCreateConvolutionDescriptor, (CudnnConv* c)) {
  SCRIPTED("cudnnCreateConvolutionDescriptor");
  return create(c);
}
FAKE(cudnnSetConvolutionNdDescriptor, (CudnnConv c, int count, const int* pad, const int* stride, const int* dilation, CudnnMode mode, CudnnType type)) {
  SCRIPTED("cudnnSetConvolutionNdDescriptor");
  c->pad.assign(pad, pad + count);
  c->stride.assign(stride, stride + count);
  c->dilation.assign(dilation, dilation + count);
  c->mode = mode;
  c->type = type;
  return kCudnnSuccess;
}
FAKE(cudnnSetConvolutionGroupCount, (CudnnConv c, int groups)) {
  SCRIPTED("cudnnSetConvolutionGroupCount");
  c->groups = groups;
  return kCudnnSuccess;
}
FAKE(cudnnSetConvolutionMathType, (CudnnConv c, CudnnMath math)) {
  SCRIPTED("cudnnSetConvolutionMathType");
  c->math = math;
  return kCudnnSuccess;
}
FAKE(cudnnDestroyConvolutionDescriptor, (CudnnConv c)) { return destroy("cudnnDestroyConvolutionDescriptor", c); }

FAKE(cudnnGetConvolutionForwardAlgorithm_v7,
     (CudnnHandle handle, CudnnTensor, CudnnFilter, CudnnConv c, CudnnTensor, int room, int* count, CudnnPerf* perfs)) {
  SCRIPTED("cudnnGetConvolutionForwardAlgorithm_v7");
  const InUse use(handle);
  return list(kForward, c->math, room, count, perfs);
}
FAKE(cudnnGetConvolutionBackwardDataAlgorithm_v7,
     (CudnnHandle handle, CudnnFilter, CudnnTensor, CudnnConv c, CudnnTensor, int room, int* count, CudnnPerf* perfs)) {
  SCRIPTED("cudnnGetConvolutionBackwardDataAlgorithm_v7");
  const InUse use(handle);
  return list(kData, c->math, room, count, perfs);
}
FAKE(cudnnGetConvolutionBackwardFilterAlgorithm_v7,
     (CudnnHandle handle, CudnnTensor, CudnnTensor, CudnnConv c, CudnnFilter, int room, int* count, CudnnPerf* perfs)) {
  SCRIPTED("cudnnGetConvolutionBackwardFilterAlgorithm_v7");
  const InUse use(handle);
  return list(kFilter, c->math, room, count, perfs);
}
FAKE(cudnnGetConvolutionForwardWorkspaceSize,
     (CudnnHandle, CudnnTensor, CudnnFilter, CudnnConv, CudnnTensor, CudnnAlgo algo, std::size_t* bytes)) {
  SCRIPTED("cudnnGetConvolutionForwardWorkspaceSize");
  return workspace(kForward, algo, bytes);
}
FAKE(cudnnGetConvolutionBackwardDataWorkspaceSize,
     (CudnnHandle, CudnnFilter, CudnnTensor, CudnnConv, CudnnTensor, CudnnAlgo algo, std::size_t* bytes)) {
  SCRIPTED("cudnnGetConvolutionBackwardDataWorkspaceSize");
  return workspace(kData, algo, bytes);
}
FAKE(cudnnGetConvolutionBackwardFilterWorkspaceSize,
     (CudnnHandle, CudnnTensor, CudnnTensor, CudnnConv, CudnnFilter, CudnnAlgo algo, std::size_t* bytes)) {
  SCRIPTED("cudnnGetConvolutionBackwardFilterWorkspaceSize");
  return workspace(kFilter, algo, bytes);
}

FAKE(cudnnConvolutionForward,
     (CudnnHandle handle, const void* alpha, CudnnTensor xs, const void* x, CudnnFilter ws, const void* w, CudnnConv c, CudnnAlgo algo, void* memory,
      std::size_t given, const void* beta, CudnnTensor ys, void* y)) {
  SCRIPTED("cudnnConvolutionForward");
  const InUse use(handle);
  std::size_t needed = 0;
  if (workspace(kForward, algo, &needed)) return kCudnnBadParam;
  begin(handle, *c, given, needed, memory, {x, w, y});
  state.forward_algo = algo;
  const View big(xs, x), small(ys, y), weight(ws, w);
  std::vector<double> sums(static_cast<std::size_t>(small.volume()));
  if (!for_products(big, small, weight, *c, [&](std::int64_t b, std::int64_t s, std::int64_t k) {
        sums[static_cast<std::size_t>(s)] += (b < 0 ? 0 : big.get(b)) * weight.get(k);
      }))
    return kCudnnBadParam;
  write(small, sums, alpha, beta);
  return kCudnnSuccess;
}
FAKE(cudnnConvolutionBackwardData,
     (CudnnHandle handle, const void* alpha, CudnnFilter ws, const void* w, CudnnTensor ys, const void* y, CudnnConv c, CudnnAlgo algo, void* memory,
      std::size_t given, const void* beta, CudnnTensor xs, void* x)) {
  SCRIPTED("cudnnConvolutionBackwardData");
  const InUse use(handle);
  std::size_t needed = 0;
  if (workspace(kData, algo, &needed)) return kCudnnBadParam;
  begin(handle, *c, given, needed, memory, {x, w, y});
  state.data_algo = algo;
  const View big(xs, x), small(ys, y), weight(ws, w);
  std::vector<double> sums(static_cast<std::size_t>(big.volume()));
  if (!for_products(big, small, weight, *c, [&](std::int64_t b, std::int64_t s, std::int64_t k) {
        if (b >= 0) sums[static_cast<std::size_t>(b)] += small.get(s) * weight.get(k);
      }))
    return kCudnnBadParam;
  write(big, sums, alpha, beta);
  return kCudnnSuccess;
}
FAKE(cudnnConvolutionBackwardFilter,
     (CudnnHandle handle, const void* alpha, CudnnTensor xs, const void* x, CudnnTensor ys, const void* y, CudnnConv c, CudnnAlgo algo, void* memory,
      std::size_t given, const void* beta, CudnnFilter ws, void* w)) {
  SCRIPTED("cudnnConvolutionBackwardFilter");
  const InUse use(handle);
  std::size_t needed = 0;
  if (workspace(kFilter, algo, &needed)) return kCudnnBadParam;
  begin(handle, *c, given, needed, memory, {x, w, y});
  state.filter_algo = algo;
  const View big(xs, x), small(ys, y), weight(ws, w);
  std::vector<double> sums(static_cast<std::size_t>(weight.volume()));
  if (!for_products(big, small, weight, *c, [&](std::int64_t b, std::int64_t s, std::int64_t k) {
        sums[static_cast<std::size_t>(k)] += (b < 0 ? 0 : big.get(b)) * small.get(s);
      }))
    return kCudnnBadParam;
  write(weight, sums, alpha, beta);
  return kCudnnSuccess;
}
FAKE(cudnnConvolutionBackwardBias,
     (CudnnHandle handle, const void* alpha, CudnnTensor ys, const void* y, const void* beta, CudnnTensor bs, void* b)) {
  SCRIPTED("cudnnConvolutionBackwardBias");
  const InUse use(handle);
  const View from(ys, y), to(bs, b);
  if (to.volume() != ys->dims[1] || bs->dims[1] != ys->dims[1]) return kCudnnBadParam;
  std::vector<double> sums(static_cast<std::size_t>(to.volume()));
  for (int n = 0; n < ys->dims[0]; ++n)
    for (int c = 0; c < ys->dims[1]; ++c)
      for (std::int64_t p = 0; p < from.places; ++p) sums[static_cast<std::size_t>(c)] += from.get(from.at(n, c, p));
  write(to, sums, alpha, beta);
  return kCudnnSuccess;
}
FAKE(cudnnAddTensor, (CudnnHandle handle, const void* alpha, CudnnTensor bs, const void* b, const void* beta, CudnnTensor ys, void* y)) {
  SCRIPTED("cudnnAddTensor");
  const InUse use(handle);
  const View from(bs, b), to(ys, y);
  if (from.volume() != ys->dims[1] || bs->dims[1] != ys->dims[1]) return kCudnnBadParam;
  std::vector<double> sums(static_cast<std::size_t>(to.volume()));
  for (int n = 0; n < ys->dims[0]; ++n)
    for (int c = 0; c < ys->dims[1]; ++c)
      for (std::int64_t p = 0; p < to.places; ++p) sums[static_cast<std::size_t>(to.at(n, c, p))] = from.get(c);
  write(to, sums, alpha, beta);
  return kCudnnSuccess;
}

FAKE_EXPORT fake::Entry* fake_entry(const char* name) { return fake::find(entries, name); }
FAKE_EXPORT fake::Cudnn* fake_cudnn() { return &state; }
