#include "ops/parts/parts.hpp"

namespace adj {

namespace {

static_assert(kPartsThreads == kMultiTensorThreads && kPartsSharedBytes <= 48 << 10);
constexpr int kAlignedChunkLog2 = 11;
static_assert(1 << kAlignedChunkLog2 == kPartsAlignedThreads * kPartsAlignedVectors);

// The problem in bytes: `rows` rows of `pitch` bytes, runs[i] of them of piece i. A single piece with elements becomes one long row.
struct Geometry {
  std::int64_t rows, pitch;
  std::vector<std::int64_t> runs;
};
Geometry geometry_of(const JointTensor& joint) {
  const std::int64_t width = size_of(joint.element);
  Geometry g{joint.outer, 0, {}};
  const auto filled = std::ranges::count_if(joint.lengths, [](std::int64_t n) { return n > 0; });
  const std::int64_t merged = filled == 1 ? joint.outer : 1;
  g.rows /= merged;
  for (std::int64_t n : joint.lengths) {
    g.runs.push_back(merged * n * joint.inner * width);
    g.pitch += g.runs.back();
  }
  return g;
}

// Groups of neighbouring narrow pieces that share tiles: the entry of a group's last piece is the size of the group, all others are 0.
// A group must be in one launch, so none lies across a multiple of `batch`.
std::vector<std::uint32_t> group_pieces(const Geometry& g, std::size_t batch) {
  constexpr std::int64_t kFewRows = 4;  // with fewer, a tile is hardly longer than the pieces
  std::vector<std::uint32_t> groups(g.runs.size());
  if (g.rows < kFewRows) return groups;
  for (std::size_t begin = 0; begin < g.runs.size();) {
    std::size_t end = begin, filled = 0, last = begin;
    std::int64_t bytes = 0;
    for (; end < g.runs.size() && end - begin < kPartsGroupPieces && (end == begin || end % batch != 0); ++end) {
      if (g.runs[end] >= kPartsNarrow || bytes + g.runs[end] > kPartsGroupBytes) break;
      bytes += g.runs[end];
      if (g.runs[end] > 0) ++filled, last = end;
    }
    if (filled >= 2) groups[last] = static_cast<std::uint32_t>(last - begin + 1);
    begin = std::max(end, begin + 1);
  }
  return groups;
}

}  // namespace

bool JointTensor::empty() const {
  return outer == 0 || inner == 0 || std::ranges::all_of(lengths, [](std::int64_t n) { return n == 0; });
}

Result<void> add_parts(PlanBuilder& builder, const Device& device, const char* op, const JointTensor& joint, int list_argument, int joint_argument,
                       bool split) {
  const Geometry g = geometry_of(joint);
  const std::size_t pieces = g.runs.size();
  const int width = static_cast<int>(size_of(joint.element));

  std::vector<std::uint64_t> offsets{0}, runs;
  for (std::int64_t run : g.runs) {
    runs.push_back(static_cast<std::uint64_t>(run));
    offsets.push_back(offsets.back() + runs.back());
  }
  offsets.pop_back();
  const std::vector<std::uint32_t> groups = group_pieces(g, multi_tensor_batch(device, pieces, sizeof(PartsHead), kPartsNarrowForm).capacity);

  // own_vectors: vectors of a row of each piece that is copied on its own. group_bytes: bytes of a row of each group, at its last piece.
  std::vector<std::int64_t> own_vectors(pieces), group_bytes(pieces);
  std::int64_t vectors = 0, widest = 0, own = 0, payload = 0;
  bool aligned = g.rows == 1 || g.pitch % 16 == 0;  // all pieces copied on their own are whole vectors
  for (std::size_t end = pieces; end-- > 0;) {
    if (groups[end]) {
      const std::size_t begin = end + 1 - groups[end];
      for (std::size_t i = begin; i <= end; ++i) group_bytes[end] += g.runs[i];
      payload += group_bytes[end] * g.rows;
      end = begin;
    } else if (g.runs[end] > 0) {
      own_vectors[end] = parts_row_vectors(g.runs[end], width);
      aligned &= g.runs[end] % 16 == 0 && offsets[end] % 16 == 0;
      ++own;
    }
  }
  for (std::size_t i = 0; i < pieces; ++i) {
    if (aligned && own_vectors[i] > 0) own_vectors[i] = g.runs[i] / 16;  // no vector is shared with a neighbour
    vectors += own_vectors[i];
    widest = std::max(widest, own_vectors[i]);
  }
  // Chunks and tiles grow while there are plenty for every multiprocessor. The threads of a block hold a chunk of aligned rows, so blocks grow
  // with chunks.
  constexpr int kSmallestChunk = 8, kSmallestTile = 4096;
  const int largest_chunk = aligned ? kAlignedChunkLog2 : 12;
  const std::int64_t plenty = std::int64_t{device.multiprocessors} * 8;
  MultiTensorWork wide, narrow;
  wide.constants = narrow.constants = {std::move(offsets), std::move(runs)};
  narrow.counts = {groups};
  wide.chunk_log2 = kSmallestChunk;
  while (wide.chunk_log2 < largest_chunk && (g.rows * vectors >> wide.chunk_log2) > plenty) ++wide.chunk_log2;
  int tile_bytes = kSmallestTile;
  while (tile_bytes < kPartsTileBytes && payload / tile_bytes > plenty) tile_bytes *= 2;

  if (aligned) wide.threads = (1u << wide.chunk_log2) / kPartsAlignedVectors;
  // A turn takes some rows of all wide pieces, so that the joint tensor is gone through from one end to the other. An average piece has at least
  // kFewestRows of them and fills whole chunks. A split of aligned rows writes 4 MB of an average piece in a turn: on an H200 up to 3 % faster;
  // a concat, which would read as much, is slower.
  constexpr std::int64_t kFewestRows = 8, kSplitVectors = std::int64_t{1} << 18;
  // The vectors of a piece in a turn are counted in 32 bits, unless the turn is one row.
  constexpr std::int64_t kMostVectors = std::int64_t{1} << 26, kMostTurns = 65535;
  std::int64_t rows = 1;
  if (own > 0) {
    const std::int64_t few = chunks_of(ceil_div(kFewestRows * vectors, own), wide.chunk_log2) << wide.chunk_log2;
    rows = std::max(few, aligned && split ? kSplitVectors : 0) * own / vectors;
    const std::int64_t most = std::max<std::int64_t>(1, std::min(kMostVectors / widest, g.rows));
    rows = std::min(std::max(rows, ceil_div(g.rows, kMostTurns)), most);
    wide.turns = ceil_div(g.rows, rows);
  }

  std::int64_t chunks = 0;
  for (std::size_t i = 0; i < pieces; ++i) {
    wide.chunks.push_back(chunks_of(rows * own_vectors[i], wide.chunk_log2));
    narrow.chunks.push_back(
        groups[i] ? ceil_div(g.rows, parts_tile_rows(static_cast<unsigned>(tile_bytes), static_cast<unsigned>(group_bytes[i]), group_bytes[i] == g.pitch)) : 0);
    chunks += wide.chunks[i] * wide.turns + narrow.chunks[i];
  }
  if (chunks > std::numeric_limits<std::int32_t>::max() || wide.turns > kMostTurns)
    return fail(ADJ_ERROR_UNSUPPORTED, "{}: {} rows of {} bytes make more blocks than a grid has", op, g.rows, g.pitch);

  const bool even = std::all_of(own_vectors.begin(), own_vectors.end(), [&](std::int64_t n) { return n == 0 || n == widest; });
  const unsigned inverse = aligned && even && widest > 0 ? inverse_of(static_cast<std::uint64_t>(widest), static_cast<std::uint64_t>(rows * widest)) : 0;
  auto head_of = [&](bool) {
    PartsHead head{};
    head.inverse_vectors = inverse;
    head.rows = g.rows;
    head.pitch = g.pitch;
    head.split = split;
    head.width = width;
    head.tile_bytes = tile_bytes;
    head.rows_of_turn = static_cast<int>(rows);
    return head;
  };
  const int arguments[] = {list_argument};
  if (aligned) {
    wide.unaligned_program = kPartsWide;
    wide.unaligned_arguments = {list_argument, joint_argument};
  }
  add_multi_tensor(builder, device, aligned ? kPartsAligned : kPartsWide, wide, arguments, head_of,
                   [&](PlanBuilder::Kernel& kernel) { kernel.tensor(offsetof(PartsHead, joint), joint_argument); });
  add_multi_tensor(builder, device, kPartsNarrowRows, narrow, arguments, head_of,
                   [&](PlanBuilder::Kernel& kernel) { kernel.tensor(offsetof(PartsHead, joint), joint_argument).shared(kPartsSharedBytes); });
  return {};
}

}  // namespace adj
