// A training step in C++: a bigram model learns the order of the letters of a sentence.
//
//   g++ -std=c++20 training_step.cpp $(pkg-config --cflags --libs adjoint) -ldl -o training_step && ./training_step
//
// The model is a table of logits: row b scores every letter that may follow letter b. A step looks up the rows of all letters, takes the
// cross entropy and its gradient, sums the gradient by row, and lets AdamW update the table. It asks for its plans in every step, as an
// engine without plans of its own does. Runs on the host, and with the CUDA driver on device 0 when there is one. Exits with 0 when the
// loss falls as it has to.
#include <adjoint/adjoint.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
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

// Trains for some steps and returns the first loss and the last.
std::array<float, 2> train(Machine& machine) {
  constexpr std::int64_t kLetters = 27, kSteps = 60;
  const std::string text = "the quick brown fox jumps over the lazy dog and the dog jumps over the quick fox";
  std::vector<std::int64_t> letters;
  for (const char c : text) letters.push_back(c == ' ' ? 26 : c - 'a');
  const auto tokens = static_cast<std::int64_t>(letters.size()) - 1;

  auto floats = [&](std::int64_t n) { return static_cast<float*>(machine.allocate(static_cast<std::size_t>(n) * sizeof(float))); };
  auto* previous = static_cast<std::int64_t*>(machine.allocate(letters.size() * sizeof(std::int64_t)));
  machine.upload(previous, letters.data(), letters.size() * sizeof(std::int64_t));
  std::int64_t* next = previous + 1;
  float *weight = floats(kLetters * kLetters), *dweight = floats(kLetters * kLetters);
  float *exp_avg = floats(kLetters * kLetters), *exp_avg_sq = floats(kLetters * kLetters);
  float *logits = floats(tokens * kLetters), *lse = floats(tokens), *loss = floats(1), *dloss = floats(1);
  const float one = 1;
  machine.upload(dloss, &one, sizeof one);

  // Lists of one tensor each.
  const std::int64_t numel[] = {kLetters * kLetters};
  const std::uint64_t bytes[] = {sizeof(float) * kLetters * kLetters};
  void* const weights[] = {weight};
  void* const gradients[] = {dweight};
  void* const first_moments[] = {exp_avg};
  void* const second_moments[] = {exp_avg_sq};

  Engine engine(machine);
  std::array<float, 2> losses{};
  for (std::int64_t step = 1; step <= kSteps; ++step) {
    engine.run(EmbeddingForwardDescriptor{.num_embeddings = kLetters, .embedding_dim = kLetters, .num_indices = tokens, .element = ADJ_F32, .index = ADJ_I64},
               EmbeddingForwardArgs{.weight = tensor(weight, {kLetters, kLetters}), .indices = tensor(previous, {tokens}),
                                    .out = tensor(logits, {tokens, kLetters})});
    engine.run(SoftmaxCrossEntropyLossDescriptor{.batch = tokens, .num_classes = kLetters, .element = ADJ_F32, .label = ADJ_I64},
               SoftmaxCrossEntropyLossArgs{.scores = tensor(logits, {tokens, kLetters}), .labels = tensor(next, {tokens}), .loss = tensor(loss, {1}),
                                           .lse = tensor(lse, {tokens})});
    engine.run(SoftmaxCrossEntropyLossBackwardDescriptor{.batch = tokens, .num_classes = kLetters, .element = ADJ_F32, .label = ADJ_I64, .from_scores = 1},
               SoftmaxCrossEntropyLossBackwardArgs{.dloss = tensor(dloss, {1}), .scores = tensor(logits, {tokens, kLetters}), .lse = tensor(lse, {tokens}),
                                                   .labels = tensor(next, {tokens}), .dscores = tensor(logits, {tokens, kLetters})});  // in place
    engine.run(EmbeddingBackwardDescriptor{.num_embeddings = kLetters, .embedding_dim = kLetters, .num_indices = tokens, .element = ADJ_F32, .index = ADJ_I64},
               EmbeddingBackwardArgs{.dout = tensor(logits, {tokens, kLetters}), .indices = tensor(previous, {tokens}),
                                     .dweight = tensor(dweight, {kLetters, kLetters})});
    engine.run(AdamWDescriptor{.count = 1, .numel = numel, .param = ADJ_F32, .weight_decay = 0},
               AdamWArgs{.params = tensor_list(ADJ_F32, weights, bytes), .grads = tensor_list(ADJ_F32, gradients, bytes),
                         .exp_avg = tensor_list(ADJ_F32, first_moments, bytes), .exp_avg_sq = tensor_list(ADJ_F32, second_moments, bytes),
                         .lr = value(0.3), .step = value(static_cast<double>(step))});
    if (step == 1) machine.download(&losses[0], loss, sizeof(float));
  }
  machine.download(&losses[1], loss, sizeof(float));
  return losses;
}

bool learns(const char* where, Machine& machine) {
  const auto [first, last] = train(machine);
  std::printf("%s: the loss went from %.3f to %.3f nats per letter\n", where, first, last);
  // At first all 27 letters are equally likely: the loss is log 27. At last only letters that follow in the sentence are likely.
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
