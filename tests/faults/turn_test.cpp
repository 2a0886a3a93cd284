// Measurements of several threads and processes: one at a time on a device, whose verdict all follow, and which is stored where times agree.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "jit/cache.hpp"
#include "tune.hpp"

using namespace faults;

TEST_CASE("tune: one measurement at a time, whose verdict all follow") {
  open_all();
  Tally tally("tune turns");
  tally.add("four threads", in_child([&]() -> std::string {
              set_clock(50, 20, 90, 1000);
              if (std::string problem = product_takes(1, true); !problem.empty()) return problem;
              const int alone = measurements();
              adj_matmul_descriptor d = small_product();
              d.alpha = 2;  // a problem without a verdict
              cublaslt_fake().state.call_us = 1000;
              const adj_stream stream = device_stream();
              std::atomic<int> failures{0};
              std::vector<std::string> chosen(4);
              {
                std::vector<std::jthread> threads;
                for (std::string& sku : chosen)
                  threads.emplace_back([&] {
                    Plan plan;
                    failures += make_plan(stream, d.header, tuned(), plan).code != ADJ_OK;
                    sku = sku_of(plan) + last_candidate(plan);
                  });
              }
              if (failures) return std::to_string(failures) + " failures";
              for (const std::string& sku : chosen)
                if (sku != chosen[0] || !contains(sku, "measured 20.00 us, the fastest")) return sku + " and " + chosen[0];
              return measurements() == 2 * alone ? "" : std::to_string(measurements() - alone) + " measurements for " + std::to_string(alone);
            }));
  tally.add("another process measures on the device", in_child([]() -> std::string {
              const CacheDirectory cache;
              cache.use();
              set_clock(50, 20, 90, 1000);
              // What another process holds: a lock of another file description.
              auto other = adj::disk_cache().lock("measure-0000:1b:00");
              if (!other.held()) return "no lock";
              std::string problem;
              std::jthread thread([&] { problem = product_takes(1, true); });
              std::this_thread::sleep_for(std::chrono::milliseconds(200));
              const int early = measurements();
              other = adj::DiskCache::Lock();
              thread.join();
              return early ? "it does not wait" : problem;
            }));
  for (const std::int64_t jitter : {0, 1, 30})
    tally.add("times that vary by " + std::to_string(jitter) + " us", in_child([&]() -> std::string {
                const CacheDirectory cache;
                cache.use();
                set_clock(50, 50, 51, 1000);
                cublaslt_fake().state.jitter_ns = jitter * kMicrosecond;
                Plan plan;
                if (Outcome o = make_plan(device_stream(), small_product().header, tuned(), plan); o.code) return describe(o);
                if (!contains(last_candidate(plan), "the fastest")) return last_candidate(plan);
                return cache.verdicts().size() == (jitter == 30 ? 0 : 1) ? "" : std::to_string(cache.verdicts().size()) + " verdicts are stored";
              }));
}
