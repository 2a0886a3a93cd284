#include "plan/plan_cache.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "plan/descriptor.hpp"
#include "plan/structs.hpp"

namespace adj {

namespace {

constexpr std::uint32_t kExclusive = std::uint32_t{1} << 31;
constexpr std::size_t kProcessSets = 256;
constexpr std::size_t kLargestKey = 256 << 10;  // bytes; enough for lists of about 30,000 tensors

// A problem as bytes: equal problems have equal keys. The length is a multiple of eight bytes.
class Key {
 public:
  // False when the problem is invalid or must not be cached. The caller then calls select, which reports what is wrong.
  bool make(const adj_stream& stream, const adj_header* header, const adj_preference* given) {
    const OpInfo* op = header ? described_op(header->tag) : nullptr;
    if (!op || stream.reserved != 0 || header->struct_size < op->first_descriptor_size || header->struct_size > kLargestStruct) return false;
    if (!check_header(header, ADJ_DESCRIPTOR_TAG(op->id), op->first_descriptor_size, op->descriptor_size, op->name)) return false;
    auto preference = read_preference(given);
    if (!preference) return false;
    number(static_cast<std::uint32_t>(op->id), static_cast<std::uint32_t>(stream.kind));
    number(static_cast<std::uint32_t>(stream.device), static_cast<std::uint32_t>(stream.arch));
    // Every member of the preference, so that none can be forgotten; the glob by its text.
    text(std::exchange(preference->sku, nullptr));
    append(reinterpret_cast<const char*>(&*preference) + sizeof(adj_header), sizeof(adj_preference) - sizeof(adj_header));

    // The descriptor at full size, without its header; defaults stand for the members that a shorter one lacks.
    const std::size_t own = std::min<std::size_t>(header->struct_size, op->descriptor_size);
    const std::size_t at = size_ - sizeof(adj_header);  // at + field.offset is the position of a field in the key
    append(reinterpret_cast<const char*>(header) + sizeof(adj_header), own - sizeof(adj_header));
    append(static_cast<const char*>(op->default_descriptor) + own, op->descriptor_size - own);
    pad();
    const auto clear = [&](const Field& field) { std::memset(bytes_ + at + field.offset, 0, sizeof(void*)); };
    for (const Field& field : op->fields) {
      if (field.kind < kFieldI64List) continue;
      if (is_list(field)) {
        const auto count = read<std::int64_t>(bytes_, at + field.offset - 8);
        const auto* items = read<const void*>(bytes_, at + field.offset);
        if (count < 0 || count > kLongestList || (count > 0 && !items)) return false;
        clear(field);
        append(items, static_cast<std::size_t>(count) * 8);
      } else if (field.kind == kFieldBytes) {
        const auto count = read<std::int64_t>(bytes_, at + field.offset - 8);
        const auto* code = read<const char*>(bytes_, at + field.offset);
        if (count < -1 || count > kMostBytes || (count > 0 && !code)) return false;
        clear(field);
        if (count < 0) text(code);
        else append(code, static_cast<std::size_t>(count)), pad();
      } else if (field.kind == kFieldText) {
        const auto* words = read<const char*>(bytes_, at + field.offset);
        clear(field);
        text(words);
      } else if (field.kind == kFieldPointer && read<const void*>(bytes_, at + field.offset)) {
        return false;
      }
    }
    return true;
  }

  std::span<const std::byte> bytes() const { return {bytes_, size_}; }

  std::uint64_t hash() const {
    // Four independent sums hide the latency of the multiplications.
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    std::uint64_t sums[4] = {1, 2, 3, 4};
    std::size_t i = 0;
    for (; i + 32 <= size_; i += 32)
      for (std::size_t k = 0; k < 4; ++k) sums[k] = (sums[k] ^ read<std::uint64_t>(bytes_, i + 8 * k)) * kOdd;
    for (; i < size_; i += 8) sums[0] = (sums[0] ^ read<std::uint64_t>(bytes_, i)) * kOdd;
    std::uint64_t h = size_;
    for (const std::uint64_t sum : sums) h = (h ^ sum ^ (sum >> 29)) * kOdd;
    return h ^ (h >> 32);
  }

 private:
  void number(std::uint32_t low, std::uint32_t high) {
    const std::uint64_t both = low | std::uint64_t{high} << 32;
    append(&both, sizeof both);
  }
  void text(const char* words) {
    const std::uint64_t length = words ? std::strlen(words) : ~std::uint64_t{0};
    append(&length, sizeof length);
    if (words) append(words, length);
    pad();
  }
  void pad() {
    constexpr char kZeros[8] = {};
    append(kZeros, (8 - size_ % 8) % 8);
  }
  void append(const void* from, std::size_t n) {
    if (n == 0) return;
    if (size_ + n > capacity_) grow(size_ + n);
    std::memcpy(bytes_ + size_, from, n);
    size_ += n;
  }
  [[gnu::noinline]] void grow(std::size_t least) {
    std::vector<std::byte> larger(std::max(least, 2 * capacity_));
    std::memcpy(larger.data(), bytes_, size_);
    many_ = std::move(larger);
    bytes_ = many_.data();
    capacity_ = many_.size();
  }

  alignas(8) std::byte few_[1536];
  std::vector<std::byte> many_;
  std::byte* bytes_ = few_;
  std::size_t size_ = 0, capacity_ = sizeof few_;
};

}  // namespace

// A place for one plan. Slots live as long as the cache, so any thread may look at one. `pins` counts the threads that read key and plan.
// A thread that replaces them waits for nobody: it takes a slot whose pins are 0 and sets kExclusive, and readers then skip the slot.
struct alignas(64) PlanCache::Slot {
  std::atomic<std::uint64_t> hash{0};  // 0: empty
  std::atomic<std::uint64_t> used{0};  // value of inserted_ when this plan was last requested
  std::atomic<std::uint32_t> pins{0};
  std::vector<std::byte> key;
  Plan* plan = nullptr;
  std::size_t bytes = 0;  // of plan and key
};

std::size_t memory_of(const Plan& plan) {
  std::size_t bytes = sizeof(Plan) + plan.descriptor.bytes() + plan.specs.size() * sizeof(ArgumentSpec) + plan.steps.size() * sizeof(Step);
  for (const ArgumentSpec& spec : plan.specs) bytes += spec.counts ? spec.counts->size() * 8 : 0;
  for (const Step& step : plan.steps)
    if (const auto* kernel = std::get_if<KernelStep>(&step))
      bytes += kernel->params.size() + kernel->bindings.size() * sizeof(Binding) + (kernel->unread.size() + kernel->constant.size()) * 8;
  for (const BoundTable& table : plan.tables) bytes += sizeof table + table.image.size() + table.bindings.size() * sizeof(Binding);
  for (const Rejection& r : plan.candidates) bytes += sizeof r + r.sku.size() + r.reason.size();
  return bytes;
}

PlanCache::PlanCache(std::size_t sets, std::size_t most_bytes) : sets_(sets), slots_(std::make_unique<Slot[]>(sets * kWays)), most_bytes_(most_bytes) {}
PlanCache::~PlanCache() {
  for (std::size_t i = 0; i < sets_ * kWays; ++i) release(slots_[i].plan);
}

Plan* PlanCache::find(std::uint64_t hash, std::span<const std::byte> key) {
  Slot* const set = &slots_[(hash >> 8 & (sets_ - 1)) * kWays];
  for (Slot* slot = set; slot != set + kWays; ++slot) {
    if (slot->hash.load(std::memory_order_relaxed) != hash) continue;
    Plan* found = nullptr;
    if (!(slot->pins.fetch_add(1, std::memory_order_acquire) & kExclusive) && slot->key.size() == key.size() &&
        std::memcmp(slot->key.data(), key.data(), key.size()) == 0) {
      found = slot->plan;
      retain(*found);
      if (const auto now = inserted_.load(std::memory_order_relaxed); slot->used.load(std::memory_order_relaxed) != now)
        slot->used.store(now, std::memory_order_relaxed);
    }
    slot->pins.fetch_sub(1, std::memory_order_release);
    if (found) return found;
  }
  return nullptr;
}

std::size_t PlanCache::bytes() const {
  std::lock_guard lock(lock_);
  return bytes_;
}

// Empties the least recently requested slots until the plans fit. A slot that is being read stays; the next insertion tries it again.
void PlanCache::shrink(const Slot* newest, std::vector<Plan*>& dropped) {
  if (bytes_ <= most_bytes_) return;
  std::vector<std::pair<std::uint64_t, Slot*>> order;
  for (Slot* slot = &slots_[0]; slot != &slots_[0] + sets_ * kWays; ++slot)
    if (slot->plan && slot != newest) order.emplace_back(slot->used.load(std::memory_order_relaxed), slot);
  std::sort(order.begin(), order.end());
  dropped.reserve(dropped.size() + order.size());
  for (const auto& [used, slot] : order) {
    if (bytes_ <= most_bytes_) break;
    std::uint32_t none = 0;
    if (!slot->pins.compare_exchange_strong(none, kExclusive, std::memory_order_acquire)) continue;
    slot->hash.store(0, std::memory_order_relaxed);
    slot->used.store(0, std::memory_order_relaxed);
    slot->key = {};
    dropped.push_back(std::exchange(slot->plan, nullptr));
    bytes_ -= std::exchange(slot->bytes, 0);
    slot->pins.fetch_sub(kExclusive, std::memory_order_release);
  }
}

// Consumes the caller's reference and returns a reference to the plan that the cache has now: this one, or an equal one inserted earlier.
Plan* PlanCache::keep(std::uint64_t hash, std::span<const std::byte> key, Plan* plan) {
  std::unique_ptr<Plan, void (*)(Plan*)> own(plan, [](Plan* p) { release(p); }), old(nullptr, own.get_deleter());
  const std::size_t size = key.size() + memory_of(*plan);
  if (size > most_bytes_ / 4) return own.release();
  std::vector<std::byte> copy(key.begin(), key.end());
  struct Dropped : std::vector<Plan*> {  // plans are released after the lock
    ~Dropped() {
      for (Plan* p : *this) release(p);
    }
  } dropped;
  std::lock_guard lock(lock_);
  if (Plan* other = find(hash, key)) return other;  // another thread was faster
  Slot* const set = &slots_[(hash >> 8 & (sets_ - 1)) * kWays];
  // A copy of the times of use: other threads change them meanwhile, and std::sort needs keys that do not change.
  std::array<std::pair<std::uint64_t, Slot*>, kWays> order;
  for (std::size_t i = 0; i < kWays; ++i) order[i] = {set[i].used.load(std::memory_order_relaxed), set + i};
  std::sort(order.begin(), order.end());
  for (const auto& [used, slot] : order) {
    std::uint32_t none = 0;
    if (!slot->pins.compare_exchange_strong(none, kExclusive, std::memory_order_acquire)) continue;  // it is being read
    slot->key.swap(copy);
    old.reset(std::exchange(slot->plan, own.get()));
    retain(*own);
    slot->hash.store(hash, std::memory_order_relaxed);
    slot->used.store(++inserted_, std::memory_order_relaxed);
    bytes_ += size - std::exchange(slot->bytes, size);
    slot->pins.fetch_sub(kExclusive, std::memory_order_release);
    shrink(slot, dropped);
    break;
  }
  return own.release();
}

Result<Plan*> PlanCache::acquire(const adj_stream& stream, const adj_header* descriptor, const adj_preference* preference) {
  Key key;
  if (!key.make(stream, descriptor, preference) || key.bytes().size() > kLargestKey) return select_plan(stream, descriptor, preference);
  const std::uint64_t hash = key.hash() | 1;
  if (Plan* found = find(hash, key.bytes())) return found;
  auto selected = select_plan(stream, descriptor, preference);
  if (!selected) return selected;
  return keep(hash, key.bytes(), *selected);
}

namespace {
constinit Lazy<PlanCache> of_process;
}  // namespace

PlanCache& plan_cache() {
  return of_process.get([] { return PlanCache(kProcessSets); });
}

}  // namespace adj
