// What the package calls to make calls known: functions of Python, which are handed over as one tuple.
#pragma once

#include "capi/torch/known.hpp"

namespace adjoint::torch_abi {

inline std::int64_t integer_of(Object* object) {
  int overflow = 0;
  return object == python.none ? -1 : python.integer(object, &overflow);
}

inline std::vector<std::int64_t> integers_of(Object* tuple) {
  std::vector<std::int64_t> found;
  for (Size i = 0; i < python.tuple_size(tuple); ++i) found.push_back(integer_of(python.tuple_at(tuple, i)));
  return found;
}

// What the capsule of a function holds.
template <class T>
T& held(Object* capsule) {
  return *static_cast<T*>(python.inside(capsule, nullptr));
}

// A function of Python that holds an object.
template <class T>
Owned function_of(const Method& method, std::unique_ptr<T> inside) {
  const Owned capsule(python.capsule(inside.get(), nullptr, [](Object* self) { delete static_cast<T*>(python.inside(self, nullptr)); }));
  if (!capsule) return Owned();
  inside.release();
  return Owned(python.function(&method, capsule.get(), nullptr));
}

// Calls a function, which raises no exception of C++.
template <class F>
Object* guarded(F function) noexcept {
  try {
    return function();
  } catch (const std::exception&) { return python.no_memory(); }
}

inline Object* truth(bool value) {
  Object* const object = value ? python.yes : python.no;
  python.retain(object);
  return object;
}

inline Object* pair(Owned first, Owned second) {
  Owned both(python.tuple(2));
  if (!both || !first || !second) return nullptr;
  python.tuple_put(both.get(), 0, first.give());
  python.tuple_put(both.get(), 1, second.give());
  return both.give();
}

// Keeps a call for later ones like that which the caller of this number has left. Returns whether it has left one.
inline bool keep_left(std::int64_t caller, KnownCall call) {
  constexpr std::size_t kMost = 4096;  // calls; beyond, all are dropped
  Kept::release_dropped();
  Known& known = Known::own();
  if (!std::exchange(known.left, false) || known.caller != static_cast<std::size_t>(caller)) return false;
  if (known.calls.size() >= kMost) known.calls.clear();
  known.calls.insert_or_assign(known.key, std::make_shared<const KnownCall>(std::move(call)));
  return true;
}

inline std::size_t new_number() {
  static std::size_t number = 0;
  return ++number;
}

// caller(records): (a function that makes known calls, its number)
inline Object* make_caller(Object*, Object* const* given, Size) {
  static const Method kMethod{"call", [](Object* self, Object* const* arguments, Size count) {
                                return guarded([&] { return Attempt(held<const Caller>(self), arguments, count).run(); });
                              }};
  return guarded([&] {
    auto caller = std::make_unique<Caller>(Caller{new_number(), given[0] == python.yes, Owned()});
    const auto number = static_cast<long long>(caller->number);
    return pair(function_of(kMethod, std::move(caller)), Owned(python.make_integer(number)));
  });
}

// kernel(function): (a function that makes known calls and calls that function for others, its number). For torch's dispatcher, which calls it with keywords.
inline Object* make_kernel(Object*, Object* const* given, Size) {
  static const Method kMethod{"call", [](Object* self, Object* const* arguments, Size count, Object* names) {
                                return guarded([&] { return Attempt(held<const Caller>(self), arguments, count, names).run(); });
                              }};
  return guarded([&] {
    auto caller = std::make_unique<Caller>(Caller{new_number(), false, Owned::of(given[0])});
    const auto number = static_cast<long long>(caller->number);
    return pair(function_of(kMethod, std::move(caller)), Owned(python.make_integer(number)));
  });
}

// keep_function(caller, kernel, problem, tensors, positions, shape, apply, all): the call that was left is that of a kernel of these tensors, which are
// arguments of the function at these positions or None. shape: of the result, or None. apply: of torch.autograd, or None. all: whether all results are
// returned, and not the first alone. Returns whether it is known now.
inline Object* keep_function(Object*, Object* const* given, Size) {
  return guarded([&] {
    const auto index = static_cast<std::size_t>(integer_of(given[1]));
    const std::vector<Argument>& arguments = operators()[index].arguments;
    const std::vector<std::int64_t> positions = integers_of(given[4]);
    KnownCall call;
    Key key;
    const Seen* first = nullptr;
    std::array<Seen, kMostTensors> seen;
    if (positions.size() > kMostTensors) return truth(false);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      Object* const object = python.tuple_at(given[3], static_cast<Size>(i));
      call.passed.push_back(object == python.none ? -1 : positions[i]);
      if (object == python.none) {
        key.push_back(0);
        continue;
      }
      if (!is_tensor(object) || !see(object, seen[i]) || !seen[i].dense) return leave();
      if (!first) first = &seen[i];
      key.push_back(seen[i].header());
      for (std::int64_t k = 0; k < seen[i].rank; ++k) key.push_back(static_cast<Word>(seen[i].sizes[k]));
      call.taken.push_back({arguments[i].place, static_cast<std::size_t>(positions[i])});
    }
    if (!first) return truth(false);
    key.push_back(static_cast<Word>(integer_of(given[2])));
    if (first->device_type == torch.device_cuda()) {
      void* stream = nullptr;
      if (!torch.cuda_stream || torch.cuda_stream(first->device, &stream) != 0) return truth(false);
      key.push_back(reinterpret_cast<std::uintptr_t>(stream));
    }
    const auto& calls = Thread::own().calls[index];
    const auto found = calls.find(key);
    if (found == calls.end() || !are_plain(*found->second) || found->second->results.empty() || found->second->results[0].absent) return truth(false);
    const std::size_t returned = given[7] == python.yes ? found->second->results.size() : 1;
    call.prepared = found->second;
    call.results = call.prepared->results;
    if (given[5] != python.none) reshape(call.results[0], integers_of(given[5]));
    for (std::size_t i = 0; i < returned; ++i) call.returned.push_back({Returned::From::made, i});
    if (given[6] != python.none) call.apply = Kept(given[6]);
    return truth(keep_left(integer_of(given[0]), std::move(call)));
  });
}

// keep_call(caller, prepared, taken, written, returned, collect): the call that was left is a prepared one. taken: places and positions by turns. written:
// positions. returned: by turns what an array of the results is (0 nothing, 1 an argument, 2 a new one) and which. collect: of their tuple makes the result, or
// None.
inline Object* keep_call(Object*, Object* const* given, Size) {
  return guarded([&] {
    const std::unique_ptr<std::shared_ptr<Prepared>> prepared(static_cast<std::shared_ptr<Prepared>*>(python.address(given[1])));
    KnownCall call;
    call.prepared = *prepared;
    call.results = call.prepared->results;
    const std::vector<std::int64_t> taken = integers_of(given[2]), returned = integers_of(given[4]);
    if (!are_plain(*call.prepared) || taken.size() > 2 * kMostTensors) return truth(false);
    for (std::size_t i = 0; i + 1 < taken.size(); i += 2) call.taken.push_back({taken[i], static_cast<std::size_t>(taken[i + 1])});
    for (const std::int64_t position : integers_of(given[3])) call.written.push_back(static_cast<std::size_t>(position));
    for (std::size_t i = 0; i + 1 < returned.size(); i += 2)
      call.returned.push_back({static_cast<Returned::From>(returned[i]), static_cast<std::size_t>(returned[i + 1])});
    if (given[5] != python.none) call.collect = Kept(given[5]);
    if (const adj_stream& stream = call.prepared->stream; stream.kind == ADJ_STREAM_CUDA) Thread::own().begun |= Thread::bit(stream.device);
    return truth(keep_left(integer_of(given[0]), std::move(call)));
  });
}

// record(picks, kernel, problem, taken, upstream, wanted, shapes, compute, differentiate): (forward, backward) of torch.autograd, see Recorded. picks: an
// argument, or -1 - i for result i.
inline Object* make_recorded(Object*, Object* const* given, Size) {
  static const Method kForward{"forward", [](Object* self, Object* const* arguments, Size count) {
                                 return guarded([&] { return (*held<std::shared_ptr<Recorded>>(self)).forward(arguments, count); });
                               }};
  static const Method kBackward{
      "backward", [](Object* self, Object* const* arguments, Size count) {
        return guarded([&] { return count == 2 ? (*held<std::shared_ptr<Recorded>>(self)).backward(arguments[0], arguments[1]) : leave(); });
      }};
  return guarded([&] {
    auto recorded = std::make_shared<Recorded>();
    for (const std::int64_t pick : integers_of(given[0])) recorded->picks.push_back({pick < 0, static_cast<std::size_t>(pick < 0 ? -1 - pick : pick)});
    recorded->operator_index = static_cast<std::size_t>(integer_of(given[1]));
    recorded->problem = static_cast<Word>(integer_of(given[2]));
    for (const std::int64_t one : integers_of(given[3])) recorded->taken.push_back(one);
    recorded->upstream = integers_of(given[4]);
    for (const std::int64_t one : integers_of(given[5])) recorded->wanted.push_back(one);
    for (Size i = 0; i < python.tuple_size(given[6]); ++i) {
      Object* const shape = python.tuple_at(given[6], i);
      recorded->shapes.push_back(shape == python.none ? std::nullopt : std::optional(integers_of(shape)));
    }
    recorded->compute = Owned::of(given[7]);
    recorded->differentiate = Owned::of(given[8]);
    auto forward = std::make_unique<std::shared_ptr<Recorded>>(recorded), backward = std::make_unique<std::shared_ptr<Recorded>>(recorded);
    return pair(function_of(kForward, std::move(forward)), function_of(kBackward, std::move(backward)));
  });
}

// bind(bound, stream, arrays, written, result): a function that runs a bound call whose arrays are in the memory that was bound, and returns the result. Else
// it returns None. written: tensors whose writes are counted.
inline Object* make_bound(Object*, Object* const* given, Size) {
  static const Method kMethod{"call", [](Object* self, Object* const*, Size) { return guarded([&] { return held<BoundCall>(self).run(); }); }};
  return guarded([&]() -> Object* {
    auto call = std::make_unique<BoundCall>();
    call->bound = static_cast<const adj_bound*>(python.address(given[0]));
    call->stream = static_cast<const adj_stream*>(python.address(given[1]));
    for (Size i = 0; i < python.tuple_size(given[2]); ++i) {
      Object* const array = python.tuple_at(given[2], i);
      Seen s;
      std::int64_t* strides = nullptr;
      if (!is_tensor(array) || !see(array, s) || torch.strides_of(s.tensor(), &strides) != 0) return leave();
      call->memory.push_back({Owned::of(array), s.data, s.dtype, {s.sizes, s.sizes + s.rank}, {strides, strides + s.rank}});
    }
    if (python.tuple_size(given[3]) > 0) call->written = Owned::of(given[3]);
    call->result = Owned::of(given[4]);
    return function_of(kMethod, std::move(call)).give();
  });
}

// is_plain_state(): whether the dispatcher is in no mode. keep_inference(): its state now is that of inference mode.
inline Object* is_plain_state(Object*, Object* const*, Size) {
  const Dispatch* const now = dispatch();
  return truth(now && *now == Dispatch{});
}
inline Object* keep_inference(Object*, Object* const*, Size) {
  if (const Dispatch* const now = dispatch()) inference = *now;
  return leave();
}

// is_left(caller): whether this thread's last call of the caller was left to the package, which may keep it.
inline Object* is_left(Object*, Object* const* given, Size) {
  const Known& known = Known::own();
  return truth(known.left && known.caller == static_cast<std::size_t>(integer_of(given[0])));
}

// Whether a handle of a tensor is what this library takes it for. capsule: one that torch made.
inline bool are_handles(Object* tensor, Object* capsule) {
  auto* const handle = static_cast<Tensor*>(python.inside(capsule, nullptr));
  const Owned address(python.get(tensor, package.address));
  if (!handle || !address) return python.clear_error(), false;
  const bool same = *reinterpret_cast<void**>(handle) == python.address(address.get());
  torch.release(handle);
  return same;
}

// Takes the objects of torch, a tensor and a capsule of its handle, and returns the functions, or None where torch is not as they need it.
inline Object* functions_for(Object* objects) {
  Object** const members[] = {&package.tensor,    &package.parameter,      &package.size,        &package.dtype,        &package.is_negative,
                              &package.has_names, &package.function_modes, &package.is_profiled, &package.count_writes, &package.forward_mode};
  for (std::size_t i = 0; i < std::size(members); ++i) *members[i] = Owned::of(python.tuple_at(objects, static_cast<Size>(i))).give();
  package.address = python.name("_cdata");
  package.requires_grad = python.name("requires_grad");
  package.saved = python.name("saved_tensors");
  package.save = python.name("save_for_backward");
  package.level = python.name("_current_level");
  constexpr Size kSample = std::size(members);
  if (!dispatch() || !wrap() || !are_handles(python.tuple_at(objects, kSample), python.tuple_at(objects, kSample + 1))) return leave();
  static const Method kMethods[] = {
      {"caller", make_caller}, {"kernel", make_kernel}, {"keep_function", keep_function},   {"keep_call", keep_call},          {"record", make_recorded},
      {"is_left", is_left},    {"bind", make_bound},    {"is_plain_state", is_plain_state}, {"keep_inference", keep_inference}};
  Owned all(python.tuple(std::size(kMethods)));
  if (!all) return nullptr;
  for (std::size_t i = 0; i < std::size(kMethods); ++i) python.tuple_put(all.get(), static_cast<Size>(i), python.function(&kMethods[i], nullptr, nullptr));
  return all.give();
}

}  // namespace adjoint::torch_abi
