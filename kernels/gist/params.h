/* Parameters of kernels/gist/. */
#pragma once

struct GistParams {
  const void* from;
  void* to;
  long long outer, inner;  /* rows, and elements of a row; one row where no row is padded */
  long long octets;        /* octets of a row; the last one may have fewer elements */
  int saturate;            /* pack8: 1: finite numbers beyond the range become the largest number, 0: infinity */
};
