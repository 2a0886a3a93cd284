// A run of a node. The first one with a set of shapes makes the call and selects its plan; later ones with these shapes put other addresses into it.
#pragma once

#include <deque>

#include "capi/onnxruntime/kernel.hpp"
#include "capi/tvm_ffi/device_memory.hpp"

namespace adjoint::onnxruntime {

class Run {
 public:
  Run(Kernel& kernel, Context* context) : k_(kernel), b_(*kernel.op->binding), context_(context), key_(memory().key), data_(memory().data) {}

  void operator()() {
    if (k_.op->gpu) {
      void* handle = nullptr;
      check(ort->KernelContext_GetGPUComputeStream(context_, &handle));
      named::check(adj_stream_wrap(handle, &stream_));
    }
    read_inputs();
    std::unique_ptr<Prepared> prepared = k_.prepared.take(key_);
    const bool fresh = !prepared;
    if (fresh) prepared = std::make_unique<Prepared>();
    p_ = prepared.get();
    if (fresh) find_shapes();
    find_outputs();
    if (fresh) make();
    run();
    k_.prepared.keep(std::move(prepared));
  }

 private:
  // Memory of a thread, which keeps its size from run to run.
  struct Memory {
    std::vector<std::int64_t> key;
    std::vector<void*> data;
  };
  static Memory& memory() {
    static thread_local Memory made;
    return made;
  }

  // Finds the addresses of the inputs, and the key: presence, element type and dimensions of each, and the values that the call is made of.
  void read_inputs() {
    key_.clear();
    data_.clear();
    for (std::size_t i = 0; i < k_.inputs; ++i) {
      const Value* value = nullptr;
      check(ort->KernelContext_GetInput(context_, i, &value));
      data_.push_back(value ? data_of(value) : nullptr);
      if (!value) {
        key_.push_back(ADJ_DTYPE_NONE);
        continue;
      }
      TensorInfo* info = nullptr;
      check(ort->GetTensorTypeAndShape(value, &info));
      std::size_t rank = 0;
      int dtype = 0;
      check(ort->GetTensorElementType(info, &dtype));
      check(ort->GetDimensionsCount(info, &rank));
      key_.insert(key_.end(), {dtype, static_cast<std::int64_t>(rank)});
      key_.resize(key_.size() + rank);
      std::int64_t* const dims = key_.data() + key_.size() - rank;
      check(ort->GetDimensions(info, dims, rank));
      ort->ReleaseTensorTypeAndShapeInfo(info);
      if (!k_.is_key(i)) continue;
      const std::size_t bytes = static_cast<std::size_t>(product(std::span(dims, rank))) * named::size_of(static_cast<adj_dtype>(dtype));
      const std::size_t end = key_.size();
      key_.resize(end + words(bytes));
      if (bytes > 0) std::memcpy(key_.data() + end, data_[i], bytes);
    }
  }

  static std::size_t words(std::size_t bytes) { return (bytes + sizeof(std::int64_t) - 1) / sizeof(std::int64_t); }
  static void* data_of(const Value* value) {
    void* data = nullptr;
    check(ort->GetTensorMutableData(const_cast<Value*>(value), &data));
    return data;
  }

  void find_outputs() {
    p_->there.resize(p_->shapes.size());
    for (std::size_t j = 0; j < p_->shapes.size(); ++j) {
      Value* value = nullptr;
      check(ort->KernelContext_GetOutput(context_, j, p_->shapes[j].data(), p_->shapes[j].size(), &value));
      p_->there[j] = value != nullptr;
      data_.push_back(value ? data_of(value) : nullptr);
    }
  }

  void run() {
    for (const Prepared::Sum& sum : p_->sums) store(sum);
    for (const Prepared::Number& n : p_->numbers) {
      const double value = value_of(n.dtype, data_[n.tensor], 0);
      std::memcpy(n.to, &value, sizeof value);
    }
    for (const Prepared::Address& a : p_->addresses) *a.to = data_[a.tensor];
    if (p_->random) {
      const std::int64_t state[2] = {k_.seed, k_.drawn.fetch_add(p_->drawn)};
      std::memcpy(p_->random, state, sizeof state);
    }
    for (std::size_t i = 0; i < p_->calls.size(); ++i) {
      if (i < p_->copies.size() && data_[p_->copies[i].first] == data_[p_->copies[i].second]) continue;  // the caller bound one buffer to both
      if (!k_.op->gpu) p_->calls[i]->run(stream_, named::HostMemory{});
      else p_->calls[i]->run(stream_, [&](std::uint64_t bytes) { return DeviceMemory::take(bytes, stream_); });
    }
    for (const Prepared::Upload& u : p_->uploads) upload(data_[u.tensor], u.bytes);
  }

  // A sum of values of inputs, each 1 where it is absent.
  void store(const Prepared::Sum& s) const {
    std::int64_t sum = s.absent;
    for (const auto& [tensor, dtype] : s.inputs) sum += integer_of(dtype, data_[tensor], 0);
    std::vector<std::byte> bytes(named::size_of(s.dtype));
    if (s.dtype == ADJ_BOOL) bytes[0] = std::byte(sum != 0);
    else std::memcpy(bytes.data(), &sum, bytes.size());
    if (k_.op->gpu) upload(data_[s.tensor], bytes);
    else std::memcpy(data_[s.tensor], bytes.data(), bytes.size());
  }

  void upload(void* to, std::span<const std::byte> bytes) const {
    using Copy = int (*)(pools::Address, const void*, std::size_t, pools::Stream);
    static const auto copy = [] {
      const char* file = secure_getenv("ADJOINT_LIBCUDA");
      void* const driver = ::dlopen(file ? file : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
      return reinterpret_cast<Copy>(driver ? ::dlsym(driver, "cuMemcpyHtoDAsync_v2") : nullptr);
    }();
    // From pageable memory the driver takes its own copy before it returns.
    const int result = copy ? copy(reinterpret_cast<std::uintptr_t>(to), bytes.data(), bytes.size(), static_cast<pools::Stream>(stream_.handle)) : -1;
    if (result != 0) refuse("cuMemcpyHtoDAsync of an output failed with CUresult " + std::to_string(result), ADJ_ERROR_CUDA);
  }

  // ---- The first run with these shapes.

  // Calls of the callee's arrays by argument, with the numbers of their tensors; kConstant is no tensor.
  static constexpr std::size_t kConstant = SIZE_MAX;
  struct Given {
    const std::string* argument;
    std::vector<Array> arrays;
    std::vector<std::size_t> tensors;
  };

  void find_shapes() {
    p_->key = key_;
    std::vector<Tensor> all;
    for (std::size_t at = 0; all.size() < k_.inputs;) {
      Tensor& t = all.emplace_back();
      t.dtype = static_cast<adj_dtype>(key_[at++]);
      if (t.dtype == ADJ_DTYPE_NONE) continue;
      const std::size_t i = all.size() - 1, rank = static_cast<std::size_t>(key_[at]);
      t.there = true, t.data = data_[i];
      t.dims.assign(key_.begin() + static_cast<std::ptrdiff_t>(at + 1), key_.begin() + static_cast<std::ptrdiff_t>(at + 1 + rank));
      at += 1 + rank;
      if (k_.is_key(i)) at += words(static_cast<std::size_t>(product(t.dims)) * named::size_of(t.dtype));
    }
    inputs_.resize(b_.inputs.size());
    for (std::size_t i = 0; i < b_.inputs.size(); ++i) {
      const std::size_t last = b_.inputs[i].variadic ? k_.inputs : std::min(i + 1, k_.inputs);
      for (std::size_t j = i; j < last; ++j) inputs_[i].push_back(all[j]);
      if (inputs_[i].empty()) inputs_[i].emplace_back();
    }
    for (std::size_t i = 0; i < b_.outputs.size(); ++i) {
      const std::size_t last = b_.outputs[i].variadic ? k_.outputs : std::min(i + 1, k_.outputs);
      for (std::size_t j = i; j < last; ++j)
        p_->shapes.push_back(k_.output_there[j] ? shape_of(b_, b_.outputs[i], inputs_, k_.layout, j - i, last - i) : Dims{});
    }
  }

  void make() {
    call_ = std::make_unique<Call>(k_.op->our_name);
    settings();
    inputs();
    outputs();
    for (const auto& [argument, other] : b_.same) {
      const Given from = given(other);
      Given& to = given(argument);
      to.arrays = from.arrays, to.tensors = from.tensors;
    }
    give(*call_, given_);
    if (k_.random) {
      const std::int64_t none[2] = {};
      call_->set("random", std::span<const std::int64_t>(none));
      p_->random = call_->value("random");
      p_->drawn = (product(inputs_[0][0].dims) + 3) / 4 * 4;
    }
    p_->calls.push_back(std::move(call_));
    for (const auto& call : p_->calls) call->prepare(stream_);
  }

  void give(Call& call, const std::deque<Given>& all) {
    for (const Given& g : all) {
      call.give(*g.argument, g.arrays);
      for (std::size_t i = 0; i < g.tensors.size(); ++i)
        if (g.tensors[i] != kConstant) p_->addresses.push_back({call.address(*g.argument, i), g.tensors[i]});
    }
  }

  void settings() {
    for (const Setting& s : k_.settings)
      std::visit(
          [&](const auto& value) {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, std::string>) call_->set(s.field, std::string_view(value));
            else if constexpr (std::is_same_v<T, Dims>) call_->set(s.field, std::span<const std::int64_t>(value));
            else call_->set(s.field, value);
          },
          s.value);
    for (const Flag& f : b_.flags)
      if (f.output < 0) call_->set(f.field, inputs_[static_cast<std::size_t>(-1 - f.output)][0].there ? f.there : f.absent);
  }

  std::int64_t extra(Fold fold) const {
    if (fold == Fold::gathered) return static_cast<std::int64_t>(inputs_.at(1)[0].dims.size());
    if (fold != Fold::rowwise) return 0;
    const Dims& first = inputs_[0][0].dims;
    return product(first, axis_of(k_.layout, first.size()), first.size());
  }

  Array array_of(const Port& port, const Dims& shape, void* data, adj_dtype dtype) {
    const adj_argument* argument = call_->argument(port.arguments[0]);
    const bool scalar = argument && argument->kind == ADJ_ARGUMENT_SCALAR;
    const Dims& dims = dims_.emplace_front(folded(port.name, scalar ? Fold::flat : port.fold, shape, k_.layout, extra(port.fold)));
    return {data, dtype, static_cast<int>(dims.size()), dims.data(), nullptr};
  }

  Given& given(const std::string& name) {
    for (Given& known : given_)
      if (*known.argument == name) return known;
    return given_.emplace_back(Given{&name, {}, {}});
  }

  void inputs() {
    for (std::size_t i = 0; i < b_.inputs.size(); ++i) {
      const Port& port = b_.inputs[i];
      const Tensor& t = inputs_[i][0];
      if (!port.dims_field.empty() && t.there) call_->set(port.dims_field, std::span<const std::int64_t>(t.dims));
      if (port.only_for >= 0 && !k_.output_there[static_cast<std::size_t>(port.only_for)]) continue;
      if (port.only_while >= 0) {
        const Tensor& condition = inputs_[static_cast<std::size_t>(port.only_while)][0];
        if (condition.there && value_of(condition.dtype, condition.data, 0) == 0) continue;
      }
      if (port.host) value(port, t, i);
      else if (!port.arguments.empty()) pass(port, i);
    }
  }

  // The value of a tensor in ordinary memory, as a field or a number.
  void value(const Port& port, const Tensor& t, std::size_t i) {
    if (port.field.empty()) return;
    const named::Operator& ours = *k_.op->ours;
    if (is_list(ours, port.field)) {
      if (!t.there) return;
      if (takes(ours, port.field) == Takes::list) {
        const Dims values = integers_of(t);
        return call_->set(port.field, std::span<const std::int64_t>(values));
      }
      std::vector<double> values;
      for (std::int64_t k = port.from; k < product(t.dims); ++k) values.push_back(value_of(t.dtype, t.data, k));
      if (values.empty()) return;
      return call_->set(port.field, std::span<const double>(values));
    }
    if (!t.there && !port.standard) return;
    if (t.there && product(t.dims) != 1) refuse(port.name + " is a number, and has " + std::to_string(product(t.dims)) + " elements", ADJ_ERROR_SHAPE_MISMATCH);
    if (takes(ours, port.field) == Takes::real) call_->set(port.field, t.there ? value_of(t.dtype, t.data, 0) : *port.standard);
    else call_->set(port.field, t.there ? integer_of(t.dtype, t.data, 0) : static_cast<std::int64_t>(*port.standard));
    if (t.there && !k_.is_key(i)) p_->numbers.push_back({call_->value(port.field), i, t.dtype});
  }

  void pass(const Port& port, std::size_t i) {
    const std::span<const Tensor> all = inputs_[i], list = port.paired ? all.first(std::min(all.size(), k_.outputs)) : all;
    if (list.empty() || !list[0].there) return;
    const std::size_t lists = port.arguments.size(), each = list.size() / lists;
    if (each * lists != list.size())
      refuse(port.name + " has " + std::to_string(list.size()) + " tensors, which are not " + std::to_string(lists) + " lists of one length");
    for (std::size_t j = 0; j < list.size(); ++j) {
      Given& to = given(port.arguments[j / each]);
      to.arrays.push_back(array_of(port, list[j].dims, list[j].data, list[j].dtype));
      to.tensors.push_back(i + j);
    }
  }

  void outputs() {
    for (std::size_t i = 0, j = 0; i < b_.outputs.size(); ++i) {
      const Port& port = b_.outputs[i];
      for (const std::size_t last = port.variadic ? k_.outputs : std::min(i + 1, k_.outputs); j < last; ++j)
        if (p_->there[j]) output(port, j, static_cast<adj_dtype>(k_.op->type_of(port.type)));
    }
  }

  void output(const Port& port, std::size_t j, adj_dtype dtype) {
    const std::size_t tensor = k_.inputs + j;
    if (!port.value.empty()) {
      Prepared::Sum& sum = p_->sums.emplace_back(Prepared::Sum{tensor, dtype, {}});
      for (const std::string& name : port.value) {
        const auto at = static_cast<std::size_t>(std::ranges::find(b_.inputs, name, &Port::name) - b_.inputs.begin());
        if (inputs_[at][0].there) sum.inputs.emplace_back(at, inputs_[at][0].dtype);
        else ++sum.absent;
      }
      return;
    }
    if (port.arguments.empty()) return;
    if (port.begins >= 0) begin(tensor, p_->shapes[j], dtype, static_cast<std::size_t>(port.begins));
    Given& to = given(port.arguments[0]);
    const adj_argument* argument = call_->argument(port.arguments[0]);
    if (k_.op->gpu && argument && argument->host) {  // the library writes it in ordinary memory before the call returns
      auto& bytes = p_->uploads.emplace_back(Prepared::Upload{tensor, std::vector<std::byte>(size_of(p_->shapes[j], dtype))}).bytes;
      to.arrays.push_back(array_of(port, p_->shapes[j], bytes.data(), dtype));
      return to.tensors.push_back(kConstant);
    }
    to.arrays.push_back(array_of(port, p_->shapes[j], data_[tensor], dtype));
    to.tensors.push_back(tensor);
  }

  static std::size_t size_of(const Dims& shape, adj_dtype dtype) { return static_cast<std::size_t>(product(shape)) * named::size_of(dtype); }

  void begin(std::size_t tensor, const Dims& shape, adj_dtype dtype, std::size_t input) {
    if (!inputs_[input][0].there) refuse("there is an output of copies, and no input of them");
    static const std::string from = "inputs", to = "outputs";
    const std::int64_t numel = product(shape);
    const auto array = [&](std::size_t t) { return std::vector<Array>{{data_[t], dtype, 1, &numel, nullptr}}; };
    p_->copies.emplace_back(input, tensor);
    p_->calls.push_back(std::make_unique<Call>("copy"));
    give(*p_->calls.back(), {{&from, array(input), {input}}, {&to, array(tensor), {tensor}}});
  }

  Kernel& k_;
  const Binding& b_;
  Context* context_;
  adj_stream stream_ = adj_stream_host();
  std::vector<std::int64_t>& key_;
  std::vector<void*>& data_;  // addresses of the inputs, then of the outputs
  Prepared* p_ = nullptr;

  std::unique_ptr<Call> call_;
  std::vector<std::vector<Tensor>> inputs_;  // by port
  std::forward_list<Dims> dims_;
  std::deque<Given> given_;  // by names of the binding, a few: found faster than in a map
};

}  // namespace adjoint::onnxruntime
