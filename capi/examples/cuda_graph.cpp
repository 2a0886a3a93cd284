// The gradient of an embedding table in C++, with the CUDA runtime and a CUDA graph.
//
//   g++ -std=c++20 cuda_graph.cpp $(pkg-config --cflags --libs adjoint) -I"$CUDA_HOME"/include -L"$CUDA_HOME"/lib64 -lcudart
//
#include <adjoint/adjoint.hpp>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace adjoint;

static void must(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
  std::exit(1);
}
template <class T>
static T must(Result<T> result) {
  if (result) return *std::move(result);
  std::fprintf(stderr, "Adjoint: %s\n", result.error().message.c_str());
  std::exit(1);
}
static void must(Result<void> result) {
  if (result) return;
  std::fprintf(stderr, "Adjoint: %s\n", result.error().message.c_str());
  std::exit(1);
}
template <class T>
static T* upload(const std::vector<T>& values) {
  void* memory = nullptr;
  must(cudaMalloc(&memory, values.size() * sizeof(T)));
  must(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return static_cast<T*>(memory);
}

int main() {
  constexpr std::int64_t vocabulary = 50257, width = 768, tokens = 8192;
  std::vector<std::int64_t> rows(tokens);
  for (std::int64_t i = 0; i < tokens; ++i) rows[i] = i % 100;  // tokens 0, 100, 200, ... name row 0: 82 of them
  const float* dout = upload(std::vector<float>(tokens * width, 1.0f));
  const std::int64_t* indices = upload(rows);
  float* dweight = upload(std::vector<float>(vocabulary * width, -1.0f));

  cudaStream_t cuda_stream = nullptr;
  must(cudaStreamCreateWithFlags(&cuda_stream, cudaStreamNonBlocking));
  const Stream stream = must(Stream::wrap(cuda_stream));

  // All slow work is here: choosing, compiling and loading the kernels.
  const auto plan = must(EmbeddingBackwardPlan::select(
      stream, {.num_embeddings = vocabulary, .embedding_dim = width, .num_indices = tokens, .element = ADJ_F32, .index = ADJ_I64}));
  std::printf("%s\n", plan.sku().id);

  Workspace workspace{nullptr, plan.workspace_size()};
  must(cudaMalloc(&workspace.data, workspace.bytes));  // aligned to 256 bytes, as a workspace has to be
  const EmbeddingBackwardArgs args{.dout = tensor(dout, {tokens, width}),
                                   .indices = tensor(indices, {tokens}),
                                   .dweight = tensor(dweight, {vocabulary, width})};

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  must(cudaStreamBeginCapture(cuda_stream, cudaStreamCaptureModeGlobal));
  must(plan.run(stream, workspace, args));
  must(cudaStreamEndCapture(cuda_stream, &graph));
  must(cudaGraphInstantiate(&executable, graph, 0));
  must(cudaGraphLaunch(executable, cuda_stream));
  must(cudaStreamSynchronize(cuda_stream));

  float first = 0;
  must(cudaMemcpy(&first, dweight, sizeof first, cudaMemcpyDeviceToHost));
  std::printf("dweight[0][0] = %g, expected 82\n", first);
  return first == 82 ? 0 : 1;
}
