"""Bad input raises an error whose sentence names the operator, the argument, the value and a remedy."""
import os
import pickle
import subprocess
import sys
import unittest

import numpy as np

import adjoint

D = np.ones((3, 5), np.float32)
Y = np.full((3, 5), 0.2, np.float32)


class Errors(unittest.TestCase):
    def test_what_to_use_instead_is_there(self):
        """A tensor whose gradient would be lost is refused with functions that exist."""
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not installed")
        weight, loss = torch.ones(3, requires_grad=True), "records no gradient; use "
        for call, instead in ((lambda: adjoint.clip_grad_norm([weight], 1.0), "torch.no_grad() or detach()"),
                              (lambda: adjoint.softmax(weight), "adjoint.torch.softmax, torch.no_grad() or detach()")):
            with self.assertRaises(adjoint.InvalidError) as raised:
                call()
            self.assertTrue(str(raised.exception).endswith(loss + instead), raised.exception)

    def refused(self, sentence, call, kind=adjoint.InvalidError):
        with self.assertRaises(kind) as raised:
            call()
        self.assertIn(sentence, str(raised.exception))

    def test_arrays(self):
        f = adjoint.softmax_backward
        self.refused("softmax_backward: dout of shape [5, 3] is not contiguous; make a row-major copy", lambda: f(D.T, Y))
        self.refused("softmax_backward: outer is 3 as given and 2 by out's shape [2, 5]", lambda: f(D, Y[:2]))
        self.refused("softmax_backward: dout is of type int; use an array with DLPack", lambda: f(3, Y))
        self.refused("softmax_backward: out is of type str", lambda: f(D, "y"))
        self.refused("softmax_backward: dout is None; give an array", lambda: f(None, Y))
        self.refused("softmax_backward: out is None; give an array", lambda: f(D, None))
        self.refused("softmax_backward: dout is a list, expected an array", lambda: f((D,), Y))
        self.refused("layer_norm_forward: gamma is a list, expected an array", lambda: adjoint.layer_norm(D, (5,)))
        self.refused("softmax_backward: element is f64 by dout and f32 by out", lambda: f(D.astype("f8"), Y))
        self.refused("softmax_backward: no kernel for element types i32 (element); supported: f32, f64, f16, bf16", lambda: f(D.astype("i4"), Y.astype("i4")),
                     adjoint.UnsupportedError)
        self.refused('pass dtype="bf16" where uint16 elements are the bits of bfloat16', lambda: f(D.astype("u2"), Y.astype("u2")), adjoint.UnsupportedError)
        self.refused("dout has elements of type >f4, which no operator takes", lambda: f(D.astype(">f4"), Y))
        self.refused("softmax_backward: element is f32 by dout and f64 by out", lambda: f(D, Y.astype("f8")))
        self.refused("axis = 7 is not in [-2, 2), the array having 2 dimensions", lambda: f(D, Y, axis=7))
        self.refused("axis = 'x' is not in", lambda: f(D, Y, axis="x"))
        self.refused("softmax_backward: axis is of type list, expected a number, a string or, for a field, a list of numbers", lambda: f(D, Y, axis=[1]))
        self.refused("dtype = 'f32' is not bf16, f16, f8_e4m3 or f8_e5m2", lambda: f(D, Y, dtype="f32"))
        self.refused("'f33' is not an element type; use one of f32", lambda: f(D, Y, dtype="f33"))
        self.refused("softmax_backward: there is no argument or field axes; did you mean axis?", lambda: f(D, Y, axes=1))
        self.refused("preference = 'shape_only' is not an adjoint.Preference, such as", lambda: f(D, Y, preference="shape_only"))
        self.refused("softmax_backward: stream = 5 is given for arrays in ordinary memory; leave it out", lambda: f(D, Y, stream=5))

    def test_outputs(self):
        f = adjoint.softmax_backward
        self.refused("dinput has shape [5, 3], expected [3, 5, 1]", lambda: f(D, Y, dinput=np.empty((5, 3), np.float32)))
        fixed = np.zeros((3, 5), np.float32)
        fixed.flags.writeable = False
        self.refused("dinput is an output and its array is read-only", lambda: f(D, Y, dinput=fixed))
        before = np.full((3, 5), 7, np.float64)
        self.refused("element is f32 by dout and f64 by dinput", lambda: f(D, Y, dinput=before))
        self.assertTrue((before == 7).all())
        memory = np.zeros(20, np.float32)
        self.refused("overlap", lambda: f(D, memory[:15].reshape(3, 5), dinput=memory[5:].reshape(3, 5)))

    def test_losses(self):
        labels = np.zeros(3, np.int64)
        self.refused("batch is 3 by scores's shape [3, 5] and 4 by labels's shape [4]", lambda: adjoint.cross_entropy(D, np.zeros(4, np.int64)))
        self.refused("reduction = 'average' is not one of default, none, sum, mean", lambda: adjoint.cross_entropy(D, labels, reduction="average"))
        self.refused("num_classes is 5 as given and 3 by weight's shape [3]", lambda: adjoint.cross_entropy(D, labels, labels.astype("f4")))
        self.refused("scores has the shape [3], expected at least two dimensions", lambda: adjoint.cross_entropy(D[:, 0].copy(), labels))

    def test_lists(self):
        w = [np.zeros(3, np.float32)]
        self.refused("adam: grads[0] has 2 elements, the descriptor says 3", lambda: adjoint.adam(w, [np.zeros(2, np.float32)], w, w, step=1, lr=1))
        self.refused("l2_norm: inputs has tensors of the types f32, f64", lambda: adjoint.l2_norm([w[0], w[0].astype("f8")]))
        self.refused("l2_norm: inputs[1] is of type int", lambda: adjoint.l2_norm([w[0], 3]))
        self.refused("concat: inputs has tensors of [15, 15] elements, expected [15, 6] ([outer, lengths, inner] element)", lambda: adjoint.op("concat", inputs=[D, D], outer=3, lengths=[5, 2]))
        self.refused("concat: inputs", lambda: adjoint.op("concat", inputs=[D, D], outer=3, lengths=[5, 5, 5]))
        self.refused("l2_norm: inputs has tensors of [15] elements, expected [7] ([numel] element)", lambda: adjoint.op("l2_norm", inputs=[D], numel=[7]))
        self.refused("adam: step", lambda: adjoint.adam(w, *[[np.zeros(3, np.float32)] for _ in range(3)], step=0, lr=1))
        self.refused("lr = 'fast' is not a number", lambda: adjoint.sgd(w, [np.zeros(3, np.float32)], lr="fast"))

    def test_operators_by_name(self):
        self.refused("'softmax_bckward' is not an operator; did you mean softmax_backward?", lambda: adjoint.op("softmax_bckward"))
        self.refused("softmax_backward: there is no argument or field dou; did you mean dout?", lambda: adjoint.op("softmax_backward", dou=D, out=Y))
        self.refused("no array is given; its arguments are dout, out, dinput", lambda: adjoint.op("softmax_backward"))
        self.refused("softmax_backward: extent cannot be known from dout's shape [3, 5]: it must be given", lambda: adjoint.op("softmax_backward", dout=D, out=Y))
        self.refused("out = True asks for an output, and out is an input", lambda: adjoint.op("softmax_backward", dout=D, out=True))
        self.refused("reduce: kind = 'median' is not one of sum, mean", lambda: adjoint.op("reduce", input=D, kind="median"))
        self.refused("extent = 'wide' is not an integer (of the axis; >= 0; must be given)", lambda: adjoint.select("softmax_backward", extent="wide"))
        self.refused("softmax_backward has no field width; they are outer, extent, inner, element",
                     lambda: adjoint.select("softmax_backward", width=3))
        self.refused("axes = [0, 0, 0, 0, 0, 0, 0, 0, 0] is not a list of at most 8 numbers", lambda: adjoint.select("reduce", shape=[1], axes=[0] * 9))
        self.refused("outer", lambda: adjoint.select("softmax_backward", outer=-1, extent=3, element="f32"))

    def test_the_error(self):
        with self.assertRaises(adjoint.Error) as raised:
            adjoint.select("softmax_backward", extent=3, element="i32")
        error = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual((error.code, str(error), error.rejections), (raised.exception.code, str(raised.exception), raised.exception.rejections))
        self.assertIsInstance(error.code, adjoint.Status)
        with self.assertRaises(ValueError):
            adjoint.softmax_backward(D, Y, axis=7)

    def test_a_missing_library(self):
        def load(**environment):
            code = f"import sys; sys.path.insert(0, {os.path.dirname(os.path.dirname(adjoint.__file__))!r}); import adjoint"
            clean = {k: v for k, v in os.environ.items() if k != "ADJOINT_LIBRARY"}
            return subprocess.run([sys.executable, "-c", code], env={**clean, **environment}, capture_output=True, text=True).stderr
        self.assertIn("/no/such/library.so (named by ADJOINT_LIBRARY)", load(ADJOINT_LIBRARY="/no/such/library.so"))
        self.assertIn("is no Adjoint library", load(ADJOINT_LIBRARY="libc.so.6"))
        found = load()
        if found:  # not where the package has the library inside
            self.assertIn("Tried", found)
            self.assertIn("inside the package", found)
            self.assertIn("Set ADJOINT_LIBRARY", found)

