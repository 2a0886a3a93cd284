// Plans: data made by select, executed by one generic run.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <variant>

#include "plan/op.hpp"

namespace adj {

// A value that run or bind writes into a parameter block or a table. An absent optional argument gives a null address.
struct Binding {
  enum Kind : std::uint8_t { tensor, workspace, scalar, list, random, entry } kind;
  std::uint16_t argument = 0;
  std::uint32_t offset = 0;      // position of the value in the block, in bytes
  std::uint64_t addend = 0;      // workspace: offset in it; tensor: bytes behind its beginning
  std::uint32_t high = 0;        // list: position of the array of upper 16 bits of the addresses; the lower 32 bits are at `offset`
  std::uint32_t first = 0, count = 0;  // list: range of entries whose addresses are written; entry: `first` is the entry
};
// Largest number of bits of an address in a list of tensors on a device; run checks it.
constexpr int kListAddressBits = 48;
constexpr std::size_t kLargestParams = 32768;  // most bytes of a kernel's parameters
constexpr std::uint64_t kWorkspaceAlignment = 256;
constexpr std::uint64_t align_workspace(std::uint64_t offset) { return (offset + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment; }
constexpr std::uint64_t kMostWorkspace = std::uint64_t{1} << 60;     // bytes; select refuses a plan that needs them
// End of a booking in the workspace. A sum that could overflow saturates at kMostWorkspace.
constexpr std::uint64_t end_of(std::uint64_t offset, std::uint64_t bytes) { return bytes > kMostWorkspace - offset ? kMostWorkspace : offset + bytes; }

struct KernelStep {
  const Program* program = nullptr;
  std::shared_ptr<const Program> owner{};  // keeps a caller's program alive; null for a program of the library
  cu::Function function = nullptr;  // null in an offline plan
  // Program launched instead of `program`, with the same grid and blocks of `unaligned_block` threads, when an address in
  // `unaligned_arguments` (bit i: argument i, a tensor or a list) is not a multiple of 16 bytes. Null: there is none.
  const Program* unaligned_program = nullptr;
  cu::Function unaligned_function = nullptr;
  unsigned unaligned_block = 0;
  std::uint32_t unaligned_arguments = 0;
  // Arguments of two lists. A call in which all their entries are the same buffers omits the launch. Equal arguments: every call launches.
  std::uint16_t in_place_from = 0, in_place_to = 0;
  cu::LaunchConfig config{};
  unsigned cluster = 1;  // blocks of a cluster
  bool early = false;    // true: begins while the kernel of the step before still runs; the program itself waits for that kernel
  bool apart = false;    // true: params holds several kernel parameters one after the other; false: one structure
  std::vector<std::byte> params;
  std::vector<Binding> bindings;
  // Byte ranges [begin, end) of params. unread: the kernel never reads them. constant: the kernel reads them and no list overwrites them.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> unread, constant;
};
// Fills part of an output or of the workspace with a byte. An absent optional output is left alone.
struct MemsetStep {
  bool workspace = true;
  std::uint16_t argument = 0;
  std::uint64_t offset = 0, bytes = 0;
  unsigned char value = 0;
};
// Copies a tensor to a tensor, or a list to a list entry by entry. Does nothing when both are the same buffer, or one is absent.
struct CopyStep {
  std::uint16_t from = 0, to = 0;  // arguments
};
// Records an event of the caller, or makes the stream wait for it. For CUDA streams only.
struct EventStep {
  std::uint16_t argument = 0;
  bool wait = false;
};
struct HostStep {
  HostFunction function = nullptr;
};
struct Plan;
// Input of the function of a call step.
struct CallContext {
  const Plan& plan;
  const adj_stream& stream;
  const std::byte* args;  // the argument structure at full size
  std::byte* workspace;
  void* state;            // CallStep::state
};
// Calls a function that issues work on the stream: a library, or the caller's code.
struct CallStep {
  Result<void> (*function)(const CallContext&) = nullptr;
  std::shared_ptr<void> state{};  // made by select, never changed by a run, shared by the plan and its bound calls
  const char* library = nullptr;  // name of the library that the function calls; null: none
  bool capturable = true;         // false: refused while the stream is being captured
  void (*selected)(void* state) = nullptr;  // called once when select returns the plan; null: nothing to do
};

// Calls that perform a step: all, only adj_plan_run, or only bound calls.
enum class When : std::uint8_t { always, run, bound };
struct Step : std::variant<KernelStep, MemsetStep, CopyStep, EventStep, HostStep, CallStep> {
  using variant::variant;
  When when = When::always;
  bool in(bool bound) const { return when == When::always || (when == When::bound) == bound; }
};

// A table of addresses that bind copies into the workspace.
struct BoundTable {
  std::uint64_t offset = 0;  // position in the workspace, in bytes
  std::vector<std::byte> image;
  std::vector<Binding> bindings;  // applied to the image
};

// An operator's descriptor with everything it points to.
class DescriptorCopy {
 public:
  DescriptorCopy() = default;
  static Result<DescriptorCopy> make(const adj_header* descriptor);
  const void* get() const { return bytes_.data(); }
  const OpInfo* op() const { return op_; }
  std::size_t bytes() const;  // size in memory

 private:
  const OpInfo* op_ = nullptr;
  std::vector<std::uint64_t> bytes_;
  std::shared_ptr<std::vector<std::vector<std::int64_t>>> lists_;  // shared by all copies, never changed
  std::shared_ptr<std::deque<std::string>> texts_;                 // shared by all copies, never changed
};

struct Plan {
  std::atomic<std::int64_t> references{1};
  const OpInfo* op = nullptr;
  const Sku* sku = nullptr;
  adj_guarantee guarantee{};  // of every output, for this problem
  adj_stream stream{};  // kind, device and architecture that the plan was selected for
  DescriptorCopy descriptor;
  std::vector<ArgumentSpec> specs;
  std::vector<Step> steps;  // steps of run and steps of bound calls, in order
  std::vector<BoundTable> tables;
  std::uint64_t workspace_size = 0, bind_workspace_size = 0;
  bool from_ptx = false;
  std::vector<Rejection> candidates;  // SKUs that select tried, in order; the last is this plan's

  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  std::vector<Step> steps_of(bool bound) const;  // copies; for tools and tests
  std::int64_t count_steps(bool bound) const;
};

// Fails with ADJ_ERROR_INTERNAL when a step or a table of a plan reaches outside its parameters, its image, the workspace or an argument. A fault of
// a planning function, never of a caller; select checks every plan with it.
Result<void> check_bounds(const Plan& plan);

// Where an argument of a part of a plan lies.
struct Place {
  enum Kind : std::uint8_t { absent, argument, workspace } kind = absent;
  int which = 0;             // argument: of the operator whose plan has the part
  std::uint64_t offset = 0;  // bytes behind the beginning of the argument, or of the workspace
  adj_dtype dtype{};         // of a scalar that lies in the workspace

  static Place of(int which, std::uint64_t offset = 0) { return {argument, which, offset}; }
  static Place in_workspace(std::uint64_t offset, adj_dtype dtype = {}) { return {workspace, 0, offset, dtype}; }
};
struct PartArgument {
  int argument;  // of the part's operator
  Place place;
};

// Used by the operators' finish functions.
class PlanBuilder {
 public:
  explicit PlanBuilder(Plan& plan) : plan_(plan) {}

  // Books workspace; returns its offset, a multiple of kWorkspaceAlignment.
  std::uint64_t book(std::uint64_t bytes);
  // Makes every call refuse tensors whose addresses are not multiples of `bytes`.
  void align_tensors(std::uint32_t bytes);
  // Books workspace that only bind needs.
  std::uint64_t book_for_bind(std::uint64_t bytes);

  class Kernel {
   public:
    Kernel(KernelStep& step, const Sku& sku, bool follows) : step_(step), sku_(sku), follows_kernel_(follows) {}
    template <class Params>
    Kernel& params(const Params& p) {
      const auto* bytes = reinterpret_cast<const std::byte*>(&p);
      step_.params.assign(bytes, bytes + sizeof(Params));
      return *this;
    }
    Kernel& params(std::vector<std::byte> bytes) {
      step_.params = std::move(bytes);
      return *this;
    }
    Kernel& shared(std::uint32_t bytes) {
      step_.config.shared_bytes = bytes;
      return *this;
    }
    Kernel& cluster(unsigned x) {
      step_.cluster = x;
      return *this;
    }
    // Lets the launch begin while the kernel before it still runs, on devices that can. The program itself waits for that kernel
    // (kernels/prelude/thread.cuh). Every earlier kernel of the plan except the first must be early as well.
    Kernel& early(const Device& device);
    Kernel& tensor(std::size_t offset, int argument, std::uint64_t addend = 0);  // addend: bytes behind the tensor's beginning
    Kernel& workspace(std::size_t offset, std::uint64_t addend);
    Kernel& scalar(std::size_t offset, int argument);
    Kernel& random(std::size_t offset, int argument);
    Kernel& list(std::size_t low, std::size_t high, int argument, std::uint32_t first, std::uint32_t count);
    // Launches another program of the SKU when an address of these tensors or lists of tensors is not a multiple of 16 bytes. Its blocks
    // have `block` threads; 0: as many as the blocks of the first program.
    Kernel& when_unaligned(ProgramName program, std::span<const int> arguments, unsigned block = 0);
    Kernel& when_unaligned(ProgramName program, std::initializer_list<int> arguments) {
      return when_unaligned(program, std::span(arguments.begin(), arguments.size()));
    }
    // Omits the launch from calls in which the lists `from` and `to` have the same buffers, entry by entry.
    Kernel& unless_in_place(int from, int to);
    Kernel& unread(std::size_t begin, std::size_t end);  // bytes [begin, end) of the parameters, which this launch does not read

   private:
    KernelStep& step_;
    const Sku& sku_;
    bool follows_kernel_;
  };

  // Adds a launch of the program of that name with a one-dimensional grid (y for a second dimension).
  // The reference is valid until the next step is added.
  Kernel kernel(ProgramName program, std::int64_t grid, unsigned block, std::int64_t grid_y = 1);
  // Adds a launch of a program of the caller's, whose parameters lie one after the other in `params`. `bindings` names the arguments to write.
  void user_kernel(std::shared_ptr<const Program> program, const cu::LaunchConfig& config, std::vector<std::byte> params, std::vector<Binding> bindings);
  // Restricts the steps that are added from now on to these calls.
  void only(When when) { when_ = when; }
  void clear_workspace(std::uint64_t offset, std::uint64_t bytes, unsigned char value = 0);
  void clear_output(int argument, unsigned char value = 0);  // the whole tensor
  void copy(int from, int to);
  void record(int event);
  void wait(int event);
  void call(CallStep step);
  void host(HostFunction function);
  // Adds the steps of a plan of another operator, which is planned as `request` is, by the first of the SKU's parts that takes its descriptor. Arguments
  // that are not named are left out. The workspace of parts begins at `room`, which the caller takes from `parts_begin` behind all that it books: parts
  // run one after another and share it.
  Result<void> part(const PlanRequest& request, const adj_header& descriptor, std::span<const PartArgument> arguments, std::uint64_t room);
  std::uint64_t parts_begin() const { return align_workspace(plan_.workspace_size); }
  void table(BoundTable table) { plan_.tables.push_back(std::move(table)); }

 private:
  void add(Step step);
  bool follows_kernel() const;  // true: the next step will directly follow a kernel in every call that has it
  Plan& plan_;
  When when_ = When::always;
};

// ---- the verbs

Result<Plan*> select_plan(const adj_stream& stream, const adj_header* descriptor, const adj_preference* preference);
// What a descriptor asks of the arguments. Fails when the descriptor is not valid, or its element types are none of the operator's.
struct Requirements {
  DescriptorCopy descriptor;  // owns lists that the specs refer to
  std::vector<ArgumentSpec> specs;
};
Result<Requirements> requirements_of(const adj_header* descriptor);
// Every candidate in the order of trial; accepted candidates have the code ADJ_OK.
Result<std::vector<Rejection>> explain_plan(const adj_stream& stream, const adj_header* descriptor, const adj_preference* preference);
void retain(Plan& plan);
void release(Plan* plan);

Result<void> can_implement(const Plan& plan, const adj_header* args);
Result<void> run_plan(const Plan& plan, const adj_stream& stream, const adj_workspace& workspace, const adj_header* args);

// True when a call with these arguments (at full size) omits the launch.
bool is_left_out(const KernelStep& step, const Plan& plan, const std::byte* args);
// True when a call with these arguments (at full size) launches the step's program for unaligned tensors.
bool takes_unaligned(const KernelStep& step, const OpInfo& op, const std::byte* args);
using LaunchAttributes = std::array<cu::LaunchAttribute, 2>;
// Launch configuration of a step. It points to `attributes`, which must live until the launch.
cu::LaunchConfig launch_config(const KernelStep& step, cu::Stream stream, LaunchAttributes& attributes);
// Writes the values of the bindings, taken from the arguments (at full size) and the workspace, into a parameter block or a table.
void apply(const std::vector<Binding>& bindings, std::byte* block, const OpInfo& op, const std::byte* args, const std::byte* workspace);

class BoundCall;
Result<BoundCall*> bind_plan(Plan& plan, const adj_stream& stream, const adj_workspace& workspace, const adj_header* args);
Result<void> run_bound(const BoundCall& bound, const adj_stream& stream);
void release(BoundCall* bound);
// The steps of a bound call with their parameters complete.
const std::vector<Step>& bound_call_steps(const BoundCall& bound);

}  // namespace adj
