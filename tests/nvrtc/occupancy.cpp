// Devices with 100 KB of shared memory a multiprocessor: no program that plans ask a share of it for is alone on a multiprocessor for the sake of the little
// that it declares itself. Plans problems on sm_86 and sm_120, and reads registers and static shared memory from the machine code.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <variant>

#include "driver/libraries.hpp"
#include "tests/nvrtc/resident.hpp"
#include "tests/tier.hpp"

namespace {

using namespace resident;

constexpr std::uint32_t kLittle = 1 << 10;

constexpr const char* kProblems[] = {
    "attention_forward batch=2 tokens=512 heads=4 kv_heads=4 head_dim=64 element=bf16",
    "attention_forward batch=2 tokens=512 heads=4 kv_heads=4 head_dim=128 element=bf16",
    "attention_forward batch=2 tokens=512 heads=4 kv_heads=4 head_dim=64 element=f32",
    "attention_backward batch=2 tokens=512 heads=4 kv_heads=4 head_dim=64 element=bf16",
    "attention_backward batch=2 tokens=512 heads=4 kv_heads=4 head_dim=64 element=f16",
    "attention_backward batch=2 tokens=512 heads=4 kv_heads=4 head_dim=33 element=f16",
    "attention_backward batch=2 tokens=512 heads=4 kv_heads=4 head_dim=128 element=bf16",
    "attention_backward batch=2 tokens=512 heads=4 kv_heads=4 head_dim=64 element=f32",
    "matmul m=4096 n=4096 k=4096 element=bf16",
    "matmul m=4096 n=4096 k=4096 element=f32",
    "matmul m=64 n=4096 k=4096 element=f16",
    "softmax_backward outer=512 extent=65536 element=f32",
    "softmax_backward outer=64 extent=300 inner=77 element=f32",
    "softmax_forward outer=64 extent=1024 inner=256 element=bf16",
    "layer_norm_forward shape=8192,768 axis=1 element=bf16",
    "layer_norm_backward shape=8192,768 axis=1 has_dgamma=1 has_dbeta=1 element=bf16",
    "layer_norm_backward shape=8192,1024 axis=1 has_dgamma=1 has_dbeta=1 from_output=1 element=bf16",
    "layer_norm_backward shape=512,30000 axis=1 has_dgamma=1 has_dbeta=1 element=f32",
    "rms_norm_backward shape=4096,4096 axis=1 has_dgamma=1 element=bf16",
    "rms_norm_backward shape=4096,128 axis=1 has_dgamma=1 element=f32",
    "cross_entropy_with_gradient samples=8192 num_classes=128256 element=bf16 label=i64",
    "cross_entropy_with_gradient samples=8192 num_classes=50257 element=f32 label=i64",
    "rope_backward tokens=8192 heads=8 kv_heads=8 head_dim=64 has_norm=1 element=f32",
    "batch_norm_backward outer=32 channels=1024 inner=196 element=f32",
    "batch_norm_backward outer=32 channels=256 inner=49 element=bf16",
    "reduce shape=100000,7 axes=1 kind=logsumexp element=f32",
    "embedding_backward num_embeddings=128256 embedding_dim=4096 num_indices=16384 element=bf16 index=i64",
    "gather_backward outer=4096 extent=100 inner=1 num_indices=5000 element=f32 index=i32",
    "gather_backward outer=4096 extent=100 inner=3 num_indices=50 element=f32 index=i32",
};

int failures = 0, launches = 0, alone = 0;

void examine(const std::string& problem, const std::string& arch, const adj::Program& program, std::uint32_t threads, std::uint32_t dynamic) {
  const int cc = *adj::parse_arch(arch);
  const auto resources = resources_of(program, cc);
  if (!resources) {
    ++failures;
    fmt::print("FAILED {} for {}: {}\n", program.name(), arch, resources.error().message);
    return;
  }
  const Limits limits = limits_of(cc);
  const Use use{threads, static_cast<std::uint32_t>(resources->registers), dynamic, own_shared(*resources, cc)};
  ++launches;
  if (use.by_threads(limits) < 2 || Use::by_shared(limits, dynamic + use.own) >= 2) return;
  ++alone;
  const bool decides = Use::by_shared(limits, dynamic + use.own - std::min(use.own - kReserved, kLittle)) >= 2;
  failures += decides;
  fmt::print("{}{} on {}: one block of {} threads with {} + {} bytes of shared memory; {}\n", decides ? "FAILED " : "", program.name(), arch, threads, dynamic,
             use.own - kReserved, problem);
}

void plan(const std::string& problem, const std::string& arch) {
  auto made = plan_of(problem, arch);
  if (!made) {
    ++failures;
    fmt::print("FAILED {} on {}: {}\n", problem, arch, made.error().message);
    return;
  }
  for (const adj::Step& step : (*made)->steps)
    if (const auto* kernel = std::get_if<adj::KernelStep>(&step)) {
      const auto& c = kernel->config;
      // Less than a third of the memory leaves room for two, whatever the program declares.
      if (c.shared_bytes < limits_of(*adj::parse_arch(arch)).shared / 3) continue;
      examine(problem, arch, *kernel->program, c.block_x * c.block_y * c.block_z, c.shared_bytes);
      if (kernel->unaligned_program) examine(problem, arch, *kernel->unaligned_program, kernel->unaligned_block, c.shared_bytes);
    }
  adj::release(*made);
}

}  // namespace

// argv[1]: a file that tests/tier.py writes. A plain run plans each problem for one of the two architectures, in turn.
int main(int argc, char** argv) {
  const Tier tier = argc > 1 ? Tier(argv[1]) : Tier();
  if (auto library = adj::nvrtc(); !library) {
    fmt::print("skipped: {}\n", library.error().message);
    return 77;
  }
  for (const char* arch : {"sm_86", "sm_120"}) {
    std::size_t place = tier.turn() + (arch[3] == '8');
    for (const char* problem : kProblems)
      if (!tier.is_sample() || place++ % 2) plan(problem, arch);
  }
  fmt::print("{} launches with a third of the shared memory or more, {} of them alone on a multiprocessor\n", launches, alone);
  if (launches < (tier.is_sample() ? 10 : 20)) {
    ++failures;
    fmt::print("FAILED the problems have too few such launches\n");
  }
  return failures ? 1 : 0;
}
