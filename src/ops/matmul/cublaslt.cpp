// Matrix products by cuBLASLt: which ways of a call compute a problem, and what follows the call.
#include "ops/common/cublaslt.hpp"
#include "ops/matmul/plan.hpp"

namespace adj::matmul {

using namespace matmul_tables;
using blas::Product;

namespace {

// What one call computes: sums of products alone, d with its epilogue, or d and dbias.
enum class Fused { sums, epilogue, dbias };
constexpr const char* kFusedNames[] = {"sums", "epilogue", "dbias"};

blas::Attribute operation(cu::BlasAttribute attribute, bool transposed) {
  return {attribute, transposed ? cu::kBlasTranspose : std::int64_t{0}, sizeof(std::int32_t)};
}

void fuse(Product& s, const MatmulProblem& p, bool dbias) {
  s.alpha = p.d.alpha;
  s.beta = p.accumulates() ? 1 : p.d.beta;
  s.from_c = p.d.beta != 0 ? kC : kD;
  s.to = kD;
  s.epilogue = 0;
  int aux = -1;
  if (p.d.has_bias) s.epilogue |= cu::kBlasEpilogueBias, s.addresses.push_back({cu::kBlasBiasPointer, kBias});
  if (p.gelu()) s.epilogue |= cu::kBlasEpilogueGelu;
  if (p.d.has_preactivation) s.epilogue |= cu::kBlasEpilogueAux, aux = kPreactivation;
  if (p.gelu_gradient()) s.epilogue |= cu::kBlasEpilogueGeluGradient | cu::kBlasEpilogueAux, aux = kSaved;
  // What is added to an argument goes through the workspace.
  if (dbias) s.epilogue |= cu::kBlasEpilogueSumsOfB, s.addresses.push_back({cu::kBlasBiasPointer, p.accumulates() ? -1 : kDbias});
  if (s.epilogue == 0) s.epilogue = cu::kBlasEpilogueNone;
  if (aux < 0) return;
  s.addresses.push_back({cu::kBlasAuxPointer, aux});
  s.attributes.push_back({cu::kBlasAuxLd, p.out.ld, sizeof(std::int64_t)});
  s.attributes.push_back({cu::kBlasAuxStride, p.out.stride, sizeof(std::int64_t)});
}

// The product of a way without its algorithm.
Result<std::shared_ptr<Product>> make(BlasDevice& device, const PlanRequest& request, const MatmulProblem& p, Fused what) {
  const bool fused = what != Fused::sums;
  auto s = std::make_shared<Product>(device);
  s->wide = p.element == ADJ_F64;
  s->element = p.element;
  s->depth = p.d.k;
  s->compute = s->wide ? cu::kBlasCompute64 : p.element == ADJ_F32 && request.sku->variant->on_request ? cu::kBlasComputeTf32 : cu::kBlasCompute32;
  s->from_a = kA;
  s->from_b = kB;
  s->attributes = {operation(cu::kBlasTransposeA, p.d.transpose_b), operation(cu::kBlasTransposeB, p.d.transpose_a)};
  if (fused) fuse(*s, p, what == Fused::dbias);
  const auto stored = [&](adj_dtype type, const host::MatrixBatch& m) { return blas::Stored{type, m.rows, m.columns, m.ld, p.d.batch, m.stride}; };
  const host::MatrixBatch packed(p.d.m, p.d.n, 0, 0);
  ADJ_TRY(s->describe(stored(p.element, p.a), stored(p.element, p.b), fused ? stored(p.out_element, p.out) : stored(accumulator_of(p.element), packed)));
  return s;
}

}  // namespace

Result<void> finish_cublaslt(const PlanRequest& request, PlanBuilder& builder) {
  const auto device = blas::device_of(request);
  if (!device) return device.error();
  const MatmulProblem p(*static_cast<const Descriptor*>(request.descriptor));
  if (p.empty() || p.d.k == 0) return fail(ADJ_ERROR_UNSUPPORTED, "cuBLASLt takes no empty matrices");
  if (p.d.batch > std::numeric_limits<std::int32_t>::max()) return fail(ADJ_ERROR_UNSUPPORTED, "cuBLASLt takes at most 2^31 matrices, has {}", p.d.batch);
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
  std::vector<blas::Way> ways;
  const auto add = [&](Fused what) {
    ways.push_back({kFusedNames[static_cast<int>(what)], [&request, &p, &device, what] { return make(**device, request, p, what); }});
  };
  if (sums_too) add(Fused::dbias);
  if (fusible) add(Fused::epilogue);
  if (!fusible || curved || p.d.has_bias) add(Fused::sums);
  auto product = blas::choose(**device, request, ways);
  if (!product) return product.take_error();
  Product& s = **product;
  const std::int64_t count = p.d.batch * p.d.m * p.d.n;
  const bool has_sums = s.to < 0, has_dbias = (s.epilogue & cu::kBlasEpilogueSumsOfB) != 0;
  if (has_sums) s.sums = builder.book(static_cast<std::uint64_t>(count) * size_of(accumulator_of(p.element)));
  std::uint64_t vector = 0;
  const bool to_vector = has_dbias && p.accumulates();
  if (to_vector) {
    vector = builder.book(static_cast<std::uint64_t>(p.d.m) * size_of(p.out_element));
    for (blas::Address& a : s.addresses)
      if (a.argument < 0) a.workspace = vector;
  }
  s.add_to(builder, *product);
  if (has_sums) add_finish(builder, *request.device, p, Sums{s.sums, 1, count, p.d.n});
  if (to_vector) add_dbias_finish(builder, *request.device, p, vector, 1);
  if (has_dbias) return {};
  return add_dbias(builder, *request.device, p);
}

}  // namespace adj::matmul
