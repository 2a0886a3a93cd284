// Plans on tensor cores (kernels/matmul/cores.cu and pipeline.cu). An operand whose rows, as stored, are not whole vectors is packed first.
#include "ops/common/shared.hpp"
#include "ops/matmul/plan.hpp"
#include "plan/maps.hpp"

namespace adj::matmul {

using namespace matmul_tables;

namespace {

constexpr std::int64_t kMostExtent = kMost - 512;  // room for the last block, which counts on to the end of its tile

// An operand as the kernel reads it: rows of whole vectors.
struct Rows {
  Operand from;
  std::int64_t row = 0, matrix = 0;  // elements from one row to the next, and from one matrix to the next
  host::MatrixBatch stored;          // as the argument has it
};

// Returns into how many splits to divide the depth: as many as take the least time on a large device, all of whose multiprocessors take a tile at a
// time. It looks at the shape alone, so that sums do not depend on the device. The unit of time is that of a step.
std::int64_t splits_of(const Tuning& tuning, std::int64_t tiles, std::int64_t steps, std::int64_t results) {
  const SplitCosts& costs = tuning.products;
  const std::int64_t most = std::min({ceil_div(steps, costs.shortest / kMatmulCoresStep), tuning.most_splits, tuning.most_partials / results});
  std::int64_t best = 1, least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t splits = 1; splits <= std::max<std::int64_t>(most, 1); ++splits) {
    const std::int64_t waves = ceil_div(tiles * splits, costs.multiprocessors);
    const std::int64_t time = waves * (ceil_div(steps, splits) + costs.tile) + (splits > 1 ? costs.finish + splits * results / costs.partials : 0);
    if (time < least) least = time, best = splits;
  }
  return best;
}

class Plan {
 public:
  Plan(PlanBuilder& builder, const Device& device, const MatmulProblem& problem, bool warpgroups)
      : builder_(builder),
        device_(device),
        p_(problem),
        warpgroups_(warpgroups),
        shared_(warpgroups ? std::uint32_t{kMatmulPipelineShared} : std::uint32_t{kMatmulCoresShared}) {}

  Result<void> check() const {
    const Descriptor& d = p_.d;
    for (const auto& [name, value] : {std::pair{"m", d.m}, std::pair{"n", d.n}, std::pair{"k", d.k}})
      if (value > kMostExtent) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} = {}, has {}", name, kMostExtent, value);
    return check_shared(device_, shared_);
  }

  Result<void> product() {
    const Descriptor& d = p_.d;
    const auto a = rows(kA, "vectors of 8 elements in A", p_.a);
    if (!a) return a.error();
    const auto b = rows(kB, "vectors of 8 elements in B", p_.b);
    if (!b) return b.error();
    MatmulPipelineParams all{};
    MatmulCoresParams& c = all.cores;
    c.a_matrix = a->matrix;
    c.a_row = a->row;
    c.b_matrix = b->matrix;
    c.b_row = b->row;
    c.m = narrow(d.m);
    c.n = narrow(d.n);
    c.k = narrow(d.k);
    c.row_tiles = narrow(ceil_div(d.m, std::int64_t{kMatmulCoresRows}));
    c.column_tiles = narrow(ceil_div(d.n, std::int64_t{kMatmulCoresColumns}));
    c.batch = narrow(d.batch);
    const std::int64_t tiles = std::int64_t{c.row_tiles} * c.column_tiles * d.batch, steps = ceil_div(d.k, std::int64_t{kMatmulCoresStep}),
                       pitch = ceil_div(d.n, 4) * 4;
    const std::int64_t sums = d.batch * d.m * pitch;
    const std::int64_t splits = splits_of(tuning_of(device_), tiles, steps, sums);
    c.split_steps = narrow(ceil_div(steps, splits));
    if (warpgroups_) c.split_steps += c.split_steps % 2;  // whole steps of twice the depth
    const std::int64_t parts = ceil_div(steps, c.split_steps);  // rounding leaves fewer
    ADJ_TRY(check_limit(kMost, "tiles", {tiles, parts}));
    c.tiles = narrow(tiles * parts);
    // Several rounds add to what they have stored.
    const bool one_round = c.split_steps * std::int64_t{kMatmulCoresStep} <= kMatmulCoresRound,
               adds_up = p_.out_element == ADJ_F32 && !p_.gelu() && !p_.gelu_gradient();
    const bool makes_results = parts == 1 && (one_round || adds_up);
    if (makes_results) {
      c.result = result_of(p_);
      c.wide = p_.out_element == ADJ_F32;
      c.fours = d.n % 4 == 0 && (d.m == 1 || p_.out.ld % 4 == 0) && (d.batch == 1 || p_.out.stride % 4 == 0);
    } else {
      c.result.alpha = 1;
      c.result.row_pitch = pitch;
      c.result.matrix = d.m * pitch;
      c.out_split = sums;
      c.wide = c.fours = 1;
    }
    const bool across_a = !d.transpose_a, across_b = d.transpose_b != 0;
    if (warpgroups_) {
      ADJ_TRY(make_map(all.map_a, *a, across_a, kMatmulCoresRows));
      ADJ_TRY(make_map(all.map_b, *b, across_b, kMatmulCoresColumns));
    }
    const int what = makes_results ? c.result.epilogue : kPartial;
    auto kernel = builder_.kernel({kProduct, warpgroups_ ? pipeline_layout(across_a, across_b, what) : cores_layout(across_a, across_b, true)},
                                  grid_for(device_, c.tiles, 1), warpgroups_ ? unsigned{kMatmulPipelineThreads} : unsigned{kMatmulCoresThreads});
    kernel.shared(shared_);
    std::uint64_t partials = 0;
    if (!makes_results) partials = builder_.book(static_cast<std::uint64_t>(parts * sums) * 4);
    if (warpgroups_) kernel.params(all);
    else kernel.params(c);
    std::vector<int> read;
    for (const auto& [operand, offset, map] : {std::tuple{a->from, offsetof(MatmulCoresParams, a), offsetof(MatmulPipelineParams, map_a)},
                                               std::tuple{b->from, offsetof(MatmulCoresParams, b), offsetof(MatmulPipelineParams, map_b)}}) {
      for (const std::size_t at : {offset, map}) {
        if (at == map && !warpgroups_) continue;
        if (operand.packed) kernel.workspace(at, operand.workspace);
        else kernel.tensor(at, operand.argument);
      }
      if (!operand.packed) read.push_back(operand.argument);
    }
    if (!read.empty()) kernel.when_unaligned({kProduct, cores_layout(across_a, across_b, false)}, read, kMatmulCoresThreads);
    if (makes_results) {
      bind_result(kernel, p_, offsetof(MatmulCoresParams, result));
    } else {
      kernel.workspace(offsetof(MatmulCoresParams, result.out), partials);
      add_finish(builder_, device_, p_, Sums{partials, parts, sums, pitch});
    }
    return {};
  }

 private:
  // `what`: what the packed operand consists of.
  Result<Rows> rows(int argument, const char* what, const host::MatrixBatch& stored) {
    const std::int64_t batch = p_.d.batch;
    const auto whole = [](std::int64_t elements) { return elements % kGemmVector == 0; };
    if (whole(stored.columns) && (stored.rows == 1 || whole(stored.ld)) && (batch == 1 || whole(stored.stride)))
      return Rows{{.argument = argument}, stored.ld, stored.stride, stored};
    const std::int64_t vectors = vectors_of(stored.columns);
    ADJ_TRY(check_limit(kMost, what, {batch, stored.rows, vectors}));
    GemmPackParams p{};
    p.group = stored.stride;
    p.place = stored.ld;
    p.channel = 1;
    p.to_group = stored.rows * vectors;
    p.to_place = vectors;
    p.places = narrow(stored.rows);
    p.channels = narrow(stored.columns);
    p.groups = narrow(batch);
    p.along_channels = 1;
    auto packed = add_pack(builder_, argument, p, 1, batch * p.to_group);
    if (!packed) return packed.take_error();
    return Rows{*packed, vectors * kGemmVector, p.to_group * kGemmVector, stored};
  }
  // Makes the map of an operand, of whose rows or columns a tile has `extent`.
  Result<void> make_map(TensorMap& map, const Rows& rows, bool across, int extent) const {
    TensorBox box{};
    box.extent[0] = rows.stored.columns;
    box.extent[1] = rows.stored.rows;
    box.extent[2] = p_.d.batch;
    // Of a dimension of one element the stride is not used, and must still be one that a map takes.
    box.stride[0] = rows.stored.rows > 1 ? rows.row : std::int64_t{kGemmVector};
    box.stride[1] = p_.d.batch > 1 ? rows.matrix : std::int64_t{kGemmVector};
    box.box[0] = kMatmulPipelineStep;  // 128 bytes, to which rows of a box are swizzled
    box.box[1] = across ? extent : kMatmulPipelineStep;
    box.box[2] = 1;
    return encode_map(device_, box, map);
  }

  PlanBuilder& builder_;
  const Device& device_;
  const MatmulProblem& p_;
  const bool warpgroups_;
  const std::uint32_t shared_;  // bytes of shared memory of a block
};

Result<void> plan_product(const PlanRequest& request, PlanBuilder& builder, bool warpgroups) {
  const MatmulProblem p(*static_cast<const Descriptor*>(request.descriptor));
  if (p.empty() || p.d.k == 0) return fail(ADJ_ERROR_UNSUPPORTED, "takes no empty matrices");
  Plan plan(builder, *request.device, p, warpgroups);
  ADJ_TRY(plan.check());
  ADJ_TRY(plan.product());
  return add_dbias(builder, *request.device, p);
}

}  // namespace

Result<void> finish_cores(const PlanRequest& request, PlanBuilder& builder) { return plan_product(request, builder, false); }
Result<void> finish_warpgroups(const PlanRequest& request, PlanBuilder& builder) { return plan_product(request, builder, true); }

}  // namespace adj::matmul
