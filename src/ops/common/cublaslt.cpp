// Products by cuBLASLt: their description, the choice of an algorithm, and calls.
#include "ops/common/cublaslt.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace adj::blas {

namespace {

using Api = cu::BlasApi;
constexpr std::uint64_t kMostWorkspace = std::uint64_t{64} << 20;  // bytes; the heuristics' own choices stay below it
constexpr int kMostAlgorithms = 16;
constexpr const char* kPart = "product";  // of the choices of a plan
using Preference = Object<cu::BlasPreference, &Api::preference_destroy>;

cu::BlasType type_of(adj_dtype element) {
  switch (element) {
    case ADJ_F64: return cu::kBlasDouble;
    case ADJ_F16: return cu::kBlasHalf;
    case ADJ_BF16: return cu::kBlasBfloat16;
    case ADJ_F8_E4M3: return cu::kBlasE4M3;
    case ADJ_F8_E5M2: return cu::kBlasE5M2;
    default: return cu::kBlasFloat;
  }
}

template <class T>
Result<void> set(const Api& api, cu::BlasProduct product, cu::BlasAttribute attribute, const T& value) {
  return check(api, api.product_set(product, attribute, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
}

Result<void> make_product(const Product& s, cu::BlasProduct& product) {
  const Api& api = s.device.api();
  ADJ_TRY(check(api, api.product_create(&product, s.compute, s.wide ? cu::kBlasDouble : cu::kBlasFloat), "cublasLtMatmulDescCreate"));
  ADJ_TRY(set(api, product, cu::kBlasEpilogue, s.epilogue));
  for (const Attribute& a : s.attributes) ADJ_TRY(check(api, api.product_set(product, a.attribute, &a.value, a.size), "cublasLtMatmulDescSetAttribute"));
  return {};
}

// Gives the state a product; one that cannot be completed is destroyed.
Result<void> add_product(Product& s) {
  cu::BlasProduct product = nullptr;
  auto made = make_product(s, product);
  if (product) s.product.give(product);
  return made;
}

Result<void> describe_matrix(const Api& api, Layout& layout, const Stored& stored) {
  cu::BlasLayout made = nullptr;
  ADJ_TRY(check(api,
                api.layout_create(&made, type_of(stored.type), static_cast<std::uint64_t>(stored.columns), static_cast<std::uint64_t>(stored.rows), stored.ld),
                "cublasLtMatrixLayoutCreate"));
  layout.give(made);
  const auto count = static_cast<std::int32_t>(stored.batch);
  ADJ_TRY(check(api, api.layout_set(made, cu::kBlasBatchCount, &count, sizeof count), "cublasLtMatrixLayoutSetAttribute"));
  return check(api, api.layout_set(made, cu::kBlasBatchStride, &stored.stride, sizeof stored.stride), "cublasLtMatrixLayoutSetAttribute");
}

// Gives the product addresses of the alignment that calls have: those of a call are not known yet, and cuBLASLt looks at their alignment only.
Result<void> state_addresses(const Product& s) {
  const std::uint64_t address = kAddressAlignment;
  for (const Address& a : s.addresses) ADJ_TRY(set(s.device.api(), s.product.get(), a.attribute, address));
  return {};
}

// Why this library does not take an algorithm for the state's product; null: it does.
Result<const char*> distrust_of(const Product& s, const cu::BlasAlgo& algo) {
  const auto config = config_of(s.device.api(), algo);
  if (!config) return config.error();
  return adj::distrust_of(*config, s.element, s.depth, s.epilogue);
}

// The algorithms of the heuristics that fit into `limit` bytes of workspace and are trusted, at least one. Partial sums are never kept in the type of a
// 16-bit result.
Result<std::vector<cu::BlasHeuristic>> list_algorithms(const Product& s, cu::BlasHandle handle, std::uint64_t limit) {
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
Result<void> take(Product& s, cu::BlasHandle handle, std::string_view name) {
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
  auto& s = *static_cast<Product*>(context.state);
  const Api& api = s.device.api();
  auto data = [&](int argument) {
    return reinterpret_cast<const adj_tensor*>(context.args + context.plan.op->arguments[static_cast<std::size_t>(argument)].offset)->data;
  };
  return s.device.run([&](cu::BlasHandle handle) -> Result<void> {
    cu::BlasProduct product = nullptr;
    if (!s.addresses.empty()) {
      product = s.product.take();
      if (!product)
        if (auto made = make_product(s, product); !made) {
          if (product) api.product_destroy(product);
          return made;
        }
      Result<void> ready{};
      for (const Address& a : s.addresses)
        if (ready)
          ready = set(api, product, a.attribute, reinterpret_cast<std::uintptr_t>(a.argument < 0 ? context.workspace + a.workspace : data(a.argument)));
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
    void* const out = s.to < 0 ? static_cast<void*>(context.workspace + s.sums) : data(s.to);
    const void* const c = s.to < 0 ? out : data(s.from_c);
    const auto status =
        api.matmul(handle, product, alpha, data(s.from_b), s.b.get(), data(s.from_a), s.a.get(), beta, c, s.out.get(), out, s.out.get(), &s.algo,
                   s.scratch_bytes ? context.workspace + s.scratch : nullptr, s.scratch_bytes, static_cast<cu::Stream>(context.stream.handle));
    if (!s.addresses.empty()) s.product.give(product);
    if (status) return cublaslt_error(api, status, "cublasLtMatmul");
    return {};
  });
}

// Names of a way and of an algorithm, as one alternative of the plan.
std::string alternative(const Way& way, const cu::BlasAlgo& algo) { return fmt::format("{}:{}", way.name, name_of(algo)); }

// Takes the alternative of a verdict.
Result<std::shared_ptr<Product>> follow(BlasDevice& device, const PlanRequest& request, const std::vector<Way>& ways, const std::string& wanted) {
  const std::size_t colon = std::min(wanted.find(':'), wanted.size());
  const std::string_view algorithm = std::string_view(wanted).substr(std::min(colon + 1, wanted.size()));
  for (const Way& way : ways) {
    if (wanted.substr(0, colon) != way.name) continue;
    auto state = way.make();
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

Result<void> check(const Api& api, cu::BlasStatus status, const char* call) {
  if (!status) return {};
  Error error = cublaslt_error(api, status, call);
  if (status == cu::kBlasInvalidValue || status == cu::kBlasArchMismatch || status == cu::kBlasNotSupported) error.code = ADJ_ERROR_UNSUPPORTED;
  return error;
}

Result<void> Product::describe(const Stored& of_a, const Stored& of_b, const Stored& of_out) {
  ADJ_TRY(describe_matrix(device.api(), a, of_a));
  ADJ_TRY(describe_matrix(device.api(), b, of_b));
  ADJ_TRY(describe_matrix(device.api(), out, of_out));
  return add_product(*this);
}

void Product::add_to(PlanBuilder& builder, std::shared_ptr<Product> self) {
  builder.align_tensors(kAddressAlignment);
  scratch = builder.book(scratch_bytes);
  builder.call({.function = run, .state = std::move(self), .library = "cuBLASLt"});
}

Result<std::shared_ptr<Product>> choose(BlasDevice& device, const PlanRequest& request, const std::vector<Way>& ways) {
  Choices* const choices = request.choices;
  if (const std::string* const wanted = choices ? choices->wanted(kPart) : nullptr) return follow(device, request, ways, *wanted);
  std::shared_ptr<Product> taken;
  Choices::Part part{kPart, {}, {}};
  std::optional<Error> refused;
  for (const Way& way : ways) {
    auto state = way.make();
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

Result<BlasDevice*> device_of(const PlanRequest& request) {
  if (!request.device->real()) return fail(ADJ_ERROR_UNSUPPORTED, "cuBLASLt decides on the device itself, an offline stream has none");
  if (auto api = cublaslt(); !api) return api.take_error();
  return BlasDevice::of(*request.device);
}

}  // namespace adj::blas
