/* Parameters of kernels/rope/. To be included after prelude/divide.h. */
#pragma once

enum { kRopeBlock = 512, kRopePairs = 256 };

struct RopeParams {
  const void* in;        /* input; of the gradient dout */
  const void* input;     /* gradient with a norm: input of the forward operator */
  void* out;             /* out, or dinput */
  const void* positions; /* [tokens]; null: counted in each sequence */
  const void* cos;       /* [positions_end, pairs]; null: from rates */
  const void* sin;
  const void* q_weight;  /* [head_dim] */
  const void* k_weight;
  void* partials;        /* gradient with a norm: [queries and keys, blocks, head_dim] */
  long long* error_flag; /* counts positions out of range; may be null */
  long long all_tokens;  /* of all sequences */
  long long tokens;      /* of a sequence */
  long long positions_end;
  long long in_strides[3], input_strides[3], out_strides[3];  /* elements between sequences, tokens, heads */
  WideDivisor by_tokens;
  NarrowDivisor by_pairs;
  double epsilon, inverse_dim;
  int position_type, weight_type;
  int heads, all_heads;  /* of queries; of queries and keys */
  int head_dim, pairs;
  int lanes;             /* threads that share a head: a power of two up to a warp; without ADJ_ANY at least its units */
  int heads_at_once;        /* heads of a token that a block takes at a time */
  int tokens_of_block;   /* tokens that a block takes at a time */
  int back;              /* 1: the opposite angles */
  double rates[kRopePairs];  /* turns from one position to the next */
};
