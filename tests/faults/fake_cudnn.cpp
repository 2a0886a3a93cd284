// Stand-in for cuDNN with ordinary memory. It computes graphs of operations from their definition, in f64, as the descriptors say. It lists engines from
// a table; all of them compute the same way.
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

}  // namespace

// Every function that returns a status first asks the script whether it must fail.
#define FAKE(symbol, arguments) FAKE_EXPORT CudnnStatus symbol arguments
#define SCRIPTED(symbol) \
  if (const int scripted_code = scripted(symbol)) return scripted_code

FAKE_EXPORT std::size_t cudnnGetVersion() { return scripted("cudnnGetVersion") ? 0 : fake::told("FAKE_CUDNN_VERSION", state.version.load()); }
FAKE_EXPORT const char* cudnnGetErrorString(CudnnStatus) { return scripted("cudnnGetErrorString") ? nullptr : "CUDNN_STATUS_SCRIPTED"; }
FAKE_EXPORT void cudnnGetLastErrorString(char* text, std::size_t size) {
  std::snprintf(text, size, "%s", scripted("cudnnGetLastErrorString") ? "" : "as the test asked");
}
FAKE(cudnnCreate, (CudnnHandle * handle)) {
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
    case kCudnnIsDouble:
    case kCudnnIsDescriptor: return 8;
    case kCudnnIsBoolean: return 1;
    default: return 4;
  }
}

using Index = std::array<std::int64_t, 5>;  // of a tensor with four dimensions: followed by 1, or by the stride 0
Index dims_of(const Backend* tensor, CudnnAttribute name = kCudnnTensorDimensions) {
  const auto list = tensor->list<std::int64_t>(name);
  return {list.at(0), list.at(1), list.at(2), list.at(3), list.size() == 5 ? list[4] : name == kCudnnTensorDimensions};
}
std::int64_t volume(const Index& dims) { return dims[0] * dims[1] * dims[2] * dims[3] * dims[4]; }
Index index_of(const Index& dims, std::int64_t at) {
  Index index{};
  for (std::size_t k = 5; k-- > 0; at /= dims[k]) index[k] = at % dims[k];
  return index;
}
std::int64_t place(const Index& at, const Index& strides) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < 5; ++k) sum += at[k] * strides[k];
  return sum;
}
std::int64_t dense(const Index& at, const Index& dims) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < 5; ++k) sum = sum * dims[k] + at[k];
  return sum;
}

double get(CudnnType type, const void* data, std::int64_t i) {
  switch (type) {
    case kCudnnDouble: return static_cast<const double*>(data)[i];
    case kCudnnHalf: return adj::to_double(static_cast<const adj::f16*>(data)[i]);
    case kCudnnBfloat16: return adj::to_double(static_cast<const adj::bf16*>(data)[i]);
    default: return static_cast<const float*>(data)[i];
  }
}
void set(CudnnType type, void* data, std::int64_t i, double value) {
  switch (type) {
    case kCudnnDouble: static_cast<double*>(data)[i] = value; break;
    case kCudnnHalf: static_cast<adj::f16*>(data)[i] = adj::to_f16(value); break;
    case kCudnnBfloat16: static_cast<adj::bf16*>(data)[i] = adj::to_bf16(value); break;
    default: static_cast<float*>(data)[i] = static_cast<float>(value);
  }
}

// Engines. Those of a graph with a convolution have notes that a plan must avoid; a mode of the heuristics lists some of them.
struct Engine {
  std::uint32_t notes;  // bit n: the numerical note n
  std::int64_t workspace;
  std::vector<std::pair<int, std::int64_t>> knobs{};
};
constexpr std::uint32_t note(int n) { return std::uint32_t{1} << n; }
const Engine kEngines[] = {{note(kCudnnNondeterministic), 0},
                           {0, 4096, {{2, 1}, {3, 40}}},
                           {note(kCudnnWinograd) | note(kCudnnWinograd4), 0},
                           {note(kCudnnTensorCore) | note(kCudnnDownConverts), 0},
                           {note(kCudnnReducedReduction), 0},
                           {note(kCudnnTensorCore), 512, {{7, 0}}},
                           {note(kCudnnFft), 0},
                           {0, 65536, {{2, 5}}},
                           {0, 0}};
constexpr int kEngineCount = std::size(kEngines);

bool has_convolution(const Backend& graph) {
  for (const CudnnBackend one : graph.list<CudnnBackend>(kCudnnGraphOperations)) {
    const CudnnBackendKind kind = static_cast<const Backend*>(one)->kind;
    if (kind == kCudnnConvolutionForward || kind == kCudnnConvolutionData || kind == kCudnnConvolutionFilter) return true;
  }
  return false;
}
std::vector<int> listed(const Backend& graph, int mode) {
  if (has_convolution(graph) && state.no_fusion && graph.list<CudnnBackend>(kCudnnGraphOperations).size() > 1) return {};
  std::vector<int> engines;
  if (mode == kCudnnHeuristicA) engines = has_convolution(graph) ? std::vector<int>{2, 3, 4, 6, 0, 5, 1} : std::vector<int>{0, 1};
  else engines = mode == kCudnnHeuristicB && has_convolution(graph) ? std::vector<int>{1, 7} : std::vector<int>{8};
  std::erase_if(engines, [](int engine) { return !(state.listed & 1u << engine); });
  return engines;
}

// Computes a graph in the order of its operations. Tensors that no argument holds live here.
class Computation {
 public:
  explicit Computation(const Backend& pack) {
    const auto ids = pack.list<std::int64_t>(kCudnnPackIds);
    const auto pointers = pack.list<void*>(kCudnnPackPointers);
    if (ids.size() != pointers.size() || std::set<std::int64_t>(ids.begin(), ids.end()).size() != ids.size())
      complain("ids and pointers do not belong together");
    for (std::size_t i = 0; i < std::min(ids.size(), pointers.size()); ++i) memory_[ids[i]] = pointers[i];
  }
  void run(const Backend& graph) {
    for (const CudnnBackend one : graph.list<CudnnBackend>(kCudnnGraphOperations)) {
      const auto& op = *static_cast<const Backend*>(one);
      if (op.kind == kCudnnMatmulOperation) matmul(op.at(kCudnnMatmulA), op.at(kCudnnMatmulB), op.at(kCudnnMatmulC));
      else if (op.kind == kCudnnPointwiseOperation) pointwise(op);
      else if (op.kind == kCudnnReductionOperation) reduce(op);
      else if (op.kind == kCudnnConvolutionForward)
        convolve(op, {kCudnnForwardAlpha, kCudnnForwardBeta, kCudnnForwardDescriptor, kCudnnForwardX, kCudnnForwardW, kCudnnForwardY}, 2);
      else if (op.kind == kCudnnConvolutionData)
        convolve(op, {kCudnnDataAlpha, kCudnnDataBeta, kCudnnDataDescriptor, kCudnnDataX, kCudnnDataW, kCudnnDataY}, 0);
      else if (op.kind == kCudnnConvolutionFilter)
        convolve(op, {kCudnnFilterAlpha, kCudnnFilterBeta, kCudnnFilterDescriptor, kCudnnFilterX, kCudnnFilterW, kCudnnFilterY}, 1);
      else if (op.kind == kCudnnReshapeOperation) reshape(op.at(kCudnnReshapeX), op.at(kCudnnReshapeY));
      else complain("an operation of an unknown kind");
    }
  }

 private:
  using Values = std::vector<double>;  // by dense index

  void* address(const Backend* t) {
    const auto found = memory_.find(t->get<std::int64_t>(kCudnnTensorId));
    void* const data = found == memory_.end() ? nullptr : found->second;
    if (!data) complain("a tensor has no address");
    if (!t->get<char>(kCudnnTensorByValue) && reinterpret_cast<std::uintptr_t>(data) % 16) complain("a tensor is not at a multiple of 16 bytes");
    return data;
  }
  Values read(const Backend* t) {
    if (t->get<char>(kCudnnTensorVirtual) || values_.contains(t)) {
      if (!values_.contains(t)) complain("an operation reads what none has written");
      return values_[t];
    }
    const Index dims = dims_of(t), strides = dims_of(t, kCudnnTensorStrides);
    Values values(static_cast<std::size_t>(volume(dims)));
    const void* const data = address(t);
    const CudnnType type = t->get<CudnnType>(kCudnnTensorType);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = get(type, data, place(index_of(dims, static_cast<std::int64_t>(i)), strides));
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
      void* const data = address(t);
      for (std::size_t i = 0; i < values.size(); ++i) set(type, data, place(index_of(dims, static_cast<std::int64_t>(i)), strides), values[i]);
    }
    values_[t] = std::move(values);
  }
  // Names of an operation's attributes: alpha, beta, the convolution, x, w, y. result: which of x, w and y is computed.
  struct Names {
    CudnnAttribute alpha, beta, how, x, w, y;
  };
  void convolve(const Backend& op, const Names& names, int result) {
    const Backend *x = op.at(names.x), *w = op.at(names.w), *y = op.at(names.y), *how = op.at(names.how), *const all[] = {x, w, y}, *const to = all[result];
    if (!x || !w || !y || !how) return complain("a convolution without an operand");
    const auto spatial = static_cast<std::size_t>(how->get<std::int64_t>(kCudnnConvolutionSpatial));
    const auto before = how->list<std::int64_t>(kCudnnConvolutionPadsBefore), after = how->list<std::int64_t>(kCudnnConvolutionPadsAfter),
               stride = how->list<std::int64_t>(kCudnnConvolutionStrides), dilation = how->list<std::int64_t>(kCudnnConvolutionDilations);
    const CudnnType precision = how->get<CudnnType>(kCudnnConvolutionPrecision, -1);
    const CudnnType element = all[result == 0]->get<CudnnType>(kCudnnTensorType);  // of an operand
    const bool wide = precision == kCudnnDouble;
    const Index xd = dims_of(x), wd = dims_of(w), yd = dims_of(y);
    const std::int64_t groups = xd[1] / wd[1], per_group = yd[1] / groups;
    bool fits = how->get<int>(kCudnnConvolutionMode, -1) == kCudnnCrossCorrelation && before == after && (spatial == 2 || spatial == 3) && xd[0] == yd[0] &&
                wd[0] == yd[1] && xd[1] % wd[1] == 0 && yd[1] % groups == 0 && wide == (element == kCudnnDouble) && (wide || precision == kCudnnFloat);
    for (const Backend* t : all)
      fits &= t->list<std::int64_t>(kCudnnTensorDimensions).size() == spatial + 2 && (t == to || t->get<CudnnType>(kCudnnTensorType) == element);
    for (std::size_t i = 0; i < spatial && fits; ++i)
      fits = yd[2 + i] == (xd[2 + i] + before[i] + after[i] - dilation[i] * (wd[2 + i] - 1) - 1) / stride[i] + 1;
    const auto factor = [&](CudnnAttribute name) { return wide ? op.get<double>(name, -1) : op.get<float>(name, -1); };
    const double alpha = factor(names.alpha), beta = factor(names.beta);
    if (!fits || alpha != 1 || (beta != 0 && beta != 1)) return complain("a convolution whose descriptors contradict each other");
    const Values xs = to == x ? Values() : read(x), ws = to == w ? Values() : read(w), ys = to == y ? Values() : read(y);
    Values sums = beta == 1 ? read(to) : Values(static_cast<std::size_t>(volume(dims_of(to))));
    for (std::int64_t o = 0; o < volume(yd); ++o) {
      const Index at_y = index_of(yd, o);
      for (std::int64_t k = 0; k < volume(wd) / wd[0]; ++k) {
        Index at_w = index_of({1, wd[1], wd[2], wd[3], wd[4]}, k), at_x{at_y[0], at_y[1] / per_group * wd[1] + at_w[1], 0, 0, 0};
        at_w[0] = at_y[1];
        bool inside = true;
        for (std::size_t i = 0; i < spatial; ++i) {
          at_x[2 + i] = at_y[2 + i] * stride[i] + at_w[2 + i] * dilation[i] - before[i];
          inside &= at_x[2 + i] >= 0 && at_x[2 + i] < xd[2 + i];
        }
        if (!inside) continue;
        const auto ix = static_cast<std::size_t>(dense(at_x, xd)), iw = static_cast<std::size_t>(dense(at_w, wd)), iy = static_cast<std::size_t>(o);
        if (to == x) sums[ix] += ws[iw] * ys[iy];
        if (to == w) sums[iw] += xs[ix] * ys[iy];
        if (to == y) sums[iy] += xs[ix] * ws[iw];
      }
    }
    write(to, std::move(sums));
  }
  void matmul(const Backend* a, const Backend* b, const Backend* c) {
    const Index x = dims_of(a), y = dims_of(b), z = dims_of(c);
    if (x[3] != y[2] || z[2] != x[2] || z[3] != y[3] || z[1] != x[1] || x[1] % y[1] != 0 || x[0] != y[0] || z[0] != x[0])
      return complain("a product of tensors that do not fit");
    const Values left = read(a), right = read(b);
    Values to(static_cast<std::size_t>(volume(z)));
    for (std::size_t i = 0; i < to.size(); ++i) {
      const Index at = index_of(z, static_cast<std::int64_t>(i));
      for (std::int64_t k = 0; k < x[3]; ++k)
        to[i] += left[static_cast<std::size_t>(dense({at[0], at[1], at[2], k, 0}, x))] *
                 right[static_cast<std::size_t>(dense({at[0], at[1] / (x[1] / y[1]), k, at[3], 0}, y))];
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
        for (std::size_t k = 0; k < 5; ++k) at[k] = from[k] == 1 ? 0 : at[k];
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
      for (std::size_t k = 0; k < 5; ++k) {
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
};

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
      if (const auto* of = static_cast<Backend* const*>(values)[i]; !of || (!of->final && of->kind != kCudnnEngineConfig))
        complain("a descriptor is used before it is complete");
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
  if (backend.kind == kCudnnEngine) {
    backend.config = static_cast<int>(backend.get<std::int64_t>(kCudnnEngineIndex, -1));
    if (backend.config < 0 || backend.config >= kEngineCount || !backend.at(kCudnnEngineGraph)) return kCudnnBadParam;
  }
  if (backend.kind == kCudnnEngineConfig) {
    const Backend& engine = *backend.at(kCudnnConfigEngine);
    backend.config = engine.config;
    backend.attributes[kCudnnHeuristicGraph] = engine.attributes.at(kCudnnEngineGraph);
    std::vector<std::pair<int, std::int64_t>> knobs;
    for (const CudnnBackend one : backend.list<CudnnBackend>(kCudnnConfigKnobs))
      knobs.emplace_back(static_cast<Backend*>(one)->get<int>(kCudnnKnobType), static_cast<Backend*>(one)->get<std::int64_t>(kCudnnKnobValue));
    if (knobs != kEngines[backend.config].knobs) return kCudnnNotSupported;
  }
  if (backend.kind == kCudnnExecutionPlan && !backend.attributes.contains(kCudnnPlanHandle)) complain("a plan has no handle");
  if (backend.kind == kCudnnExecutionPlan) backend.config = backend.at(kCudnnPlanConfig)->config;
  backend.final = true;
  return kCudnnSuccess;
}
FAKE(cudnnBackendGetAttribute, (CudnnBackend one, CudnnAttribute name, CudnnAttributeType, std::int64_t room, std::int64_t* count, void* values)) {
  SCRIPTED("cudnnBackendGetAttribute");
  auto& backend = *static_cast<Backend*>(one);
  const auto give = [&]<class T>(T value) {
    *count = 1;
    if (room > 0) *static_cast<T*>(values) = value;
    return kCudnnSuccess;
  };
  switch (name) {
    case kCudnnHeuristicResults: {
      const std::vector<int> engines = listed(*backend.at(kCudnnHeuristicGraph), backend.get<int>(kCudnnHeuristicMode, -1));
      const auto there = static_cast<std::int64_t>(engines.size());
      *count = room == 0 ? there : std::min(room, there);
      for (std::int64_t i = 0; i < std::min(room, there); ++i) {
        Backend& config = *static_cast<Backend**>(values)[i];
        config.config = engines[static_cast<std::size_t>(i)];
        config.attributes[kCudnnHeuristicGraph] = backend.attributes[kCudnnHeuristicGraph];
      }
      return kCudnnSuccess;
    }
    case kCudnnConfigEngine:
      *count = 1;
      if (room > 0) (*static_cast<Backend**>(values))->config = backend.config;
      return kCudnnSuccess;
    case kCudnnConfigKnobs: {
      const auto& knobs = kEngines[backend.config].knobs;
      const auto there = static_cast<std::int64_t>(knobs.size());
      *count = room == 0 ? there : std::min(room, there);
      for (std::int64_t i = 0; i < std::min(room, there); ++i) {
        Backend& knob = *static_cast<Backend**>(values)[i];
        const auto& [type, value] = knobs[static_cast<std::size_t>(i)];
        const auto bytes_of = [](const auto& number) {
          const char* const bytes = reinterpret_cast<const char*>(&number);
          return std::vector<char>(bytes, bytes + sizeof number);
        };
        knob.attributes[kCudnnKnobType] = bytes_of(type);
        knob.attributes[kCudnnKnobValue] = bytes_of(value);
      }
      return kCudnnSuccess;
    }
    case kCudnnKnobType: return give(backend.get<int>(name));
    case kCudnnKnobValue: return give(backend.get<std::int64_t>(name));
    case kCudnnEngineIndex: return give(std::int64_t{backend.config});
    case kCudnnEngineNumericalNote:
      *count = 0;
      for (int n = 0; n < 32 && *count < room; ++n)
        if (kEngines[backend.config].notes & note(n)) static_cast<int*>(values)[(*count)++] = n;
      return kCudnnSuccess;
    case kCudnnPlanWorkspace: return give(kEngines[backend.config].workspace);
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
  state.engines |= 1u << p.config;
  ++state.executions;
  if (fake::Clock* const clock = state.clock) *clock += state.engine_ns[p.config];
  if (state.computes) Computation(arguments).run(*p.at(kCudnnPlanConfig)->at(kCudnnHeuristicGraph));
  return kCudnnSuccess;
}

FAKE_EXPORT fake::Entry* fake_entry(const char* name) { return fake::find(entries, name); }
FAKE_EXPORT fake::Cudnn* fake_cudnn() { return &state; }
