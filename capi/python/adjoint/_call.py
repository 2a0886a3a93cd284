"""Functions that keep a plan for every problem they have met.

Each thread keeps prepared calls: a plan, and a template of its argument structure with the defaults filled in. A call with a known problem
costs one lookup, a copy of the template with the call's own addresses and numbers, and the launch."""
import ctypes
import re
import struct
import threading
from collections import namedtuple
from contextlib import nullcontext
from math import prod
from operator import itemgetter
from typing import Any

from ._arrays import AWAY, BY_TYPE, HOST_STREAM, View, library_of
from ._generated import Dtype, Presence, Status, StreamKind, adj_workspace
from ._given import TORCH_FUNCTIONS, check_places, checked, looked, scalar_words
from ._library import SIZES, Error, Stream, bound_run, check, dtype, lib, plan_run
from ._operators import Descriptor, conv_shape, failed, near
from ._plan import Plan, explain_descriptor

KEPT_CALLS = 4096  # most prepared calls of a thread; beyond, all are dropped
# A shape at the beginning of what the library says of an argument, or a choice between two; that of a single element is no shape.
_DECLARED = re.compile(r"\[(?!1\])[^]]*\]|[^[;:]* \? (\[[^]]*\]) : (\[[^]]*\])")
_BITS = {Dtype.BF16: Dtype.U16, Dtype.F16: Dtype.U16, Dtype.F8_E4M3: Dtype.U8, Dtype.F8_E5M2: Dtype.U8}  # integers that may hold the bits of a type
_PIECES, _WHOLE = "[outer, lengths, inner]", "[outer, sum(lengths), inner]"  # what a list of pieces and their tensor declare
_NOTHING = nullcontext()
_pack_tensor, _pack_list = struct.Struct("=QQii8q").pack_into, struct.Struct("=qiIQQ").pack_into
_pack_scalar = struct.Struct("=dQQ").pack_into
_PACK = {"scalar": _pack_scalar, "random": struct.Struct("=QQQ").pack_into, "handle": struct.Struct("=Q").pack_into}


# What a caller gives. library and first: of the first array, which new arrays are like. arrays: inputs and outputs in the operator's order, a list argument
# as a tuple, True for an output that is asked for. addresses: of the arrays, as Library.keys has them. owners: objects that live as long as the call.
# verb: what to do instead of a run. plan: that of the caller, or None.
Request = namedtuple("Request", "library first arrays addresses owners scalars fields parameters preference workspace kind verb plan",
                     defaults=((), *[None] * 5))


class _Thread(threading.local):
    def __init__(self):
        self.calls, self.scratch = {}, {}


_thread = _Thread()


FORGET: "list[Any]" = []  # functions that drop what others keep for this thread


def forget_plans() -> None:
    """Drops the plans and workspaces that functions keep for this thread."""
    for forget in (_thread.calls.clear, _thread.scratch.clear, *FORGET):
        forget()


def flat(arrays):
    """Every array of a call."""
    return [x for a in arrays if a is not None and a is not True for x in (a if type(a) in (tuple, list) else (a,))]


def frozen(value):
    """A field's value as part of a key. -0.0 is another value than 0.0; a C function is equal to itself alone."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if type(value) in (list, tuple):
        return tuple(map(frozen, value))
    return repr(value) if type(value) is float else bytes(value) if type(value) is bytearray else id(value) if isinstance(value, ctypes._CFuncPtr) else value


def plain(output):
    """The output, or the integers of one in ordinary memory that the call made."""
    return output if not isinstance(output, ctypes.Array) else output[0] if len(output) == 1 else tuple(output)


def count_writes(arrays):
    """Tells the libraries of arrays that they were written."""
    found = {}
    for a in flat(arrays):
        found.setdefault(library_of(a), []).append(a)
    for library, some in found.items():
        if library is not None:
            library.wrote(some)


class Problem:
    """A problem: its descriptor, the Views of its arrays by name, and the argument structure. bits: whether arrays of uint16 hold the bits of another type.
    prepare() adds a plan, after which nothing changes but `distinct`: the addresses of a call whose lists do not overlap.

    template: the argument structure without addresses. places: for each array the word of its address, 0 for what is absent or a list. lists and
    scalars: (word, index). make: (index, function, function to the address) of the outputs that a call allocates."""

    def __init__(self, function, request, keys, stream):
        operator, override, devices, self.bits = function.operator, None, {}, False
        self.function, self.operator, self.fail, self.request = function, operator, operator.fail, request
        self.args, self.keep, self.views, self.shapes, self.asked = operator.Args.from_buffer_copy(operator.args), [], {}, {}, ()
        if request.kind is not None:
            override = dtype(request.kind)
            if override not in _BITS:
                self.fail(f"dtype = {override.name.lower()!r} is not bf16, f16, f8_e4m3 or f8_e5m2; it says what uint16 or uint8 elements stand for")
        for name in request.fields:
            if name not in operator.keywords:
                self.fail(f"there is no argument or field {name}{near(name, function.known)}")
        for argument, a, key, address in zip(function.arguments, request.arrays, keys, request.addresses):
            names = function.names_of(argument, a)
            if a is True and argument in operator.inputs:
                self.fail(f"{argument.name} = True asks for an output, and {argument.name} is an input; give an array")
            if a is None and argument.presence == "required" and argument in operator.inputs:
                self.fail(f"{argument.name} is None; give {'a list of arrays' if argument.kind == 'list' else 'an array'}", Status.NULL_BUFFER)
            if a is None or a is True:
                continue
            views = map(request.library.view, key if argument.kind == "list" else (key,))
            found = [checked(operator, name, view, argument.role != "in") for name, view in zip(names, views)]
            if override is not None and any(view.dtype == _BITS[override] for view in found):
                self.bits, found = True, [view._replace(dtype=override) for view in found]
            self.put(argument, found if argument.kind == "list" else found[0], address)
            for view in () if argument.host else found:
                devices.setdefault(view.device, argument.name)
        check_places(operator, devices, stream)
        self.descriptor = request.plan.descriptor if request.plan is not None else self.described()
        if request.plan is None:
            self.check_shapes()

    def described(self):
        """The descriptor, of the fields that were given and those that follow from the arrays."""
        function, request = self.function, self.request
        fields = dict(function.build({**self.views, **dict(zip(function.names, request.parameters))})) if function.build else {}
        self.shapes, self.asked = fields.pop("shapes", {}), fields.pop("asked", ())
        try:
            fields.update(request.fields)
            descriptor = Descriptor(self.operator, {**fields, **conv_shape(self.operator, self.views, fields)})
            descriptor.complete(self.args, sum(len(v) for v in self.views.values() if type(v) is list))
        except Error as refused:
            if any(v.dtype == Dtype.U16 for v in self.views.values() if type(v) is View):
                refused.args = (f"{refused}; pass dtype=\"bf16\" where uint16 elements are the bits of bfloat16",)
            raise
        return descriptor

    def check_shapes(self):
        """Refuses arrays that have the elements of what is expected in another shape. Arrays of one declared shape agree. The functions of adjoint.ops also
        take the shape of the header, in which several dimensions may be one, and in lists arrays of one dimension."""
        first, strict = {}, self.function.strict
        for argument in self.function.arguments:
            found, declared, by, listed = self.views.get(argument.name), _DECLARED.match(argument.about), "", argument.kind == "list"
            if found is None:
                continue
            shapes, expected = [v.shape for v in found] if listed else [found.shape], self.shapes.get(argument.name)
            if expected is not None:
                expected = expected if listed else [expected]
            elif declared is not None:
                same = [(d, listed) for d in declared.groups() if not listed and (d, listed) in first and prod(first[d, listed][0][0]) == prod(shapes[0])]
                seen, by = first.setdefault(*same[:1] or [(declared[0], listed)], (list(shapes), f", the shape of {argument.name}"))
                expected = list(seen)
                if listed:  # one of several dimensions says more than a flat one
                    seen[:] = [b if len(a) < 2 else a for a, b in zip(seen, shapes)]
            stated = None if strict or listed else self.descriptor.need(argument).shape
            for i, (shape, other) in enumerate(zip(shapes, expected or ())):
                shape, other, entry = tuple(shape), tuple(other), f"[{i}]" * listed
                flat = (max if strict or not listed else min)(len(shape), len(other)) < 2 and prod(shape) == prod(other)  # strict: of one element
                if shape != other and not flat and stated not in (shape, other):
                    self.fail(f"{argument.name}{entry} has the shape {list(shape)}, expected {list(other)}{by}{entry if by else ''}", Status.SHAPE_MISMATCH)
            if listed and not strict and argument.about.startswith(_PIECES):
                self.check_pieces(argument, shapes)

    def check_pieces(self, argument, shapes):
        """Refuses pieces of a tensor that differ in more than one axis. A flat one is of any axis."""
        outer, _, inner = next(self.descriptor.need(a).shape for a in self.function.arguments if a.about.startswith(_WHOLE))
        around = None
        for i, shape in enumerate(map(tuple, shapes)):
            fit = {(shape[:k], shape[k + 1:]) for k in range(len(shape)) if prod(shape[:k]) == outer and prod(shape[k + 1:]) == inner}
            around = around if len(shape) < 2 else fit if around is None else fit & around
            if around is not None and not around:
                self.fail(f"{argument.name}[{i}] has the shape {list(shape)}; the dimensions before one axis have {outer} elements, those behind it {inner}, "
                          "and all pieces have the same", Status.SHAPE_MISMATCH)

    def put(self, argument, views, address):
        """Writes a tensor or a list to the argument structure."""
        self.views[argument.name] = views
        if argument.kind == "tensor":
            shape = views.shape if len(views.shape) <= 8 else ()  # more is left unstated
            size, more = prod(views.shape) * SIZES[views.dtype], [0] * (8 - len(shape))
            _pack_tensor(self.args, argument.offset, address, size, views.dtype, len(shape), *shape, *more)
            return
        kinds, count = {v.dtype for v in views}, len(views)
        if len(kinds) > 1:
            found = ", ".join(sorted(k.name.lower() for k in kinds))
            self.fail(f"{argument.name} has tensors of the types {found}; a list has one, so call once for each", Status.DTYPE_MISMATCH)
        arrays = (ctypes.c_void_p * count)(*address), (ctypes.c_uint64 * count)(*[prod(v.shape) * SIZES[v.dtype] for v in views])
        self.keep.append(arrays)
        _pack_list(self.args, argument.offset, count, kinds.pop() if kinds else 0, 0, *map(ctypes.addressof, arrays))

    def new_output(self, argument, need, a):
        """None, or (View or Views, function that makes it, function from it to its address) of an output that the call allocates, having been given a."""
        if argument not in self.operator.outputs or a is not None and a is not True:
            return None
        if need.presence == Presence.ABSENT and a is True:
            self.fail(f"{argument.name} = True asks for an output that this problem does not have ({argument.about})")
        if need.read and a is None and need.presence == Presence.REQUIRED:
            self.fail(f"{argument.name} is read as well as written; give an array", Status.NULL_BUFFER)
        if need.presence == Presence.ABSENT or not (a is True or argument.name in self.asked or need.presence == Presence.REQUIRED):
            return None
        if argument.host:
            kind = ctypes.c_bool if need.dtype == Dtype.BOOL else ctypes.c_int64
            return View(need.shape, need.dtype), kind * prod(need.shape), ctypes.addressof
        inputs, library, first = [(x, self.views.get(x.name)) for x in self.operator.inputs], self.request.library, self.request.first
        kind = _BITS[need.dtype] if self.bits and need.dtype in _BITS and need.dtype != Dtype.F16 else need.dtype
        if argument.kind == "list":  # shaped like the first list of inputs with the same counts
            likes = [tuple(v.shape for v in views) for _, views in inputs if type(views) is list]
            shapes = self.shapes.get(argument.name, next((s for s in likes if tuple(map(prod, s)) == need.shape), [(n,) for n in need.shape]))
            makers = [library.maker(s, kind, first, argument.role != "out") for s in shapes]
            return [View(s, need.dtype) for s in shapes], lambda: [make() for make in makers], lambda made: list(map(library.address, made))
        likes = [view.shape for x, view in inputs if argument.may_equal >> x.index & 1 and type(view) is View]  # inputs that may be the output itself
        shape = self.shapes.get(argument.name, next((s for s in likes if prod(s) == prod(need.shape)), need.shape))
        return View(shape, need.dtype), library.maker(shape, kind, first, argument.role != "out"), library.address

    def prepare(self, stream):
        """Makes it a call on a stream."""
        function, operator, request = self.function, self.operator, self.request
        library, plan = request.library, request.plan
        self.make, self.written, self.places, self.lists, present = [], [], [], [], []
        for i, (argument, a) in enumerate(zip(function.arguments, request.arrays)):
            need = self.descriptor.need(argument)
            new = self.new_output(argument, need, a) if plan is None else None
            if new:
                self.make.append((i, *new[1:]))
                self.put(argument, new[0], [0] * len(new[0]) if argument.kind == "list" else 0)
            view = self.views.get(argument.name)
            if view is not None and not new and need.written:
                self.written.append(i)
            if view is not None and argument in operator.outputs:
                present.append(i)
            self.places.append(0 if view is None or argument.kind == "list" else argument.offset // 8)
            if view is not None and argument.kind == "list":
                counts = tuple(prod(v.shape) for v in view)  # the library takes more memory than it needs
                if len(counts) == len(need.shape) and any(n and n != count for n, count in zip(need.shape, counts)):
                    self.fail(f"{argument.name} has tensors of {list(counts)} elements, expected {list(need.shape)} ({argument.about})", Status.SHAPE_MISMATCH)
                self.lists.append((argument.offset // 8 + 2, i))
        self.scalars = [(argument, self.descriptor.need(argument).written) for argument in operator.scalars]
        self.written += [len(self.places) + i for i, (argument, is_written) in enumerate(self.scalars) if is_written and argument.kind != "handle"]
        self.written = self.written if library.versions else ()
        # Threads that call with the same shapes share a plan.
        self.plan = plan or Plan(operator, stream, self.descriptor, request.preference, lib.adj_plan_acquire)
        self.template, self.size, self.scratch = bytes(self.args), self.plan.workspace_size, (library.name, stream.handle, stream.kind, stream.device)
        self.handle, self.stream, self.collect = self.plan.handle, ctypes.byref(self.plan.stream), function.collector(present)
        self.request, self.distinct = None, None  # its arrays are the caller's
        return self


class Bound:
    """A call with its buffers checked and fixed. Calling it launches, and returns the outputs.

    Arrays and exports are kept until the object is gone. Scalars and random states that were passed by value are those of bind. Each call compares address,
    shape, strides and element type of the arrays, and of the workspace, with those of bind. It raises when one has got other memory, as by numpy's resize and
    by an assignment to the attribute data of torch. Arrays of other protocols are held by their exports."""
    __slots__ = ("_call", "_request", "_arrays", "_written", "_workspace", "_handle", "_stream", "_memory", "_known")

    def __init__(self, call, request, args, arrays, workspace):
        self._call, self._request, self._arrays, self._workspace, self._handle = call, request, arrays, workspace, ctypes.c_void_p()
        written = [*(i for i, _, _ in call.make), *call.written] if request.library.versions else ()  # outputs are written by each call
        self._written = [(*arrays, *request.scalars)[i] for i in written]
        named, library = zip((*call.function.arguments, *call.operator.scalars), (*arrays, *request.scalars)), request.library
        named = [(argument.name, given) for argument, given in named] + [("workspace", getattr(workspace, "owner", None))]
        self._memory = [] if library.foreign else [(library.memory, a, name, library.memory(a)) for name, given in named
                                                   for a in flat([given]) if library_of(a) is library]
        self._stream = call.plan.stream.handle or 0 if call.plan.stream.kind == StreamKind.CUDA else None
        check(lib.adj_plan_bind(call.handle, call.stream, ctypes.byref(workspace), args, ctypes.byref(self._handle)))
        self._known = None
        if library.compiled is not None and not any(call.function.arguments[i].host for i, _, _ in call.make):
            stream = ctypes.addressof(call.plan.stream)
            self._known = library.compiled.bound(self._handle.value, stream, [a for _, a, _, _ in self._memory], flat(self._written), call.collect(arrays))

    def __call__(self) -> Any:
        if self._known is not None and (made := self._known()) is not None:
            return made
        library, first = self._request.library, self._request.first
        for memory, array, name, bound in self._memory:
            if memory(array) != bound:
                self._call.fail(f"{name} is not in the memory that was bound; bind again")
        with library.on(first) if library.stream(first) is AWAY else _NOTHING:
            if self._stream is not None:
                library.begin(first, self._stream)
            status = bound_run(self._handle, self._call.stream)
        if status:
            raise failed(status)
        count_writes(self._written)
        return self._call.collect(self._arrays)

    def __del__(self, release=lib.adj_bound_release):
        if getattr(self, "_handle", None):
            release(self._handle)


class Again:
    """A prepared call for lists of arrays that the caller knows to be like those of the problem. It costs neither a look at each nor a lookup."""

    def __init__(self, call, library, handle):
        self.call, self.library, self.handle = call, library, handle

    def serves(self, first):
        """Whether the library works on the stream of the call now. first: the array whose device that is."""
        with self.library.on(first):
            return self.library.stream(first) == self.handle and not self.library.traced()

    def run(self, arrays, addresses, scalars):
        """arrays: of every argument. addresses: of the first ones. scalars: by name."""
        call, library, first = self.call, self.library, arrays[0][0]
        request = Request(library, first, arrays, addresses, [], [scalars.get(argument.name) for argument, _ in call.scalars], {})
        with library.on(first):
            if self.handle is not None:
                library.begin(first, self.handle)
            call.function.launch(call, request, call.function.fill(call, request)[0])
        library.wrote([a for i in call.written if i < len(arrays) for a in arrays[i]])


class Function:
    """An operator as a function. build(views and parameters by name) returns what ops.defined says; without it the caller gives all fields.

    results: the names of outputs that come back as a tuple, whether they are there or not."""

    def __init__(self, operator, build=None, names=(), results=None):
        self.operator, self.build, self.names, self.results = operator, build, names, results
        self.arguments, self.known, self.strict, self.by_user = [*operator.inputs, *operator.outputs], (), False, False
        self.caller, self.number = None, 0  # makes known calls, see _torch_compiled.keep_call

    def __call__(self, arrays, scalars, fields, parameters=(), stream=None, preference=None, workspace=None, kind=None, verb=None, plan=None):
        first = arrays[0] if arrays else None
        library = BY_TYPE.get(type(first))
        if library is None:
            first = next(iter(flat(arrays)), None)
            if first is None and plan is None:
                self.operator.fail(f"no array is given; its arguments are {', '.join(a.name for a in self.arguments)}", Status.NULL_BUFFER)
            library = library_of(b"" if first is None else first)
            if library is None:
                self.name_bad(arrays)
        if self.by_user and library.versions and library.traced():
            instead = TORCH_FUNCTIONS.get(self.operator.name, self.operator.name.partition("_forward")[0])
            self.operator.fail(f"torch records calls now, as in make_fx and torch.jit.trace, and would not see this one; use adjoint.torch.{instead} or "
                               f"torch.ops.adjoint.{self.operator.name}")
        request = Request(library, first, arrays, [], [], scalars, fields, parameters, preference, workspace, kind, verb, plan)
        if stream is None and verb is None and plan is None and not library.foreign:
            handle = library.stream(first)
            if handle is not AWAY:
                return self.run(request, handle, None)
        return self.elsewhere(request, stream if plan is None else Stream(plan.stream))

    def elsewhere(self, request, stream):
        """A call on a stream that is not its array library's own, on a device that is not current, for arrays of a protocol, or one that does not run."""
        library, first = request.library, request.first
        raw = stream.raw if isinstance(stream, Stream) else None
        if raw is None and stream is not None and library.device(first) == -1:
            self.operator.fail(f"stream = {stream!r} is given for arrays in ordinary memory; leave it out", Status.STREAM_MISMATCH)
        handle = stream if raw is None else raw.handle or 0
        with library.on(first, handle) if raw is None or raw.kind == StreamKind.CUDA else _NOTHING:
            if stream is None:
                handle = library.place(flat(request.arrays), self.operator.name) if library.foreign else library.stream(first)
            if raw is None:
                raw = library.wrap(first, handle)
            elif raw.kind == StreamKind.CUDA:
                library.begin(first, handle)
            with library.untracked() if request.verb in ("select", "explain") else _NOTHING:  # nothing runs, so no gradient is lost
                return self.run(request, raw.handle, raw)

    def run(self, request, handle, stream):
        """One call, or what the verb says. The device of the first array is current. stream: the adj_stream to run on, or None for the library's own, whose
        handle is given."""
        library, first, arrays, addresses, owners, scalars, fields, parameters, preference, workspace, kind, verb, plan = request
        try:
            keys = library.keys(arrays, addresses, owners, handle)
            key = (self, parameters, handle, keys)
            if fields or preference is not None or kind is not None or stream is not None:
                key = (*key, tuple([(name, v if type(v) is int or type(v) is str else frozen(v)) for name, v in fields.items()]), preference, str(kind),
                       stream and bytes(stream))
            call = _thread.calls.get(key)
        except (AttributeError, TypeError, RuntimeError) as problem:
            raise self.bad(request, problem) from None
        if call is None or plan is not None or verb == "explain":
            stream = stream or library.wrap(first, handle)
            call = Problem(self, request, keys, stream)
            if verb == "explain":
                return explain_descriptor(stream, call.descriptor.raw, preference)
            call.prepare(stream)
            if plan is None:
                if len(_thread.calls) >= KEPT_CALLS:
                    _thread.calls.clear()
                _thread.calls[key] = call
        if verb == "select":
            return call.plan
        if verb == "again":
            return Again(call, library, handle)
        args, arrays = self.fill(call, request)
        if call.lists and verb is None and call.distinct != addresses:
            check(lib.adj_plan_can_implement(call.handle, args))  # a run compares entries at one position only
            call.distinct = addresses
        if verb == "check":
            return check(lib.adj_plan_can_implement(call.handle, args))
        if verb == "bind":
            return Bound(call, request, args, arrays, self.scratch(call, request, call.plan.info.bind_workspace_size, True))
        self.launch(call, request, args)
        if call.written:
            count_writes([(*arrays, *scalars)[i] for i in call.written])
        if self.by_user and stream is None and library.compiled is not None and preference is workspace is kind is None:
            library.compiled.keep_call(self, call, request)
        return call.collect(arrays)

    def again(self, key, library, arrays, addresses, given):
        """The results of a call without lists and numbers, of inputs alone, on the library's own stream. key: what the problem follows from.

        given: a function to (arrays, scalars, fields) as those of a call, for the first call of a problem."""
        call = _thread.calls.get(key)
        if call is None:
            call = self(*given(), verb="again").call
            if len(_thread.calls) >= KEPT_CALLS:
                _thread.calls.clear()
            _thread.calls[key] = call
        args, found = self.operator.Args.from_buffer_copy(call.template), [*arrays, *[None] * (len(self.arguments) - len(arrays))]
        for place, address in zip(call.places, addresses):
            if place:
                args[place] = address
        for i, make, address in call.make:
            found[i] = made = make()
            args[call.places[i]] = address(made)
        workspace = ctypes.byref(self.scratch(call, Request(library, arrays[0], arrays, addresses, [], (), {}), call.size)) if call.size else None
        status = plan_run(call.handle, call.stream, workspace, args)
        if status:
            raise failed(status)
        return call.collect(found)

    def launch(self, call, request, args):
        workspace = ctypes.byref(self.scratch(call, request, call.size)) if call.size or request.workspace is not None else None
        status = plan_run(call.handle, call.stream, workspace, args)
        if status:
            raise failed(status)

    def fill(self, call, request):
        """(argument structure of one call, its arrays, with new outputs)"""
        args, arrays, addresses = self.operator.Args.from_buffer_copy(call.template), request.arrays, request.addresses
        if call.make:
            arrays = list(arrays)
            for i, make, address in call.make:
                arrays[i] = made = make()
                addresses[i] = address(made)
        for place, address in zip(call.places, addresses):
            if place:
                args[place] = address
        for place, i in call.lists:
            pointers = (ctypes.c_void_p * len(addresses[i]))(*addresses[i])
            args[place] = ctypes.addressof(pointers)
            request.owners.append(pointers)
        for (argument, is_written), value in zip(call.scalars, request.scalars):
            if type(value) is float and argument.kind == "scalar":
                _pack_scalar(args, argument.offset, value, 0, 0)
            elif value is not None:
                words = scalar_words(self.operator, argument, value, call.plan.stream, is_written, request.owners)
                _PACK[argument.kind](args, argument.offset, *words)
        return args, arrays

    def scratch(self, call, request, size, own=False):
        """Scratch memory: the caller's, or the thread's, which its calls on one stream share. Bound calls and CUDA graphs get memory of their own."""
        stream, given, library = call.plan.stream, request.workspace, request.library
        if given is not None:
            view, address = looked(self.operator, "workspace", given, None, stream.handle)
            checked(self.operator, "workspace", view, True)
            if size:
                check_places(self.operator, {view.device: "workspace"}, stream)
            raw = adj_workspace((address + 255) & ~255)
            raw.bytes, raw.owner = max(address + prod(view.shape) * SIZES[view.dtype] - raw.data, 0), given
            return raw
        own = own or stream.kind == StreamKind.CUDA and library.capturing()
        found = None if own else _thread.scratch.get(call.scratch)
        if found is None or found.bytes < size:
            room = size if own else 1 << max(size - 1, 4095).bit_length()
            address, owner = library.workspace(request.first, room)
            found = adj_workspace(address, room)
            found.owner = owner
            if not own:
                _thread.scratch[call.scratch] = found
        return found

    # -- the first call of a problem

    def names_of(self, argument, a):
        """The names of the arrays that are given as an argument. In a list they have their index."""
        if a is None or a is True:
            return []
        listed = type(a) in (tuple, list)
        if listed != (argument.kind == "list"):
            expected = "an array" if listed else "a list of arrays"
            self.operator.fail(f"{argument.name} is a {'list' if listed else type(a).__name__}, expected {expected}")
        return [f"{argument.name}[{i}]" for i in range(len(a))] if listed else [argument.name]

    def name_bad(self, arrays):
        """Raises for the first argument that cannot serve as an array. Returns the names of an array of each library."""
        names = [name for argument, a in zip(self.arguments, arrays) for name in self.names_of(argument, a)]
        for name, a in zip(names, flat(arrays)):
            looked(self.operator, name, a)
        return {library_of(a).name: name.partition("[")[0] for name, a in zip(names, flat(arrays))}

    def bad(self, request, problem):
        """The error for a call that ended with `problem`: an argument or a parameter that cannot be used, arrays of several libraries, or else that."""
        if isinstance(problem, Error):
            return problem
        kinds = self.name_bad(request.arrays)
        for name, value in [*zip(self.names, request.parameters), *((name, frozen(value)) for name, value in request.fields.items())]:
            if type(value).__hash__ is None:
                self.operator.fail(f"{name} is of type {type(value).__name__}, expected a number, a string or, for a field, a list of numbers")
        if len(kinds) > 1:
            self.operator.fail(f"{' and '.join(f'{name} is an array of {kind}' for kind, name in kinds.items())}; give all of one library")
        return problem

    def problem_of(self, library, arrays, scalars, fields):
        """The Problem of a call on arrays without contents."""
        request = Request(library, next(iter(flat(arrays)), None), arrays, [], [], scalars, fields)
        return Problem(self, request, library.keys(arrays, request.addresses, request.owners, None), HOST_STREAM)

    def collector(self, present):
        """A function from the arrays of a call to its results."""
        if self.results is None:
            names = [self.arguments[i].name for i in present]
            kind = namedtuple("".join(word.capitalize() for word in self.operator.name.split("_")), names)._make
        else:
            known = {self.arguments[i].name: i for i in present}
            present, kind = [known.get(name) for name in self.results], tuple
        if len(present) > 1:
            return lambda arrays: kind([None if i is None else plain(arrays[i]) for i in present])
        if present in ([], [None]):
            return lambda arrays: None
        return (lambda arrays: plain(arrays[present[0]])) if self.arguments[present[0]].host else itemgetter(*present)
