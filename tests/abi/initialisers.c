/* Values of C's ..._INIT macros for every operator of the table; initialisers.cpp compares them with C++ and the library. This file includes
 * adjoint.h alone, so it fails to compile when a family is not declared there. */
#include <adjoint.h>

#include "initialisers.h"
#include "ops/table.gen.hpp"

#define ADJ_VALUES(name, NAME)                                                           \
  static const adj_##name##_descriptor name##_descriptor = ADJ_##NAME##_DESCRIPTOR_INIT; \
  static const adj_##name##_args name##_args = ADJ_##NAME##_ARGS_INIT;
ADJ_OP_TABLE(ADJ_VALUES)

const initialiser initialisers[] = {
#define ADJ_ENTRY(name, NAME) {ADJ_OP_##NAME, #name, &name##_descriptor, &name##_args, sizeof(name##_descriptor), sizeof(name##_args)},
    ADJ_OP_TABLE(ADJ_ENTRY){0, NULL, NULL, NULL, 0, 0}};
