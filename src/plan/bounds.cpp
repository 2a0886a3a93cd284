// Bounds of a plan: what its steps write and read lies inside what they have.
#include <algorithm>

#include "plan/plan.hpp"

namespace adj {

namespace {

struct Bytes {
  std::uint64_t begin, end;
};

// A parameter block or the image of a table, with the bindings that write into it.
class Block {
 public:
  Block(const Plan& plan, std::string name, std::uint64_t size, std::uint64_t workspace)
      : plan_(plan), name_(std::move(name)), size_(size), workspace_(workspace) {}

  Result<void> check(const std::vector<Binding>& bindings) {
    for (std::size_t i = 0; i < bindings.size(); ++i)
      if (auto ok = check(bindings[i], i); !ok) return ok;
    std::sort(written_.begin(), written_.end(), [](Bytes a, Bytes b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < written_.size(); ++i)
      if (written_[i].begin < written_[i - 1].end) return fault("two bindings write byte {}", written_[i].begin);
    return {};
  }
  Result<void> ranges(const char* kind, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ranges) const {
    for (const auto& [begin, end] : ranges)
      if (begin >= end || end > size_) return fault("the {} range [{}, {}) is not inside its {} bytes", kind, begin, end, size_);
    return {};
  }

 private:
  template <class... Args>
  Error fault(fmt::format_string<Args...> format, Args&&... args) const {
    return fail(ADJ_ERROR_INTERNAL, "{}: {}: {}", plan_.sku->id, name_, fmt::format(format, std::forward<Args>(args)...));
  }
  Result<void> writes(std::size_t i, std::uint64_t offset, std::uint64_t bytes) {
    if (offset + bytes > size_) return fault("binding {} writes bytes [{}, {}) of {}", i, offset, offset + bytes, size_);
    if (bytes) written_.push_back({offset, offset + bytes});
    return {};
  }
  Result<void> check(const Binding& p, std::size_t i) {
    if (p.kind == Binding::workspace) {
      if (p.addend > workspace_) return fault("binding {} points to byte {} of {} bytes of workspace", i, p.addend, workspace_);
      return writes(i, p.offset, sizeof(void*));
    }
    if (p.argument >= plan_.op->arguments.size()) return fault("binding {} takes argument {} of {}", i, p.argument, plan_.op->arguments.size());
    const ArgumentKind kind = plan_.op->arguments[p.argument].kind;
    const auto is = [&](ArgumentKind wanted) -> Result<void> {
      if (kind == wanted) return {};
      return fault("binding {} takes {} for another kind of argument", i, plan_.op->arguments[p.argument].name);
    };
    const auto entries = [&](std::uint64_t count) -> Result<void> {
      const ArgumentSpec& spec = plan_.specs[p.argument];
      if (spec.presence == Presence::forbidden || p.first + count <= spec.numel.size()) return {};
      return fault("binding {} takes entries [{}, {}) of {}, which has {}", i, p.first, p.first + count, plan_.op->arguments[p.argument].name,
                   spec.numel.size());
    };
    switch (p.kind) {
      case Binding::tensor:
        if (auto ok = is(ArgumentKind::tensor); !ok) return ok;
        if (const ArgumentSpec& spec = plan_.specs[p.argument]; p.addend > 0 && p.addend >= spec.bytes)
          return fault("binding {} points to byte {} of {}, which has {}", i, p.addend, plan_.op->arguments[p.argument].name, spec.bytes);
        return writes(i, p.offset, sizeof(void*));
      case Binding::scalar:
        if (auto ok = is(ArgumentKind::scalar); !ok) return ok;
        return writes(i, p.offset, sizeof(adj_scalar));
      case Binding::random:
        if (auto ok = is(ArgumentKind::random); !ok) return ok;
        return writes(i, p.offset, sizeof(adj_random));
      case Binding::entry:
        if (auto ok = is(ArgumentKind::list); !ok) return ok;
        if (auto ok = entries(1); !ok) return ok;
        return writes(i, p.offset, sizeof(void*));
      default:
        if (auto ok = is(ArgumentKind::list); !ok) return ok;
        if (auto ok = entries(p.count); !ok) return ok;
        if (auto ok = writes(i, p.offset, std::uint64_t{p.count} * 4); !ok) return ok;
        return writes(i, p.high, std::uint64_t{p.count} * 2);
    }
  }

  const Plan& plan_;
  std::string name_;
  std::uint64_t size_, workspace_;
  std::vector<Bytes> written_;
};

}  // namespace

Result<void> check_bounds(const Plan& plan) {
  const auto fault = [&](std::string text) { return fail(ADJ_ERROR_INTERNAL, "{}: {}", plan.sku->id, text); };
  for (const Step& step : plan.steps) {
    const std::uint64_t workspace = step.in(false) ? plan.workspace_size : plan.bind_workspace_size;
    if (const auto* kernel = std::get_if<KernelStep>(&step)) {
      Block block(plan, "parameters of " + kernel->program->entry(), kernel->params.size(), workspace);
      if (auto ok = block.check(kernel->bindings); !ok) return ok;
      if (auto ok = block.ranges("unread", kernel->unread); !ok) return ok;
      if (auto ok = block.ranges("constant", kernel->constant); !ok) return ok;
    } else if (const auto* memset = std::get_if<MemsetStep>(&step)) {
      const std::uint64_t room = memset->workspace ? workspace : plan.specs[memset->argument].bytes;
      if (memset->offset > room || memset->bytes > room - memset->offset)
        return fault(fmt::format("a memset of {} bytes at byte {} of {}", memset->bytes, memset->offset, room));
    } else if (const auto* copy = std::get_if<CopyStep>(&step)) {
      const ArgumentSpec &from = plan.specs[copy->from], &to = plan.specs[copy->to];
      if (plan.op->arguments[copy->from].kind != plan.op->arguments[copy->to].kind || from.bytes != to.bytes || from.numel.size() != to.numel.size())
        return fault(fmt::format("a copy of {} to {}, which has another size", plan.op->arguments[copy->from].name, plan.op->arguments[copy->to].name));
    }
  }
  for (const BoundTable& table : plan.tables) {
    if (table.image.size() > plan.bind_workspace_size || table.offset > plan.bind_workspace_size - table.image.size())
      return fault(fmt::format("a table of {} bytes at byte {} of {} bytes of workspace", table.image.size(), table.offset, plan.bind_workspace_size));
    if (auto ok = Block(plan, "a table", table.image.size(), plan.bind_workspace_size).check(table.bindings); !ok) return ok;
  }
  return {};
}

}  // namespace adj
