// Trains a byte-level bigram language model: the example of how the library is used.
//
// The model is one table W of 256 x 256 logits: row W[b] scores every byte that may follow byte b. A training step over
// the whole text is
//     logits  = W[previous bytes]                 embedding forward
//     loss    = mean cross entropy(logits, next)  softmax cross-entropy loss
//     dlogits = its gradient                      ... backward, written over the logits
//     dW      = rows of dlogits summed by byte    embedding backward
//     W      -= AdamW(dW)                         AdamW
// all on one stream; on a GPU the step is captured once as a CUDA graph and replayed.
//
// The loss has a known minimum, the entropy of a byte given the one before it, which counting gives exactly. The program
// fails when training does not come within 1 % of it.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <numbers>
#include <stdexcept>

#include "curve.hpp"
#include "machine.hpp"
#include "support/progress.hpp"

using namespace adjoint;

namespace {

constexpr std::int64_t kBytes = 256;
constexpr double kTolerance = 0.01;

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}
void must(Result<void> result) {
  if (!result) throw std::runtime_error(result.error().message);
}

// Entropy, in nats, of a byte given the byte before it: the least loss any bigram model can have on this text.
double conditional_entropy(const std::vector<unsigned char>& text) {
  std::vector<double> pairs(kBytes * kBytes), firsts(kBytes);
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    ++pairs[text[i] * kBytes + text[i + 1]];
    ++firsts[text[i]];
  }
  double sum = 0;
  for (std::size_t p = 0; p < pairs.size(); ++p)
    if (pairs[p] > 0) sum += pairs[p] * std::log(firsts[p / kBytes] / pairs[p]);
  return sum / static_cast<double>(text.size() - 1);
}

// A plan with its scratch memory and its buffers: what an engine keeps for one operation.
template <class Descriptor, class Args>
struct Operation {
  Plan<Descriptor, Args> plan;
  Workspace workspace;
  Args args;

  Operation(Machine& machine, const Descriptor& descriptor, Args buffers)
      : plan(must(Plan<Descriptor, Args>::select(machine.stream(), descriptor))),
        workspace{machine.allocate(plan.workspace_size()), plan.workspace_size()},
        args(buffers) {
    must(plan.can_implement(args));
  }
  void run(const Stream& stream) const { must(plan.run(stream, workspace, args)); }
};

std::string guarantee_text(const SkuInfo& sku) {
  const char* levels[] = {"", "none", "run_to_run", "shape_only", "batch_invariant"};
  return fmt::format("{} ({} accumulator, {:g} ulp + {:.1g} of the terms)", levels[sku.guarantee.determinism],
                     adj_dtype_name(sku.guarantee.accumulator), sku.guarantee.bound_ulp, sku.guarantee.bound_terms);
}

int train(const std::string& file, std::int64_t steps, double peak_lr, bool use_gpu, const std::string& out) {
  std::ifstream in(file, std::ios::binary);
  const std::vector<unsigned char> text{std::istreambuf_iterator<char>(in), {}};
  if (text.size() < 2) throw std::runtime_error(fmt::format("'{}' cannot be read, or is shorter than two bytes", file));
  const auto tokens = static_cast<std::int64_t>(text.size()) - 1;
  const double entropy = conditional_entropy(text);

  Machine machine(use_gpu);
  const Stream& stream = machine.stream();
  fmt::print("text      {} ({} bytes)\nruns on   {}\ntarget    {:.5f} nats per byte, the entropy of a byte given the one before\n\n", file,
             text.size(), machine.description(), entropy);

  // ---- buffers
  const std::vector<std::int64_t> bytes(text.begin(), text.end());
  auto* previous = static_cast<std::int64_t*>(machine.allocate(bytes.size() * sizeof(std::int64_t)));
  machine.upload(previous, bytes.data(), bytes.size() * sizeof(std::int64_t));
  std::int64_t* next = previous + 1;
  auto floats = [&](std::int64_t n) { return static_cast<float*>(machine.allocate(static_cast<std::uint64_t>(n) * sizeof(float))); };
  float* weight = floats(kBytes * kBytes);
  float* dweight = floats(kBytes * kBytes);
  float* exp_avg = floats(kBytes * kBytes);
  float* exp_avg_sq = floats(kBytes * kBytes);
  float* logits = floats(tokens * kBytes);
  float* lse = floats(tokens);
  float* loss = floats(1);
  float* dloss = floats(1);
  float* lr = floats(1);
  auto* step_count = static_cast<std::int64_t*>(machine.allocate(sizeof(std::int64_t)));
  const float one = 1;
  const std::int64_t first_step = 1;
  machine.upload(dloss, &one, sizeof one);
  machine.upload(step_count, &first_step, sizeof first_step);

  // ---- operations: describe, select, check
  const Operation lookup(machine, EmbeddingForwardDescriptor{.num_embeddings = kBytes, .embedding_dim = kBytes, .num_indices = tokens,
                                                             .element = ADJ_F32, .index = ADJ_I64},
                         EmbeddingForwardArgs{.weight = tensor(weight, {kBytes, kBytes}), .indices = tensor(previous, {tokens}),
                                              .out = tensor(logits, {tokens, kBytes})});
  const Operation forward(machine, SoftmaxCrossEntropyLossDescriptor{.batch = tokens, .num_classes = kBytes, .element = ADJ_F32, .label = ADJ_I64},
                          SoftmaxCrossEntropyLossArgs{.scores = tensor(logits, {tokens, kBytes}), .labels = tensor(next, {tokens}),
                                                      .loss = tensor(loss, {1}), .lse = tensor(lse, {tokens})});
  const Operation backward(machine,
                           SoftmaxCrossEntropyLossBackwardDescriptor{.batch = tokens, .num_classes = kBytes, .element = ADJ_F32,
                                                                     .label = ADJ_I64, .from_scores = 1},
                           SoftmaxCrossEntropyLossBackwardArgs{.dloss = tensor(dloss, {1}), .scores = tensor(logits, {tokens, kBytes}),
                                                               .lse = tensor(lse, {tokens}), .labels = tensor(next, {tokens}),
                                                               .dscores = tensor(logits, {tokens, kBytes})});
  const Operation gather(machine, EmbeddingBackwardDescriptor{.num_embeddings = kBytes, .embedding_dim = kBytes, .num_indices = tokens,
                                                              .element = ADJ_F32, .index = ADJ_I64},
                         EmbeddingBackwardArgs{.dout = tensor(logits, {tokens, kBytes}), .indices = tensor(previous, {tokens}),
                                               .dweight = tensor(dweight, {kBytes, kBytes})});
  const std::int64_t numel[] = {kBytes * kBytes};
  const std::uint64_t capacity[] = {sizeof(float) * kBytes * kBytes};
  void* lists[4][1] = {{weight}, {dweight}, {exp_avg}, {exp_avg_sq}};
  const Operation update(machine, AdamWDescriptor{.count = 1, .numel = numel, .param = ADJ_F32, .advance_step = 1, .weight_decay = 0},
                         AdamWArgs{.params = tensor_list(ADJ_F32, lists[0], capacity), .grads = tensor_list(ADJ_F32, lists[1], capacity),
                                   .exp_avg = tensor_list(ADJ_F32, lists[2], capacity), .exp_avg_sq = tensor_list(ADJ_F32, lists[3], capacity),
                                   .lr = device_scalar(lr, ADJ_F32), .step = device_scalar(step_count, ADJ_I64)});
  for (const SkuInfo& sku : {lookup.plan.sku(), forward.plan.sku(), backward.plan.sku(), gather.plan.sku(), update.plan.sku()})
    fmt::print("  {:<64} {}\n", sku.id, guarantee_text(sku));
  fmt::print("\n");

  // ---- training: the step is recorded once; the learning rate and the step count live in device memory
  const auto step = machine.record([&] {
    lookup.run(stream);
    forward.run(stream);
    backward.run(stream);
    gather.run(stream);
    update.run(stream);
  });
  Curve curve{.title = "Bigram model of " + file, .target = entropy, .points = {}};
  support::Progress progress("training");
  const auto start = std::chrono::steady_clock::now();
  float current = 0;
  for (std::int64_t i = 0; i <= steps; ++i) {
    const auto rate = static_cast<float>(peak_lr * 0.5 * (1 + std::cos(std::numbers::pi * static_cast<double>(i) / static_cast<double>(steps))));
    machine.upload(lr, &rate, sizeof rate);
    step();
    machine.download(&current, loss, sizeof current);  // of the weights before this update
    curve.points.push_back({i, current});
    progress.update(i, steps, fmt::format("step {}, loss {:.5f}", i, current));
  }
  progress.finish();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const double excess = current / entropy - 1;
  const bool reached = std::isfinite(current) && excess <= kTolerance && excess > -1e-4;
  fmt::print("loss      {:.5f} -> {:.5f} nats per byte, {:+.3f} % from the target\n", curve.points.front().loss, current, 100 * excess);
  fmt::print("speed     {} steps in {:.2f} s, {:.3g} tokens/s\n", steps, seconds, static_cast<double>(tokens * steps) / seconds);
  curve.write(out, {{"text", file}, {"machine", machine.description()}, {"tokens", tokens}, {"steps", steps}, {"seconds", seconds},
                    {"final_loss", current}, {"entropy", entropy}, {"reached", reached}});
  fmt::print("curve     {0}.svg, {0}.json\n\n{1}\n", out,
             reached ? "PASSED: the loss reached the entropy of the text" : "FAILED: the loss is not within 1 % of the entropy of the text");
  return reached ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Trains a byte-level bigram language model and checks it against the text's entropy.", "demo");
  std::string file = "/usr/share/common-licenses/GPL-2", out = "loss_curve";
  std::int64_t steps = 200;
  double lr = 0.5;
  bool host = false;
  app.add_option("file", file, "text to train on")->capture_default_str();
  app.add_option("--steps", steps, "training steps")->check(CLI::Range(1, 1000000))->capture_default_str();
  app.add_option("--lr", lr, "highest learning rate")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--out", out, "prefix of the loss curve's files")->capture_default_str();
  app.add_flag("--host", host, "use the host backend even when there is a GPU");
  CLI11_PARSE(app, argc, argv);
  try {
    return train(file, steps, lr, !host && adj_device_count() > 0, out);
  } catch (const std::exception& e) {
    fmt::print(stderr, "demo: {}\n", e.what());
    return 1;
  }
}
