/* What the header of every family begins with. */
#ifndef ADJOINT_OPS_OPERATOR_H
#define ADJOINT_OPS_OPERATOR_H

#include "../types.h"

typedef int32_t adj_op;
enum { ADJ_OP_NONE = 0 };

/* Every structure of the interface has a tag of its own; those of an operator follow from its id. */
#define ADJ_DESCRIPTOR_TAG(op) (0x10000 + (op))
#define ADJ_ARGS_TAG(op) (0x20000 + (op))

/* Declares an operator: its id, which stays its own for ever, and its name in three spellings. */
#define ADJ_OPERATOR(id, name, NAME, CppName)             \
  enum {                                                  \
    ADJ_OP_##NAME = id,                                   \
    ADJ_TAG_##NAME##_DESCRIPTOR = ADJ_DESCRIPTOR_TAG(id), \
    ADJ_TAG_##NAME##_ARGS = ADJ_ARGS_TAG(id)              \
  };

/* Header initialisers used by the structures of ops/ (C++ default members, C ..._INIT macros). */
#define ADJ_HEADER_OF(type, TAG) {sizeof(type), TAG, 0, NULL}

/* Names of an operator in C++: adjoint::EmbeddingForwardDescriptor, ...Args and ...Plan (see adjoint.hpp). */
#ifdef __cplusplus
namespace adjoint {
template <class Descriptor, class Args>
class Plan;
}
#define ADJ_CPP_NAMES(Name, name)                          \
  namespace adjoint {                                      \
  using Name##Descriptor = adj_##name##_descriptor;        \
  using Name##Args = adj_##name##_args;                    \
  using Name##Plan = Plan<Name##Descriptor, Name##Args>;   \
  }
#else
#define ADJ_CPP_NAMES(Name, name)
#endif

#endif
