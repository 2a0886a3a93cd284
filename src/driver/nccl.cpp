#include "driver/nccl.hpp"

#include <chrono>
#include <mutex>
#include <thread>

#include "base/process.hpp"

namespace adj {

namespace {

// A thread that waits for a communicator.
struct Waiter {
  cu::NcclComm comm;
  std::atomic<bool> aborted{false};
  Waiter* next = nullptr;
};
struct Waiters {
  ProcessLock lock;
  Waiter* first = nullptr;
};
constinit Lazy<Waiters> waiters;

class Waiting {
 public:
  explicit Waiting(cu::NcclComm comm) : own_{.comm = comm} {
    const std::lock_guard lock(waiters.get().lock);
    own_.next = std::exchange(waiters.get().first, &own_);
  }
  ~Waiting() {
    const std::lock_guard lock(waiters.get().lock);
    Waiter** at = &waiters.get().first;
    while (*at != &own_) at = &(*at)->next;
    *at = own_.next;
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  bool aborted() const { return own_.aborted; }

 private:
  Waiter own_;
};

// Marks the waiters of a communicator. False when there is none.
bool mark_waiters(cu::NcclComm comm) {
  const std::lock_guard lock(waiters.get().lock);
  bool any = false;
  for (Waiter* waiter = waiters.get().first; waiter; waiter = waiter->next)
    if (waiter->comm == comm) waiter->aborted = any = true;
  return any;
}

constexpr auto kPause = std::chrono::microseconds(20);

// State of a communicator; an error when it cannot be had.
Result<cu::NcclResult> state_of(const cu::NcclApi& api, cu::NcclComm comm) {
  cu::NcclResult state = cu::kNcclSuccess;
  const cu::NcclResult rc = api.async_error(comm, &state);
  if (rc == cu::kNcclInProgress) return rc;
  if (rc) return nccl_error(api, rc, "ncclCommGetAsyncError", comm);
  return state;
}

}  // namespace

Result<void> finish_nccl(const cu::NcclApi& api, cu::NcclComm comm, cu::NcclResult result, const char* call) {
  if (result && result != cu::kNcclInProgress) return nccl_error(api, result, call, comm);
  auto state = state_of(api, comm);
  if (state && *state == cu::kNcclInProgress) {
    const Waiting waiting(comm);
    do {
      if (waiting.aborted()) return fail(ADJ_ERROR_INVALID_ARGUMENT, "{}: the communicator was aborted", call);
      std::this_thread::sleep_for(kPause);
      state = state_of(api, comm);
    } while (state && *state == cu::kNcclInProgress);
  }
  if (!state) return state.take_error();
  if (*state) return nccl_error(api, *state, call, comm);
  return {};
}

Result<void> abort_nccl(const cu::NcclApi& api, cu::NcclComm comm) {
  while (mark_waiters(comm)) std::this_thread::sleep_for(kPause);
  if (auto rc = api.comm_abort(comm); rc && rc != cu::kNcclInProgress) return nccl_error(api, rc, "ncclCommAbort", nullptr);
  return {};
}

}  // namespace adj
