// Completes a descriptor from the arguments of a call: reads the annotations of the header backwards.
//
// The fields that the caller did not give are unknown. Each array that was given states equations: its type is the value of a term, its
// dimensions are those of a shape. They are solved until none yields anything more; then the arrays are checked against what the completed
// descriptor asks for, and an array that contradicts it is named together with the argument, or the caller, that said otherwise.
#include "plan/complete.hpp"

#include <algorithm>
#include <cstring>

#include "plan/arguments.hpp"
#include "plan/rules.hpp"
#include "plan/descriptor.hpp"
#include "plan/terms.hpp"

namespace adj {

namespace {

using Numbers = std::span<const std::int64_t>;

// Where the value of a field comes from: the index of an argument, or one of these.
constexpr int kByCaller = -1, kByDefault = -2;

// How far the search for equations goes. Each step is tried when the ones before yield nothing more.
enum class Step : int {
  one_unknown,   // shapes with a single extent that is not known
  without_rest,  // shapes with several, where each takes a dimension and nothing is left for the rest
  all_unknown,   // shapes with several, one of which takes the rest
  alternatives,  // x ? x : y, with neither known: y
  defaults       // extents whose default is of use, and that no array with a stated shape has
};

std::string text_of(Numbers numbers) { return fmt::format("[{}]", fmt::join(numbers, ", ")); }

class Completion {
 public:
  Completion(const OpInfo& op, std::byte* descriptor, const std::byte* args) : op_(op), descriptor_(descriptor), args_(args), terms_(op, descriptor) {}

  Result<void> run();
  // Checks the arrays against the requirements of the completed descriptor.
  Result<void> compare(std::span<const ArgumentSpec> specs);
  // Copies the lists that were found to the caller's room. The descriptor points there afterwards.
  Result<void> hand_out(std::int64_t* room, std::int64_t capacity);

 private:
  using Item = Terms::Item;
  using Items = Terms::Items;

  const std::byte* default_args() const { return static_cast<const std::byte*>(op_.default_args); }
  const char* name_of(int argument) const { return op_.arguments[static_cast<std::size_t>(argument)].name; }
  const KnownField& field(std::size_t i) const { return op_.known_fields[i]; }
  bool is_tensor(std::size_t i) const { return op_.arguments[i].kind == ArgumentKind::tensor; }
  bool is_list(std::size_t i) const { return op_.arguments[i].kind == ArgumentKind::list; }
  const adj_tensor& tensor(std::size_t i) const { return argument<adj_tensor>(args_, op_.arguments[i]); }
  const adj_tensor_list& list(std::size_t i) const { return argument<adj_tensor_list>(args_, op_.arguments[i]); }
  adj_dtype dtype(std::size_t i) const { return is_tensor(i) ? tensor(i).dtype : list(i).dtype; }
  bool given(std::size_t i) const;
  std::optional<Numbers> stated(std::size_t i) const;

  Result<void> check_arrays() const;
  void find_unknown();
  void find_flags(std::uint16_t condition, int source);
  void find_types();
  void find_extents();
  bool advance(Step step);
  bool advance(std::size_t i, Step step);
  bool advance_list(std::size_t i, Step step);
  bool take_default();
  bool match(const Items& items, Numbers dims, Step step, int source);
  bool solve(std::uint16_t term, std::int64_t value, Step step, int source);
  void settle(std::size_t known, int source) {
    terms_.unknown.reset(known);
    source_[known] = source;
  }
  bool needs(std::size_t i) const;
  bool usable_default(std::size_t known) const;
  // The error of a field that no argument tells; shown: an array with a stated shape that has it, or -1.
  Error unsolved(std::size_t known, int shown) const;
  // The error of the first extent that is not the dimension at its place, where a shape has as many dimensions as extents.
  std::optional<Error> misplaced(std::size_t argument) const;
  Result<void> check_found() const;
  bool fits(std::size_t i, const ArgumentSpec& spec, Numbers dims) const;

  std::string value_of(std::size_t known) const;
  Error disagreement(std::size_t known, int argument, const std::string& other, bool shape) const;
  Error contradiction(std::size_t argument, const ArgumentSpec& spec);

  const OpInfo& op_;
  std::byte* descriptor_;
  const std::byte* args_;
  Terms terms_;
  std::array<int, kMostKnownFields> source_{};
  std::array<std::vector<std::int64_t>, kMostKnownFields> lists_;
  std::bitset<kMostKnownFields> found_lists_;
};

// ---- what was given

bool Completion::given(std::size_t i) const {
  const ArgumentInfo& info = op_.arguments[i];
  switch (info.kind) {
    case ArgumentKind::tensor: return tensor(i).data || tensor(i).dtype;
    case ArgumentKind::list: return list(i).data || list(i).count || list(i).dtype;
    case ArgumentKind::scalar: {  // by value, 0 and the default are what a caller has who does not mention it
      const auto& s = argument<adj_scalar>(args_, info);
      return s.device || (s.value != 0 && std::memcmp(&s.value, default_args() + info.offset, sizeof s.value) != 0);
    }
    case ArgumentKind::random: {
      const auto& r = argument<adj_random>(args_, info);
      return r.device || r.seed || (r.offset && r.offset != argument<adj_random>(default_args(), info).offset);
    }
    case ArgumentKind::handle: return argument<const void*>(args_, info);
  }
  return false;
}

// The dimensions of a tensor that states them. One without states that it is a scalar when its capacity is one element.
std::optional<Numbers> Completion::stated(std::size_t i) const {
  const adj_tensor& t = tensor(i);
  if (!given(i) || (t.rank == 0 && (t.bytes == 0 || t.bytes != size_of(t.dtype)))) return {};
  return Numbers(t.shape, static_cast<std::size_t>(t.rank));
}

Result<void> Completion::check_arrays() const {
  for (std::size_t i = 0; i < op_.arguments.size(); ++i) {
    const char* name = op_.arguments[i].name;
    if (is_tensor(i) && given(i)) {
      const adj_tensor& t = tensor(i);
      if (!dtype_name(t.dtype) || t.dtype == ADJ_DTYPE_NONE)
        return fail(ADJ_ERROR_DTYPE_MISMATCH, "{}: {}.dtype = {} is not an element type", op_.name, name, t.dtype);
      if (t.rank < 0 || t.rank > ADJ_MAX_RANK)
        return fail(ADJ_ERROR_SHAPE_MISMATCH, "{}: {}.rank = {}, expected 0 to {}", op_.name, name, t.rank, ADJ_MAX_RANK);
      if (!rules::volume({t.shape, static_cast<std::size_t>(t.rank)}))
        return fail(ADJ_ERROR_SHAPE_MISMATCH, "{}: {} has shape {}, with a negative extent or more than 2^63 elements", op_.name, name,
                    text_of({t.shape, static_cast<std::size_t>(t.rank)}));
    } else if (is_list(i) && given(i)) {
      const adj_tensor_list& l = list(i);
      if (l.count < 0 || l.count > kLongestList)
        return fail(ADJ_ERROR_SHAPE_MISMATCH, "{}: {}.count = {}, expected 0 to {}", op_.name, name, l.count, kLongestList);
      if (l.count > 0 && !l.bytes) return fail(ADJ_ERROR_NULL_BUFFER, "{}: {}.bytes is null", op_.name, name);
      if (l.count > 0 && (!dtype_name(l.dtype) || l.dtype == ADJ_DTYPE_NONE))
        return fail(ADJ_ERROR_DTYPE_MISMATCH, "{}: {}.dtype = {} is not an element type", op_.name, name, l.dtype);
      for (std::int64_t k = 0; k < l.count; ++k)
        if (l.bytes[k] % size_of(l.dtype) != 0 || l.bytes[k] >> 62)
          return fail(ADJ_ERROR_SHAPE_MISMATCH, "{}: {}.bytes[{}] = {} is no number of elements of {}", op_.name, name, k, l.bytes[k], dtype_name(l.dtype));
    }
  }
  return {};
}

// A field is not given when it has its default; a list, when its pointer is null and its count 0.
void Completion::find_unknown() {
  const auto* defaults = static_cast<const std::byte*>(op_.default_descriptor);
  for (std::size_t k = 0; k < op_.known_fields.size(); ++k) {
    const KnownField& f = field(k);
    source_[k] = kByCaller;
    const std::uint32_t before = f.kind == kFieldI64List ? 8 : 0;  // its count
    const std::size_t size = f.kind == kFieldI64 ? 8 : f.kind == kFieldI64List ? 16 : f.kind == kFieldShape ? sizeof(adj_shape) : 4;
    terms_.unknown[k] = std::memcmp(descriptor_ + f.offset - before, defaults + f.offset - before, size) == 0;
  }
}

// ---- flags and types

// Sets the flags without which the condition does not hold.
void Completion::find_flags(std::uint16_t condition, int source) {
  const Term& t = terms_[condition];
  if (t.op == TermOp::both) {
    find_flags(t.a, source);
    find_flags(t.b, source);
  } else if (t.op == TermOp::i32 && terms_.is_unknown(t)) {
    terms_.put(t.a, std::int32_t{1});
    settle(static_cast<std::size_t>(t.field), source);
  }
}

// Types that nothing else stands for come first, then the types that 0 stands for one of these. A field whose 0 is right stays 0; a default type stays.
void Completion::find_types() {
  for (int depth = 0;; ++depth) {
    bool deeper = false;
    for (std::size_t i = 0; i < op_.arguments.size(); ++i) {
      std::uint16_t term = op_.argument_terms[i].type;
      while (term != kNoTerm && terms_[term].op == TermOp::choose) {
        const auto holds = terms_.condition(terms_[term].a);
        term = !holds ? kNoTerm : *holds ? terms_[term].b : terms_[term].c;
      }
      if (term == kNoTerm || !given(i) || dtype(i) == ADJ_DTYPE_NONE) continue;
      const Term& t = terms_[term];
      if (t.op != TermOp::type || !terms_.is_unknown(t)) continue;
      const auto known = static_cast<std::size_t>(t.field);
      deeper |= field(known).depth > depth;
      if (field(known).depth != depth) continue;
      const auto zero = t.b == kNoTerm ? std::nullopt : terms_.number(t.b);
      if (!zero || *zero != dtype(i)) terms_.put(t.a, static_cast<std::int32_t>(dtype(i)));
      settle(known, static_cast<int>(i));
    }
    for (std::size_t k = 0; k < op_.known_fields.size(); ++k)  // 0 stands for another field, whose type is settled
      if (field(k).depth == depth && depth > 0 && terms_.unknown[k]) settle(k, kByDefault);
    if (!deeper) break;
  }
  for (std::size_t k = 0; k < op_.known_fields.size(); ++k)
    if (terms_.unknown[k] && (field(k).depth > 0 || (field(k).kind == kFieldDtype && descriptor_[field(k).offset] != std::byte{0}))) settle(k, kByDefault);
}

// ---- extents, shapes and lists

// Solves `term = value` for the one field in it that is not known.
bool Completion::solve(std::uint16_t term, std::int64_t value, Step step, int source) {
  const Term& t = terms_[term];
  switch (t.op) {
    case TermOp::i64:
      if (!terms_.is_unknown(t) || field(static_cast<std::size_t>(t.field)).kind != kFieldI64 || value < 0) return false;
      terms_.put(t.a, value);
      settle(static_cast<std::size_t>(t.field), source);
      return true;
    case TermOp::list:
      if (!terms_.is_unknown(t) || value < 0) return false;
      lists_[static_cast<std::size_t>(t.field)].push_back(value);
      return true;
    case TermOp::add:
    case TermOp::sub: {
      const auto a = terms_.number(t.a), b = terms_.number(t.b);
      if (a.has_value() == b.has_value()) return false;
      if (a) return solve(t.b, t.op == TermOp::add ? value - *a : *a - value, step, source);
      return solve(t.a, t.op == TermOp::add ? value - *b : value + *b, step, source);
    }
    case TermOp::mul: {
      const auto a = terms_.number(t.a), b = terms_.number(t.b);
      if (a.has_value() == b.has_value()) return false;
      const std::int64_t factor = a ? *a : *b;
      return factor > 0 && value % factor == 0 && solve(a ? t.b : t.a, value / factor, step, source);
    }
    case TermOp::div: {  // a quotient without a remainder
      const auto b = terms_.number(t.b);
      std::int64_t product = 0;
      return b && *b > 0 && !__builtin_mul_overflow(value, *b, &product) && solve(t.a, product, step, source);
    }
    case TermOp::choose: {
      if (const auto holds = terms_.condition(t.a)) return solve(*holds ? t.b : t.c, value, step, source);
      if (t.a != t.b || !terms_.is_unknown(terms_[t.a])) return false;  // x ? x : y: y unless x is given
      const auto y = terms_.number(t.c);
      if (!y && (step < Step::alternatives || !solve(t.c, value, step, source))) return false;
      if (y && *y != value) return solve(t.b, value, step, source);
      settle(static_cast<std::size_t>(terms_[t.a].field), kByDefault);
      return true;
    }
    default: return false;
  }
}

// Solves the equation of a shape and the dimensions of an array. An extent is one dimension, or several beside each other where it folds.
bool Completion::match(const Items& items, Numbers dims, Step step, int source) {
  std::span<const Item> left = items.all();
  const auto fits = [](std::span<const Item> some, Numbers at) {
    return std::ranges::equal(some, at, [](const Item& item, std::int64_t n) { return !item.value || *item.value == n; });
  };
  const auto each = [&](std::span<const Item> some, Numbers at) {
    bool any = false;
    for (std::size_t i = 0; i < some.size(); ++i)
      if (!some[i].value) any |= solve(some[i].term, at[i], step, source);
    return any;
  };
  if (items.unknown > 1 && step == Step::one_unknown) return false;
  if (dims.empty()) {  // a scalar: every extent is 1
    const std::vector<std::int64_t> ones(left.size(), 1);
    return fits(left, ones) && each(left, ones);
  }
  const bool one_each = items.count == dims.size() && fits(left, dims);
  if (!one_each && !(Terms::strip(left, dims, false) && Terms::strip(left, dims, true))) return false;
  const auto is_rest = [](const Item& item) { return item.rest && !item.value; };
  const auto rests = static_cast<std::size_t>(std::ranges::count_if(left, is_rest));
  if (items.unknown > 1 && step == Step::without_rest && left.size() != dims.size() + rests) return false;
  if (left.size() == dims.size()) return fits(left, dims) && each(left, dims);
  if (left.size() == dims.size() + rests) {  // nothing is left for them
    std::vector<std::int64_t> extents;
    for (auto at = dims.begin(); const Item& item : left) extents.push_back(is_rest(item) ? 1 : *at++);
    return fits(left, extents) && each(left, extents);
  }
  const auto takes_rest = [&](const Item& item) { return !item.value && (rests > 0 ? item.rest : item.folds); };
  const auto rest = std::ranges::find_if(left, takes_rest);
  if (std::ranges::count_if(left, takes_rest) != 1) return false;
  const auto before = static_cast<std::size_t>(rest - left.begin()), behind = left.size() - before - 1;
  if (dims.size() < before + behind + (rests > 0 ? 0 : 1)) return false;
  const auto head = left.first(before), tail = left.last(behind);
  if (!fits(head, dims.first(before)) || !fits(tail, dims.last(behind))) return false;
  const auto product = rules::volume(dims.subspan(before, dims.size() - before - behind));
  const bool in_head = each(head, dims.first(before)), in_tail = each(tail, dims.last(behind));
  return (product && solve(rest->term, *product, step, source)) || in_head || in_tail;
}

bool Completion::advance_list(std::size_t i, Step step) {
  const std::uint16_t shape = terms_.chosen(op_.argument_terms[i].shape);
  const adj_tensor_list& l = list(i);
  if (shape == kNoTerm) return false;
  const auto before = terms_.unknown;
  std::optional<std::size_t> numbers;  // the list that this one tells
  for (std::size_t k = 0; k < op_.known_fields.size(); ++k)
    if (field(k).kind == kFieldI64List && terms_.unknown[k] && terms_.has(shape, k)) numbers = k;
  if (numbers) lists_[*numbers].clear();
  for (terms_.entry = 0; terms_.entry < l.count && terms_.unknown == before; ++terms_.entry) {
    Items items;
    if (!terms_.flatten(shape, items) || items.unknown != 1) break;
    const auto elements = static_cast<std::int64_t>(l.bytes[terms_.entry] / size_of(l.dtype));
    std::int64_t factor = 1;
    bool fits = true;
    for (const Item& item : items.all()) fits &= !item.value || !__builtin_mul_overflow(factor, *item.value, &factor);
    const auto unknown = std::ranges::find_if(items.all(), [](const Item& item) { return !item.value; });
    if (fits && factor > 0 && elements % factor == 0 && solve(unknown->term, elements / factor, step, static_cast<int>(i))) continue;
    if (numbers) break;
  }
  const bool whole = terms_.entry == l.count;
  terms_.entry = 0;
  if (!numbers || !whole) return terms_.unknown != before;
  terms_.put(field(*numbers).offset, static_cast<const std::int64_t*>(lists_[*numbers].data()));
  terms_.put(field(*numbers).offset - 8u, l.count);
  found_lists_.set(*numbers);
  settle(*numbers, static_cast<int>(i));
  return true;
}

bool Completion::advance(std::size_t i, Step step) {
  if (!given(i)) return false;
  if (is_list(i)) return advance_list(i, step);
  if (!is_tensor(i)) return false;
  const std::uint16_t shape = terms_.chosen(op_.argument_terms[i].shape);
  const auto dims = stated(i);
  if (shape == kNoTerm || !dims) return false;
  if (const Term& t = terms_[shape]; t.op == TermOp::shape) {
    if (!terms_.is_unknown(t)) return false;
    adj_shape made;
    made.rank = static_cast<std::int64_t>(dims->size());
    std::ranges::copy(*dims, made.dims);
    terms_.put(t.a, made);
    settle(static_cast<std::size_t>(t.field), static_cast<int>(i));
    return true;
  }
  Items items;
  return terms_.flatten(shape, items) && items.unknown > 0 && match(items, *dims, step, static_cast<int>(i));
}

// True when a call may not leave the argument out.
bool Completion::needs(std::size_t i) const {
  const ArgumentTerms& of = op_.argument_terms[i];
  if (of.only_if != kNoTerm && !terms_.condition(of.only_if).value_or(false)) return false;
  return of.optional_if == kNoTerm || terms_.condition(of.optional_if) == false;
}

bool Completion::usable_default(std::size_t known) const {
  const KnownField& f = field(known);
  return f.kind == kFieldI64 && read<std::int64_t>(op_.default_descriptor, f.offset) >= 0;
}

// One extent takes its default, when no array with a stated shape has it or its default says that there is nothing of it.
bool Completion::take_default() {
  for (std::size_t k = 0; k < op_.known_fields.size(); ++k) {
    if (!terms_.unknown[k] || !usable_default(k)) continue;
    bool waits = false;
    for (std::size_t i = 0; i < op_.arguments.size() && field(k).rest; ++i) waits |= is_tensor(i) && stated(i) && terms_.has(op_.argument_terms[i].shape, k);
    if (waits) continue;
    settle(k, kByDefault);
    return true;
  }
  return false;
}

bool Completion::advance(Step step) {
  if (step == Step::defaults) return take_default();
  for (std::size_t i = 0; i < op_.arguments.size(); ++i)
    if (advance(i, step)) return true;
  return false;
}

void Completion::find_extents() {
  for (int step = 0; step <= static_cast<int>(Step::defaults) && terms_.unknown.any();) step = advance(static_cast<Step>(step)) ? 0 : step + 1;
}

std::optional<Error> Completion::misplaced(std::size_t argument) const {
  const std::uint16_t shape = terms_.chosen(op_.argument_terms[argument].shape);
  const auto dims = stated(argument);
  Items items;
  if (shape == kNoTerm || !dims || !terms_.flatten(shape, items)) return {};
  std::size_t first = items.count, last = 0;  // extents before the first and behind the last that folds are single dimensions
  for (std::size_t i = 0; i < items.count; ++i) {
    if (!items.at[i].folds) continue;
    first = std::min(first, i);
    last = i;
  }
  const auto wrong = [&](std::size_t i, std::size_t at) -> std::optional<Error> {
    const Item& item = items.at[i];
    if (at >= dims->size() || !item.value || *item.value == (*dims)[at] || item.term == kNoTerm) return {};
    const Term& t = terms_[item.term];
    if (t.op != TermOp::i64 || t.field < 0 || source_[static_cast<std::size_t>(t.field)] == static_cast<int>(argument)) return {};
    return disagreement(static_cast<std::size_t>(t.field), static_cast<int>(argument), fmt::format("{}", (*dims)[at]), true);
  };
  for (std::size_t i = 0; i < items.count; ++i) {
    if (i >= first && i <= last) continue;
    if (auto error = wrong(i, i < first ? i : dims->size() + i - items.count)) return error;
  }
  for (std::size_t i = 0; i < items.count && items.count == dims->size(); ++i)
    if (auto error = wrong(i, i)) return error;
  return {};
}

Error Completion::unsolved(std::size_t known, int shown) const {
  if (shown < 0) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} cannot be known: no argument that was given has it", op_.name, field(known).name);
  const auto argument = static_cast<std::size_t>(shown);
  if (auto error = misplaced(argument)) return *error;
  const Numbers dims = *stated(argument);
  const std::uint16_t shape = terms_.chosen(op_.argument_terms[argument].shape);
  std::vector<std::int64_t> told;  // the extents that are known
  if (Items items; shape != kNoTerm && terms_.flatten(shape, items))
    for (const Item& item : items.all())
      if (item.value) told.push_back(*item.value);
  const std::int64_t elements = rules::volume(dims).value_or(0), factor = rules::volume(told).value_or(0);
  if (factor > 0 && elements % factor != 0)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}'s shape {} has {} elements, no multiple of the extents that are known, {}", op_.name, name_of(shown),
                text_of(dims), elements, fmt::join(told, " x "));
  return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} cannot be known from {}'s shape {}: it must be given", op_.name, field(known).name, name_of(shown),
              text_of(dims));
}

Result<void> Completion::check_found() const {
  for (std::size_t k = 0; k < op_.known_fields.size(); ++k) {
    const KnownField& f = field(k);
    if (!terms_.unknown[k] || usable_default(k) || f.kind == kFieldI32) continue;
    bool needed = false;
    int shown = -1;
    for (std::size_t i = 0; i < op_.arguments.size(); ++i) {
      const ArgumentTerms& of = op_.argument_terms[i];
      if (f.kind == kFieldDtype) {
        needed |= needs(i) && terms_.has(of.type, k);
      } else if (terms_.has(of.shape, k)) {
        needed |= needs(i) || given(i);
        if (shown < 0 && is_tensor(i) && stated(i)) shown = static_cast<int>(i);
      }
    }
    if (needed) return unsolved(k, shown);
  }
  return {};
}

Result<void> Completion::run() {
  if (auto ok = check_arrays(); !ok) return ok;
  find_unknown();
  for (std::size_t i = 0; i < op_.arguments.size(); ++i)
    if (op_.argument_terms[i].only_if != kNoTerm && given(i)) find_flags(op_.argument_terms[i].only_if, static_cast<int>(i));
  for (std::size_t k = 0; k < op_.known_fields.size(); ++k)
    if (field(k).kind == kFieldI32 && terms_.unknown[k]) settle(k, kByDefault);
  find_types();
  find_extents();
  return check_found();
}

// ---- contradictions

std::string Completion::value_of(std::size_t known) const {
  const KnownField& f = field(known);
  if (f.kind == kFieldShape) {
    const auto shape = terms_.at<adj_shape>(f.offset);
    return text_of({shape.dims, static_cast<std::size_t>(shape.rank)});
  }
  return fmt::format("{}", terms_.at<std::int64_t>(f.offset));
}

// The error that a field has one value by the place it was taken from, and another by an argument.
Error Completion::disagreement(std::size_t known, int argument, const std::string& other, bool shape) const {
  const auto by = [&](int i) {
    const bool with_shape = shape && is_tensor(static_cast<std::size_t>(i)) && field(known).kind != kFieldShape;
    return with_shape ? fmt::format("{}'s shape {}", name_of(i), text_of(*stated(static_cast<std::size_t>(i)))) : std::string(name_of(i));
  };
  const char* name = field(known).name;
  const std::string value = shape ? value_of(known) : dtype_name(terms_.at<adj_dtype>(field(known).offset));
  const adj_status status = shape ? ADJ_ERROR_SHAPE_MISMATCH : ADJ_ERROR_DTYPE_MISMATCH;
  if (source_[known] >= 0) return fail(status, "{}: {} is {} by {} and {} by {}", op_.name, name, value, by(source_[known]), other, by(argument));
  return fail(status, "{}: {} is {} {} and {} by {}", op_.name, name, value, source_[known] == kByCaller ? "as given" : "by default", other, by(argument));
}

// The error of an array whose shape or type is not what the completed descriptor asks for.
Error Completion::contradiction(std::size_t argument, const ArgumentSpec& spec) {
  const int source = static_cast<int>(argument);
  const char* name = op_.arguments[argument].name;
  if (dtype(argument) != spec.dtype) {
    const std::uint16_t type = op_.argument_terms[argument].type;
    for (std::size_t k = 0; k < op_.known_fields.size() && type != kNoTerm; ++k)
      if (field(k).kind == kFieldDtype && terms_[type].field == static_cast<int>(k) && source_[k] != source && terms_.at<std::int32_t>(field(k).offset))
        return disagreement(k, source, dtype_name(dtype(argument)), false);
    return fail(ADJ_ERROR_DTYPE_MISMATCH, "{}: {} is {}, expected {}", op_.name, name, dtype_name(dtype(argument)), dtype_name(spec.dtype));
  }
  const std::uint16_t shape = terms_.chosen(op_.argument_terms[argument].shape);
  const Numbers dims = *stated(argument);
  if (auto error = misplaced(argument)) return *error;
  for (std::size_t k = 0; k < op_.known_fields.size() && shape != kNoTerm; ++k)
    if (terms_.unknown[k] && terms_.has(shape, k)) return unsolved(k, source);
  for (std::size_t k = 0; k < op_.known_fields.size() && shape != kNoTerm; ++k) {  // the field that would have another value
    if (source_[k] == source || !terms_.has(shape, k) || field(k).kind == kFieldI64List) continue;
    if (terms_[shape].field == static_cast<int>(k)) return disagreement(k, source, text_of(dims), true);
    if (field(k).kind != kFieldI64) continue;
    const auto value = terms_.at<std::int64_t>(field(k).offset);
    const int from = source_[k];
    terms_.unknown.set(k);
    Items items;
    const bool solved = terms_.flatten(shape, items) && match(items, dims, Step::all_unknown, source);
    const auto other = terms_.at<std::int64_t>(field(k).offset);
    terms_.put(field(k).offset, value);
    settle(k, from);
    if (solved && other != value) return disagreement(k, source, fmt::format("{}", other), true);
  }
  return fail(ADJ_ERROR_SHAPE_MISMATCH, "{}: {} has shape {}, expected {}", op_.name, name, text_of(dims),
              text_of({spec.shape.data(), static_cast<std::size_t>(spec.rank)}));
}

// True when the dimensions are what the declaration says, or those of the operator's own shape. A buffer with gaps has other elements than are declared.
bool Completion::fits(std::size_t i, const ArgumentSpec& spec, Numbers dims) const {
  const Numbers extents(spec.shape.data(), static_cast<std::size_t>(spec.rank));
  if (std::ranges::equal(dims, extents)) return true;
  Terms known(op_, descriptor_);  // extents that nothing told have their defaults
  const std::uint16_t shape = known.chosen(op_.argument_terms[i].shape);
  if (shape == kNoTerm) return std::max(dims.size(), extents.size()) < 2 && shape_fits(spec, dims);  // one element, with a dimension or without
  const auto declared = known.dims(shape);
  const bool dense = declared && rules::volume(declared->all()) == rules::volume(extents);
  Items items;
  return dense && !dims.empty() && known.flatten(shape, items) ? Terms::fits(items.all(), dims) : shape_fits(spec, dims);
}

Result<void> Completion::compare(std::span<const ArgumentSpec> specs) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const ArgumentInfo& info = op_.arguments[i];
    const ArgumentSpec& spec = specs[i];
    if (!given(i)) continue;
    if (spec.presence == Presence::forbidden)
      return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} is given, but the descriptor says that it is absent: it is there only if {}", op_.name, info.name,
                  info.when);
    if (is_tensor(i)) {
      const auto dims = stated(i);
      if (tensor(i).dtype != spec.dtype || (dims && !fits(i, spec, *dims))) return contradiction(i, spec);
    } else if (is_list(i)) {
      const adj_tensor_list& l = list(i);
      const auto count = static_cast<std::int64_t>(spec.numel.size());
      if (l.count != count) return fail(ADJ_ERROR_SHAPE_MISMATCH, "{}: {} has {} tensors, the descriptor says {}", op_.name, info.name, l.count, count);
      if (count > 0 && l.dtype != spec.dtype) return contradiction(i, spec);
      for (std::int64_t k = 0; k < count; ++k)
        if (const std::int64_t need = spec.numel[static_cast<std::size_t>(k)]; l.bytes[k] / size_of(l.dtype) < static_cast<std::uint64_t>(need))
          return fail(ADJ_ERROR_SHAPE_MISMATCH, "{}: {}[{}] has {} elements, the descriptor says {}", op_.name, info.name, k, l.bytes[k] / size_of(l.dtype),
                      need);
    }
  }
  return {};
}

Result<void> Completion::hand_out(std::int64_t* room, std::int64_t capacity) {
  std::int64_t used = 0;
  for (std::size_t k = 0; k < op_.known_fields.size(); ++k) {
    if (!found_lists_[k]) continue;
    const auto count = static_cast<std::int64_t>(lists_[k].size());
    if (count > capacity - used)
      return fail(ADJ_ERROR_BUFFER_TOO_SMALL, "{}: {} has {} numbers, and there is room for {} (capacity = {})", op_.name, field(k).name, count,
                  std::max<std::int64_t>(0, capacity - used), capacity);
    if (count > 0 && !room) return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: room is null, and {} has {} numbers", op_.name, field(k).name, count);
    used += count;
  }
  used = 0;
  for (std::size_t k = 0; k < op_.known_fields.size(); ++k) {
    if (!found_lists_[k]) continue;
    std::ranges::copy(lists_[k], room + used);
    terms_.put(field(k).offset, static_cast<const std::int64_t*>(lists_[k].empty() ? nullptr : room + used));
    used += static_cast<std::int64_t>(lists_[k].size());
  }
  return {};
}

}  // namespace

Result<void> complete(adj_header* descriptor, const adj_header* args, std::int64_t* room, std::int64_t capacity) {
  auto op = check_descriptor(descriptor);
  if (!op) return op.take_error();
  const OpInfo& info = **op;
  ArgsView view;
  if (auto ok = view.read(info, args); !ok) return ok;
  std::vector<std::uint64_t> copy((info.descriptor_size + 7) / 8);
  auto* bytes = reinterpret_cast<std::byte*>(copy.data());
  const auto* defaults = static_cast<const std::byte*>(info.default_descriptor);
  std::memcpy(bytes, defaults, info.descriptor_size);
  copy_struct(bytes, descriptor, info.descriptor_size);
  if (auto ok = check_fields(info, bytes); !ok) return ok;
  Completion completion(info, bytes, view.get());
  if (auto ok = completion.run(); !ok) return ok;
  auto made = requirements_of(reinterpret_cast<const adj_header*>(bytes));
  if (!made) return made.take_error();
  if (auto ok = completion.compare(made->specs); !ok) return ok;
  const std::uint64_t own = std::min<std::uint64_t>(descriptor->struct_size, info.descriptor_size);
  if (std::memcmp(bytes + own, defaults + own, info.descriptor_size - own) != 0)
    return fail(ADJ_ERROR_STRUCT_SIZE, "{} descriptor: header.struct_size = {} has no room for fields that follow from the arguments, expected {}", info.name,
                descriptor->struct_size, info.descriptor_size);
  if (auto ok = completion.hand_out(room, capacity); !ok) return ok;
  std::memcpy(reinterpret_cast<std::byte*>(descriptor) + sizeof(adj_header), bytes + sizeof(adj_header), own - sizeof(adj_header));
  return {};
}

}  // namespace adj
