/* A program of the first version: compiled with the header recorded then, it runs against today's library. Its structures
 * have the sizes of that time, whatever was appended since. */
#include "adjoint-1.0.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      printf("line %d: %s: %s\n", __LINE__, #condition, adj_last_error()); \
      return 1;                                                            \
    }                                                                      \
  } while (0)

static void header(adj_header* h, uint64_t size, int32_t tag) {
  h->struct_size = size;
  h->tag = tag;
}

static void buffer(adj_tensor* t, void* data, uint64_t bytes, int32_t dtype) {
  t->data = data;
  t->bytes = bytes;
  t->dtype = dtype;
}

static int sgd(const adj_stream* stream) {
  float w0[2] = {1, 2}, w1[3] = {3, 4, 5}, g0[2] = {1, 1}, g1[3] = {2, 2, 2};
  const int64_t numel[2] = {2, 3};
  void* params[2];
  void* grads[2];
  const uint64_t bytes[2] = {sizeof w0, sizeof w1};
  adj_sgd_descriptor d;
  adj_sgd_args a;
  adj_plan* plan = NULL;
  params[0] = w0, params[1] = w1, grads[0] = g0, grads[1] = g1;
  memset(&d, 0, sizeof d);
  header(&d.header, sizeof d, ADJ_TAG_SGD_DESCRIPTOR);
  d.count = 2;
  d.numel = numel;
  d.param = ADJ_F32;
  d.max_norm = 1;
  CHECK(adj_plan_select(stream, &d.header, NULL, &plan, NULL) == ADJ_OK);
  memset(&a, 0, sizeof a);
  header(&a.header, sizeof a, ADJ_TAG_SGD_ARGS);
  a.params.count = a.grads.count = 2;
  a.params.dtype = a.grads.dtype = ADJ_F32;
  a.params.data = params, a.grads.data = grads;
  a.params.bytes = a.grads.bytes = bytes;
  a.lr.value = 0.5;
  a.grad_scale.value = 1;
  a.update_signal.value = 1;
  CHECK(adj_plan_run(plan, stream, NULL, &a.header) == ADJ_OK);
  CHECK(w0[0] == 0.5f && w0[1] == 1.5f && w1[0] == 2 && w1[1] == 3 && w1[2] == 4);
  adj_plan_release(plan);
  return 0;
}

static int embedding(const adj_stream* stream) {
  float weight[6] = {0, 1, 2, 3, 4, 5}, out[4] = {0, 0, 0, 0};
  int64_t indices[2] = {2, 0};
  adj_embedding_forward_descriptor d;
  adj_embedding_forward_args a;
  adj_preference preference;
  adj_plan* plan = NULL;
  adj_bound* bound = NULL;
  adj_error* error = NULL;
  adj_plan_info info;
  adj_sku_info sku;
  memset(&d, 0, sizeof d);
  header(&d.header, sizeof d, ADJ_TAG_EMBEDDING_FORWARD_DESCRIPTOR);
  d.num_embeddings = 3, d.embedding_dim = 2, d.num_indices = 2;
  d.element = ADJ_F32, d.index = ADJ_I64;
  memset(&preference, 0, sizeof preference);
  header(&preference.header, sizeof preference, ADJ_TAG_PREFERENCE);
  preference.determinism = ADJ_BATCH_INVARIANT;
  preference.workspace_limit = UINT64_MAX;
  CHECK(adj_plan_select(stream, &d.header, &preference, &plan, &error) == ADJ_OK && !error);
  memset(&info, 0, sizeof info);
  header(&info.header, sizeof info, ADJ_TAG_PLAN_INFO);
  CHECK(adj_plan_get_info(plan, &info) == ADJ_OK && info.workspace_size == 0);
  memset(&sku, 0, sizeof sku);
  header(&sku.header, sizeof sku, ADJ_TAG_SKU_INFO);
  CHECK(adj_plan_sku(plan, &sku) == ADJ_OK && sku.guarantee.determinism == ADJ_BATCH_INVARIANT);
  memset(&a, 0, sizeof a);
  header(&a.header, sizeof a, ADJ_TAG_EMBEDDING_FORWARD_ARGS);
  buffer(&a.weight, weight, sizeof weight, ADJ_F32);
  buffer(&a.indices, indices, sizeof indices, ADJ_I64);
  buffer(&a.out, out, sizeof out, ADJ_F32);
  CHECK(adj_plan_can_implement(plan, &a.header) == ADJ_OK);
  CHECK(adj_plan_bind(plan, stream, NULL, &a.header, &bound) == ADJ_OK);
  adj_plan_release(plan);
  CHECK(adj_bound_run(bound, stream) == ADJ_OK);
  adj_bound_release(bound);
  CHECK(out[0] == 4 && out[1] == 5 && out[2] == 0 && out[3] == 1);

  d.num_indices = -1;
  CHECK(adj_plan_select(stream, &d.header, &preference, &plan, &error) == ADJ_ERROR_INVALID_PROBLEM && !plan && error);
  CHECK(strstr(adj_error_message(error), "num_indices") != NULL);
  adj_error_release(error);
  return 0;
}

int main(void) {
  const adj_stream stream = adj_stream_host();
  uint32_t major = 0, minor = 0;
  CHECK(adj_abi_check(1, 0) == ADJ_OK);
  adj_abi_version(&major, &minor);
  CHECK(major == 1);
  if (embedding(&stream) || sgd(&stream)) return 1;
  printf("interface 1.0 works with library %s, interface %u.%u\n", adj_version(), (unsigned)major, (unsigned)minor);
  return 0;
}
