// Declarations of the functions of cuBLASLt that this library calls, as cuda_abi.hpp has those of the driver.
#pragma once

#include "driver/cuda_abi.hpp"

namespace adj::cu {

using BlasStatus = int;   // cublasStatus_t
using BlasHandle = struct BlasHandleOpaque*;
using BlasProduct = struct BlasProductOpaque*;        // cublasLtMatmulDesc_t
using BlasLayout = struct BlasLayoutOpaque*;          // cublasLtMatrixLayout_t
using BlasPreference = struct BlasPreferenceOpaque*;  // cublasLtMatmulPreference_t
using BlasType = int;     // cudaDataType_t
using BlasCompute = int;  // cublasComputeType_t
using BlasAttribute = int;  // cublasLtMatmulDescAttributes_t and the like
struct BlasAlgo {           // cublasLtMatmulAlgo_t, may be copied
  std::uint64_t data[8];
};
struct BlasHeuristic {      // cublasLtMatmulHeuristicResult_t
  BlasAlgo algo;
  std::size_t workspace;
  BlasStatus state;
  float waves;
  int reserved[4];
};
constexpr BlasStatus kBlasSuccess = 0, kBlasInvalidValue = 7, kBlasArchMismatch = 8, kBlasNotSupported = 15;
constexpr BlasType kBlasFloat = 0, kBlasDouble = 1, kBlasHalf = 2, kBlasBfloat16 = 14, kBlasE4M3 = 28, kBlasE5M2 = 29;
constexpr BlasCompute kBlasCompute32 = 68, kBlasComputeTf32 = 77, kBlasCompute64 = 70;
constexpr BlasAttribute kBlasTransposeA = 3, kBlasTransposeB = 4, kBlasEpilogue = 7, kBlasBiasPointer = 8, kBlasAuxPointer = 11, kBlasAuxLd = 12,
                        kBlasAuxStride = 13, kBlasScaleAPointer = 17, kBlasScaleBPointer = 18, kBlasFastAccumulation = 25, kBlasScaleAMode = 31,
                        kBlasScaleBMode = 32;                                         // of a product
constexpr BlasAttribute kBlasBatchCount = 5, kBlasBatchStride = 6;                    // of a layout
constexpr BlasAttribute kBlasMostWorkspace = 1, kBlasReductions = 3, kBlasLeastAlignment = 5;  // of a preference; alignments of A, B, C, D follow
constexpr BlasAttribute kBlasAlgoId = 0, kBlasAlgoSplits = 2, kBlasAlgoReduction = 3;          // of an algorithm
constexpr std::int32_t kBlasTranspose = 1;          // cublasOperation_t
constexpr std::int32_t kBlasScaleOfTensor = 0, kBlasScaleOfRow = 3, kBlasScaleOfGroup = 4, kBlasScaleOfBlock = 5;  // cublasLtMatmulMatrixScale_t
constexpr std::uint32_t kBlasReduceInCompute = 2;   // cublasLtReductionScheme_t: partial sums in the workspace, in the type of the sums
constexpr std::uint32_t kBlasEpilogueNone = 1, kBlasEpilogueBias = 4, kBlasEpilogueGelu = 32, kBlasEpilogueGeluGradient = 64, kBlasEpilogueAux = 128,
                        kBlasEpilogueSumsOfB = 512;

}  // namespace adj::cu

// Functions of cuBLASLt 12 and 13.
#define ADJ_BLAS_FUNCTIONS(X)                                                                                                                               \
  X(version, cublasLtGetVersion, std::size_t, ())                                                                                                           \
  X(status_string, cublasLtGetStatusString, const char*, (BlasStatus))                                                                                      \
  X(create, cublasLtCreate, BlasStatus, (BlasHandle*))                                                                                                      \
  X(destroy, cublasLtDestroy, BlasStatus, (BlasHandle))                                                                                                     \
  X(product_create, cublasLtMatmulDescCreate, BlasStatus, (BlasProduct*, BlasCompute, BlasType))                                                            \
  X(product_set, cublasLtMatmulDescSetAttribute, BlasStatus, (BlasProduct, BlasAttribute, const void*, std::size_t))                                        \
  X(product_destroy, cublasLtMatmulDescDestroy, BlasStatus, (BlasProduct))                                                                                  \
  X(layout_create, cublasLtMatrixLayoutCreate, BlasStatus, (BlasLayout*, BlasType, std::uint64_t, std::uint64_t, std::int64_t))                             \
  X(layout_set, cublasLtMatrixLayoutSetAttribute, BlasStatus, (BlasLayout, BlasAttribute, const void*, std::size_t))                                        \
  X(layout_destroy, cublasLtMatrixLayoutDestroy, BlasStatus, (BlasLayout))                                                                                  \
  X(preference_create, cublasLtMatmulPreferenceCreate, BlasStatus, (BlasPreference*))                                                                       \
  X(preference_set, cublasLtMatmulPreferenceSetAttribute, BlasStatus, (BlasPreference, BlasAttribute, const void*, std::size_t))                            \
  X(preference_destroy, cublasLtMatmulPreferenceDestroy, BlasStatus, (BlasPreference))                                                                      \
  X(heuristic, cublasLtMatmulAlgoGetHeuristic, BlasStatus,                                                                                                  \
    (BlasHandle, BlasProduct, BlasLayout, BlasLayout, BlasLayout, BlasLayout, BlasPreference, int, BlasHeuristic*, int*))                                   \
  X(check, cublasLtMatmulAlgoCheck, BlasStatus, (BlasHandle, BlasProduct, BlasLayout, BlasLayout, BlasLayout, BlasLayout, const BlasAlgo*, BlasHeuristic*)) \
  X(algo_get, cublasLtMatmulAlgoConfigGetAttribute, BlasStatus, (const BlasAlgo*, BlasAttribute, void*, std::size_t, std::size_t*))                         \
  X(matmul, cublasLtMatmul, BlasStatus,                                                                                                                     \
    (BlasHandle, BlasProduct, const void*, const void*, BlasLayout, const void*, BlasLayout, const void*, const void*, BlasLayout, void*, BlasLayout,       \
     const BlasAlgo*, void*, std::size_t, Stream))
