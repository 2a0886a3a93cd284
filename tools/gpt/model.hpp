// GPT-2 and Llama as lists of operations: the activations in one arena, and the calls of a training step and of an evaluation.
//
// A layer of GPT-2 is                                         a layer of Llama is
//     x += proj(attention(qkv(layer_norm(x))))                    x += o(attention(rope(qkv(rms_norm(x)))))
//     x += down(gelu_tanh(up(layer_norm(x))))                     x += down(silu(gate(rms_norm(x))) * up(rms_norm(x)))
// The sum and the norm that follows it are one call, forward and backward. Names in the code: `in` is x before the first line, `mid` before
// the second. The loss and the gradient of the scores are one call too, over some rows of scores at a time, so that the scores take little memory. With
// Head::fused that call makes the scores as well, and the gradients of the input and of the weights behind them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <string>
#include <vector>

#include "linear.hpp"

namespace gpt {

class Model : LinearLayers {
 public:
  struct Shape {
    std::int64_t batch = 1, tokens = 1;
    std::int64_t parts = 1;  // batches that make a step, of all ranks: each one's loss counts 1 / parts
    Recompute recompute = Recompute::none;
    bool training = true;    // false: no backward direction, and no activation is kept
    Head head = Head::scores;
    std::uint64_t score_bytes = std::uint64_t{2} << 30;  // most memory of scores
  };

  Model(Engine& engine, const Config& config, const Weights& weights, const Shape& shape)
      : LinearLayers(engine, config.type(), config.master()), c_(config), w_(weights), shape_(shape), rows_(shape.batch * shape.tokens) {
    if (shape.tokens > c_.context) throw std::runtime_error(fmt::format("{} tokens in a sequence; the context has {}", shape.tokens, c_.context));
    chunks_ = chunks(c_, shape);
    arena_ = shared_ = {};
    lay_out();  // counts
    auto allocate = [&](const Arena& counted, const char* purpose) {
      return Arena{reinterpret_cast<std::uintptr_t>(engine_.machine().allocate(counted.used, purpose)), 0};
    };
    arena_ = allocate(arena_, shape.training ? "activations" : "activations of samples");
    shared_ = allocate(shared_, "scores and scratch");
    lay_out();
    build();
  }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Parts in which the scores are computed, each with a loss: the least divisor of the rows with which the scores of one part take at most score_bytes. A head
  // that is fused is one part.
  static std::int64_t chunks(const Config& c, const Shape& shape) { return shape.head == Head::fused ? 1 : parts_of_scores(c, shape); }

  // Tokens of a batch in the memory of the stream: token_numbers() numbers for the embedding, then the targets.
  std::int32_t* tokens() const { return tokens_; }
  std::int64_t token_numbers() const { return rows_ * (c_.family == Family::gpt2 ? 2 : 1); }
  std::int64_t token_bytes() const { return (token_numbers() + rows_) * static_cast<std::int64_t>(sizeof(std::int32_t)); }
  // What tokens() is to hold for these inputs. GPT-2 adds a row of wpe, which lies behind wte, to that of a token.
  void encode(const std::int32_t* inputs, const std::int32_t* targets, std::int32_t* to) const {
    for (std::int64_t i = 0; i < rows_; ++i)
      if (c_.family == Family::gpt2) {
        *to++ = inputs[i];
        *to++ = static_cast<std::int32_t>(c_.padded() + i % shape_.tokens);
      } else {
        *to++ = inputs[i];
      }
    std::copy(targets, targets + rows_, to);
  }

  const Calls& training() const { return training_; }  // gradients of the batch in tokens(), and its loss
  // Where a list comes to the matrices of a layer: after so many calls; -1, layers: as in Layout.
  struct Turn {
    std::size_t calls;
    std::int64_t layer;
  };
  const std::vector<Turn>& completed() const { return completed_; }  // training() has their gradients
  const std::vector<Turn>& training_reads() const { return training_reads_; }  // training() reads them until the next turn
  const std::vector<Turn>& forward_reads() const { return forward_reads_; }  // so do forward() with scores_of(), and evaluation()
  const Calls& evaluation() const { return evaluation_; }  // the loss alone
  const Calls& forward() const { return forward_; }  // the output of the last norm
  std::int64_t chunk_count() const { return chunks_; }
  // Rows whose scores are in memory at a time.
  std::int64_t score_rows() const {
    if (shape_.head == Head::scores) return unfused_score_rows();
    const auto fit = static_cast<std::int64_t>(shape_.score_bytes / kFusedPart / score_row_bytes());
    return std::min(rows_, std::clamp<std::int64_t>(fit, 1, kFusedRows));
  }
  std::int64_t unfused_score_rows() const { return rows_ / parts_of_scores(c_, shape_); }
  std::uint64_t score_row_bytes() const { return static_cast<std::uint64_t>(c_.padded()) * size_of(type_); }
  std::uint64_t arena_bytes() const { return arena_.used; }
  std::uint64_t shared_bytes() const { return shared_.used; }

  // Scores of one row after forward(), in memory of the stream.
  void* scores_of(std::int64_t row) {
    engine_
        .call(linear_forward_descriptor(1, c_.padded(), c_.width, false, false),
              linear_forward_args(Weights::at(last_.out, row * c_.width, type_), 1, c_.padded(), c_.width, head_, nullptr, scratch_, nullptr))
        .run();
    return scratch_;
  }

  Head head() const { return shape_.head; }

 private:
  static std::int64_t parts_of_scores(const Config& c, const Shape& shape) {
    const std::int64_t rows = shape.batch * shape.tokens;
    std::int64_t n = 1;
    while (n < rows && (rows % n || static_cast<std::uint64_t>(rows / n * c.padded()) * size_of(c.type()) > shape.score_bytes)) ++n;
    return n;
  }
  struct Arena {
    std::uintptr_t base = 0;
    std::uint64_t used = 0;
    void* take(std::int64_t elements, adj_dtype type) {
      const std::uintptr_t at = base + used;
      used += (static_cast<std::uint64_t>(elements) * size_of(type) + 255) / 256 * 256;
      return reinterpret_cast<void*>(at);
    }
  };
  struct Norm {
    void* out = nullptr;
    void* mean = nullptr;
    void* inv_std = nullptr;
  };
  // Activations of a layer.
  struct Layer {
    void *in = nullptr, *mid = nullptr, *qkv = nullptr, *rotated = nullptr, *attention = nullptr, *lse = nullptr;
    void *up = nullptr, *act = nullptr;  // what the activation function gets, and its result
    Norm norm1, norm2;
  };

  void lay_out() {
    const std::int64_t n = rows_, c = c_.width;
    auto values = [&](std::int64_t columns) { return arena_.take(n * columns, type_); };
    auto norm = [&](void* out) { return Norm{out, c_.family == Family::gpt2 ? arena_.take(n, stat_) : nullptr, arena_.take(n, stat_)}; };
    tokens_ = static_cast<std::int32_t*>(arena_.take(token_numbers() + n, ADJ_I32));
    const bool share_all = !shape_.training, share_layer = share_all || shape_.recompute == Recompute::layer;
    const bool share_cheap = share_layer || shape_.recompute == Recompute::pointwise;
    layers_.assign(static_cast<std::size_t>(c_.layers), {});
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      Layer& own = layers_[l];
      if (l > 0) own = layers_[0];
      if (l == 0 || !share_cheap) {
        own.norm1.out = values(c);
        own.norm2.out = values(c);
        own.act = values(c_.hidden);
      }
      if (l == 0 || !share_layer) {
        own.mid = values(c);
        own.qkv = values(c_.qkv_width());
        own.rotated = c_.qk_norm ? values(c_.qk_width()) : own.qkv;
        own.attention = values(c_.q_width());
        own.lse = arena_.take(n * c_.heads, stat_);
        own.up = values(c_.up_width());
        own.norm2 = norm(own.norm2.out);
      }
      if (l == 0 || !share_all) {
        own.in = values(c);
        own.norm1 = norm(own.norm1.out);
      }
    }
    last_sum_ = share_all ? layers_[0].in : values(c);
    last_ = norm(values(c));
    branch_ = values(c);
    dx_ = shape_.training ? values(c) : nullptr;
    // One region: scores of a part of the rows, or of one row where the head is fused, whose scores lie in its workspace; then, in the backward direction,
    // gradients within a layer, and dx in the type of gradients.
    const std::int64_t attention = c_.q_width() + c_.qkv_width(), wide = std::max(attention, c_.hidden);
    std::uint64_t bytes = score_row_bytes() * static_cast<std::uint64_t>(shape_.head == Head::fused ? 1 : score_rows());
    if (shape_.training) bytes = std::max({bytes, static_cast<std::uint64_t>(n * wide) * size_of(type_), static_cast<std::uint64_t>(n * c) * size_of(stat_)});
    scratch_ = shared_.take(static_cast<std::int64_t>(bytes), ADJ_U8);
  }

  std::string of(std::int64_t l, const char* name) const { return fmt::format("{}.{}", l, name); }
  void* bias(const std::string& name) const { return c_.family == Family::gpt2 ? w_.value(name) : nullptr; }
  void* bias_gradient(const std::string& name) const { return c_.family == Family::gpt2 ? w_.gradient(name) : nullptr; }

  // ---- pieces of the forward direction

  void embed(Calls& to) {
    if (c_.family == Family::gpt2)  // row t of wpe is row padded() + t of both tables
      add(to,
          adjoint::EmbeddingBagForwardDescriptor{.num_embeddings = c_.padded() + c_.context,
                                                 .embedding_dim = c_.width,
                                                 .num_indices = 2 * rows_,
                                                 .num_bags = rows_,
                                                 .mode = ADJ_BAG_SUM,
                                                 .element = type_,
                                                 .index = ADJ_I32},
          adjoint::EmbeddingBagForwardArgs{.weight = tensor(w_.value("wte"), type_, {c_.padded() + c_.context, c_.width}),
                                           .indices = tensor(tokens_, {rows_, 2}),
                                           .out = tensor(layers_[0].in, type_, {rows_, c_.width})});
    else
      add(to,
          adjoint::EmbeddingForwardDescriptor{
              .num_embeddings = c_.padded(), .embedding_dim = c_.width, .num_indices = rows_, .element = type_, .index = ADJ_I32},
          adjoint::EmbeddingForwardArgs{.weight = tensor(w_.value("wte"), type_, {c_.padded(), c_.width}),
                                        .indices = tensor(tokens_, {rows_}),
                                        .out = tensor(layers_[0].in, type_, {rows_, c_.width})});
  }

  // norm of input, or of sum = input + residual
  void norm_forward(Calls& to, const std::string& name, void* input, void* residual, void* sum, const Norm& n) {
    const adj_shape shape{2, {rows_, c_.width}};
    const adj_tensor none{}, x = tensor(input, type_, {rows_, c_.width}), y = tensor(n.out, type_, {rows_, c_.width});
    const adj_tensor r = residual ? tensor(residual, type_, {rows_, c_.width}) : none, s = residual ? tensor(sum, type_, {rows_, c_.width}) : none;
    const adj_tensor gamma = tensor(w_.norm(name + ".w"), stat_, {c_.width}), inv_std = tensor(n.inv_std, stat_, {rows_});
    if (c_.family == Family::gpt2)
      add(to, adjoint::LayerNormForwardDescriptor{.shape = shape, .has_residual = residual != nullptr, .element = type_, .weight = stat_},
          adjoint::LayerNormForwardArgs{.input = x,
                                        .residual = r,
                                        .gamma = gamma,
                                        .beta = tensor(w_.norm(name + ".b"), stat_, {c_.width}),
                                        .out = y,
                                        .sum = s,
                                        .mean = tensor(n.mean, stat_, {rows_}),
                                        .inv_std = inv_std});
    else
      add(to, adjoint::RmsNormForwardDescriptor{.shape = shape, .has_residual = residual != nullptr, .element = type_, .weight = stat_},
          adjoint::RmsNormForwardArgs{.input = x, .residual = r, .gamma = gamma, .out = y, .sum = s, .inv_std = inv_std});
  }

  void attention_forward(Calls& to, std::int64_t l) {
    const Layer& a = layers_[static_cast<std::size_t>(l)];
    linear_forward(to, a.norm1.out, rows_, c_.qkv_width(), c_.width, w_.value(of(l, "qkv.w")), bias(of(l, "qkv.b")), a.qkv);
    if (c_.family == Family::llama) {
      adjoint::RopeForwardDescriptor d{.batch = shape_.batch,
                                       .tokens = shape_.tokens,
                                       .heads = c_.heads,
                                       .kv_heads = c_.kv_heads,
                                       .head_dim = c_.head_dim,
                                       .base = kRopeBase,
                                       .epsilon = kEpsilon,
                                       .strides = strides(c_.qkv_width()),
                                       .out_strides = strides(rotated_width()),
                                       .element = type_};
      adjoint::RopeForwardArgs args{.input = span(a.qkv, c_.heads + c_.kv_heads, c_.qkv_width()),
                                    .out = span(a.rotated, c_.heads + c_.kv_heads, rotated_width())};
      if (c_.qk_norm) {
        d.weight = stat_;
        d.has_norm = 1;
        args.q_weight = tensor(w_.norm(of(l, "q_norm.w")), stat_, {c_.head_dim});
        args.k_weight = tensor(w_.norm(of(l, "k_norm.w")), stat_, {c_.head_dim});
      }
      add(to, d, args);
    }
    add(to,
        adjoint::AttentionForwardDescriptor{.batch = shape_.batch,
                                            .tokens = shape_.tokens,
                                            .heads = c_.heads,
                                            .kv_heads = c_.kv_heads,
                                            .head_dim = c_.head_dim,
                                            .q_strides = strides(rotated_width()),
                                            .k_strides = strides(rotated_width()),
                                            .v_strides = strides(c_.qkv_width()),
                                            .causal = 1,
                                            .element = type_},
        adjoint::AttentionForwardArgs{.q = q(a.rotated, rotated_width()),
                                      .k = k(a.rotated, rotated_width()),
                                      .v = v(a.qkv),
                                      .out = heads(a.attention),
                                      .lse = tensor(a.lse, stat_, {shape_.batch, c_.heads, shape_.tokens})});
    linear_forward(to, a.attention, rows_, c_.width, c_.q_width(), w_.value(of(l, "proj.w")), bias(of(l, "proj.b")), branch_);
    norm_forward(to, of(l, "norm2"), branch_, a.in, a.mid, a.norm2);
  }

  // Up to the result of the activation function.
  void up_forward(Calls& to, std::int64_t l) {
    const Layer& a = layers_[static_cast<std::size_t>(l)];
    const bool gpt2 = c_.family == Family::gpt2;
    linear_forward(to, a.norm2.out, rows_, c_.up_width(), c_.width, w_.value(of(l, "up.w")), bias(of(l, "up.b")), gpt2 ? a.act : a.up, gpt2 ? a.up : nullptr);
    if (!gpt2) activation_forward(to, l);
  }
  void activation_forward(Calls& to, std::int64_t l) {
    const Layer& a = layers_[static_cast<std::size_t>(l)];
    const adj_tensor up = tensor(a.up, type_, {rows_, c_.up_width()}), act = tensor(a.act, type_, {rows_, c_.hidden});
    if (c_.family == Family::gpt2)
      add(to, adjoint::ActivationForwardDescriptor{.outer = rows_, .inner = c_.hidden, .function = ADJ_ACTIVATION_GELU_TANH, .element = type_},
          adjoint::ActivationForwardArgs{.input = up, .out = act});
    else
      add(to, adjoint::GatedActivationForwardDescriptor{.outer = rows_, .inner = c_.hidden, .function = ADJ_GATED_ACTIVATION_SWIGLU, .element = type_},
          adjoint::GatedActivationForwardArgs{.input = up, .out = act});
  }

  // ---- pieces of the backward direction: dx is the gradient of the sum behind the piece, then of the sum before it

  void norm_backward(Calls& to, const std::string& name, void* dout, void* input, const Norm& n, void* dresidual) {
    const adj_shape shape{2, {rows_, c_.width}};
    const adj_tensor dy = tensor(dout, type_, {rows_, c_.width}), x = tensor(input, type_, {rows_, c_.width}), dx = tensor(dx_, type_, {rows_, c_.width});
    const adj_tensor more = dresidual ? tensor(dresidual, type_, {rows_, c_.width}) : adj_tensor{};
    const adj_tensor gamma = tensor(w_.norm(name + ".w"), stat_, {c_.width}), dgamma = tensor(w_.gradient(name + ".w"), stat_, {c_.width});
    const adj_tensor inv_std = tensor(n.inv_std, stat_, {rows_});
    if (c_.family == Family::gpt2)
      add(to, adjoint::LayerNormBackwardDescriptor{.shape = shape, .element = type_, .weight = stat_},
          adjoint::LayerNormBackwardArgs{.dout = dy,
                                         .input = x,
                                         .gamma = gamma,
                                         .mean = tensor(n.mean, stat_, {rows_}),
                                         .inv_std = inv_std,
                                         .dresidual = more,
                                         .dinput = dx,
                                         .dgamma = dgamma,
                                         .dbeta = tensor(w_.gradient(name + ".b"), stat_, {c_.width})});
    else
      add(to, adjoint::RmsNormBackwardDescriptor{.shape = shape, .element = type_, .weight = stat_},
          adjoint::RmsNormBackwardArgs{.dout = dy, .input = x, .gamma = gamma, .inv_std = inv_std, .dresidual = more, .dinput = dx, .dgamma = dgamma});
  }

  void mlp_backward(Calls& to, std::int64_t l) {
    const Layer& a = layers_[static_cast<std::size_t>(l)];
    weight_gradient(to, of(l, "down"), dx_, a.act, rows_, c_.width, c_.hidden);
    void* dup = scratch_;
    if (c_.family == Family::gpt2) {
      input_gradient(to, dx_, rows_, c_.width, c_.hidden, w_.value(of(l, "down.w")), dup, a.up);
    } else {
      input_gradient(to, dx_, rows_, c_.width, c_.hidden, w_.value(of(l, "down.w")), scratch_);
      dup = a.up;  // in place: nothing reads the input of the activation function any more
      add(to, adjoint::GatedActivationBackwardDescriptor{.outer = rows_, .inner = c_.hidden, .function = ADJ_GATED_ACTIVATION_SWIGLU, .element = type_},
          adjoint::GatedActivationBackwardArgs{.dout = tensor(scratch_, type_, {rows_, c_.hidden}),
                                               .input = tensor(a.up, type_, {rows_, c_.up_width()}),
                                               .dinput = tensor(dup, type_, {rows_, c_.up_width()})});
    }
    weight_gradient(to, of(l, "up"), dup, a.norm2.out, rows_, c_.up_width(), c_.width);
    input_gradient(to, dup, rows_, c_.up_width(), c_.width, w_.value(of(l, "up.w")), branch_);
    norm_backward(to, of(l, "norm2"), branch_, a.mid, a.norm2, dx_);
  }

  void attention_backward(Calls& to, std::int64_t l) {
    const Layer& a = layers_[static_cast<std::size_t>(l)];
    void *dattention = scratch_, *dqkv = Weights::at(scratch_, rows_ * c_.q_width(), type_);
    weight_gradient(to, of(l, "proj"), dx_, a.attention, rows_, c_.width, c_.q_width());
    input_gradient(to, dx_, rows_, c_.width, c_.q_width(), w_.value(of(l, "proj.w")), dattention);
    add(to,
        adjoint::AttentionBackwardDescriptor{.batch = shape_.batch,
                                             .tokens = shape_.tokens,
                                             .heads = c_.heads,
                                             .kv_heads = c_.kv_heads,
                                             .head_dim = c_.head_dim,
                                             .q_strides = strides(rotated_width()),
                                             .k_strides = strides(rotated_width()),
                                             .v_strides = strides(c_.qkv_width()),
                                             .dq_strides = strides(c_.qkv_width()),
                                             .dk_strides = strides(c_.qkv_width()),
                                             .dv_strides = strides(c_.qkv_width()),
                                             .causal = 1,
                                             .element = type_},
        adjoint::AttentionBackwardArgs{.dout = heads(dattention),
                                       .q = q(a.rotated, rotated_width()),
                                       .k = k(a.rotated, rotated_width()),
                                       .v = v(a.qkv),
                                       .out = heads(a.attention),
                                       .lse = tensor(a.lse, stat_, {shape_.batch, c_.heads, shape_.tokens}),
                                       .dq = q(dqkv, c_.qkv_width()),
                                       .dk = k(dqkv, c_.qkv_width()),
                                       .dv = v(dqkv)});
    if (c_.family == Family::llama) {
      adjoint::RopeBackwardDescriptor d{.batch = shape_.batch,
                                        .tokens = shape_.tokens,
                                        .heads = c_.heads,
                                        .kv_heads = c_.kv_heads,
                                        .head_dim = c_.head_dim,
                                        .base = kRopeBase,
                                        .epsilon = kEpsilon,
                                        .dout_strides = strides(c_.qkv_width()),
                                        .dinput_strides = strides(c_.qkv_width()),
                                        .element = type_};
      const adj_tensor dqk = span(dqkv, c_.heads + c_.kv_heads, c_.qkv_width());
      adjoint::RopeBackwardArgs args{.dout = dqk, .dinput = dqk};
      if (c_.qk_norm) {
        d.strides = strides(c_.qkv_width());
        d.weight = stat_;
        d.has_norm = 1;
        args.input = span(a.qkv, c_.heads + c_.kv_heads, c_.qkv_width());
        args.q_weight = tensor(w_.norm(of(l, "q_norm.w")), stat_, {c_.head_dim});
        args.k_weight = tensor(w_.norm(of(l, "k_norm.w")), stat_, {c_.head_dim});
        args.dq_weight = tensor(w_.gradient(of(l, "q_norm.w")), stat_, {c_.head_dim});
        args.dk_weight = tensor(w_.gradient(of(l, "k_norm.w")), stat_, {c_.head_dim});
      }
      add(to, d, args);
    }
    weight_gradient(to, of(l, "qkv"), dqkv, a.norm1.out, rows_, c_.qkv_width(), c_.width);
    input_gradient(to, dqkv, rows_, c_.qkv_width(), c_.width, w_.value(of(l, "qkv.w")), branch_);
    norm_backward(to, of(l, "norm1"), branch_, a.in, a.norm1, dx_);
  }

  // Computes again what the layer did not keep. The last layer's are still there.
  void recompute(Calls& to, std::int64_t l) {
    if (shape_.recompute == Recompute::none || l + 1 == c_.layers) return;
    const Layer& a = layers_[static_cast<std::size_t>(l)];
    const auto first = static_cast<std::ptrdiff_t>(to.size());
    norm_forward(to, of(l, "norm1"), a.in, nullptr, nullptr, a.norm1);
    if (shape_.recompute == Recompute::layer) {
      attention_forward(to, l);
      up_forward(to, l);
    } else {
      norm_forward(to, of(l, "norm2"), a.mid, nullptr, nullptr, a.norm2);
      activation_forward(to, l);
    }
    // A step asks for none of this: it takes time for the sake of memory.
    std::for_each(to.begin() + first, to.end(), [](Call& call) { call.work = {}; });
  }

  void embedding_backward(Calls& to) {
    void* dx = dx_;
    if (c_.mixed()) {  // the gradient of the table is in f32, so are its addends
      dx = scratch_;
      const std::int64_t numel[] = {rows_ * c_.width};
      add(to, adjoint::ScaleDescriptor{.count = 1, .numel = numel, .element = type_, .output = stat_},
          adjoint::ScaleArgs{.inputs = engine_.list(dx_, type_, numel[0]), .outputs = engine_.list(scratch_, stat_, numel[0])});
    }
    const adj_tensor dout = tensor(dx, stat_, {rows_, c_.width});
    const adj_write_mode mode = c_.tied ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE;  // a tied table has the gradient of the scores already
    if (c_.family == Family::gpt2)
      add(to,
          adjoint::EmbeddingBagBackwardDescriptor{.num_embeddings = c_.padded() + c_.context,
                                                  .embedding_dim = c_.width,
                                                  .num_indices = 2 * rows_,
                                                  .num_bags = rows_,
                                                  .mode = ADJ_BAG_SUM,
                                                  .write_mode = mode,
                                                  .element = stat_,
                                                  .index = ADJ_I32},
          adjoint::EmbeddingBagBackwardArgs{
              .dout = dout, .indices = tensor(tokens_, {rows_, 2}), .dweight = tensor(w_.gradient("wte"), stat_, {c_.padded() + c_.context, c_.width})});
    else
      add(to,
          adjoint::EmbeddingBackwardDescriptor{
              .num_embeddings = c_.padded(), .embedding_dim = c_.width, .num_indices = rows_, .write_mode = mode, .element = stat_, .index = ADJ_I32},
          adjoint::EmbeddingBackwardArgs{
              .dout = dout, .indices = tensor(tokens_, {rows_}), .dweight = tensor(w_.gradient("wte"), stat_, {c_.padded(), c_.width})});
  }

  // ---- the lists

  void build() {
    head_ = w_.value(c_.tied ? "wte" : "head.w");
    auto reads = [&](std::int64_t layer) { forward_reads_.push_back({forward_.size(), layer}); };
    reads(-1);
    embed(forward_);
    norm_forward(forward_, "0.norm1", layers_[0].in, nullptr, nullptr, layers_[0].norm1);
    for (std::int64_t l = 0; l < c_.layers; ++l) {
      const Layer& a = layers_[static_cast<std::size_t>(l)];
      reads(l);
      attention_forward(forward_, l);
      up_forward(forward_, l);
      linear_forward(forward_, a.act, rows_, c_.width, c_.hidden, w_.value(of(l, "down.w")), bias(of(l, "down.b")), branch_);
      if (l + 1 < c_.layers) {
        const Layer& next = layers_[static_cast<std::size_t>(l + 1)];
        norm_forward(forward_, of(l + 1, "norm1"), branch_, a.mid, next.in, next.norm1);
      } else {
        norm_forward(forward_, "norm", branch_, a.mid, last_sum_, last_);
      }
    }
    reads(c_.tied ? -1 : c_.layers);
    training_reads_ = forward_reads_;
    evaluation_ = training_ = forward_;
    if (c_.family == Family::gpt2 && shape_.training) {  // the gradient of wpe is added to, together with that of wte
      const std::int64_t numel[] = {c_.context * c_.width};
      add(training_, adjoint::ZeroDescriptor{.count = 1, .numel = numel, .element = stat_},
          adjoint::ZeroArgs{.outputs = engine_.list(w_.gradient("wpe"), stat_, numel[0])});
    }
    if (shape_.head == Head::fused) fused_score();
    else
      for (std::int64_t i = 0; i < chunks_; ++i) score(i);
    if (!shape_.training) return;
    auto complete = [&](std::int64_t layer) { completed_.push_back({training_.size(), layer}); };
    auto reads_again = [&](std::int64_t layer) { training_reads_.push_back({training_.size(), layer}); };
    if (!c_.tied) complete(c_.layers);
    reads_again(c_.layers - 1);
    norm_backward(training_, "norm", dx_, last_sum_, last_, nullptr);
    for (std::int64_t l = c_.layers - 1; l >= 0; --l) {
      recompute(training_, l);
      mlp_backward(training_, l);
      attention_backward(training_, l);
      complete(l);
      if (l > 0) reads_again(l - 1);
    }
    embedding_backward(training_);
    complete(-1);
  }

  // Scores, loss and, in training, the gradients of a part of the rows. The gradient of the scores takes their place.
  void score(std::int64_t chunk) {
    const std::int64_t n = rows_ / chunks_;
    void *x = Weights::at(last_.out, chunk * n * c_.width, type_), *loss = Weights::at(w_.losses, chunk, stat_);
    std::int32_t* targets = tokens_ + token_numbers() + chunk * n;
    Calls calls;
    linear_forward(calls, x, n, c_.padded(), c_.width, head_, nullptr, scratch_);
    const adj_tensor scores = tensor(scratch_, type_, {n, c_.padded()});
    add(calls,
        adjoint::CrossEntropyWithGradientDescriptor{
            .samples = n, .num_classes = c_.vocabulary, .padded_classes = c_.padded(), .element = type_, .label = ADJ_I32},
        adjoint::CrossEntropyWithGradientArgs{.scores = scores,
                                              .labels = tensor(targets, {n}),
                                              .dloss = adjoint::value(1.0 / static_cast<double>(chunks_ * shape_.parts)),
                                              .loss = tensor(loss, stat_, {1}),
                                              .dscores = scores});
    evaluation_.insert(evaluation_.end(), calls.begin(), calls.end());
    if (!shape_.training) return;
    training_.insert(training_.end(), calls.begin(), calls.end());
    input_gradient(training_, scratch_, n, c_.padded(), c_.width, head_, Weights::at(dx_, chunk * n * c_.width, type_));
    weight_gradient(training_, c_.tied ? "wte" : "head", scratch_, x, n, c_.padded(), c_.width, chunk > 0);
  }

  // The same of all rows as one call, which holds some rows of scores at a time. The loss alone is the same call without gradients.
  void fused_score() {
    auto call = [&](Calls& to, bool with_gradient) {
      adjoint::LinearCrossEntropyDescriptor d{.samples = rows_,
                                              .hidden = c_.width,
                                              .num_classes = c_.vocabulary,
                                              .padded_classes = c_.padded(),
                                              .chunk_rows = score_rows(),
                                              .with_gradient = with_gradient,
                                              .element = type_,
                                              .label = ADJ_I32};
      adjoint::LinearCrossEntropyArgs args{.input = tensor(last_.out, type_, {rows_, c_.width}),
                                           .linear_weight = tensor(head_, type_, {c_.padded(), c_.width}),
                                           .labels = tensor(tokens_ + token_numbers(), {rows_}),
                                           .dloss = adjoint::value(1.0 / static_cast<double>(shape_.parts)),
                                           .loss = tensor(w_.losses, stat_, {1})};
      if (with_gradient) {
        d.gradient = stat_;
        args.dinput = tensor(dx_, type_, {rows_, c_.width});
        args.dlinear_weight = tensor(w_.gradient(c_.tied ? "wte" : "head.w"), stat_, {c_.padded(), c_.width});
      }
      add(to, d, args);
    };
    call(evaluation_, false);
    if (shape_.training) call(training_, true);
  }

  // dW = dy^T x and, where the layer has a bias, db = sums of the rows of dy.
  void weight_gradient(Calls& to, const std::string& name, void* dy, void* x, std::int64_t rows, std::int64_t out, std::int64_t in, bool accumulate = false) {
    const bool alone = name == "wte" || name == "head";
    parameter_gradients(to, dy, x, rows, out, in, w_.gradient(name == "wte" ? name : name + ".w"), alone ? nullptr : bias_gradient(name + ".b"), accumulate);
  }

  // ---- heads within rows

  std::int64_t rotated_width() const { return c_.qk_norm ? c_.qk_width() : c_.qkv_width(); }
  adj_tensor heads(void* data) const { return tensor(data, type_, {shape_.batch, shape_.tokens, c_.heads, c_.head_dim}); }
  static adj_axes strides(std::int64_t row) { return {3, {0, row, 0}}; }
  // The first `heads` heads of every row of `row` elements.
  adj_tensor span(void* data, std::int64_t heads, std::int64_t row) const {
    adj_tensor t;
    t.data = data;
    t.bytes = static_cast<std::uint64_t>((rows_ - 1) * row + heads * c_.head_dim) * size_of(type_);
    t.dtype = type_;
    return t;
  }
  adj_tensor q(void* data, std::int64_t row) const { return span(data, c_.heads, row); }
  adj_tensor k(void* data, std::int64_t row) const { return span(Weights::at(data, c_.q_width(), type_), c_.kv_heads, row); }
  adj_tensor v(void* data) const { return span(Weights::at(data, c_.qk_width(), type_), c_.kv_heads, c_.qkv_width()); }

  // A fused head holds a fourth of score_bytes, and at most so many rows: its products are as fast as larger ones.
  static constexpr std::uint64_t kFusedPart = 4;
  static constexpr std::int64_t kFusedRows = 2048;

  const Config c_;
  const Weights w_;
  const Shape shape_;
  const std::int64_t rows_;
  std::int64_t chunks_ = 1;
  Arena arena_, shared_;  // activations; scratch_
  std::int32_t* tokens_ = nullptr;
  std::vector<Layer> layers_;
  Norm last_;  // of the last norm
  void* last_sum_ = nullptr;  // what it normalises
  void* branch_ = nullptr;  // result of a branch before it is added; in the backward direction the gradient behind a norm
  void* dx_ = nullptr;  // gradient of the sum
  void* scratch_ = nullptr;
  void* head_ = nullptr;  // weight of the scores
  Calls forward_, training_, evaluation_;
  std::vector<Turn> completed_, training_reads_, forward_reads_;
};

}  // namespace gpt
