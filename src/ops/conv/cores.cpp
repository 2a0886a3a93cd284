#include "ops/conv/cores.hpp"

#include <numeric>

#include "ops/common/shared.hpp"

namespace adj::conv {

namespace {

constexpr std::int64_t kFewestChannels = 2;  // of a group: with one, vectors of 8 would be mostly padding

// Vectors of an image of a packed tensor: channels last, each group padded to whole vectors.
std::int64_t image_vectors(const Geometry& g, bool big) { return g.places(big) * g.groups * vectors_of(g.channels(big)); }

// Parameters that all roles have in common.
ConvCoresParams params_of(const Geometry& g, ConvRole role) {
  ConvCoresParams p{};
  const bool of_big = role != kBigFromSmall;  // the gathered tensor is big
  const std::int64_t vectors = vectors_of(g.channels(of_big)), row = vectors * g.groups;
  p.gathered_image = narrow(image_vectors(g, of_big));
  p.gathered_group = narrow(vectors);
  p.inner = narrow(vectors);
  p.groups = narrow(g.groups);
  p.splits = 1;
  p.residues = 1;
  std::int64_t pitch = row, tap_pitch = vectors, places = 1;
  for (int i = 2; i >= 0; --i) {
    ConvAxis& a = p.axis[i];
    const std::int64_t stride = g.stride[i], dilation = g.dilation[i], taps = g.taps[i];
    a.extent = narrow(of_big ? g.big_extent[i] : g.small_extent[i]);
    a.pitch = narrow(pitch);
    if (role == kBigFromSmall) {
      const std::int64_t residues = std::min(stride, g.big_extent[i]), apart = stride / std::gcd(stride, dilation);
      a.residues = narrow(residues);
      a.places = narrow(ceil_div(g.big_extent[i], residues));
      a.scale = 1;
      a.step = narrow(-(apart * dilation / stride));
      a.tap_pitch = narrow(apart * tap_pitch);
      a.out_places = narrow(g.big_extent[i]);
      for (std::int64_t r = 0; r < std::min<std::int64_t>(residues, kMostResidues); ++r) {
        std::int64_t first = 0;
        while (first < std::min(taps, apart) && (r + g.pad[i] - first * dilation) % stride != 0) ++first;
        if (first == std::min(taps, apart)) continue;  // no tap meets a place of this residue
        a.of[r].offset = narrow((r + g.pad[i] - first * dilation) / stride);
        a.of[r].taps = narrow((taps - 1 - first) / apart + 1);
        a.of[r].first_tap = narrow(first * tap_pitch);
      }
    } else {
      a.residues = 1;
      a.places = a.out_places = narrow(g.small_extent[i]);
      a.scale = narrow(stride);
      a.step = narrow(dilation);
      a.tap_pitch = narrow(tap_pitch);
      a.of[0].offset = narrow(-g.pad[i]);
      a.of[0].taps = narrow(taps);
    }
    p.residues *= a.residues;
    pitch *= a.extent;
    tap_pitch *= taps;
    places *= a.places;
    if (i > 0) p.by_extent[i - 1] = divide_below_2_31(a.places);
  }
  p.places = narrow(places);
  p.by_places = divide_below_2_31(places);
  p.together = p.inner % 4 == 0 ? 4 : p.inner % 2 == 0 ? 2 : 1;
  p.matrix_row = narrow(vectors * g.all_taps());
  return p;
}

}  // namespace

void add_finish(PlanBuilder& builder, const Device& device, const ConvFinishParams& f, std::uint64_t partials, int out) {
  builder.kernel(kFinish, grid_for(device, ceil_div(f.count, kGemmThreads), 8), kGemmThreads)
      .params(f)
      .workspace(offsetof(ConvFinishParams, partials), partials)
      .tensor(offsetof(ConvFinishParams, out), out);
}

Result<void> CoresPlan::check() const {
  for (bool big : {true, false})
    if (g_.batch == 0 || g_.places(big) == 0 || g_.channels(big) == 0) return fail(ADJ_ERROR_UNSUPPORTED, "takes no empty tensors");
  for (bool big : {true, false}) {
    if (g_.channels(big) < kFewestChannels)
      return fail(ADJ_ERROR_UNSUPPORTED, "takes groups of at least {} channels on both sides: vectors of {} would be mostly padding", kFewestChannels,
                  int{kGemmVector});
    ADJ_TRY(check_limit(kMostIndex, "places", {g_.batch, g_.places(big)}));
    ADJ_TRY(check_limit(kMost, "vectors of 8 channels in a tensor", {g_.batch, g_.places(big), g_.groups, vectors_of(g_.channels(big))}));
    ADJ_TRY(check_limit(kMostIndex / kGemmVector, "vectors of 8 channels in the weight",
                        {g_.groups, g_.channels(!big), g_.all_taps(), vectors_of(g_.channels(big))}));
  }
  return check_shared(device_, kCoresShared);
}

Result<Operand> CoresPlan::tensor(bool big, int argument) {
  Operand& known = tensors_[big];
  if (known.argument >= 0) return known;
  const std::int64_t channels = g_.channels(big), vectors = vectors_of(channels);
  if (g_.last && channels % kGemmVector == 0) return known = {.argument = argument};
  const GemmTensor t = g_.tensor(big);
  GemmPackParams p{};
  p.image = t.batch;
  p.group = t.group;
  p.place = t.unit;
  p.channel = t.channel;
  p.to_image = image_vectors(g_, big);
  p.to_group = vectors;
  p.to_place = vectors * g_.groups;
  p.places = narrow(g_.places(big));
  p.channels = narrow(channels);
  p.groups = narrow(g_.groups);
  p.along_channels = g_.last;
  auto packed = add_pack(builder_, argument, p, g_.batch, g_.batch * p.to_image);
  if (packed) known = *packed;
  return packed;
}

// Weight as a role reads it: [groups * small's channels, taps, big's channels] for kSmallFromBig; for kBigFromSmall the two kinds of channels
// are exchanged.
Result<Operand> CoresPlan::weight(ConvRole role, int argument) {
  const std::int64_t taps = g_.all_taps(), row = g_.big_channels * taps;
  if (role == kSmallFromBig && g_.last && g_.big_channels % kGemmVector == 0) return Operand{.argument = argument};
  GemmPackParams p{};
  p.places = narrow(taps);
  p.place = g_.last ? g_.big_channels : 1;
  const std::int64_t big_channel = g_.last ? 1 : taps;
  std::int64_t images = g_.small_channels * g_.groups;
  if (role == kSmallFromBig) {
    p.image = row;
    p.channel = big_channel;
    p.channels = narrow(g_.big_channels);
    p.groups = 1;
    p.along_channels = g_.last;
  } else {
    images = g_.big_channels;
    p.image = big_channel;
    p.group = g_.small_channels * row;
    p.channel = row;
    p.channels = narrow(g_.small_channels);
    p.groups = narrow(g_.groups);
  }
  p.to_place = vectors_of(p.channels);
  p.to_image = taps * p.to_place;
  p.to_group = images * p.to_image;
  return add_pack(builder_, argument, p, images, p.groups * p.to_group);
}

Result<void> CoresPlan::launch(ProductProgram program, ConvCoresParams p, const Operand& gathered, const Operand& matrix, int bias, int out,
                               std::uint64_t sums) {
  p.line_tiles = narrow(ceil_div(p.lines, kCoresTile));
  p.column_tiles = narrow(ceil_div(p.columns, kCoresTile));
  ADJ_TRY(check_limit(kMost, "tiles", {p.line_tiles, p.column_tiles, p.residues, p.groups, p.splits}));
  auto kernel = builder_.kernel({program, kWholeRows}, std::int64_t{p.line_tiles} * p.column_tiles * p.residues * p.groups * p.splits, kCoresThreads);
  kernel.params(p).shared(kCoresShared);
  std::vector<int> read;
  for (const auto& [operand, offset] : {std::pair{gathered, offsetof(ConvCoresParams, gathered)}, std::pair{matrix, offsetof(ConvCoresParams, matrix)}}) {
    if (operand.packed) {
      kernel.workspace(offset, operand.workspace);
    } else {
      kernel.tensor(offset, operand.argument);
      read.push_back(operand.argument);
    }
  }
  kernel.when_unaligned({program, kAnyRows}, read);
  if (bias >= 0) kernel.tensor(offsetof(ConvCoresParams, bias), bias);
  if (p.sums) kernel.workspace(offsetof(ConvCoresParams, out), sums);
  else kernel.tensor(offsetof(ConvCoresParams, out), out);
  return {};
}

Result<void> CoresPlan::product(ConvRole role, int gathered, int weight_argument, int bias, int out) {
  const bool to_big = role == kBigFromSmall;
  if (to_big)
    for (int i = 0; i < 3; ++i)
      if (std::min(g_.stride[i], g_.big_extent[i]) > kMostResidues)
        return fail(ADJ_ERROR_UNSUPPORTED, "takes strides up to {} in this direction, has {} in spatial dimension {} of 3", int{kMostResidues}, g_.stride[i],
                    i);
  ConvCoresParams p = params_of(g_, role);
  ADJ_TRY(check_limit(kMostIndex, "places of a residue", {g_.batch, p.axis[0].places, p.axis[1].places, p.axis[2].places}));
  const GemmTensor t = g_.tensor(to_big);
  p.columns = narrow(g_.channels(to_big));
  p.lines = narrow(g_.batch * p.places);
  p.matrix_group = narrow(p.matrix_row * std::int64_t{p.columns});
  p.out_image = t.batch;
  p.out_group = t.group;
  p.out_column = t.channel;
  bool whole = t.batch % kGemmVector == 0 && t.group % kGemmVector == 0;
  std::int64_t taps = 1;
  for (int i = 0; i < 3; ++i) {
    ConvAxis& a = p.axis[i];
    a.out_pitch = t.place[i];
    std::int64_t most = 0;
    for (const auto& residue : a.of) most = std::max<std::int64_t>(most, residue.taps);
    taps *= most;
  }
  if (p.out_column == 1) whole = whole && p.columns % kGemmVector == 0 && t.unit % kGemmVector == 0;
  else whole = whole && p.residues == 1 && p.places % kGemmVector == 0;
  const std::int64_t steps = ceil_div(taps * p.inner, int{kCoresStep} / int{kGemmVector});
  p.split_steps = narrow(steps);
  p.sums = steps > kCoresRound;
  p.whole_vectors = whole && !p.sums;
  auto from = tensor(!to_big, gathered);
  if (!from) return from.take_error();
  auto matrix = weight(role, weight_argument);
  if (!matrix) return matrix.take_error();
  ConvFinishParams f{};
  f.count = g_.batch * t.batch;
  f.splits = 1;
  const std::uint64_t sums = p.sums ? builder_.book(static_cast<std::uint64_t>(f.count) * 4) : 0;
  ADJ_TRY(launch(kProduct, p, *from, *matrix, bias, out, sums));
  if (p.sums) add_finish(builder_, device_, f, sums, out);
  return {};
}

Result<void> CoresPlan::weight_gradient(bool accumulate, int big, int small, int out) {
  ConvCoresParams p = params_of(g_, kWeightGradient);
  const std::int64_t vectors = vectors_of(g_.small_channels), taps = g_.all_taps();
  p.columns = narrow(g_.small_channels);
  p.lines = p.matrix_row * kGemmVector;
  p.depth = narrow(g_.batch * p.places);
  p.matrix_vectors = narrow(vectors);
  p.matrix_group = narrow(vectors);
  p.matrix_row = narrow(vectors * g_.groups);
  p.out_column = p.lines;
  p.out_group = p.out_column * p.columns;
  p.out_split = p.out_group * g_.groups;
  p.sums = 1;
  const std::int64_t tiles = ceil_div(p.lines, kCoresTile) * ceil_div(p.columns, kCoresTile), steps = ceil_div(p.depth, kCoresStep);
  ADJ_TRY(check_limit(kMost, "tiles", {tiles, g_.groups}));
  const Tuning& tuning = tuning_of(device_);
  const std::int64_t blocks = tiles * g_.groups;
  const SplitRule rule{tuning.weight_blocks / blocks * blocks, p.depth, tuning.weight_shortest};
  const std::int64_t splits = std::min(splits_of(tuning, rule, p.depth, blocks, p.out_split), std::max<std::int64_t>(device_.grid_limit / blocks, 1));
  p.split_steps = narrow(ceil_div(steps, splits));
  p.splits = narrow(ceil_div(steps, p.split_steps));
  auto from = tensor(true, big);
  if (!from) return from.take_error();
  auto matrix = tensor(false, small);
  if (!matrix) return matrix.take_error();
  const std::uint64_t sums = builder_.book(static_cast<std::uint64_t>(p.splits * p.out_split) * 4);
  ADJ_TRY(launch(kWeightProduct, p, *from, *matrix, -1, out, sums));
  ConvFinishParams f{};
  f.count = p.out_split;
  f.splits = p.splits;
  f.accumulate = accumulate;
  if (g_.big_channels % kGemmVector != 0 || (!g_.last && taps > 1)) {
    f.taps = narrow(taps);
    f.channels = narrow(g_.big_channels);
    f.padded = p.inner * kGemmVector;
    f.row_pitch = g_.big_channels * taps;
    f.tap_pitch = narrow(g_.last ? g_.big_channels : 1);
    f.channel_pitch = narrow(g_.last ? 1 : taps);
    f.by_padded = divide_below_2_59(f.padded);
    f.by_taps = divide_below_2_59(taps);
  }
  add_finish(builder_, device_, f, sums, out);
  return {};
}

}  // namespace adj::conv
