// Writes cases of the harness as text, with the results of direct calls, and has a C program run them from reflection alone; completes the descriptor of
// every case (complete.cpp). One process does
// both, so that functions and handles of a case are valid addresses.
#include <cstdio>
#include <cstring>

#include <adjoint.h>

#include "harness/arguments.hpp"
#include "reflection/complete.hpp"
#include "reflection/driver.h"

namespace {

using harness::Data;
using harness::Problem;

constexpr std::uint64_t kMostBytes = 1 << 14;  // of the arguments of a case that is tried
constexpr std::size_t kMostCases = 12;         // of a signature

std::string hex(const void* data, std::size_t size) {
  std::string text = ".";
  for (std::size_t i = 0; i < size; ++i) text += fmt::format("{:02x}", static_cast<const unsigned char*>(data)[i]);
  return text;
}
std::string hex(const Data& data) { return hex(data.bytes.data(), data.bytes.size()); }

template <class T>
T read(const void* structure, std::uint32_t offset) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(structure) + offset, sizeof value);
  return value;
}

std::string text_of(const adj::Field& field, const void* descriptor) {
  const auto length = [&] { return static_cast<std::size_t>(read<std::int64_t>(descriptor, field.offset - 8)); };
  switch (field.kind) {
    case ADJ_FIELD_I64: return fmt::format("{}", read<std::int64_t>(descriptor, field.offset));
    case ADJ_FIELD_I32:
    case ADJ_FIELD_DTYPE: return fmt::format("{}", read<std::int32_t>(descriptor, field.offset));
    case ADJ_FIELD_F64: return fmt::format("{:a}", read<double>(descriptor, field.offset));
    case ADJ_FIELD_SHAPE:
    case ADJ_FIELD_AXES: {
      const auto shape = read<adj_shape>(descriptor, field.offset);
      return fmt::format("{} {}", shape.rank, fmt::join(shape.dims, shape.dims + shape.rank, " "));
    }
    case ADJ_FIELD_I64_LIST:
    case ADJ_FIELD_F64_LIST: return hex(read<const void*>(descriptor, field.offset), 8 * length());
    case ADJ_FIELD_BYTES: return hex(read<const void*>(descriptor, field.offset), length());
    case ADJ_FIELD_TEXT: {
      const auto* text = read<const char*>(descriptor, field.offset);
      return hex(text, std::strlen(text));
    }
    default: return fmt::format("{}", read<std::uint64_t>(descriptor, field.offset));
  }
}

// Writes the descriptor and the arguments.
void write_problem(std::FILE* out, const Problem& problem) {
  const adj::OpInfo& op = problem.op();
  fmt::print(out, "problem {}\n", op.name);
  for (const adj::Field& field : op.fields) {
    const bool pointer = field.kind == ADJ_FIELD_TEXT || field.kind == ADJ_FIELD_BYTES || field.kind == ADJ_FIELD_I64_LIST || field.kind == ADJ_FIELD_F64_LIST;
    if (!pointer || read<const void*>(problem.descriptor(), field.offset)) fmt::print(out, "set {} {}\n", field.name, text_of(field, problem.descriptor()));
  }
  std::vector<std::size_t> order;  // what others share comes first
  for (int sharing : {0, 1})
    for (std::size_t i = 0; i < op.slots.size(); ++i)
      if (problem.contents()[i].present && (problem.contents()[i].shares >= 0) == (sharing == 1)) order.push_back(i);
  for (std::size_t i : order) {
    const Problem::SlotContents& c = problem.contents()[i];
    fmt::print(out, "give {} ", op.slots[i].name);
    std::string data;
    for (const Data& d : c.data) data += " " + hex(d);
    switch (op.slots[i].kind) {
      case adj::SlotKind::tensor:
      case adj::SlotKind::list:
        if (c.shares >= 0) fmt::print(out, "same {}\n", op.slots[static_cast<std::size_t>(c.shares)].name);
        else fmt::print(out, "data{}\n", data);
        break;
      case adj::SlotKind::scalar:
        if (c.data.empty()) fmt::print(out, "value {:a}\n", c.scalar.value);
        else fmt::print(out, "memory {}{}\n", c.scalar.dtype, data);
        break;
      case adj::SlotKind::random:
        if (c.data.empty()) fmt::print(out, "seed {} {}\n", c.random.seed, c.random.offset);
        else fmt::print(out, "memory 0{}\n", data);
        break;
      case adj::SlotKind::handle: fmt::print(out, "handle {}\n", reinterpret_cast<std::uintptr_t>(c.handle)); break;
    }
  }
}

// Runs the problem directly and writes what every buffer of a tensor or a list then holds. False when the host refuses it.
bool write_results(std::FILE* out, const Problem& problem) {
  const adj::OpInfo& op = problem.op();
  auto selected = adj::select_plan(adj::host_stream(), problem.descriptor(), nullptr);
  if (!selected) return false;
  std::vector<std::vector<Data>> data(op.slots.size());
  std::vector<std::vector<void*>> addresses(op.slots.size());
  for (std::size_t i = 0; i < op.slots.size(); ++i) {
    data[i] = problem.contents()[i].data;
    for (Data& d : data[i]) addresses[i].push_back(d.bytes.empty() ? nullptr : d.bytes.data());
  }
  for (std::size_t i = 0; i < op.slots.size(); ++i)
    if (const int other = problem.contents()[i].shares; other >= 0) addresses[i] = addresses[static_cast<std::size_t>(other)];
  const harness::Arguments args(problem, addresses);
  struct alignas(256) Block {
    std::byte bytes[256];
  };
  std::vector<Block> workspace((*selected)->workspace_size / sizeof(Block) + 1);
  const auto ok = adj::run_plan(**selected, adj::host_stream(), {workspace.data(), (*selected)->workspace_size}, args.get());
  adj::release(*selected);
  if (!ok) return false;
  fmt::print(out, "run\n");
  for (std::size_t i = 0; i < op.slots.size(); ++i) {
    const Problem::SlotContents& c = problem.contents()[i];
    const bool buffer = op.slots[i].kind == adj::SlotKind::tensor || op.slots[i].kind == adj::SlotKind::list;
    if (!buffer || !c.present || c.shares >= 0) continue;
    fmt::print(out, "want {}", op.slots[i].name);
    for (const Data& d : data[i]) fmt::print(out, " {}", hex(d));
    fmt::print(out, "\n");
  }
  return true;
}

}  // namespace

int main() {
  std::int64_t tried = 0, failures = 0;
  Completed completed;
  for (std::int64_t n = 0; n < adj_op_count(); ++n) {
    const adj::OpInfo& op = *adj::find_op(adj_op_at(n));
    std::int64_t of_operator = 0;
    bool any = false;
    for (const adj::Signature& signature : op.signatures) {
      const std::vector<harness::Case> cases = harness::cases_of(op.id)(signature, harness::Level::quick, 1);
      any |= !cases.empty();
      const std::size_t step = std::max<std::size_t>(1, cases.size() / kMostCases);
      for (const harness::Case& c : cases) failures += !complete_case(c, completed);
      for (std::size_t i = 0; i < cases.size(); i += step) {
        const Problem& problem = *cases[i].problem;
        if (harness::bytes_of(problem) > kMostBytes) continue;
        std::FILE* text = std::tmpfile();
        write_problem(text, problem);
        if (write_results(text, problem)) {
          std::rewind(text);
          failures += drive(text);
          ++of_operator;
        }
        std::fclose(text);
      }
    }
    if (any && of_operator == 0) {
      fmt::print(stderr, "{}: no case was tried\n", op.name);
      ++failures;
    }
    tried += of_operator;
  }
  fmt::print("{} problems run from reflection, {} descriptors completed in {} fields ({} have an extent beside one of 0), {} failures\n", tried, completed.tried,
             completed.erased, completed.empty, failures);
  return failures != 0;
}
