"""A call depends on its own arguments alone: sequences of calls with and without each optional argument, for every operator."""
import ctypes
import gc
import unittest

import numpy as np
import test_ops

import adjoint
from adjoint import _call, _operators
from adjoint._generated import Dtype, Presence

DTYPES = {Dtype.F32: np.float32, Dtype.F64: np.float64, Dtype.F16: np.float16, Dtype.BF16: np.uint16, Dtype.I32: np.int32, Dtype.I64: np.int64,
          Dtype.U8: np.uint8, Dtype.U32: np.uint32, Dtype.BOOL: np.bool_}


def copied(value):
    if isinstance(value, np.ndarray):
        return value.copy()
    return [copied(v) for v in value] if isinstance(value, list) else value


def flat(value):
    if isinstance(value, (tuple, list)):
        return [x for v in value for x in flat(v)]
    return [value.tobytes() if isinstance(value, np.ndarray) else value]


def outcome(name, keywords):
    """The results of a call and what it left in its arguments, or the sentence of its error."""
    keywords = {k: copied(v) for k, v in keywords.items()}
    try:
        result = adjoint.op(name, **keywords)
    except adjoint.Error as error:
        return str(error)
    return flat(result) + [x for k in sorted(keywords) if keywords[k] is not None for x in flat(keywords[k])]


def other_values(operator, argument, keywords):
    """Values that an argument may have in another call."""
    if argument.kind == "random":
        return [(7, 4), 9, np.array([11, 8], np.uint64)]
    if argument.kind == "scalar":
        kind = np.int64 if "i64 on the device" in argument.about else np.bool_ if "bool on the device" in argument.about else np.float32
        return [0.25, 3, np.array([5], kind), np.array([0.125], np.float64)]
    if argument.kind != "tensor":
        return []
    if argument.role == "out" or argument.host:
        return [True]
    try:
        need = getattr(adjoint.ops, operator.name).select(**keywords).descriptor.need(argument)
    except (adjoint.Error, TypeError):
        return []
    return [np.ones(need.shape, DTYPES[need.dtype])] if need.dtype in DTYPES and need.presence != Presence.ABSENT else []


class State(test_ops.WithHandles):
    def test_optional_arguments(self):
        """Without an argument, with it, without it: the third call is the first."""
        tried, operators = {"scalar": 0, "random": 0, "tensor": 0}, set()
        for name, keywords, _ in self.calls():
            operator = _operators.operator_of(name)
            for argument in operator.arguments:
                if argument.kind not in tried or argument.kind == "tensor" and argument.presence == "required":
                    continue
                without = {k: v for k, v in keywords.items() if k != argument.name}
                for value in other_values(operator, argument, keywords):
                    first = outcome(name, without)
                    between = outcome(name, {**keywords, argument.name: value})
                    gc.collect()  # an array of the call between is gone
                    with self.subTest(operator=name, argument=argument.name, between=value):
                        self.assertEqual(outcome(name, without), first)
                        self.assertEqual(outcome(name, {**without, argument.name: None}), first)
                    if not isinstance(between, str):
                        tried[argument.kind] += 1
                        operators.add(name)
        self.assertGreater(tried["scalar"], 60, tried)
        self.assertGreater(tried["random"], 4, tried)
        self.assertGreater(tried["tensor"], 20, tried)
        self.assertGreater(len(operators), 30)

    def test_values_as_numbers_and_in_arrays(self):
        """The same value by number and in an array: equal results, in any order."""
        x = np.linspace(-1, 1, 64, dtype=np.float32)
        ratio, state = np.array([0.5]), np.array([7, 4], np.uint64)
        calls = [lambda: adjoint.ops.dropout_forward(input=x, ratio=r, random=s).mask.tobytes() for r in (0.5, ratio) for s in ((7, 4), state)]
        expected = calls[0]()
        for order in ([0, 1, 2, 3], [3, 0, 3, 2, 1, 0]):
            for i in order:
                self.assertEqual(calls[i](), expected)

    def test_functions(self):
        def step(**options):
            w = [np.ones(3, np.float32)]
            adjoint.adam(w, [np.full(3, 2, np.float32)], [np.zeros(3, np.float32)], [np.zeros(3, np.float32)], step=1, lr=0.05, **options)
            return w[0][0]
        first = step()
        for between in ({"grad_scale": 1000.0}, {"grad_scale": np.array([1000.0])}, {"found_inf": np.ones(1, np.float32)}, {"betas": (0.5, 0.5)}):
            step(**between)
            self.assertEqual(step(), first)
            self.assertEqual(step(grad_scale=None), first)

    def test_a_skipped_step_of_adamw_is_not_counted(self):
        """What follows a step that was skipped is what would have come without it."""
        gradients = [np.array([0.5, -2.0], np.float32), np.array([1.0, 0.25], np.float32)]

        def weights(skips):
            w = [np.ones(2, np.float32)]
            adamw = adjoint.AdamW(w, lr=0.1)
            for i, g in enumerate(gradients):
                for found_inf in skips:
                    adamw.step([np.full(2, np.nan, np.float32)], found_inf=found_inf)
                adamw.step([g], found_inf=[None, np.zeros(1, np.float32)][i])
            return w[0].tolist()
        expected = weights([])
        for found_inf in (True, 1.0, np.ones(1, np.float32), np.array([np.inf]), np.ones((1, 1)), memoryview(np.ones(1, np.float32))):
            self.assertEqual(weights([found_inf]), expected)

    def test_prepared_calls_do_not_change(self):
        x = np.ones(8, np.float32)
        adjoint.ops.dropout_forward(input=x, ratio=0.5, random=(1, 0))
        call = next(reversed(_call._thread.calls.values()))
        before = bytes(call.template)
        adjoint.ops.dropout_forward(input=x, ratio=0.25, random=np.array([2, 4], np.uint64))
        self.assertIs(next(reversed(_call._thread.calls.values())), call)
        self.assertEqual(bytes(call.template), before)

    def test_parameters_that_are_equal(self):
        """0.0 and -0.0 are equal, and give other results."""
        x = np.array([-1.0], np.float32)
        for call in (lambda slope: adjoint.leaky_relu(x, leaky_slope=slope), lambda slope: adjoint.ops.activation_forward(
                input=x[None], function="leaky_relu", leaky_slope=slope)[0]):
            for slope in (0.0, -0.0, 0.0, -0.0):
                self.assertEqual(bool(np.signbit(call(slope)[0])), not np.signbit(slope))
        self.assertEqual(adjoint.op("softmax_forward", input=np.ones((1, 4, 1), np.float32), extent=4.0).shape, (1, 4, 1))
        with self.assertRaisesRegex(adjoint.InvalidError, "extent = 2.5 is not an integer"):
            adjoint.op("softmax_forward", input=np.ones((1, 4, 1), np.float32), extent=2.5)

    def test_a_call_inside_a_call(self):
        """A function of the caller that calls the operator it belongs to."""
        seen = []

        def function(call):
            (address, size), = call.inputs
            value = ctypes.c_float.from_address(address).value
            seen.append(value)
            if value < 3:
                adjoint.op("callback", function=function, inputs=[np.full(4, value + 1, np.float32)], outputs=[np.zeros(4, np.float32)])
            ctypes.memmove(call.outputs[0][0], address, size)

        out = np.zeros(4, np.float32)
        adjoint.op("callback", function=function, inputs=[np.ones(4, np.float32)], outputs=[out])
        self.assertEqual(seen, [1, 2, 3])
        self.assertEqual(out[0], 1)


class BoundCalls(unittest.TestCase):
    def test_outputs_in_ordinary_memory(self):
        x = np.ones(40, np.float32)
        bound = adjoint.ops.dropout_forward.bind(input=x, ratio=0.5, random=(1, 0), words=True)
        for _ in range(2):
            self.assertEqual(bound().words, adjoint.ops.dropout_forward(input=x, ratio=0.5, random=(1, 0), words=True).words)
        self.assertGreater(bound().words, 0)
        self.assertEqual(adjoint.ops.view.bind(input=np.ones(5, np.float32), numel=[2, 3], copies=1, offsets=True)().offsets, (0, 2))

    def test_values_are_those_of_the_binding(self):
        x = np.linspace(-1, 1, 64, dtype=np.float32)
        state = np.array([7, 4], np.uint64)
        by_value = adjoint.ops.dropout_forward.bind(input=x, ratio=0.5, random=(7, 4))
        in_memory = adjoint.ops.dropout_forward.bind(input=x, ratio=0.5, random=state)
        first = by_value().mask.copy()
        np.testing.assert_array_equal(in_memory().mask, first)
        state[1] = 400
        self.assertFalse(np.array_equal(in_memory().mask, first))
        np.testing.assert_array_equal(by_value().mask, first)

    def test_scratch_of_other_calls_is_not_shared(self):
        dout, indices = np.ones((5000, 2), np.float32), np.zeros(5000, np.int64)
        bound = adjoint.embedding_backward.bind(dout, indices, 3)
        adjoint.embedding_backward(dout, indices + 1, 3)
        np.testing.assert_array_equal(bound(), [[5000, 5000], [0, 0], [0, 0]])


if __name__ == "__main__":
    unittest.main()
