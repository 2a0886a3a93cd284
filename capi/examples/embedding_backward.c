/* Gradient of an embedding table from C: describe the problem, select a kernel, run it on a stream.
 *
 *   cc embedding_backward.c $(pkg-config --cflags --libs adjoint) -ldl -o embedding_backward && ./embedding_backward
 *
 * Runs on the host stream, and on device 0 when there is one. Exits with 0 when every result is the expected one. */
#include <adjoint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_min.h"

/* A table of 4 rows of 2; token 1 looked up row 0, tokens 0 and 2 looked up row 2. */
enum { kRows = 4, kColumns = 2, kTokens = 3 };

/* bf16 is the upper half of an f32. */
static const uint16_t kDout[kTokens * kColumns] = {0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0, 0x40c0}; /* 1 2 | 3 4 | 5 6 */
static const int64_t kIndices[kTokens] = {2, 0, 2};
static const uint16_t kExpected[kRows * kColumns] = {0x4040, 0x4080, 0, 0, 0x40c0, 0x4100, 0, 0}; /* 3 4 | 0 0 | 6 8 | 0 0 */

static float bf16_to_float(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static int failed(const char* what, adj_status status) {
  fprintf(stderr, "%s: %s: %s\n", what, adj_status_name(status), adj_last_error());
  return 1;
}

static adj_embedding_backward_descriptor describe(void) {
  adj_embedding_backward_descriptor descriptor = ADJ_EMBEDDING_BACKWARD_DESCRIPTOR_INIT;
  descriptor.num_embeddings = kRows;
  descriptor.embedding_dim = kColumns;
  descriptor.num_indices = kTokens;
  descriptor.element = ADJ_BF16;
  descriptor.index = ADJ_I64;
  return descriptor;
}

static adj_tensor tensor(void* data, uint64_t bytes, adj_dtype dtype) {
  adj_tensor t = {0};
  t.data = data;
  t.bytes = bytes;
  t.dtype = dtype;
  return t;
}

static adj_embedding_backward_args arguments(void* dout, void* indices, void* dweight) {
  adj_embedding_backward_args args = ADJ_EMBEDDING_BACKWARD_ARGS_INIT;
  args.dout = tensor(dout, sizeof kDout, ADJ_BF16);
  args.indices = tensor(indices, sizeof kIndices, ADJ_I64);
  args.dweight = tensor(dweight, sizeof kExpected, ADJ_BF16);
  return args;
}

/* Selection does all slow work: a plan is made once and run many times, from any thread. */
static adj_plan* make_plan(const adj_stream* stream) {
  const adj_embedding_backward_descriptor descriptor = describe();
  adj_preference preference = ADJ_PREFERENCE_INIT;
  adj_plan* plan = NULL;
  adj_error* error = NULL;
  adj_sku_info sku = ADJ_SKU_INFO_INIT;
  int64_t i;

  preference.determinism = ADJ_RUN_TO_RUN;
  if (adj_plan_select(stream, &descriptor.header, &preference, &plan, &error)) {
    fprintf(stderr, "select: %s: %s\n%s", adj_status_name(adj_error_code(error)), adj_error_message(error), adj_error_log(error));
    for (i = 0; i < adj_error_rejection_count(error); ++i) {
      adj_rejection rejection = ADJ_REJECTION_INIT;
      adj_error_rejection(error, i, &rejection);
      fprintf(stderr, "  %s: %s\n", rejection.sku, rejection.reason);
    }
    adj_error_release(error);
    return NULL;
  }
  if (adj_plan_sku(plan, &sku) == ADJ_OK)
    printf("%s: %s; error within %g ulp + %g of the terms\n", sku.id, sku.summary, sku.guarantee.bound_ulp, sku.guarantee.bound_terms);
  return plan;
}

static int check(const char* where, const uint16_t* dweight) {
  int row, column, wrong = 0;
  for (row = 0; row < kRows; ++row) {
    printf("  dweight[%d] =", row);
    for (column = 0; column < kColumns; ++column) {
      printf(" %g", (double)bf16_to_float(dweight[row * kColumns + column]));
      wrong += dweight[row * kColumns + column] != kExpected[row * kColumns + column];
    }
    printf("\n");
  }
  if (wrong) fprintf(stderr, "%s: %d elements differ from the expected ones\n", where, wrong);
  return wrong != 0;
}

static int on_host(void) {
  uint16_t dout[kTokens * kColumns], dweight[kRows * kColumns];
  int64_t indices[kTokens];
  adj_embedding_backward_args args = arguments(dout, indices, dweight);
  const adj_stream stream = adj_stream_host();
  adj_plan* plan = make_plan(&stream);
  adj_workspace workspace = {NULL, 0};
  void* allocation;
  adj_status status;

  if (!plan) return 1;
  memcpy(dout, kDout, sizeof dout);
  memcpy(indices, kIndices, sizeof indices);
  memset(dweight, 0xff, sizeof dweight);
  workspace.bytes = adj_plan_workspace_size(plan);
  allocation = malloc((size_t)workspace.bytes + 255);
  if (!allocation) {
    adj_plan_release(plan);
    return 1;
  }
  workspace.data = (void*)(((uintptr_t)allocation + 255) & ~(uintptr_t)255); /* 256-byte aligned */

  status = adj_plan_run(plan, &stream, &workspace, &args.header);
  free(allocation);
  adj_plan_release(plan);
  return status ? failed("run on the host", status) : check("host", dweight);
}

static int on_device(void) {
  uint16_t dweight[kRows * kColumns];
  cuda_min cuda;
  adj_stream stream;
  adj_plan* plan = NULL;
  adj_workspace workspace = {NULL, 0};
  adj_embedding_backward_args args;
  adj_status status;
  int rc, result = 1;

  if (adj_device_count() == 0 || (rc = cuda_min_open(&cuda)) == -1) {
    printf("no CUDA device: ran on the host only\n");
    return 0;
  }
  if (rc) {
    fprintf(stderr, "the CUDA driver failed with error %d\n", rc);
    return 1;
  }
  args =
      arguments(cuda_min_upload(&cuda, kDout, sizeof kDout), cuda_min_upload(&cuda, kIndices, sizeof kIndices), cuda_min_upload(&cuda, NULL, sizeof dweight));
  if ((status = adj_stream_wrap(cuda.stream, &stream))) {
    failed("wrap the stream", status);
  } else if ((plan = make_plan(&stream))) {
    workspace.bytes = adj_plan_workspace_size(plan);
    workspace.data = cuda_min_upload(&cuda, NULL, (size_t)workspace.bytes);
    if ((status = adj_plan_run(plan, &stream, &workspace, &args.header))) failed("run on the device", status);
    else if ((rc = cuda.stream_synchronize(cuda.stream)) || (rc = cuda.copy_to_host(dweight, (cuda_pointer)(size_t)args.dweight.data, sizeof dweight)))
      fprintf(stderr, "the CUDA driver failed with error %d\n", rc);
    else result = check("device", dweight);
  }
  adj_plan_release(plan);
  cuda_min_free(&cuda, workspace.data);
  cuda_min_free(&cuda, args.dweight.data);
  cuda_min_free(&cuda, args.indices.data);
  cuda_min_free(&cuda, args.dout.data);
  cuda_min_close(&cuda);
  return result;
}

/* A wrong call changes nothing; it returns a code, and adj_last_error() has a sentence with operator, argument and value. */
static int on_error(void) {
  uint16_t dout[kTokens * kColumns] = {0}, dweight[kRows * kColumns];
  int64_t indices[kTokens] = {0};
  adj_embedding_backward_args args = arguments(dout, indices, dweight);
  const adj_stream stream = adj_stream_host();
  adj_plan* plan = make_plan(&stream);
  adj_status status;

  if (!plan) return 1;
  args.dweight.bytes = sizeof dweight - 2;
  status = adj_plan_can_implement(plan, &args.header);
  adj_plan_release(plan);
  printf("expected error: %s: %s\n", adj_status_name(status), adj_last_error());
  if (status == ADJ_ERROR_BUFFER_TOO_SMALL && strcmp(adj_last_error(), "embedding_backward: dweight needs 16 bytes, got 14") == 0) return 0;
  fprintf(stderr, "that is not the expected error\n");
  return 1;
}

/* Every kernel that could have served and why it does or does not: here on an architecture that need not be present. */
static int explain(void) {
  const adj_embedding_backward_descriptor descriptor = describe();
  adj_stream stream;
  adj_error* report = NULL;
  adj_status status;
  int64_t i;

  if ((status = adj_stream_offline("sm_90a", &stream))) return failed("offline stream", status);
  if ((status = adj_plan_explain(&stream, &descriptor.header, NULL, &report))) {
    adj_error_release(report);
    return failed("explain", status);
  }
  printf("candidates on sm_90a:\n");
  for (i = 0; i < adj_error_rejection_count(report); ++i) {
    adj_rejection candidate = ADJ_REJECTION_INIT;
    if ((status = adj_error_rejection(report, i, &candidate))) failed("candidate", status);
    printf("  %s: %s\n", candidate.sku, candidate.reason);
  }
  adj_error_release(report);
  return i == 0; /* at least the host's kernel is a candidate */
}

int main(void) {
  const adj_status status = adj_abi_check(ADJ_ABI_MAJOR, ADJ_ABI_MINOR);
  int failures;
  if (status) return failed("version", status);
  printf("libadjoint %s\n", adj_version());
  failures = on_host() + on_error() + explain() + on_device();
  printf(failures ? "FAILED\n" : "ok\n");
  return failures != 0;
}
