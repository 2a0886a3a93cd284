// Operators of torch in compiled code: kernels for the dispatcher's keys CPU and CUDA, on torch's stable C interface. The Python package says what operators
// there are, and makes the first call of each problem; see kernel.hpp. Functions here are for it, and are called on the thread of the call.
#include "capi/torch/from_python.hpp"

namespace adjoint::torch_abi {
namespace {

constexpr std::size_t kMostOperators = 512;

// The package makes the call, as another operator with the same parameters. It does not raise through torch's C interface, which would lose what it says.
void make_at_length(const Operator& op, Thread& thread, Word* stack) {
  thread.failed = false;
  if (torch.call(op.at_length.c_str(), "", stack, kVersion) != 0) throw std::runtime_error(op.name + ": torch's dispatcher refused the call");
  thread.ticket = nullptr;
  Call::unwrap_results(op, stack);
  if (!std::exchange(thread.failed, false)) return;
  Call::release_results(op, stack);
  throw std::runtime_error(thread.failure);
}

void run(std::size_t index, Word* stack) {
  const Operator& op = operators()[index];
  std::uint64_t ticket = 0;
  {
    Call call(op, index, stack);
    if (call.known()) return;
    ticket = call.leave();
  }
  if (!op.at_length.empty()) return make_at_length(op, Thread::own(), stack);
  Call::release(op, stack);
  throw std::runtime_error("adjoint: ticket " + std::to_string(ticket));
}

// What a call that has failed says, null of one that has its results.
const char* outcome(std::size_t index, Word* stack) noexcept {
  try {
    run(index, stack);
    return nullptr;
  } catch (const std::exception& refused) { return (Thread::own().failure = refused.what()).c_str(); }
}

// The interface hands no data of the caller to a kernel, so each operator has a function of its own. Torch throws, through a frame that has nothing to release:
// the unwinder of torch and that of this library may be two, as in a wheel, and neither reads the other's frames.
template <std::size_t index>
void kernel(Word* stack, std::uint64_t, std::uint64_t) {
  if (const char* const said = outcome(index, stack)) torch.check(false, "", "", 0, said);
}
template <std::size_t... indices>
constexpr std::array<Kernel, sizeof...(indices)> make_kernels(std::index_sequence<indices...>) {
  return {kernel<indices>...};
}
constexpr auto kKernels = make_kernels(std::make_index_sequence<kMostOperators>{});

Error implement(const char* space, const char* name, const char* key, std::size_t index) {
  Library* library = nullptr;  // stays as long as the process
  if (torch.init_impl(space, key, __FILE__, __LINE__, &library) != 0) return 1;
  return torch.impl(library, name, kKernels[index], kVersion);
}

}  // namespace
}  // namespace adjoint::torch_abi

#define ADJ_TORCH_EXPORT extern "C" __attribute__((visibility("default")))

// Finds torch's functions. Returns null, or the name of what this process's torch has not.
ADJ_TORCH_EXPORT const char* adj_torch_start() { return adjoint::torch_abi::torch.find(); }

// Registers the kernel of the operator space::name, which torch knows. kinds: a letter for each argument; read_only and places: of each, see Argument.
// results: T or L for each result. at_length: the operator for calls that are not known, "" where the caller makes them. Returns a number of the operator, or
// -1.
ADJ_TORCH_EXPORT std::int64_t adj_torch_register(const char* space, const char* name, const char* kinds, const std::uint8_t* read_only,
                                                 const std::int64_t* places, const char* results, const char* at_length, std::int32_t any_layout,
                                                 std::int32_t updates) {
  using namespace adjoint::torch_abi;
  const std::size_t index = operators().size();
  if (index >= kMostOperators) return -1;
  Operator& op = operators().emplace_back();
  op.name = std::string(space) + "::" + name;
  op.at_length = at_length;
  op.any_layout = any_layout != 0;
  op.updates = updates != 0;
  for (std::size_t i = 0; kinds[i] != 0; ++i) op.arguments.push_back({static_cast<Kind>(kinds[i]), read_only[i] != 0, places[i]});
  for (const char* r = results; *r != 0; ++r) op.listed.push_back(*r == 'L');
  if (implement(space, name, "CPU", index) != 0 || (torch.cuda_stream && implement(space, name, "CUDA", index) != 0)) return -1;
  return static_cast<std::int64_t>(index);
}

// Takes the ticket of the call that the thread left to the package: of that number, or of the last call where it is 0. Null where the call has none.
ADJ_TORCH_EXPORT void* adj_torch_take(std::uint64_t number) {
  using namespace adjoint::torch_abi;
  Thread& thread = Thread::own();
  return number == 0 || number == thread.number ? thread.ticket.release() : nullptr;
}

ADJ_TORCH_EXPORT void adj_torch_drop(void* ticket) { delete static_cast<adjoint::torch_abi::Ticket*>(ticket); }

// A prepared call, for adj_torch_keep and keep_call, which use it up. words: the argument structure without addresses. lists: places of `list_count` lists in
// it. written: those of numbers that the call writes. results: for each, its kind (0 tensor, 1 list, 2 and 3 the same, absent), place, number of shapes, and
// for each shape element type, rank, sizes.
ADJ_TORCH_EXPORT void* adj_torch_prepare(adj_plan* plan, const adj_stream* stream, const std::uint64_t* words, std::int64_t word_count, std::uint64_t workspace,
                                         const std::int64_t* lists, std::int64_t list_count, const std::int64_t* written, std::int64_t written_count,
                                         const std::int64_t* results, std::int64_t result_count) {
  using namespace adjoint::torch_abi;
  auto p = std::make_unique<std::shared_ptr<Prepared>>(std::make_shared<Prepared>());
  Prepared& made = **p;
  made.plan.reset(adj_plan_retain(plan));
  made.stream = *stream;
  made.arguments.assign(words, words + word_count);
  made.workspace = workspace;
  made.written.assign(written, written + written_count);
  for (std::int64_t i = 0; i < list_count; ++i) {
    auto& list = *reinterpret_cast<adj_tensor_list*>(made.arguments.data() + lists[i]);
    made.bytes.emplace_back(list.bytes, list.bytes + list.count);
    list.bytes = made.bytes.back().data();
  }
  for (std::int64_t i = 0; i < result_count; ++i) {
    Result& r = made.results.emplace_back();
    r.listed = results[0] & 1, r.absent = results[0] & 2, r.place = results[1];
    r.shapes.resize(static_cast<std::size_t>(results[2]));
    results += 3;
    for (Result::Shape& shape : r.shapes) {
      shape.dtype = torch.dtypes[results[0]];
      shape.sizes.assign(results + 2, results + 2 + results[1]);
      shape.strides = row_major(shape.sizes.data(), results[1]);
      results += 2 + results[1];
    }
  }
  return p.release();
}

// Keeps a prepared call for later ones with the key of the ticket, which is used up.
ADJ_TORCH_EXPORT void adj_torch_keep(void* ticket, void* prepared) {
  using namespace adjoint::torch_abi;
  const std::unique_ptr<Ticket> used(static_cast<Ticket*>(ticket));
  const std::unique_ptr<std::shared_ptr<Prepared>> p(static_cast<std::shared_ptr<Prepared>*>(prepared));
  Thread& thread = Thread::own();
  if (thread.count >= Thread::kMost) thread.forget();
  ++thread.count;
  thread.calls[used->index].insert_or_assign(std::move(used->key), std::move(*p));
}

// The package says why it could not make a call.
ADJ_TORCH_EXPORT void adj_torch_fail(const char* sentence) {
  using namespace adjoint::torch_abi;
  Thread& thread = Thread::own();
  thread.failure = sentence;
  thread.failed = true;
}

// Drops the calls that this thread keeps.
ADJ_TORCH_EXPORT void adj_torch_forget() {
  adjoint::torch_abi::Thread::own().forget();
  adjoint::torch_abi::Known::own().calls.clear();
}

// The functions of from_python.hpp, for the objects of torch that functions_for takes. Null, without an exception, where this process's Python has not what
// they need. Called with the interpreter's lock held.
ADJ_TORCH_EXPORT adjoint::torch_abi::Object* adj_torch_functions(adjoint::torch_abi::Object* objects) {
  using namespace adjoint::torch_abi;
  return python.find_all() ? nullptr : functions_for(objects);
}
