// Training of one rank. A step is
//     gradients = sum over the parts of the batch          the lists of model.hpp; with several parts accumulate, in the order of the parts
//     gradients = sum over the ranks                       reduce_scatter of matrices, all_reduce of vectors and of the loss. Without several parts the
//                                                          matrices of a layer are exchanged on a second stream while the layers before it are at work
//     norm      = |gradients|                              clip_grad_norm, the norm alone; of ranks the norms of their parts
//     weights   = Adam(gradients / max(1, norm / clip))    master weights and moments; a norm that is not finite skips the step
//     copies    = parts of all ranks                       all_gather, where they are read next: the second stream gathers the weights of a layer while the
//                                                          layer before it, in the order of the calls, is at work
// Each rank keeps all weights in the type of the activations, a part of each bucket of master matrices and of their moments, and all vectors (ZeRO-1).
// With Shard::weights it keeps a part of those weights and of their gradients too (ZeRO-3). Then weights are gathered in both directions, and each part of a
// batch exchanges its gradients as soon as they are complete: the ranks are summed before the parts. Layers take turns in two buffers of weights and two of
// gradients, so that every call has the same addresses in every step.
#pragma once

#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <thread>

#include "base/dtype.hpp"
#include "checkpoint.hpp"
#include "data.hpp"
#include "model.hpp"

namespace gpt {

struct Settings {
  Model::Shape shape;           // batch of one rank, without `parts`
  std::int64_t accumulate = 1;  // such batches in a step
  std::int64_t steps = 100, warmup = 10, interval = 10;  // interval: most steps that are prepared at once
  double lr = 1e-3, final_lr = 0.1;                       // final_lr: the last rate as a part of the highest
  double beta1 = 0.9, beta2 = 0.95, weight_decay = 0.1, clip = 1;
  Shard shard = Shard::moments;

  // Linear warm-up, then a half cosine.
  double rate(std::int64_t step) const {
    if (step < warmup) return lr * static_cast<double>(step + 1) / static_cast<double>(warmup);
    const double way = static_cast<double>(step - warmup) / static_cast<double>(std::max<std::int64_t>(1, steps - warmup));
    return lr * (final_lr + (1 - final_lr) * 0.5 * (1 + std::cos(std::numbers::pi * std::min(way, 1.0))));
  }
};

struct Report {
  double loss = 0, norm = 0;
  bool skipped = false;
};

// Initial values of parameter t in the master type.
inline std::vector<std::byte> initial_values(const Parameter& p, std::uint64_t t, std::uint64_t seed, adj_dtype master) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(p.numel()) * size_of(master));
  adj::with_float(master, [&](auto* of) {
    using T = std::remove_pointer_t<decltype(of)>;
    auto* to = reinterpret_cast<T*>(bytes.data());
    const double scale = std::ldexp(1.0, p.power);
    const auto fill = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t e = begin; e < end; ++e) to[e] = adj::from_double<T>(p.offset + scale * unit(seed, t, static_cast<std::uint64_t>(e)));
    };
    constexpr std::int64_t kPiece = std::int64_t{1} << 22;
    std::vector<std::jthread> threads;
    for (std::int64_t begin = kPiece; begin < p.numel(); begin += kPiece) threads.emplace_back(fill, begin, std::min(begin + kPiece, p.numel()));
    fill(0, std::min(kPiece, p.numel()));
  });
  return bytes;
}

class Trainer {
 public:
  Trainer(Engine& engine, const Config& config, const Settings& settings, int rank = 0, int ranks = 1, void* communicator = nullptr)
      : engine_(engine),
        config_(config),
        settings_(settings),
        rank_(rank),
        ranks_(ranks),
        type_(config.type()),
        master_(config.master()),
        layout_(config, ranks),
        share_(layout_, settings.shard, rank, ranks) {
    Machine& machine = engine.machine();
    settings_.shape.parts = settings.accumulate * ranks;
    chunks_ = Model::chunks(config, settings_.shape);
    auto allocate = [&](std::int64_t elements, adj_dtype type, const char* purpose) {
      return static_cast<std::byte*>(machine.allocate(static_cast<std::uint64_t>(elements) * size_of(type), purpose));
    };
    values_ = allocate(share_.kept, type_, "weights");
    for (const auto kind : {Checkpoint::kWeights, Checkpoint::kExpAvg, Checkpoint::kExpAvgSq}) {
      std::byte* own = kind == Checkpoint::kWeights && !config.mixed()
                           ? nullptr
                           : allocate(share_.local, master_, kind == Checkpoint::kWeights ? "master weights" : "moments");
      state_[kind].vectors = own ? at(own, share_.matrices) : at(values_, share_.vectors_at);
      for (std::size_t b = 0; b < buckets(); ++b) state_[kind].matrices.push_back(own ? at(own, share_.state[b]) : at(values_, share_.at[b]));
    }
    // The losses lie behind the gradients, and are summed with them.
    gradients_ = allocate(share_.kept + chunks_, master_, "gradients");
    sums_ = settings.accumulate > 1 ? allocate(share_.kept + chunks_, master_, "gradients") : gradients_;
    for (std::size_t i = 0; i < Share::kBuffers; ++i)
      if (share_.buffers[i] > 0) {
        gathered_[i] = allocate(share_.buffers[i], type_, "weights of the layers at work");
        scattered_[i] = allocate(share_.buffers[i], master_, "gradients of the layers at work");
      }
    norm_ = allocate(1, master_, kControl);
    found_inf_ = reinterpret_cast<float*>(allocate(1, ADJ_F32, kControl));
    lr_ = reinterpret_cast<double*>(allocate(1, ADJ_F64, kControl));
    step_count_ = reinterpret_cast<std::int64_t*>(allocate(1, ADJ_I64, kControl));
    model_.emplace(engine, config, weights(), settings_.shape);
    staged_ = allocate(settings.interval * slot_bytes(), ADJ_U8, kControl);
    build_exchange(communicator);
    build_update(communicator);

    first_ = [this] { run(training_), run(first_sum_); };
    next_ = [this] { run(next_training_), run(next_sum_); };
    last_ = [this] { run(update_); };
    set_step(0);
  }
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  const Layout& layout() const { return layout_; }
  Model& model() { return *model_; }
  Head head() const { return settings_.shape.head; }
  // Where the lists of a model find the parameters. Of several ranks the matrices are there once they have been gathered.
  Weights weights() const {
    Weights w{.layout = layout_,
              .type = type_,
              .master = master_,
              .values = {},
              .gradients = {},
              .vector_copies = value_at(share_.vectors_at),
              .vector_values = state_[Checkpoint::kWeights].vectors,
              .vector_gradients = at(gradients_, share_.vectors_at),
              .losses = at(gradients_, share_.kept)};
    for (const Bucket& b : layout_.buckets) {
      w.values.push_back(share_.sharded ? gathered_[Share::buffer(layout_, b)] : value_at(b.at));
      w.gradients.push_back(share_.sharded ? scattered_[Share::buffer(layout_, b)] : at(gradients_, b.at));
    }
    return w;
  }
  // The calls of a list that reads matrices at these turns, with what gathers them: every rank has to run them.
  Calls gathering(const Calls& calls, const std::vector<Model::Turn>& reads) { return gathers_.empty() ? calls : interleaved(calls, reads, {}); }

  // ---- state

  void initialize(std::uint64_t seed) {
    for (std::size_t t = 0; t < layout_.parameters.size(); ++t)
      set(Checkpoint::kWeights, layout_.parameters[t], initial_values(layout_.parameters[t], t, seed, master_).data());
  }
  void load(Checkpoint& from, bool with_moments) {
    for (const Parameter& p : layout_.parameters)
      for (const auto kind : {Checkpoint::kWeights, Checkpoint::kExpAvg, Checkpoint::kExpAvgSq})
        if (kind == Checkpoint::kWeights || with_moments) set(kind, p, from.values(kind, p));
    set_step(with_moments ? from.adam_steps() : 0);
  }
  // Writes what this rank has: its part of the matrices, and rank 0 the vectors and the count of Adam's steps.
  void save(Checkpoint& to) const {
    if (rank_ == 0) {
      std::int64_t next = 0;
      engine_.machine().download(&next, step_count_, sizeof next);
      to.adam_steps() = next - 1;
    }
    for (const Parameter& p : layout_.parameters)
      for (const auto kind : {Checkpoint::kWeights, Checkpoint::kExpAvg, Checkpoint::kExpAvgSq})
        if (const Piece own = piece(kind, p); own.numel > 0 && (p.matrix || rank_ == 0))
          engine_.machine().download(Weights::at(to.values(kind, p), own.first, master_), own.address,
                                     static_cast<std::uint64_t>(own.numel) * size_of(master_));
  }
  void set(Checkpoint::Kind kind, const Parameter& p, const std::byte* values) {
    if (const Piece own = piece(kind, p); own.numel > 0)
      engine_.machine().upload(own.address, values + static_cast<std::uint64_t>(own.first) * size_of(master_),
                               static_cast<std::uint64_t>(own.numel) * size_of(master_));
    if (kind != Checkpoint::kWeights) return;
    const Piece held = share_.sharded && p.matrix ? part_of(p, value_at(share_.at[p.bucket]), type_)
                                                  : Piece{p.matrix ? value_at(p.at) : value_at(share_.vectors_at + p.at - layout_.matrices), 0, p.numel()};
    if (held.numel <= 0) return;
    const std::byte* from = values + static_cast<std::uint64_t>(held.first) * size_of(master_);
    if (!config_.mixed()) return engine_.machine().upload(held.address, from, static_cast<std::uint64_t>(held.numel) * size_of(type_));
    std::vector<adj::bf16> rounded(static_cast<std::size_t>(held.numel));
    for (std::size_t i = 0; i < rounded.size(); ++i) {
      float value = 0;
      std::memcpy(&value, from + i * sizeof value, sizeof value);
      rounded[i] = adj::to_bf16(value);
    }
    engine_.machine().upload(held.address, rounded.data(), rounded.size() * sizeof rounded[0]);
  }
  // Gradient of the last step, summed over its parts; of a single rank.
  std::vector<double> gradient(const Parameter& p) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(p.numel()) * size_of(master_));
    engine_.machine().download(bytes.data(), at(sums_, p.at), bytes.size());
    std::vector<double> values;
    adj::with_float(master_, [&](auto* of) {
      const auto* from = reinterpret_cast<decltype(of)>(bytes.data());
      for (std::int64_t i = 0; i < p.numel(); ++i) values.push_back(adj::to_double(from[i]));
    });
    return values;
  }

  // ---- steps

  // Gathers tokens and learning rates of `count` steps. The host may do so while the steps before are at work.
  void prepare(std::int64_t first, std::int64_t count, const Batches& batches) {
    const std::int64_t rows = settings_.shape.batch * settings_.shape.tokens, parts = settings_.shape.parts;
    prepared_.assign(static_cast<std::size_t>(count * slot_bytes()), std::byte{0});
    std::vector<std::int32_t> inputs(static_cast<std::size_t>(rows)), targets(static_cast<std::size_t>(rows));
    for (std::int64_t s = 0; s < count; ++s) {
      std::byte* slot = prepared_.data() + s * slot_bytes();
      const double lr = settings_.rate(first + s);
      std::memcpy(slot, &lr, sizeof lr);
      for (std::int64_t a = 0; a < settings_.accumulate; ++a) {
        batches.fill((first + s) * parts + a * ranks_ + rank_, parts, settings_.shape.batch, settings_.shape.tokens, inputs.data(), targets.data());
        model_->encode(inputs.data(), targets.data(), reinterpret_cast<std::int32_t*>(slot + kRateBytes + a * model_->token_bytes()));
      }
    }
  }
  // Brings what was prepared to the memory of the stream. The steps before must have ended (report).
  void upload() { engine_.machine().upload(staged_, prepared_.data(), prepared_.size()); }
  // Starts step `slot` of those that were uploaded. The host does not wait for it.
  void step(std::int64_t slot) {
    const std::byte* from = staged_ + slot * slot_bytes();
    engine_.machine().copy(lr_, from, sizeof(double));
    for (std::int64_t a = 0; a < settings_.accumulate; ++a) {
      engine_.machine().copy(model_->tokens(), from + kRateBytes + a * model_->token_bytes(), static_cast<std::uint64_t>(model_->token_bytes()));
      a == 0 ? first_() : next_();
    }
    last_();
  }
  // Captures the lists of a step as CUDA graphs: one, or with several parts one for the first part, one for the next ones and one for the update.
  void record() {
    engine_.reserve();
    Machine& machine = engine_.machine();
    if (settings_.accumulate == 1) {
      first_ = machine.record([this] { run(training_), run(update_); });
      last_ = [] {};
      return;
    }
    first_ = machine.record(first_);
    next_ = machine.record(next_);
    last_ = machine.record(last_);
  }
  // Waits for the steps that were started.
  Report report() const {
    Report seen;
    float found_inf = 0;
    engine_.machine().download(&found_inf, found_inf_, sizeof found_inf);
    seen.skipped = found_inf != 0;
    for (const double loss : numbers(at(sums_, share_.kept), chunks_)) seen.loss += loss;
    seen.loss /= static_cast<double>(chunks_ * settings_.shape.parts);
    seen.norm = numbers(norm_, 1)[0];
    return seen;
  }
  // Hash of the weights that this rank computes with. It gathers them, as all ranks have to.
  std::uint64_t values_hash() const {
    std::string bytes(static_cast<std::size_t>(layout_.total) * size_of(type_), '\0');
    auto download = [&](std::int64_t first, const std::byte* from, std::int64_t numel) {
      engine_.machine().download(bytes.data() + static_cast<std::size_t>(first) * size_of(type_), from, static_cast<std::uint64_t>(numel) * size_of(type_));
    };
    const Weights w = weights();
    for (std::size_t b = 0; b < buckets(); ++b) {
      if (!gathers_.empty()) run({fork(), gathers_[b], join()});
      download(layout_.buckets[b].at, w.values[b], layout_.buckets[b].numel);
    }
    download(layout_.matrices, w.vector_copies, layout_.total - layout_.matrices);
    return hash_of(bytes);
  }
  // Mean loss of batches, without a gradient. All ranks have to take part, each one with the same batches.
  double evaluate(const Batches& batches, std::int64_t count) {
    const std::int64_t rows = settings_.shape.batch * settings_.shape.tokens;
    std::vector<std::int32_t> inputs(static_cast<std::size_t>(rows)), targets(inputs),
        block(static_cast<std::size_t>(model_->token_bytes()) / sizeof(std::int32_t));
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      batches.fill(i, count, settings_.shape.batch, settings_.shape.tokens, inputs.data(), targets.data());
      model_->encode(inputs.data(), targets.data(), block.data());
      engine_.machine().upload(model_->tokens(), block.data(), block.size() * sizeof block[0]);
      run(evaluation_);
      for (const double loss : numbers(at(gradients_, share_.kept), chunks_)) sum += loss;
    }
    return sum / static_cast<double>(chunks_ * count);
  }
  // Calls f(call) for each call of a step, in their order.
  template <class F>
  void each_call(F f) const {
    for (std::int64_t part = 0; part < settings_.accumulate; ++part)
      for (const Calls* calls : {part == 0 ? &training_ : &next_training_, part == 0 ? &first_sum_ : &next_sum_})
        for (const Call& call : *calls) f(call);
    for (const Call& call : update_) f(call);
  }
  // Work of a step on this rank, without what is computed again.
  Work work() const {
    Work sum;
    each_call([&](const Call& call) { sum.flops += call.work.flops, sum.bytes += call.work.bytes; });
    return sum;
  }
  // Seconds that a step takes at least on a machine of these limits, each call being limited by its products or by its bytes.
  double least_seconds(const Limits& limits) const {
    double sum = 0;
    each_call([&](const Call& call) { sum += limits.seconds(call.work); });
    return sum;
  }
  // Times of a step by operation, each call measured by itself. It does the work of a step.
  struct Times {
    double milliseconds = 0, least = 0;  // least: 0 where the limits are not known
    std::int64_t calls = 0;
  };
  std::map<std::string, Times> profile(const Limits& limits) {
    std::map<std::string, Times> times;
    each_call([&](const Call& call) {
      Times& own = times[call.operation];
      own.milliseconds += engine_.machine().milliseconds(call.run);
      if (limits.known()) own.least += 1e3 * limits.seconds(call.work);
      ++own.calls;
    });
    return times;
  }

 private:
  // What a rank keeps of master weights or of moments: its part of the matrices, and the vectors.
  struct State {
    std::vector<std::byte*> matrices;  // part of each bucket
    std::byte* vectors = nullptr;
  };
  // The elements of a parameter that this rank keeps.
  struct Piece {
    std::byte* address;
    std::int64_t first, numel;
  };
  Piece piece(Checkpoint::Kind kind, const Parameter& p) const {
    return p.matrix ? part_of(p, state_[kind].matrices[p.bucket], master_) : Piece{at(state_[kind].vectors, p.at - layout_.matrices), 0, p.numel()};
  }
  // What this rank's part of a bucket, at `base`, has of a matrix; its count may be negative.
  Piece part_of(const Parameter& p, std::byte* base, adj_dtype type) const {
    const std::int64_t own = share_.first[p.bucket], first = std::max(p.at, own), last = std::min(p.at + p.numel(), own + share_.part[p.bucket]);
    return {static_cast<std::byte*>(Weights::at(base, first - own, type)), first - p.at, last - first};
  }
  std::size_t buckets() const { return layout_.buckets.size(); }
  // This rank's parts of the buckets in a buffer of the elements that it keeps.
  std::vector<std::pair<void*, std::int64_t>> parts_of(std::byte* base, adj_dtype type) const {
    std::vector<std::pair<void*, std::int64_t>> list;
    for (std::size_t b = 0; b < buckets(); ++b) list.push_back({Weights::at(base, share_.at[b], type), share_.part[b]});
    return list;
  }
  std::byte* value_at(std::int64_t element) const { return static_cast<std::byte*>(Weights::at(values_, element, type_)); }
  std::byte* at(std::byte* base, std::int64_t element) const { return static_cast<std::byte*>(Weights::at(base, element, master_)); }
  std::vector<double> numbers(const std::byte* from, std::int64_t count) const {
    std::vector<double> values(static_cast<std::size_t>(count));
    adj::with_float(master_, [&](auto* of) {
      std::vector<std::remove_pointer_t<decltype(of)>> own(values.size());
      engine_.machine().download(own.data(), from, own.size() * sizeof own[0]);
      std::transform(own.begin(), own.end(), values.begin(), [](auto x) { return adj::to_double(x); });
    });
    return values;
  }
  // Adam counts from 1 and does not count a step that it skips.
  void set_step(std::int64_t done) {
    const std::int64_t next = done + 1;
    engine_.machine().upload(step_count_, &next, sizeof next);
  }
  std::int64_t slot_bytes() const { return kRateBytes + settings_.accumulate * model_->token_bytes(); }

  // Exchanges on the side stream. The gradients of a bucket are exchanged as soon as they are complete; where each rank has them whole and adds up the parts of
  // its batch first, after that.
  void build_exchange(void* communicator) {
    training_ = next_training_ = model_->training();
    evaluation_ = model_->evaluation();
    if (!communicator) return;
    const Weights whole = weights();
    for (std::size_t b = 0; b < buckets(); ++b) {
      const std::int64_t part = share_.part[b], numel = layout_.buckets[b].numel;
      std::byte* from = share_.sharded ? whole.gradients[b] : at(sums_, layout_.buckets[b].at);
      std::byte* to = at(share_.sharded ? gradients_ : sums_, share_.at[b]);
      scatters_.push_back(engine_.side_call(
          adjoint::ReduceScatterDescriptor{.ranks = ranks_, .count = 1, .numel = &part, .element = master_},
          adjoint::ReduceScatterArgs{.communicator = communicator, .inputs = engine_.list(from, master_, numel), .outputs = engine_.list(to, master_, part)}));
      gathers_.push_back(engine_.side_call(adjoint::AllGatherDescriptor{.ranks = ranks_, .count = 1, .numel = &part, .element = type_},
                                           adjoint::AllGatherArgs{.communicator = communicator,
                                                                  .inputs = engine_.list(value_at(share_.at[b]), type_, part),
                                                                  .outputs = engine_.list(whole.values[b], type_, numel)}));
    }
    evaluation_ = gathering(evaluation_, model_->forward_reads());
    const bool together = settings_.accumulate == 1;
    if (share_.sharded) training_ = next_training_ = interleaved(training_, model_->training_reads(), model_->completed());
    else training_ = interleaved(training_, model_->forward_reads(), together ? model_->completed() : std::vector<Model::Turn>{});
    if (!share_.sharded && !together)
      for (const Model::Turn& turn : model_->completed())
        for (const Call& call : {fork(), scatters_[bucket_of(turn.layer)]}) update_.push_back(call);
    const std::int64_t tail = layout_.total - layout_.matrices + chunks_;
    const adj_tensor_list vectors = engine_.list(at(sums_, share_.vectors_at), master_, tail);
    update_.push_back(fork());
    update_.push_back(engine_.side_call(adjoint::AllReduceDescriptor{.count = 1, .numel = &tail, .element = master_},
                                        adjoint::AllReduceArgs{.communicator = communicator, .inputs = vectors, .outputs = vectors}));
    update_.push_back(join());
  }
  std::size_t bucket_of(std::int64_t layer) const {
    std::size_t b = 0;
    while (layout_.buckets[b].layer != layer) ++b;
    return b;
  }
  // A list with its exchanges of matrices. Where it comes to the weights of a layer it waits for what the side stream has, and the side stream for the list;
  // then it gathers what the next turn reads. Sharded weights come into the buffer of the turn before, and where gradients are complete the list waits for
  // those that were exchanged before: so a turn finds its weights, and a buffer of gradients that is free.
  Calls interleaved(const Calls& calls, const std::vector<Model::Turn>& reads, const std::vector<Model::Turn>& completed) {
    Calls all;
    bool waits = false;  // the side stream has what the list has not waited for
    auto side = [&](const Call& call) {
      all.push_back(fork());
      all.push_back(call);
      waits = true;
    };
    auto wait = [&] {
      if (waits) all.push_back(join());
      waits = false;
    };
    std::vector<std::optional<std::size_t>> held(std::max(Share::kBuffers, buckets()));  // the bucket that is whole in a buffer
    auto buffer = [&](std::size_t read) {
      const std::size_t bucket = bucket_of(reads[read].layer);
      return share_.sharded ? Share::buffer(layout_, layout_.buckets[bucket]) : bucket;
    };
    auto gather = [&](std::size_t read) {
      const std::size_t bucket = bucket_of(reads[read].layer);
      if (held[buffer(read)] == bucket) return;
      side(gathers_[bucket]);
      held[buffer(read)] = bucket;
    };
    std::size_t read = 0, complete = 0;
    for (std::size_t i = 0; i <= calls.size(); ++i) {
      const bool reads_now = read < reads.size() && reads[read].calls == i, completes_now = complete < completed.size() && completed[complete].calls == i;
      if (reads_now) gather(read);  // unless the turn before did
      if (reads_now || (completes_now && share_.sharded)) wait();
      if (reads_now && ++read < reads.size() && buffer(read) != buffer(read - 1)) gather(read);
      if (completes_now) side(scatters_[bucket_of(completed[complete++].layer)]);
      if (i < calls.size()) all.push_back(calls[i]);
    }
    if (share_.sharded) wait();  // else the update waits
    return all;
  }
  Call fork() const {
    return {"fork", [&machine = engine_.machine()] { machine.fork(); }};
  }
  Call join() const {
    return {"join", [&machine = engine_.machine()] { machine.join(); }};
  }

  void build_update(void* communicator) {
    const std::int64_t vectors = layout_.total - layout_.matrices, one[] = {1}, sum[] = {share_.kept + chunks_}, rest[] = {vectors};
    const auto count = static_cast<std::int64_t>(buckets());
    std::byte* vector_sums = at(sums_, share_.vectors_at);
    const auto matrix_sums = parts_of(sums_, master_);
    auto list = [&](void* data, std::int64_t numel) { return engine_.list(data, master_, numel); };
    auto add = [&](Calls& to, const auto& descriptor, const auto& args) { to.push_back(engine_.call(descriptor, args)); };
    auto exchange = [&](const auto& descriptor, const auto& args) {
      update_.push_back(fork());
      update_.push_back(engine_.side_call(descriptor, args));
      update_.push_back(join());
    };
    if (settings_.accumulate > 1)
      for (Calls* calls : {&first_sum_, &next_sum_})
        add(*calls, adjoint::AccumulateDescriptor{.count = 1, .numel = sum, .element = master_},
            adjoint::AccumulateArgs{.sums = list(sums_, sum[0]),
                                    .values = list(gradients_, sum[0]),
                                    .outputs = list(sums_, sum[0]),
                                    .overwrite = adjoint::value(calls == &first_sum_)});

    const adj_tensor norm = tensor(norm_, master_, {1}), found_inf = tensor(found_inf_, {1});
    std::vector<std::pair<void*, std::int64_t>> normed = matrix_sums;  // what the norm of the gradient is of
    if (communicator) {
      std::byte* norms = static_cast<std::byte*>(engine_.machine().allocate(static_cast<std::uint64_t>(ranks_) * size_of(master_), kControl));
      add(update_, adjoint::ClipGradNormDescriptor{.count = count, .numel = share_.part.data(), .norm_only = 1, .grad = master_},
          adjoint::ClipGradNormArgs{.grads = engine_.list(matrix_sums, master_), .norm = tensor(at(norms, rank_), master_, {1})});
      exchange(adjoint::AllGatherDescriptor{.ranks = ranks_, .count = 1, .numel = one, .element = master_},
               adjoint::AllGatherArgs{.communicator = communicator, .inputs = list(at(norms, rank_), 1), .outputs = list(norms, ranks_)});
      normed = {{norms, ranks_}};
    }
    normed.push_back({vector_sums, vectors});
    std::vector<std::int64_t> normed_numel;
    for (const auto& [data, numel] : normed) normed_numel.push_back(numel);
    add(update_,
        adjoint::ClipGradNormDescriptor{.count = static_cast<std::int64_t>(normed.size()), .numel = normed_numel.data(), .norm_only = 1, .grad = master_},
        adjoint::ClipGradNormArgs{.grads = engine_.list(normed, master_), .norm = norm, .found_inf = found_inf});
    // Matrices decay, vectors do not. The second call counts the step.
    auto adam = [&](const std::vector<std::int64_t>& numel, auto state, const adj_tensor_list& gradients, const adj_tensor_list& copies, double decay,
                    bool last) {
      adjoint::AdamArgs args{.params = state(Checkpoint::kWeights),
                             .grads = gradients,
                             .exp_avg = state(Checkpoint::kExpAvg),
                             .exp_avg_sq = state(Checkpoint::kExpAvgSq),
                             .lr = adjoint::device_scalar(lr_, ADJ_F64),
                             .step = adjoint::device_scalar(step_count_, ADJ_I64),
                             .gradient_norm = adjoint::device_scalar(norm_, master_),
                             .found_inf = found_inf};
      if (config_.mixed()) args.copies = copies;
      add(update_,
          adjoint::AdamDescriptor{.count = static_cast<std::int64_t>(numel.size()),
                                  .numel = numel.data(),
                                  .beta1 = settings_.beta1,
                                  .beta2 = settings_.beta2,
                                  .weight_decay = decay,
                                  .max_norm = settings_.clip,
                                  .advance_step = last,
                                  .param = master_,
                                  .copy = config_.mixed() ? type_ : ADJ_DTYPE_NONE},
          args);
    };
    const adj_tensor_list matrix_values = engine_.list(parts_of(values_, type_), type_);
    auto matrices = [&](Checkpoint::Kind kind) {
      std::vector<std::pair<void*, std::int64_t>> own;
      for (std::size_t b = 0; b < buckets(); ++b) own.push_back({state_[kind].matrices[b], share_.part[b]});
      return engine_.list(own, master_);
    };
    adam(share_.part, matrices, engine_.list(matrix_sums, master_), matrix_values, settings_.weight_decay, false);
    adam(
        {vectors}, [&](Checkpoint::Kind kind) { return list(state_[kind].vectors, vectors); }, list(vector_sums, vectors),
        engine_.list(value_at(share_.vectors_at), type_, *rest), 0, true);
  }

  static constexpr std::int64_t kRateBytes = 256;
  static constexpr const char* kControl = "tokens and scalars";

  Engine& engine_;
  const Config config_;
  Settings settings_;
  const int rank_, ranks_;
  const adj_dtype type_, master_;
  const Layout layout_;
  const Share share_;
  std::int64_t chunks_ = 1;
  std::byte *values_ = nullptr, *gradients_ = nullptr, *sums_ = nullptr, *norm_ = nullptr, *staged_ = nullptr;
  std::byte *gathered_[Share::kBuffers] = {}, *scattered_[Share::kBuffers] = {};  // sharded: whole buckets of weights, and of gradients
  float* found_inf_ = nullptr;
  double* lr_ = nullptr;
  std::int64_t* step_count_ = nullptr;
  State state_[Checkpoint::kKinds];
  std::optional<Model> model_;
  std::vector<std::byte> prepared_;
  Calls training_, next_training_, evaluation_, first_sum_, next_sum_, update_;  // training_: of the first part of a batch
  Calls gathers_, scatters_;  // of each bucket
  std::function<void()> first_, next_, last_;  // a part of a step, the parts that follow, the update
};

}  // namespace gpt
