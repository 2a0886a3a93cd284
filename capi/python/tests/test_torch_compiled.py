"""Operators of torch in compiled code: what is known is called without Python, with the bits of the first call; what is amiss is said as in Python."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import adjoint
from with_torch import DEVICE, adj, torch

ROOT = pathlib.Path(adjoint.__file__).resolve().parents[1]
if torch is not None:
    from adjoint import _torch_compiled
COMPILED = torch is not None and _torch_compiled.lib is not None


class Calls:
    """Counts the calls that Python makes."""

    def __enter__(self):
        self.count, self.real = 0, _torch_compiled.Compiled.at_first

        def counted(kernel, *arguments):
            self.count += 1
            return self.real(kernel, *arguments)
        _torch_compiled.Compiled.at_first = counted
        return self

    def __exit__(self, *_):
        _torch_compiled.Compiled.at_first = self.real


def run(code, **environment):
    """(exit status, output) of a Python program."""
    given = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(pathlib.Path(__file__).parent)]), "ADJOINT_LIBRARY": adjoint._library.path, **environment}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=given)
    return done.returncode, done.stdout + done.stderr


@unittest.skipIf(torch is None, "PyTorch 2.6 is not installed")
class Choice(unittest.TestCase):
    """Which kernels torch's operators have follows from torch's version, the file of the adapter and ADJOINT_TORCH_OPERATORS."""
    SOFTMAX = "import torch, adjoint.torch as adj; x = torch.ones(2, 4); print(adj.COMPILED, [adj.softmax(x, -1).sum().item() for _ in range(3)])"

    def test_by_name(self):
        code, said = run(self.SOFTMAX, ADJOINT_TORCH_OPERATORS="python")
        self.assertEqual((code, said), (0, "False [2.0, 2.0, 2.0]\n"))
        code, said = run(self.SOFTMAX, ADJOINT_TORCH_OPERATORS="fast")
        self.assertNotEqual(code, 0)
        self.assertIn("ADJOINT_TORCH_OPERATORS = 'fast' is not compiled or python", said)
        if COMPILED:
            code, said = run(self.SOFTMAX, ADJOINT_TORCH_OPERATORS="compiled")
            self.assertEqual((code, said), (0, "True [2.0, 2.0, 2.0]\n"))

    def test_without_the_file(self):
        with tempfile.TemporaryDirectory() as directory:
            library = shutil.copy(pathlib.Path(adjoint._library.path).resolve(), pathlib.Path(directory) / "libadjoint.so.1")
            code, said = run(self.SOFTMAX, ADJOINT_LIBRARY=str(library), ADJOINT_TORCH_OPERATORS="")
            self.assertEqual((code, said), (0, "False [2.0, 2.0, 2.0]\n"))
            code, said = run(self.SOFTMAX, ADJOINT_LIBRARY=str(library), ADJOINT_TORCH_OPERATORS="compiled")
            self.assertNotEqual(code, 0)
            self.assertRegex(said, "ADJOINT_TORCH_OPERATORS is compiled: .*libadjoint_torch.so is not there")

    def test_without_torch(self):
        """The adapter loads in a process without torch, and says what is missing."""
        path = pathlib.Path(adjoint._library.path).resolve().parent / "libadjoint_torch.so"
        if not path.is_file():
            self.skipTest(f"{path} is not there")
        code, said = run(f"import ctypes; found = ctypes.CDLL({str(path)!r}); found.adj_torch_start.restype = ctypes.c_char_p; print(found.adj_torch_start())")
        self.assertEqual((code, said), (0, "b'libtorch_cpu.so'\n"))

    def test_an_older_torch(self):
        old = "import torch; torch.__version__ = '2.9.1'; " + self.SOFTMAX
        code, said = run(old, ADJOINT_TORCH_OPERATORS="")
        self.assertEqual((code, said), (0, "False [2.0, 2.0, 2.0]\n"))
        code, said = run(old, ADJOINT_TORCH_OPERATORS="compiled")
        self.assertIn("ADJOINT_TORCH_OPERATORS is compiled: PyTorch is 2.9.1, and compiled operators need 2.10", said)


@unittest.skipIf(not COMPILED, "the operators are not in compiled code")
class Compiled(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(5)
        adjoint.forget_plans()

    def normal(self, *shape):
        return torch.randn(*shape, device=DEVICE)

    def test_every_operator(self):
        """Later calls of a problem have the bits of the first, and do not enter Python."""
        import test_torch_composition
        compared, in_python = 0, []
        with torch.inference_mode():
            for name, operator in adj.OPERATORS.items():
                arguments, given = test_torch_composition.Composition.call_of(None, operator)
                results = []
                for i in range(3):
                    copies = [[t.clone() for t in a] if isinstance(a, list) else a if a is None else a.clone() for a in arguments]
                    with Calls() as calls:
                        found = getattr(torch.ops.adjoint, name)(*copies, **given)
                    results.append((copies, list(found) if isinstance(found, tuple) else found))
                    if i and calls.count:
                        in_python.append(name)
                for other in results[1:]:
                    with self.subTest(name):
                        torch.testing.assert_close(other, results[0], rtol=0, atol=0, equal_nan=True)
                compared += 1
        self.assertGreater(compared, 60)
        self.assertEqual(in_python, [])

    def test_functions_do_not_enter_python_again(self):
        x, w, labels = self.normal(8, 16).requires_grad_(), self.normal(16).requires_grad_(), torch.arange(8, device=DEVICE)
        q = self.normal(1, 2, 8, 16).requires_grad_()
        for call in (lambda: adj.softmax(x, -1), lambda: adj.rms_norm(x, (16,), w), lambda: adj.layer_norm(x, (16,), w, w), lambda: adj.cross_entropy(x, labels),
                     lambda: adj.dropout(x, 0.3), lambda: adj.dropout(x, 0.4), lambda: adj.linear(x, x), lambda: adj.scaled_dot_product_attention(q, q, q)):
            call().sum().backward()
            with Calls() as calls:
                call().sum().backward()
            self.assertEqual(calls.count, 0)

    def test_gradients_of_known_calls(self):
        """From the third call on autograd records a function that knows the call. It has the bits of the first, and leaves what it does not know."""
        x, weight, labels = torch.randn(6, 5, device=DEVICE), torch.randn(5, device=DEVICE), torch.randint(0, 5, (6,), device=DEVICE)
        functions = {"softmax": lambda a, _: adj.softmax(a, -1), "rms_norm": lambda a, w: adj.rms_norm(a, (5,), w), "gelu": lambda a, _: adj.gelu(a),
                     "layer_norm": lambda a, w: adj.layer_norm(a, (5,), w, w), "cross_entropy": lambda a, _: adj.cross_entropy(a, labels)}
        for name, function in functions.items():
            with self.subTest(name):
                a, w = x.clone().requires_grad_(), weight.clone().requires_grad_()
                up = torch.randn_like(function(x, weight))

                def gradients(up=up, **options):
                    return torch.autograd.grad(function(a, w), (a, w), up, allow_unused=True, **options)
                first = gradients()
                for _ in range(3):
                    for found, expected in zip(gradients(), first):
                        self.assertEqual(found is None, expected is None)
                        self.assertTrue(found is None or torch.equal(found, expected))
                self.assertEqual(function(a, w).grad_fn._forward_cls.__module__, "adjoint._torch_known")
                with Calls() as calls:
                    gradients()
                self.assertEqual(calls.count, 0)
                self.assertFalse(function(x, weight).requires_grad)
                with torch.no_grad():
                    self.assertFalse(function(a, w).requires_grad)
                self.assertEqual(function(a, weight).requires_grad, True)  # another set of gradients
                batch = torch.stack([up, 2 * up])
                self.assertTrue(torch.equal(gradients(batch, is_grads_batched=True)[0][0], first[0]))
                result = function(a, w)
                each = torch.func.vmap(lambda one: torch.autograd.grad(result, a, one, retain_graph=True)[0])(batch)
                self.assertTrue(torch.equal(each[0], first[0]))
                again = gradients(create_graph=True)
                with self.assertRaisesRegex(RuntimeError, "cannot be differentiated again"):
                    torch.autograd.grad(again[0].sum(), a)
                result = function(a, w)
                with torch.no_grad():
                    (result if name == "softmax" else a).add_(1)  # what the gradient takes
                with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
                    result.backward(up)

    def test_known_calls_are_checked(self):
        """What a first call refuses, a later one refuses with the same words."""
        x, labels, weight = torch.randn(6, 5, device=DEVICE), torch.randint(0, 5, (6,), device=DEVICE), torch.randn(5, device=DEVICE)
        calls = {"softmax": lambda: adj.softmax(x, 1), "cross_entropy": lambda: adj.cross_entropy(x, labels), "rms_norm": lambda: adj.rms_norm(x, 5, weight)}
        refused = {"softmax": lambda: adj.softmax(x.cpu().numpy(), 1), "cross_entropy": lambda: adj.cross_entropy(x, labels.float()),
                   "rms_norm": lambda: adj.rms_norm(x, 5, weight.cpu().numpy())}
        for name, call in calls.items():
            with self.subTest(name):
                adj._known.clear()
                with self.assertRaises(TypeError) as first:
                    refused[name]()
                for _ in range(3):
                    call()
                with self.assertRaises(TypeError) as again:
                    refused[name]()
                self.assertEqual(str(again.exception), str(first.exception))
                self.assertEqual(call().dtype, torch.float32)
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            self.assertEqual(adj.cross_entropy(x.bfloat16(), labels).dtype, torch.float32)

    def test_what_known_calls_leave(self):
        """A call like one that is known, but for what a tensor stands for or who looks on at torch's operators, is made as if none were known."""
        from torch.utils._python_dispatch import TorchDispatchMode
        x = self.normal(6, 5)
        out, expected = torch.empty_like(x), torch.softmax(x, -1)
        forms = {"adj": lambda t: adj.softmax(t, -1), "ops": lambda t: torch.ops.adjoint.softmax_forward(t, outer=6, extent=5, inner=1)}
        for name, form in forms.items():
            with self.subTest(name):
                for _ in range(3):
                    self.assertTrue(torch.equal(form(x), form(x)))
                torch.testing.assert_close(form(torch._neg_view(-x)), expected)
                torch.testing.assert_close(form(x.t().contiguous().t()), expected)
                self.assertEqual(form(x.to("meta")).device.type, "meta")
                leaf = x.clone().requires_grad_()
                self.assertTrue(form(leaf).requires_grad)
                self.assertTrue(form(torch.nn.Parameter(x)).requires_grad)
                with torch.no_grad():
                    self.assertFalse(form(leaf).requires_grad)
                with torch.inference_mode():
                    self.assertTrue(form(x).is_inference())
                self.assertFalse(form(x).is_inference())
                seen = []

                class Mode(TorchDispatchMode):
                    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
                        seen.append(function)
                        return function(*args, **(kwargs or {}))
                with Mode():
                    form(x)
                self.assertIn(torch.ops.adjoint.softmax_forward.default, seen)
                with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
                    form(x)
                self.assertIn("adjoint::softmax_forward", [event.name for event in profile.events()])
                batch = torch.func.vmap(lambda t: adj.softmax(t, -1))(torch.stack([x, x]))
                torch.testing.assert_close(batch[1], expected)
                with torch.autograd.forward_ad.dual_level(), self.assertRaises(RuntimeError):
                    form(torch.autograd.forward_ad.make_dual(x, torch.ones_like(x)))
                freed = x.clone()
                freed.untyped_storage().resize_(0)
                with self.assertRaisesRegex(adjoint.InvalidError, "memory was freed"):
                    form(freed)
                if name == "ops" and hasattr(x, "refine_names"):  # as in versions before 2.15
                    with self.assertRaisesRegex(RuntimeError, "Named tensors"):
                        form(x.clone().refine_names("a", "b"))
        for _ in range(3):
            version = out._version
            self.assertIs(adjoint.softmax(x, out=out), out)
            self.assertGreater(out._version, version)
        torch.testing.assert_close(out, expected)
        with self.assertRaisesRegex(adjoint.InvalidError, "requires grad"):
            adjoint.softmax(x.clone().requires_grad_(), out=out)
        with self.assertRaisesRegex(adjoint.InvalidError, "negated"):
            adjoint.softmax(torch._neg_view(x), out=out)
        with self.assertRaisesRegex(adjoint.InvalidError, "not contiguous"):
            adjoint.softmax(x, out=torch.empty(5, 6, device=DEVICE).t())
        with self.assertRaisesRegex(adjoint.InvalidError, "make_fx"):
            torch.fx.experimental.proxy_tensor.make_fx(lambda t: adjoint.softmax(t))(x)

    def test_arguments_of_known_calls(self):
        """Each result follows from all arguments of its own call: kinds of numbers, names of fields, what is given twice."""
        x, w = self.normal(4, 4), self.normal(4)
        for _ in range(3):
            for dim in (0, 1, -1):
                torch.testing.assert_close(adj.softmax(x, dim), torch.softmax(x, dim))
                torch.testing.assert_close(adjoint.softmax(x, dim), torch.softmax(x, dim))
            for eps in (1e-5, 0.5, 1, 1.0):
                torch.testing.assert_close(adj.layer_norm(x, (4,), w, None, eps), torch.nn.functional.layer_norm(x, (4,), w, None, eps))
                torch.testing.assert_close(adj.layer_norm(x, (4,), None, w, eps), torch.nn.functional.layer_norm(x, (4,), None, w, eps))
                torch.testing.assert_close(adjoint.rms_norm(x, w, epsilon=eps), torch.nn.functional.rms_norm(x, (4,), w, eps))
            torch.testing.assert_close(adj.layer_norm(x, (4,), w, w), torch.nn.functional.layer_norm(x, (4,), w, w))
            torch.testing.assert_close(adj.layer_norm(x, (4,), w, w + 1), torch.nn.functional.layer_norm(x, (4,), w, w + 1))
            out, mean, inv_std = adjoint.layer_norm(x, return_statistics=True)
            torch.testing.assert_close(mean, x.mean(1))
            self.assertEqual(type(adjoint.layer_norm(x)), torch.Tensor)
            self.assertEqual(adj.softmax(x.double(), -1).dtype, torch.float64)
            with self.assertRaisesRegex(adjoint.InvalidError, "axis"):
                adj.softmax(x, 2)

    def test_memory_of_known_calls(self):
        """Known calls keep neither results nor gradients."""
        x = torch.ones(1024, 256)  # 1 MB
        out = torch.empty_like(x)
        leaf = x.clone().requires_grad_()
        calls = (lambda: adj.softmax(x, -1), lambda: adj.softmax(leaf, -1), lambda: torch.autograd.grad(adj.softmax(leaf, -1), leaf, x),
                 lambda: adjoint.softmax(x), lambda: adjoint.softmax(x, out=out), lambda: torch.ops.adjoint.softmax_forward(x, outer=1024, extent=256, inner=1))

        def pages():
            return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        for i, call in enumerate(calls):
            with self.subTest(i):
                for _ in range(5):
                    call()
                before = pages()
                for _ in range(60):
                    call()
                self.assertLess(pages() - before, 30 << 20)

    def test_bound_calls(self):
        """A bound call compares the memory of its arrays with that of bind, and counts its writes."""
        x, out = self.normal(4, 8), self.normal(4, 8)
        step = adjoint.softmax.bind(x, out=out)
        for _ in range(3):
            x.normal_()
            version = out._version
            self.assertIs(step(), out)
            self.assertGreater(out._version, version)
            torch.testing.assert_close(out, torch.softmax(x, -1))
        out.data = torch.empty_like(out)
        for _ in range(2):
            with self.assertRaisesRegex(adjoint.Error, "out is not in the memory that was bound"):
                step()

    def test_what_changes_between_calls(self):
        """Shapes, types, layouts, values of fields and numbers, memory: each call depends on its own arguments."""
        def softmax(t):
            with torch.inference_mode():
                return torch.ops.adjoint.softmax_forward(t, outer=t.shape[0], extent=t.shape[1], inner=1)
        a = self.normal(4, 6)
        for t in (a, a, a.double(), a.double(), a[:2], a[:2], a.t(), a.t(), a.t().contiguous(), a[:, ::2], a[:, ::2], a.expand(4, 6), a[:1].expand(4, 6), a[:0],
                  a[:0], self.normal(6, 4), torch._neg_view(a), torch._neg_view(a), a[1:]):
            torch.testing.assert_close(softmax(t), torch.softmax(t, 1))
        x = self.normal(3, 5)
        for slope in (0.25, -0.25, 0.25, 0.0, -0.0):
            torch.testing.assert_close(adj.leaky_relu(x, slope), torch.nn.functional.leaky_relu(x, slope))

    def test_numbers(self):
        """A number is given as itself or as a tensor, a random state as two numbers or as a tensor of both."""
        ops, x = torch.ops.adjoint, self.normal(64)
        for ratio in (0.25, 0.5, 0.25):
            results = []
            for tensor, given in ((None, {"ratio": ratio}), (torch.tensor([ratio], device=DEVICE), {})) * 2:
                results.append(ops.dropout_forward(x, tensor, None, random=[7, 8], **given)[0])
            for random in (torch.tensor([7, 8]), torch.tensor([7, 8], device=DEVICE)) * 2:
                results.append(ops.dropout_forward(x, None, random, ratio=ratio)[0])
            for other in results[1:]:
                self.assertTrue(torch.equal(other, results[0]))
        for bad, sentence in (((torch.tensor([0.5, 0.5], device=DEVICE), None), r"ratio has the shape \[2\]"),
                              ((None, torch.tensor([7], device=DEVICE)), r"random has the shape \[1\]"),
                              ((None, torch.tensor([7.0, 8.0], device=DEVICE)), "random has elements of type f32")):
            with self.assertRaisesRegex(adjoint.InvalidError, sentence):
                ops.dropout_forward(x, *bad, **({"random": [7, 8]} if bad[1] is None else {"ratio": 0.5}))

    def test_errors(self):
        """What is amiss in a call like one that is known is said as in the first call, and buffers are untouched."""
        ops, x = torch.ops.adjoint, self.normal(4, 8)
        softmax = lambda t: ops.softmax_forward(t, outer=4, extent=8, inner=1)  # noqa: E731
        softmax(x)
        with self.assertRaisesRegex(adjoint.InvalidError, "input's shape"):
            ops.softmax_forward(x, outer=3)
        freed = x.clone()
        freed.untyped_storage().resize_(0)
        with self.assertRaisesRegex(adjoint.InvalidError, "input is a tensor whose memory was freed"):
            softmax(freed)
        with torch.inference_mode(), self.assertRaisesRegex(RuntimeError, "softmax_forward: input's shape"):
            ops.softmax_forward(x, outer=3)
        with self.assertRaisesRegex(adjoint.InvalidError, "lr and lr_tensor are both given"):
            ops.adam([x], [x], [x], [x], lr_tensor=torch.ones(1, device=DEVICE), lr=0.1, step=1)
        torch.testing.assert_close(softmax(x), torch.softmax(x, 1))

    def test_memory_that_overlaps(self):
        """Lists whose tensors overlap are refused, also after a call of the same problem."""
        a, b, g = self.normal(8), self.normal(8), self.normal(8)
        zeros = lambda: [torch.zeros(8, device=DEVICE) for _ in range(2)]  # noqa: E731
        for _ in range(2):
            torch.ops.adjoint.adam([a, b], [g, g], zeros(), zeros(), lr=0.1, step=1)
        before = a.clone()
        for _ in range(2):
            with self.assertRaisesRegex(adjoint.InvalidError, "overlap|again"):
                torch.ops.adjoint.adam([a, a], [g, g], zeros(), zeros(), lr=0.1, step=1)
            self.assertTrue(torch.equal(a, before))

    def test_versions(self):
        """Each call counts the writes to what it updates, so that autograd refuses old contents."""
        w, g, m, v = (torch.ones(3, device=DEVICE) for _ in range(4))
        for _ in range(3):
            before = [t._version for t in (w, g, m, v)]
            torch.ops.adjoint.adam([w], [g], [m], [v], lr=0.1, step=1)
            self.assertEqual([t._version > b for t, b in zip((w, m, v), (before[0], *before[2:]))], [True] * 3)

    def test_gradients_that_would_be_lost(self):
        w = torch.ones(3, device=DEVICE, requires_grad=True)
        m, v, g = (torch.zeros(3, device=DEVICE) for _ in range(3))
        with torch.no_grad():
            torch.ops.adjoint.adam([w], [g], [m], [v], lr=0.1, step=1)
        with self.assertRaisesRegex(RuntimeError, "requires grad"):
            torch.ops.adjoint.adam([w], [g], [m], [v], lr=0.1, step=1)

    def test_threads(self):
        """Threads keep calls of their own, and compute the same."""
        tensors = [self.normal(n, 8) for n in range(1, 9)]
        expected = [torch.softmax(t, -1) for t in tensors]
        wrong = []

        def work(k):
            for i in range(200):
                j = (i * (k + 1)) % len(tensors)
                if not torch.allclose(adj.softmax(tensors[j], -1), expected[j], atol=1e-6):
                    wrong.append((k, j))
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_most_calls_that_are_kept(self):
        """Beyond a number of problems all are dropped; calls are right before and after."""
        row = torch.ones(5000)
        with torch.inference_mode():
            for n in (*range(1, 4300), 1, 2, 3):
                y = torch.ops.adjoint.softmax_forward(row[:n], outer=1, extent=n, inner=1)
                if n < 4 or n % 500 == 0:
                    torch.testing.assert_close(y, torch.full((n,), 1 / n))

    @unittest.skipIf(not hasattr(os, "fork") or DEVICE == "cuda", "a process that uses CUDA does not fork")
    def test_fork(self):
        """A child has the calls of its parent, and makes new ones, while other threads of the parent compute."""
        code, said = run("""
import os, threading, torch, adjoint.torch as adj
torch.set_num_threads(1)
x, stop = torch.randn(4, 8, requires_grad=True), threading.Event()
def work():
    while not stop.is_set():
        adj.softmax(x, -1).sum().backward()
        adj.softmax(torch.randn(torch.randint(1, 40, ()), 8), -1)
def right(t):
    return torch.allclose(adj.softmax(t, -1), torch.softmax(t, -1))
threads = [threading.Thread(target=work) for _ in range(2)]
assert right(x)
[t.start() for t in threads]
for _ in range(8):
    child = os.fork()
    if child == 0:
        with torch.no_grad():
            os._exit(0 if right(x) and right(torch.randn(41, 8)) and right(torch.randn(4, 8)) else 1)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
[t.join() for t in threads]
print("right")
""")
        self.assertEqual((code, said), (0, "right\n"))

    def test_forget_plans(self):
        x = self.normal(4, 8)
        adj.softmax(x, -1)
        with Calls() as calls:
            adj.softmax(x, -1)
            self.assertEqual(calls.count, 0)
            adjoint.forget_plans()
            adj.softmax(x, -1)
            self.assertEqual(calls.count, 1)


if __name__ == "__main__":
    unittest.main()
