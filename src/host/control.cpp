#include "host/control.hpp"

#include "host/communicator.hpp"
#include "host/shape.hpp"

namespace adj::host {

Result<void> record_event(const adj_record_event_descriptor& d, const adj_record_event_args& a, void*) {
  if (!d.skip && !is_event(a.event)) return record_event(a.event);  // its error, before anything is written
  copy_list({d.numel, static_cast<std::size_t>(d.count)}, d.element, a.inputs, a.outputs);
  return d.skip ? Result<void>() : record_event(a.event);
}

Result<void> wait_event(const adj_wait_event_descriptor& d, const adj_wait_event_args& a, void*) {
  if (!d.skip)
    if (auto ok = wait_event(a.event); !ok) return ok;
  copy_list({d.numel, static_cast<std::size_t>(d.count)}, d.element, a.inputs, a.outputs);
  return {};
}

}  // namespace adj::host
