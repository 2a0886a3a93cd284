// Communication between threads of one process, for collectives on the host stream, and events for these threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace adj::host {

// Contribution of a rank to a collective. Ranks must agree in all members but `inputs`. Valid until the rank leaves the collective.
struct Contribution {
  const char* op = nullptr;
  adj_dtype element = ADJ_DTYPE_NONE;
  std::int32_t choice = 0;      // reduction, layout: whatever changes the result
  std::int64_t number = 0;      // root
  std::span<const std::int64_t> numel;
  void* const* inputs = nullptr;  // tensors that other ranks read until all have left
};

// The ranks of one communicator.
class Group {
 public:
  explicit Group(int ranks) : contributions_(static_cast<std::size_t>(ranks)), reading_(static_cast<std::size_t>(ranks)) {}
  int ranks() const { return static_cast<int>(contributions_.size()); }

  // Waits for the contributions of all ranks. Fails, for all ranks alike, when they disagree. The inputs of all ranks may be read until `leave`.
  Result<std::span<const Contribution>> enter(int rank, const Contribution& own);
  // Waits until all ranks have read the inputs that they need, also where the group has ended: the caller may free its own then.
  Result<void> leave(int rank);

  struct Message {
    adj_dtype element;
    std::vector<std::int64_t> numel;
    std::vector<std::vector<std::byte>> tensors;
  };
  Result<void> send(int from, int to, Message message);
  Result<Message> receive(int from, int to);  // waits for the message

  // Ends the group for all ranks: those that wait, or call later, get an error that names this rank and what became of it. by_exception: the rank's own
  // thread calls, and reads no inputs any more.
  void close(int rank, const char* what, bool by_exception = false);

 private:
  Result<void> barrier(std::unique_lock<std::mutex>& lock);
  void end_reading(int rank);
  Error gone() const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Contribution> contributions_;
  std::vector<bool> reading_;  // by rank: it may read the inputs of others
  std::map<std::pair<int, int>, std::deque<Message>> mail_;
  int arrived_ = 0;
  std::int64_t generation_ = 0;
  int closed_ = -1;  // first rank that is gone, -1 for none
  const char* what_ = "";
};

// One rank's end of a group.
struct Rank {
  std::shared_ptr<Group> group;
  int rank = 0;
  int forks = 0;  // of the process whose threads the ranks are
};

// Handles are addresses of Rank. A table has the handles that live, so any other address is refused without reading it.
Result<std::vector<void*>> create_communicator(int ranks);
bool destroy_communicator(void* handle);  // false: no such handle
bool abort_communicator(void* handle);    // destroys the handle; ranks that wait are told of an abort. false: no such handle
void close_after_exception(void* handle) noexcept;  // ends the group; the handle stays
Result<Rank> rank_of(void* handle);
bool is_communicator(const void* handle);

// Calls fn, one rank's part in a collective. When fn throws, no rank waits for this one: the group ends.
template <class Fn>
Result<void> take_part(void* handle, Fn fn) {
  try {
    return fn();
  } catch (...) {
    close_after_exception(handle);
    throw;
  }
}

// ---- events

Result<void*> create_event();
bool destroy_event(void* handle);
Result<void> record_event(void* handle);
Result<void> wait_event(void* handle);
Result<void> reset_event(void* handle);
bool is_event(const void* handle);

}  // namespace adj::host
