// adjoint doctor: says which parts of the library can run on this machine, and how to get the missing ones.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "abi.hpp"
#include "commands.hpp"
#include "jit/kernel_sources.hpp"
#include "known_faults.hpp"
#include "output.hpp"
#include "pack.hpp"
#include "plan/verdicts.hpp"
#include "probes.hpp"
#include "words.hpp"

namespace {

using namespace cli;

constexpr const char* kDriver = "CUDA driver";
constexpr const char* kNvrtc = "NVRTC";

struct Device {
  std::int64_t ordinal;
  adj_device_info info;
  std::string arch;     // a copy: the string of `info` lasts until the next device is asked for
  std::string problem;  // why the device does not answer, or why no kernel runs on it; else empty
};

struct Pack {
  std::string path, problem;
};

struct Verdict {
  bool usable;
  std::string because;
};

struct Examination {
  std::vector<adj_library_info> libraries;
  std::vector<Device> devices;
  std::vector<Pack> packs;
  adj_cache_info cache;
  std::string cache_problem;
  std::string sources_problem;        // why no kernel, or not every kernel, can be compiled from the present sources
  std::vector<std::string> warnings;  // of the library, such as a cache of another user
  Verdict host, gpu;
  std::vector<Probe> probes;          // of the first device on which kernels run

  const adj_library_info* library(std::string_view name) const {
    for (const adj_library_info& l : libraries)
      if (name == l.name) return &l;
    return nullptr;
  }
};

// Runs a small lookup on ordinary memory and compares every element.
Verdict examine_host() {
  try {
    adj_embedding_forward_descriptor descriptor;
    descriptor.num_embeddings = 3;
    descriptor.embedding_dim = 2;
    descriptor.num_indices = 2;
    descriptor.element = ADJ_F32;
    descriptor.index = ADJ_I64;
    std::array<float, 6> weight{0, 1, 2, 3, 4, 5};
    std::array<std::int64_t, 2> indices{2, 0};
    std::array<float, 4> out{};
    adj_embedding_forward_args args;
    auto fill = [](adj_tensor& tensor, auto& data, adj_dtype dtype) {
      tensor.data = data.data();
      tensor.bytes = sizeof data;
      tensor.dtype = dtype;
    };
    fill(args.weight, weight, ADJ_F32);
    fill(args.indices, indices, ADJ_I64);
    fill(args.out, out, ADJ_F32);
    const adj_stream stream = adj_stream_host();
    adj_plan* raw = nullptr;
    check(adj_plan_select(&stream, &descriptor.header, nullptr, &raw, nullptr));
    const PlanPtr plan(raw);
    std::vector<std::byte> memory(adj_plan_workspace_size(raw) + 256);
    void* aligned = memory.data();
    std::size_t space = memory.size();
    const adj_workspace workspace{std::align(256, adj_plan_workspace_size(raw), aligned, space), adj_plan_workspace_size(raw)};
    check(adj_plan_run(raw, &stream, &workspace, &args.header));
    if (out != std::array<float, 4>{4, 5, 0, 1}) return {false, "embedding_forward gave a wrong result"};
    return {true, "embedding_forward ran and is right"};
  } catch (const Refused& e) { return {false, e.what()}; }
}

std::vector<Device> examine_devices() {
  std::vector<Device> devices;
  const std::vector<adj_sku_info> skus = all_skus();
  const std::int64_t count = adj_device_count();
  for (std::int64_t i = 0; i < count; ++i) {
    Device device{i, {}, {}, {}};
    if (adj_device_get(i, &device.info) != ADJ_OK) {
      device.problem = adj_last_error();
    } else {
      device.arch = device.info.arch;
      const int capability = device.info.compute_capability;
      if (std::none_of(skus.begin(), skus.end(), [=](const adj_sku_info& sku) { return runs_on(sku, capability); }))
        device.problem = fmt::format("no kernel is made for {}", device.arch);
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

std::string pack_problem(const std::string& path) {
  try {
    read_pack(path);
    return "";
  } catch (const Refused& e) { return e.what(); }
}

// Reads the packs of ADJOINT_PACK and reports problems; the library itself only logs them, at the first select.
std::vector<Pack> examine_packs() {
  std::vector<Pack> packs;
  const char* paths = std::getenv("ADJOINT_PACK");
  for (const std::string& path : split(paths ? paths : "", ':'))
    if (!path.empty()) packs.push_back({path, pack_problem(path)});
  return packs;
}

// The library makes the cache's directory when it has something to store.
std::string cache_problem(const adj_cache_info& cache) {
  if (*cache.problem || !*cache.directory) return cache.problem;
  std::error_code ec;
  std::filesystem::path place = cache.directory;
  while (!std::filesystem::exists(place, ec) && place.has_relative_path()) place = place.parent_path();
  if (place == cache.directory) return "";
  std::string probe = (place / "adjoint-XXXXXX").string();
  if (::mkdtemp(probe.data())) return ::rmdir(probe.c_str()), "";
  return fmt::format("nothing can be made in '{}' ({}), so that every process compiles anew", place.string(), std::strerror(errno));
}

// The first kernel source of this version that ADJOINT_KERNEL_DIR lacks, or what else is wrong with the sources.
std::string sources_problem() {
  for (const adj::EmbeddedFile& file : adj::embedded_files())
    if (std::string_view(file.name).ends_with(".cu"))
      if (const auto found = adj::kernel_sources().find(file.name); !found) return found.error().message;
  return "";
}

Verdict judge_gpu(const Examination& e) {
  if (adj::kernel_sources().problem) return {false, e.sources_problem};
  const adj_library_info* driver = e.library(kDriver);
  if (driver && !driver->available) return {false, driver->problem};
  const Device* usable = nullptr;
  for (const Device& device : e.devices)
    if (!usable && device.problem.empty()) usable = &device;
  if (e.devices.empty()) return {false, "the driver reports no device"};
  if (!usable) return {false, e.devices.front().problem};
  const std::string where = fmt::format("{} ({})", usable->info.name, usable->arch);
  const adj_library_info* nvrtc = e.library(kNvrtc);
  const bool newer = nvrtc && nvrtc->available && driver && std::atoi(nvrtc->version) > std::atoi(driver->version);
  if (nvrtc && nvrtc->available && !newer) return {true, fmt::format("{}, kernels compiled by NVRTC {}", where, nvrtc->version)};
  for (const Pack& pack : e.packs)
    if (pack.problem.empty())
      return {true, fmt::format("{}, but only with the kernels of the packs: {}", where, newer ? "NVRTC is newer than the driver" : "there is no NVRTC")};
  if (newer)
    return {false, fmt::format("NVRTC {} is newer than the driver (CUDA {}), which loads code of NVRTC {} and older; install NVRTC {}, or a newer driver",
                               nvrtc->version, driver->version, std::atoi(driver->version), std::atoi(driver->version))};
  return {false, fmt::format("kernels for {} can come neither from a pack nor from NVRTC: {}", where, nvrtc ? nvrtc->problem : "it is unknown")};
}

std::vector<Probe> probe_first(const std::vector<Device>& devices) {
  for (const Device& device : devices) {
    if (!device.problem.empty()) continue;
    try {
      return probe_device(static_cast<int>(device.ordinal));
    } catch (const std::exception& e) { return {{"problems that libraries are known to compute wrongly", false, e.what()}}; }
  }
  return {};
}

Examination examine() {
  Examination e;
  adj_set_log(
      [](void* to, std::int32_t level, const char* message) {
        if (level > 0) static_cast<std::vector<std::string>*>(to)->emplace_back(message);
      },
      &e.warnings);
  e.libraries = get_all(adj_library_count, adj_library_get);
  e.devices = examine_devices();
  e.cache = get<adj_cache_info>(adj_cache_stat);
  e.cache_problem = cache_problem(e.cache);
  e.sources_problem = sources_problem();
  e.packs = examine_packs();
  adj::has_loaded_verdicts();  // the library reads the files of ADJOINT_TUNING at the first select on a device, and warns of those that it cannot read
  e.host = examine_host();
  e.gpu = judge_gpu(e);
  if (e.gpu.usable) e.probes = probe_first(e.devices);
  adj_set_log(nullptr, nullptr);
  return e;
}

std::string interface_text() {
  std::uint32_t major = 0, minor = 0;
  adj_abi_version(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

// Faults of a library that can be used here.
std::vector<std::pair<const adj_library_info*, const KnownFault*>> faults_of(const Examination& e) {
  std::vector<std::pair<const adj_library_info*, const KnownFault*>> found;
  for (const adj_library_info& library : e.libraries)
    for (const KnownFault& fault : known_faults())
      if (library.available && fault.is_in(library.name, library.version)) found.emplace_back(&library, &fault);
  return found;
}

std::string versions_text(const KnownFault& fault) {
  const auto text = [](const LibraryVersion& v) { return fmt::format("{}.{}", v[0], v[1]) + (v[2] && v[2] != kAnyPatch ? fmt::format(".{}", v[2]) : ""); };
  return fault.last == kAnyLater ? fmt::format("{} and later", text(fault.first)) : fmt::format("{} to {}", text(fault.first), text(fault.last));
}

Json verdict_json(const Verdict& v) { return {{"usable", v.usable}, {"because", v.because}}; }

void print_as_json(const Examination& e) {
  auto or_null = [](std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); };
  Json object{{"version", adj_version()}, {"interface", interface_text()}};
  object["libraries"] = Json::array();
  for (const adj_library_info& l : e.libraries)
    object["libraries"].push_back(
        {{"name", l.name}, {"available", l.available != 0}, {"version", or_null(l.version)}, {"path", or_null(l.path)}, {"problem", or_null(l.problem)}});
  object["devices"] = Json::array();
  for (const Device& d : e.devices)
    object["devices"].push_back({{"ordinal", d.ordinal},
                                 {"name", d.info.name ? Json(d.info.name) : Json(nullptr)},
                                 {"arch", or_null(d.arch)},
                                 {"memory", d.info.memory},
                                 {"multiprocessors", d.info.multiprocessors},
                                 {"problem", or_null(d.problem)}});
  object["cache"] = {{"directory", or_null(e.cache.directory)}, {"problem", or_null(e.cache_problem)}, {"entries", e.cache.entries}, {"bytes", e.cache.bytes}};
  object["kernel_sources"] = {
      {"directory", or_null(adj::kernel_sources().directory)}, {"line_info", adj::kernel_sources().line_info}, {"problem", or_null(e.sources_problem)}};
  object["packs"] = Json::array();
  for (const Pack& p : e.packs) object["packs"].push_back({{"path", p.path}, {"usable", p.problem.empty()}, {"problem", or_null(p.problem)}});
  object["probes"] = Json::array();
  for (const Probe& p : e.probes) object["probes"].push_back({{"name", p.name}, {"right", p.right}, {"because", p.because}});
  object["known_faults"] = Json::array();
  for (const auto& [library, fault] : faults_of(e))
    object["known_faults"].push_back({{"library", library->name}, {"version", library->version}, {"what", fault->what}, {"remedy", fault->remedy}});
  object["warnings"] = e.warnings;
  object["host"] = verdict_json(e.host);
  object["gpu"] = verdict_json(e.gpu);
  print_json(object);
}

void print(const Examination& e) {
  auto mark = [](bool good) { return good ? styled("yes", Style::good) : styled("no ", Style::bad); };
  auto title = [](const char* text) { fmt::print("{}\n", styled(text, Style::strong)); };
  fmt::print("adjoint {}, interface {}\n", adj_version(), interface_text());
  title("libraries");
  for (const adj_library_info& l : e.libraries) {
    fmt::print("  {} {:<12}", mark(l.available != 0), l.name);
    if (l.available) fmt::print(" {} at {}\n", l.version, l.path);
    else fmt::print(" {}\n", l.problem);
  }
  title("devices");
  for (const Device& d : e.devices) {
    fmt::print("  {} {}: ", mark(d.problem.empty()), d.ordinal);
    if (!d.arch.empty()) fmt::print("{}, {}, {} multiprocessors, {}", d.info.name, d.arch, d.info.multiprocessors, bytes_text(d.info.memory));
    fmt::print("{}{}\n", d.arch.empty() || d.problem.empty() ? "" : ": ", d.problem);
  }
  if (e.devices.empty()) fmt::print("  none\n");
  title("disk cache");
  const bool on = *e.cache.directory != '\0';
  fmt::print("  {} ", mark(on && (e.cache_problem.empty() || *e.cache.problem)));
  if (on) fmt::print("{}, {} of at most {}", e.cache.directory, bytes_text(e.cache.bytes), bytes_text(e.cache.limit));
  else fmt::print("off");
  fmt::print("{}{}\n", e.cache_problem.empty() ? "" : ": ", e.cache_problem);
  title("kernel sources");
  const adj::KernelSources& sources = adj::kernel_sources();
  fmt::print("  {} {}{}{}\n", mark(e.sources_problem.empty()), sources.directory.empty() ? "embedded" : sources.directory,
             sources.line_info ? ", compiled with line information" : "", e.sources_problem.empty() ? "" : ": " + e.sources_problem);
  title("packs");
  for (const Pack& p : e.packs) fmt::print("  {} {}{}\n", mark(p.problem.empty()), p.path, p.problem.empty() ? "" : ": " + p.problem);
  if (e.packs.empty()) fmt::print("  none in ADJOINT_PACK\n");
  if (!e.probes.empty()) title("problems that versions of libraries compute wrongly");
  for (const Probe& p : e.probes) fmt::print("  {} {}: {}\n", mark(p.right), p.name, p.because);
  const auto faults = faults_of(e);
  if (!faults.empty()) title("known faults of these versions");
  for (const auto& [library, fault] : faults) fmt::print("  {} {}: {}; {}\n", library->name, library->version, fault->what, fault->remedy);
  if (!e.warnings.empty()) title("warnings");
  for (const std::string& warning : e.warnings) fmt::print("  {}\n", warning);
  title("what can run here");
  fmt::print("  {} host backend: {}\n", mark(e.host.usable), e.host.because);
  fmt::print("host: {}, GPU: {}\n", e.host.usable ? "yes" : fmt::format("no because {}", e.host.because),
             e.gpu.usable ? fmt::format("yes, {}", e.gpu.because) : fmt::format("no because {}", e.gpu.because));
}

void list_faults(bool json) {
  Json rows = Json::array();
  Table table({{"LIBRARY"}, {"VERSIONS"}, {"FAULT"}, {"HERE"}});
  for (const KnownFault& fault : known_faults()) {
    rows.push_back({{"library", fault.library}, {"versions", versions_text(fault)}, {"what", fault.what}, {"remedy", fault.remedy}});
    table.add({fault.library, versions_text(fault), fault.what, fault.remedy});
  }
  if (json) print_json(rows);
  else table.print();
}

void doctor(bool json) {
  const Examination e = examine();
  if (json) print_as_json(e);
  else print(e);
  if (!e.host.usable) throw Refused(ADJ_ERROR_BACKEND_UNAVAILABLE, fmt::format("the host backend does not work: {}", e.host.because));
}

}  // namespace

void add_doctor(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("doctor", "what can run on this machine, what is missing and how to get it");
  auto json = std::make_shared<bool>(false);
  auto faults = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "a JSON object");
  command.add_flag("--faults", *faults, "only list the faults that versions of NVIDIA's libraries are known to have, whatever is installed");
  command.footer(
      "Libraries are looked for in ADJOINT_LIBRARY_PATH, by the loader, in NVIDIA's wheels beside the library, then in CUDA_HOME, CUDA_PATH,\n"
      "CONDA_PREFIX and /usr/local/cuda.\n"
      "Exits with 0 when the host backend works, whatever GPU there is.");
  command.callback([json, faults] { *faults ? list_faults(*json) : doctor(*json); });
}
