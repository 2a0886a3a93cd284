// Ranks that train together: each on a thread and a GPU of its own, or on threads of the host; or each in a process of its own.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/file.hpp"

#include <adjoint/adjoint.hpp>

// Communicators of all ranks, on the devices 0, 1, ... or on the host. A single rank has none.
class Communicators {
 public:
  Communicators(int ranks, bool use_gpu) : use_gpu_(use_gpu) {
    if (ranks == 1) return;
    handles_.resize(static_cast<std::size_t>(ranks));
    std::vector<std::int32_t> devices;
    for (int r = 0; r < ranks; ++r) devices.push_back(r);
    if (use_gpu ? adj_comm_init_all(ranks, devices.data(), handles_.data()) : adj_host_comm_create(ranks, handles_.data()))
      throw std::runtime_error(adj_last_error());
  }
  ~Communicators() {
    for (void* handle : handles_) use_gpu_ ? adj_comm_destroy(handle) : adj_host_comm_destroy(handle);
  }
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;

  void* of(int rank) const { return handles_.empty() ? nullptr : handles_[static_cast<std::size_t>(rank)]; }

 private:
  bool use_gpu_;
  std::vector<void*> handles_;
};

// Calls `fire` on a thread of its own, once, unless it is stopped or destroyed within `patience` seconds.
class Watch {
 public:
  Watch(double patience, std::function<void()> fire)
      : thread_([this, patience, fire = std::move(fire)] {
          std::unique_lock lock(mutex_);
          if (done_.wait_for(lock, std::chrono::duration<double>(patience), [this] { return over_; })) return;
          fired_ = true;
          fire();
        }) {}
  ~Watch() { stop(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Returns true when `fire` was called. It has ended then.
  bool stop() {
    {
      const std::scoped_lock lock(mutex_);
      over_ = true;
    }
    done_.notify_all();
    if (thread_.joinable()) thread_.join();
    return fired_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool over_ = false;
  std::atomic<bool> fired_ = false;
  std::jthread thread_;
};

// The communicator of one rank whose others are processes of their own, on the current GPU. Rank 0 writes the communicator's id into the file `meeting`, where
// the others look for it for at most `patience` seconds. A process that meets no others within as many seconds ends, with a sentence: NCCL waits for ever.
class JoinedCommunicator {
 public:
  JoinedCommunicator(int ranks, int rank, const std::string& meeting, double patience) {
    std::string id(ADJ_COMM_ID_BYTES, '\0');
    if (rank == 0) {
      need(adj_comm_unique_id(id.data(), id.size()));
      if (auto done = adj::write_file(meeting, id, 0600); !done) throw std::runtime_error(done.error().message);
    } else {
      const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience);
      while (!std::filesystem::exists(meeting)) {
        if (std::chrono::steady_clock::now() > end) throw std::runtime_error(fmt::format("rank 0 has not written '{}' within {} s", meeting, patience));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      auto bytes = adj::read_file(meeting);
      if (!bytes) throw std::runtime_error(bytes.error().message);
      if (bytes->size() != id.size())
        throw std::runtime_error(fmt::format("'{}' has {} bytes, the id of a communicator {}", meeting, bytes->size(), id.size()));
      id = *bytes;
    }
    {
      const Watch watch(patience, [&] {
        fmt::print(stderr, "rank {}: the {} ranks of '{}' have not met within {} s\n", rank, ranks, meeting, patience);
        std::quick_exit(1);
      });
      need(adj_comm_init(ranks, rank, id.data(), id.size(), &handle_));
    }
    if (rank == 0) std::filesystem::remove(meeting);
  }
  ~JoinedCommunicator() { adj_comm_destroy(handle_); }
  JoinedCommunicator(const JoinedCommunicator&) = delete;
  JoinedCommunicator& operator=(const JoinedCommunicator&) = delete;

  void* handle() const { return handle_; }
  void abandon() { handle_ = nullptr; }  // it was aborted

 private:
  static void need(adj_status status) {
    if (status) throw std::runtime_error(adj_last_error());
  }
  void* handle_ = nullptr;
};

// Runs work(rank) on a thread for each rank. A rank that fails ends the program, because the other ranks would wait for it forever.
template <class Work>
void on_ranks(const char* program, int ranks, Work work) {
  if (ranks == 1) return work(0);
  std::vector<std::jthread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&work, program, r] {
      try {
        work(r);
      } catch (const std::exception& e) {
        fmt::print(stderr, "{}: rank {}: {}\n", program, r, e.what());
        std::quick_exit(1);
      }
    });
}
