// Trains the demo's byte-level bigram model on several ranks, each on a GPU of its own or on a thread of the host, all in f32.
//
// The ranks share the text. Each has the whole table W of 256 x 256 logits, and owns a part of it with its part of AdamW's state. A step of
// a rank, over its tokens, is
//     logits  = W[previous bytes]                 embedding forward
//     loss    = sum of cross entropies            softmax cross-entropy loss, then all_reduce
//     dlogits = gradient of the mean over all     ... backward, written over the logits
//     dW      = rows of dlogits summed by byte    embedding backward
//     part of dW = sum over the ranks             reduce_scatter, in place
//     part of W -= AdamW(part of dW)              AdamW
//     W       = the parts of all ranks            all_gather, in place
// on one stream; on a GPU the step is captured once as a CUDA graph and replayed. All ranks have the bits of one W, and end at the loss of one
// rank but for rounding.
//
// The program fails when the ranks' tables differ, or when training does not come within 1 % of the least loss (demo.cpp).
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <thread>

#include "curve.hpp"
#include "model.hpp"
#include "support/progress.hpp"

using namespace adjoint;

namespace {

// Communicators of all ranks, on the devices 0, 1, .. or on the host. With one rank there is nothing to communicate.
class Communicators {
 public:
  Communicators(int ranks, bool use_gpu) : use_gpu_(use_gpu) {
    if (ranks == 1) return;
    handles_.resize(static_cast<std::size_t>(ranks));
    std::vector<std::int32_t> devices;
    for (int r = 0; r < ranks; ++r) devices.push_back(r);
    if (use_gpu ? adj_comm_init_all(ranks, devices.data(), handles_.data()) : adj_host_comm_create(ranks, handles_.data()))
      throw std::runtime_error(adj_last_error());
  }
  ~Communicators() {
    for (void* handle : handles_) use_gpu_ ? adj_comm_destroy(handle) : adj_host_comm_destroy(handle);
  }
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;

  void* of(int rank) const { return handles_.empty() ? nullptr : handles_[static_cast<std::size_t>(rank)]; }

 private:
  bool use_gpu_;
  std::vector<void*> handles_;
};

// One rank's part of the training: its tokens, the whole of W, and a part of AdamW's state.
class Trainer {
 public:
  Trainer(Machine& machine, std::span<const unsigned char> text, int rank, int ranks, void* communicator)
      : machine_(machine), tokens_(static_cast<std::int64_t>(text.size()) - 1), communicator_(communicator) {
    // The rank's tokens: the text is shared out in pieces that differ by one token at most.
    const std::int64_t begin = tokens_ * rank / ranks, own = tokens_ * (rank + 1) / ranks - begin;
    // Equal parts of W: behind its end there are zeros, whose gradients are zeros.
    const std::int64_t part = (kWeights + ranks - 1) / ranks, padded = part * ranks;

    // ---- buffers
    const std::vector<std::int64_t> bytes(text.begin() + begin, text.begin() + begin + own + 1);
    auto* previous = static_cast<std::int64_t*>(machine.allocate(bytes.size() * sizeof(std::int64_t)));
    machine.upload(previous, bytes.data(), bytes.size() * sizeof(std::int64_t));
    std::int64_t* next = previous + 1;
    auto floats = [&](std::int64_t n) { return static_cast<float*>(machine.allocate(static_cast<std::uint64_t>(n) * sizeof(float))); };
    weight_ = floats(padded);
    float* dweight = floats(padded);
    float* exp_avg = floats(part);
    float* exp_avg_sq = floats(part);
    float* logits = floats(own * kBytes);
    float* lse = floats(own);
    loss_ = floats(1);
    lr_ = floats(1);
    float* dloss = floats(1);
    auto* step_count = static_cast<std::int64_t*>(machine.allocate(sizeof(std::int64_t)));
    const float share = 1 / static_cast<float>(tokens_);  // the loss is the mean over the tokens of all ranks
    const std::int64_t first_step = 1;
    machine.upload(dloss, &share, sizeof share);
    machine.upload(step_count, &first_step, sizeof first_step);

    // ---- operations: describe, select, check
    lookup_.emplace(machine, EmbeddingForwardDescriptor{.num_embeddings = kBytes, .embedding_dim = kBytes, .num_indices = own, .element = ADJ_F32,
                                                        .index = ADJ_I64},
                    EmbeddingForwardArgs{.weight = tensor(weight_, {kBytes, kBytes}), .indices = tensor(previous, {own}),
                                         .out = tensor(logits, {own, kBytes})});
    forward_.emplace(machine, SoftmaxCrossEntropyLossDescriptor{.batch = own, .num_classes = kBytes, .element = ADJ_F32, .label = ADJ_I64,
                                                                .reduction = ADJ_REDUCTION_SUM},
                     SoftmaxCrossEntropyLossArgs{.scores = tensor(logits, {own, kBytes}), .labels = tensor(next, {own}), .loss = tensor(loss_, {1}),
                                                 .lse = tensor(lse, {own})});
    backward_.emplace(machine, SoftmaxCrossEntropyLossBackwardDescriptor{.batch = own, .num_classes = kBytes, .element = ADJ_F32, .label = ADJ_I64,
                                                                         .reduction = ADJ_REDUCTION_SUM, .from_scores = 1},
                      SoftmaxCrossEntropyLossBackwardArgs{.dloss = tensor(dloss, {1}), .scores = tensor(logits, {own, kBytes}),
                                                          .lse = tensor(lse, {own}), .labels = tensor(next, {own}),
                                                          .dscores = tensor(logits, {own, kBytes})});
    gradient_.emplace(machine, EmbeddingBackwardDescriptor{.num_embeddings = kBytes, .embedding_dim = kBytes, .num_indices = own, .element = ADJ_F32,
                                                           .index = ADJ_I64},
                      EmbeddingBackwardArgs{.dout = tensor(logits, {own, kBytes}), .indices = tensor(previous, {own}),
                                            .dweight = tensor(dweight, {kBytes, kBytes})});
    const std::int64_t numel[] = {part}, one[] = {1};
    lists_ = {weight_ + part * rank, dweight + part * rank, exp_avg, exp_avg_sq, weight_, dweight, loss_};
    capacities_ = {sizeof(float) * static_cast<std::uint64_t>(part), sizeof(float) * static_cast<std::uint64_t>(padded), sizeof(float)};
    const std::uint64_t *of_part = &capacities_[0], *of_whole = &capacities_[1], *of_loss = &capacities_[2];
    auto list = [&](std::size_t i, const std::uint64_t* capacity) { return tensor_list(ADJ_F32, {&lists_[i], 1}, {capacity, 1}); };
    update_.emplace(machine, AdamWDescriptor{.count = 1, .numel = numel, .param = ADJ_F32, .advance_step = 1, .weight_decay = 0},
                    AdamWArgs{.params = list(0, of_part), .grads = list(1, of_part), .exp_avg = list(2, of_part), .exp_avg_sq = list(3, of_part),
                              .lr = device_scalar(lr_, ADJ_F32), .step = device_scalar(step_count, ADJ_I64)});
    if (!communicator) return;
    sum_loss_.emplace(machine, AllReduceDescriptor{.count = 1, .numel = one, .element = ADJ_F32},
                      AllReduceArgs{.communicator = communicator, .inputs = list(6, of_loss), .outputs = list(6, of_loss)});
    scatter_.emplace(machine, ReduceScatterDescriptor{.ranks = ranks, .count = 1, .numel = numel, .element = ADJ_F32},
                     ReduceScatterArgs{.communicator = communicator, .inputs = list(5, of_whole), .outputs = list(1, of_part)});
    collect_.emplace(machine, AllGatherDescriptor{.ranks = ranks, .count = 1, .numel = numel, .element = ADJ_F32},
                     AllGatherArgs{.communicator = communicator, .inputs = list(0, of_part), .outputs = list(4, of_whole)});
  }

  // Records the step; the learning rate and the step count live in device memory.
  void record() {
    if (communicator_) communicate();  // once outside of a capture, of zeros: NCCL connects the ranks
    step_ = machine_.record([this] {
      const Stream& stream = machine_.stream();
      lookup_->run(stream);
      forward_->run(stream);
      backward_->run(stream);
      gradient_->run(stream);
      if (communicator_) scatter_->run(stream), sum_loss_->run(stream);
      update_->run(stream);
      if (communicator_) collect_->run(stream);
    });
  }
  // Returns the loss of the weights before the step.
  double step(double rate) {
    const auto lr = static_cast<float>(rate);
    float sum = 0;
    machine_.upload(lr_, &lr, sizeof lr);
    step_();
    machine_.download(&sum, loss_, sizeof sum);
    return static_cast<double>(sum) / static_cast<double>(tokens_);
  }
  std::vector<float> weights() {
    std::vector<float> values(kWeights);
    machine_.download(values.data(), weight_, values.size() * sizeof(float));
    return values;
  }
  std::vector<SkuInfo> skus() const {
    std::vector<SkuInfo> list{lookup_->plan.sku(), forward_->plan.sku(), backward_->plan.sku(), gradient_->plan.sku()};
    if (communicator_) list.insert(list.end(), {scatter_->plan.sku(), sum_loss_->plan.sku()});
    list.push_back(update_->plan.sku());
    if (communicator_) list.push_back(collect_->plan.sku());
    return list;
  }

 private:
  static constexpr std::int64_t kWeights = kBytes * kBytes;
  void communicate() {
    scatter_->run(machine_.stream());
    sum_loss_->run(machine_.stream());
    collect_->run(machine_.stream());
  }

  Machine& machine_;
  std::int64_t tokens_;  // of all ranks
  void* communicator_;
  float *weight_ = nullptr, *loss_ = nullptr, *lr_ = nullptr;
  std::array<void*, 7> lists_{};              // of one tensor each
  std::array<std::uint64_t, 3> capacities_{};
  std::optional<Operation<EmbeddingForwardDescriptor, EmbeddingForwardArgs>> lookup_;
  std::optional<Operation<SoftmaxCrossEntropyLossDescriptor, SoftmaxCrossEntropyLossArgs>> forward_;
  std::optional<Operation<SoftmaxCrossEntropyLossBackwardDescriptor, SoftmaxCrossEntropyLossBackwardArgs>> backward_;
  std::optional<Operation<EmbeddingBackwardDescriptor, EmbeddingBackwardArgs>> gradient_;
  std::optional<Operation<AdamWDescriptor, AdamWArgs>> update_;
  std::optional<Operation<AllReduceDescriptor, AllReduceArgs>> sum_loss_;
  std::optional<Operation<ReduceScatterDescriptor, ReduceScatterArgs>> scatter_;
  std::optional<Operation<AllGatherDescriptor, AllGatherArgs>> collect_;
  std::function<void()> step_;
};

// Runs work(rank) on a thread for each rank. A rank that fails ends the program: the others would wait for it.
template <class Work>
void on_ranks(int ranks, Work work) {
  if (ranks == 1) return work(0);
  std::vector<std::jthread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&work, r] {
      try {
        work(r);
      } catch (const std::exception& e) {
        fmt::print(stderr, "demo_ranks: rank {}: {}\n", r, e.what());
        std::quick_exit(1);
      }
    });
}

int train(const std::string& file, std::int64_t steps, double peak_lr, int ranks, bool use_gpu, const std::string& out) {
  const std::vector<unsigned char> text = read_text(file);
  const auto tokens = static_cast<std::int64_t>(text.size()) - 1;
  if (ranks > tokens) throw std::runtime_error(fmt::format("{} ranks for {} tokens", ranks, tokens));
  const double entropy = conditional_entropy(text);

  Curve curve{.title = "Bigram model of " + file, .target = entropy, .points = {}};
  std::string description;
  double seconds = 0;
  std::vector<std::vector<float>> weights(static_cast<std::size_t>(ranks));
  const Communicators communicators(ranks, use_gpu);
  on_ranks(ranks, [&](int rank) {
    Machine machine(use_gpu ? rank : Machine::kHost);
    const bool speaks = rank == 0;
    if (speaks) {
      description = ranks == 1 ? machine.description() : fmt::format("{} ranks, each on: {}", ranks, machine.description());
      fmt::print("text      {} ({} bytes)\nruns on   {}\ntarget    {:.5f} nats per byte, the entropy of a byte given the one before\n\n", file,
                 text.size(), description, entropy);
    }
    Trainer trainer(machine, text, rank, ranks, communicators.of(rank));
    if (speaks) {
      for (const SkuInfo& sku : trainer.skus()) fmt::print("  {:<64} {}\n", sku.id, guarantee_text(sku));
      fmt::print("\n");
    }
    trainer.record();
    std::optional<support::Progress> progress;
    if (speaks) progress.emplace("training");
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i <= steps; ++i) {
      const double loss = trainer.step(peak_lr * 0.5 * (1 + std::cos(std::numbers::pi * static_cast<double>(i) / static_cast<double>(steps))));
      if (!speaks) continue;
      curve.points.push_back({i, loss});
      progress->update(i, steps, fmt::format("step {}, loss {:.5f}", i, loss));
    }
    if (speaks) {
      progress->finish();
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    weights[static_cast<std::size_t>(rank)] = trainer.weights();
  });

  const double last = curve.points.back().loss, excess = last / entropy - 1;
  const bool reached = std::isfinite(last) && excess <= kTolerance && excess > -1e-4;
  const bool equal = std::all_of(weights.begin(), weights.end(), [&](const std::vector<float>& own) {
    return std::memcmp(own.data(), weights[0].data(), own.size() * sizeof(float)) == 0;
  });
  fmt::print("loss      {:.5f} -> {:.5f} nats per byte, {:+.3f} % from the target\n", curve.points.front().loss, last, 100 * excess);
  fmt::print("speed     {} steps in {:.2f} s, {:.3g} tokens/s\n", steps, seconds, static_cast<double>(tokens * steps) / seconds);
  curve.write(out, {{"text", file}, {"machine", description}, {"ranks", ranks}, {"tokens", tokens}, {"steps", steps}, {"seconds", seconds},
                    {"final_loss", last}, {"entropy", entropy}, {"reached", reached}, {"equal_weights", equal}});
  return conclude(out, reached, equal ? nullptr : "the ranks have different weights");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Trains a byte-level bigram language model on several ranks and checks it against the text's entropy.", "demo_ranks");
  const Options options(app, 200);
  int ranks = 2;
  app.add_option("--ranks", ranks, "ranks that train together: on as many GPUs, or on threads of the host where there are fewer")
      ->check(CLI::Range(1, 64))->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return train(options.file, options.steps, options.lr, ranks, !options.host && adj_device_count() >= ranks, options.out);
  } catch (const std::exception& e) {
    fmt::print(stderr, "demo_ranks: {}\n", e.what());
    return 1;
  }
}
