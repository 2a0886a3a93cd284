// Ranks that train together: each on a thread and a GPU of its own, or on threads of the host.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

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
