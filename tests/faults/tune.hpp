// What the tests of selection by measurement share: a product, the clock of the machine, a directory for verdicts.
#pragma once

#include <adjoint/ops/matmul.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "libraries.hpp"

namespace faults {

namespace fs = std::filesystem;

constexpr std::int64_t kMicrosecond = 1000;

inline adj_matmul_descriptor small_product(adj_dtype element = ADJ_F32) {
  adj_matmul_descriptor d;
  d.m = 8, d.n = 16, d.k = 24, d.element = element;
  return d;
}

inline adj_shape shape(std::initializer_list<std::int64_t> dims) {
  adj_shape s{};
  for (std::int64_t n : dims) s.dims[s.rank++] = n;
  return s;
}

inline adj_preference tuned() {
  adj_preference p;
  p.tune = 1;
  return p;
}

// Durations in microseconds: of cuBLASLt's three algorithms, and of a launch.
inline void set_clock(std::int64_t first, std::int64_t second, std::int64_t third, std::int64_t launch) {
  fake::Blas& blas = cublaslt_fake().state;
  blas.clock = &fakes().driver.clock_ns;
  blas.computes = false;
  blas.algo_ns[0] = first * kMicrosecond, blas.algo_ns[1] = second * kMicrosecond, blas.algo_ns[2] = third * kMicrosecond;
  fakes().driver.launch_ns = launch * kMicrosecond;
}

// A directory for the cache of this process and of the children that it starts.
class CacheDirectory {
 public:
  CacheDirectory() {
    char name[] = "/tmp/adjoint-tune-XXXXXX";
    if (!::mkdtemp(name)) throw std::runtime_error("mkdtemp");
    path = name;
  }
  ~CacheDirectory() { fs::remove_all(path); }
  std::vector<fs::path> verdicts() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path))
      if (entry.path().extension() == ".txt") files.push_back(entry.path());
    return files;
  }
  void use() const { ::setenv("ADJOINT_CACHE_DIR", path.c_str(), 1); }
  std::string path;
};

inline std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void write(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

inline int measurements() { return fakes().entry("cuEventElapsedTime").calls; }

// Runs a plan of small_product and returns which algorithm of cuBLASLt it takes, -1 where it takes none.
inline int algorithm_of(const Plan& plan) {
  if (!contains(sku_of(plan), "/cublaslt/")) return -1;
  Memory memory;
  adj_matmul_args args;
  args.a = memory.tensor(8 * 24), args.b = memory.tensor(24 * 16), args.d = memory.tensor(8 * 16);
  const std::uint64_t bytes = adj_plan_workspace_size(plan.get());
  const adj_workspace workspace{bytes ? memory.get(bytes) : nullptr, bytes};
  const adj_stream stream = device_stream();
  if (adj_plan_run(plan.get(), &stream, &workspace, &args.header)) throw std::runtime_error(adj_last_error());
  return cublaslt_fake().state.algo;
}

// Selects small_product and compares the algorithm; measured: whether the clock must, or must not, have been read.
inline std::string product_takes(int algorithm, bool measured, const adj_preference& preference = tuned()) {
  const int before = measurements();
  Plan plan;
  if (Outcome o = make_plan(device_stream(), small_product().header, preference, plan); o.code) return describe(o);
  if ((measurements() > before) != measured) return measured ? "nothing is measured" : "it is measured";
  const int got = algorithm_of(plan);
  if (got != algorithm) return "algorithm " + std::to_string(got) + " of " + sku_of(plan);
  plan.reset();
  if (fakes().driver.allocations) return "device memory is not freed";
  return cublaslt_fake().state.objects == 0 ? "" : "objects are not destroyed";
}

inline std::string last_candidate(const Plan& plan) {
  adj_rejection r;
  return adj_plan_candidate(plan.get(), adj_plan_candidate_count(plan.get()) - 1, &r) ? "" : r.reason;
}

}  // namespace faults
