// Plans that contain plans of other operators: the steps of a part become steps of the whole, on its arguments and its workspace.
#include <algorithm>
#include <cstring>

#include "plan/arguments.hpp"
#include "plan/candidates.hpp"
#include "plan/descriptor.hpp"

namespace adj {

namespace {

// A call of a library inside a part. The function sees the part's own plan, and arguments whose addresses are made at each call.
struct PartCall {
  struct Address {
    std::uint32_t offset;  // of the argument in the part's argument structure
    Place place;
  };
  std::shared_ptr<Plan> plan;
  CallStep step;
  std::vector<std::uint64_t> args;  // the structure with its header, without addresses
  std::vector<Address> addresses;
  std::uint64_t room = 0;
};
constexpr std::size_t kMostArgs = 4096;  // bytes

std::byte* address_of(const Place& place, const OpInfo& op, const std::byte* args, std::byte* workspace) {
  if (place.kind == Place::workspace) return workspace + place.offset;
  auto* data = static_cast<std::byte*>(argument<adj_tensor>(args, op.arguments[static_cast<std::size_t>(place.which)]).data);
  return data ? data + place.offset : nullptr;
}

Result<void> run_call(const CallContext& context) {
  const PartCall& call = *static_cast<const PartCall*>(context.state);
  alignas(16) std::byte args[kMostArgs];
  std::memcpy(args, call.args.data(), call.plan->op->args_size);
  for (const PartCall::Address& address : call.addresses) {
    void* const data = address_of(address.place, *context.plan.op, context.args, context.workspace);
    std::memcpy(args + address.offset + offsetof(adj_tensor, data), &data, sizeof data);
  }
  return call.step.function({*call.plan, context.stream, args, context.workspace + call.room, call.step.state.get()});
}
void call_selected(void* state) {
  const PartCall& call = *static_cast<const PartCall*>(state);
  if (call.step.selected) call.step.selected(call.step.state.get());
}

// Puts the steps of one part into the plan that has it.
class Joiner {
 public:
  Joiner(Plan& whole, std::shared_ptr<Plan> part, std::span<const PartArgument> arguments, std::uint64_t room)
      : whole_(whole), part_(std::move(part)), places_(part_->op->arguments.size()), room_(room) {
    for (const PartArgument& a : arguments) places_.at(static_cast<std::size_t>(a.argument)) = a.place;
  }

  Result<void> arguments() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Place& place = places_[i];
      const ArgumentSpec& spec = part_->specs[i];
      const char* const name = part_->op->arguments[i].name;
      const bool has_default = part_->op->arguments[i].kind == ArgumentKind::scalar;  // which its launches then take
      if (place.kind == Place::absent && spec.presence == Presence::required && !has_default) return fault("{} is not placed", name);
      if (place.kind != Place::absent && spec.presence == Presence::forbidden) return fault("{} is placed, and forbidden", name);
      if (place.kind == Place::absent || part_->op->arguments[i].kind != ArgumentKind::tensor) continue;
      const std::uint64_t room = place.kind == Place::workspace ? room_ : whole_.specs[static_cast<std::size_t>(place.which)].bytes;
      if (place.offset > room || spec.bytes > room - place.offset) return fault("{} takes {} bytes at byte {} of {}", name, spec.bytes, place.offset, room);
      if (spec.alignment > 1 && place.offset % spec.alignment != 0)
        return fail(ADJ_ERROR_UNSUPPORTED, "{} wants {} at a multiple of {} bytes, here {} bytes behind one", part_->sku->id, name, spec.alignment,
                    place.offset % spec.alignment);
      if (place.kind == Place::argument)
        if (auto& alignment = whole_.specs[static_cast<std::size_t>(place.which)].alignment; alignment < spec.alignment) alignment = spec.alignment;
    }
    if (!part_->tables.empty()) return fault("it has tables of addresses");
    return {};
  }
  Result<Step> join(const Step& step) const {
    if (step.when != When::always) return fault("it has steps of bound calls alone");
    return std::visit([&](const auto& own) { return joined(own); }, static_cast<const Step::variant&>(step));
  }
  // Steps on arguments that are left out do nothing.
  bool acts(const Step& step) const {
    const auto* memset = std::get_if<MemsetStep>(&step);
    return !memset || memset->workspace || places_[memset->argument].kind != Place::absent;
  }

 private:
  template <class... Args>
  Error fault(fmt::format_string<Args...> format, Args&&... args) const {
    return fail(ADJ_ERROR_INTERNAL, "{}: its part {}: {}", whole_.sku->id, part_->sku->id, fmt::format(format, std::forward<Args>(args)...));
  }

  Result<Step> joined(const KernelStep& of_part) const {
    KernelStep step = of_part;
    step.bindings.clear();
    for (const Binding& binding : of_part.bindings) {
      Binding own = binding;
      if (binding.kind == Binding::workspace) {
        own.addend += room_;
        step.bindings.push_back(own);
        continue;
      }
      if (binding.kind != Binding::tensor && binding.kind != Binding::scalar) return fault("a launch binds a list or a random state");
      const Place& place = places_[binding.argument];
      if (place.kind == Place::absent) {
        if (binding.kind == Binding::scalar)
          std::memcpy(step.params.data() + binding.offset,
                      static_cast<const std::byte*>(part_->op->default_args) + part_->op->arguments[binding.argument].offset, sizeof(adj_scalar));
        continue;
      }
      own.argument = static_cast<std::uint16_t>(place.which);
      if (binding.kind == Binding::tensor) {
        own.addend += place.offset;
      } else if (place.kind == Place::workspace) {
        const adj_scalar scalar{.dtype = place.dtype};
        std::memcpy(step.params.data() + binding.offset, &scalar, sizeof scalar);
        own.offset += static_cast<std::uint32_t>(offsetof(adj_scalar, device));
        own.addend = place.offset;
      }
      if (place.kind == Place::workspace) {
        own.kind = Binding::workspace;
        own.argument = 0;
      }
      step.bindings.push_back(own);
    }
    // The program for addresses that are not multiples of 16 bytes.
    step.unaligned_arguments = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Place& place = places_[i];
      if (!(of_part.unaligned_arguments >> i & 1) || place.kind == Place::absent) continue;
      if (place.offset % 16 != 0) {
        step.program = step.unaligned_program;
        step.config.block_x = step.unaligned_block;
        step.unaligned_arguments = 0;
        break;
      }
      if (place.kind == Place::argument) step.unaligned_arguments |= 1u << place.which;
    }
    if (!step.unaligned_arguments) step.unaligned_program = nullptr;
    return Step(std::move(step));
  }
  Result<Step> joined(const MemsetStep& of_part) const {
    MemsetStep step = of_part;
    if (step.workspace) {
      step.offset += room_;
      return Step(step);
    }
    const Place& place = places_[step.argument];
    step.workspace = place.kind == Place::workspace;
    step.argument = static_cast<std::uint16_t>(place.which);
    step.offset += place.offset;
    return Step(step);
  }
  Result<Step> joined(const CallStep& of_part) const {
    auto call = std::make_shared<PartCall>();
    call->plan = part_;
    call->step = of_part;
    call->room = room_;
    const std::uint32_t size = part_->op->args_size;
    if (size > kMostArgs) return fault("its arguments have {} bytes", size);
    call->args.resize((size + 7) / 8);
    std::memcpy(call->args.data(), part_->op->default_args, size);
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (places_[i].kind != Place::absent) {
        if (part_->op->arguments[i].kind != ArgumentKind::tensor)
          return fault("a call of a library takes {}, which is no tensor", part_->op->arguments[i].name);
        call->addresses.push_back({part_->op->arguments[i].offset, places_[i]});
      }
    CallStep step{.function = run_call, .state = call, .library = of_part.library, .capturable = of_part.capturable, .selected = call_selected};
    return Step(std::move(step));
  }
  template <class Other>
  Result<Step> joined(const Other&) const {
    return fault("its steps are launches, fills and calls alone");
  }

  Plan& whole_;
  std::shared_ptr<Plan> part_;
  std::vector<Place> places_;
  std::uint64_t room_;
};

}  // namespace

Result<void> PlanBuilder::part(const PlanRequest& request, const adj_header& descriptor, std::span<const PartArgument> arguments, std::uint64_t room) {
  auto copy = DescriptorCopy::make(&descriptor);
  if (!copy) return copy.take_error();
  const OpInfo* const op = copy->op();
  if (auto ok = check_problem(*op, copy->get()); !ok) return ok;
  Problem problem{std::move(*copy), op, request.device, *request.preference};
  adj_preference& preference = problem.preference;
  preference.sku = nullptr;
  preference.backend = ADJ_BACKEND_ANY;  // the SKU's parts are what its own backend allows
  preference.workspace_limit -= std::min(preference.workspace_limit, room);
  Error last = fail(ADJ_ERROR_UNSUPPORTED, "none of its parts is a plan of {} for {}", op->name, op->signature(problem.descriptor.get()).name());
  for (const Sku* sku : skus_for(problem)) {
    if (std::ranges::find(plan_.sku->parts, sku) == plan_.sku->parts.end()) continue;
    if (auto ok = check_row(*sku, guarantee_of(*sku, problem.descriptor.get()), plan_.stream, problem.device, preference); !ok) {
      last = ok.take_error();
      continue;
    }
    Attempt attempt = plan_candidate(problem, plan_.stream, *sku, nullptr);
    if (attempt.plan)
      if (auto ok = check_sizes(*attempt.plan, preference); !ok) attempt = {nullptr, ok.take_error()};
    if (!attempt.plan) {
      if (attempt.hard) return std::move(attempt.error);
      last = std::move(attempt.error);
      continue;
    }
    attempt.plan->descriptor = problem.descriptor;
    const std::shared_ptr<Plan> own = std::move(attempt.plan);
    Joiner joiner(plan_, own, arguments, room);
    if (auto ok = joiner.arguments(); !ok) {
      if (ok.error().code == ADJ_ERROR_INTERNAL) return ok;
      last = ok.take_error();
      continue;
    }
    for (const Step& step : own->steps) {
      if (!joiner.acts(step)) continue;
      auto joined = joiner.join(step);
      if (!joined) return joined.take_error();
      add(std::move(*joined));
    }
    plan_.workspace_size = std::max(plan_.workspace_size, end_of(room, own->workspace_size));
    return {};
  }
  return last;
}

}  // namespace adj
