// Written by tools/generate.py from the C headers. Do not edit.
use super::*;

values! {
    /// The enumeration `adj_status` of the C interface.
    Status {
        /// `ADJ_OK`
        OK = 0,
        /// a null pointer, an unknown enumerator, an unknown chained structure
        INVALID_ARGUMENT = 1,
        /// struct_size too small, or a longer structure with a non-zero unknown tail
        STRUCT_SIZE = 2,
        /// the descriptor contradicts itself or the operator's definition
        INVALID_PROBLEM = 3,
        /// valid, but no kernel for it; the rejections say why
        UNSUPPORTED = 4,
        /// a buffer's element type differs from the descriptor's
        DTYPE_MISMATCH = 5,
        /// a buffer's rank, shape, strides or list length differs from the descriptor's
        SHAPE_MISMATCH = 6,
        /// a required buffer is null
        NULL_BUFFER = 7,
        /// byte capacity below what the descriptor needs
        BUFFER_TOO_SMALL = 8,
        /// base address not a multiple of the required alignment
        MISALIGNED = 9,
        /// two buffers overlap where the operator does not allow it
        ALIASING = 10,
        /// `ADJ_ERROR_WORKSPACE_TOO_SMALL`
        WORKSPACE_TOO_SMALL = 11,
        /// stream of another device, or of another kind, than the plan's
        STREAM_MISMATCH = 12,
        /// libcuda, NVRTC, a device, or the library that a kernel calls is missing
        BACKEND_UNAVAILABLE = 13,
        /// `ADJ_ERROR_DRIVER_TOO_OLD`
        DRIVER_TOO_OLD = 14,
        /// NVRTC rejected the program; the error object has the log
        COMPILE_FAILED = 15,
        /// a call of the driver, of cuDNN, of cuBLASLt or of NCCL failed; the error object has its code
        CUDA = 16,
        /// no such SKU, operator or registry row
        NOT_FOUND = 17,
        /// a file could not be read or written
        IO = 18,
        /// a pack or cache file fails its checksum or its format
        CORRUPT = 19,
        /// `ADJ_ERROR_OUT_OF_MEMORY`
        OUT_OF_MEMORY = 20,
        /// `ADJ_ERROR_INTERNAL`
        INTERNAL = 21,
        /// the call is not allowed while the stream is being captured
        CAPTURING = 22,
        /// a scalar passed by value is outside its domain
        INVALID_VALUE = 23,
    }
    /// The enumeration `adj_dtype` of the C interface.
    Dtype {
        /// `ADJ_DTYPE_NONE`
        NONE = 0,
        /// `ADJ_F32`
        F32 = 1,
        /// `ADJ_U8`
        U8 = 2,
        /// `ADJ_I8`
        I8 = 3,
        /// `ADJ_U16`
        U16 = 4,
        /// `ADJ_I16`
        I16 = 5,
        /// `ADJ_I32`
        I32 = 6,
        /// `ADJ_I64`
        I64 = 7,
        /// `ADJ_BOOL`
        BOOL = 9,
        /// `ADJ_F16`
        F16 = 10,
        /// `ADJ_F64`
        F64 = 11,
        /// `ADJ_U32`
        U32 = 12,
        /// `ADJ_U64`
        U64 = 13,
        /// `ADJ_BF16`
        BF16 = 16,
        /// FLOAT8E4M3FN: 4 bits of exponent, 3 of mantissa, up to 448; no infinities, NaN is 0x7f and 0xff
        F8_E4M3 = 17,
        /// FLOAT8E5M2: 5 bits of exponent, 2 of mantissa, up to 57344; infinities and NaN as in IEEE formats
        F8_E5M2 = 19,
        /// FLOAT8E8M0, an exponent alone. Reserved: refused, since no kernel here multiplies blocks of 32 that it scales
        F8_E8M0 = 24,
    }
    /// The enumeration `adj_determinism` of the C interface.
    Determinism {
        /// as a requirement: ADJ_RUN_TO_RUN
        DEFAULT = 0,
        /// bits may change between runs
        NONDETERMINISTIC = 1,
        /// same bits on the same device model, whatever the stream, capture or neighbours
        RUN_TO_RUN = 2,
        /// every reduction is split by shape and element type alone
        SHAPE_ONLY = 3,
        /// a row's result does not depend on the number of rows either
        BATCH_INVARIANT = 4,
    }
    /// The enumeration `adj_math` of the C interface.
    Math {
        /// as a requirement: ADJ_MATH_FAST is allowed where the stated bound includes it
        DEFAULT = 0,
        /// correctly rounded division and square root; library-accurate transcendentals
        IEEE = 1,
        /// transcendental functions use hardware approximations, inside the stated bound; subnormal numbers may be flushed to zero. As a requirement also: the f32 operands of products may be rounded to TF32
        FAST = 2,
    }
    /// The enumeration `adj_backend` of the C interface.
    Backend {
        /// `ADJ_BACKEND_ANY`
        ANY = 0,
        /// `ADJ_BACKEND_BESPOKE`
        BESPOKE = 1,
        /// `ADJ_BACKEND_HOST`
        HOST = 2,
        /// `ADJ_BACKEND_CUDNN`
        CUDNN = 3,
        /// `ADJ_BACKEND_NCCL`
        NCCL = 4,
        /// `ADJ_BACKEND_CUBLASLT`
        CUBLASLT = 5,
    }
    /// The enumeration `adj_jit_policy` of the C interface.
    JitPolicy {
        /// packs, memory, disk cache, then NVRTC
        DEFAULT = 0,
        /// as default, without NVRTC
        CACHED_ONLY = 1,
        /// packs and memory only
        PACKS_ONLY = 2,
    }
    /// The enumeration `adj_stream_kind` of the C interface.
    StreamKind {
        /// `ADJ_STREAM_NONE`
        NONE = 0,
        /// `ADJ_STREAM_HOST`
        HOST = 1,
        /// `ADJ_STREAM_CUDA`
        CUDA = 2,
        /// `ADJ_STREAM_OFFLINE`
        OFFLINE = 3,
    }
    /// The enumeration `adj_reduction` of the C interface.
    Reduction {
        /// mean
        DEFAULT = 0,
        /// `ADJ_REDUCTION_NONE`
        NONE = 1,
        /// `ADJ_REDUCTION_SUM`
        SUM = 2,
        /// `ADJ_REDUCTION_MEAN`
        MEAN = 3,
    }
    /// The enumeration `adj_write_mode` of the C interface.
    WriteMode {
        /// overwrite
        DEFAULT = 0,
        /// every element of the output is written, untouched ones with zero
        OVERWRITE = 1,
        /// the result is added to the contents of the output
        ACCUMULATE = 2,
    }
    /// The enumeration `adj_scale_granularity` of the C interface.
    ScaleGranularity {
        /// tensor
        DEFAULT = 0,
        /// all of them
        TENSOR = 1,
        /// those of a row
        ROW = 2,
        /// 128 neighbours of a row; fewer at its end
        BLOCK_1X128 = 3,
        /// a square of 128 rows and 128 columns; less at the edges
        BLOCK_128X128 = 4,
    }
    /// The enumeration `adj_scale_layout` of the C interface.
    ScaleLayout {
        /// natural
        DEFAULT = 0,
        /// block_1x128: \[rows, C\], block_128x128: \[R, C\]
        NATURAL = 1,
        /// block_1x128: \[C, rows rounded up to 4\], block_128x128: \[R, C rounded up to 4\], as products read them; padding is 0
        GEMM = 2,
    }
    /// The enumeration `adj_field_kind` of the C interface.
    FieldKind {
        /// `ADJ_FIELD_I64`
        I64 = 1,
        /// `ADJ_FIELD_I32`
        I32 = 2,
        /// `ADJ_FIELD_DTYPE`
        DTYPE = 3,
        /// `ADJ_FIELD_F64`
        F64 = 4,
        /// `ADJ_FIELD_I64_LIST`
        I64_LIST = 5,
        /// `ADJ_FIELD_SHAPE`
        SHAPE = 6,
        /// `ADJ_FIELD_AXES`
        AXES = 7,
        /// `ADJ_FIELD_F64_LIST`
        F64_LIST = 8,
        /// `ADJ_FIELD_TEXT`
        TEXT = 9,
        /// `ADJ_FIELD_POINTER`
        POINTER = 10,
        /// `ADJ_FIELD_BYTES`
        BYTES = 11,
    }
    /// The enumeration `adj_argument_kind` of the C interface.
    ArgumentKind {
        /// `ADJ_ARGUMENT_TENSOR`
        TENSOR = 1,
        /// `ADJ_ARGUMENT_LIST`
        LIST = 2,
        /// `ADJ_ARGUMENT_SCALAR`
        SCALAR = 3,
        /// `ADJ_ARGUMENT_RANDOM`
        RANDOM = 4,
        /// `ADJ_ARGUMENT_HANDLE`
        HANDLE = 5,
    }
    /// The enumeration `adj_role` of the C interface.
    Role {
        /// `ADJ_ROLE_IN`
        IN = 1,
        /// `ADJ_ROLE_OUT`
        OUT = 2,
        /// `ADJ_ROLE_INOUT`
        INOUT = 3,
    }
    /// The enumeration `adj_presence` of the C interface.
    Presence {
        /// `ADJ_PRESENCE_REQUIRED`
        REQUIRED = 1,
        /// `ADJ_PRESENCE_OPTIONAL`
        OPTIONAL = 2,
        /// on the descriptor
        DEPENDS = 3,
        /// of an adj_requirement: must be left out
        ABSENT = 4,
    }
    /// The enumeration `adj_op` of the C interface.
    Operator {
        /// No operator.
        NONE = 0,
        /// [`EmbeddingForward`](crate::EmbeddingForward).
        EMBEDDING_FORWARD = 1,
        /// [`EmbeddingBackward`](crate::EmbeddingBackward).
        EMBEDDING_BACKWARD = 2,
        /// [`SoftmaxCrossEntropyLoss`](crate::SoftmaxCrossEntropyLoss).
        SOFTMAX_CROSS_ENTROPY_LOSS = 3,
        /// [`SoftmaxCrossEntropyLossBackward`](crate::SoftmaxCrossEntropyLossBackward).
        SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD = 4,
        /// [`Sgd`](crate::Sgd).
        SGD = 6,
        /// [`SoftmaxBackward`](crate::SoftmaxBackward).
        SOFTMAX_BACKWARD = 7,
        /// [`LogSoftmaxBackward`](crate::LogSoftmaxBackward).
        LOG_SOFTMAX_BACKWARD = 8,
        /// [`Concat`](crate::Concat).
        CONCAT = 9,
        /// [`Split`](crate::Split).
        SPLIT = 10,
        /// [`GatherBackward`](crate::GatherBackward).
        GATHER_BACKWARD = 11,
        /// [`EmbeddingBagForward`](crate::EmbeddingBagForward).
        EMBEDDING_BAG_FORWARD = 12,
        /// [`EmbeddingBagBackward`](crate::EmbeddingBagBackward).
        EMBEDDING_BAG_BACKWARD = 13,
        /// [`EmbeddingBagPerSampleWeightsBackward`](crate::EmbeddingBagPerSampleWeightsBackward).
        EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD = 14,
        /// [`IndexPlan`](crate::IndexPlan).
        INDEX_PLAN = 15,
        /// [`ActivationBackward`](crate::ActivationBackward).
        ACTIVATION_BACKWARD = 16,
        /// [`ActivationForward`](crate::ActivationForward).
        ACTIVATION_FORWARD = 17,
        /// [`GatedActivationBackward`](crate::GatedActivationBackward).
        GATED_ACTIVATION_BACKWARD = 18,
        /// [`GatedActivationForward`](crate::GatedActivationForward).
        GATED_ACTIVATION_FORWARD = 19,
        /// [`DivBackward`](crate::DivBackward).
        DIV_BACKWARD = 20,
        /// [`GistEncode`](crate::GistEncode).
        GIST_ENCODE = 21,
        /// [`GistDecode`](crate::GistDecode).
        GIST_DECODE = 22,
        /// [`FakeQuantizeForward`](crate::FakeQuantizeForward).
        FAKE_QUANTIZE_FORWARD = 23,
        /// [`FakeQuantizeBackward`](crate::FakeQuantizeBackward).
        FAKE_QUANTIZE_BACKWARD = 24,
        /// [`DropoutForward`](crate::DropoutForward).
        DROPOUT_FORWARD = 25,
        /// [`DropoutBackward`](crate::DropoutBackward).
        DROPOUT_BACKWARD = 26,
        /// [`BiasSoftmaxDropoutForward`](crate::BiasSoftmaxDropoutForward).
        BIAS_SOFTMAX_DROPOUT_FORWARD = 27,
        /// [`SoftmaxDropoutBackward`](crate::SoftmaxDropoutBackward).
        SOFTMAX_DROPOUT_BACKWARD = 28,
        /// [`SoftmaxForward`](crate::SoftmaxForward).
        SOFTMAX_FORWARD = 29,
        /// [`LogSoftmaxForward`](crate::LogSoftmaxForward).
        LOG_SOFTMAX_FORWARD = 30,
        /// [`SoftLabelCrossEntropyLoss`](crate::SoftLabelCrossEntropyLoss).
        SOFT_LABEL_CROSS_ENTROPY_LOSS = 31,
        /// [`SoftLabelCrossEntropyLossBackward`](crate::SoftLabelCrossEntropyLossBackward).
        SOFT_LABEL_CROSS_ENTROPY_LOSS_BACKWARD = 32,
        /// [`CrossEntropyWithGradient`](crate::CrossEntropyWithGradient).
        CROSS_ENTROPY_WITH_GRADIENT = 33,
        /// [`LogProbEntropy`](crate::LogProbEntropy).
        LOG_PROB_ENTROPY = 34,
        /// [`LogProbEntropyBackward`](crate::LogProbEntropyBackward).
        LOG_PROB_ENTROPY_BACKWARD = 35,
        /// [`Adam`](crate::Adam).
        ADAM = 38,
        /// [`Lamb`](crate::Lamb).
        LAMB = 39,
        /// [`ClipGradNorm`](crate::ClipGradNorm).
        CLIP_GRAD_NORM = 40,
        /// [`IsFinite`](crate::IsFinite).
        IS_FINITE = 41,
        /// [`AllFinite`](crate::AllFinite).
        ALL_FINITE = 42,
        /// [`All`](crate::All).
        ALL = 43,
        /// [`Scale`](crate::Scale).
        SCALE = 44,
        /// [`Zero`](crate::Zero).
        ZERO = 45,
        /// [`Accumulate`](crate::Accumulate).
        ACCUMULATE = 46,
        /// [`ScaledSum`](crate::ScaledSum).
        SCALED_SUM = 47,
        /// [`L2Norm`](crate::L2Norm).
        L2_NORM = 48,
        /// [`Reduce`](crate::Reduce).
        REDUCE = 49,
        /// [`LayerNormBackward`](crate::LayerNormBackward).
        LAYER_NORM_BACKWARD = 50,
        /// [`RmsNormBackward`](crate::RmsNormBackward).
        RMS_NORM_BACKWARD = 51,
        /// [`LayerNormForward`](crate::LayerNormForward).
        LAYER_NORM_FORWARD = 52,
        /// [`RmsNormForward`](crate::RmsNormForward).
        RMS_NORM_FORWARD = 53,
        /// [`BatchNormForward`](crate::BatchNormForward).
        BATCH_NORM_FORWARD = 54,
        /// [`BatchNormBackward`](crate::BatchNormBackward).
        BATCH_NORM_BACKWARD = 55,
        /// [`ConvBackward`](crate::ConvBackward).
        CONV_BACKWARD = 56,
        /// [`ConvTransposeBackward`](crate::ConvTransposeBackward).
        CONV_TRANSPOSE_BACKWARD = 57,
        /// [`ConvForward`](crate::ConvForward).
        CONV_FORWARD = 58,
        /// [`ConvTransposeForward`](crate::ConvTransposeForward).
        CONV_TRANSPOSE_FORWARD = 59,
        /// [`ResizeBackward`](crate::ResizeBackward).
        RESIZE_BACKWARD = 60,
        /// [`ResizeForward`](crate::ResizeForward).
        RESIZE_FORWARD = 61,
        /// [`GatherNdBackward`](crate::GatherNdBackward).
        GATHER_ND_BACKWARD = 62,
        /// [`GatherElementsBackward`](crate::GatherElementsBackward).
        GATHER_ELEMENTS_BACKWARD = 63,
        /// [`IndexAdd`](crate::IndexAdd).
        INDEX_ADD = 64,
        /// [`SliceBackward`](crate::SliceBackward).
        SLICE_BACKWARD = 65,
        /// [`PadAndUnflatten`](crate::PadAndUnflatten).
        PAD_AND_UNFLATTEN = 66,
        /// [`FlattenAndUnpad`](crate::FlattenAndUnpad).
        FLATTEN_AND_UNPAD = 67,
        /// [`View`](crate::View).
        VIEW = 68,
        /// [`CopyOp`](crate::CopyOp).
        COPY = 69,
        /// [`Group`](crate::Group).
        GROUP = 70,
        /// [`RecordEvent`](crate::RecordEvent).
        RECORD_EVENT = 71,
        /// [`WaitEvent`](crate::WaitEvent).
        WAIT_EVENT = 72,
        /// [`Yield`](crate::Yield).
        YIELD = 73,
        /// [`UserKernel`](crate::UserKernel).
        USER_KERNEL = 74,
        /// [`Callback`](crate::Callback).
        CALLBACK = 75,
        /// [`AllReduce`](crate::AllReduce).
        ALL_REDUCE = 76,
        /// [`AllGather`](crate::AllGather).
        ALL_GATHER = 77,
        /// [`ReduceScatter`](crate::ReduceScatter).
        REDUCE_SCATTER = 78,
        /// [`SendOp`](crate::SendOp).
        SEND = 79,
        /// [`Recv`](crate::Recv).
        RECV = 80,
        /// [`Broadcast`](crate::Broadcast).
        BROADCAST = 81,
        /// [`AdasumAllReduce`](crate::AdasumAllReduce).
        ADASUM_ALL_REDUCE = 82,
        /// [`MegatronF`](crate::MegatronF).
        MEGATRON_F = 83,
        /// [`MegatronG`](crate::MegatronG).
        MEGATRON_G = 84,
        /// [`UpdateLossScale`](crate::UpdateLossScale).
        UPDATE_LOSS_SCALE = 85,
        /// [`Lion`](crate::Lion).
        LION = 86,
        /// [`Adamw8bit`](crate::Adamw8bit).
        ADAMW_8BIT = 87,
        /// [`Matmul`](crate::Matmul).
        MATMUL = 88,
        /// [`AttentionForward`](crate::AttentionForward).
        ATTENTION_FORWARD = 89,
        /// [`AttentionBackward`](crate::AttentionBackward).
        ATTENTION_BACKWARD = 90,
        /// [`RopeForward`](crate::RopeForward).
        ROPE_FORWARD = 91,
        /// [`RopeBackward`](crate::RopeBackward).
        ROPE_BACKWARD = 92,
        /// [`Transpose`](crate::Transpose).
        TRANSPOSE = 93,
        /// [`Fill`](crate::Fill).
        FILL = 94,
        /// [`Normal`](crate::Normal).
        NORMAL = 95,
        /// [`MoeRoute`](crate::MoeRoute).
        MOE_ROUTE = 110,
        /// [`MoeRouteBackward`](crate::MoeRouteBackward).
        MOE_ROUTE_BACKWARD = 111,
        /// [`MoePlan`](crate::MoePlan).
        MOE_PLAN = 112,
        /// [`MoePermute`](crate::MoePermute).
        MOE_PERMUTE = 113,
        /// [`MoePermuteBackward`](crate::MoePermuteBackward).
        MOE_PERMUTE_BACKWARD = 114,
        /// [`MoeUnpermute`](crate::MoeUnpermute).
        MOE_UNPERMUTE = 115,
        /// [`MoeUnpermuteBackward`](crate::MoeUnpermuteBackward).
        MOE_UNPERMUTE_BACKWARD = 116,
        /// [`GroupNormForward`](crate::GroupNormForward).
        GROUP_NORM_FORWARD = 120,
        /// [`GroupNormBackward`](crate::GroupNormBackward).
        GROUP_NORM_BACKWARD = 121,
        /// [`LinearCrossEntropy`](crate::LinearCrossEntropy).
        LINEAR_CROSS_ENTROPY = 122,
        /// [`LinearCrossEntropyBackward`](crate::LinearCrossEntropyBackward).
        LINEAR_CROSS_ENTROPY_BACKWARD = 123,
        /// [`LinearLogProb`](crate::LinearLogProb).
        LINEAR_LOG_PROB = 124,
        /// [`LinearLogProbBackward`](crate::LinearLogProbBackward).
        LINEAR_LOG_PROB_BACKWARD = 125,
        /// [`Amax`](crate::Amax).
        AMAX = 130,
        /// [`Quantize`](crate::Quantize).
        QUANTIZE = 131,
        /// [`Dequantize`](crate::Dequantize).
        DEQUANTIZE = 132,
        /// [`Fp8ScaleUpdate`](crate::Fp8ScaleUpdate).
        FP8_SCALE_UPDATE = 133,
        /// [`ScaledMatmul`](crate::ScaledMatmul).
        SCALED_MATMUL = 134,
    }
    /// The enumeration `adj_activation` of the C interface.
    Activation {
        /// not given: refused
        NONE = 0,
        /// max(z, 0); dinput = z \> 0 ? dout : 0, so 0 where z is NaN
        RELU = 1,
        /// z \> 0 ? z : leaky_slope \* z
        LEAKY_RELU = 2,
        /// z \* Phi(z), Phi the normal distribution function; slope Phi(z) + z \* exp(-z^2 / 2) / sqrt(2 pi)
        GELU = 3,
        /// z \* sigma(v), v = sqrt(8 / pi) \* (z + 0.044715 z^3), which is z \* (1 + tanh(v / 2)) / 2
        GELU_TANH = 4,
        /// z \* sigma(v), v = quick_gelu_alpha \* z
        QUICK_GELU = 5,
        /// sigma(z)
        SIGMOID = 6,
        /// tanh(z)
        TANH = 7,
        /// z \* sigma(z)
        SILU = 8,
        /// z \> 0 ? z : elu_alpha \* (exp(z) - 1)
        ELU = 9,
        /// log(1 + exp(z))
        SOFTPLUS = 10,
        /// z \* tanh(log(1 + exp(z)))
        MISH = 11,
        /// z \* min(max(z + 3, 0), 6) / 6; dinput is 0 from -3 on down, dout from 3 on up, dout \* (z / 3 + 1/2) between
        HARD_SWISH = 12,
        /// max(z, 0)^2; dinput = z \<= 0 ? 0 : 2 z \* dout
        RELU_SQUARED = 13,
    }
    /// The enumeration `adj_activation_saved` of the C interface.
    ActivationSaved {
        /// the output for leaky_relu, sigmoid and tanh, else the input
        DEFAULT = 0,
        /// X, to which bias is added
        INPUT = 1,
        /// f(z): relu, leaky_relu with a slope of at least 0, sigmoid, tanh, elu with an alpha of at least 0, softplus
        OUTPUT = 2,
    }
    /// The enumeration `adj_gated_activation` of the C interface.
    GatedActivation {
        /// not given: refused
        NONE = 0,
        /// f is silu
        SWIGLU = 1,
        /// f is gelu
        GEGLU = 2,
        /// f is gelu_tanh
        GEGLU_TANH = 3,
        /// f is relu
        REGLU = 4,
    }
    /// The enumeration `adj_gated_layout` of the C interface.
    GatedLayout {
        /// halves
        DEFAULT = 0,
        /// gate, then linear
        HALVES = 1,
        /// gate and linear by turns
        INTERLEAVED = 2,
    }
    /// The enumeration `adj_collective_reduction` of the C interface.
    CollectiveReduction {
        /// sum
        DEFAULT = 0,
        /// `ADJ_COLLECTIVE_REDUCTION_SUM`
        SUM = 1,
        /// the sum over the number of ranks; f32, f64, f16, bf16
        AVERAGE = 2,
        /// `ADJ_COLLECTIVE_REDUCTION_MAX`
        MAX = 3,
        /// `ADJ_COLLECTIVE_REDUCTION_MIN`
        MIN = 4,
        /// `ADJ_COLLECTIVE_REDUCTION_PROD`
        PROD = 5,
    }
    /// The enumeration `adj_shard_layout` of the C interface.
    ShardLayout {
        /// even
        DEFAULT = 0,
        /// each rank has an equal part of every tensor, in the order of the ranks
        EVEN = 1,
        /// each rank owns whole tensors, as ONNX Runtime's partitioned optimisers have them: with total the sum of numel, A = 32 ranks and padded = total + A - total mod A, rank g owns the tensors that begin in elements \[g padded / ranks, (g + 1) padded / ranks) of their concatenation. A tensor that goes beyond the end of its rank's elements is refused.
        WHOLE = 2,
    }
    /// The enumeration `adj_code_kind` of the C interface.
    CodeKind {
        /// CUDA C++: NVRTC compiles it when the plan is selected, or a pack or the disk cache has its machine code
        SOURCE = 0,
        /// PTX, a text: the driver compiles it when the plan is selected
        PTX = 1,
        /// machine code for one architecture, as nvcc -cubin and NVRTC write it; nothing is compiled
        CUBIN = 2,
    }
    /// The enumeration `adj_dropout_mask` of the C interface.
    DropoutMask {
        /// bool
        DEFAULT = 0,
        /// a byte for each element
        BOOL = 1,
        /// a bit for each element, in 32-bit words
        BITS = 2,
        /// drawn again by the gradient
        NONE = 3,
    }
    /// The enumeration `adj_dropout_mapping` of the C interface.
    DropoutMapping {
        /// by element, whatever the device
        DEFAULT = 0,
        /// that of ONNX Runtime on a device with given numbers of multiprocessors and threads
        ONNX_RUNTIME = 1,
    }
    /// The enumeration `adj_index_positions` of the C interface.
    IndexPositions {
        /// each index, which names a row
        ROWS = 0,
        /// each slice of gather_nd_backward, whose indices name one
        SLICES = 1,
        /// each index of gather_elements_backward, whose place names an element with it
        ELEMENTS = 2,
    }
    /// The enumeration `adj_bag_mode` of the C interface.
    BagMode {
        /// mean
        DEFAULT = 0,
        /// `ADJ_BAG_SUM`
        SUM = 1,
        /// `ADJ_BAG_MEAN`
        MEAN = 2,
        /// `ADJ_BAG_MAX`
        MAX = 3,
    }
    /// The enumeration `adj_scale_rule` of the C interface.
    ScaleRule {
        /// reciprocal
        DEFAULT = 0,
        /// s = F / a, r = 1 / s (Transformer Engine, torchao, llmq)
        RECIPROCAL = 1,
        /// r = a / F, s = 1 / r (DeepGEMM)
        QUOTIENT = 2,
    }
    /// The enumeration `adj_scale_source` of the C interface.
    ScaleSource {
        /// computed
        DEFAULT = 0,
        /// from the largest magnitudes of x; with granularity tensor and row x is read twice
        COMPUTED = 1,
        /// the argument scale; granularity tensor and row
        GIVEN = 2,
        /// from amax_in, a largest magnitude that is known; granularity tensor
        AMAX = 3,
    }
    /// The enumeration `adj_amax_algorithm` of the C interface.
    AmaxAlgorithm {
        /// max
        DEFAULT = 0,
        /// the largest of the history
        MAX = 1,
        /// row 0 of the history
        MOST_RECENT = 2,
    }
    /// The enumeration `adj_gist_format` of the C interface.
    GistFormat {
        /// not given: refused
        NONE = 0,
        /// bool: x \> 0. f32, f64, f16, bf16
        BINARIZE = 1,
        /// u8 of eight elements, the first in the highest bit: x \> 0; bits behind the last are 0. f32, f64, f16, bf16, bool
        PACK1 = 2,
        /// u8: FP8 E5M2, to nearest even; beyond its range infinity; NaN is sign \| 0x7f. f32, f16, bf16
        PACK8 = 3,
        /// the same, but finite numbers beyond its range become its largest, 57344
        PACK8_SATURATED = 4,
        /// u8: the bits that ONNX Runtime writes, also of a NaN's fraction; they lose most values. f32, f16
        PACK8_REFERENCE = 5,
        /// f16, to nearest even; NaN is sign \| 0x7e00. f32
        PACK16 = 6,
        /// bf16, to nearest even; NaN is sign \| 0x7fc0. f32
        PACK16_BF16 = 7,
        /// u8: eight neighbours of a row share an exponent, of which each byte has a bit; sign and six bits. f32, f16, bf16
        MSFP15 = 8,
    }
    /// The enumeration `adj_matmul_epilogue` of the C interface.
    MatmulEpilogue {
        /// none
        DEFAULT = 0,
        /// d = z
        NONE = 1,
        /// d = gelu_tanh(z) (adj_activation)
        GELU_TANH = 2,
        /// d = z \* gelu_tanh'(saved)
        GELU_TANH_BACKWARD = 3,
    }
    /// The enumeration `adj_moe_score` of the C interface.
    MoeScore {
        /// softmax over the chosen experts alone
        SOFTMAX_OF_CHOSEN = 0,
        /// softmax over all experts
        SOFTMAX = 1,
        /// 1 / (1 + exp(-z))
        SIGMOID = 2,
        /// sqrt(log(1 + exp(z)))
        SQRT_SOFTPLUS = 3,
    }
    /// The enumeration `adj_adam_decay` of the C interface.
    AdamDecay {
        /// the weight decays before the update
        FIRST = 0,
        /// the updated weight decays
        LAST = 1,
        /// weight_decay \* w is added to the gradient, which the moments then see
        L2 = 2,
    }
    /// The enumeration `adj_finite_test` of the C interface.
    FiniteTest {
        /// neither infinities nor NaN
        DEFAULT = 0,
        /// no infinities; NaN passes (isinf_only)
        NO_INF = 1,
        /// no NaN; infinities pass (isnan_only)
        NO_NAN = 2,
    }
    /// The enumeration `adj_reduce_kind` of the C interface.
    ReduceKind {
        /// `ADJ_REDUCE_KIND_SUM`
        SUM = 0,
        /// `ADJ_REDUCE_KIND_MEAN`
        MEAN = 1,
        /// sum of x^2
        SUM_SQUARE = 2,
        /// root of the sum of x^2
        L2 = 3,
        /// NaN if an element is
        MAX = 4,
        /// NaN if an element is
        MIN = 5,
        /// `ADJ_REDUCE_KIND_PROD`
        PROD = 6,
        /// log of the sum of e^x
        LOGSUMEXP = 7,
    }
    /// The enumeration `adj_resize_mode` of the C interface.
    ResizeMode {
        /// linear
        DEFAULT = 0,
        /// `ADJ_RESIZE_MODE_LINEAR`
        LINEAR = 1,
        /// `ADJ_RESIZE_MODE_NEAREST`
        NEAREST = 2,
    }
    /// The enumeration `adj_resize_coordinates` of the C interface.
    ResizeCoordinates {
        /// half_pixel
        DEFAULT = 0,
        /// `ADJ_RESIZE_COORDINATES_HALF_PIXEL`
        HALF_PIXEL = 1,
        /// `ADJ_RESIZE_COORDINATES_ALIGN_CORNERS`
        ALIGN_CORNERS = 2,
        /// `ADJ_RESIZE_COORDINATES_ASYMMETRIC`
        ASYMMETRIC = 3,
        /// `ADJ_RESIZE_COORDINATES_PYTORCH_HALF_PIXEL`
        PYTORCH_HALF_PIXEL = 4,
    }
    /// The enumeration `adj_resize_rounding` of the C interface.
    ResizeRounding {
        /// round_prefer_floor
        DEFAULT = 0,
        /// a half down
        ROUND_PREFER_FLOOR = 1,
        /// a half up
        ROUND_PREFER_CEIL = 2,
        /// `ADJ_RESIZE_ROUNDING_FLOOR`
        FLOOR = 3,
        /// `ADJ_RESIZE_ROUNDING_CEIL`
        CEIL = 4,
    }
}
