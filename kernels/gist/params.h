/* Parameters of kernels/gist/. */
#pragma once

struct GistParams {
  const void* from;
  void* to;
  long long outer, inner;  /* elements; rows are one row where they are not padded */
  long long octets;        /* of a row, the last of which may have fewer elements */
  int saturate;            /* pack8: finite numbers beyond the range become the largest */
};
