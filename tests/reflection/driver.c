/* Runs problems that a text describes, from what the library says of itself: no operator, field or argument is named here. The words are
 *     problem OPERATOR    set FIELD VALUE...    give ARGUMENT WHAT...    run    want ARGUMENT BYTES...
 * where WHAT is data BYTES..., same ARGUMENT, value NUMBER, memory TYPE BYTES, seed SEED OFFSET or handle ADDRESS; bytes are a dot and
 * hexadecimal digits. */
#include "driver.h"

#include <adjoint.h>
#include <stdlib.h>
#include <string.h>

struct held {
  int64_t count;
  void** data;
  uint64_t* bytes;
}; /* the buffers of an argument */
static struct {
  adj_op op;
  int64_t descriptor[1024], args[1024];
  struct held held[64];
} now;
static const adj_header *const descriptor = (adj_header*)now.descriptor, *const args = (adj_header*)now.args;
static char word[1 << 20];
static int failures;

static void expect(int holds, const char* what) {
  if (!holds && ++failures <= 20) fprintf(stderr, "%s: %s, at '%.60s' (%s)\n", adj_op_name(now.op), what, word, adj_last_error());
}
static int next(FILE* in, const char* expected) {
  if (fscanf(in, "%1048575s", word) != 1) word[0] = 0;
  return expected ? strcmp(word, expected) == 0 : word[0] != 0;
}
static int64_t integer(FILE* in) { return next(in, NULL) ? (int64_t)strtoull(word, NULL, 0) : 0; }
static double real(FILE* in) { return next(in, NULL) ? strtod(word, NULL) : 0; }
static void* bytes(FILE* in, uint64_t* size) {
  unsigned int byte;
  unsigned char* made = calloc(next(in, NULL) ? strlen(word) : 1, 1);
  for (*size = 0; sscanf(word + 1 + 2 * *size, "%2x", &byte) == 1; ++*size) made[*size] = (unsigned char)byte;
  return made;
}
static int64_t argument(FILE* in, adj_argument* out) {
  int64_t i = 0;
  next(in, NULL);
  while (adj_op_argument(now.op, i, out) == ADJ_OK && strcmp(out->name, word) != 0) ++i;
  expect(i < adj_op_argument_count(now.op), "no such argument");
  return i;
}

static void set_field(FILE* in) {
  adj_field field;
  int64_t i = 0, n = 1, number;
  uint64_t size;
  void* pointer;
  char* at;
  next(in, NULL);
  while (adj_op_field(now.op, i, &field) == ADJ_OK && strcmp(field.name, word) != 0) ++i;
  expect(i < adj_op_field_count(now.op), "no such field");
  at = (char*)now.descriptor + field.offset;
  if (field.kind == ADJ_FIELD_F64) {
    memcpy(at, &(double){real(in)}, 8);
  } else if (field.kind == ADJ_FIELD_SHAPE || field.kind == ADJ_FIELD_AXES) {
    for (i = 0; i < n; ++i) {
      number = integer(in), memcpy(at + 8 * i, &number, 8);
      if (i == 0) n = number + 1;
    }
  } else if (field.kind == ADJ_FIELD_TEXT || field.kind == ADJ_FIELD_BYTES || field.kind == ADJ_FIELD_I64_LIST || field.kind == ADJ_FIELD_F64_LIST) {
    pointer = bytes(in, &size);
    n = (int64_t)size / (field.kind == ADJ_FIELD_BYTES ? 1 : 8);
    if (field.kind != ADJ_FIELD_TEXT) memcpy(at - 8, &n, 8);
    memcpy(at, &pointer, sizeof pointer);
  } else {
    number = integer(in);
    memcpy(at, &number, field.kind == ADJ_FIELD_I32 || field.kind == ADJ_FIELD_DTYPE ? 4 : 8);
  }
}

static void give(FILE* in) {
  adj_requirement need = ADJ_REQUIREMENT_INIT;
  adj_argument a, other;
  const int64_t i = argument(in, &a);
  struct held* h = &now.held[i];
  int64_t k, numel[4096];
  uint64_t all = 0;
  char* at = (char*)now.args + a.offset;
  expect(adj_op_infer(descriptor, i, &need) == ADJ_OK && need.presence != ADJ_PRESENCE_ABSENT, "adj_op_infer");
  if (next(in, "same")) *h = now.held[argument(in, &other)];
  if (strcmp(word, "data") == 0) {
    h->count = a.kind == ADJ_ARGUMENT_LIST ? need.count : 1;
    h->data = malloc(sizeof(void*) * (size_t)(h->count + 1));
    h->bytes = malloc(sizeof(uint64_t) * (size_t)(h->count + 1));
    for (k = 0; k < h->count; ++k) h->data[k] = bytes(in, &h->bytes[k]);
  }
  for (k = 0; k < h->count; ++k) all += h->bytes[k];
  if (a.kind == ADJ_ARGUMENT_TENSOR) {
    adj_tensor t = {0};
    expect(all == need.bytes, "bytes of the tensor");
    t.data = h->data[0], t.bytes = all, t.dtype = need.dtype, t.rank = need.rank;
    memcpy(t.shape, need.shape, sizeof t.shape);
    memcpy(at, &t, sizeof t);
  } else if (a.kind == ADJ_ARGUMENT_LIST) {
    adj_tensor_list t = {0};
    expect(all == need.bytes && adj_op_infer_list(descriptor, i, numel, 4096) == ADJ_OK, "bytes of the list");
    for (k = 0; k < h->count; ++k) expect((h->bytes[k] == 0) == (numel[k] == 0), "elements of an entry");
    t.count = need.count, t.dtype = need.dtype, t.data = h->data, t.bytes = h->bytes;
    memcpy(at, &t, sizeof t);
  } else if (strcmp(word, "memory") == 0) {
    const int32_t dtype = (int32_t)integer(in);
    void* const pointer = bytes(in, &all);
    memcpy(at + (a.kind == ADJ_ARGUMENT_SCALAR ? offsetof(adj_scalar, device) : offsetof(adj_random, device)), &pointer, sizeof pointer);
    if (a.kind == ADJ_ARGUMENT_SCALAR) memcpy(at + offsetof(adj_scalar, dtype), &dtype, sizeof dtype);
  } else if (a.kind == ADJ_ARGUMENT_SCALAR) {
    memcpy(at, &(double){real(in)}, sizeof(double));
  } else {
    for (k = 0; k < (a.kind == ADJ_ARGUMENT_RANDOM ? 2 : 1); ++k) all = (uint64_t)integer(in), memcpy(at + 8 * k, &all, 8);
  }
}

/* The value of a field is refused, by a sentence that names it; the descriptor keeps its own. */
static void refused(const adj_field* field, const void* value, size_t size) {
  adj_requirement need = ADJ_REQUIREMENT_INIT;
  unsigned char own[8];
  char* const at = (char*)now.descriptor + field->offset;
  memcpy(own, at, size), memcpy(at, value, size);
  expect(adj_op_infer(descriptor, 0, &need) != ADJ_OK && strstr(adj_last_error(), field->name), "a value beyond the limits of a field");
  memcpy(at, own, size);
}

/* Values just beyond what the library says of each field. */
static void beyond_limits(void) {
  for (int64_t i = 0; i < adj_op_field_count(now.op); ++i) {
    adj_field field;
    adj_field_limits limits = ADJ_FIELD_LIMITS_INIT;
    int64_t ends[2];
    double reals[3];
    expect(adj_op_field(now.op, i, &field) == ADJ_OK && adj_op_field_limits(now.op, i, &limits) == ADJ_OK, "adj_op_field_limits");
    ends[0] = limits.least == INT64_MIN ? limits.least : limits.least - 1, ends[1] = limits.most == INT64_MAX ? limits.most : limits.most + 1;
    for (int k = 0; k < 2; ++k) {
      const int32_t narrow = (int32_t)ends[k];
      if (ends[k] >= limits.least && ends[k] <= limits.most) continue;
      if (field.kind == ADJ_FIELD_I64) refused(&field, &ends[k], 8);
      if (field.kind == ADJ_FIELD_I32 && narrow == ends[k]) refused(&field, &narrow, 4);
    }
    if (field.kind != ADJ_FIELD_F64 || !limits.number) continue;
    reals[0] = limits.above_least ? limits.least_real : limits.least_real - 1, reals[1] = limits.below_most ? limits.most_real : limits.most_real + 1;
    reals[2] = strtod("nan", NULL);
    for (int k = 0; k < 3; ++k)
      if (limits.finite || (reals[k] != limits.least_real && reals[k] != limits.most_real) || (k == 0 ? limits.above_least : limits.below_most))
        refused(&field, &reals[k], 8);
  }
}

static void run(void) {
  const adj_stream stream = adj_stream_host();
  adj_plan* plan = NULL;
  adj_workspace workspace;
  beyond_limits();
  expect(adj_plan_select(&stream, descriptor, NULL, &plan, NULL) == ADJ_OK, "select");
  for (int64_t i = 0; i < adj_op_argument_count(now.op); ++i) {
    adj_requirement a = ADJ_REQUIREMENT_INIT, b = ADJ_REQUIREMENT_INIT;
    expect(adj_op_infer(descriptor, i, &a) == ADJ_OK && adj_plan_argument(plan, i, &b) == ADJ_OK, "argument of the plan");
    b.alignment = 0;
    expect(memcmp(&a, &b, sizeof a) == 0, "the plan asks for something else");
  }
  workspace = (adj_workspace){aligned_alloc(256, (adj_plan_workspace_size(plan) / 256 + 1) * 256), adj_plan_workspace_size(plan)};
  expect(adj_plan_run(plan, &stream, &workspace, args) == ADJ_OK, "run");
  free(workspace.data);
  adj_plan_release(plan);
}

static int is_nan(adj_dtype dtype, const unsigned char* at) {
  const unsigned value = at[0] | (unsigned)at[1] << 8;
  float f;
  double d;
  switch (dtype) {
    case ADJ_F32: return memcpy(&f, at, 4), f != f;
    case ADJ_F64: return memcpy(&d, at, 8), d != d;
    case ADJ_F16: return (value & 0x7fff) > 0x7c00;
    case ADJ_BF16: return (value & 0x7fff) > 0x7f80;
    default: return 0;
  }
}

/* What README.md promises of two kinds of processors. Activations in f64 are computed in long double, which has 64 or 113 bits of fraction. */
static int same_elsewhere(int64_t i, const unsigned char* a, const unsigned char* b, uint64_t size) {
  adj_requirement need = ADJ_REQUIREMENT_INIT;
  uint64_t at, step;
  if (adj_op_infer(descriptor, i, &need) != ADJ_OK) return 0;
  step = need.dtype == ADJ_F64 ? 8 : need.dtype == ADJ_F32 ? 4 : need.dtype == ADJ_F16 || need.dtype == ADJ_BF16 ? 2 : 1;
  for (at = 0; at + step <= size; at += step) {
    double x = 0, y = 0;
    if (memcmp(a + at, b + at, step) == 0 || (is_nan(need.dtype, a + at) && is_nan(need.dtype, b + at))) continue;
    if (need.dtype != ADJ_F64 || !strstr(adj_op_name(now.op), "activation")) return 0;
    memcpy(&x, a + at, 8), memcpy(&y, b + at, 8);
    if (!(x - y <= 1e-13 * (x < 0 ? -x : x) && y - x <= 1e-13 * (x < 0 ? -x : x))) return 0;
  }
  return 1;
}

int drive(FILE* in, int elsewhere) {
  adj_argument a;
  uint64_t size;
  failures = 0;
  while (next(in, NULL)) {
    if (strcmp(word, "problem") == 0) {
      memset(now.held, 0, sizeof now.held);
      expect(next(in, NULL) && adj_op_find(word, &now.op) == ADJ_OK, "no such operator");
      adj_op_descriptor_init(now.op, now.descriptor, sizeof now.descriptor);
      adj_op_args_init(now.op, now.args, sizeof now.args);
    } else if (strcmp(word, "left") == 0) next(in, NULL); /* an operator without such problems */
    else if (strcmp(word, "end") == 0) break;
    else if (strcmp(word, "set") == 0) set_field(in);
    else if (strcmp(word, "give") == 0) give(in);
    else if (strcmp(word, "run") == 0) run();
    else {
      const int64_t i = argument(in, &a);
      const struct held* h = &now.held[i];
      for (int64_t k = 0; k < h->count; ++k) {
        const void* wanted = bytes(in, &size);
        expect(size == h->bytes[k] && (memcmp(wanted, h->data[k], size) == 0 || (elsewhere && same_elsewhere(i, wanted, h->data[k], size))), "other bits");
      }
    }
  }
  return failures;
}
