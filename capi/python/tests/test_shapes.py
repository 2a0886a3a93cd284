"""What numpy and PyTorch refuse by shape is refused, also where the numbers of elements agree; and what a call keeps of its arrays."""
import pickle
import unittest

import numpy as np

import adjoint


def zeros(*shape):
    return np.zeros(shape, np.float32)


def draw(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


class Case(unittest.TestCase):
    def refused(self, call, *words):
        with self.assertRaises(adjoint.InvalidError) as raised:
            call()
        for word in words:
            self.assertIn(word, str(raised.exception))


class Shapes(Case):
    def test_elements_in_another_shape(self):
        x, y, labels = draw(2, 3), draw(3, 2), np.zeros((3, 2), np.int64)
        for call, name in [(lambda: adjoint.AdamW([x.copy()]).step([y]), "grads[0]"), (lambda: adjoint.relu_backward(x, y), "activation_backward"),
                           (lambda: adjoint.relu(x, out=zeros(6)), "out"), (lambda: adjoint.relu_backward(x, x, dinput=zeros(1, 6)), "dinput"),
                           (lambda: adjoint.softmax(x, out=zeros(2, 1, 3)), "out"), (lambda: adjoint.softmax_backward(x, zeros(1, 2, 3)), "out"),
                           (lambda: adjoint.dropout_backward(x, np.ones(6, bool), 0.5), "mask"),
                           (lambda: adjoint.dropout_backward(x, np.ones((3, 2), bool), 0.5), "mask"),
                           (lambda: adjoint.cross_entropy(draw(2, 5, 3), labels), "labels"),
                           (lambda: adjoint.cross_entropy(draw(2, 3, 5), np.zeros(6, np.int64), class_axis=-1), "labels"),
                           (lambda: adjoint.cross_entropy(draw(2, 3, 5), np.zeros((3, 2), np.int64), class_axis=-1), "labels"),
                           (lambda: adjoint.layer_norm_backward(draw(2, 3, 4), draw(2, 3, 4), zeros(6), zeros(6), zeros(4)), "mean"),
                           (lambda: adjoint.layer_norm(draw(2, 3, 4), zeros(12), axis=1), "gamma"),
                           (lambda: adjoint.embedding_backward(draw(6, 4), labels, 8), "dout"), (lambda: adjoint.swiglu(draw(2, 6), out=zeros(6)), "out"),
                           (lambda: adjoint.swiglu_backward(draw(6), draw(2, 6)), "dout"), (lambda: adjoint.concat([draw(1, 2, 3), draw(1, 3, 2)]), "inputs[1]"),
                           (lambda: adjoint.concat([x, x], output=zeros(2, 6)), "output"), (lambda: adjoint.split(x, [1, 1], outputs=[zeros(3), zeros(3)]), "outputs")]:
            with self.subTest(name):
                self.refused(call, name)

    def test_elements_in_another_shape_of_an_operator(self):
        """The functions of adjoint.ops, which have the name of the operator where adjoint has no other."""
        one, other, ops = (lambda: [draw(2, 3)]), [draw(3, 2)], adjoint.ops
        norm, pieces = draw(4, 2, 3), [draw(1, 2, 3), draw(1, 3, 2)]
        for call, words in [(lambda: adjoint.sgd(one(), other, lr=0.1), "grads[0] has the shape [3, 2], expected [2, 3], the shape of params[0]"),
                            (lambda: adjoint.lion(one(), other, one(), lr=0.1), "grads[0]"), (lambda: adjoint.lamb(one(), one(), other, one(), lr=0.1), "exp_avg[0]"),
                            (lambda: ops.adam(one(), [draw(6)], [draw(6)], [draw(3, 2)], lr=0.1, step=1), "exp_avg_sq[0]"),
                            (lambda: adjoint.accumulate(one(), other), "values[0]"), (lambda: adjoint.scaled_sum(one(), other), "inputs_1[0]"),
                            (lambda: adjoint.copy(one(), outputs=other), "outputs[0]"), (lambda: adjoint.scale(one(), outputs=other, scale=2.0), "outputs[0]"),
                            (lambda: ops.concat(pieces), "inputs[0]"), (lambda: ops.concat([draw(2, 1, 2, 3), draw(2, 1, 3, 2)], outer=2, inner=6), "inputs[1]"),
                            (lambda: ops.split(draw(2, 2, 2), outer=2, lengths=[1, 3]), "input"),
                            (lambda: ops.split(draw(2, 2, 2), outputs=[draw(2, 2), draw(2, 2)]), "outputs[0]"),
                            (lambda: ops.rms_norm_forward(norm, gamma=draw(3, 2), axis=1), "gamma has shape [3, 2]"),
                            (lambda: ops.dropout_backward(draw(2, 3), np.ones((3, 2), bool), ratio=0.5), "mask has the shape [3, 2], expected [2, 3], the shape of dout"),
                            (lambda: adjoint.reduce(draw(2, 6, 3), axes=1, keepdims=True, output=zeros(2, 3)), "output has shape [2, 3], expected [2, 1, 3]"),
                            (lambda: adjoint.reduce(draw(2, 6, 3), axes=1, output=zeros(2, 3, 1)), "output"),
                            (lambda: adjoint.reduce(draw(2, 6, 3), axes=1, output=zeros(1, 2, 3)), "output"),
                            (lambda: adjoint.reduce(draw(6, 6), "sum", (1,), output=zeros(2, 3)), "output")]:
            with self.subTest(words):
                self.refused(call, words)
        params, flat = one(), [np.ones(6, np.float32)]
        ops.sgd(params, flat, lr=1.0)  # a flat buffer is one of whole tensors
        np.testing.assert_allclose(params[0], draw(2, 3) - 1, rtol=1e-6)
        joined = ops.concat([draw(2, 1, 2, 3), draw(2, 4, 2, 3), draw(12)], outer=2, inner=6)
        np.testing.assert_array_equal(joined.reshape(2, 6, 2, 3)[:, :5], np.concatenate([draw(2, 1, 2, 3), draw(2, 4, 2, 3)], 1))

    def test_one_element_with_a_dimension_or_without(self):
        loss = zeros(1)
        adjoint.cross_entropy(draw(2, 5), np.zeros(2, np.int64), loss=loss)
        self.assertGreater(loss[0], 0)

    def test_products(self):
        for a, b, transposed in [((5, 3), (3, 4), 0), ((2, 5, 3), (3, 4), 0), ((2, 2, 2, 3), (4, 3), 1), ((2, 5, 3), (2, 3, 4), 0), ((2, 3, 5, 3), (2, 3, 3, 4), 0)]:
            with self.subTest(a=a, b=b):
                a, b = draw(*a), draw(*b)
                expected = a.astype(float) @ (np.swapaxes(b, -1, -2) if transposed else b).astype(float)
                result = adjoint.matmul(a, b, transpose_b=transposed)
                self.assertEqual(result.shape, expected.shape)
                np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)
        self.refused(lambda: adjoint.matmul(draw(2, 3), draw(3, 3, 4)), "a has the shape [2, 3] and b [3, 3, 4]")
        self.refused(lambda: adjoint.ops.matmul(draw(2, 3), draw(3, 3, 4)), "batch is 1 by a's shape [2, 3] and 3 by b's shape [3, 3, 4]")
        self.refused(lambda: adjoint.ops.matmul(draw(2, 6), draw(2, 3, 4)), "k is 6 by a's shape [2, 6] and 3 by b's shape [2, 3, 4]")
        self.refused(lambda: adjoint.matmul(draw(2, 3, 5), draw(7, 4)), "k is 7 by b's shape [7, 4] and 5 by a's shape [2, 3, 5]")
        self.refused(lambda: adjoint.matmul(draw(3), draw(3, 4)), "a has the shape [3]")
        for call, sentence in [(lambda: adjoint.matmul(draw(6, 3, 2), draw(6, 4), d=zeros(2, 3, 4)), "k is 6 by b's shape [6, 4] and 2 by a's shape [6, 3, 2]"),
                               (lambda: adjoint.matmul(draw(2, 2, 3), draw(6, 4), d=zeros(2, 4)), "k is 6 by b's shape [6, 4] and 3 by a's shape [2, 2, 3]"),
                               (lambda: adjoint.matmul(draw(2, 2, 3), draw(6, 4), d=zeros(2, 2, 4)), "k is 6 by b's shape [6, 4] and 3 by a's shape [2, 2, 3]"),
                               (lambda: adjoint.matmul(draw(2, 5, 3), draw(3, 4), d=zeros(10, 4)), "d has the shape [10, 4], expected [2, 5, 4]"),
                               (lambda: adjoint.ops.matmul(draw(2, 3, 6), draw(3, 4, 4), d=zeros(2, 3, 4)), "k is 6 by a's shape [2, 3, 6]"),
                               (lambda: adjoint.ops.matmul(draw(3, 2, 2), draw(4, 5), m=3, k=4, n=5), "k is 4 as given and 2 by a's shape [3, 2, 2]")]:
            with self.subTest(sentence):
                self.refused(call, sentence)


class Convolutions(unittest.TestCase):
    """The shape of the result follows from the arguments."""

    def test_forward(self):
        for shape, weight, fields, expected in (
                ((2, 4, 9), (6, 4, 3), {}, (2, 6, 7)), ((2, 4, 9, 7), (6, 2, 3, 2), dict(strides=[2, 1], pads=[1, 0, 1, 1], dilations=[1, 2], groups=2), (2, 6, 5, 6)),
                ((2, 9, 7, 4), (6, 3, 2, 4), dict(channels_last=1, strides=np.array([2, 3])), (2, 4, 2, 6)), ((0, 4, 9), (6, 4, 9), {}, (0, 6, 1))):
            out = adjoint.conv_forward(draw(*shape), draw(*weight), **fields)
            self.assertEqual(out.shape, expected)
            np.testing.assert_array_equal(adjoint.conv_forward(*(draw(*s) * 0 + 1 for s in (shape, weight)), **fields),
                                          adjoint.conv_forward(*(draw(*s) * 0 + 1 for s in (shape, weight)), out_shape=expected, **fields))
        for shape, weight, fields, sentence in (((2, 4, 9), (6, 4, 10), {}, "the weight spans 10 elements in spatial dimension 0"),
                                                ((2, 4, 9), (6, 4, 3), dict(strides=[1, 1]), r"strides = \[1, 1\] is not 1 numbers from 1 on"),
                                                ((2, 4, 9), (6, 4, 3), dict(pads=[1]), r"pads = \[1\] is not 2 numbers"),
                                                ((4, 9), (6, 4), {}, "input has 2 and weight 2 dimensions, expected 3 to 5 of both")):
            with self.assertRaisesRegex(adjoint.InvalidError, sentence):
                adjoint.conv_forward(draw(*shape), draw(*weight), **fields)

    def test_transposed(self):
        x, weight = draw(2, 4, 5), draw(4, 3, 3)
        self.assertEqual(adjoint.conv_transpose_forward(x, weight).shape, (2, 3, 7))
        self.assertEqual(adjoint.conv_transpose_forward(x, weight, groups=2, pads=[1, 1]).shape, (2, 6, 5))
        with self.assertRaisesRegex(adjoint.InvalidError, r"out_shape is not given, and strides = \[2\] leave several; give it"):
            adjoint.conv_transpose_forward(x, weight, strides=[2])
        self.assertEqual(adjoint.conv_transpose_forward(x, weight, strides=[2], out_shape=[2, 3, 12]).shape, (2, 3, 12))


class Kept(Case):
    def test_a_preference_is_part_of_the_problem(self):
        x = draw(2, 3)
        adjoint.softmax(x)
        never = adjoint.Preference(sku="softmax_forward/no_such_algorithm/*")
        for _ in range(2):
            with self.assertRaises(adjoint.Error):
                adjoint.softmax(x, preference=never)
        adjoint.softmax(x, preference=adjoint.Preference(backend="host"))  # another one than before
        with self.assertRaises(adjoint.Error):
            adjoint.softmax(x, preference=never)
        adjoint.softmax(x)

    def test_so_are_the_type_of_bits_and_the_stream(self):
        """Calls that are alike but for what uint16 elements hold, or for the stream, have plans of their own."""
        bits = np.full((2, 4), 0x3c00, np.uint16)  # 1 in f16, 2^-7 in bf16
        for _ in range(2):
            for kind, square in (("f16", 0x3c00), ("bf16", 0x3880)):  # 1 and 2^-14
                self.assertEqual(adjoint.activation(bits, "relu_squared", dtype=kind).view(np.uint16)[0, 0], square)
        x, streams = draw(2, 3), [None, *map(adjoint.Stream.offline, ("sm_80", "sm_90a"))]
        found = [adjoint.softmax.select(x, stream=stream) for stream in streams * 2]
        self.assertEqual([plan.sku.id for plan in found[:3]], [plan.sku.id for plan in found[3:]])
        self.assertTrue(found[0].sku.id.endswith("/host"))
        self.assertEqual([bytes(plan.stream) for plan in found], [bytes(stream.raw) if stream else bytes(adjoint.Stream.host().raw) for stream in streams * 2])
        self.assertEqual(len({bytes(plan.stream) for plan in found}), 3)

    def test_memory_of_a_bound_call(self):
        x, out = draw(64), zeros(64)
        step = adjoint.softmax.bind(x, out=out)
        step()
        x *= 2
        step()
        np.testing.assert_allclose(out, adjoint.softmax(x))
        x.resize((100000,), refcheck=False)
        before = out.copy()
        with self.assertRaisesRegex(adjoint.InvalidError, "softmax_forward: input is not in the memory that was bound; bind again"):
            step()
        np.testing.assert_array_equal(out, before)

    def test_workspace_of_a_bound_call(self):
        out, workspace = zeros(2, 3), np.zeros(1 << 16, np.uint8)
        step = adjoint.softmax.bind(draw(2, 3), out=out, workspace=workspace)
        step()
        workspace.resize((1 << 24,), refcheck=False)
        out[:] = 0
        with self.assertRaisesRegex(adjoint.InvalidError, "softmax_forward: workspace is not in the memory that was bound; bind again"):
            step()
        self.assertFalse(out.any())

    def test_skipped_steps_do_not_count(self):
        weights = [draw(4, 3), draw(4, 3)]
        optimizers = [adjoint.AdamW([w], lr=0.1) for w in weights]
        for step, found in enumerate([0, 1, 0, float("nan"), 0]):
            gradient = draw(4, 3) * (step + 1)
            optimizers[0].step([gradient], found_inf=np.array([found], np.float32))
            if found == 0:
                optimizers[1].step([gradient])
        np.testing.assert_array_equal(*weights)
        self.assertEqual(optimizers[0].state[0]["step"], 3)

    def test_masked_arrays_and_lists(self):
        with self.assertRaisesRegex(adjoint.InvalidError, "softmax_forward: input is a masked array, and no operator reads its mask"):
            adjoint.softmax(np.ma.masked_array(draw(3), [True, False, False]))
        with self.assertRaisesRegex(adjoint.InvalidError, "softmax_forward: input is a list, expected an array"):
            adjoint.softmax([1.0, 2.0])
        x = draw(2, 3)

        def masked(*shape):
            return np.ma.masked_array(draw(*shape), np.zeros(shape, bool))
        for call, name in ((lambda a: adjoint.softmax_backward(x, a(2, 3)), "out"), (lambda a: adjoint.rms_norm(x, gamma=a(3)), "gamma"),
                           (lambda a: adjoint.softmax(x, out=a(2, 3)), "out"), (lambda a: adjoint.concat([x, a(2, 3)]), "inputs[1]"),
                           (lambda a: adjoint.adam([draw(2)], [a(2)], [zeros(2)], [zeros(2)], lr=0.1, step=1), "grads[0]"),
                           (lambda a: adjoint.adam([draw(2)], [draw(2)], [zeros(2)], [zeros(2)], lr=a(1), step=1), "lr"),
                           (lambda a: adjoint.softmax.bind(x, out=a(2, 3)), "out"), (lambda a: adjoint.AdamW([draw(2)]).step([a(2)]), "grads[0]")):
            call(lambda *shape: abs(draw(*shape)))  # which prepares the call
            with self.subTest(name):
                self.refused(lambda: call(masked), f"{name} is a masked array, and no operator reads its mask")
        optimizer = adjoint.AdamW([draw(2)])
        for _ in range(2):
            optimizer.step([draw(2)])
        self.refused(lambda: optimizer.step([masked(2)]), "grads[0] is a masked array")
        self.assertEqual(optimizer.state[0]["step"], 2)

    def test_errors_in_other_processes(self):
        for call in (lambda: adjoint.softmax(5), lambda: adjoint.softmax(draw(3), preference=adjoint.Preference(sku="no/*"))):
            with self.assertRaises(adjoint.Error) as raised:
                call()
            again = pickle.loads(pickle.dumps(raised.exception))
            self.assertEqual((type(again), str(again), again.code, again.rejections),
                             (type(raised.exception), str(raised.exception), raised.exception.code, raised.exception.rejections))


if __name__ == "__main__":
    unittest.main()
