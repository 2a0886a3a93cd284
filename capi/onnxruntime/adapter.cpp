// The library as custom operators of ONNX Runtime: one entry for every operator. A node becomes a call as the library's registry says (src/ops/onnx); the
// adapter knows no operator.
#include <deque>
#include <set>

#include "capi/onnxruntime/kernel.hpp"
#include "capi/tvm_ffi/device_memory.hpp"

namespace adjoint::onnxruntime {

namespace {

// One run of a node.
class Run {
 public:
  Run(Kernel& kernel, Context* context) : k_(kernel), context_(context), b_(*kernel.op->binding), call_(kernel.op->our_name) {}

  void operator()() {
    if (k_.op->gpu) {
      void* handle = nullptr;
      check(ort->KernelContext_GetGPUComputeStream(context_, &handle));
      named::check(adj_stream_wrap(handle, &stream_));
    }
    settings();
    inputs();
    outputs();
    for (const auto& [argument, other] : b_.same) given(argument) = given(other);
    for (const auto& [name, arrays] : given_) call_.give(*name, arrays);
    if (k_.random) {
      const std::int64_t words = (product(inputs_[0][0].dims) + 3) / 4 * 4, pair[2] = {k_.seed, k_.drawn.fetch_add(words)};
      call_.set("random", std::span<const std::int64_t>(pair));
    }
    run(call_);
    for (const Upload& u : uploads_) upload(u);
  }

 private:
  struct Upload {
    void* to;
    std::vector<std::byte> bytes;
  };

  template <class Any>
  void run(Any& call) {
    if (!k_.op->gpu) return call.run(stream_, named::HostMemory{});
    call.run(stream_, [&](std::uint64_t bytes) { return DeviceMemory::take(bytes, stream_); });
  }

  static Tensor tensor_of(const Value* value) {
    Tensor t;
    if (!value) return t;
    TensorInfo* info = nullptr;
    check(ort->GetTensorTypeAndShape(value, &info));
    std::size_t rank = 0;
    int type = 0;
    check(ort->GetDimensionsCount(info, &rank));
    t.dims.resize(rank);
    check(ort->GetDimensions(info, t.dims.data(), rank));
    check(ort->GetTensorElementType(info, &type));
    ort->ReleaseTensorTypeAndShapeInfo(info);
    check(ort->GetTensorMutableData(const_cast<Value*>(value), &t.data));
    t.dtype = static_cast<adj_dtype>(type);
    t.there = true;
    return t;
  }

  void settings() {
    for (const Setting& s : k_.settings)
      std::visit(
          [&](const auto& value) {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, std::string>) call_.set(s.field, std::string_view(value));
            else if constexpr (std::is_same_v<T, Dims>) call_.set(s.field, std::span<const std::int64_t>(value));
            else call_.set(s.field, value);
          },
          s.value);
    for (const Flag& f : b_.flags)
      if (f.output < 0) {
        const auto i = static_cast<std::size_t>(-1 - f.output);
        const Value* value = nullptr;
        if (i < k_.inputs) check(ort->KernelContext_GetInput(context_, i, &value));
        call_.set(f.field, value ? f.there : f.absent);
      }
  }

  std::int64_t extra(Fold fold) const {
    if (fold == Fold::gathered) return static_cast<std::int64_t>(inputs_.at(1)[0].dims.size());
    if (fold != Fold::rowwise) return 0;
    const Dims& first = inputs_[0][0].dims;
    return product(first, axis_of(k_.layout, first.size()), first.size());
  }

  Array array_of(const Port& port, const Tensor& t) {
    const named::Operator& ours = *k_.op->ours;
    const auto found = port.arguments.empty() ? ours.places.end() : ours.places.find(port.arguments[0]);
    const bool scalar = found != ours.places.end() && found->second < ours.arguments.size() && ours.arguments[found->second].kind == ADJ_ARGUMENT_SCALAR;
    const Dims& dims = dims_.emplace_front(folded(port.name, scalar ? Fold::flat : port.fold, t.dims, k_.layout, extra(port.fold)));
    return {t.data, t.dtype, static_cast<int>(dims.size()), dims.data(), nullptr};
  }

  std::vector<Array>& given(const std::string& name) {
    for (auto& [known, arrays] : given_)
      if (*known == name) return arrays;
    return given_.emplace_back(&name, std::vector<Array>()).second;
  }

  void inputs() {
    inputs_.resize(b_.inputs.size());
    for (std::size_t i = 0; i < b_.inputs.size(); ++i) {
      const Port& port = b_.inputs[i];
      const std::size_t last = port.variadic ? k_.inputs : std::min(i + 1, k_.inputs);
      for (std::size_t j = i; j < last; ++j) {
        const Value* value = nullptr;
        check(ort->KernelContext_GetInput(context_, j, &value));
        inputs_[i].push_back(tensor_of(value));
      }
      if (inputs_[i].empty()) inputs_[i].emplace_back();
    }
    for (std::size_t i = 0; i < b_.inputs.size(); ++i) {
      const Port& port = b_.inputs[i];
      const Tensor& t = inputs_[i][0];
      if (!port.dims_field.empty() && t.there) call_.set(port.dims_field, std::span<const std::int64_t>(t.dims));
      if (port.only_for >= 0 && !k_.output_there[static_cast<std::size_t>(port.only_for)]) continue;
      if (port.only_while >= 0 && inputs_[static_cast<std::size_t>(port.only_while)][0].there &&
          value_of(inputs_[static_cast<std::size_t>(port.only_while)][0], 0) == 0)
        continue;
      if (port.host) value(port, t);
      else if (!port.arguments.empty()) pass(port, i);
    }
  }

  // The value of a tensor in ordinary memory, as a field or a number.
  void value(const Port& port, const Tensor& t) {
    if (port.field.empty()) return;
    const named::Operator& ours = *k_.op->ours;
    if (is_list(ours, port.field)) {
      if (!t.there) return;
      if (takes(ours, port.field) == Takes::list) {
        const Dims values = integers_of(t);
        return call_.set(port.field, std::span<const std::int64_t>(values));
      }
      std::vector<double> values;
      for (std::int64_t i = port.from; i < product(t.dims); ++i) values.push_back(value_of(t, i));
      if (values.empty()) return;
      return call_.set(port.field, std::span<const double>(values));
    }
    if (!t.there && !port.standard) return;
    if (t.there && product(t.dims) != 1) refuse(port.name + " is a number, and has " + std::to_string(product(t.dims)) + " elements", ADJ_ERROR_SHAPE_MISMATCH);
    if (takes(ours, port.field) == Takes::real) call_.set(port.field, t.there ? value_of(t, 0) : *port.standard);
    else call_.set(port.field, t.there ? integer_of(t, 0) : static_cast<std::int64_t>(*port.standard));
  }

  void pass(const Port& port, std::size_t i) {
    const std::span<const Tensor> all = inputs_[i], list = port.paired ? all.first(std::min(all.size(), k_.outputs)) : all;
    if (list.empty() || !list[0].there) return;
    const std::size_t lists = port.arguments.size(), each = list.size() / lists;
    if (each * lists != list.size())
      refuse(port.name + " has " + std::to_string(list.size()) + " tensors, which are not " + std::to_string(lists) + " lists of one length");
    for (std::size_t j = 0; j < list.size(); ++j) given(port.arguments[j / each]).push_back(array_of(port, list[j]));
  }

  void outputs() {
    for (std::size_t i = 0; i < b_.outputs.size(); ++i) {
      const Port& port = b_.outputs[i];
      const std::size_t last = port.variadic ? k_.outputs : std::min(i + 1, k_.outputs);
      for (std::size_t j = i; j < last; ++j) {
        const Dims shape = shape_of(b_, port, inputs_, k_.layout, j - i, last - i);
        Value* value = nullptr;
        check(ort->KernelContext_GetOutput(context_, j, shape.data(), shape.size(), &value));
        Tensor t = tensor_of(value);
        if (!t.there) continue;
        if (!port.value.empty()) {
          store(port, t);
          continue;
        }
        if (port.arguments.empty()) continue;
        if (port.begins >= 0) begin(t, inputs_[static_cast<std::size_t>(port.begins)][0]);
        const adj_argument* argument = call_.argument(port.arguments[0]);
        if (k_.op->gpu && argument && argument->host) {  // the library writes it in ordinary memory before the call returns
          Upload& u = uploads_.emplace_back(Upload{t.data, std::vector<std::byte>(static_cast<std::size_t>(product(shape)) * named::size_of(t.dtype))});
          t.data = u.bytes.data();
        }
        given(port.arguments[0]).push_back(array_of(port, t));
      }
    }
  }

  // A sum of values of inputs, each 1 where it is absent.
  void store(const Port& port, const Tensor& t) {
    std::int64_t sum = 0;
    for (const std::string& name : port.value) {
      const auto at = static_cast<std::size_t>(std::ranges::find(b_.inputs, name, &Port::name) - b_.inputs.begin());
      sum += inputs_[at][0].there ? integer_of(inputs_[at][0], 0) : 1;
    }
    std::vector<std::byte> bytes(named::size_of(t.dtype));
    if (t.dtype == ADJ_BOOL) bytes[0] = std::byte(sum != 0);
    else std::memcpy(bytes.data(), &sum, bytes.size());
    if (k_.op->gpu) uploads_.push_back({t.data, bytes});
    else std::memcpy(t.data, bytes.data(), bytes.size());
  }

  void begin(const Tensor& to, const Tensor& from) {
    if (!from.there) refuse("there is an output of copies, and no input of them");
    if (to.data == from.data) return;
    Call copy("copy");
    const std::int64_t numel = product(from.dims);
    const Array source{from.data, from.dtype, 1, &numel, nullptr}, target{to.data, to.dtype, 1, &numel, nullptr};
    copy.give("inputs", std::span(&source, 1));
    copy.give("outputs", std::span(&target, 1));
    run(copy);
  }

  void upload(const Upload& u) const {
    using Copy = int (*)(pools::Address, const void*, std::size_t, pools::Stream);
    static const auto copy = [] {
      const char* file = std::getenv("ADJOINT_LIBCUDA");
      void* const driver = ::dlopen(file ? file : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
      return reinterpret_cast<Copy>(driver ? ::dlsym(driver, "cuMemcpyHtoDAsync_v2") : nullptr);
    }();
    // From pageable memory the driver takes its own copy before it returns.
    const int result = copy ? copy(reinterpret_cast<std::uintptr_t>(u.to), u.bytes.data(), u.bytes.size(), static_cast<pools::Stream>(stream_.handle)) : -1;
    if (result != 0) refuse("cuMemcpyHtoDAsync of an output failed with CUresult " + std::to_string(result), ADJ_ERROR_CUDA);
  }

  Kernel& k_;
  Context* context_;
  const Binding& b_;
  Call call_;
  adj_stream stream_ = adj_stream_host();
  std::vector<std::vector<Tensor>> inputs_;
  std::forward_list<Dims> dims_;
  std::deque<std::pair<const std::string*, std::vector<Array>>> given_;  // by names of the binding, a few: found faster than in a map
  std::deque<Upload> uploads_;
};

template <class Work>
Status* guarded(const std::string& about, Work&& work) {
  try {
    work();
    return nullptr;
  } catch (const Failure& failure) {
    return ort->CreateStatus(named::is_invalid(failure.code) ? kInvalidArgument : kFail, (about + failure.what()).c_str());
  } catch (const std::exception& problem) { return ort->CreateStatus(kFail, (about + problem.what()).c_str()); }
}

const Op& of(const CustomOp* op) { return *static_cast<const Op*>(op); }
Characteristic characteristic(const Port& p) {
  return p.variadic ? Characteristic::variadic : p.optional ? Characteristic::optional : Characteristic::required;
}

// The only pair that any binding has is the first input and the first output; a test holds it.
std::size_t first_over_first(int** input, int** output) {
  *input = new int(0), *output = new int(0);
  return 1;
}
void release_pairs(int* input, int* output) {
  delete input;
  delete output;
}

void fill(Op& op) {
  op.name = [](const CustomOp* o) { return of(o).given_name.c_str(); };
  op.provider = [](const CustomOp* o) -> const char* { return of(o).gpu ? "CUDAExecutionProvider" : nullptr; };
  op.input_count = [](const CustomOp* o) { return of(o).binding->inputs.size(); };
  op.output_count = [](const CustomOp* o) { return of(o).binding->outputs.size(); };
  op.input_type = [](const CustomOp* o, std::size_t i) { return of(o).type_of(of(o).binding->inputs[i].type); };
  op.output_type = [](const CustomOp* o, std::size_t i) { return of(o).type_of(of(o).binding->outputs[i].type); };
  op.input_characteristic = [](const CustomOp* o, std::size_t i) { return characteristic(of(o).binding->inputs[i]); };
  op.output_characteristic = [](const CustomOp* o, std::size_t i) { return characteristic(of(o).binding->outputs[i]); };
  op.input_memory = [](const CustomOp* o, std::size_t i) { return of(o).binding->inputs[i].host ? MemoryType::cpu_input : MemoryType::standard; };
  op.least_variadic_inputs = op.least_variadic_outputs = [](const CustomOp*) { return 1; };
  op.variadic_inputs_alike = op.variadic_outputs_alike = [](const CustomOp*) { return 1; };
  op.first_version = [](const CustomOp* o) { return of(o).since; };
  op.last_version = [](const CustomOp*) { return std::numeric_limits<int>::max(); };
  if (std::ranges::any_of(op.binding->outputs, [](const Port& p) { return p.over == 0; })) {
    op.may_overwrite = first_over_first;
    op.release_may_overwrite = release_pairs;
  }
  op.create = [](const CustomOp* o, const Api*, const KernelInfo* info, void** out) -> Status* {
    auto kernel = std::make_unique<Kernel>();
    kernel->op = &of(o);
    Status* const status = guarded("", [&] {
      try {
        prepare(*kernel, info);
      } catch (const Failure& failure) { throw Failure(failure.code, kernel->about + failure.what()); }
    });
    if (!status) *out = kernel.release();
    return status;
  };
  op.compute = [](void* kernel, Context* context) -> Status* {
    auto& k = *static_cast<Kernel*>(kernel);
    return guarded(k.about, [&] { Run(k, context)(); });
  };
  op.destroy = [](void* kernel) { delete static_cast<Kernel*>(kernel); };
}

// Everything that is registered, by domain. Made once; sessions share it.
class Catalog {
 public:
  Catalog() {
    const bool gpu = adj_device_count() > 0;
    std::set<std::string> made;
    for (std::int64_t i = 0; i < adj_registry_count(); ++i) {
      adj_registry_row row;
      named::check(adj_registry_get(i, &row));
      const std::string key = key_of(row);
      if (!read_.contains(key)) read_.emplace(key, bindings_of(row.binding));
      for (const Binding& b : read_.at(key)) {
        if (b.domain != row.domain) {
          if (made.insert(b.domain + " " + b.op).second) add(b, row, {}, gpu, b.op, b.domain);
          continue;
        }
        if (b.session == "table")
          for (const auto& types : combinations(b, row.combinations))
            if (usual(b, types) && made.insert(signature(b.op, b, types)).second) add(b, row, types, gpu, b.op, b.domain);
        if (const std::string variable = told(b); !variable.empty())
          for (const auto& types : combinations(b, row.combinations)) {
            const std::string name = b.op + "_" + adj_dtype_name(types.at(variable));
            if (made.insert(signature(name, b, types)).second) add(b, row, types, gpu, name, "adjoint");
          }
      }
    }
    for (auto& [name, ops] : ops_) {
      Domain*& domain = domains_[name];
      check(ort->CreateCustomOpDomain(name.c_str(), &domain));
      for (const auto& op : ops) check(ort->CustomOpDomain_Add(domain, static_cast<const CustomOp*>(op.get())));
    }
  }

  void add_to(SessionOptions* options) const {
    for (const auto& [name, domain] : domains_) check(ort->AddCustomOpDomain(options, domain));
  }

 private:
  using Types = std::map<std::string, adj_dtype>;

  static std::string key_of(const adj_registry_row& row) { return std::string(row.domain) + " " + row.op; }

  // The type variable of an output that no input has, both being always there: the session cannot infer it, so that the name of the operator has to say it.
  static std::string told(const Binding& b) {
    for (const Port& out : b.outputs)
      if (!out.optional && std::ranges::none_of(b.inputs, [&](const Port& in) { return in.type == out.type && !in.optional; }) &&
          (std::ranges::find(b.types, out.type) != b.types.end() || std::ranges::any_of(b.also, [&](const auto& a) { return a.first == out.type; })))
        return out.type;
    return "";
  }

  // Whether a node that does not say the type of its outputs has this one: that of the variable which is the attribute's default, else f32.
  static bool usual(const Binding& b, const Types& types) {
    const std::string variable = told(b);
    if (variable.empty()) return true;
    for (const Attribute& a : b.attributes)
      if (a.schema_type == variable && types.contains(a.standard)) return types.at(variable) == types.at(a.standard);
    return types.at(variable) == ADJ_F32;
  }

  static std::vector<Types> combinations(const Binding& b, const std::string& text) {
    std::vector<Types> all;
    for (const std::string& words : grammar::split(text, ';')) {
      const Words names = grammar::words_of(words);
      Types types;
      for (std::size_t i = 0; i < std::min(b.types.size(), names.size()); ++i) types[b.types[i]] = adj_dtype_find(names[i].c_str());
      all.push_back(types);
    }
    for (const auto& [variable, names] : b.also) {
      std::vector<Types> longer;
      for (const Types& types : all)
        for (const std::string& name : names) {
          longer.push_back(types);
          longer.back()[variable] = adj_dtype_find(name.c_str());
        }
      all = std::move(longer);
    }
    return all;
  }

  static std::string signature(const std::string& name, const Binding& b, const Types& types) {
    std::string text = b.domain + " " + name;
    for (const auto* ports : {&b.inputs, &b.outputs})
      for (const Port& p : *ports) {
        const auto found = types.find(p.type);
        text += " " + (found != types.end() ? std::string(adj_dtype_name(found->second)) : p.type);
      }
    return text;
  }

  void add(const Binding& b, const adj_registry_row& row, const Types& types, bool gpu, const std::string& name, const std::string& domain) {
    for (const bool on_gpu : {false, true}) {
      if (on_gpu && !gpu) continue;
      auto op = std::make_unique<Op>();
      op->binding = &b;
      op->given_name = name;
      op->our_name = row.adjoint_op;
      op->types = types;
      op->gpu = on_gpu;
      op->since = since_.emplace(key_of(row), row.since_version).first->second;
      adj_op ours = ADJ_OP_NONE;
      named::check(adj_op_find(row.adjoint_op, &ours));
      op->ours = &named::Operator::of(ours);
      fill(*op);
      ops_[domain].push_back(std::move(op));
    }
  }

  std::map<std::string, std::vector<Binding>> read_;
  std::map<std::string, int> since_;  // a session knows one version of a custom operator: the first
  std::map<std::string, std::vector<std::unique_ptr<Op>>> ops_;
  std::map<std::string, Domain*> domains_;
};

}  // namespace

}  // namespace adjoint::onnxruntime

extern "C" __attribute__((visibility("default"))) adjoint::onnxruntime::Status* RegisterCustomOps(adjoint::onnxruntime::SessionOptions* options,
                                                                                                  const adjoint::onnxruntime::ApiBase* base) {
  using namespace adjoint::onnxruntime;
  ort = base->get(kInterface);
  if (!ort) {
    const Api* first = base->get(1);
    return first->CreateStatus(kFail, (std::string("adjoint: ONNX Runtime ") + base->version() + " is too old, 1.18 or newer is needed").c_str());
  }
  return guarded("adjoint: ", [&] {
    static const Catalog catalog;
    catalog.add_to(options);
  });
}
