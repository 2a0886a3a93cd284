// The library as custom operators of ONNX Runtime: one entry for every operator. A node becomes a call as the library's registry says (src/ops/onnx); the
// adapter knows no operator.
#include <set>

#include "capi/onnxruntime/run.hpp"

namespace adjoint::onnxruntime {

namespace {

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
  op.least_variadic_inputs = op.least_variadic_outputs = op.variadic_outputs_alike = [](const CustomOp*) { return 1; };
  op.variadic_inputs_alike = [](const CustomOp* o) { return int(of(o).binding->inputs.back().type != "any"); };
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
        if (b.domain != row.domain && b.types.empty()) {
          if (made.insert(signature(b.op, b, {})).second) add(b, row, {}, gpu, b.op, b.domain);
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
