#!/usr/bin/env python3
"""Writes the files of a new operator: new_operator.py FAMILY OPERATOR

The files are those of src/ops/README.md: header, host function, kernel with its parameters, planning, cases and host test. They build, and their
tests fail with a sentence that says what to write. In a family that exists, the header gets the operator, and the other files are new ones
beside the family's own. Then tools/generate.py runs.
"""
import re
import shutil
import subprocess
import sys

import format as formatter
from generators.reader import ROOT, Fault, Tree, camel

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
SHARED = {"common", "gemm", "parts", "segment_sum", "prelude", "operator", "all"}  # folders and headers that are no families

HEADER = """\
/* WRITE: what the family is, in a sentence.
 *
 * Source: WRITE. */
#ifndef ADJOINT_OPS_@FAMILY_H
#define ADJOINT_OPS_@FAMILY_H

#include "operator.h"

@table
@structs
#include <adjoint/ops/@family_init.h>

#endif
"""
TABLE = "ADJ_OPERATOR(@id, @operator, @OPERATOR, @Operator)\n"
STRUCTS = """\
/* @Operator. WRITE: formula, edge cases, error terms and source of @operator:
 *     out[i] = f(input[i]) */
typedef struct adj_@operator_descriptor {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_@operator_descriptor, ADJ_TAG_@OPERATOR_DESCRIPTOR));
  int64_t numel ADJ_DEFAULT(-1) ADJ_RANGE(0);
  adj_dtype element ADJ_DEFAULT({}); /* f32, f64, f16, bf16 */
  uint32_t reserved ADJ_DEFAULT(0);
} adj_@operator_descriptor;

typedef struct adj_@operator_args {
  adj_header header ADJ_DEFAULT(ADJ_HEADER_OF(adj_@operator_args, ADJ_TAG_@OPERATOR_ARGS));
  adj_tensor input ADJ_DEFAULT({}) ADJ_IN([numel], element);
  adj_tensor out   ADJ_DEFAULT({}) ADJ_OUT([numel], element) ADJ_MAY_BE(input);
} adj_@operator_args;
"""
HOST_HEADER = """\
// Host functions of include/adjoint/ops/@family.h.
#pragma once

#include <adjoint/ops/@family.h>

namespace adj::host {

void @operator(const adj_@operator_descriptor& d, const adj_@operator_args& a, void* workspace);

}  // namespace adj::host
"""
HOST = """\
#include "host/@host.hpp"

#include <limits>

#include "base/dtype.hpp"

namespace adj::host {

void @operator(const adj_@operator_descriptor& d, const adj_@operator_args& a, void*) {
  with_float(d.element, [&](auto* element) {
    using T = std::remove_pointer_t<decltype(element)>;
    const auto* input = static_cast<const T*>(a.input.data);
    auto* out = static_cast<T*>(a.out.data);
    // WRITE: the definition, in f64, rounded once. A NaN fails every test.
    for (std::int64_t i = 0; i < d.numel; ++i) out[i] = from_double<T>(to_double(input[i]) + std::numeric_limits<double>::quiet_NaN());
  });
}

}  // namespace adj::host
"""
PARAMS = """\
/* Parameters of kernels/@family/@operator.cu. */
#pragma once

enum { k@OperatorBlock = 256 };

struct @OperatorParams {
  const void* input;
  void* out;
  long long numel;
};
"""
KERNEL = """\
// WRITE: what it is, in a sentence.
//
// Computes: include/adjoint/ops/@family.h. Work split: a thread takes vectors of 16 bytes, a grid apart.
// Memory: each operand once, 16 bytes at a time where both are aligned. Order of additions: none. Limits: none.
//
// Macros: ADJ_T element type.
#include "prelude/thread.cuh"
#include "prelude/vectors.cuh"
#include "@family/@params.h"

typedef ADJ_T T;
constexpr int kVector = kVec16<T>;

extern "C" __global__ void __launch_bounds__(k@OperatorBlock) ADJ_ENTRY(const __grid_constant__ @OperatorParams p) {
  const bool aligned = aligned16(p.input) && aligned16(p.out);
#pragma unroll 1
  for (i64 at = global_thread() * kVector; at < p.numel; at += global_threads() * kVector) {
    const int count = static_cast<int>(min_of<i64>(kVector, p.numel - at));
    Acc<T> x[kVector];
    widen<T>(load_vector<T>(p.input, at, count, aligned), x);
#pragma unroll
    for (int j = 0; j < kVector; ++j) x[j] = 0;  // WRITE: the function of x[j]
    store_vector<T>(p.out, at, narrow<T>(x), count, aligned);
  }
}
"""
PLANNING = """\
// Planning of @operator.
#include "host/@host.hpp"
#include "kernels/@family/@params.h"
#include "ops/@family.gen.hpp"
#include "ops/common/common.hpp"

namespace adj {

namespace {

using namespace @operator_tables;

Result<void> finish(const PlanRequest& request, PlanBuilder& builder) {
  const auto& d = *static_cast<const Descriptor*>(request.descriptor);
  if (d.numel == 0) return {};
  if (!request.device) {
    builder.host(host_call<Descriptor, Args, host::@operator>);
    return {};
  }
  @OperatorParams p{};
  p.numel = d.numel;
  const std::int64_t elements_of_block = k@OperatorBlock * (16 / size_of(d.element));
  builder.kernel(kMain, grid_for(*request.device, ceil_div(d.numel, elements_of_block), 8), k@OperatorBlock)
      .params(p)
      .tensor(offsetof(@OperatorParams, input), kInput)
      .tensor(offsetof(@OperatorParams, out), kOut);
  return {};
}

// WRITE: the guarantee of each algorithm; with a bound above 0 the cases need magnitudes.
const std::vector<Variant>& variants() {
  static const auto* list = new std::vector<Variant>{
      {.algorithm = "vector", .summary = "16 bytes at a time", .programs = {{"@family/@operator.cu", "@operator", "ADJ_T={0}"}},
       .guarantee = exact_guarantee},
      host_row(exact_guarantee)};
  return *list;
}

}  // namespace

const OpInfo& info_@operator() {
  static const OpInfo info = op_info(base_info(), {
      .signatures = float_signatures(), .signature_columns = "element", .variants = variants(),
      .signature = element_signature<Descriptor>, .finish = finish});
  return info;
}

}  // namespace adj
"""
CASES = """\
// Cases of @operator.
#include <adjoint/ops/@family.h>

#include "harness/harness.hpp"

namespace harness {

// WRITE: the edges of every algorithm, NaN and infinities, in place; then name each case by its sizes.
std::vector<Case> @operator_cases(const adj::Signature& signature, Level level, std::uint64_t seed) {
  std::vector<Case> cases;
  std::vector<std::int64_t> sizes{0, 1, 7, 8, 1000, 4097};
  if (level == Level::full) sizes.push_back(5'000'001);
  for (std::int64_t numel : sizes)
    for (const char* shared : {"", "input"}) {
      Rng rng(++seed);
      adj_@operator_descriptor d;
      d.numel = numel;
      d.element = signature[0];
      auto problem = std::make_shared<Problem>(Problem::of(d));
      fill_normal(problem->tensor("input"), rng);
      if (*shared) problem->share("out", shared);
      cases.push_back({fmt::format("{} {}: write kernels/@family/@operator.cu, src/host/@host.cpp and tools/harness/@host.cpp", numel, shared), std::move(problem), {}});
    }
  return cases;
}

}  // namespace harness
"""
TEST = """\
// @operator against its definition.
#include <doctest/doctest.h>

#include "adjoint.h"

TEST_CASE("@operator: examples of its definition") {
  FAIL("@operator: write the definition in include/adjoint/ops/@family.h and src/host/@host.cpp, then examples in tests/host/@host.cpp: published numbers, "
       "closed forms, finite differences (src/ops/README.md, steps 1, 2 and 6)");
}
"""


def fill(text, names):
    for name in sorted(names, key=len, reverse=True):
        text = text.replace("@" + name, names[name])
    return text


def main():
    if len(sys.argv) != 3 or sys.argv[1] in ("-h", "--help"):
        print("usage: tools/dev new FAMILY OPERATOR, such as tools/dev new relu relu_backward", file=sys.stderr)
        return 2
    family, operator = sys.argv[1:]
    for what, name in (("FAMILY", family), ("OPERATOR", operator)):
        if not NAME.fullmatch(name) or name in SHARED:
            print(f"tools/dev: {what} '{name}' is no name for one: lower case letters, digits and single underscores, none of {', '.join(sorted(SHARED))}", file=sys.stderr)
            return 2
    try:
        tree = Tree()
    except Fault as fault:
        sys.exit(f"tools/dev: {fault}")
    for o in tree.operators:
        if o.name == operator or o.cpp.lower() == operator.replace("_", ""):
            print(f"tools/dev: there is an operator {o.name} in the family {o.family}", file=sys.stderr)
            return 2
    old = any(f.family == family for f in tree.families)
    names = {"family": family, "FAMILY": family.upper(), "operator": operator, "OPERATOR": operator.upper(), "Operator": camel(operator),
             "id": str(max(o.id for o in tree.operators) + 1), "host": f"{family}_{operator}" if old else family,
             "params": f"{operator}_params" if old else "params"}
    header = f"include/adjoint/ops/{family}.h"
    table, structs = fill(TABLE, names), fill(STRUCTS, names)
    made = {f"src/host/{names['host']}.hpp": HOST_HEADER, f"src/host/{names['host']}.cpp": HOST, f"kernels/{family}/{names['params']}.h": PARAMS,
            f"kernels/{family}/{operator}.cu": KERNEL, f"src/ops/{family}/{operator if old else family}.cpp": PLANNING,
            f"tools/harness/{names['host']}.cpp": CASES, f"tests/host/{names['host']}.cpp": TEST}
    for path in made:
        if (ROOT / path).exists():
            sys.exit(f"tools/dev: {path} exists already")
    texts = {path: fill(text, names) for path, text in made.items()}
    if old:
        text = (ROOT / header).read_text(encoding="utf-8")
        last = list(re.finditer(r"^ADJ_OPERATOR\(.*\n", text, re.M))[-1].end()
        text = text[:last] + table + text[last:]
        end = text.rindex(f"#include <adjoint/ops/{family}_init.h>")
        texts = {header: text[:end] + structs + "\n" + text[end:], **texts}
    else:
        texts = {header: fill(HEADER, {**names, "table": table, "structs": structs}), **texts}
    for path, text in texts.items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")
        print(f"{path}{'  (changed)' if old and path == header else ''}")
    if shutil.which(formatter.PROGRAM):  # names of other lengths break lines elsewhere
        subprocess.run([formatter.PROGRAM, "--style=file", "-i", *(ROOT / path for path in made if path != header)], check=True)
    subprocess.run([sys.executable, ROOT / "tools/generate.py"], check=True, stdout=subprocess.DEVNULL)
    print(f"""generated what follows from {header}. Next, with src/ops/README.md:
  grep -rn WRITE {' '.join(texts)}
  tools/generate.py                     after each edit of the header
  tools/dev kernel '{operator}/*'       after each edit of the kernel, the host function or the cases
  meson setup --reconfigure build && ninja -C build tests/host_test && build/tests/host_test -tc='*{operator}*'""")
    return 0


if __name__ == "__main__":
    sys.exit(main())
