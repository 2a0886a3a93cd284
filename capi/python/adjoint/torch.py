"""Operators of torch, differentiable functions and an optimizer for PyTorch.

    import adjoint.torch as adj
    loss = adj.cross_entropy(logits, labels)
    loss.backward()

torch.ops.adjoint has every operator of the library that works on tensors alone. The functions here have the signatures of torch.nn.functional.
torch.compile, torch.func and checkpointing take both. Tensors that are not contiguous are copied first. Gradients cannot be differentiated again."""
import itertools
import math
from contextlib import nullcontext
from types import SimpleNamespace

import torch
from torch.autograd import forward_ad

from ._arrays import Torch
from ._call import Function, flat
from ._generated import GRADIENTS, Gradient
from ._gradients import arguments_of, sources_of
from ._operators import NUMBERS, operator_of
from .optim import adamw_steps, check_adamw, check_parameters

_library = torch.library.Library("adjoint", "DEF")
_ops = torch.ops.adjoint


class _Fakes(Torch):
    """Tensors without contents."""

    def look(self, a, owners=None, handle=None):
        return (tuple(map(int, a.shape)), a.dtype, -1, True, True), 0


_fakes = _Fakes()
_NOTHING = nullcontext()
_transforms, _grad_enabled = torch._C._are_functorch_transforms_active, torch.is_grad_enabled
_PLAIN = {torch.Tensor, torch.nn.Parameter, type(None)}
_TYPES = {"i64": "SymInt", "i32": "int", "dtype": "ScalarType", "f64": "float", "i64_list": "SymInt[]", "shape": "SymInt[]", "axes": "int[]",
          "f64_list": "float[]"}
# Fields that operators of torch do not have. It adds gradients and counts offsets itself, and has no lists of results beside arguments that are written.
_SKIPPED = {"write_mode", "advance_offset", "out_of_place", "updates_mode", "keep_params"}


class _Operator:
    """An operator of the library as an operator of torch: torch.ops.adjoint.NAME(inputs, *, fields).

    A scalar x is the number x or the tensor x_tensor. An optional output is asked for by the flag of its name, and is an empty tensor without. Outputs that
    a gradient needs are there always."""

    def __init__(self, name):
        self.operator = operator = operator_of(name)
        self.pair = pair = GRADIENTS.get(name, Gradient())
        if pair.operator:
            more = [s.name + "_tensor" for s in operator.scalars if s.name in pair.inputs]
            self.pair = pair = pair._replace(inputs={**pair.inputs, **{n: (n,) for n in more}})
        outputs = [s for s in operator.outputs if not s.host]
        updates = any(s.role == "in/out" for s in operator.inputs)
        self.returned = [s for s in outputs if (s.role == "out" or "write_mode" in operator.fields and s.presence != "optional")
                         and not (updates and s.kind == "list")]
        changed = [s for s in outputs if s not in self.returned and s.presence == "required"]  # other arguments that are written are left out
        self.gradient = _OPERATORS[pair.operator] if pair.operator else None
        self.sources = {n for names in pair.inputs.values() for n in names}
        self.saves = {s.name for s in self.returned} & self.sources
        letters, names = itertools.count(), []

        def typed(argument, kind, more="", default=""):
            names.append(argument.name + more)
            return f"{kind.replace('Tensor', f'Tensor({chr(97 + next(letters))}!)') if argument.role == 'in/out' else kind} {argument.name}{more}{default}"
        last = max((i for i, s in enumerate(operator.inputs) if s.presence == "required"), default=-1)
        inputs = [typed(s, ("Tensor[]" if s.kind == "list" else "Tensor") + "?" * (s.presence != "required"), "", "=None" * (i > last))
                  for i, s in enumerate(operator.inputs)]
        inputs += [typed(s, "Tensor") for s in changed]
        inputs += [typed(s if updates or changed else s._replace(role="in"), "Tensor?", "_tensor", "=None") for s in operator.scalars]
        self.optional = [s.name for s in self.returned if s.presence != "required"]
        self.fields = {k: operator.fields[k] for k in operator.keywords if k not in _SKIPPED}
        self.taken = {k + "_" * (k == "mode" and updates): k for k in self.fields}  # an operator of torch that writes arguments cannot have one named "mode"
        self.fields.update({k: self.gradient.operator.fields[k] for k in pair.taken})
        more = [f"{'float' if s.kind == 'scalar' else 'int[]'}? {s.name}=None" for s in operator.scalars]
        more += [f"bool {n}=False" for n in self.optional if n not in self.saves]
        keywords = [*self.taken.items(), *((k, k) for k in pair.taken)]
        more += [f"{'str' if self.fields[k].choices else _TYPES[self.fields[k].kind]}? {keyword}=None" for keyword, k in keywords]
        results = ["Tensor" if s.kind == "tensor" else "Tensor[]" for s in self.returned]
        self.positional, self.order, self.mutable = names, {n: i for i, n in enumerate(names)}, next(letters) > 0
        _library.define(f"{name}({', '.join([*inputs, '*', *more])}) -> {results[0] if len(results) == 1 else '(' + ', '.join(results) + ')'}")
        self.function = Function(operator, lambda given: {"asked": self.saves}, (), tuple(s.name for s in self.returned))
        self.function.known = [*names, *self.fields]
        _library.impl(name, self.run, "CompositeExplicitAutograd")
        torch.library.register_fake(f"adjoint::{name}", self.fake, lib=_library)
        self.op = getattr(_ops, name).default
        self.single = len(self.returned) == 1 and self.returned[0].kind == "tensor"
        self.scalars = [(s.name, self.order[s.name + "_tensor"]) for s in operator.scalars]
        self.places = [(s, self.order.get(s.name), s.name) for s in self.function.arguments]
        self.results = {s.name: i for i, s in enumerate(self.returned)}
        self.upstream = {"d" + n for n in self.results}
        if self.gradient:
            self.wanted = [(i, pair.outputs[n]) for i, n in enumerate(names) if n in pair.outputs]
        if not self.mutable:
            self.eager, self.transformed = _gradients(self)
            _library.impl(name, lambda *args, **given: (self.transformed if _transforms() else self.eager)(SimpleNamespace(**given), *args), "Autograd")

    def __call__(self, *args, **given):
        """As the operator of torch. Without a transformation it costs no dispatch."""
        if torch.compiler.is_dynamo_compiling():
            return self.op(*args, **given)
        if _transforms():
            return self.transformed(SimpleNamespace(**given), *args)
        if forward_ad._current_level >= 0 or _grad_enabled() and any([a is not None and a.requires_grad for a in args]):
            return self.eager(SimpleNamespace(**given), *args)
        return self.below(args, given)

    def below(self, args, given):
        """The call without a gradient."""
        for a in args:
            if type(a) not in _PLAIN:  # a tensor without contents, or with a dispatch of its own
                with torch._C._AutoDispatchBelowAutograd():
                    return self.op(*args, **given)
        return self.run(*args, **given)

    def request(self, args, given):
        """(arrays, scalars, fields) of a call, of contiguous tensors."""
        args, arrays = (*args, *[None] * (len(self.positional) - len(args))), []
        for argument, place, flag in self.places:
            a = args[place] if place is not None else given.get(flag) or None
            if argument.kind == "list" and a is not None and a is not True:
                a = tuple(t.contiguous() if argument.role == "in" else t for t in a)
            elif argument.role == "in" and a is not None:
                a = a.contiguous()
            arrays.append(a)
        scalars = tuple([given[name] if given.get(name) is not None else args[place] for name, place in self.scalars])
        return tuple(arrays), scalars, {self.taken[k]: v for k, v in given.items() if k in self.taken and v is not None}

    def run(self, *args, **given):
        arrays, scalars, fields = self.request(args, given)
        tracked = not self.mutable and _grad_enabled() and any([a is not None and a.requires_grad for a in flat(arrays)])
        with torch.no_grad() if tracked else _NOTHING:
            results = self.function(arrays, scalars, (), fields, None, None, None, None, None, None)
        return results if self.single and results is not None else self.complete(results if len(self.returned) > 1 else (results,), arrays)

    def complete(self, results, arrays):
        """The results, with something in place of those that are absent: an operator of torch has always as many."""
        found = [r if r is not None else torch.empty(0, dtype=torch.uint8, device=flat(arrays)[0].device) if s.kind == "tensor" else []
                 for s, r in zip(self.returned, results)]
        return tuple(found) if len(found) > 1 else found[0] if found else None

    def fake(self, *args, **given):
        arrays, scalars, fields = self.request(args, given)
        fields = {k: [int(x) for x in v] if isinstance(v, (list, tuple)) else int(v) if isinstance(v, torch.SymInt) else v for k, v in fields.items()}
        problem, found = self.function.problem_of(_fakes, arrays, scalars, fields), {}
        for argument, a in zip(self.function.arguments, arrays):
            new = problem.new_output(argument, problem.descriptor.need(argument), a)
            found[argument.name] = new and new[1]()
        return self.complete([found[a.name] for a in self.returned], arrays)

    def save(self, ctx, inputs, output):
        outputs, given, inputs = output if isinstance(output, tuple) else (output,), vars(inputs[0]), inputs[1:]

        def have(name):
            if name in self.results:
                return _present(outputs[self.results[name]])
            place = self.order.get(name, len(inputs))
            return inputs[place] if place < len(inputs) else given.get(name)
        ctx.gradients = {} if self.single else {"d" + s.name: (o.shape, o.dtype, o.device) for s, o in zip(self.returned, outputs)}
        ctx.sources, fields = sources_of(self.pair, have, self.upstream)
        kept = {n: have(n) for n in ctx.sources.values() if n not in self.upstream}
        ctx.names = [n for n, v in kept.items() if isinstance(v, torch.Tensor)]
        ctx.kept = {n: v for n, v in kept.items() if n not in ctx.names}
        ctx.fields = {k: v for k, v in given.items() if self.gradient and k in self.fields and k in self.gradient.fields and v is not None}
        ctx.fields.update(fields)
        ctx.set_materialize_grads(False)
        ctx.shapes = [None if t is None else t.shape for t in inputs]
        if not self.single:
            ctx.mark_non_differentiable(*[o for s, o in zip(self.returned, outputs) if "d" + s.name not in self.sources])
        ctx.save_for_backward(*[kept[n] for n in ctx.names])

    def backward(self, ctx, *grads):
        if not self.sources:
            raise RuntimeError(f"adjoint::{self.operator.name} has no gradient; those of the library cannot be differentiated again")
        if all([g is None for g in grads]):
            return (None,) * (len(ctx.shapes) + 1)
        have = {**ctx.kept, **dict(zip(ctx.names, ctx.saved_tensors)), **{"d" + s.name: g for s, g in zip(self.returned, grads)}}
        if self.gradient is None:  # it came with the loss, and is scaled here
            upstream = have["dloss"]
            scaled = None if upstream is None else have["dscores"] * upstream.reshape(*(have["dscores"].shape[:-1] if upstream.numel() > 1 else ()), 1)
            return None, scaled, *[None] * (len(ctx.shapes) - 1)
        other, fields, given = self.gradient.operator, dict(ctx.fields), {}
        wanted = {i: r for i, r in self.wanted if i < len(ctx.shapes) and ctx.needs_input_grad[i + 1]}
        fields.update((flag, int(flag[4:] in wanted.values())) for flag in self.gradient.fields if flag.startswith("has_d"))
        for name, source in arguments_of(self.pair, ctx.sources, have, fields):
            value = have.get(source)
            if value is None and other.by_name[name].presence == "required":
                shape, dtype, device = ctx.gradients[source]
                value = torch.zeros(shape, dtype=dtype, device=device)
            if value is not None:
                given[name] = value
        fields.update({r: True for r in wanted.values() if other.by_name[r].presence == "optional"})
        fields.update({n: given[n] for n in given if n not in self.gradient.order})
        results = self.gradient(*map(given.get, self.gradient.positional), **fields)
        results, places = results if isinstance(results, tuple) else (results,), self.gradient.results
        return None, *(results[places[wanted[i]]].reshape(shape) if i in wanted else None for i, shape in enumerate(ctx.shapes))


def _gradients(operator):
    """The operator as a function of autograd, and in the form that takes several times as long and may have functions of torch.func around it.

    Keywords of a call go through autograd as one object."""
    def run(given, *args):
        for argument, a in zip(operator.operator.inputs, args):
            if type(a) is list and torch.is_grad_enabled() and any(t.requires_grad for t in a):
                operator.operator.fail(f"{argument.name} has a tensor that requires grad, and the operator records no gradient; use torch.no_grad() or "
                                       "detach()")
        return operator.below(args, vars(given))

    def save(ctx, inputs, output):
        if operator.sources:
            operator.save(ctx, inputs, output)

    class Eager(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *inputs):
            output = run(*inputs)
            save(ctx, inputs, output)
            return output

        backward = staticmethod(operator.backward)

    class Transformed(torch.autograd.Function):
        forward, setup_context, backward = staticmethod(run), staticmethod(save), staticmethod(operator.backward)

        @staticmethod
        def vmap(info, in_dims, *args):
            results = [Transformed.apply(*(a if d is None else a.select(d, i) for a, d in zip(args, in_dims))) for i in range(info.batch_size)]
            if isinstance(results[0], tuple):
                return tuple(map(torch.stack, zip(*results))), (0,) * len(results[0])
            return torch.stack(results), 0

    Eager.__name__ = Eager.__qualname__ = Transformed.__name__ = Transformed.__qualname__ = operator.operator.name
    return Eager.apply, Transformed.apply


def _present(result):
    """None for an output that is absent."""
    return None if isinstance(result, torch.Tensor) and result.dtype == torch.uint8 and result.numel() == 0 else result


def _tensors_alone(operator):
    """True for an operator that torch's dispatcher can know: no handles, no functions, and tensors to begin with."""
    return operator.inputs and all(s.kind != "handle" for s in operator.arguments) and all(f.kind in _TYPES for f in operator.fields.values()) and any(
        s.role != "in" for s in operator.arguments if not s.host)


_OPERATORS = {}
for _name in sorted(filter(lambda n: _tensors_alone(operator_of(n)), NUMBERS), key=lambda n: n in GRADIENTS):  # gradients first
    _OPERATORS[_name] = _Operator(_name)


# ---- functions with the signatures of torch.nn.functional

# torch's own choice of functions that compute in f32 under autocast.
_AUTOCAST_F32 = {"cuda": {"softmax", "log_softmax", "cross_entropy", "layer_norm", "softplus"}, "cpu": {"cross_entropy"}}


def _cast(name, *tensors):
    """The tensors in the type that torch's function of that name computes in."""
    kind = "cuda" if tensors[0].is_cuda else "cpu"
    if not torch.is_autocast_enabled(kind) or name not in _AUTOCAST_F32[kind]:
        return tensors
    return tuple(t.float() if t is not None and t.dtype in (torch.float16, torch.bfloat16) else t for t in tensors)


def _softmax(name, input, dim):
    operator = _OPERATORS[f"{name}_forward"]
    return operator(*_cast(name, input), **operator.operator.around(input.shape, dim))


def softmax(input, dim=-1):
    """As torch.softmax."""
    return _softmax("softmax", input, dim)


def log_softmax(input, dim=-1):
    """As torch.log_softmax."""
    return _softmax("log_softmax", input, dim)


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0, z_loss=0.0):
    """As torch.nn.functional.cross_entropy, for class indices; z_loss * logsumexp^2 is added to the loss of each sample.

    With label_smoothing or z_loss, input is [samples, classes]. A mean over no samples is 0."""
    if target.is_floating_point():
        raise TypeError("cross_entropy: target has floating-point elements; give class indices")
    input, weight = _cast("cross_entropy", input, weight)
    fields = {"reduction": reduction, "has_ignore_index": 1, "ignore_index": ignore_index}
    if label_smoothing or z_loss:  # the gradient of f16 is kept in f32: a loss scale comes with the gradient of the loss
        scores = input.float() if input.dtype == torch.float16 else input
        loss = _OPERATORS["cross_entropy_with_gradient"](scores, target, weight, label_smoothing=label_smoothing, z_loss=z_loss, **fields)[0].to(input.dtype)
    else:
        shape = input.shape if input.dim() > 1 else (1, *input.shape)
        loss = _OPERATORS["softmax_cross_entropy_loss"](input, target, weight, batch=shape[0], num_classes=shape[1], inner=math.prod(shape[2:]), **fields)[0]
    return loss.reshape(target.shape if reduction == "none" else ())


def embedding(input, weight, padding_idx=None, scale_grad_by_freq=False):
    """As torch.nn.functional.embedding. Indices out of range give rows of zeros and no gradient."""
    fields = {} if padding_idx is None else {"has_padding_idx": 1, "padding_idx": padding_idx}
    return _OPERATORS["embedding_forward"](weight, input, scale_grad_by_freq=int(scale_grad_by_freq), **fields).reshape(*input.shape, weight.shape[-1])


def _norm(name, input, normalized_shape, weights, eps):
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if not shape or tuple(input.shape[-len(shape):]) != shape:
        raise ValueError(f"{name}: normalized_shape = {list(shape)} is not the end of the shape of input, {list(input.shape)}")
    input, *weights = _cast(name, input, *weights)
    return _OPERATORS[f"{name}_forward"](input, None, *weights, axis=-len(shape), epsilon=eps)[0]


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """As torch.nn.functional.layer_norm."""
    return _norm("layer_norm", input, normalized_shape, (weight, bias), eps)


def rms_norm(input, normalized_shape, weight=None, eps=1e-5):
    """As torch.nn.functional.rms_norm."""
    return _norm("rms_norm", input, normalized_shape, (weight,), eps)


def activation(input, function, **options):
    """function(input); see adjoint.activation. options: leaky_slope, quick_gelu_alpha, elu_alpha."""
    return _OPERATORS["activation_forward"](*_cast(function, input), function=function, inner=input.shape[-1] if input.dim() else 1, **options)


def leaky_relu(input, negative_slope=0.01):
    return activation(input, "leaky_relu", leaky_slope=negative_slope)


def gelu(input, approximate="none"):
    if approximate not in ("none", "tanh"):
        raise ValueError(f"gelu: approximate = {approximate!r} is not one of none, tanh")
    return activation(input, "gelu_tanh" if approximate == "tanh" else "gelu")


def elu(input, alpha=1.0):
    return activation(input, "elu", elu_alpha=alpha)


def _plain(function):
    def of(input):
        return activation(input, function)
    of.__name__ = of.__qualname__ = function
    return of


relu, sigmoid, tanh, silu, softplus, mish, hardswish = map(_plain, ("relu", "sigmoid", "tanh", "silu", "softplus", "mish", "hard_swish"))


def gated_activation(input, function, *, interleaved=False, gate_second=False):
    """f(gate) * linear of the halves of the last dimension; see adjoint.gated_activation."""
    if input.shape[-1] % 2:
        raise ValueError(f"gated_activation: input has the shape {list(input.shape)}, expected an even last dimension, gate and linear")
    fields = {"inner": input.shape[-1] // 2, "layout": "interleaved" if interleaved else "halves", "gate_second": int(gate_second)}
    return _OPERATORS["gated_activation_forward"](input, function=function, **fields).reshape(*input.shape[:-1], fields["inner"])


def swiglu(input, **options):
    """silu(gate) * linear of input [..., 2 n]."""
    return gated_activation(input, "swiglu", **options)


def geglu(input, **options):
    """gelu(gate) * linear of input [..., 2 n]."""
    return gated_activation(input, "geglu", **options)


def dropout(input, p=0.5, training=True, seed=None, offset=0):
    """As torch.nn.functional.dropout. Without a seed one is drawn from torch's generator of the CPU."""
    if not training or p == 0:
        return input
    if seed is None:
        random = torch.randint(0, 2 ** 63 - 1, (2,)) * torch.tensor([1, 0])
    else:
        random = torch.tensor([(int(seed) + 2 ** 63) % 2 ** 64 - 2 ** 63, offset])
    return _OPERATORS["dropout_forward"](input, None, random, ratio=float(p))[0]


class AdamW(torch.optim.Optimizer):
    """AdamW with the parameter groups, state and hooks of torch's optimizers, and the arguments of torch.optim.AdamW.

    Parameters and gradients may have any layout. Those that are not dense, and gradients in another layout than their parameter, are copied. All
    parameters of a type and device share a launch, so foreach and fused change nothing. The step is a number of the host: not for graph capture."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *, maximize=False, foreach=None, capturable=False,
                 differentiable=False, fused=None):
        for name, value in {"amsgrad": amsgrad, "capturable": capturable, "differentiable": differentiable}.items():
            if value:
                raise ValueError(f"AdamW: {name} = {value!r} is not supported; use torch.optim.AdamW")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad, "maximize": maximize,
                                  "foreach": foreach, "capturable": capturable, "differentiable": differentiable, "fused": fused})

    def add_param_group(self, group):
        options = {**self.defaults, **group}
        check_adamw(options["lr"], options["betas"], options["eps"], options["weight_decay"])
        super().add_param_group(group)
        check_parameters(self.param_groups[-1]["params"])

    @torch.no_grad()
    def step(self, closure=None):
        with torch.enable_grad():
            loss = closure and closure()
        for group in self.param_groups:
            entries = [(p, p.grad, self.state[p]) for p in group["params"] if p.grad is not None]
            adamw_steps(entries, float(group["lr"]), tuple(group["betas"]), group["eps"], group["weight_decay"], -1.0 if group.get("maximize") else 1.0)
        return loss
