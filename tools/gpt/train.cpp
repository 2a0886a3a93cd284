// Trains a GPT-2 or a Llama, on a GPU, on several, or on the host: the example of how an engine uses the library. README.md says how to train with it, and what
// each file has.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "card.hpp"
#include "options.hpp"
#include "report.hpp"
#include "safetensors.hpp"
#include "sampler.hpp"
#include "support/curve.hpp"
#include "support/ranks.hpp"
#include "trainer.hpp"

using namespace gpt;

namespace {

// False when there is no such file. What hides the answer is an error: a training that began anew would overwrite its checkpoint.
bool there_is(const std::string& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) return false;
  if (error) refuse(fmt::format("cannot look for '{}': {}", file, error.message()));
  return true;
}

void save_file(const std::string& path, const std::string& bytes) {
  if (auto done = adj::write_file(path, bytes, 0666); !done) refuse(done.error().message);
}

// Tokens of the training and of the evaluation. The last tenth of a text is for the evaluation where that has no text of its own.
struct Texts {
  std::optional<Tokenizer> tokenizer;
  std::shared_ptr<const TokenFiles> train, valid;

  Texts(const Options& o, const Config& c) {
    if (!o.tokenizer.empty()) tokenizer.emplace(o.tokenizer, c.vocabulary);
    if (o.data == "formula") return;
    auto read = [&](const std::vector<std::string>& names) {
      return std::make_shared<const TokenFiles>(names, c.vocabulary, tokenizer ? &*tokenizer : nullptr);
    };
    train = read(o.texts);
    if (o.eval_every) valid = o.valid.empty() ? train : read({o.valid});
  }

  // What a sample is shown as: its text, or without a tokenizer the tokens' bytes where all tokens are bytes, else their numbers.
  std::string shown(const Tokens& sample, std::int64_t vocabulary) const {
    if (tokenizer) return printable(tokenizer->decode(sample));
    if (vocabulary > 256) return fmt::format("{}", fmt::join(sample, " "));
    return printable(std::string(sample.begin(), sample.end()));
  }
};

// The file of tokens of --write-tokens.
int write_tokens(const Options& options, const Config& config, const TokenFiles& texts) {
  Tokens all;
  for (std::size_t file = 0; file < texts.size(); ++file) {
    const auto tokens = texts.get(file);
    for (std::int64_t i = 0; i < tokens->count; ++i) all.push_back((*tokens)[i]);
  }
  save_file(options.write_tokens, token_file(all, config.vocabulary));
  fmt::print("tokens    {} in {}\n", all.size(), options.write_tokens);
  return 0;
}

double seconds_since(std::chrono::steady_clock::time_point start) { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

int train(Options& options, std::chrono::steady_clock::time_point program_start) {
  check(options);
  const Config config = model_of(options);
  const Settings& settings = options.settings;
  const int ranks = options.ranks;
  const bool own_process = options.rank >= 0, use_gpu = own_process || (!options.host && adj_device_count() >= ranks);
  const RankEnd stalls("--stall", options.stall, ranks), fails("--fail", options.fail, ranks);
  const Texts texts(options, config);
  if (!options.write_tokens.empty()) return write_tokens(options, config, *texts.train);
  const bool by_formula = options.data == "formula", own_valid = !options.valid.empty();
  const std::int64_t sequences = settings.shape.batch, length = settings.shape.tokens;
  const std::optional<std::uint64_t> order = options.shuffle ? std::optional(options.seed) : std::nullopt;
  const Batches batches = by_formula ? Batches(options.seed, config.vocabulary)
                                     : Batches(texts.train, sequences, length, order, texts.valid && !own_valid ? Batches::Part::most : Batches::Part::all);
  const Batches validation = texts.valid ? Batches(texts.valid, sequences, length, {}, own_valid ? Batches::Part::all : Batches::Part::last) : batches;

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
  for (const std::string& file : {options.checkpoint, options.weights, options.gradients, options.picture})
    if (!file.empty())
      if (auto able = adj::check_writable(file); !able) refuse(able.error().message);
  const bool keeps_checkpoint = !own_process && (!options.checkpoint.empty() || !options.weights.empty() || options.print_hash);

  Curve curve;
  curve.title = fmt::format("{} {}, {}", options.model, options.size, options.type);
  nlohmann::ordered_json facts;
  const int here = own_process ? 1 : ranks;  // ranks in this process
  const Communicators communicators(here, use_gpu);
  std::barrier<> together(here);
  std::atomic<bool> given_up = false;  // by a rank of this process, whose communicator may be that of all
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
    const Limits limits = options.peak > 0 ? Limits{1e12 * options.peak, 1e9 * options.bandwidth} : limits_of(machine.description(), config.type());
    const Work work = trainer.work();
    const double least = limits.known() ? trainer.least_seconds(limits) : 0;
    together.arrive_and_wait();
    if (speaks) {
      if (!keeps_checkpoint) checkpoint.reset();
      fmt::print("model     {} {}: {} parameters, {} layers of width {}, vocabulary {} (padded to {}), {}\n", options.model, options.size,
                 trainer.layout().numel, config.layers, config.width, config.vocabulary, config.padded(), options.type);
      fmt::print("runs on   {}{}{}\n", ranks > 1 ? fmt::format("{} ranks that share out {}, each on: ", ranks, options.shard) : "", machine.description(),
                 options.graph && use_gpu ? ", CUDA graph" : "");
      fmt::print("step      {} x {} tokens, {} times{}\n", sequences, length, settings.accumulate * ranks,
                 resumed ? fmt::format("; resumed after step {}", first_step) : "");
      if (!by_formula)
        fmt::print("data      {} tokens in {} file{}, {} batches{}\n", texts.train->tokens(), texts.train->size(), texts.train->size() == 1 ? "" : "s",
                   batches.count(), options.shuffle ? fmt::format(", shuffled by seed {}", options.seed) : "");
      fmt::print("limit     {}\n", limits.known()
                                       ? fmt::format("a step takes at least {:.3f} ms: {:.4g} GFLOP of products at {:.4g} TFLOP/s, {:.4g} GB at {:.4g} GB/s",
                                                     1e3 * least, work.flops / 1e9, limits.flops / 1e12, work.bytes / 1e9, limits.bytes / 1e9)
                                       : fmt::format("unknown for '{}': --peak and --bandwidth say it", machine.description()));
      if (options.list_skus)
        for (const adjoint::SkuInfo& sku : engine.skus()) fmt::print("  {}\n", sku.id);
      // A product without a library is still right, and slower.
      for (const adjoint::SkuInfo& sku : engine.skus())
        if (use_gpu && sku.backend == ADJ_BACKEND_BESPOKE && (std::string(sku.id).starts_with("matmul/") || std::string(sku.id).starts_with("attention_")))
          fmt::print("note      {} is used: cuBLASLt or cuDNN is missing or does not take the problem\n", sku.id);
    }
    // Runs work for which the ranks wait for each other. A rank whose others do not answer ends with an error.
    auto watched = [&](const std::string& what, const auto& work) {
      std::optional<Watch> watch;
      if (communicator)
        watch.emplace(options.patience, [&] {
          given_up = true;
          adj_comm_abort(communicator);
        });
      auto end_watch = [&] {
        const bool fired = watch && watch->stop();
        if (!fired && !given_up) return;
        if (fired && joined) joined->abandon();
        refuse(fmt::format("{}: the other ranks did not answer within {} s, the communicator was aborted", what, options.patience));
      };
      try {
        work();
      } catch (const std::exception&) {
        end_watch();  // calls fail when their communicator is aborted
        throw;
      }
      end_watch();
    };
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
    std::uint64_t memory_at_first = 0;  // of the steps; samples take more
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
      if (fails.is(rank, step)) refuse(fmt::format("--fail {}: this rank ends after step {}", options.fail, step));
      if (stalls.is(rank, step))
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
      Report report;
      watched(fmt::format("steps {} to {}", step + 1, step + count), [&] {
        trainer.upload();
        for (std::int64_t i = 0; i < count; ++i) trainer.step(i);
        if (step + count < last_step) trainer.prepare(step + count, count_from(step + count), batches);
        report = trainer.report();
      });
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
          save_file(options.gradients, bytes);
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
          fmt::print("step {:>6}/{}  loss {:.5f}  norm {:.4g}{}  lr {:.3g}  {:.2f} ms  {:.4g} tokens/s{}  {}\n", step, settings.steps, report.loss, report.norm,
                     report.skipped ? ", skipped" : "", settings.rate(step - 1), 1e3 * seconds / static_cast<double>(count), tokens / seconds,
                     limits.known() ? fmt::format("  {:.3g} % of the limit, {:.3g} % of the FLOPs", 100 * least * static_cast<double>(count) / seconds,
                                                  100 * work.flops / limits.flops * static_cast<double>(count) / seconds)
                                    : "",
                     size_text(machine.allocated()));
        if (is_first) {
          facts["first_step_seconds"] = seconds_since(program_start);
          fmt::print("first step done {:.2f} s after the start of the program\n", seconds_since(program_start));
          memory_at_first = machine.allocated();
          fmt::print("memory    {} of buffers: {}{}\n", size_text(machine.allocated()), memory_by_purpose(machine), memory_of_head(trainer.model()));
        }
      }
      // All ranks take part in evaluations and samples, for which weights are gathered, and one tells.
      if (options.eval_every && (step % options.eval_every == 0 || step == last_step)) {
        double loss = 0;
        watched(fmt::format("evaluation after step {}", step), [&] { loss = trainer.evaluate(validation, options.eval_batches); });
        if (speaks) {
          curve.validation.push_back({step, loss});
          fmt::print("step {:>6}/{}  loss of the evaluation {:.5f}\n", step, settings.steps, loss);
        }
      }
      if (options.sample_every && (step % options.sample_every == 0 || step == last_step)) {
        if (!sampler) sampler.emplace(engine, config, trainer);
        const std::int32_t first = by_formula ? 0 : (*texts.train->get(0))[0];
        Tokens sample;
        watched(fmt::format("samples after step {}", step),
                [&] { sample = sampler->sample(options.sample_tokens, options.seed + static_cast<std::uint64_t>(step), options.temperature, first); });
        if (speaks) fmt::print("---\n{}\n---\n", texts.shown(sample, config.vocabulary));
      }
      if (speaks) std::fflush(stdout);
      if (!options.checkpoint.empty() && options.save_every && step % options.save_every == 0 && step < last_step) save(step);
    }
    if (keeps_checkpoint) save(last_step);
    if (speaks && !options.weights.empty()) write_safetensors(options.weights, config, *checkpoint);
    if (options.print_hash && (ranks > 1 || own_process)) {
      std::uint64_t hash = 0;
      watched("hash of the weights", [&] { hash = trainer.values_hash(); });
      for (int r = 0; r < here; ++r, together.arrive_and_wait())
        if (r == thread) fmt::print("hash      {:016x} of the weights of rank {}\n", hash, rank);
    }

    if (!speaks) return;
    if (options.print_hash && !own_process) fmt::print("hash      {:016x}\n", checkpoint->weights_hash());
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
    facts["memory"] = nlohmann::ordered_json::object();
    for (const auto& [purpose, bytes] : machine.memory()) facts["memory"][purpose] = bytes;
    if (machine.allocated() > memory_at_first) fmt::print("memory    {} of buffers at most: {}\n", size_text(machine.allocated()), memory_by_purpose(machine));
    facts["flops_a_step"] = work.flops;
    facts["bytes_a_step"] = work.bytes;
    if (limits.known()) facts["least_milliseconds"] = 1e3 * least;
    if (options.profile_steps) {
      std::map<std::string, Trainer::Times> sum;
      for (std::int64_t i = 0; i < options.profile_steps; ++i)
        for (const auto& [operation, own] : trainer.profile(limits)) {
          Trainer::Times& to = sum[operation];
          to.milliseconds += own.milliseconds / static_cast<double>(options.profile_steps);
          to.least = own.least;
          to.calls = own.calls;
        }
      const TimePicture picture(fmt::format("{} {}, {}, on {}: {:.2f} ms a step", options.model, options.size, options.type, machine.description(), median),
                                sum, limits.known());
      fmt::print("{}", picture.text());
      for (const auto& [operation, own] : sum) facts["profile"][operation] = own.milliseconds;
      if (!options.picture.empty()) save_file(options.picture, picture.svg());
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
