// Written by tools/generate.py from the C headers. Do not edit.
use super::*;

pub const ADJ_ABI_MAJOR: u32 = 1;
pub const ADJ_ABI_MINOR: u32 = 0;

pub type adj_status = i32;
pub type adj_dtype = i32;
pub type adj_determinism = i32;
pub type adj_math = i32;
pub type adj_backend = i32;
pub type adj_jit_policy = i32;
pub type adj_stream_kind = i32;
pub type adj_reduction = i32;
pub type adj_write_mode = i32;
pub type adj_tag = i32;
pub type adj_op = i32;
pub type adj_bag_mode = i32;
pub type adj_adamw_mode = i32;
pub type adj_progress = Option<unsafe extern "C" fn(*mut c_void, i64, i64, *const c_char, f64) -> i32>;
pub type adj_log_fn = Option<unsafe extern "C" fn(*mut c_void, i32, *const c_char)>;

opaque! { adj_error adj_plan adj_bound }

constants! {
    ADJ_OK = 0,
    ADJ_ERROR_INVALID_ARGUMENT = 1,
    ADJ_ERROR_STRUCT_SIZE = 2,
    ADJ_ERROR_INVALID_PROBLEM = 3,
    ADJ_ERROR_UNSUPPORTED = 4,
    ADJ_ERROR_DTYPE_MISMATCH = 5,
    ADJ_ERROR_SHAPE_MISMATCH = 6,
    ADJ_ERROR_NULL_BUFFER = 7,
    ADJ_ERROR_BUFFER_TOO_SMALL = 8,
    ADJ_ERROR_MISALIGNED = 9,
    ADJ_ERROR_ALIASING = 10,
    ADJ_ERROR_WORKSPACE_TOO_SMALL = 11,
    ADJ_ERROR_STREAM_MISMATCH = 12,
    ADJ_ERROR_BACKEND_UNAVAILABLE = 13,
    ADJ_ERROR_DRIVER_TOO_OLD = 14,
    ADJ_ERROR_COMPILE_FAILED = 15,
    ADJ_ERROR_CUDA = 16,
    ADJ_ERROR_NOT_FOUND = 17,
    ADJ_ERROR_IO = 18,
    ADJ_ERROR_CORRUPT = 19,
    ADJ_ERROR_OUT_OF_MEMORY = 20,
    ADJ_ERROR_INTERNAL = 21,
    ADJ_ERROR_CAPTURING = 22,
    ADJ_ERROR_INVALID_VALUE = 23,
    ADJ_DTYPE_NONE = 0,
    ADJ_F32 = 1,
    ADJ_U8 = 2,
    ADJ_I8 = 3,
    ADJ_U16 = 4,
    ADJ_I16 = 5,
    ADJ_I32 = 6,
    ADJ_I64 = 7,
    ADJ_BOOL = 9,
    ADJ_F16 = 10,
    ADJ_F64 = 11,
    ADJ_U32 = 12,
    ADJ_U64 = 13,
    ADJ_BF16 = 16,
    ADJ_DETERMINISM_DEFAULT = 0,
    ADJ_NONDETERMINISTIC = 1,
    ADJ_RUN_TO_RUN = 2,
    ADJ_SHAPE_ONLY = 3,
    ADJ_BATCH_INVARIANT = 4,
    ADJ_MATH_DEFAULT = 0,
    ADJ_MATH_IEEE = 1,
    ADJ_MATH_FAST = 2,
    ADJ_BACKEND_ANY = 0,
    ADJ_BACKEND_BESPOKE = 1,
    ADJ_BACKEND_HOST = 2,
    ADJ_BACKEND_CUDNN = 3,
    ADJ_BACKEND_NCCL = 4,
    ADJ_JIT_DEFAULT = 0,
    ADJ_JIT_CACHED_ONLY = 1,
    ADJ_JIT_PACKS_ONLY = 2,
    ADJ_STREAM_NONE = 0,
    ADJ_STREAM_HOST = 1,
    ADJ_STREAM_CUDA = 2,
    ADJ_STREAM_OFFLINE = 3,
    ADJ_REDUCTION_DEFAULT = 0,
    ADJ_REDUCTION_NONE = 1,
    ADJ_REDUCTION_SUM = 2,
    ADJ_REDUCTION_MEAN = 3,
    ADJ_WRITE_DEFAULT = 0,
    ADJ_WRITE_OVERWRITE = 1,
    ADJ_WRITE_ACCUMULATE = 2,
    ADJ_TAG_NONE = 0,
    ADJ_TAG_PREFERENCE = 1,
    ADJ_TAG_SKU_INFO = 2,
    ADJ_TAG_PLAN_INFO = 3,
    ADJ_TAG_PACK_OPTIONS = 4,
    ADJ_TAG_REGISTRY_ROW = 5,
    ADJ_TAG_CACHE_INFO = 6,
    ADJ_TAG_LIBRARY_INFO = 7,
    ADJ_TAG_DEVICE_INFO = 8,
    ADJ_TAG_REJECTION = 9,
    ADJ_TAG_KERNEL_INFO = 10,
    ADJ_OP_NONE = 0,
    ADJ_OP_EMBEDDING_FORWARD = 1,
    ADJ_OP_EMBEDDING_BACKWARD = 2,
    ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS = 3,
    ADJ_OP_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD = 4,
    ADJ_OP_ADAMW = 5,
    ADJ_OP_SGD = 6,
    ADJ_OP_SOFTMAX_BACKWARD = 7,
    ADJ_OP_LOG_SOFTMAX_BACKWARD = 8,
    ADJ_OP_CONCAT = 9,
    ADJ_OP_SPLIT = 10,
    ADJ_OP_GATHER_GRAD = 11,
    ADJ_OP_EMBEDDING_BAG_FORWARD = 12,
    ADJ_OP_EMBEDDING_BAG_BACKWARD = 13,
    ADJ_OP_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD = 14,
    ADJ_OP_INDEX_PLAN = 15,
    ADJ_OP_FORCE_INT32 = 2147483647,
    ADJ_TAG_EMBEDDING_FORWARD_DESCRIPTOR = 65537,
    ADJ_TAG_EMBEDDING_FORWARD_ARGS = 131073,
    ADJ_TAG_EMBEDDING_BACKWARD_DESCRIPTOR = 65538,
    ADJ_TAG_EMBEDDING_BACKWARD_ARGS = 131074,
    ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_DESCRIPTOR = 65539,
    ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_ARGS = 131075,
    ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR = 65540,
    ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS = 131076,
    ADJ_TAG_ADAMW_DESCRIPTOR = 65541,
    ADJ_TAG_ADAMW_ARGS = 131077,
    ADJ_TAG_SGD_DESCRIPTOR = 65542,
    ADJ_TAG_SGD_ARGS = 131078,
    ADJ_TAG_SOFTMAX_BACKWARD_DESCRIPTOR = 65543,
    ADJ_TAG_SOFTMAX_BACKWARD_ARGS = 131079,
    ADJ_TAG_LOG_SOFTMAX_BACKWARD_DESCRIPTOR = 65544,
    ADJ_TAG_LOG_SOFTMAX_BACKWARD_ARGS = 131080,
    ADJ_TAG_CONCAT_DESCRIPTOR = 65545,
    ADJ_TAG_CONCAT_ARGS = 131081,
    ADJ_TAG_SPLIT_DESCRIPTOR = 65546,
    ADJ_TAG_SPLIT_ARGS = 131082,
    ADJ_TAG_GATHER_GRAD_DESCRIPTOR = 65547,
    ADJ_TAG_GATHER_GRAD_ARGS = 131083,
    ADJ_TAG_EMBEDDING_BAG_FORWARD_DESCRIPTOR = 65548,
    ADJ_TAG_EMBEDDING_BAG_FORWARD_ARGS = 131084,
    ADJ_TAG_EMBEDDING_BAG_BACKWARD_DESCRIPTOR = 65549,
    ADJ_TAG_EMBEDDING_BAG_BACKWARD_ARGS = 131085,
    ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_DESCRIPTOR = 65550,
    ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_ARGS = 131086,
    ADJ_TAG_INDEX_PLAN_DESCRIPTOR = 65551,
    ADJ_TAG_INDEX_PLAN_ARGS = 131087,
    ADJ_TAG_FORCE_INT32 = 2147483647,
    ADJ_BAG_DEFAULT = 0,
    ADJ_BAG_SUM = 1,
    ADJ_BAG_MEAN = 2,
    ADJ_BAG_MAX = 3,
    ADJ_ADAMW_DEFAULT = 0,
    ADJ_ADAMW_DECAY_FIRST = 1,
    ADJ_ADAMW_DECAY_LAST = 2,
    ADJ_FIELD_I64 = 1,
    ADJ_FIELD_I32 = 2,
    ADJ_FIELD_DTYPE = 3,
    ADJ_FIELD_F64 = 4,
    ADJ_FIELD_I64_LIST = 5,
    ADJ_FIELD_SHAPE = 6,
    ADJ_FIELD_AXES = 7,
    ADJ_FIELD_F64_LIST = 8,
    ADJ_FIELD_TEXT = 9,
    ADJ_FIELD_POINTER = 10,
    ADJ_ARGUMENT_TENSOR = 1,
    ADJ_ARGUMENT_LIST = 2,
    ADJ_ARGUMENT_SCALAR = 3,
    ADJ_ARGUMENT_RANDOM = 4,
    ADJ_ARGUMENT_HANDLE = 5,
    ADJ_ROLE_IN = 1,
    ADJ_ROLE_OUT = 2,
    ADJ_ROLE_INOUT = 3,
    ADJ_PRESENCE_REQUIRED = 1,
    ADJ_PRESENCE_OPTIONAL = 2,
    ADJ_PRESENCE_DEPENDS = 3,
}

structures! {
    struct adj_header {
        struct_size: u64,
        tag: i32,
        reserved: u32,
        next: *const c_void,
    }
    struct adj_tensor {
        data: *mut c_void,
        bytes: u64,
        dtype: i32,
        rank: i32,
        shape: [i64; ADJ_MAX_RANK],
        strides: [i64; ADJ_MAX_RANK],
    }
    struct adj_tensor_list {
        count: i64,
        dtype: i32,
        reserved: u32,
        data: *const *mut c_void,
        bytes: *const u64,
    }
    struct adj_scalar {
        value: f64,
        device: *const c_void,
        dtype: i32,
        reserved: u32,
    }
    struct adj_random {
        seed: u64,
        offset: u64,
        device: *const u64,
    }
    struct adj_shape {
        rank: i64,
        dims: [i64; ADJ_MAX_RANK],
    }
    struct adj_axes {
        count: i64,
        at: [i64; ADJ_MAX_RANK],
    }
    struct adj_stream {
        handle: *mut c_void,
        kind: i32,
        device: i32,
        arch: i32,
        reserved: u32,
    }
    struct adj_workspace {
        data: *mut c_void,
        bytes: u64,
    }
    struct adj_guarantee {
        math: adj_math,
        accumulator: adj_dtype,
        determinism: adj_determinism,
        bit_stable: i32,
        float_atomics: i32,
        reserved: u32,
        bound_ulp: f64,
        bound_terms: f64,
        bound_absolute: f64,
    }
    struct adj_preference {
        header: adj_header,
        determinism: adj_determinism,
        math: adj_math,
        jit: adj_jit_policy,
        backend: adj_backend,
        workspace_limit: u64,
        sku: *const c_char,
        fallback: i32,
        reserved: u32,
    }
    struct adj_concat_descriptor {
        header: adj_header,
        outer: i64,
        inner: i64,
        count: i64,
        lengths: *const i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_concat_args {
        header: adj_header,
        inputs: adj_tensor_list,
        output: adj_tensor,
        lengths_out: adj_tensor,
    }
    struct adj_split_descriptor {
        header: adj_header,
        outer: i64,
        inner: i64,
        count: i64,
        lengths: *const i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_split_args {
        header: adj_header,
        input: adj_tensor,
        outputs: adj_tensor_list,
    }
    struct adj_embedding_forward_descriptor {
        header: adj_header,
        num_embeddings: i64,
        embedding_dim: i64,
        num_indices: i64,
        element: adj_dtype,
        index: adj_dtype,
        has_padding_idx: i32,
        padding_zeroes_forward: i32,
        padding_idx: i64,
    }
    struct adj_embedding_forward_args {
        header: adj_header,
        weight: adj_tensor,
        indices: adj_tensor,
        out: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_embedding_backward_descriptor {
        header: adj_header,
        num_embeddings: i64,
        embedding_dim: i64,
        num_indices: i64,
        element: adj_dtype,
        index: adj_dtype,
        write_mode: adj_write_mode,
        scale_grad_by_freq: i32,
        has_padding_idx: i32,
        reserved: u32,
        padding_idx: i64,
        use_index_plan: i32,
        reserved2: u32,
    }
    struct adj_embedding_backward_args {
        header: adj_header,
        dout: adj_tensor,
        indices: adj_tensor,
        dweight: adj_tensor,
        error_flag: adj_tensor,
        sorted_rows: adj_tensor,
        order: adj_tensor,
    }
    struct adj_gather_grad_descriptor {
        header: adj_header,
        outer: i64,
        extent: i64,
        inner: i64,
        num_indices: i64,
        element: adj_dtype,
        index: adj_dtype,
        write_mode: adj_write_mode,
        reserved: u32,
        use_index_plan: i32,
        reserved2: u32,
    }
    struct adj_gather_grad_args {
        header: adj_header,
        dout: adj_tensor,
        indices: adj_tensor,
        dinput: adj_tensor,
        error_flag: adj_tensor,
        sorted_rows: adj_tensor,
        order: adj_tensor,
    }
    struct adj_index_plan_descriptor {
        header: adj_header,
        num_embeddings: i64,
        num_indices: i64,
        index: adj_dtype,
        wrap_negative: i32,
        has_padding_idx: i32,
        reserved: u32,
        padding_idx: i64,
    }
    struct adj_index_plan_args {
        header: adj_header,
        indices: adj_tensor,
        sorted_rows: adj_tensor,
        order: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_embedding_bag_forward_descriptor {
        header: adj_header,
        num_embeddings: i64,
        embedding_dim: i64,
        num_indices: i64,
        num_bags: i64,
        element: adj_dtype,
        index: adj_dtype,
        mode: adj_bag_mode,
        has_offsets: i32,
        include_last_offset: i32,
        has_per_sample_weights: i32,
        has_padding_idx: i32,
        reserved: u32,
        padding_idx: i64,
    }
    struct adj_embedding_bag_forward_args {
        header: adj_header,
        weight: adj_tensor,
        indices: adj_tensor,
        offsets: adj_tensor,
        per_sample_weights: adj_tensor,
        out: adj_tensor,
        max_positions: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_embedding_bag_backward_descriptor {
        header: adj_header,
        num_embeddings: i64,
        embedding_dim: i64,
        num_indices: i64,
        num_bags: i64,
        element: adj_dtype,
        index: adj_dtype,
        mode: adj_bag_mode,
        has_offsets: i32,
        include_last_offset: i32,
        has_per_sample_weights: i32,
        write_mode: adj_write_mode,
        scale_grad_by_freq: i32,
        has_padding_idx: i32,
        reserved: u32,
        padding_idx: i64,
        use_index_plan: i32,
        reserved2: u32,
    }
    struct adj_embedding_bag_backward_args {
        header: adj_header,
        dout: adj_tensor,
        indices: adj_tensor,
        offsets: adj_tensor,
        per_sample_weights: adj_tensor,
        max_positions: adj_tensor,
        dweight: adj_tensor,
        error_flag: adj_tensor,
        sorted_rows: adj_tensor,
        order: adj_tensor,
    }
    struct adj_embedding_bag_per_sample_weights_backward_descriptor {
        header: adj_header,
        num_embeddings: i64,
        embedding_dim: i64,
        num_indices: i64,
        num_bags: i64,
        element: adj_dtype,
        index: adj_dtype,
        has_offsets: i32,
        include_last_offset: i32,
        has_padding_idx: i32,
        reserved: u32,
        padding_idx: i64,
    }
    struct adj_embedding_bag_per_sample_weights_backward_args {
        header: adj_header,
        dout: adj_tensor,
        weight: adj_tensor,
        indices: adj_tensor,
        offsets: adj_tensor,
        dper_sample_weights: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_softmax_cross_entropy_loss_descriptor {
        header: adj_header,
        batch: i64,
        num_classes: i64,
        inner: i64,
        element: adj_dtype,
        label: adj_dtype,
        output: adj_dtype,
        weight: adj_dtype,
        reduction: adj_reduction,
        nan_when_empty: i32,
        has_ignore_index: i32,
        reserved: u32,
        ignore_index: i64,
    }
    struct adj_softmax_cross_entropy_loss_args {
        header: adj_header,
        scores: adj_tensor,
        labels: adj_tensor,
        weight: adj_tensor,
        loss: adj_tensor,
        log_prob: adj_tensor,
        lse: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_softmax_cross_entropy_loss_backward_descriptor {
        header: adj_header,
        batch: i64,
        num_classes: i64,
        inner: i64,
        element: adj_dtype,
        label: adj_dtype,
        output: adj_dtype,
        weight: adj_dtype,
        reduction: adj_reduction,
        from_scores: i32,
        has_ignore_index: i32,
        reserved: u32,
        ignore_index: i64,
    }
    struct adj_softmax_cross_entropy_loss_backward_args {
        header: adj_header,
        dloss: adj_tensor,
        log_prob: adj_tensor,
        scores: adj_tensor,
        lse: adj_tensor,
        labels: adj_tensor,
        weight: adj_tensor,
        bias: adj_tensor,
        dscores: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_adamw_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        param: adj_dtype,
        grad: adj_dtype,
        state: adj_dtype,
        copy: adj_dtype,
        mode: adj_adamw_mode,
        no_bias_correction: i32,
        advance_step: i32,
        reserved: u32,
        beta1: f64,
        beta2: f64,
        epsilon: f64,
        weight_decay: f64,
    }
    struct adj_adamw_args {
        header: adj_header,
        params: adj_tensor_list,
        grads: adj_tensor_list,
        exp_avg: adj_tensor_list,
        exp_avg_sq: adj_tensor_list,
        copies: adj_tensor_list,
        lr: adj_scalar,
        step: adj_scalar,
        grad_scale: adj_scalar,
        found_inf: adj_tensor,
        error_flag: adj_tensor,
    }
    struct adj_sgd_descriptor {
        header: adj_header,
        count: i64,
        numel: *const i64,
        param: adj_dtype,
        grad: adj_dtype,
        state: adj_dtype,
        copy: adj_dtype,
        momentum: f64,
        dampening: f64,
        weight_decay: f64,
        nesterov: i32,
        first_step: i32,
    }
    struct adj_sgd_args {
        header: adj_header,
        params: adj_tensor_list,
        grads: adj_tensor_list,
        momentum_buffers: adj_tensor_list,
        copies: adj_tensor_list,
        lr: adj_scalar,
        grad_scale: adj_scalar,
        found_inf: adj_tensor,
    }
    struct adj_softmax_backward_descriptor {
        header: adj_header,
        outer: i64,
        extent: i64,
        inner: i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_softmax_backward_args {
        header: adj_header,
        dout: adj_tensor,
        out: adj_tensor,
        dinput: adj_tensor,
    }
    struct adj_log_softmax_backward_descriptor {
        header: adj_header,
        outer: i64,
        extent: i64,
        inner: i64,
        element: adj_dtype,
        reserved: u32,
    }
    struct adj_log_softmax_backward_args {
        header: adj_header,
        dout: adj_tensor,
        out: adj_tensor,
        dinput: adj_tensor,
    }
    struct adj_rejection {
        header: adj_header,
        sku: *const c_char,
        reason: *const c_char,
        code: adj_status,
        reserved: u32,
    }
    struct adj_sku_info {
        header: adj_header,
        id: *const c_char,
        op_name: *const c_char,
        algorithm: *const c_char,
        signature: *const c_char,
        arch: *const c_char,
        source: *const c_char,
        summary: *const c_char,
        op: adj_op,
        backend: adj_backend,
        program_count: i32,
        reserved: u32,
        guarantee: adj_guarantee,
    }
    struct adj_kernel_info {
        header: adj_header,
        source: *const c_char,
        entry: *const c_char,
        macros: *const c_char,
        code_bytes: u64,
        static_shared_bytes: u64,
        registers: i32,
        local_bytes: i32,
        compile_ms: f64,
    }
    struct adj_plan_info {
        header: adj_header,
        workspace_size: u64,
        bind_workspace_size: u64,
        launches: i64,
        bound_launches: i64,
        from_ptx: i32,
        reserved: u32,
    }
    struct adj_pack_options {
        header: adj_header,
        archs: *const c_char,
        skus: *const c_char,
        jobs: i32,
        reserved: u32,
        progress: adj_progress,
        user: *mut c_void,
    }
    struct adj_cache_info {
        header: adj_header,
        directory: *const c_char,
        problem: *const c_char,
        entries: i64,
        damaged: i64,
        bytes: u64,
        limit: u64,
        memory_hits: i64,
        pack_hits: i64,
        disk_hits: i64,
        compiles: i64,
    }
    struct adj_library_info {
        header: adj_header,
        name: *const c_char,
        path: *const c_char,
        version: *const c_char,
        problem: *const c_char,
        available: i32,
        reserved: u32,
    }
    struct adj_device_info {
        header: adj_header,
        name: *const c_char,
        arch: *const c_char,
        memory: u64,
        multiprocessors: i32,
        compute_capability: i32,
    }
    struct adj_registry_row {
        header: adj_header,
        domain: *const c_char,
        op: *const c_char,
        types: *const c_char,
        adjoint_op: *const c_char,
        signature: *const c_char,
        reason: *const c_char,
        since_version: i32,
        until_version: i32,
        resolved: i32,
        sku_count: i32,
    }
    struct adj_field {
        name: *const c_char,
        choices: *const c_char,
        about: *const c_char,
        kind: i32,
        offset: u32,
    }
    struct adj_argument {
        name: *const c_char,
        about: *const c_char,
        kind: i32,
        role: i32,
        presence: i32,
        host: i32,
        offset: u32,
        may_equal: u32,
    }
}

functions! {
    fn adj_abi_check(major: u32, minor: u32) -> adj_status;
    fn adj_abi_version(major: *mut u32, minor: *mut u32);
    fn adj_version() -> *const c_char;
    fn adj_status_name(status: adj_status) -> *const c_char;
    fn adj_last_error() -> *const c_char;
    fn adj_error_code(error: *const adj_error) -> adj_status;
    fn adj_error_message(error: *const adj_error) -> *const c_char;
    fn adj_error_log(error: *const adj_error) -> *const c_char;
    fn adj_error_options(error: *const adj_error) -> *const c_char;
    fn adj_error_native_code(error: *const adj_error) -> i64;
    fn adj_error_release(error: *mut adj_error);
    fn adj_error_rejection_count(error: *const adj_error) -> i64;
    fn adj_error_rejection(error: *const adj_error, i: i64, out: *mut adj_rejection) -> adj_status;
    fn adj_stream_host() -> adj_stream;
    fn adj_stream_wrap(cuda_stream: *mut c_void, out: *mut adj_stream) -> adj_status;
    fn adj_stream_offline(arch: *const c_char, out: *mut adj_stream) -> adj_status;
    fn adj_sku_count() -> i64;
    fn adj_sku_get(i: i64, out: *mut adj_sku_info) -> adj_status;
    fn adj_sku_find(id: *const c_char, out: *mut adj_sku_info) -> adj_status;
    fn adj_sku_kernel(id: *const c_char, i: i64, arch: *const c_char, out: *mut adj_kernel_info, error: *mut *mut adj_error) -> adj_status;
    fn adj_plan_select(stream: *const adj_stream, descriptor: *const adj_header, preference: *const adj_preference, out: *mut *mut adj_plan, error: *mut *mut adj_error) -> adj_status;
    fn adj_plan_explain(stream: *const adj_stream, descriptor: *const adj_header, preference: *const adj_preference, report: *mut *mut adj_error) -> adj_status;
    fn adj_plan_can_implement(plan: *const adj_plan, args: *const adj_header) -> adj_status;
    fn adj_plan_workspace_size(plan: *const adj_plan) -> u64;
    fn adj_plan_run(plan: *const adj_plan, stream: *const adj_stream, workspace: *const adj_workspace, args: *const adj_header) -> adj_status;
    fn adj_plan_bind(plan: *const adj_plan, stream: *const adj_stream, workspace: *const adj_workspace, args: *const adj_header, out: *mut *mut adj_bound) -> adj_status;
    fn adj_bound_run(bound: *const adj_bound, stream: *const adj_stream) -> adj_status;
    fn adj_bound_release(bound: *mut adj_bound);
    fn adj_plan_sku(plan: *const adj_plan, out: *mut adj_sku_info) -> adj_status;
    fn adj_plan_get_info(plan: *const adj_plan, out: *mut adj_plan_info) -> adj_status;
    fn adj_plan_candidate_count(plan: *const adj_plan) -> i64;
    fn adj_plan_candidate(plan: *const adj_plan, i: i64, out: *mut adj_rejection) -> adj_status;
    fn adj_plan_retain(plan: *mut adj_plan) -> *mut adj_plan;
    fn adj_plan_release(plan: *mut adj_plan);
    fn adj_pack_build(path: *const c_char, options: *const adj_pack_options, error: *mut *mut adj_error) -> adj_status;
    fn adj_pack_load(path: *const c_char) -> adj_status;
    fn adj_cache_stat(out: *mut adj_cache_info) -> adj_status;
    fn adj_cache_verify(out: *mut adj_cache_info) -> adj_status;
    fn adj_cache_clear() -> adj_status;
    fn adj_library_count() -> i64;
    fn adj_library_get(i: i64, out: *mut adj_library_info) -> adj_status;
    fn adj_device_count() -> i64;
    fn adj_device_get(i: i64, out: *mut adj_device_info) -> adj_status;
    fn adj_registry_count() -> i64;
    fn adj_registry_get(i: i64, out: *mut adj_registry_row) -> adj_status;
    fn adj_registry_lookup(domain: *const c_char, op: *const c_char, opset: i32, types: *const c_char, out: *mut adj_registry_row) -> adj_status;
    fn adj_registry_sku(row: i64, i: i64, id: *mut *const c_char) -> adj_status;
    fn adj_op_count() -> i64;
    fn adj_op_name(op: adj_op) -> *const c_char;
    fn adj_op_find(name: *const c_char, out: *mut adj_op) -> adj_status;
    fn adj_op_descriptor_init(op: adj_op, descriptor: *mut c_void, size: u64) -> adj_status;
    fn adj_op_field_count(op: adj_op) -> i64;
    fn adj_op_field(op: adj_op, i: i64, out: *mut adj_field) -> adj_status;
    fn adj_op_argument_count(op: adj_op) -> i64;
    fn adj_op_argument(op: adj_op, i: i64, out: *mut adj_argument) -> adj_status;
    fn adj_dtype_name(dtype: adj_dtype) -> *const c_char;
    fn adj_dtype_find(name: *const c_char) -> adj_dtype;
    fn adj_set_log(fn_: adj_log_fn, user: *mut c_void);
}

defaults! {
    adj_preference ADJ_TAG_PREFERENCE { determinism: ADJ_DETERMINISM_DEFAULT, math: ADJ_MATH_DEFAULT, jit: ADJ_JIT_DEFAULT, backend: ADJ_BACKEND_ANY, workspace_limit: u64::MAX }
    adj_concat_descriptor ADJ_TAG_CONCAT_DESCRIPTOR { outer: 1, inner: 1 }
    adj_concat_args ADJ_TAG_CONCAT_ARGS {}
    adj_split_descriptor ADJ_TAG_SPLIT_DESCRIPTOR { outer: 1, inner: 1 }
    adj_split_args ADJ_TAG_SPLIT_ARGS {}
    adj_embedding_forward_descriptor ADJ_TAG_EMBEDDING_FORWARD_DESCRIPTOR {}
    adj_embedding_forward_args ADJ_TAG_EMBEDDING_FORWARD_ARGS {}
    adj_embedding_backward_descriptor ADJ_TAG_EMBEDDING_BACKWARD_DESCRIPTOR {}
    adj_embedding_backward_args ADJ_TAG_EMBEDDING_BACKWARD_ARGS {}
    adj_gather_grad_descriptor ADJ_TAG_GATHER_GRAD_DESCRIPTOR { outer: 1, inner: 1 }
    adj_gather_grad_args ADJ_TAG_GATHER_GRAD_ARGS {}
    adj_index_plan_descriptor ADJ_TAG_INDEX_PLAN_DESCRIPTOR {}
    adj_index_plan_args ADJ_TAG_INDEX_PLAN_ARGS {}
    adj_embedding_bag_forward_descriptor ADJ_TAG_EMBEDDING_BAG_FORWARD_DESCRIPTOR {}
    adj_embedding_bag_forward_args ADJ_TAG_EMBEDDING_BAG_FORWARD_ARGS {}
    adj_embedding_bag_backward_descriptor ADJ_TAG_EMBEDDING_BAG_BACKWARD_DESCRIPTOR {}
    adj_embedding_bag_backward_args ADJ_TAG_EMBEDDING_BAG_BACKWARD_ARGS {}
    adj_embedding_bag_per_sample_weights_backward_descriptor ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_DESCRIPTOR {}
    adj_embedding_bag_per_sample_weights_backward_args ADJ_TAG_EMBEDDING_BAG_PER_SAMPLE_WEIGHTS_BACKWARD_ARGS {}
    adj_softmax_cross_entropy_loss_descriptor ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_DESCRIPTOR { inner: 1 }
    adj_softmax_cross_entropy_loss_args ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_ARGS {}
    adj_softmax_cross_entropy_loss_backward_descriptor ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR { inner: 1 }
    adj_softmax_cross_entropy_loss_backward_args ADJ_TAG_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS {}
    adj_adamw_descriptor ADJ_TAG_ADAMW_DESCRIPTOR { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 1e-2 }
    adj_adamw_args ADJ_TAG_ADAMW_ARGS { grad_scale: adj_scalar { value: 1.0, ..adj_scalar::default() } }
    adj_sgd_descriptor ADJ_TAG_SGD_DESCRIPTOR {}
    adj_sgd_args ADJ_TAG_SGD_ARGS { grad_scale: adj_scalar { value: 1.0, ..adj_scalar::default() } }
    adj_softmax_backward_descriptor ADJ_TAG_SOFTMAX_BACKWARD_DESCRIPTOR { outer: 1, inner: 1 }
    adj_softmax_backward_args ADJ_TAG_SOFTMAX_BACKWARD_ARGS {}
    adj_log_softmax_backward_descriptor ADJ_TAG_LOG_SOFTMAX_BACKWARD_DESCRIPTOR { outer: 1, inner: 1 }
    adj_log_softmax_backward_args ADJ_TAG_LOG_SOFTMAX_BACKWARD_ARGS {}
    adj_rejection ADJ_TAG_REJECTION {}
    adj_sku_info ADJ_TAG_SKU_INFO {}
    adj_kernel_info ADJ_TAG_KERNEL_INFO {}
    adj_plan_info ADJ_TAG_PLAN_INFO {}
    adj_pack_options ADJ_TAG_PACK_OPTIONS {}
    adj_cache_info ADJ_TAG_CACHE_INFO {}
    adj_library_info ADJ_TAG_LIBRARY_INFO {}
    adj_device_info ADJ_TAG_DEVICE_INFO {}
    adj_registry_row ADJ_TAG_REGISTRY_ROW {}
}
zero_defaults! { adj_tensor adj_tensor_list adj_scalar adj_random adj_shape adj_axes adj_workspace adj_guarantee adj_field adj_argument }
