// What the command line of tools/gpt says: models by name, the training, and files.
#pragma once

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trainer.hpp"

namespace gpt {

struct Options {
  std::vector<std::string> texts{"/usr/share/common-licenses/GPL-3"};
  std::string model = "gpt2", size = "tiny", type = "bf16", recompute = "none", head = "scores", init = "formula", data = "text";
  std::string valid, tokenizer, write_tokens, checkpoint, weights, gradients, picture, out = "gpt", determinism = "run_to_run", meeting, stall, fail,
                                                                                       shard = "moments";
  // Sizes; -1: those of the model's name.
  std::int64_t layers = -1, width = -1, heads = -1, kv_heads = -1, head_dim = -1, hidden = -1, vocabulary = -1, context = -1, batch = -1, tokens = -1;
  std::int64_t print_every = 10, eval_every = 0, eval_batches = 4, save_every = 0, sample_every = 0, sample_tokens = 200, profile_steps = 0,
               stop_after = std::int64_t{1} << 40;
  std::uint64_t seed = 1;
  double temperature = 0.8, patience = 300, peak = 0, bandwidth = 0;
  int ranks = 1, rank = -1;
  bool qk_norm = false, untied = false, resume = false, host = false, graph = false, tune = false, print_losses = false, print_hash = false, list_skus = false,
       shuffle = false;
  Settings settings;

  explicit Options(CLI::App& app) {
    app.option_defaults()->take_last();
    auto number = [&](const char* name, std::int64_t& to, const char* help, std::int64_t least = 1) {
      auto* option = app.add_option(name, to, help)->check(CLI::Range(least, std::int64_t{1} << 40));
      if (to >= 0) option->capture_default_str();
    };
    // Numbers that are NaN or infinite are within no range.
    auto real = [&](const char* name, double& to, const char* help, const char* range, auto within) {
      app.add_option(name, to, help)
          ->check([=](const std::string& word) {
            double value = 0;
            return CLI::detail::lexical_cast(word, value) && std::isfinite(value) && within(value) ? "" : fmt::format("'{}' is not {}", word, range);
          })
          ->capture_default_str();
    };
    const auto not_negative = [](double x) { return x >= 0; };
    const auto positive = [](double x) { return x > 0; };
    const auto decay = [](double x) { return x >= 0 && x < 1; };
    app.add_option(
           "text", texts,
           "what to train on: texts, or files of tokens as llm.c writes them, of 16 or 32 bits; a pattern in quotes stands for the files that it matches, "
           "and a folder for its files NAME.bin")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->capture_default_str();
    app.add_option(
        "--tokenizer", tokenizer,
        "tokenizer of texts and samples, by default their bytes: tokenizer.json of Hugging Face's tokenizers (byte-level BPE), or llm.c's tokenizer file");
    app.add_option("--write-tokens", write_tokens, "file of tokens to write from the texts, as llm.c reads it; nothing is trained");
    app.add_flag("--shuffle", shuffle, "files, and sequences within each, in an order that the seed gives, another one for each pass over them");
    app.add_option("--model", model, "family of models")->check(CLI::IsMember({"gpt2", "llama"}))->capture_default_str();
    app.add_option("--size", size, "gpt2: tiny, 124M, 355M, 774M, 1558M; llama: tiny, 1.2B, 7B")->capture_default_str();
    number("--layers", layers, "layers");
    number("--width", width, "width of the residual stream");
    number("--heads", heads, "heads of queries");
    number("--kv-heads", kv_heads, "heads of keys and values (llama)");
    number("--head-dim", head_dim, "width of a head; by default width / heads");
    number("--hidden", hidden, "width within a feed-forward layer; by default 4 width for gpt2");
    number("--vocabulary", vocabulary, "tokens of the vocabulary; scores are padded to a multiple of 128");
    number("--context", context, "longest sequence");
    app.add_flag("--qk-norm", qk_norm, "RMS norm of queries and keys (llama)");
    app.add_flag("--untied", untied, "weights of the scores of their own (llama)");
    app.add_option("--dtype", type, "type of weights and activations; with bf16 master weights, moments and gradients are f32")
        ->check(CLI::IsMember({"bf16", "f32", "f64"}))
        ->capture_default_str();
    number("--batch", batch, "sequences of a batch, of each rank");
    number("--tokens", tokens, "tokens of a sequence; by default the context");
    number("--accumulate", settings.accumulate, "batches of a step, of each rank");
    app.add_option("--recompute", recompute, "what the backward direction computes again: nothing; outputs of norms and activation functions; whole layers")
        ->check(CLI::IsMember({"none", "pointwise", "layer"}))
        ->capture_default_str();
    app.add_option(
           "--head", head,
           "how the loss comes about: products and the loss on up to 2 GiB of scores at a time, or the one operator linear_cross_entropy on up to 0.5 GiB")
        ->check(CLI::IsMember({"scores", "fused"}))
        ->capture_default_str();
    number("--steps", settings.steps, "steps of the training");
    app.add_option("--stop-after", stop_after, "step after which the program ends; the learning rates remain those of all steps")->check(CLI::PositiveNumber);
    real("--lr", settings.lr, "highest learning rate", "a number of at least 0", not_negative);
    real("--final-lr", settings.final_lr, "last learning rate, as a part of the highest", "a number from 0 to 1", [](double x) { return x >= 0 && x <= 1; });
    number("--warmup", settings.warmup, "steps in which the learning rate rises", 0);
    real("--weight-decay", settings.weight_decay, "of matrices", "a number of at least 0", not_negative);
    real("--beta1", settings.beta1, "decay of the first moment", "a number of at least 0 and below 1", decay);
    real("--beta2", settings.beta2, "decay of the second moment", "a number of at least 0 and below 1", decay);
    real("--clip", settings.clip, "largest norm of the gradient", "a number above 0", positive);
    app.add_option("--init", init, "initial weights: 'formula', a checkpoint, or a file NAME.safetensors with the names of transformers")
        ->capture_default_str();
    app.add_option("--data", data, "tokens: 'text', or 'formula', the same batch at every step")
        ->check(CLI::IsMember({"text", "formula"}))
        ->capture_default_str();
    app.add_option("--seed", seed, "of the formulas, of --shuffle and of samples")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{0xFFFFFFFF}))
        ->capture_default_str();
    app.add_option("--valid", valid,
                   "text, file of tokens, pattern or folder of the evaluation; by default the last tenth of each text, which is then not trained on");
    number("--eval-every", eval_every, "steps between evaluations; 0: none", 0);
    number("--eval-batches", eval_batches, "batches of an evaluation");
    app.add_option("--checkpoint", checkpoint, "file to save the training in");
    app.add_option("--export", weights, "file of safetensors for the weights at the end, with the names of transformers");
    number("--save-every", save_every, "steps between checkpoints; 0: at the end only", 0);
    app.add_flag("--resume", resume, "go on from the checkpoint, if there is one");
    number("--sample-every", sample_every, "steps between samples of the model; 0: none", 0);
    number("--sample-tokens", sample_tokens, "tokens of a sample");
    real("--temperature", temperature, "of samples", "a number above 0", positive);
    app.add_option("--ranks", ranks, "ranks that train together: on as many GPUs, or on threads of the host where there are fewer")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    app.add_option("--rank", rank, "the rank of this process, where each rank is a process of its own and has a GPU; needs --meeting")
        ->check(CLI::Range(0, 63));
    app.add_option("--meeting", meeting, "file by which these processes find each other: new, and seen by all of them");
    real("--patience", patience, "seconds after which a rank gives up the others when they do not answer", "a number above 0", positive);
    app.add_option("--shard", shard,
                   "what the ranks share out: moments and master weights (ZeRO-1), or weights and gradients too (ZeRO-3), each layer's being gathered while it "
                   "is at work")
        ->check(CLI::IsMember({"moments", "weights"}))
        ->capture_default_str();
    app.add_option("--stall", stall, "RANK:STEP: a rank that answers no more after a step, for tests");
    app.add_option("--fail", fail, "RANK:STEP: a rank that fails after a step, for tests");
    app.add_flag("--host", host, "use the host backend even when there is a GPU");
    app.add_flag("--graph", graph, "capture a step as a CUDA graph");
    app.add_option("--determinism", determinism, "least level of the kernels")->check(CLI::IsMember({"none", "run_to_run"}))->capture_default_str();
    app.add_flag("--tune", tune, "measure kernels and algorithms of libraries before the first step; the verdicts stay in the disk cache");
    number("--print-every", print_every, "steps between lines of progress, for which alone the host waits for the GPU");
    app.add_flag("--print-losses", print_losses, "print every step's loss with 17 digits");
    app.add_flag("--print-hash", print_hash, "print a hash of all master weights at the end");
    app.add_flag("--print-skus", list_skus, "print the kernels that were chosen");
    app.add_option("--dump-gradients", gradients, "file for the gradient of the first step, before clipping: f64, parameter after parameter; one rank");
    number("--profile", profile_steps, "steps to measure operation by operation after the training; one rank", 0);
    app.add_option("--picture", picture, "SVG of where the time of a step goes; measures three steps unless --profile says how many; one rank");
    real("--peak", peak, "10^12 operations a second of products of the type that the machine is capable of; 0: as a table of cards says",
         "a number of at least 0", not_negative);
    real("--bandwidth", bandwidth, "10^9 bytes a second of its memory; 0: as that table says", "a number of at least 0", not_negative);
    app.add_option("--out", out, "prefix of the loss curve's files")->capture_default_str();
  }
  Options(const Options&) = delete;  // the app holds addresses of the members
};

[[noreturn]] inline void refuse(const std::string& why) { throw std::runtime_error(why); }

// The model that the options name. Fills in the shape of a batch.
inline Config model_of(Options& o) {
  const Size* size = nullptr;
  for (const Size& candidate : kSizes)
    if (candidate.name == o.model + " " + o.size) size = &candidate;
  if (!size) refuse(fmt::format("--size {}: unknown for --model {}", o.size, o.model));
  Config c = size->config;
  const bool llama = c.family == Family::llama;
  if (!llama && (o.kv_heads > 0 || o.qk_norm || o.untied)) refuse("--kv-heads, --qk-norm and --untied are for --model llama");
  auto take = [](std::int64_t& to, std::int64_t given) {
    if (given > 0) to = given;
  };
  take(c.layers, o.layers);
  take(c.width, o.width);
  take(c.heads, o.heads);
  c.kv_heads = o.kv_heads > 0 ? o.kv_heads : !llama || o.heads > 0 ? c.heads : c.kv_heads;
  if (o.head_dim < 0 && c.width % c.heads) refuse(fmt::format("--width {} is no multiple of --heads {}: give --head-dim", c.width, c.heads));
  c.head_dim = o.head_dim > 0 ? o.head_dim : c.width / c.heads;
  if (c.heads % c.kv_heads) refuse(fmt::format("--heads {} is no multiple of --kv-heads {}", c.heads, c.kv_heads));
  if (llama && c.head_dim % 2) refuse(fmt::format("a head of width {} has no halves to rotate", c.head_dim));
  c.hidden = o.hidden > 0 ? o.hidden : llama ? c.hidden : 4 * c.width;
  take(c.vocabulary, o.vocabulary);
  take(c.context, o.context);
  c.qk_norm = o.qk_norm;
  c.tied = c.tied && !o.untied;
  c.element = o.type == "bf16" ? ADJ_BF16 : o.type == "f32" ? ADJ_F32 : ADJ_F64;
  if (c.vocabulary > std::int64_t{1} << 30) refuse(fmt::format("--vocabulary {} is beyond 2^30", c.vocabulary));

  Model::Shape& shape = o.settings.shape;
  shape.batch = o.batch > 0 ? o.batch : size->batch;
  shape.tokens = o.tokens > 0 ? o.tokens : c.context;
  if (shape.tokens > c.context) refuse(fmt::format("--tokens {} is more than the context, {}", shape.tokens, c.context));
  if (shape.batch > (std::int64_t{1} << 30) / shape.tokens) refuse(fmt::format("--batch {}: more than 2^30 tokens", shape.batch));
  shape.recompute = o.recompute == "none" ? Recompute::none : o.recompute == "layer" ? Recompute::layer : Recompute::pointwise;
  if (o.head == "fused") {
    if (c.type() == ADJ_F64) refuse("--head fused takes --dtype bf16 or f32");
    shape.head = Head::fused;
  }
  o.settings.shard = o.shard == "weights" ? Shard::weights : Shard::moments;
  o.settings.interval = o.print_losses ? 1 : o.print_every;
  if (!o.picture.empty() && !o.profile_steps) o.profile_steps = 3;
  return c;
}

// Where a rank of a test ends, by --stall or --fail.
struct RankEnd {
  int rank = -1;
  std::int64_t step = 0;
  RankEnd(const char* option, const std::string& word, int ranks) {
    if (word.empty()) return;
    char rest = 0;
    if (std::sscanf(word.c_str(), "%d:%" SCNd64 "%c", &rank, &step, &rest) != 2) refuse(fmt::format("{} {}: expected RANK:STEP", option, word));
    if (rank < 0 || rank >= ranks) refuse(fmt::format("{} {}: rank {} is not below --ranks {}", option, word, rank, ranks));
  }
  bool is(int of, std::int64_t at) const { return rank == of && at >= step; }
};

inline void check(const Options& o) {
  if (o.resume && o.checkpoint.empty()) refuse("--resume needs --checkpoint");
  if (o.save_every && o.checkpoint.empty()) refuse("--save-every needs --checkpoint");
  if (o.data == "formula")
    for (const auto& [given, name] : {std::pair{o.eval_every > 0, "--eval-every"}, {o.shuffle, "--shuffle"}, {!o.write_tokens.empty(), "--write-tokens"}})
      if (given) refuse(fmt::format("{} needs a text", name));
  if ((o.peak > 0) != (o.bandwidth > 0)) refuse("--peak and --bandwidth go together");
  if (!o.valid.empty() && !o.eval_every) refuse("--valid needs --eval-every");
  if (o.ranks > 1 && (!o.gradients.empty() || o.profile_steps || !o.picture.empty())) refuse("--dump-gradients, --profile and --picture take one rank");
  if (o.shard == "weights" && o.ranks == 1) refuse("--shard weights takes several ranks");
  if ((o.rank >= 0) != !o.meeting.empty()) refuse("--rank and --meeting go together");
  if (o.rank < 0) return;
  if (o.rank >= o.ranks) refuse(fmt::format("--rank {} is not below --ranks {}", o.rank, o.ranks));
  if (!o.checkpoint.empty() || !o.weights.empty() || o.init != "formula")
    refuse("checkpoints are of ranks in one process: --rank does not go with --checkpoint, --export or --init");
  if (o.host || adj_device_count() == 0) refuse("--rank: ranks in processes of their own need a GPU each; on the host they are threads of one process");
}

}  // namespace gpt
