// Communication between threads of one process, for collectives on the host stream; and events that such threads wait for.
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

// What a rank brings to a collective: all must agree in the first part. Valid until the rank leaves the collective.
struct Contribution {
  const char* op = nullptr;
  adj_dtype element = 0;
  std::int32_t choice = 0;      // reduction, layout: whatever changes the result
  std::int64_t number = 0;      // root
  std::span<const std::int64_t> numel;
  void* const* inputs = nullptr;  // what others may read until all have left
};

class Group {
 public:
  explicit Group(int ranks) : contributions_(static_cast<std::size_t>(ranks)) {}
  int ranks() const { return static_cast<int>(contributions_.size()); }

  // Waits until all ranks have brought theirs, and says whether they agree; all ranks get the same answer. Then others' inputs may be
  // read until leave.
  Result<std::span<const Contribution>> enter(int rank, const Contribution& own);
  // Waits until all ranks have read what they need.
  Result<void> leave(int rank);

  struct Message {
    adj_dtype element;
    std::vector<std::int64_t> numel;
    std::vector<std::vector<std::byte>> tensors;
  };
  Result<void> send(int from, int to, Message message);
  Result<Message> receive(int from, int to);  // waits for it

  void close(int rank);  // a rank is gone: whoever waits, or comes later, gets an error

 private:
  Result<void> barrier(std::unique_lock<std::mutex>& lock);
  Error gone() const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Contribution> contributions_;
  std::map<std::pair<int, int>, std::deque<Message>> mail_;
  int arrived_ = 0;
  std::int64_t generation_ = 0;
  int closed_ = -1;
};

// One rank's end of a group.
struct Rank {
  std::shared_ptr<Group> group;
  int rank = 0;
};

// Handles are addresses of these, known to a table as long as they live: another address is told apart without reading it.
Result<std::vector<void*>> create_communicator(int ranks);
bool destroy_communicator(void* handle);  // false: no such handle
Result<Rank> rank_of(void* handle);
bool is_communicator(const void* handle);

// ---- events

Result<void*> create_event();
bool destroy_event(void* handle);
Result<void> record_event(void* handle);
Result<void> wait_event(void* handle);
Result<void> reset_event(void* handle);
bool is_event(const void* handle);

}  // namespace adj::host
