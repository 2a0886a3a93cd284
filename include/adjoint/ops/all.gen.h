/* Written by tools/generate.py from the headers beside it. Do not edit. */
#ifndef ADJOINT_OPS_ALL_GEN_H
#define ADJOINT_OPS_ALL_GEN_H

#include "collective.h"
#include "concat.h"
#include "control.h"
#include "embedding.h"
#include "embedding_bag.h"
#include "index.h"
#include "loss.h"
#include "optimizer.h"
#include "shape.h"
#include "softmax.h"

#endif
