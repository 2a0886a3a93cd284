// Directions in which a problem may be cut into rows, or made larger.
#pragma once

#include "harness/harness.hpp"

namespace harness {

using Counts = std::vector<std::int64_t>;

// Field of a descriptor whose value is a multiple of the number of rows; of a shape, one of its extents.
struct RowField {
  const char* name;
  int axis = 0;
};
// A direction in which a problem may be cut. Rows of lists are the elements of each tensor; others are counted by `fields`.
struct Rows {
  std::string name;
  std::vector<RowField> fields;  // none: the list `numel`
  Counts counts;                 // number of rows; of lists, of each tensor
  std::int64_t grain = 1;        // parts begin at multiples of so many rows
  std::int64_t draws = 0;        // random numbers of `draw_rows` rows: by so many the offset of a part is larger
  bool positions = false;        // true: first_elements says where parts of tensors begin
  // The rows of a table: entries of this input say which of them a problem touches, so that these rows alone are those of a larger table.
  const char* named_by = nullptr;
  std::int64_t names = 1;        // entries count so many for a row
  std::int64_t every = 1;        // of so many entries the first one names a row
  std::int64_t draw_rows = 1;
  const char* sum = nullptr;     // not null: the list counts neighbouring parts of one buffer, of which the first grows; the field that has their sum
  bool whole = false;            // true: results that have no rows are those of these rows alone if all others hold zeros
};

// Position of an extent in the descriptor, in bytes.
std::size_t place_of(const adj::OpInfo& op, const RowField& field);
const adj::Field& field_of(const adj::OpInfo& op, const char* name);
// Directions in which the rows of a problem are independent by the definition of its operator. Extents of 1 and 0 count.
std::vector<Rows> rows_of(const Problem& problem);
// Directions in which a problem may only be made larger without changing what its rows hold: tables whose rows indices name, and extents of operators
// whose other rows would be needed as well if those of the problem were cut.
std::vector<Rows> tables_of(const Problem& problem);

}  // namespace harness
