// Parts of a run that bound calls use as well.
#pragma once

#include "driver/trace.hpp"
#include "plan/plan.hpp"
#include "plan/words.hpp"

namespace adj {

// Launches a kernel with a complete block of parameters; `unaligned`: the step's program for unaligned tensors.
Result<void> launch(const cu::Api& api, const KernelStep& step, bool unaligned, cu::Stream stream, void* params);
// Issues a step that is not a kernel launch on a CUDA stream.
Result<void> issue(const cu::Api& api, const Plan& plan, const Step& step, const adj_stream& stream, const std::byte* args, void* workspace);
// Runs the steps of a plan on the host stream.
Result<void> run_on_host(const Plan& plan, const std::vector<Step>& steps, const adj_stream& stream, const std::byte* args, void* workspace);

// Makes a call with a profiler range around it and, if wanted, a line in the log.
template <class Call>
[[gnu::noinline]] Result<void> traced(const Plan& plan, const adj_stream& stream, bool bound, Call&& call) {
  const trace::Span span(plan.sku->id.c_str());
  Result<void> done = call();
  if (trace::wants(trace::kRun))
    trace::write_line([&] {
      std::string text = fmt::format("run {} sku={} on={}", span.time(), plan.sku->id, words_of(stream));
      if (stream.kind == ADJ_STREAM_CUDA) text += fmt::format(" stream={} launches={}", stream.handle, plan.count_steps(bound));
      if (bound) text += " bound=1";
      if (!done) text += fmt::format(" error={}", status_name(done.error().code));
      return text + " -- " + words_of(*plan.op, plan.descriptor.get());
    });
  return done;
}

}  // namespace adj
