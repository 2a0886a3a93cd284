#include "plan/scratch.hpp"

#include <algorithm>
#include <cstring>

#include "base/dtype.hpp"

namespace adj {

namespace {

constexpr std::uint64_t kPatternBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostScalar = 16;  // bytes of a scalar or of the state of a generator in memory
constexpr std::uint64_t kFlushFactor = 3;  // times the size of the level-2 cache
// Flushes before each run. They must last until the host has issued the run, or its delay counts as device time. An H200 takes 40 us for one flush; with
// a single one, a convolution of 47 us was chosen where cuDNN has one of 31.
constexpr int kFlushes = 6;

// Numbers without order, the same in every process.
class Random {
 public:
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  double number() { return 0.25 + 0.75 * static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_ = 1;
};

template <class T>
void write(std::vector<std::byte>& bytes, std::size_t i, T value) {
  std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
}

// Contents of a pattern. Integers of 32 and 64 bits need a limit; others are any bits, and booleans 0 or 1.
std::vector<std::byte> contents(adj_dtype dtype, std::int64_t below) {
  std::vector<std::byte> bytes(kPatternBytes);
  Random random;
  const std::size_t count = kPatternBytes / size_of(dtype);
  const bool number = with_float(dtype, [&]<class T>(T*) {
    for (std::size_t i = 0; i < count; ++i) write(bytes, i, from_double<T>(random.number()));
  });
  if (number) return bytes;
  with_integer(dtype, [&]<class T>(T*) {
    const std::uint64_t limit = dtype == ADJ_BOOL ? 2 : static_cast<std::uint64_t>(below);
    for (std::size_t i = 0; i < count; ++i) write(bytes, i, static_cast<T>(limit ? random.next() % limit : random.next()));
  });
  return bytes;
}

// The value of a scalar argument.
double value_of(const ArgumentSpec& spec) { return spec.any_float || is_float(spec.dtype) ? 0.5 : 1; }

}  // namespace

Scratch::~Scratch() {
  if (stream_) api_.stream_synchronize(stream_);
  if (start_) api_.event_destroy(start_);
  if (stop_) api_.event_destroy(stop_);
  if (memory_) api_.mem_free(memory_);
  if (stream_) api_.stream_destroy(stream_);
}

std::uint64_t Scratch::book(std::uint64_t bytes) {
  const std::uint64_t offset = total_;
  total_ = align_workspace(total_ + bytes);
  return offset;
}

std::size_t Scratch::pattern_of(adj_dtype dtype, std::int64_t below) {
  for (std::size_t i = 0; i < patterns_.size(); ++i)
    if (patterns_[i].dtype == dtype && patterns_[i].below == below) return i;
  patterns_.push_back({dtype, below, book(kPatternBytes)});
  return patterns_.size() - 1;
}

// Books memory for every argument. Returns why the arguments cannot be made.
std::string Scratch::lay_out(const Plan& plan) {
  const OpInfo& op = *plan.op;
  host_.resize(op.arguments.size());
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const ArgumentInfo& info = op.arguments[i];
    const ArgumentSpec& spec = plan.specs[i];
    if (spec.presence != Presence::required) continue;
    if (info.kind == ArgumentKind::handle) return fmt::format("{} is an object of the caller", info.name);
    if (info.kind == ArgumentKind::scalar || info.kind == ArgumentKind::random) {
      const bool number = info.kind == ArgumentKind::scalar && is_float(spec.dtype);
      if (spec.device_only)
        blocks_.push_back({i, 0, book(kMostScalar), number ? size_of(spec.dtype) : kMostScalar, number ? pattern_of(spec.dtype, 0) : kZeros, true});
      continue;
    }
    if (info.space == Space::host) {
      host_[i].resize(spec.bytes);
      continue;
    }
    std::size_t pattern = kZeros;
    if (spec.role != Role::out) {
      std::int64_t below = 0;
      if (is_index(spec.dtype)) {
        below = op.integers_below ? op.integers_below(plan.descriptor.get(), static_cast<int>(i)) : 0;
        if (below <= 0) return fmt::format("the time depends on what the integers in {} are", info.name);
      }
      pattern = pattern_of(spec.dtype, below);
    }
    const bool again = spec.role == Role::inout;
    if (info.kind == ArgumentKind::tensor) {
      blocks_.push_back({i, 0, book(spec.bytes), spec.bytes, pattern, again});
      continue;
    }
    for (std::size_t k = 0; k < spec.numel.size(); ++k) {
      const std::uint64_t bytes = static_cast<std::uint64_t>(spec.numel[k]) * size_of(spec.dtype);
      blocks_.push_back({i, k, book(bytes), bytes, pattern, again});
    }
  }
  return {};
}

Result<std::string> Scratch::open(const Plan& plan, std::uint64_t workspace) {
  std::string problem = lay_out(plan);
  if (!problem.empty()) return problem;
  const std::uint64_t workspace_offset = book(workspace);
  int cache = 0;
  if (auto rc = api_.device_attribute(&cache, cu::kAttributeL2Bytes, device_.ordinal)) return cuda_error(api_, rc, "cuDeviceGetAttribute");
  flush_bytes_ = kFlushFactor * static_cast<std::uint64_t>(std::max(cache, 1));
  flush_ = book(flush_bytes_);
  const auto no_memory = [&] { return fmt::format("{} bytes of device memory are needed for the measurement and cannot be had", total_); };
  if (total_ > device_.memory) return no_memory();
  if (auto rc = api_.mem_alloc(&memory_, total_)) {
    memory_ = 0;
    if (rc == cu::kErrorOutOfMemory) return no_memory();
    return cuda_error(api_, rc, "cuMemAlloc");
  }
  if (auto rc = api_.stream_create(&stream_, cu::kStreamNonBlocking)) return stream_ = nullptr, cuda_error(api_, rc, "cuStreamCreate");
  if (auto rc = api_.event_create(&start_, cu::kEventDefault)) return start_ = nullptr, cuda_error(api_, rc, "cuEventCreate");
  if (auto rc = api_.event_create(&stop_, cu::kEventDefault)) return stop_ = nullptr, cuda_error(api_, rc, "cuEventCreate");
  for (const Pattern& pattern : patterns_) {
    const std::vector<std::byte> host = contents(pattern.dtype, pattern.below);
    if (auto rc = api_.memcpy_htod_async(at(pattern.offset), host.data(), host.size(), stream_)) return cuda_error(api_, rc, "cuMemcpyHtoDAsync");
    if (auto rc = api_.stream_synchronize(stream_)) return cuda_error(api_, rc, "cuStreamSynchronize");
  }
  for (const Block& block : blocks_)
    if (auto ok = fill(block); !ok) return ok.take_error();
  workspace_ = {workspace ? reinterpret_cast<void*>(at(workspace_offset)) : nullptr, workspace};
  bind_arguments(plan);
  // What the calls of this operator refuse is not measured.
  if (auto ok = can_implement(plan, reinterpret_cast<const adj_header*>(args_.data())); !ok) return ok.error().message;
  return std::string();
}

Result<void> Scratch::fill(const Block& block) const {
  if (block.bytes == 0) return {};
  if (block.pattern == kZeros) {
    // An output; or an integer or the state of a generator, which becomes 1.
    if (auto rc = api_.memset_d8_async(at(block.offset), 0, block.bytes, stream_)) return cuda_error(api_, rc, "cuMemsetD8Async");
    if (!block.again) return {};
    if (auto rc = api_.memset_d8_async(at(block.offset), 1, 1, stream_)) return cuda_error(api_, rc, "cuMemsetD8Async");
    return {};
  }
  cu::DevicePtr from = at(patterns_[block.pattern].offset);
  for (std::uint64_t done = 0, piece = kPatternBytes; done < block.bytes; done += piece) {
    if (done) from = at(block.offset), piece = done;  // what is filled doubles
    piece = std::min(piece, block.bytes - done);
    if (auto rc = api_.memcpy_dtod_async(at(block.offset) + done, from, piece, stream_)) return cuda_error(api_, rc, "cuMemcpyDtoDAsync");
  }
  return {};
}

void Scratch::bind_arguments(const Plan& plan) {
  const OpInfo& op = *plan.op;
  args_.assign((op.args_size + 7) / 8, 0);
  auto* const base = reinterpret_cast<std::byte*>(args_.data());
  std::memcpy(base, op.default_args, op.args_size);
  pointers_.assign(op.arguments.size(), {});
  capacities_.assign(op.arguments.size(), {});
  std::vector<void*> only(op.arguments.size());
  for (const Block& block : blocks_) {
    void* const address = reinterpret_cast<void*>(at(block.offset));
    only[block.argument] = address;
    pointers_[block.argument].push_back(address);
    capacities_[block.argument].push_back(block.bytes);
  }
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const ArgumentSpec& spec = plan.specs[i];
    if (spec.presence != Presence::required) continue;
    std::byte* const to = base + op.arguments[i].offset;
    switch (op.arguments[i].kind) {
      case ArgumentKind::tensor: {
        adj_tensor tensor;
        tensor.data = op.arguments[i].space == Space::host ? host_[i].data() : only[i];
        tensor.bytes = spec.bytes;
        tensor.dtype = spec.dtype;
        std::memcpy(to, &tensor, sizeof tensor);
        break;
      }
      case ArgumentKind::list: {
        adj_tensor_list list;
        list.count = static_cast<std::int64_t>(pointers_[i].size());
        list.dtype = spec.dtype;
        list.data = pointers_[i].data();
        list.bytes = capacities_[i].data();
        std::memcpy(to, &list, sizeof list);
        break;
      }
      case ArgumentKind::scalar: {
        adj_scalar scalar;
        scalar.value = value_of(spec);
        scalar.device = only[i];
        scalar.dtype = only[i] ? spec.dtype : ADJ_DTYPE_NONE;
        std::memcpy(to, &scalar, sizeof scalar);
        break;
      }
      case ArgumentKind::random: {
        const adj_random random{.seed = 1, .offset = 0, .device = static_cast<const std::uint64_t*>(only[i])};
        std::memcpy(to, &random, sizeof random);
        break;
      }
      case ArgumentKind::handle: break;
    }
  }
}

Result<double> Scratch::time(const Plan& plan, std::optional<Error>& failure) {
  failure.reset();
  for (const Block& block : blocks_)
    if (block.again)
      if (auto ok = fill(block); !ok) return ok.take_error();
  for (int i = 0; i < kFlushes; ++i)
    if (auto rc = api_.memset_d8_async(at(flush_), ++round_, flush_bytes_, stream_)) return cuda_error(api_, rc, "cuMemsetD8Async");
  adj_stream stream = plan.stream;
  stream.handle = stream_;
  if (auto rc = api_.event_record(start_, stream_)) return cuda_error(api_, rc, "cuEventRecord");
  if (auto ran = run_plan(plan, stream, workspace_, reinterpret_cast<const adj_header*>(args_.data())); !ran) {
    failure = ran.take_error();
    return 0.0;
  }
  if (auto rc = api_.event_record(stop_, stream_)) return cuda_error(api_, rc, "cuEventRecord");
  if (auto rc = api_.event_synchronize(stop_)) return cuda_error(api_, rc, "cuEventSynchronize");
  float ms = 0;
  if (auto rc = api_.event_elapsed(&ms, start_, stop_)) return cuda_error(api_, rc, "cuEventElapsedTime");
  return static_cast<double>(ms) * 1e3;
}

}  // namespace adj
