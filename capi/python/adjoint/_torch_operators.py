"""Operators of torch: torch.ops.adjoint has every operator of the library that works on tensors alone."""
import struct
from contextlib import nullcontext
from math import prod

import torch
from torch._functorch.utils import enable_single_level_autograd_function
from torch.autograd import forward_ad
from torch.utils.flop_counter import register_flop_formula

from ._arrays import AWAY, Torch, library_of
from ._call import KEPT_CALLS, Function, flat, frozen
from ._generated import GRADIENTS, Gradient
from ._gradients import arguments_of, counts, fields_of, sources_of
from ._library import Error
from ._operators import NUMBERS, operator_of
from . import _torch_compiled

_library = torch.library.Library("adjoint", "DEF")
_ops = torch.ops.adjoint


class _Fakes(Torch):
    """Tensors without contents. evaluate: a function from a size to a number."""

    def __init__(self, evaluate=int):
        super().__init__()
        self.evaluate = evaluate

    def look(self, a, owners=None, handle=None):
        return (tuple(map(self.evaluate, a.shape)), a.dtype, -1, True, True), 0


_torch = library_of(torch.empty(0))
_NOTHING = nullcontext()
_transforms, grad_enabled = torch._C._are_functorch_transforms_active, torch.is_grad_enabled
_modes, _tracing, _profiled = torch._C._len_torch_dispatch_stack, torch._C._get_tracing_state, torch.autograd._profiler_enabled
batched = torch._C._functorch.is_legacy_batchedtensor  # of torch.autograd.grad(is_grads_batched=True)
_inner = torch._C._functorch.unwrap_if_dead  # of a tensor that a transform wrapped which has ended, as before a call of what torch.func.vjp returned
_CONSTANTS = {int, float, str, bool, list, tuple, torch.dtype}  # types of keywords, whose values say what they are
_PLAIN = {torch.Tensor, torch.nn.Parameter}
_TYPES = {"i64": "SymInt", "i32": "int", "dtype": "ScalarType", "f64": "float", "i64_list": "SymInt[]", "shape": "SymInt[]", "axes": "int[]",
          "f64_list": "float[]"}
ALIGNMENT = 16  # bytes, of what some kernels read: a view of a tensor may begin anywhere
_ELEMENTWISE = {"activation_forward", "activation_backward"}
# Fields that operators of torch do not have. It adds gradients and counts offsets itself, and has no lists of results beside arguments that are written.
SKIPPED = {"write_mode", "advance_offset", "out_of_place", "updates_mode", "keep_params"}


class Fields:
    """The keywords of a call. Calls with the same object are of one problem where their tensors have the same shapes and types.

    saved: what the gradient takes, by the shapes of the tensors. plain: whether only tensors are read and made. tails: what follows the tensors in a
    call of the compiled kernel, by their count; None where it does not serve."""
    __slots__ = ("given", "saved", "plain", "tails")

    def __init__(self, given, plain=False, tails=None):
        self.given, self.saved, self.plain, self.tails = given, {}, plain, tails


class Saved:
    """What the gradient of a call takes: names of tensors, numbers and fields. picks: which argument or result each tensor is. shapes: of the arguments.
    results: the shape of each result. plans: its calls, by which gradients are wanted and which came."""

    def __init__(self, sources, names, numbers, fields):
        self.sources, self.names, self.numbers, self.fields, self.plans = sources, names, numbers, fields, {}


class BackwardPlan:
    """A call of a gradient. args: the place of each argument among what was saved and what came. absent: places of gradients that are zeros. wanted: the place
    of each wanted result. shapes: what results are to have, None for one that has its shape."""
    __slots__ = ("args", "absent", "wanted", "fields", "shapes")

    def __init__(self, args, absent, wanted, fields):
        self.args, self.absent, self.wanted, self.fields, self.shapes = args, absent, wanted, fields, None


class Operator:
    """An operator of the library as an operator of torch: torch.ops.adjoint.NAME(inputs, *, fields).

    A scalar x is the number x or the tensor x_tensor. An optional output is asked for by the flag of its name, and is an empty tensor without. Outputs that
    a gradient needs are there always."""

    def __init__(self, name):
        self.operator = operator = operator_of(name)
        self.pair = pair = GRADIENTS.get(name, Gradient())
        self.gradient = OPERATORS[pair.operator] if pair.operator else None
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
        self.taken = {k + "_" * (k == "mode" and updates): k for k in operator.keywords if k not in SKIPPED}
        self.declared = [*[operator.fields[k] for k in self.taken.values()], *[self.gradient.operator.fields[k] for k in pair.taken]]
        schema = self.schema(arguments)
        _library.define(f"{name}({schema})")
        self.function = Function(operator, lambda given: {"asked": self.saves}, (), tuple(a.name for a in self.returned))
        self.function.known = [*self.positional, *self.taken, *pair.taken]
        self.places = [(a.name, a.role == "in", a.kind == "list") for a in self.function.arguments]
        self.scalars, self.lists = [a.name for a in operator.scalars], any(a.kind == "list" for a in arguments)
        _library.impl(name, self.run, "CompositeExplicitAutograd")
        torch.library.register_fake(f"adjoint::{name}", self.fake, lib=_library)
        self.op, self.outputs, self.known = getattr(_ops, name).default, [a.name for a in self.returned], {}
        self.upstream = ["d" + n for n in self.outputs]
        self.plain = not self.mutable and not self.lists and all([a.kind == "tensor" for a in self.returned])
        self.single = len(self.returned) == 1 and self.returned[0].kind == "tensor"
        self.problems, self.compiled, self.recordable, self.kernel = {}, None, set(), None
        if _torch_compiled.lib is not None:
            self.compiled = _torch_compiled.Compiled(self, arguments, schema)
        self.prepared = self.compiled.prepared if self.compiled is not None and not self.mutable else None
        self.writes = [a.role == "in/out" for a in arguments]
        if self.mutable and self.compiled is not None:
            _library.impl(name, self.counted, "ADInplaceOrView", with_keyset=True)
        if not self.mutable:
            # The dispatcher calls the kernel of autograd once for each level of torch.func.
            self.recorded = type(name, (torch.autograd.function._SingleLevelFunction,), {
                "forward": staticmethod(self.forward), "backward": staticmethod(self.backward)}).apply
            self.recorded_plain = type(name, (torch.autograd.function._SingleLevelFunction,), {
                "forward": staticmethod(self.forward_plain), "backward": staticmethod(self.backward)}).apply
            if self.prepared is not None and _torch_compiled.known is not None and self.plain:
                self.kernel = _torch_compiled.Kernel(self)
            _library.impl(name, self.call if self.kernel is None else self.kernel.call, "Autograd")
            if self.plain:
                torch.library.register_vmap(f"adjoint::{name}", self.batched, lib=_library)

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
        keywords = [*self.taken, *self.pair.taken]
        parts += [f"{'str' if field.choices else _TYPES[field.kind]}? {keyword}=None" for keyword, field in zip(keywords, self.declared)]
        results = ["Tensor" + "[]" * (a.kind == "list") for a in self.returned]
        return f"{', '.join(parts)}) -> ({', '.join(results)}"

    def __call__(self, *args, **given):
        """As the operator of torch. It costs no dispatch where nobody but autograd looks on."""
        return self.op(*args, **given) if watched() else self.quiet(args, self.fields(given))

    def call(self, *args, **given):
        """The kernel of autograd."""
        fields = self.fields(given)
        results = self.recorded_or_below(args, fields)
        if self.kernel is not None:
            self.kernel.keep(args, fields)
        return results

    def fields(self, given):
        """The Fields of these keywords: one object for those that are equal, where they are numbers, texts and types alone."""
        key = []
        for name, value in given.items():
            kind = type(value)
            if kind is not int and kind is not str and value is not None:
                if kind not in _CONSTANTS or kind in (list, tuple) and not all([type(v) in (int, float) for v in value]):
                    return Fields(given)
                value = frozen(value)
            key.append((name, value))
        key = tuple(key)
        found = self.known.get(key)
        if found is None:
            if len(self.known) >= KEPT_CALLS:
                self.known.clear()
            plain = self.plain and all([given.get(name) is None for name in self.scalars])
            rest = tuple([item for item in key if item[0] not in self.scalars])
            if len(self.problems) >= KEPT_CALLS:
                self.problems.clear()
            problem = self.problems.get(rest)
            if problem is None:
                problem = self.problems[rest] = _torch_compiled.problem()
            numbers, width = tuple(map(given.get, self.scalars)), len(self.positional)
            tails = [(*[None] * (width - n), *numbers, problem) for n in range(width + 1)] if self.prepared is not None else None
            found = self.known[key] = Fields(given, plain, tails)
        return found

    def recorded_or_below(self, args, fields):
        """The call, with a gradient where one is asked for."""
        if forward_ad._current_level >= 0 or grad_enabled() and self.tracked(args):
            with enable_single_level_autograd_function() if _transforms() else _NOTHING:
                return self.recorded(fields, *args)
        return self.below(args, fields)

    def quiet(self, args, fields):
        """recorded_or_below, where nobody but autograd looks on."""
        is_recorded, is_plain = False, True
        for a in args:
            if a is not None:
                kind = type(a)
                if kind is list or kind is tuple:
                    is_plain, is_recorded = False, is_recorded or any([t.requires_grad for t in a])
                    continue
                is_recorded = is_recorded or a.requires_grad
                if kind not in _PLAIN or a.is_meta or batched(a):
                    is_plain = False
        if forward_ad._current_level >= 0 or is_recorded and grad_enabled():
            return (self.recorded_plain if is_plain else self.recorded)(fields, *args)
        return self.compute(args, fields) if is_plain else self.below(args, fields)

    def tracked(self, args):
        """Whether a gradient is recorded for one of the tensors."""
        for a in flat(args) if self.lists else args:
            if a is not None and a.requires_grad:
                return True
        return False

    def below(self, args, fields):
        """The call without a gradient. Whatever watches torch's operators sees it, and so do lists, tensors with a dispatch of their own and those on meta."""
        if _modes() or _transforms() or not all([a is None or type(a) in _PLAIN and not a.is_meta and not batched(a) for a in args]):
            if any([hasattr(a, "device_mesh") for a in args]):
                from . import _torch_parts  # imports torch.distributed.tensor
                return _torch_parts.call(self, args, fields.given)
            with torch._C._AutoDispatchBelowAutograd():
                return _torch_compiled.dispatched(self.op, args, fields.given)
        return self.compute(args, fields)

    def counted(self, keys, *args, **given):
        """The kernel that counts the writes of a compiled call, which autograd compares."""
        with torch._C._AutoDispatchBelowADInplaceOrView():
            results = _torch_compiled.dispatched(self.op.redispatch, (keys & torch._C._after_ADInplaceOrView_keyset, *args), given)
        _torch.wrote([a for a in flat([a for a, is_written in zip(args, self.writes) if is_written])])
        return results

    def batched(self, info, dims, *args, **given):
        """torch.func.vmap: elementwise operators take the batch as one more dimension, others are called for each sample."""
        count = info.batch_size
        args = [a if d is None else a.movedim(d, 0) for a, d in zip(args, dims)]
        shapes = {a.shape[d is not None:] for a, d in zip(args, dims) if a is not None}
        if count and self.operator.name in _ELEMENTWISE and len(shapes) == 1 and () not in shapes and not given.get("has_dbias"):
            results = self.op(*[a if a is None or d is not None else a.expand(count, *a.shape) for a, d in zip(args, dims)], **given)
        elif count:
            each = [self.op(*[a if d is None else a[i] for a, d in zip(args, dims)], **given) for i in range(count)]
            results = torch.stack(each) if self.single else tuple(map(torch.stack, zip(*each)))
        else:  # the results of a sample of which nothing is known but the shape
            one = self.op(*[a if a is None else torch.empty_like(a if d is None else a.new_empty(a.shape[1:]), device="meta") for a, d in zip(args, dims)], **given)
            made = [torch.empty(0, *r.shape, dtype=r.dtype, device=next(a for a in args if a is not None).device) for r in ((one,) if self.single else one)]
            results = made[0] if self.single else tuple(made)
        return results, 0 if self.single else (0,) * len(results)

    def values(self, args, given):
        """What a call is given, by the names of the library's operator."""
        found = dict(zip(self.positional, args))
        found.update(given)
        for name in self.scalars:
            if found.get(name) is None:
                found[name] = found.get(name + "_tensor")
            elif found.get(name + "_tensor") is not None:
                self.operator.fail(f"{name} and {name}_tensor are both given; give one of them")
        return found

    def request(self, args, given):
        """(arrays, scalars, fields) of a call. Tensors that are only read are contiguous, and aligned for every kernel."""
        values, arrays = self.values(args, given), []
        for name, is_read, is_list in self.places:
            a = values.get(name)
            if a is False:
                a = None
            elif a is not None and is_read:
                a = tuple(map(_settled, a)) if is_list else _settled(a)
            elif is_list and a is not None and a is not True:
                a = tuple(a)
            arrays.append(a)
        fields = {self.taken[k]: v for k, v in given.items() if k in self.taken and v is not None}
        return tuple(arrays), tuple(map(values.get, self.scalars)), fields

    def run(self, *args, **given):
        """The kernel that computes."""
        return self.compute(args, self.fields(given))

    def compute(self, args, fields):
        if fields.tails is not None:
            try:
                return self.prepared(*args, *fields.tails[len(args)])
            except RuntimeError as missed:
                return self.compiled.missed(missed, args, fields)
        if not fields.plain or len(args) > len(self.inputs):
            return self.at_length(args, fields.given)
        handle, tensors, addresses, key = _torch.stream(args[0]) if args[0] is not None else AWAY, [], [], [fields]
        for a in args:
            if a is None:
                address = 0
                key.append(None)
            else:
                a = a.contiguous()
                address = a.data_ptr()
                key.append((a.shape, a.dtype, a.get_device()))
                if not address or address % ALIGNMENT and a.is_cuda or a.is_neg():
                    return self.at_length(args, fields.given)
            tensors.append(a)
            addresses.append(address)
        if handle is AWAY:
            return self.at_length(args, fields.given)
        key.append(handle)
        found = self.function.again(tuple(key), _torch, tensors, addresses, lambda: self.request(args, fields.given))
        return found if self.single and found is not None else self.complete(found if len(self.returned) > 1 else (found,), args)

    def at_length(self, args, given):
        """The call, with a look at everything."""
        arrays, scalars, fields = self.request(args, given)
        with self.unrecorded(args):
            results = self.function(arrays, scalars, fields)
        return results if self.single and results is not None else self.complete(results if len(self.returned) > 1 else (results,), arrays)

    def prepare(self, args, given):
        """The prepared call of a call that has been made."""
        with self.unrecorded(args):
            return self.function(*self.request(args, given), verb="again").call

    def unrecorded(self, args):
        return torch.no_grad() if not self.mutable and grad_enabled() and self.tracked(args) else _NOTHING

    def complete(self, results, arrays):
        """The results, with something in place of those that are absent: an operator of torch has always as many."""
        found = [r if r is not None else torch.empty(0, dtype=torch.uint8, device=flat(arrays)[0].device) if a.kind == "tensor" else []
                 for a, r in zip(self.returned, results)]
        return tuple(found) if len(found) > 1 else found[0] if found else None

    def fake(self, *args, **given):
        arrays, scalars, fields = self.request(args, given)
        places = {str(a.device) for a in flat(arrays)}
        places |= {str(a.device) for a in scalars if isinstance(a, torch.Tensor) and a.is_meta}  # a number in ordinary memory goes with any device
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

    def forward(self, ctx, fields, *args):
        needed = ctx.needs_input_grad
        if self.lists or needed not in self.recordable:
            self.check_recordable(args, needed)
            self.recordable.add(needed)
        if _transforms():  # the levels around this one record their own gradients
            with torch.enable_grad(), forward_ad._set_fwd_grad_enabled(True):
                output = self.below(args, fields)
        else:
            output = self.below(args, fields)
        if self.sources:
            self.save(ctx, fields, args, output if isinstance(output, tuple) else (output,))
        return output

    def forward_plain(self, ctx, fields, *args):
        """forward of tensors that nobody but autograd looks at."""
        needed = ctx.needs_input_grad
        if needed not in self.recordable:
            self.check_recordable(args, needed)
            self.recordable.add(needed)
        output = self.compute(args, fields)
        if self.sources:
            self.save(ctx, fields, args, (output,) if self.single else output, tuple([None if a is None else a.shape for a in args]))
        return output

    def check_recordable(self, args, needed):
        """Refuses inputs in which the operator has no gradient."""
        for argument, a in zip(self.operator.inputs, args) if self.lists else ():
            if type(a) is list and any(t.requires_grad for t in a):
                self.operator.fail(f"{argument.name} has a tensor that requires grad, and the operator records no gradient; use torch.no_grad() or detach()")
        constants = any([a.kind == "list" for a in self.returned])  # autograd would take the results for constants
        for name, is_needed in zip(self.positional, needed[1:]):
            if is_needed and constants:
                self.operator.fail(f"{name} requires grad, and the operator records no gradient; use torch.no_grad() or detach()")
            if is_needed and self.sources and name not in self.differentiable:
                self.operator.fail(f"{name} requires grad, and the gradient of the operator has none in it; give {name}.detach()")

    def save(self, ctx, fields, args, results, key=None):
        """Keeps what the gradient takes. Which values those are follows from the fields, and from key, the shapes of the arguments where these are numbers."""
        saved = fields.saved.get(key) if key is not None else None
        if saved is None:
            saved = self.saved(fields, args, results)
            if key is not None:
                if len(fields.saved) >= KEPT_CALLS:
                    fields.saved.clear()
                fields.saved[key] = saved
        ctx.saved = saved
        ctx.set_materialize_grads(False)
        if not self.single:
            ctx.dtypes = [r.dtype for r in results]
        ctx.save_for_backward(*[results[i] if is_result else args[i] for is_result, i in saved.picks])

    def saved(self, fields, args, results):
        have, given = dict(zip(self.positional, args)), fields.given
        have.update(zip(self.outputs, map(present, results)))
        have.update(self.values(args, given))
        sources, modes = sources_of(self.pair, have.get, self.upstream)
        for a in self.gradient.operator.inputs if self.gradient else ():
            if a.presence == "required" and a.name not in sources and counts(self.pair, a.name, have.get):
                self.operator.fail(f"a tensor requires grad, and the gradient takes {' or '.join(self.pair.inputs[a.name])}, which is not given")
        names = [n for n in dict.fromkeys(sources.values()) if n not in self.upstream]
        taken = [k for k in self.gradient.taken.values() if given.get(k) is not None and counts(self.pair, k, have.get)] if self.gradient else []
        tensors = [n for n in names if isinstance(have[n], torch.Tensor)]
        numbers = {n: have[n] for n in names if n not in tensors}
        saved = Saved(sources, tensors, numbers, {**{k: given[k] for k in taken}, **modes, **fields_of(self.pair, have.get)})
        saved.picks = [(True, self.outputs.index(n)) if n in self.outputs else (False, self.positional.index(n if n in self.positional else n + "_tensor"))
                       for n in tensors]
        saved.shapes, saved.results = [None if t is None else t.shape for t in args], [r.shape for r in results if isinstance(r, torch.Tensor)]
        return saved

    def backward(self, ctx, *grads):
        if not self.sources:
            raise RuntimeError(f"adjoint::{self.operator.name} has no gradient; those of the library cannot be differentiated again")
        needed, saved = ctx.needs_input_grad, getattr(ctx, "saved", None)
        if saved is None or (needed, tuple([g is None for g in grads])) not in saved.plans:
            for name, upstream, grad in zip(self.outputs, self.upstream, grads):
                if grad is not None and upstream not in self.sources:
                    raise RuntimeError(f"adjoint::{self.operator.name} has no gradient in its result {name}; detach() it. Gradients cannot be differentiated again")
            if all([g is None for g in grads]):
                return (None,) * len(needed)
        return self.differentiated(saved, needed, ctx.saved_tensors, grads, None if self.single else ctx.dtypes)

    def differentiated(self, saved, needed, tensors, grads, dtypes):
        """The gradients of a call, of the tensors that it saved and those of its results. needed: which are wanted. dtypes: of the results."""
        pool, gradient = [*map(_inner, tensors), *grads], self.gradient
        if gradient is None:  # it came with the loss, and is scaled here
            have = dict(zip([*saved.names, *self.upstream], pool))
            upstream = have["dloss"]
            scaled = None if upstream is None else have["dscores"] * upstream.reshape(*(have["dscores"].shape[:-1] if upstream.numel() != 1 else ()), 1)
            return None, scaled, *[None] * (len(saved.shapes) - 1)
        absent = tuple([g is None for g in grads])
        plan = saved.plans.get((needed, absent))
        if plan is None:
            plan = saved.plans[needed, absent] = self.backward_plan(saved, pool, needed[1:])
        for i in plan.absent:
            i_result = i - len(saved.names)
            pool[i] = torch.zeros(saved.results[i_result], dtype=dtypes[i_result], device=next(g for g in grads if g is not None).device)
        args = [None if i is None else pool[i] for i in plan.args]
        results = gradient.op(*args, **plan.fields.given) if watched() else gradient.quiet(args, plan.fields)
        if gradient.single:
            results = (results,)
        if plan.shapes is None:
            plan.shapes = [shape if i is not None and results[i].shape != shape else None for i, shape in zip(plan.wanted, saved.shapes)]
        return None, *[None if i is None else results[i] if shape is None else results[i].reshape(shape) for i, shape in zip(plan.wanted, plan.shapes)]

    def backward_plan(self, saved, pool, needed):
        names = [*saved.names, *self.upstream]
        have = {**saved.numbers, **dict(zip(names, pool))}
        gradient, given, absent, sources = self.gradient, dict(saved.fields), [], {}
        wanted = [self.pair.outputs[n] if is_needed and n in self.pair.outputs else None for n, is_needed in zip(self.positional, needed)]
        given.update((flag, int(flag[4:] in wanted)) for flag in gradient.taken.values() if flag.startswith("has_d"))
        given.update((r, True) for r in wanted if r is not None and gradient.operator.by_name[r].presence == "optional")
        for name, source in arguments_of(self.pair, saved.sources, have, dict(given)):
            value = have.get(source)
            if value is None and (gradient.operator.by_name[name].presence == "required" or given.get(self.pair.conditions.get(name))):
                absent.append(names.index(source))
            if value is not None or source in names and names.index(source) in absent:
                if isinstance(value, torch.Tensor) or value is None:
                    sources[name + "_tensor" * (name not in gradient.positional)] = names.index(source)
                else:
                    given[name] = value
        places = [None if r is None else gradient.outputs.index(r) for r in wanted]
        return BackwardPlan([sources.get(n) for n in gradient.positional], absent, places, gradient.fields(given))


def watched():
    """Whether somebody beside autograd looks on at torch's operators, so that a call must go through torch's dispatcher."""
    return torch.compiler.is_dynamo_compiling() or _transforms() or _modes() or _profiled() or _tracing() is not None


def _settled(tensor):
    """The tensor, or a copy of one that is not contiguous or not aligned."""
    tensor = tensor.contiguous()
    return tensor.clone() if type(tensor) in _PLAIN and tensor.is_cuda and tensor.data_ptr() % ALIGNMENT else tensor


def _number(value):
    """A field whose sizes are numbers; a symbol becomes one, and torch remembers that."""
    return [*map(_number, value)] if isinstance(value, (list, tuple)) else int(value) if isinstance(value, torch.SymInt) else value


def _made(kind, views, library, arrays):
    """Tensors of these Views: a list where kind is one, None for none."""
    def make(view):
        return view and library.maker(view.shape, view.dtype, flat(arrays)[0], False)()
    return [make(view) for view in views] if isinstance(kind, list) else make(views)


def present(result):
    """None for an output that is absent."""
    return None if isinstance(result, torch.Tensor) and result.dtype == torch.uint8 and result.numel() == 0 else result


def _tensors_alone(operator):
    """True for an operator that torch's dispatcher can know: no handles, no functions, and tensors to begin with."""
    kinds, fields = {a.kind for a in operator.arguments}, {f.kind for f in operator.fields.values()}
    begins = [a for a in operator.arguments if a.kind in ("tensor", "list") and a.role != "out" and (a in operator.inputs or a.presence == "required")]
    return begins and "handle" not in kinds and fields <= set(_TYPES) and any(a.role != "in" for a in operator.arguments if not a.host)


OPERATORS = {}
for _name in sorted(filter(lambda n: _tensors_alone(operator_of(n)), NUMBERS), key=lambda n: n in GRADIENTS):  # gradients first
    OPERATORS[_name] = Operator(_name)
if _torch_compiled.lib is not None:
    _torch.adam = _torch_compiled.Adam(OPERATORS["adam"])


# ---- products, as torch counts them


@register_flop_formula(torch.ops.adjoint.matmul)
def _matmul_flops(a, b, *shapes, transpose_a=None, transpose_b=None, out_shape=None, **fields):
    rows, columns = (prod(a[:-2]) * a[-1], a[-2]) if transpose_a else (prod(a[:-1]), a[-1])
    return 2 * rows * columns * b[-2 if transpose_b else -1]


def _attention_flops(q, products):
    """Of all queries and keys, as torch counts them: without regard to which keys a query meets."""
    batch, tokens, heads, head_dim = q if len(q) == 4 else (1, *q)
    return products * 2 * batch * heads * tokens * tokens * head_dim


@register_flop_formula(torch.ops.adjoint.attention_forward)
def _attention_forward_flops(q, *shapes, out_shape=None, **fields):
    return _attention_flops(q, 2)


@register_flop_formula(torch.ops.adjoint.attention_backward)
def _attention_backward_flops(dout, q, *shapes, out_shape=None, **fields):
    return _attention_flops(q, 5)
