// Host backend of concatenation and splitting, written from the operators' definitions.
#pragma once

#include <adjoint/ops/concat.h>

namespace adj::host {

void concat(const adj_concat_descriptor& d, const adj_concat_args& a, void* workspace);
void split(const adj_split_descriptor& d, const adj_split_args& a, void* workspace);

}  // namespace adj::host
