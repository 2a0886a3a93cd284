// A node as the session made it: its operator, with one combination of element types, and what its attributes set.
#pragma once

#include <atomic>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <random>

#include "capi/onnxruntime/values.hpp"

namespace adjoint::onnxruntime {

using named::Array;
using named::Call;

inline const Api* ort = nullptr;

inline void check(Status* status) {
  if (!status) return;
  const std::string message = ort->GetErrorMessage(status);
  ort->ReleaseStatus(status);
  refuse(message);
}
// True where a question has an answer. ONNX Runtime reports an attribute that is not there as an error.
inline bool answered(Status* status) {
  if (status) ort->ReleaseStatus(status);
  return !status;
}

// One combination of element types of one operator on one provider.
struct Op : CustomOp {
  const Binding* binding = nullptr;
  const named::Operator* ours = nullptr;
  std::string given_name, our_name;
  std::map<std::string, adj_dtype> types;
  bool gpu = false;
  int since = 1;

  int type_of(const std::string& name) const {
    if (name == "any") return kUndefined;
    const auto found = types.find(name);
    return found != types.end() ? int(found->second) : int(adj_dtype_find(name.c_str()));
  }
};

// What a field of ours takes from a number or a list of numbers.
enum class Takes { nothing, integer, real, list };

inline Takes takes(const named::Operator& op, const std::string& name) {
  const auto found = op.places.find(name);
  if (found == op.places.end()) refuse("the binding names " + name + ", which " + op.name + " has not", ADJ_ERROR_INTERNAL);
  if (found->second < op.arguments.size()) return op.arguments[found->second].kind == ADJ_ARGUMENT_SCALAR ? Takes::real : Takes::nothing;
  switch (op.fields[found->second - op.arguments.size()].kind) {
    case ADJ_FIELD_F64: return Takes::real;
    case ADJ_FIELD_SHAPE:
    case ADJ_FIELD_AXES:
    case ADJ_FIELD_I64_LIST: return Takes::list;
    case ADJ_FIELD_F64_LIST: return Takes::real;
    default: return Takes::integer;
  }
}
inline bool is_list(const named::Operator& op, const std::string& name) {
  const auto found = op.places.find(name);
  if (found == op.places.end() || found->second < op.arguments.size()) return false;
  const adj_field_kind kind = op.fields[found->second - op.arguments.size()].kind;
  return kind == ADJ_FIELD_SHAPE || kind == ADJ_FIELD_AXES || kind == ADJ_FIELD_I64_LIST || kind == ADJ_FIELD_F64_LIST;
}

struct Setting {
  std::string field;
  std::variant<std::int64_t, double, std::string, Dims> value;
};

// Calls for one set of shapes, and where they read what changes from run to run. Tensors have numbers: those of the inputs, then those of the outputs.
struct Prepared {
  struct Address {
    void** to;
    std::size_t tensor;
  };
  struct Number {  // the value of an input in ordinary memory, read for each run
    void* to;
    std::size_t tensor;
    adj_dtype dtype;
  };
  struct Sum {  // an output that is a sum of values of inputs
    std::size_t tensor;
    adj_dtype dtype;
    std::vector<std::pair<std::size_t, adj_dtype>> inputs;
    std::int64_t absent = 0;  // inputs that are not there: each counts 1
  };
  struct Upload {  // an output that the library writes in ordinary memory before the call returns
    std::size_t tensor;
    std::vector<std::byte> bytes;
  };

  std::vector<std::int64_t> key;             // what Run::read_inputs found
  std::vector<Dims> shapes;                  // of the outputs
  std::vector<bool> there;                   // the outputs
  std::vector<std::unique_ptr<Call>> calls;  // in order; the last is the operator, those before it copy what outputs begin with
  std::vector<std::pair<std::size_t, std::size_t>> copies;  // what the calls before the last one copy: from, to
  std::vector<Address> addresses;
  std::vector<Number> numbers;
  std::vector<Sum> sums;
  std::deque<Upload> uploads;
  void* random = nullptr;  // seed and offset
  std::int64_t drawn = 0;  // random numbers of a run
};

// The calls of a node that no run is using. Runs of one session on several threads have calls of their own.
class Idle {
 public:
  std::unique_ptr<Prepared> take(const std::vector<std::int64_t>& key) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = idle_.size(); i-- > 0;) {
      if (idle_[i]->key != key) continue;
      auto found = std::move(idle_[i]);
      idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
      return found;
    }
    return nullptr;
  }
  void keep(std::unique_ptr<Prepared> prepared) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() == kMost) idle_.erase(idle_.begin());  // the least recently used
    idle_.push_back(std::move(prepared));
  }

 private:
  static constexpr std::size_t kMost = 16;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Prepared>> idle_;
};

struct Kernel {
  const Op* op = nullptr;
  std::string node, about;  // about: how the sentence of an error begins
  std::size_t inputs = 0, outputs = 0;
  Layout layout;
  std::vector<Setting> settings;
  std::vector<bool> output_there;
  bool random = false;
  std::int64_t seed = 0;
  std::atomic<std::int64_t> drawn{0};
  std::vector<bool> key_values;  // ports whose values are part of the key of a call
  Idle prepared;

  bool is_key(std::size_t input) const { return input < key_values.size() && key_values[input]; }
};

inline std::string text_of(const KernelInfo* info, const char* name) {
  std::size_t size = 0;
  if (!answered(ort->KernelInfoGetAttribute_string(info, name, static_cast<char*>(nullptr), &size))) return "";
  std::string text(size, 0);
  check(ort->KernelInfoGetAttribute_string(info, name, text.data(), &size));
  text.resize(size ? size - 1 : 0);
  return text;
}

// Adds what an attribute of the node, or its default, sets.
inline void read(const Attribute& a, const KernelInfo* info, Kernel& k) {
  const Op& op = *k.op;
  std::int64_t integer = 0;
  float real = 0;
  std::string text;
  Dims list;
  std::size_t size = 0;
  bool there = false;
  switch (a.kind) {
    case Attribute::integer: there = answered(ort->KernelInfoGetAttribute_int64(info, a.name.c_str(), &integer)); break;
    case Attribute::real: there = answered(ort->KernelInfoGetAttribute_float(info, a.name.c_str(), &real)); break;
    case Attribute::text:
      there = answered(ort->KernelInfoGetAttribute_string(info, a.name.c_str(), static_cast<char*>(nullptr), &size));
      if (there) text = text_of(info, a.name.c_str());
      break;
    case Attribute::reals: break;  // the rewrite leaves none
    case Attribute::integers:
      there = answered(ort->KernelInfoGetAttributeArray_int64(info, a.name.c_str(), static_cast<std::int64_t*>(nullptr), &size));
      if (there && size > 0) {
        list.resize(size);
        check(ort->KernelInfoGetAttributeArray_int64(info, a.name.c_str(), list.data(), &size));
      }
      break;
  }
  const auto refuse_value = [&](const std::string& why) {
    refuse("attribute " + a.name +
           (a.kind == Attribute::text      ? " = '" + text + "'"
            : a.kind == Attribute::integer ? " = " + std::to_string(integer)
                                           : "") +
           " " + why);
  };
  if (!there && a.required) refuse("attribute " + a.name + " must be given");
  if (there && a.refused) refuse_value("is not served");
  if (!there && a.standard.empty()) {
    if (a.random) k.random = true, k.seed = static_cast<std::int64_t>(std::random_device()());
    return;
  }
  if (!there) {
    real = std::strtof(a.standard.c_str(), nullptr);  // the defaults of ONNX are f32, too
    integer = std::atoll(a.standard.c_str());
    text = a.standard;
  }
  if (!a.only.empty() && std::ranges::find(a.only, a.kind == Attribute::text ? text : std::to_string(integer)) == a.only.end()) {
    std::string served;
    for (const std::string& value : a.only) served += (served.empty() ? "" : " or ") + value;
    refuse_value("is not served, only " + served);
  }
  if (!a.schema_type.empty()) {
    if (const int type = op.type_of(a.schema_type); there && integer != type)
      refuse_value("asks for another element type than " + std::string(adj_dtype_name(static_cast<adj_dtype>(type))) +
                   ", which the session took; adjoint.onnxruntime.prepare rewrites the model so that it takes the right one");
    return;
  }
  if (a.random) k.random = true, k.seed = integer;
  if (a.fold_axis) k.layout.axis = integer;
  if (a.name == "reduction") k.layout.unreduced = text == "none";
  if (a.field == "keepdims") k.layout.keep = integer != 0;
  if (a.field == "noop_with_empty_axes") k.layout.empty_is_none = integer != 0;
  if (!a.choice.empty()) {
    if (integer) k.settings.push_back({a.field, a.choice});
    return;
  }
  if (a.field.empty()) return;
  switch (a.kind) {
    case Attribute::integer: k.settings.push_back({a.field, a.inverted ? std::int64_t{integer == 0} : integer}); break;
    case Attribute::reals: break;
    case Attribute::real: k.settings.push_back({a.field, static_cast<double>(real)}); break;
    case Attribute::text: k.settings.push_back({a.field, text}); break;
    case Attribute::integers: k.settings.push_back({a.field, list}); break;
  }
}

// The number of a setting that the binding itself has.
inline std::variant<std::int64_t, double, std::string, Dims> constant(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end) return text;
  if (text.find_first_of(".e") != std::string::npos) return number;
  return static_cast<std::int64_t>(number);
}

inline void prepare(Kernel& k, const KernelInfo* info) {
  const Binding& b = *k.op->binding;
  std::size_t size = 0;
  check(ort->KernelInfo_GetNodeName(info, static_cast<char*>(nullptr), &size));
  k.node.resize(size);
  check(ort->KernelInfo_GetNodeName(info, k.node.data(), &size));
  k.node.resize(size ? size - 1 : 0);
  k.about = "adjoint: node '" + k.node + "' (" + b.op + "): ";
  check(ort->KernelInfo_GetInputCount(info, &k.inputs));
  check(ort->KernelInfo_GetOutputCount(info, &k.outputs));
  k.output_there.resize(std::max(k.outputs, b.outputs.size()));
  for (std::size_t i = 0; i < k.outputs; ++i) {
    size = 0;
    check(ort->KernelInfo_GetOutputName(info, i, static_cast<char*>(nullptr), &size));
    k.output_there[i] = size > 1;
  }
  // The value of a number is put into the call for each run. Every other value makes another call.
  for (const Port& p : b.inputs) {
    const auto found = k.op->ours->places.find(p.field);
    k.key_values.push_back(p.host && (found == k.op->ours->places.end() || found->second >= k.op->ours->arguments.size()));
  }
  if (!b.inputs.empty() && b.inputs.back().variadic) k.key_values.resize(std::max(k.inputs, b.inputs.size()), k.key_values.back());
  for (const auto& [field, value] : b.settings) k.settings.push_back({field, constant(value)});
  for (const Attribute& a : b.attributes) read(a, info, k);
  for (const Flag& f : b.flags) {
    if (f.output < 0) continue;
    k.settings.push_back({f.field, k.output_there[static_cast<std::size_t>(f.output)] ? f.there : f.absent});
  }
}

}  // namespace adjoint::onnxruntime
