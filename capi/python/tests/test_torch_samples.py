"""Torch: its own samples, of every function that adjoint.torch has by a name of torch's. torch_samples.tsv says what "as torch's" means here.

`test_torch_samples.py --write` writes the table anew."""
import collections
import importlib.util
import itertools
import pathlib
import re
import sys
import unittest
import warnings

from with_torch import DEVICE, adj, torch

TABLE = pathlib.Path(__file__).resolve().parent / "torch_samples.tsv"
# Names in torch's list of operators; the function has the last word.
NAMES = ("softmax", "log_softmax", "nn.functional.cross_entropy", "nn.functional.embedding", "nn.functional.layer_norm", "nn.functional.rms_norm",
         "nn.functional.group_norm", "nn.functional.linear_cross_entropy", "nn.functional.dropout",
         "nn.functional.leaky_relu", "nn.functional.elu", "nn.functional.relu", "nn.functional.silu", "nn.functional.mish",
         "nn.functional.hardswish", "nn.functional.gelu", "nn.functional.softplus", "sigmoid", "tanh",
         "nn.functional.linear", "matmul", "nn.functional.scaled_dot_product_attention", "AdamW")
if torch is not None and not hasattr(torch.nn.functional, "linear_cross_entropy"):  # before torch 2.15
    NAMES = tuple(name for name in NAMES if name != "nn.functional.linear_cross_entropy")
NO_F64 = ("linear_cross_entropy",)  # what is tried of other functions in f64 is tried in f32
REFUSALS = (TypeError, ValueError, NotImplementedError)  # adjoint.Error is one of these wherever a call is to blame
AGAIN = "cannot be differentiated again"


def sentence(error):
    """What an error says, without the numbers and lists of one sample, and without the advice behind it."""
    text = re.sub(r"\[[^\]]*\]|\([^)]*\)", "[]", str(error).splitlines()[0])
    return re.sub(r"-?\b\d+(\.\d+)?(e[-+]?\d+)?\b", "#", text).partition(";")[0]


def floats(tree):
    return [t for t in torch.utils._pytree.tree_leaves(tree) if isinstance(t, torch.Tensor) and t.is_floating_point()]


def replaced(tree, new):
    """The tree with its floating-point tensors replaced, in order."""
    new = iter(new)
    return torch.utils._pytree.tree_map(lambda t: next(new) if isinstance(t, torch.Tensor) and t.is_floating_point() else t, tree)


def epsilon_of(dtype):
    return {torch.float64: 2.0 ** -52, torch.float32: 2.0 ** -23, torch.float16: 2.0 ** -10, torch.bfloat16: 2.0 ** -7}[dtype]


def largest(tensors):
    return max([t.abs().max().item() for t in tensors if t.numel()], default=0.0)


class Sample:
    """One call: the function of ours, torch's, and the arguments."""

    def __init__(self, name, theirs, args, kwargs):
        self.name, self.ours, self.theirs, self.args, self.kwargs = name, getattr(adj, name), theirs, args, kwargs
        if name == "embedding":  # torch's samples begin with the weight
            self.ours = lambda weight, indices, **options: adj.embedding(indices, weight, **options)

    def with_floats(self, new):
        args, kwargs = replaced((self.args, self.kwargs), new)
        return Sample(self.name, self.theirs, args, kwargs)

    def floats(self):
        return floats((self.args, self.kwargs))

    def leaves(self):
        """Tensors that a gradient may be asked for: weights of cross_entropy have none in torch either."""
        found = self.floats()
        if self.name == "linear_cross_entropy":
            return found[:-1] if self.kwargs.get("weight") is not None else found
        return found[:1] if self.name == "cross_entropy" else found

    def exact(self):
        """The same call of torch's function in f64."""
        call = self.with_floats([t.detach().double() for t in self.floats()])
        kwargs = {**call.kwargs, "dtype": torch.float64} if call.kwargs.get("dtype") is not None else dict(call.kwargs)
        if self.name == "rms_norm" and kwargs.get("eps") is None and len(call.args) < 4:
            dtype = self.args[0].dtype
            kwargs["eps"] = adj._EPSILONS.get(dtype, torch.finfo(dtype).eps)
        # torch's vectors of f64 take 1 / 6 as a number of f32.
        theirs = self.theirs if self.name != "hardswish" else lambda x, inplace=False: x * torch.clamp(x + 3, 0, 6) / 6
        return Sample(self.name, theirs, call.args, kwargs)

    def run(self, function):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if self.name == "dropout":
                torch.manual_seed(9)
            return function(*self.args, **self.kwargs)


class Stated(str):
    """A difference from torch's function that the table has."""


ELEMENTWISE = ("leaky_relu", "elu", "relu", "silu", "mish", "hardswish", "gelu", "softplus", "sigmoid", "tanh")
LIMIT, AT_NAN = Stated("at an infinity the limit, where torch's is NaN"), Stated("at NaN the slope that the operator defines")


def same(a, b):
    return (a == b) | a.isnan() & b.isnan()


def far(found, other, exact, terms=0.0, given=None):
    """Why found is not as near to exact as `other`, torch's own result in the same type, or None.

    terms: the magnitude of what was added, if it is known. given: the input of an elementwise function whose gradient this is."""
    if (found.dtype, found.shape) != (other.dtype, other.shape):
        return f"{found.dtype} {list(found.shape)} for {other.dtype} {list(other.shape)}"
    if not found.dtype.is_floating_point or not found.numel():
        return None
    eps, found, other, exact = epsilon_of(found.dtype), *(t.detach().double() for t in (found, other, exact))
    finite = exact.isfinite() & other.isfinite()
    unlike = ~finite & ~same(found, other) & ~same(found, exact)
    if unlike.any():
        if (unlike & ~(found.isfinite() & other.isnan())).any() or given is None:
            return "other elements are infinite or NaN"
        return LIMIT if (unlike & given.isinf()).any() else AT_NAN if (unlike & given.isnan()).any() else "finite at finite elements, where torch's is not"
    if not finite.any():
        return None
    most = 4 * (other - exact)[finite].abs().max() + 8 * eps * max(exact[finite].abs().max().item(), terms)
    wrong = finite & ((found - exact).abs() > most)
    if given is not None and (wrong & given.isnan()).any() and not (wrong & ~given.isnan()).any():
        return AT_NAN
    return f"{found[wrong][0].item()!r} for {exact[wrong][0].item()!r}" if wrong.any() else None


class Outcomes:
    """What became of the samples: counts by (function, kind, what). Kinds: refused, differs, taken."""

    def __init__(self):
        self.counts, self.right, self.wrong = collections.Counter(), collections.Counter(), []

    def table(self):
        return sorted((*key, count) for key, count in self.counts.items())


def samples_of(info, dtype):
    """torch's sample inputs, those of f64 also with strides, and its reference inputs for f32."""
    name = info.name.rpartition(".")[2]
    inputs = [info.sample_inputs(DEVICE, dtype)]
    if dtype == torch.float32:
        inputs.append(info.reference_inputs(DEVICE, dtype))
    for given in itertools.chain(*inputs):
        for sample in [given] + [given.noncontiguous()] * (dtype == torch.float64):
            args = (sample.input, *sample.args)
            kwargs = dict(sorted(sample.kwargs.items(), key=lambda item: item[0] == "weight")) if name == "linear_cross_entropy" else sample.kwargs
            yield Sample(name, info.op, args, kwargs)
            if name == "scaled_dot_product_attention":  # all of torch's have more keys than queries, or fewer
                q = sample.input.detach() / 8  # so that no weight is 1 but for 2^-52
                yield Sample(name, info.op, (q, q.roll(1, -1), q.roll(1, -2)), {"is_causal": sample.kwargs["is_causal"]})
            if name == "softplus":  # all of torch's have another beta than 1
                yield Sample(name, info.op, args, {})


def identical(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(a.nan_to_num(7.5), b.nan_to_num(7.5))


class Trial:
    """Everything that is tried with a sample. Methods return what is wrong, or None."""

    def __init__(self, sample):
        self.sample, self.leaves = sample, sample.leaves()

    def value(self):
        sample = self.sample
        other = sample.run(sample.theirs)
        found = sample.run(sample.ours)
        if sample.name == "dropout":
            return self.dropout(found, other)
        laid_out = sample.name != "scaled_dot_product_attention"  # torch's layout is that of the kernel it takes
        if laid_out and found.shape == other.shape and found.numel() and not all(n == 1 or a == b for n, a, b in zip(found.shape, found.stride(), other.stride())):
            return f"strides {found.stride()} for {other.stride()}"
        terms = largest(sample.floats()) if sample.name == "cross_entropy" else 0.0
        exact = sample.exact()
        return far(found, other, exact.run(exact.theirs), terms, self.given())

    def given(self):
        """The input of an elementwise function."""
        return self.sample.args[0].detach() if self.sample.name in ELEMENTWISE else None

    def dropout(self, found, other):
        """Another mask than torch's, of as many elements, and the same of what is kept."""
        x, p = self.sample.args[0], (*self.sample.args, *self.sample.kwargs.values(), 0.5)[1] if len(self.sample.args) > 1 else self.sample.kwargs.get("p", 0.5)
        if (found.dtype, found.shape, found.stride()) != (other.dtype, other.shape, other.stride()):
            return f"{found.dtype} {list(found.shape)} {found.stride()} for {other.dtype} {list(other.shape)} {other.stride()}"
        if not self.sample.kwargs.get("training", True) or p == 0:
            return None if torch.equal(found, x) else "not the input"
        kept = found != 0
        expected = torch.where(kept, x / (1 - p) if p < 1 else 0 * x, 0)
        return None if torch.allclose(found.double(), expected.double(), rtol=4 * epsilon_of(x.dtype)) else "what is kept is not scaled by 1 / (1 - p)"

    def graph(self, function, upstream=None, create_graph=False, sample=None):
        """(result, leaves, gradients) of a call"""
        sample = sample or self.sample
        count = len(self.leaves)
        leaves = [t.detach().clone(memory_format=torch.preserve_format).requires_grad_() for t in sample.floats()[:count]]
        result = sample.with_floats([*leaves, *sample.floats()[count:]]).run(function)
        upstream = torch.ones_like(result) if upstream is None else upstream.to(result.dtype)
        return result, leaves, torch.autograd.grad(result, leaves, upstream, retain_graph=True, create_graph=create_graph,
                                                    allow_unused=True)

    def upstream(self, result):
        generator = torch.Generator().manual_seed(3)
        return torch.randn(result.shape, generator=generator).to(result)

    def gradient(self):
        sample = self.sample
        upstream = self.upstream(sample.run(sample.theirs))
        result, leaves, found = self.graph(sample.ours, upstream)
        if sample.name == "dropout":
            kept = torch.where(leaves[0] != 0, result / leaves[0], 0).detach()
            return None if torch.allclose(found[0].double(), (kept * upstream).double(), rtol=1e-2 if found[0].dtype.itemsize == 2 else 1e-5) else "not of the mask"
        other = self.graph(sample.theirs, upstream)[2]
        exact = self.graph(sample.theirs, upstream.double(), sample=sample.exact())[2]
        terms = largest([upstream])
        if sample.name in ("layer_norm", "group_norm"):  # a row that is nearly constant is divided by the root of eps
            terms *= 1e5 ** 0.5 * max(1.0, largest(sample.args[:1]))
        if sample.name == "scaled_dot_product_attention":  # dout v, of head_dim terms, is added up over keys with q or k and the scale
            terms *= largest(sample.args) ** 2 * sample.args[0].shape[-1] ** 0.5
        for i, (a, b, c) in enumerate(zip(found, other, exact)):
            if (a is None) != (b is None):
                return f"gradient {i} is {'missing' if a is None else 'there'}"
            wrong = None if a is None else far(a, b, c, terms, self.given())
            if wrong:
                return wrong if isinstance(wrong, Stated) else f"gradient {i}: {wrong}"

    def second(self):
        """A second derivative is right or refused, never left out."""
        sample = self.sample
        if sample.name == "dropout":
            return None
        found, expected, theirs = [], [], sample.theirs
        if sample.name == "scaled_dot_product_attention":  # torch's other kernels have no second derivative
            def theirs(*args, **kwargs):
                with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
                    return sample.theirs(*args, **kwargs)
        for function, into in ((theirs, expected), (sample.ours, found)):
            result, leaves, first = self.graph(function, self.upstream(sample.run(sample.theirs)), create_graph=True)
            total = sum([g.square().sum() for g in first if g is not None and g.requires_grad])
            if not isinstance(total, torch.Tensor):
                into.append(None)
                continue
            try:
                into.append(torch.autograd.grad(total, leaves, allow_unused=True))
            except RuntimeError as error:
                if function is theirs or AGAIN not in str(error):
                    raise
                return None
        if expected[0] is None or all(g is None or not g.any() for g in expected[0]):
            return None
        return "the second derivative is missing" if found[0] is None else next(filter(None, (
            "of another value" if not torch.allclose(torch.zeros_like(b) if a is None else a, b) else None for a, b in zip(found[0], expected[0]) if b is not None)),
            None)

    def batched(self):
        """Batched gradients, func.grad and vmap against calls one by one, with equal bits."""
        from torch.func import grad, vmap
        sample = self.sample
        if sample.name == "dropout":
            return None
        result, leaves, _ = self.graph(sample.ours)
        upstream = torch.stack([self.upstream(result), self.upstream(result) * 0.5 + 0.25])
        many = torch.autograd.grad(result, leaves, upstream, is_grads_batched=True, retain_graph=True, allow_unused=True)
        each = [torch.autograd.grad(result, leaves, u, retain_graph=True, allow_unused=True) for u in upstream]
        for i, a in enumerate(many):
            if a is not None and not all(identical(a[k], each[k][i]) for k in (0, 1)):
                return f"batched gradient {i}"
        rest = sample.floats()[len(leaves):]
        call = lambda *new: sample.with_floats([*new, *rest]).run(sample.ours)  # noqa: E731
        plain = [t.detach() for t in leaves]
        transformed = grad(lambda *new: (call(*new) * upstream[0]).sum(), argnums=tuple(range(len(plain))))(*plain)
        if not all(b is None or identical(a, b) for a, b in zip(transformed, each[0])):
            return "func.grad"
        if plain:
            other = [t * 0.5 for t in plain]
            for axis in (0, -1):
                found = vmap(call, in_dims=axis)(*(torch.stack(pair, axis) for pair in zip(plain, other)))
                if not all(identical(found[k], call(*some)) for k, some in enumerate((plain, other))):
                    return f"vmap over axis {axis}"

    def traced(self):
        """make_fx sees the operator, with real and with fake tensors, and what it records computes the same."""
        from torch.fx.experimental.proxy_tensor import make_fx
        sample, leaves = self.sample, torch.utils._pytree.tree_leaves
        tensors = [t for t in leaves((sample.args, sample.kwargs)) if isinstance(t, torch.Tensor)]

        def call(*new):
            new = iter(new)
            args, kwargs = torch.utils._pytree.tree_map(lambda t: next(new) if isinstance(t, torch.Tensor) else t, (sample.args, sample.kwargs))
            return Sample(sample.name, sample.theirs, args, kwargs).run(sample.ours)
        expected = call(*tensors)
        for mode in ("real", "fake"):
            graph = make_fx(call, tracing_mode=mode)(*tensors)
            if sample.name == "dropout":
                continue
            if "empty" in graph.code or not identical(graph(*tensors), expected):
                return f"make_fx, {mode}"


WAYS = {"float64": ("value", "gradient", "second"), "float32": ("value", "gradient"), "float16": ("value", "gradient"), "bfloat16": ("value", "gradient"),
        "int64": ("value",)}
EVERY = 3  # of the samples of f64 as many parts are transformed and traced


def try_function(infos, outcomes):
    for info in infos:
        for kind, ways in WAYS.items():
            dtype = getattr(torch, kind)
            if dtype not in info.supported_dtypes(DEVICE):
                continue
            torch.manual_seed(1)
            for i, sample in enumerate(samples_of(info, dtype)):
                first = dtype == (torch.float32 if sample.name in NO_F64 else torch.float64)
                more = ("batched", "traced") if first and i % EVERY == 0 else ()
                for way in (*ways, *more):
                    if way in ("gradient", "second", "batched") and not sample.leaves():
                        continue
                    try:
                        wrong = getattr(Trial(sample), way)()
                    except REFUSALS as error:
                        outcomes.counts[sample.name, "refused", sentence(error)] += 1
                        break
                    except Exception as error:
                        wrong = f"{type(error).__name__}: {error}"
                    if isinstance(wrong, Stated):
                        outcomes.counts[sample.name, "differs", wrong] += 1
                        break
                    if wrong:
                        outcomes.wrong.append(f"{sample.name} {dtype} sample {i}, {way}: {wrong}; {describe(sample)}")
                        break
                else:
                    outcomes.right[sample.name] += 1
        for error in info.error_inputs(DEVICE) if info.error_inputs_func else ():
            sample = Sample(info.name.rpartition(".")[2], info.op, (error.sample_input.input, *error.sample_input.args), error.sample_input.kwargs)
            try:
                sample.run(sample.ours)
                outcomes.counts[sample.name, "taken", str(error.error_regex)] += 1
            except (*REFUSALS, RuntimeError, IndexError):
                outcomes.right[sample.name] += 1


def describe(sample):
    show = lambda t: f"{tuple(t.shape)}{t.stride()}" if isinstance(t, torch.Tensor) else t  # noqa: E731
    return f"{[show(a) for a in sample.args]} { {k: show(v) for k, v in sample.kwargs.items()} }"


def try_optimizer(outcomes):
    """AdamW on torch's samples: three steps of parameters of several shapes and layouts, with gradients of the other layout, against torch's in f64."""
    from torch.testing._internal.common_optimizers import optim_db
    info = next(info for info in optim_db if info.optim_cls is torch.optim.AdamW)
    for sample, dtype in itertools.product(info.optim_inputs_func(device=DEVICE), (torch.float64, torch.float32, torch.bfloat16, torch.float16)):
        draw = lambda *shape: torch.randn(*shape, device=DEVICE).to(dtype)  # noqa: E731
        torch.manual_seed(4)
        start = [draw(3, 4), draw(5), draw(2, 3).t(), draw(()), draw(0, 3), draw(2, 3, 2).transpose(0, 1)]
        gradients = [[torch.randn(t.shape, device=DEVICE).to(dtype) for t in start] for _ in range(3)]
        gradients[1][1] = None

        def trained(make, kind):
            parameters = [torch.nn.Parameter(t.detach().clone().to(kind)) for t in start]
            optimizer = make(parameters, **sample.kwargs)
            for step in gradients:
                for p, g in zip(parameters, step):
                    p.grad = None if g is None else g.to(kind)
                optimizer.step()
            return parameters, optimizer
        try:
            found, ours = trained(adj.AdamW, dtype)
        except REFUSALS as error:
            outcomes.counts["AdamW", "refused", sentence(error)] += 1
            continue
        expected, theirs = trained(torch.optim.AdamW, dtype)
        exact = trained(torch.optim.AdamW, torch.float64)[0]
        for i, (p, q, e) in enumerate(zip(found, expected, exact)):
            wrong = far(p, q, e, 1.0) or "strides" * (p.stride() != q.stride())
            outcomes.wrong += [f"AdamW {dtype} {sample.desc}: params[{i}]: {wrong}"] * bool(wrong)
            for name in ("exp_avg", "exp_avg_sq"):
                a, b = ours.state[p][name], theirs.state[q][name]
                if a.dtype != b.dtype or a.shape != b.shape or a.stride() != b.stride():
                    outcomes.wrong.append(f"AdamW {dtype} {sample.desc}: {name}[{i}] has {a.dtype} {a.stride()}, expected {b.dtype} {b.stride()}")
        outcomes.right["AdamW"] += 1
    for error in info.optim_error_inputs_func(DEVICE, torch.float32):
        given = error.optimizer_error_input
        if not issubclass(error.error_type, Exception) or issubclass(error.error_type, Warning):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                adj.AdamW(given.params, **given.kwargs)
            outcomes.counts["AdamW", "taken", str(error.error_regex)] += 1
        except (*REFUSALS, error.error_type):
            outcomes.right["AdamW"] += 1


def try_all(names):
    """Outcomes of the functions of these names, and of AdamW."""
    from torch.testing._internal.common_methods_invocations import op_db
    outcomes = Outcomes()
    for name in names:
        infos = [info for info in op_db if info.name == name]
        if name != "AdamW" and not infos:
            raise LookupError(f"torch's list of operators has no {name}")
        try_optimizer(outcomes) if name == "AdamW" else try_function(infos, outcomes)
    return outcomes


def recorded():
    """(version of torch, rows) of the table."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    version = next(line.split()[-1] for line in lines if line.startswith("# torch "))
    return version, [(*row[:3], int(row[3])) for row in (line.split("\t") for line in lines if not line.startswith("#"))]


@unittest.skipIf(torch is None, "PyTorch 2.6 is not installed")
class Samples(unittest.TestCase):
    maxDiff = None

    def test_samples(self):
        if importlib.util.find_spec("expecttest") is None:
            self.skipTest("the package expecttest is not installed, which torch's samples import")
        outcomes, (version, rows) = try_all(NAMES), recorded()
        print(*("\t".join(map(str, row)) for row in outcomes.table()), sep="\n")
        self.assertEqual(outcomes.wrong, [])
        tried = {name.rpartition(".")[2] for name in NAMES}
        self.assertEqual(set(outcomes.right), tried)
        rows = [row for row in rows if row[0] in tried]
        if DEVICE != "cpu":  # torch has other samples there: none of integers, and others of optimizers
            self.assertEqual({row[:3] for row in outcomes.table()} - {row[:3] for row in rows}, set())
            return
        counted = 4 if version == torch.__version__.partition("+")[0] else 3  # another torch has other samples
        self.assertEqual([row[:counted] for row in outcomes.table()], [row[:counted] for row in rows if row[3]])


if __name__ == "__main__":
    write = "--write" in sys.argv
    outcomes = try_all([name for name in sys.argv[1:] if name != "--write"] or NAMES)
    print(*outcomes.wrong, *outcomes.table(), dict(outcomes.right), sep="\n")
    if write:
        comments = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
        comments = [f"# torch {torch.__version__.partition('+')[0]}" if line.startswith("# torch ") else line for line in comments]
        elsewhere = [row for row in recorded()[1] if not row[3]]
        TABLE.write_text("\n".join([*comments, *("\t".join(map(str, row)) for row in sorted(outcomes.table() + elsewhere)), ""]), encoding="utf-8")
