// A training step in C++: a small network learns the order of the letters of a sentence.
//
//   g++ -std=c++20 training_step.cpp $(pkg-config --cflags --libs adjoint) -ldl -o training_step && ./training_step
//
// The row of a table that a letter names is normalised, goes through silu, and a matrix product scores every letter that may follow. A step
// takes the cross entropy and its gradient, goes back through every layer, clips the gradients by their norm, and lets Adam update the three
// parameters. It asks for its plans in every step, as an engine without plans of its own does. Runs on the host, and on device 0 when there is
// one, where the first step runs as it is written and the others are launches of one CUDA graph. Exits with 0 when the loss falls as it has to.
#include <adjoint/adjoint.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "cuda_min.h"

using namespace adjoint;

namespace {

// Errors in the manner of an engine: an exception that carries the library's sentence.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}
void must(Result<void> result) {
  if (!result) throw std::runtime_error(result.error().message);
}
void must(int driver_result, const char* call) {
  if (driver_result) throw std::runtime_error(std::string(call) + " failed with " + std::to_string(driver_result));
}

// Memory and a stream, of the host or of a device. All memory is aligned to 256 bytes, which a workspace needs.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual const Stream& stream() const = 0;
  virtual void* allocate(std::size_t bytes) = 0;  // zeros
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;  // waits for the stream first
  virtual void repeat(int times, const std::function<void()>& step) = 0;     // runs a step that has run before
};

class Host : public Machine {
 public:
  const Stream& stream() const override { return stream_; }
  void* allocate(std::size_t bytes) override {
    const std::size_t rounded = bytes / 256 * 256 + 256;  // aligned_alloc takes multiples of the alignment
    memory_.emplace_back(std::aligned_alloc(256, rounded), std::free);
    if (!memory_.back()) throw std::bad_alloc();
    return std::memset(memory_.back().get(), 0, rounded);
  }
  void upload(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void repeat(int times, const std::function<void()>& step) override {
    for (int i = 0; i < times; ++i) step();
  }

 private:
  Stream stream_ = Stream::host();
  std::vector<std::unique_ptr<void, decltype(&std::free)>> memory_;
};

class Device : public Machine {
 public:
  explicit Device(const cuda_min& cuda) : cuda_(cuda), stream_(must(Stream::wrap(cuda.stream))) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() override {
    for (void* address : memory_) cuda_min_free(&cuda_, address);
    cuda_min_close(&cuda_);
  }
  const Stream& stream() const override { return stream_; }
  void* allocate(std::size_t bytes) override {
    const std::vector<char> zeros(bytes);
    void* address = cuda_min_upload(&cuda_, zeros.data(), bytes);
    if (!address) throw std::bad_alloc();
    memory_.push_back(address);
    return address;
  }
  void upload(void* to, const void* from, std::size_t bytes) override {
    must(cuda_.copy_to_device(reinterpret_cast<cuda_pointer>(to), from, bytes), "cuMemcpyHtoD");
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    must(cuda_.stream_synchronize(cuda_.stream), "cuStreamSynchronize");
    must(cuda_.copy_to_host(to, reinterpret_cast<cuda_pointer>(from), bytes), "cuMemcpyDtoH");
  }
  void repeat(int times, const std::function<void()>& step) override {
    void *graph = nullptr, *executable = nullptr;
    must(cuda_.begin_capture(cuda_.stream, 0 /* CU_STREAM_CAPTURE_MODE_GLOBAL */), "cuStreamBeginCapture");
    step();
    must(cuda_.end_capture(cuda_.stream, &graph), "cuStreamEndCapture");
    must(cuda_.graph_instantiate(&executable, graph, 0), "cuGraphInstantiate");
    for (int i = 0; i < times; ++i) must(cuda_.graph_launch(executable, cuda_.stream), "cuGraphLaunch");
    must(cuda_.stream_synchronize(cuda_.stream), "cuStreamSynchronize");
    must(cuda_.graph_exec_destroy(executable), "cuGraphExecDestroy");
    must(cuda_.graph_destroy(graph), "cuGraphDestroy");
  }

 private:
  cuda_min cuda_;
  Stream stream_;
  std::vector<void*> memory_;
};

// Runs operations. A plan comes from the cache of the process: selected in the first step, found in under a microsecond afterwards.
// Operations on one stream run one after the other, so they share a workspace.
class Engine {
 public:
  explicit Engine(Machine& machine) : machine_(machine) {}

  template <class Descriptor, class Args>
  void run(const Descriptor& descriptor, const Args& args) {
    const auto plan = must(Plan<Descriptor, Args>::cached(machine_.stream(), descriptor));
    if (plan.workspace_size() > workspace_.bytes) workspace_ = {machine_.allocate(plan.workspace_size()), plan.workspace_size()};
    must(plan.run(machine_.stream(), workspace_, args));
  }

 private:
  Machine& machine_;
  Workspace workspace_{nullptr, 0};
};

// A parameter with its gradient and the moments of Adam.
struct Parameter {
  adj_tensor value, gradient, exp_avg, exp_avg_sq;
};

// One of the four tensors of every parameter, as a list.
struct List {
  List(const std::vector<Parameter>& parameters, adj_tensor Parameter::* member) {
    for (const Parameter& parameter : parameters) {
      data.push_back((parameter.*member).data);
      bytes.push_back((parameter.*member).bytes);
    }
  }
  operator adj_tensor_list() const { return tensor_list(ADJ_F32, data, bytes); }

  std::vector<void*> data;
  std::vector<std::uint64_t> bytes;
};

// Trains for some steps and returns the first loss and the last.
std::array<float, 2> train(Machine& machine) {
  constexpr std::int64_t kLetters = 27, kWidth = 32;
  constexpr int kSteps = 60;
  const std::string text = "the quick brown fox jumps over the lazy dog and the dog jumps over the quick fox";
  std::vector<std::int64_t> letters;
  for (const char c : text) letters.push_back(c == ' ' ? 26 : c - 'a');
  const auto tokens = static_cast<std::int64_t>(letters.size()) - 1;

  auto floats = [&](std::int64_t rows, std::int64_t columns) {
    return tensor(static_cast<float*>(machine.allocate(static_cast<std::size_t>(rows * columns) * sizeof(float))), {rows, columns});
  };
  auto parameter = [&](std::int64_t rows, std::int64_t columns) {
    return Parameter{floats(rows, columns), floats(rows, columns), floats(rows, columns), floats(rows, columns)};
  };
  auto* codes = static_cast<std::int64_t*>(machine.allocate(letters.size() * sizeof(std::int64_t)));
  machine.upload(codes, letters.data(), letters.size() * sizeof(std::int64_t));
  const adj_tensor previous = tensor(codes, {tokens}), next = tensor(codes + 1, {tokens});
  const std::vector<Parameter> parameters{parameter(kLetters, kWidth), parameter(1, kWidth), parameter(kWidth, kLetters)};
  const auto& [table, gamma, projection] = std::tie(parameters[0], parameters[1], parameters[2]);
  const adj_tensor embedded = floats(tokens, kWidth), normed = floats(tokens, kWidth), hidden = floats(tokens, kWidth), inv_std = floats(tokens, 1);
  const adj_tensor scores = floats(tokens, kLetters), loss = floats(1, 1);
  auto* step_number = static_cast<std::int64_t*>(machine.allocate(sizeof(std::int64_t)));
  const std::int64_t first_step = 1;
  machine.upload(step_number, &first_step, sizeof first_step);
  const List values(parameters, &Parameter::value), gradients(parameters, &Parameter::gradient);
  const List first_moments(parameters, &Parameter::exp_avg), second_moments(parameters, &Parameter::exp_avg_sq);
  const std::int64_t numel[] = {kLetters * kWidth, kWidth, kWidth * kLetters};

  const AdamArgs update{.params = values,
                        .grads = gradients,
                        .exp_avg = first_moments,
                        .exp_avg_sq = second_moments,
                        .lr = value(0.05),
                        .step = device_scalar(step_number, ADJ_I64)};

  Engine engine(machine);
  engine.run(NormalDescriptor{.numel = kLetters * kWidth, .element = ADJ_F32}, NormalArgs{.random = {.seed = 1, .offset = 0}, .out = table.value});
  engine.run(FillDescriptor{.numel = kWidth, .element = ADJ_F32}, FillArgs{.value = value(1), .out = gamma.value});
  auto step = [&] {
    engine.run(EmbeddingForwardDescriptor{.num_embeddings = kLetters, .embedding_dim = kWidth, .num_indices = tokens, .element = ADJ_F32, .index = ADJ_I64},
               EmbeddingForwardArgs{.weight = table.value, .indices = previous, .out = embedded});
    engine.run(RmsNormForwardDescriptor{.shape = shape({tokens, kWidth}), .element = ADJ_F32},
               RmsNormForwardArgs{.input = embedded, .gamma = gamma.value, .out = normed, .inv_std = inv_std});
    engine.run(ActivationForwardDescriptor{.outer = tokens, .inner = kWidth, .function = ADJ_ACTIVATION_SILU, .element = ADJ_F32},
               ActivationForwardArgs{.input = normed, .out = hidden});
    engine.run(MatmulDescriptor{.m = tokens, .n = kLetters, .k = kWidth, .element = ADJ_F32}, MatmulArgs{.a = hidden, .b = projection.value, .d = scores});
    engine.run(CrossEntropyWithGradientDescriptor{.samples = tokens, .num_classes = kLetters, .element = ADJ_F32, .label = ADJ_I64},
               CrossEntropyWithGradientArgs{.scores = scores, .labels = next, .loss = loss, .dscores = scores});  // from here on gradients, in place
    engine.run(MatmulDescriptor{.m = kWidth, .n = kLetters, .k = tokens, .transpose_a = 1, .element = ADJ_F32},
               MatmulArgs{.a = hidden, .b = scores, .d = projection.gradient});
    engine.run(MatmulDescriptor{.m = tokens, .n = kWidth, .k = kLetters, .transpose_b = 1, .element = ADJ_F32},
               MatmulArgs{.a = scores, .b = projection.value, .d = hidden});
    engine.run(ActivationBackwardDescriptor{.outer = tokens, .inner = kWidth, .function = ADJ_ACTIVATION_SILU, .element = ADJ_F32},
               ActivationBackwardArgs{.dout = hidden, .saved = normed, .dinput = hidden});
    engine.run(RmsNormBackwardDescriptor{.shape = shape({tokens, kWidth}), .element = ADJ_F32},
               RmsNormBackwardArgs{.dout = hidden, .input = embedded, .gamma = gamma.value, .inv_std = inv_std, .dinput = hidden, .dgamma = gamma.gradient});
    engine.run(EmbeddingBackwardDescriptor{.num_embeddings = kLetters, .embedding_dim = kWidth, .num_indices = tokens, .element = ADJ_F32, .index = ADJ_I64},
               EmbeddingBackwardArgs{.dout = hidden, .indices = previous, .dweight = table.gradient});
    engine.run(ClipGradNormDescriptor{.count = 3, .numel = numel, .grad = ADJ_F32}, ClipGradNormArgs{.grads = gradients});
    engine.run(AdamDescriptor{.count = 3, .numel = numel, .advance_step = 1, .param = ADJ_F32}, update);
  };
  std::array<float, 2> losses{};
  step();
  machine.download(&losses[0], loss.data, sizeof(float));
  machine.repeat(kSteps - 1, step);
  machine.download(&losses[1], loss.data, sizeof(float));
  return losses;
}

bool learns(const char* where, Machine& machine) {
  const auto [first, last] = train(machine);
  std::printf("%s: the loss went from %.3f to %.3f nats per letter\n", where, first, last);
  // The projection begins at zero, so at first all 27 letters are equally likely: the loss is log 27. At last only letters that follow in
  // the sentence are likely.
  return first > 3.29f && first < 3.30f && last < 1.0f;
}

}  // namespace

int main() {
  try {
    Host host;
    bool fine = learns("host", host);
    cuda_min cuda;
    if (adj_device_count() > 0 && cuda_min_open(&cuda) == 0) {
      Device device(cuda);
      fine &= learns("device 0", device);
    } else {
      std::printf("no CUDA device: ran on the host only\n");
    }
    return fine ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
