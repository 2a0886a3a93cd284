// Search of a program's code: packs, the disk, then the compiler.
#include <algorithm>
#include <optional>

#include "base/log.hpp"
#include "driver/trace.hpp"
#include "jit/kernel_sources.hpp"
#include "jit/search.hpp"

namespace adj {

namespace {

// Largest major version of NVRTC whose code is of use. A device: what the driver loads. None: what this machine's NVRTC makes, or any known one.
int newest_major(const Device* device) {
  if (device) return driver_interface() / 1000;
  int newest = std::max(kNewestNvrtcMajor, driver_interface() / 1000);
  if (auto library = nvrtc()) newest = std::max(newest, (*library)->major);
  return newest;
}

}  // namespace

Result<Image> Program::image(int cc, adj_jit_policy policy) const {
  if (!given_.bytes.empty()) return given_;
  const LogHold hold;
  auto found = find(cc, policy, {});
  if (!found) return found.take_error();
  if (found->image.from == Found::compiled) disk_cache().put(entry_key(found->key, major_of(found->image)), found->image);
  return std::move(found->image);
}

Result<Program::Candidate> Program::find(int cc, adj_jit_policy policy, const Search& search) const {
  const auto checked = [&]() -> Result<Candidate> {
    auto found = find_or_compile(cc, policy, search);
    if (found && check_)
      if (auto ok = check_(found->image); !ok) return ok.take_error();
    return found;
  };
  if (!trace::wants(trace::kCompile | trace::kNvtx)) return checked();
  const trace::Span span(name().c_str());
  auto found = checked();
  if (trace::wants(trace::kCompile))
    trace::write_line([&] {
      const std::string answer = found ? fmt::format("from={} bytes={}", found_name(found->image.from), found->image.bytes.size())
                                       : fmt::format("error={}", status_name(found.error().code));
      return fmt::format("compile {} {} arch={} -- {}", span.time(), answer, arch_name(cc), name());
    });
  return found;
}

Result<Program::Candidate> Program::find_or_compile(int cc, adj_jit_policy policy, const Search& search) const {
  if (!file()) return kernel_sources().find(source_).take_error();
  std::string source_key = key(cc, kernel_sources().files);
  const int newest = newest_major(search.device);
  if (search.packs)
    if (auto image = find_in_packs(source_key, newest)) {
      image->from = Found::pack;
      ++counters.pack_hits;
      return Candidate{std::move(*image), std::move(source_key)};
    }
  auto unavailable = [&](const std::string& why) {
    if (own_.name) return fail(ADJ_ERROR_BACKEND_UNAVAILABLE, "{} is not compiled for {} and {}; a cubin of it needs no compiler", name(), arch_name(cc), why);
    return fail(ADJ_ERROR_BACKEND_UNAVAILABLE,
                "{} is not compiled for {} and {}; build it with: adjoint sku compile --arch {} -o FILE, then load FILE "
                "with adj_pack_load or ADJOINT_PACK",
                name(), arch_name(cc), why, arch_name(cc));
  };
  if (policy == ADJ_JIT_PACKS_ONLY) return unavailable("the preference allows packs only");

  // Newest compiler first; without a device, that of this machine first. PTX was stored because no NVRTC knew the device: it is compiled again
  // when the present NVRTC does.
  auto from_disk = [&]() -> std::optional<Image> {
    std::vector<int> majors;
    if (auto library = search.device ? Result<const cu::NvrtcApi*>(nullptr) : nvrtc(); library && *library) majors.push_back((*library)->major);
    for (int major = newest; major >= kOldestNvrtcMajor; --major)
      if (majors.empty() || majors.front() != major) majors.push_back(major);
    for (const int major : majors) {
      if (search.without.contains(major)) continue;
      auto image = disk_cache().get(entry_key(source_key, major));
      if (!image) continue;
      if (image->ptx)
        if (auto library = nvrtc(); library && knows(**library, cc)) continue;
      image->from = Found::disk;
      ++counters.disk_hits;
      return image;
    }
    return std::nullopt;
  };
  if (auto image = from_disk()) return Candidate{std::move(*image), std::move(source_key)};
  if (policy == ADJ_JIT_CACHED_ONLY) return unavailable("the preference allows no compilation");
  if (auto library = nvrtc(); !library) return unavailable(fmt::format("cannot be compiled: {}", library.error().message));

  DiskCache::Lock lock = disk_cache().lock(source_key);
  if (auto image = from_disk()) return Candidate{std::move(*image), std::move(source_key)};  // another process was faster
  auto image = compile(cc);
  if (!image) return image.take_error();
  return Candidate{std::move(*image), std::move(source_key), std::move(lock)};
}

}  // namespace adj
