// Host backend of the control family.
#pragma once

#include <adjoint/ops/control.h>

#include "base/error.hpp"

namespace adj::host {

Result<void> record_event(const adj_record_event_descriptor& d, const adj_record_event_args& a, void* workspace);
Result<void> wait_event(const adj_wait_event_descriptor& d, const adj_wait_event_args& a, void* workspace);

}  // namespace adj::host
