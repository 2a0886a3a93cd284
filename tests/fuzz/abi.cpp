// The C interface under arbitrary calls, on the host stream and on offline devices. Descriptors, preferences, arguments and structure headers
// have any content; buffers have exactly the capacity that they claim. A refused call must say why and leave every buffer as it was; an
// accepted call must stay inside its buffers.
#include <fuzzer/FuzzedDataProvider.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <vector>

#include "adjoint.h"
#include "plan/plan.hpp"

namespace {

constexpr std::uint64_t kMostBytes = 1 << 16;  // of one buffer
constexpr std::size_t kLargestStruct = 1 << 16;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, adj_last_error());
  std::abort();
}
void expect(bool holds, const char* what) {
  if (!holds) fail(what);
}

// True for ADJ_OK. Checks that the status is known and that a failure has a sentence.
bool succeeded(adj_status status) {
  expect(std::strcmp(adj_status_name(status), "unknown_status") != 0 && status != ADJ_ERROR_INTERNAL, "status");
  if (status != ADJ_OK) expect(std::strlen(adj_last_error()) > 10, "no sentence");
  return status == ADJ_OK;
}

struct Input {
  FuzzedDataProvider data;
  Input(const std::uint8_t* bytes, std::size_t size) : data(bytes, size) {}

  bool rarely() { return data.ConsumeIntegral<std::uint8_t>() > 240; }
  std::int64_t extent() {
    if (!rarely()) return data.ConsumeIntegralInRange<std::int64_t>(0, 9);
    constexpr std::int64_t kInteresting[] = {-1,        31,       255, 1025, 1 << 20, (std::int64_t{1} << 31) - 1, std::int64_t{1} << 31, std::int64_t{1} << 59,
                                             INT64_MAX, INT64_MIN};
    return data.ConsumeBool() ? data.PickValueInArray(kInteresting) : data.ConsumeIntegral<std::int64_t>();
  }
  adj_dtype dtype() {
    constexpr adj_dtype kKnown[] = {ADJ_DTYPE_NONE, ADJ_F32, ADJ_F64, ADJ_F16, ADJ_BF16, ADJ_I32, ADJ_I64, ADJ_U8};
    return rarely() ? static_cast<adj_dtype>(data.ConsumeIntegral<std::int32_t>()) : data.PickValueInArray(kKnown);
  }
};

// Structure with room for any size that its header may claim. The header is usually right.
class Structure {
 public:
  Structure(std::uint64_t size, adj_tag tag) : bytes_((kLargestStruct + sizeof(adj_header)) / 8) { header() = {size, tag, 0, nullptr}; }
  adj_header& header() { return *reinterpret_cast<adj_header*>(bytes_.data()); }
  std::byte* at(std::size_t offset) { return reinterpret_cast<std::byte*>(bytes_.data()) + offset; }
  template <class T>
  void set(std::size_t offset, const T& value) {
    std::memcpy(at(offset), &value, sizeof value);
  }
  // Spoils the header, rarely. A size above 64 KiB must be refused unread.
  void spoil(Input& in) {
    if (!in.rarely()) return;
    switch (in.data.ConsumeIntegralInRange(0, 5)) {
      case 0: header().struct_size = in.data.ConsumeIntegralInRange<std::uint64_t>(0, kLargestStruct + 1); break;
      case 1: header().tag = in.data.ConsumeIntegral<adj_tag>(); break;
      case 2: header().reserved = in.data.ConsumeIntegral<std::uint32_t>(); break;
      case 3: header().next = &chained_; break;
      case 4: header().struct_size += 8; break;
      default:  // a member that the library does not know; a byte inside might be one of an address
        set(header().struct_size + in.data.ConsumeIntegralInRange<std::size_t>(0, 7), in.data.ConsumeIntegral<std::uint8_t>());
        header().struct_size += 8;
        break;
    }
  }

 private:
  std::vector<std::uint64_t> bytes_;
  adj_header chained_;
};

// Memory of exactly the claimed size, so that AddressSanitizer sees accesses beyond it.
struct Buffer {
  std::unique_ptr<std::byte, decltype(&std::free)> memory{nullptr, &std::free};
  std::uint64_t bytes = 0, shift = 0;
  std::vector<std::byte> before;

  std::byte* data() const { return memory.get() + shift; }
  void make(Input& in, std::uint64_t size) {
    bytes = size;
    shift = in.rarely() ? 1 : 0;
    memory.reset(static_cast<std::byte*>(std::malloc(size + shift + (size == 0))));
    const auto content = in.data.ConsumeBytes<std::uint8_t>(in.data.ConsumeBool() ? 32 : 1);
    for (std::uint64_t i = 0; i < size; ++i) data()[i] = content.empty() ? std::byte{} : static_cast<std::byte>(content[i % content.size()]);
  }
  void remember() { before.assign(data(), data() + bytes); }
  bool untouched() const { return bytes == 0 || std::memcmp(before.data(), data(), bytes) == 0; }
};

class Call {
 public:
  Call(Input& in, const adj::OpInfo& op)
      : in_(in), op_(op), descriptor_(op.descriptor_size, ADJ_DESCRIPTOR_TAG(op.id)), args_(op.args_size, ADJ_ARGS_TAG(op.id)) {
    expect(adj_op_descriptor_init(op.id, descriptor_.at(0), kLargestStruct) == ADJ_OK, "descriptor_init");
    // Two passes: the length of a list or of bytes, itself a field, is set with the list.
    for (const adj::Field& field : op.fields) set(field);
    for (const adj::Field& field : op.fields)
      if (field.kind == adj::kFieldI64List) set_list(field);
      else if (field.kind == adj::kFieldBytes) set_bytes(field);
    descriptor_.spoil(in);
  }

  void run() {
    adj_stream stream = choose_stream();
    adj_preference preference;
    const adj_preference* given = nullptr;
    if (in_.rarely()) {
      preference.determinism = static_cast<adj_determinism>(in_.data.ConsumeIntegralInRange(-1, 5));
      preference.math = static_cast<adj_math>(in_.data.ConsumeIntegralInRange(-1, 3));
      preference.workspace_limit = in_.data.ConsumeIntegral<std::uint64_t>();
      glob_ = in_.data.ConsumeRandomLengthString(12);
      preference.sku = glob_.c_str();
      given = &preference;
    }
    adj_error* report = nullptr;
    succeeded(adj_plan_explain(&stream, &descriptor_.header(), given, &report));
    for (std::int64_t i = 0; i < adj_error_rejection_count(report); ++i) {
      adj_rejection rejection;
      expect(adj_error_rejection(report, i, &rejection) == ADJ_OK && *rejection.reason, "rejection");
    }
    adj_error_release(report);
    adj_plan* plan = nullptr;
    adj_error* error = nullptr;
    const bool selected = succeeded(adj_plan_select(&stream, &descriptor_.header(), given, &plan, &error));
    expect(selected == (plan != nullptr) && selected == (error == nullptr), "select's outputs");
    adj_error_release(error);
    if (!plan) return;
    fill_args(*reinterpret_cast<const adj::Plan*>(plan));
    use(plan, stream);
    adj_plan_release(plan);
  }

 private:
  // An integer at an end of the range that the header states, or just beyond it.
  std::int64_t at_end(const adj::Field& field) {
    const std::int64_t beyond[] = {field.least == adj::kNoLeast ? field.least : field.least - 1, field.most == adj::kNoMost ? field.most : field.most + 1};
    const std::int64_t values[] = {field.least, field.most, beyond[0], beyond[1]};
    return in_.data.PickValueInArray(values);
  }
  double real_at_end(const adj::RealRange& range) {
    const double values[] = {range.least,
                             range.most,
                             std::nextafter(range.least, -adj::kInfinity),
                             std::nextafter(range.least, adj::kInfinity),
                             std::nextafter(range.most, -adj::kInfinity),
                             std::nextafter(range.most, adj::kInfinity),
                             std::numeric_limits<double>::quiet_NaN()};
    return in_.data.PickValueInArray(values);
  }
  void set(const adj::Field& field) {
    if (in_.data.remaining_bytes() == 0 || (in_.rarely() && in_.rarely())) return;
    if (in_.rarely()) {
      if (field.kind == adj::kFieldI64) return descriptor_.set(field.offset, at_end(field));
      if (field.kind == adj::kFieldI32 && field.least != adj::kNoLeast) return descriptor_.set(field.offset, static_cast<std::int32_t>(at_end(field)));
      if (field.kind == adj::kFieldF64) return descriptor_.set(field.offset, real_at_end(field.real));
    }
    switch (field.kind) {
      case adj::kFieldI64: descriptor_.set(field.offset, in_.extent()); break;
      case adj::kFieldDtype: descriptor_.set(field.offset, in_.dtype()); break;
      case adj::kFieldI32:
        descriptor_.set(field.offset, in_.rarely() ? in_.data.ConsumeIntegral<std::int32_t>() : in_.data.ConsumeIntegralInRange<std::int32_t>(0, 3));
        break;
      case adj::kFieldF64:
        descriptor_.set(field.offset, in_.rarely() ? in_.data.ConsumeFloatingPoint<double>() : 0.5 * in_.data.ConsumeIntegralInRange(0, 2));
        break;
      case adj::kFieldShape:
      case adj::kFieldAxes: {
        const auto count = in_.rarely() ? in_.extent() : in_.data.ConsumeIntegralInRange<std::int64_t>(0, 4);
        descriptor_.set(field.offset, count);
        for (std::int64_t i = 0; i < std::min<std::int64_t>(count, ADJ_MAX_RANK); ++i)
          descriptor_.set(field.offset + 8 + static_cast<std::uint32_t>(8 * i),
                          in_.rarely() ? in_.extent() : in_.data.ConsumeIntegralInRange<std::int64_t>(0, 3));
        break;
      }
      case adj::kFieldText: descriptor_.set(field.offset, texts_.emplace_back(in_.data.ConsumeRandomLengthString(12)).c_str()); break;
      default: break;
    }
  }
  // Sets a bytes field, in memory of exactly its size, so that reads beyond it are seen.
  void set_bytes(const adj::Field& field) {
    const std::string content = in_.data.ConsumeRandomLengthString(256);
    auto& bytes = codes_.emplace_back(new char[content.size()]);
    std::memcpy(bytes.get(), content.data(), content.size());
    auto length = static_cast<std::int64_t>(content.size());
    if (in_.rarely()) length = in_.data.ConsumeBool() ? -2 - length : (std::int64_t{1} << 30) + 1;  // refused unread
    descriptor_.set(field.offset - 8, length);
    descriptor_.set(field.offset, in_.rarely() && length <= 0 ? nullptr : bytes.get());
  }
  void set_list(const adj::Field& field) {
    auto& list = lists_.emplace_back(in_.data.ConsumeIntegralInRange<std::size_t>(0, 5));
    for (std::int64_t& item : list) item = in_.extent();
    auto length = static_cast<std::int64_t>(list.size());
    if (in_.rarely()) length = in_.data.ConsumeBool() ? -length : (std::int64_t{1} << 24) + 1;  // refused unread
    descriptor_.set(field.offset - 8, length);
    descriptor_.set(field.offset, in_.rarely() && length <= 0 ? nullptr : list.data());
  }

  adj_stream choose_stream() {
    adj_stream stream = adj_stream_host();
    if (!in_.rarely()) return stream;
    constexpr const char* kArchs[] = {"sm_80", "sm_90a", "sm_100", "sm_120"};
    switch (in_.data.ConsumeIntegralInRange(0, 2)) {
      case 0: expect(adj_stream_offline(in_.data.PickValueInArray(kArchs), &stream) == ADJ_OK, "offline"); break;
      case 1: stream.kind = static_cast<adj_stream_kind>(in_.data.ConsumeIntegral<std::int32_t>()); break;
      default: stream.arch = in_.data.ConsumeIntegral<std::int32_t>(), stream.reserved = in_.data.ConsumeBool(); break;
    }
    return stream;
  }

  // Makes a buffer; sometimes too small, when the arguments state its size.
  Buffer& buffer(std::uint64_t needed, bool stated = true) {
    std::uint64_t bytes = std::min(needed, kMostBytes);
    if (stated && in_.rarely()) bytes -= bytes > 0;
    Buffer& made = *buffers_.emplace_back(std::make_unique<Buffer>());
    made.make(in_, bytes);
    return made;
  }
  // Makes a buffer, or returns another argument's.
  Buffer& buffer_or_alias(std::uint64_t needed) {
    if (!buffers_.empty() && in_.rarely()) return *buffers_[in_.data.ConsumeIntegralInRange<std::size_t>(0, buffers_.size() - 1)];
    return buffer(needed);
  }

  void fill_args(const adj::Plan& plan) {
    for (std::size_t i = 0; i < op_.arguments.size(); ++i) {
      const adj::ArgumentInfo& argument = op_.arguments[i];
      const adj::ArgumentSpec& spec = plan.specs[i];
      if (spec.presence == adj::Presence::forbidden && !in_.rarely()) continue;
      if (spec.presence == adj::Presence::optional && in_.data.ConsumeBool()) continue;
      const adj_dtype dtype = in_.rarely() ? in_.dtype() : spec.dtype;
      switch (argument.kind) {
        case adj::ArgumentKind::tensor: {
          adj_tensor t;
          const Buffer& b = buffer_or_alias(spec.bytes);
          t.data = in_.rarely() ? nullptr : b.data();
          t.bytes = b.bytes;
          t.dtype = dtype;
          if (in_.data.ConsumeBool()) {
            t.rank = in_.rarely() ? in_.data.ConsumeIntegral<std::int32_t>() : spec.rank;
            for (int k = 0; k < spec.rank; ++k) t.shape[k] = in_.rarely() ? in_.extent() : spec.shape[static_cast<std::size_t>(k)];
            if (in_.rarely()) t.strides[in_.data.ConsumeIntegralInRange(0, ADJ_MAX_RANK - 1)] = in_.extent();
          }
          args_.set(argument.offset, t);
          break;
        }
        case adj::ArgumentKind::list: {
          auto& data = addresses_.emplace_back();
          auto& bytes = capacities_.emplace_back();
          for (const std::int64_t n : spec.numel) {
            const Buffer& b = buffer_or_alias(static_cast<std::uint64_t>(n) * adj::size_of(spec.dtype));
            data.push_back(in_.rarely() ? nullptr : b.data());
            bytes.push_back(b.bytes);
          }
          adj_tensor_list list{static_cast<std::int64_t>(data.size()), dtype, 0, data.data(), bytes.data()};
          if (in_.rarely()) list.count = in_.extent();
          if (in_.rarely()) list.data = nullptr;
          args_.set(argument.offset, list);
          break;
        }
        case adj::ArgumentKind::scalar: {
          adj_scalar s;
          s.value = in_.rarely() ? in_.data.ConsumeFloatingPoint<double>() : in_.data.ConsumeIntegralInRange(0, 2);
          if (in_.rarely() || spec.device_only) {
            s.dtype = dtype;
            s.device = buffer(8, false).data();
          }
          args_.set(argument.offset, s);
          break;
        }
        case adj::ArgumentKind::random: {
          adj_random r{in_.data.ConsumeIntegral<std::uint64_t>(), in_.data.ConsumeIntegral<std::uint64_t>(), nullptr};
          if (in_.rarely() || spec.device_only) r.device = reinterpret_cast<const std::uint64_t*>(buffer(16, false).data());
          args_.set(argument.offset, r);
          break;
        }
        case adj::ArgumentKind::handle: break;
      }
    }
    args_.spoil(in_);
  }

  void use(const adj_plan* plan, const adj_stream& stream) {
    adj_plan_info info;
    expect(adj_plan_get_info(plan, &info) == ADJ_OK, "plan info");
    if (info.bind_workspace_size > kMostBytes) return;
    const std::size_t size = (info.bind_workspace_size + 255) / 256 * 256;
    std::unique_ptr<void, decltype(&std::free)> memory(size ? std::aligned_alloc(256, size) : nullptr, &std::free);
    const adj_workspace workspace{memory.get(), in_.rarely() ? info.workspace_size / 2 : info.bind_workspace_size};
    for (const auto& b : buffers_) b->remember();
    const adj_status status = adj_plan_can_implement(plan, &args_.header());
    const bool fits = succeeded(status);
    const bool ran = succeeded(adj_plan_run(plan, &stream, &workspace, &args_.header()));
    if (!ran) {
      for (const auto& b : buffers_) expect(b->untouched(), "a refused run wrote");
    } else {
      for (const auto& b : buffers_) b->remember();
    }
    adj_bound* bound = nullptr;
    if (succeeded(adj_plan_bind(plan, &stream, &workspace, &args_.header(), &bound))) {
      expect(fits, "bind accepts what can_implement refuses");
      // On the host a run may find numbers in its inputs that it refuses.
      const bool runs = succeeded(adj_bound_run(bound, &stream));
      expect(runs || !ran, "bound run");
      for (const auto& b : buffers_) expect(runs || b->untouched(), "a refused bound run wrote");
    } else {
      for (const auto& b : buffers_) expect(b->untouched(), "a refused bind wrote");
    }
    adj_bound_release(bound);
  }

  Input& in_;
  const adj::OpInfo& op_;
  Structure descriptor_, args_;
  std::vector<std::vector<std::int64_t>> lists_;
  std::deque<std::string> texts_;
  std::vector<std::unique_ptr<char[]>> codes_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<std::vector<void*>> addresses_;
  std::vector<std::vector<std::uint64_t>> capacities_;
  std::string glob_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  Input in(bytes, size);
  const auto ops = adj::all_ops();
  const auto i = in.data.ConsumeIntegralInRange<std::size_t>(0, ops.size() - 1);
  Call(in, *ops[i]).run();
  return 0;
}
