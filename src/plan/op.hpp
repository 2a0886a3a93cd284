// Tables and planning functions of an operator: everything that the engine knows about it. Selection, explanation, validation of buffers,
// launching, listing and compiling ahead of time are generic over them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <adjoint/ops/operator.h>

#include "base/dtype.hpp"
#include "base/error.hpp"
#include "driver/device.hpp"
#include "jit/program.hpp"

namespace adj {

// ---- arguments

enum class ArgumentKind : std::uint8_t { tensor, list, scalar, random, handle };
enum class Role : std::uint8_t { in, out, inout };
enum class Space : std::uint8_t { stream, host };  // memory of the stream, or always ordinary memory
enum class Given : std::uint8_t { always, optional, depends };  // depends: the descriptor says whether

// Largest number of lists among the arguments of one operator.
constexpr std::size_t kMostLists = 12;

// One member of an argument structure.
struct ArgumentInfo {
  const char* name;
  std::uint16_t offset;
  ArgumentKind kind;
  Role role;
  std::uint32_t may_equal = 0;  // bit i: this output may be the very buffer of argument i; lists: entry by entry
  Space space = Space::stream;
  Given given = Given::always;  // for documentation and error messages, like `about`; a plan's checks go by ArgumentSpec
  const char* about = "";
  const char* when = "";  // the conditions, as the header has them, under which the argument is there or may be left out
  std::uint32_t may_be_part = 0;  // lists: bit i: an entry may be one of the equal parts of the entry of argument i at its position
};

enum class Presence : std::uint8_t { required, optional, forbidden };

// Requirements of a descriptor on one argument.
struct ArgumentSpec {
  Presence presence = Presence::required;
  Role role = Role::in;  // of the argument in this problem
  adj_dtype dtype = ADJ_DTYPE_NONE;
  int rank = 0;
  std::array<std::int64_t, ADJ_MAX_RANK> shape{};
  std::uint64_t bytes = 0;                 // tensors: capacity needed
  std::uint32_t alignment = 1;             // tensors: address alignment beyond the element size, in bytes; a power of two
  // Tensors with strides: in each `pitch` bytes from the address on, only the first `width` are the tensor's. 0: all are.
  std::uint64_t pitch = 0, width = 0;
  std::span<const std::int64_t> numel;     // lists: element counts, owned by the plan's descriptor or by `counts`
  std::shared_ptr<const std::vector<std::int64_t>> counts;
  adj_dtype other_dtype = ADJ_DTYPE_NONE;  // scalars: a second type that is accepted
  bool any_float = false;                  // scalars: every floating-point type is accepted
  bool device_only = false;                // scalars: a host value is not accepted

  static ArgumentSpec tensor(adj_dtype dtype, std::initializer_list<std::int64_t> shape, Presence presence = Presence::required);
  static ArgumentSpec list(adj_dtype dtype, std::span<const std::int64_t> numel, Presence presence = Presence::required);
  static ArgumentSpec list(adj_dtype dtype, std::vector<std::int64_t> counts, Presence presence = Presence::required);
  static ArgumentSpec scalar(adj_dtype dtype, adj_dtype other = ADJ_DTYPE_NONE, Presence presence = Presence::required);
  static ArgumentSpec random(Presence presence = Presence::required);
  static ArgumentSpec handle(Presence presence = Presence::required);
  static ArgumentSpec forbidden();
};

// ---- signatures

constexpr int kMaxSignature = 5;
// Name of a kernel instance: element types, in an order fixed per operator. A choice such as "gelu" comes first, where an operator has a
// mode that changes the machine code.
struct Signature {
  std::array<adj_dtype, kMaxSignature> types{};
  int count = 0;
  std::string_view choice;  // a literal; may be empty
  std::int32_t mode = 0;    // value that the choice names; 0 without a choice, and where nothing depends on it

  Signature() = default;
  Signature(std::initializer_list<adj_dtype> list);
  static Signature with_choice(const char* choice, std::initializer_list<adj_dtype> list, std::int32_t mode = 0);
  adj_dtype operator[](int i) const { return types[static_cast<std::size_t>(i)]; }
  bool operator==(const Signature&) const = default;
  std::string name() const;  // "gelu.bf16.i64"; a type that is absent reads "none"
};

// ---- variants

struct PlanRequest;
class PlanBuilder;
// Fills in the plan for one SKU. An error rejects the candidate, and its message is the reason that is reported. After ADJ_ERROR_CUDA (the
// device or a library failed), as after a kernel that does not load, the next candidate is tried only when the preference says fallback.
using FinishFunction = Result<void> (*)(const PlanRequest& request, PlanBuilder& builder);
using HostFunction = void (*)(const void* descriptor, const void* args, void* workspace);

// An output whose determinism is above the level of its row.
struct OutputLevel {
  int argument;
  adj_determinism level;
  bool (*when)(const void* descriptor) = nullptr;  // the problems for which it holds; null: all
};

// Name of a program in its row: an enumerator of the family or of a header that families share, and the number of a form where a program has
// several. Enumerators of two enumerations are two names. An integer is no name, so that no planning function counts positions.
class ProgramName {
 public:
  template <class Enum>
    requires std::is_enum_v<Enum>
  constexpr ProgramName(Enum enumerator, int form = 0) : list_(&kList<Enum>), value_(static_cast<int>(enumerator)), form_(form) {}
  constexpr ProgramName form(int form) const {
    ProgramName other = *this;
    other.form_ = form;
    return other;
  }
  bool operator==(const ProgramName&) const = default;

 private:
  template <class Enum>
  static constexpr char kList = 0;  // its address stands for the enumeration
  const char* list_;
  int value_, form_;
};
// Name of the program of a row that has one, or one in several forms.
enum MainProgram : int { kMain };
// Forms that many programs have: for rows of whole 16-byte vectors at multiples of 16 bytes, and for any rows.
enum RowForm : int { kWholeRows, kAnyRows };

struct ProgramTemplate {
  const char* source;
  const char* entry;
  const char* defines;  // blank-separated macros; {0}, {1}, ... stand for the signature's types, {a} for the accumulator type
                        // of the first, {w} for an unsigned type of its size, {c} for the choice
  ProgramName name = kMain;  // no other program of the row has it
};

// Plans of another operator that the plans of a row contain: those of its rows with one of these algorithms that run wherever this row does.
struct PartTemplate {
  const char* op;
  std::vector<const char*> algorithms;
  Signature (*signature)(const Signature& of_row);  // of the other operator
};

// One algorithm of an operator, for all signatures that it accepts.
struct Variant {
  const char* algorithm;
  const char* summary;
  adj_backend backend = ADJ_BACKEND_BESPOKE;
  int min_cc = 80;   // of rows for devices: the least compute capability, times ten
  int exact_cc = 0;  // when set, only that capability
  std::vector<ProgramTemplate> programs{};
  std::vector<PartTemplate> parts{};
  adj_guarantee (*guarantee)(const Signature&);  // holds for every output of every problem
  // Guarantee for one problem, at least `general`, which is the row's. Null: `general`.
  adj_guarantee (*guarantee_for)(const adj_guarantee& general, const void* descriptor) = nullptr;
  std::vector<OutputLevel> outputs{};
  bool (*accepts)(const Signature&) = nullptr;  // null: every signature of the operator
  bool (*yields)(const void* descriptor) = nullptr;  // true: slower for this problem, tried after all variants that return false; null: false
  FinishFunction finish = nullptr;                   // plans this row; null: the operator's
  bool on_request = false;                           // true: only where the preference's math is ADJ_MATH_FAST
};

// The row of the host backend, where every problem has the same guarantee.
inline Variant host_row(adj_guarantee (*guarantee)(const Signature&), FinishFunction finish = nullptr, const char* summary = "host memory") {
  return {.algorithm = "reference", .summary = summary, .backend = ADJ_BACKEND_HOST, .guarantee = guarantee, .finish = finish};
}

struct Sku;

// What a row's planning leaves to measurement: parts of a plan, such as a call of a library, each with alternatives that keep the row's promises.
// Names have letters, digits and the characters _ : . , - only.
class Choices {
 public:
  struct Part {
    std::string name, taken;           // taken: the alternative that the plan has
    std::vector<std::string> offered;  // alternatives, in the order of the library's own preference
  };
  Choices() = default;
  // Choices that were made before, in the form of text().
  static Choices parse(std::string_view text);

  // The alternative that the plan must take for a part; null: the planning function takes its own first choice. A planning function refuses an
  // alternative that does not serve (any more) with ADJ_ERROR_UNSUPPORTED.
  const std::string* wanted(std::string_view part) const;
  void want(std::string_view part, std::string alternative);
  // Called once for each part by the planning function, also where there is one alternative.
  void take(Part part) { parts_.push_back(std::move(part)); }
  const std::vector<Part>& parts() const { return parts_; }
  std::string text() const;  // what was taken: "dinput=e3:2.1 dweight=e0"; empty where nothing is left open

 private:
  std::vector<std::pair<std::string, std::string>> wanted_;
  std::vector<Part> parts_;
};

// Input of a FinishFunction.
struct PlanRequest {
  const void* descriptor;  // canonical: full size, defaults filled in
  const Device* device;    // null on the host
  const Sku* sku;
  const adj_preference* preference;
  Choices* choices = nullptr;  // null: the planning function takes its own first choices, and tells nobody
};

// How an ONNX Runtime registration maps to this operator.
struct OnnxBinding {
  const char* domain;
  const char* op;
  // Fills a small sample descriptor for a list of element types; false when these types are not served.
  bool (*describe)(std::span<const adj_dtype> types, void* descriptor);
  const char* note = "";  // how its attributes and tensors become fields and arguments, where names and settings do not say it
};

constexpr std::uint16_t kNoTerm = 0xffff;
constexpr std::int64_t kNoLeast = std::numeric_limits<std::int64_t>::min(), kNoMost = std::numeric_limits<std::int64_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What the header states of a real number.
struct RealRange {
  double least = -kInfinity, most = kInfinity;
  bool above = false, below = false;  // the bound itself is refused
  bool finite = false;                // infinity is refused
  const char* expected = nullptr;     // in words; null: the header states nothing
};
struct Field {
  const char* name;
  const char* choices;  // enumerations: names of the values from 0 on, separated by commas; null for other fields
  std::int32_t kind;    // ADJ_FIELD_...
  std::uint32_t offset;
  const char* about = "";  // what the header says of it
  std::int64_t least = kNoLeast, most = kNoMost;  // of an integer, and of the entries of a list of integers; of a flag 0 and 1
  RealRange real = {};
  std::uint16_t only_if = kNoTerm;  // term: the field has its default otherwise
  std::uint16_t types = kNoTerm;    // term: true of the types that an element type may be
  const char* only_if_words = "";
  const char* types_words = "";
  const char* refused = "";         // when it is refused: lines "condition: why"
};
// A condition that refuses a field.
struct Refusal {
  std::uint16_t field, term;  // index of OpInfo::fields; the condition
  const char* why;            // the rest of a sentence that begins with the field and its value
};
// Kinds of fields, shared with adjoint.h. A list, and a block of bytes, has its length in the int64 member just before its pointer.
// The value of a kFieldPointer (a function, or an object of the caller) is copied as it is.
constexpr std::int32_t kFieldI64 = 1, kFieldI32 = 2, kFieldDtype = 3, kFieldF64 = 4, kFieldI64List = 5, kFieldShape = 6, kFieldAxes = 7, kFieldF64List = 8,
                       kFieldText = 9, kFieldPointer = 10, kFieldBytes = 11;
constexpr bool is_list(const Field& field) { return field.kind == kFieldI64List || field.kind == kFieldF64List; }
constexpr bool has_length(const Field& field) { return is_list(field) || field.kind == kFieldBytes; }
std::uint32_t bytes_of(const Field& field);

// ---- the annotations of arguments as data, for completing a descriptor (complete.cpp). The engine's checks use the same in C++ (rules.hpp)

enum class TermOp : std::uint8_t {
  number,
  i64,
  i32,
  f64,
  type,
  shape,
  list,  // number: 16 bits in each of a, b and c; else a: the field's offset; type: b, the term that 0 stands for
  add,
  sub,
  mul,
  div,
  rem,
  negation,
  both,
  any,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  choose,
  choose_shape,                                           // a ? b : c
  items,
  empty,                                                   // a shape: item a, then the items b
  accumulator,
  ceil_div,
  extent,
  part,
  product,
  replaced,
  broadcast,
  sum
};
// A node of an expression. Its operands a, b and c are indices of terms, unless its kind says otherwise.
struct Term {
  TermOp op;
  std::int8_t field;  // index in OpInfo::known_fields; -1: the term is no field, or one that does not follow from arguments
  std::uint16_t a, b, c;
};
// A field that may follow from the arguments.
struct KnownField {
  const char* name;
  std::int32_t kind;     // ADJ_FIELD_...
  std::uint16_t offset;
  std::uint16_t folds;   // term: when the extent may stand for several dimensions; kNoTerm: it is one dimension
  bool rest;             // it takes the dimensions that the other extents of a shape leave
  std::uint8_t depth;    // of element types: how many fields lie behind what 0 stands for
};
constexpr std::size_t kMostKnownFields = 32;
// The terms that say of an argument what its shape and its type are, when it must be left out otherwise, and when it may be left out.
struct ArgumentTerms {
  std::uint16_t shape = kNoTerm, type = kNoTerm, only_if = kNoTerm, optional_if = kNoTerm;
};

// What an operator's planning adds to the facts of its header.
struct OpRules {
  std::span<const Signature> signatures{};
  const char* signature_columns = nullptr;  // "element, index", for messages
  std::span<const Variant> variants{};
  std::span<const OnnxBinding> onnx{};

  // Fails with invalid_problem when the descriptor contradicts itself in what the ranges of its fields do not say; null: it cannot.
  Result<void> (*validate)(const void* descriptor) = nullptr;
  Signature (*signature)(const void* descriptor) = nullptr;
  // What a valid descriptor asks of each argument; null: what follows from the header.
  void (*shapes)(const void* descriptor, std::span<ArgumentSpec> arguments) = nullptr;
  FinishFunction finish = nullptr;  // used by every variant that has no finish function of its own
  // Checks of scalar values that the arguments cannot express; may be null.
  Result<void> (*check_args)(const void* descriptor, const void* args) = nullptr;
  // Writes the outputs in Space::host; their values depend on the descriptor alone. Every run calls it after its checks. May be null.
  void (*host_outputs)(const void* descriptor, const void* args) = nullptr;
  // For measurements: the integers of a required input are below this number, whatever they are a call is valid, and their mean distribution is
  // uniform. 0: they are offsets or the like, and a call with any others would say nothing. Null: 0 for every input.
  std::int64_t (*integers_below)(const void* descriptor, int argument) = nullptr;
};
struct OpInfo : OpRules {
  adj_op id;
  const char* name;
  const char* family;  // the header is include/adjoint/ops/<family>.h
  const char* definition;   // the comment of the descriptor: formula, edge cases, terms
  const char* conventions;  // the comment at the head of the family's header
  std::uint32_t descriptor_size, args_size;
  std::uint32_t first_descriptor_size, first_args_size;  // first_size() of the two structures
  const void* default_descriptor;
  const void* default_args;
  std::span<const Field> fields;
  std::span<const ArgumentInfo> arguments;
  std::span<const Term> terms;
  std::span<const KnownField> known_fields;
  std::span<const Refusal> refusals;
  std::span<const ArgumentTerms> argument_terms;  // of the arguments, in their order
  Role (*role)(const void* descriptor, std::size_t argument);  // of an argument in a problem; null when no role depends on the descriptor
};
// The facts of a header (base_info() of tables.gen.hpp) with the rules of its operator.
inline OpInfo op_info(OpInfo facts, OpRules rules) {
  if (!rules.shapes) rules.shapes = facts.shapes;
  static_cast<OpRules&>(facts) = rules;
  return facts;
}

// What a canonical descriptor asks of each argument.
std::vector<ArgumentSpec> specs_of(const OpInfo& op, const void* descriptor);

const OpInfo* find_op(adj_op id);
// The operator whose descriptor has this tag; null when the tag is not the tag of a descriptor.
const OpInfo* described_op(adj_tag tag);
const OpInfo* find_op(std::string_view name);
std::span<const OpInfo* const> all_ops();

// ---- SKUs: operators x signatures x variants

struct Sku {
  std::string id;
  const OpInfo* op;
  const Variant* variant;
  Signature signature;
  std::string signature_name;
  std::string arch;  // "sm80", "sm90a", "host"
  adj_guarantee guarantee;
  std::vector<const Program*> programs;  // of the variant's rows, in their order; then those of parts
  std::vector<const Sku*> parts{};       // of other operators, whose plans those of this SKU may contain, in the order of trial

  // The program of that name. Throws std::out_of_range when the row has none.
  const Program* program(ProgramName name) const;
};

std::span<const Sku> all_skus();
// Guarantee of a SKU for one output of one problem. argument = kEveryOutput: what holds for all outputs. descriptor (canonical) = null: what holds
// for every problem.
constexpr int kEveryOutput = -1;
adj_guarantee guarantee_of(const Sku& sku, const void* descriptor, int argument = kEveryOutput);
std::span<const Sku> skus_of(const OpInfo& op);  // grouped by signature, in the order of the variants
const Sku* find_sku(std::string_view id);
// Fails when devices of this capability cannot run the SKU. The message continues a sentence that begins with the name of the SKU.
Result<void> check_arch(const Sku& sku, int cc);
// Programs of the SKUs that match a glob and can be built for a capability, without repetition.
std::vector<const Program*> programs_for(std::string_view sku_glob, int cc);

adj_guarantee make_guarantee(adj_determinism determinism, adj_math math, adj_dtype accumulator, double bound_ulp, double bound_terms,
                             double bound_absolute = 0);
// The guarantee with a higher level of determinism, ADJ_RUN_TO_RUN or above; unchanged when it has that level already.
adj_guarantee raised(adj_guarantee guarantee, adj_determinism level);
adj_guarantee exact_guarantee(const Signature&);  // equal bits, whatever the batch: copies and integer results
adj_dtype accumulator_of(adj_dtype element);  // f64 for f64, f32 for every other type

}  // namespace adj
