/* Written by tools/generate.py from the headers beside it. Do not edit. */
#ifndef ADJOINT_OPS_ALL_GEN_H
#define ADJOINT_OPS_ALL_GEN_H

#include "concat.h"
#include "embedding.h"
#include "embedding_bag.h"
#include "loss.h"
#include "optimizer.h"
#include "softmax.h"

#endif
