// Trains a GPT-2 or a Llama, on a GPU, on several, or on the host: the example of how an engine uses the library.
//
//     layout.hpp      settings, and where parameters lie
//     model.hpp       the model as lists of operations
//     trainer.hpp     a step: accumulation, ranks, clipping, Adam
//     checkpoint.hpp  the file that a training is resumed from
//     safetensors.hpp weights for other programs, and from them
//     data.hpp        tokens, and values by formula
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <barrier>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <thread>

#include "safetensors.hpp"
#include "support/curve.hpp"
#include "support/ranks.hpp"
#include "trainer.hpp"

using namespace gpt;

namespace {

// Sizes by name. Options of the command line replace single numbers.
struct Size {
  const char* name;
  Config config;
  std::int64_t batch;
};
const Size kSizes[] = {
    {"gpt2 tiny", {.family = Family::gpt2, .layers = 2, .width = 64, .heads = 4, .vocabulary = 256, .context = 64}, 4},
    {"gpt2 124M", {.family = Family::gpt2, .layers = 12, .width = 768, .heads = 12, .vocabulary = 50257, .context = 1024}, 8},
    {"gpt2 355M", {.family = Family::gpt2, .layers = 24, .width = 1024, .heads = 16, .vocabulary = 50257, .context = 1024}, 8},
    {"gpt2 774M", {.family = Family::gpt2, .layers = 36, .width = 1280, .heads = 20, .vocabulary = 50257, .context = 1024}, 8},
    {"gpt2 1558M", {.family = Family::gpt2, .layers = 48, .width = 1600, .heads = 25, .vocabulary = 50257, .context = 1024}, 8},
    {"llama tiny", {.family = Family::llama, .layers = 2, .width = 64, .heads = 4, .kv_heads = 2, .hidden = 192, .vocabulary = 256, .context = 64}, 4},
    {"llama 1.2B",
     {.family = Family::llama, .layers = 16, .width = 2048, .heads = 32, .kv_heads = 8, .hidden = 8192, .vocabulary = 128256, .context = 4096},
     4},
};

struct Options {
  std::string text = "/usr/share/common-licenses/GPL-3", model = "gpt2", size = "tiny", type = "bf16", recompute = "none", init = "formula", data = "text";
  std::string valid, checkpoint, weights, gradients, out = "gpt", determinism = "run_to_run", meeting, stall;
  // Sizes; -1: those of the model's name.
  std::int64_t layers = -1, width = -1, heads = -1, kv_heads = -1, head_dim = -1, hidden = -1, vocabulary = -1, context = -1, batch = -1, tokens = -1;
  std::int64_t print_every = 10, eval_every = 0, eval_batches = 4, save_every = 0, sample_every = 0, sample_tokens = 200, profile_steps = 0,
               stop_after = std::int64_t{1} << 40;
  std::uint64_t seed = 1;
  double temperature = 0.8, patience = 300;
  int ranks = 1, rank = -1;
  bool qk_norm = false, untied = false, resume = false, host = false, graph = false, tune = false, print_losses = false, print_hash = false, list_skus = false;
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
    app.add_option("text", text, "text to train on: its bytes, or a file of tokens as llm.c writes them, of 16 or 32 bits")->capture_default_str();
    app.add_option("--model", model, "family of models")->check(CLI::IsMember({"gpt2", "llama"}))->capture_default_str();
    app.add_option("--size", size, "gpt2: tiny, 124M, 355M, 774M, 1558M; llama: tiny, 1.2B")->capture_default_str();
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
    app.add_option("--seed", seed, "of the formulas and of samples")->check(CLI::Range(std::uint64_t{0}, std::uint64_t{0xFFFFFFFF}))->capture_default_str();
    app.add_option("--valid", valid, "text of the evaluation; by default the last tenth of the text, which is then not trained on");
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
    app.add_option("--stall", stall, "RANK:STEP: a rank that answers no more after a step, for tests");
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
    app.add_option("--out", out, "prefix of the loss curve's files")->capture_default_str();
  }
  Options(const Options&) = delete;  // the app holds addresses of the members
};

[[noreturn]] void refuse(const std::string& why) { throw std::runtime_error(why); }

// The model that the options name. Fills in the shape of a batch.
Config model_of(Options& o) {
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
  c.tied = !o.untied;
  c.element = o.type == "bf16" ? ADJ_BF16 : o.type == "f32" ? ADJ_F32 : ADJ_F64;
  if (c.vocabulary > std::int64_t{1} << 30) refuse(fmt::format("--vocabulary {} is beyond 2^30", c.vocabulary));

  Model::Shape& shape = o.settings.shape;
  shape.batch = o.batch > 0 ? o.batch : size->batch;
  shape.tokens = o.tokens > 0 ? o.tokens : c.context;
  if (shape.tokens > c.context) refuse(fmt::format("--tokens {} is more than the context, {}", shape.tokens, c.context));
  if (shape.batch > (std::int64_t{1} << 30) / shape.tokens) refuse(fmt::format("--batch {}: more than 2^30 tokens", shape.batch));
  shape.recompute = o.recompute == "none" ? Recompute::none : o.recompute == "layer" ? Recompute::layer : Recompute::pointwise;
  o.settings.interval = o.print_losses ? 1 : o.print_every;
  return c;
}

void check(const Options& o) {
  if (o.resume && o.checkpoint.empty()) refuse("--resume needs --checkpoint");
  if (o.save_every && o.checkpoint.empty()) refuse("--save-every needs --checkpoint");
  if (o.data == "formula" && o.eval_every) refuse("--eval-every needs a text");
  if (!o.valid.empty() && !o.eval_every) refuse("--valid needs --eval-every");
  if (o.ranks > 1 && (!o.gradients.empty() || o.profile_steps)) refuse("--dump-gradients and --profile take one rank");
  if ((o.rank >= 0) != !o.meeting.empty()) refuse("--rank and --meeting go together");
  if (o.rank < 0) return;
  if (o.rank >= o.ranks) refuse(fmt::format("--rank {} is not below --ranks {}", o.rank, o.ranks));
  if (!o.checkpoint.empty() || !o.weights.empty() || o.init != "formula")
    refuse("checkpoints are of ranks in one process: --rank does not go with --checkpoint, --export or --init");
  if (o.host || adj_device_count() == 0) refuse("--rank: ranks in processes of their own need a GPU each; on the host they are threads of one process");
}

// False when there is no such file. What hides the answer is an error: a training that began anew would overwrite its checkpoint.
bool there_is(const std::string& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) return false;
  if (error) refuse(fmt::format("cannot look for '{}': {}", file, error.message()));
  return true;
}

// Tokens of the training and of the evaluation.
struct Texts {
  Tokens train, valid;

  Texts(const Options& o, const Config& c) {
    if (o.data == "formula") return;
    train = read_tokens(o.text, c.vocabulary);
    if (!o.eval_every) return;
    if (!o.valid.empty()) {
      valid = read_tokens(o.valid, c.vocabulary);
    } else {
      const auto cut = static_cast<std::ptrdiff_t>(train.size() - train.size() / 10);
      valid.assign(train.begin() + cut, train.end());
      train.resize(static_cast<std::size_t>(cut));
    }
  }
};

// Samples of the model, on one sequence. Every token takes a pass over the whole context.
class Sampler {
 public:
  Sampler(Engine& engine, const Config& config, Trainer& trainer)
      : engine_(engine), config_(config), model_(engine, config, trainer.weights(), {.tokens = config.context, .training = false}) {}

  std::string sample(std::int64_t count, std::uint64_t seed, double temperature, std::int32_t first) {
    const auto context = static_cast<std::size_t>(config_.context);
    std::vector<std::int32_t> tokens{first}, window(context), block(static_cast<std::size_t>(model_.token_bytes()) / sizeof(std::int32_t));
    std::string text;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::size_t begin = tokens.size() > context ? tokens.size() - context : 0, used = tokens.size() - begin;
      std::copy(tokens.begin() + static_cast<std::ptrdiff_t>(begin), tokens.end(), window.begin());
      std::fill(window.begin() + static_cast<std::ptrdiff_t>(used), window.end(), 0);  // later tokens do not change earlier ones
      model_.encode(window.data(), window.data(), block.data());
      engine_.machine().upload(model_.tokens(), block.data(), block.size() * sizeof block[0]);
      run(model_.forward());
      tokens.push_back(
          draw(model_.scores_of(static_cast<std::int64_t>(used) - 1), temperature, (unit(seed, 0xFFFFFFFF, static_cast<std::uint64_t>(i)) + 1) / 2));
      const std::int32_t token = tokens.back();
      text += config_.vocabulary > 256 ? fmt::format("{} ", token)
                                       : std::string(1, token == '\n' || (token >= ' ' && token < 127) ? static_cast<char>(token) : '?');
    }
    return text;
  }

 private:
  std::int32_t draw(const void* scores, double temperature, double at) {
    std::vector<double> weights(static_cast<std::size_t>(config_.vocabulary));
    adj::with_float(config_.type(), [&](auto* of) {
      std::vector<std::remove_pointer_t<decltype(of)>> own(weights.size());
      engine_.machine().download(own.data(), scores, own.size() * sizeof own[0]);
      std::transform(own.begin(), own.end(), weights.begin(), [](auto x) { return adj::to_double(x); });
    });
    const double top = *std::max_element(weights.begin(), weights.end());
    double sum = 0;
    for (double& w : weights) sum += w = std::exp((w - top) / temperature);
    at *= sum;
    std::int32_t token = 0;
    while (token + 1 < config_.vocabulary && (at -= weights[static_cast<std::size_t>(token)]) >= 0) ++token;
    return token;
  }

  Engine& engine_;
  const Config config_;
  Model model_;
};

double seconds_since(std::chrono::steady_clock::time_point start) { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

int train(Options& options, std::chrono::steady_clock::time_point program_start) {
  check(options);
  const Config config = model_of(options);
  const Settings& settings = options.settings;
  const int ranks = options.ranks;
  const bool own_process = options.rank >= 0, use_gpu = own_process || (!options.host && adj_device_count() >= ranks);
  int stalls = -1;
  std::int64_t stall_step = 0;
  if (!options.stall.empty() && std::sscanf(options.stall.c_str(), "%d:%" SCNd64, &stalls, &stall_step) != 2)
    refuse(fmt::format("--stall {}: expected RANK:STEP", options.stall));
  const Texts texts(options, config);
  const bool by_formula = options.data == "formula";
  const std::int64_t sequences = settings.shape.batch, length = settings.shape.tokens;
  auto batches_of = [&](const Tokens& tokens, const std::string& name) {
    return by_formula ? Batches(options.seed, config.vocabulary) : Batches(tokens, sequences, length, name);
  };
  const Batches batches = batches_of(texts.train, options.text);
  const Batches validation = options.eval_every ? batches_of(texts.valid, options.valid.empty() ? "the last tenth of the text" : options.valid) : batches;

  // The checkpoint in memory serves all ranks: each one reads and writes its part.
  std::optional<Checkpoint> checkpoint;
  const bool resumed = options.resume && there_is(options.checkpoint);
  if (resumed) checkpoint.emplace(options.checkpoint, config);
  else if (options.init.ends_with(".safetensors")) read_safetensors(options.init, config, checkpoint.emplace(config));
  else if (options.init != "formula") checkpoint.emplace(options.init, config);
  const std::int64_t first_step = resumed ? checkpoint->step() : 0;
  const std::int64_t last_step = std::min(settings.steps, options.stop_after);
  if (first_step >= last_step) refuse(fmt::format("'{}' has {} steps already; the training ends after {}", options.checkpoint, first_step, last_step));
  Curve::check(options.out);
  for (const std::string& file : {options.checkpoint, options.weights, options.gradients})
    if (!file.empty())
      if (auto able = adj::check_writable(file); !able) refuse(able.error().message);
  const bool keeps_checkpoint = !own_process && (!options.checkpoint.empty() || !options.weights.empty() || options.print_hash);

  Curve curve;
  curve.title = fmt::format("{} {}, {}", options.model, options.size, options.type);
  nlohmann::ordered_json facts;
  const int here = own_process ? 1 : ranks;  // ranks in this process
  const Communicators communicators(here, use_gpu);
  std::barrier<> together(here);
  on_ranks("gpt", here, [&](int thread) {
    const int rank = own_process ? options.rank : thread;
    const bool speaks = thread == 0;
    Machine machine(use_gpu ? rank % adj_device_count() : Machine::kHost);
    std::optional<JoinedCommunicator> joined;
    if (own_process && ranks > 1) joined.emplace(ranks, rank, options.meeting, options.patience);
    void* const communicator = joined ? joined->handle() : communicators.of(thread);
    adjoint::Preference preference;
    preference.determinism = options.determinism == "none" ? ADJ_NONDETERMINISTIC : ADJ_RUN_TO_RUN;
    preference.tune = options.tune;
    Engine engine(machine, preference);
    Trainer trainer(engine, config, settings, rank, ranks, communicator);
    if (checkpoint) trainer.load(*checkpoint, resumed);
    else trainer.initialize(options.seed);
    together.arrive_and_wait();
    if (speaks) {
      if (!keeps_checkpoint) checkpoint.reset();
      fmt::print("model     {} {}: {} parameters, {} layers of width {}, vocabulary {} (padded to {}), {}\n", options.model, options.size,
                 trainer.layout().numel, config.layers, config.width, config.vocabulary, config.padded(), options.type);
      fmt::print("runs on   {}{}{}\n", ranks > 1 ? fmt::format("{} ranks, each on: ", ranks) : "", machine.description(),
                 options.graph && use_gpu ? ", CUDA graph" : "");
      fmt::print("step      {} x {} tokens, {} times{}\n", sequences, length, settings.accumulate * ranks,
                 resumed ? fmt::format("; resumed after step {}", first_step) : "");
      if (options.list_skus)
        for (const adjoint::SkuInfo& sku : engine.skus()) fmt::print("  {}\n", sku.id);
      // A product without a library is still right, and slower.
      for (const adjoint::SkuInfo& sku : engine.skus())
        if (use_gpu && sku.backend == ADJ_BACKEND_BESPOKE && (std::string(sku.id).starts_with("matmul/") || std::string(sku.id).starts_with("attention_")))
          fmt::print("note      {} is used: cuBLASLt or cuDNN is missing or does not take the problem\n", sku.id);
    }
    auto save = [&](std::int64_t step) {
      if (speaks && !checkpoint) checkpoint.emplace(config);
      together.arrive_and_wait();
      trainer.save(*checkpoint);
      together.arrive_and_wait();
      if (!speaks) return;
      checkpoint->step() = step;
      if (!options.checkpoint.empty()) checkpoint->save(options.checkpoint);
    };

    std::optional<Sampler> sampler;
    double training_seconds = 0;  // without the first step
    std::int64_t timed_steps = 0;
    std::vector<double> interval_milliseconds;
    // Steps from `step` on until the host has to do something.
    auto count_from = [&](std::int64_t step) {
      std::int64_t count = step == first_step ? 1 : std::min(settings.interval - step % settings.interval, last_step - step);
      for (const std::int64_t every : {options.eval_every, options.save_every, options.sample_every})
        if (every) count = std::min(count, every - step % every);
      return count;
    };
    trainer.prepare(first_step, 1, batches);
    for (std::int64_t step = first_step; step < last_step;) {
      const std::int64_t count = count_from(step);
      const auto start = std::chrono::steady_clock::now();
      if (rank == stalls && step >= stall_step)
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
      std::optional<Watch> watch;
      if (communicator) watch.emplace(options.patience, [&] { adj_comm_abort(communicator); });
      auto end_watch = [&] {
        if (!watch || !watch->stop()) return;
        if (joined) joined->abandon();
        refuse(
            fmt::format("steps {} to {}: the other ranks did not answer within {} s, the communicator was aborted", step + 1, step + count, options.patience));
      };
      Report report;
      try {
        trainer.upload();
        for (std::int64_t i = 0; i < count; ++i) trainer.step(i);
        if (step + count < last_step) trainer.prepare(step + count, count_from(step + count), batches);
        report = trainer.report();
      } catch (const std::exception&) {
        end_watch();  // calls fail when their communicator is aborted
        throw;
      }
      end_watch();
      const double seconds = seconds_since(start);
      const bool is_first = step == first_step;
      step += count;
      if (is_first) {
        if (!options.gradients.empty()) {
          std::string bytes;
          for (const Parameter& p : trainer.layout().parameters) {
            const std::vector<double> values = trainer.gradient(p);
            bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]);
          }
          if (auto done = adj::write_file(options.gradients, bytes, 0666); !done) refuse(done.error().message);
        }
        if (options.graph) trainer.record();
      } else {
        training_seconds += seconds;
        timed_steps += count;
        interval_milliseconds.push_back(1e3 * seconds / static_cast<double>(count));
      }
      if (speaks) {
        const double tokens = static_cast<double>(sequences * length * settings.accumulate * ranks * count);
        curve.points.push_back({step, report.loss});
        if (options.print_losses) fmt::print("loss {} {:.17g}\n", step, report.loss);
        else
          fmt::print("step {:>6}/{}  loss {:.5f}  norm {:.4g}{}  lr {:.3g}  {:.2f} ms  {:.4g} tokens/s\n", step, settings.steps, report.loss, report.norm,
                     report.skipped ? ", skipped" : "", settings.rate(step - 1), 1e3 * seconds / static_cast<double>(count), tokens / seconds);
        if (is_first) {
          facts["first_step_seconds"] = seconds_since(program_start);
          fmt::print("first step done {:.2f} s after the start of the program; {:.1f} MiB of buffers\n", seconds_since(program_start),
                     static_cast<double>(machine.allocated()) / 0x1p20);
        }
        if (options.eval_every && (step % options.eval_every == 0 || step == last_step)) {
          curve.validation.push_back({step, trainer.evaluate(validation, options.eval_batches)});
          fmt::print("step {:>6}/{}  loss of the evaluation {:.5f}\n", step, settings.steps, curve.validation.back().loss);
        }
        if (options.sample_every && (step % options.sample_every == 0 || step == last_step)) {
          if (!sampler) sampler.emplace(engine, config, trainer);
          const std::int32_t first = by_formula ? 0 : texts.train[0];
          fmt::print("---\n{}\n---\n", sampler->sample(options.sample_tokens, options.seed + static_cast<std::uint64_t>(step), options.temperature, first));
        }
        std::fflush(stdout);
      }
      if (!options.checkpoint.empty() && options.save_every && step % options.save_every == 0 && step < last_step) save(step);
    }
    if (keeps_checkpoint) save(last_step);
    if (speaks && !options.weights.empty()) write_safetensors(options.weights, config, *checkpoint);
    if (options.print_hash && ranks > 1) {
      const std::uint64_t hash = trainer.values_hash();
      for (int r = 0; r < here; ++r, together.arrive_and_wait())
        if (r == thread) fmt::print("hash      {:016x} of the weights of rank {}\n", hash, rank);
    }

    if (!speaks) return;
    if (options.print_hash) fmt::print("hash      {:016x}\n", checkpoint->weights_hash());
    std::sort(interval_milliseconds.begin(), interval_milliseconds.end());
    const double median = interval_milliseconds.empty() ? 0 : interval_milliseconds[interval_milliseconds.size() / 2];
    const double step_tokens = static_cast<double>(sequences * length * settings.accumulate * ranks);
    if (timed_steps) fmt::print("speed     {:.2f} ms a step, {:.4g} tokens/s\n", median, step_tokens * static_cast<double>(timed_steps) / training_seconds);
    facts["model"] = options.model + " " + options.size;
    facts["machine"] = machine.description();
    facts["ranks"] = ranks;
    facts["parameters"] = trainer.layout().numel;
    facts["tokens_a_step"] = step_tokens;
    facts["milliseconds"] = median;
    facts["tokens_per_second"] = timed_steps ? step_tokens * static_cast<double>(timed_steps) / training_seconds : 0;
    facts["bytes"] = machine.allocated();
    facts["skus"] = nlohmann::ordered_json::array();
    for (const adjoint::SkuInfo& sku : engine.skus()) facts["skus"].push_back(sku.id);
    if (options.profile_steps) {
      std::map<std::string, double> sum;
      for (std::int64_t i = 0; i < options.profile_steps; ++i)
        for (const auto& [operation, milliseconds] : trainer.profile()) sum[operation] += milliseconds / static_cast<double>(options.profile_steps);
      for (const auto& [operation, milliseconds] : sum) fmt::print("  {:<32} {:9.3f} ms\n", operation, milliseconds);
      facts["profile"] = sum;
    }
  });
  curve.write(options.out, facts);
  fmt::print("curve     {0}.svg, {0}.json\n", options.out);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto start = std::chrono::steady_clock::now();
  CLI::App app("Trains a GPT-2 or a Llama.", "gpt");
  Options options(app);
  CLI11_PARSE(app, argc, argv);
  try {
    return train(options, start);
  } catch (const std::exception& e) {
    fmt::print(stderr, "gpt: {}\n", e.what());
    return 1;
  }
}
