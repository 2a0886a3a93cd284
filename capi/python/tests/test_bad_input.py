"""Bad input to every operator: the sentence names the operator and the argument, and no array of the call has changed."""
import os
import threading
import unittest

import numpy as np
import test_ops
from test_state import copied, flat

import adjoint
from adjoint import _operators
from adjoint._generated import Presence


class BadInput(test_ops.WithHandles):
    def operators(self):
        return ((_operators.operator_of(name), keywords) for name, keywords, _ in self.calls())

    def refused(self, operator, keywords, *words, kinds=(adjoint.Error,)):
        """The sentence of a call that must fail."""
        given, before = keywords, {k: flat(v) for k, v in keywords.items()}
        with self.assertRaises(kinds) as raised:
            adjoint.op(operator.name, **given)
        sentence = str(raised.exception)
        self.assertTrue(sentence.startswith(operator.name), sentence)
        for word in words:
            self.assertIn(word, sentence)
        self.assertEqual({k: flat(v) for k, v in given.items()}, before, sentence)
        return sentence

    def arrays(self, operator, keywords):
        return [(s, keywords[s.name]) for s in operator.inputs if isinstance(keywords.get(s.name), (np.ndarray, list))]

    def test_missing_inputs(self):
        tried = 0
        for operator, keywords in self.operators():
            for argument, _ in self.arrays(operator, keywords):
                if argument.presence == "required" and len(self.arrays(operator, keywords)) > 1:
                    with self.subTest(operator.name, missing=argument.name):
                        self.refused(operator, {k: v for k, v in keywords.items() if k != argument.name}, f"{operator.name}: {argument.name} is None; give a")
                        tried += 1
        self.assertGreater(tried, 80)

    def test_types(self):
        """Elements of a type that the operator does not take, and objects that are no arrays."""
        tried = 0
        for operator, keywords in self.operators():
            for argument, value in self.arrays(operator, keywords):
                first = value[0] if isinstance(value, list) else value
                for wrong in (first.astype(np.complex64), first.astype(first.dtype.newbyteorder()) if first.dtype.itemsize > 1 else "text", "text", 5):
                    given = [wrong] if isinstance(value, list) else wrong
                    with self.subTest(operator.name, argument=argument.name, given=type(wrong).__name__):
                        self.refused(operator, {**keywords, argument.name: given}, argument.name, kinds=(adjoint.InvalidError,))
                        tried += 1
        self.assertGreater(tried, 400)

    def test_a_list_for_an_array_and_an_array_for_a_list(self):
        for operator, keywords in self.operators():
            for argument, value in self.arrays(operator, keywords):
                with self.subTest(operator.name, argument=argument.name):
                    self.refused(operator, {**keywords, argument.name: value[0] if isinstance(value, list) else [value]},
                                 f"{operator.name}: {argument.name} is a")

    def test_shapes(self):
        """One more element along each axis of each input: refused, unless the output is larger then."""
        refused = 0
        for operator, keywords in self.operators():
            for argument, value in self.arrays(operator, keywords):
                if isinstance(value, list) or not value.ndim or "computed" in argument.about:
                    continue
                wrong = np.concatenate([value, value[:1]])
                try:
                    adjoint.op(operator.name, **{k: copied(v) for k, v in {**keywords, argument.name: wrong}.items()})
                except adjoint.Error:
                    with self.subTest(operator.name, argument=argument.name):
                        self.refused(operator, {**keywords, argument.name: wrong})
                        refused += 1
        self.assertGreater(refused, 60)

    def test_layout(self):
        tried = 0
        for operator, keywords in self.operators():
            for argument, value in self.arrays(operator, keywords):
                if not isinstance(value, list) and value.size > 1:
                    wide = np.zeros((*value.shape[:-1], 2 * value.shape[-1]), value.dtype) if value.ndim else None
                    wide[..., ::2] = value
                    with self.subTest(operator.name, argument=argument.name):
                        self.refused(operator, {**keywords, argument.name: wide[..., ::2]},
                                     f"{argument.name} of shape {list(value.shape)} is not contiguous; make a row-major copy")
                        tried += 1
        self.assertGreater(tried, 80)

    def test_unknown_names(self):
        for operator, keywords in self.operators():
            for known in (operator.keywords[0] if operator.keywords else operator.arguments[0].name, operator.arguments[0].name):
                wrong = known + "s" if known + "s" not in operator.keywords and known + "s" not in operator.by_name else known + "_x"
                with self.subTest(operator.name, wrong=wrong):
                    sentence = self.refused(operator, {**keywords, wrong: 1}, f"there is no argument or field {wrong}; did you mean ")
                    self.assertTrue(sentence.endswith("?"))

    def test_fields_of_the_wrong_type(self):
        for operator, keywords in self.operators():
            for keyword in operator.keywords:
                field = operator.fields[keyword]
                wrong = {"text": 5, "bytes": 5, "pointer": "x"}.get(field.kind, "wide")
                with self.subTest(operator.name, field=keyword):
                    sentence = self.refused(operator, {**keywords, keyword: wrong}, kinds=(adjoint.InvalidError,))
                    self.assertTrue(keyword in sentence or repr(wrong) in sentence, sentence)

    def test_arguments_that_the_problem_does_not_have(self):
        tried = 0
        for operator, keywords in self.operators():
            try:
                descriptor = getattr(adjoint.ops, operator.name + ("_" if operator.name == "yield" else "")).select(**keywords).descriptor
            except adjoint.Error:
                continue
            for argument in operator.arguments:
                if argument.kind == "tensor" and not argument.host and descriptor.need(argument).presence == Presence.ABSENT and argument in operator.outputs:
                    with self.subTest(operator.name, argument=argument.name):
                        self.refused(operator, {**keywords, argument.name: True},
                                     f"{operator.name}: {argument.name} = True asks for an output that this problem does not have")
                        tried += 1
        self.assertGreater(tried, 2)
        x = np.ones((3, 4), np.float32)
        self.refused(_operators.operator_of("activation_forward"), dict(input=x, bias=x[0], function="relu", has_bias=0),
                     "has_bias = 0 is not what the arrays say, which is 1")
        self.refused(_operators.operator_of("rms_norm_forward"), dict(input=x, shape=[]), "shape = [] is not what the arrays say, which is [3, 4]")
        self.refused(_operators.operator_of("reduce"), dict(input=x, axes=[1.5]), "axes = [1.5] is not a list of at most 8 numbers")
        self.refused(_operators.operator_of("matmul"), dict(a=x, b=x.T.copy(), c=np.ones((3, 3), np.float32)),
                     "c is given, but the descriptor says that it is absent")

    def test_libraries(self):
        class Other(np.ndarray):
            pass
        x = np.ones((3, 4), np.float32)
        self.refused(_operators.operator_of("softmax_backward"), dict(dout=x, out=memoryview(x), outer=3),
                     "dout is an array of numpy and out is an array of another library")
        np.testing.assert_array_equal(adjoint.softmax(x.view(Other)), adjoint.softmax(x))

    def test_the_sentence_of_the_library(self):
        """Reaches the caller whole, with the code that the library gave."""
        from adjoint._library import lib, text
        x = np.ones((3, 4), np.float32)
        for call in (lambda: adjoint.softmax_backward(x, x[:2]), lambda: adjoint.select("softmax_backward", extent=-2), lambda: adjoint.op("rope_forward", x),
                     lambda: adjoint.adam([x], [x.copy()], [x.copy()], [x.copy()], lr=-1.0, step=1), lambda: adjoint.softmax(x, out=x[:2])):
            with self.assertRaises(adjoint.Error) as raised:
                call()
            self.assertEqual(str(raised.exception), text(lib.adj_last_error()))
            self.assertIsInstance(raised.exception.code, adjoint.Status)


class Processes(unittest.TestCase):
    def test_fork(self):
        """A child calls functions that its parent has called, also while another thread of the parent does."""
        x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
        expected, stop = adjoint.softmax(x), threading.Event()

        def work():
            while not stop.is_set():
                adjoint.softmax(x)
        thread = threading.Thread(target=work)
        thread.start()
        try:
            for _ in range(5):
                child = os.fork()
                if child == 0:
                    fine = np.array_equal(adjoint.softmax(x), expected) and adjoint.layer_norm(x).shape == x.shape
                    os._exit(0 if fine else 1)
                self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        finally:
            stop.set()
            thread.join()

    def test_threads_meet_the_same_new_problem(self):
        results, barrier = [], threading.Barrier(4)

        def work(i):
            barrier.wait()
            results.append((i, adjoint.softmax(np.full((2, 100 + i), i, np.float32)).shape))
        for _ in range(20):
            threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        self.assertEqual(sorted(set(results)), [(i, (2, 100 + i)) for i in range(4)])
        self.assertEqual(len(results), 80)

    def test_parameters_and_gradients_of_adamw(self):
        w = np.ones((2, 3), np.float32)
        with self.assertRaisesRegex(adjoint.Error, r"params\[2\] is params\[0\] again"):
            adjoint.AdamW([w, np.ones(3, np.float32), w])
        adjoint.AdamW([np.ones(0, np.float32), np.ones(0, np.float32)])
        adamw = adjoint.AdamW([w])
        for shape in ((3, 2), (6,), (2, 3, 1)):
            with self.assertRaisesRegex(adjoint.Error, r"grads\[0\] has the shape .*, and its parameter \[2, 3\]"):
                adamw.step([np.ones(shape, np.float32)])
        for grads, sentence in (([[1.0, 2.0]], r"grads\[0\] is of type list"), ([np.ma.masked_array(np.ones((2, 3), np.float32))], r"grads\[0\] is a masked array"),
                                ([memoryview(np.ones((2, 3), np.float32))], r"grads\[0\] is an array of another library, and its parameter one of numpy"),
                                (5, "grads is of type int, expected a list of arrays")):
            with self.assertRaisesRegex(adjoint.InvalidError, "AdamW: " + sentence):
                adamw.step(grads)
        for found_inf, said in ((np.zeros(0), r"has the shape \[0\]"), (np.zeros(2), r"has the shape \[2\]"), ("no", "is of type str"), ([], "is of type list")):
            with self.assertRaisesRegex(adjoint.InvalidError, f"AdamW: found_inf {said}, expected a number or an array of one element"):
                adamw.step([np.ones((2, 3), np.float32)], found_inf=found_inf)
        self.assertEqual(adamw.state, [{}])
        self.assertEqual(w.tolist(), np.ones((2, 3)).tolist())

    def test_parameters_that_overlap(self):
        """Two updates of one element are refused, by the class and by the function, whether the calls are new or known."""
        whole, update = np.ones(6, np.float32), dict(lr=0.1, step=1)
        for one, other in ((whole, whole), (whole[:4], whole[2:]), (whole[2:], whole[:4]), (whole, whole[2:3])):
            with self.assertRaises(adjoint.InvalidError) as raised:
                adjoint.AdamW([one, np.ones(2, np.float32), other])
            self.assertIn("AdamW: params[2] is params[0] again, or a part of its memory; a step would update it twice", str(raised.exception))
            rest = [[np.ones_like(a) for a in (one, other)] for _ in range(3)]
            for _ in range(2):
                with self.assertRaisesRegex(adjoint.InvalidError, r"adam: params\[[01]\] overlaps params\[[01]\]"):
                    adjoint.adam([one, other], *rest, **update)
            self.assertEqual(whole.tolist(), [1] * 6)
        adjoint.AdamW([whole[:3], whole[3:]])
        parts = [[part.copy() for part in (whole[:3], whole[3:])] for _ in range(3)]
        for call in range(3):  # the third with other memory
            adjoint.adam([whole[:3], whole[3:]] if call < 2 else [whole[3:], whole[:3]], *parts, **update)
        self.assertTrue((whole < 1).all())
        with self.assertRaisesRegex(adjoint.InvalidError, "adam: params"):
            adjoint.adam([whole[:3], whole[2:5]], *parts, **update)

    def test_offsets_of_random_states(self):
        x, out = np.ones(64, np.float32), np.full(4, 9, np.float32)
        for offset in (1, 2, 3, 5):
            for state in ((7, offset), np.array([7, offset], np.uint64), np.array([7, offset])):
                for call in (lambda: adjoint.ops.dropout_forward(x, ratio=0.5, random=state), lambda: adjoint.ops.normal(random=state, out=out),
                             lambda: adjoint.ops.dropout_backward(x, ratio=0.5, random=state, mask_mode="none"),
                             lambda: adjoint.ops.bias_softmax_dropout_forward(x.reshape(8, 8), ratio=0.5, random=state),
                             lambda: adjoint.ops.softmax_dropout_backward(x.reshape(8, 8), softmax_out=x.reshape(8, 8), ratio=0.5, random=state,
                                                                                 mask_mode="none")):
                    with self.assertRaisesRegex(adjoint.InvalidError, f"random.offset = {offset} is not a multiple of 4"):
                        call()
        self.assertEqual(out.tolist(), [9] * 4)
        for offset in (-4, 2 ** 64):
            with self.assertRaisesRegex(adjoint.InvalidError, rf"dropout_forward: random.offset = {offset} is not in \[0, 2\^64\)"):
                adjoint.dropout(x, 0.5, seed=1, offset=offset)
        state = np.array([7, 4], np.uint64)
        bound = adjoint.ops.normal.bind(random=state, out=out)
        bound()
        state[1] = 6  # read by each call
        with self.assertRaisesRegex(adjoint.InvalidError, "normal: random.offset = 6 is not a multiple of 4"):
            bound()


if __name__ == "__main__":
    unittest.main()
