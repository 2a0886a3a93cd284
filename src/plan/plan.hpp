// Plans: data made by select, executed by one generic run.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <variant>

#include "plan/op.hpp"

namespace adj {

// Where a launch takes a value from when it is issued. An absent optional argument gives a null address.
struct Patch {
  enum Kind : std::uint8_t { tensor, workspace, scalar, list, random, entry } kind;
  std::uint16_t slot = 0;
  std::uint32_t offset = 0;      // in the parameter block
  std::uint64_t addend = 0;      // workspace: offset in it
  std::uint32_t high = 0;        // list: where the upper 16 bits of the addresses are; the lower 32 are at offset
  std::uint32_t first = 0, count = 0;  // list: range of entries whose addresses are written; entry: the one
};
// Of the addresses in lists of tensors on a device.
constexpr int kListAddressBits = 48;
constexpr std::size_t kLargestParams = 32768;  // bytes of a kernel's parameters
constexpr std::uint64_t kWorkspaceAlignment = 256;
constexpr std::uint64_t align_workspace(std::uint64_t offset) {
  return (offset + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment;
}

struct KernelStep {
  const Program* program = nullptr;
  cu::Function function = nullptr;  // null in an offline plan
  // Launched instead, with as many blocks of `unaligned_block` threads, when an address in `unaligned_slots` (bit i: slot i, a tensor or a
  // list) is not a multiple of 16 bytes. May be absent.
  const Program* unaligned_program = nullptr;
  cu::Function unaligned_function = nullptr;
  unsigned unaligned_block = 0;
  std::uint32_t unaligned_slots = 0;
  // Two lists; where all their entries are the same buffers the launch is left out. Equal: it never is.
  std::uint16_t in_place_from = 0, in_place_to = 0;
  cu::LaunchConfig config{};
  unsigned cluster = 1;  // blocks
  bool early = false;    // begins while the step before, a kernel, still runs: the program waits
  bool apart = false;    // params are several parameters one after the other; else they are one structure
  std::vector<std::byte> params;
  std::vector<Patch> patches;
  // Parts of params, [begin, end): what the kernel never reads, and the rest of what no list overwrites.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> unread, constant;
};
// Fills part of an output or of the workspace with a byte. An absent optional output is left alone.
struct MemsetStep {
  bool workspace = true;
  std::uint16_t slot = 0;
  std::uint64_t offset = 0, bytes = 0;
  unsigned char value = 0;
};
// Copies a tensor to a tensor, or a list to a list entry by entry; nothing where both are the same buffer or one is absent.
struct CopyStep {
  std::uint16_t from = 0, to = 0;  // slots
};
// Records an event of the caller, or makes the stream wait for it. On CUDA streams only.
struct EventStep {
  std::uint16_t slot = 0;
  bool wait = false;
};
struct HostStep {
  HostFunction function = nullptr;
};
struct Plan;
// What a call step works from.
struct CallContext {
  const Plan& plan;
  const adj_stream& stream;
  const std::byte* args;  // of full size
  std::byte* workspace;
  void* state;            // the step's
};
// Calls a function that issues work on the stream: a library, or the caller's code.
struct CallStep {
  Result<void> (*function)(const CallContext&) = nullptr;
  std::shared_ptr<void> state{};  // made by select, never changed by a run, shared by the plan and its bound calls
  const char* library = nullptr;  // that it calls; null: none
  bool capturable = true;         // false: refused while the stream is being captured
  void (*selected)(void* state) = nullptr;  // called once when select returns the plan; null: nothing to do
};

// One action of a plan, in every call or only in those of one of the two ways to run.
enum class When : std::uint8_t { always, run, bound };
struct Step : std::variant<KernelStep, MemsetStep, CopyStep, EventStep, HostStep, CallStep> {
  using variant::variant;
  When when = When::always;
  bool in(bool bound) const { return when == When::always || (when == When::bound) == bound; }
};

// A table that bind copies into the workspace.
struct BoundTable {
  std::uint64_t offset = 0;  // in the workspace
  std::vector<std::byte> image;
  std::vector<Patch> patches;  // applied to the image
};

// An operator's descriptor with everything it points to.
class DescriptorCopy {
 public:
  DescriptorCopy() = default;
  static Result<DescriptorCopy> make(const adj_header* descriptor);
  const void* get() const { return bytes_.data(); }
  const OpInfo* op() const { return op_; }

 private:
  const OpInfo* op_ = nullptr;
  std::vector<std::uint64_t> bytes_;
  std::shared_ptr<std::vector<std::vector<std::int64_t>>> lists_;  // shared by copies, never changed
  std::shared_ptr<std::deque<std::string>> texts_;                 // the same
};

struct Plan {
  std::atomic<std::int64_t> references{1};
  const OpInfo* op = nullptr;
  const Sku* sku = nullptr;
  adj_stream stream{};  // kind, device and architecture it was selected for
  DescriptorCopy descriptor;
  std::vector<SlotSpec> specs;
  std::vector<Step> steps;  // of run and of bound calls, in order
  std::vector<BoundTable> tables;
  std::uint64_t workspace_size = 0, bind_workspace_size = 0;
  bool from_ptx = false;
  std::vector<Rejection> candidates;  // tried up to this one, which is last

  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  std::vector<Step> steps_of(bool bound) const;  // copies; for tools and tests
  std::int64_t count_steps(bool bound) const;
};

// Used by the operators' finish functions.
class PlanBuilder {
 public:
  explicit PlanBuilder(Plan& plan) : plan_(plan) {}

  // Books workspace; returns its offset, a multiple of kWorkspaceAlignment.
  std::uint64_t book(std::uint64_t bytes);
  // Lets a call give tensors only at multiples of so many bytes.
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
    Kernel& params(std::vector<std::byte> bytes) { step_.params = std::move(bytes); return *this; }
    Kernel& shared(std::uint32_t bytes) { step_.config.shared_bytes = bytes; return *this; }
    Kernel& cluster(unsigned x) { step_.cluster = x; return *this; }
    // Lets the launch begin while the kernel before it still runs, where devices can; the program waits for it itself
    // (kernels/prelude/thread.cuh). All earlier kernels of the plan must do so, too, but for the first.
    Kernel& early(const Device& device);
    Kernel& tensor(std::size_t offset, int slot);
    Kernel& workspace(std::size_t offset, std::uint64_t addend);
    Kernel& scalar(std::size_t offset, int slot);
    Kernel& random(std::size_t offset, int slot);
    Kernel& list(std::size_t low, std::size_t high, int slot, std::uint32_t first, std::uint32_t count);
    // Launches another program of the SKU when one of these tensors or lists of tensors is not at multiples of 16 bytes, with blocks of
    // `block` threads, or as large ones.
    Kernel& when_unaligned(int program, std::span<const int> slots, unsigned block = 0);
    Kernel& when_unaligned(int program, std::initializer_list<int> slots) { return when_unaligned(program, std::span(slots.begin(), slots.size())); }
    // Leaves the launch out of calls in which every entry of one list is the same buffer as the other's.
    Kernel& unless_in_place(int from, int to);
    Kernel& unread(std::size_t begin, std::size_t end);  // part of the parameters that this launch does not read

   private:
    KernelStep& step_;
    const Sku& sku_;
    bool follows_kernel_;
  };

  // Adds a launch of the SKU's i-th program with a one-dimensional grid (y for a second dimension).
  // The reference is valid until the next step is added.
  Kernel kernel(int program, std::int64_t grid, unsigned block, std::int64_t grid_y = 1);
  // The same of a program of the caller's, whose parameters are several; `params` and the addresses of entries are the builder's.
  void user_kernel(const Program& program, const cu::LaunchConfig& config, std::vector<std::byte> params, std::vector<Patch> patches);
  // Steps added from now on belong to these calls.
  void only(When when) { when_ = when; }
  void clear_workspace(std::uint64_t offset, std::uint64_t bytes, unsigned char value = 0);
  void clear_output(int slot, unsigned char value = 0);  // all of it
  void copy(int from, int to);
  void record(int event_slot);
  void wait(int event_slot);
  void call(CallStep step);
  void host(HostFunction function);
  void table(BoundTable table) { plan_.tables.push_back(std::move(table)); }

 private:
  void add(Step step);
  bool follows_kernel() const;  // the step before the next one is a kernel, in every call that has both
  Plan& plan_;
  When when_ = When::always;
};

// ---- the verbs

Result<Plan*> select_plan(const adj_stream& stream, const adj_header* descriptor, const adj_preference* preference);
// Every candidate in order, accepted ones with ADJ_OK.
Result<std::vector<Rejection>> explain_plan(const adj_stream& stream, const adj_header* descriptor,
                                            const adj_preference* preference);
void retain(Plan& plan);
void release(Plan* plan);

Result<void> can_implement(const Plan& plan, const adj_header* args);
Result<void> run_plan(const Plan& plan, const adj_stream& stream, const adj_workspace& workspace, const adj_header* args);

// Whether a call with these arguments (of full size) goes without the launch.
bool is_left_out(const KernelStep& step, const Plan& plan, const std::byte* args);
// Whether a launch with these arguments (of full size) is one of the step's program for unaligned tensors.
bool takes_unaligned(const KernelStep& step, const OpInfo& op, const std::byte* args);
using LaunchAttributes = std::array<cu::LaunchAttribute, 2>;
// What a step is launched with; refers to `attributes`.
cu::LaunchConfig launch_config(const KernelStep& step, cu::Stream stream, LaunchAttributes& attributes);
// Writes into a parameter block or a table what its patches take from the arguments (of full size) and the workspace.
void apply(const std::vector<Patch>& patches, std::byte* block, const OpInfo& op, const std::byte* args, const std::byte* workspace);

class BoundCall;
Result<BoundCall*> bind_plan(Plan& plan, const adj_stream& stream, const adj_workspace& workspace, const adj_header* args);
Result<void> run_bound(const BoundCall& bound, const adj_stream& stream);
void release(BoundCall* bound);
// The steps of a bound call with their parameters complete.
const std::vector<Step>& bound_call_steps(const BoundCall& bound);

}  // namespace adj
