// Host backend of the gist family, written from the formats' definitions; no workspace.
#pragma once

#include <adjoint/ops/gist.h>

namespace adj::host {

void gist_encode(const adj_gist_encode_descriptor& d, const adj_gist_encode_args& a, void* workspace);
void gist_decode(const adj_gist_decode_descriptor& d, const adj_gist_decode_args& a, void* workspace);

}  // namespace adj::host
