// Writes cases of the harness as text, with the results of direct calls, and has a C program run them from reflection alone; completes the descriptor
// of every case (complete.cpp). One process does both, so that functions and handles of a case are valid addresses.
//     reflection_test [--typed] FILE
// writes cases without such addresses to a file instead, for programs in other languages; a line `left OPERATOR` names an operator that has no others. With
// --typed a field has its kind behind its name, an array its element type and shape, and a field that has the name of an argument has a suffix.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <adjoint.h>

#include "harness/arguments.hpp"
#include "reflection/complete.hpp"
#include "reflection/driver.h"
#include "../slow.hpp"

namespace {

using harness::Data;
using harness::Problem;

// Of the cases that are run here, and of those in a file.
struct Limits {
  std::size_t cases;    // of a signature, about
  std::uint64_t bytes;  // of the arguments of a case
};
constexpr Limits kRun = {kSlowCases ? 4 : 12, 1 << 14}, kFile = {4, 1 << 11};

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
    case ADJ_FIELD_F64: return fmt::format("{:.17g}", read<double>(descriptor, field.offset));
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

std::string name_and_kind(const adj::OpInfo& op, const adj::Field& field) {
  const bool taken = std::ranges::any_of(op.arguments, [&](const adj::ArgumentInfo& argument) { return std::string_view(argument.name) == field.name; });
  const char* suffix = field.kind == ADJ_FIELD_DTYPE ? "_dtype" : field.kind == ADJ_FIELD_SHAPE ? "_shape" : "_mode";
  return fmt::format("{}{} {}", field.name, taken ? suffix : "", static_cast<int>(field.kind));
}

std::string type_and_shape(const Problem& problem, std::size_t i) {
  adj_requirement need;
  if (adj_op_infer(problem.descriptor(), static_cast<std::int64_t>(i), &need) != ADJ_OK) return "?";
  return fmt::format("{} {}", static_cast<int>(need.dtype), fmt::join(need.shape, need.shape + need.rank, ","));
}

// Writes the descriptor and the arguments.
void write_problem(std::FILE* out, const Problem& problem, bool typed) {
  const adj::OpInfo& op = problem.op();
  fmt::print(out, "problem {}\n", op.name);
  for (const adj::Field& field : op.fields) {
    const bool pointer = field.kind == ADJ_FIELD_TEXT || field.kind == ADJ_FIELD_BYTES || field.kind == ADJ_FIELD_I64_LIST || field.kind == ADJ_FIELD_F64_LIST;
    if (!pointer || read<const void*>(problem.descriptor(), field.offset))
      fmt::print(out, "set {} {}\n", typed ? name_and_kind(op, field) : field.name, text_of(field, problem.descriptor()));
  }
  std::vector<std::size_t> order;  // what others share comes first
  for (int sharing : {0, 1})
    for (std::size_t i = 0; i < op.arguments.size(); ++i)
      if (problem.contents()[i].present && (problem.contents()[i].shares >= 0) == (sharing == 1)) order.push_back(i);
  for (std::size_t i : order) {
    const Problem::ArgumentContents& c = problem.contents()[i];
    fmt::print(out, "give {} ", op.arguments[i].name);
    std::string data;
    for (const Data& d : c.data) data += " " + hex(d);
    switch (op.arguments[i].kind) {
      case adj::ArgumentKind::tensor:
      case adj::ArgumentKind::list:
        if (c.shares >= 0) fmt::print(out, "same {}\n", op.arguments[static_cast<std::size_t>(c.shares)].name);
        else if (typed) fmt::print(out, "{} {}{}\n", op.arguments[i].kind == adj::ArgumentKind::list ? "list" : "data", type_and_shape(problem, i), data);
        else fmt::print(out, "data{}\n", data);
        break;
      case adj::ArgumentKind::scalar:
        if (c.data.empty()) fmt::print(out, "value {:.17g}\n", c.scalar.value);
        else fmt::print(out, "memory {}{}\n", c.scalar.dtype, data);
        break;
      case adj::ArgumentKind::random:
        if (c.data.empty()) fmt::print(out, "seed {} {}\n", c.random.seed, c.random.offset);
        else fmt::print(out, "memory 0{}\n", data);
        break;
      case adj::ArgumentKind::handle: fmt::print(out, "handle {}\n", reinterpret_cast<std::uintptr_t>(c.handle)); break;
    }
  }
}

// Runs the problem directly and writes what every buffer of a tensor or a list then holds. False when the host refuses it.
bool write_results(std::FILE* out, const Problem& problem) {
  const adj::OpInfo& op = problem.op();
  auto selected = adj::select_plan(adj::host_stream(), problem.descriptor(), nullptr);
  if (!selected) return false;
  std::vector<std::vector<Data>> data(op.arguments.size());
  std::vector<std::vector<void*>> addresses(op.arguments.size());
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    data[i] = problem.contents()[i].data;
    for (Data& d : data[i]) addresses[i].push_back(d.bytes.empty() ? nullptr : d.bytes.data());
  }
  for (std::size_t i = 0; i < op.arguments.size(); ++i)
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
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    const Problem::ArgumentContents& c = problem.contents()[i];
    const bool buffer = op.arguments[i].kind == adj::ArgumentKind::tensor || op.arguments[i].kind == adj::ArgumentKind::list;
    if (!buffer || !c.present || c.shares >= 0) continue;
    fmt::print(out, "want {}", op.arguments[i].name);
    for (const Data& d : data[i]) fmt::print(out, " {}", hex(d));
    fmt::print(out, "\n");
  }
  return true;
}

bool needs_this_process(const Problem& problem) {
  const adj::OpInfo& op = problem.op();
  for (const adj::Field& field : op.fields)
    if (field.kind == ADJ_FIELD_POINTER && read<const void*>(problem.descriptor(), field.offset)) return true;
  for (const Problem::ArgumentContents& c : problem.contents())
    if (c.handle) return true;
  return false;
}

// Calls every(case) for all cases, and fn(problem) for the small ones of each signature. False when there are no cases at all.
template <class Every, class Fn>
bool for_each_problem(const adj::OpInfo& op, Limits limits, Every every, Fn fn) {
  bool any = false;
  for (const adj::Signature& signature : op.signatures) {
    const std::vector<harness::Case> cases = harness::cases_of(op.id)(signature, harness::Level::quick, 1);
    any |= !cases.empty();
    for (const harness::Case& c : cases) every(c);
    const std::size_t step = std::max<std::size_t>(1, cases.size() / limits.cases);
    for (std::size_t i = 0; i < cases.size(); i += step)
      if (harness::bytes_of(*cases[i].problem) <= limits.bytes) fn(*cases[i].problem);
  }
  return any;
}

int run_all() {
  std::int64_t tried = 0, failures = 0;
  Completed completed;
  for (std::int64_t n = 0; n < adj_op_count(); ++n) {
    const adj::OpInfo& op = *adj::find_op(adj_op_at(n));
    std::int64_t of_operator = 0;
    const bool any = for_each_problem(
        op, kRun, [&](const harness::Case& c) { failures += !complete_case(c, completed); },
        [&](const Problem& problem) {
          std::FILE* text = std::tmpfile();
          write_problem(text, problem, false);
          if (write_results(text, problem)) {
            std::rewind(text);
            failures += drive(text, 0);
            ++of_operator;
          }
          std::fclose(text);
        });
    if (any && of_operator == 0) {
      fmt::print(stderr, "{}: no case was tried\n", op.name);
      ++failures;
    }
    tried += of_operator;
  }
  fmt::print("{} problems run from reflection, {} descriptors completed in {} fields ({} have an extent beside one of 0), {} failures\n", tried,
             completed.tried, completed.erased, completed.empty, failures);
  return failures != 0;
}

int write_all(const char* path, bool typed) {
  std::FILE* out = std::fopen(path, "w");
  if (!out) return fmt::print(stderr, "{} cannot be written\n", path), 1;
  for (std::int64_t n = 0; n < adj_op_count(); ++n) {
    const adj::OpInfo& op = *adj::find_op(adj_op_at(n));
    bool any = false;
    for_each_problem(
        op, kFile, [](const harness::Case&) {},
        [&](const Problem& problem) {
          if (needs_this_process(problem)) return;
          std::FILE* text = std::tmpfile();
          write_problem(text, problem, typed);
          if (write_results(text, problem)) {
            any = true;
            std::rewind(text);
            for (int c; (c = std::fgetc(text)) != EOF;) std::fputc(c, out);
          }
          std::fclose(text);
        });
    if (!any) fmt::print(out, "left {}\n", op.name);
  }
  fmt::print(out, "end\n");
  return std::fclose(out) != 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool typed = argc == 3 && std::string_view(argv[1]) == "--typed";
  if (argc > 2 + typed) return fmt::print(stderr, "usage: reflection_test [[--typed] FILE]\n"), 2;
  return argc == 1 ? run_all() : write_all(argv[argc - 1], typed);
}
