// Training in C++ with the CUDA runtime: a table of scores learns which byte of a text follows which. The step is captured in a CUDA graph.
//
//   g++ -std=c++20 cuda_graph.cpp $(pkg-config --cflags --libs adjoint) -I"$CUDA_HOME"/include -L"$CUDA_HOME"/lib64 -lcudart
//
#include <adjoint/adjoint.hpp>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace adjoint;

static void must(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
  std::exit(1);
}
static void must(Result<void> result) {
  if (result) return;
  std::fprintf(stderr, "Adjoint: %s\n", result.error().message.c_str());
  std::exit(1);
}
template <class T>
static T must(Result<T> result) {
  if (!result) must(Result<void>(result.error()));
  return *std::move(result);
}
template <class T>
static T* upload(const std::vector<T>& values) {
  void* memory = nullptr;
  must(cudaMalloc(&memory, values.size() * sizeof(T)));
  must(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return static_cast<T*>(memory);
}

int main() {
  const std::string text = "the quick brown fox jumps over the lazy dog, and the lazy dog sleeps on";
  const std::vector<std::int64_t> codes(text.begin(), text.end());
  const std::int64_t tokens = static_cast<std::int64_t>(codes.size()) - 1, numel[] = {256 * 256};

  const std::int64_t* bytes = upload(codes);
  const adj_tensor previous = tensor(bytes, {tokens}), next = tensor(bytes + 1, {tokens});
  const adj_tensor scores = tensor(upload(std::vector<float>(tokens * 256)), {tokens, 256});
  const adj_tensor loss = tensor(upload(std::vector<float>{-1}), {1});
  const adj_scalar number = device_scalar(upload(std::vector<std::int64_t>{1}), ADJ_I64);  // of the step; Adam counts it on
  const std::vector<float> zeros(256 * 256);
  float *weight = upload(zeros), *gradient = upload(zeros);
  void *weights[] = {weight}, *gradients[] = {gradient}, *first_moments[] = {upload(zeros)}, *second_moments[] = {upload(zeros)};
  const std::uint64_t sizes[] = {sizeof(float) * 256 * 256};
  const adj_tensor table = tensor(weight, {256, 256}), dtable = tensor(gradient, {256, 256});
  const AdamArgs update{.params = tensor_list(ADJ_F32, weights, sizes),
                        .grads = tensor_list(ADJ_F32, gradients, sizes),
                        .exp_avg = tensor_list(ADJ_F32, first_moments, sizes),
                        .exp_avg_sq = tensor_list(ADJ_F32, second_moments, sizes),
                        .lr = value(0.3),
                        .step = number};

  cudaStream_t cuda_stream = nullptr;
  must(cudaStreamCreateWithFlags(&cuda_stream, cudaStreamNonBlocking));
  const Stream stream = must(Stream::wrap(cuda_stream));
  Workspace workspace{nullptr, 16 << 20};
  must(cudaMalloc(&workspace.data, workspace.bytes));  // aligned to 256 bytes, as a workspace has to be; the calls of a stream share it

  // A plan comes from the cache of the process. All slow work is in its first call: choosing, compiling and loading the kernels.
  auto run = [&]<class Descriptor, class Args>(const Descriptor& descriptor, const Args& args) {
    must(must(Plan<Descriptor, Args>::cached(stream, descriptor)).run(stream, workspace, args));
  };
  auto step = [&] {
    run(EmbeddingForwardDescriptor{.num_embeddings = 256, .embedding_dim = 256, .num_indices = tokens, .element = ADJ_F32, .index = ADJ_I64},
        EmbeddingForwardArgs{.weight = table, .indices = previous, .out = scores});
    run(CrossEntropyWithGradientDescriptor{.samples = tokens, .num_classes = 256, .element = ADJ_F32, .label = ADJ_I64},
        CrossEntropyWithGradientArgs{.scores = scores, .labels = next, .loss = loss, .dscores = scores});  // the gradient in place
    run(EmbeddingBackwardDescriptor{.num_embeddings = 256, .embedding_dim = 256, .num_indices = tokens, .element = ADJ_F32, .index = ADJ_I64},
        EmbeddingBackwardArgs{.dout = scores, .indices = previous, .dweight = dtable});
    run(AdamDescriptor{.count = 1, .numel = numel, .advance_step = 1, .param = ADJ_F32}, update);
  };
  auto read_loss = [&] {
    float result = 0;
    must(cudaStreamSynchronize(cuda_stream));
    must(cudaMemcpy(&result, loss.data, sizeof result, cudaMemcpyDeviceToHost));
    return result;
  };

  step();
  const float first = read_loss();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  must(cudaStreamBeginCapture(cuda_stream, cudaStreamCaptureModeGlobal));
  step();
  must(cudaStreamEndCapture(cuda_stream, &graph));
  must(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 60; ++i) must(cudaGraphLaunch(executable, cuda_stream));
  const float last = read_loss();
  std::printf("the loss went from %.3f to %.3f nats per byte\n", first, last);
  return first > 5.54f && first < 5.55f && last < 1.0f ? 0 : 1;  // at first all 256 bytes are equally likely
}
