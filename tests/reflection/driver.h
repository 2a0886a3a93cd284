/* Runs the problems of a text and returns how many things were not as they should be. */
#ifndef ADJOINT_TESTS_REFLECTION_DRIVER_H
#define ADJOINT_TESTS_REFLECTION_DRIVER_H

#include <stdio.h>

#ifdef __cplusplus
extern "C"
#endif
    int
    drive(FILE* in);

#endif
