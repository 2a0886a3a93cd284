// Gradients of embeddings and of Gather.
#include <adjoint/ops/embedding.h>

#include "host/embedding.hpp"
#include "kernels/segment_sum/params.h"
#include "ops/segment_sum/segment_sum.hpp"
#include "ops/embedding.gen.hpp"

namespace adj {

namespace {

namespace gradient {

// Both operators have these arguments at the same places.
using embedding_backward_tables::kDout, embedding_backward_tables::kIndices, embedding_backward_tables::kErrorFlag, embedding_backward_tables::kSortedRows,
    embedding_backward_tables::kOrder;
constexpr int kGradient = embedding_backward_tables::kDweight;
static_assert(gather_backward_tables::kDout == int{kDout} && gather_backward_tables::kIndices == int{kIndices} &&
              gather_backward_tables::kDinput == kGradient && gather_backward_tables::kErrorFlag == int{kErrorFlag} &&
              gather_backward_tables::kSortedRows == int{kSortedRows} && gather_backward_tables::kOrder == int{kOrder});

RowSums::Arguments arguments_of(bool use_index_plan) {
  return {kDout, kIndices, kGradient, kErrorFlag, use_index_plan ? int{kSortedRows} : -1, use_index_plan ? int{kOrder} : -1};
}

void bind_tensors(PlanBuilder::Kernel& kernel) {
  kernel.tensor(offsetof(EmbeddingBackwardParams, dout), kDout)
      .tensor(offsetof(EmbeddingBackwardParams, indices), kIndices)
      .tensor(offsetof(EmbeddingBackwardParams, dweight), kGradient)
      .tensor(offsetof(EmbeddingBackwardParams, error_flag), kErrorFlag);
}

template <class Descriptor, RowSums (*problem)(const Descriptor&), SumsFunction sums, bool sorts>
Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& descriptor = *static_cast<const Descriptor*>(request.descriptor);
  const RowSums d = problem(descriptor);
  if (d.indices == 0) {
    if (!d.accumulate) builder.clear_output(kGradient);
    return {};
  }
  if (!sorts && descriptor.use_index_plan) return fail(ADJ_ERROR_UNSUPPORTED, "takes indices, use_index_plan = 1 has none");
  return sums(d, *request.device, builder);
}
template <class Descriptor, class Args, std::uint64_t (*workspace)(const Descriptor&), void (*reference)(const Descriptor&, const Args&, void*)>
Result<void> plan_host(const PlanRequest& request, PlanBuilder& builder) {
  builder.book(workspace(*static_cast<const Descriptor*>(request.descriptor)));
  builder.host(host_call<Descriptor, Args, reference>);
  return {};
}

template <class Descriptor, RowSums (*problem)(const Descriptor&)>
bool yields(const void* descriptor) {
  return sorts_faster(problem(*static_cast<const Descriptor*>(descriptor)), false);
}

adj_guarantee host_guarantee(const Signature&) { return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, ADJ_F64, 0.5, 1e-13); }

// No addend goes through more roundings than kRowSumRoundings. The order depends on the indices alone.
adj_guarantee guarantee(const Signature& s) {
  const adj_dtype accumulator = accumulator_of(s[0]);
  return make_guarantee(ADJ_SHAPE_ONLY, ADJ_MATH_IEEE, accumulator, 0.5, kRowSumRoundings * (accumulator == ADJ_F64 ? 0x1p-53 : 0x1p-24));
}

}  // namespace gradient

// ---- backward

namespace backward {

using namespace gradient;
using namespace embedding_backward_tables;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return check_index_plan(kName, d, "num_embeddings", d.num_embeddings);
}

RowSums problem_of(const Descriptor& d) {
  return {.outer = 1,
          .rows = d.num_embeddings,
          .columns = d.embedding_dim,
          .indices = d.num_indices,
          .padding_row = padding_row(d),
          .element = d.element,
          .accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE,
          .scale_by_count = d.scale_grad_by_freq != 0,
          .dout_rows = d.num_indices,
          .rows_arguments = {kDout, kGradient},
          .bind = bind_tensors,
          .gather = false,
          .arguments = arguments_of(d.use_index_plan)};
}

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "atomic",
       .summary = "additions in memory, in the order of arrival",
       .programs = {{"segment_sum/atomic.cu", "embedding_backward_atomic", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=0 ADJ_BAG=0 ADJ_ALIGNED=1", {kMain, kWholeRows}},
                    {"segment_sum/atomic.cu", "embedding_backward_atomic", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=0 ADJ_BAG=0 ADJ_ALIGNED=0", {kMain, kAnyRows}}},
       .guarantee = atomic_guarantee,
       .accepts = adds_in_accumulator,
       .yields = yields<Descriptor, problem_of>,
       .finish = plan<Descriptor, problem_of, finish_atomic, false>},
      {.algorithm = "few",
       .summary = "up to 1024 indices, one launch",
       .programs = {{"segment_sum/few.cu", "embedding_backward_few", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=0 ADJ_BAG=0 ADJ_ALIGNED=1", {kMain, kWholeRows}},
                    {"segment_sum/few.cu", "embedding_backward_few", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=0 ADJ_BAG=0 ADJ_ALIGNED=0", {kMain, kAnyRows}}},
       .guarantee = guarantee,
       .finish = plan<Descriptor, problem_of, finish_few, false>},
      {.algorithm = "grouped",
       .summary = "occurrences sorted by row, each gradient row written once",
       .programs = {ADJ_SORT_PROGRAMS(0, "embedding", "{1}", "ADJ_GATHER=0 ADJ_BAG=0"), ADJ_ROWS_PROGRAM, ADJ_COMBINE_PROGRAM("embedding", "0"),
                    ADJ_SUM_PROGRAMS("embedding", "any", 0, "ADJ_GATHER=0 ADJ_BAG=0"), ADJ_SUM_PROGRAMS("embedding", "narrow", 1, "ADJ_GATHER=0 ADJ_BAG=0"),
                    ADJ_SUM_PROGRAMS("embedding", "wide", 2, "ADJ_GATHER=0 ADJ_BAG=0")},
       .guarantee = guarantee,
       .finish = plan<Descriptor, problem_of, finish_sorted, true>},
      host_row(host_guarantee, plan_host<Descriptor, Args, host::embedding_backward_workspace, host::embedding_backward>,
               "host memory, f64 sums in token order")};
  return *list;
}

}  // namespace backward

namespace gather {

using namespace gradient;
using gather_backward_tables::Descriptor, gather_backward_tables::Args, gather_backward_tables::kName, gather_backward_tables::base_info;

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  return check_index_plan(kName, d, "extent", d.extent);
}

RowSums problem_of(const Descriptor& d) {
  return {.outer = d.outer,
          .rows = d.extent,
          .columns = d.outer ? d.inner : 0,
          .indices = d.num_indices,
          .padding_row = -1,
          .element = d.element,
          .accumulate = d.write_mode == ADJ_WRITE_ACCUMULATE,
          .scale_by_count = false,
          .dout_rows = d.num_indices,
          .rows_arguments = {kDout, kGradient},
          .bind = bind_tensors,
          .gather = true,
          .arguments = arguments_of(d.use_index_plan)};
}

// The registration lists the types of the shape (host metadata), of the data and of the indices.
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 3 || types[0] != ADJ_I64) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.outer = 2;
  d.extent = 16;
  d.inner = 8;
  d.num_indices = 4;
  d.element = types[1];
  d.index = types[2];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "GatherGrad", describe}};

const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "atomic",
       .summary = "additions in memory, in the order of arrival",
       .programs = {{"segment_sum/atomic.cu", "gather_backward_atomic", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=1 ADJ_BAG=0 ADJ_ALIGNED=1", {kMain, kWholeRows}},
                    {"segment_sum/atomic.cu", "gather_backward_atomic", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=1 ADJ_BAG=0 ADJ_ALIGNED=0", {kMain, kAnyRows}}},
       .guarantee = atomic_guarantee,
       .accepts = adds_in_accumulator,
       .yields = yields<Descriptor, problem_of>,
       .finish = plan<Descriptor, problem_of, finish_atomic, false>},
      {.algorithm = "few",
       .summary = "up to 1024 indices, one launch",
       .programs = {{"segment_sum/few.cu", "gather_backward_few", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=1 ADJ_BAG=0 ADJ_ALIGNED=1", {kMain, kWholeRows}},
                    {"segment_sum/few.cu", "gather_backward_few", "ADJ_T={0} ADJ_I={1} ADJ_GATHER=1 ADJ_BAG=0 ADJ_ALIGNED=0", {kMain, kAnyRows}}},
       .guarantee = guarantee,
       .finish = plan<Descriptor, problem_of, finish_few, false>},
      {.algorithm = "grouped",
       .summary = "occurrences sorted by row, each gradient row written once",
       .programs = {ADJ_GATHER_SUM_PROGRAMS("{1}", ADJ_SUM_PROGRAMS)},
       .guarantee = guarantee,
       .finish = plan<Descriptor, problem_of, finish_sorted, true>},
      host_row(host_guarantee, plan_host<Descriptor, Args, host::gather_backward_workspace, host::gather_backward>, "host memory, f64 sums in token order")};
  return *list;
}

}  // namespace gather

}  // namespace

const OpInfo& info_embedding_backward() {
  using namespace backward;
  static const OpInfo info =
      op_info(base_info(),
              {.signatures = element_index_signatures(),
               .signature_columns = "element, index",
               .variants = variants(),
               .validate = validate,
               .signature = element_index_signature<Descriptor>,
               .integers_below = [](const void* d, int argument) { return argument == kIndices ? static_cast<const Descriptor*>(d)->num_embeddings : 0; }});
  return info;
}

const OpInfo& info_gather_backward() {
  using namespace gather;
  static const OpInfo info = op_info(
      base_info(), {.signatures = element_index_signatures(),
                    .signature_columns = "element, index",
                    .variants = variants(),
                    .onnx = kOnnx,
                    .validate = validate,
                    .signature = element_index_signature<Descriptor>,
                    .integers_below = [](const void* d, int argument) { return argument == kIndices ? static_cast<const Descriptor*>(d)->extent : 0; }});
  return info;
}

}  // namespace adj
