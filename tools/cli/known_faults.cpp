#include "known_faults.hpp"

#include <charconv>

namespace cli {

namespace {

// Zeros stand for parts that the text does not have; all are zero where the text is no version.
LibraryVersion version_of(std::string_view text) {
  LibraryVersion version{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int& part : version) {
    const auto [after, error] = std::from_chars(at, end, part);
    if (error != std::errc{}) return {};
    if (after == end) return version;
    if (*after != '.') return {};
    at = after + 1;
  }
  return {};
}

}  // namespace

bool KnownFault::is_in(std::string_view name, std::string_view version) const {
  const LibraryVersion found = version_of(version);
  return name == library && found != LibraryVersion{} && found >= first && found <= last;
}

const std::vector<KnownFault>& known_faults() {
  static const std::vector<KnownFault> table{
      {"cuBLASLt",
       {12, 8, 5},
       {13, 1, 1},
       "algorithm 66 leaves the last terms out of sums of 16-bit products whose number is no multiple of 64",
       "such an algorithm is not taken"},
      {"cuBLASLt", {13, 1, 0}, {13, 1, 1}, "algorithm 39 leaves the slope out of gelu_tanh_backward", "it is not taken for this epilogue"},
      {"cuBLASLt",
       {13, 1, 0},
       {13, 1, 1},
       "algorithm 13 writes a part of an f16 gradient of a bias where the product has one column",
       "a kernel of this library sums gradients of a bias of one column"},
      {"cuDNN",
       {9, 0, 0},
       kAnyLater,
       "masked scores of attention are no longer masked with a scale that is negative, or 0 in f32: the result is NaN",
       "scales outside of 2^-100 to 2^100 go to kernels of this library"},
      {"cuDNN", {9, 0, 0}, {9, 5, kAnyPatch}, "sums of the gradient of q are added to what the workspace holds", "the workspace is cleared before the call"},
      {"cuDNN", {9, 0, 0}, {9, 10, 1}, "attention takes a window only with the causal mask", "other windows go to kernels of this library"},
      {"cuDNN", {9, 0, 0}, {9, 15, 0}, "gradients of attention take a multiple of 128 tokens", "other numbers of tokens go to kernels of this library"},
      {"cuDNN",
       {9, 0, 0},
       {9, 24, kAnyPatch},
       "gradients of attention with equal bits in every run need a workspace that grows with the square of the tokens",
       "preference.workspace_limit, or determinism = nondeterministic, has another kernel taken"},
      {"NCCL", {2, 27, 5}, {2, 29, 6}, "an average over one rank loses its last elements", "over one rank a sum is taken, which is the same number"},
      {"NVRTC",
       {12, 4, 0},
       {12, 7, kAnyPatch},
       "architectures from sm_100 on are not known",
       "kernels are compiled to PTX, of which the driver makes machine code"},
  };
  return table;
}

}  // namespace cli
