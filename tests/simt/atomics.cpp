// Atomic operations and fences of the machine.
#include "simulator.hpp"

#include <cstring>

namespace simt {

namespace {

std::size_t size_of(Type type) {
  switch (type) {
    case Type::u8: return 1;
    case Type::u16: return 2;
    case Type::u32:
    case Type::i32:
    case Type::f32: return 4;
    default: return 8;
  }
}

template <class T>
Bits apply_as(Rmw op, void* address, Bits operand, Bits compare) {
  T old, v = from_bits<T>(operand);
  std::memcpy(&old, address, sizeof old);
  T now = old;
  switch (op) {
    case Rmw::load: return to_bits(old);
    case Rmw::store:
    case Rmw::exchange: now = v; break;
    case Rmw::add:
      if constexpr (std::is_floating_point_v<T>) now = old + v;
      else now = static_cast<T>(static_cast<u64>(old) + static_cast<u64>(v));
      break;
    case Rmw::min: now = std::min(old, v); break;
    case Rmw::max: now = std::max(old, v); break;
    case Rmw::cas: now = old == from_bits<T>(compare) ? v : old; break;
    default:
      if constexpr (std::is_integral_v<T>) {
        if (op == Rmw::and_) now = static_cast<T>(old & v);
        else if (op == Rmw::or_) now = static_cast<T>(old | v);
        else if (op == Rmw::xor_) now = static_cast<T>(old ^ v);
        else if (op == Rmw::inc) now = old >= v ? T{0} : static_cast<T>(old + 1);
        else now = old == 0 || old > v ? v : static_cast<T>(old - 1);
      }
  }
  std::memcpy(address, &now, sizeof now);
  return to_bits(old);
}

Bits apply(Rmw op, Type type, void* address, Bits operand, Bits compare) {
  switch (type) {
    case Type::u8: return apply_as<u8>(op, address, operand, compare);
    case Type::u16: return apply_as<std::uint16_t>(op, address, operand, compare);
    case Type::u32: return apply_as<u32>(op, address, operand, compare);
    case Type::i32: return apply_as<std::int32_t>(op, address, operand, compare);
    case Type::u64: return apply_as<u64>(op, address, operand, compare);
    case Type::i64: return apply_as<std::int64_t>(op, address, operand, compare);
    case Type::f32: return apply_as<float>(op, address, operand, compare);
    case Type::f64: return apply_as<double>(op, address, operand, compare);
  }
  return 0;
}

}  // namespace

Bits Machine::atomic(Rmw op, Type type, void* address, Bits operand, Bits compare, Order order) {
  Thread& t = *self_;
  pause();
  const std::size_t size = size_of(type);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (at % size != 0) fail(FaultKind::misaligned, fmt::format("atomic operation of {} bytes on {}", size, describe(at)));
  if (op == Rmw::load) access<false>(at, size, kAtomic);
  else access<true>(at, size, kAtomic, op != Rmw::store);

  if (!kChecksAccesses) {
    const Bits old = apply(op, type, address, operand, compare);
    pause();
    return old;
  }
  const bool acquires = order == Order::acquire || order == Order::acq_rel;
  const bool releases = order == Order::release || order == Order::acq_rel;
  auto& log = logs_[at];
  if (!log) log = std::make_shared<Log>();
  if (op != Rmw::store && !log->empty()) {
    if (acquires) acquire(t, {log, log->size()});
    else if (!t.pending.empty() && t.pending.back().log == log) t.pending.back().length = log->size();
    else t.pending.push_back({log, log->size()});
  }
  if (op == Rmw::store) log = std::make_shared<Log>();
  if (op != Rmw::load) {
    KnowledgePtr published = releases ? snapshot(t) : t.released;
    if (published && (log->empty() || log->back() != published)) log->push_back(std::move(published));
  }
  const Bits old = apply(op, type, address, operand, compare);
  pause();
  return old;
}

void Machine::fence(bool device) {
  if (!device) return;
  if (!kChecksAccesses) return pause();
  Thread& t = *self_;
  for (const Seen& seen : t.pending) acquire(t, seen);
  t.pending.clear();
  t.released = snapshot(t);
  pause();
}

}  // namespace simt
