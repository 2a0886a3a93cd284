/* A C program against an installed library: the headers, the linking and one call through each layer. */
#include <adjoint.h>

#include <stdio.h>
#include <string.h>

int main(void) {
  float dout[2] = {1, 2}, dweight[4] = {9, 9, 9, 9};
  int32_t indices[1] = {1};
  unsigned char area[512];
  adj_workspace workspace = {NULL, 0};
  adj_embedding_backward_descriptor descriptor = ADJ_EMBEDDING_BACKWARD_DESCRIPTOR_INIT;
  adj_embedding_backward_args args = ADJ_EMBEDDING_BACKWARD_ARGS_INIT;
  const adj_stream stream = adj_stream_host();
  adj_plan* plan = NULL;
  if (adj_abi_check(ADJ_ABI_MAJOR, ADJ_ABI_MINOR)) return 1;
  if (strncmp(adj_version(), CONSUMER_VERSION, strlen(CONSUMER_VERSION)) != 0) return 2;
  descriptor.num_embeddings = 2;
  descriptor.embedding_dim = 2;
  descriptor.num_indices = 1;
  descriptor.element = ADJ_F32;
  descriptor.index = ADJ_I32;
  if (adj_plan_select(&stream, &descriptor.header, NULL, &plan, NULL)) {
    fprintf(stderr, "%s\n", adj_last_error());
    return 3;
  }
  args.dout.data = dout;
  args.dout.bytes = sizeof dout;
  args.indices.data = indices;
  args.indices.bytes = sizeof indices;
  args.dweight.data = dweight;
  args.dweight.bytes = sizeof dweight;
  args.dout.dtype = args.dweight.dtype = ADJ_F32;
  args.indices.dtype = ADJ_I32;
  workspace.data = (void*)(((uintptr_t)area + 255) & ~(uintptr_t)255);
  workspace.bytes = adj_plan_workspace_size(plan);
  if (adj_plan_run(plan, &stream, &workspace, &args.header)) {
    fprintf(stderr, "%s\n", adj_last_error());
    return 4;
  }
  adj_plan_release(plan);
  return dweight[0] == 0 && dweight[1] == 0 && dweight[2] == 1 && dweight[3] == 2 ? 0 : 5;
}
