// Attention and its gradients by cuDNN.
#include "ops/attention/attention.hpp"
#include "ops/common/graph.hpp"

namespace adj::attention {

namespace {

using Graph = CudnnGraph;
using Tensor = Graph::Tensor;
using Four = Graph::Four;

constexpr std::uint32_t kAddressAlignment = 16;  // bytes
constexpr std::int64_t kVector = 8;                // elements of 16 bytes

// Ids of the tensors that a call names.
enum Id : std::int64_t { kQId = 1, kKId, kVId, kOutId, kLseId, kDoutId, kDqId, kDkId, kDvId, kDeltaId, kDqSumId, kScaleId, kOneId, kMaskedId, kWindowId };

// State that a plan owns.
struct State {
  struct FromArgument {
    Id id;
    int argument;
  };
  struct FromWorkspace {
    Id id;
    std::uint64_t offset;
  };
  CudnnPool* pool = nullptr;
  std::unique_ptr<Graph> graph;
  std::vector<FromArgument> tensors;
  std::vector<FromWorkspace> sums;
  std::uint64_t scratch = 0;  // offset of the plan's own workspace
  float scale = 0, one = 1, masked = -std::numeric_limits<float>::infinity(), window = 0;
  bool has_window = false, has_mask = false;
};

// Builds the graph of a problem. Scores are [batch, heads, queries, keys].
class Builder {
 public:
  Builder(State& state, const Problem& problem, cu::CudnnType element)
      : state_(state),
        g_(*state.graph),
        p_(problem),
        s_(problem.shape),
        element_(element),
        scores_{s_.batch, s_.heads, s_.tokens, s_.tokens},
        rows_{s_.batch, s_.heads, s_.tokens, 1} {}

  void forward() {
    const Tensor q = given(kQId, p_.q, s_.heads), k = given(kKId, p_.k, s_.kv_heads, true), v = given(kVId, p_.v, s_.kv_heads);
    const Tensor out = given(kOutId, p_.out, s_.heads), lse = given_lse();
    const Tensor s = masked(scaled(product(q, k), g_.number(kScaleId)));
    const Tensor top = row(), away = score(), weight = score(), sum = row(), log_sum = row(), normal = score(element_);
    g_.reduce(cu::kCudnnReduceMax, s, top);
    g_.pointwise(cu::kCudnnSub, s, top, away);
    g_.pointwise(cu::kCudnnExp, away, nullptr, weight);
    g_.reduce(cu::kCudnnReduceAdd, weight, sum);
    g_.pointwise(cu::kCudnnLog, sum, nullptr, log_sum);
    g_.pointwise(cu::kCudnnAdd, top, log_sum, lse);
    g_.pointwise(cu::kCudnnDiv, weight, sum, normal);
    g_.matmul(normal, v, out);
  }

  // fixed_order: the products of the gradients of scores with k are one matrix product for each head, for which cuDNN keeps these gradients in its
  // workspace; otherwise blocks add to sums in f32 as they come.
  void backward(bool fixed_order) {
    const Tensor q = given(kQId, p_.q, s_.heads), k = given(kKId, p_.k, s_.kv_heads, true), v = given(kVId, p_.v, s_.kv_heads, true);
    const Tensor out = given(kOutId, p_.out, s_.heads), lse = given_lse(), dout = given(kDoutId, p_.dout, s_.heads);
    const Tensor dq = given(kDqId, p_.dq, s_.heads), dk = given(kDkId, p_.dk, s_.kv_heads), dv = given(kDvId, p_.dv, s_.kv_heads);
    const Tensor scale = g_.number(kScaleId);

    const Tensor terms = g_.between(cu::kCudnnFloat, {s_.batch, s_.heads, s_.tokens, s_.dim}), sum = row();
    g_.pointwise(cu::kCudnnMul, dout, out, terms);
    g_.reduce(cu::kCudnnReduceAdd, terms, sum);
    const Tensor delta = g_.given(kDeltaId, cu::kCudnnFloat, rows_, Graph::packed(rows_));
    g_.pointwise(cu::kCudnnMul, sum, g_.number(kOneId), delta);

    const Tensor away = score(), weight = score();
    g_.pointwise(cu::kCudnnSub, scaled(product(q, k), scale), lse, away);
    g_.pointwise(cu::kCudnnExp, masked(away), nullptr, weight);
    product_over_queries(weight, dout, dv);

    const Tensor rest = score(), of_score = score();
    g_.pointwise(cu::kCudnnSub, product(dout, v), delta, rest);
    g_.pointwise(cu::kCudnnMul, rest, weight, of_score);
    const Tensor ds = scaled(of_score, scale);
    product_over_queries(ds, q, dk);

    const Four keys{s_.batch, s_.kv_heads, s_.tokens, s_.dim}, strides{p_.k.strides.batch, p_.k.strides.head, p_.k.strides.token, 1};
    const Tensor rows_of_keys = g_.between(element_, keys, strides);
    g_.reshape(k, rows_of_keys);
    if (fixed_order) {
      g_.matmul(ds, rows_of_keys, dq);
      return;
    }
    const Four queries{s_.batch, s_.heads, s_.tokens, s_.dim};
    const Tensor dq_sum = g_.given(kDqSumId, cu::kCudnnFloat, queries, Graph::packed(queries));
    g_.matmul(ds, rows_of_keys, dq_sum);
    g_.pointwise(cu::kCudnnIdentity, dq_sum, nullptr, dq);
  }

 private:
  // Tensor of an argument; transposed: [batch, heads, head_dim, tokens].
  Tensor given(Id id, const Operand& operand, std::int64_t heads, bool transposed = false) {
    Four dims{s_.batch, heads, s_.tokens, s_.dim}, strides{operand.strides.batch, operand.strides.head, operand.strides.token, 1};
    if (transposed) std::swap(dims[2], dims[3]), std::swap(strides[2], strides[3]);
    state_.tensors.push_back({id, operand.argument});
    return g_.given(id, element_, dims, strides);
  }
  Tensor given_lse() {
    state_.tensors.push_back({kLseId, p_.lse});
    return g_.given(kLseId, cu::kCudnnFloat, rows_, Graph::packed(rows_));
  }
  Tensor score(cu::CudnnType type = cu::kCudnnFloat) { return g_.between(type, scores_); }
  Tensor row() { return g_.between(cu::kCudnnFloat, rows_); }

  Tensor product(Tensor a, Tensor b) {
    const Tensor to = score();
    g_.matmul(a, b, to);
    return to;
  }
  Tensor scaled(Tensor x, Tensor scale) {
    const Tensor to = score();
    g_.pointwise(cu::kCudnnMul, x, scale, to);
    return to;
  }
  // The product of the transposed scores with rows of queries. With grouped heads, the sum over the heads of a group.
  void product_over_queries(Tensor x, Tensor queries, Tensor to) {
    const Tensor turned = g_.between(element_, scores_, {scores_[1] * scores_[2] * scores_[3], scores_[2] * scores_[3], 1, scores_[3]});
    g_.reshape(x, turned);
    if (s_.group() == 1) {
      g_.matmul(turned, queries, to);
      return;
    }
    const Tensor all_heads = g_.between(element_, {s_.batch, s_.heads, s_.tokens, s_.dim});
    g_.matmul(turned, queries, all_heads);
    g_.reduce(cu::kCudnnReduceAdd, all_heads, to);
  }
  // Scores with -infinity where the mask forbids a key.
  Tensor masked(Tensor x) {
    const auto index = [&](std::int64_t axis) {
      const Tensor to = score(cu::kCudnnInt32);
      g_.pointwise(cu::kCudnnIndex, x, nullptr, to, nullptr, cu::kCudnnFloat, axis);
      return to;
    };
    const auto select = [&](cu::CudnnPointwise comparison, Tensor a, Tensor b) {
      const Tensor allowed = score(cu::kCudnnBoolean), to = score();
      g_.pointwise(comparison, a, b, allowed, nullptr, cu::kCudnnBoolean);
      if (!masked_) masked_ = g_.number(kMaskedId);
      g_.pointwise(cu::kCudnnSelect, x, masked_, to, allowed);
      x = to;
    };
    if (s_.causal) {
      const Tensor query = index(2), key = index(3);
      select(cu::kCudnnGreaterEqual, query, key);
    }
    if (state_.has_window) {
      const Tensor query = index(2), key = index(3), last = score();
      g_.pointwise(cu::kCudnnAdd, key, g_.number(kWindowId), last);  // the first query that does not meet the key
      select(cu::kCudnnGreater, last, query);
    }
    return x;
  }

  State& state_;
  Graph& g_;
  const Problem& p_;
  const Shape& s_;
  cu::CudnnType element_;
  Four scores_, rows_;
  Tensor masked_ = nullptr;
};

// Refuses what the graph cannot say, and what versions of cuDNN are known to get wrong.
Result<void> check_problem(const Problem& p, std::size_t version) {
  const Shape& s = p.shape;
  if (s.lengths) return fail(ADJ_ERROR_UNSUPPORTED, "takes sequences of one length");
  // cuDNN masks scores, also those beyond the tokens of a tile, before it scales them: -infinity times a scale that is negative, or 0 in f32, is no mask.
  constexpr double kLeastScale = 0x1p-100, kMostScale = 0x1p100;
  if (!(s.scale >= kLeastScale && s.scale <= kMostScale)) return fail(ADJ_ERROR_UNSUPPORTED, "takes a scale of 2^-100 to 2^100, has {}", s.scale);
  if (s.dim % kVector != 0) return fail(ADJ_ERROR_UNSUPPORTED, "takes a head_dim that is a multiple of {}, has {}", kVector, s.dim);
  if (p.backward() && s.tokens % 128 != 0 && version <= 91500)
    return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN up to 9.15 takes a multiple of 128 tokens, has {}", s.tokens);
  if (s.window >= 0 && !s.causal && version < 91002) return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN before 9.10.2 takes a window with causal only");
  std::vector<Operand> all{p.q, p.k, p.v, p.out};
  if (p.backward()) all.insert(all.end(), {p.dout, p.dq, p.dk, p.dv});
  for (const Operand& o : all)
    for (std::int64_t stride : {o.strides.batch, o.strides.token, o.strides.head})
      if (stride % kVector != 0) return fail(ADJ_ERROR_UNSUPPORTED, "takes strides that are multiples of {} elements, has {}", kVector, stride);
  return {};
}

Result<void> run(const CallContext& context) {
  auto& state = *static_cast<State*>(context.state);
  std::array<Graph::Binding, Graph::kMostBindings> bindings;
  std::size_t count = 0;
  for (const auto& [id, argument] : state.tensors)
    bindings[count++] = {id, reinterpret_cast<const adj_tensor*>(context.args + context.plan.op->arguments[static_cast<std::size_t>(argument)].offset)->data};
  for (const auto& [id, offset] : state.sums) bindings[count++] = {id, context.workspace + offset};
  bindings[count++] = {kScaleId, &state.scale};
  if (!state.sums.empty()) bindings[count++] = {kOneId, &state.one};
  if (state.has_mask) bindings[count++] = {kMaskedId, &state.masked};
  if (state.has_window) bindings[count++] = {kWindowId, &state.window};
  return state.pool->run(static_cast<cu::Stream>(context.stream.handle),
                         [&](cu::CudnnHandle handle) { return state.graph->execute(handle, {bindings.data(), count}, context.workspace + state.scratch); });
}

}  // namespace

Result<void> plan_cudnn(const PlanRequest& request, PlanBuilder& builder, const Problem& problem, bool fixed_order) {
  if (!request.device->real()) return fail(ADJ_ERROR_UNSUPPORTED, "cuDNN decides on the device itself, an offline stream has none");
  auto api = cudnn();
  if (!api) return api.take_error();
  ADJ_TRY(check_problem(problem, (*api)->version()));
  auto pool = CudnnPool::of(*request.device);
  if (!pool) return pool.take_error();
  const Shape& s = problem.shape;
  auto state = std::make_shared<State>();
  state->pool = *pool;
  state->graph = std::make_unique<Graph>(**api);
  state->scale = static_cast<float>(s.scale);
  state->has_window = s.window >= 0 && s.window < s.tokens - 1;
  state->window = static_cast<float>(s.window + 1);
  state->has_mask = s.causal || state->has_window;
  Builder graph(*state, problem, problem.element == ADJ_BF16 ? cu::kCudnnBfloat16 : cu::kCudnnHalf);
  std::uint64_t booked = 0;
  if (problem.backward()) {
    graph.backward(fixed_order);
    const auto rows = static_cast<std::uint64_t>(s.batch * s.heads * s.tokens);
    state->sums.push_back({kDeltaId, builder.book(rows * sizeof(float))});
    booked = align_workspace(rows * sizeof(float));
    if (!fixed_order) {
      const std::uint64_t bytes = rows * static_cast<std::uint64_t>(s.dim) * sizeof(float);
      const std::uint64_t sum = builder.book(bytes);
      state->sums.push_back({kDqSumId, sum});
      booked += align_workspace(bytes);
      if ((*api)->version() < 90600) builder.clear_workspace(sum, bytes);  // later versions clear the sums themselves
    }
  } else {
    graph.forward();
  }
  const std::uint64_t limit = request.preference->workspace_limit;
  const Graph::Limits limits{.notes = fixed_order ? Graph::note(cu::kCudnnNondeterministic) : 0, .workspace = limit - std::min(limit, booked)};
  ADJ_TRY(state->pool->prepare([&](cu::CudnnHandle handle) { return finish_graph(*state->graph, handle, limits, request.choices, "attention"); }));
  state->scratch = builder.book(state->graph->workspace());
  builder.align_tensors(kAddressAlignment);
  builder.call({.function = run, .state = std::move(state), .library = "cuDNN"});
  return {};
}

}  // namespace adj::attention
