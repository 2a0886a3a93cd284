// Erases what adj_op_complete can fill in from the descriptor of a case, gives it the arguments' shapes and types, and compares the descriptor
// that comes back with the case's.
//
// A field is erased where a given array states it alone:
//   - an array with strides states its span, which is no extent;
//   - of x ? x : y, y is known from elsewhere, else the extent is y and x has its default;
//   - of x + y, x is the one whose default is no valid value, and y keeps its own.
// With these the call must succeed, except that nothing is known of an extent beside one of 0.
#include "reflection/complete.hpp"

#include <cstring>
#include <deque>
#include <set>

#include <adjoint.h>

#include "harness/harness.hpp"
#include "plan/structs.hpp"
#include "plan/terms.hpp"

namespace {

using harness::Problem;

// The shape of an argument by the header's expression; nothing where the operator asks for another: the span of a tensor with strides.
std::optional<adj::rules::Dims> stated_dims(const adj::OpInfo& op, const adj::Terms& terms, std::size_t argument, const adj::ArgumentSpec& spec) {
  if (op.argument_terms[argument].shape == adj::kNoTerm) return {};
  auto dims = terms.dims(op.argument_terms[argument].shape);
  const auto elements = adj::rules::times({spec.shape.data(), static_cast<std::size_t>(spec.rank)});
  if (!dims || dims->all().size() > ADJ_MAX_RANK || (spec.rank > 0 && adj::rules::times(dims->all()) != elements)) return {};
  return dims;
}

// The fields that the given arrays of a case state.
class Stated {
 public:
  Stated(const Problem& problem, const adj::Terms& terms) : op_(problem.op()), terms_(terms) {
    for (bool again = true; again;) {
      const std::size_t before = fields_.size();
      for (std::size_t i = 0; i < op_.arguments.size(); ++i) {
        if (!problem.contents()[i].present) continue;
        const adj::ArgumentTerms& of = op_.argument_terms[i];
        if (op_.arguments[i].kind == adj::ArgumentKind::list ||
            (op_.arguments[i].kind == adj::ArgumentKind::tensor && stated_dims(op_, terms, i, problem.specs()[i])))
          visit(of.shape);
        visit(of.type);
        if (of.only_if != adj::kNoTerm) visit_flags(of.only_if);
      }
      again = fields_.size() != before;
    }
  }
  bool has(std::size_t known) const { return fields_.contains(static_cast<int>(known)); }

 private:
  bool usable_default(int field) const {
    const adj::KnownField& f = op_.known_fields[static_cast<std::size_t>(field)];
    return adj::read<std::int64_t>(op_.default_descriptor, f.offset) >= 0;
  }
  void visit(std::uint16_t term) {
    if (term == adj::kNoTerm) return;
    const adj::Term& t = terms_[term];
    switch (t.op) {
      case adj::TermOp::i64:
      case adj::TermOp::type:
      case adj::TermOp::shape:
      case adj::TermOp::list:
        if (t.field >= 0 && !(t.op == adj::TermOp::i64 && op_.known_fields[static_cast<std::size_t>(t.field)].kind == ADJ_FIELD_I64_LIST))
          fields_.insert(t.field);
        break;
      case adj::TermOp::items:
        visit(t.a);
        visit(t.b);
        break;
      case adj::TermOp::add:
        if (const int a = terms_[t.a].field, b = terms_[t.b].field; a >= 0 && b >= 0) {
          visit(usable_default(b) ? t.a : t.b);
          break;
        }
        [[fallthrough]];
      case adj::TermOp::sub:
      case adj::TermOp::mul:
        visit(t.a);
        visit(t.b);
        break;
      case adj::TermOp::div: visit(t.a); break;
      case adj::TermOp::choose:
      case adj::TermOp::choose_shape:
        if (t.a == t.b && terms_[t.a].field >= 0) {
          if (fields_.contains(terms_[t.c].field)) fields_.insert(terms_[t.a].field);
          else if (!terms_.condition(t.a).value()) fields_.insert(terms_[t.c].field);
        } else {
          visit(terms_.condition(t.a).value() ? t.b : t.c);
        }
        break;
      default: break;
    }
  }
  void visit_flags(std::uint16_t term) {
    const adj::Term& t = terms_[term];
    if (t.op == adj::TermOp::i32 && t.field >= 0) fields_.insert(t.field);
    if (t.op != adj::TermOp::both) return;
    visit_flags(t.a);
    visit_flags(t.b);
  }

  const adj::OpInfo& op_;
  const adj::Terms& terms_;
  std::set<int> fields_;
};

// The arguments of a case without memory: shapes as the header states them, types, capacities.
class Shapes {
 public:
  Shapes(const Problem& problem, const adj::Terms& terms) : bytes_((problem.op().args_size + 7) / 8) {
    const adj::OpInfo& op = problem.op();
    std::memcpy(bytes_.data(), op.default_args, op.args_size);
    for (std::size_t i = 0; i < op.arguments.size(); ++i) {
      const Problem::ArgumentContents& c = problem.contents()[i];
      if (!c.present) continue;
      const adj::ArgumentSpec& spec = problem.specs()[i];
      std::byte* at = reinterpret_cast<std::byte*>(bytes_.data()) + op.arguments[i].offset;
      switch (op.arguments[i].kind) {
        case adj::ArgumentKind::tensor: {
          adj_tensor t;
          t.dtype = spec.dtype;
          t.bytes = spec.bytes;
          const auto stated = stated_dims(op, terms, i, spec);
          const std::span<const std::int64_t> dims = stated ? stated->all() : std::span(spec.shape.data(), static_cast<std::size_t>(spec.rank));
          t.rank = static_cast<std::int32_t>(dims.size());
          std::ranges::copy(dims, t.shape);
          std::memcpy(at, &t, sizeof t);
          break;
        }
        case adj::ArgumentKind::list: {
          auto& capacities = capacities_.emplace_back();
          for (std::int64_t n : spec.numel) capacities.push_back(static_cast<std::uint64_t>(n) * adj::size_of(spec.dtype));
          adj_tensor_list t;
          t.count = static_cast<std::int64_t>(capacities.size());
          t.dtype = spec.dtype;
          t.bytes = capacities.data();
          std::memcpy(at, &t, sizeof t);
          break;
        }
        case adj::ArgumentKind::scalar: {
          adj_scalar s = c.scalar;
          if (!c.data.empty()) s.device = c.data[0].bytes.data();
          std::memcpy(at, &s, sizeof s);
          break;
        }
        case adj::ArgumentKind::random: {
          adj_random r = c.random;
          if (!c.data.empty()) r.device = reinterpret_cast<const std::uint64_t*>(c.data[0].bytes.data());
          std::memcpy(at, &r, sizeof r);
          break;
        }
        case adj::ArgumentKind::handle: std::memcpy(at, &c.handle, sizeof c.handle); break;
      }
    }
  }
  const adj_header* get() const { return reinterpret_cast<const adj_header*>(bytes_.data()); }

 private:
  std::vector<std::uint64_t> bytes_;
  std::deque<std::vector<std::uint64_t>> capacities_;
};

std::size_t bytes_of(const adj::KnownField& f) {
  return f.kind == ADJ_FIELD_SHAPE ? sizeof(adj_shape) : f.kind == ADJ_FIELD_I32 || f.kind == ADJ_FIELD_DTYPE ? 4 : 8;
}

// True when both descriptors have the field, or the one has a default that stands for what the other says.
bool same(const adj::OpInfo& op, const adj::KnownField& f, std::vector<std::uint64_t>& wanted, std::vector<std::uint64_t>& found) {
  auto* a = reinterpret_cast<std::byte*>(wanted.data());
  auto* b = reinterpret_cast<std::byte*>(found.data());
  if (f.kind == ADJ_FIELD_I64_LIST) {
    const auto n = adj::read<std::int64_t>(a, f.offset - 8u);
    return adj::read<std::int64_t>(b, f.offset - 8u) == n &&
           std::equal(adj::read<const std::int64_t*>(a, f.offset), adj::read<const std::int64_t*>(a, f.offset) + n,
                      adj::read<const std::int64_t*>(b, f.offset));
  }
  if (std::memcmp(a + f.offset, b + f.offset, bytes_of(f)) == 0) return true;
  if (std::memcmp(b + f.offset, static_cast<const std::byte*>(op.default_descriptor) + f.offset, bytes_of(f)) != 0) return false;
  const adj::Terms as_wanted(op, a);
  auto changed = wanted;
  std::memcpy(reinterpret_cast<std::byte*>(changed.data()) + f.offset, b + f.offset, bytes_of(f));
  const adj::Terms as_found(op, reinterpret_cast<std::byte*>(changed.data()));
  for (const adj::ArgumentTerms& s : op.argument_terms) {
    if (s.type != adj::kNoTerm && as_wanted.number(s.type) != as_found.number(s.type)) return false;
    if (s.only_if != adj::kNoTerm && as_wanted.condition(s.only_if) != as_found.condition(s.only_if)) return false;
    if (s.shape == adj::kNoTerm) continue;
    const auto x = as_wanted.dims(s.shape), y = as_found.dims(s.shape);
    if (x.has_value() != y.has_value() || (x && !std::ranges::equal(x->all(), y->all()))) return false;
  }
  return true;
}

// True when an array that was given has no elements.
bool has_empty(const Problem& problem) {
  for (std::size_t i = 0; i < problem.specs().size(); ++i) {
    const adj::ArgumentSpec& spec = problem.specs()[i];
    const bool list = problem.op().arguments[i].kind == adj::ArgumentKind::list;
    if (problem.contents()[i].present && (list ? std::ranges::find(spec.numel, 0) != spec.numel.end() : spec.bytes == 0)) return true;
  }
  return false;
}

// True when the thread's last error says that a field of the operator cannot be known.
bool names_unknown(const adj::OpInfo& op) {
  return std::ranges::any_of(op.known_fields, [&](const adj::KnownField& f) {
    return std::string_view(adj_last_error()).starts_with(fmt::format("{}: {} cannot be known", op.name, f.name));
  });
}

}  // namespace

bool complete_case(const harness::Case& c, Completed& total) {
  const Problem& problem = *c.problem;
  const adj::OpInfo& op = problem.op();
  std::vector<std::uint64_t> wanted((op.descriptor_size + 7) / 8);
  std::memcpy(wanted.data(), problem.descriptor(), op.descriptor_size);
  auto found = wanted;
  auto* bytes = reinterpret_cast<std::byte*>(found.data());
  const adj::Terms terms(op, reinterpret_cast<std::byte*>(wanted.data()));
  const Stated stated(problem, terms);
  const Shapes args(problem, terms);
  for (std::size_t k = 0; k < op.known_fields.size(); ++k) {
    const adj::KnownField& f = op.known_fields[k];
    if (!stated.has(k)) continue;
    const std::size_t before = f.kind == ADJ_FIELD_I64_LIST ? 8 : 0;
    std::memcpy(bytes + f.offset - before, static_cast<const std::byte*>(op.default_descriptor) + f.offset - before, bytes_of(f) + before);
    ++total.erased;
  }
  static std::vector<std::int64_t> room(1 << 16);  // made once: filling it takes longer than most calls
  ++total.tried;
  if (adj_op_complete(reinterpret_cast<adj_header*>(found.data()), args.get(), room.data(), static_cast<std::int64_t>(room.size())) != ADJ_OK) {
    const bool allowed = names_unknown(op) && has_empty(problem);
    total.empty += allowed;
    if (!allowed) fmt::print(stderr, "{}: {}: {}\n", op.name, c.name, adj_last_error());
    return allowed;
  }
  for (const adj::KnownField& f : op.known_fields)
    if (!same(op, f, wanted, found)) {
      fmt::print(stderr, "{}: {}: another {}\n", op.name, c.name, f.name);
      return false;
    }
  return true;
}
