#include "plan/terms.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "plan/descriptor.hpp"

namespace adj {

namespace {

// a op b, where a comparison has the value 0 or 1; nothing when it is beyond 64 bits.
std::optional<std::int64_t> combined(TermOp op, std::int64_t a, std::int64_t b) {
  std::int64_t made = 0;
  switch (op) {
    case TermOp::add: return __builtin_add_overflow(a, b, &made) ? std::nullopt : std::optional(made);
    case TermOp::sub: return __builtin_sub_overflow(a, b, &made) ? std::nullopt : std::optional(made);
    case TermOp::mul: return __builtin_mul_overflow(a, b, &made) ? std::nullopt : std::optional(made);
    case TermOp::div: return rules::quotient(a, b);
    case TermOp::rem: return rules::remainder(a, b);
    case TermOp::ceil_div: return rules::ceil_div_of(a, b);
    case TermOp::eq: return a == b;
    case TermOp::ne: return a != b;
    case TermOp::lt: return a < b;
    case TermOp::le: return a <= b;
    case TermOp::gt: return a > b;
    default: return a >= b;
  }
}

}  // namespace

std::optional<double> Terms::real(std::uint16_t term) const {
  if ((*this)[term].op == TermOp::f64) return at<double>((*this)[term].a);
  if (const auto value = number(term)) return static_cast<double>(*value);
  return {};
}

std::optional<std::int64_t> Terms::arithmetic(const Term& t) const {
  const bool compares = t.op >= TermOp::eq && t.op <= TermOp::ge;
  if (compares && ((*this)[t.a].op == TermOp::f64 || (*this)[t.b].op == TermOp::f64)) {
    const auto a = real(t.a), b = real(t.b);
    if (!a || !b) return {};
    switch (t.op) {
      case TermOp::eq: return *a == *b;
      case TermOp::ne: return *a != *b;
      case TermOp::lt: return *a < *b;
      case TermOp::le: return *a <= *b;
      case TermOp::gt: return *a > *b;
      default: return *a >= *b;
    }
  }
  const auto a = number(t.a), b = number(t.b);
  if (!a || !b) return {};
  return combined(t.op, *a, *b);
}

// The numbers of a list that can be one: select refuses others.
std::optional<std::span<const std::int64_t>> Terms::list(const Term& t) const {
  if (t.op != TermOp::list || is_unknown(t)) return {};
  const auto count = at<std::int64_t>(t.a - 8u);
  const auto* items = at<const std::int64_t*>(t.a);
  if (count < 0 || count > kLongestList || (count > 0 && !items)) return {};
  return std::span(items, static_cast<std::size_t>(count));
}

std::optional<std::int64_t> Terms::number(std::uint16_t term) const {
  const Term& t = (*this)[term];
  if (is_unknown(t)) return {};
  switch (t.op) {
    case TermOp::number: return t.a | std::int64_t{t.b} << 16 | std::int64_t{t.c} << 32;
    case TermOp::i64: return at<std::int64_t>(t.a);
    case TermOp::i32: return at<std::int32_t>(t.a);
    case TermOp::f64: return at<double>(t.a) != 0;
    case TermOp::type: {
      const auto type = at<std::int32_t>(t.a);
      return type || t.b == kNoTerm ? type : number(t.b);
    }
    case TermOp::list: {
      const auto items = list(t);
      return items && entry < static_cast<std::int64_t>(items->size()) ? std::optional((*items)[static_cast<std::size_t>(entry)]) : std::nullopt;
    }
    case TermOp::choose: {
      const auto holds = condition(t.a);
      return holds ? number(*holds ? t.b : t.c) : std::nullopt;
    }
    case TermOp::negation:
    case TermOp::both:
    case TermOp::any: return condition(term);
    case TermOp::accumulator: {
      const auto type = number(t.a);
      return type ? std::optional<std::int64_t>(accumulator_of(static_cast<adj_dtype>(*type))) : std::nullopt;
    }
    case TermOp::extent: {
      const auto shape = dims(t.a);
      const auto axis = number(t.b);
      return shape && axis ? std::optional(rules::extent_of(*shape, *axis)) : std::nullopt;
    }
    case TermOp::product: {
      const auto shape = dims(t.a);
      const auto from = t.b == kNoTerm ? 0 : number(t.b), to = t.c == kNoTerm ? std::numeric_limits<std::int64_t>::max() : number(t.c);
      return shape && from && to ? std::optional(rules::product_of(*shape, *from, *to)) : std::nullopt;
    }
    case TermOp::sum: {
      const auto items = list((*this)[t.a]);
      return items
                 ? std::optional(rules::sum_of(static_cast<std::int64_t>(items->size()), [&](std::int64_t i) { return (*items)[static_cast<std::size_t>(i)]; }))
                 : std::nullopt;
    }
    default: return is_shape(term) ? std::nullopt : arithmetic(t);
  }
}

std::optional<bool> Terms::condition(std::uint16_t term) const {
  const Term& t = (*this)[term];
  if (t.op == TermOp::negation) {
    const auto value = condition(t.a);
    return value ? std::optional(!*value) : std::nullopt;
  }
  if (t.op == TermOp::both || t.op == TermOp::any) {
    const bool decides = t.op == TermOp::any;
    const auto a = condition(t.a), b = condition(t.b);
    if (a == decides || b == decides) return decides;
    return a && b ? std::optional(!decides) : std::nullopt;
  }
  const auto value = number(term);
  return value ? std::optional(*value != 0) : std::nullopt;
}

bool Terms::is_shape(std::uint16_t term) const {
  switch ((*this)[term].op) {
    case TermOp::shape:
    case TermOp::choose_shape:
    case TermOp::items:
    case TermOp::empty:
    case TermOp::part:
    case TermOp::replaced:
    case TermOp::broadcast: return true;
    default: return false;
  }
}

std::uint16_t Terms::chosen(std::uint16_t term) const {
  while (term != kNoTerm && (*this)[term].op == TermOp::choose_shape) {
    const Term& t = (*this)[term];
    const auto holds = condition(t.a);
    term = !holds ? kNoTerm : *holds ? t.b : t.c;
  }
  return term;
}

std::optional<rules::Dims> Terms::dims(std::uint16_t term) const {
  term = chosen(term);
  if (term == kNoTerm) return {};
  const Term& t = (*this)[term];
  if (is_unknown(t)) return {};
  const auto operand = [&](std::uint16_t at, std::int64_t otherwise) { return at == kNoTerm ? otherwise : number(at); };
  switch (t.op) {
    case TermOp::shape: return rules::Dims(at<adj_shape>(t.a));
    case TermOp::empty: return rules::Dims();
    case TermOp::items: {
      rules::Dims made;
      for (std::uint16_t at = term; at != kNoTerm; at = (*this)[at].b) {
        const std::uint16_t item = (*this)[at].a;
        if (is_shape(item)) {
          const auto inner = dims(item);
          if (!inner) return {};
          made = std::move(made).add(*inner);
        } else {
          const auto extent = number(item);
          if (!extent) return {};
          made.push(*extent);
        }
      }
      return made;
    }
    case TermOp::part: {
      const auto shape = dims(t.a);
      const auto from = number(t.b), to = operand(t.c, std::numeric_limits<std::int64_t>::max());
      return shape && from && to ? std::optional(rules::part_of(*shape, *from, *to)) : std::nullopt;
    }
    case TermOp::replaced: {
      const auto shape = dims(t.a);
      const auto axis = number(t.b), extent = number(t.c);
      return shape && axis && extent ? std::optional(rules::replaced_of(*shape, *axis, *extent)) : std::nullopt;
    }
    case TermOp::broadcast: {
      const auto a = dims(t.a), b = dims(t.b);
      return a && b ? std::optional(rules::broadcast_of(*a, *b)) : std::nullopt;
    }
    default: return {};
  }
}

bool Terms::flatten(std::uint16_t shape, Items& items) const {
  const auto push = [&](const Item& item) {
    if (items.count == items.at.size()) return false;
    items.at[items.count++] = item;
    items.unknown += !item.value;
    return true;
  };
  if ((*this)[shape].op != TermOp::items) {
    const auto all = dims(shape);
    return all && std::ranges::all_of(all->all(), [&](std::int64_t n) { return push({kNoTerm, n}); });
  }
  for (std::uint16_t at = shape; at != kNoTerm; at = (*this)[at].b) {
    const std::uint16_t item = (*this)[at].a;
    if (is_shape(item)) {
      const auto inner = dims(item);
      if (!inner || !std::ranges::all_of(inner->all(), [&](std::int64_t n) { return push({kNoTerm, n}); })) return false;
      continue;
    }
    const Term& t = (*this)[item];
    Item made{item, number(item)};
    if (t.op == TermOp::i64 && t.field >= 0) {
      const KnownField& field = op_.known_fields[static_cast<std::size_t>(t.field)];
      made.rest = field.rest;
      made.folds = field.folds != kNoTerm && condition(field.folds) == true;
    } else {
      made.folds = t.op == TermOp::product;  // of the dimensions of a shape
      if (made.folds && made.value) {
        const auto bound = [&](std::uint16_t at, std::int64_t otherwise) { return at == kNoTerm ? otherwise : number(at).value_or(otherwise); };
        made.factors = rules::part_of(*dims(t.a), bound(t.b, 0), bound(t.c, std::numeric_limits<std::int64_t>::max()));
      }
      made.rest = made.folds || (t.op == TermOp::number && made.value == 1);
    }
    if (!push(made)) return false;
  }
  return true;
}

bool Terms::strip(std::span<const Item>& items, std::span<const std::int64_t>& dims, bool back) {
  while (!items.empty()) {
    const Item& item = back ? items.back() : items.front();
    if (!item.value) return true;
    std::int64_t product = 1;
    std::size_t taken = 0;
    const auto dim = [&] { return back ? dims[dims.size() - 1 - taken] : dims[taken]; };
    const bool one = *item.value == 1 && !dims.empty() && dim() == 1 && dims.size() >= items.size();  // a rest of 1 that has a dimension of its own
    const std::size_t least = item.rest && !one ? 0 : 1, most = std::min(item.folds ? dims.size() : 1, dims.size());
    while (taken < most && (taken < least || product != *item.value) && !__builtin_mul_overflow(product, dim(), &product)) ++taken;
    if (product != *item.value || taken < least) return false;
    dims = back ? dims.first(dims.size() - taken) : dims.subspan(taken);
    items = back ? items.first(items.size() - 1) : items.subspan(1);
  }
  return true;
}

// True when the dimensions are those of the item's shape, but for dimensions of 1.
static bool are_factors(const Terms::Item& item, std::span<const std::int64_t> dims) {
  const auto others = [](std::span<const std::int64_t> some) {
    std::vector<std::int64_t> found;
    std::ranges::copy_if(some, std::back_inserter(found), [](std::int64_t n) { return n != 1; });
    return found;
  };
  return others(item.factors.all()) == others(dims);
}

bool Terms::fits(std::span<const Item> items, std::span<const std::int64_t> dims) {
  if (items.empty()) return dims.empty();
  std::int64_t product = 1;
  for (std::size_t taken = 0;; ++taken) {
    const bool folds = items[0].folds && (items[0].factors.all().empty() || are_factors(items[0], dims.first(taken)));
    const bool may = taken == 1 || (taken == 0 ? items[0].rest : folds);
    if (may && product == *items[0].value && fits(items.subspan(1), dims.subspan(taken))) return true;
    if (taken == dims.size() || __builtin_mul_overflow(product, dims[taken], &product)) return false;
  }
}

bool Terms::has(std::uint16_t term, std::size_t known) const {
  if (term == kNoTerm) return false;
  const Term& t = (*this)[term];
  if (t.field == static_cast<int>(known)) return true;
  switch (t.op) {
    case TermOp::number:
    case TermOp::i64:
    case TermOp::i32:
    case TermOp::f64:
    case TermOp::shape:
    case TermOp::list:
    case TermOp::empty: return false;
    case TermOp::type: return has(t.b, known);
    case TermOp::negation:
    case TermOp::accumulator:
    case TermOp::sum: return has(t.a, known);
    case TermOp::choose:
    case TermOp::choose_shape:
      if (const auto holds = condition(t.a)) return has(*holds ? t.b : t.c, known);
      [[fallthrough]];
    case TermOp::extent:
    case TermOp::part:
    case TermOp::product:
    case TermOp::replaced: return has(t.a, known) || has(t.b, known) || has(t.c, known);
    default: return has(t.a, known) || has(t.b, known);
  }
}

}  // namespace adj
