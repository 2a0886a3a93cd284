/* Compression of stored activations. Definitions: com.microsoft GistBinarize, GistPack1, GistPack8, GistPack16 and GistPackMsfp15, encoders
 * and decoders. Results are exact to the bit. Nothing is done when an extent is 0. Buffers must not overlap. */
#ifndef ADJOINT_OPS_GIST_H
#define ADJOINT_OPS_GIST_H

#include "operator.h"

ADJ_OPERATOR(21, gist_encode, GIST_ENCODE, GistEncode)
ADJ_OPERATOR(22, gist_decode, GIST_DECODE, GistDecode)

ADJ_LET(packed_type, format == binarize ? bool : format == pack16 ? f16 : format == pack16_bf16 ? bf16 : u8)
ADJ_LET(packed_shape, format == pack1 ? [ceil_div(outer * inner, 8)] : format == msfp15 ? [outer, ceil_div(inner, 8) * 8] : [outer, inner])

/* How an element x is packed, and the type of `packed`. */
ADJ_ENUM(adj_gist_format) {
  ADJ_GIST_FORMAT_NONE = 0,            /* not given: refused */
  ADJ_GIST_FORMAT_BINARIZE = 1,        /* bool: x > 0. f32, f64, f16, bf16 */
  ADJ_GIST_FORMAT_PACK1 = 2,           /* u8 of eight elements, the first in the highest bit: x > 0; bits behind the last are 0. f32, f64, f16, bf16, bool */
  ADJ_GIST_FORMAT_PACK8 = 3,           /* u8: FP8 E5M2, to nearest even; beyond its range infinity; NaN is sign | 0x7f. f32, f16, bf16 */
  ADJ_GIST_FORMAT_PACK8_SATURATED = 4, /* the same, but finite numbers beyond its range become its largest, 57344 */
  ADJ_GIST_FORMAT_PACK8_REFERENCE = 5, /* u8: the bits that ONNX Runtime writes, also of a NaN's fraction; they lose most values. f32, f16 */
  ADJ_GIST_FORMAT_PACK16 = 6,          /* f16, to nearest even; NaN is sign | 0x7e00. f32 */
  ADJ_GIST_FORMAT_PACK16_BF16 = 7,     /* bf16, to nearest even; NaN is sign | 0x7fc0. f32 */
  ADJ_GIST_FORMAT_MSFP15 = 8           /* u8: eight neighbours of a row share an exponent, of which each byte has a bit; sign and six bits. f32, f16, bf16 */
};

/* packed = what the format makes of input. */
typedef struct adj_gist_encode_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gist_encode_descriptor, ADJ_TAG_GIST_ENCODE_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0); /* rows matter to msfp15, which pads each to eights with zeros */
  int64_t inner ADJ_DEFAULT(-1) ADJ_RANGE(0);
  adj_gist_format format ADJ_DEFAULT({}) ADJ_REFUSE(format == none, "is not given");
  adj_dtype element ADJ_DEFAULT({});                  /* f32, f64, f16, bf16, bool, as the format allows */
} adj_gist_encode_descriptor;

typedef struct adj_gist_encode_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gist_encode_args, ADJ_TAG_GIST_ENCODE_ARGS));
  adj_tensor input  ADJ_DEFAULT({}) ADJ_IN([outer, inner], element);
  adj_tensor packed ADJ_DEFAULT({}) ADJ_OUT(packed_shape, packed_type);
} adj_gist_encode_args;

/* out = what packed stands for, rounded once to nearest even where the element cannot hold it:
 *     binarize, pack1    1 or 0
 *     pack8_reference    what ONNX Runtime reads; +0 for codes that it never writes
 *     msfp15             sign * bits * 2^(exponent - 132); an infinity where the exponent is 255, +0 where the bits are 0
 *     others             the number itself; a NaN keeps its sign and has the highest bit of its fraction set, no other, except that pack8
 *                        decoded to f16 keeps its bits */
typedef struct adj_gist_decode_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gist_decode_descriptor, ADJ_TAG_GIST_DECODE_DESCRIPTOR));
  int64_t outer ADJ_DEFAULT(1) ADJ_REST ADJ_RANGE(0);
  int64_t inner ADJ_DEFAULT(-1) ADJ_RANGE(0);
  adj_gist_format format ADJ_DEFAULT({}) ADJ_REFUSE(format == none, "is not given");
  adj_dtype element ADJ_DEFAULT({}); /* f32, f64, f16, bf16, bool, as the format allows */
} adj_gist_decode_descriptor;

typedef struct adj_gist_decode_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_gist_decode_args, ADJ_TAG_GIST_DECODE_ARGS));
  adj_tensor packed ADJ_DEFAULT({}) ADJ_IN(packed_shape, packed_type); /* as the encoder writes it */
  adj_tensor out    ADJ_DEFAULT({}) ADJ_OUT([outer, inner], element);
} adj_gist_decode_args;

#include <adjoint/ops/gist_init.h>

#endif
