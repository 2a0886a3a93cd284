// A driver that encodes tensor maps in another form than the library knows, refuses them, or fails.
#include <adjoint/ops/matmul.h>
#include <doctest/doctest.h>

#include <string>

#include "child.hpp"
#include "driver/cuda_abi.hpp"
#include "machine.hpp"

using namespace faults;

namespace {

constexpr const char* kEncode = "cuTensorMapEncodeTiled";

adj_matmul_descriptor product() {
  adj_matmul_descriptor d;
  d.m = 128, d.n = 256, d.k = 64, d.transpose_b = 1;
  d.element = ADJ_BF16;
  return d;
}

// Selects a plan of the product; its SKU's id, or how the selection ends.
std::string selected(const char* sku, adj_status& code) {
  adj_stream stream;
  if (adj_stream_wrap(fakes().stream(), &stream)) return adj_last_error();
  const adj_matmul_descriptor d = product();
  adj_preference preference;
  preference.sku = sku;
  adj_plan* plan = nullptr;
  adj_sku_info info;
  code = adj_plan_select(&stream, &d.header, &preference, &plan, nullptr);
  if (code || adj_plan_sku(plan, &info)) return adj_last_error();
  const std::string id = info.id;
  adj_plan_release(plan);
  return id;
}

}  // namespace

TEST_CASE("tensor maps that the driver refuses, or writes in another form, give way to the next algorithm") {
  prepare();
  Tally tally("tensor maps");
  struct Case {
    const char *what, *sentence;
    int code;
  };
  for (const Case& c : {Case{"refused", kEncode, adj::cu::kErrorInvalidValue}, Case{"another form", "keeps the address of a tensor map in a form", 0}})
    tally.add(c.what, in_child([&]() -> std::string {
                adj_status code = ADJ_OK;
                if (const std::string id = selected(nullptr, code); code || !contains(id, "/warpgroups/")) return "before: " + id;
                fakes().driver.other_maps = c.code == 0;
                fakes().entry(kEncode).code = c.code;
                fakes().entry(kEncode).countdown = c.code ? 1 : 0;
                const std::string why = selected("*/warpgroups/*", code);
                if (auto problem = expect({code, why.c_str()}, ADJ_ERROR_UNSUPPORTED, {c.sentence}); !problem.empty()) return problem;
                fakes().entry(kEncode).countdown = c.code ? 1 : 0;
                const std::string id = selected(nullptr, code);
                return code || !contains(id, "/tensor_cores/") ? "then: " + id : "";
              }));
  for (int n = 1; n <= 4; ++n)  // two maps, each encoded with two addresses
    tally.add("fails at call " + std::to_string(n), in_child([&]() -> std::string {
                fakes().entry(kEncode).code = 999;
                fakes().entry(kEncode).countdown = n;
                adj_status code = ADJ_OK;
                const std::string why = selected(nullptr, code);
                return expect({code, why.c_str()}, ADJ_ERROR_CUDA, {kEncode});
              }));
}
