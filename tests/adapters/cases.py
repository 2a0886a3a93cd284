"""Cases of the harness that `reflection_test --typed FILE` has written, with the results of direct calls."""
import os

import ml_dtypes
import numpy as np

from adjoint import _library

KINDS = {1: "i64", 2: "i32", 3: "dtype", 4: "f64", 5: "i64[]", 6: "shape", 7: "axes", 8: "f64[]", 9: "text", 10: "pointer", 11: "bytes"}
DTYPES = {1: np.float32, 2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16, 6: np.int32, 7: np.int64, 9: np.bool_, 10: np.float16, 11: np.float64,
          12: np.uint32, 13: np.uint64, 16: ml_dtypes.bfloat16, 17: ml_dtypes.float8_e4m3fn, 19: ml_dtypes.float8_e5m2, 24: ml_dtypes.float8_e8m0fnu}


class Case:
    """fields: values by name. given: arrays, lists of arrays, numbers and pairs by the name of the argument. same: arguments that are another argument's
    buffer. wanted: the bytes that a buffer then holds, or a list of them."""

    def __init__(self, operator):
        self.operator, self.fields, self.given, self.same, self.wanted = operator, {}, {}, {}, {}


def _bytes(word):
    return bytes.fromhex(word[1:])


def _array(word, dtype, shape=None):
    array = np.frombuffer(bytearray(_bytes(word)), DTYPES[int(dtype)])
    return array if shape is None else array.reshape(shape)


def _field(kind, words):
    if kind in ("shape", "axes"):
        return [int(w) for w in words[1:]]
    if kind in ("i64[]", "f64[]"):
        return np.frombuffer(_bytes(words[0]), np.int64 if kind == "i64[]" else np.float64).tolist()
    if kind == "f64":
        return float(words[0])
    return _bytes(words[0]) if kind == "bytes" else _bytes(words[0]).decode() if kind == "text" else int(words[0])


def _argument(case, name, what, words):
    if what == "data":  # the shape of a scalar is no word
        shape, data = (words[1], words[2]) if len(words) == 3 else ("", words[1])
        case.given[name] = _array(data, words[0], [int(n) for n in shape.split(",")] if shape else [])
    elif what == "list":
        case.given[name] = [_array(w, words[0]) for w in words[1:]]
    elif what == "same":
        case.same[name] = words[0]
    elif what == "memory":  # a random state has no type
        case.given[name] = _array(words[1], words[0]).reshape([]) if int(words[0]) else _array(words[1], 12)
    elif what == "seed":
        case.given[name] = (int(words[0]), int(words[1]))
    elif what == "value":
        case.given[name] = float(words[0])


def _read(lines):
    case = None
    for line in lines:
        word, *words = line.split()
        name, words = words[0] if words else None, words[1:]
        if word in ("problem", "left") and case:
            yield case
            case = None
        if word == "problem":
            case = Case(name)
        elif word == "set":
            case.fields[name] = _field(KINDS[int(words[0])], words[1:])
        elif word == "give":
            _argument(case, name, words[0], words[1:])
        elif word == "want":
            case.wanted[name] = [_bytes(w) for w in words]
    if case:
        yield case


def each(tested):
    """The cases of the file that ADJOINT_TEST_CASES names. At the end it is checked that every operator had one, unless the file says that it has none: the
    harness has no cases of collectives, and those of operators that call functions have addresses."""
    operators, tried, path = set(), 0, os.environ["ADJOINT_TEST_CASES"]
    with open(path) as lines:
        for case in _read(lines):
            yield case
            operators.add(case.operator)
            tried += 1
    with open(path) as lines:
        left = {line.split()[1] for line in lines if line.startswith("left ")}
    known = {_library.lib.adj_op_name(_library.lib.adj_op_at(i)).decode() for i in range(_library.lib.adj_op_count())}
    print(f"{tested}: {tried} cases of {len(operators)} operators; without a case: {', '.join(sorted(known - operators))}")
    if known != operators | left:
        raise AssertionError(f"no case of {known - operators - left}, or of operators that there are not: {(operators | left) - known}")
