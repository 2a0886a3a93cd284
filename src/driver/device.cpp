#include "driver/device.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/process.hpp"
#include "base/text.hpp"
#include "driver/libraries.hpp"
#include "driver/place.hpp"

namespace adj {

namespace {

// Multiprocessors and largest shared memory of a block, assumed for an offline device.
struct ArchFacts {
  int cc;
  int multiprocessors;
  std::uint32_t shared_optin;
};
constexpr std::array<ArchFacts, 10> kArchs{{{80, 108, 163 << 10},
                                            {86, 84, 99 << 10},
                                            {87, 16, 163 << 10},
                                            {89, 142, 99 << 10},
                                            {90, 132, 227 << 10},
                                            {100, 148, 227 << 10},
                                            {103, 148, 227 << 10},
                                            {110, 20, 227 << 10},
                                            {120, 188, 99 << 10},
                                            {121, 48, 99 << 10}}};
constexpr int kFirst = kArchs.front().cc, kLast = 199;  // kLast is beyond all that there is: what is later is a slip of the pen

// Of a capability that is not in the table: the multiprocessors of the nearest one below it, and the least shared memory of those of its major version,
// which every device of that version is likely to have; where there is none, that of the nearest one below.
ArchFacts facts_near(int cc) {
  ArchFacts facts = kArchs.front();
  std::uint32_t least = 0;
  for (const ArchFacts& known : kArchs) {
    if (known.cc <= cc) facts = known;
    if (known.cc / 10 == cc / 10) least = least ? std::min(least, known.shared_optin) : known.shared_optin;
  }
  if (facts.cc != cc && least) facts.shared_optin = least;
  return facts;
}

std::string known_archs() {
  std::string names;
  for (const ArchFacts& facts : kArchs) names += (names.empty() ? "" : ", ") + arch_name(facts.cc);
  return names;
}

Error unknown_arch(std::string_view arch) { return fail(ADJ_ERROR_INVALID_ARGUMENT, "unknown architecture '{}'; known: {}", arch, known_archs()); }

Error too_old(int cc) {
  return fail(ADJ_ERROR_UNSUPPORTED,
              "{} is older than {}: kernels copy to shared memory past the registers and compute in bfloat16, which devices have from {} on", arch_name(cc),
              arch_name(kFirst), arch_name(kFirst));
}

constexpr std::uint32_t kClassicParamBytes = 4096;
constexpr std::uint32_t kLargeParamBytes = 32764;
constexpr int kLargeParamInterface = 12010;
constexpr int kEarlyLaunchInterface = 12030;

}  // namespace

std::vector<int> known_capabilities() {
  std::vector<int> list;
  for (const ArchFacts& facts : kArchs) list.push_back(facts.cc);
  return list;
}

std::string arch_name(int cc) { return fmt::format("sm_{}{}", cc, cc == 90 ? "a" : ""); }

Result<int> device_count() {
  auto api = cuda_in_this_process();
  if (!api) return 0;
  int count = 0;
  if (auto rc = (*api)->device_count(&count)) return cuda_error(**api, rc, "cuDeviceGetCount");
  return count;
}

namespace {

// False with ADJOINT_EARLY_LAUNCHES=0: kernels of real devices then begin after the one before has ended.
bool wants_early_launches() {
  const char* text = environment("ADJOINT_EARLY_LAUNCHES");
  return !text || std::string_view(text) != "0";
}

struct Devices {
  ProcessLock lock;
  std::map<int, Device> facts;  // never erased
};
constinit Lazy<Devices> devices;

// Facts of a device. Its context is null until it has been retained. The caller holds the lock.
Result<Device*> facts_of(const cu::Api& c, int ordinal) {
  auto& known = devices.get().facts;
  if (auto it = known.find(ordinal); it != known.end()) return &it->second;
  Device d;
  cu::Device handle = 0;
  if (auto rc = c.device_get(&handle, ordinal)) return cuda_error(c, rc, "cuDeviceGet");
  char name[128] = {};
  std::size_t memory = 0;
  int major = 0, minor = 0, shared = 0;
  if (auto rc = c.device_name(name, sizeof name - 1, handle)) return cuda_error(c, rc, "cuDeviceGetName");
  if (auto rc = c.device_memory(&memory, handle)) return cuda_error(c, rc, "cuDeviceTotalMem");
  for (auto [value, attribute] : {std::pair{&major, cu::kAttributeMajor},
                                  {&minor, cu::kAttributeMinor},
                                  {&shared, cu::kAttributeMaxSharedOptin},
                                  {&d.multiprocessors, cu::kAttributeMultiprocessorCount}})
    if (auto rc = c.device_attribute(value, attribute, handle)) return cuda_error(c, rc, "cuDeviceGetAttribute");
  d.ordinal = ordinal;
  d.cc = major * 10 + minor;
  d.shared_optin = static_cast<std::uint32_t>(shared);
  d.param_bytes = c.version >= kLargeParamInterface ? kLargeParamBytes : kClassicParamBytes;
  d.early_launches = d.cc >= 90 && c.version >= kEarlyLaunchInterface && wants_early_launches();
  d.memory = memory;
  d.name = name;
  d.arch = arch_name(d.cc);
  return &known.emplace(ordinal, std::move(d)).first->second;
}

}  // namespace

Result<const Device*> device_facts(int ordinal) {
  auto api = cuda_in_this_process();
  if (!api) return api.take_error();
  std::lock_guard lock(devices.get().lock);
  auto found = facts_of(**api, ordinal);
  if (!found) return found.take_error();
  return static_cast<const Device*>(*found);
}

Result<std::string> place_of(const cu::Api& api, const Device& device) {
  cu::Device handle = 0;
  if (auto rc = api.device_get(&handle, device.ordinal)) return cuda_error(api, rc, "cuDeviceGet");
  int domain = 0, bus = 0, number = 0;
  for (auto [value, attribute] : {std::pair{&domain, cu::kAttributePciDomain}, {&bus, cu::kAttributePciBus}, {&number, cu::kAttributePciDevice}})
    if (auto rc = api.device_attribute(value, attribute, handle)) return cuda_error(api, rc, "cuDeviceGetAttribute");
  return fmt::format("{:04x}:{:02x}:{:02x}", domain, bus, number);
}

Result<const Device*> device(int ordinal) {
  auto api = cuda_in_this_process();
  if (!api) return api.take_error();
  const cu::Api& c = **api;
  std::lock_guard lock(devices.get().lock);
  auto found = facts_of(c, ordinal);
  if (!found) return found.take_error();
  Device& d = **found;
  if (!d.context) {
    cu::Device handle = 0;
    if (auto rc = c.device_get(&handle, ordinal)) return cuda_error(c, rc, "cuDeviceGet");
    if (auto rc = c.primary_retain(&d.context, handle)) {
      d.context = nullptr;
      return cuda_error(c, rc, "cuDevicePrimaryCtxRetain");
    }
  }
  return &d;
}

namespace {
constinit Lazy<std::map<int, Device>> offline;
std::map<int, Device>& offline_devices() {
  return offline.get([] {
    std::map<int, Device> table;
    for (int cc = kFirst; cc <= kLast; ++cc) {
      const ArchFacts facts = facts_near(cc);
      Device d;
      d.cc = cc;
      d.multiprocessors = facts.multiprocessors;
      d.shared_optin = facts.shared_optin;
      d.param_bytes = kLargeParamBytes;
      d.early_launches = cc >= 90;
      d.arch = arch_name(cc);
      d.name = "offline " + d.arch;
      table[cc] = d;
    }
    return table;
  });
}
}  // namespace

void change_offline_devices(const std::function<void(Device&)>& change) {
  for (auto& [cc, device] : offline_devices()) change(device);
}

Result<const Device*> offline_device(int cc) {
  const std::map<int, Device>& devices = offline_devices();
  if (auto it = devices.find(cc); it != devices.end()) return &it->second;
  if (cc >= 10 && cc < kFirst) return too_old(cc);
  return unknown_arch(fmt::format("sm_{}", cc));
}

Result<int> parse_arch(std::string_view arch) {
  std::string_view digits = arch.substr(0, 3) == "sm_" ? arch.substr(3) : std::string_view{};
  if (!digits.empty() && digits.back() == 'a') digits.remove_suffix(1);
  int cc = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), cc);
  if (ec != std::errc{} || end != digits.data() + digits.size()) return unknown_arch(arch);
  auto device = offline_device(cc);
  if (device) return cc;
  return device.error().code == ADJ_ERROR_UNSUPPORTED ? device.take_error() : unknown_arch(arch);
}

adj_stream host_stream() {
  adj_stream stream;
  stream.kind = ADJ_STREAM_HOST;
  return stream;
}

bool follows_current_device(const void* cuda_stream) { return reinterpret_cast<std::uintptr_t>(cuda_stream) <= cu::kStreamPerThread; }

Result<adj_stream> wrap_stream(void* cuda_stream) {
  auto api = cuda_in_this_process();
  if (!api) return api.take_error();
  const cu::Api& c = **api;
  int ordinal = -1;
  cu::Context context = nullptr;
  const auto handle = static_cast<cu::Stream>(cuda_stream);
  if (!follows_current_device(cuda_stream)) {
    if (auto rc = c.stream_context(handle, &context)) return cuda_error(c, rc, "adj_stream_wrap: cuStreamGetCtx");
    if (auto rc = c.context_push(context)) return cuda_error(c, rc, "adj_stream_wrap: cuCtxPushCurrent");
    const auto rc = c.context_device(&ordinal);
    cu::Context ignored = nullptr;
    c.context_pop(&ignored);
    if (rc) return cuda_error(c, rc, "adj_stream_wrap: cuCtxGetDevice");
  } else {
    if (auto rc = c.context_device(&ordinal)) return cuda_error(c, rc, "adj_stream_wrap of the default stream: cuCtxGetDevice (is a context current?)");
    if (auto rc = c.context_current(&context)) return cuda_error(c, rc, "adj_stream_wrap of the default stream: cuCtxGetCurrent");
  }
  auto d = device(ordinal);
  if (!d) return d.take_error();
  if (context != (*d)->context)
    return fail(ADJ_ERROR_UNSUPPORTED,
                "adj_stream_wrap: the stream {} belongs to a context of device {} that is not its primary context; kernels "
                "are loaded for primary contexts (cuDevicePrimaryCtxRetain, or the CUDA runtime's own), and a device that was reset "
                "(cudaDeviceReset) cannot be used again in its process",
                cuda_stream, ordinal);
  adj_stream stream;
  stream.handle = cuda_stream;
  stream.kind = ADJ_STREAM_CUDA;
  stream.device = ordinal;
  stream.arch = (*d)->cc;
  return stream;
}

Result<adj_stream> offline_stream(std::string_view arch) {
  auto cc = parse_arch(arch);
  if (!cc) return cc.take_error();
  adj_stream stream;
  stream.kind = ADJ_STREAM_OFFLINE;
  stream.arch = *cc;
  return stream;
}

Result<const Device*> stream_device(const adj_stream& stream) {
  switch (stream.kind) {
    case ADJ_STREAM_HOST: return static_cast<const Device*>(nullptr);
    case ADJ_STREAM_OFFLINE: return offline_device(stream.arch);
    case ADJ_STREAM_CUDA: return device(stream.device);
    default:
      return fail(ADJ_ERROR_INVALID_ARGUMENT, "stream.kind = {} is not a stream kind; use adj_stream_host, adj_stream_wrap or adj_stream_offline", stream.kind);
  }
}

ContextScope::ContextScope(const cu::Api& api, const Device& device) : api_(api), result_(api.context_push(device.context)) {}
ContextScope::~ContextScope() {
  cu::Context ignored = nullptr;
  if (result_ == cu::kSuccess) api_.context_pop(&ignored);
}

RelaxedCapture::RelaxedCapture(const cu::Api& api) : api_(api), changed_(api.exchange_capture_mode(&mode_) == cu::kSuccess) {}
RelaxedCapture::~RelaxedCapture() {
  if (changed_) api_.exchange_capture_mode(&mode_);
}

}  // namespace adj
