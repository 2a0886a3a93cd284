// The problems that are measured. Names and contents agree with tools/bench/peers.py.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/text.hpp"
#include "bench/bench.hpp"
#include "cli/descriptor.hpp"

namespace bench {

namespace {

double size(adj_dtype dtype) { return adj::size_of(dtype); }

std::vector<std::int64_t> draw_indices(const std::string& distribution, std::int64_t count, std::int64_t n) {
  std::mt19937_64 rng(7);
  harness::Data data;
  data.dtype = ADJ_I64;
  data.bytes.resize(static_cast<std::size_t>(count) * 8);
  if (distribution == "uniform") harness::fill_integers(data, rng, 0, n - 1);
  if (distribution == "zipf") harness::fill_zipf(data, rng, n, 1.1);
  if (distribution == "one-row") harness::fill_constant(data, 17);
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  std::memcpy(values.data(), data.bytes.data(), data.bytes.size());
  return values;
}

// Indices that are drawn when they are asked for.
struct Indices {
  std::string distribution;
  std::int64_t count, n;
  std::vector<std::int64_t> operator()() const { return draw_indices(distribution, count, n); }
  double distinct() const {
    auto values = (*this)();
    std::sort(values.begin(), values.end());
    return static_cast<double>(std::unique(values.begin(), values.end()) - values.begin());
  }
};

Case index_plan(std::int64_t t, std::int64_t v, const std::string& distribution) {
  const Indices indices{distribution, t, v};
  return {fmt::format("index_plan T{} V{} {}", t, v, distribution), static_cast<double>(t) * 16, [=](const Gpu& gpu) {
            adj_index_plan_descriptor desc{.num_embeddings = v, .num_indices = t, .index = ADJ_I64};
            auto b = std::make_unique<Buffers>(gpu, &desc.header);
            b->values("indices", indices());
            b->omit("error_flag");
            return b;
          }};
}

// `shared`: the gradient takes an index plan.
Case embedding_backward(adj_dtype element, std::int64_t t, std::int64_t v, std::int64_t d, const std::string& distribution, bool accumulate,
                        bool shared = false) {
  const Indices indices{distribution, t, v};
  return {fmt::format("embedding_backward {} {} T{} V{} D{} {}{}", accumulate ? "accumulate" : "overwrite", adj::dtype_name(element), t, v, d, distribution,
                      shared ? ", index plan" : ""),
          [=] {
            const double rows = accumulate ? 2 * indices.distinct() : static_cast<double>(v);
            return (static_cast<double>(t) + rows) * static_cast<double>(d) * size(element) + static_cast<double>(t) * 8;
          },
          [=](const Gpu& gpu) {
            adj_embedding_backward_descriptor desc{.num_embeddings = v,
                                                   .embedding_dim = d,
                                                   .num_indices = t,
                                                   .write_mode = accumulate ? ADJ_WRITE_ACCUMULATE : ADJ_WRITE_OVERWRITE,
                                                   .use_index_plan = shared,
                                                   .element = element,
                                                   .index = ADJ_I64};
            auto b = std::make_unique<Buffers>(gpu, &desc.header);
            if (shared) {
              std::vector<std::int64_t> rows = indices(), order(rows.size());
              std::iota(order.begin(), order.end(), 0);
              std::ranges::sort(order, {}, [&](std::int64_t i) { return std::pair(rows[static_cast<std::size_t>(i)], i); });
              std::sort(rows.begin(), rows.end());
              b->values("sorted_rows", rows);
              b->values("order", order);
            } else {
              b->values("indices", indices());
            }
            b->omit("error_flag");
            return b;
          }};
}

Case gather_backward(adj_dtype element, std::int64_t outer, std::int64_t extent, std::int64_t inner, std::int64_t count, const std::string& distribution) {
  const Indices indices{distribution, count, extent};
  return {fmt::format("gather_backward {} {}x{}x{} axis 1, {} indices {}", adj::dtype_name(element), outer, extent, inner, count, distribution),
          static_cast<double>(outer) * static_cast<double>(count + extent) * static_cast<double>(inner) * size(element) + static_cast<double>(count) * 8,
          [=](const Gpu& gpu) {
            adj_gather_backward_descriptor desc{.outer = outer, .extent = extent, .inner = inner, .num_indices = count, .element = element, .index = ADJ_I64};
            auto b = std::make_unique<Buffers>(gpu, &desc.header);
            b->values("indices", indices());
            b->omit("error_flag");
            return b;
          }};
}

Case embedding_forward(adj_dtype element, std::int64_t t, std::int64_t v, std::int64_t d) {
  const Indices indices{"uniform", t, v};
  return {fmt::format("embedding_forward {} T{} V{} D{} uniform", adj::dtype_name(element), t, v, d),
          [=] { return (indices.distinct() + static_cast<double>(t)) * static_cast<double>(d) * size(element) + static_cast<double>(t) * 8; },
          [=](const Gpu& gpu) {
            adj_embedding_forward_descriptor desc{.num_embeddings = v, .embedding_dim = d, .num_indices = t, .element = element, .index = ADJ_I64};
            auto b = std::make_unique<Buffers>(gpu, &desc.header);
            b->values("indices", indices());
            b->omit("error_flag");
            return b;
          }};
}

// Bags of equal length with offsets, as most programs pass them.
struct BagShape {
  std::int64_t bags, length, rows, columns;
  std::int64_t positions() const { return bags * length; }
  std::vector<std::int64_t> offsets() const {
    std::vector<std::int64_t> list;
    for (std::int64_t b = 0; b < bags; ++b) list.push_back(b * length);
    return list;
  }
  template <class Descriptor>
  void describe(Descriptor& d, adj_dtype element) const {
    d.num_embeddings = rows;
    d.embedding_dim = columns;
    d.num_indices = positions();
    d.num_bags = bags;
    d.element = element;
    d.index = ADJ_I64;
    d.has_offsets = 1;
  }
};

const char* bag_mode_name(adj_bag_mode mode) { return mode == ADJ_BAG_SUM ? "sum" : mode == ADJ_BAG_MEAN ? "mean" : "max"; }

Case embedding_bag(bool backward, adj_dtype element, adj_bag_mode mode, const BagShape& s, const std::string& distribution) {
  const Indices indices{distribution, s.positions(), s.rows};
  auto bytes = [=] {
    const double bag_elements = static_cast<double>(s.bags * s.columns), rows = backward ? static_cast<double>(s.rows) : indices.distinct();
    return (rows * static_cast<double>(s.columns) + bag_elements) * size(element) + static_cast<double>(s.positions() + s.bags) * 8 +
           (mode == ADJ_BAG_MAX ? bag_elements * 4 : 0);
  };
  return {fmt::format("embedding_bag_{} {} {} B{} of {} V{} D{} {}", backward ? "backward" : "forward", bag_mode_name(mode), adj::dtype_name(element), s.bags,
                      s.length, s.rows, s.columns, distribution),
          bytes, [=](const Gpu& gpu) {
            adj_embedding_bag_forward_descriptor out;
            adj_embedding_bag_backward_descriptor in;
            s.describe(out, element);
            s.describe(in, element);
            out.mode = in.mode = mode;
            auto b = std::make_unique<Buffers>(gpu, backward ? &in.header : &out.header);
            b->values("indices", indices());
            b->values("offsets", s.offsets());
            if (backward && mode == ADJ_BAG_MAX) {
              std::vector<std::int64_t> positions;
              std::mt19937_64 rng(3);
              for (std::int64_t i = 0; i < s.bags * s.columns; ++i)
                positions.push_back(i / s.columns * s.length + static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(s.length)));
              b->values("max_positions", positions);
            }
            b->omit("error_flag");
            return b;
          }};
}

Case embedding_bag_sample_weights(adj_dtype element, const BagShape& s, const std::string& distribution) {
  const Indices indices{distribution, s.positions(), s.rows};
  return {fmt::format("embedding_bag_per_sample_weights_backward {} B{} of {} V{} D{} {}", adj::dtype_name(element), s.bags, s.length, s.rows, s.columns,
                      distribution),
          [=] {
            return (indices.distinct() + static_cast<double>(s.bags)) * static_cast<double>(s.columns) * size(element) +
                   static_cast<double>(s.positions()) * (8 + size(element)) + static_cast<double>(s.bags) * 8;
          },
          [=](const Gpu& gpu) {
            adj_embedding_bag_per_sample_weights_backward_descriptor desc;
            s.describe(desc, element);
            auto b = std::make_unique<Buffers>(gpu, &desc.header);
            b->values("indices", indices());
            b->values("offsets", s.offsets());
            b->omit("error_flag");
            return b;
          }};
}

Case cross_entropy_forward(adj_dtype element, std::int64_t n, std::int64_t c) {
  return {fmt::format("cross_entropy forward {} {}x{}", adj::dtype_name(element), n, c), static_cast<double>(n) * static_cast<double>(c) * size(element),
          [=](const Gpu& gpu) {
            adj_softmax_cross_entropy_loss_descriptor desc{.batch = n, .num_classes = c, .element = element, .label = ADJ_I64};
            auto b = std::make_unique<Buffers>(gpu, &desc.header);
            b->values("labels", draw_indices("uniform", n, c));
            b->omit("log_prob");
            b->omit("error_flag");
            return b;
          }};
}

Case cross_entropy_backward(adj_dtype element, std::int64_t n, std::int64_t c) {
  return {fmt::format("cross_entropy backward {} {}x{}", adj::dtype_name(element), n, c), 2 * static_cast<double>(n) * static_cast<double>(c) * size(element),
          [=](const Gpu& gpu) {
            adj_softmax_cross_entropy_loss_backward_descriptor desc{.batch = n, .num_classes = c, .from_scores = 1, .element = element, .label = ADJ_I64};
            auto b = std::make_unique<Buffers>(gpu, &desc.header);
            b->values("labels", draw_indices("uniform", n, c));
            b->constant("dloss", 1);
            b->omit("bias");
            b->omit("error_flag");
            return b;
          }};
}

template <class Descriptor>
Case softmax_backward(const char* name, adj_dtype element, std::int64_t outer, std::int64_t extent, std::int64_t inner) {
  const std::string shape = inner == 1 ? fmt::format("{}x{}", outer, extent) : fmt::format("{}x{}x{} axis 1", outer, extent, inner);
  return {fmt::format("{} {} {}", name, adj::dtype_name(element), shape),
          3 * static_cast<double>(outer) * static_cast<double>(extent) * static_cast<double>(inner) * size(element), [=](const Gpu& gpu) {
            Descriptor desc{.outer = outer, .extent = extent, .inner = inner, .element = element};
            return std::make_unique<Buffers>(gpu, &desc.header);
          }};
}

// AdamW: adam with a decay. own: each tensor has its own learning rate and decay.
Case adamw(const std::string& name, adj_dtype grad, adj_dtype copy, const std::vector<std::int64_t>& numel, double bytes_per_parameter, bool own = false) {
  double total = 0;
  for (std::int64_t n : numel) total += static_cast<double>(n);
  return {"adamw " + name, total * bytes_per_parameter, [=](const Gpu& gpu) {
            adj_adam_descriptor desc{
                .count = std::ssize(numel), .numel = numel.data(), .weight_decay = 0.01, .param = ADJ_F32, .grad = grad, .state = ADJ_F32, .copy = copy};
            auto b = std::make_unique<Buffers>(gpu, &desc.header);
            b->positive("exp_avg_sq");
            b->scalar("lr", 1e-3);
            b->scalar("step", 10);
            b->scalar("grad_scale", 1);
            for (const char* numbers : {"lr_of", "weight_decay_of"}) {
              if (own) b->positive(numbers);
              else b->omit(numbers);
            }
            b->omit("found_inf");
            b->omit("error_flag");
            return b;
          }};
}

Case sgd(const std::string& name, const std::vector<std::int64_t>& numel) {
  double total = 0;
  for (std::int64_t n : numel) total += static_cast<double>(n);
  return {"sgd momentum " + name, total * 20, [=](const Gpu& gpu) {
            adj_sgd_descriptor desc{.count = std::ssize(numel), .numel = numel.data(), .momentum = 0.9, .param = ADJ_F32, .state = ADJ_F32};
            auto b = std::make_unique<Buffers>(gpu, &desc.header);
            b->scalar("lr", 1e-3);
            b->scalar("grad_scale", 1);
            b->omit("found_inf");
            return b;
          }};
}

// What optimizers that draw random bits have in common: keys of tensors, and scalars of a call that skips nothing.
std::vector<std::int64_t> keys_of(const std::vector<std::int64_t>& numel) {
  std::vector<std::int64_t> keys(numel.size());
  std::iota(keys.begin(), keys.end(), 0);
  return keys;
}
std::unique_ptr<Buffers> random_step(const Gpu& gpu, const adj_header* descriptor) {
  auto b = std::make_unique<Buffers>(gpu, descriptor);
  b->scalar("lr", 1e-4);
  b->scalar("step", 10);
  b->scalar("grad_scale", 1);
  b->omit("found_inf");
  b->omit("error_flag");
  return b;
}
// AdamW of one type for weights, gradients and moments.
Case adamw_of(adj_dtype type, const std::string& name, const std::vector<std::int64_t>& numel, bool stochastic) {
  double total = 0;
  for (std::int64_t n : numel) total += static_cast<double>(n);
  return {"adamw " + name, total * 7 * size(type), [=](const Gpu& gpu) {
            const std::vector<std::int64_t> keys = keys_of(stochastic ? numel : std::vector<std::int64_t>{});
            adj_adam_descriptor desc{.count = std::ssize(numel),
                                     .numel = numel.data(),
                                     .tensor_key_count = std::ssize(keys),
                                     .tensor_keys = keys.data(),
                                     .weight_decay = 0.01,
                                     .stochastic_rounding = stochastic,
                                     .param = type};
            auto b = random_step(gpu, &desc.header);
            b->positive("exp_avg_sq");
            b->omit("lr_of");
            b->omit("weight_decay_of");
            return b;
          }};
}
Case lion(const std::string& name, adj_dtype type, const std::vector<std::int64_t>& numel, bool stochastic) {
  double total = 0;
  for (std::int64_t n : numel) total += static_cast<double>(n);
  return {"lion " + name, total * 5 * size(type), [=](const Gpu& gpu) {
            const std::vector<std::int64_t> keys = keys_of(stochastic ? numel : std::vector<std::int64_t>{});
            adj_lion_descriptor desc{.count = std::ssize(numel),
                                     .numel = numel.data(),
                                     .tensor_key_count = std::ssize(keys),
                                     .tensor_keys = keys.data(),
                                     .stochastic_rounding = stochastic,
                                     .param = type};
            return random_step(gpu, &desc.header);
          }};
}
Case adamw_8bit(const std::string& name, adj_dtype type, const std::vector<std::int64_t>& numel, bool stochastic) {
  double total = 0;
  for (std::int64_t n : numel) total += static_cast<double>(n);
  return {"adamw_8bit " + name, total * (3 * size(type) + 4 + 16.0 / 256), [=](const Gpu& gpu) {
            const std::vector<std::int64_t> keys = keys_of(numel);
            adj_adamw_8bit_descriptor desc{.count = std::ssize(numel),
                                           .numel = numel.data(),
                                           .tensor_key_count = std::ssize(keys),
                                           .tensor_keys = keys.data(),
                                           .stochastic_rounding = stochastic,
                                           .param = type};
            auto b = random_step(gpu, &desc.header);
            b->below("exp_avg", 256);
            b->below("exp_avg_sq", 249);
            b->positive("exp_avg_scale");
            b->positive("exp_avg_sq_scale");
            return b;
          }};
}

// Case of tensors [rows, lengths[i]] that are joined, or split, on axis 1.
template <class Descriptor>
Case joined(const std::string& name, adj_dtype element, std::int64_t rows, const std::vector<std::int64_t>& lengths) {
  double total = 0;
  for (std::int64_t n : lengths) total += static_cast<double>(n);
  return {fmt::format("{} {}", name, adj::dtype_name(element)), 2 * total * static_cast<double>(rows) * size(element), [=](const Gpu& gpu) {
            Descriptor desc;
            desc.outer = rows;
            desc.count = static_cast<std::int64_t>(lengths.size());
            desc.lengths = lengths.data();
            desc.element = element;
            auto b = std::make_unique<Buffers>(gpu, &desc.header);
            if constexpr (std::is_same_v<Descriptor, adj_concat_descriptor>) b->omit("lengths_out");
            return b;
          }};
}
void add_joined(std::vector<Case>& cases, const std::string& name, adj_dtype element, std::int64_t rows, const std::vector<std::int64_t>& lengths) {
  cases.push_back(joined<adj_concat_descriptor>("concat " + name, element, rows, lengths));
  cases.push_back(joined<adj_split_descriptor>("split " + name, element, rows, lengths));
}
// Odd lengths around 1000.
std::vector<std::int64_t> odd_lengths(std::int64_t count) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < count; ++i) lengths.push_back(501 + i * 37 % 500 * 2);
  return lengths;
}

// Tensor sizes of a model: `count` of them, varied around the mean, adding up to about `total`.
std::vector<std::int64_t> model_sizes(std::int64_t count, std::int64_t total) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < count; ++i) sizes.push_back(std::max<std::int64_t>(1, total / count * (50 + i * 37 % 101) / 100));
  return sizes;
}

// Cases that a line describes in full.
constexpr const char* kLines[] = {
    "activation_backward outer=16384 inner=4096 function=relu saved=output element=bf16",
    "activation_backward outer=16384 inner=4096 function=sigmoid saved=output element=bf16",
    "activation_backward outer=16384 inner=4096 function=gelu element=bf16",
    "activation_backward outer=16384 inner=4096 function=gelu element=f32",
    "activation_backward outer=16384 inner=4096 function=gelu_tanh element=bf16",
    "activation_backward outer=16384 inner=4096 function=gelu has_bias=1 has_dbias=1 element=bf16",
    "activation_forward outer=16384 inner=4096 function=gelu element=bf16",
    "activation_forward outer=16384 inner=4096 function=relu_squared element=bf16",
    "activation_backward outer=16384 inner=4096 function=relu_squared element=bf16",
    "gated_activation_backward outer=16384 inner=14336 function=swiglu element=bf16",
    "gated_activation_forward outer=16384 inner=14336 function=swiglu element=bf16",
    "gated_activation_backward outer=16384 inner=14336 function=geglu_tanh element=bf16",
    "gated_activation_forward outer=16384 inner=14336 function=geglu_tanh element=bf16",
    "dropout_forward numel=268435456 element=bf16 mask=bits training=1 ratio:0.1",
    "dropout_forward numel=268435456 element=bf16 mask=bool training=1 ratio:0.1",
    "dropout_backward numel=268435456 element=bf16 mask=bits training=1 ratio:0.1",
    "dropout_backward numel=268435456 element=bf16 mask=bool training=1 ratio:0.1",
    "softmax_dropout_backward rows=393216 columns=512 element=bf16 mask=bool ratio:0.1",
    "bias_softmax_dropout_forward rows=393216 columns=512 bias_rows=512 element=bf16 mask=bool +bias ratio:0.1",
    "softmax_forward outer=16384 extent=4096 inner=1 element=bf16",
    "attention_forward batch=64 tokens=1024 heads=12 head_dim=64 causal=1 element=bf16",
    "attention_forward batch=4 tokens=4096 heads=32 kv_heads=8 head_dim=64 causal=1 element=bf16",
    "attention_forward batch=2 tokens=8192 heads=32 kv_heads=8 head_dim=128 causal=1 element=bf16",
    "attention_backward batch=64 tokens=1024 heads=12 head_dim=64 causal=1 element=bf16",
    "attention_backward batch=4 tokens=4096 heads=32 kv_heads=8 head_dim=64 causal=1 element=bf16",
    "attention_backward batch=2 tokens=8192 heads=32 kv_heads=8 head_dim=128 causal=1 element=bf16",
    "cross_entropy_with_gradient samples=8192 num_classes=128256 element=bf16 label=i64 labels:<128256 dloss:1 dscores:scores",
    "cross_entropy_with_gradient samples=16384 num_classes=50257 element=bf16 label=i64 labels:<50257 dloss:1 dscores:scores",
    "cross_entropy_with_gradient samples=16384 num_classes=50257 padded_classes=50304 element=bf16 label=i64 labels:<50257 dloss:1 dscores:scores",
    "cross_entropy_with_gradient samples=8192 num_classes=32000 element=bf16 label=i64 labels:<32000 dloss:1 dscores:scores",
    "log_prob_entropy samples=8192 num_classes=151936 element=bf16 label=i64 labels:<151936 +entropy",
    "gist_encode outer=1 inner=67108864 format=pack8 element=f32",
    "gist_decode outer=1 inner=67108864 format=pack8 element=f32",
    "fake_quantize_forward outer=1 channels=1 inner=67108864 quant_min=0 quant_max=255 element=f32 scale:0.1 zero_point:128 +mask",
    "fake_quantize_backward numel=67108864 element=f32",
    "quantize rows=16384 columns=4096 element=bf16",
    "quantize rows=16384 columns=4096 granularity=block_1x128 has_transposed=1 element=bf16 +inverse_out +inverse_t_out",
    "scaled_matmul m=8192 n=8192 k=8192 code_a=f8_e4m3 code_b=f8_e4m3 out=bf16 a:in b:in scale_a:1 scale_b:1",
    "amax numel=300x1666666 element=bf16",
    "div_backward a_shape=16384,4096 b_shape=16384,4096 element=f32",
    "div_backward a_shape=16384,4096 b_shape=4096 element=f32",
    "adam numel=300x3333333 param=f32 grad=f32 state=f32 grads:in exp_avg_sq:positive lr:0.001 step:10 grad_scale:1",
    "adam numel=2000x50000 param=f32 grad=f32 state=f32 grads:in exp_avg_sq:positive lr:0.001 step:10 grad_scale:1",
    "lamb numel=300x3333333 param=f32 grad=f32 state=f32 grads:in exp_avg_sq:positive lr:0.001 step:10 grad_scale:1",
    "lamb numel=2000x50000 param=f32 grad=f32 state=f32 grads:in exp_avg_sq:positive lr:0.001 step:10 grad_scale:1",
    "clip_grad_norm numel=300x3333333 grad=f32 max_norm=1 grad_scale:1",
    "clip_grad_norm numel=2000x50000 grad=f32 max_norm=1 grad_scale:1",
    "l2_norm numel=300x1666666 element=bf16 output=f32",
    "l2_norm numel=2000x250000 element=bf16 output=f32",
    "all_finite numel=300x1666666 element=bf16",
    "scale numel=300x1666666 element=bf16 output=bf16 scale:0.5",
    "accumulate numel=300x1666666 element=f32 value=bf16 outputs:sums update:1",
    "zero numel=300x1666666 element=bf16",
    "reduce shape=16384,4096 axes=1 kind=sum element=f32",
    "reduce shape=16384,4096 axes=1 kind=sum element=bf16",
    "reduce shape=16384,4096 axes=0 kind=sum element=f32",
    "reduce shape=16384,4096 axes=0 kind=sum element=bf16",
    "reduce shape=64,1024,1024 axes=1 kind=sum element=f32",
    "reduce shape=64,1024,1024 axes=1 kind=sum element=bf16",
    "reduce shape=262144 axes=0 kind=sum element=f32",
    "rms_norm_backward shape=16384,4096 axis=1 element=bf16 has_dgamma=1 inv_std:positive",
    "rms_norm_backward shape=8192,8192 axis=1 element=bf16 has_dgamma=1 inv_std:positive",
    "rms_norm_backward shape=4096,16384 axis=1 element=bf16 has_dgamma=1 inv_std:positive",
    "rms_norm_backward shape=2048,32768 axis=1 element=bf16 has_dgamma=1 inv_std:positive",
    "rms_norm_backward shape=2048,4096 axis=1 element=bf16 has_dgamma=1 inv_std:positive",
    "rms_norm_backward shape=131072,128 axis=1 element=bf16 has_dgamma=1 inv_std:positive",
    "rms_norm_backward shape=8192,128 axis=1 element=bf16 has_dgamma=1 inv_std:positive",
    "layer_norm_backward shape=16384,4096 axis=1 element=bf16 has_dgamma=1 has_dbeta=1 inv_std:positive",
    "layer_norm_backward shape=8192,8192 axis=1 element=bf16 has_dgamma=1 has_dbeta=1 inv_std:positive",
    "layer_norm_backward shape=16384,1024 axis=1 element=bf16 has_dgamma=1 has_dbeta=1 inv_std:positive",
    "layer_norm_backward shape=1024,12288 axis=1 element=bf16 has_dgamma=1 has_dbeta=1 inv_std:positive",
    "rope_forward tokens=8192 heads=32 kv_heads=8 head_dim=128 base=500000 element=bf16 out:in",
    "rope_backward tokens=8192 heads=32 kv_heads=8 head_dim=128 base=500000 element=bf16 dinput:in",
    "rope_forward tokens=8192 heads=32 kv_heads=8 head_dim=128 base=500000 has_norm=1 element=bf16 out:in",
    "rope_backward tokens=8192 heads=32 kv_heads=8 head_dim=128 base=500000 has_norm=1 element=bf16 dinput:in",
    "transpose rows=16384 columns=16384 element=bf16",
    "fill numel=268435456 element=bf16 value:1",
    "normal numel=268435456 element=bf16 mean:0 std:0.02",
    "rms_norm_forward shape=16384,4096 axis=1 element=bf16 +gamma +inv_std",
    "rms_norm_forward shape=8192,8192 axis=1 element=bf16 +gamma +inv_std",
    "layer_norm_forward shape=16384,4096 axis=1 element=bf16 +gamma +beta +mean +inv_std",
    "batch_norm_forward outer=64 channels=256 inner=3136 element=f16 weight=f32 stats=f32 training=1 +scale +bias +saved_mean +saved_inv_std",
    "batch_norm_backward outer=64 channels=256 inner=3136 element=f16 weight=f32 stats=f32 +scale +saved_mean +saved_inv_std +dscale +dbias "
    "saved_inv_std:positive",
    "batch_norm_backward outer=200704 channels=256 inner=1 element=f16 weight=f32 stats=f32 +scale +saved_mean +saved_inv_std +dscale +dbias "
    "saved_inv_std:positive",
    "conv_backward input=64,256,56,56 weight=256,256,3,3 out=64,256,56,56 strides=1,1 pads=1,1,1,1 dilations=1,1 element=f16 has_dinput=1 has_dweight=1",
    "conv_forward input=64,256,56,56 weight=64,256,1,1 out=64,64,56,56 strides=1,1 pads=0,0,0,0 dilations=1,1 element=f16",
    "conv_forward input=64,56,56,256 weight=64,1,1,256 out=64,56,56,64 strides=1,1 pads=0,0,0,0 dilations=1,1 element=f16 channels_last=1",
    "conv_backward input=64,256,56,56 weight=64,256,1,1 out=64,64,56,56 strides=1,1 pads=0,0,0,0 dilations=1,1 element=f16 has_dinput=1 has_dweight=1",
    "conv_backward input=64,56,56,256 weight=64,1,1,256 out=64,56,56,64 strides=1,1 pads=0,0,0,0 dilations=1,1 element=f16 channels_last=1 has_dinput=1 "
    "has_dweight=1",
    "conv_forward input=64,256,14,14 weight=256,256,3,3 out=64,256,14,14 strides=1,1 pads=1,1,1,1 dilations=1,1 element=f16",
    "conv_forward input=64,14,14,256 weight=256,3,3,256 out=64,14,14,256 strides=1,1 pads=1,1,1,1 dilations=1,1 element=f16 channels_last=1",
    "conv_backward input=64,256,14,14 weight=256,256,3,3 out=64,256,14,14 strides=1,1 pads=1,1,1,1 dilations=1,1 element=f16 has_dinput=1 has_dweight=1",
    "conv_backward input=64,14,14,256 weight=256,3,3,256 out=64,14,14,256 strides=1,1 pads=1,1,1,1 dilations=1,1 element=f16 channels_last=1 has_dinput=1 "
    "has_dweight=1",
    "conv_forward input=64,128,56,56 weight=256,128,3,3 out=64,256,28,28 strides=2,2 pads=1,1,1,1 dilations=1,1 element=f16",
    "conv_forward input=64,56,56,128 weight=256,3,3,128 out=64,28,28,256 strides=2,2 pads=1,1,1,1 dilations=1,1 element=f16 channels_last=1",
    "conv_backward input=64,128,56,56 weight=256,128,3,3 out=64,256,28,28 strides=2,2 pads=1,1,1,1 dilations=1,1 element=f16 has_dinput=1 has_dweight=1",
    "conv_backward input=64,56,56,128 weight=256,3,3,128 out=64,28,28,256 strides=2,2 pads=1,1,1,1 dilations=1,1 element=f16 channels_last=1 has_dinput=1 "
    "has_dweight=1",
    "conv_forward input=64,256,56,56 weight=256,1,3,3 out=64,256,56,56 strides=1,1 pads=1,1,1,1 dilations=1,1 groups=256 element=f16",
    "conv_forward input=64,56,56,256 weight=256,3,3,1 out=64,56,56,256 strides=1,1 pads=1,1,1,1 dilations=1,1 groups=256 element=f16 channels_last=1",
    "conv_backward input=64,256,56,56 weight=256,1,3,3 out=64,256,56,56 strides=1,1 pads=1,1,1,1 dilations=1,1 groups=256 element=f16 has_dinput=1 "
    "has_dweight=1",
    "conv_backward input=64,56,56,256 weight=256,3,3,1 out=64,56,56,256 strides=1,1 pads=1,1,1,1 dilations=1,1 groups=256 element=f16 channels_last=1 "
    "has_dinput=1 has_dweight=1",
    "matmul m=8192 n=8192 k=8192 transpose_b=1 element=bf16",
    "matmul m=8192 n=8192 k=8192 element=bf16",
    "matmul m=8192 n=8192 k=8192 transpose_a=1 element=bf16",
    "matmul m=4096 n=4096 k=4096 transpose_b=1 element=f32",
    "matmul m=65536 n=2304 k=768 transpose_b=1 has_bias=1 element=bf16",
    "matmul m=65536 n=768 k=768 transpose_b=1 has_bias=1 element=bf16",
    "matmul m=65536 n=3072 k=768 transpose_b=1 epilogue=gelu_tanh has_bias=1 has_preactivation=1 element=bf16",
    "matmul m=65536 n=768 k=3072 transpose_b=1 has_bias=1 element=bf16",
    "matmul m=65536 n=50304 k=768 transpose_b=1 element=bf16",
    "matmul m=65536 n=768 k=2304 element=bf16",
    "matmul m=65536 n=3072 k=768 epilogue=gelu_tanh_backward element=bf16",
    "matmul m=2304 n=768 k=65536 transpose_a=1 has_dbias=1 write_mode=accumulate element=bf16 out=f32",
    "matmul m=768 n=768 k=65536 transpose_a=1 has_dbias=1 write_mode=accumulate element=bf16 out=f32",
    "matmul m=3072 n=768 k=65536 transpose_a=1 has_dbias=1 write_mode=accumulate element=bf16 out=f32",
    "matmul m=50304 n=768 k=65536 transpose_a=1 write_mode=accumulate element=bf16 out=f32",
    "resize_backward input=32,64,112,112 out=32,64,224,224 mode=linear element=f16",
    "resize_backward input=32,112,112,64 out=32,224,224,64 mode=linear channels_last=1 element=f16",
    "resize_forward input=32,64,112,112 out=32,64,224,224 mode=linear element=f16",
    "gather_elements_backward input_shape=8192,8192 indices_shape=8192,8192 axis=1 element=bf16 index=i64 indices:<8192",
    "gather_nd_backward input_shape=65536,1024 indices_shape=65536,1 element=bf16 index=i64 indices:<65536",
    "index_add shape=65536,1024 axis=0 num_indices=65536 element=bf16 index=i64 indices:<65536",
    "slice_backward input_shape=16384,8192 starts=1024 ends=5120 axes=1 steps=1 element=bf16",
};

}  // namespace

Case described_case(const ProblemWords& words) {
  const auto copy = adj::DescriptorCopy::make(words.descriptor->header());
  if (!copy) throw cli::Refused(copy.error().code, copy.error().message);
  const adj::OpInfo& op = words.op();
  std::vector<adj::ArgumentSpec> specs(op.arguments.size());
  op.shapes(copy->get(), specs);
  double floor = 0;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string name = op.arguments[i].name;
    const bool given = specs[i].presence == adj::Presence::required ||
                       (specs[i].presence == adj::Presence::optional && std::find(words.given.begin(), words.given.end(), name) != words.given.end());
    if (!given) continue;
    double bytes = op.arguments[i].kind == adj::ArgumentKind::tensor ? static_cast<double>(specs[i].bytes) : 0;
    if (op.arguments[i].kind == adj::ArgumentKind::list)
      for (std::int64_t n : specs[i].numel) bytes += static_cast<double>(n) * size(specs[i].dtype);
    const bool read_only =
        std::any_of(words.settings.begin(), words.settings.end(), [&](const Setting& s) { return s.kind == Setting::only_read && s.name == name; });
    floor += op.arguments[i].role == adj::Role::inout && !read_only ? 2 * bytes : bytes;
  }
  return {words.line, floor, [=](const Gpu& gpu) {
            auto b = std::make_unique<Buffers>(gpu, words.descriptor->header(), &words.given);
            for (const Setting& s : words.settings) switch (s.kind) {
                case Setting::only_read: break;
                case Setting::positive: b->positive(s.name.c_str()); break;
                case Setting::below: b->below(s.name.c_str(), static_cast<std::int64_t>(s.number)); break;
                case Setting::value: b->scalar(s.name.c_str(), s.number); break;
                case Setting::same: b->same(s.name.c_str(), s.other.c_str()); break;
              }
            return b;
          }};
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  cases.push_back(adamw("f32 300 tensors 1000M", ADJ_F32, ADJ_DTYPE_NONE, model_sizes(300, 1'000'000'000), 28));
  cases.push_back(adamw("f32 2000 tensors 100M", ADJ_F32, ADJ_DTYPE_NONE, model_sizes(2000, 100'000'000), 28));
  cases.push_back(adamw("f32, bf16 gradient and copy, 300 tensors 1000M", ADJ_BF16, ADJ_BF16, model_sizes(300, 1'000'000'000), 28));
  cases.push_back(adamw("f32, rates and decays of tensors, 300 tensors 1000M", ADJ_F32, ADJ_DTYPE_NONE, model_sizes(300, 1'000'000'000), 28, true));
  cases.push_back(adamw_of(ADJ_BF16, "bf16 300 tensors 1000M", model_sizes(300, 1'000'000'000), false));
  cases.push_back(adamw_of(ADJ_BF16, "bf16 stochastic 300 tensors 1000M", model_sizes(300, 1'000'000'000), true));
  for (int tensors : {1, 80, 700, 1000})  // unbound, from 80 on: one small parameter block, one large, two
    cases.push_back(adamw(fmt::format("f32 {} tensor{} of 1024", tensors, tensors == 1 ? "" : "s"), ADJ_F32, ADJ_DTYPE_NONE,
                          std::vector<std::int64_t>(static_cast<std::size_t>(tensors), 1024), 28));
  cases.push_back(sgd("f32 300 tensors 1000M", model_sizes(300, 1'000'000'000)));
  cases.push_back(sgd("f32 2000 tensors 100M", model_sizes(2000, 100'000'000)));
  cases.push_back(lion("f32 300 tensors 1000M", ADJ_F32, model_sizes(300, 1'000'000'000), false));
  cases.push_back(lion("bf16 300 tensors 1000M", ADJ_BF16, model_sizes(300, 1'000'000'000), false));
  cases.push_back(lion("bf16 stochastic 300 tensors 1000M", ADJ_BF16, model_sizes(300, 1'000'000'000), true));
  cases.push_back(adamw_8bit("f32 300 tensors 1000M", ADJ_F32, model_sizes(300, 1'000'000'000), false));
  cases.push_back(adamw_8bit("bf16 300 tensors 1000M", ADJ_BF16, model_sizes(300, 1'000'000'000), false));
  cases.push_back(adamw_8bit("bf16 stochastic 300 tensors 1000M", ADJ_BF16, model_sizes(300, 1'000'000'000), true));
  for (auto [element, n, c] : {std::tuple{ADJ_BF16, 8192, 128256}, {ADJ_BF16, 16384, 50257}, {ADJ_F32, 8192, 32000}}) {
    cases.push_back(cross_entropy_forward(element, n, c));
    cases.push_back(cross_entropy_backward(element, n, c));
  }
  for (adj_dtype element : {ADJ_BF16, ADJ_F32})
    for (auto [outer, extent, inner] : {std::tuple{16384, 4096, 1},
                                        {65536, 1024, 1},
                                        {4096, 131072, 1},
                                        {8192, 32768, 1},
                                        {1048576, 64, 1},
                                        {65536, 77, 1},
                                        {65536, 128, 1},
                                        {64, 1024, 4096},
                                        {32, 4096, 1024}}) {
      cases.push_back(softmax_backward<adj_softmax_backward_descriptor>("softmax_backward", element, outer, extent, inner));
      cases.push_back(softmax_backward<adj_log_softmax_backward_descriptor>("log_softmax_backward", element, outer, extent, inner));
    }
  for (bool accumulate : {false, true})
    for (adj_dtype element : {ADJ_BF16, ADJ_F32})
      for (auto [t, v, d] : {std::tuple{16384, 128256, 4096}, {65536, 50257, 768}, {262144, 50257, 1024}})
        for (const char* distribution : {"uniform", "zipf", "one-row"}) cases.push_back(embedding_backward(element, t, v, d, distribution, accumulate));
  for (std::int64_t t : {65536, 262144})
    for (const char* distribution : {"uniform", "zipf", "one-row"}) {
      cases.push_back(index_plan(t, 50257, distribution));
      cases.push_back(embedding_backward(ADJ_BF16, t, 50257, t == 65536 ? 768 : 1024, distribution, false, true));
    }
  cases.push_back(embedding_backward(ADJ_F32, 512, 50257, 768, "uniform", false));
  cases.push_back(embedding_backward(ADJ_BF16, 2048, 50257, 1024, "uniform", true));
  for (adj_dtype element : {ADJ_BF16, ADJ_F32})
    for (const char* distribution : {"uniform", "zipf", "one-row"}) {
      cases.push_back(gather_backward(element, 64, 4096, 1024, 2048, distribution));
      cases.push_back(gather_backward(element, 4096, 512, 64, 512, distribution));
      cases.push_back(gather_backward(element, 65536, 1024, 1, 2048, distribution));
    }
  for (adj_dtype element : {ADJ_BF16, ADJ_F32})
    for (const BagShape& shape : {BagShape{8192, 32, 1000000, 128}, BagShape{65536, 20, 100000, 64}})
      for (const char* distribution : {"uniform", "zipf"}) {
        for (adj_bag_mode mode : {ADJ_BAG_SUM, ADJ_BAG_MEAN, ADJ_BAG_MAX})
          for (bool backward : {false, true}) cases.push_back(embedding_bag(backward, element, mode, shape, distribution));
        cases.push_back(embedding_bag_sample_weights(element, shape, distribution));
      }
  for (auto [element, t, v, d] : {std::tuple{ADJ_BF16, 16384, 128256, 4096}, {ADJ_F32, 65536, 50257, 768}})
    cases.push_back(embedding_forward(element, t, v, d));
  add_joined(cases, "32 x [4096,1024] axis 1", ADJ_F32, 4096, std::vector<std::int64_t>(32, 1024));
  add_joined(cases, "32 x [4096,1024] axis 1", ADJ_BF16, 4096, std::vector<std::int64_t>(32, 1024));
  add_joined(cases, "32 x [4096,1023] axis 1", ADJ_BF16, 4096, std::vector<std::int64_t>(32, 1023));
  add_joined(cases, "64 odd widths x 4096 rows", ADJ_BF16, 4096, odd_lengths(64));
  add_joined(cases, "widths 1 to 7 x 4194304 rows", ADJ_BF16, 4194304, {1, 2, 3, 4, 5, 6, 7});
  add_joined(cases, "32 columns x 4194304 rows", ADJ_F32, 4194304, std::vector<std::int64_t>(32, 1));
  add_joined(cases, "1000 tensors of 1024", ADJ_F32, 1, std::vector<std::int64_t>(1000, 1024));
  add_joined(cases, "3 x [16,64] axis 1", ADJ_F32, 16, std::vector<std::int64_t>(3, 64));
  for (const char* line : kLines) cases.push_back(described_case(problem_words(adj::split(line, ' '))));
  return cases;
}

}  // namespace bench
