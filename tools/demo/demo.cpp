// Trains a byte-level bigram language model in mixed precision, on one device or on several ranks: the example of how the library is used.
//
// The model is one table W of 256 x 256 logits: row W[b] scores every byte that may follow byte b. W is in f32. Its copy w, the logits and
// the gradients are in f16. The gradients of a mean over a whole text are too small for f16, so the loss is scaled by s. Each rank has a part
// of the text, the whole of w, and a part of W with the same part of Adam's state. A training step of a rank, over all its tokens, is
//     logits  = w[previous bytes]                          embedding forward
//     dlogits = s * gradient of mean cross entropy         cross entropy with gradient, written over the logits, and the loss
//     dw      = rows of dlogits summed by byte             embedding backward
//     loss    = mean over the ranks                        all_reduce
//     dw part = mean over the ranks                        reduce_scatter, in place
//     norms   = |dw part| of every rank                    clipping of gradients, the norm alone; all_gather
//     norm    = |norms|, and whether it is finite          clipping of gradients, the norm alone
//     W, w    = Adam(dw / max(s, norm / limit))            Adam on the part; a norm that is not finite skips the step
//     w       = the parts of all ranks                     all_gather, in place
//     s       = s / 2 after a skipped step, 2 s after      update of the loss scale
//               kGrowthInterval others
// all on one stream. On a GPU the step is captured once as a CUDA graph and replayed. A single rank communicates nothing; its norm is |dw|.
// The device decides, on all ranks alike, whether the step is skipped, whether gradients are clipped, and the next scale. The host has no
// part in it.
//
// The least loss is known: the entropy of a byte given the byte before it, which counting gives exactly. The program fails when training
// does not come within 1 % of it, or when the ranks differ.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <optional>
#include <thread>

#include "model.hpp"
#include "support/curve.hpp"
#include "support/hash.hpp"
#include "support/progress.hpp"
#include "support/ranks.hpp"

using namespace adjoint;

namespace {

// The first scale is so high that the first gradients overflow. The scale doubles after kGrowthInterval steps without overflow.
constexpr float kFirstScale = 0x1p24f;
constexpr std::int32_t kGrowthInterval = 50;
constexpr double kLargestNorm = 0.05;

// Results of a step, in the memory of the stream.
struct Report {
  // loss: of the weights before the step. norm: of the scaled gradient. found_inf: not 0 when the step was skipped. scale: for the next step.
  float loss = 0, norm = 0, found_inf = 0, scale = kFirstScale;
};

// One rank's part of the training: its tokens, the whole of w, and a part of W and of Adam's state.
class Trainer {
 public:
  // `text`: the rank's bytes; the first one only precedes the second and is not predicted. `communicator`: null for a single rank.
  Trainer(Machine& machine, std::span<const unsigned char> text, int rank, int ranks, void* communicator) : machine_(machine), engine_(machine) {
    const auto tokens = static_cast<std::int64_t>(text.size()) - 1;
    // All ranks have equal parts of W, so W is padded with zeros. The gradients of the padding are zeros.
    const std::int64_t part = (kWeights + ranks - 1) / ranks, padded = part * ranks, begin = part * rank;

    // ---- buffers
    const std::vector<std::int64_t> bytes(text.begin(), text.end());
    auto* previous = static_cast<std::int64_t*>(machine.allocate(bytes.size() * sizeof(std::int64_t)));
    machine.upload(previous, bytes.data(), bytes.size() * sizeof(std::int64_t));
    std::int64_t* next = previous + 1;
    auto floats = [&](std::int64_t n) { return static_cast<float*>(machine.allocate(static_cast<std::uint64_t>(n) * sizeof(float))); };
    auto halves = [&](std::int64_t n) { return static_cast<std::uint16_t*>(machine.allocate(static_cast<std::uint64_t>(n) * sizeof(std::uint16_t))); };
    float* weight = floats(part);
    float* exp_avg = floats(part);
    float* exp_avg_sq = floats(part);
    low_weight_ = halves(padded);
    std::uint16_t* dweight = halves(padded);
    std::uint16_t* logits = halves(tokens * kBytes);
    report_ = static_cast<Report*>(machine.allocate(sizeof(Report)));  // memory of the stream: the host must not dereference it
    float *loss = &report_->loss, *norm = &report_->norm, *found_inf = &report_->found_inf, *scale = &report_->scale;
    float* norms = floats(ranks);
    lr_ = floats(1);
    auto* growth_tracker = static_cast<std::int32_t*>(machine.allocate(sizeof(std::int32_t)));
    auto* step_count = static_cast<std::int64_t*>(machine.allocate(sizeof(std::int64_t)));
    const std::int64_t first_step = 1;
    machine.upload(scale, &kFirstScale, sizeof kFirstScale);
    machine.upload(step_count, &first_step, sizeof first_step);

    // ---- operations: describe, select, check
    const std::int64_t one[] = {1}, all[] = {ranks}, own[] = {part};
    add(EmbeddingForwardDescriptor{.num_embeddings = kBytes, .embedding_dim = kBytes, .num_indices = tokens, .element = ADJ_F16, .index = ADJ_I64},
        EmbeddingForwardArgs{
            .weight = tensor(low_weight_, ADJ_F16, {kBytes, kBytes}), .indices = tensor(previous, {tokens}), .out = tensor(logits, ADJ_F16, {tokens, kBytes})});
    add(CrossEntropyWithGradientDescriptor{.samples = tokens, .num_classes = kBytes, .element = ADJ_F16, .label = ADJ_I64},
        CrossEntropyWithGradientArgs{.scores = tensor(logits, ADJ_F16, {tokens, kBytes}),
                                     .labels = tensor(next, {tokens}),
                                     .dloss = device_scalar(scale, ADJ_F32),
                                     .loss = tensor(loss, {1}),
                                     .dscores = tensor(logits, ADJ_F16, {tokens, kBytes})});
    add(EmbeddingBackwardDescriptor{.num_embeddings = kBytes, .embedding_dim = kBytes, .num_indices = tokens, .element = ADJ_F16, .index = ADJ_I64},
        EmbeddingBackwardArgs{
            .dout = tensor(logits, ADJ_F16, {tokens, kBytes}), .indices = tensor(previous, {tokens}), .dweight = tensor(dweight, ADJ_F16, {kBytes, kBytes})});
    if (communicator) {
      exchange(AllReduceDescriptor{.count = 1, .numel = one, .reduction = ADJ_COLLECTIVE_REDUCTION_AVERAGE, .element = ADJ_F32},
               AllReduceArgs{.communicator = communicator, .inputs = list(loss, 1), .outputs = list(loss, 1)});
      exchange(ReduceScatterDescriptor{.ranks = ranks, .count = 1, .numel = own, .reduction = ADJ_COLLECTIVE_REDUCTION_AVERAGE, .element = ADJ_F16},
               ReduceScatterArgs{.communicator = communicator, .inputs = list(dweight, padded), .outputs = list(dweight + begin, part)});
      add(ClipGradNormDescriptor{.count = 1, .numel = own, .norm_only = 1, .grad = ADJ_F16},
          ClipGradNormArgs{.grads = list(dweight + begin, part), .norm = tensor(norms + rank, {1})});
      exchange(AllGatherDescriptor{.ranks = ranks, .count = 1, .numel = one, .element = ADJ_F32},
               AllGatherArgs{.communicator = communicator, .inputs = list(norms + rank, 1), .outputs = list(norms, ranks)});
      add(ClipGradNormDescriptor{.count = 1, .numel = all, .norm_only = 1, .grad = ADJ_F32},
          ClipGradNormArgs{.grads = list(norms, ranks), .norm = tensor(norm, {1}), .found_inf = tensor(found_inf, {1})});
    } else {
      add(ClipGradNormDescriptor{.count = 1, .numel = own, .norm_only = 1, .grad = ADJ_F16},
          ClipGradNormArgs{.grads = list(dweight, part), .norm = tensor(norm, {1}), .found_inf = tensor(found_inf, {1})});
    }
    add(AdamDescriptor{.count = 1, .numel = own, .max_norm = kLargestNorm, .advance_step = 1, .param = ADJ_F32, .grad = ADJ_F16, .copy = ADJ_F16},
        AdamArgs{.params = list(weight, part),
                 .grads = list(dweight + begin, part),
                 .exp_avg = list(exp_avg, part),
                 .exp_avg_sq = list(exp_avg_sq, part),
                 .copies = list(low_weight_ + begin, part),
                 .lr = device_scalar(lr_, ADJ_F32),
                 .step = device_scalar(step_count, ADJ_I64),
                 .grad_scale = device_scalar(scale, ADJ_F32),
                 .gradient_norm = device_scalar(norm, ADJ_F32),
                 .found_inf = tensor(found_inf, {1})});
    if (communicator)
      exchange(AllGatherDescriptor{.ranks = ranks, .count = 1, .numel = own, .element = ADJ_F16},
               AllGatherArgs{.communicator = communicator, .inputs = list(low_weight_ + begin, part), .outputs = list(low_weight_, padded)});
    add(UpdateLossScaleDescriptor{.growth_interval = kGrowthInterval},
        UpdateLossScaleArgs{.found_inf = tensor(found_inf, {1}), .scale = tensor(scale, {1}), .growth_tracker = tensor(growth_tracker, {1})});
  }

  // Records the step; the learning rate, the step count and the scale live in device memory.
  void record() {
    engine_.reserve();
    run(exchanges_);  // run once on zeros before the capture, so that NCCL connects the ranks
    step_ = machine_.record([this] { run(operations_); });
  }
  Report step(double rate) {
    const auto lr = static_cast<float>(rate);
    machine_.upload(lr_, &lr, sizeof lr);
    step_();
    Report seen;
    machine_.download(&seen, report_, sizeof seen);
    return seen;
  }
  // The weights w as bits of f16.
  std::vector<std::uint16_t> weights() {
    std::vector<std::uint16_t> values(kWeights);
    machine_.download(values.data(), low_weight_, values.size() * sizeof(std::uint16_t));
    return values;
  }
  const std::vector<SkuInfo>& skus() const { return engine_.skus(); }

 private:
  static constexpr std::int64_t kWeights = kBytes * kBytes;
  // A list of one tensor.
  template <class T>
  adj_tensor_list list(T* data, std::int64_t numel) {
    return engine_.list(data, sizeof(T) == 2 ? ADJ_F16 : ADJ_F32, numel);
  }
  // Adds an operation to the step.
  template <class Descriptor, class Args>
  void add(const Descriptor& descriptor, const Args& args) {
    operations_.push_back(engine_.call(descriptor, args));
  }
  template <class Descriptor, class Args>
  void exchange(const Descriptor& descriptor, const Args& args) {
    add(descriptor, args);
    exchanges_.push_back(operations_.back());
  }

  Machine& machine_;
  Engine engine_;
  std::uint16_t* low_weight_ = nullptr;
  float* lr_ = nullptr;
  Report* report_ = nullptr;
  Calls operations_, exchanges_;  // operations of a step, in order; the collectives among them
  std::function<void()> step_;
};

// Results of a rank.
struct Outcome {
  std::vector<Report> reports;  // one report for each step
  std::vector<std::uint16_t> weights;

  std::uint64_t hash() const { return hash_of({reinterpret_cast<const char*>(weights.data()), weights.size() * sizeof weights[0]}); }
  bool operator==(const Outcome& other) const {
    return weights == other.weights && reports.size() == other.reports.size() &&
           std::memcmp(reports.data(), other.reports.data(), reports.size() * sizeof(Report)) == 0;
  }
};

int train(const Options& options, bool use_gpu) {
  const int ranks = options.ranks;
  Curve::check(options.out);
  std::vector<unsigned char> text = read_text(options.file);
  // All ranks have the same number of tokens. The remainder at the end of the text is not used.
  const std::int64_t own = (static_cast<std::int64_t>(text.size()) - 1) / ranks, tokens = own * ranks;
  if (own == 0) throw std::runtime_error(fmt::format("{} ranks for {} tokens", ranks, text.size() - 1));
  text.resize(static_cast<std::size_t>(tokens) + 1);
  const double entropy = conditional_entropy(text);

  std::string description;
  double seconds = 0;
  std::vector<Outcome> outcomes(static_cast<std::size_t>(ranks));
  const Communicators communicators(ranks, use_gpu);
  on_ranks("demo", ranks, [&](int rank) {
    Machine machine(use_gpu ? rank : Machine::kHost);
    const bool speaks = rank == 0;
    if (speaks) {
      description = machine.description() + std::string(use_gpu ? ", CUDA graph" : "");
      if (ranks > 1) description = fmt::format("{} ranks, each on: {}", ranks, description);
      fmt::print("text      {} ({} bytes)\nruns on   {}\ntarget    {:.5f} nats per byte, the entropy of a byte given the one before\n\n", options.file,
                 text.size(), description, entropy);
    }
    Trainer trainer(machine, std::span(text).subspan(static_cast<std::size_t>(own * rank), static_cast<std::size_t>(own) + 1), rank, ranks,
                    communicators.of(rank));
    if (speaks) {
      for (const SkuInfo& sku : trainer.skus()) fmt::print("  {:<64} {}\n", sku.id, guarantee_text(sku));
      fmt::print("\n");
    }
    trainer.record();
    std::optional<support::Progress> progress;
    if (speaks) progress.emplace("training");
    const auto start = std::chrono::steady_clock::now();
    Outcome& outcome = outcomes[static_cast<std::size_t>(rank)];
    for (std::int64_t i = 0; i <= options.steps; ++i) {
      const double way = static_cast<double>(i) / static_cast<double>(options.steps);
      outcome.reports.push_back(trainer.step(options.lr * 0.5 * (1 + std::cos(std::numbers::pi * way))));
      if (speaks) progress->update(i, options.steps, fmt::format("step {}, loss {:.5f}", i, outcome.reports.back().loss));
    }
    if (speaks) {
      progress->finish();
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    outcome.weights = trainer.weights();
  });

  const bool equal = std::all_of(outcomes.begin(), outcomes.end(), [&](const Outcome& own) { return own == outcomes[0]; });
  Curve curve{.title = "Bigram model of " + options.file, .target = entropy, .points = {}, .validation = {}};
  std::int64_t skipped = 0, clipped = 0;
  double scale = kFirstScale;
  for (const Report& seen : outcomes[0].reports) {
    curve.points.push_back({static_cast<std::int64_t>(curve.points.size()), seen.loss});
    skipped += seen.found_inf != 0;
    clipped += seen.found_inf == 0 && seen.norm / scale > kLargestNorm;
    scale = seen.scale;
  }
  const double last = curve.points.back().loss, excess = last / entropy - 1;
  const bool reached = std::isfinite(last) && excess <= kTolerance && excess > -1e-4;
  fmt::print("loss      {:.5f} -> {:.5f} nats per byte, {:+.3f} % from the target\n", curve.points.front().loss, last, 100 * excess);
  fmt::print("scale     {:g} -> {:g}; {} steps were skipped because a gradient had overflowed, {} were clipped\n", kFirstScale, scale, skipped, clipped);
  fmt::print("speed     {} steps in {:.2f} s, {:.3g} tokens/s\n", options.steps, seconds, static_cast<double>(tokens * options.steps) / seconds);
  curve.write(options.out, {{"text", options.file},
                            {"machine", description},
                            {"ranks", ranks},
                            {"tokens", tokens},
                            {"steps", options.steps},
                            {"seconds", seconds},
                            {"final_loss", last},
                            {"entropy", entropy},
                            {"skipped", skipped},
                            {"clipped", clipped},
                            {"reached", reached},
                            {"equal_ranks", equal},
                            {"weights_hash", fmt::format("{:016x}", outcomes[0].hash())}});
  const char* failure = !equal ? "the ranks differ" : !reached ? "the loss is not within 1 % of the entropy of the text" : nullptr;
  fmt::print("curve     {0}.svg, {0}.json\n\n{1}: {2}\n", options.out, failure ? "FAILED" : "PASSED",
             failure ? failure : "the loss reached the entropy of the text");
  return failure ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Trains a byte-level bigram language model and checks it against the text's entropy.", "demo");
  const Options options(app);
  CLI11_PARSE(app, argc, argv);
  try {
    return train(options, !options.host && adj_device_count() >= options.ranks);
  } catch (const std::exception& e) {
    fmt::print(stderr, "demo: {}\n", e.what());
    return 1;
  }
}
