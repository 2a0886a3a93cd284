/* Written by tools/generate.py from the headers beside it. Do not edit. */
#ifndef ADJOINT_OPS_ALL_GEN_H
#define ADJOINT_OPS_ALL_GEN_H

#include "activation.h"
#include "attention.h"
#include "batch_norm.h"
#include "collective.h"
#include "concat.h"
#include "control.h"
#include "conv.h"
#include "dropout.h"
#include "elementwise.h"
#include "embedding.h"
#include "embedding_bag.h"
#include "fill.h"
#include "gist.h"
#include "index.h"
#include "loss.h"
#include "matmul.h"
#include "norm.h"
#include "optimizer.h"
#include "precision.h"
#include "quantize.h"
#include "reduce.h"
#include "resize.h"
#include "rope.h"
#include "shape.h"
#include "softmax.h"

#endif
