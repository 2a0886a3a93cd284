// Selection along growing extents, on every architecture that is known: a row of an operator's table that has given way to a later one does not come back.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "base/text.hpp"
#include "cli/descriptor.hpp"
#include "plan/plan.hpp"

namespace {

// Problems in words; {} stands for the extent that grows, from 1 to `most`.
struct Walk {
  const char* line;
  std::int64_t most;
};
constexpr Walk kWalks[] = {
    {"softmax_forward outer=4096 extent={}", 1 << 18},
    {"softmax_forward outer={} extent=1024", 1 << 18},
    {"softmax_forward outer=64 extent={} inner=256", 1 << 14},
    {"softmax_backward outer=4096 extent={}", 1 << 18},
    {"softmax_backward outer={} extent=1024", 1 << 18},
    {"softmax_backward outer=64 extent={} inner=256", 1 << 14},
    {"log_softmax_forward outer=4096 extent={}", 1 << 18},
    {"log_softmax_backward outer=4096 extent={}", 1 << 18},
    {"layer_norm_forward shape=4096,{} axis=1", 1 << 17},
    {"layer_norm_forward shape={},1024 axis=1", 1 << 20},
    {"rms_norm_forward shape=4096,{} axis=1", 1 << 17},
    {"layer_norm_backward shape=4096,{} axis=1 has_dgamma=1 has_dbeta=1", 1 << 17},
    {"layer_norm_backward shape=512,{} axis=1 has_dgamma=1 has_dbeta=1", 1 << 17},
    {"layer_norm_backward shape={},1024 axis=1 has_dgamma=1 has_dbeta=1", 1 << 20},
    {"layer_norm_backward shape=4096,{} axis=1 has_dgamma=1 has_dbeta=1 from_output=1", 1 << 17},
    {"rms_norm_backward shape=4096,{} axis=1 has_dgamma=1", 1 << 17},
    {"rms_norm_backward shape={},4096 axis=1 has_dgamma=1", 1 << 20},
    {"cross_entropy_with_gradient samples=4096 num_classes={} label=i64", 1 << 19},
    {"cross_entropy_with_gradient samples={} num_classes=512 label=i64", 1 << 20},
    {"cross_entropy_with_gradient samples={} num_classes=50304 label=i64", 1 << 15},
    {"softmax_cross_entropy_loss batch=4096 num_classes={} label=i64", 1 << 19},
    {"softmax_cross_entropy_loss batch=8 num_classes={} inner=1024 label=i64", 1 << 14},
    {"softmax_cross_entropy_loss_backward batch=4096 num_classes={} label=i64", 1 << 19},
    {"soft_label_cross_entropy_loss rows=4096 num_classes={}", 1 << 19},
    {"log_prob_entropy samples=4096 num_classes={} label=i64", 1 << 19},
    {"reduce shape=4096,{} axes=1 kind=sum", 1 << 19},
    {"reduce shape={},4096 axes=1 kind=sum", 1 << 19},
    {"reduce shape=4096,{} axes=0 kind=sum", 1 << 17},
    {"reduce shape={},64 axes=0 kind=sum", 1 << 22},
    {"reduce shape=33,{} axes=0 kind=sum", 1 << 20},
    {"activation_backward outer=4096 inner={} function=gelu has_dbias=1", 1 << 17},
    {"activation_backward outer={} inner=4096 function=gelu has_dbias=1", 1 << 17},
    {"gated_activation_backward outer=4096 inner={} function=swiglu", 1 << 16},
    {"bias_softmax_dropout_forward rows=4096 columns={}", 1 << 17},
    {"softmax_dropout_backward rows=4096 columns={} mask=bool", 1 << 17},
    {"rope_forward tokens={} heads=8 kv_heads=8 head_dim=128", 1 << 16},
    {"rope_backward tokens={} heads=8 kv_heads=8 head_dim=64 has_norm=1", 1 << 16},
    {"batch_norm_forward outer=32 channels={} inner=196 training=1", 1 << 12},
    {"batch_norm_forward outer={} channels=256 training=1", 1 << 20},
    {"batch_norm_backward outer=32 channels={} inner=196", 1 << 12},
    {"batch_norm_backward outer=32 channels=256 inner={}", 1 << 14},
    {"batch_norm_backward outer={} channels=256 inner=49", 1 << 12},
    {"batch_norm_backward outer={} channels=256", 1 << 20},
    {"resize_forward input=2,8,{},64 out=2,8,256,128 mode=linear", 1 << 10},
    {"resize_backward input=2,8,64,{} out=2,8,128,512 mode=nearest", 1 << 10},
    {"resize_backward input=2,{},64,64 out=2,{},128,128 mode=nearest", 1 << 10},
    {"embedding_forward num_embeddings=50257 embedding_dim={} num_indices=4096 index=i64", 1 << 14},
    {"embedding_backward num_embeddings=50257 embedding_dim={} num_indices=4096 index=i64", 1 << 14},
    {"embedding_backward num_embeddings=50257 embedding_dim=768 num_indices={} index=i64", 1 << 20},
    {"gather_backward extent={} inner=2048 num_indices=32768 index=i64", 1 << 18},
};

// Rows that lie between two ranges of an earlier one, each with the reason.
struct Between {
  const char *ops, *algorithm, *why;
};
constexpr Between kBetween[] = {
    {"*_norm_backward", "row_lean", "four rows of 128 threads side by side need more than the 99 KB of some devices; longer rows take smaller blocks"},
    {"*_norm_backward", "row_cluster_lean", "the largest part of a row that a block takes needs more than the 99 KB of some devices"},
    {"cross_entropy_with_gradient", "row", "rows of up to 16 KB fit in registers, where a cluster would idle"},
    {"batch_norm_backward", "two_pass",
     "images of one element have channels last, and those of 785 and more fit no cluster. Up to 113 KB of a block, by the shape alone"},
    {"resize_*", "gather", "factors other than 2"},
};
bool may_lie_between(const char* op, const char* algorithm) {
  return std::any_of(std::begin(kBetween), std::end(kBetween),
                     [&](const Between& b) { return adj::glob_match(b.ops, op) && std::string_view(b.algorithm) == algorithm; });
}

// Extents with steps of about 6 %: multiples of 16 where `whole`, odd numbers otherwise.
std::vector<std::int64_t> extents(std::int64_t most, bool whole) {
  std::vector<std::int64_t> list;
  for (std::int64_t n = whole ? 16 : 1; n <= most; n = whole ? (n + std::max<std::int64_t>(16, n / 16)) / 16 * 16 : (n + std::max<std::int64_t>(2, n / 16)) | 1)
    list.push_back(n);
  return list;
}
std::string at(const std::string& line, std::int64_t extent) {
  std::string text = line;
  for (std::size_t i; (i = text.find("{}")) != std::string::npos;) text.replace(i, 2, std::to_string(extent));
  return text;
}

}  // namespace

TEST_CASE("along growing extents, a row that gave way to a later one does not come back") {
  int plans = 0;
  for (int cc : adj::known_capabilities()) {
    const adj_stream stream = *adj::offline_stream(adj::arch_name(cc));
    for (const Walk& walk : kWalks)
      for (const char* element : {"bf16", "f32"})
        for (bool whole : {true, false}) {
          const std::string line = fmt::format("{} element={}", walk.line, element);
          const std::vector<std::string> words = adj::split(line, ' ');
          std::ptrdiff_t latest = -1;  // place in the table of the latest row that was taken so far
          std::string there;
          for (std::int64_t extent : extents(walk.most, whole)) {
            cli::Descriptor d(words[0]);
            for (std::size_t i = 1; i < words.size(); ++i) d.set(at(words[i], extent));
            auto plan = adj::select_plan(stream, d.header(), nullptr);
            const std::string problem = at(line, extent);
            CHECK_MESSAGE(plan, problem, ": ", plan ? std::string() : plan.error().message);
            if (!plan) break;
            ++plans;
            const adj::Variant* variant = (*plan)->sku->variant;
            const std::ptrdiff_t place = variant - (*plan)->op->variants.data();
            const bool back = place < latest;
            CHECK_MESSAGE(!back, adj::arch_name(cc), ", ", problem, ": ", std::string(variant->algorithm), " comes back after ", there);
            if (place > latest && !may_lie_between(d.op_name(), variant->algorithm)) {
              latest = place;
              there = fmt::format("{} at {}", variant->algorithm, extent);
            }
            adj::release(*plan);
            if (back) break;
          }
        }
  }
  MESSAGE(plans << " plans");
}

TEST_CASE("every row that may lie between others is one of its operator") {
  for (const Between& between : kBetween) {
    bool found = false;
    for (const adj::OpInfo* op : adj::all_ops())
      if (adj::glob_match(between.ops, op->name))
        for (const adj::Variant& v : op->variants) found |= std::string_view(v.algorithm) == between.algorithm;
    CHECK_MESSAGE(found, between.algorithm);
  }
}

TEST_CASE("attention is planned where a block can have its shared memory") {
  struct Need {
    const char* problem;
    const char* algorithm;
    std::uint32_t bytes;
    const char* instead;  // algorithm with a byte less; null: none
  };
  const std::uint32_t limit = (*adj::offline_device(86))->shared_optin;
  const auto set_limit = [](std::uint32_t bytes) {
    adj::change_offline_devices([&](adj::Device& d) {
      if (d.cc == 86) d.shared_optin = bytes;
    });
  };
  CHECK(limit == 99 << 10);
  for (const Need& need : {Need{"attention_backward head_dim=128 element=f16", "tensor_cores", 99392, "tiles"},
                           {"attention_backward head_dim=64 element=bf16", "tensor_cores", 49728, "tiles"},
                           {"attention_forward head_dim=128 element=f16", "tensor_cores", 81984, "tiles"},
                           {"attention_backward head_dim=256 element=f64", "tiles", 98752, nullptr},
                           {"attention_forward head_dim=256 element=f32", "tiles", 49408, nullptr}}) {
    CAPTURE(std::string(need.problem));
    const std::vector<std::string> words = adj::split(std::string(need.problem) + " batch=1 tokens=300 heads=2", ' ');
    cli::Descriptor d(words[0]);
    for (std::size_t i = 1; i < words.size(); ++i) d.set(words[i]);
    // The algorithm that is taken, or the reason why there is none.
    const auto taken = [&](std::uint32_t bytes) {
      set_limit(bytes);
      auto plan = adj::select_plan(*adj::offline_stream("sm_86"), d.header(), nullptr);
      set_limit(limit);
      if (!plan) return plan.error().message;
      std::string name = (*plan)->sku->variant->algorithm;
      adj::release(*plan);
      return name;
    };
    CHECK(taken(limit) == need.algorithm);
    CHECK(taken(need.bytes) == need.algorithm);
    if (need.instead) CHECK(taken(need.bytes - 1) == need.instead);
    else
      CHECK(taken(need.bytes - 1).find(fmt::format("needs {} bytes of shared memory, the device has {} per block", need.bytes, need.bytes - 1)) !=
            std::string::npos);
  }
}
