"""Operators of torch, differentiable functions and an optimizer for PyTorch.

    import adjoint.torch as adj
    loss = adj.cross_entropy(logits, labels)
    loss.backward()

torch.ops.adjoint has every operator of the library that works on tensors alone. The functions here have the signatures of torch.nn.functional.
Both go through torch's dispatcher, so that torch.compile, make_fx, torch.func, checkpointing and dispatch modes take both. Tensors that are not contiguous
are copied first. Gradients cannot be differentiated again, and a gradient that reaches a result or input without one is an error."""
import struct
from contextlib import nullcontext
from types import SimpleNamespace

import torch
from torch._functorch.utils import enable_single_level_autograd_function
from torch.autograd import forward_ad

from . import functional
from ._arrays import Torch
from ._call import Function, flat
from ._generated import GRADIENTS, Gradient
from ._gradients import arguments_of, fields_of, sources_of
from ._library import Error
from ._operators import NUMBERS, operator_of
from .optim import Updates, check_adamw, check_parameters

_library = torch.library.Library("adjoint", "DEF")
_ops = torch.ops.adjoint


class _Fakes(Torch):
    """Tensors without contents. evaluate: a function from a size to a number."""

    def __init__(self, evaluate=int):
        super().__init__()
        self.evaluate = evaluate

    def look(self, a, owners=None, handle=None):
        return (tuple(map(self.evaluate, a.shape)), a.dtype, -1, True, True), 0


_NOTHING = nullcontext()
_transforms, _grad_enabled = torch._C._are_functorch_transforms_active, torch.is_grad_enabled
_modes, _tracing = torch._C._len_torch_dispatch_stack, torch._C._get_tracing_state
_batched = torch._C._functorch.is_legacy_batchedtensor  # of torch.autograd.grad(is_grads_batched=True)
_inner = torch._C._functorch.unwrap_if_dead  # of a tensor that a transform wrapped which has ended, as before a call of what torch.func.vjp returned
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
        self.gradient = _OPERATORS[pair.operator] if pair.operator else None
        self.sources = {n for names in pair.inputs.values() for n in names}
        outputs = [a for a in operator.outputs if not a.host]
        updates = any(a.role == "in/out" for a in operator.inputs)
        self.returned = [a for a in outputs if (a.role == "out" or "write_mode" in operator.fields and a.presence != "optional")
                         and not (updates and a.kind == "list")]
        changed = [a for a in outputs if a not in self.returned and a.presence == "required"]  # other arguments that are written are left out
        self.mutable = updates or bool(changed)
        self.inputs, self.optional = [a.name for a in operator.inputs], [a.name for a in self.returned if a.presence != "required"]
        self.differentiable = {*self.pair.outputs, *(["scores"] if "dscores" in self.sources else [])}
        self.saves = {a.name for a in self.returned} & self.sources
        arguments = [*operator.inputs, *changed, *operator.scalars]
        self.positional = [a.name + "_tensor" * (a in operator.scalars) for a in arguments]
        # An operator of torch that writes arguments cannot have one named "mode".
        self.taken = {k + "_" * (k == "mode" and updates): k for k in operator.keywords if k not in _SKIPPED}
        _library.define(f"{name}({self.schema(arguments)})")
        self.function = Function(operator, lambda given: {"asked": self.saves}, (), tuple(a.name for a in self.returned))
        self.function.known = [*self.positional, *self.taken, *pair.taken]
        self.places = [(a.name, a.role == "in", a.kind == "list") for a in self.function.arguments]
        self.scalars, self.lists = [a.name for a in operator.scalars], any(a.kind == "list" for a in arguments)
        _library.impl(name, self.run, "CompositeExplicitAutograd")
        torch.library.register_fake(f"adjoint::{name}", self.fake, lib=_library)
        self.op, self.outputs, self.kept = getattr(_ops, name).default, [a.name for a in self.returned], {}
        self.upstream = ["d" + n for n in self.outputs]
        self.single = len(self.returned) == 1 and self.returned[0].kind == "tensor"
        if not self.mutable:
            # The dispatcher calls the kernel of autograd once for each level of torch.func.
            self.recorded = type(name, (torch.autograd.function._SingleLevelFunction,), {
                "forward": staticmethod(self.forward), "backward": staticmethod(self.backward)}).apply
            _library.impl(name, self.call, "Autograd")

    def schema(self, arguments):
        """The parameters and results as torch declares them."""
        scalars, parts = self.operator.scalars, []
        last = max((i for i, a in enumerate(arguments) if a.presence == "required" and a not in scalars), default=-1)
        for i, (a, name) in enumerate(zip(arguments, self.positional)):
            kind = f"Tensor({chr(97 + i)}!)" if a.role == "in/out" and self.mutable else "Tensor"
            optional = a.presence != "required" or a in scalars
            parts.append(f"{kind}{'[]' * (a.kind == 'list')}{'?' * optional} {name}{'=None' * (i > last)}")
        parts += ["*", *(f"{'float' if a.kind == 'scalar' else 'int[]'}? {a.name}=None" for a in scalars)]
        parts += [f"bool {n}=False" for n in self.optional if n not in self.saves]
        fields = [(keyword, self.operator.fields[k]) for keyword, k in self.taken.items()]
        fields += [(k, self.gradient.operator.fields[k]) for k in self.pair.taken]
        parts += [f"{'str' if field.choices else _TYPES[field.kind]}? {keyword}=None" for keyword, field in fields]
        results = ["Tensor" + "[]" * (a.kind == "list") for a in self.returned]
        return f"{', '.join(parts)}) -> ({', '.join(results)}"

    def __call__(self, *args, **given):
        """As the operator of torch. It costs no dispatch where nobody but autograd looks on."""
        watched = torch.compiler.is_dynamo_compiling() or _transforms() or _modes() or _tracing() is not None
        return (self.op if watched else self.call)(*args, **given)

    def call(self, *args, **given):
        """The call, with a gradient where one is asked for."""
        if forward_ad._current_level >= 0 or _grad_enabled() and self.tracked(args):
            with enable_single_level_autograd_function() if _transforms() else _NOTHING:
                return self.recorded(SimpleNamespace(**given), *args)
        return self.below(args, given)

    def tracked(self, args):
        """Whether a gradient is recorded for one of the tensors."""
        return any([a is not None and a.requires_grad for a in (flat(args) if self.lists else args)])

    def below(self, args, given):
        """The call without a gradient. Whatever watches torch's operators sees it, and so do lists, tensors with a dispatch of their own and those on meta."""
        if _modes() or _transforms() or not all([type(a) in _PLAIN and (a is None or not a.is_meta) for a in args]):
            with torch._C._AutoDispatchBelowAutograd():
                return self.op(*args, **given)
        return self.run(*args, **given)

    def values(self, args, given):
        """What a call is given, by the names of the library's operator."""
        found = dict(zip(self.positional, args))
        found.update(given)
        for name in self.scalars:
            if found.get(name) is None:
                found[name] = found.get(name + "_tensor")
        return found

    def request(self, args, given):
        """(arrays, scalars, fields) of a call, of contiguous tensors."""
        values, arrays = self.values(args, given), []
        for name, is_read, is_list in self.places:
            a = values.get(name)
            if a is False:
                a = None
            elif a is not None and is_read:
                a = tuple([t.contiguous() for t in a]) if is_list else a.contiguous()
            elif is_list and a is not None and a is not True:
                a = tuple(a)
            arrays.append(a)
        fields = {self.taken[k]: v for k, v in given.items() if k in self.taken and v is not None}
        return tuple(arrays), tuple(map(values.get, self.scalars)), fields

    def run(self, *args, **given):
        arrays, scalars, fields = self.request(args, given)
        with torch.no_grad() if not self.mutable and _grad_enabled() and self.tracked(args) else _NOTHING:
            results = self.function(arrays, scalars, fields)
        return results if self.single and results is not None else self.complete(results if len(self.returned) > 1 else (results,), arrays)

    def complete(self, results, arrays):
        """The results, with something in place of those that are absent: an operator of torch has always as many."""
        found = [r if r is not None else torch.empty(0, dtype=torch.uint8, device=flat(arrays)[0].device) if a.kind == "tensor" else []
                 for a, r in zip(self.returned, results)]
        return tuple(found) if len(found) > 1 else found[0] if found else None

    def fake(self, *args, **given):
        arrays, scalars, fields = self.request(args, given)
        places = {str(a.device) for a in flat(arrays)}
        if len(places) > 1 and "meta" in places:
            self.operator.fail(f"the tensors are on {' and '.join(sorted(places))}; those on meta have no memory, so move all to one device")
        shapes = [tuple(a.shape) for a in flat(arrays)]
        if any(isinstance(n, torch.SymInt) for v in (*shapes, *fields.values()) for n in (v if isinstance(v, (list, tuple)) else (v,))):
            found = self.symbolic(arrays, scalars, fields, shapes)
            if found:
                return self.complete(found, arrays)
        views, library = self.inferred(arrays, scalars, fields, _number)
        return self.complete([_made(view, view, library, arrays) for view in views], arrays)

    def inferred(self, arrays, scalars, fields, evaluate):
        """(View, or list of Views, or None of each result, the library of the arrays), with numbers that evaluate makes of sizes."""
        library = _Fakes(evaluate)
        problem = self.function.problem_of(library, arrays, scalars, {k: evaluate(v) for k, v in fields.items()})
        made = {a.name: problem.new_output(a, problem.descriptor.need(a), given) for a, given in zip(self.function.arguments, arrays)}
        return [made[a.name] and made[a.name][0] for a in self.returned], library

    def symbolic(self, arrays, scalars, fields, shapes):
        """The results, with sizes that are expressions of those of the arguments, or None where none fits: then sizes must be numbers."""
        from . import _symbolic  # imports sympy
        for pairs in _symbolic.equalities(shapes):
            evaluations = list(_symbolic.trials(_symbolic.symbols_in([*shapes, *fields.values()]), pairs))
            try:
                found = [self.inferred(arrays, scalars, fields, evaluate) for evaluate in evaluations]
            except (Error, struct.error):
                continue  # sizes that the operator does not take, or too many bytes
            for a, b in pairs:
                torch._check(a == b)
            break
        else:
            return None
        results, library = [], found[0][1]
        for views in zip(*(views for views, _ in found)):
            tensors = []
            for same in zip(*(view if isinstance(view, list) else [view] for view in views)):
                shape = None if same[0] is None else [_symbolic.fitted(n, shapes, fields.values(), evaluations) for n in zip(*(view.shape for view in same))]
                if shape is not None and None in shape:
                    return None
                tensors.append(same[0] and same[0]._replace(shape=shape))
            results.append(_made(views[0], tensors if isinstance(views[0], list) else tensors[0], library, arrays))
        return results

    # -- the gradient: keywords of a call go through autograd as one object

    def forward(self, ctx, given, *args):
        for argument, a in zip(self.operator.inputs, args) if self.lists else ():
            if type(a) is list and any(t.requires_grad for t in a):
                self.operator.fail(f"{argument.name} has a tensor that requires grad, and the operator records no gradient; use torch.no_grad() or detach()")
        if self.sources:
            for name, needed in zip(self.positional, ctx.needs_input_grad[1:]):
                if needed and name not in self.differentiable:
                    self.operator.fail(f"{name} requires grad, and the gradient of the operator has none in it; give {name}.detach()")
        if _transforms():  # the levels around this one record their own gradients
            with torch.enable_grad(), forward_ad._set_fwd_grad_enabled(True):
                output = self.below(args, vars(given))
        else:
            output = self.below(args, vars(given))
        self.save(ctx, (given, *args), output)
        return output

    def save(self, ctx, inputs, output):
        """Keeps what the gradient takes. Which values those are follows from the names that a call gives, and is found once for each such set."""
        if not self.sources:
            return
        given, args, results = vars(inputs[0]), inputs[1:], output if isinstance(output, tuple) else (output,)
        have = self.values(args, given)
        have.update(zip(self.outputs, map(_present, results)))
        key = (have.get("function"), (have.get("leaky_slope") or 0) < 0, *[n for n, v in have.items() if v is not None])
        if key not in self.kept:
            sources, modes = sources_of(self.pair, have.get, self.upstream)
            names = [n for n in dict.fromkeys(sources.values()) if n not in self.upstream]
            fields = [k for k in self.gradient.taken.values() if given.get(k) is not None] if self.gradient else []
            tensors = [n for n in names if isinstance(have[n], torch.Tensor)]
            self.kept[key] = sources, modes, fields, tensors, [n for n in names if n not in tensors]
        ctx.sources, modes, fields, ctx.names, numbers = self.kept[key]
        ctx.numbers, ctx.fields = {n: have[n] for n in numbers}, {**{k: given[k] for k in fields}, **modes, **fields_of(self.pair, have.get)}
        ctx.shapes = [None if t is None else t.shape for t in args]
        ctx.set_materialize_grads(False)
        if not self.single:
            ctx.results = {name: (r.shape, r.dtype, r.device) for name, r in zip(self.upstream, results)}
        ctx.save_for_backward(*[have[n] for n in ctx.names])

    def backward(self, ctx, *grads):
        if not self.sources:
            raise RuntimeError(f"adjoint::{self.operator.name} has no gradient; those of the library cannot be differentiated again")
        for name, upstream, grad in zip(self.outputs, self.upstream, grads):
            if grad is not None and upstream not in self.sources:
                raise RuntimeError(f"adjoint::{self.operator.name} has no gradient in its result {name}; detach() it. Gradients cannot be differentiated again")
        if all([g is None for g in grads]):
            return (None,) * len(ctx.needs_input_grad)
        have = {**ctx.numbers, **dict(zip(ctx.names, map(_inner, ctx.saved_tensors))), **dict(zip(self.upstream, grads))}
        if self.gradient is None:  # it came with the loss, and is scaled here
            upstream = have["dloss"]
            scaled = None if upstream is None else have["dscores"] * upstream.reshape(*(have["dscores"].shape[:-1] if upstream.numel() != 1 else ()), 1)
            return None, scaled, *[None] * (len(ctx.shapes) - 1)
        gradient, given = self.gradient, dict(ctx.fields)
        wanted = {n: self.pair.outputs[n] for n, needed in zip(self.positional, ctx.needs_input_grad[1:]) if needed and n in self.pair.outputs}
        given.update((flag, int(flag[4:] in wanted.values())) for flag in gradient.taken.values() if flag.startswith("has_d"))
        given.update((r, True) for r in wanted.values() if gradient.operator.by_name[r].presence == "optional")
        for name, source in arguments_of(self.pair, ctx.sources, have, dict(given)):
            value = have.get(source)
            if value is None and gradient.operator.by_name[name].presence == "required":
                shape, dtype, device = ctx.results[source]
                value = torch.zeros(shape, dtype=dtype, device=device)
            if value is not None:
                given[name + "_tensor" * (name not in gradient.positional and isinstance(value, torch.Tensor))] = value
        call = gradient.op if any([g is not None and _batched(g) for g in grads]) else gradient
        results = call(*[given.pop(n, None) for n in gradient.positional], **given)
        results = dict(zip(gradient.outputs, (results,) if gradient.single else results))
        return None, *[results[wanted[n]].reshape(shape) if n in wanted else None for n, shape in zip(self.positional, ctx.shapes)]


def _number(value):
    """A field whose sizes are numbers; a symbol becomes one, and torch remembers that."""
    return [*map(_number, value)] if isinstance(value, (list, tuple)) else int(value) if isinstance(value, torch.SymInt) else value


def _made(kind, views, library, arrays):
    """Tensors of these Views: a list where kind is one, None for none."""
    def make(view):
        return view and library.maker(view.shape, view.dtype, flat(arrays)[0], False)()
    return [make(view) for view in views] if isinstance(kind, list) else make(views)


def _present(result):
    """None for an output that is absent."""
    return None if isinstance(result, torch.Tensor) and result.dtype == torch.uint8 and result.numel() == 0 else result


def _tensors_alone(operator):
    """True for an operator that torch's dispatcher can know: no handles, no functions, and tensors to begin with."""
    kinds, fields = {a.kind for a in operator.arguments}, {f.kind for f in operator.fields.values()}
    return operator.inputs and "handle" not in kinds and fields <= set(_TYPES) and any(a.role != "in" for a in operator.arguments if not a.host)


_OPERATORS = {}
for _name in sorted(filter(lambda n: _tensors_alone(operator_of(n)), NUMBERS), key=lambda n: n in GRADIENTS):  # gradients first
    _OPERATORS[_name] = _Operator(_name)


# ---- functions with the signatures of torch.nn.functional

# torch's own choice of functions that compute in f32 under autocast.
_AUTOCAST_F32 = {"cuda": {"softmax", "log_softmax", "cross_entropy", "layer_norm", "softplus"}, "cpu": {"cross_entropy"}}


def _cast(name, tensors):
    """The tensors, by name, in the type that torch's function of that name computes in."""
    kind = "cuda" if next(iter(tensors.values())).is_cuda else "cpu"
    if not torch.is_autocast_enabled(kind) or name not in _AUTOCAST_F32[kind]:
        return tensors
    return {n: t.float() if t is not None and t.dtype in (torch.float16, torch.bfloat16) else t for n, t in tensors.items()}


def _apply(function, parameters, options={}, **tensors):
    """The first result of a function of adjoint.functional. options: more fields."""
    tensors = _cast(parameters.get("function", function.__name__), tensors)
    operator = _OPERATORS[function.operator.name]
    fields = function.build(function.operator, **tensors, **parameters)
    shape = fields.pop("shapes", {}).get(operator.outputs[0])
    fields.pop("asked", None)
    result = operator(*map(tensors.get, operator.inputs), **fields, **options)
    result = result if operator.single else result[0]
    return result if shape is None else result.reshape(shape)


def _refuse(function, **given):
    """Raises for parameters of torch's function that ours does not have; given: name=(value, the values that change nothing)."""
    for name, (value, plain) in given.items():
        if not any(value is p or type(value) in (int, float, bool) and value == p for p in plain):
            raise ValueError(f"{function}: {name} = {value!r} is not supported; use torch.nn.functional.{function}")


def _dim(function, dim):
    if dim is None:
        raise ValueError(f"{function}: dim is not given, and torch's choice for it depends on the number of dimensions; name one")
    return {"axis": dim}


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """As torch.nn.functional.softmax; dim must be given. dtype: the type that input is converted to first."""
    return _apply(functional.softmax, _dim("softmax", dim), input=input if dtype is None else input.to(dtype))


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """As torch.nn.functional.log_softmax; dim must be given. dtype: the type that input is converted to first."""
    return _apply(functional.log_softmax, _dim("log_softmax", dim), input=input if dtype is None else input.to(dtype))


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0, *, z_loss=0.0):
    """As torch.nn.functional.cross_entropy, for class indices; z_loss * logsumexp^2 is added to the loss of each sample.

    A mean over no samples is 0."""
    _refuse("cross_entropy", size_average=(size_average, (None,)), reduce=(reduce, (None,)))
    if target.is_floating_point():
        raise TypeError("cross_entropy: target has floating-point elements; give class indices")
    samples = input.shape[:1] + input.shape[2:] if input.dim() > 1 else ()
    if target.shape != samples:
        raise ValueError(f"cross_entropy: target has the shape {list(target.shape)}, expected {list(samples)} for an input of the shape {list(input.shape)}")
    parameters = {"ignore_index": ignore_index, "reduction": reduction}
    if not label_smoothing and not z_loss:
        parameters["class_axis"] = 1 if input.dim() > 1 else -1
        return _apply(functional.cross_entropy, parameters, scores=input, labels=target, weight=weight)
    input, weight = _cast("cross_entropy", {"input": input, "weight": weight}).values()
    scores = input.float() if input.dtype == torch.float16 else input  # the gradient of f16 is kept in f32: a loss scale comes with the gradient of the loss
    options = {"label_smoothing": label_smoothing, "z_loss": z_loss}
    scores = scores.movedim(1, -1) if input.dim() > 2 else scores
    return _apply(functional.cross_entropy_with_gradient, parameters, options, scores=scores, labels=target, weight=weight).to(input.dtype)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """As torch.nn.functional.embedding. Indices out of range give rows of zeros and no gradient."""
    _refuse("embedding", max_norm=(max_norm, (None,)), sparse=(sparse, (False,)))
    if padding_idx is not None:
        if not -weight.shape[0] <= padding_idx < weight.shape[0]:
            raise ValueError(f"embedding: padding_idx = {padding_idx} is not in [{-weight.shape[0]}, {weight.shape[0]}), weight having {weight.shape[0]} rows")
        padding_idx %= weight.shape[0]
    options = {"scale_grad_by_freq": int(scale_grad_by_freq)}
    return _apply(functional.embedding, {"padding_idx": padding_idx}, options, indices=input, weight=weight)


def _norm(function, input, normalized_shape, eps, **weights):
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if not shape or tuple(input.shape[-len(shape):]) != shape:
        raise ValueError(f"{function.__name__}: normalized_shape = {list(shape)} is not the end of the shape of input, {list(input.shape)}")
    return _apply(function, {"axis": -len(shape)}, {"epsilon": eps}, input=input, **weights)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """As torch.nn.functional.layer_norm."""
    return _norm(functional.layer_norm, input, normalized_shape, eps, gamma=weight, beta=bias)


def _epsilon(dtype):
    """torch's default for rms_norm of 16-bit elements: the epsilon of their type, or since it adds in f32, that of f32. The square of the element lies between."""
    tiny, own = torch.full((1,), 2.0 ** -7, dtype=dtype, device="cpu"), torch.finfo(dtype).eps
    return own if torch.nn.functional.rms_norm(tiny, (1,)).item() < 0.5 else torch.finfo(torch.float32).eps


_EPSILONS = {dtype: _epsilon(dtype) for dtype in (torch.float16, torch.bfloat16)}


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """As torch.nn.functional.rms_norm: eps is by default the epsilon of a type, for 16-bit inputs of the one that the installed torch takes."""
    if eps is None:
        eps = _EPSILONS[input.dtype] if input.dtype in _EPSILONS else torch.finfo(input.dtype).eps
    return _norm(functional.rms_norm, input, normalized_shape, eps, gamma=weight)


def _order(shape, strides):
    """The dimensions from the slowest to the fastest, as torch orders those of an elementwise result: by strides, then sizes; a stride of 0 says nothing."""
    order = list(range(len(shape)))
    for end in range(len(order) - 2, -1, -1):
        i = end
        for other in range(end + 1, len(order)):
            a, b = order[i], order[other]
            if strides[a] == 0 or strides[b] == 0:
                continue
            if (strides[a], shape[a]) < (strides[b], shape[b]):
                order[i], order[other], i = b, a, other
            elif strides[a] > strides[b]:
                break
    return order


def activation(input, function, **options):
    """function(input); see adjoint.activation. options: leaky_slope, quick_gelu_alpha, elu_alpha. The result has the layout of torch's elementwise functions."""
    if input.is_contiguous():
        return _apply(functional.activation, {"function": function}, options, input=input)
    order = _order(input.shape, input.stride())
    result = _apply(functional.activation, {"function": function}, options, input=input.permute(order))
    return result.permute(sorted(range(len(order)), key=order.__getitem__))


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """As torch.nn.functional.leaky_relu."""
    _refuse("leaky_relu", inplace=(inplace, (False,)))
    return activation(input, "leaky_relu", leaky_slope=negative_slope)


def gelu(input, approximate="none"):
    """As torch.nn.functional.gelu."""
    if approximate not in ("none", "tanh"):
        raise ValueError(f"gelu: approximate = {approximate!r} is not one of none, tanh")
    return activation(input, "gelu_tanh" if approximate == "tanh" else "gelu")


def elu(input, alpha=1.0, inplace=False):
    """As torch.nn.functional.elu."""
    _refuse("elu", inplace=(inplace, (False,)))
    return activation(input, "elu", elu_alpha=alpha)


def softplus(input, beta=1.0, threshold=20.0):
    """As torch.nn.functional.softplus for beta = 1. Beyond the threshold torch returns input; ours is exact there too."""
    _refuse("softplus", beta=(beta, (1,)), threshold=(threshold, (20,)))
    return activation(input, "softplus")


def sigmoid(input):
    """As torch.sigmoid."""
    return activation(input, "sigmoid")


def tanh(input):
    """As torch.tanh."""
    return activation(input, "tanh")


def relu(input, inplace=False):
    """As torch.nn.functional.relu."""
    _refuse("relu", inplace=(inplace, (False,)))
    return activation(input, "relu")


def silu(input, inplace=False):
    """As torch.nn.functional.silu."""
    _refuse("silu", inplace=(inplace, (False,)))
    return activation(input, "silu")


def mish(input, inplace=False):
    """As torch.nn.functional.mish."""
    _refuse("mish", inplace=(inplace, (False,)))
    return activation(input, "mish")


def hardswish(input, inplace=False):
    """As torch.nn.functional.hardswish."""
    _refuse("hardswish", inplace=(inplace, (False,)))
    return activation(input, "hard_swish")


def gated_activation(input, function, *, interleaved=False, gate_second=False):
    """f(gate) * linear of the halves of the last dimension; see adjoint.gated_activation."""
    return _apply(functional.gated_activation, {"function": function, "interleaved": interleaved}, {"gate_second": int(gate_second)}, input=input)


def swiglu(input, **options):
    """silu(gate) * linear of input [..., 2 n]."""
    return gated_activation(input, "swiglu", **options)


def geglu(input, **options):
    """gelu(gate) * linear of input [..., 2 n]."""
    return gated_activation(input, "geglu", **options)


def dropout(input, p=0.5, training=True, inplace=False, *, seed=None, offset=0):
    """As torch.nn.functional.dropout. Without a seed one is drawn from torch's generator of the CPU.

    seed, offset: what is dropped depends on them and on the position alone. offset is a multiple of 4."""
    _refuse("dropout", inplace=(inplace, (False,)))
    if not 0 <= p <= 1:
        raise ValueError(f"dropout: p = {p!r} is not in [0, 1]")
    if offset % 4:
        raise ValueError(f"dropout: offset = {offset} is not a multiple of 4, the numbers that the generator makes at once")
    if not training or p == 0:
        return input
    if p == 1:
        return input * torch.zeros((), dtype=input.dtype, device=input.device)
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
        for i, parameter in enumerate(self.param_groups[-1]["params"]):
            if hasattr(parameter, "to_local"):
                raise ValueError(f"AdamW: params[{i}] is a {type(parameter).__name__}, whose parts are on several devices; use torch.optim.AdamW")
        check_parameters(self.param_groups[-1]["params"])

    @torch.no_grad()
    def step(self, closure=None):
        with torch.enable_grad():
            loss = closure and closure()
        kept = self.__dict__.setdefault("_updates", [])  # torch's optimizers copy and pickle the state and the groups alone
        kept.extend(Updates() for _ in self.param_groups[len(kept):])
        for group, updates in zip(self.param_groups, kept):
            entries = [(p, p.grad, self.state[p]) for p in group["params"] if p.grad is not None]
            updates.step(entries, float(group["lr"]), tuple(group["betas"]), group["eps"], group["weight_decay"], -1.0 if group.get("maximize") else 1.0)
        return loss
