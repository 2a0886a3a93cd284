"""The kernels of torch's operators in compiled code, libadjoint_torch.so: the calls that are known. The first call of each problem is made in Python."""
import ctypes
import os
import threading
from collections import namedtuple
from itertools import count
from operator import itemgetter

import torch
from torch.autograd import forward_ad

from . import _call
from ._adapter import path_of

OLDEST = (2, 10)  # of torch's stable C interface, with lists and texts
_NUMBERS = count(1)  # of problems
_PLAIN = {torch.Tensor, torch.nn.Parameter}
_raised = threading.local()  # wanted: whether a caller asks for the error of a call that the package could not make for a kernel. error: that


def _open():
    """The adapter's functions; or None and why it is not there."""
    wanted = os.environ.get("ADJOINT_TORCH_OPERATORS", "")
    if wanted not in ("", "compiled", "python"):
        raise ImportError(f"ADJOINT_TORCH_OPERATORS = {wanted!r} is not compiled or python")
    if wanted == "python":
        return None, "ADJOINT_TORCH_OPERATORS is python"
    why = ""
    if tuple(map(int, torch.__version__.split(".")[:2])) < OLDEST:
        why = f"PyTorch is {torch.__version__}, and compiled operators need {'.'.join(map(str, OLDEST))}"
    else:
        try:
            found = ctypes.CDLL(path_of("torch"))
            found.adj_torch_start.restype = ctypes.c_char_p
            missing = found.adj_torch_start()
            why = missing and f"this process's torch has no {missing.decode()}"
        except (ImportError, OSError) as problem:
            why = str(problem)
    if why and wanted:
        raise ImportError(f"ADJOINT_TORCH_OPERATORS is compiled: {why}")
    return (None, why) if why else (found, "")


lib, WHY_NOT = _open()
if lib is not None:
    _libraries = torch.library.Library("adjoint_at_length", "DEF"), torch.library.Library("adjoint_prepared", "DEF")
    lib.adj_torch_take.restype, lib.adj_torch_take.argtypes = ctypes.c_void_p, (ctypes.c_uint64,)
    lib.adj_torch_drop.restype, lib.adj_torch_drop.argtypes = None, (ctypes.c_void_p,)
    lib.adj_torch_register.restype = ctypes.c_int64
    lib.adj_torch_fail.restype = lib.adj_torch_forget.restype = None
    lib.adj_torch_fail.argtypes = (ctypes.c_char_p,)
    lib.adj_torch_prepare.restype = ctypes.c_void_p
    lib.adj_torch_prepare.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64, ctypes.c_uint64, *[ctypes.c_void_p, ctypes.c_int64] * 3)
    lib.adj_torch_keep.restype, lib.adj_torch_keep.argtypes = None, (ctypes.c_void_p, ctypes.c_void_p)
    _call.FORGET.append(lib.adj_torch_forget)


Functions = namedtuple("Functions", "caller kernel keep_function keep_call record is_left bind is_plain_state keep_inference")


def _functions():
    """The functions that make calls known, see from_python.hpp. None where the process has not what they need."""
    try:
        _C, sample = torch._C, torch.empty(1, device="cpu")
        objects = (torch.Tensor, torch.nn.Parameter, torch.Size, torch.dtype, torch.Tensor.is_neg, getattr(torch.Tensor, "has_names", None), _C._len_torch_function_stack, torch.autograd._profiler_enabled,
                   _C._increment_version, vars(forward_ad), sample, _C._aoti.unsafe_alloc_void_ptr_from_tensor(sample))
        start = ctypes.PyDLL(path_of("torch")).adj_torch_functions
        start.restype, start.argtypes = ctypes.py_object, (ctypes.py_object,)
        found = start(objects)
    except (AttributeError, ValueError):
        return None
    if found is None:
        return None
    found = Functions(*found)
    if found.is_plain_state():
        with torch.inference_mode():
            found.keep_inference()
    return found


known = _functions() if lib is not None else None


class Caller:
    """Known calls of a function. call: makes one, with all arguments of the function, and returns None for another. tensors: the position of each tensor of the
    operator among the arguments."""
    __slots__ = ("call", "number", "tensors")

    def __init__(self, **tensors):
        self.tensors, (self.call, self.number) = tensors, (lambda *_: None, 0) if known is None else known.caller(True)

    def keep(self, operator, problem, args, shape, apply):
        """Makes the call known that was left last. args: its tensors, in the order of the operator."""
        positions = tuple([self.tensors.get(name, -1) for name in operator.inputs])
        known.keep_function(self.number, operator.compiled.number, problem, tuple(args), positions, shape, apply, False)

    def has_left(self):
        """Whether this thread's last call was left, and may be kept."""
        return known is not None and known.is_left(self.number)


def keep_call(function, call, request):
    """Makes a call of a function outside adjoint.torch known, if it is one of tensors alone."""
    if function.caller is None:
        function.caller, function.number = known.caller(False)
        return
    made = [i for i, _, _ in call.make]
    if not known.is_left(function.number) or call.lists or any([function.arguments[i].host for i in made]):
        return
    places = [(place, i) for i, (place, a) in enumerate(zip(call.places, request.arrays)) if place and i not in made]
    arrays = [(2, made.index(i)) if i in made else (0, 0) if a is None or a is True else (1, i) for i, a in enumerate(request.arrays)]
    collect = call.collect
    if type(collect) is itemgetter:
        arrays, collect = [collect(arrays)], None
    flat = lambda pairs: tuple([n for two in pairs for n in two])  # noqa: E731
    known.keep_call(function.number, _prepared(call, made), flat(places), tuple(call.written), flat(arrays), collect)


class Kernel:
    """The kernel of autograd of an operator of torch. call: makes known calls; others are the operator's."""
    __slots__ = ("operator", "call", "number")

    def __init__(self, operator):
        self.operator, (self.call, self.number) = operator, known.kernel(operator.call)

    def keep(self, args, fields):
        """Makes the call known that was left last, if no number is among its arguments."""
        operator, tail = self.operator, fields.tails and fields.tails[len(args)]
        if known.is_left(self.number) and tail is not None and len(args) <= len(operator.inputs) and all([n is None for n in tail[:-1]]):
            absent = (None,) * (len(operator.inputs) - len(args))
            known.keep_function(self.number, operator.compiled.number, tail[-1], (*args, *absent), tuple(range(len(operator.inputs))), None, None, True)


def bound(bound, stream, arrays, written, result):
    """A function that makes a bound call whose arrays are in their memory, and returns its result, else None; or None where there is none."""
    return known.bind(bound, stream, tuple(arrays), tuple(written), result)


class Compiled:
    """The kernel of an operator. prepared: the operator that takes the number of a problem in place of fields."""

    def __init__(self, operator, arguments, schema):
        """operator: that of torch. arguments: its tensors and numbers. schema: its parameters and results."""
        self.operator, name = operator, operator.operator.name
        scalars = operator.operator.scalars
        self.order = [[a.name for a in operator.function.arguments].index(a.name) for a in operator.returned]
        tensors = [self._letter(a, a in scalars) for a in arguments]
        numbers = [("r" if a.kind == "random" else "s", False, a.offset // 8) for a in scalars]
        flags = [("B", False, 0) for n in operator.optional if n not in operator.saves]
        fields = [("x" if f.choices else "n" if f.kind in ("i64_list", "f64_list", "shape", "axes") else "w", False, 0) for f in operator.declared]
        self.results = "".join("L" if a.kind == "list" else "T" for a in operator.returned)
        at_length, prepared = _libraries
        self.mixed = len(set(self.results)) > 1  # torch 2.15 and earlier take the results of such a call for those of the opposite order
        lists = ", ".join(["Tensor[]"] * len(self.results))
        at_length.define(f"{name}({schema.partition(' -> ')[0]} -> ({lists})" if self.mixed else f"{name}({schema})")
        at_length.impl(name, self.first, "CompositeExplicitAutograd")
        self._register("adjoint", [*tensors, *numbers, *flags, *fields], f"adjoint_at_length::{name}")
        parts = [f"Tensor{'[]' * (a.kind == 'list')}{'?' * (letter[0] not in 'TL')} {p}" for a, letter, p in zip(arguments, tensors, operator.positional)]
        parts += [f"{'float' if a.kind == 'scalar' else 'int[]'}? {a.name}" for a in scalars]
        results = ", ".join("Tensor" + "[]" * (a.kind == "list") for a in operator.returned)
        parts += ["int problem"] + ["bool check"] * operator.mutable
        prepared.define(f"{name}({', '.join(parts)}) -> ({results})")
        self.number = self._register("adjoint_prepared", [*tensors, *numbers, ("k", False, 0), *[("q", False, 0)] * operator.mutable], "")
        prepared.impl(name, torch.library.fallthrough_kernel, "Autograd")  # a call costs less without torch's own
        self.prepared = getattr(torch.ops.adjoint_prepared, name).default._op

    @staticmethod
    def _letter(a, scalar):
        required = a.presence == "required"
        letter = ("R" if a.kind == "random" else "S") if scalar else ("L" if required else "l") if a.kind == "list" else "T" if required else "t"
        return letter, a.role == "in", a.offset // 8

    def _register(self, space, given, at_length):
        letters, read_only, places = zip(*given)
        operator = self.operator
        number = lib.adj_torch_register(space.encode(), operator.operator.name.encode(), "".join(letters).encode(), bytes(read_only),
                                        (ctypes.c_int64 * len(places))(*places), self.results.encode(), at_length.encode(), int(not at_length and operator.mutable),
                                        int(operator.mutable))
        if number < 0:
            raise ImportError(f"adjoint::{operator.operator.name}: torch did not take the kernel")
        return number

    def missed(self, missed, args, fields):
        """A call that the kernel has left, or that did not reach it."""
        ticket = _ticket(missed)
        results, is_kept = self.at_first(ticket, args, fields.given)
        if ticket and not is_kept:
            fields.tails = None
        return results

    def first(self, *args, **given):
        """What the kernel calls for a call that is not known. It raises nothing: the kernel does, with the sentence."""
        ticket = lib.adj_torch_take(0)
        try:
            results, _ = self.at_first(ticket, args, given)
        except BaseException as refused:
            if getattr(_raised, "wanted", False):
                _raised.error = refused
            lib.adj_torch_fail(str(refused).encode())
            results = [[] if kind == "L" else torch.empty(0) for kind in self.results]
            results = tuple(results) if len(results) > 1 else results[0] if results else None
        return tuple([r if type(r) is list else [r] for r in results]) if self.mixed else results

    def at_first(self, ticket, args, given):
        """(the results of the call, in Python, whether later ones like it are known now)"""
        operator, call = self.operator, None
        try:
            results = operator.at_length(args, given)
            call = operator.prepare(args, given) if ticket else None
        finally:
            is_kept = _keep(ticket, call, self.order)
        return results, is_kept


class Adam:
    """The operator adam for the steps of an optimizer, whose tensors may have any layout."""

    def __init__(self, operator):
        self.prepared, self.order, self.problems = operator.compiled.prepared, operator.compiled.order, {}
        self.absent = (None,) * (len(operator.positional) - 4)

    def __call__(self, lists, options, lr, step, grad_scale, check=False):
        """A step of parameters, gradients and both moments, if the call is known. check: only to say whether it is. Returns whether it is."""
        if not self.is_plain(lists):
            return False
        try:
            self.prepared(*lists, *self.absent, lr, step, None, grad_scale, None, None, self.number(options), check)
        except RuntimeError as missed:
            lib.adj_torch_drop(_ticket(missed))
            return False
        return True

    @staticmethod
    def is_plain(lists):
        """Whether the tensors have no dispatch of their own."""
        return all([_PLAIN.issuperset(map(type, tensors)) for tensors in lists])

    @staticmethod
    def is_watched():
        """Whether a tracer or a mode sees torch's operators: those of adjoint_prepared are not for them."""
        return torch._C._len_torch_dispatch_stack() > 0 or torch._C._get_tracing_state() is not None

    def keep(self, lists, options, call):
        """Makes the calls known that are like this one, which was prepared with the memory of these tensors."""
        if self.is_watched() or not self.is_plain(lists):
            return
        try:
            self.prepared(*lists, *self.absent, 0.0, 1.0, None, 1.0, None, None, self.number(options), True)
        except RuntimeError as missed:
            _keep(_ticket(missed), call, self.order)

    def number(self, options):
        found = self.problems.get(options)
        if found is None:
            if len(self.problems) >= _call.KEPT_CALLS:
                self.problems.clear()
            found = self.problems[options] = problem()
        return found


def dispatched(function, args, given):
    """Calls an operator of torch. An error of the package, of which torch makes a RuntimeError where a kernel asked for the call, is raised as it is."""
    outer, _raised.wanted, _raised.error = getattr(_raised, "wanted", False), True, None
    try:
        return function(*args, **given)
    except RuntimeError as refused:
        error = _raised.error
        if error is None or str(error) not in str(refused):
            raise
    finally:
        _raised.wanted, _raised.error = outer, None
    raise error


def _ticket(missed):
    """The ticket of a call that the kernel of adjoint_prepared left to its caller, None of one that did not reach it."""
    _, _, number = str(missed).partition("adjoint: ticket ")
    return lib.adj_torch_take(int(number.split()[0])) if number else None


def _keep(ticket, call, order):
    """Hands a prepared call over, for calls with the key of the ticket. order: which arguments are its results. Returns whether the kernel can make it."""
    if not ticket:
        return False
    made = {i for i, _, _ in call.make} if call is not None else set()
    if call is None or not made <= set(order):
        lib.adj_torch_drop(ticket)
        return False
    lib.adj_torch_keep(ticket, _prepared(call, order))
    return True


def _prepared(call, order):
    """The adapter's form of a prepared call, which is to be used up."""
    arguments, results, made = call.function.arguments, [], {i for i, _, _ in call.make}
    for i in order:
        argument = arguments[i]
        listed, place = argument.kind == "list", argument.offset // 8
        if i in made:
            views = call.views[argument.name]
            views = views if listed else [views]
            results += [int(listed), place, len(views)]
            for view in views:
                results += [int(view.dtype), len(view.shape), *view.shape]
        else:
            results += [3, place, 0] if listed else [2, place, 1, 2, 1, 0]  # no bytes
    lists = [word - 2 for word, _ in call.lists]
    written = [argument.offset // 8 for argument, is_written in call.scalars if is_written]
    numbers = [x for some, count in ((lists, len(lists)), (written, len(written)), (results, len(order))) for x in ((ctypes.c_int64 * len(some))(*some), count)]
    return lib.adj_torch_prepare(call.handle, call.stream, call.template, len(call.template) // 8, call.size, *numbers)


def problem():
    """A number that no problem has had."""
    return next(_NUMBERS)
