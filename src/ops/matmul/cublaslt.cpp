// Products by cuBLASLt. It knows column-major matrices, as which ours are their own transposes: D^T = op(B)^T op(A)^T, so its first operand is B.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <optional>

#include "driver/cublaslt.hpp"
#include "ops/matmul/plan.hpp"

namespace adj::matmul {

using namespace matmul_tables;

namespace {

using Api = cu::BlasApi;
constexpr std::uint32_t kAddressAlignment = 16;                 // bytes
constexpr std::uint64_t kMostWorkspace = std::uint64_t{64} << 20;  // bytes; the heuristics' own choices stay below it
constexpr int kMostAlgorithms = 16;
constexpr const char* kPart = "product";  // of the choices of a plan

cu::BlasType type_of(adj_dtype element) {
  switch (element) {
    case ADJ_F64: return cu::kBlasDouble;
    case ADJ_F16: return cu::kBlasHalf;
    case ADJ_BF16: return cu::kBlasBfloat16;
    default: return cu::kBlasFloat;
  }
}

// Error of a call while a plan is made. Statuses that follow from the problem or the version of the library reject the candidate; all others end
// the selection.
Result<void> check(const Api& api, cu::BlasStatus status, const char* call) {
  if (!status) return {};
  Error error = cublaslt_error(api, status, call);
  if (status == cu::kBlasInvalidValue || status == cu::kBlasArchMismatch || status == cu::kBlasNotSupported) error.code = ADJ_ERROR_UNSUPPORTED;
  return error;
}

// Object of cuBLASLt, destroyed with its owner.
template <class Handle, cu::BlasStatus (*Api::*destroy)(Handle)>
class Object {
 public:
  explicit Object(const Api& api) : api_(api) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() { give(nullptr); }
  Handle get() const { return handle_.load(std::memory_order_acquire); }
  Handle take() { return handle_.exchange(nullptr, std::memory_order_acquire); }
  // Puts an object in the place of the one that is here, which is destroyed.
  void give(Handle handle) {
    if (Handle old = handle_.exchange(handle, std::memory_order_acq_rel)) (api_.*destroy)(old);
  }

 private:
  const Api& api_;
  std::atomic<Handle> handle_{nullptr};
};
using Layout = Object<cu::BlasLayout, &Api::layout_destroy>;
using Product = Object<cu::BlasProduct, &Api::product_destroy>;
using Preference = Object<cu::BlasPreference, &Api::preference_destroy>;

// State that a plan owns.
struct State {
  explicit State(BlasDevice& owner) : device(owner), a(owner.api()), b(owner.api()), out(owner.api()), product(owner.api()) {}

  BlasDevice& device;
  Layout a, b, out;
  Product product;  // has addresses of a call, so a call takes it, and makes another one where it finds none
  cu::BlasCompute compute = 0;
  bool wide = false;  // factors are f64
  adj_dtype element = ADJ_DTYPE_NONE;  // of the operands
  std::int64_t depth = 0;              // terms of a sum
  std::uint32_t epilogue = cu::kBlasEpilogueNone;
  std::int32_t transpose_a = 0, transpose_b = 0;
  std::int64_t out_ld = 0, out_stride = 0;
  double alpha = 1, beta = 0;
  int c = kD, bias = -1, aux = -1;    // arguments; -1: none. bias is kDbias where the call computes dbias
  bool to_vector = false;             // dbias goes to `vector` of the workspace, to be added to what the argument holds
  bool to_workspace = false;          // the product goes to `sums` of the workspace, not to d
  std::uint64_t sums = 0, vector = 0, scratch = 0, scratch_bytes = 0;
  cu::BlasAlgo algo{};

  bool has_addresses() const { return bias >= 0 || aux >= 0; }
};

template <class T>
Result<void> set(const Api& api, cu::BlasProduct product, cu::BlasAttribute attribute, const T& value) {
  return check(api, api.product_set(product, attribute, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
}

Result<void> make_product(const State& s, cu::BlasProduct& product) {
  const Api& api = s.device.api();
  ADJ_TRY(check(api, api.product_create(&product, s.compute, s.wide ? cu::kBlasDouble : cu::kBlasFloat), "cublasLtMatmulDescCreate"));
  ADJ_TRY(set(api, product, cu::kBlasTransposeA, s.transpose_b));
  ADJ_TRY(set(api, product, cu::kBlasTransposeB, s.transpose_a));
  ADJ_TRY(set(api, product, cu::kBlasEpilogue, s.epilogue));
  if (s.aux < 0) return {};
  ADJ_TRY(set(api, product, cu::kBlasAuxLd, s.out_ld));
  return set(api, product, cu::kBlasAuxStride, s.out_stride);
}

// Gives the state a product; one that cannot be completed is destroyed.
Result<void> add_product(State& s) {
  cu::BlasProduct product = nullptr;
  auto made = make_product(s, product);
  if (product) s.product.give(product);
  return made;
}

Result<void> describe(const Api& api, Layout& layout, adj_dtype type, const host::MatrixBatch& stored, std::int64_t batch) {
  cu::BlasLayout made = nullptr;
  ADJ_TRY(check(api, api.layout_create(&made, type_of(type), static_cast<std::uint64_t>(stored.columns), static_cast<std::uint64_t>(stored.rows), stored.ld),
                "cublasLtMatrixLayoutCreate"));
  layout.give(made);
  const auto count = static_cast<std::int32_t>(batch);
  ADJ_TRY(check(api, api.layout_set(made, cu::kBlasBatchCount, &count, sizeof count), "cublasLtMatrixLayoutSetAttribute"));
  return check(api, api.layout_set(made, cu::kBlasBatchStride, &stored.stride, sizeof stored.stride), "cublasLtMatrixLayoutSetAttribute");
}

// Gives the product addresses of the alignment that calls have: those of a call are not known yet, and cuBLASLt looks at their alignment only.
Result<void> state_addresses(const State& s) {
  const std::uint64_t address = kAddressAlignment;
  if (s.bias >= 0) ADJ_TRY(set(s.device.api(), s.product.get(), cu::kBlasBiasPointer, address));
  if (s.aux >= 0) ADJ_TRY(set(s.device.api(), s.product.get(), cu::kBlasAuxPointer, address));
  return {};
}

// Why this library does not take an algorithm for the state's product; null: it does.
Result<const char*> distrust_of(const State& s, const cu::BlasAlgo& algo) {
  const auto config = config_of(s.device.api(), algo);
  if (!config) return config.error();
  return adj::distrust_of(*config, s.element, s.depth, s.epilogue);
}

// The algorithms of the heuristics that fit into `limit` bytes of workspace and are trusted, at least one. Partial sums are never kept in the type of a
// 16-bit result.
Result<std::vector<cu::BlasHeuristic>> list_algorithms(const State& s, cu::BlasHandle handle, std::uint64_t limit) {
  const Api& api = s.device.api();
  cu::BlasPreference made = nullptr;
  ADJ_TRY(check(api, api.preference_create(&made), "cublasLtMatmulPreferenceCreate"));
  Preference preference(api);
  preference.give(made);
  auto prefer = [&](cu::BlasAttribute attribute, const auto& value) {
    return check(api, api.preference_set(made, attribute, &value, sizeof value), "cublasLtMatmulPreferenceSetAttribute");
  };
  ADJ_TRY(prefer(cu::kBlasMostWorkspace, std::min(limit, kMostWorkspace)));
  ADJ_TRY(prefer(cu::kBlasReductions, cu::kBlasReduceInCompute));
  for (int matrix = 0; matrix < 4; ++matrix) ADJ_TRY(prefer(cu::kBlasLeastAlignment + matrix, kAddressAlignment));
  ADJ_TRY(state_addresses(s));
  std::vector<cu::BlasHeuristic> found(kMostAlgorithms);
  int count = 0;
  ADJ_TRY(check(api, api.heuristic(handle, s.product.get(), s.b.get(), s.a.get(), s.out.get(), s.out.get(), made, kMostAlgorithms, found.data(), &count),
                "cublasLtMatmulAlgoGetHeuristic"));
  found.resize(static_cast<std::size_t>(std::clamp(count, 0, kMostAlgorithms)));
  std::erase_if(found, [&](const cu::BlasHeuristic& h) { return h.state || h.workspace > limit; });
  const std::size_t within = found.size();
  for (auto h = found.begin(); h != found.end();) {
    const auto reason = distrust_of(s, h->algo);
    if (!reason) return reason.error();
    h = *reason ? found.erase(h) : h + 1;
  }
  if (found.empty())
    return fail(ADJ_ERROR_UNSUPPORTED, "cuBLASLt has no algorithm for this problem within {} bytes of workspace{}", limit,
                within ? fmt::format(", apart from {} that are known to be wrong for it", within) : "");
  return found;
}

// An algorithm in a verdict: the structure's bytes, which the same version of cuBLASLt takes again.
std::string name_of(const cu::BlasAlgo& algo) {
  std::string name;
  for (const std::uint64_t word : algo.data) name += fmt::format("{:016x}", word);
  return name;
}

// Takes the algorithm of that name.
Result<void> take(State& s, cu::BlasHandle handle, std::string_view name) {
  const Api& api = s.device.api();
  constexpr std::size_t kDigits = 16;
  bool valid = name.size() == kDigits * std::size(s.algo.data);
  for (std::size_t i = 0; valid && i < std::size(s.algo.data); ++i) {
    const char* const end = name.data() + kDigits * (i + 1);
    const auto [stop, error] = std::from_chars(end - kDigits, end, s.algo.data[i], 16);
    valid = error == std::errc{} && stop == end;
  }
  if (!valid) return fail(ADJ_ERROR_UNSUPPORTED, "'{}' is no algorithm of cuBLASLt", name);
  ADJ_TRY(state_addresses(s));
  cu::BlasHeuristic result{};
  ADJ_TRY(check(api, api.check(handle, s.product.get(), s.b.get(), s.a.get(), s.out.get(), s.out.get(), &s.algo, &result), "cublasLtMatmulAlgoCheck"));
  const auto reason = distrust_of(s, s.algo);
  if (!reason) return reason.error();
  if (*reason) return fail(ADJ_ERROR_UNSUPPORTED, "the algorithm is not taken: {}", *reason);
  s.scratch_bytes = result.workspace;
  return {};
}

Result<void> run(const CallContext& context) {
  auto& s = *static_cast<State*>(context.state);
  const Api& api = s.device.api();
  auto data = [&](int argument) {
    return reinterpret_cast<const adj_tensor*>(context.args + context.plan.op->arguments[static_cast<std::size_t>(argument)].offset)->data;
  };
  return s.device.run([&](cu::BlasHandle handle) -> Result<void> {
    cu::BlasProduct product = nullptr;
    if (s.has_addresses()) {
      product = s.product.take();
      if (!product)
        if (auto made = make_product(s, product); !made) {
          if (product) api.product_destroy(product);
          return made;
        }
      auto address = [&](cu::BlasAttribute attribute, const void* to) { return set(api, product, attribute, reinterpret_cast<std::uintptr_t>(to)); };
      Result<void> ready{};
      if (s.bias >= 0) ready = address(cu::kBlasBiasPointer, s.to_vector ? context.workspace + s.vector : data(s.bias));
      if (s.aux >= 0 && ready) ready = address(cu::kBlasAuxPointer, data(s.aux));
      if (!ready) {
        s.product.give(product);
        return ready;
      }
    } else {
      product = s.product.get();
    }
    const float narrow[] = {static_cast<float>(s.alpha), static_cast<float>(s.beta)};
    const double wide[] = {s.alpha, s.beta};
    const void* const alpha = s.wide ? static_cast<const void*>(wide) : narrow;
    const void* const beta = s.wide ? static_cast<const void*>(wide + 1) : narrow + 1;
    void* const out = s.to_workspace ? static_cast<void*>(context.workspace + s.sums) : data(kD);
    const void* const c = s.to_workspace ? out : data(s.c);
    const auto status = api.matmul(handle, product, alpha, data(kB), s.b.get(), data(kA), s.a.get(), beta, c, s.out.get(), out, s.out.get(), &s.algo,
                                   s.scratch_bytes ? context.workspace + s.scratch : nullptr, s.scratch_bytes, static_cast<cu::Stream>(context.stream.handle));
    if (s.has_addresses()) s.product.give(product);
    if (status) return cublaslt_error(api, status, "cublasLtMatmul");
    return {};
  });
}

// What one call computes: sums of products alone, d with its epilogue, or d and dbias.
enum class Fused { sums, epilogue, dbias };
constexpr const char* kFusedNames[] = {"sums", "epilogue", "dbias"};

void fuse(State& s, const MatmulProblem& p, bool dbias) {
  s.alpha = p.d.alpha;
  s.beta = p.accumulates() ? 1 : p.d.beta;
  s.c = p.d.beta != 0 ? kC : kD;
  s.epilogue = 0;
  if (p.d.has_bias) s.epilogue |= cu::kBlasEpilogueBias, s.bias = kBias;
  if (p.gelu()) s.epilogue |= cu::kBlasEpilogueGelu;
  if (p.d.has_preactivation) s.epilogue |= cu::kBlasEpilogueAux, s.aux = kPreactivation;
  if (p.gelu_gradient()) s.epilogue |= cu::kBlasEpilogueGeluGradient | cu::kBlasEpilogueAux, s.aux = kSaved;
  if (dbias) s.epilogue |= cu::kBlasEpilogueSumsOfB, s.bias = kDbias, s.to_vector = p.accumulates();
  if (s.epilogue == 0) s.epilogue = cu::kBlasEpilogueNone;
}

// The state of a way without its algorithm.
Result<std::shared_ptr<State>> make(BlasDevice& device, const PlanRequest& request, const MatmulProblem& p, Fused what) {
  const bool fused = what != Fused::sums;
  auto s = std::make_shared<State>(device);
  const Api& api = device.api();
  s->wide = p.element == ADJ_F64;
  s->element = p.element;
  s->depth = p.d.k;
  s->compute = s->wide ? cu::kBlasCompute64 : p.element == ADJ_F32 && request.sku->variant->on_request ? cu::kBlasComputeTf32 : cu::kBlasCompute32;
  s->transpose_a = p.d.transpose_a ? cu::kBlasTranspose : 0;
  s->transpose_b = p.d.transpose_b ? cu::kBlasTranspose : 0;
  ADJ_TRY(describe(api, s->a, p.element, p.a, p.d.batch));
  ADJ_TRY(describe(api, s->b, p.element, p.b, p.d.batch));
  const host::MatrixBatch packed(p.d.m, p.d.n, 0, 0), &out = fused ? p.out : packed;
  if (fused) fuse(*s, p, what == Fused::dbias);
  s->to_workspace = !fused;
  s->out_ld = out.ld;
  s->out_stride = out.stride;
  ADJ_TRY(describe(api, s->out, fused ? p.out_element : accumulator_of(p.element), out, p.d.batch));
  ADJ_TRY(add_product(*s));
  return s;
}

// Names of a way and of an algorithm, as one alternative of the plan.
std::string alternative(Fused way, const cu::BlasAlgo& algo) { return fmt::format("{}:{}", kFusedNames[static_cast<int>(way)], name_of(algo)); }

// Takes the first algorithm of the first way that cuBLASLt takes. With choices, names it, and offers the algorithms of all ways.
Result<std::shared_ptr<State>> choose(BlasDevice& device, const PlanRequest& request, const MatmulProblem& p, const std::vector<Fused>& ways) {
  Choices* const choices = request.choices;
  std::shared_ptr<State> taken;
  Choices::Part part{kPart, {}, {}};
  std::optional<Error> refused;
  for (const Fused way : ways) {
    auto state = make(device, request, p, way);
    Result<std::vector<cu::BlasHeuristic>> found = std::vector<cu::BlasHeuristic>();
    if (state)
      if (auto ok = device.prepare([&](cu::BlasHandle handle) -> Result<void> {
            found = list_algorithms(**state, handle, request.preference->workspace_limit);
            return {};
          });
          !ok)
        return ok.take_error();
    if (!state || !found) {
      refused = state ? found.take_error() : state.take_error();
      if (refused->code != ADJ_ERROR_UNSUPPORTED) return std::move(*refused);
      continue;
    }
    for (const cu::BlasHeuristic& h : *found) {
      if (!taken) {
        taken = *state;
        taken->algo = h.algo;
        taken->scratch_bytes = h.workspace;
        part.taken = alternative(way, h.algo);
      }
      part.offered.push_back(alternative(way, h.algo));
    }
    if (!choices) break;
  }
  if (!taken) return std::move(*refused);
  if (choices) choices->take(std::move(part));
  return taken;
}

// Takes the alternative of a verdict.
Result<std::shared_ptr<State>> follow(BlasDevice& device, const PlanRequest& request, const MatmulProblem& p, const std::vector<Fused>& ways,
                                      const std::string& wanted) {
  const std::size_t colon = std::min(wanted.find(':'), wanted.size());
  const std::string_view algorithm = std::string_view(wanted).substr(std::min(colon + 1, wanted.size()));
  for (const Fused way : ways) {
    if (wanted.substr(0, colon) != kFusedNames[static_cast<int>(way)]) continue;
    auto state = make(device, request, p, way);
    if (!state) return state;
    ADJ_TRY(device.prepare([&](cu::BlasHandle handle) { return take(**state, handle, algorithm); }));
    if ((*state)->scratch_bytes > request.preference->workspace_limit)
      return fail(ADJ_ERROR_UNSUPPORTED, "the algorithm needs {} bytes of workspace, preference.workspace_limit = {}", (*state)->scratch_bytes,
                  request.preference->workspace_limit);
    request.choices->take({kPart, wanted, {wanted}});
    return state;
  }
  return fail(ADJ_ERROR_UNSUPPORTED, "'{}' is no way to compute this problem with cuBLASLt", wanted);
}

}  // namespace

Result<void> finish_cublaslt(const PlanRequest& request, PlanBuilder& builder) {
  if (!request.device->real()) return fail(ADJ_ERROR_UNSUPPORTED, "cuBLASLt decides on the device itself, an offline stream has none");
  if (auto api = cublaslt(); !api) return api.take_error();
  const MatmulProblem p(*static_cast<const Descriptor*>(request.descriptor));
  if (p.empty() || p.d.k == 0) return fail(ADJ_ERROR_UNSUPPORTED, "cuBLASLt takes no empty matrices");
  if (p.d.batch > std::numeric_limits<std::int32_t>::max()) return fail(ADJ_ERROR_UNSUPPORTED, "cuBLASLt takes at most 2^31 matrices, has {}", p.d.batch);
  auto device = BlasDevice::of(*request.device);
  if (!device) return device.take_error();
  // Epilogues of cuBLASLt keep to the bounds of 16-bit results only; it has none for f64. Where it does not take one, finish.cu follows the product.
  const bool curved = p.gelu() || p.gelu_gradient(), fusible = p.element == ADJ_F64 ? !p.d.has_bias && !curved : !curved || is_16bit_float(p.out_element);
  // dbias has the type of d in cuBLASLt, which must not round what is added to an argument. With one column of D, algorithms of cuBLASLt 13.1 write a part of
  // an f16 dbias alone (tests/gpu/products.cpp: 192 x 1 x 2016).
  // A large A in vectors is read faster by a launch of its own: on an H100 with cuBLASLt 13.1 2304 x 768 x 65536 takes 485 us beside the product and 443 us
  // apart, 768 x 768 x 65536 takes 177 and 176 us.
  constexpr double kSumsApart = 1e8;
  const bool apart = is_16bit_float(p.element) && p.a.ld % 8 == 0 && static_cast<double>(p.d.m) * static_cast<double>(p.d.k) >= kSumsApart;
  const bool sums_too =
      p.d.has_dbias && !apart && p.d.n > 1 && p.element != ADJ_F64 && !p.d.has_bias && !curved && (!p.accumulates() || p.out_element == ADJ_F32);
  std::vector<Fused> ways;
  if (sums_too) ways.push_back(Fused::dbias);
  if (fusible) ways.push_back(Fused::epilogue);
  if (!fusible || curved || p.d.has_bias) ways.push_back(Fused::sums);
  const std::string* const wanted = request.choices ? request.choices->wanted(kPart) : nullptr;
  auto state = wanted ? follow(**device, request, p, ways, *wanted) : choose(**device, request, p, ways);
  if (!state) return state.take_error();
  State& s = **state;
  builder.align_tensors(kAddressAlignment);
  const std::int64_t count = p.d.batch * p.d.m * p.d.n;
  if (s.to_workspace) s.sums = builder.book(static_cast<std::uint64_t>(count) * size_of(accumulator_of(p.element)));
  if (s.to_vector) s.vector = builder.book(static_cast<std::uint64_t>(p.d.m) * size_of(p.out_element));
  s.scratch = builder.book(s.scratch_bytes);
  builder.call({.function = run, .state = *state, .library = "cuBLASLt"});
  if (s.to_workspace) add_finish(builder, *request.device, p, Sums{s.sums, 1, count, p.d.n});
  if (s.to_vector) add_dbias_finish(builder, *request.device, p, s.vector, 1);
  if (s.bias == kDbias) return {};
  return add_dbias(builder, *request.device, p);
}

}  // namespace adj::matmul
