// Known calls from Python. A function of the package calls one function here first, with all of its own arguments. Where a call like it was made before on this
// thread, and nobody but autograd looks on at torch's operators, it is made here, from the Python objects to a run of the plan. Else the result is None and
// the package makes the call, and says what the next one like it follows from. What a call follows from is its key: the types and values of its arguments,
// shapes, types and device of tensors, whether a gradient is recorded for them, and the stream. Memory is read in each call.
#pragma once

#include <mutex>
#include <optional>
#include <span>

#include "capi/torch/kernel.hpp"
#include "capi/torch/python.hpp"

namespace adjoint::torch_abi {

// Objects of torch, and names of attributes.
struct Package {
  Object *tensor = nullptr, *parameter = nullptr, *size = nullptr, *dtype = nullptr;  // types
  Object *is_negative = nullptr, *has_names = nullptr;  // of Tensor; the second is None in versions of torch whose tensors have no names
  Object* function_modes = nullptr;  // the count of modes that see functions of torch
  Object* is_profiled = nullptr;
  Object* count_writes = nullptr;  // counts a write to each of some tensors
  Object* forward_mode = nullptr;  // the dictionary of torch.autograd.forward_ad
  Object *address = nullptr, *requires_grad = nullptr, *saved = nullptr, *save = nullptr, *level = nullptr;
};
inline Package package;

// The state of torch's dispatcher: what it includes and excludes beside its defaults. Modes, transforms, tracers and autocast are seen in it.
struct Dispatch {
  Word included = 0, excluded = 0;
  bool operator==(const Dispatch&) const = default;
};
inline Dispatch inference;  // that of inference mode; as the default, where it is not known

// That of this thread, null where torch does not show it.
inline const Dispatch* dispatch() {
  static void* const library = ::dlopen("libc10.so", RTLD_NOW | RTLD_NOLOAD);
  static thread_local const auto* const state = static_cast<const Dispatch*>(library ? ::dlsym(library, "_ZN3c104impl26raw_local_dispatch_key_setE") : nullptr);
  return state;
}

// An object that a known call refers to. A thread that ends has not the interpreter's lock, so what is dropped waits for the next call that is kept.
class Kept {
 public:
  Kept() = default;
  explicit Kept(Object* object) : object_(object) { python.retain(object); }
  Kept(Kept&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Kept& operator=(Kept&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Kept() {
    if (!object_) return;
    const std::lock_guard lock(mutex());
    dropped().push_back(object_);
  }
  Object* get() const { return object_; }

  static void release_dropped() {
    std::vector<Object*> some;
    {
      const std::lock_guard lock(mutex());
      some.swap(dropped());
    }
    for (Object* object : some) python.release(object);
  }

 private:
  static std::mutex& mutex() {
    static std::mutex* const one = new std::mutex;  // threads end after the library's own objects
    return *one;
  }
  static std::vector<Object*>& dropped() {
    static auto* const all = new std::vector<Object*>;
    return *all;
  }
  Object* object_ = nullptr;
};

// An array of a call's results: an argument of it, or a result that it makes.
struct Returned {
  enum class From { nothing, argument, made } from = From::nothing;
  std::size_t index = 0;
};

// A call that this thread has made through a function of the package.
struct KnownCall {
  struct Taken {
    std::int64_t place = 0;  // word of the argument structure
    std::size_t position = 0;  // of the tensor among the arguments of the function
  };
  std::shared_ptr<const Prepared> prepared;
  std::vector<Result> results;  // as the function gives them
  std::vector<Taken> taken;
  std::vector<std::size_t> written;  // positions of tensors that the call writes
  std::vector<Returned> returned;  // the result; several are a tuple, with which `collect` is called
  Kept collect;
  Kept apply;  // of torch.autograd: records the gradient, with the tensors of the operator
  std::vector<std::ptrdiff_t> passed;  // their positions, -1 for none
};

constexpr std::size_t kMostTensors = 12, kMostArguments = 96;

// A tensor in ordinary form, as it was read.
struct Seen {
  void* implementation = nullptr;
  std::int64_t rank = 0, *sizes = nullptr;
  std::int32_t dtype = 0, device_type = 0, device = 0;
  void* data = nullptr;
  bool dense = false;

  Tensor* tensor() { return reinterpret_cast<Tensor*>(&implementation); }  // a handle is the address of a pointer to the implementation
  Word header() const {
    return 1 | static_cast<Word>(dtype & 0xff) << 8 | static_cast<Word>(rank & 0xff) << 16 | static_cast<Word>(device_type & 0xff) << 32 |
           static_cast<Word>(device & 0xffff) << 48;
  }
};

using Made = std::array<OwnedTensor, kMostTensors>;
struct Placed {
  std::int64_t place = 0;
  void* data = nullptr;
};

// What a thread keeps of calls from Python.
struct Known {
  std::unordered_map<Key, std::shared_ptr<const KnownCall>, HashOfKey> calls;
  Key key;  // of the call that is read
  bool left = false;  // the call of that key was left to the package
  std::size_t caller = 0;  // whose it is
  struct Running {
    const KnownCall* call = nullptr;
    std::span<const Placed> placed;
    std::int32_t device_type = 0, device = 0;
  } running;  // the call whose gradient is being recorded

  static Known& own() {
    static thread_local Known known;
    return known;
  }
};

inline bool is(Object* object, Object* type) {
  const Owned found(python.type_of(object));
  return found.get() == type;
}
inline bool is_tensor(Object* object) {
  const Owned found(python.type_of(object));
  return found.get() == package.tensor || found.get() == package.parameter;
}

// Ends an attempt: what is amiss is found again by the package.
inline Object* leave() {
  python.clear_error();
  python.retain(python.none);
  return python.none;
}

inline bool is_zero(const Owned& number) {
  int overflow = 0;
  return number && python.integer(number.get(), &overflow) == 0 && overflow == 0;
}

// Whether nobody but autograd looks on at torch's operators, and they do what they always do. in_gradient: nothing is recorded, so that what is excluded is no
// matter: versions of torch differ in what they exclude there.
inline bool is_quiet(bool in_gradient) {
  const Dispatch* const now = dispatch();
  if (!now || !(in_gradient ? now->included == 0 : *now == Dispatch{} || *now == inference)) return false;
  if (!is_zero(Owned(python.call(package.function_modes, nullptr, 0, nullptr)))) return false;
  const Owned profiled(python.call(package.is_profiled, nullptr, 0, nullptr));
  Object* const level = python.find(package.forward_mode, package.level);  // of forward-mode differentiation, below 0 without
  int overflow = 0;
  return profiled.get() == python.no && level && python.integer(level, &overflow) < 0 && overflow == 0;
}

// Reads a tensor of torch's own type. Returns false for one without memory of its own, or whose elements stand for others.
inline bool see(Object* object, Seen& s) {
  const Owned address(python.get(object, package.address));
  if (!address || !(s.implementation = python.address(address.get()))) return false;
  Tensor* const t = s.tensor();
  std::int32_t layout = 0;
  if (torch.layout_of(t, &layout) != 0 || layout != torch.strided() || torch.rank_of(t, &s.rank) != 0 || torch.sizes_of(t, &s.sizes) != 0 ||
      torch.dtype_of(t, &s.dtype) != 0 || torch.device_type_of(t, &s.device_type) != 0 || torch.device_of(t, &s.device) != 0 ||
      torch.is_contiguous(t, &s.dense) != 0 || torch.data_of(t, &s.data) != 0 || !s.data)
    return false;
  for (Object* const question : {package.is_negative, package.has_names})
    if (question != python.none && Owned(python.call(question, &object, 1, nullptr)).get() != python.no) return false;
  return true;
}

// torch's function that makes the object of a tensor, null where it is not known. It takes the tensor by reference; earlier ones by value, which is a reference
// as well, or as one whose contents may be taken.
using Wrap = Object* (*)(Tensor*);
inline Wrap wrap() {
  static const Wrap found = [] {
    void* const library = ::dlopen("libtorch_python.so", RTLD_NOW | RTLD_NOLOAD);
    for (const char* const name :
         {"_Z16THPVariable_WrapRKN2at10TensorBaseE", "_Z16THPVariable_WrapN2at10TensorBaseE", "_Z16THPVariable_WrapON2at10TensorBaseE"})
      if (void* const function = library ? ::dlsym(library, name) : nullptr) return reinterpret_cast<Wrap>(function);
    return Wrap{};
  }();
  return found;
}

// The object of a new tensor.
inline Owned wrapped(OwnedTensor tensor) { return Owned(wrap()(tensor.get())); }

inline OwnedTensor make_result(const Result& result, std::int32_t device_type, std::int32_t device) {
  const Result::Shape& shape = result.shapes[0];
  return make_tensor(static_cast<std::int64_t>(shape.sizes.size()), shape.sizes.data(), shape.strides.data(), shape.dtype, device_type, device);
}

// Runs a call whose tensors are dense, on their device, which is current, and makes its results. Returns false, having written nothing, where it cannot.
inline bool launch(const Prepared& p, const std::vector<Result>& results, std::span<const Placed> placed, std::int32_t device_type, std::int32_t device,
                   Made& made) {
  const bool is_cuda = device_type == torch.device_cuda();
  if (std::int32_t current = 0; is_cuda && (torch.current_device(&current) != 0 || current != device)) return false;
  std::vector<Word> args = p.arguments;
  for (const Placed& one : placed) args[static_cast<std::size_t>(one.place)] = reinterpret_cast<std::uintptr_t>(one.data);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].absent) continue;
    void* data = nullptr;
    made[i] = make_result(results[i], device_type, device);
    if (!made[i] || torch.data_of(made[i].get(), &data) != 0) return false;
    args[static_cast<std::size_t>(results[i].place)] = reinterpret_cast<std::uintptr_t>(data);
  }
  State* const state = python.unlock();
  const bool done = run_plan(p, reinterpret_cast<const adj_header*>(args.data()), device_type, device);
  python.lock(state);
  return done;
}

// The results of a call are those of one of Python: each a tensor.
inline bool are_plain(const Prepared& p) {
  return p.results.size() <= kMostTensors && p.bytes.empty() && p.written.empty() && std::ranges::none_of(p.results, &Result::listed);
}

// A result in another shape of as many elements.
inline void reshape(Result& result, std::vector<std::int64_t> sizes) {
  result.shapes[0].strides = row_major(sizes.data(), static_cast<std::int64_t>(sizes.size()));
  result.shapes[0].sizes = std::move(sizes);
}

// A function of the package, whose calls may be known. records: known calls may record a gradient. others: what makes calls that are not known; without, the
// result of these is None.
struct Caller {
  std::size_t number = 0;
  bool records = false;
  Owned others;
};

// An attempt to make a call.
class Attempt {
 public:
  Attempt(const Caller& caller, Object* const* arguments, Size count, Object* names = nullptr)
      : caller_(caller), arguments_(arguments), count_(count), names_(names), known_(Known::own()) {}

  Object* run() {
    known_.left = false;
    const Size named = names_ ? python.tuple_size(names_) : 0;
    if (static_cast<std::size_t>(count_ + named) > kMostArguments || !is_quiet(false)) return leave_to_others();
    known_.key.assign({caller_.number});
    for (Size i = 0; i < named; ++i)
      if (!add(python.tuple_at(names_, i), false)) return leave_to_others();
    for (Size i = 0; i < count_ + named; ++i) {
      position_ = static_cast<std::size_t>(i);
      if (!add(arguments_[i], true)) return leave_to_others();
    }
    if (seen_count_ == 0) return leave_to_others();
    const bool records = required_ != 0 && torch.grad_enabled();
    if (records && !caller_.records) return leave_to_others();
    known_.key.push_back(records ? required_ : 0);
    if (!add_stream()) return leave_to_others();
    const auto found = known_.calls.find(known_.key);
    if (found == known_.calls.end()) {
      known_.left = true;
      known_.caller = caller_.number;
      return leave_to_others();
    }
    const std::shared_ptr<const KnownCall> call = found->second;
    std::array<Placed, kMostTensors> placed;
    for (std::size_t i = 0; i < call->taken.size(); ++i) placed[i] = {call->taken[i].place, seen_[static_cast<std::size_t>(at_[call->taken[i].position])].data};
    const std::span<const Placed> given(placed.data(), call->taken.size());
    if (records) return record(*call, given);
    Made made;
    if (!launch(*call->prepared, call->results, given, seen_[0].device_type, seen_[0].device, made)) return leave_to_others();
    return finish(*call, made);
  }

 private:
  Object* leave_to_others() const {
    if (!caller_.others) return leave();
    python.clear_error();
    return python.call(caller_.others.get(), arguments_, static_cast<std::size_t>(count_), names_);
  }

  // Adds an argument to the key. Returns false for one that is never part of a known call.
  bool add(Object* object, bool outermost) {
    Key& key = known_.key;
    if (object == python.none) return key.push_back(kNone), true;
    if (object == python.yes || object == python.no) return key.push_back(object == python.yes ? kTrue : kFalse), true;
    const Owned type(python.type_of(object));
    if (type.get() == package.tensor || type.get() == package.parameter) return outermost && add_tensor(object);
    if (type.get() == python.integer_type) {
      int overflow = 0;
      const long long value = python.integer(object, &overflow);
      key.insert(key.end(), {kInteger, static_cast<Word>(value)});
      return overflow == 0;
    }
    if (type.get() == python.number_type) return key.insert(key.end(), {kNumber, std::bit_cast<Word>(python.number(object))}), true;
    if (type.get() == package.dtype) return key.insert(key.end(), {kDtype, reinterpret_cast<std::uintptr_t>(object)}), true;  // types live for ever
    if (type.get() == python.text_type) return add_text(object);
    if (type.get() == python.tuple_type || type.get() == package.size) {
      const Size count = python.tuple_size(object);
      key.insert(key.end(), {kTuple, static_cast<Word>(count)});
      for (Size i = 0; i < count; ++i)
        if (!add(python.tuple_at(object, i), false)) return false;
      return true;
    }
    if (type.get() == python.dict_type) {
      Object *name = nullptr, *value = nullptr;
      key.push_back(kDict);
      for (Size at = 0; python.next(object, &at, &name, &value) != 0;)
        if (!add(name, false) || !add(value, false)) return false;
      return key.push_back(kEnd), true;
    }
    return false;
  }

  bool add_text(Object* object) {
    Size size = 0;
    const char* const text = python.text(object, &size);
    if (!text) return false;
    known_.key.insert(known_.key.end(), {kText, static_cast<Word>(size)});
    for (Size at = 0; at < size; at += Size{sizeof(Word)}) {
      Word word = 0;
      std::memcpy(&word, text + at, std::min(sizeof(Word), static_cast<std::size_t>(size - at)));
      known_.key.push_back(word);
    }
    return true;
  }

  bool add_tensor(Object* object) {
    if (seen_count_ == kMostTensors) return false;
    at_[position_] = static_cast<std::int8_t>(seen_count_);
    Seen& s = seen_[seen_count_];
    if (!see(object, s) || !s.dense) return false;
    const Owned requires_grad(python.get(object, package.requires_grad));
    if (requires_grad.get() == python.yes) required_ |= Word{1} << seen_count_;
    else if (requires_grad.get() != python.no) return false;
    ++seen_count_;
    known_.key.insert(known_.key.end(), {kTensor, s.header()});
    for (std::int64_t i = 0; i < s.rank; ++i) known_.key.push_back(static_cast<Word>(s.sizes[i]));
    return true;
  }

  bool add_stream() {
    const Seen& first = seen_[0];
    if (first.device_type != torch.device_cuda()) return first.device_type == torch.device_cpu();
    void* stream = nullptr;
    if (!torch.cuda_stream || torch.cuda_stream(first.device, &stream) != 0) return false;
    known_.key.push_back(reinterpret_cast<std::uintptr_t>(stream));
    return Thread::own().has_begun(stream, first.device);
  }

  // The result as the function gives it.
  Object* finish(const KnownCall& call, Made& made) const {
    if (!call.written.empty()) {
      const Owned some(python.tuple(static_cast<Size>(call.written.size())));
      if (!some) return nullptr;
      for (std::size_t i = 0; i < call.written.size(); ++i) python.tuple_put(some.get(), static_cast<Size>(i), Owned::of(arguments_[call.written[i]]).give());
      Object* const argument = some.get();
      const Owned counted(python.call(package.count_writes, &argument, 1, nullptr));
      if (!counted) return nullptr;
    }
    if (call.returned.size() == 1 && !call.collect.get()) return object_of(call, call.returned[0], made).give();
    Owned all(python.tuple(static_cast<Size>(call.returned.size())));
    if (!all) return nullptr;
    for (std::size_t i = 0; i < call.returned.size(); ++i) {
      Owned one = object_of(call, call.returned[i], made);
      if (!one) return nullptr;
      python.tuple_put(all.get(), static_cast<Size>(i), one.give());
    }
    if (!call.collect.get()) return all.give();
    Object* const argument = all.get();
    return python.call(call.collect.get(), &argument, 1, nullptr);
  }

  Owned object_of(const KnownCall& call, const Returned& returned, Made& made) const {
    switch (returned.from) {
      case Returned::From::argument: return Owned::of(arguments_[returned.index]);
      case Returned::From::made:
        if (OwnedTensor& tensor = made[returned.index]; !tensor) tensor = make_result(call.results[returned.index], seen_[0].device_type, seen_[0].device);
        return wrapped(std::move(made[returned.index]));
      case Returned::From::nothing: break;
    }
    return Owned::of(python.none);
  }

  // The call through torch.autograd, whose function comes back to this library for the results.
  Object* record(const KnownCall& call, std::span<const Placed> placed) {
    std::array<Object*, kMostTensors> tensors;
    for (std::size_t i = 0; i < call.passed.size(); ++i) tensors[i] = call.passed[i] < 0 ? python.none : arguments_[call.passed[i]];
    const Known::Running outer = std::exchange(known_.running, {&call, placed, seen_[0].device_type, seen_[0].device});
    Object* const result = python.call(call.apply.get(), tensors.data(), call.passed.size(), nullptr);
    known_.running = outer;
    return result;
  }

  enum : Word { kNone, kTrue, kFalse, kInteger, kNumber, kText, kTuple, kDict, kEnd, kDtype, kTensor };
  const Caller& caller_;
  Object* const* arguments_;
  Size count_;
  Object* names_;  // of keywords
  Known& known_;
  std::array<Seen, kMostTensors> seen_;
  std::array<std::int8_t, kMostArguments> at_;  // which of these an argument is
  std::size_t seen_count_ = 0, position_ = 0;
  Word required_ = 0;
};

// A gradient that autograd records: what the function of torch.autograd has in place of text.
struct Recorded {
  struct Pick {
    bool is_result = false;
    std::size_t index = 0;
  };
  static constexpr std::ptrdiff_t kUpstream = -1, kAbsent = -2;
  std::vector<Pick> picks;  // what is saved
  std::size_t operator_index = 0;  // of the gradient's kernel
  Word problem = 0;
  std::vector<std::ptrdiff_t> taken;  // for each tensor of the gradient, which of those that were saved
  std::vector<std::int64_t> upstream;  // the shape in which the gradient takes that of the result
  std::vector<std::ptrdiff_t> wanted;  // for each argument, the result of the gradient, or -1
  std::vector<std::optional<std::vector<std::int64_t>>> shapes;  // of these, where they have another than the result
  Owned compute, differentiate;  // calls in Python: of the operator, for its results; of the gradient

  Object* forward(Object* const* arguments, Size count) const {
    Known& known = Known::own();
    const Known::Running running = std::exchange(known.running, {});
    Made made;
    std::vector<Owned> results;
    if (running.call && launch(*running.call->prepared, running.call->results, running.placed, running.device_type, running.device, made)) {
      for (std::size_t i = 0; i < running.call->results.size(); ++i) {
        const bool needed = i == 0 || std::ranges::any_of(picks, [&](const Pick& pick) { return pick.is_result && pick.index == i; });
        results.push_back(needed ? wrapped(std::move(made[i])) : Owned::of(python.none));
      }
    } else {
      const Owned all(python.call(compute.get(), arguments + 1, static_cast<std::size_t>(count - 1), nullptr));
      if (!all) return nullptr;
      for (Size i = 0; i < python.tuple_size(all.get()); ++i) results.push_back(Owned::of(python.tuple_at(all.get(), i)));
    }
    if (results.empty() || std::ranges::any_of(results, [](const Owned& one) { return !one; })) return nullptr;
    std::array<Object*, kMostTensors + 1> saved;
    saved[0] = arguments[0];
    for (std::size_t i = 0; i < picks.size(); ++i) saved[i + 1] = picks[i].is_result ? results[picks[i].index].get() : arguments[picks[i].index + 1];
    const Owned done(python.call_method(package.save, saved.data(), picks.size() + 1, nullptr));
    return done ? results[0].give() : nullptr;
  }

  Object* backward(Object* context, Object* upstream_gradient) const {
    const Owned saved(python.get(context, package.saved));
    if (!saved) return nullptr;
    if (Object* const gradients = attempt(saved.get(), upstream_gradient)) return gradients;
    python.clear_error();
    Object* const arguments[] = {context, saved.get(), upstream_gradient};
    return python.call(differentiate.get(), arguments, 3, nullptr);
  }

 private:
  // The gradients, null where the call is not known.
  Object* attempt(Object* saved, Object* upstream_gradient) const {
    if (torch.grad_enabled() || !is_quiet(true) || python.tuple_size(saved) != static_cast<Size>(picks.size())) return nullptr;
    std::array<Seen, kMostTensors> seen;
    std::array<OwnedTensor, kMostTensors> copies;
    std::array<Placed, kMostTensors> placed;
    const std::vector<Argument>& arguments = operators()[operator_index].arguments;
    Key key;
    key.reserve(32);
    std::size_t count = 0;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      if (taken[i] == kAbsent) {
        key.push_back(0);
        continue;
      }
      Object* const object = taken[i] == kUpstream ? upstream_gradient : python.tuple_at(saved, taken[i]);
      Seen& s = seen[count];
      if (!is_tensor(object) || !see(object, s) || (count > 0 && (s.device_type != seen[0].device_type || s.device != seen[0].device))) return nullptr;
      if (!s.dense) {  // as a gradient that was expanded
        const auto strides = row_major(s.sizes, s.rank);
        copies[count] = make_tensor(s.rank, s.sizes, strides.data(), s.dtype, s.device_type, s.device);
        if (!copies[count] || torch.copy(copies[count].get(), s.tensor(), 0) != 0 || torch.data_of(copies[count].get(), &s.data) != 0) return nullptr;
      }
      std::span<const std::int64_t> sizes(s.sizes, static_cast<std::size_t>(s.rank));
      if (taken[i] == kUpstream && !std::ranges::equal(sizes, upstream)) {
        std::int64_t elements = 1, expected = 1;
        for (const std::int64_t n : sizes) elements *= n;
        for (const std::int64_t n : upstream) expected *= n;
        if (elements != expected) return nullptr;
        sizes = upstream;
        s.rank = static_cast<std::int64_t>(upstream.size());
      }
      key.push_back(s.header());
      for (const std::int64_t n : sizes) key.push_back(static_cast<Word>(n));
      placed[count++] = {arguments[i].place, s.data};
    }
    if (count == 0) return nullptr;
    Thread& thread = Thread::own();
    key.push_back(problem);
    if (seen[0].device_type == torch.device_cuda()) {
      void* stream = nullptr;
      if (!torch.cuda_stream || torch.cuda_stream(seen[0].device, &stream) != 0 || !thread.has_begun(stream, seen[0].device)) return nullptr;
      key.push_back(reinterpret_cast<std::uintptr_t>(stream));
    }
    const auto& calls = thread.calls[operator_index];
    const auto found = calls.find(key);
    if (found == calls.end() || !are_plain(*found->second)) return nullptr;
    const std::shared_ptr<const Prepared> prepared = found->second;
    Made made;
    bool launched = false;
    if (std::ranges::none_of(shapes, [](const auto& shape) { return shape.has_value(); })) {
      launched = launch(*prepared, prepared->results, {placed.data(), count}, seen[0].device_type, seen[0].device, made);
    } else {
      std::vector<Result> results = prepared->results;
      for (std::size_t i = 0; i < wanted.size(); ++i)
        if (shapes[i] && wanted[i] >= 0) reshape(results[static_cast<std::size_t>(wanted[i])], *shapes[i]);
      launched = launch(*prepared, results, {placed.data(), count}, seen[0].device_type, seen[0].device, made);
    }
    if (!launched) return nullptr;
    Owned gradients(python.tuple(static_cast<Size>(wanted.size())));
    if (!gradients) return nullptr;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      Owned one = wanted[i] < 0 ? Owned::of(python.none) : wrapped(std::move(made[static_cast<std::size_t>(wanted[i])]));
      if (!one) return nullptr;
      python.tuple_put(gradients.get(), static_cast<Size>(i), one.give());
    }
    return gradients.give();
  }
};

// A call with its arrays fixed.
struct BoundCall {
  struct Memory {
    Owned array;
    void* data = nullptr;
    std::int32_t dtype = 0;
    std::vector<std::int64_t> sizes, strides;
  };
  const adj_bound* bound = nullptr;
  const adj_stream* stream = nullptr;
  std::vector<Memory> memory;
  Owned written, result;

  Object* run() {
    if (!is_zero(Owned(python.call(package.function_modes, nullptr, 0, nullptr)))) return leave();
    for (Memory& m : memory)
      if (!is_unchanged(m)) return leave();
    if (stream->kind == ADJ_STREAM_CUDA) {
      std::int32_t current = 0;
      if (torch.current_device(&current) != 0 || current != stream->device) return leave();
      static thread_local Word begun = 0;  // devices whose calls of this thread the package has made once: it gives the thread a context
      if (const Word bit = Thread::bit(current); !(begun & bit)) {
        begun |= bit;
        return leave();
      }
    }
    State* const state = python.unlock();
    const adj_status status = adj_bound_run(bound, stream);
    python.lock(state);
    if (status != ADJ_OK) return leave();  // the package runs it again, and raises
    if (Object* const argument = written.get(); argument && !Owned(python.call(package.count_writes, &argument, 1, nullptr))) return nullptr;
    python.retain(result.get());
    return result.get();
  }

  static bool is_unchanged(const Memory& m) {
    Seen s;
    const Owned address(python.get(m.array.get(), package.address));
    if (!address || !(s.implementation = python.address(address.get()))) return false;
    Tensor* const t = s.tensor();
    std::int64_t* strides = nullptr;
    const auto rank = static_cast<std::int64_t>(m.sizes.size());
    return torch.data_of(t, &s.data) == 0 && s.data == m.data && torch.dtype_of(t, &s.dtype) == 0 && s.dtype == m.dtype && torch.rank_of(t, &s.rank) == 0 &&
           s.rank == rank && torch.sizes_of(t, &s.sizes) == 0 && std::equal(m.sizes.begin(), m.sizes.end(), s.sizes) && torch.strides_of(t, &strides) == 0 &&
           std::equal(m.strides.begin(), m.strides.end(), strides);
  }
};

}  // namespace adjoint::torch_abi
