// The arguments of a call: reading and checking them (plan/arguments.hpp).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // vectorises the loops over lists
#endif

#include "plan/arguments.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <limits>
#include <utility>

#include "driver/libraries.hpp"
#include "plan/words.hpp"

namespace adj {

namespace {

struct Range {
  std::uintptr_t begin, end;
};
Range range_of(const void* data, std::uint64_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  return {begin, begin + bytes};
}
bool overlap(Range a, Range b) { return a.begin < b.end && b.begin < a.end; }

Error missing(const OpInfo& op, const char* name) { return fail(ADJ_ERROR_NULL_BUFFER, "{}: {} is required and null", op.name, name); }
Error unwanted(const OpInfo& op, const char* name) {
  return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {} is given, but the descriptor says that it is absent", op.name, name);
}
Error not_reserved(const OpInfo& op, const char* name, std::uint32_t value) {
  return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {}.reserved = {}, expected 0", op.name, name, value);
}
// Description of a stream for the middle of a sentence.
std::string stream_text(const adj_stream& stream) {
  switch (stream.kind) {
    case ADJ_STREAM_HOST: return "the host stream";
    case ADJ_STREAM_CUDA: return fmt::format("a CUDA stream of device {}", stream.device);
    case ADJ_STREAM_OFFLINE: return fmt::format("an offline {} stream", arch_name(stream.arch));
    default: return fmt::format("a stream of kind {}", stream.kind);
  }
}

// True when the caller gave the argument.
bool is_given(const ArgumentInfo& info, const std::byte* args) {
  switch (info.kind) {
    case ArgumentKind::tensor: return argument<adj_tensor>(args, info).data;
    case ArgumentKind::list: return argument<adj_tensor_list>(args, info).data;
    case ArgumentKind::scalar: return argument<adj_scalar>(args, info).device;
    case ArgumentKind::random: return argument<adj_random>(args, info).device;
    case ArgumentKind::handle: return argument<const void*>(args, info);
  }
  return false;
}

// True when consecutive groups of dims multiply to the extents: the same elements in the same places, with axes split further.
bool folds(std::span<const std::int64_t> extents, std::span<const std::int64_t> dims) {
  if (extents.empty()) return std::all_of(dims.begin(), dims.end(), [](std::int64_t dim) { return dim == 1; });
  std::int64_t product = 1;
  for (std::size_t taken = 0;; ++taken) {
    if (product == extents[0]) {
      const bool rest = folds(extents.subspan(1), dims.subspan(taken));
      if (rest || product != 0) return rest;  // further dimensions of 1 fit the next group; a group with product 0 may take any dimension
    }
    if (taken == dims.size() || dims[taken] < 0 || __builtin_mul_overflow(product, dims[taken], &product)) return false;
  }
}

}  // namespace

bool shape_fits(const ArgumentSpec& spec, std::span<const std::int64_t> dims) {
  const std::span<const std::int64_t> extents(spec.shape.data(), static_cast<std::size_t>(spec.rank));
  return std::ranges::equal(dims, extents) || folds(extents, dims);
}

namespace {

// True when the text contains the word as a whole word.
bool says(std::string_view text, std::string_view word) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at)
    if ((at == 0 || !part(text[at - 1])) && (at + word.size() == text.size() || !part(text[at + word.size()]))) return true;
  return false;
}

// Adds the reason to an error about a missing or unwanted argument: the descriptor fields that decide about the argument, and for a missing
// one the unwanted arguments that were given.
Error with_reason(const Plan& plan, const ArgumentInfo& info, const ArgumentSpec& spec, const std::byte* args, Error error) {
  const OpInfo& op = *plan.op;
  const bool absent = spec.presence == Presence::required && !is_given(info, args);
  if (info.given != Given::depends || (!absent && (spec.presence != Presence::forbidden || !is_given(info, args)))) return error;
  std::string reason;
  for (const Field& field : op.fields) {
    if (!says(info.when, field.name)) continue;
    reason += fmt::format("{}{} = {}", reason.empty() ? "" : ", ", field.name, value_text(field, plan.descriptor.get()));
  }
  std::string others;
  int count = 0;
  for (std::size_t i = 0; i < op.arguments.size() && absent; ++i)
    if (plan.specs[i].presence == Presence::forbidden && is_given(op.arguments[i], args))
      others += fmt::format("{}{}", count++ ? " and " : "", op.arguments[i].name);
  if (count) reason += fmt::format("{}but {} {} given", reason.empty() ? "" : ", ", others, count > 1 ? "were" : "was");
  if (!reason.empty()) error.message += " (" + reason + ")";
  return error;
}

Error wrong_dtype(const OpInfo& op, const char* name, adj_dtype got, adj_dtype want) {
  const char* got_name = dtype_name(got);
  return fail(ADJ_ERROR_DTYPE_MISMATCH, "{}: {}.dtype is {}, the descriptor says {}", op.name, name, got_name ? got_name : std::to_string(got),
              dtype_name(want));
}

std::string shape_text(const std::int64_t* shape, int rank) {
  std::string text = "[";
  for (int i = 0; i < rank; ++i) text += fmt::format("{}{}", i ? ", " : "", shape[i]);
  return text + "]";
}

Result<void> check_tensor(const OpInfo& op, const ArgumentInfo& info, const ArgumentSpec& spec, const adj_tensor& t) {
  if (!t.data) {
    if (t.bytes != 0) return fail(ADJ_ERROR_NULL_BUFFER, "{}: {}.data is null and {}.bytes is {}", op.name, info.name, info.name, t.bytes);
    if (spec.presence == Presence::required && spec.bytes > 0) return missing(op, info.name);
    return {};
  }
  if (spec.presence == Presence::forbidden) return unwanted(op, info.name);
  if (t.dtype != spec.dtype) return wrong_dtype(op, info.name, t.dtype, spec.dtype);
  if (t.rank != 0) {
    if (t.rank < 0 || t.rank > ADJ_MAX_RANK)
      return fail(ADJ_ERROR_SHAPE_MISMATCH, "{}: {}.rank = {}, expected 0 to {}", op.name, info.name, t.rank, ADJ_MAX_RANK);
    if (!shape_fits(spec, {t.shape, static_cast<std::size_t>(t.rank)}))
      return fail(ADJ_ERROR_SHAPE_MISMATCH, "{}: {} has shape {}, the descriptor says {}", op.name, info.name, shape_text(t.shape, t.rank),
                  shape_text(spec.shape.data(), spec.rank));
    std::int64_t contiguous = 1;
    bool given = false, dense = true;
    for (int i = t.rank - 1; i >= 0; --i) {
      given |= t.strides[i] != 0;
      dense &= t.shape[i] == 1 || t.strides[i] == contiguous;
      contiguous =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(contiguous) * static_cast<std::uint64_t>(t.shape[i]));  // may wrap when another extent is 0
    }
    if (given && !dense && spec.bytes > 0)
      return fail(ADJ_ERROR_SHAPE_MISMATCH, "{}: {} has strides {} for shape {}, only row-major contiguous is supported", op.name, info.name,
                  shape_text(t.strides, t.rank), shape_text(t.shape, t.rank));
  }
  if (t.bytes < spec.bytes) return fail(ADJ_ERROR_BUFFER_TOO_SMALL, "{}: {} needs {} bytes, got {}", op.name, info.name, spec.bytes, t.bytes);
  const auto address = reinterpret_cast<std::uintptr_t>(t.data);
  if (const std::uint32_t size = size_of(spec.dtype); address % size != 0)
    return fail(ADJ_ERROR_MISALIGNED, "{}: {}.data = {:#x} is not a multiple of its element size {}", op.name, info.name, address, size);
  if ((address & (spec.alignment - 1)) != 0)
    return fail(ADJ_ERROR_MISALIGNED, "{}: {}.data = {:#x} is not a multiple of {}, as the plan's kernel needs it", op.name, info.name, address,
                spec.alignment);
  if (address + spec.bytes < address)
    return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {}.data = {:#x} plus {} bytes wraps around", op.name, info.name, address, spec.bytes);
  return {};
}

// ---- lists: run checks thousands of entries. One fast pass accepts the common case; exact loops find the error to report

// The entries of one list.
struct ListEntries {
  std::uint16_t argument;
  bool written;
  int shift;  // log2 of the element size
  std::int64_t count;
  const std::int64_t* numel;
  void* const* data;
  const std::uint64_t* bytes;
};

// True when entries of K lists may be null, too small, misaligned, wrapping around, or overlapping the entry at the same position of
// another list. False alarms are allowed: addresses of more than 48 bits, capacities from 2^63 on, empty tensors at odd addresses, buffers
// shared by two lists that are only read.
template <int K, int... A>
[[gnu::always_inline]] inline bool scan(const ListEntries* lists, std::int64_t begin, std::int64_t end, std::integer_sequence<int, A...>) {
  const std::int64_t* const numel[] = {lists[A].numel...};
  void* const* const data[] = {lists[A].data...};
  const std::uint64_t* const bytes[] = {lists[A].bytes...};
  const int shift[] = {lists[A].shift...};
  // The loop is written to be vectorised: K is known, and there are no branches. It tests sign bits, because 64-bit comparisons are slow in
  // wide registers. Sign bits need sizes below 2^62, which the checks of descriptors ensure.
  std::uint64_t fine = ~std::uint64_t{0}, bits[K] = {};
  for (std::int64_t i = begin; i < end; ++i) {
    const std::uint64_t address[] = {reinterpret_cast<std::uintptr_t>(data[A][i])...};
    const std::uint64_t last[] = {(static_cast<std::uint64_t>(numel[A][i]) << shift[A]) - 1 ...};  // index of the last byte; -1: empty entry
    const std::uint64_t end_of[] = {address[A] + last[A]...};
    ((fine &= last[A] - bytes[A][i]), ...);          // negative: the capacity suffices
    ((fine &= ~(address[A] - 1) | last[A]), ...);    // negative: the address is not null, or the entry is empty
    ((bits[A] |= address[A]), ...);
    // Negative when a ends before b begins, or b ends before a begins.
    auto pair = [&](auto a, auto b) { fine &= (end_of[a] - address[b]) | (end_of[b] - address[a]); };
    auto pairs = [&]<int... B>([[maybe_unused]] auto a, std::integer_sequence<int, B...>) { (pair(a, std::integral_constant<int, B>()), ...); };
    (pairs(std::integral_constant<int, A>(), std::make_integer_sequence<int, A>()), ...);
  }
  const std::uint64_t odd = ((bits[A] >> kListAddressBits | (bits[A] & ((std::uint64_t{1} << shift[A]) - 1))) | ...);
  return odd != 0 || fine >> 63 == 0;
}
template <int K>
[[gnu::always_inline]] inline bool scan(const ListEntries* lists) {
  std::int64_t common = lists[0].count;
  for (int k = 1; k < K; ++k) common = std::min(common, lists[k].count);
  bool found = scan<K>(lists, 0, common, std::make_integer_sequence<int, K>());
  for (int k = 0; k < K; ++k) found |= scan<1>(lists + k, common, lists[k].count, std::integer_sequence<int, 0>());
  return found;
}

ADJ_WIDE bool suspicious(const ListEntries* lists, std::size_t number) {
  switch (number) {
    case 1: return scan<1>(lists);
    case 2: return scan<2>(lists);
    case 3: return scan<3>(lists);
    case 4: return scan<4>(lists);
    case 5: return scan<5>(lists);
    case 6: return scan<6>(lists);
    case 7: return scan<7>(lists);
    case 8: return scan<8>(lists);
    default: return true;  // more than 8 lists take the exact loops
  }
}

Result<void> check_entries(const OpInfo& op, const ListEntries& list, bool on_device) {
  const char* name = op.arguments[list.argument].name;
  const std::uint64_t size = std::uint64_t{1} << list.shift;
  for (std::int64_t i = 0; i < list.count; ++i) {
    const std::uint64_t need = static_cast<std::uint64_t>(list.numel[i]) << list.shift;
    const auto address = reinterpret_cast<std::uintptr_t>(list.data[i]);
    if (need == 0) continue;
    if (!address) return fail(ADJ_ERROR_NULL_BUFFER, "{}: {}.data[{}] is null, {} elements expected", op.name, name, i, list.numel[i]);
    if (list.bytes[i] < need) return fail(ADJ_ERROR_BUFFER_TOO_SMALL, "{}: {}[{}] needs {} bytes, got {}", op.name, name, i, need, list.bytes[i]);
    if (address % size != 0)
      return fail(ADJ_ERROR_MISALIGNED, "{}: {}.data[{}] = {:#x} is not a multiple of its element size {}", op.name, name, i, address, size);
    if (address + need < address)
      return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: {}.data[{}] = {:#x} plus {} bytes wraps around", op.name, name, i, address, need);
    if (on_device && address >> kListAddressBits)
      return fail(ADJ_ERROR_UNSUPPORTED, "{}: {}.data[{}] = {:#x} has more than {} bits", op.name, name, i, address, kListAddressBits);
  }
  return {};
}

Error aliasing(const OpInfo& op, const std::string& a, const std::string& b) { return fail(ADJ_ERROR_ALIASING, "{}: {} overlaps {}", op.name, a, b); }

// True when arguments i and j may have the very same buffer.
bool may_equal(const OpInfo& op, std::size_t i, std::size_t j) { return ((op.arguments[i].may_equal >> j) & 1) || ((op.arguments[j].may_equal >> i) & 1); }
bool same(Range a, Range b) { return a.begin == b.begin && a.end == b.end; }
// True when entry a of argument i may share memory with entry b of argument j because a is one of two or more equal parts of b.
bool is_part(const OpInfo& op, std::size_t i, Range a, std::size_t j, Range b) {
  const std::uintptr_t size = a.end - a.begin;
  return ((op.arguments[i].may_be_part >> j) & 1) && a.begin >= b.begin && a.end <= b.end && !same(a, b) && (b.end - b.begin) % size == 0 &&
         (a.begin - b.begin) % size == 0;
}

Range range_of(const ListEntries& list, std::int64_t i) { return range_of(list.data[i], static_cast<std::uint64_t>(list.numel[i]) << list.shift); }

Result<void> check_entries_apart(const OpInfo& op, const ListEntries& x, const ListEntries& y) {
  const bool equal = may_equal(op, x.argument, y.argument);
  const auto in_place = [&](Range a, Range b) {
    return (equal && same(a, b)) || is_part(op, x.argument, a, y.argument, b) || is_part(op, y.argument, b, x.argument, a);
  };
  for (std::int64_t i = 0; i < std::min(x.count, y.count); ++i)
    if (x.numel[i] && y.numel[i] && overlap(range_of(x, i), range_of(y, i)) && !in_place(range_of(x, i), range_of(y, i)))
      return aliasing(op, fmt::format("{}[{}]", op.arguments[x.argument].name, i), fmt::format("{}[{}]", op.arguments[y.argument].name, i));
  return {};
}

// True when any entry of a list overlaps a range. Without branches, so that the loop is vectorised.
ADJ_WIDE bool any_entry_in(Range range, const std::int64_t* numel, void* const* data, std::int64_t count, int shift) {
  // Sign bit of each term in the brackets: the entry begins behind the range; it ends before the range; it is empty.
  std::uint64_t inside = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(data[i]), last = (static_cast<std::uint64_t>(numel[i]) << shift) - 1;
    inside |= ~((range.end - 1 - begin) | (begin + last - range.begin) | last);
  }
  return inside >> 63;
}

// Checks the entries of each list, and overlap between entries at the same position. Overlap across positions: check_all_overlap.
Result<void> check_lists(const OpInfo& op, std::span<const ListEntries> lists, bool on_device) {
  if (!suspicious(lists.data(), lists.size())) return {};
  for (const ListEntries& list : lists)
    if (auto ok = check_entries(op, list, on_device); !ok) return ok;
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (std::size_t j = i + 1; j < lists.size(); ++j)
      if (lists[i].written || lists[j].written)
        if (auto ok = lists[i].written ? check_entries_apart(op, lists[i], lists[j]) : check_entries_apart(op, lists[j], lists[i]); !ok) return ok;
  return {};
}

// Checks a list except its entries, which check_lists checks.
Result<void> check_list(const OpInfo& op, const ArgumentInfo& info, const ArgumentSpec& spec, const adj_tensor_list& list) {
  const auto count = static_cast<std::int64_t>(spec.numel.size());
  if (spec.presence == Presence::forbidden) {
    if (list.count != 0 || list.data) return unwanted(op, info.name);
    return {};
  }
  if (spec.presence == Presence::optional && list.count == 0 && !list.data) return {};
  if (list.count != count) return fail(ADJ_ERROR_SHAPE_MISMATCH, "{}: {}.count = {}, the descriptor says {}", op.name, info.name, list.count, count);
  if (list.reserved != 0) return not_reserved(op, info.name, list.reserved);
  if (count == 0) return {};
  if (!list.data || !list.bytes) return fail(ADJ_ERROR_NULL_BUFFER, "{}: {}.{} is null", op.name, info.name, list.data ? "bytes" : "data");
  if (list.dtype != spec.dtype) return wrong_dtype(op, info.name, list.dtype, spec.dtype);
  return {};
}

Result<void> check_random(const OpInfo& op, const ArgumentInfo& info, const ArgumentSpec& spec, const adj_random& r) {
  constexpr std::uint64_t kNotGiven = std::numeric_limits<std::uint64_t>::max();
  if (spec.presence == Presence::forbidden && (r.device || r.seed || (r.offset && r.offset != kNotGiven))) return unwanted(op, info.name);
  if (!r.device) {
    if (spec.device_only) return fail(ADJ_ERROR_NULL_BUFFER, "{}: {} must be on the device, {}.device is null", op.name, info.name, info.name);
    if (spec.presence == Presence::required && r.offset == kNotGiven)
      return fail(ADJ_ERROR_INVALID_VALUE, "{}: {} was not given ({}.offset = 2^64 - 1)", op.name, info.name, info.name);
    return {};
  }
  if (const auto address = reinterpret_cast<std::uintptr_t>(r.device); address % sizeof(std::uint64_t) != 0)
    return fail(ADJ_ERROR_MISALIGNED, "{}: {}.device = {:#x} is not a multiple of its element size {}", op.name, info.name, address, sizeof(std::uint64_t));
  return {};
}

Result<void> check_handle(const OpInfo& op, const ArgumentInfo& info, const ArgumentSpec& spec, const void* handle) {
  if (!handle && spec.presence == Presence::required) return missing(op, info.name);
  if (handle && spec.presence == Presence::forbidden) return unwanted(op, info.name);
  return {};
}

Error wrong_scalar_dtype(const OpInfo& op, const char* name, adj_dtype got, const ArgumentSpec& spec) {
  const char* got_name = dtype_name(got);
  std::string accepted = spec.any_float ? "a floating-point type" : dtype_name(spec.dtype);
  if (!spec.any_float && spec.other_dtype != ADJ_DTYPE_NONE) accepted += fmt::format(" or {}", dtype_name(spec.other_dtype));
  return fail(ADJ_ERROR_DTYPE_MISMATCH, "{}: {}.dtype is {}, {} is accepted", op.name, name, got_name ? got_name : std::to_string(got), accepted);
}
// The scalar of a caller who does not mention it.
const adj_scalar& default_scalar(const OpInfo& op, const ArgumentInfo& info) {
  return argument<adj_scalar>(static_cast<const std::byte*>(op.default_args), info);
}
Result<void> check_scalar(const OpInfo& op, const ArgumentInfo& info, const ArgumentSpec& spec, const adj_scalar& s) {
  if (s.reserved != 0) return not_reserved(op, info.name, s.reserved);
  // 0 and the header's default count as not given.
  if (spec.presence == Presence::forbidden && (s.device || (s.value != 0 && std::memcmp(&s.value, &default_scalar(op, info).value, sizeof s.value) != 0)))
    return unwanted(op, info.name);
  if (!s.device) {
    if (spec.device_only) return fail(ADJ_ERROR_NULL_BUFFER, "{}: {} must be a device scalar, {}.device is null", op.name, info.name, info.name);
    return {};
  }
  if (s.dtype != spec.dtype && (spec.other_dtype == ADJ_DTYPE_NONE || s.dtype != spec.other_dtype) && !(spec.any_float && is_float(s.dtype)))
    return wrong_scalar_dtype(op, info.name, s.dtype, spec);
  const auto address = reinterpret_cast<std::uintptr_t>(s.device);
  if (const std::uint32_t size = size_of(s.dtype); address % size != 0)
    return fail(ADJ_ERROR_MISALIGNED, "{}: {}.device = {:#x} is not a multiple of its element size {}", op.name, info.name, address, size);
  return {};
}

// The bytes of an argument that is one buffer: a tensor, or a scalar or a random state on the device. Empty when it is absent.
Range single_range(const OpInfo& op, const ArgumentSpec& spec, std::size_t i, const std::byte* args) {
  const ArgumentInfo& info = op.arguments[i];
  switch (info.kind) {
    case ArgumentKind::tensor: {
      const void* data = argument<adj_tensor>(args, info).data;
      return range_of(data, data ? spec.bytes : 0);
    }
    case ArgumentKind::scalar: {
      const auto& s = argument<adj_scalar>(args, info);
      return range_of(s.device, s.device ? size_of(s.dtype) : 0);
    }
    case ArgumentKind::random: {
      const void* device = argument<adj_random>(args, info).device;
      return range_of(device, device ? spec.bytes : 0);
    }
    default: return {};
  }
}
bool empty(Range range) { return range.begin == range.end; }

// True when two tensors lie between each other, neither in the bytes of the other.
bool interleave(const ArgumentSpec& x, Range a, const ArgumentSpec& y, Range b) {
  if (x.pitch == 0 || x.pitch != y.pitch) return false;
  const std::uintptr_t behind = a.begin <= b.begin ? (b.begin - a.begin) % x.pitch : (x.pitch - (a.begin - b.begin) % x.pitch) % x.pitch;
  return behind >= x.width && x.pitch - behind >= y.width;
}

// Overlap among arguments that are one buffer.
Result<void> check_single_overlap(const Plan& plan, const std::byte* args) {
  const OpInfo& op = *plan.op;
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    if (plan.specs[i].role == Role::in || op.arguments[i].kind == ArgumentKind::list) continue;
    const Range a = single_range(op, plan.specs[i], i, args);
    if (empty(a)) continue;
    for (std::size_t j = 0; j < op.arguments.size(); ++j) {
      if (j == i || op.arguments[j].kind == ArgumentKind::list || (plan.specs[j].role != Role::in && j < i)) continue;
      const Range b = single_range(op, plan.specs[j], j, args);
      if (empty(b) || !overlap(a, b) || (same(a, b) && may_equal(op, i, j)) || interleave(plan.specs[i], a, plan.specs[j], b)) continue;
      return aliasing(op, op.arguments[i].name, op.arguments[j].name);
    }
  }
  return {};
}

// Overlap between any two buffers of which one is written, for operators with lists. Takes n log n time.
Result<void> check_all_overlap(const Plan& plan, const std::byte* args, std::span<const ListEntries> lists) {
  if (lists.empty()) return {};
  const OpInfo& op = *plan.op;
  struct Interval {
    Range range;
    std::uint16_t argument;
    std::uint32_t index;
    bool written;
  };
  std::vector<Interval> intervals;
  // A buffer that two arguments share in place counts once; a buffer and its part count once as well.
  auto part = [&](const ListEntries& list, const ListEntries& other, std::int64_t i) {
    return i < other.count && list.numel[i] && is_part(op, list.argument, range_of(list, i), other.argument, range_of(other, i));
  };
  auto shared = [&](const ListEntries& list, std::int64_t i) {
    return std::any_of(lists.begin(), lists.end(), [&](const ListEntries& other) {
      const bool same_buffer = &other < &list && i < other.count && may_equal(op, list.argument, other.argument) && same(range_of(list, i), range_of(other, i));
      return same_buffer || part(list, other, i);
    });
  };
  auto written_in_place = [&](const ListEntries& list, std::int64_t i) {
    return std::any_of(lists.begin(), lists.end(), [&](const ListEntries& other) {
      const bool same_buffer = &other > &list && i < other.count && may_equal(op, list.argument, other.argument) && same(range_of(list, i), range_of(other, i));
      return other.written && (same_buffer || (i < other.count && part(other, list, i)));
    });
  };
  for (const ListEntries& list : lists)
    for (std::int64_t k = 0; k < list.count; ++k)
      if (list.numel[k] && !shared(list, k))
        intervals.push_back({range_of(list, k), list.argument, static_cast<std::uint32_t>(k), list.written || written_in_place(list, k)});
  for (std::size_t i = 0; i < op.arguments.size(); ++i)
    if (const Range range = single_range(op, plan.specs[i], i, args); !empty(range))
      intervals.push_back({range, static_cast<std::uint16_t>(i), 0, plan.specs[i].role != Role::in});
  std::sort(intervals.begin(), intervals.end(), [](auto& a, auto& b) { return a.range.begin < b.range.begin; });
  auto name = [&](const Interval& x) {
    const ArgumentInfo& info = op.arguments[x.argument];
    return info.kind == ArgumentKind::list ? fmt::format("{}[{}]", info.name, x.index) : std::string(info.name);
  };
  // A sweep by start address. It remembers the interval with the largest end among all intervals, and among the written ones.
  const Interval* furthest = nullptr;
  const Interval* furthest_written = nullptr;
  for (const Interval& x : intervals) {
    const Interval* before = x.written ? furthest : furthest_written;
    const auto in_place = [&] { return same(before->range, x.range) && may_equal(op, before->argument, x.argument); };
    if (before && before->range.end > x.range.begin && !in_place()) return aliasing(op, name(x), name(*before));
    if (!furthest || x.range.end > furthest->range.end) furthest = &x;
    if (x.written && (!furthest_written || x.range.end > furthest_written->range.end)) furthest_written = &x;
  }
  return {};
}

// Overlap between a single buffer and any entry of a list when one of the two is written.
Result<void> check_singles_beside_lists(const Plan& plan, const std::byte* args, std::span<const ListEntries> lists) {
  if (lists.empty()) return {};
  const OpInfo& op = *plan.op;
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const ArgumentInfo& info = op.arguments[i];
    const Range range = single_range(op, plan.specs[i], i, args);
    if (empty(range)) continue;
    for (const ListEntries& list : lists) {
      if ((plan.specs[i].role == Role::in && !list.written) || !any_entry_in(range, list.numel, list.data, list.count, list.shift)) continue;
      for (std::int64_t k = 0; k < list.count; ++k)
        if (list.numel[k] && overlap(range, range_of(list, k))) return aliasing(op, info.name, fmt::format("{}[{}]", op.arguments[list.argument].name, k));
    }
  }
  return {};
}

}  // namespace

Result<void> check_args(const Plan& plan, const std::byte* args, bool thorough) {
  const OpInfo& op = *plan.op;
  std::array<ListEntries, kMostLists> lists;
  std::size_t number = 0;
  // True when a list has the very arrays of an earlier list that it may equal. It is then not checked again; if it is an output, the earlier
  // list counts as written.
  auto in_place = [&](const adj_tensor_list& list, std::size_t i) {
    for (std::size_t k = 0; k < number; ++k)
      if (lists[k].data == list.data && lists[k].bytes == list.bytes && lists[k].count == list.count && lists[k].numel == plan.specs[i].numel.data() &&
          lists[k].shift == std::countr_zero(size_of(plan.specs[i].dtype)) && may_equal(op, lists[k].argument, i)) {
        lists[k].written |= plan.specs[i].role != Role::in;
        return true;
      }
    return false;
  };
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const ArgumentInfo& info = op.arguments[i];
    const ArgumentSpec& spec = plan.specs[i];
    Result<void> ok;
    switch (info.kind) {
      case ArgumentKind::tensor: ok = check_tensor(op, info, spec, argument<adj_tensor>(args, info)); break;
      case ArgumentKind::list: {
        const auto& list = argument<adj_tensor_list>(args, info);
        ok = check_list(op, info, spec, list);
        if (ok && list.count > 0 && !in_place(list, i))
          lists[number++] = {static_cast<std::uint16_t>(i),
                             spec.role != Role::in,
                             std::countr_zero(size_of(spec.dtype)),
                             list.count,
                             spec.numel.data(),
                             list.data,
                             list.bytes};
        break;
      }
      case ArgumentKind::scalar: ok = check_scalar(op, info, spec, argument<adj_scalar>(args, info)); break;
      case ArgumentKind::random: ok = check_random(op, info, spec, argument<adj_random>(args, info)); break;
      case ArgumentKind::handle: ok = check_handle(op, info, spec, argument<const void*>(args, info)); break;
    }
    if (!ok) return with_reason(plan, info, spec, args, ok.take_error());
  }
  if (number)
    if (auto ok = check_lists(op, {lists.data(), number}, plan.stream.kind != ADJ_STREAM_HOST); !ok) return ok;
  if (op.check_args)
    if (auto ok = op.check_args(plan.descriptor.get(), args); !ok) return ok;
  if (auto ok = check_single_overlap(plan, args); !ok) return ok;
  if (auto ok = check_singles_beside_lists(plan, args, {lists.data(), number}); !ok) return ok;
  return thorough ? check_all_overlap(plan, args, {lists.data(), number}) : Result<void>();
}

Result<void> check_stream(const Plan& plan, const adj_stream& stream) {
  if (stream.kind != plan.stream.kind || stream.device != plan.stream.device)
    return fail(ADJ_ERROR_STREAM_MISMATCH, "{}: the plan was selected for {}, given {}", plan.op->name, stream_text(plan.stream), stream_text(stream));
  if (stream.reserved != 0) return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: stream.reserved = {}, expected 0", plan.op->name, stream.reserved);
  if (stream.kind == ADJ_STREAM_CUDA && follows_current_device(stream.handle)) {
    int current = -1;
    const cu::Api& api = **cuda();
    if (auto rc = api.context_device(&current)) return cuda_error(api, rc, "cuCtxGetDevice (the stream is a default stream: is a context current?)");
    if (current != plan.stream.device)
      return fail(ADJ_ERROR_STREAM_MISMATCH, "{}: the stream is the default stream of the current device, which is {}, the plan was selected for device {}",
                  plan.op->name, current, plan.stream.device);
  }
  if (stream.kind == ADJ_STREAM_OFFLINE)
    return fail(ADJ_ERROR_BACKEND_UNAVAILABLE, "{}: the plan was selected for an offline device and cannot run", plan.op->name);
  return {};
}

Result<void> check_workspace(const Plan& plan, const adj_workspace& workspace, std::uint64_t need, const std::byte* args) {
  if (need == 0) return {};
  if (!workspace.data) return fail(ADJ_ERROR_WORKSPACE_TOO_SMALL, "{}: workspace.data is null, {} bytes are needed", plan.op->name, need);
  if (workspace.bytes < need) return fail(ADJ_ERROR_WORKSPACE_TOO_SMALL, "{}: the workspace needs {} bytes, got {}", plan.op->name, need, workspace.bytes);
  const auto address = reinterpret_cast<std::uintptr_t>(workspace.data);
  if (address % kWorkspaceAlignment != 0)
    return fail(ADJ_ERROR_MISALIGNED, "{}: workspace.data = {:#x} is not a multiple of {}", plan.op->name, address, kWorkspaceAlignment);
  const Range range = range_of(workspace.data, need);
  for (std::size_t i = 0; i < plan.op->arguments.size(); ++i) {
    const ArgumentInfo& info = plan.op->arguments[i];
    const ArgumentSpec& spec = plan.specs[i];
    if (info.kind == ArgumentKind::list) {
      const auto& list = argument<adj_tensor_list>(args, info);
      if (any_entry_in(range, spec.numel.data(), list.data, list.count, std::countr_zero(size_of(spec.dtype))))
        return aliasing(*plan.op, "workspace", info.name);
    } else if (const Range single = single_range(*plan.op, spec, i, args); !empty(single) && overlap(range, single)) {
      return aliasing(*plan.op, "workspace", info.name);
    }
  }
  return {};
}

Result<void> can_implement(const Plan& plan, const adj_header* args) {
  ArgsView view;
  if (auto ok = view.read(*plan.op, args); !ok) return ok;
  return check_args(plan, view.get(), true);
}

}  // namespace adj
