/* Written by tools/generate.py from gist.h. Do not edit. */
#ifndef ADJOINT_OPS_GIST_INIT_H
#define ADJOINT_OPS_GIST_INIT_H

#include "gist.h"

#ifndef __cplusplus
#define ADJ_GIST_ENCODE_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_gist_encode_descriptor, ADJ_TAG_GIST_ENCODE_DESCRIPTOR), 1, -1, 0, 0 }
#define ADJ_GIST_ENCODE_ARGS_INIT \
  { ADJ_HEADER_OF(adj_gist_encode_args, ADJ_TAG_GIST_ENCODE_ARGS), {0}, {0} }
#define ADJ_GIST_DECODE_DESCRIPTOR_INIT \
  { ADJ_HEADER_OF(adj_gist_decode_descriptor, ADJ_TAG_GIST_DECODE_DESCRIPTOR), 1, -1, 0, 0 }
#define ADJ_GIST_DECODE_ARGS_INIT \
  { ADJ_HEADER_OF(adj_gist_decode_args, ADJ_TAG_GIST_DECODE_ARGS), {0}, {0} }
#endif

ADJ_CPP_NAMES(GistEncode, gist_encode)
ADJ_CPP_NAMES(GistDecode, gist_decode)

#endif
