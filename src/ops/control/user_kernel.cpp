// user_kernel: a program that the caller supplies, planned and launched like the library's own programs.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "base/process.hpp"
#include "base/text.hpp"
#include "jit/code.hpp"
#include "ops/common/multi_tensor.hpp"
#include "ops/common/shared.hpp"
#include "ops/control.gen.hpp"

namespace adj {

namespace {

using namespace user_kernel_tables;

template <class T>
std::span<const T> list(const T* items, std::int64_t count) {
  return {items, static_cast<std::size_t>(count)};
}

Result<void> check_extents(const char* field, const adj_axes& extents, std::initializer_list<std::int64_t> limits, std::int64_t most) {
  if (extents.count < 1 || extents.count > 3) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} has {} extents, expected 1 to 3", kName, field, extents.count);
  std::int64_t product = 1;
  for (std::int64_t i = 0; i < extents.count; ++i) {
    const std::int64_t limit = limits.begin()[i];
    if (extents.at[i] < 1 || extents.at[i] > limit)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {}.at[{}] = {}, expected 1 to {}", kName, field, i, extents.at[i], limit);
    product *= extents.at[i];
  }
  if (product > most) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} has {} threads, expected up to {}", kName, field, product, most);
  return {};
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// Code of a descriptor. A text (source, PTX) may end in zeros, which are left out.
std::string_view code_of(const Descriptor& d) {
  std::string_view code(static_cast<const char*>(d.code), static_cast<std::size_t>(d.code_bytes));
  if (d.code_kind != ADJ_CODE_CUBIN) code = code.substr(0, code.find_last_not_of('\0') + 1);
  return code;
}

// Numbers of parameters of each kind, in the order in which the kernel takes them. Each parameter has 8 bytes.
struct Parameters {
  std::int64_t inputs, outputs, integers, reals;

  explicit Parameters(const Descriptor& d) : inputs(d.input_count), outputs(d.output_count), integers(d.integer_count), reals(d.real_count) {}
  std::int64_t count() const { return inputs + outputs + integers + reals; }
  std::string name(std::int64_t i) const {  // the descriptor's name of parameter i
    for (const auto& [list, size] : {std::pair{"inputs", inputs}, {"outputs", outputs}, {"integers", integers}, {"reals", reals}}) {
      if (i < size) return fmt::format("{}[{}]", list, i);
      i -= size;
    }
    return {};
  }
};
constexpr std::uint32_t kParameterBytes = 8;

// Checks that the code has the kernel `entry` and that the kernel takes these parameters.
Result<void> check_kernel(const Result<KernelCode>& code, const std::string& entry, const Parameters& expected) {
  if (!code) return fail(code.error().code, "{}: {}", kName, code.error().message);
  const auto kernel = std::find_if(code->kernels.begin(), code->kernels.end(), [&](const KernelEntry& k) { return k.name == entry; });
  if (kernel == code->kernels.end()) {
    constexpr std::size_t kMostNames = 20;
    std::string names;
    for (std::size_t i = 0; i < std::min(code->kernels.size(), kMostNames); ++i) names += (i ? ", " : "") + code->kernels[i].name;
    if (code->kernels.size() > kMostNames) names += fmt::format(" and {} more", code->kernels.size() - kMostNames);
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: the code has no kernel {}, it has {}", kName, entry, names.empty() ? "none" : names);
  }
  const auto count = static_cast<std::int64_t>(kernel->parameters.size());
  for (std::int64_t i = 0; i < std::min(count, expected.count()); ++i)
    if (const std::uint32_t bytes = kernel->parameters[static_cast<std::size_t>(i)].bytes; bytes != kParameterBytes)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: parameter {} of {} has {} bytes in the code, {} in the descriptor has {}", kName, i, entry, bytes,
                  expected.name(i), kParameterBytes);
  if (count < expected.count())
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} takes {} parameters in the code, the descriptor has {}: there is none for {}", kName, entry, count,
                expected.count(), expected.name(count));
  if (count > expected.count())
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} takes {} parameters in the code, the descriptor has {}: parameter {}, of {} bytes, is none of them", kName,
                entry, count, expected.count(), expected.count(), kernel->parameters[static_cast<std::size_t>(expected.count())].bytes);
  return {};
}

Result<KernelCode> read_code(std::string_view bytes, bool ptx) { return ptx ? read_ptx(bytes) : read_cubin(bytes); }

// Checks that each macro makes one line "#define NAME VALUE".
Result<void> check_macros(const char* macros) {
  const std::string_view text = macros ? macros : "";
  if (const auto bad = std::find_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }); bad != text.end())
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: byte {} of macros is the control character {}, expected names and values separated by blanks", kName,
                bad - text.begin(), static_cast<int>(*bad));
  for (const std::string& macro : split(text, ' ')) {
    if (!is_name(macro.substr(0, macro.find_first_of("=("))))
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: macros: '{}' does not begin with a name of C", kName, macro);
    if (macro.ends_with('\\')) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: macros: '{}' ends in a backslash", kName, macro);
  }
  return {};
}

Result<void> validate(const void* descriptor) {
  const auto& d = *static_cast<const Descriptor*>(descriptor);
  if (!d.code || code_of(d).empty()) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: code was not given", kName);
  if (!d.entry || !*d.entry) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: entry was not given", kName);
  if (d.code_kind == ADJ_CODE_SOURCE) {
    if (!is_name(d.entry)) return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: entry = '{}' is not a name of C", kName, d.entry);
    ADJ_TRY(check_macros(d.macros));
  } else if (d.macros && *d.macros) {
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: macros = '{}' are for a source, code_kind = {}", kName, d.macros,
                d.code_kind == ADJ_CODE_PTX ? "ptx" : "cubin");
  }
  if (d.code_kind != ADJ_CODE_CUBIN)
    if (const std::size_t zero = code_of(d).find('\0'); zero != std::string_view::npos)
      return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: byte {} of code is zero, expected a text", kName, zero);
  constexpr std::int64_t kMostParams = 500;  // of 8 bytes each: they fit the 4 KB that every driver takes
  if (d.input_count > kMostParams || d.output_count > kMostParams || d.integer_count > kMostParams || d.real_count > kMostParams ||
      d.input_count + d.output_count + d.integer_count + d.real_count > kMostParams)
    return fail(ADJ_ERROR_INVALID_PROBLEM, "{}: {} inputs, {} outputs, {} integers and {} reals are more than {} parameters", kName, d.input_count,
                d.output_count, d.integer_count, d.real_count, kMostParams);
  ADJ_TRY(check_extents("grid", d.grid, {std::numeric_limits<std::int32_t>::max(), 65535, 65535}, std::numeric_limits<std::int64_t>::max()));
  ADJ_TRY(check_extents("block", d.block, {1024, 1024, 64}, 1024));
  if (d.code_kind != ADJ_CODE_SOURCE) return check_kernel(read_code(code_of(d), d.code_kind == ADJ_CODE_PTX), d.entry, Parameters(d));
  return {};
}

// Programs of callers, by their keys. A program that no plan and no bound call holds stays while it is among the last kIdle used.
struct Pool {
  static constexpr std::size_t kIdle = 64;
  struct Entry {
    std::shared_ptr<const Program> program;
    std::uint64_t used;
  };

  ProcessLock lock;
  std::map<std::string, Entry> entries;
  std::uint64_t uses = 0;

  // The program of a key; `make` makes it when there is none.
  template <class Make>
  std::shared_ptr<const Program> get(const std::string& key, Make make) {
    {
      const std::lock_guard guard(lock);
      if (const auto it = entries.find(key); it != entries.end()) {
        it->second.used = ++uses;
        return it->second.program;
      }
    }
    std::shared_ptr<const Program> made = make();
    std::vector<std::shared_ptr<const Program>> dropped;  // destroyed without the lock
    const std::lock_guard guard(lock);
    auto program = entries.try_emplace(key, Entry{std::move(made), 0}).first;
    program->second.used = ++uses;
    std::shared_ptr<const Program> result = program->second.program;
    while (entries.size() > kIdle) {
      auto oldest = entries.end();
      for (auto it = entries.begin(); it != entries.end(); ++it)
        if (it->second.program.use_count() == 1 && (oldest == entries.end() || it->second.used < oldest->second.used)) oldest = it;
      if (oldest == entries.end()) break;
      dropped.push_back(std::move(oldest->second.program));
      entries.erase(oldest);
    }
    return result;
  }
};
constinit Lazy<Pool> pool;

// Program of a user's kernel. Equal descriptors share one program.
std::shared_ptr<const Program> program_of(const Descriptor& d) {
  std::vector<std::string> macros = split(d.macros ? d.macros : "", ' ');
  const Parameters parameters(d);
  const std::string counts = fmt::format("{} {} {} {} {}", d.code_kind, parameters.inputs, parameters.outputs, parameters.integers, parameters.reals);
  std::vector<std::string_view> parts(macros.begin(), macros.end());
  parts.insert(parts.end(), {counts, d.entry, code_of(d)});
  return pool.get().get(framed(parts), [&]() -> std::shared_ptr<const Program> {
    std::string name = fmt::format("{}({})", kName, d.entry);
    if (d.code_kind != ADJ_CODE_SOURCE)
      return std::make_shared<const Program>(std::move(name), d.entry, Image{std::string(code_of(d)), d.code_kind == ADJ_CODE_PTX});
    auto check = [entry = std::string(d.entry), parameters](const Image& made) { return check_kernel(read_code(made.bytes, made.ptx), entry, parameters); };
    return std::make_shared<const Program>(std::move(name), d.entry, std::move(macros), std::string(code_of(d)), std::move(check));
  });
}

Result<void> run_on_host(const CallContext& context) {
  const auto& d = *static_cast<const Descriptor*>(context.plan.descriptor.get());
  const auto& a = *reinterpret_cast<const Args*>(context.args);
  adj_callback_call call;
  call.user = d.user;
  call.stream = &context.stream;
  call.inputs = &a.inputs;
  call.outputs = &a.outputs;
  const std::int32_t code = d.host(&call);
  if (code == 0) return {};
  Error error = fail(ADJ_ERROR_INVALID_VALUE, "{}: the function host returned {}", kName, code);
  error.native = code;
  return error;
}

Result<void> plan(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (!request.device) {
    if (!d.host) return fail(ADJ_ERROR_UNSUPPORTED, "the descriptor has no function host");
    builder.call({.function = run_on_host});
    return {};
  }
  if (d.code_kind != ADJ_CODE_SOURCE) {
    const auto code = read_code(code_of(d), d.code_kind == ADJ_CODE_PTX);
    if (!code) return code.error();
    // PTX compiles for any later architecture. A cubin runs on later devices of its generation only. `exact` code (sm_90a) runs on its own alone.
    const int cc = request.device->cc;
    const bool later = code->cc <= cc && (d.code_kind == ADJ_CODE_PTX || code->cc / 10 == cc / 10);
    if (code->exact ? code->cc != cc : !later)
      return fail(ADJ_ERROR_UNSUPPORTED, "the {} is for sm_{}{}, the device is {}", d.code_kind == ADJ_CODE_PTX ? "PTX" : "cubin", code->cc,
                  code->exact ? "a" : "", arch_name(cc));
  }
  ADJ_TRY(check_shared(*request.device, d.shared_bytes));
  cu::LaunchConfig config{};
  const auto extent = [](const adj_axes& axes, int i) { return i < axes.count ? static_cast<unsigned>(axes.at[i]) : 1u; };
  config.grid_x = extent(d.grid, 0);
  config.grid_y = extent(d.grid, 1);
  config.grid_z = extent(d.grid, 2);
  config.block_x = extent(d.block, 0);
  config.block_y = extent(d.block, 1);
  config.block_z = extent(d.block, 2);
  config.shared_bytes = static_cast<unsigned>(d.shared_bytes);
  std::vector<std::byte> params(static_cast<std::size_t>(Parameters(d).count()) * kParameterBytes);
  std::vector<Binding> bindings;
  std::uint32_t at = 0;
  for (const auto& [argument, count] : {std::pair<int, std::int64_t>{kInputs, d.input_count}, {kOutputs, d.output_count}})
    for (std::int64_t i = 0; i < count; ++i, at += 8)
      bindings.push_back({.kind = Binding::entry, .argument = static_cast<std::uint16_t>(argument), .offset = at, .first = static_cast<std::uint32_t>(i)});
  if (d.integer_count) std::memcpy(params.data() + at, d.integers, static_cast<std::size_t>(d.integer_count) * 8);
  at += static_cast<std::uint32_t>(d.integer_count) * 8;
  if (d.real_count) std::memcpy(params.data() + at, d.reals, static_cast<std::size_t>(d.real_count) * 8);
  builder.user_kernel(program_of(d), config, std::move(params), std::move(bindings));
  return {};
}

// The registration lists the types of the tensors.
std::int32_t nothing(const adj_callback_call*) { return 0; }
constexpr std::int64_t kSampleCounts[] = {8};
bool describe(std::span<const adj_dtype> types, void* descriptor) {
  if (types.size() != 1) return false;
  auto& d = *static_cast<Descriptor*>(descriptor);
  d.code = "extern \"C\" __global__ void copy(const unsigned char* from, unsigned char* to) { to[threadIdx.x] = from[threadIdx.x]; }";
  d.entry = "copy";
  d.input_count = d.output_count = 1;
  d.input_numel = d.output_numel = kSampleCounts;
  d.grid = {1, {1}};
  d.block = {1, {8}};
  d.host = nothing;
  d.element = types[0];
  return true;
}
constexpr OnnxBinding kOnnx[] = {{"ms", "TritonOp", describe, kMixedTypes}};

// The library adds no error of its own: the caller's code alone decides the results.
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{{.algorithm = "code", .summary = "the caller's kernel", .guarantee = exact_guarantee},
                                                     host_row(exact_guarantee, nullptr, "the caller's function")};
  return *list;
}

}  // namespace

const OpInfo& info_user_kernel() {
  static const OpInfo info = op_info(base_info(), {.signatures = all_element_signatures(),
                                                   .signature_columns = "element",
                                                   .variants = variants(),
                                                   .onnx = kOnnx,
                                                   .validate = validate,
                                                   .signature = element_signature<Descriptor>,
                                                   .finish = plan});
  return info;
}

}  // namespace adj
