// What each architecture gets: the SKU that a problem of every family is planned with, its launches, and how many of their blocks a multiprocessor holds.
// nvrtc_cards TABLE [--tier FILE] compares the table with planning, and with NVRTC where it is of the table's version; --write makes it anew.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "driver/libraries.hpp"
#include "tests/nvrtc/resident.hpp"
#include "tests/tier.hpp"

namespace {

constexpr const char* kArchs[] = {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100", "sm_110", "sm_120", "sm_121"};
constexpr std::size_t kSample = 37;  // a plain run compiles the programs of every so manieth row

constexpr const char* kProblems[] = {
    "activation_forward outer=8192 inner=3072 function=gelu_tanh has_bias=1 element=bf16",
    "activation_backward outer=8192 inner=3072 function=gelu_tanh has_bias=1 has_dbias=1 element=bf16",
    "gated_activation_backward outer=8192 inner=14336 function=swiglu element=bf16",
    "attention_forward batch=4 tokens=1024 heads=12 kv_heads=12 head_dim=64 causal=1 element=bf16",
    "attention_forward batch=4 tokens=1024 heads=32 kv_heads=8 head_dim=128 causal=1 element=bf16",
    "attention_backward batch=4 tokens=1024 heads=12 kv_heads=12 head_dim=64 causal=1 element=bf16",
    "attention_backward batch=4 tokens=1024 heads=32 kv_heads=8 head_dim=128 causal=1 element=bf16",
    "attention_backward batch=2 tokens=512 heads=4 kv_heads=4 head_dim=64 element=f32",
    "batch_norm_forward outer=256 channels=256 inner=3136 training=1 element=f16",
    "batch_norm_backward outer=32 channels=1024 inner=196 element=f32",
    "batch_norm_backward outer=256 channels=256 inner=3136 element=f16",
    "concat outer=8192 inner=64 lengths=12,12,12 element=bf16",
    "split outer=8192 inner=64 lengths=12,12,12 element=bf16",
    "conv_forward input=8,64,56,56 weight=64,64,3,3 out=8,64,56,56 pads=1,1,1,1 has_bias=1 element=bf16",
    "conv_backward input=8,64,56,56 weight=64,64,3,3 out=8,64,56,56 pads=1,1,1,1 element=bf16",
    "conv_backward input=8,64,56,56 weight=64,64,3,3 out=8,64,56,56 pads=1,1,1,1 element=f32",
    "dropout_forward numel=33554432 mask=bits element=bf16",
    "bias_softmax_dropout_forward rows=65536 columns=512 mask=bool element=bf16",
    "softmax_dropout_backward rows=65536 columns=512 mask=bool element=bf16",
    "div_backward a_shape=4096,1024 b_shape=1024 element=f32",
    "embedding_forward num_embeddings=50257 embedding_dim=768 num_indices=8192 element=bf16 index=i64",
    "embedding_backward num_embeddings=50257 embedding_dim=768 num_indices=65536 element=bf16 index=i64",
    "embedding_backward num_embeddings=128256 embedding_dim=4096 num_indices=8192 element=bf16 index=i64",
    "embedding_backward num_embeddings=4096 embedding_dim=1024 num_indices=64 element=f32 index=i64",
    "embedding_bag_forward num_embeddings=100000 embedding_dim=64 num_indices=1048576 num_bags=16384 mode=mean has_offsets=1 element=f32 index=i64",
    "embedding_bag_backward num_embeddings=100000 embedding_dim=64 num_indices=65536 num_bags=1024 mode=sum has_offsets=1 element=f32 index=i64",
    "fill numel=16777216 element=bf16",
    "normal numel=16777216 element=bf16",
    "amax numel=148x838860 element=bf16",
    "quantize rows=16384 columns=4096 has_transposed=1 element=bf16",
    "quantize rows=16384 columns=4096 granularity=row element=bf16",
    "quantize rows=16384 columns=4096 granularity=block_1x128 scale_layout=gemm element=bf16",
    "quantize rows=16384 columns=4096 granularity=block_1x128 has_transposed=1 scale_layout=gemm element=bf16",
    "quantize rows=16384 columns=4096 granularity=block_128x128 has_transposed=1 pow2=1 element=f32",
    "dequantize rows=16384 columns=4096 code=f8_e4m3 element=bf16",
    "fp8_scale_update length=1024 tensors=200",
    "scaled_matmul m=4096 n=4096 k=4096 code_a=f8_e4m3 code_b=f8_e4m3 out=bf16",
    "gist_encode inner=16777216 format=pack8 element=f32",
    "gather_backward extent=32000 inner=2048 num_indices=32768 element=bf16 index=i64",
    "gather_backward outer=4096 extent=100 inner=1 num_indices=5000 element=f32 index=i32",
    "index_add shape=4096,2048 axis=0 num_indices=32768 element=bf16 index=i64",
    "slice_backward input_shape=64,1000 starts=1 ends=900 axes=1 steps=2 element=f32",
    "cross_entropy_with_gradient samples=8192 num_classes=50257 padded_classes=50304 element=bf16 label=i64",
    "cross_entropy_with_gradient samples=8192 num_classes=128256 element=bf16 label=i64",
    "softmax_cross_entropy_loss batch=8192 num_classes=50257 element=f32 label=i64",
    "softmax_cross_entropy_loss_backward batch=8192 num_classes=50304 element=bf16 label=i64",
    "log_prob_entropy samples=4096 num_classes=32000 element=bf16 label=i64",
    "matmul m=4096 n=4096 k=4096 element=bf16",
    "matmul m=64 n=4096 k=4096 element=bf16",
    "matmul m=4096 n=4096 k=4096 element=f32",
    "moe_route tokens=8192 num_experts=128 top_k=8 score=softmax normalise=1 has_losses=1 balance=0.001 element=bf16",
    "moe_route_backward tokens=8192 num_experts=128 top_k=8 score=softmax normalise=1 has_losses=1 balance=0.001 element=bf16",
    "moe_plan tokens=8192 num_experts=128 top_k=8 index=i32",
    "moe_permute tokens=8192 top_k=8 num_rows=65536 columns=2048 element=bf16",
    "moe_unpermute tokens=8192 top_k=8 num_rows=65536 columns=2048 has_weights=1 element=bf16",
    "moe_unpermute_backward tokens=8192 top_k=8 num_rows=65536 columns=2048 has_weights=1 element=bf16",
    "layer_norm_forward shape=8192,768 axis=1 element=bf16",
    "layer_norm_backward shape=8192,768 axis=1 has_dgamma=1 has_dbeta=1 element=bf16",
    "layer_norm_backward shape=512,30000 axis=1 has_dgamma=1 has_dbeta=1 element=f32",
    "rms_norm_forward shape=8192,4096 axis=1 element=bf16",
    "rms_norm_backward shape=8192,4096 axis=1 has_dgamma=1 element=bf16",
    "rms_norm_backward shape=131072,128 axis=1 has_dgamma=1 element=bf16",
    "adam numel=148x838860 weight_decay=0.1 param=f32 grad=f32 state=f32",
    "lamb numel=390x859487 param=f32 grad=f32 state=f32",
    "clip_grad_norm numel=148x838860 grad=f32 max_norm=1",
    "adamw_8bit numel=1048576,1048576 tensor_keys=0,1 param=bf16",
    "scale numel=148x838860 element=f32 output=bf16",
    "all_finite numel=148x838860 element=f32",
    "fake_quantize_forward inner=16777216 element=f32",
    "l2_norm numel=148x838860 element=f32",
    "reduce shape=65536,2304 axes=0 kind=sum element=bf16",
    "reduce shape=4096,4096 axes=1 kind=logsumexp element=f32",
    "resize_forward input=2,8,128,64 out=2,8,256,128 mode=linear element=f32",
    "resize_backward input=2,8,64,64 out=2,8,128,128 mode=nearest element=f32",
    "rope_forward tokens=8192 heads=32 kv_heads=8 head_dim=128 element=bf16",
    "rope_backward tokens=8192 heads=32 kv_heads=8 head_dim=128 has_norm=1 element=bf16",
    "transpose batch=64 rows=1000 columns=777 element=bf16",
    "softmax_forward outer=65536 extent=512 element=bf16",
    "softmax_backward outer=65536 extent=512 element=bf16",
    "softmax_backward outer=512 extent=65536 element=f32",
    "softmax_backward outer=64 extent=300 inner=77 element=f32",
};

int failures = 0;
void failed(const std::string& what) {
  ++failures;
  fmt::print("FAILED {}\n", what);
}

struct Launch {
  const adj::Program* program;
  std::uint32_t threads, dynamic, cluster;

  std::string planned() const { return fmt::format("{}{} {} {}", program->entry(), cluster > 1 ? fmt::format("*{}", cluster) : "", threads, dynamic); }
};
struct Plan {
  std::string sku;  // or "none"
  std::vector<Launch> launches;  // each once, in their order
  std::string reason;            // why there is none: the architecture lacks what the problem needs
};

Plan planned(const std::string& problem, const std::string& arch) {
  auto made = resident::plan_of(problem, arch);
  if (!made && made.error().code == ADJ_ERROR_UNSUPPORTED) return {"none", {}, made.error().message};
  if (!made) {
    failed(fmt::format("{} on {}: {}", problem, arch, made.error().message));
    return {"none", {}, {}};
  }
  Plan plan{(*made)->sku->id, {}, {}};
  std::set<std::string> seen;
  for (const adj::Step& step : (*made)->steps) {
    const auto* kernel = step.in(false) ? std::get_if<adj::KernelStep>(&step) : nullptr;
    if (!kernel) continue;
    const auto& c = kernel->config;
    Launch launch{kernel->program, c.block_x * c.block_y * c.block_z, c.shared_bytes, kernel->cluster};
    if (seen.insert(launch.planned()).second) plan.launches.push_back(launch);
  }
  adj::release(*made);
  return plan;
}

// Registers, declared shared memory and the blocks of a multiprocessor, for the launch's line.
adj::Result<std::string> compiled(const Launch& launch, int cc) {
  const auto r = resident::resources_of(*launch.program, cc);
  if (!r) return adj::Error(r.error());
  const std::uint32_t own = resident::own_shared(*r, cc);
  const resident::Use use{launch.threads, static_cast<std::uint32_t>(r->registers), launch.dynamic, own};
  return fmt::format("{} {} {}", own - resident::kReserved, r->registers, use.blocks(resident::limits_of(cc)));
}

std::string this_nvrtc() {
  const auto library = adj::nvrtc();
  return library ? fmt::format("NVRTC {}.{}", (*library)->major, (*library)->minor) : "none";
}

// Families whose operators have kernels of our own, and are not among the problems.
void check_families() {
  std::set<std::string> missing;
  for (const adj::Sku& sku : adj::all_skus())
    if (sku.variant->backend == ADJ_BACKEND_BESPOKE && !sku.programs.empty()) missing.insert(sku.op->family);
  for (const char* problem : kProblems) missing.erase(adj::find_op(adj::split(problem, ' ')[0])->family);
  for (const std::string& family : missing) failed(fmt::format("the family {} has no problem", family));
}

void write(const std::string& path) {
  std::ofstream file(path);
  file << "# " << this_nvrtc() << ". Of a launch: kernel*cluster, threads, dynamic and declared shared memory, registers, blocks of a multiprocessor.\n";
  file << "problem\tarchitecture\tsku\tlaunches\n";
  for (const char* problem : kProblems)
    for (const char* arch : kArchs) {
      const Plan plan = planned(problem, arch);
      std::string launches = plan.reason;
      for (const Launch& launch : plan.launches) {
        const auto more = compiled(launch, *adj::parse_arch(arch));
        if (!more) failed(fmt::format("{} for {}: {}", launch.program->name(), arch, more.error().message));
        launches += fmt::format("{}{} {}", launches.empty() ? "" : "; ", launch.planned(), more ? *more : "");
      }
      file << problem << '\t' << arch << '\t' << plan.sku << '\t' << launches << '\n';
    }
}

void check(const std::string& path, const Tier& tier) {
  std::ifstream file(path);
  std::string head, line;
  std::getline(file, head);
  std::getline(file, line);
  const std::string own = this_nvrtc();
  const bool same_compiler = head.starts_with("# " + own + ".");
  std::size_t place = tier.turn(), compared = 0, rows = 0;
  for (const char* problem : kProblems)
    for (const char* arch : kArchs) {
      const bool compiles = same_compiler && (!tier.is_sample() || place++ % kSample == 0);
      const Plan plan = planned(problem, arch);
      if (!std::getline(file, line)) line.clear();
      ++rows;
      const std::vector<std::string> words = adj::split(line, '\t');
      const std::string where = fmt::format("{} on {}: ", problem, arch);
      if (words.size() < 3 || words[0] != problem || words[1] != arch) return failed(where + "the table has another row in its place: '" + line + "'");
      if (words[2] != plan.sku) failed(fmt::format("{}{} is planned, the table has {}", where, plan.sku, words[2]));
      const std::string last = words.size() > 3 ? words[3] : "";
      if (!plan.reason.empty()) {
        if (last != plan.reason) failed(fmt::format("{}'{}', the table has '{}'", where, plan.reason, last));
        continue;
      }
      const std::vector<std::string> launches = last.empty() ? std::vector<std::string>{} : adj::split(last, ';');
      if (launches.size() != plan.launches.size()) {
        failed(fmt::format("{}{} kernels are planned, the table has {}", where, plan.launches.size(), launches.size()));
        continue;
      }
      for (std::size_t i = 0; i < launches.size(); ++i) {
        std::string expected = plan.launches[i].planned() + ' ';
        std::string said = launches[i].substr(launches[i].front() == ' ');
        if (compiles) {
          const auto more = compiled(plan.launches[i], *adj::parse_arch(arch));
          if (!more) {
            failed(where + more.error().message);
            continue;
          }
          ++compared;
          expected += *more;
        } else {
          said = said.substr(0, expected.size());
        }
        if (said != expected) failed(fmt::format("{}'{}', the table has '{}'", where, expected, said));
      }
    }
  if (std::getline(file, line)) failed("the table has a row more: '" + line + "'");
  fmt::print("{} rows are as planned; {} launches compiled{}\n", rows, compared, same_compiler ? "" : ": the table is of another NVRTC than " + own);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app;
  std::string table, tier;
  bool makes = false;
  app.add_option("TABLE", table)->required();
  app.add_option("--tier", tier);
  app.add_flag("--write", makes);
  CLI11_PARSE(app, argc, argv);
  check_families();
  if (makes && this_nvrtc() == "none") failed("the table needs NVRTC");
  else if (makes) write(table);
  else check(table, tier.empty() ? Tier() : Tier(tier));
  if (failures && !makes) fmt::print("tools/dev cards makes the table anew\n");
  return failures ? 1 : 0;
}
