// A call in which operator, fields and arguments have names: adapters of frameworks fill it, and know no operator. It needs the C interface alone.
#pragma once

#include <adjoint.h>

#include <algorithm>
#include <bitset>
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

// What the library says of an operator, by name. A field that has the name of an argument takes a suffix: _dtype for an element type, _shape for a
// shape, _mode for the rest.
struct Operator {
  explicit Operator(adj_op id) : op(id), name(adj_op_name(id)) {
    arguments.resize(static_cast<std::size_t>(adj_op_argument_count(id)));
    fields.resize(static_cast<std::size_t>(adj_op_field_count(id)));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      check(adj_op_argument(id, static_cast<std::int64_t>(i), &arguments[i]));
      names[arguments[i].name] = i;
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      check(adj_op_field(id, static_cast<std::int64_t>(i), &fields[i]));
      std::string text = fields[i].name;
      if (names.contains(text)) text += fields[i].kind == ADJ_FIELD_DTYPE ? "_dtype" : fields[i].kind == ADJ_FIELD_SHAPE ? "_shape" : "_mode";
      names[text] = arguments.size() + i;
    }
  }

  static const Operator& of(const std::string& name) {
    static const std::unordered_map<std::string, Operator> all = [] {
      std::unordered_map<std::string, Operator> made;
      for (std::int64_t i = 0; i < adj_op_count(); ++i) made.emplace(adj_op_name(adj_op_at(i)), adj_op_at(i));
      return made;
    }();
    if (const auto found = all.find(name); found != all.end()) return found->second;
    adj_op none;
    check(adj_op_find(name.c_str(), &none));  // fails, with the library's sentence
    throw Failure(ADJ_ERROR_NOT_FOUND, name + ": the library has the operator now, and had not when it was asked for all");
  }

  adj_op op;
  std::string name;
  std::vector<adj_argument> arguments;
  std::vector<adj_field> fields;
  std::unordered_map<std::string, std::size_t> names;  // of arguments, then of fields
};

// A number, a text (also of an element type or a choice, or bytes) or a list of numbers.
using Value = std::variant<std::int64_t, double, std::string_view, std::span<const std::int64_t>, std::span<const double>>;

struct Array {
  void* data = nullptr;
  adj_dtype dtype = 0;
  int rank = 0;
  const std::int64_t* shape = nullptr;
  const std::int64_t* strides = nullptr;  // in elements; null: row-major
};

inline std::uint64_t size_of(adj_dtype dtype) {
  switch (dtype) {
    case ADJ_BOOL: case ADJ_U8: case ADJ_I8: return 1;
    case ADJ_F16: case ADJ_BF16: case ADJ_U16: case ADJ_I16: return 2;
    case ADJ_F32: case ADJ_I32: case ADJ_U32: return 4;
    default: return 8;
  }
}

class Call {
 public:
  explicit Call(const std::string& operator_name) : of_(Operator::of(operator_name)) {
    const std::uint64_t descriptor = adj_op_descriptor_size(of_.op), args = adj_op_args_size(of_.op);
    storage_.resize((descriptor + args) / sizeof(std::uint64_t));
    args_ = storage_.data() + descriptor / sizeof(std::uint64_t);
    check(adj_op_descriptor_init(of_.op, storage_.data(), descriptor));
    check(adj_op_args_init(of_.op, args_, args));
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const Operator& op() const { return of_; }
  const adj_header* descriptor() const { return reinterpret_cast<const adj_header*>(storage_.data()); }

  // The argument of a name; null for a field, and for a name that the operator has not.
  const adj_argument* argument(const std::string& name) const {
    const auto found = of_.names.find(name);
    return found != of_.names.end() && found->second < of_.arguments.size() ? &of_.arguments[found->second] : nullptr;
  }

  // A field, or an argument that is a number, a random state or a handle.
  void set(const std::string& name, const Value& value) {
    const std::size_t i = take(name);
    if (i >= of_.arguments.size()) return set_field(name, of_.fields[i - of_.arguments.size()], value);
    char* const at = reinterpret_cast<char*>(args_) + of_.arguments[i].offset;
    switch (of_.arguments[i].kind) {
      case ADJ_ARGUMENT_SCALAR: return put(at, real(name, value));
      case ADJ_ARGUMENT_RANDOM: {
        const auto* pair = std::get_if<std::span<const std::int64_t>>(&value);
        if (!pair || pair->size() != 2) refuse(name, "is a random state: give seed and offset, or an array of the two");
        std::memcpy(at, pair->data(), pair->size_bytes());
        return;
      }
      case ADJ_ARGUMENT_HANDLE: return put(at, integer(name, value));
      default: refuse(name, "is not an array");
    }
  }

  // An argument in memory. Arrays are read until run() has returned.
  void give(const std::string& name, std::span<const Array> arrays) {
    const adj_argument* a = argument(name);
    const std::size_t i = take(name);
    if (!a) refuse(name, "is a field, and got an array");
    char* const at = reinterpret_cast<char*>(args_) + a->offset;
    if (a->kind == ADJ_ARGUMENT_LIST) return give_list(name, i, arrays);
    if (arrays.size() != 1) refuse(name, "takes one array, got " + std::to_string(arrays.size()));
    const Array& array = arrays[0];
    const std::uint64_t bytes = bytes_of(name, array);
    if (a->kind == ADJ_ARGUMENT_TENSOR) {
      adj_tensor t;
      t.data = array.data, t.bytes = bytes, t.dtype = array.dtype, t.rank = std::max(array.rank, 1);
      t.shape[0] = 1;  // an array of rank 0 has one element; a tensor of rank 0 would have any shape
      std::copy_n(array.shape, array.rank, t.shape);
      put(at, t);
    } else if (a->kind == ADJ_ARGUMENT_SCALAR) {
      if (bytes != size_of(array.dtype)) refuse(name, "is a number, and got an array that has not one element");
      put(at + offsetof(adj_scalar, device), array.data);
      put(at + offsetof(adj_scalar, dtype), array.dtype);
    } else if (a->kind == ADJ_ARGUMENT_RANDOM) {
      if (bytes != 2 * sizeof(std::uint64_t)) refuse(name, "is a random state: the array must have the 16 bytes of seed and offset");
      put(at + offsetof(adj_random, device), array.data);
    } else {
      refuse(name, "is a handle, and got an array");
    }
  }

  // Selects a plan and runs it. allocate(bytes) returns what owns the workspace until it goes out of scope, with get().
  template <class Allocate>
  void run(const adj_stream& stream, Allocate&& allocate) {
    for (const List& list : lists_) check_list(list);
    adj_plan* raw = nullptr;
    check(adj_plan_acquire(&stream, descriptor(), nullptr, &raw, nullptr));
    const std::unique_ptr<adj_plan, decltype(&adj_plan_release)> plan(raw, adj_plan_release);
    adj_workspace workspace;
    workspace.bytes = adj_plan_workspace_size(plan.get());
    if (workspace.bytes == 0) return check(adj_plan_run(plan.get(), &stream, &workspace, args()));
    const auto owner = allocate(workspace.bytes);
    workspace.data = owner.get();
    if (!workspace.data) refuse_memory(workspace.bytes);
    check(adj_plan_run(plan.get(), &stream, &workspace, args()));
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& what, adj_status code = ADJ_ERROR_INVALID_ARGUMENT) const {
    throw Failure(code, of_.name + ": " + name + " " + what);
  }

 private:
  struct List {
    std::size_t argument;
    std::vector<void*> data;
    std::vector<std::uint64_t> bytes;
    std::uint64_t element = 1;  // bytes of an element
  };

  const adj_header* args() const { return reinterpret_cast<const adj_header*>(args_); }

  template <class T>
  static void put(void* at, const T& value) {
    std::memcpy(at, &value, sizeof value);
  }

  [[noreturn]] void refuse_memory(std::uint64_t bytes) const {
    throw Failure(ADJ_ERROR_OUT_OF_MEMORY, of_.name + ": no memory for a workspace of " + std::to_string(bytes) + " bytes");
  }

  std::size_t take(const std::string& name) {
    const auto found = of_.names.find(name);
    if (found == of_.names.end()) {
      std::string known;
      for (const adj_argument& a : of_.arguments) known += std::string(known.empty() ? "" : ", ") + a.name;
      for (const adj_field& f : of_.fields)
        for (const auto& [text, i] : of_.names)
          if (i == of_.arguments.size() + static_cast<std::size_t>(&f - of_.fields.data())) known += ", " + text;
      throw Failure(ADJ_ERROR_INVALID_ARGUMENT, of_.name + " has no argument or field " + name + ". They are " + known + ".");
    }
    if (taken_[found->second % taken_.size()]) refuse(name, "is given twice");
    taken_[found->second % taken_.size()] = true;
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

  void set_field(const std::string& name, const adj_field& field, const Value& value) {
    char* const at = reinterpret_cast<char*>(storage_.data()) + field.offset;
    const auto* text = std::get_if<std::string_view>(&value);
    const auto* integers = std::get_if<std::span<const std::int64_t>>(&value);
    const auto* reals = std::get_if<std::span<const double>>(&value);
    switch (field.kind) {
      case ADJ_FIELD_F64: return put(at, real(name, value));
      case ADJ_FIELD_I64: case ADJ_FIELD_POINTER: return put(at, integer(name, value));
      case ADJ_FIELD_DTYPE: return put(at, static_cast<std::int32_t>(text ? element_type(name, *text) : integer(name, value)));
      case ADJ_FIELD_I32: {
        const std::int64_t number = text ? choice(name, field, *text) : integer(name, value);
        if (number != static_cast<std::int32_t>(number)) refuse(name, "= " + std::to_string(number) + " does not fit in 32 bits");
        return put(at, static_cast<std::int32_t>(number));
      }
      case ADJ_FIELD_SHAPE: case ADJ_FIELD_AXES: {
        if (!integers) refuse(name, "is not a list of integers");
        if (integers->size() > ADJ_MAX_RANK) refuse(name, "has " + std::to_string(integers->size()) + " numbers, at most 8 are possible");
        put(at, static_cast<std::int64_t>(integers->size()));
        std::memcpy(at + sizeof(std::int64_t), integers->data(), integers->size_bytes());
        return;
      }
      case ADJ_FIELD_I64_LIST: {
        if (!integers) refuse(name, "is not a list of integers");
        const auto& kept = integers_.emplace_front(integers->begin(), integers->end());
        put(at, kept.data());
        return put(at - sizeof(std::int64_t), static_cast<std::int64_t>(kept.size()));
      }
      case ADJ_FIELD_F64_LIST: {
        if (!reals && !integers) refuse(name, "is not a list of numbers");
        const auto& kept = reals ? reals_.emplace_front(reals->begin(), reals->end()) : reals_.emplace_front(integers->begin(), integers->end());
        put(at, kept.data());
        return put(at - sizeof(std::int64_t), static_cast<std::int64_t>(kept.size()));
      }
      case ADJ_FIELD_TEXT: case ADJ_FIELD_BYTES: {
        if (!text) refuse(name, "is not a text");
        const std::string& kept = texts_.emplace_front(*text);
        put(at, kept.c_str());
        if (field.kind == ADJ_FIELD_BYTES) put(at - sizeof(std::int64_t), static_cast<std::int64_t>(kept.size()));
        return;
      }
      default: refuse(name, "is of a kind that this adapter does not know; it is older than the library");
    }
  }

  std::int64_t element_type(const std::string& name, std::string_view text) const {
    const adj_dtype found = adj_dtype_find(std::string(text).c_str());
    if (found == ADJ_DTYPE_NONE) refuse(name, "= \"" + std::string(text) + "\" is not an element type, such as f32");
    return found;
  }

  std::int64_t choice(const std::string& name, const adj_field& field, std::string_view text) const {
    std::string_view rest = field.choices ? field.choices : "";
    for (std::int64_t i = 0; !rest.empty(); ++i) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      if (rest.substr(0, end) == text) return i;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    refuse(name, "= \"" + std::string(text) + "\" is not " + (field.choices ? "one of " + std::string(field.choices) : "an integer"));
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

  void give_list(const std::string& name, std::size_t i, std::span<const Array> arrays) {
    List& list = lists_.emplace_front(List{i, {}, {}});
    adj_tensor_list t;
    for (const Array& array : arrays) {
      if (array.dtype != arrays[0].dtype) refuse(name, "has arrays of more than one element type", ADJ_ERROR_DTYPE_MISMATCH);
      list.data.push_back(array.data);
      list.bytes.push_back(bytes_of(name, array));
      list.element = size_of(array.dtype);
    }
    t.count = static_cast<std::int64_t>(arrays.size());
    t.dtype = arrays.empty() ? 0 : arrays[0].dtype;
    t.data = list.data.data(), t.bytes = list.bytes.data();
    put(reinterpret_cast<char*>(args_) + of_.arguments[i].offset, t);
  }

  // The library takes the sizes of a list for capacities. An array of another size is a mistake all the same.
  void check_list(const List& list) {
    const std::int64_t argument = static_cast<std::int64_t>(list.argument);
    adj_requirement need;
    check(adj_op_infer(descriptor(), argument, &need));
    if (list.data.empty())  // no entry says the type
      put(reinterpret_cast<char*>(args_) + of_.arguments[list.argument].offset + offsetof(adj_tensor_list, dtype), need.dtype);
    if (need.count != static_cast<std::int64_t>(list.data.size())) return;  // adj_plan_run refuses it
    std::vector<std::int64_t> numel(list.data.size() + 1);
    check(adj_op_infer_list(descriptor(), argument, numel.data(), static_cast<std::int64_t>(numel.size())));
    for (std::size_t k = 0; k < list.data.size(); ++k)
      if (list.bytes[k] != static_cast<std::uint64_t>(numel[k]) * list.element)
        refuse(std::string(of_.arguments[list.argument].name) + "[" + std::to_string(k) + "]", "has " + std::to_string(list.bytes[k] / list.element) +
               " elements, the descriptor says " + std::to_string(numel[k]), ADJ_ERROR_SHAPE_MISMATCH);
  }

  const Operator& of_;
  std::vector<std::uint64_t> storage_;  // the descriptor, then the arguments
  std::uint64_t* args_ = nullptr;
  std::bitset<256> taken_;
  std::forward_list<List> lists_;
  std::forward_list<std::vector<std::int64_t>> integers_;
  std::forward_list<std::vector<double>> reals_;
  std::forward_list<std::string> texts_;
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
