#include "machine.hpp"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "driver/cuda_abi.hpp"

namespace faults {

namespace {

void* open_fake(const char* variable) {
  const char* file = std::getenv(variable);
  void* handle = file ? ::dlopen(file, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!handle) throw std::runtime_error(std::string(variable) + " must name the fake library");
  return handle;
}
template <class Function>
Function symbol(void* handle, const char* name) {
  return reinterpret_cast<Function>(::dlsym(handle, name));
}

Outcome failed(adj_status code, adj_error* error) {
  const bool differs = error && (std::strcmp(adj_last_error(), adj_error_message(error)) != 0 || adj_last_native_code() != adj_error_native_code(error));
  Outcome outcome(differs ? ADJ_ERROR_INTERNAL : code, adj_last_error(), adj_last_native_code());
  adj_error_release(error);
  return outcome;
}
Outcome outcome_of(adj_status code) { return code ? failed(code, nullptr) : Outcome{}; }

// Directory of the packs. A child that ends while it builds one leaves files there, which the process that has made the directory removes.
class PackDirectory {
 public:
  PackDirectory() {
    if (!::mkdtemp(path_) || ::chmod(path_, 01777) != 0) std::abort();  // children may be another user
  }
  ~PackDirectory() {
    std::error_code ignored;
    if (::getpid() == owner_) std::filesystem::remove_all(path_, ignored);
  }
  const char* path() const { return path_; }

 private:
  char path_[32] = "/dev/shm/adjoint-faults-XXXXXX";
  pid_t owner_ = ::getpid();
};
const PackDirectory pack_directory;

constexpr std::int64_t kTensors = 900;  // more than one launch carries, so binding needs a table in the workspace

}  // namespace

fake::Entry& Fakes::entry(const std::string& name) const {
  if (fake::Entry* e = cuda_entry(name.c_str())) return *e;
  if (fake::Entry* e = nvrtc_entry(name.c_str())) return *e;
  throw std::runtime_error("no fake has " + name);
}

const Fakes& fakes() {
  static const Fakes* f = [] {
    void* cuda = open_fake("ADJOINT_LIBCUDA");
    void* nvrtc = open_fake("ADJOINT_LIBNVRTC");
    return new Fakes{symbol<FakeEntry>(cuda, "fake_entry"),           symbol<FakeEntry>(nvrtc, "fake_entry"),     symbol<void* (*)()>(cuda, "fake_stream"),
                     symbol<void (*)(int, bool)>(cuda, "fake_enter"), *symbol<FakeDriver>(cuda, "fake_driver")(), *symbol<FakeNvrtc>(nvrtc, "fake_nvrtc")()};
  }();
  return *f;
}

void prepare() { fakes(), adj_sku_count(); }

Outcome::Outcome(adj_status status, const char* sentence, std::int64_t native_code) : code(status), native(native_code) {
  std::snprintf(message, sizeof message, "%s", sentence);
}

#define NAME_OF(member, symbol, result, arguments) #symbol,
std::vector<std::string> cuda_functions() { return {ADJ_CUDA_FUNCTIONS(NAME_OF) "cuGetProcAddress_v2"}; }
std::vector<std::string> nvrtc_functions() { return {ADJ_NVRTC_FUNCTIONS(NAME_OF)}; }
#undef NAME_OF

// One operator with its plan and buffers.
struct Program::Call {
  const char* sku = nullptr;                    // the only candidate, so that the next one does not hide a failure
  std::vector<std::uint64_t> descriptor, args;  // structures
  std::vector<std::int64_t> numel;
  std::vector<std::vector<std::uint64_t>> buffers;
  std::vector<std::vector<void*>> addresses;
  std::vector<std::vector<std::uint64_t>> capacities;
  void* memory = nullptr;
  adj_workspace workspace{};
  adj_plan* plan = nullptr;
  adj_bound* bound = nullptr;

  Call() = default;
  Call(Call&& other) noexcept { *this = std::move(other); }
  Call& operator=(Call&& o) noexcept {
    std::swap(sku, o.sku), descriptor.swap(o.descriptor), args.swap(o.args), numel.swap(o.numel), buffers.swap(o.buffers), addresses.swap(o.addresses);
    capacities.swap(o.capacities), std::swap(memory, o.memory), std::swap(workspace, o.workspace), std::swap(plan, o.plan);
    std::swap(bound, o.bound);
    return *this;
  }
  ~Call() { reset(); }

  void reset() {
    adj_bound_release(bound);
    adj_plan_release(plan);
    std::free(memory);
    bound = nullptr, plan = nullptr, memory = nullptr;
  }
  template <class Struct>
  static void store(std::vector<std::uint64_t>& words, const Struct& s) {
    words.resize((sizeof s + 7) / 8);
    std::memcpy(words.data(), &s, sizeof s);
  }
  const adj_header* header(const std::vector<std::uint64_t>& words) const { return reinterpret_cast<const adj_header*>(words.data()); }
  adj_tensor tensor(std::int64_t elements, adj_dtype dtype) {
    auto& words = buffers.emplace_back(static_cast<std::size_t>(elements));
    adj_tensor t;
    t.data = words.data();
    t.bytes = words.size() * 8;
    t.dtype = dtype;
    return t;
  }
  adj_tensor_list list(adj_dtype dtype) {
    auto& data = addresses.emplace_back();
    auto& bytes = capacities.emplace_back();
    for (std::int64_t n : numel) {
      data.push_back(buffers.emplace_back(static_cast<std::size_t>(n)).data());
      bytes.push_back(static_cast<std::uint64_t>(n) * 8);
    }
    return {static_cast<std::int64_t>(numel.size()), dtype, 0, data.data(), bytes.data()};
  }
};

Program::Program() {
  Call embedding;  // several kernels and a fill
  embedding.sku = "*/grouped/*";
  adj_embedding_backward_descriptor e;
  e.num_embeddings = 1000, e.embedding_dim = 8, e.num_indices = 64, e.element = ADJ_F32, e.index = ADJ_I64;
  e.scale_grad_by_freq = 1;
  Call::store(embedding.descriptor, e);
  adj_embedding_backward_args ea;
  ea.dout = embedding.tensor(64 * 8, ADJ_F32);
  ea.indices = embedding.tensor(64, ADJ_I64);
  ea.dweight = embedding.tensor(1000 * 8, ADJ_F32);
  Call::store(embedding.args, ea);
  calls_.push_back(std::move(embedding));

  Call sgd;  // lists
  sgd.sku = "*";
  sgd.numel.assign(kTensors, 3);
  adj_sgd_descriptor s;
  s.count = kTensors, s.numel = sgd.numel.data(), s.param = ADJ_F32;
  Call::store(sgd.descriptor, s);
  adj_sgd_args sa;
  sa.params = sgd.list(ADJ_F32);
  sa.grads = sgd.list(ADJ_F32);
  sa.lr = {0.1, nullptr, {}, 0};
  Call::store(sgd.args, sa);
  calls_.push_back(std::move(sgd));
}

Program::~Program() = default;

std::span<const Program::Stage> Program::stages() {
  static constexpr Stage list[] = {{"doctor", &Program::doctor},
                                   {"wrap", &Program::wrap},
                                   {"select", &Program::select},
                                   {"explain", &Program::explain},
                                   {"can_implement", &Program::can_implement},
                                   {"run", &Program::run},
                                   {"bind", &Program::bind},
                                   {"run_bound", &Program::bound_run},
                                   {"release", &Program::release},
                                   {"pack build", &Program::pack_build}};
  return list;
}

// Queries of the doctor command. A problem with a library is an answer, not a failure.
Outcome Program::doctor() {
  for (std::int64_t i = 0; i < adj_library_count(); ++i) {
    adj_library_info info;
    if (adj_status code = adj_library_get(i, &info)) return outcome_of(code);
    if ((info.available != 0) != (*info.problem == '\0')) return {ADJ_ERROR_INTERNAL, "a library is neither usable nor explained"};
  }
  for (std::int64_t i = 0; i < adj_device_count(); ++i) {
    adj_device_info info;
    if (adj_status code = adj_device_get(i, &info)) return outcome_of(code);
    if (std::strncmp(info.arch, "sm_", 3) != 0) return {ADJ_ERROR_INTERNAL, "a device without an architecture"};
  }
  return {};
}

Outcome Program::wrap() {
  handle_ = fakes().stream();
  adj_stream by_default;
  if (adj_status code = adj_stream_wrap(nullptr, &by_default)) return outcome_of(code);
  return outcome_of(adj_stream_wrap(handle_, &stream_));
}

Outcome Program::select() {
  for (Call& call : calls_) {
    adj_plan_release(call.plan);
    adj_error* error = nullptr;
    adj_preference preference;
    preference.sku = call.sku;
    if (adj_status code = adj_plan_select(&stream_, call.header(call.descriptor), &preference, &call.plan, &error)) return failed(code, error);
    adj_plan_info info;
    if (adj_status code = adj_plan_get_info(call.plan, &info)) return outcome_of(code);
    std::free(call.memory);
    call.workspace.bytes = (info.bind_workspace_size + 255) / 256 * 256;
    call.memory = call.workspace.data = call.workspace.bytes ? std::aligned_alloc(256, call.workspace.bytes) : nullptr;
  }
  return {};
}

Outcome Program::explain() {
  for (Call& call : calls_) {
    adj_error* report = nullptr;
    if (adj_status code = adj_plan_explain(&stream_, call.header(call.descriptor), nullptr, &report)) return failed(code, report);
    adj_error_release(report);
  }
  return {};
}

Outcome Program::can_implement() {
  for (Call& call : calls_)
    if (adj_status code = adj_plan_can_implement(call.plan, call.header(call.args))) return outcome_of(code);
  return {};
}

Outcome Program::run() {
  for (Call& call : calls_)
    if (adj_status code = adj_plan_run(call.plan, &stream_, &call.workspace, call.header(call.args))) return outcome_of(code);
  return {};
}

Outcome Program::bind() {
  for (Call& call : calls_) {
    adj_bound_release(call.bound);
    if (adj_status code = adj_plan_bind(call.plan, &stream_, &call.workspace, call.header(call.args), &call.bound)) {
      if (call.bound) return {ADJ_ERROR_INTERNAL, "a failed bind gave a bound call"};
      return outcome_of(code);
    }
  }
  return {};
}

Outcome Program::bound_run() { return bound_run_on(stream_); }
Outcome Program::bound_run_on(const adj_stream& stream) {
  for (Call& call : calls_)
    if (adj_status code = adj_bound_run(call.bound, &stream)) return outcome_of(code);
  return {};
}

Outcome Program::release() {
  for (Call& call : calls_) call.reset();
  return {};
}

Outcome Program::pack_build() {
  char file[64];  // memory may be out
  std::snprintf(file, sizeof file, "%s/pack-XXXXXX", pack_directory.path());
  const int fd = ::mkstemp(file);
  if (fd < 0) return {ADJ_ERROR_IO, "mkstemp"};
  ::close(fd);
  adj_pack_options options;
  options.archs = "sm_90a";
  options.skus = "sgd/*/f32.f32.*";
  options.jobs = 2;
  adj_error* error = nullptr;
  const adj_status code = adj_pack_build(file, &options, &error);
  Outcome outcome = code ? failed(code, error) : Outcome{};
  ::unlink(file);
  return outcome;
}

std::string whole_program() {
  Program program;
  for (const Program::Stage& stage : Program::stages())
    if (Outcome o = (program.*stage.run)(); o.code) return std::string(stage.name) + ": " + adj_status_name(o.code) + ": " + o.message;
  return {};
}

std::string host_program() {
  adj_stream stream = adj_stream_host();
  adj_embedding_forward_descriptor d;
  d.num_embeddings = 2, d.embedding_dim = 1, d.num_indices = 2, d.element = ADJ_F32, d.index = ADJ_I32;
  adj_plan* plan = nullptr;
  if (adj_plan_select(&stream, &d.header, nullptr, &plan, nullptr)) return std::string("host select: ") + adj_last_error();
  float weight[2] = {5, 7}, out[2] = {};
  std::int32_t indices[2] = {1, 0};
  adj_embedding_forward_args a;
  a.weight.data = weight, a.weight.bytes = sizeof weight, a.weight.dtype = ADJ_F32;
  a.indices.data = indices, a.indices.bytes = sizeof indices, a.indices.dtype = ADJ_I32;
  a.out.data = out, a.out.bytes = sizeof out, a.out.dtype = ADJ_F32;
  const adj_status code = adj_plan_run(plan, &stream, nullptr, &a.header);
  adj_plan_release(plan);
  if (code) return std::string("host run: ") + adj_last_error();
  return out[0] == 7 && out[1] == 5 ? "" : "host run: wrong result";
}

Warnings::Warnings() {
  adj_set_log(
      [](void* user, std::int32_t level, const char* message) {
        auto& own = *static_cast<Warnings*>(user);
        const std::lock_guard lock(own.mutex_);
        if (level == 1) own.text_ += message + std::string("\n");
      },
      this);
}
Warnings::~Warnings() { adj_set_log(nullptr, nullptr); }
std::string Warnings::text() const {
  const std::lock_guard lock(mutex_);
  return text_;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
std::string describe(const Outcome& o) { return std::string(adj_status_name(o.code)) + " '" + o.message + "'"; }
Outcome first_failure() {
  Program program;
  for (const Program::Stage& stage : Program::stages())
    if (Outcome o = (program.*stage.run)(); o.code) return o;
  return {};
}

std::string expect(const Outcome& o, adj_status code, std::initializer_list<const char*> words) {
  if (o.code != code) return "expected " + std::string(adj_status_name(code)) + ", got " + describe(o);
  for (const char* word : words)
    if (!contains(o.message, word)) return "'" + std::string(word) + "' is missing from: " + o.message;
  return host_program();
}

}  // namespace faults
