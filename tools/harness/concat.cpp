// Cases of concatenation and splitting: numbers of pieces around the capacities of launches, runs around the widths of units, tiles and
// lines, odd widths for every element size, empty pieces and dimensions. Contents are random bits, also NaN payloads.
#include <fmt/format.h>

#include <adjoint/ops/concat.h>

#include "harness/harness.hpp"

namespace harness {

namespace {

struct Shape {
  std::string name;
  std::int64_t outer, inner;
  std::vector<std::int64_t> lengths;
};

// `count` lengths of changing size up to `largest`, every seventh one empty.
std::vector<std::int64_t> ragged(std::int64_t count, std::int64_t largest) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < count; ++i) lengths.push_back(i % 7 == 3 ? 0 : (i * 5) % largest + 1);
  return lengths;
}
std::vector<std::int64_t> equal(std::int64_t count, std::int64_t length) { return std::vector<std::int64_t>(static_cast<std::size_t>(count), length); }

std::vector<Shape> shapes(adj_dtype element, Level level) {
  const std::int64_t size = adj::size_of(element);
  std::vector<Shape> list{{"one piece", 3, 5, {7}},
                          {"one element", 1, 1, {1}},
                          {"two pieces one after the other", 1, 3, {5, 9}},
                          {"one piece among empty ones", 3, 2, {0, 5, 0, 0}},
                          {"empty pieces only", 3, 2, {0, 0}},
                          {"outer 0", 0, 2, {3, 4}},
                          {"inner 0", 2, 0, {3, 4}},
                          {"widths 1 to 7", 37, 1, {1, 2, 3, 4, 5, 6, 7}},
                          {"widths 4, 8, 4 of many rows", 150, 1, {4, 8, 4}},
                          {"two wide pieces", 3, 1, {301, 290}},
                          {"wide and aligned", 3, 16, {64, 32}},
                          {"aligned rows, many to a chunk", 33, 16, {17, 64, 32}},
                          {"aligned rows of pieces of one length", 33, 16, {16, 0, 16}},
                          {"200 aligned pieces, more than a small table", 2, 16 / size, ragged(200, 3)},
                          {"1000 aligned pieces", 1, 16 / size, ragged(1000, 2)},
                          {"1500 aligned pieces, more than one launch", 2, 16 / size, ragged(1500, 3)},
                          {"aligned rows around a small chunk, several turns", 21, 16 / size, {255, 256, 257, 1, 511, 513}},
                          {"aligned columns of one unit beside a wide piece", 70, 16 / size, {1, 40, 1}},
                          {"aligned pieces of some chunks after one another", 1, 16 / size, {256, 0, 257, 1025}},
                          {"runs of a line and odd ones", 2, 1, {1024 / size, 1024 / size + 1, 1}},
                          {"a wide piece between narrow ones", 9, 1, {1, 0, 2, 700 / size, 3, 1, 0}},
                          {"a narrow column beside a wide piece", 21, 1, {400, 1}},
                          {"few rows of narrow pieces", 3, 1, {1, 2, 3}},
                          {"5 pieces", 6, 3, ragged(5, 40)},
                          {"64 pieces", 5, 1, ragged(64, 9)},
                          {"150 pieces, more than a small table", 5, 1, ragged(150, 3)},
                          {"1200 pieces, more than one launch", 4, 1, ragged(1200, 2)},
                          {"1000 pieces after one another", 1, 1, ragged(1000, 4)}};
  if (level == Level::full) {
    list.push_back({"64 odd widths", 513, 1, ragged(64, 1001)});
    list.push_back({"1000 odd widths", 70, 1, ragged(1000, 131)});
    list.push_back({"2000 narrow pieces", 300, 1, ragged(2000, 7)});
    list.push_back({"columns", 70001, 1, equal(32, 1)});
    list.push_back({"columns of two and three", 40001, 1, {2, 3}});
    list.push_back({"rows of a whole table of columns", 33, 1, equal(9000 / size, 1)});
    list.push_back({"32 pieces on axis 1", 256, 1, equal(32, 1024)});
    list.push_back({"aligned rows around a large chunk", 300, 16 / size, {2047, 2048, 2049, 1024, 1}});
    list.push_back({"aligned rows, more than a turn of a split", 1537, 16 / size, {256, 257, 3}});
    list.push_back({"long runs", 1, 1, {3000001, 17, 2000003}});
    list.push_back({"many rows of two wide pieces", 20011, 1, {301, 130}});
    if (element == ADJ_U8) list.push_back({"more than 2^31 elements", 2, 1, {(std::int64_t{1} << 30) + 3, 77}});
  }
  return list;
}

void fill_bits(Data& data, Rng& rng) {
  std::size_t i = 0;
  for (; i + 8 <= data.bytes.size(); i += 8) {
    const std::uint64_t bits = rng();
    std::memcpy(&data.bytes[i], &bits, 8);
  }
  for (; i < data.bytes.size(); ++i) data.bytes[i] = static_cast<std::byte>(rng());
}

template <class Descriptor, class Fill>
std::vector<Case> make_cases(const adj::Signature& signature, Level level, Fill fill) {
  std::vector<Case> cases;
  for (const Shape& s : shapes(signature[0], level)) {
    Descriptor d;
    d.outer = s.outer;
    d.inner = s.inner;
    d.count = static_cast<std::int64_t>(s.lengths.size());
    d.lengths = s.lengths.data();
    d.element = signature[0];
    auto problem = std::make_shared<Problem>(d.header);
    fill(*problem);
    cases.push_back({fmt::format("{} ({} pieces, outer {}, inner {})", s.name, s.lengths.size(), s.outer, s.inner), std::move(problem), {}});
  }
  return cases;
}

}  // namespace

std::vector<Case> concat_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  Rng rng(seed);
  bool with_lengths = false;
  return make_cases<adj_concat_descriptor>(signature, level, [&](Problem& p) {
    for (Data& d : p.list("inputs")) fill_bits(d, rng);
    if (with_lengths = !with_lengths; !with_lengths) p.omit("lengths_out");
  });
}

std::vector<Case> split_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  Rng rng(seed);
  return make_cases<adj_split_descriptor>(signature, level, [&](Problem& p) { fill_bits(p.tensor("input"), rng); });
}

}  // namespace harness
