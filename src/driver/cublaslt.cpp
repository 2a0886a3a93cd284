#include "driver/cublaslt.hpp"

#include <map>
#include <mutex>

#include "base/dtype.hpp"

namespace adj {

namespace {

struct Handles {
  ProcessLock lock;
  std::map<int, BlasDevice*> of_device;  // never erased
};
constinit Lazy<Handles> handles;

}  // namespace

Result<BlasConfig> config_of(const cu::BlasApi& api, const cu::BlasAlgo& algo) {
  BlasConfig config;
  std::size_t written = 0;
  const auto read = [&](cu::BlasAttribute attribute, auto& value) { return api.algo_get(&algo, attribute, &value, sizeof value, &written); };
  for (const cu::BlasStatus status :
       {read(cu::kBlasAlgoId, config.id), read(cu::kBlasAlgoSplits, config.splits), read(cu::kBlasAlgoReduction, config.reduction)})
    if (status) return cublaslt_error(api, status, "cublasLtMatmulAlgoConfigGetAttribute");
  return config;
}

const char* distrust_of(const BlasConfig& config, adj_dtype element, std::int64_t k, std::uint32_t epilogue) {
  if (config.reduction & ~cu::kBlasReduceInCompute) return "it rounds partial sums to the type of the result";
  // Kernels for 16-bit elements take k in steps of 64. Algorithm 66 divides the whole steps among the splits and loses the last, shorter one where it
  // has fewer elements than there are splits and the whole steps come out even.
  constexpr std::int32_t kDropsTail = 66;
  constexpr std::int64_t kStep = 64;
  const std::int64_t tail = k % kStep, splits = config.splits;
  if (config.id == kDropsTail && size_of(element) == 2 && tail > 0 && splits > tail && k / kStep % splits == 0)
    return "it leaves the last terms of each sum out";
  constexpr std::int32_t kDropsGradient = 39;
  if (config.id == kDropsGradient && epilogue & cu::kBlasEpilogueGeluGradient) return "it leaves the slope of the activation out";
  return nullptr;
}

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
