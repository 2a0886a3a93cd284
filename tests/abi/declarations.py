#!/usr/bin/env python3
"""Changes a header in each way that tools/generate.py refuses, and compares what it says: the place, and what is wrong. Its help lists every file that it writes."""
import fnmatch
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import generate
from generators.reader import Fault, Tree

# (header, text that stands there, what it becomes, name before the sentence, what the sentence says)
CASES = [
    ("ops/softmax.h", "ADJ_MAY_BE(dout, out)", "ADJ_ALIAS(dout, out)", "dinput", "there is no annotation ADJ_ALIAS"),
    ("ops/softmax.h", "ADJ_MAY_BE(dout, out)", "ADJ_MAY_BE(dout, outs)", "dinput", "ADJ_MAY_BE: outs is no other argument of the same kind"),
    ("ops/softmax.h", "ADJ_MAY_BE(dout, out)", "ADJ_MAY_BE(dinput)", "dinput", "ADJ_MAY_BE: dinput is no other argument of the same kind"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element) ADJ_MAY_BE(dout, out)", "ADJ_IN([outer, extent, inner], element) ADJ_MAY_BE(dout, out)", "dinput",
     "an input cannot be another argument itself"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element) ADJ_MAY_BE(dout, out)", "ADJ_MAY_BE(dout, out)", "dinput",
     "one of ADJ_IN, ADJ_OUT and ADJ_INOUT says its role"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element)", "ADJ_OUT([outer, extend, inner], element)", "dinput",
     "ADJ_OUT: extend is no field of the descriptor, no element type and no ADJ_LET"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element)", "ADJ_OUT([outer, extent, element], element)", "dinput", "ADJ_OUT: a shape cannot have a type"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element)", "ADJ_OUT([outer, extent, inner])", "dinput", "expected a shape and an element type"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element)", "ADJ_OUT([outer, extent, inner], outer)", "dinput", "the second is of the kind integer, expected type"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element)", "ADJ_OUT([outer, extent inner], element)", "dinput", "ADJ_OUT: expected ,, found inner"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element)", "ADJ_OUT([outer, extent, inner, element)", "dinput", "ADJ_OUT: expected ,, found the end"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element)", "ADJ_OUT([outer, extent $ 2, inner], element)", "dinput", "ADJ_OUT: cannot read '$ 2, inner], element'"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element)", "ADJ_OUT([outer, volume(extent), inner], element)", "dinput", "ADJ_OUT: there is no function volume"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element)", "ADJ_OUT([outer, ceil_div(extent), inner], element)", "dinput", "ceil_div takes 2 arguments, found 1"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element)", "ADJ_OUT([outer, extent, inner], element", "dinput", "the parenthesis of ADJ_OUT is not closed"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element)", "ADJ_OUT([outer, extent, inner], element) ADJ_ZERO_IS(element)", "dinput",
     "ADJ_ZERO_IS has no meaning in a structure of arguments"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element)", "ADJ_OUT([outer, extent, inner], element) ADJ_OPTIONAL(1)", "dinput", "ADJ_OPTIONAL takes no parentheses"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element)", "ADJ_OUT([outer, extent, inner], element) ADJ_ONLY_IF", "dinput", "ADJ_ONLY_IF needs parentheses"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element)", "ADJ_OUT([outer, extent, inner], element) ADJ_WRITTEN_IF(outer)", "dinput", "ADJ_WRITTEN_IF goes with ADJ_IN"),
    ("ops/softmax.h", "ADJ_OUT([outer, extent, inner], element)", "ADJ_OUT([outer, extent, inner], element) ADJ_STRIDES(inner)", "dinput",
     "ADJ_STRIDES is for a tensor and names a list of strides among the fields"),
    ("ops/loss.h", "reduction == none", "reduction == nothing", "loss", "ADJ_OUT: reduction is compared by == or != with one of default, none, sum, mean"),
    ("ops/loss.h", "ADJ_LET(classes, padded_classes ?", "ADJ_LET(batch, padded_classes ?", "softmax_cross_entropy_loss", "the ADJ_LET batch has the name of a field"),
    ("ops/loss.h", "ADJ_LET(classes, padded_classes ? padded_classes : num_classes)", "ADJ_LET(classes, classes + 1)", "scores", "classes is defined by itself"),
    ("ops/loss.h", "ADJ_LET(classes, padded_classes ?", "ADJ_LET(classes, padded_classes ?\n ", "ADJ_LET", "expected a name and an expression, in one line"),
    ("ops/concat.h", "[outer, lengths, inner]", "[outer, inner]", "inputs", "the shape of a list names no list of numbers"),
    ("ops/concat.h", "[outer, sum(lengths), inner]", "[outer, lengths, inner]", "output", "lengths is a list, and the argument is one tensor"),
    ("ops/fill.h", "ADJ_IN(f32, f64)", "ADJ_IN(f32, f8)", "value", "ADJ_IN of a scalar has one or two element types, or any_float; found f32, f8"),
    ("ops/fill.h", "ADJ_IN();", "ADJ_IN([1], u64);", "random", "ADJ_IN of a random is empty"),
    ("ops/norm.h", "ADJ_ZERO_IS(element)", "ADJ_ZERO_IS(axis)", "output", "ADJ_ZERO_IS is for an element type and names the field with another"),
    ("ops/softmax.h", "adj_dtype element ADJ_DEFAULT({});", "adj_dtype element ADJ_DEFAULT({}) ADJ_REST;", "element", "ADJ_REST is for an extent, which is an int64_t"),
    ("ops/softmax.h", "ADJ_DEFAULT(1) ADJ_REST", "ADJ_DEFAULT(1) ADJ_REST(1)", "outer", "ADJ_REST takes no parentheses"),
    ("ops/softmax.h", "ADJ_DEFAULT(1) ADJ_REST", "ADJ_DEFAULT(1) ADJ_REST ADJ_FOLDS", "outer", "ADJ_REST and ADJ_FOLDS together"),
    ("ops/matmul.h", "ADJ_FOLDS_IF(batch == 1)", "ADJ_FOLDS_IF(batches == 1)", "m", "ADJ_FOLDS_IF: "),
    ("ops/softmax.h", "  uint32_t reserved ADJ_DEFAULT(0);\n", "", "element", "4 bytes of padding behind it: put a uint32_t reserved there"),
    ("ops/softmax.h", "  int64_t extent ", "  int32_t zero ADJ_DEFAULT(0); /* 0 */\n  int64_t extent ", "extent", "4 bytes of padding before it: put a uint32_t reserved there"),
    ("ops/embedding.h", "  int32_t has_padding_idx ADJ_DEFAULT(0) ADJ_FLAG;            /* 1: padding_idx holds */\n  int32_t padding_zeroes_forward",
     "  uint32_t reserved ADJ_DEFAULT(0);\n  int32_t padding_zeroes_forward", "padding_zeroes_forward", "a mode or a flag stands behind reserved, reserved"),
    ("ops/fill.h", "  int64_t numel ADJ_DEFAULT(-1) ADJ_FOLDS ADJ_RANGE(0); /* elements */\n  adj_dtype element ADJ_DEFAULT({});                    /* f32, f64, f16, bf16 */\n  uint32_t reserved ADJ_DEFAULT(0);\n",
     "  adj_dtype element ADJ_DEFAULT({}); /* f32, f64, f16, bf16 */\n  uint32_t reserved ADJ_DEFAULT(0);\n  int64_t numel ADJ_DEFAULT(-1); /* >= 0 */\n", "numel",
     "a size, a shape or a number stands behind reserved, reserved"),
    ("ops/embedding.h", "/* negative: from the end */", "", "padding_idx", "no comment says what the field means"),
    ("ops/softmax.h", "ADJ_DEFAULT(-1)", "", "extent", "no ADJ_DEFAULT(...)"),
    ("ops/fill.h", "  int64_t numel ", "  int64_t cols ", "cols", "this interface says columns"),
    ("ops/rope.h", "ADJ_RANGE(above 0)", "ADJ_RANGE(beyond 0)", "base", "ADJ_RANGE of a real number takes finite, or [above] a least value and [below] a most"),
    ("ops/rope.h", "ADJ_RANGE(1, 65535)", "ADJ_RANGE(above 0)", "heads", "ADJ_RANGE takes the least value, and the most where it is not that of an extent"),
    ("ops/rope.h", "ADJ_DEFAULT({}) ADJ_TYPES(i32, i64)", "ADJ_DEFAULT({}) ADJ_TYPES(i32, tokens)", "position", "ADJ_TYPES: expected element types"),
    ("ops/rope.h", "ADJ_RANGE(1, 65535)", "ADJ_TYPES(i32)", "heads", "ADJ_TYPES is for an element type"),
    ("ops/rope.h", "ADJ_ONLY_IF(!table_rows)", "ADJ_ONLY_IF(!tables)", "base", "ADJ_ONLY_IF: tables is no field of the descriptor"),
    ("ops/moe.h", ', "is above num_experts")', ")", "top_k", "ADJ_REFUSE takes a condition, and why in quotation marks, without a period"),
    ("ops/moe.h", "ADJ_REFUSE(top_k > num_experts,", "ADJ_REFUSE(top_k > experts,", "top_k", "ADJ_REFUSE: experts is no field of the descriptor"),
    ("ops/softmax.h", '#include "operator.h"', "", None, 'there is no line #include "operator.h"'),
    ("ops/softmax.h", "#include <adjoint/ops/softmax_init.h>", "", None, "there is no line #include <adjoint/ops/softmax_init.h>"),
    ("ops/softmax.h", "ADJ_OPERATOR(8,", "ADJ_OPERATOR(7,", "log_softmax_backward", "the id 7 belongs to softmax_backward; the next free id is "),
    ("ops/softmax.h", "ADJ_OPERATOR(8, log_softmax_backward,", "ADJ_OPERATOR(log_softmax_backward,", None, "ADJ_OPERATOR takes an id and the name in three spellings"),
    ("ops/softmax.h", "LOG_SOFTMAX_BACKWARD, LogSoftmaxBackward", "LOGSOFTMAX_BACKWARD, LogSoftmaxBackward", "log_softmax_backward",
     "expected LOG_SOFTMAX_BACKWARD, found LOGSOFTMAX_BACKWARD"),
    ("ops/softmax.h", "ADJ_GRADIENT(softmax_forward, softmax_backward, dout, out)", "ADJ_GRADIENT(softmax_forward, softmax_backwards, dout, out)", "ADJ_GRADIENT",
     "softmax_backwards is no operator, and no output of softmax_forward"),
    ("ops/softmax.h", "ADJ_GRADIENT(softmax_forward, softmax_backward, dout, out)", "ADJ_GRADIENT(softmax_forward, log_softmax_backward, dout, out)", "ADJ_GRADIENT",
     "the gradient of softmax_forward is named softmax_backward, found log_softmax_backward"),
    ("ops/softmax.h", "ADJ_GRADIENT(softmax_forward,", "ADJ_GRADIENT(softmax_forwards,", "ADJ_GRADIENT", "there is no operator softmax_forwards"),
    ("ops/softmax.h", "ADJ_GRADIENT(log_softmax_forward,", "ADJ_GRADIENT(softmax_forward,", "ADJ_GRADIENT", "softmax_forward has a gradient already"),
    ("ops/softmax.h", "ADJ_GRADIENT(softmax_forward, softmax_backward, dout, out)", "ADJ_GRADIENT(softmax_forward, softmax_backward, dout)", "ADJ_GRADIENT",
     "softmax_backward needs out"),
    ("ops/softmax.h", "ADJ_GRADIENT(softmax_forward, softmax_backward, dout, out)", "ADJ_GRADIENT(softmax_forward, softmax_backward)", "ADJ_GRADIENT",
     "expected the operator, its gradient, and what that takes, in one line"),
    ("ops/softmax.h", "ADJ_GRADIENT(softmax_forward, softmax_backward, dout, out)", "ADJ_GRADIENT(softmax_forward, softmax_backward,\n  dout, out)", "ADJ_GRADIENT",
     "expected the operator, its gradient, and what that takes, in one line"),
    ("ops/softmax.h", "softmax_backward, dout, out)", "softmax_backward, dout, out, out)", "ADJ_GRADIENT", "out stands there twice"),
    ("ops/softmax.h", "softmax_backward, dout, out)", "softmax_backward, dout, out, extend)", "ADJ_GRADIENT", "extend is no argument and no field of softmax_backward"),
    ("ops/softmax.h", "softmax_backward, dout, out)", "softmax_backward, dout, out, extent)", "ADJ_GRADIENT", "extent is a field of both, which goes along in any case"),
    ("ops/softmax.h", "softmax_backward, dout, out)", "softmax_backward, dout, out = input + out)", "ADJ_GRADIENT", "cannot read 'out = input + out'"),
    ("ops/softmax.h", "softmax_backward, dout, out)", "softmax_backward, dout = dloss, out)", "ADJ_GRADIENT",
     "dloss is no argument of softmax_forward, and no gradient of an output"),
    ("ops/softmax.h", "softmax_backward, dout, out)", "softmax_backward, dout, out ? given)", "ADJ_GRADIENT",
     "given is no field of softmax_backward, and no gradient of an output"),
    ("ops/softmax.h", "softmax_backward, dout, out)", "softmax_backward, dout, out, dinput)", "ADJ_GRADIENT",
     "dinput is an output of softmax_backward: of which arguments is it the gradient?"),
    ("ops/dropout.h", "random ? !mask", "random ? !out", "ADJ_GRADIENT", "!out is not ! and an input of dropout_backward"),
    ("ops/dropout.h", "mapping ? !mask", "mapping ? mask", "ADJ_GRADIENT", "mapping is a field of both, which goes along in any case"),
    ("ops/batch_norm.h", "frozen = !training", "frozen = training", "ADJ_GRADIENT", "training is not ! and a field of batch_norm_forward"),
    ("ops/loss.h", "cross_entropy_with_gradient, dscores, dloss", "cross_entropy_with_gradient, dscores, dout", "ADJ_GRADIENT",
     "dout is no argument of cross_entropy_with_gradient, and no gradient of an output"),
]


def refused(include):
    try:
        Tree(include)
    except Fault as fault:
        return str(fault)
    return "nothing"


def unlisted():
    """What the help of tools/generate.py has wrong."""
    tree = Tree()
    written = {path.relative_to(ROOT).as_posix() for path in generate.kept(tree)} | set(generate.built(tree))
    globs = set(generate.listed())
    for path in sorted(written):
        if not any(fnmatch.fnmatch(path, glob) for glob in globs):
            yield f"the help of tools/generate.py does not list {path}"
    for glob in sorted(globs):
        if not fnmatch.filter(written, glob):
            yield f"the help of tools/generate.py lists {glob}, which it does not write"


def main():
    failed = 0
    for what in unlisted():
        failed += 1
        print(what, file=sys.stderr)
    with tempfile.TemporaryDirectory() as scratch:
        include = pathlib.Path(scratch) / "include"
        shutil.copytree(ROOT / "include", include)
        if refused(include) != "nothing":
            sys.exit(f"the headers as they stand: {refused(include)}")
        for header, old, new, name, sentence in CASES:
            path = include / "adjoint" / header
            text = path.read_text(encoding="utf-8")
            changed = text.replace(old, new, 1)
            path.write_text(changed, encoding="utf-8")
            said = refused(include)
            path.write_text(text, encoding="utf-8")
            place = re.match(rf"include/adjoint/{header}:(\d+): {f'{name}: ' if name else ''}", said)
            there = place and (name is None or name in changed.splitlines()[int(place[1]) - 1])
            if changed == text or not there or sentence not in said or "\n" in said:
                failed += 1
                print(f"{header}: '{old}' as '{new}': expected '{name}: {sentence}', found: {said}", file=sys.stderr)
    print(f"{max(len(CASES) - failed, 0)} of {len(CASES)} changes are refused as they should be")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
