// Plans of cuDNN's graphs with an engine that a measurement may choose.
#pragma once

#include "driver/cudnn_graph.hpp"
#include "ops/common/common.hpp"
#include "plan/op.hpp"

namespace adj {

// Makes the plan of a graph. With choices, the engine is an alternative of `part`: the one that is wanted, or else cuDNN's first one, and then the
// others are offered. `way` begins the names of the alternatives, for a part that has several graphs.
inline Result<void> finish_graph(CudnnGraph& graph, cu::CudnnHandle handle, const CudnnGraph::Limits& limits, Choices* choices, const char* part,
                                 const std::string& way = {}) {
  if (!choices) return graph.finish(handle, limits);
  if (const std::string* wanted = choices->wanted(part)) {
    if (!wanted->starts_with(way)) return fail(ADJ_ERROR_UNSUPPORTED, "'{}' is no engine for {}", *wanted, part);
    ADJ_TRY(graph.finish_with(handle, limits, std::string_view(*wanted).substr(way.size())));
    choices->take({part, *wanted, {*wanted}});
    return {};
  }
  Choices::Part made{part, {}, {}};
  ADJ_TRY(graph.finish(handle, limits, &made.offered));
  auto name = graph.name();
  if (!name) return name.take_error();
  made.taken = way + *name;
  for (std::string& alternative : made.offered) alternative = way + alternative;
  choices->take(std::move(made));
  return {};
}

}  // namespace adj
