// Part of a problem's rows as a problem of its own, for the promise that a row's result does not depend on the number of rows.
#pragma once

#include <map>

#include "harness/harness.hpp"

namespace harness {

// Part of the rows of a problem, as a problem of its own: inputs with rows are cut, others are shared.
struct Part {
  // Place of the rows in a buffer of the whole: in each of `outer` stretches of `whole` pieces, `part` pieces from `begin` on. A piece has
  // `stride` elements.
  struct Slice {
    std::int64_t outer = 1, whole = 0, begin = 0, part = 0, stride = 1;
    bool is_cut() const { return part != whole; }
  };
  std::string name;
  Problem problem;
  std::vector<std::vector<Slice>> rows;  // of each argument, for each of its buffers; none where an argument has no rows
};
// The first half of the rows, the second half and one row, in each direction in which the operator has rows. None for a problem of one row.
std::vector<Part> parts_of(const Problem& problem);
// True when the SKU promises for this output, or for any, that a row's result does not depend on the number of rows.
bool is_batch_invariant(const adj::Sku& sku, const Problem& problem, std::size_t argument);
bool promises_rows(const adj::Sku& sku, const Problem& problem);
// Names the first row whose result differs from that of the whole, among the outputs that the SKU promises this for; empty when none does.
std::string difference(const Problem& problem, const Outputs& outputs, const Part& part, const Outputs& alone, const adj::Sku& sku);

// The problem with its rows in reverse order, in each direction in which rows draw no random numbers. `rows` has the place of the first row.
std::vector<Part> reversed(const Problem& problem);
// The contents of a buffer with its rows in reverse order.
Data reversed(const Data& data, const Part::Slice& first);

// A problem of so many rows that its largest buffer has at least a given number of elements, without contents. Its last rows are `last`.
struct Enlarged {
  adj::DescriptorCopy descriptor;
  std::vector<adj::ArgumentSpec> specs;
  Problem last;  // the rows as a problem of their own, which draws the random numbers that they draw behind the others
  std::vector<std::vector<Part::Slice>> rows;  // of each argument, for each of its buffers, the place of the rows; outer is 1
  std::uint64_t random_offset_back = 0;        // by so much the offset of the whole is smaller
  std::int64_t count = 0;                      // rows of the whole
  bool whole = false;                          // true: outputs without rows are those of `last` if all other rows hold zeros
  std::map<std::size_t, Data> moved;           // contents of arguments that are not those of `last`: indices, which name the rows in the whole
};
// One for each direction in which the operator has rows that lie together at the end of each buffer. why: set to the reason where there is none.
std::vector<Enlarged> enlarged(const Problem& problem, std::int64_t elements, std::string& why);

}  // namespace harness
