#include "host/control.hpp"

#include <cstring>

#include "base/dtype.hpp"
#include "host/communicator.hpp"

namespace adj::host {

namespace {

template <class Descriptor, class Args>
void pass_on(const Descriptor& d, const Args& a) {
  for (std::int64_t i = 0; i < d.count; ++i) {
    const std::size_t bytes = static_cast<std::size_t>(d.numel[i]) * size_of(d.element);
    if (bytes != 0 && a.inputs.data[i] != a.outputs.data[i]) std::memcpy(a.outputs.data[i], a.inputs.data[i], bytes);
  }
}

}  // namespace

Result<void> record_event(const adj_record_event_descriptor& d, const adj_record_event_args& a, void*) {
  if (!d.skip && !is_event(a.event)) return record_event(a.event);  // fails, before anything is written
  pass_on(d, a);
  return d.skip ? Result<void>() : record_event(a.event);
}

Result<void> wait_event(const adj_wait_event_descriptor& d, const adj_wait_event_args& a, void*) {
  if (!d.skip)
    if (auto ok = wait_event(a.event); !ok) return ok;
  pass_on(d, a);
  return {};
}

}  // namespace adj::host
