#include "host/communicator.hpp"

#include <algorithm>
#include <shared_mutex>
#include <unordered_map>

#include "base/dtype.hpp"
#include "base/process.hpp"

namespace adj::host {

namespace {

// Table of the objects behind handles, safe for any number of threads.
template <class T>
class Handles {
 public:
  void* add(std::shared_ptr<T> object) {
    void* handle = object.get();
    const std::unique_lock lock(lock_);
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  std::shared_ptr<T> find(const void* handle) const {
    const std::shared_lock lock(lock_);
    const auto it = objects_.find(handle);
    return it == objects_.end() ? nullptr : it->second;
  }
  std::shared_ptr<T> take(const void* handle) {
    const std::unique_lock lock(lock_);
    const auto it = objects_.find(handle);
    if (it == objects_.end()) return nullptr;
    auto object = std::move(it->second);
    objects_.erase(it);
    return object;
  }

 private:
  mutable ProcessLock lock_;
  std::unordered_map<const void*, std::shared_ptr<T>> objects_;
};

constinit Lazy<Handles<Rank>> rank_table;
Handles<Rank>& ranks() { return rank_table.get(); }

// Name of the first thing that two ranks disagree in, or null.
const char* difference(const Contribution& a, const Contribution& b) {
  if (std::string_view(a.op) != b.op) return "operator";
  if (a.element != b.element) return "element type";
  if (a.choice != b.choice) return "reduction or layout";
  if (a.number != b.number) return "root";
  if (!std::equal(a.numel.begin(), a.numel.end(), b.numel.begin(), b.numel.end())) return "element counts";
  return nullptr;
}

}  // namespace

Error Group::gone() const { return fail(ADJ_ERROR_INVALID_ARGUMENT, "communicator: rank {} {}", closed_, what_); }

Result<void> Group::barrier(std::unique_lock<std::mutex>& lock) {
  if (closed_ >= 0) return gone();
  const std::int64_t own = generation_;
  if (++arrived_ == ranks()) {
    arrived_ = 0;
    ++generation_;
    changed_.notify_all();
    return {};
  }
  changed_.wait(lock, [&] { return generation_ != own || closed_ >= 0; });
  if (generation_ != own) return {};
  return gone();
}

Result<std::span<const Contribution>> Group::enter(int rank, const Contribution& own) {
  std::unique_lock lock(mutex_);
  contributions_[static_cast<std::size_t>(rank)] = own;
  if (closed_ < 0 && arrived_ + 1 == ranks()) reading_.assign(reading_.size(), true);  // for those too that have not woken yet
  if (auto ok = barrier(lock); !ok) return ok.take_error();
  for (std::size_t r = 1; r < contributions_.size(); ++r)
    if (const char* what = difference(contributions_[0], contributions_[r])) {
      const Contribution &a = contributions_[0], &b = contributions_[r];
      Error error = fail(ADJ_ERROR_INVALID_PROBLEM, "{}: ranks 0 and {} disagree in the {}: {} and {} of {} tensors of {} and {}", own.op, r, what, a.op, b.op,
                         a.numel.size(), dtype_name(a.element), dtype_name(b.element));
      end_reading(rank);
      // All ranks must have compared before one of them enters the next collective and overwrites its contribution.
      if (auto ok = barrier(lock); !ok) return ok.take_error();
      return error;
    }
  return std::span<const Contribution>(contributions_);
}

void Group::end_reading(int rank) {
  reading_[static_cast<std::size_t>(rank)] = false;
  changed_.notify_all();
}

Result<void> Group::leave(int rank) {
  std::unique_lock lock(mutex_);
  end_reading(rank);
  auto ok = barrier(lock);
  if (!ok) changed_.wait(lock, [&] { return std::find(reading_.begin(), reading_.end(), true) == reading_.end(); });
  return ok;
}

Result<void> Group::send(int from, int to, Message message) {
  const std::unique_lock lock(mutex_);
  if (closed_ >= 0) return gone();
  mail_[{from, to}].push_back(std::move(message));
  changed_.notify_all();
  return {};
}

Result<Group::Message> Group::receive(int from, int to) {
  std::unique_lock lock(mutex_);
  auto& box = mail_[{from, to}];
  changed_.wait(lock, [&] { return !box.empty() || closed_ >= 0; });
  if (box.empty()) return gone();  // messages sent before a rank went are still delivered
  Message message = std::move(box.front());
  box.pop_front();
  return message;
}

void Group::close(int rank, const char* what, bool by_exception) {
  const std::unique_lock lock(mutex_);
  if (by_exception) end_reading(rank);
  if (closed_ < 0) {
    closed_ = rank;
    what_ = what;
  }
  changed_.notify_all();
}

Result<std::vector<void*>> create_communicator(int count) {
  constexpr int kMost = 1024;
  if (count < 1 || count > kMost) return fail(ADJ_ERROR_INVALID_ARGUMENT, "adj_host_comm_create: ranks = {}, expected 1 to {}", count, kMost);
  auto group = std::make_shared<Group>(count);
  std::vector<void*> handles;
  for (int r = 0; r < count; ++r) handles.push_back(ranks().add(std::make_shared<Rank>(Rank{group, r, forks()})));
  return handles;
}

namespace {

// Takes a handle out of the table and ends its group. In the child of a fork the handle stays, since other threads of the parent may have had
// the group's lock.
bool give_up(void* handle, const char* what) {
  auto rank = ranks().find(handle);
  if (!rank || rank->forks != forks()) return rank != nullptr;
  rank = ranks().take(handle);
  if (rank) rank->group->close(rank->rank, what);
  return rank != nullptr;
}

}  // namespace

bool destroy_communicator(void* handle) { return give_up(handle, "has been destroyed"); }
bool abort_communicator(void* handle) { return give_up(handle, "has aborted the communicator"); }
void close_after_exception(void* handle) noexcept {
  const auto rank = ranks().find(handle);
  if (rank && rank->forks == forks()) rank->group->close(rank->rank, "has failed within a collective, for example for lack of memory", true);
}

Result<Rank> rank_of(void* handle) {
  if (const auto rank = ranks().find(handle)) {
    if (rank->forks == forks()) return *rank;
    return fail(ADJ_ERROR_INVALID_ARGUMENT, "communicator {} belongs to the process that this one was forked from", handle);
  }
  return fail(ADJ_ERROR_INVALID_ARGUMENT, "communicator {} is not a handle of adj_host_comm_create, or has been destroyed", handle);
}
bool is_communicator(const void* handle) { return ranks().find(handle) != nullptr; }

// ---- events

namespace {

struct Event {
  std::mutex mutex;
  std::condition_variable changed;
  bool recorded = false, destroyed = false;
  int forks = adj::forks();  // of the process whose threads use it
};
constinit Lazy<Handles<Event>> event_table;
Handles<Event>& events() { return event_table.get(); }
Result<std::shared_ptr<Event>> event_of(void* handle) {
  if (auto event = events().find(handle)) {
    if (event->forks == forks()) return event;
    return fail(ADJ_ERROR_INVALID_ARGUMENT, "event {} belongs to the process that this one was forked from", handle);
  }
  return fail(ADJ_ERROR_INVALID_ARGUMENT, "event {} is not a handle of adj_host_event_create, or has been destroyed", handle);
}

}  // namespace

Result<void*> create_event() { return events().add(std::make_shared<Event>()); }

bool destroy_event(void* handle) {
  auto event = events().find(handle);
  if (!event || event->forks != forks()) return event != nullptr;  // in the child of a fork it stays, as a communicator does
  event = events().take(handle);
  if (!event) return false;
  const std::lock_guard lock(event->mutex);
  event->destroyed = true;
  event->changed.notify_all();
  return true;
}

Result<void> record_event(void* handle) {
  auto event = event_of(handle);
  if (!event) return event.take_error();
  const std::lock_guard lock((*event)->mutex);
  (*event)->recorded = true;
  (*event)->changed.notify_all();
  return {};
}

Result<void> wait_event(void* handle) {
  auto event = event_of(handle);
  if (!event) return event.take_error();
  std::unique_lock lock((*event)->mutex);
  (*event)->changed.wait(lock, [&] { return (*event)->recorded || (*event)->destroyed; });
  if (!(*event)->recorded) return fail(ADJ_ERROR_INVALID_ARGUMENT, "event {} was destroyed while a stream waited for it", handle);
  return {};
}

Result<void> reset_event(void* handle) {
  auto event = event_of(handle);
  if (!event) return event.take_error();
  const std::lock_guard lock((*event)->mutex);
  (*event)->recorded = false;
  return {};
}
bool is_event(const void* handle) { return events().find(handle) != nullptr; }

}  // namespace adj::host
