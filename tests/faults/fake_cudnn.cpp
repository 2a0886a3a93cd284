// Stand-in for cuDNN with ordinary memory. It computes convolutions, and graphs of operations, from their definition, in f64, as the descriptors
// say. It lists algorithms and engines from a table; all of them compute the same way.
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
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

// ---- the graph interface

namespace {

struct Backend {
  CudnnBackendKind kind;
  bool final = false;
  std::map<CudnnAttribute, std::vector<char>> attributes{};
  int config = -1;  // of an engine's choice, and of its engine

  template <class T> std::vector<T> list(CudnnAttribute name) const {
    std::vector<T> values;
    if (const auto found = attributes.find(name); found != attributes.end()) {
      values.resize(found->second.size() / sizeof(T));
      std::memcpy(values.data(), found->second.data(), values.size() * sizeof(T));
    }
    return values;
  }
  template <class T> T get(CudnnAttribute name, T none = {}) const {
    const auto values = list<T>(name);
    return values.empty() ? none : values[0];
  }
  bool has(CudnnAttribute name) const { return attributes.contains(name); }
  const Backend* at(CudnnAttribute name) const { return static_cast<const Backend*>(get<CudnnBackend>(name)); }
};

std::size_t size_of_type(CudnnAttributeType type) {
  switch (type) {
    case kCudnnIsHandle:
    case kCudnnIsInt64:
    case kCudnnIsPointer:
    case kCudnnIsDescriptor: return 8;
    case kCudnnIsBoolean: return 1;
    default: return 4;
  }
}

using Index = std::array<std::int64_t, 4>;
Index dims_of(const Backend* tensor, CudnnAttribute name = kCudnnTensorDimensions) {
  const auto list = tensor->list<std::int64_t>(name);
  return {list.at(0), list.at(1), list.at(2), list.at(3)};
}
std::int64_t volume(const Index& dims) { return dims[0] * dims[1] * dims[2] * dims[3]; }
Index index_of(const Index& dims, std::int64_t at) {
  return {at / (dims[1] * dims[2] * dims[3]), at / (dims[2] * dims[3]) % dims[1], at / dims[3] % dims[2], at % dims[3]};
}
std::int64_t place(const Index& at, const Index& strides) { return at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2] + at[3] * strides[3]; }
std::int64_t dense(const Index& at, const Index& dims) { return ((at[0] * dims[1] + at[1]) * dims[2] + at[2]) * dims[3] + at[3]; }

// Computes a graph in the order of its operations. Tensors that no argument holds live here.
class Computation {
 public:
  explicit Computation(const Backend& pack) {
    const auto ids = pack.list<std::int64_t>(kCudnnPackIds);
    const auto pointers = pack.list<void*>(kCudnnPackPointers);
    if (ids.size() != pointers.size() || std::set<std::int64_t>(ids.begin(), ids.end()).size() != ids.size()) complain("ids and pointers do not belong together");
    for (std::size_t i = 0; i < std::min(ids.size(), pointers.size()); ++i) memory_[ids[i]] = pointers[i];
  }
  void run(const Backend& graph) {
    for (const CudnnBackend one : graph.list<CudnnBackend>(kCudnnGraphOperations)) {
      const auto& op = *static_cast<const Backend*>(one);
      if (op.kind == kCudnnMatmulOperation) matmul(op.at(kCudnnMatmulA), op.at(kCudnnMatmulB), op.at(kCudnnMatmulC));
      else if (op.kind == kCudnnPointwiseOperation) pointwise(op);
      else if (op.kind == kCudnnReductionOperation) reduce(op);
      else if (op.kind == kCudnnReshapeOperation) reshape(op.at(kCudnnReshapeX), op.at(kCudnnReshapeY));
      else complain("an operation of an unknown kind");
    }
  }

 private:
  using Values = std::vector<double>;  // by dense index

  View view(const Backend* t) {
    const auto found = memory_.find(t->get<std::int64_t>(kCudnnTensorId));
    void* const data = found == memory_.end() ? nullptr : found->second;
    if (!data) complain("a tensor has no address");
    if (!t->get<char>(kCudnnTensorByValue) && reinterpret_cast<std::uintptr_t>(data) % 16) complain("a tensor is not at a multiple of 16 bytes");
    shape_.format = kCudnnChannelsFirst;
    shape_.type = t->get<CudnnType>(kCudnnTensorType);
    shape_.dims = {1, 1};
    return View(&shape_, data);
  }
  Values read(const Backend* t) {
    if (t->get<char>(kCudnnTensorVirtual) || values_.contains(t)) {
      if (!values_.contains(t)) complain("an operation reads what none has written");
      return values_[t];
    }
    const Index dims = dims_of(t), strides = dims_of(t, kCudnnTensorStrides);
    Values values(static_cast<std::size_t>(volume(dims)));
    const View v = view(t);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = v.get(place(index_of(dims, static_cast<std::int64_t>(i)), strides));
    return values;
  }
  void write(const Backend* t, Values values) {
    const CudnnType type = t->get<CudnnType>(kCudnnTensorType);
    for (double& x : values) {
      if (type == kCudnnHalf) x = adj::to_double(adj::to_f16(x));
      if (type == kCudnnBfloat16) x = adj::to_double(adj::to_bf16(x));
    }
    if (!t->get<char>(kCudnnTensorVirtual)) {
      const Index dims = dims_of(t), strides = dims_of(t, kCudnnTensorStrides);
      const View v = view(t);
      for (std::size_t i = 0; i < values.size(); ++i) v.set(place(index_of(dims, static_cast<std::int64_t>(i)), strides), values[i]);
    }
    values_[t] = std::move(values);
  }
  void matmul(const Backend* a, const Backend* b, const Backend* c) {
    const Index x = dims_of(a), y = dims_of(b), z = dims_of(c);
    if (x[3] != y[2] || z[2] != x[2] || z[3] != y[3] || z[1] != x[1] || x[1] % y[1] != 0 || x[0] != y[0] || z[0] != x[0]) return complain("a product of tensors that do not fit");
    const Values left = read(a), right = read(b);
    Values to(static_cast<std::size_t>(volume(z)));
    for (std::size_t i = 0; i < to.size(); ++i) {
      const Index at = index_of(z, static_cast<std::int64_t>(i));
      for (std::int64_t k = 0; k < x[3]; ++k)
        to[i] += left[static_cast<std::size_t>(dense({at[0], at[1], at[2], k}, x))] * right[static_cast<std::size_t>(dense({at[0], at[1] / (x[1] / y[1]), k, at[3]}, y))];
    }
    write(c, std::move(to));
  }
  void pointwise(const Backend& op) {
    const Backend &kind = *op.at(kCudnnPointwiseDescriptor), *x = op.at(kCudnnPointwiseX), *b = op.at(kCudnnPointwiseB), *t = op.at(kCudnnPointwiseT),
                  *y = op.at(kCudnnPointwiseY);
    const int mode = kind.get<CudnnPointwise>(kCudnnPointwiseMode, -1);
    const bool two = mode == kCudnnAdd || mode == kCudnnMul || mode == kCudnnDiv || mode == kCudnnSub || mode == kCudnnGreater || mode == kCudnnGreaterEqual ||
                     mode == kCudnnSelect;
    if (!x || !y || two != (b != nullptr) || (mode == kCudnnSelect) != (t != nullptr)) return complain("a pointwise operation with other operands");
    const Index dims = dims_of(y);
    const std::int64_t axis = kind.get<std::int64_t>(kCudnnPointwiseAxis, -1);
    const auto operand = [&](const Backend* of) {
      Values own = mode == kCudnnIndex ? Values() : read(of), all(static_cast<std::size_t>(volume(dims)));
      const Index from = dims_of(of);
      for (std::size_t i = 0; i < all.size(); ++i) {
        Index at = index_of(dims, static_cast<std::int64_t>(i));
        if (mode == kCudnnIndex) {
          all[i] = static_cast<double>(at.at(static_cast<std::size_t>(axis)));
          continue;
        }
        for (std::size_t k = 0; k < 4; ++k) at[k] = from[k] == 1 ? 0 : at[k];
        all[i] = own[static_cast<std::size_t>(dense(at, from))];
      }
      return all;
    };
    Values to = operand(x);
    const Values second = b ? operand(b) : Values(), third = t ? operand(t) : Values();
    for (std::size_t i = 0; i < to.size(); ++i) switch (mode) {
        case kCudnnAdd: to[i] += second[i]; break;
        case kCudnnMul: to[i] *= second[i]; break;
        case kCudnnDiv: to[i] /= second[i]; break;
        case kCudnnSub: to[i] -= second[i]; break;
        case kCudnnExp: to[i] = std::exp(to[i]); break;
        case kCudnnLog: to[i] = std::log(to[i]); break;
        case kCudnnGreater: to[i] = to[i] > second[i]; break;
        case kCudnnGreaterEqual: to[i] = to[i] >= second[i]; break;
        case kCudnnSelect: to[i] = third[i] != 0 ? to[i] : second[i]; break;
        case kCudnnIndex:
        case kCudnnIdentity: break;
        default: return complain("a pointwise operation of an unknown kind");
      }
    write(y, std::move(to));
  }
  void reduce(const Backend& op) {
    const Backend *x = op.at(kCudnnReductionX), *y = op.at(kCudnnReductionY);
    const int kind = op.at(kCudnnReductionDescriptor)->get<CudnnReduction>(kCudnnReductionOperator, -1);
    const Index from = dims_of(x), dims = dims_of(y);
    const Values values = read(x);
    Values to(static_cast<std::size_t>(volume(dims)), kind == kCudnnReduceMax ? -INFINITY : 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      Index at = index_of(from, static_cast<std::int64_t>(i));
      for (std::size_t k = 0; k < 4; ++k) {
        if (from[k] % dims[k] != 0) return complain("a reduction to a shape that does not fit");
        at[k] /= from[k] / dims[k];  // neighbours are reduced
      }
      double& sum = to[static_cast<std::size_t>(dense(at, dims))];
      sum = kind == kCudnnReduceMax ? std::max(sum, values[i]) : sum + values[i];
    }
    write(y, std::move(to));
  }
  // The same places in memory, under other dimensions and strides.
  void reshape(const Backend* x, const Backend* y) {
    const Index from = dims_of(x), own = dims_of(x, kCudnnTensorStrides), dims = dims_of(y), strides = dims_of(y, kCudnnTensorStrides);
    const Values values = read(x);
    std::map<std::int64_t, double> by_place;
    for (std::size_t i = 0; i < values.size(); ++i) by_place[place(index_of(from, static_cast<std::int64_t>(i)), own)] = values[i];
    Values to(static_cast<std::size_t>(volume(dims)));
    for (std::size_t i = 0; i < to.size(); ++i) {
      const auto found = by_place.find(place(index_of(dims, static_cast<std::int64_t>(i)), strides));
      if (found == by_place.end()) return complain("a reshape to places that its operand lacks");
      to[i] = found->second;
    }
    write(y, std::move(to));
  }

  std::map<std::int64_t, void*> memory_;
  std::map<const Backend*, Values> values_;
  CudnnTensorOpaque shape_;
};

// Engines of every graph. Only the first one may add in any order.
struct Engine {
  bool deterministic;
  std::int64_t workspace;
};
constexpr Engine kEngines[] = {{false, 0}, {true, 4096}};
constexpr std::int64_t kEngineCount = std::size(kEngines);

}  // namespace

FAKE(cudnnBackendCreateDescriptor, (CudnnBackendKind kind, CudnnBackend* made)) {
  SCRIPTED("cudnnBackendCreateDescriptor");
  *made = new Backend{kind};
  ++state.descriptors;
  return kCudnnSuccess;
}
FAKE(cudnnBackendDestroyDescriptor, (CudnnBackend one)) {
  const int code = scripted("cudnnBackendDestroyDescriptor");
  delete static_cast<Backend*>(one);
  --state.descriptors;
  return code;
}
FAKE(cudnnBackendSetAttribute, (CudnnBackend one, CudnnAttribute name, CudnnAttributeType type, std::int64_t count, const void* values)) {
  SCRIPTED("cudnnBackendSetAttribute");
  auto& backend = *static_cast<Backend*>(one);
  if (backend.final || backend.attributes.contains(name)) complain("an attribute is set twice, or too late");
  if (type == kCudnnIsDescriptor)
    for (std::int64_t i = 0; i < count; ++i)
      if (const auto* of = static_cast<Backend* const*>(values)[i]; !of || (!of->final && of->kind != kCudnnEngineConfig)) complain("a descriptor is used before it is complete");
  const char* const bytes = static_cast<const char*>(values);
  backend.attributes[name].assign(bytes, bytes + static_cast<std::size_t>(count) * size_of_type(type));
  return kCudnnSuccess;
}
FAKE(cudnnBackendFinalize, (CudnnBackend one)) {
  SCRIPTED("cudnnBackendFinalize");
  auto& backend = *static_cast<Backend*>(one);
  if (backend.kind == kCudnnGraphTensor)
    for (const std::int64_t n : dims_of(&backend))
      if (n <= 0) return kCudnnBadParam;
  if (backend.kind == kCudnnExecutionPlan) backend.config = backend.at(kCudnnPlanConfig)->config;
  backend.final = true;
  return kCudnnSuccess;
}
FAKE(cudnnBackendGetAttribute, (CudnnBackend one, CudnnAttribute name, CudnnAttributeType, std::int64_t room, std::int64_t* count, void* values)) {
  SCRIPTED("cudnnBackendGetAttribute");
  auto& backend = *static_cast<Backend*>(one);
  switch (name) {
    case kCudnnHeuristicResults:
      *count = room == 0 ? kEngineCount : std::min(room, kEngineCount);
      for (std::int64_t i = 0; i < std::min(room, kEngineCount); ++i) {
        Backend& config = *static_cast<Backend**>(values)[i];
        config.config = static_cast<int>(i);
        config.attributes[kCudnnHeuristicGraph] = backend.attributes[kCudnnHeuristicGraph];
      }
      return kCudnnSuccess;
    case kCudnnConfigEngine:
      *count = 1;
      (*static_cast<Backend**>(values))->config = backend.config;
      return kCudnnSuccess;
    case kCudnnEngineNumericalNote:
      *count = kEngines[backend.config].deterministic ? 0 : 1;
      if (*count) *static_cast<int*>(values) = kCudnnNondeterministic;
      return kCudnnSuccess;
    case kCudnnPlanWorkspace:
      *count = 1;
      *static_cast<std::int64_t*>(values) = kEngines[backend.config].workspace;
      return kCudnnSuccess;
    default: return kCudnnBadParam;
  }
}
FAKE(cudnnBackendExecute, (CudnnHandle handle, CudnnBackend plan, CudnnBackend pack)) {
  SCRIPTED("cudnnBackendExecute");
  const InUse use(handle);
  const auto &p = *static_cast<Backend*>(plan), &arguments = *static_cast<Backend*>(pack);
  if (!p.final || !arguments.final) complain("a plan runs before it is complete");
  if (kEngines[p.config].workspace && !arguments.get<void*>(kCudnnPackWorkspace)) complain("the workspace is missing");
  state.stream = handle->stream;
  state.engine = p.config;
  if (state.computes) Computation(arguments).run(*p.at(kCudnnPlanConfig)->at(kCudnnHeuristicGraph));
  return kCudnnSuccess;
}

FAKE_EXPORT fake::Entry* fake_entry(const char* name) { return fake::find(entries, name); }
FAKE_EXPORT fake::Cudnn* fake_cudnn() { return &state; }
