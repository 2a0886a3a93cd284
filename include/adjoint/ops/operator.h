/* What the header of every family begins with. */
#ifndef ADJOINT_OPS_OPERATOR_H
#define ADJOINT_OPS_OPERATOR_H

#include "../types.h"

ADJ_OPEN_ENUM(adj_op) { ADJ_OP_NONE = 0 };

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

/* Annotations of members. Compilers see nothing; tools/generate.py reads them, and tools/generators/README.md defines their expressions.
 *
 * An argument has one of
 *     ADJ_IN(shape, type), ADJ_OUT(shape, type), ADJ_INOUT(shape, type)     a scalar has types alone, a random state and a handle nothing
 * and any of
 *     ADJ_READ_IF(condition)        an output whose contents count then; its role is in/out
 *     ADJ_WRITTEN_IF(condition)     an input that the call writes then; its role is in/out
 *     ADJ_OPTIONAL                  the argument may be left out
 *     ADJ_OPTIONAL_IF(condition)    the argument may be left out then
 *     ADJ_ONLY_IF(condition)        the argument must be left out otherwise
 *     ADJ_MAY_BE(argument, ...)     the output may be the very buffer of one of them
 *     ADJ_PART_OF(list)             an entry may be one of the equal parts of the entry of that list at its position
 *     ADJ_HOST                      ordinary memory, whatever the stream
 *     ADJ_ON_DEVICE_IF(condition)   a value is refused then: the argument must be in the memory of the stream
 *     ADJ_STRIDES(field)            the field has strides between the elements of the tensor; none: packed
 * A field may have
 *     ADJ_ZERO_IS(field)            the element type that a type of 0 stands for
 *     ADJ_REST                      an extent that stands for any number of dimensions, or none: those that the other extents of a shape leave
 *     ADJ_FOLDS                     an extent that may stand for several dimensions; every other extent is one dimension
 *     ADJ_FOLDS_IF(condition)       the extent may stand for several dimensions then
 *     ADJ_FLAG                      0 or 1, of an int32_t
 *     ADJ_RANGE(least, most)        numbers that it may be; a whole number without `most` up to 2^59, the most elements of a tensor. A default of -1 that is
 *                                   out of the range means that the field must be given. Of a list: its entries
 *     ADJ_TYPES(type, ...)          the element types that it may be beside 0
 *     ADJ_ONLY_IF(condition)        the field must have its default otherwise
 *     ADJ_REFUSE(condition, "why")  the field is refused then
 * A line ADJ_LET(name, expression) of a header gives an expression a name.
 * A line ADJ_GRADIENT(operator, gradient, argument, ...) says which operator computes the gradient of another, and from what. */
#define ADJ_IN(...)
#define ADJ_OUT(...)
#define ADJ_INOUT(...)
#define ADJ_READ_IF(...)
#define ADJ_WRITTEN_IF(...)
#define ADJ_OPTIONAL
#define ADJ_OPTIONAL_IF(...)
#define ADJ_ONLY_IF(...)
#define ADJ_MAY_BE(...)
#define ADJ_PART_OF(list)
#define ADJ_HOST
#define ADJ_ON_DEVICE_IF(...)
#define ADJ_STRIDES(field)
#define ADJ_ZERO_IS(field)
#define ADJ_REST
#define ADJ_FOLDS
#define ADJ_FOLDS_IF(...)
#define ADJ_FLAG
#define ADJ_RANGE(...)
#define ADJ_TYPES(...)
#define ADJ_REFUSE(...)
#define ADJ_LET(name, ...)
#define ADJ_GRADIENT(...)

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
