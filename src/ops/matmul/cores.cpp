// Plans on tensor cores. kernels/conv/tensor_cores.cu computes two products of its own: role 0, lines and columns with their depth in rows (A and B
// transposed as stored in y = x W^T), and role 2, a depth of places (dW = dy^T x). An operand stored otherwise is packed first.
#include "ops/conv/cores.hpp"

#include "ops/conv/splits.hpp"
#include "ops/matmul/plan.hpp"

namespace adj::matmul {

using namespace matmul_tables;
using conv::CoresLaunches;
using conv::vectors_of;

namespace {

constexpr std::int64_t kShortest = 512;           // least depth of a split
constexpr std::int64_t kSmallDevice = 132;        // blocks below which a product of one split leaves multiprocessors idle
constexpr std::int64_t kMostExtent = conv::kMostIndex / kCoresVector;
constexpr std::int64_t kRoundDepth = std::int64_t{kCoresRound} * kCoresStep;

int narrow(std::int64_t v) { return static_cast<int>(v); }

// An operand as the kernel reads it: rows of whole units.
struct Rows {
  CoresLaunches::Operand from;
  std::int64_t row = 0, matrix = 0;  // units from one row to the next, and from one matrix to the next
};

class Plan {
 public:
  Plan(PlanBuilder& builder, const Device& device, const MatmulProblem& problem)
      : builder_(builder), device_(device), launches_(builder, device), p_(problem) {}

  Result<void> check() const {
    const Descriptor& d = p_.d;
    for (const auto& [name, value] : {std::pair{"m", d.m}, std::pair{"n", d.n}, std::pair{"k", d.k}})
      if (value > kMostExtent) return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} = {}, has {}", name, kMostExtent, value);
    for (const auto& [name, matrices] : {std::pair{"A", &p_.a}, std::pair{"B", &p_.b}}) {
      ADJ_TRY(conv::check_limit(conv::kMost, name, {matrices->rows, vectors_of(std::max(matrices->ld, matrices->columns))}));
      if (matrices->span(d.batch) / kCoresVector > conv::kMost - matrices->ld)
        return fail(ADJ_ERROR_UNSUPPORTED, "takes at most {} vectors of 8 elements in {}, has {}", conv::kMost, name, matrices->span(d.batch) / kCoresVector);
      // As packed.
      ADJ_TRY(conv::check_limit(conv::kMost, name, {d.batch, matrices->rows, vectors_of(matrices->columns)}));
      ADJ_TRY(conv::check_limit(conv::kMost, name, {d.batch, matrices->columns, vectors_of(matrices->rows)}));
    }
    return launches_.check_device();
  }

  Result<void> product() {
    const bool depth_in_places = p_.d.transpose_a && !p_.d.transpose_b;
    return depth_in_places ? over_places() : over_rows();
  }

 private:
  // Parameters without operands: one image of places along one dimension, one tap.
  ConvCoresParams params(std::int64_t places, std::int64_t row, std::int64_t inner) const {
    ConvCoresParams c{};
    for (ConvAxis& a : c.axis) {
      a.residues = a.places = a.scale = a.step = a.extent = a.out_places = 1;
      a.of[0].taps = 1;
    }
    ConvAxis& along = c.axis[2];
    along.places = along.extent = along.out_places = narrow(places);
    along.pitch = narrow(row);
    c.inner = narrow(inner);
    c.together = inner % 4 == 0 ? 4 : inner % 2 == 0 ? 2 : 1;
    c.groups = narrow(p_.d.batch);
    c.residues = 1;
    c.places = narrow(places);
    c.by_places = c.by_extent[1] = divide_below_2_31(places);
    c.by_extent[0] = divide_below_2_31(1);
    return c;
  }

  // Rows of `columns` elements, element (r, c) at r * down + c * across; packed unless they are whole units as stored.
  Result<Rows> rows(int slot, const host::MatrixBatch& stored, std::int64_t count, std::int64_t columns, std::int64_t down, std::int64_t across) {
    const std::int64_t units = vectors_of(columns), batch = p_.d.batch;
    const bool whole =
        across == 1 && columns % kCoresVector == 0 && (count == 1 || down % kCoresVector == 0) && (batch == 1 || stored.stride % kCoresVector == 0);
    if (whole) return Rows{{.slot = slot}, count == 1 ? units : down / kCoresVector, batch == 1 ? 0 : stored.stride / kCoresVector};
    ConvPackParams p{};
    p.group = stored.stride;
    p.place = down;
    p.channel = across;
    p.to_group = count * units;
    p.to_place = units;
    p.places = narrow(count);
    p.channels = narrow(columns);
    p.groups = narrow(batch);
    p.along_channels = across == 1;
    auto packed = launches_.pack(slot, p, 1, batch * p.to_group);
    if (!packed) return packed.take_error();
    return Rows{*packed, units, p.to_group};
  }

  // Splits of the depth, for a launch of `blocks` blocks for each split: none longer than a round.
  void divide(ConvCoresParams& c, std::int64_t blocks, std::int64_t wanted) const {
    const std::int64_t depth = p_.d.k, steps = ceil_div(depth, kCoresStep);
    const conv::SplitRule rule{wanted, kRoundDepth, kShortest};
    const std::int64_t splits = std::min(conv::splits_of(rule, depth, blocks, c.out_split), std::max<std::int64_t>(device_.grid_limit / blocks, 1));
    c.split_steps = narrow(ceil_div(steps, splits));
    c.splits = narrow(ceil_div(steps, c.split_steps));
  }

  Result<void> launch(conv::Program program, ConvCoresParams& c, const Rows& gathered, const Rows& matrix, std::int64_t pitch) {
    c.sums = 1;
    const Sums sums{builder_.book(static_cast<std::uint64_t>(c.splits * c.out_split) * 4), c.splits, c.out_split, pitch};
    ADJ_TRY(launches_.launch(program, c, gathered.from, matrix.from, -1, kD, sums.offset));
    add_finish(builder_, device_, p_, sums);
    return {};
  }

  // Role 0: lines are rows of D, columns its columns.
  Result<void> over_rows() {
    const Descriptor& d = p_.d;
    auto a = rows(kA, p_.a, d.m, d.k, p_.a_down, p_.a_across);
    if (!a) return a.take_error();
    auto b = rows(kB, p_.b, d.n, d.k, p_.b_across, p_.b_down);
    if (!b) return b.take_error();
    ConvCoresParams c = params(d.m, a->row, vectors_of(d.k));
    c.gathered_group = narrow(a->matrix);
    c.matrix_group = narrow(b->matrix);
    c.matrix_row = narrow(b->row);
    c.lines = narrow(d.m);
    c.columns = narrow(d.n);
    c.out_column = 1;
    c.out_split = d.batch * d.m * d.n;
    const std::int64_t blocks = ceil_div(d.m, kCoresTile) * ceil_div(d.n, kCoresTile) * d.batch;
    divide(c, blocks, blocks < kSmallDevice ? 2 * kSmallDevice : blocks);
    const bool plain = d.alpha == 1 && d.beta == 0 && !p_.gelu() && !p_.gelu_gradient() && !p_.accumulates() && p_.out_element == p_.element;
    if (plain && c.splits == 1 && c.split_steps <= kCoresRound && (!d.has_bias || d.batch == 1)) {
      c.axis[2].out_pitch = p_.out.ld;
      c.out_group = p_.out.stride;
      c.whole_vectors = d.n % kCoresVector == 0 && p_.out.ld % kCoresVector == 0 && (d.batch == 1 || p_.out.stride % kCoresVector == 0);
      return launches_.launch(kProduct, c, a->from, b->from, d.has_bias ? int{kBias} : -1, kD, 0);
    }
    c.axis[2].out_pitch = d.n;
    c.out_group = d.m * d.n;
    return launch(kProduct, c, *a, *b, d.n);
  }

  // Role 2: lines are columns of D, filled up to whole units, columns its rows.
  Result<void> over_places() {
    const Descriptor& d = p_.d;
    auto a = rows(kA, p_.a, d.k, d.m, p_.a_across, p_.a_down);
    if (!a) return a.take_error();
    auto b = rows(kB, p_.b, d.k, d.n, p_.b_down, p_.b_across);
    if (!b) return b.take_error();
    const std::int64_t units = vectors_of(d.n), pitch = units * kCoresVector;
    ConvCoresParams c = params(d.k, b->row, units);
    c.gathered_group = narrow(b->matrix);
    c.matrix_group = narrow(a->matrix);
    c.matrix_row = narrow(a->row);
    c.matrix_vectors = narrow(vectors_of(d.m));
    c.lines = narrow(pitch);
    c.columns = narrow(d.m);
    c.depth = narrow(d.k);
    c.out_column = pitch;
    c.out_group = pitch * d.m;
    c.out_split = c.out_group * d.batch;
    // At most four times the blocks that an H200 holds at once, as in the weight's gradient of a convolution.
    constexpr std::int64_t kBlocks = 4 * 264;
    const std::int64_t blocks = ceil_div(pitch, kCoresTile) * ceil_div(d.m, kCoresTile) * d.batch;
    divide(c, blocks, kBlocks / blocks * blocks);
    return launch(kWeightProduct, c, *b, *a, pitch);
  }

  PlanBuilder& builder_;
  const Device& device_;
  CoresLaunches launches_;
  const MatmulProblem& p_;
};

}  // namespace

Result<void> finish_cores(const PlanRequest& request, PlanBuilder& builder) {
  const MatmulProblem p(*static_cast<const Descriptor*>(request.descriptor));
  if (p.empty() || p.d.k == 0) return fail(ADJ_ERROR_UNSUPPORTED, "takes no empty matrices");
  Plan plan(builder, *request.device, p);
  ADJ_TRY(plan.check());
  ADJ_TRY(plan.product());
  return add_dbias(builder, *request.device, p);
}

}  // namespace adj::matmul
