// A C++ program against an installed library: the C headers with their default members, and the C++ interface if it is installed.
#include <adjoint.h>
#if __has_include(<adjoint/adjoint.hpp>)
#include <adjoint/adjoint.hpp>
#endif

#include <cstdio>
#include <string>

int main() {
  if (adj_abi_check(ADJ_ABI_MAJOR, ADJ_ABI_MINOR) != ADJ_OK || !std::string(adj_version()).starts_with(CONSUMER_VERSION)) return 1;
  adj_embedding_forward_descriptor descriptor;
  descriptor.num_embeddings = descriptor.num_indices = descriptor.embedding_dim = 1;
  descriptor.element = ADJ_F64;
  descriptor.index = ADJ_I64;
  const adj_stream stream = adj_stream_host();
  adj_plan* plan = nullptr;
  if (adj_plan_select(&stream, &descriptor.header, nullptr, &plan, nullptr) != ADJ_OK) {
    std::fprintf(stderr, "%s\n", adj_last_error());
    return 2;
  }
  double weight = 2.5, out = 0;
  std::int64_t index = 0;
  adj_embedding_forward_args args;
  args.weight = {&weight, sizeof weight, ADJ_F64, 0, {}, {}};
  args.indices = {&index, sizeof index, ADJ_I64, 0, {}, {}};
  args.out = {&out, sizeof out, ADJ_F64, 0, {}, {}};
  const adj_status status = adj_plan_run(plan, &stream, nullptr, &args.header);
  adj_plan_release(plan);
  return status == ADJ_OK && out == 2.5 ? 0 : 3;
}
