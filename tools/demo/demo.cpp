// Trains a byte-level bigram language model in mixed precision: the example of how the library is used.
//
// The model is one table W of 256 x 256 logits: row W[b] scores every byte that may follow byte b. W is in f32, its copy w, the logits and
// the gradients are in f16, too narrow for gradients of a mean over a whole text: the loss is scaled by s. A training step over the whole
// text is
//     logits  = w[previous bytes]                          embedding forward
//     dlogits = s * gradient of mean cross entropy         cross entropy with gradient, written over the logits, and the loss
//     dw      = rows of dlogits summed by byte             embedding backward
//     norm    = |dw|, and whether it is finite             clipping of gradients, the norm alone
//     W, w    = Adam(dw / max(s, norm / limit))            Adam, which leaves all as it is where the norm is not finite
//     s       = s / 2 after such a step, 2 s after many    update of the loss scale
// all on one stream; on a GPU the step is captured once as a CUDA graph and replayed. Whether a gradient has overflowed, whether it is
// clipped and what the next scale is are decided on the device: the host has no part in it.
//
// The loss has a known minimum, the entropy of a byte given the one before it, which counting gives exactly. The program
// fails when training does not come within 1 % of it.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "curve.hpp"
#include "model.hpp"
#include "support/progress.hpp"

using namespace adjoint;

namespace {

// The scale starts so high that the first gradients overflow, and doubles after so many steps that do not.
constexpr float kFirstScale = 0x1p24f;
constexpr std::int32_t kGrowthInterval = 50;
constexpr double kLargestNorm = 0.05;

// What a step leaves for whoever watches, in the memory of the stream.
struct Report {
  float loss = 0, norm = 0, found_inf = 0, scale = kFirstScale;  // the loss of the weights before the step, the norm of the scaled gradient, the scale of the next step
};

int train(const std::string& file, std::int64_t steps, double peak_lr, bool use_gpu, const std::string& out) {
  const std::vector<unsigned char> text = read_text(file);
  const auto tokens = static_cast<std::int64_t>(text.size()) - 1;
  const double entropy = conditional_entropy(text);

  Machine machine(use_gpu ? 0 : Machine::kHost);
  const Stream& stream = machine.stream();
  fmt::print("text      {} ({} bytes)\nruns on   {}\ntarget    {:.5f} nats per byte, the entropy of a byte given the one before\n\n", file,
             text.size(), machine.description(), entropy);

  // ---- buffers
  const std::vector<std::int64_t> bytes(text.begin(), text.end());
  auto* previous = static_cast<std::int64_t*>(machine.allocate(bytes.size() * sizeof(std::int64_t)));
  machine.upload(previous, bytes.data(), bytes.size() * sizeof(std::int64_t));
  std::int64_t* next = previous + 1;
  auto floats = [&](std::int64_t n) { return static_cast<float*>(machine.allocate(static_cast<std::uint64_t>(n) * sizeof(float))); };
  auto halves = [&](std::int64_t n) { return machine.allocate(static_cast<std::uint64_t>(n) * 2); };
  float* weight = floats(kBytes * kBytes);
  void* low_weight = halves(kBytes * kBytes);
  void* dweight = halves(kBytes * kBytes);
  float* exp_avg = floats(kBytes * kBytes);
  float* exp_avg_sq = floats(kBytes * kBytes);
  void* logits = halves(tokens * kBytes);
  auto* report = static_cast<Report*>(machine.allocate(sizeof(Report)));  // an address: the host does not look at it
  float *loss = &report->loss, *norm = &report->norm, *found_inf = &report->found_inf, *scale = &report->scale;
  float* lr = floats(1);
  auto* growth_tracker = static_cast<std::int32_t*>(machine.allocate(sizeof(std::int32_t)));
  auto* step_count = static_cast<std::int64_t*>(machine.allocate(sizeof(std::int64_t)));
  const std::int64_t first_step = 1;
  machine.upload(scale, &kFirstScale, sizeof kFirstScale);
  machine.upload(step_count, &first_step, sizeof first_step);

  // ---- operations: describe, select, check
  const Operation lookup(machine, EmbeddingForwardDescriptor{.num_embeddings = kBytes, .embedding_dim = kBytes, .num_indices = tokens,
                                                             .element = ADJ_F16, .index = ADJ_I64},
                         EmbeddingForwardArgs{.weight = tensor(low_weight, ADJ_F16, {kBytes, kBytes}), .indices = tensor(previous, {tokens}),
                                              .out = tensor(logits, ADJ_F16, {tokens, kBytes})});
  const Operation gradient(machine, CrossEntropyWithGradientDescriptor{.samples = tokens, .num_classes = kBytes, .element = ADJ_F16, .label = ADJ_I64},
                           CrossEntropyWithGradientArgs{.scores = tensor(logits, ADJ_F16, {tokens, kBytes}), .labels = tensor(next, {tokens}),
                                                        .dloss = device_scalar(scale, ADJ_F32), .loss = tensor(loss, {1}),
                                                        .dscores = tensor(logits, ADJ_F16, {tokens, kBytes})});
  const Operation gather(machine, EmbeddingBackwardDescriptor{.num_embeddings = kBytes, .embedding_dim = kBytes, .num_indices = tokens,
                                                              .element = ADJ_F16, .index = ADJ_I64},
                         EmbeddingBackwardArgs{.dout = tensor(logits, ADJ_F16, {tokens, kBytes}), .indices = tensor(previous, {tokens}),
                                               .dweight = tensor(dweight, ADJ_F16, {kBytes, kBytes})});
  const std::int64_t numel[] = {kBytes * kBytes};
  const std::uint64_t wide[] = {4 * kBytes * kBytes}, narrow[] = {2 * kBytes * kBytes};
  void* lists[5][1] = {{weight}, {dweight}, {exp_avg}, {exp_avg_sq}, {low_weight}};
  const Operation measure(machine, ClipGradNormDescriptor{.count = 1, .numel = numel, .grad = ADJ_F16, .norm_only = 1},
                          ClipGradNormArgs{.grads = tensor_list(ADJ_F16, lists[1], narrow), .norm = tensor(norm, {1}), .found_inf = tensor(found_inf, {1})});
  const Operation update(machine, AdamDescriptor{.count = 1, .numel = numel, .param = ADJ_F32, .grad = ADJ_F16, .copy = ADJ_F16, .advance_step = 1,
                                                 .max_norm = kLargestNorm},
                         AdamArgs{.params = tensor_list(ADJ_F32, lists[0], wide), .grads = tensor_list(ADJ_F16, lists[1], narrow),
                                  .exp_avg = tensor_list(ADJ_F32, lists[2], wide), .exp_avg_sq = tensor_list(ADJ_F32, lists[3], wide),
                                  .copies = tensor_list(ADJ_F16, lists[4], narrow), .lr = device_scalar(lr, ADJ_F32),
                                  .step = device_scalar(step_count, ADJ_I64), .grad_scale = device_scalar(scale, ADJ_F32),
                                  .gradient_norm = device_scalar(norm, ADJ_F32), .found_inf = tensor(found_inf, {1})});
  const Operation adapt(machine, UpdateLossScaleDescriptor{.growth_interval = kGrowthInterval},
                        UpdateLossScaleArgs{.found_inf = tensor(found_inf, {1}), .scale = tensor(scale, {1}), .growth_tracker = tensor(growth_tracker, {1})});
  for (const SkuInfo& sku : {lookup.plan.sku(), gradient.plan.sku(), gather.plan.sku(), measure.plan.sku(), update.plan.sku(), adapt.plan.sku()})
    fmt::print("  {:<64} {}\n", sku.id, guarantee_text(sku));
  fmt::print("\n");

  // ---- training: the step is recorded once; the learning rate, the step count and the scale live in device memory
  const auto step = machine.record([&] {
    lookup.run(stream);
    gradient.run(stream);
    gather.run(stream);
    measure.run(stream);
    update.run(stream);
    adapt.run(stream);
  });
  Curve curve{.title = "Bigram model of " + file, .target = entropy, .points = {}};
  support::Progress progress("training");
  const auto start = std::chrono::steady_clock::now();
  Report seen;
  float& current = seen.loss;
  std::int64_t skipped = 0, clipped = 0;
  for (std::int64_t i = 0; i <= steps; ++i) {
    const auto rate = static_cast<float>(peak_lr * 0.5 * (1 + std::cos(std::numbers::pi * static_cast<double>(i) / static_cast<double>(steps))));
    machine.upload(lr, &rate, sizeof rate);
    step();
    const double used = seen.scale;
    machine.download(&seen, report, sizeof seen);
    skipped += seen.found_inf != 0;
    clipped += seen.found_inf == 0 && seen.norm / used > kLargestNorm;
    curve.points.push_back({i, current});
    progress.update(i, steps, fmt::format("step {}, loss {:.5f}", i, current));
  }
  progress.finish();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const double excess = current / entropy - 1;
  const bool reached = std::isfinite(current) && excess <= kTolerance && excess > -1e-4;
  fmt::print("loss      {:.5f} -> {:.5f} nats per byte, {:+.3f} % from the target\n", curve.points.front().loss, current, 100 * excess);
  fmt::print("scale     {:g} -> {:g}; {} steps were skipped because a gradient had overflowed, {} were clipped\n", kFirstScale, seen.scale, skipped, clipped);
  fmt::print("speed     {} steps in {:.2f} s, {:.3g} tokens/s\n", steps, seconds, static_cast<double>(tokens * steps) / seconds);
  curve.write(out, {{"text", file}, {"machine", machine.description()}, {"tokens", tokens}, {"steps", steps}, {"seconds", seconds},
                    {"final_loss", current}, {"entropy", entropy}, {"skipped", skipped}, {"clipped", clipped}, {"reached", reached}});
  return conclude(out, reached);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Trains a byte-level bigram language model and checks it against the text's entropy.", "demo");
  const Options options(app, 100);
  CLI11_PARSE(app, argc, argv);
  try {
    return train(options.file, options.steps, options.lr, !options.host && adj_device_count() > 0, options.out);
  } catch (const std::exception& e) {
    fmt::print(stderr, "demo: {}\n", e.what());
    return 1;
  }
}
