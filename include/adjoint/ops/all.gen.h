/* Written by tools/generate.py from the headers beside it. Do not edit. */
#ifndef ADJOINT_OPS_ALL_GEN_H
#define ADJOINT_OPS_ALL_GEN_H

#include "activation.h"
#include "concat.h"
#include "dropout.h"
#include "elementwise.h"
#include "embedding.h"
#include "embedding_bag.h"
#include "gist.h"
#include "loss.h"
#include "optimizer.h"
#include "quantize.h"
#include "softmax.h"

#endif
