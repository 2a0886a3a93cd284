// The kernel of every operator. The first call of a problem is the package's: it checks, selects, runs, and hands over what it found. Later calls of the
// problem on this thread are made here: from the stack of torch to a run of the plan. What a call finds amiss goes to the package again, which says what it is.
#pragma once

#include <adjoint.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capi/torch/interface.hpp"

namespace adjoint::torch_abi {

// How an argument of an operator of torch arrives. A letter in the package's words; optional ones are addresses of a word, or null.
enum class Kind : char {
  tensor = 'T',
  optional_tensor = 't',
  list = 'L',
  optional_list = 'l',
  scalar_tensor = 'S',  // a number, or a random state, in memory
  random_tensor = 'R',
  scalar = 's',  // the number itself
  random = 'r',
  flag = 'B',
  word = 'w',  // an optional integer, number or element type
  text = 'x',  // an optional text
  words = 'n',  // an optional list of numbers
  number = 'k',  // an integer that stands for all fields
  check = 'q',  // whether the call is only to be checked
};

struct Argument {
  Kind kind{};
  bool read_only = false;
  std::int64_t place = 0;  // word of the argument structure; 0 for a field
};

// An operator of torch. any_layout: its lists may hold tensors that are not row-major, which the key then describes.
struct Operator {
  std::string name, at_length;  // the operator of torch that stands for the package; "": the caller is the package
  std::vector<Argument> arguments;
  std::vector<bool> listed;  // by result
  bool any_layout = false, updates = false;

  bool mixed() const { return std::ranges::find(listed, true) != listed.end() && std::ranges::find(listed, false) != listed.end(); }
};

// Of all kernels, by their numbers.
inline std::deque<Operator>& operators() {
  static std::deque<Operator> all;
  return all;
}

using Key = std::vector<Word>;
struct HashOfKey {
  std::size_t operator()(const Key& key) const {
    Word hash = key.size();
    for (const Word word : key) hash = (hash ^ word) * 0x9e3779b97f4a7c15U, hash ^= hash >> 29;
    return hash;
  }
};

// Strides of a dense tensor, as torch counts them.
inline std::vector<std::int64_t> row_major(const std::int64_t* sizes, std::int64_t rank) {
  std::vector<std::int64_t> strides(static_cast<std::size_t>(rank));
  std::int64_t stride = 1;
  for (std::int64_t i = rank - 1; i >= 0; --i) strides[static_cast<std::size_t>(i)] = stride, stride *= std::max<std::int64_t>(sizes[i], 1);
  return strides;
}

// A result of a call: a tensor, a list of them, or what stands for an absent one.
struct Result {
  struct Shape {
    std::int32_t dtype = 0;
    std::vector<std::int64_t> sizes, strides;
  };
  bool listed = false, absent = false;
  std::int64_t place = 0;  // of the address, or of the list
  std::vector<Shape> shapes;
};

// A call that is known: its plan, and its argument structure without addresses.
struct Prepared {
  struct Release {
    void operator()(adj_plan* plan) const { adj_plan_release(plan); }
  };
  std::unique_ptr<adj_plan, Release> plan;
  adj_stream stream{};
  std::vector<Word> arguments;
  std::vector<std::vector<std::uint64_t>> bytes;  // of the entries of lists
  std::uint64_t workspace = 0;
  std::vector<Result> results;
  std::vector<std::int64_t> written;  // places of numbers that the call writes where they are in memory
  std::vector<void*> distinct;  // addresses of a call whose lists do not overlap
};

// A call that the package makes, and may hand over.
struct Ticket {
  std::size_t index = 0;
  Key key;
};

// What the kernel of a thread keeps. A process that forks keeps that of the thread that forked.
struct Thread {
  static constexpr std::size_t kMost = 4096;  // prepared calls; beyond, all are dropped
  using Calls = std::unordered_map<Key, std::shared_ptr<Prepared>, HashOfKey>;
  std::unordered_map<std::size_t, Calls> calls;  // by operator
  std::size_t count = 0;
  std::unique_ptr<Ticket> ticket;  // of the call that the package is to make
  std::uint64_t number = 0;  // of the ticket
  std::string failure;  // of the package
  bool failed = false;
  Word begun = 0;  // devices on which the thread has called CUDA's runtime

  static Thread& own() {
    static thread_local Thread thread;
    return thread;
  }
  void forget() {
    calls.clear();
    count = 0;
  }

  // Whether the thread has the context that a stream of the device needs. A new thread has none until its first call of CUDA's runtime, which a default stream
  // needs. The package makes that call.
  bool has_begun(const void* stream, std::int32_t device) const {
    constexpr std::uintptr_t kDefaultStreams = 2;
    return reinterpret_cast<std::uintptr_t>(stream) > kDefaultStreams || (begun & bit(device)) != 0;
  }
  static Word bit(std::int32_t device) { return Word{1} << (device & 63); }
};

struct ReleaseTensor {
  void operator()(Tensor* tensor) const { torch.release(tensor); }
};
using OwnedTensor = std::unique_ptr<Tensor, ReleaseTensor>;

inline OwnedTensor make_tensor(std::int64_t rank, const std::int64_t* sizes, const std::int64_t* strides, std::int32_t dtype, std::int32_t device_type,
                               std::int32_t device) {
  Tensor* made = nullptr;
  torch.empty(rank, sizes, strides, dtype, device_type, device_type == torch.device_cuda() ? device : -1, &made);
  return OwnedTensor(made);
}

// Runs a plan with scratch memory of torch's. Returns whether it ran.
inline bool run_plan(const Prepared& p, const adj_header* args, std::int32_t device_type, std::int32_t device) {
  adj_workspace workspace{nullptr, 0};
  OwnedTensor scratch;
  if (p.workspace > 0) {
    constexpr std::uint64_t kAlignment = 256;
    const auto size = static_cast<std::int64_t>(p.workspace + kAlignment), one = std::int64_t{1};
    void* data = nullptr;
    scratch = make_tensor(1, &size, &one, torch.dtypes[ADJ_U8], device_type, device);
    if (!scratch || torch.data_of(scratch.get(), &data) != 0) return false;
    workspace.data = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(data) + kAlignment - 1) & ~(kAlignment - 1));
    workspace.bytes = p.workspace;
  }
  return adj_plan_run(p.plan.get(), &p.stream, &workspace, args) == ADJ_OK;
}

class Call {
 public:
  Call(const Operator& op, std::size_t index, Word* stack) : op_(op), index_(index), stack_(stack), thread_(Thread::own()) { key_.reserve(64); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (guard_) torch.release_guard(guard_);
  }

  // Makes a call that is known, and puts its results on the stack. Returns false, having done nothing, for another.
  bool known() {
    if (!read()) return false;
    const auto& calls = thread_.calls[index_];
    const auto found = calls.find(key_);
    if (found == calls.end()) return false;
    const std::shared_ptr<Prepared> prepared = found->second;
    return run(*prepared);
  }

  // Leaves the call to the package. Its ticket is valid until the next call of the thread.
  std::uint64_t leave() {
    thread_.ticket = has_key_ ? std::make_unique<Ticket>(Ticket{index_, std::move(key_)}) : nullptr;
    return ++thread_.number;
  }

  // Frees the arguments.
  static void release(const Operator& op, const Word* stack) {
    for (std::size_t i = 0; i < op.arguments.size(); ++i) {
      const Kind kind = op.arguments[i].kind;
      const Word word = stack[i];
      if (kind == Kind::flag || kind == Kind::number || kind == Kind::check) continue;
      if (kind == Kind::tensor) {
        torch.release(handle<Tensor>(word));
      } else if (kind == Kind::list) {
        release_list(word, true);
      } else if (word) {
        const Word inside = behind(word);
        if (kind == Kind::optional_tensor || kind == Kind::scalar_tensor || kind == Kind::random_tensor) torch.release(handle<Tensor>(inside));
        else if (kind == Kind::optional_list) release_list(inside, true);
        else if (kind == Kind::words || kind == Kind::random) release_list(inside, false);
        else if (kind == Kind::text) torch.release_text(handle<Text>(inside));
        release_word(word);
      }
    }
  }

  // Results of both kinds come back from the package as lists: torch 2.15 and earlier take the results of a call for those of the opposite order.
  static void unwrap_results(const Operator& op, Word* stack) {
    if (!op.mixed()) return;
    for (std::size_t i = 0; i < op.listed.size(); ++i) {
      if (op.listed[i]) continue;
      Word entry = 0;
      torch.list_get(handle<List>(stack[i]), 0, &entry);
      release_list(stack[i], false);
      stack[i] = entry;
    }
  }

  // Frees results.
  static void release_results(const Operator& op, const Word* stack) {
    for (std::size_t i = 0; i < op.listed.size(); ++i)
      if (op.listed[i]) release_list(stack[i], true);
      else torch.release(handle<Tensor>(stack[i]));
  }

 private:
  struct Found {  // an argument in memory
    Tensor* tensor = nullptr;
    void* data = nullptr;
    std::int64_t rank = 0, *sizes = nullptr;
    std::int32_t dtype = 0;
    bool dense = true;
  };
  struct Number {  // a scalar or a random state
    std::size_t argument = 0;
    Tensor* tensor = nullptr;
    double value = 0;
    std::array<std::int64_t, 2> state{};
  };

  template <class T>
  static T* handle(Word word) {
    return reinterpret_cast<T*>(word);
  }
  static Word behind(Word optional) { return *handle<Word>(optional); }
  static void release_word(Word optional) {
    if (torch.release_word) torch.release_word(handle<Word>(optional));
    else delete handle<Word>(optional);
  }
  static void release_list(Word list, bool of_tensors) {
    std::size_t count = 0;
    if (of_tensors && torch.list_size(handle<List>(list), &count) == 0)
      for (std::size_t i = 0; i < count; ++i)
        if (Word entry = 0; torch.list_get(handle<List>(list), i, &entry) == 0) torch.release(handle<Tensor>(entry));
    torch.release_list(handle<List>(list));
  }

  // Reads the stack into the key, and finds the addresses. Returns false for a call that cannot be made here.
  bool read() {
    if (op_.updates && torch.grad_enabled()) return false;  // the package refuses tensors that require a gradient
    for (std::size_t i = 0; i < op_.arguments.size(); ++i) {
      const Argument& a = op_.arguments[i];
      const Word word = stack_[i];
      switch (a.kind) {
        case Kind::tensor:
          if (!add(a, handle<Tensor>(word))) return false;
          break;
        case Kind::optional_tensor:
          if (!word) key_.push_back(0), found_.emplace_back();
          else if (!add(a, handle<Tensor>(behind(word)))) return false;
          break;
        case Kind::list:
          if (!add_list(a, handle<List>(word))) return false;
          break;
        case Kind::optional_list:
          if (!word) key_.push_back(0);
          else if (!add_list(a, handle<List>(behind(word)))) return false;
          break;
        case Kind::scalar_tensor:
        case Kind::random_tensor:
          if (word) numbers_.push_back({i, handle<Tensor>(behind(word)), 0, {}});
          break;
        case Kind::scalar:
          if (word) numbers_.push_back({i, nullptr, std::bit_cast<double>(behind(word)), {}});
          break;
        case Kind::random:
          if (word && !add_state(i, handle<List>(behind(word)))) return false;
          break;
        case Kind::flag: key_.push_back(word & 1); break;
        case Kind::number: key_.push_back(word); break;
        case Kind::check: check_ = word != 0; break;
        case Kind::word: add_word(word); break;
        case Kind::text:
          if (!word) key_.push_back(0);
          else if (!add_text(handle<Text>(behind(word)))) return false;
          break;
        case Kind::words:
          if (!word) key_.push_back(0);
          else if (!add_words(handle<List>(behind(word)))) return false;
          break;
      }
    }
    return first_ && add_stream();
  }

  void add_word(Word optional) {
    key_.push_back(optional != 0);
    if (optional) key_.push_back(behind(optional));
  }

  bool add_text(Text* text) {
    std::size_t size = 0;
    const char* data = nullptr;
    if (torch.text_size(text, &size) != 0 || torch.text_data(text, &data) != 0) return false;
    key_.push_back(1 + size);
    for (std::size_t at = 0; at < size; at += sizeof(Word)) {
      Word word = 0;
      std::memcpy(&word, data + at, std::min(sizeof(Word), size - at));
      key_.push_back(word);
    }
    return true;
  }

  bool add_words(List* list) {
    std::size_t count = 0;
    if (torch.list_size(list, &count) != 0) return false;
    key_.push_back(1 + count);
    for (std::size_t i = 0; i < count; ++i) {
      Word word = 0;
      if (torch.list_get(list, i, &word) != 0) return false;
      key_.push_back(word);
    }
    return true;
  }

  bool add_state(std::size_t argument, List* list) {
    std::size_t count = 0;
    Word seed = 0, offset = 0;
    if (torch.list_size(list, &count) != 0 || count != 2 || torch.list_get(list, 0, &seed) != 0 || torch.list_get(list, 1, &offset) != 0) return false;
    const auto signed_offset = static_cast<std::int64_t>(offset);
    if (signed_offset < 0) return false;
    numbers_.push_back({argument, nullptr, 0, {static_cast<std::int64_t>(seed), signed_offset}});
    return true;
  }

  bool add(const Argument& a, Tensor* tensor) {
    Found& f = found_.emplace_back();
    return look(a, tensor, f, false);
  }

  bool add_list(const Argument& a, List* list) {
    std::size_t count = 0;
    if (torch.list_size(list, &count) != 0) return false;
    key_.push_back(1 + count);
    lists_.push_back({&a, entries_.size(), count});
    for (std::size_t i = 0; i < count; ++i) {
      Word entry = 0;
      if (torch.list_get(list, i, &entry) != 0 || !look(a, handle<Tensor>(entry), entries_.emplace_back(), op_.any_layout)) return false;
    }
    return true;
  }

  bool look(const Argument& a, Tensor* tensor, Found& f, bool any_layout) {
    std::int32_t device_type = 0, device = 0;
    f.tensor = tensor;
    if (torch.rank_of(tensor, &f.rank) != 0 || torch.sizes_of(tensor, &f.sizes) != 0 || torch.dtype_of(tensor, &f.dtype) != 0 ||
        torch.device_type_of(tensor, &device_type) != 0 || torch.device_of(tensor, &device) != 0 || torch.is_contiguous(tensor, &f.dense) != 0 ||
        torch.data_of(tensor, &f.data) != 0)
      return false;
    bool empty = false;
    const bool described = !f.dense && any_layout;
    key_.push_back(1 | static_cast<Word>(f.dtype & 0xff) << 8 | static_cast<Word>(f.rank & 0xff) << 16 | static_cast<Word>(described) << 24 |
                   static_cast<Word>(device_type & 0xff) << 32 | static_cast<Word>(device & 0xffff) << 48);
    for (std::int64_t i = 0; i < f.rank; ++i) {
      empty |= f.sizes[i] == 0;
      key_.push_back(static_cast<Word>(f.sizes[i]));
    }
    if (described) {
      std::int64_t* strides = nullptr;
      if (torch.strides_of(tensor, &strides) != 0) return false;
      for (std::int64_t i = 0; i < f.rank; ++i) key_.push_back(static_cast<Word>(strides[i]));
      f.dense = true;
    }
    if (!first_) first_ = tensor, device_type_ = device_type, device_ = device;
    return (f.data || empty) && (f.dense || a.read_only);
  }

  bool is_cuda() const { return device_type_ == torch.device_cuda(); }

  bool add_stream() {
    if (!is_cuda()) {
      has_key_ = device_type_ == torch.device_cpu();
      return has_key_;
    }
    void* stream = nullptr;
    if (!torch.cuda_stream || torch.cuda_stream(device_, &stream) != 0) return false;
    key_.push_back(reinterpret_cast<std::uintptr_t>(stream));
    has_key_ = true;
    if (thread_.has_begun(stream, device_)) return true;
    thread_.begun |= Thread::bit(device_);
    return false;
  }

  OwnedTensor make(std::int64_t rank, const std::int64_t* sizes, const std::int64_t* strides, std::int32_t dtype) const {
    return make_tensor(rank, sizes, strides, dtype, device_type_, device_);
  }

  // A row-major copy of what is not.
  bool settle(Found& f) {
    if (f.dense || !f.tensor) return true;
    const auto strides = row_major(f.sizes, f.rank);
    OwnedTensor copy = make(f.rank, f.sizes, strides.data(), f.dtype);
    if (!copy || torch.copy(copy.get(), f.tensor, 0) != 0 || torch.data_of(copy.get(), &f.data) != 0) return false;
    copies_.push_back(std::move(copy));
    return true;
  }

  bool run(Prepared& p) {
    if (is_cuda()) {
      std::int32_t current = 0;
      if (torch.current_device(&current) != 0 || (current != device_ && torch.make_guard(device_, &guard_) != 0)) return false;
    }
    for (Found& f : found_)
      if (!settle(f)) return false;
    for (Found& f : entries_)
      if (!settle(f)) return false;
    std::vector<Word> args = p.arguments;
    std::vector<std::vector<void*>> addresses;
    addresses.reserve(lists_.size() + p.results.size());
    put_addresses(args, addresses);
    if (!put_numbers(p, args)) return false;
    std::vector<std::vector<OwnedTensor>> made;
    if (!make_results(p, args, addresses, made)) return false;
    const auto* raw = reinterpret_cast<const adj_header*>(args.data());
    if (!lists_.empty() && !are_distinct(p, raw)) return false;
    if (check_) {
      if (adj_plan_can_implement(p.plan.get(), raw) != ADJ_OK) return false;
      release(op_, stack_);
      give(p, made);
      return true;
    }
    if (!run_plan(p, raw, device_type_, device_)) return false;
    release(op_, stack_);
    give(p, made);
    return true;
  }

  void put_addresses(std::vector<Word>& args, std::vector<std::vector<void*>>& addresses) const {
    std::size_t tensor = 0, list = 0;
    for (const Argument& a : op_.arguments) {
      if (a.kind == Kind::tensor || a.kind == Kind::optional_tensor) {
        const Found& f = found_[tensor++];
        if (f.tensor) args[static_cast<std::size_t>(a.place)] = reinterpret_cast<std::uintptr_t>(f.data);
      } else if (list < lists_.size() && lists_[list].argument == &a) {
        const Span& span = lists_[list++];
        auto& data = addresses.emplace_back();
        data.reserve(span.count);
        for (std::size_t i = 0; i < span.count; ++i) data.push_back(entries_[span.first + i].data);
        args[static_cast<std::size_t>(a.place) + kListData] = reinterpret_cast<std::uintptr_t>(data.data());
      }
    }
  }

  // Numbers that were passed by value, or lie in memory: on the device, or in ordinary memory, from which a device takes their value.
  bool put_numbers(const Prepared& p, std::vector<Word>& args) const {
    for (const Number& n : numbers_) {
      const Argument& a = op_.arguments[n.argument];
      for (const Number& other : numbers_)
        if (&other != &n && op_.arguments[other.argument].place == a.place) return false;  // given twice
      Word* const to = args.data() + a.place;
      if (a.kind == Kind::scalar) {
        to[0] = std::bit_cast<Word>(n.value), to[1] = 0, to[2] = 0;
      } else if (a.kind == Kind::random) {
        std::memcpy(to, n.state.data(), sizeof n.state);
        to[2] = 0;
      } else if (std::ranges::find(p.written, a.place) != p.written.end() || !put_tensor(a.kind == Kind::random_tensor, n.tensor, to)) {
        return false;
      }
    }
    return true;
  }

  bool put_tensor(bool random, Tensor* tensor, Word* to) const {
    std::int32_t device_type = 0, device = 0, dtype = 0;
    std::int64_t rank = 0, *sizes = nullptr, count = 1;
    void* data = nullptr;
    bool dense = false;
    if (torch.rank_of(tensor, &rank) != 0 || torch.sizes_of(tensor, &sizes) != 0 || torch.dtype_of(tensor, &dtype) != 0 ||
        torch.device_type_of(tensor, &device_type) != 0 || torch.device_of(tensor, &device) != 0 || torch.is_contiguous(tensor, &dense) != 0 ||
        torch.data_of(tensor, &data) != 0)
      return false;
    for (std::int64_t i = 0; i < rank; ++i) count *= sizes[i];
    if (!data || !dense || count != (random ? 2 : 1)) return false;
    const bool near = device_type == device_type_ && (device == device_ || !is_cuda());
    if (random) {
      if (dtype != torch.dtypes[ADJ_I64] && dtype != torch.dtypes[ADJ_U64]) return false;
      to[0] = to[1] = to[2] = 0;
      if (near) to[2] = reinterpret_cast<std::uintptr_t>(data);
      else if (device_type == torch.device_cpu()) std::memcpy(to, data, 2 * sizeof(Word));
      else return false;
      return true;
    }
    if (!near) return false;
    for (std::int32_t ours = 1; ours < Functions::kDtypes; ++ours)
      if (is_dtype(ours) && torch.dtypes[ours] == dtype) {
        to[0] = 0, to[1] = reinterpret_cast<std::uintptr_t>(data), to[2] = static_cast<Word>(ours);
        return true;
      }
    return false;
  }

  static bool is_dtype(std::int32_t ours) {
#define ADJ_IS(dtype, name) \
  if (ours == (dtype)) return true;
    ADJ_TORCH_DTYPES(ADJ_IS)
#undef ADJ_IS
    return false;
  }

  bool make_results(const Prepared& p, std::vector<Word>& args, std::vector<std::vector<void*>>& addresses, std::vector<std::vector<OwnedTensor>>& made) const {
    made.reserve(p.results.size());
    for (const Result& r : p.results) {
      auto& tensors = made.emplace_back();
      auto* data = r.listed ? &addresses.emplace_back() : nullptr;
      for (const Result::Shape& shape : r.shapes) {
        void* address = nullptr;
        tensors.push_back(make(static_cast<std::int64_t>(shape.sizes.size()), shape.sizes.data(), shape.strides.data(), shape.dtype));
        if (!tensors.back() || torch.data_of(tensors.back().get(), &address) != 0) return false;
        if (data) data->push_back(address);
        else if (!r.absent) args[static_cast<std::size_t>(r.place)] = reinterpret_cast<std::uintptr_t>(address);
      }
      if (data && !r.absent) args[static_cast<std::size_t>(r.place) + kListData] = reinterpret_cast<std::uintptr_t>(data->data());
    }
    return true;
  }

  // A run compares the entries of lists at one position only.
  bool are_distinct(Prepared& p, const adj_header* args) const {
    std::vector<void*> now;
    now.reserve(found_.size() + entries_.size());
    for (const Found& f : found_) now.push_back(f.data);
    for (const Found& f : entries_) now.push_back(f.data);
    if (now == p.distinct) return true;
    if (adj_plan_can_implement(p.plan.get(), args) != ADJ_OK) return false;
    p.distinct = std::move(now);
    return true;
  }

  void give(const Prepared& p, std::vector<std::vector<OwnedTensor>>& made) const {
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (!p.results[i].listed) {
        stack_[i] = reinterpret_cast<std::uintptr_t>(made[i][0].release());
        continue;
      }
      List* list = nullptr;
      if (torch.make_list(made[i].size(), &list) != 0) throw std::bad_alloc();
      for (OwnedTensor& tensor : made[i]) torch.list_push(list, reinterpret_cast<std::uintptr_t>(tensor.release()));
      stack_[i] = reinterpret_cast<std::uintptr_t>(list);
    }
  }

  static constexpr std::size_t kListData = offsetof(adj_tensor_list, data) / sizeof(Word);
  struct Span {
    const Argument* argument = nullptr;
    std::size_t first = 0, count = 0;
  };

  const Operator& op_;
  std::size_t index_;
  Word* stack_;
  Thread& thread_;
  Key key_;
  bool has_key_ = false, check_ = false;
  std::vector<Found> found_, entries_;  // tensors, and the entries of lists
  std::vector<Span> lists_;
  std::vector<Number> numbers_;
  std::vector<OwnedTensor> copies_;
  Tensor* first_ = nullptr;
  std::int32_t device_type_ = 0, device_ = 0;
  Guard* guard_ = nullptr;
};

}  // namespace adjoint::torch_abi
