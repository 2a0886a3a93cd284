/* Runs the problems of a text and returns how many things were not as they should be. elsewhere: the results are those of a processor of another kind, where
 * the sign of a NaN, and activations in f64, may differ. */
#ifndef ADJOINT_TESTS_REFLECTION_DRIVER_H
#define ADJOINT_TESTS_REFLECTION_DRIVER_H

#include <stdio.h>

#ifdef __cplusplus
extern "C"
#endif
    int
    drive(FILE* in, int elsewhere);

#endif
