// Initial values on the host.
#pragma once

#include <adjoint/ops/fill.h>

namespace adj::host {

void fill(const adj_fill_descriptor& d, const adj_fill_args& a, void*);
void normal(const adj_normal_descriptor& d, const adj_normal_args& a, void*);

}  // namespace adj::host
