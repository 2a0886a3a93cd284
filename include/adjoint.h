/* Adjoint, C interface.
 *
 * Conventions
 *  - Every function that can fail returns adj_status; adj_last_error() then has one sentence, valid until the next call
 *    of this thread. Where a failure has more to tell (rejected kernels, a compiler log), the function also takes an
 *    adj_error**: null when not wanted; set to null on success; owned by the caller and freed by adj_error_release.
 *  - Outputs are untouched on failure, except that handle outputs become null.
 *  - Handles are opaque. A function named ..._release accepts null and gives up one reference.
 *  - Strings returned by the library are UTF-8, null-terminated and, unless stated, live as long as the library or the
 *    handle they came from.
 *  - Every function may be called from any thread. Plans are immutable and may be shared; two concurrent runs of one
 *    plan need different workspaces and outputs.
 *  - Device memory, streams and graphs belong to the caller. The library allocates no device memory besides the code it
 *    loads, and what a select that measures (adj_preference.tune) gives back before it returns. It only ever uses the primary
 *    context of a device. */
#ifndef ADJOINT_H
#define ADJOINT_H

#include <adjoint/ops/all.gen.h>
#include <adjoint/types.h>

#if defined(__GNUC__)
#define ADJ_API __attribute__((visibility("default")))
#else
#define ADJ_API
#endif
#ifdef __cplusplus
#define ADJ_NOEXCEPT noexcept
extern "C" {
#else
#define ADJ_NOEXCEPT
#endif

/* ---- version ----------------------------------------------------------------------------------------------------- */

/* ADJ_OK when a program compiled against the given interface version (ADJ_ABI_MAJOR, ADJ_ABI_MINOR) can use this
 * library: same major, and not a newer minor. */
ADJ_API adj_status adj_abi_check(uint32_t major, uint32_t minor) ADJ_NOEXCEPT;
ADJ_API void adj_abi_version(uint32_t* major, uint32_t* minor) ADJ_NOEXCEPT;
ADJ_API const char* adj_version(void) ADJ_NOEXCEPT; /* library version, "1.0.0"; between releases with the commit, "0.9.0.dev0+g0123456789ab" */

/* ---- errors ------------------------------------------------------------------------------------------------------ */

typedef struct adj_error adj_error;

ADJ_API const char* adj_status_name(adj_status status) ADJ_NOEXCEPT; /* "buffer_too_small" */
ADJ_API const char* adj_last_error(void) ADJ_NOEXCEPT;               /* never null; "" before any failure */
/* Native code of the thread's last failure, in whatever function: CUresult, nvrtcResult, cudnnStatus_t, cublasStatus_t, ncclResult_t, or 0 when no library
 * was involved. The sentence of adj_last_error names the library's function. 0 before any failure. */
ADJ_API int64_t adj_last_native_code(void) ADJ_NOEXCEPT;
ADJ_API adj_status adj_error_code(const adj_error* error) ADJ_NOEXCEPT;
ADJ_API const char* adj_error_message(const adj_error* error) ADJ_NOEXCEPT;
ADJ_API const char* adj_error_log(const adj_error* error) ADJ_NOEXCEPT;     /* NVRTC's log or "" */
ADJ_API const char* adj_error_options(const adj_error* error) ADJ_NOEXCEPT; /* NVRTC's options or "" */
ADJ_API int64_t adj_error_native_code(const adj_error* error) ADJ_NOEXCEPT; /* as adj_last_native_code */
ADJ_API void adj_error_release(adj_error* error) ADJ_NOEXCEPT;

/* One candidate of a selection: its SKU, ADJ_OK if it was accepted, else a status and the reason. */
typedef struct adj_rejection {
  adj_header header ADJ_DEFAULT({sizeof(adj_rejection), ADJ_TAG_REJECTION, 0, nullptr});
  const char* sku ADJ_DEFAULT(nullptr);
  const char* reason ADJ_DEFAULT(nullptr);
  adj_status code ADJ_DEFAULT({});
  uint32_t reserved ADJ_DEFAULT(0);
} adj_rejection;

ADJ_API int64_t adj_error_rejection_count(const adj_error* error) ADJ_NOEXCEPT;
ADJ_API adj_status adj_error_rejection(const adj_error* error, int64_t i, adj_rejection* out) ADJ_NOEXCEPT;

/* ---- streams ----------------------------------------------------------------------------------------------------- */

#if defined(__clang__) && defined(__cplusplus)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage" /* default members in C++; layout and passing are those of C */
#endif
ADJ_API adj_stream adj_stream_host(void) ADJ_NOEXCEPT;
#if defined(__clang__) && defined(__cplusplus)
#pragma clang diagnostic pop
#endif
/* Wraps a CUstream or cudaStream_t and finds its device; a null handle is the legacy default stream of the thread's
 * current device. Does not take ownership. */
ADJ_API adj_status adj_stream_wrap(void* cuda_stream, adj_stream* out) ADJ_NOEXCEPT;
/* A stream of a device that need not exist, "sm_80", "sm_90a", "sm_100", ...: plans can be selected and explained on it,
 * and fail at run. */
ADJ_API adj_status adj_stream_offline(const char* arch, adj_stream* out) ADJ_NOEXCEPT;

/* ---- SKUs -------------------------------------------------------------------------------------------------------- */

typedef struct adj_sku_info {
  adj_header header ADJ_DEFAULT({sizeof(adj_sku_info), ADJ_TAG_SKU_INFO, 0, nullptr});
  const char* id ADJ_DEFAULT(nullptr);        /* "embedding_backward/row_sort/bf16.i64/sm80" */
  const char* op_name ADJ_DEFAULT(nullptr);
  const char* algorithm ADJ_DEFAULT(nullptr);
  const char* signature ADJ_DEFAULT(nullptr); /* element types, dot-separated, in the operator's order */
  const char* arch ADJ_DEFAULT(nullptr);      /* "sm80": that and later; "sm90a": exactly that; "host" */
  const char* source ADJ_DEFAULT(nullptr);    /* kernel source file, or "" */
  const char* summary ADJ_DEFAULT(nullptr);   /* one line on how it works */
  adj_op op ADJ_DEFAULT(0);
  adj_backend backend ADJ_DEFAULT({});
  int32_t program_count ADJ_DEFAULT(0);       /* kernels that the SKU is made of */
  uint32_t reserved ADJ_DEFAULT(0);
  adj_guarantee guarantee ADJ_DEFAULT({});    /* for every output of every problem; from adj_plan_sku: for every output of the plan's problem */
} adj_sku_info;

ADJ_API int64_t adj_sku_count(void) ADJ_NOEXCEPT;
ADJ_API adj_status adj_sku_get(int64_t i, adj_sku_info* out) ADJ_NOEXCEPT;
ADJ_API adj_status adj_sku_find(const char* id, adj_sku_info* out) ADJ_NOEXCEPT;
/* Guarantee of a SKU for one output, by the name of its argument ("dinput"), whatever the problem. An output may promise more than the SKU
 * does for all of them. output = null: the guarantee of adj_sku_info. */
ADJ_API adj_status adj_sku_guarantee(const char* id, const char* output, adj_guarantee* out) ADJ_NOEXCEPT;

/* Resources of the machine code of one kernel. Shared memory that a launch asks for in addition is not included. */
typedef struct adj_kernel_info {
  adj_header header ADJ_DEFAULT({sizeof(adj_kernel_info), ADJ_TAG_KERNEL_INFO, 0, nullptr});
  const char* source ADJ_DEFAULT(nullptr);     /* "segment_sum/lookup.cu" */
  const char* entry ADJ_DEFAULT(nullptr);
  const char* macros ADJ_DEFAULT(nullptr);     /* blank-separated, "ADJ_T=bf16 ADJ_I=i64" */
  uint64_t code_bytes ADJ_DEFAULT(0);          /* of instructions */
  uint64_t static_shared_bytes ADJ_DEFAULT(0); /* per block */
  int32_t registers ADJ_DEFAULT(0);            /* per thread */
  int32_t local_bytes ADJ_DEFAULT(0);          /* stack per thread: spills and arrays indexed at run time */
  double compile_ms ADJ_DEFAULT(0);            /* NVRTC's time in this call; 0 when a pack or the disk cache had the code */
} adj_kernel_info;

/* Kernel i, in [0, program_count), of a SKU for an architecture such as "sm_90a". The code is taken from packs, the disk cache
 * or NVRTC, as select does; neither a driver nor a device is needed. ADJ_ERROR_UNSUPPORTED when the SKU or that kernel of it does not
 * run on the architecture, or when NVRTC does not know it. */
ADJ_API adj_status adj_sku_kernel(const char* id, int64_t i, const char* arch, adj_kernel_info* out, adj_error** error) ADJ_NOEXCEPT;

/* ---- plans ------------------------------------------------------------------------------------------------------- */

typedef struct adj_plan adj_plan;
typedef struct adj_bound adj_bound;

typedef struct adj_plan_info {
  adj_header header ADJ_DEFAULT({sizeof(adj_plan_info), ADJ_TAG_PLAN_INFO, 0, nullptr});
  uint64_t workspace_size ADJ_DEFAULT(0);      /* of run */
  uint64_t bind_workspace_size ADJ_DEFAULT(0); /* of bind, never smaller */
  int64_t launches ADJ_DEFAULT(0);             /* kernel launches, copies and memsets of one run */
  int64_t bound_launches ADJ_DEFAULT(0);       /* the same of one bound run */
  int32_t from_ptx ADJ_DEFAULT(0);             /* 1: the driver compiled PTX, the caller's or for a device that NVRTC does not know */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_plan_info;

/* Picks a kernel for the descriptor (any ..._descriptor structure) on the stream's device, compiling or loading it.
 * preference may be null. */
ADJ_API adj_status adj_plan_select(const adj_stream* stream, const adj_header* descriptor, const adj_preference* preference,
                                   adj_plan** out, adj_error** error) ADJ_NOEXCEPT;
/* adj_plan_select with a cache of the process, for programs that ask for a plan before every call. A problem with an equal descriptor, an
 * equal preference and a stream of the same device gets the same plan, in well under a microsecond and without a lock. out is a reference
 * of the caller's, to be released by adj_plan_release. The cache holds up to 2048 plans and 64 MiB of them, and drops the least recently
 * used. A descriptor with a pointer to anything but a list or a text (callback), or with lists of more than 256 KiB, is selected anew each
 * time. */
ADJ_API adj_status adj_plan_acquire(const adj_stream* stream, const adj_header* descriptor, const adj_preference* preference,
                                    adj_plan** out, adj_error** error) ADJ_NOEXCEPT;
/* Tries all candidates as select does, without compiling, loading or measuring. report receives an error object whose rejections are all candidates in
 * order, the accepted ones with ADJ_OK. Where select would go by a verdict (adj_tuning_load), its SKU comes first, and reasons have the times. Fails
 * only when the descriptor, the stream or the preference is invalid. */
ADJ_API adj_status adj_plan_explain(const adj_stream* stream, const adj_header* descriptor,
                                    const adj_preference* preference, adj_error** report) ADJ_NOEXCEPT;
/* Checks element types, shapes, capacities, alignment, null pointers and overlap of these buffers. No driver call. */
ADJ_API adj_status adj_plan_can_implement(const adj_plan* plan, const adj_header* args) ADJ_NOEXCEPT;
ADJ_API uint64_t adj_plan_workspace_size(const adj_plan* plan) ADJ_NOEXCEPT;
/* Checks as adj_plan_can_implement does, then launches. Entries of lists are checked for overlap at the same position only. Never compiles,
 * allocates, loads or synchronises; may be captured in a CUDA graph. */
ADJ_API adj_status adj_plan_run(const adj_plan* plan, const adj_stream* stream, const adj_workspace* workspace,
                                const adj_header* args) ADJ_NOEXCEPT;
/* Checks once and prepares calls on the same buffers. May copy a table of addresses into the workspace, which belongs to the bound call
 * until that is released; adj_bound_run then takes the same stream only, and for the default stream per thread the same thread. Not allowed
 * while the stream is being captured. Scalars passed by value are frozen. */
ADJ_API adj_status adj_plan_bind(const adj_plan* plan, const adj_stream* stream, const adj_workspace* workspace,
                                 const adj_header* args, adj_bound** out) ADJ_NOEXCEPT;
ADJ_API adj_status adj_bound_run(const adj_bound* bound, const adj_stream* stream) ADJ_NOEXCEPT;
ADJ_API void adj_bound_release(adj_bound* bound) ADJ_NOEXCEPT;
ADJ_API adj_status adj_plan_sku(const adj_plan* plan, adj_sku_info* out) ADJ_NOEXCEPT;
/* Guarantee of a plan for one output of its problem, by the name of its argument. output = null: the guarantee that adj_plan_sku gives. */
ADJ_API adj_status adj_plan_guarantee(const adj_plan* plan, const char* output, adj_guarantee* out) ADJ_NOEXCEPT;
ADJ_API adj_status adj_plan_get_info(const adj_plan* plan, adj_plan_info* out) ADJ_NOEXCEPT;
/* Candidates that select tried, in order; the last one is the chosen one, with ADJ_OK. Slower candidates of a measurement have ADJ_OK too, and the reason
 * has the time. Their strings live as long as the plan. */
ADJ_API int64_t adj_plan_candidate_count(const adj_plan* plan) ADJ_NOEXCEPT;
ADJ_API adj_status adj_plan_candidate(const adj_plan* plan, int64_t i, adj_rejection* out) ADJ_NOEXCEPT;
ADJ_API adj_plan* adj_plan_retain(adj_plan* plan) ADJ_NOEXCEPT; /* returns its argument */
ADJ_API void adj_plan_release(adj_plan* plan) ADJ_NOEXCEPT;

/* ---- ahead-of-time compilation ----------------------------------------------------------------------------------- */

/* Called from the compiling threads, one call at a time; return non-zero to stop. */
typedef int32_t (*adj_progress)(void* user, int64_t done, int64_t total, const char* program, double milliseconds);

typedef struct adj_pack_options {
  adj_header header ADJ_DEFAULT({sizeof(adj_pack_options), ADJ_TAG_PACK_OPTIONS, 0, nullptr});
  const char* archs ADJ_DEFAULT(nullptr); /* comma-separated, "sm_80,sm_90a" */
  const char* skus ADJ_DEFAULT(nullptr);  /* glob over SKU ids; null = all */
  int32_t jobs ADJ_DEFAULT(0);            /* threads; 0 = number of processors, at most 8 */
  uint32_t reserved ADJ_DEFAULT(0);
  adj_progress progress ADJ_DEFAULT(nullptr);
  void* user ADJ_DEFAULT(nullptr);
} adj_pack_options;

/* Writes the kernels of the chosen SKUs to a file. As in select, kernels come from packs and the disk cache first; kernels that NVRTC
 * compiles also go into the cache. Needs no driver and no device. */
ADJ_API adj_status adj_pack_build(const char* path, const adj_pack_options* options, adj_error** error) ADJ_NOEXCEPT;
/* Makes a pack's kernels available to every later select of this process. */
ADJ_API adj_status adj_pack_load(const char* path) ADJ_NOEXCEPT;

/* ---- tuning ------------------------------------------------------------------------------------------------------ */

/* adj_preference.tune = 1 lets select measure. For each SKU that the rest of the preference accepts, and for each algorithm that cuBLASLt or cuDNN lists for it
 * within the SKU's guarantee, select times runs on arguments of its own, with a cold level-2 cache, and takes the least median. Inputs are numbers in
 * [0.25, 1) and uniform integers; optional arguments are left out; arguments that are read and written are filled anew before each run. Where an argument
 * cannot be made so (an object of the caller, offsets), or device memory does not suffice, nothing is measured, select chooses as without tune, and the
 * reason of its candidate (adj_plan_candidate) says why.
 * The verdict goes to the disk cache. A later select with tune, of any process, finds it when the problem, what the preference requires, the device
 * model, and the versions of this library, its kernels, the driver, cuDNN and cuBLASLt are equal to the letter. It names the algorithm by the library's own id
 * and configuration, so that the same verdict gives the same plan. While the stream is being captured, a select that would have to measure fails with
 * ADJ_ERROR_CAPTURING. */

/* Makes the verdicts of a tuning file available to every later select of this process, with and without tune; they count more than the disk cache.
 * ADJOINT_TUNING names files to load at the first select, separated by colons. Plans that adj_plan_acquire already has stay as they are. */
ADJ_API adj_status adj_tuning_load(const char* path) ADJ_NOEXCEPT;
/* Writes a tuning file with every verdict that this process has measured, found or loaded. ADJ_ERROR_NOT_FOUND when there is none. */
ADJ_API adj_status adj_tuning_save(const char* path) ADJ_NOEXCEPT;

/* ---- disk cache -------------------------------------------------------------------------------------------------- */

typedef struct adj_cache_info {
  adj_header header ADJ_DEFAULT({sizeof(adj_cache_info), ADJ_TAG_CACHE_INFO, 0, nullptr});
  const char* directory ADJ_DEFAULT(nullptr); /* "" when the cache is off */
  const char* problem ADJ_DEFAULT(nullptr);   /* why the cache is off or read-only, or "" */
  int64_t entries ADJ_DEFAULT(0);
  int64_t damaged ADJ_DEFAULT(0);             /* entries that fail their checksum (adj_cache_verify only) */
  uint64_t bytes ADJ_DEFAULT(0);
  uint64_t limit ADJ_DEFAULT(0);              /* least recently used entries beyond it are removed */
  int64_t memory_hits ADJ_DEFAULT(0);         /* of this process */
  int64_t pack_hits ADJ_DEFAULT(0);
  int64_t disk_hits ADJ_DEFAULT(0);
  int64_t compiles ADJ_DEFAULT(0);
} adj_cache_info;

/* Strings of the info stay valid until the next adj_cache_... call of this thread. */
ADJ_API adj_status adj_cache_stat(adj_cache_info* out) ADJ_NOEXCEPT;
ADJ_API adj_status adj_cache_verify(adj_cache_info* out) ADJ_NOEXCEPT; /* reads every entry, removes damaged ones */
ADJ_API adj_status adj_cache_clear(void) ADJ_NOEXCEPT;

/* ---- the machine ------------------------------------------------------------------------------------------------- */

typedef struct adj_library_info {
  adj_header header ADJ_DEFAULT({sizeof(adj_library_info), ADJ_TAG_LIBRARY_INFO, 0, nullptr});
  const char* name ADJ_DEFAULT(nullptr);    /* "CUDA driver", "NVRTC", "cuDNN", "cuBLASLt", "NCCL" */
  const char* path ADJ_DEFAULT(nullptr);    /* file it was loaded from, or "" */
  const char* version ADJ_DEFAULT(nullptr); /* "13.0", or "" */
  const char* problem ADJ_DEFAULT(nullptr); /* "" when usable, else what is missing and how to get it */
  int32_t available ADJ_DEFAULT(0);
  uint32_t reserved ADJ_DEFAULT(0);
} adj_library_info;

typedef struct adj_device_info {
  adj_header header ADJ_DEFAULT({sizeof(adj_device_info), ADJ_TAG_DEVICE_INFO, 0, nullptr});
  const char* name ADJ_DEFAULT(nullptr);
  const char* arch ADJ_DEFAULT(nullptr);     /* architecture that kernels are compiled for, "sm_90a" */
  uint64_t memory ADJ_DEFAULT(0);
  int32_t multiprocessors ADJ_DEFAULT(0);
  int32_t compute_capability ADJ_DEFAULT(0); /* times ten */
} adj_device_info;

ADJ_API int64_t adj_library_count(void) ADJ_NOEXCEPT;
ADJ_API adj_status adj_library_get(int64_t i, adj_library_info* out) ADJ_NOEXCEPT;
ADJ_API int64_t adj_device_count(void) ADJ_NOEXCEPT; /* 0 without a driver */
ADJ_API adj_status adj_device_get(int64_t i, adj_device_info* out) ADJ_NOEXCEPT;

/* ---- ONNX Runtime registry --------------------------------------------------------------------------------------- */

/* One kernel registration of ONNX Runtime's CUDA training build, and the operator that serves it here. */
typedef struct adj_registry_row {
  adj_header header ADJ_DEFAULT({sizeof(adj_registry_row), ADJ_TAG_REGISTRY_ROW, 0, nullptr});
  const char* domain ADJ_DEFAULT(nullptr);     /* "com.microsoft", or "" for the default ONNX domain */
  const char* op ADJ_DEFAULT(nullptr);
  const char* types ADJ_DEFAULT(nullptr);      /* registered type string, or the constraint list */
  const char* adjoint_op ADJ_DEFAULT(nullptr); /* our operator, or "" */
  const char* signature ADJ_DEFAULT(nullptr);  /* our element types for it (the first, where it admits several), or "" */
  const char* reason ADJ_DEFAULT(nullptr);     /* "" when resolved, else why not */
  const char* settings ADJ_DEFAULT(nullptr);   /* modes, flags and real numbers of our descriptor that make it this operator, "function=relu"; or "" */
  const char* note ADJ_DEFAULT(nullptr);       /* how its attributes and tensors map to ours, where names and settings do not say it; or "" */
  int32_t since_version ADJ_DEFAULT(0);
  int32_t until_version ADJ_DEFAULT(0);        /* 0 = open */
  int32_t resolved ADJ_DEFAULT(0);             /* select succeeds on sm_90a and on the host for all its types */
  int32_t sku_count ADJ_DEFAULT(0);            /* SKUs that serve it */
  const char* session ADJ_DEFAULT(nullptr);    /* how a node runs in a session of a stock ONNX Runtime: "table", "rewrite" (of the graph first) or "none" */
  const char* obstacle ADJ_DEFAULT(nullptr);   /* why "none"; or "" */
  const char* binding ADJ_DEFAULT(nullptr);    /* how inputs, outputs and attributes become arguments and fields: lines, in the grammar of src/ops/onnx; or "" */
  const char* combinations ADJ_DEFAULT(nullptr); /* its element types spelled out, by ours: "f32 i64; f16 i64" */
} adj_registry_row;

ADJ_API int64_t adj_registry_count(void) ADJ_NOEXCEPT;
ADJ_API adj_status adj_registry_get(int64_t i, adj_registry_row* out) ADJ_NOEXCEPT;
/* Finds the row that covers an operator at an opset version with the given type string ("float,int64_t",
 * "MLFloat16_int64_t_float", or one element type for a row with a constraint list). Both spellings of the domains
 * ("ms"/"com.microsoft", ""/"onnx"/"ai.onnx") are understood. */
ADJ_API adj_status adj_registry_lookup(const char* domain, const char* op, int32_t opset, const char* types,
                                       adj_registry_row* out) ADJ_NOEXCEPT;
/* The i-th SKU id that serves a row. */
ADJ_API adj_status adj_registry_sku(int64_t row, int64_t i, const char** id) ADJ_NOEXCEPT;

/* ---- operators by name ------------------------------------------------------------------------------------------- */

ADJ_ENUM(adj_field_kind) { ADJ_FIELD_I64 = 1, ADJ_FIELD_I32 = 2, ADJ_FIELD_DTYPE = 3, ADJ_FIELD_F64 = 4, ADJ_FIELD_I64_LIST = 5, ADJ_FIELD_SHAPE = 6,
       ADJ_FIELD_AXES = 7, ADJ_FIELD_F64_LIST = 8, ADJ_FIELD_TEXT = 9, ADJ_FIELD_POINTER = 10,
       ADJ_FIELD_BYTES = 11 };
ADJ_ENUM(adj_argument_kind) { ADJ_ARGUMENT_TENSOR = 1, ADJ_ARGUMENT_LIST = 2, ADJ_ARGUMENT_SCALAR = 3, ADJ_ARGUMENT_RANDOM = 4, ADJ_ARGUMENT_HANDLE = 5 };
ADJ_ENUM(adj_role) { ADJ_ROLE_IN = 1, ADJ_ROLE_OUT = 2, ADJ_ROLE_INOUT = 3 };
ADJ_ENUM(adj_presence) { ADJ_PRESENCE_REQUIRED = 1, ADJ_PRESENCE_OPTIONAL = 2, ADJ_PRESENCE_DEPENDS = 3 /* on the descriptor */,
       ADJ_PRESENCE_ABSENT = 4 /* of an adj_requirement: must be left out */ };

/* One field of an operator's descriptor, for tools that fill descriptors from text. */
typedef struct adj_field {
  const char* name;
  const char* choices; /* of an enumeration: names of its values from 0 on, "default,none,sum,mean"; null otherwise */
  const char* about;   /* range, meaning, what 0 stands for; may be "" */
  adj_field_kind kind; /* a list, and bytes, have their length in the int64_t just before their pointer */
  uint32_t offset;
} adj_field;

/* What the header of an operator states of the values of a field. Other values are refused. */
typedef struct adj_field_limits {
  adj_header header ADJ_DEFAULT({sizeof(adj_field_limits), ADJ_TAG_FIELD_LIMITS, 0, nullptr});
  int64_t least ADJ_DEFAULT(0);                 /* of an integer, and of the entries of a list of integers: INT64_MIN where none is stated */
  int64_t most ADJ_DEFAULT(0);                  /* the same: INT64_MAX where none is stated */
  double least_real ADJ_DEFAULT(0);             /* of a number: -infinity where none is stated */
  double most_real ADJ_DEFAULT(0);              /* the same: infinity where none is stated */
  const char* types ADJ_DEFAULT(nullptr);       /* of an element type: those that it may be beside 0, "f32, f64"; "" where the SKUs say it */
  const char* only_if ADJ_DEFAULT(nullptr);     /* a condition on other fields, "mode == sum": the field has its default otherwise; or "" */
  const char* refused_if ADJ_DEFAULT(nullptr);  /* lines "condition: why"; or "" */
  int32_t above_least ADJ_DEFAULT(0);           /* 1: least_real itself is refused */
  int32_t below_most ADJ_DEFAULT(0);            /* 1: most_real itself is refused */
  int32_t finite ADJ_DEFAULT(0);                /* 1: an infinite number is refused */
  int32_t number ADJ_DEFAULT(0);                /* 1: a NaN is refused */
} adj_field_limits;

/* One argument of an operator. Its element type and shape may depend on the descriptor: about says how, in the names of fields. */
typedef struct adj_argument {
  const char* name;
  const char* about;
  adj_argument_kind kind;
  adj_role role;
  adj_presence presence;
  int32_t host;       /* 1: ordinary memory, whatever the stream */
  uint32_t offset;
  uint32_t may_equal; /* bit i: this output may be the very buffer of argument i */
} adj_argument;

/* What a descriptor asks of one argument. */
typedef struct adj_requirement {
  adj_header header ADJ_DEFAULT({sizeof(adj_requirement), ADJ_TAG_REQUIREMENT, 0, nullptr});
  adj_presence presence ADJ_DEFAULT({});       /* ADJ_PRESENCE_REQUIRED, ADJ_PRESENCE_OPTIONAL or ADJ_PRESENCE_ABSENT; all that follows is 0 when absent */
  adj_role role ADJ_DEFAULT({});               /* ADJ_ROLE_...: ADJ_ROLE_INOUT only where this descriptor has the argument both read and written */
  adj_dtype dtype ADJ_DEFAULT({});             /* element type, of a scalar in memory as well; of a random state in memory u64; 0 for a handle */
  adj_dtype other_dtype ADJ_DEFAULT({});       /* scalars in memory: a second type that is accepted; 0: none */
  int32_t any_float ADJ_DEFAULT(0);            /* scalars in memory: 1: every floating-point type is accepted */
  int32_t device_only ADJ_DEFAULT(0);          /* scalars and random states: 1: a value is refused, the argument must be in memory */
  int32_t rank ADJ_DEFAULT(0);                 /* of a tensor */
  uint32_t reserved ADJ_DEFAULT(0);
  int64_t shape[ADJ_MAX_RANK] ADJ_DEFAULT({}); /* of a tensor */
  int64_t count ADJ_DEFAULT(0);                /* entries of a list */
  uint64_t bytes ADJ_DEFAULT(0);               /* least capacity: of a tensor or a random state in memory, of a list for all its entries together */
  uint64_t alignment ADJ_DEFAULT(0);           /* of the address of a tensor, in bytes: a multiple of it; from adj_plan_argument only, else 0 */
} adj_requirement;

ADJ_API int64_t adj_op_count(void) ADJ_NOEXCEPT;
ADJ_API adj_op adj_op_at(int64_t i) ADJ_NOEXCEPT; /* the i-th operator, in the order of the ids; 0 outside [0, adj_op_count()) */
ADJ_API const char* adj_op_name(adj_op op) ADJ_NOEXCEPT;   /* null for an unknown operator */
ADJ_API const char* adj_op_family(adj_op op) ADJ_NOEXCEPT; /* "loss": the operator is declared in ops/loss.h; null for an unknown operator */
ADJ_API adj_status adj_op_find(const char* name, adj_op* out) ADJ_NOEXCEPT;
/* Fills a descriptor of the operator with its defaults. size is the size of the caller's structure: that of the first version or more. Only
 * what fits is written, and struct_size says how much that is. */
ADJ_API adj_status adj_op_descriptor_init(adj_op op, void* descriptor, uint64_t size) ADJ_NOEXCEPT;
/* The same for the arguments of the operator. */
ADJ_API adj_status adj_op_args_init(adj_op op, void* args, uint64_t size) ADJ_NOEXCEPT;
ADJ_API uint64_t adj_op_descriptor_size(adj_op op) ADJ_NOEXCEPT; /* bytes of the library's structure; 0 for an unknown operator */
ADJ_API uint64_t adj_op_args_size(adj_op op) ADJ_NOEXCEPT;       /* the same for the arguments */
/* What the operator computes, as its header says it: formula, edge cases, terms of the guarantee. Null for an unknown operator. */
ADJ_API const char* adj_op_definition(adj_op op) ADJ_NOEXCEPT;
/* What holds for all operators of its family: the head of its header. Null for an unknown operator. */
ADJ_API const char* adj_op_conventions(adj_op op) ADJ_NOEXCEPT;
ADJ_API int64_t adj_op_field_count(adj_op op) ADJ_NOEXCEPT;
ADJ_API adj_status adj_op_field(adj_op op, int64_t i, adj_field* out) ADJ_NOEXCEPT;
/* What the header states of the values of field i. */
ADJ_API adj_status adj_op_field_limits(adj_op op, int64_t i, adj_field_limits* out) ADJ_NOEXCEPT;
ADJ_API int64_t adj_op_argument_count(adj_op op) ADJ_NOEXCEPT;
ADJ_API adj_status adj_op_argument(adj_op op, int64_t i, adj_argument* out) ADJ_NOEXCEPT;
/* What a descriptor (any ..._descriptor structure) asks of argument i of its operator. Needs no device and no plan; fails as select does when
 * the descriptor is not valid or has element types that the operator does not serve. */
ADJ_API adj_status adj_op_infer(const adj_header* descriptor, int64_t i, adj_requirement* out) ADJ_NOEXCEPT;
/* Elements of each entry of list argument i. capacity is the room in numel: at least adj_requirement.count. Nothing is written when the list is
 * absent. */
ADJ_API adj_status adj_op_infer_list(const adj_header* descriptor, int64_t i, int64_t* numel, int64_t capacity) ADJ_NOEXCEPT;
/* Fills in the fields of a descriptor that its caller did not give, from the arguments that were: extents, counts, shapes, lists of numbers of
 * elements and element types from the arrays, flags such as has_bias from the presence of the argument that they are about. Needs no device
 * and no plan. Modes, axes, strides and numbers that stand in no shape are the caller's.
 *
 * A field counts as not given when it has the default of adj_op_descriptor_init, a list of numbers when its pointer is null and its count 0. A
 * tensor counts as given when it has data or an element type, a list also when it has a count, a number or a random state when it has an
 * address or a value other than 0 and its default. Shapes and types suffice: outputs need not exist, and inputs need no memory.
 * - A tensor states its shape by rank and shape. One with rank 0 states that it is a scalar, whose extents are 1, when its capacity is one
 *   element, else nothing. The entries of a list have as many elements as their capacity holds.
 * - A shape with as many dimensions as extents gives each its own. Otherwise extents that are known take the dimensions at either end
 *   that multiply to them; what is left is one extent, or one dimension each and the rest for the one of ADJ_REST (ops/operator.h):
 *   [2, 3, 10] for [outer, inner] is an outer of 6. The extent of a softmax of [4, 10] is known with an outer of 4 or an inner of 10. It is not
 *   known with an inner of 1, which is the default and counts as not given.
 * - What no array tells keeps its default where that is a valid one; a type where 0 is right stays 0.
 *
 * The completed descriptor is checked as select checks it, and the arrays against what it asks for. Fails with one sentence that names the
 * field that cannot be known, or the two arguments, or the field and the argument, that contradict each other. The descriptor and room are
 * untouched then. The lists that it finds are written to room, one behind the other, at most capacity numbers, and the descriptor points there. */
ADJ_API adj_status adj_op_complete(adj_header* descriptor, const adj_header* args, int64_t* room, int64_t capacity) ADJ_NOEXCEPT;
/* adj_op_infer and adj_op_infer_list for the problem of a plan, with what its kernel asks besides. */
ADJ_API adj_status adj_plan_argument(const adj_plan* plan, int64_t i, adj_requirement* out) ADJ_NOEXCEPT;
ADJ_API adj_status adj_plan_argument_list(const adj_plan* plan, int64_t i, int64_t* numel, int64_t capacity) ADJ_NOEXCEPT;
ADJ_API const char* adj_dtype_name(adj_dtype dtype) ADJ_NOEXCEPT; /* "bf16"; null for an unknown type */
ADJ_API adj_dtype adj_dtype_find(const char* name) ADJ_NOEXCEPT;  /* 0 for an unknown name */

/* ---- communicators and events ------------------------------------------------------------------------------------ */

/* NCCL communicators, for collectives on CUDA streams. The handles are ncclComm_t; the collectives take any other ncclComm_t as well. */
#define ADJ_COMM_ID_BYTES 128
/* Writes an id of ADJ_COMM_ID_BYTES bytes for a new communicator. One rank makes it and hands it to the other ranks. */
ADJ_API adj_status adj_comm_unique_id(void* id, uint64_t size) ADJ_NOEXCEPT;
/* Joins a communicator as rank `rank` of `ranks`, with the calling thread's current device. Waits for the other ranks. */
ADJ_API adj_status adj_comm_init(int32_t ranks, int32_t rank, const void* id, uint64_t size, void** out) ADJ_NOEXCEPT;
/* Makes a communicator of `count` devices of this process. out[i] is the handle of rank i, on device devices[i]. */
ADJ_API adj_status adj_comm_init_all(int32_t count, const int32_t* devices, void** out) ADJ_NOEXCEPT;
/* Accepts null. The work of the communicator must be done. */
ADJ_API adj_status adj_comm_destroy(void* comm) ADJ_NOEXCEPT;
/* Ends a communicator whose work may never finish, and gives up this rank's handle. Accepts null, an ncclComm_t, and a handle of
 * adj_host_comm_create. Any thread may call it. Calls of the library that wait in an NCCL communicator fail on this rank, and its kernels end;
 * every rank aborts its own handle. Calls that wait in a host communicator fail on every rank. */
ADJ_API adj_status adj_comm_abort(void* comm) ADJ_NOEXCEPT;

/* Makes a communicator of threads of this process, for collectives on the host stream. out[i] is the handle of rank i. Each rank calls from
 * a thread of its own. When a rank runs out of memory within a collective, the communicator ends: ranks that wait for it, or call later, get an
 * error. */
ADJ_API adj_status adj_host_comm_create(int32_t ranks, void** out) ADJ_NOEXCEPT;
/* Gives up one rank's handle; accepts null. Ranks that wait for it, or call later, get an error. */
ADJ_API adj_status adj_host_comm_destroy(void* handle) ADJ_NOEXCEPT;

/* Makes an event for record_event and wait_event on the host stream. It is not recorded yet. */
ADJ_API adj_status adj_host_event_create(void** out) ADJ_NOEXCEPT;
ADJ_API adj_status adj_host_event_reset(void* event) ADJ_NOEXCEPT;   /* as if it had not been recorded */
ADJ_API adj_status adj_host_event_destroy(void* event) ADJ_NOEXCEPT; /* accepts null; streams that wait for it get an error */

/* ---- logging ----------------------------------------------------------------------------------------------------- */

/* Receives messages about work behind select. level: 0 information (a compilation), 1 warning (a pack, a cache or an image that is not used).
 * Null turns it off; a call that another thread has begun may still run. fn may call any function of the library: it is called without a lock,
 * on a thread that is in the library, from several threads at a time. The library itself prints only when the environment variable ADJOINT_LOG
 * asks for it; the word `warning` asks for the warnings. */
typedef void (*adj_log_fn)(void* user, int32_t level, const char* message);
ADJ_API void adj_set_log(adj_log_fn fn, void* user) ADJ_NOEXCEPT;

#ifndef __cplusplus
/* Initialisers of the structures above; ADJ_HEADER_OF fills in size and tag. */
#define ADJ_REJECTION_INIT { ADJ_HEADER_OF(adj_rejection, ADJ_TAG_REJECTION), NULL, NULL, 0, 0 }
#define ADJ_SKU_INFO_INIT \
  { ADJ_HEADER_OF(adj_sku_info, ADJ_TAG_SKU_INFO), NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, {0} }
#define ADJ_KERNEL_INFO_INIT { ADJ_HEADER_OF(adj_kernel_info, ADJ_TAG_KERNEL_INFO), NULL, NULL, NULL, 0, 0, 0, 0, 0 }
#define ADJ_FIELD_LIMITS_INIT { ADJ_HEADER_OF(adj_field_limits, ADJ_TAG_FIELD_LIMITS), 0, 0, 0, 0, NULL, NULL, NULL, 0, 0, 0, 0 }
#define ADJ_REQUIREMENT_INIT { ADJ_HEADER_OF(adj_requirement, ADJ_TAG_REQUIREMENT), 0, 0, 0, 0, 0, 0, 0, 0, {0}, 0, 0, 0 }
#define ADJ_PLAN_INFO_INIT { ADJ_HEADER_OF(adj_plan_info, ADJ_TAG_PLAN_INFO), 0, 0, 0, 0, 0, 0 }
#define ADJ_PACK_OPTIONS_INIT { ADJ_HEADER_OF(adj_pack_options, ADJ_TAG_PACK_OPTIONS), NULL, NULL, 0, 0, NULL, NULL }
#define ADJ_CACHE_INFO_INIT { ADJ_HEADER_OF(adj_cache_info, ADJ_TAG_CACHE_INFO), NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0 }
#define ADJ_LIBRARY_INFO_INIT { ADJ_HEADER_OF(adj_library_info, ADJ_TAG_LIBRARY_INFO), NULL, NULL, NULL, NULL, 0, 0 }
#define ADJ_DEVICE_INFO_INIT { ADJ_HEADER_OF(adj_device_info, ADJ_TAG_DEVICE_INFO), NULL, NULL, 0, 0, 0 }
#define ADJ_REGISTRY_ROW_INIT \
  { ADJ_HEADER_OF(adj_registry_row, ADJ_TAG_REGISTRY_ROW), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL, NULL, NULL }
#endif

#ifdef __cplusplus
}
#endif
#endif
