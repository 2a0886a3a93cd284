// Values of the terms of an operator, some of whose fields are not known.
#pragma once

#include <bitset>
#include <cstring>
#include <optional>

#include "plan/rules.hpp"

namespace adj {

class Terms {
 public:
  // descriptor: of full size; what fields that are not known hold does not matter.
  Terms(const OpInfo& op, std::byte* descriptor) : op_(op), descriptor_(descriptor) {}

  std::bitset<kMostKnownFields> unknown;  // bit i: the value of op.known_fields[i] is not known
  std::int64_t entry = 0;                 // the tensor of a list whose terms are asked for

  const Term& operator[](std::uint16_t term) const { return op_.terms[term]; }
  // The value; nothing when it depends on a field that is not known.
  std::optional<std::int64_t> number(std::uint16_t term) const;
  std::optional<bool> condition(std::uint16_t term) const;
  std::optional<rules::Dims> dims(std::uint16_t term) const;
  bool is_shape(std::uint16_t term) const;
  // The shape that a choice between shapes comes to; kNoTerm when the condition is not known.
  std::uint16_t chosen(std::uint16_t term) const;
  bool is_unknown(const Term& term) const { return term.field >= 0 && unknown[static_cast<std::size_t>(term.field)]; }

  // True when the term names the field op.known_fields[known].
  bool has(std::uint16_t term, std::size_t known) const;

  // An item of a shape.
  struct Item {
    std::uint16_t term;
    std::optional<std::int64_t> value;  // nothing: it is not known
    bool folds = false;                 // it may stand for several dimensions
    bool rest = false;                  // it may stand for none as well: it takes the dimensions that the others leave
    rules::Dims factors{};              // of a product of a shape's dimensions: these, which it may stand for beside their product
  };
  struct Items {
    std::array<Item, std::size_t{2} * ADJ_MAX_RANK> at;
    std::size_t count = 0, unknown = 0;
    std::span<const Item> all() const { return {at.data(), count}; }
  };
  // False when a shape among the items is not known.
  bool flatten(std::uint16_t shape, Items& items) const;
  // The items that are known at the front, or at the back, take their dimensions. False when they are others.
  static bool strip(std::span<const Item>& items, std::span<const std::int64_t>& dims, bool back);
  // True when the dimensions are those of the items, whose values are known: one for each, or several for an item that folds.
  static bool fits(std::span<const Item> items, std::span<const std::int64_t> dims);

  template <class T>
  T at(std::uint32_t offset) const {
    T value;
    std::memcpy(&value, descriptor_ + offset, sizeof value);
    return value;
  }
  template <class T>
  void put(std::uint32_t offset, const T& value) {
    std::memcpy(descriptor_ + offset, &value, sizeof value);
  }

 private:
  std::optional<std::int64_t> arithmetic(const Term& term) const;
  std::optional<std::span<const std::int64_t>> list(const Term& term) const;
  std::optional<double> real(std::uint16_t term) const;

  const OpInfo& op_;
  std::byte* descriptor_;
};

}  // namespace adj
