#include "driver/cublaslt.hpp"

#include <map>
#include <mutex>

namespace adj {

namespace {

struct Handles {
  ProcessLock lock;
  std::map<int, BlasDevice*> of_device;  // never erased
};
constinit Lazy<Handles> handles;

}  // namespace

Result<BlasDevice*> BlasDevice::of(const Device& device) {
  auto api = cublaslt();
  if (!api) return api.take_error();
  auto driver = cuda();
  if (!driver) return driver.take_error();
  std::lock_guard lock(handles.get().lock);
  BlasDevice*& found = handles.get().of_device[device.ordinal];
  if (!found) found = new BlasDevice(**driver, **api, device);
  if (found->handle_) return found;
  auto made = found->prepare([&](cu::BlasHandle) -> Result<void> {
    if (auto status = (*api)->create(&found->handle_)) {
      found->handle_ = nullptr;
      return cublaslt_error(**api, status, "cublasLtCreate");
    }
    return {};
  });
  if (!made) return made.take_error();
  return found;
}

}  // namespace adj
