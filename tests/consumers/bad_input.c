/* Every entry of the C interface with wrong input: it must return the right code and a sentence that names operator, argument and value, leave
 * outputs untouched, and not crash. Needs no GPU; a memory checker makes the last point certain.
 *
 * The whole interface is here: tests/abi/symbols.py fails on an entry that is not called. */
#define _POSIX_C_SOURCE 200809L
#include <adjoint.h>

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int checks, failures;

/* Checks a status, and that the last sentence contains every string of the null-terminated list. */
static void expect(int line, const char* call, adj_status got, adj_status want, ...) {
  va_list list;
  const char* part;
  ++checks;
  if (got != want) {
    ++failures;
    fprintf(stderr, "line %d: %s gave %s, expected %s; sentence: %s\n", line, call, adj_status_name(got), adj_status_name(want), adj_last_error());
    return;
  }
  if (want == ADJ_OK) return;
  va_start(list, want);
  while ((part = va_arg(list, const char*)))
    if (!strstr(adj_last_error(), part)) {
      ++failures;
      fprintf(stderr, "line %d: %s: '%s' is not in: %s\n", line, call, part, adj_last_error());
    }
  va_end(list);
}
#define FAILS(call, code, ...) expect(__LINE__, #call, call, code, __VA_ARGS__, (const char*)NULL)
#define WORKS(call) expect(__LINE__, #call, call, ADJ_OK, (const char*)NULL)

static void hold(int line, const char* what, int condition) {
  ++checks;
  if (condition) return;
  ++failures;
  fprintf(stderr, "line %d: does not hold: %s\n", line, what);
}
#define HOLDS(condition) hold(__LINE__, #condition, condition)

/* ---- version, errors, streams, tables --------------------------------------------------------------------------------- */

static void version(void) {
  uint32_t major = 0, minor = 9;
  WORKS(adj_abi_check(ADJ_ABI_MAJOR, ADJ_ABI_MINOR));
  FAILS(adj_abi_check(ADJ_ABI_MAJOR + 1, 0), ADJ_ERROR_UNSUPPORTED, "interface 2.0", "this library has 1.");
  FAILS(adj_abi_check(ADJ_ABI_MAJOR, ADJ_ABI_MINOR + 1), ADJ_ERROR_UNSUPPORTED, "this library has 1.");
  FAILS(adj_abi_check(0, 0), ADJ_ERROR_UNSUPPORTED, "interface 0.0");
  FAILS(adj_abi_check(UINT32_MAX, UINT32_MAX), ADJ_ERROR_UNSUPPORTED, "4294967295");
  adj_abi_version(NULL, NULL);
  adj_abi_version(&major, &minor);
  HOLDS(major == ADJ_ABI_MAJOR && minor == ADJ_ABI_MINOR);
  HOLDS(adj_version() != NULL && adj_version()[0] != '\0');
}

static void errors(void) {
  adj_rejection rejection = ADJ_REJECTION_INIT;
  const adj_stream stream = adj_stream_host();
  adj_embedding_forward_descriptor descriptor = ADJ_EMBEDDING_FORWARD_DESCRIPTOR_INIT;
  adj_error* report = NULL;
  HOLDS(adj_status_name(-1) != NULL && adj_status_name(INT_MAX) != NULL && adj_status_name(INT_MIN) != NULL);
  HOLDS(adj_last_error() != NULL);
  HOLDS(adj_last_native_code() == 0);
  HOLDS(adj_error_code(NULL) == ADJ_ERROR_INVALID_ARGUMENT);
  HOLDS(strcmp(adj_error_message(NULL), "") == 0 && strcmp(adj_error_log(NULL), "") == 0 && strcmp(adj_error_options(NULL), "") == 0);
  HOLDS(adj_error_native_code(NULL) == 0 && adj_error_rejection_count(NULL) == 0);
  FAILS(adj_error_rejection(NULL, 0, &rejection), ADJ_ERROR_INVALID_ARGUMENT, "adj_error_rejection", "error is null");
  adj_error_release(NULL);

  FAILS(adj_plan_explain(&stream, &descriptor.header, NULL, &report), ADJ_ERROR_INVALID_PROBLEM, "num_embeddings was not given");
  adj_error_release(report);
  descriptor.num_embeddings = descriptor.embedding_dim = descriptor.num_indices = 4;
  descriptor.element = ADJ_F32;
  descriptor.index = ADJ_I32;
  WORKS(adj_plan_explain(&stream, &descriptor.header, NULL, &report));
  HOLDS(adj_error_rejection_count(report) > 0 && adj_error_code(report) == ADJ_OK);
  FAILS(adj_error_rejection(report, -1, &rejection), ADJ_ERROR_INVALID_ARGUMENT, "adj_error_rejection", "i = -1");
  FAILS(adj_error_rejection(report, INT64_MAX, &rejection), ADJ_ERROR_INVALID_ARGUMENT, "9223372036854775807");
  FAILS(adj_error_rejection(report, adj_error_rejection_count(report), &rejection), ADJ_ERROR_INVALID_ARGUMENT, "outside [0, ");
  FAILS(adj_error_rejection(report, 0, NULL), ADJ_ERROR_INVALID_ARGUMENT, "out is null");
  FAILS(adj_plan_candidate(NULL, 0, &rejection), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_candidate", "plan is null");
  HOLDS(adj_plan_candidate_count(NULL) == 0);
  HOLDS(rejection.sku == NULL && rejection.reason == NULL);
  adj_error_release(report);
}

static void streams(void) {
  static const char* const unknown[] = {"", "sm_", "sm_0", "sm_200", "sm_-80", "90", "sm90a", "sm_90b", "sm_99999999999999999999", "sm_80 ", "host"};
  adj_stream stream, untouched;
  size_t i;
  memset(&stream, 0x5a, sizeof stream);
  memset(&untouched, 0x5a, sizeof untouched);
  FAILS(adj_stream_wrap(NULL, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_stream_wrap", "out is null");
  if (adj_device_count() == 0) {
    const adj_status status = adj_stream_wrap(NULL, &stream);
    HOLDS(status == ADJ_ERROR_BACKEND_UNAVAILABLE || status == ADJ_ERROR_DRIVER_TOO_OLD || status == ADJ_ERROR_CUDA);
  }
  FAILS(adj_stream_offline(NULL, &stream), ADJ_ERROR_INVALID_ARGUMENT, "adj_stream_offline", "arch is null");
  FAILS(adj_stream_offline("sm_80", NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_stream_offline", "out is null");
  for (i = 0; i < sizeof unknown / sizeof *unknown; ++i)
    FAILS(adj_stream_offline(unknown[i], &stream), ADJ_ERROR_INVALID_ARGUMENT, "unknown architecture", unknown[i], "sm_80");
  FAILS(adj_stream_offline("sm_75", &stream), ADJ_ERROR_UNSUPPORTED, "sm_75 is older than sm_80");
  HOLDS(memcmp(&stream, &untouched, sizeof stream) == 0);
  WORKS(adj_stream_offline("sm_80", &stream));
  HOLDS(stream.kind == ADJ_STREAM_OFFLINE && stream.arch == 80 && stream.device == -1);
}

static void handles(void) {
  unsigned char id[ADJ_COMM_ID_BYTES] = {0};
  const int32_t devices[1] = {0};
  void* out[2] = {id, id};
  int none = 0;
  FAILS(adj_comm_unique_id(NULL, sizeof id), ADJ_ERROR_INVALID_ARGUMENT, "adj_comm_unique_id", "id is null");
  FAILS(adj_comm_unique_id(id, 127), ADJ_ERROR_BUFFER_TOO_SMALL, "size = 127", "128 bytes");
  FAILS(adj_comm_init(2, 0, id, sizeof id, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_comm_init", "out is null");
  FAILS(adj_comm_init(2, 0, NULL, sizeof id, out), ADJ_ERROR_INVALID_ARGUMENT, "adj_comm_init", "id is null");
  HOLDS(out[0] == NULL);
  FAILS(adj_comm_init(2, 2, id, sizeof id, out), ADJ_ERROR_INVALID_ARGUMENT, "rank = 2 of ranks = 2");
  FAILS(adj_comm_init(2, -1, id, sizeof id, out), ADJ_ERROR_INVALID_ARGUMENT, "rank = -1");
  FAILS(adj_comm_init(0, 0, id, sizeof id, out), ADJ_ERROR_INVALID_ARGUMENT, "ranks = 0");
  FAILS(adj_comm_init(2, 0, id, 5, out), ADJ_ERROR_INVALID_ARGUMENT, "size = 5");
  FAILS(adj_comm_init_all(1, devices, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_comm_init_all", "out is null");
  FAILS(adj_comm_init_all(0, devices, out), ADJ_ERROR_INVALID_ARGUMENT, "count = 0");
  FAILS(adj_comm_init_all(2, NULL, out), ADJ_ERROR_INVALID_ARGUMENT, "devices is null");
  HOLDS(out[0] == NULL && out[1] == NULL);
  WORKS(adj_comm_destroy(NULL));
  WORKS(adj_comm_abort(NULL));

  FAILS(adj_host_comm_create(2, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_host_comm_create", "out is null");
  FAILS(adj_host_comm_create(0, out), ADJ_ERROR_INVALID_ARGUMENT, "ranks = 0");
  FAILS(adj_host_comm_create(INT_MIN, out), ADJ_ERROR_INVALID_ARGUMENT, "-2147483648");
  FAILS(adj_host_comm_create(INT_MAX, out), ADJ_ERROR_INVALID_ARGUMENT, "2147483647");
  WORKS(adj_host_comm_destroy(NULL));
  FAILS(adj_host_comm_destroy(&none), ADJ_ERROR_INVALID_ARGUMENT, "adj_host_comm_destroy", "not a handle");
  WORKS(adj_host_comm_create(2, out));
  WORKS(adj_host_comm_destroy(out[1]));
  FAILS(adj_host_comm_destroy(out[1]), ADJ_ERROR_INVALID_ARGUMENT, "has been destroyed");
  WORKS(adj_comm_abort(out[0]));
  FAILS(adj_host_comm_destroy(out[0]), ADJ_ERROR_INVALID_ARGUMENT, "has been destroyed");
  HOLDS(adj_last_native_code() == 0);

  FAILS(adj_host_event_create(NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_host_event_create", "out is null");
  FAILS(adj_host_event_reset(NULL), ADJ_ERROR_INVALID_ARGUMENT, "event is null");
  FAILS(adj_host_event_reset(&none), ADJ_ERROR_INVALID_ARGUMENT, "not a handle");
  WORKS(adj_host_event_destroy(NULL));
  FAILS(adj_host_event_destroy(&none), ADJ_ERROR_INVALID_ARGUMENT, "not a handle");
  WORKS(adj_host_event_create(out));
  WORKS(adj_host_event_reset(out[0]));
  WORKS(adj_host_event_destroy(out[0]));
  FAILS(adj_host_event_reset(out[0]), ADJ_ERROR_INVALID_ARGUMENT, "has been destroyed");
}

/* What a descriptor asks of its arguments, without a plan and by one. */
static void requirements(void) {
  const adj_stream stream = adj_stream_host();
  const int64_t lengths[2] = {3, 5};
  adj_embedding_forward_descriptor descriptor = ADJ_EMBEDDING_FORWARD_DESCRIPTOR_INIT;
  adj_copy_descriptor list = ADJ_COPY_DESCRIPTOR_INIT;
  adj_requirement need = ADJ_REQUIREMENT_INIT;
  adj_plan* plan = NULL;
  int64_t numel[2] = {-7, -7};
  adj_embedding_forward_args args = ADJ_EMBEDDING_FORWARD_ARGS_INIT;

  FAILS(adj_op_infer(NULL, 0, &need), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_infer", "descriptor is null");
  FAILS(adj_op_infer(&descriptor.header, 0, &need), ADJ_ERROR_INVALID_PROBLEM, "embedding_forward", "num_embeddings was not given");
  descriptor.num_embeddings = descriptor.embedding_dim = descriptor.num_indices = 4;
  FAILS(adj_op_infer(&descriptor.header, 0, &need), ADJ_ERROR_UNSUPPORTED, "embedding_forward", "element was not given");
  descriptor.element = ADJ_F16;
  descriptor.index = ADJ_I32;
  FAILS(adj_op_infer(&descriptor.header, -1, &need), ADJ_ERROR_INVALID_ARGUMENT, "embedding_forward", "has no argument -1");
  FAILS(adj_op_infer(&descriptor.header, 4, &need), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_infer", "has no argument 4, expected 0 to 3");
  FAILS(adj_op_infer(&descriptor.header, 0, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_infer", "out is null");
  HOLDS(need.presence == 0 && need.bytes == 0);
  WORKS(adj_op_infer(&descriptor.header, 0, &need));
  HOLDS(need.presence == ADJ_PRESENCE_REQUIRED && need.dtype == ADJ_F16 && need.rank == 2 && need.shape[0] == 4 && need.shape[1] == 4);
  HOLDS(need.bytes == 32 && need.count == 0 && need.alignment == 0);
  FAILS(adj_op_infer_list(NULL, 0, numel, 2), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_infer_list", "descriptor is null");
  FAILS(adj_op_infer_list(&descriptor.header, 0, numel, 2), ADJ_ERROR_INVALID_ARGUMENT, "weight of embedding_forward is no list");

  FAILS(adj_op_complete(NULL, &args.header, NULL, 0), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_complete", "descriptor is null");
  FAILS(adj_op_complete(&descriptor.header, NULL, NULL, 0), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_complete", "args is null");
  FAILS(adj_op_complete(&list.header, &args.header, NULL, 0), ADJ_ERROR_INVALID_ARGUMENT, "copy args", "header.tag");
  FAILS(adj_op_complete(&args.header, &args.header, NULL, 0), ADJ_ERROR_INVALID_ARGUMENT, "descriptor");
  descriptor.header.struct_size = 8;
  FAILS(adj_op_complete(&descriptor.header, &args.header, NULL, 0), ADJ_ERROR_STRUCT_SIZE, "embedding_forward descriptor", "struct_size = 8");
  descriptor.header.struct_size = sizeof descriptor;
  descriptor.embedding_dim = -1;
  FAILS(adj_op_complete(&descriptor.header, &args.header, NULL, 0), ADJ_ERROR_INVALID_PROBLEM, "embedding_forward", "embedding_dim cannot be known");
  args.weight = (adj_tensor){NULL, 0, ADJ_F16, 2, {4, 4}, {0}};
  WORKS(adj_op_complete(&descriptor.header, &args.header, NULL, 0));
  HOLDS(descriptor.embedding_dim == 4 && descriptor.num_embeddings == 4);

  FAILS(adj_plan_argument(NULL, 0, &need), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_argument", "plan is null");
  FAILS(adj_plan_argument_list(NULL, 0, numel, 2), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_argument_list", "plan is null");
  list.count = 2;
  list.numel = lengths;
  list.element = ADJ_F32;
  WORKS(adj_op_infer(&list.header, 1, &need));
  HOLDS(need.count == 2 && need.bytes == 32 && need.dtype == ADJ_F32 && need.rank == 0);
  FAILS(adj_op_infer_list(&list.header, 1, numel, 1), ADJ_ERROR_BUFFER_TOO_SMALL, "outputs of copy has 2 entries", "capacity = 1");
  FAILS(adj_op_infer_list(&list.header, 1, NULL, 2), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_infer_list", "numel is null");
  FAILS(adj_op_infer_list(&list.header, 2, numel, 2), ADJ_ERROR_INVALID_ARGUMENT, "copy has no argument 2");
  HOLDS(numel[0] == -7 && numel[1] == -7);
  WORKS(adj_op_infer_list(&list.header, 1, numel, 2));
  HOLDS(numel[0] == 3 && numel[1] == 5);
  WORKS(adj_plan_select(&stream, &list.header, NULL, &plan, NULL));
  FAILS(adj_plan_argument(plan, 2, &need), ADJ_ERROR_INVALID_ARGUMENT, "copy has no argument 2");
  FAILS(adj_plan_argument_list(plan, 0, numel, 0), ADJ_ERROR_BUFFER_TOO_SMALL, "inputs of copy", "capacity = 0");
  WORKS(adj_plan_argument(plan, 0, &need));
  HOLDS(need.count == 2 && need.bytes == 32);
  numel[0] = 0;
  WORKS(adj_plan_argument_list(plan, 0, numel, 2));
  HOLDS(numel[0] == 3 && numel[1] == 5);
  adj_plan_release(plan);
}

static void tables(void) {
  adj_sku_info sku = ADJ_SKU_INFO_INIT;
  adj_library_info library = ADJ_LIBRARY_INFO_INIT;
  adj_device_info device = ADJ_DEVICE_INFO_INIT;
  adj_registry_row row = ADJ_REGISTRY_ROW_INIT;
  adj_field field = {"untouched", NULL, NULL, -1, 77};
  adj_field_limits limits = ADJ_FIELD_LIMITS_INIT;
  adj_argument argument = {"untouched", NULL, -1, -1, -1, -1, 77, 0};
  adj_op op = -5;
  const char* id = "untouched";
  adj_embedding_forward_descriptor descriptor = ADJ_EMBEDDING_FORWARD_DESCRIPTOR_INIT;
  adj_embedding_forward_args arguments = ADJ_EMBEDDING_FORWARD_ARGS_INIT;

  HOLDS(adj_sku_count() > 0 && adj_library_count() > 0 && adj_registry_count() > 0 && adj_op_count() > 0);
  FAILS(adj_sku_get(-1, &sku), ADJ_ERROR_INVALID_ARGUMENT, "adj_sku_get", "i = -1");
  FAILS(adj_sku_get(adj_sku_count(), &sku), ADJ_ERROR_INVALID_ARGUMENT, "adj_sku_get", "outside [0, ");
  FAILS(adj_sku_get(INT64_MIN, &sku), ADJ_ERROR_INVALID_ARGUMENT, "-9223372036854775808");
  FAILS(adj_sku_get(0, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_sku_get", "out is null");
  FAILS(adj_sku_find(NULL, &sku), ADJ_ERROR_INVALID_ARGUMENT, "adj_sku_find", "id is null");
  FAILS(adj_sku_find("", &sku), ADJ_ERROR_NOT_FOUND, "''");
  FAILS(adj_sku_find("embedding_backward/*", &sku), ADJ_ERROR_NOT_FOUND, "'embedding_backward/*'");
  WORKS(adj_sku_get(0, &sku));
  FAILS(adj_sku_find(sku.id, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_sku_find", "out is null");
  {
    adj_guarantee guarantee;
    memset(&guarantee, 0x5a, sizeof guarantee);
    const char* id = "layer_norm_backward/reference/f32.f32/host";
    FAILS(adj_sku_guarantee(NULL, NULL, &guarantee), ADJ_ERROR_INVALID_ARGUMENT, "adj_sku_guarantee", "id is null");
    FAILS(adj_sku_guarantee(id, NULL, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_sku_guarantee", "out is null");
    FAILS(adj_sku_guarantee("adam", NULL, &guarantee), ADJ_ERROR_NOT_FOUND, "'adam'");
    FAILS(adj_sku_guarantee(id, "", &guarantee), ADJ_ERROR_NOT_FOUND, "layer_norm_backward has no argument ''");
    FAILS(adj_sku_guarantee(id, "dinput ", &guarantee), ADJ_ERROR_NOT_FOUND, "'dinput '");
    FAILS(adj_sku_guarantee(id, "dout", &guarantee), ADJ_ERROR_INVALID_ARGUMENT, "dout of layer_norm_backward is an input");
    HOLDS(guarantee.determinism == 0x5a5a5a5a);
    WORKS(adj_sku_guarantee(id, "dinput", &guarantee));
    HOLDS(guarantee.determinism > ADJ_NONDETERMINISTIC && guarantee.determinism <= ADJ_BATCH_INVARIANT);
  }

  adj_kernel_info kernel = ADJ_KERNEL_INFO_INIT;
  const char* forward = "embedding_forward/row_copy/f32.i32/sm80";
  FAILS(adj_sku_kernel(NULL, 0, "sm_80", &kernel, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_sku_kernel", "id is null");
  FAILS(adj_sku_kernel(forward, 0, NULL, &kernel, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_sku_kernel", "arch is null");
  FAILS(adj_sku_kernel(forward, 0, "sm_80", NULL, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_sku_kernel", "out is null");
  FAILS(adj_sku_kernel("adam", 0, "sm_80", &kernel, NULL), ADJ_ERROR_NOT_FOUND, "'adam'");
  FAILS(adj_sku_kernel(forward, -1, "sm_80", &kernel, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_sku_kernel", "i = -1");
  FAILS(adj_sku_kernel(forward, 2, "sm_80", &kernel, NULL), ADJ_ERROR_INVALID_ARGUMENT, "outside [0, 2)");
  adj_error* report = NULL;
  FAILS(adj_sku_kernel(forward, 2, "sm_80", &kernel, &report), ADJ_ERROR_INVALID_ARGUMENT, "outside [0, 2)");
  HOLDS(report && adj_error_code(report) == ADJ_ERROR_INVALID_ARGUMENT);
  adj_error_release(report);
  FAILS(adj_sku_kernel(forward, 0, "sm_8", &kernel, NULL), ADJ_ERROR_INVALID_ARGUMENT, "'sm_8'");
  FAILS(adj_sku_kernel("embedding_forward/reference/f32.i32/host", 0, "sm_80", &kernel, NULL), ADJ_ERROR_INVALID_ARGUMENT, "outside [0, 0)");
  FAILS(adj_sku_kernel("softmax_backward/row_cluster/f32/sm90", 0, "sm_80", &kernel, NULL), ADJ_ERROR_UNSUPPORTED, "row_cluster", "needs sm_90");

  FAILS(adj_library_get(-1, &library), ADJ_ERROR_INVALID_ARGUMENT, "adj_library_get", "i = -1");
  FAILS(adj_library_get(adj_library_count(), &library), ADJ_ERROR_INVALID_ARGUMENT, "adj_library_get");
  FAILS(adj_library_get(0, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_library_get", "out is null");
  FAILS(adj_device_get(-1, &device), ADJ_ERROR_INVALID_ARGUMENT, "adj_device_get", "i = -1");
  FAILS(adj_device_get(adj_device_count(), &device), ADJ_ERROR_INVALID_ARGUMENT, "adj_device_get");
  FAILS(adj_device_get(INT64_C(1) << 32, &device), ADJ_ERROR_INVALID_ARGUMENT, "4294967296");

  FAILS(adj_registry_get(-1, &row), ADJ_ERROR_INVALID_ARGUMENT, "adj_registry_get", "i = -1");
  FAILS(adj_registry_get(0, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_registry_get", "out is null");
  FAILS(adj_registry_lookup(NULL, "Gather", 13, "float", &row), ADJ_ERROR_INVALID_ARGUMENT, "adj_registry_lookup", "domain is null");
  FAILS(adj_registry_lookup("", NULL, 13, "float", &row), ADJ_ERROR_INVALID_ARGUMENT, "adj_registry_lookup", "op is null");
  FAILS(adj_registry_lookup("", "Gather", 13, NULL, &row), ADJ_ERROR_INVALID_ARGUMENT, "adj_registry_lookup", "types is null");
  FAILS(adj_registry_lookup("", "NoSuchOperator", 13, "float", &row), ADJ_ERROR_NOT_FOUND, "NoSuchOperator");
  FAILS(adj_registry_lookup("no.domain", "Gather", 13, "float", &row), ADJ_ERROR_NOT_FOUND, "no.domain");
  FAILS(adj_registry_lookup("", "", INT_MIN, "", &row), ADJ_ERROR_NOT_FOUND, "''");
  HOLDS(row.op == NULL && library.name == NULL && device.name == NULL);
  WORKS(adj_registry_get(0, &row));
  FAILS(adj_registry_lookup(row.domain, row.op, -1, "float", &row), ADJ_ERROR_NOT_FOUND, row.op, "-1");
  FAILS(adj_registry_lookup(row.domain, row.op, row.since_version, "no_such_type", &row), ADJ_ERROR_NOT_FOUND, row.op, "no_such_type");
  FAILS(adj_registry_sku(-1, 0, &id), ADJ_ERROR_INVALID_ARGUMENT, "adj_registry_sku", "row", "-1");
  FAILS(adj_registry_sku(adj_registry_count(), 0, &id), ADJ_ERROR_INVALID_ARGUMENT, "adj_registry_sku", "row");
  FAILS(adj_registry_sku(0, -1, &id), ADJ_ERROR_INVALID_ARGUMENT, "adj_registry_sku", "i = -1");
  FAILS(adj_registry_sku(0, row.sku_count, &id), ADJ_ERROR_INVALID_ARGUMENT, "adj_registry_sku", "outside [0, ");
  FAILS(adj_registry_sku(0, 0, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_registry_sku", "id is null");
  HOLDS(strcmp(id, "untouched") == 0);

  HOLDS(adj_op_name(0) == NULL && adj_op_name(-1) == NULL && adj_op_name(INT_MAX) == NULL);
  HOLDS(adj_op_family(0) == NULL && adj_op_family(INT_MAX) == NULL && strcmp(adj_op_family(ADJ_OP_ADAM), "optimizer") == 0);
  HOLDS(adj_op_field_count(0) == 0 && adj_op_field_count(-1) == 0);
  FAILS(adj_op_find(NULL, &op), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_find", "name is null");
  FAILS(adj_op_find("adam", NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_find", "out is null");
  FAILS(adj_op_find("adam ", &op), ADJ_ERROR_NOT_FOUND, "no operator is called", "'adam '");
  HOLDS(op == -5);
  FAILS(adj_op_descriptor_init(ADJ_OP_EMBEDDING_FORWARD, NULL, 1000), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_descriptor_init", "descriptor is null");
  FAILS(adj_op_descriptor_init(9999, &descriptor, sizeof descriptor), ADJ_ERROR_NOT_FOUND, "operator 9999");
  descriptor.padding_idx = 42;
  FAILS(adj_op_descriptor_init(ADJ_OP_EMBEDDING_FORWARD, &descriptor, sizeof descriptor - 1), ADJ_ERROR_BUFFER_TOO_SMALL, "embedding_forward",
        "needs 72 bytes, got 71");
  HOLDS(descriptor.padding_idx == 42);
  FAILS(adj_op_args_init(ADJ_OP_EMBEDDING_FORWARD, NULL, 1000), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_args_init", "args is null");
  FAILS(adj_op_args_init(9999, &arguments, sizeof arguments), ADJ_ERROR_NOT_FOUND, "operator 9999");
  FAILS(adj_op_args_init(ADJ_OP_EMBEDDING_FORWARD, &arguments, sizeof arguments - 1), ADJ_ERROR_BUFFER_TOO_SMALL, "the arguments of embedding_forward");
  WORKS(adj_op_args_init(ADJ_OP_EMBEDDING_FORWARD, &arguments, sizeof arguments));
  HOLDS(arguments.header.struct_size == sizeof arguments && arguments.header.tag == ADJ_TAG_EMBEDDING_FORWARD_ARGS);
  HOLDS(adj_op_at(-1) == 0 && adj_op_at(adj_op_count()) == 0 && adj_op_at(INT64_MIN) == 0 && adj_op_at(0) == ADJ_OP_EMBEDDING_FORWARD);
  HOLDS(adj_op_descriptor_size(9999) == 0 && adj_op_descriptor_size(ADJ_OP_EMBEDDING_FORWARD) == sizeof descriptor);
  HOLDS(adj_op_args_size(9999) == 0 && adj_op_args_size(ADJ_OP_EMBEDDING_FORWARD) == sizeof arguments);
  HOLDS(adj_op_definition(0) == NULL && strstr(adj_op_definition(ADJ_OP_EMBEDDING_FORWARD), "out[n, :] = weight[indices[n], :]"));
  HOLDS(adj_op_conventions(-1) == NULL && strstr(adj_op_conventions(ADJ_OP_EMBEDDING_FORWARD), "Embedding lookup"));
  requirements();
  FAILS(adj_op_field(9999, 0, &field), ADJ_ERROR_NOT_FOUND, "operator 9999");
  FAILS(adj_op_field(ADJ_OP_EMBEDDING_FORWARD, -1, &field), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_field", "i = -1");
  FAILS(adj_op_field(ADJ_OP_EMBEDDING_FORWARD, 8, &field), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_field", "i = 8", "[0, 8)");
  FAILS(adj_op_field(ADJ_OP_EMBEDDING_FORWARD, 0, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_field", "out is null");
  HOLDS(field.kind == -1 && field.offset == 77);
  FAILS(adj_op_field_limits(9999, 0, &limits), ADJ_ERROR_NOT_FOUND, "operator 9999");
  FAILS(adj_op_field_limits(ADJ_OP_EMBEDDING_FORWARD, 8, &limits), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_field_limits", "i = 8", "[0, 8)");
  FAILS(adj_op_field_limits(ADJ_OP_EMBEDDING_FORWARD, 0, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_field_limits", "out is null");
  HOLDS(limits.types == NULL);
  WORKS(adj_op_field_limits(ADJ_OP_EMBEDDING_FORWARD, 3, &limits));
  HOLDS(limits.least == INT64_MIN && limits.most == INT64_MAX && strcmp(limits.only_if, "has_padding_idx") == 0 && strstr(limits.refused_if, ": is outside"));
  HOLDS(adj_op_argument_count(0) == 0 && adj_op_argument_count(-1) == 0);
  FAILS(adj_op_argument(9999, 0, &argument), ADJ_ERROR_NOT_FOUND, "operator 9999");
  FAILS(adj_op_argument(ADJ_OP_EMBEDDING_FORWARD, -1, &argument), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_argument", "i = -1");
  FAILS(adj_op_argument(ADJ_OP_EMBEDDING_FORWARD, 4, &argument), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_argument", "i = 4", "[0, 4)");
  FAILS(adj_op_argument(ADJ_OP_EMBEDDING_FORWARD, 0, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_op_argument", "out is null");
  HOLDS(argument.kind == -1 && argument.offset == 77);
  HOLDS(adj_dtype_name(8) == NULL && adj_dtype_name(-1) == NULL && adj_dtype_name(INT_MAX) == NULL);
  HOLDS(adj_dtype_find(NULL) == ADJ_DTYPE_NONE && adj_dtype_find("") == ADJ_DTYPE_NONE && adj_dtype_find("F32") == ADJ_DTYPE_NONE);
  adj_set_log(NULL, NULL);
}

/* ---- selection --------------------------------------------------------------------------------------------------------- */

/* select, acquire and explain refuse alike; the plan is null, the error object has the same sentence. */
static adj_status refuse(const adj_stream* stream, const adj_header* descriptor, const adj_preference* preference) {
  adj_plan* plan = (adj_plan*)&checks;
  adj_error *error = (adj_error*)&checks, *report = (adj_error*)&checks, *again;
  const adj_status status = adj_plan_select(stream, descriptor, preference, &plan, &error);
  adj_status explained;
  HOLDS((plan != NULL) == (status == ADJ_OK));
  HOLDS((error == NULL) == (status == ADJ_OK));
  if (error) HOLDS(adj_error_code(error) == status && strcmp(adj_error_message(error), adj_last_error()) == 0);
  adj_plan_release(plan);
  plan = (adj_plan*)&checks, again = (adj_error*)&checks;
  HOLDS(adj_plan_acquire(stream, descriptor, preference, &plan, &again) == status);
  HOLDS((plan != NULL) == (status == ADJ_OK));
  HOLDS(status == ADJ_OK ? again == NULL : strcmp(adj_error_message(again), adj_error_message(error)) == 0);
  adj_error_release(again);
  adj_error_release(error);
  adj_plan_release(plan);
  explained = adj_plan_explain(stream, descriptor, preference, &report);
  HOLDS(report != NULL);
  /* a valid problem that nothing serves is explained, with a reason for every candidate; a type that a field does not take is refused before */
  HOLDS(explained == status || (status == ADJ_ERROR_UNSUPPORTED && explained == ADJ_OK));
  adj_error_release(report);
  if (status != ADJ_OK && explained == ADJ_OK) adj_plan_select(stream, descriptor, preference, &plan, NULL); /* for the sentence */
  return status;
}

static adj_embedding_backward_descriptor embedding(void) {
  adj_embedding_backward_descriptor d = ADJ_EMBEDDING_BACKWARD_DESCRIPTOR_INIT;
  d.num_embeddings = 4;
  d.embedding_dim = 3;
  d.num_indices = 5;
  d.element = ADJ_F32;
  d.index = ADJ_I64;
  return d;
}

static void selection(void) {
  const adj_stream host = adj_stream_host();
  const adj_embedding_backward_descriptor good = embedding();
  const adj_header* descriptor = &good.header;
  adj_plan* plan = NULL;
  adj_error* report = NULL;
  adj_stream stream;
  adj_preference preference;
  int32_t i;
  static const int32_t wrong[] = {-1, 999, INT_MAX, INT_MIN};

  FAILS(adj_plan_select(NULL, descriptor, NULL, &plan, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_select", "stream is null");
  FAILS(adj_plan_select(&host, NULL, NULL, &plan, NULL), ADJ_ERROR_INVALID_ARGUMENT, "descriptor is null");
  FAILS(adj_plan_select(&host, descriptor, NULL, NULL, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_select", "out is null");
  FAILS(adj_plan_acquire(NULL, descriptor, NULL, &plan, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_acquire", "stream is null");
  FAILS(adj_plan_acquire(&host, NULL, NULL, &plan, NULL), ADJ_ERROR_INVALID_ARGUMENT, "descriptor is null");
  FAILS(adj_plan_acquire(&host, descriptor, NULL, NULL, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_acquire", "out is null");
  FAILS(adj_plan_explain(NULL, descriptor, NULL, &report), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_explain", "stream is null");
  HOLDS(adj_error_code(report) == ADJ_ERROR_INVALID_ARGUMENT);
  adj_error_release(report);
  FAILS(adj_plan_explain(&host, descriptor, NULL, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_explain", "report is null");
  WORKS(refuse(&host, descriptor, NULL));

  for (i = 0; i < 4; ++i) {
    stream = host;
    stream.kind = wrong[i];
    FAILS(refuse(&stream, descriptor, NULL), ADJ_ERROR_INVALID_ARGUMENT, "stream.kind = ");
  }
  memset(&stream, 0, sizeof stream);
  FAILS(refuse(&stream, descriptor, NULL), ADJ_ERROR_INVALID_ARGUMENT, "stream.kind = 0");
  stream.kind = ADJ_STREAM_OFFLINE;
  stream.arch = 12345;
  FAILS(refuse(&stream, descriptor, NULL), ADJ_ERROR_INVALID_ARGUMENT, "unknown architecture", "12345");
  stream = host;
  stream.reserved = 3;
  FAILS(refuse(&stream, descriptor, NULL), ADJ_ERROR_INVALID_ARGUMENT, "embedding_backward", "stream.reserved = 3");
  stream.reserved = 0;
  stream.kind = ADJ_STREAM_CUDA;
  stream.device = 4711;
  HOLDS(refuse(&stream, descriptor, NULL) != ADJ_OK);
  stream.device = -1;
  HOLDS(refuse(&stream, descriptor, NULL) != ADJ_OK);

#define WRONG_PREFERENCE(field, value, code, ...)                     \
  do {                                                                \
    const adj_preference fresh = ADJ_PREFERENCE_INIT;                 \
    preference = fresh;                                               \
    preference.field = (value);                                       \
    FAILS(refuse(&host, descriptor, &preference), code, __VA_ARGS__); \
  } while (0)
  for (i = 0; i < 4; ++i) {
    WRONG_PREFERENCE(determinism, wrong[i], ADJ_ERROR_INVALID_ARGUMENT, "preference.determinism = ");
    WRONG_PREFERENCE(math, wrong[i], ADJ_ERROR_INVALID_ARGUMENT, "preference.math = ");
    WRONG_PREFERENCE(jit, wrong[i], ADJ_ERROR_INVALID_ARGUMENT, "preference.jit = ");
    WRONG_PREFERENCE(backend, wrong[i], ADJ_ERROR_INVALID_ARGUMENT, "preference.backend = ");
    WRONG_PREFERENCE(fallback, wrong[i], ADJ_ERROR_INVALID_ARGUMENT, "preference.fallback = ");
    WRONG_PREFERENCE(tune, wrong[i], ADJ_ERROR_INVALID_ARGUMENT, "preference.tune = ");
    WRONG_PREFERENCE(workspace_arch, wrong[i], ADJ_ERROR_INVALID_ARGUMENT, "preference.workspace_arch = ", "unknown architecture");
  }
  WRONG_PREFERENCE(reserved, 1, ADJ_ERROR_INVALID_ARGUMENT, "preference.reserved = 1");
  WRONG_PREFERENCE(sku, "no_such/*", ADJ_ERROR_UNSUPPORTED, "embedding_backward", "preference.sku = 'no_such/*' matches no SKU",
                   "of which one is embedding_backward/");
  WRONG_PREFERENCE(sku, "", ADJ_ERROR_UNSUPPORTED, "embedding_backward", "preference.sku = ''");
  WRONG_PREFERENCE(backend, ADJ_BACKEND_NCCL, ADJ_ERROR_UNSUPPORTED, "embedding_backward", "preference.backend = 4 (nccl)");
  WRONG_PREFERENCE(determinism, ADJ_BATCH_INVARIANT, ADJ_ERROR_UNSUPPORTED, "embedding_backward", "batch_invariant is required");
  WRONG_PREFERENCE(workspace_limit, 0, ADJ_ERROR_UNSUPPORTED, "embedding_backward", "preference.workspace_limit = 0");
}

static void descriptors(void) {
  const adj_stream host = adj_stream_host();
  adj_embedding_backward_descriptor d;
  adj_softmax_forward_descriptor s = ADJ_SOFTMAX_FORWARD_DESCRIPTOR_INIT;
#define WRONG(field, value, code, ...)                                              \
  do {                                                                              \
    d = embedding();                                                                \
    d.field = (value);                                                              \
    FAILS(refuse(&host, &d.header, NULL), code, "embedding_backward", __VA_ARGS__); \
  } while (0)
  WRONG(num_embeddings, -1, ADJ_ERROR_INVALID_PROBLEM, "num_embeddings = -1");
  WRONG(embedding_dim, INT64_MIN, ADJ_ERROR_INVALID_PROBLEM, "embedding_dim = -9223372036854775808");
  WRONG(num_indices, -7, ADJ_ERROR_INVALID_PROBLEM, "num_indices = -7");
  WRONG(num_indices, INT64_C(1) << 31, ADJ_ERROR_INVALID_PROBLEM, "num_indices = 2147483648", "2147483647");
  WRONG(num_embeddings, INT64_MAX, ADJ_ERROR_INVALID_PROBLEM, "num_embeddings");
  WRONG(embedding_dim, INT64_C(1) << 60, ADJ_ERROR_INVALID_PROBLEM, "embedding_dim");
  WRONG(embedding_dim, INT64_C(1) << 58, ADJ_ERROR_INVALID_PROBLEM, "dout", "[5, 288230376151711744]");
  WRONG(element, ADJ_DTYPE_NONE, ADJ_ERROR_UNSUPPORTED, "element was not given", "supported: f32.i32");
  WRONG(index, ADJ_DTYPE_NONE, ADJ_ERROR_UNSUPPORTED, "index was not given", "f32.i64");
  WRONG(element, ADJ_I8, ADJ_ERROR_UNSUPPORTED, "i8.i64", "element, index");
  WRONG(element, 99, ADJ_ERROR_INVALID_ARGUMENT, "element = 99");
  WRONG(element, -1, ADJ_ERROR_INVALID_ARGUMENT, "element = -1");
  WRONG(index, ADJ_U8, ADJ_ERROR_UNSUPPORTED, "f32.u8");
  WRONG(write_mode, 3, ADJ_ERROR_INVALID_ARGUMENT, "write_mode = 3");
  WRONG(write_mode, -1, ADJ_ERROR_INVALID_ARGUMENT, "write_mode = -1");
  WRONG(scale_grad_by_freq, 2, ADJ_ERROR_INVALID_ARGUMENT, "scale_grad_by_freq = 2");
  WRONG(has_padding_idx, -1, ADJ_ERROR_INVALID_ARGUMENT, "has_padding_idx = -1");
  WRONG(padding_idx, 1, ADJ_ERROR_INVALID_PROBLEM, "padding_idx = 1 is set, but has_padding_idx is 0");
  d = embedding();
  d.has_padding_idx = 1;
  d.padding_idx = 4;
  FAILS(refuse(&host, &d.header, NULL), ADJ_ERROR_INVALID_PROBLEM, "embedding_backward", "padding_idx = 4 is outside of the rows");
  d.padding_idx = -5;
  FAILS(refuse(&host, &d.header, NULL), ADJ_ERROR_INVALID_PROBLEM, "embedding_backward", "padding_idx = -5");
  s.extent = 3;
  s.element = ADJ_F32;
  s.reserved = 1;
  FAILS(refuse(&host, &s.header, NULL), ADJ_ERROR_INVALID_ARGUMENT, "softmax_forward", "reserved byte 52, behind element,");
  /* An absurd extent is refused even beside an extent of zero: workspace is booked for it. */
  d = embedding();
  d.embedding_dim = 0;
  d.num_embeddings = INT64_MAX;
  FAILS(refuse(&host, &d.header, NULL), ADJ_ERROR_INVALID_PROBLEM, "embedding_backward", "num_embeddings = 9223372036854775807");
}

/* Every integer field of every operator's descriptor with absurd values: an error that names the operator, or a plan. */
static void every_field(void) {
  static const int64_t wide[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX / 2, (INT64_C(1) << 59) + 1, INT64_C(1) << 32};
  static const int32_t narrow[] = {-1, 2, 3, 8, 99, INT_MAX, INT_MIN};
  union {
    adj_header header;
    unsigned char bytes[1024];
  } d;
  adj_stream streams[2];
  adj_op op;
  int64_t known = 0;
  streams[0] = adj_stream_host();
  WORKS(adj_stream_offline("sm_90a", &streams[1]));
  for (op = 1; known < adj_op_count() && op < 1000; ++op) {
    int64_t f, v;
    int s;
    if (adj_op_name(op) == NULL) continue;
    ++known;
    for (f = 0; f < adj_op_field_count(op); ++f) {
      adj_field field;
      WORKS(adj_op_field(op, f, &field));
      for (s = 0; s < 2; ++s)
        for (v = 0; v < 7; ++v) {
          adj_status status;
          WORKS(adj_op_descriptor_init(op, &d, sizeof d));
          if (field.kind == ADJ_FIELD_I64 && v < 6) memcpy(d.bytes + field.offset, &wide[v], 8);
          if (field.kind == ADJ_FIELD_I32 || field.kind == ADJ_FIELD_DTYPE) memcpy(d.bytes + field.offset, &narrow[v], 4);
          if (field.kind == ADJ_FIELD_F64) {
            const double nan = strtod("nan", NULL), huge = strtod("inf", NULL);
            memcpy(d.bytes + field.offset, v % 2 ? &nan : &huge, 8);
          }
          status = refuse(&streams[s], &d.header, NULL);
          ++checks;
          if (status != ADJ_OK && !strstr(adj_last_error(), adj_op_name(op))) {
            ++failures;
            fprintf(stderr, "%s.%s: the sentence does not name the operator: %s\n", adj_op_name(op), field.name, adj_last_error());
          }
        }
    }
  }
  HOLDS(known == adj_op_count());
}

/* Kernels of a caller that contradict the descriptor. */
static void kernels(void) {
  static const char ptx[] = ".version 8.0\n.target sm_90\n.visible .entry k(.param .u64 out, .param .u32 n) { ret; }\n";
  const int64_t numel = 4, number = 1;
  adj_user_kernel_descriptor d = ADJ_USER_KERNEL_DESCRIPTOR_INIT;
  adj_stream offline, older;
  WORKS(adj_stream_offline("sm_90a", &offline));
  WORKS(adj_stream_offline("sm_80", &older));
  d.element = ADJ_F32;
  d.output_count = d.grid.count = d.grid.at[0] = d.block.count = d.block.at[0] = 1;
  d.output_numel = &numel;
  FAILS(refuse(&offline, &d.header, NULL), ADJ_ERROR_INVALID_PROBLEM, "user_kernel", "code was not given");
  d.code = ptx;
  FAILS(refuse(&offline, &d.header, NULL), ADJ_ERROR_INVALID_PROBLEM, "user_kernel", "entry was not given");
  d.entry = "k";
  d.code_kind = 7;
  FAILS(refuse(&offline, &d.header, NULL), ADJ_ERROR_INVALID_ARGUMENT, "user_kernel", "code_kind = 7");
  d.code_kind = ADJ_CODE_PTX;
  FAILS(refuse(&offline, &d.header, NULL), ADJ_ERROR_INVALID_PROBLEM, "user_kernel", "parameter 1, of 4 bytes, is none of them");
  d.integer_count = 1;
  d.integers = &number;
  FAILS(refuse(&offline, &d.header, NULL), ADJ_ERROR_INVALID_PROBLEM, "user_kernel", "parameter 1 of k has 4 bytes in the code, integers[0]");
  d.integer_count = 0;
  d.code_bytes = 60; /* the parameters are cut off */
  FAILS(refuse(&offline, &d.header, NULL), ADJ_ERROR_CORRUPT, "user_kernel", "PTX");
  d.code_bytes = INT64_MIN;
  FAILS(refuse(&offline, &d.header, NULL), ADJ_ERROR_INVALID_PROBLEM, "user_kernel", "code has -9223372036854775808 bytes");
  d.code_bytes = -1;
  d.code_kind = ADJ_CODE_CUBIN;
  FAILS(refuse(&offline, &d.header, NULL), ADJ_ERROR_CORRUPT, "user_kernel", "not a whole 64-bit ELF file for CUDA");
  d.code_kind = ADJ_CODE_PTX;
  d.entry = "K";
  FAILS(refuse(&offline, &d.header, NULL), ADJ_ERROR_INVALID_PROBLEM, "user_kernel", "has no kernel K, it has k");
  d.code = ".version 8.0\n.target sm_90\n.visible .entry K(.param .u64 out) { ret; }\n";
  WORKS(refuse(&offline, &d.header, NULL));
  FAILS(refuse(&older, &d.header, NULL), ADJ_ERROR_UNSUPPORTED, "user_kernel", "the PTX is for sm_90, the device is sm_80");
}

/* ---- buffers ----------------------------------------------------------------------------------------------------------- */

enum { kV = 4, kD = 3, kN = 5 };
typedef struct problem {
  float dout[kN * kD];
  int64_t indices[kN];
  float dweight[kV * kD];
  int64_t error_flag;
  unsigned char workspace_area[2048];
  adj_workspace workspace;
  adj_stream stream;
  adj_plan* plan;
  adj_embedding_backward_args args;
} problem;

static adj_tensor tensor(void* data, uint64_t bytes, adj_dtype dtype) {
  adj_tensor t;
  memset(&t, 0, sizeof t);
  t.data = data;
  t.bytes = bytes;
  t.dtype = dtype;
  return t;
}

static void problem_reset(problem* p) {
  const adj_embedding_backward_args fresh = ADJ_EMBEDDING_BACKWARD_ARGS_INIT;
  memset(p->dout, 0, sizeof p->dout);
  memset(p->indices, 0, sizeof p->indices);
  memset(p->dweight, 0x77, sizeof p->dweight);
  p->error_flag = 0x7777;
  p->args = fresh;
  p->args.dout = tensor(p->dout, sizeof p->dout, ADJ_F32);
  p->args.indices = tensor(p->indices, sizeof p->indices, ADJ_I64);
  p->args.dweight = tensor(p->dweight, sizeof p->dweight, ADJ_F32);
  p->args.error_flag = tensor(&p->error_flag, sizeof p->error_flag, ADJ_I64);
  memset(p->workspace_area, 0x77, sizeof p->workspace_area);
  p->workspace.data = (void*)(((uintptr_t)p->workspace_area + 255) / 256 * 256);
  p->workspace.bytes = adj_plan_workspace_size(p->plan);
}

static int problem_untouched(const problem* p) {
  const unsigned char* bytes = (const unsigned char*)p->dweight;
  size_t i;
  for (i = 0; i < sizeof p->dweight; ++i)
    if (bytes[i] != 0x77) return 0;
  for (i = 0; i < sizeof p->workspace_area; ++i)
    if (p->workspace_area[i] != 0x77) return 0;
  return p->error_flag == 0x7777;
}

/* can_implement, run and bind must refuse with the same code and sentence. */
static adj_status refuse_args(problem* p) {
  char sentence[512];
  adj_bound* bound = (adj_bound*)&checks;
  const adj_status status = adj_plan_can_implement(p->plan, &p->args.header);
  snprintf(sentence, sizeof sentence, "%s", adj_last_error());
  HOLDS(adj_plan_run(p->plan, &p->stream, &p->workspace, &p->args.header) == status);
  HOLDS(status == ADJ_OK || strcmp(sentence, adj_last_error()) == 0);
  HOLDS(adj_plan_bind(p->plan, &p->stream, &p->workspace, &p->args.header, &bound) == status);
  HOLDS((bound != NULL) == (status == ADJ_OK));
  HOLDS(status == ADJ_OK || strcmp(sentence, adj_last_error()) == 0);
  if (bound) adj_bound_release(bound);
  HOLDS(status == ADJ_OK || problem_untouched(p));
  return status;
}

static void buffers(void) {
  static problem p;
  const adj_embedding_backward_descriptor descriptor = embedding();
  char needs[64];
  p.stream = adj_stream_host();
  WORKS(adj_plan_select(&p.stream, &descriptor.header, NULL, &p.plan, NULL));
  HOLDS(adj_plan_workspace_size(p.plan) > 0 && adj_plan_workspace_size(p.plan) + 256 <= sizeof p.workspace_area);
  problem_reset(&p);
  WORKS(refuse_args(&p));

#define BAD(change, code, ...)                                       \
  do {                                                               \
    problem_reset(&p);                                               \
    change;                                                          \
    FAILS(refuse_args(&p), code, "embedding_backward", __VA_ARGS__); \
  } while (0)
  BAD(p.args.dout.data = NULL, ADJ_ERROR_NULL_BUFFER, "dout.data is null and dout.bytes is 60");
  BAD((p.args.dout.data = NULL, p.args.dout.bytes = 0), ADJ_ERROR_NULL_BUFFER, "dout is required and null");
  BAD(p.args.indices.data = NULL, ADJ_ERROR_NULL_BUFFER, "indices.data is null and indices.bytes is 40");
  BAD((p.args.indices.data = NULL, p.args.indices.bytes = 0), ADJ_ERROR_NULL_BUFFER, "indices is required and null");
  BAD(p.args.dweight.data = NULL, ADJ_ERROR_NULL_BUFFER, "dweight.data is null and dweight.bytes is 48");
  BAD((p.args.dweight.data = NULL, p.args.dweight.bytes = 0), ADJ_ERROR_NULL_BUFFER, "dweight is required and null");
  BAD(p.args.dout.dtype = ADJ_F16, ADJ_ERROR_DTYPE_MISMATCH, "dout.dtype is f16", "says f32");
  BAD(p.args.indices.dtype = 99, ADJ_ERROR_DTYPE_MISMATCH, "indices.dtype is 99", "says i64");
  BAD(p.args.dweight.dtype = 0, ADJ_ERROR_DTYPE_MISMATCH, "dweight.dtype is ", "says f32");
  BAD(p.args.error_flag.dtype = ADJ_I32, ADJ_ERROR_DTYPE_MISMATCH, "error_flag.dtype is i32", "says i64");
  BAD(p.args.dout.bytes -= 1, ADJ_ERROR_BUFFER_TOO_SMALL, "dout needs 60 bytes, got 59");
  BAD(p.args.indices.bytes = 0, ADJ_ERROR_BUFFER_TOO_SMALL, "indices needs 40 bytes, got 0");
  BAD(p.args.dweight.bytes = 4, ADJ_ERROR_BUFFER_TOO_SMALL, "dweight needs 48 bytes, got 4");
  BAD(p.args.error_flag.bytes = 4, ADJ_ERROR_BUFFER_TOO_SMALL, "error_flag needs 8 bytes, got 4");
  BAD(p.args.dout.data = (char*)p.dout + 1, ADJ_ERROR_MISALIGNED, "dout.data = 0x", "element size 4");
  BAD(p.args.indices.data = (char*)p.indices + 4, ADJ_ERROR_MISALIGNED, "indices.data = 0x", "element size 8");
  BAD(p.args.dweight.data = (char*)p.dweight + 2, ADJ_ERROR_MISALIGNED, "dweight.data = 0x");
  BAD(p.args.dout.data = (void*)(UINTPTR_MAX - 15), ADJ_ERROR_INVALID_ARGUMENT, "dout.data = 0x", "wraps around");
  BAD(p.args.dout.rank = -1, ADJ_ERROR_SHAPE_MISMATCH, "dout.rank = -1");
  BAD(p.args.dout.rank = 9, ADJ_ERROR_SHAPE_MISMATCH, "dout.rank = 9");
  BAD(p.args.dout.rank = INT_MIN, ADJ_ERROR_SHAPE_MISMATCH, "dout.rank = -2147483648");
  BAD((p.args.dout.rank = 2, p.args.dout.shape[0] = 3, p.args.dout.shape[1] = 5), ADJ_ERROR_SHAPE_MISMATCH, "dout has shape [3, 5]", "says [5, 3]");
  BAD((p.args.dout.rank = 1, p.args.dout.shape[0] = 15), ADJ_ERROR_SHAPE_MISMATCH, "dout has shape [15]", "says [5, 3]");
  BAD((p.args.dout.rank = 2, p.args.dout.shape[0] = 5, p.args.dout.shape[1] = 3, p.args.dout.strides[0] = 1, p.args.dout.strides[1] = 5),
      ADJ_ERROR_SHAPE_MISMATCH, "dout has strides [1, 5]", "row-major");
  BAD((p.args.dout.rank = 2, p.args.dout.shape[0] = 5, p.args.dout.shape[1] = 3, p.args.dout.strides[0] = INT64_MIN), ADJ_ERROR_SHAPE_MISMATCH,
      "dout has strides [-9223372036854775808, 0]");
  BAD(p.args.dweight.data = p.dout, ADJ_ERROR_ALIASING, "dweight", "overlaps", "dout");
  BAD(p.args.dweight.data = p.dout + 8, ADJ_ERROR_ALIASING, "dweight", "overlaps", "dout");
  BAD(p.args.error_flag.data = &p.indices[4], ADJ_ERROR_ALIASING, "error_flag", "overlaps", "indices");

  problem_reset(&p);
  p.args.error_flag = tensor(NULL, 0, 0);
  WORKS(refuse_args(&p));
  problem_reset(&p);
  p.args.dout.rank = 2;
  p.args.dout.shape[0] = 5;
  p.args.dout.shape[1] = 3;
  p.args.dout.strides[0] = 3;
  p.args.dout.strides[1] = 1;
  WORKS(refuse_args(&p));

  FAILS(adj_plan_can_implement(NULL, &p.args.header), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_can_implement", "plan is null");
  FAILS(adj_plan_can_implement(p.plan, NULL), ADJ_ERROR_INVALID_ARGUMENT, "embedding_backward args is null");
  { /* other structures, and none */
    adj_embedding_forward_args forward = ADJ_EMBEDDING_FORWARD_ARGS_INIT;
    adj_embedding_backward_args garbage, shorter = p.args;
    char least[64];
    memset(&garbage, 0, sizeof garbage);
    FAILS(adj_plan_can_implement(p.plan, &forward.header), ADJ_ERROR_INVALID_ARGUMENT, "embedding_backward args: given the arguments of embedding_forward");
    FAILS(adj_plan_can_implement(p.plan, &garbage.header), ADJ_ERROR_INVALID_ARGUMENT, "embedding_backward args: header.tag = 0x0",
          "initialise the structure with ADJ_EMBEDDING_BACKWARD_ARGS_INIT");
    shorter.header.struct_size = sizeof(adj_header);
    snprintf(least, sizeof least, "header.struct_size = %lu, expected at least ", (unsigned long)sizeof(adj_header));
    FAILS(adj_plan_can_implement(p.plan, &shorter.header), ADJ_ERROR_STRUCT_SIZE, "embedding_backward args", least);
  }
  FAILS(adj_plan_can_implement(p.plan, &descriptor.header), ADJ_ERROR_INVALID_ARGUMENT, "embedding_backward args", "given the descriptor of embedding_backward",
        "0x10002");

#define BAD_RUN(change, code, ...)                                                                                          \
  do {                                                                                                                      \
    adj_bound* bound = (adj_bound*)&checks;                                                                                 \
    problem_reset(&p);                                                                                                      \
    change;                                                                                                                 \
    FAILS(adj_plan_run(p.plan, &p.stream, &p.workspace, &p.args.header), code, "embedding_backward", __VA_ARGS__);          \
    FAILS(adj_plan_bind(p.plan, &p.stream, &p.workspace, &p.args.header, &bound), code, "embedding_backward", __VA_ARGS__); \
    HOLDS(bound == NULL && problem_untouched(&p));                                                                          \
  } while (0)
  snprintf(needs, sizeof needs, "needs %lu bytes, got ", (unsigned long)adj_plan_workspace_size(p.plan));
  BAD_RUN(p.workspace.data = NULL, ADJ_ERROR_WORKSPACE_TOO_SMALL, "workspace.data is null");
  BAD_RUN(p.workspace.bytes = 7, ADJ_ERROR_WORKSPACE_TOO_SMALL, "workspace", needs, "got 7");
  BAD_RUN(p.workspace.bytes -= 1, ADJ_ERROR_WORKSPACE_TOO_SMALL, "workspace", needs);
  BAD_RUN(p.workspace.data = (char*)p.workspace.data + 128, ADJ_ERROR_MISALIGNED, "workspace.data = 0x", "multiple of 256");
  BAD_RUN((p.args.dweight.data = (char*)p.workspace.data + 8), ADJ_ERROR_ALIASING, "workspace", "overlaps", "dweight");
  BAD_RUN((p.args.dout.data = (char*)p.workspace.data + 4), ADJ_ERROR_ALIASING, "workspace", "overlaps", "dout");
  problem_reset(&p);
  FAILS(adj_plan_run(p.plan, &p.stream, NULL, &p.args.header), ADJ_ERROR_WORKSPACE_TOO_SMALL, "embedding_backward", "workspace.data is null");
  FAILS(adj_plan_run(NULL, &p.stream, &p.workspace, &p.args.header), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_run", "plan is null");
  FAILS(adj_plan_run(p.plan, NULL, &p.workspace, &p.args.header), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_run", "stream is null");
  FAILS(adj_plan_run(p.plan, &p.stream, &p.workspace, NULL), ADJ_ERROR_INVALID_ARGUMENT, "embedding_backward args is null");
  FAILS(adj_plan_bind(NULL, &p.stream, &p.workspace, &p.args.header, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_bind", "plan is null");
  FAILS(adj_plan_bind(p.plan, &p.stream, &p.workspace, &p.args.header, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_bind", "out is null");
  HOLDS(problem_untouched(&p));

  { /* streams */
    adj_stream other;
    adj_plan* offline = NULL;
    adj_bound* bound = NULL;
    const adj_embedding_forward_descriptor fresh = ADJ_EMBEDDING_FORWARD_DESCRIPTOR_INIT;
    adj_embedding_forward_descriptor forward = fresh;
    adj_embedding_forward_args args = ADJ_EMBEDDING_FORWARD_ARGS_INIT;
    float out[1] = {7};
    WORKS(adj_stream_offline("sm_80", &other));
    FAILS(adj_plan_run(p.plan, &other, &p.workspace, &p.args.header), ADJ_ERROR_STREAM_MISMATCH, "embedding_backward",
          "selected for the host stream, given an offline sm_80 stream");
    FAILS(adj_plan_bind(p.plan, &other, &p.workspace, &p.args.header, &bound), ADJ_ERROR_STREAM_MISMATCH, "embedding_backward");
    other.kind = ADJ_STREAM_CUDA;
    other.device = 0;
    FAILS(adj_plan_run(p.plan, &other, &p.workspace, &p.args.header), ADJ_ERROR_STREAM_MISMATCH, "embedding_backward", "given a CUDA stream of device 0");
    HOLDS(problem_untouched(&p) && bound == NULL);
    WORKS(adj_plan_bind(p.plan, &p.stream, &p.workspace, &p.args.header, &bound));
    FAILS(adj_bound_run(bound, &other), ADJ_ERROR_STREAM_MISMATCH, "embedding_backward");
    FAILS(adj_bound_run(bound, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_bound_run", "stream is null");
    other = p.stream;
    other.reserved = 9;
    FAILS(adj_plan_run(p.plan, &other, &p.workspace, &p.args.header), ADJ_ERROR_INVALID_ARGUMENT, "embedding_backward", "stream.reserved = 9");
    FAILS(adj_bound_run(bound, &other), ADJ_ERROR_INVALID_ARGUMENT, "stream.reserved = 9");
    FAILS(adj_bound_run(NULL, &p.stream), ADJ_ERROR_INVALID_ARGUMENT, "adj_bound_run", "bound is null");
    HOLDS(problem_untouched(&p));
    adj_bound_release(bound);
    adj_bound_release(NULL);

    WORKS(adj_stream_offline("sm_80", &other));
    forward.num_embeddings = forward.embedding_dim = forward.num_indices = 1;
    forward.element = ADJ_F32;
    forward.index = ADJ_I64;
    WORKS(adj_plan_select(&other, &forward.header, NULL, &offline, NULL));
    args.weight = tensor(p.dout, 4, ADJ_F32);
    args.indices = tensor(p.indices, 8, ADJ_I64);
    args.out = tensor(out, 4, ADJ_F32);
    WORKS(adj_plan_can_implement(offline, &args.header));
    FAILS(adj_plan_run(offline, &other, NULL, &args.header), ADJ_ERROR_BACKEND_UNAVAILABLE, "embedding_forward", "offline");
    FAILS(adj_plan_bind(offline, &other, NULL, &args.header, &bound), ADJ_ERROR_BACKEND_UNAVAILABLE, "embedding_forward", "offline");
    FAILS(adj_plan_run(offline, &p.stream, NULL, &args.header), ADJ_ERROR_STREAM_MISMATCH, "embedding_forward");
    HOLDS(out[0] == 7);
    adj_plan_release(offline);
  }
  { /* information */
    adj_sku_info sku = ADJ_SKU_INFO_INIT;
    adj_plan_info info = ADJ_PLAN_INFO_INIT;
    FAILS(adj_plan_sku(NULL, &sku), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_sku", "plan is null");
    FAILS(adj_plan_sku(p.plan, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_sku", "out is null");
    adj_guarantee guarantee;
    FAILS(adj_plan_guarantee(NULL, NULL, &guarantee), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_guarantee", "plan is null");
    FAILS(adj_plan_guarantee(p.plan, NULL, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_guarantee", "out is null");
    FAILS(adj_plan_guarantee(p.plan, "nothing", &guarantee), ADJ_ERROR_NOT_FOUND, "has no argument 'nothing'");
    WORKS(adj_plan_guarantee(p.plan, NULL, &guarantee));
    FAILS(adj_plan_get_info(NULL, &info), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_get_info", "plan is null");
    FAILS(adj_plan_get_info(p.plan, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_plan_get_info", "out is null");
    HOLDS(adj_plan_workspace_size(NULL) == 0 && adj_plan_retain(NULL) == NULL);
    HOLDS(adj_plan_retain(p.plan) == p.plan);
    adj_plan_release(p.plan);
  }
  adj_plan_release(p.plan);
  adj_plan_release(NULL);
}

/* ---- lists and scalars --------------------------------------------------------------------------------------------------- */

static void lists(void) {
  enum { kTensors = 3 };
  static const int64_t numel[kTensors] = {3, 0, 2};
  static __attribute__((aligned(8))) float w[kTensors][4], g[kTensors][4], m[kTensors][4], v[kTensors][4];
  void *pw[kTensors], *pg[kTensors], *pm[kTensors], *pv[kTensors];
  uint64_t bytes[kTensors] = {12, 0, 8};
  const adj_stream host = adj_stream_host();
  const adj_adam_descriptor fresh_descriptor = ADJ_ADAM_DESCRIPTOR_INIT;
  const adj_adam_args fresh_args = ADJ_ADAM_ARGS_INIT;
  adj_adam_descriptor d = fresh_descriptor;
  adj_adam_args a;
  adj_plan* plan = NULL;
  int64_t step[2] = {1, 1};
  double values[4];
  size_t i, k;

#define WRONG_ADAM(field, value, code, ...)                           \
  do {                                                                \
    d = fresh_descriptor;                                             \
    d.count = kTensors;                                               \
    d.numel = numel;                                                  \
    d.param = ADJ_F32;                                                \
    d.field = (value);                                                \
    FAILS(refuse(&host, &d.header, NULL), code, "adam", __VA_ARGS__); \
  } while (0)
  WRONG_ADAM(count, -1, ADJ_ERROR_INVALID_PROBLEM, "numel", "-1");
  WRONG_ADAM(count, INT64_MAX, ADJ_ERROR_INVALID_PROBLEM, "numel", "9223372036854775807");
  WRONG_ADAM(numel, NULL, ADJ_ERROR_INVALID_ARGUMENT, "numel is null");
  {
    static const int64_t negative[kTensors] = {3, -4, 2}, absurd[kTensors] = {1, INT64_MAX, 1};
    WRONG_ADAM(numel, negative, ADJ_ERROR_INVALID_PROBLEM, "numel[1]", "-4");
    WRONG_ADAM(numel, absurd, ADJ_ERROR_INVALID_PROBLEM, "numel[1]", "9223372036854775807");
  }
  WRONG_ADAM(param, ADJ_I32, ADJ_ERROR_UNSUPPORTED, "i32");
  WRONG_ADAM(decay, 3, ADJ_ERROR_INVALID_ARGUMENT, "decay = 3");
  WRONG_ADAM(beta1, 1.0, ADJ_ERROR_INVALID_PROBLEM, "beta1 = 1");
  WRONG_ADAM(beta2, -0.5, ADJ_ERROR_INVALID_PROBLEM, "beta2 = -0.5");
  WRONG_ADAM(beta1, strtod("nan", NULL), ADJ_ERROR_INVALID_PROBLEM, "beta1 = nan");
  WRONG_ADAM(epsilon, -1e-8, ADJ_ERROR_INVALID_PROBLEM, "epsilon = -1e-08");

  d = fresh_descriptor;
  d.count = kTensors;
  d.numel = numel;
  d.param = ADJ_F32;
  WORKS(adj_plan_select(&host, &d.header, NULL, &plan, NULL));
  if (!plan) return;

#define LIST(list) (a.list.count = kTensors, a.list.dtype = ADJ_F32, a.list.bytes = bytes)
#define BAD_ADAM(change, code, ...)                                                     \
  do {                                                                                  \
    int touched = 0;                                                                    \
    a = fresh_args;                                                                     \
    for (i = 0; i < kTensors; ++i) {                                                    \
      pw[i] = w[i], pg[i] = g[i], pm[i] = m[i], pv[i] = v[i];                           \
      for (k = 0; k < 4; ++k) w[i][k] = m[i][k] = v[i][k] = 5, g[i][k] = 1;             \
    }                                                                                   \
    LIST(params), LIST(grads), LIST(exp_avg), LIST(exp_avg_sq);                         \
    a.params.data = pw, a.grads.data = pg, a.exp_avg.data = pm, a.exp_avg_sq.data = pv; \
    a.lr.value = 0.1;                                                                   \
    a.step.value = 1;                                                                   \
    change;                                                                             \
    FAILS(adj_plan_can_implement(plan, &a.header), code, "adam", __VA_ARGS__);          \
    FAILS(adj_plan_run(plan, &host, NULL, &a.header), code, "adam", __VA_ARGS__);       \
    for (i = 0; i < kTensors; ++i)                                                      \
      for (k = 0; k < 4; ++k) touched += w[i][k] != 5 || m[i][k] != 5 || v[i][k] != 5;  \
    HOLDS(touched == 0);                                                                \
  } while (0)
  BAD_ADAM(a.params.count = 2, ADJ_ERROR_SHAPE_MISMATCH, "params.count = 2", "says 3");
  BAD_ADAM(a.grads.count = -3, ADJ_ERROR_SHAPE_MISMATCH, "grads.count = -3");
  BAD_ADAM(a.exp_avg.data = NULL, ADJ_ERROR_NULL_BUFFER, "exp_avg.data is null");
  BAD_ADAM(a.exp_avg_sq.bytes = NULL, ADJ_ERROR_NULL_BUFFER, "exp_avg_sq.bytes is null");
  BAD_ADAM(pg[2] = NULL, ADJ_ERROR_NULL_BUFFER, "grads.data[2] is null", "2 elements");
  BAD_ADAM(a.grads.dtype = ADJ_BF16, ADJ_ERROR_DTYPE_MISMATCH, "grads.dtype is bf16", "says f32");
  BAD_ADAM(a.params.dtype = -1, ADJ_ERROR_DTYPE_MISMATCH, "params.dtype is -1");
  BAD_ADAM(bytes[0] = 11, ADJ_ERROR_BUFFER_TOO_SMALL, "params[0] needs 12 bytes, got 11");
  bytes[0] = 12;
  BAD_ADAM(pm[0] = (char*)m[0] + 2, ADJ_ERROR_MISALIGNED, "exp_avg.data[0] = 0x");
  BAD_ADAM(pg[0] = (void*)(UINTPTR_MAX - 3), ADJ_ERROR_INVALID_ARGUMENT, "grads", "wraps around");
  BAD_ADAM(pm[2] = w[2] + 1, ADJ_ERROR_ALIASING, "params[2]", "exp_avg[2]");
  BAD_ADAM(pg[0] = w[0], ADJ_ERROR_ALIASING, "params[0]", "grads[0]");
  BAD_ADAM((a.copies.count = kTensors, a.copies.dtype = ADJ_BF16, a.copies.data = pg, a.copies.bytes = bytes), ADJ_ERROR_INVALID_ARGUMENT, "copies");
  BAD_ADAM((a.lr.device = values, a.lr.dtype = ADJ_I64), ADJ_ERROR_DTYPE_MISMATCH, "lr.dtype is i64");
  BAD_ADAM((a.step.device = (char*)step + 4, a.step.dtype = ADJ_I64), ADJ_ERROR_MISALIGNED, "step.device = 0x");
  BAD_ADAM((a.step.device = w[0], a.step.dtype = ADJ_I64), ADJ_ERROR_ALIASING, "params[0]", "step");
  BAD_ADAM((a.step.device = m[2], a.step.dtype = ADJ_I64), ADJ_ERROR_ALIASING, "exp_avg[2]", "step");
  BAD_ADAM((a.lr.device = v[0], a.lr.dtype = ADJ_F32), ADJ_ERROR_ALIASING, "exp_avg_sq[0]", "lr");
  BAD_ADAM(a.lr.reserved = 9, ADJ_ERROR_INVALID_ARGUMENT, "lr.reserved = 9");
  BAD_ADAM(a.grads.reserved = 9, ADJ_ERROR_INVALID_ARGUMENT, "grads.reserved = 9");
  BAD_ADAM(a.step.value = 0, ADJ_ERROR_INVALID_VALUE, "step", "0");
  BAD_ADAM(a.grad_scale.value = 0, ADJ_ERROR_INVALID_VALUE, "grad_scale", "0");
  /* Positions are checked against each other by can_implement and bind, not by every run. */
  pw[0] = w[0];
  pg[2] = w[0];
  a = fresh_args;
  LIST(params), LIST(grads), LIST(exp_avg), LIST(exp_avg_sq);
  a.params.data = pw, a.grads.data = pg, a.exp_avg.data = pm, a.exp_avg_sq.data = pv;
  a.lr.value = 0.1;
  a.step.value = 1;
  for (i = 0; i < kTensors; ++i) pm[i] = m[i], pv[i] = v[i];
  FAILS(adj_plan_can_implement(plan, &a.header), ADJ_ERROR_ALIASING, "adam", "params[0]", "grads[2]");
  adj_plan_release(plan);
}

/* Arguments whose presence the descriptor decides: the sentence names the field, and the wrong argument. */
static void dependent_arguments(void) {
  const adj_stream host = adj_stream_host();
  adj_softmax_cross_entropy_loss_backward_descriptor d = ADJ_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_DESCRIPTOR_INIT;
  adj_softmax_cross_entropy_loss_backward_args a = ADJ_SOFTMAX_CROSS_ENTROPY_LOSS_BACKWARD_ARGS_INIT;
  adj_rope_forward_descriptor rope = ADJ_ROPE_FORWARD_DESCRIPTOR_INIT;
  adj_rope_forward_args rotated = ADJ_ROPE_FORWARD_ARGS_INIT;
  adj_plan* plan = NULL;
  float dloss[1] = {1}, scores[6] = {0}, lse[2] = {0}, out[6] = {5}, weight[3] = {1, 1, 1};
  int32_t labels[2] = {0, 1};
  const char* const who = "softmax_cross_entropy_loss_backward";
  d.batch = 2;
  d.num_classes = 3;
  d.element = ADJ_F32;
  d.label = ADJ_I32;
  WORKS(adj_plan_select(&host, &d.header, NULL, &plan, NULL));
  a.dloss = tensor(dloss, sizeof dloss, ADJ_F32);
  a.scores = tensor(scores, sizeof scores, ADJ_F32);
  a.lse = tensor(lse, sizeof lse, ADJ_F32);
  a.labels = tensor(labels, sizeof labels, ADJ_I32);
  a.dscores = tensor(out, sizeof out, ADJ_F32);
  FAILS(adj_plan_can_implement(plan, &a.header), ADJ_ERROR_NULL_BUFFER, who, "log_prob is required and null (from_scores = 0, but scores and lse were given)");
  a.log_prob = a.scores;
  a.lse.data = NULL;
  a.lse.bytes = 0;
  FAILS(adj_plan_can_implement(plan, &a.header), ADJ_ERROR_INVALID_ARGUMENT, who,
        "scores is given, but the descriptor says that it is absent (from_scores = 0)");
  a.scores.data = NULL;
  a.scores.bytes = 0;
  a.weight = tensor(weight, sizeof weight, ADJ_F32);
  FAILS(adj_plan_run(plan, &host, NULL, &a.header), ADJ_ERROR_INVALID_ARGUMENT, who,
        "weight is given, but the descriptor says that it is absent (weight = none)");
  a.dloss.data = NULL;
  a.dloss.bytes = 0;
  FAILS(adj_plan_run(plan, &host, NULL, &a.header), ADJ_ERROR_NULL_BUFFER, who, "dloss is required and null");
  HOLDS(strchr(adj_last_error(), '(') == NULL && out[0] == 5);
  adj_plan_release(plan);

  /* Two fields decide about one argument: both are named. */
  rope.tokens = 1;
  rope.heads = rope.kv_heads = 1;
  rope.head_dim = 2;
  rope.element = ADJ_F32;
  WORKS(adj_plan_select(&host, &rope.header, NULL, &plan, NULL));
  rotated.input = tensor(scores, 4 * sizeof *scores, ADJ_F32);
  rotated.out = tensor(out, 4 * sizeof *out, ADJ_F32);
  rotated.k_weight = tensor(weight, 2 * sizeof *weight, ADJ_F32);
  FAILS(adj_plan_run(plan, &host, NULL, &rotated.header), ADJ_ERROR_INVALID_ARGUMENT, "rope_forward",
        "k_weight is given, but the descriptor says that it is absent (kv_heads = 1, has_norm = 0)");
  adj_plan_release(plan);
}

/* ---- packs and the cache --------------------------------------------------------------------------------------------------- */

static int32_t stop_at_once(void* user, int64_t done, int64_t total, const char* program, double milliseconds) {
  ++*(int*)user;
  return done > 0 && total > 0 && program && milliseconds >= 0;
}

static void write_bytes(const char* path, const void* bytes, size_t size) {
  FILE* file = fopen(path, "wb");
  HOLDS(file != NULL);
  if (!file) return;
  HOLDS(fwrite(bytes, 1, size, file) == size);
  HOLDS(fclose(file) == 0);
}

static adj_status build(const char* path, const adj_pack_options* options) {
  adj_error* error = (adj_error*)&checks;
  const adj_status status = adj_pack_build(path, options, &error);
  HOLDS((error == NULL) == (status == ADJ_OK));
  if (error) HOLDS(adj_error_code(error) == status && strcmp(adj_error_message(error), adj_last_error()) == 0);
  adj_error_release(error);
  return status;
}

static void packs(const char* directory) {
  const adj_pack_options fresh = ADJ_PACK_OPTIONS_INIT;
  adj_pack_options options = fresh;
  adj_library_info nvrtc = ADJ_LIBRARY_INFO_INIT;
  adj_error* error = NULL;
  char path[512], bad[512];
  int calls = 0;

  snprintf(path, sizeof path, "%s/good.pack", directory);
  snprintf(bad, sizeof bad, "%s/bad.pack", directory);
  options.archs = "sm_80";
  options.skus = "embedding_forward/*/f32.i32/*";
  FAILS(adj_pack_build(NULL, &options, NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_pack_build", "path is null");
  FAILS(adj_pack_build(path, NULL, &error), ADJ_ERROR_INVALID_ARGUMENT, "adj_pack_build", "options is null");
  HOLDS(adj_error_code(error) == ADJ_ERROR_INVALID_ARGUMENT);
  adj_error_release(error);
  options.archs = NULL;
  FAILS(build(path, &options), ADJ_ERROR_INVALID_ARGUMENT, "archs");
  options.jobs = -3;
  FAILS(build(path, &options), ADJ_ERROR_INVALID_ARGUMENT, "pack options: jobs = -3");
  options.jobs = 0;
  options.reserved = 5;
  FAILS(build(path, &options), ADJ_ERROR_INVALID_ARGUMENT, "pack options: reserved = 5");
  options.reserved = 0;
  options.archs = ",";
  FAILS(build(path, &options), ADJ_ERROR_INVALID_ARGUMENT, "arch");
  options.archs = "sm_80,sm_7";
  FAILS(build(path, &options), ADJ_ERROR_INVALID_ARGUMENT, "unknown architecture 'sm_7'");
  options.archs = "sm_80";
  options.skus = "nothing*";
  FAILS(build(path, &options), ADJ_ERROR_NOT_FOUND, "'nothing*'", "sm_80");
  HOLDS(access(path, F_OK) != 0);

  FAILS(adj_pack_load(NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_pack_load", "path is null");
  FAILS(adj_tuning_load(NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_tuning_load", "path is null");
  FAILS(adj_tuning_save(NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_tuning_save", "path is null");
  FAILS(adj_tuning_save("/nonexistent/a.tuning"), ADJ_ERROR_NOT_FOUND, "/nonexistent/a.tuning", "no verdict");
  FAILS(adj_tuning_load("/nonexistent/a.tuning"), ADJ_ERROR_IO, "/nonexistent/a.tuning");
  FAILS(adj_tuning_load(directory), ADJ_ERROR_IO, directory);
  FAILS(adj_pack_load("/nonexistent/a.pack"), ADJ_ERROR_IO, "/nonexistent/a.pack");
  FAILS(adj_pack_load(""), ADJ_ERROR_IO, "''");
  FAILS(adj_pack_load(directory), ADJ_ERROR_IO, directory);
  write_bytes(bad, "", 0);
  FAILS(adj_pack_load(bad), ADJ_ERROR_CORRUPT, bad);
  write_bytes(bad, "This is a text file that is long enough to hold the header of a pack, but it certainly is not one of those.", 100);
  FAILS(adj_pack_load(bad), ADJ_ERROR_CORRUPT, bad, "magic");

  HOLDS(adj_library_get(1, &nvrtc) == ADJ_OK && strcmp(nvrtc.name, "NVRTC") == 0);
  options.skus = "embedding_forward/*/f32.i32/*";
  if (!nvrtc.available) {
    FAILS(build(path, &options), ADJ_ERROR_BACKEND_UNAVAILABLE, "nvrtc");
    printf("no NVRTC: damaged packs were not tried\n");
    return;
  }
  FAILS(build("/nonexistent/directory/a.pack", &options), ADJ_ERROR_IO, "/nonexistent/directory/a.pack");
  options.progress = stop_at_once;
  options.user = &calls;
  FAILS(build(path, &options), ADJ_ERROR_INVALID_ARGUMENT, "stopped");
  HOLDS(calls == 1 && access(path, F_OK) != 0);
  options.progress = NULL;
  WORKS(build(path, &options));
  WORKS(adj_pack_load(path));
  { /* every truncation and a flipped bit in every part of the header and the index */
    static unsigned char bytes[1 << 20];
    FILE* file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0, i;
    if (file) fclose(file);
    HOLDS(size > 96 + 152 && size < sizeof bytes);
    for (i = 0; i < size; i += i < 256 ? 5 : 977) {
      write_bytes(bad, bytes, i);
      FAILS(adj_pack_load(bad), ADJ_ERROR_CORRUPT, bad);
    }
    for (i = 0; i < 96 + 152; ++i) {
      if (i >= 16 && i < 32) continue; /* the compiler's version, for information only */
      bytes[i] ^= 0x10;
      write_bytes(bad, bytes, size);
      FAILS(adj_pack_load(bad), ADJ_ERROR_CORRUPT, bad);
      bytes[i] ^= 0x10;
    }
  }
  unlink(path);
}

static void cache(const char* directory) {
  adj_cache_info info = ADJ_CACHE_INFO_INIT;
  FAILS(adj_cache_stat(NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_cache_stat", "out is null");
  FAILS(adj_cache_verify(NULL), ADJ_ERROR_INVALID_ARGUMENT, "adj_cache_verify", "out is null");
  WORKS(adj_cache_stat(&info));
  HOLDS(strncmp(info.directory, directory, strlen(directory)) == 0);
  WORKS(adj_cache_verify(&info));
  WORKS(adj_cache_clear());
}

int main(void) {
  char directory[] = "/tmp/adjoint_bad_input_XXXXXX";
  char file[64];
  if (!mkdtemp(directory) || setenv("ADJOINT_CACHE_DIR", directory, 1)) {
    perror("mkdtemp");
    return 1;
  }
  version();
  errors();
  streams();
  handles();
  tables();
  selection();
  descriptors();
  every_field();
  kernels();
  buffers();
  lists();
  dependent_arguments();
  packs(directory);
  cache(directory);
  snprintf(file, sizeof file, "%s/bad.pack", directory);
  unlink(file);
  rmdir(directory);
  printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
