// Written by tools/generate.py from the headers of include/adjoint/ops. Do not edit.
#pragma once

// X(family, sentence): the families, each with the first sentence of its header.
#define ADJ_FAMILIES(X) \
  X(activation, "Activation functions and gated activations, forward and backward.") \
  X(attention, "Scaled dot-product attention and its gradients.") \
  X(batch_norm, "Batch norm with its gradient.") \
  X(collective, "Communication between ranks.") \
  X(concat, "Joining tensors along an axis and cutting them apart again.") \
  X(control, "Order between streams, and the caller's own code.") \
  X(conv, "Convolution, transposed convolution, and their gradients.") \
  X(dropout, "Dropout, and softmax fused with it.") \
  X(elementwise, "Gradients of arithmetic with broadcasting.") \
  X(embedding, "Embedding lookup and its gradient, the gradient of Gather, and the sorted indices that gradients share.") \
  X(embedding_bag, "Reduction of bags of embedding rows and its gradients.") \
  X(fill, "Initial values: a constant, and normally distributed numbers.") \
  X(gist, "Compression of stored activations.") \
  X(index, "Gradients of lookups by several indices, of slices and of padding.") \
  X(loss, "Losses.") \
  X(matmul, "Matrix product with scaling, bias, activation and the gradients of both.") \
  X(norm, "Layer norm and RMS norm with their gradients.") \
  X(optimizer, "Multi-tensor optimizers: one call updates a whole list of tensors.") \
  X(precision, "Mixed precision: checks for infinities and NaN, scaling, clearing and accumulation of lists of tensors, and the scale of a loss.") \
  X(quantize, "Fake quantization: numbers are rounded to a grid of integers and back.") \
  X(reduce, "Reductions: of one tensor over any set of axes or in segments of one axis, and the norm of a list of tensors.") \
  X(resize, "Resizing of the spatial dimensions of a tensor by nearest neighbours or linear interpolation, and its gradient.") \
  X(rope, "Rotary position embedding of queries and keys, with their RMS norm before it as an option.") \
  X(shape, "Views, copies and transposes.") \
  X(softmax, "Softmax and log-softmax, and their gradients.") \
  /* the end */
