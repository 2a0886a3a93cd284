// A call in which operator, fields and arguments have names: adapters of frameworks fill it, and know no operator. It needs the C interface alone.
#pragma once

#include <adjoint.h>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <forward_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace adjoint::named {

struct Failure : std::runtime_error {
  Failure(adj_status status, const std::string& message) : std::runtime_error(message), code(status) {}
  adj_status code;
};

inline void check(adj_status status) {
  if (status != ADJ_OK) throw Failure(status, adj_last_error());
}

// True for a mistake of the caller, as against a problem without a kernel, missing memory or a failing driver.
inline bool is_invalid(adj_status code) {
  return (code >= ADJ_ERROR_INVALID_ARGUMENT && code <= ADJ_ERROR_STREAM_MISMATCH && code != ADJ_ERROR_UNSUPPORTED) || code == ADJ_ERROR_NOT_FOUND ||
         code == ADJ_ERROR_INVALID_VALUE;
}

// adj_preference as fields. No operator has a field or an argument of these names.
inline constexpr adj_field kPreference[] = {
    {"determinism", "default,nondeterministic,run_to_run,shape_only,batch_invariant", "", ADJ_FIELD_I32, offsetof(adj_preference, determinism)},
    {"math", "default,ieee,fast", "", ADJ_FIELD_I32, offsetof(adj_preference, math)},
    {"jit", "default,cached_only,packs_only", "", ADJ_FIELD_I32, offsetof(adj_preference, jit)},
    {"backend", "any,bespoke,host,cudnn,nccl,cublaslt", "", ADJ_FIELD_I32, offsetof(adj_preference, backend)},
    {"workspace_limit", nullptr, "", ADJ_FIELD_I64, offsetof(adj_preference, workspace_limit)},
    {"sku", nullptr, "", ADJ_FIELD_TEXT, offsetof(adj_preference, sku)},
    {"fallback", nullptr, "", ADJ_FIELD_I32, offsetof(adj_preference, fallback)},
    {"workspace_arch", nullptr, "", ADJ_FIELD_I32, offsetof(adj_preference, workspace_arch)},
    {"tune", nullptr, "", ADJ_FIELD_I32, offsetof(adj_preference, tune)}};

// What the library says of an operator, by name. A field that has the name of an argument takes a suffix: _dtype for an element type, _shape for a
// shape, _mode for the rest.
struct Operator {
  explicit Operator(adj_op op) : name(adj_op_name(op)), arguments(static_cast<std::size_t>(adj_op_argument_count(op))) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      check(adj_op_argument(op, static_cast<std::int64_t>(i), &arguments[i]));
      add(arguments[i].name);
    }
    fields.resize(static_cast<std::size_t>(adj_op_field_count(op)));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      adj_field& f = fields[i];
      check(adj_op_field(op, static_cast<std::int64_t>(i), &f));
      add(std::string(f.name) + (!places.contains(f.name) ? "" : f.kind == ADJ_FIELD_DTYPE ? "_dtype" : f.kind == ADJ_FIELD_SHAPE ? "_shape" : "_mode"));
    }
    for (const adj_field& f : kPreference) add(f.name);
  }

  void add(const std::string& text) {
    places[text] = names.size();
    names.push_back(text);
  }

  static const Operator& of(adj_op op) {
    static const std::unordered_map<adj_op, Operator> all = [] {
      std::unordered_map<adj_op, Operator> made;
      for (std::int64_t i = 0; i < adj_op_count(); ++i) made.emplace(adj_op_at(i), adj_op_at(i));
      return made;
    }();
    return all.at(op);
  }

  std::string name;
  std::vector<adj_argument> arguments;
  std::vector<adj_field> fields;
  std::vector<std::string> names;  // of arguments, then of fields, then of the preference's fields
  std::unordered_map<std::string, std::size_t> places;
};

// A number, a text (also of an element type or a choice, or bytes) or a list of numbers.
using Value = std::variant<std::int64_t, double, std::string_view, std::span<const std::int64_t>, std::span<const double>>;

struct Array {
  void* data = nullptr;
  adj_dtype dtype = ADJ_DTYPE_NONE;
  int rank = 0;
  const std::int64_t* shape = nullptr;
  const std::int64_t* strides = nullptr;  // in elements; null: row-major
};

inline std::uint64_t size_of(adj_dtype dtype) {
  switch (dtype) {
    case ADJ_BOOL:
    case ADJ_U8:
    case ADJ_I8:
    case ADJ_F8_E4M3:
    case ADJ_F8_E5M2:
    case ADJ_F8_E8M0: return 1;
    case ADJ_F16:
    case ADJ_BF16:
    case ADJ_U16:
    case ADJ_I16: return 2;
    case ADJ_F32:
    case ADJ_I32:
    case ADJ_U32: return 4;
    default: return 8;
  }
}

class Call {
 public:
  explicit Call(const std::string& operator_name) : op_(find(operator_name)), of_(Operator::of(op_)) {
    descriptor_.resize(adj_op_descriptor_size(op_));
    args_.resize(adj_op_args_size(op_));
    check(adj_op_descriptor_init(op_, descriptor_.data(), descriptor_.size()));
    check(adj_op_args_init(op_, args_.data(), args_.size()));
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const Operator& op() const { return of_; }

  // The argument of a name; null for a field, and for a name that the operator has not.
  const adj_argument* argument(const std::string& name) const {
    const auto found = of_.places.find(name);
    return found != of_.places.end() && found->second < of_.arguments.size() ? &of_.arguments[found->second] : nullptr;
  }

  // A field, one of the preference, or an argument that is a number, a random state or a handle.
  void set(const std::string& name, const Value& value) {
    const std::size_t i = take(name), fields = of_.arguments.size(), preferences = fields + of_.fields.size();
    if (i >= preferences) return put(name, kPreference[i - preferences], &preference_, value);
    if (i >= fields) return put(name, of_.fields[i - fields], descriptor_.data(), value);
    const adj_argument& a = of_.arguments[i];
    const auto* pair = std::get_if<std::span<const std::int64_t>>(&value);
    if (a.kind == ADJ_ARGUMENT_SCALAR) return write(at(args_.data(), a.offset), real(name, value));
    if (a.kind == ADJ_ARGUMENT_HANDLE) return write(at(args_.data(), a.offset), integer(name, value));
    if (a.kind != ADJ_ARGUMENT_RANDOM) refuse(name, "is not an array");
    if (!pair || pair->size() != 2) refuse(name, "is a random state: give seed and offset, or an array of the two");
    std::memcpy(at(args_.data(), a.offset), pair->data(), pair->size_bytes());
  }

  // An argument in memory. Arrays are read until run() has returned.
  void give(const std::string& name, std::span<const Array> arrays) {
    const std::size_t i = take(name);
    if (i >= of_.arguments.size()) refuse(name, "is a field, and got an array");
    const adj_argument& a = of_.arguments[i];
    if (a.kind == ADJ_ARGUMENT_LIST) return give_list(name, *static_cast<adj_tensor_list*>(at(args_.data(), a.offset)), arrays);
    if (arrays.size() != 1) refuse(name, "takes one array, got " + std::to_string(arrays.size()));
    const Array& array = arrays[0];
    const std::uint64_t bytes = bytes_of(name, array);
    if (a.kind == ADJ_ARGUMENT_TENSOR) {
      auto& tensor = *static_cast<adj_tensor*>(at(args_.data(), a.offset));
      tensor.data = array.data, tensor.bytes = bytes, tensor.dtype = array.dtype, tensor.rank = array.rank;
      std::copy_n(array.shape, array.rank, tensor.shape);
    } else if (a.kind == ADJ_ARGUMENT_SCALAR) {
      const bool halves = array.dtype == ADJ_U32 && bytes == sizeof(std::int64_t);  // an i64 where a framework has none
      if (bytes != size_of(array.dtype) && !halves) refuse(name, "is a number, and got an array that has not one element");
      auto& scalar = *static_cast<adj_scalar*>(at(args_.data(), a.offset));
      scalar.device = array.data, scalar.dtype = halves ? ADJ_I64 : array.dtype;
    } else if (a.kind == ADJ_ARGUMENT_RANDOM) {
      if (bytes != 2 * sizeof(std::uint64_t)) refuse(name, "is a random state: the array must have the 16 bytes of seed and offset");
      static_cast<adj_random*>(at(args_.data(), a.offset))->device = static_cast<std::uint64_t*>(array.data);
    } else {
      refuse(name, "is a handle, and got an array");
    }
  }

  // Completes the fields from the arrays and selects the plan that run() takes. Addresses and numbers may be changed afterwards, through
  // address() and value(); whatever else was set or given stays.
  void prepare(const adj_stream& stream) {
    if (!kept_.empty()) return select(stream);  // a list or a text, which the structures have by its address
    const std::string problem = words(stream);
    auto& plans = known_plans();
    if (const auto found = plans.find(problem); found != plans.end()) {
      plan_.reset(adj_plan_retain(found->second.get()));
      workspace_bytes_ = adj_plan_workspace_size(plan_.get());
      return;
    }
    select(stream);
    constexpr std::size_t kMost = 4096;  // plans that a thread keeps; beyond, all are dropped
    if (plans.size() >= kMost) plans.clear();
    plans.emplace(problem, adj_plan_retain(plan_.get()));
  }

  // Where the call reads the address of an array that was given, or of entry `entry` of a list.
  void** address(const std::string& name, std::size_t entry = 0) {
    const adj_argument* a = argument(name);
    void* const to = a ? at(args_.data(), a->offset) : nullptr;
    if (a && a->kind == ADJ_ARGUMENT_LIST) return const_cast<void**>(static_cast<adj_tensor_list*>(to)->data) + entry;
    if (a && a->kind == ADJ_ARGUMENT_TENSOR) return &static_cast<adj_tensor*>(to)->data;
    if (a && a->kind == ADJ_ARGUMENT_SCALAR) return const_cast<void**>(&static_cast<adj_scalar*>(to)->device);
    refuse(name, "has no address");
  }
  // Where it reads a number that was set, or the state of a random number generator.
  void* value(const std::string& name) { return at(args_.data(), argument(name)->offset); }

  // Prepares the call unless that is done, and runs it. allocate(bytes) returns what owns the workspace until it goes out of scope, with get().
  template <class Allocate>
  void run(const adj_stream& stream, Allocate&& allocate) {
    if (!plan_) prepare(stream);
    adj_workspace workspace{nullptr, workspace_bytes_};
    if (workspace.bytes == 0) return check(adj_plan_run(plan_.get(), &stream, &workspace, args()));
    const auto owner = allocate(workspace.bytes);
    workspace.data = owner.get();
    if (!workspace.data) throw Failure(ADJ_ERROR_OUT_OF_MEMORY, of_.name + ": no memory for a workspace of " + std::to_string(workspace.bytes) + " bytes");
    check(adj_plan_run(plan_.get(), &stream, &workspace, args()));
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& what, adj_status code = ADJ_ERROR_INVALID_ARGUMENT) const {
    throw Failure(code, of_.name + ": " + name + " " + what);
  }

 private:
  static adj_op find(const std::string& name) {
    adj_op found = 0;
    check(adj_op_find(name.c_str(), &found));
    return found;
  }
  static void* at(void* structure, std::int64_t offset) { return static_cast<std::byte*>(structure) + offset; }
  template <class T>
  static void write(void* to, const T& value) {
    std::memcpy(to, &value, sizeof value);
  }
  // A copy with a zero behind it, which lives as long as the call.
  template <class T>
  void* keep(std::span<T> values) {
    auto& copy = kept_.emplace_front(values.size_bytes() + 1);
    std::ranges::copy(std::as_bytes(values), copy.begin());
    return copy.data();
  }

  adj_header* descriptor() { return reinterpret_cast<adj_header*>(descriptor_.data()); }
  const adj_header* args() const { return reinterpret_cast<const adj_header*>(args_.data()); }

  void give_list(const std::string& name, adj_tensor_list& list, std::span<const Array> arrays) {
    std::vector<void*> data;
    std::vector<std::uint64_t> bytes;
    for (const Array& array : arrays) {
      if (array.dtype != arrays[0].dtype) refuse(name, "has arrays of more than one element type", ADJ_ERROR_DTYPE_MISMATCH);
      data.push_back(array.data);
      bytes.push_back(bytes_of(name, array));
    }
    list.dtype = arrays.empty() ? ADJ_DTYPE_NONE : arrays[0].dtype;
    list.count = static_cast<std::int64_t>(arrays.size());
    list.data = static_cast<void**>(keep(std::span(data)));
    list.bytes = static_cast<std::uint64_t*>(keep(std::span(bytes)));
  }

  std::size_t take(const std::string& name) {
    const auto found = of_.places.find(name);
    if (found == of_.places.end()) {
      std::string known;
      for (const std::string& text : of_.names) known += (known.empty() ? "" : ", ") + text;
      throw Failure(ADJ_ERROR_INVALID_ARGUMENT, of_.name + " has no argument, field or preference " + name + ". They are " + known + ".");
    }
    if (taken_.test(found->second)) refuse(name, "is given twice");
    taken_.set(found->second);
    return found->second;
  }

  std::int64_t integer(const std::string& name, const Value& value) const {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
    refuse(name, "is not an integer");
  }
  double real(const std::string& name, const Value& value) const {
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
    refuse(name, "is not a number");
  }

  // Writes a field of a structure.
  void put(const std::string& name, const adj_field& field, void* structure, const Value& value) {
    void *const to = at(structure, field.offset), *const count = at(structure, std::int64_t{field.offset} - 8);
    const auto* text = std::get_if<std::string_view>(&value);
    const auto* integers = std::get_if<std::span<const std::int64_t>>(&value);
    const auto* reals = std::get_if<std::span<const double>>(&value);
    switch (field.kind) {
      case ADJ_FIELD_F64: return write(to, real(name, value));
      case ADJ_FIELD_I64:
      case ADJ_FIELD_POINTER: return write(to, integer(name, value));
      case ADJ_FIELD_DTYPE:
      case ADJ_FIELD_I32: {
        const std::int64_t number = text ? number_of(name, field, *text) : integer(name, value);
        if (number != static_cast<std::int32_t>(number)) refuse(name, "= " + std::to_string(number) + " does not fit in 32 bits");
        return write(to, static_cast<std::int32_t>(number));
      }
      case ADJ_FIELD_SHAPE:
      case ADJ_FIELD_AXES:
        if (!integers) refuse(name, "is not a list of integers");
        if (integers->size() > ADJ_MAX_RANK) refuse(name, "has " + std::to_string(integers->size()) + " numbers, at most 8 are possible");
        write(to, static_cast<std::int64_t>(integers->size()));
        std::ranges::copy(*integers, static_cast<std::int64_t*>(to) + 1);
        return;
      case ADJ_FIELD_I64_LIST:
        if (!integers) refuse(name, "is not a list of integers");
        write(count, static_cast<std::int64_t>(integers->size()));
        return write(to, keep(*integers));
      case ADJ_FIELD_F64_LIST: {
        if (!reals && !integers) refuse(name, "is not a list of numbers");
        const auto numbers = reals ? std::vector<double>(reals->begin(), reals->end()) : std::vector<double>(integers->begin(), integers->end());
        write(count, static_cast<std::int64_t>(numbers.size()));
        return write(to, keep(std::span(numbers)));
      }
      case ADJ_FIELD_TEXT:
      case ADJ_FIELD_BYTES:
        if (!text) refuse(name, "is not a text");
        if (field.kind == ADJ_FIELD_BYTES) write(count, static_cast<std::int64_t>(text->size()));
        return write(to, keep(std::span(*text)));
      default: refuse(name, "is of a kind that this adapter does not know; it is older than the library");
    }
  }

  // The number of an element type or of a value of an enumeration.
  std::int64_t number_of(const std::string& name, const adj_field& field, std::string_view text) const {
    const std::string given(text);
    if (field.kind == ADJ_FIELD_DTYPE) {
      const adj_dtype found = adj_dtype_find(given.c_str());
      if (found == ADJ_DTYPE_NONE) refuse(name, "= \"" + given + "\" is not an element type, such as f32");
      return found;
    }
    std::string_view rest = field.choices ? field.choices : "";
    for (std::int64_t i = 0; !rest.empty(); ++i) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      if (rest.substr(0, end) == text) return i;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    refuse(name, "= \"" + given + "\" is not " + (field.choices ? "one of " + std::string(field.choices) : "an integer"));
  }

  // Bytes of an array that is dense and row-major.
  std::uint64_t bytes_of(const std::string& name, const Array& array) const {
    if (array.rank > ADJ_MAX_RANK) refuse(name, "has rank " + std::to_string(array.rank) + ", at most 8 is possible", ADJ_ERROR_SHAPE_MISMATCH);
    std::uint64_t bytes = size_of(array.dtype);
    bool dense = true;
    std::int64_t stride = 1;
    for (int i = array.rank - 1; i >= 0; --i) {
      dense &= !array.strides || array.shape[i] == 1 || array.strides[i] == stride;
      stride *= array.shape[i];
      bytes *= static_cast<std::uint64_t>(array.shape[i]);
    }
    if (!dense && bytes > 0) refuse(name, "is not row-major and contiguous; give a contiguous copy", ADJ_ERROR_SHAPE_MISMATCH);
    return bytes;
  }

  // The value of a field that the library may fill in, "" of another.
  static std::string shown(const adj_field& field, const std::byte* value) {
    std::int64_t numbers[1 + ADJ_MAX_RANK] = {};
    switch (field.kind) {
      case ADJ_FIELD_DTYPE:
      case ADJ_FIELD_I32: return std::to_string(*reinterpret_cast<const std::int32_t*>(value));
      case ADJ_FIELD_I64: return std::to_string(*reinterpret_cast<const std::int64_t*>(value));
      case ADJ_FIELD_SHAPE: {
        std::memcpy(numbers, value, sizeof numbers);
        std::string text = "[";
        for (std::int64_t i = 1; i <= numbers[0]; ++i) text += (i == 1 ? "" : ", ") + std::to_string(numbers[i]);
        return text + "]";
      }
      default: return "";
    }
  }

  struct Release {
    void operator()(adj_plan* plan) const { adj_plan_release(plan); }
  };
  using Plan = std::unique_ptr<adj_plan, Release>;

  // The plans of the thread's calls, by the words of their problems.
  static std::unordered_map<std::string, Plan>& known_plans() {
    static thread_local std::unordered_map<std::string, Plan> plans;
    return plans;
  }

  // What the plan follows from: all that was set and given but addresses and numbers in memory, of which it counts whether they are there.
  std::string words(const adj_stream& stream) {
    static std::byte somewhere{};
    std::vector<std::byte> args = args_;
    for (const adj_argument& a : of_.arguments) {
      void* const to = at(args.data(), a.offset);
      if (a.kind == ADJ_ARGUMENT_TENSOR) {
        auto& tensor = *static_cast<adj_tensor*>(to);
        tensor.data = tensor.data ? &somewhere : nullptr;
      } else if (a.kind == ADJ_ARGUMENT_SCALAR) {
        auto& scalar = *static_cast<adj_scalar*>(to);
        scalar.value = 0, scalar.device = scalar.device ? &somewhere : nullptr;
      } else if (a.kind == ADJ_ARGUMENT_RANDOM) {
        *static_cast<adj_random*>(to) = {};
      }
    }
    std::string all;
    const auto add = [&](const void* data, std::size_t size) { all.append(static_cast<const char*>(data), size); };
    add(&op_, sizeof op_);
    add(&taken_, sizeof taken_);
    add(&stream, sizeof stream);
    add(&preference_, sizeof preference_);
    add(descriptor_.data(), descriptor_.size());
    add(args.data(), args.size());
    return all;
  }

  void select(const adj_stream& stream) {
    complete();
    adj_plan* raw = nullptr;
    check(adj_plan_acquire(&stream, descriptor(), &preference_, &raw, nullptr));
    plan_.reset(raw);
    workspace_bytes_ = adj_plan_workspace_size(raw);
  }

  // Fills in the fields that were not given. For the library a field with its default is none, so one that was given may have become another.
  void complete() {
    std::int64_t entries = 0;
    for (const adj_argument& a : of_.arguments)
      if (a.kind == ADJ_ARGUMENT_LIST) entries += static_cast<const adj_tensor_list*>(at(args_.data(), a.offset))->count;
    room_.resize(static_cast<std::size_t>(2 * entries));
    const std::vector<std::byte> before = descriptor_;
    check(adj_op_complete(descriptor(), args(), room_.data(), 2 * entries));
    for (std::size_t i = 0; i < of_.fields.size(); ++i) {
      const adj_field& f = of_.fields[i];
      const std::size_t place = of_.arguments.size() + i;
      const std::size_t size = f.kind == ADJ_FIELD_SHAPE ? sizeof(adj_shape) : f.kind == ADJ_FIELD_I64 ? sizeof(std::int64_t) : sizeof(std::int32_t);
      if (!taken_[place] || std::memcmp(&before[f.offset], &descriptor_[f.offset], size) == 0) continue;
      const std::string given = shown(f, &before[f.offset]), found = shown(f, &descriptor_[f.offset]), about = f.about;
      refuse(of_.names[place], "= " + given + " is not what the arrays say, which is " + found + (about.empty() ? "" : " (" + about + ")"));
    }
    for (std::size_t i = 0; i < of_.arguments.size(); ++i)
      if (of_.arguments[i].kind == ADJ_ARGUMENT_LIST) check_list(static_cast<std::int64_t>(i));
  }

  // The library takes the sizes of a list for capacities. An array of another size is a mistake all the same.
  void check_list(std::int64_t argument) {
    const adj_argument& a = of_.arguments[static_cast<std::size_t>(argument)];
    const auto& list = *static_cast<const adj_tensor_list*>(at(args_.data(), a.offset));
    std::vector<std::int64_t> numel(static_cast<std::size_t>(list.count) + 1);
    if (list.count > 0) check(adj_op_infer_list(descriptor(), argument, numel.data(), list.count));
    for (std::int64_t k = 0; k < list.count; ++k) {
      const auto found = static_cast<std::int64_t>(list.bytes[k] / size_of(list.dtype)), wanted = numel[static_cast<std::size_t>(k)];
      if (found != wanted)
        refuse(std::string(a.name) + "[" + std::to_string(k) + "]", "has " + std::to_string(found) + " elements, the descriptor says " + std::to_string(wanted),
               ADJ_ERROR_SHAPE_MISMATCH);
    }
  }

  adj_op op_;
  const Operator& of_;
  std::vector<std::byte> descriptor_, args_;
  adj_preference preference_;
  std::bitset<256> taken_;
  std::vector<std::int64_t> room_;  // lists of numbers that the library finds
  std::forward_list<std::vector<std::byte>> kept_;
  Plan plan_;
  std::uint64_t workspace_bytes_ = 0;
};

// Workspace of a call on the host stream.
struct HostMemory {
  static constexpr std::size_t kAlignment = 256;
  struct Free {
    void operator()(void* data) const { std::free(data); }
  };
  std::unique_ptr<void, Free> operator()(std::uint64_t bytes) const {
    return std::unique_ptr<void, Free>(std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment));
  }
};

}  // namespace adjoint::named
