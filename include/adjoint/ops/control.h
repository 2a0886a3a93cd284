/* Order between streams, and the caller's own code. Definitions: com.microsoft Group, RecordEvent, WaitEvent, YieldOp, TritonOp,
 * PythonOp and PythonOpGrad. */
#ifndef ADJOINT_OPS_CONTROL_H
#define ADJOINT_OPS_CONTROL_H

#include "operator.h"

ADJ_OPERATOR(70, group, GROUP, Group)
ADJ_OPERATOR(71, record_event, RECORD_EVENT, RecordEvent)
ADJ_OPERATOR(72, wait_event, WAIT_EVENT, WaitEvent)
ADJ_OPERATOR(73, yield, YIELD, Yield)
ADJ_OPERATOR(74, user_kernel, USER_KERNEL, UserKernel)
ADJ_OPERATOR(75, callback, CALLBACK, Callback)

/* A place in the order of a stream: nothing is launched, done is set. It says that the call was reached, not that work on the stream
 * has ended; record_event and wait_event order streams. */
typedef struct adj_group_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_group_descriptor, ADJ_TAG_GROUP_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                           /* number of tensors of inputs, >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0); /* host array of count element counts; copied by select */
  adj_dtype element ADJ_DEFAULT({});                      /* every type of adj_dtype */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_group_descriptor;

typedef struct adj_group_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_group_args, ADJ_TAG_GROUP_ARGS));
  adj_tensor_list inputs ADJ_DEFAULT({}) ADJ_IN([numel], element) ADJ_OPTIONAL; /* what has to be there; nothing is read */
  adj_tensor done        ADJ_DEFAULT({}) ADJ_OUT([1], bool) ADJ_OPTIONAL ADJ_HOST; /* true, written by the call itself */
} adj_group_args;

/* outputs = inputs, then event is recorded: it occurs when the work that the stream has so far is done. event is a CUevent or
 * cudaEvent_t of the stream's device on a CUDA stream, and a handle of adj_host_event_create on the host stream, where it wakes all
 * who wait for it. Usable while the stream is being captured. */
typedef struct adj_record_event_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_record_event_descriptor, ADJ_TAG_RECORD_EVENT_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                           /* number of tensors, >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0); /* host array of count element counts; copied by select */
  int32_t skip ADJ_DEFAULT(0) ADJ_FLAG;                   /* 1: no event, tensors are passed on only */
  adj_dtype element ADJ_DEFAULT({});                      /* every type of adj_dtype */
} adj_record_event_descriptor;

typedef struct adj_record_event_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_record_event_args, ADJ_TAG_RECORD_EVENT_ARGS));
  void* event ADJ_DEFAULT(nullptr) ADJ_IN() ADJ_ONLY_IF(!skip);
  adj_tensor_list inputs  ADJ_DEFAULT({}) ADJ_IN([numel], element);
  adj_tensor_list outputs ADJ_DEFAULT({}) ADJ_OUT([numel], element) ADJ_MAY_BE(inputs);
} adj_record_event_args;

/* The stream waits for event, as it was last recorded, then outputs = inputs. Any number of streams may wait for one event. On a CUDA
 * stream the calling thread does not wait, and an event that was never recorded has occurred; on the host stream the thread waits until
 * the event has been recorded since it was created or reset. */
typedef struct adj_wait_event_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_wait_event_descriptor, ADJ_TAG_WAIT_EVENT_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                           /* number of tensors, >= 0 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0); /* host array of count element counts; copied by select */
  int32_t skip ADJ_DEFAULT(0) ADJ_FLAG;                   /* 1: no event, tensors are passed on only */
  adj_dtype element ADJ_DEFAULT({});                      /* every type of adj_dtype */
} adj_wait_event_descriptor;

typedef struct adj_wait_event_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_wait_event_args, ADJ_TAG_WAIT_EVENT_ARGS));
  void* event ADJ_DEFAULT(nullptr) ADJ_IN() ADJ_ONLY_IF(!skip);
  adj_tensor_list inputs  ADJ_DEFAULT({}) ADJ_IN([numel], element);
  adj_tensor_list outputs ADJ_DEFAULT({}) ADJ_OUT([numel], element) ADJ_MAY_BE(inputs);
} adj_wait_event_args;

/* The border between a model and the loop that trains it: outputs leave, their gradients come in. A call checks counts, types and
 * sizes and does nothing else. Gradient j is that of the j-th output whose place is not among non_differentiable. It has the size of
 * its output, or any size where free_shape has the place (YieldOp's full_shape_outputs has the other places). */
typedef struct adj_yield_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_yield_descriptor, ADJ_TAG_YIELD_DESCRIPTOR));
  int64_t count ADJ_DEFAULT(0);                           /* number of outputs >= 1 */
  const int64_t* numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0)
    ADJ_REFUSE(count < 1, "needs at least 1 tensor"); /* host array of count element counts; copied by select */
  int64_t non_differentiable_count ADJ_DEFAULT(0);        /* >= 0 */
  const int64_t* non_differentiable ADJ_DEFAULT(nullptr); /* host array of places among outputs, ascending; copied by select */
  int64_t free_shape_count ADJ_DEFAULT(0);                /* >= 0 */
  const int64_t* free_shape ADJ_DEFAULT(nullptr);         /* host array of places of differentiable outputs, ascending; copied by select */
  adj_dtype element ADJ_DEFAULT({});                      /* every type of adj_dtype */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_yield_descriptor;

typedef struct adj_yield_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_yield_args, ADJ_TAG_YIELD_ARGS));
  adj_tensor_list outputs   ADJ_DEFAULT({}) ADJ_IN([numel], element);
  adj_tensor_list gradients ADJ_DEFAULT({}) ADJ_IN(computed, element); /* one for each differentiable output, of its size or, with free_shape, of any */
} adj_yield_args;

/* What a callback is called with; everything is read during the call only. Addresses are those of the arguments, in the memory of the
 * stream. */
typedef struct adj_callback_call {
  adj_header header ADJ_DEFAULT({sizeof(adj_callback_call), ADJ_TAG_CALLBACK_CALL, 0, nullptr});
  void* user ADJ_DEFAULT(nullptr);       /* of the descriptor */
  const adj_stream* stream ADJ_DEFAULT(nullptr);
  int64_t* context ADJ_DEFAULT(nullptr); /* of the arguments; null when it is absent */
  const adj_tensor_list* inputs ADJ_DEFAULT(nullptr);
  const adj_tensor_list* outputs ADJ_DEFAULT(nullptr);
} adj_callback_call;
/* Returns 0, or any other number to make the call fail with ADJ_ERROR_INVALID_VALUE and that number as native code. */
typedef int32_t (*adj_callback_function)(const adj_callback_call* call);
typedef void (*adj_callback_destroy)(void* user);

/* What the code of a caller's kernel is. */
ADJ_ENUM(adj_code_kind) {
  ADJ_CODE_SOURCE = 0, /* CUDA C++: NVRTC compiles it when the plan is selected, or a pack or the disk cache has its machine code */
  ADJ_CODE_PTX = 1,    /* PTX, a text: the driver compiles it when the plan is selected */
  ADJ_CODE_CUBIN = 2   /* machine code for one architecture, as nvcc -cubin and NVRTC write it; nothing is compiled */
};

/* A kernel of the caller's. The entry is
 *     extern "C" __global__ void entry(<a pointer for each input>, <a pointer for each output>, <a long long for each integer>,
 *                                      <a double for each real>)
 * Before anything is launched, select compares the number of the parameters and their sizes with those that the machine code or the PTX
 * states; a type of the same size cannot be told from another. It fails with ADJ_ERROR_INVALID_PROBLEM, naming the parameter, where they
 * differ, and where the code has no such kernel, naming those it has; with ADJ_ERROR_CORRUPT where the code cannot be read; with
 * ADJ_ERROR_UNSUPPORTED where a cubin or PTX is for another architecture; with ADJ_ERROR_COMPILE_FAILED and the compiler's log where a source
 * or PTX does not compile.
 * What the kernel reads and writes is the caller's affair, and so are its results: the guarantee of the SKU is that of the launch, which adds
 * nothing to them. On the host stream run calls the function host in its place.
 * The code stays on the device while a plan or a bound call of it lives, and while it is among the 64 programs last selected; then it is
 * unloaded. Keep the plan as long as a CUDA graph that captured a run. */
typedef struct adj_user_kernel_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_user_kernel_descriptor, ADJ_TAG_USER_KERNEL_DESCRIPTOR));
  int64_t code_bytes ADJ_DEFAULT(-1);                            /* size of code; -1: a text, up to its terminating zero */
  const void* code ADJ_DEFAULT(nullptr);                         /* what code_kind says; copied by select */
  const char* entry ADJ_DEFAULT(nullptr); /* name of the kernel, as the code has it: of a C++ function the mangled one; copied by select */
  const char* macros ADJ_DEFAULT(nullptr); /* of a source: blank-separated, "N=4 FAST"; defined at the head of the source; may be null, null otherwise */
  int64_t input_count ADJ_DEFAULT(0);                            /* >= 0 */
  const int64_t* input_numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0);  /* host array of input_count element counts */
  int64_t output_count ADJ_DEFAULT(0);                           /* >= 1 */
  const int64_t* output_numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0)
    ADJ_REFUSE(output_count < 1, "needs at least 1 tensor"); /* host array of output_count element counts */
  int64_t integer_count ADJ_DEFAULT(0);                          /* >= 0 */
  const int64_t* integers ADJ_DEFAULT(nullptr);                  /* host array of integer_count arguments */
  int64_t real_count ADJ_DEFAULT(0);                             /* >= 0 */
  const double* reals ADJ_DEFAULT(nullptr);                      /* host array of real_count arguments */
  adj_axes grid ADJ_DEFAULT({});                                 /* blocks, 1 to 3 extents >= 1 */
  adj_axes block ADJ_DEFAULT({});                                /* threads, 1 to 3 extents >= 1 */
  int64_t shared_bytes ADJ_DEFAULT(0) ADJ_RANGE(0, 1048576);     /* dynamic shared memory of a block */
  adj_callback_function host ADJ_DEFAULT(nullptr);               /* for the host stream; null: there is no plan for it */
  void* user ADJ_DEFAULT(nullptr);                               /* what host is called with; may be null */
  adj_code_kind code_kind ADJ_DEFAULT(ADJ_CODE_SOURCE);          /* what code is */
  adj_dtype element ADJ_DEFAULT({});                             /* of inputs: every type of adj_dtype */
  adj_dtype output_element ADJ_DEFAULT({}) ADJ_ZERO_IS(element); /* of outputs: every type */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_user_kernel_descriptor;

typedef struct adj_user_kernel_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_user_kernel_args, ADJ_TAG_USER_KERNEL_ARGS));
  adj_tensor_list inputs  ADJ_DEFAULT({}) ADJ_IN([input_numel], element);
  adj_tensor_list outputs ADJ_DEFAULT({}) ADJ_INOUT([output_numel], output_element) ADJ_MAY_BE(inputs);
} adj_user_kernel_args;

/* A C function of the caller, called by run itself on the thread that calls it. What the function puts on the stream is in stream order
 * with what comes before and after it; the function must not wait for the stream, and while the stream is being captured it must do only
 * what may be captured. context is a number of the caller's that one function leaves for another, such as the state that a forward
 * function saves for its backward one. Functions are kept for as long as a plan that has them; destroy is then called once for it. */
typedef struct adj_callback_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_callback_descriptor, ADJ_TAG_CALLBACK_DESCRIPTOR));
  adj_callback_function function ADJ_DEFAULT(nullptr);           /* must be given */
  adj_callback_destroy destroy ADJ_DEFAULT(nullptr);             /* called with user when the plan is gone; may be null */
  void* user ADJ_DEFAULT(nullptr);                               /* the caller's; may be null */
  int64_t input_count ADJ_DEFAULT(0);                            /* >= 0 */
  const int64_t* input_numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0);  /* host array of input_count element counts; copied by select */
  int64_t output_count ADJ_DEFAULT(0);                           /* >= 0 */
  const int64_t* output_numel ADJ_DEFAULT(nullptr) ADJ_RANGE(0); /* host array of output_count element counts; copied by select */
  adj_dtype element ADJ_DEFAULT({});                             /* of inputs and outputs: every type of adj_dtype */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_callback_descriptor;

typedef struct adj_callback_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_callback_args, ADJ_TAG_CALLBACK_ARGS));
  adj_tensor_list inputs  ADJ_DEFAULT({}) ADJ_IN([input_numel], element);
  adj_tensor_list outputs ADJ_DEFAULT({}) ADJ_INOUT([output_numel], element) ADJ_MAY_BE(inputs);
  adj_tensor context      ADJ_DEFAULT({}) ADJ_INOUT([1], i64) ADJ_OPTIONAL ADJ_HOST;
} adj_callback_args;

#include <adjoint/ops/control_init.h>

#endif
