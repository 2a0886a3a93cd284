"""Functions that keep a plan for every problem they have met.

Each thread keeps prepared calls: a plan, and a template of its argument structure with the defaults filled in. A call with a known problem
costs one lookup, a copy of the template with the call's own addresses and numbers, and the launch. A prepared call never changes."""
import ctypes
import struct
import threading
from collections import namedtuple
from contextlib import nullcontext
from math import prod
from operator import index, itemgetter

from ._arrays import AWAY, BY_TYPE, HOST_STREAM, Tracked, View, library_of
from ._generated import Dtype, Presence, Status, StreamKind, adj_workspace
from ._library import SIZES, Error, Stream, check, dtype, lib, plan_run
from ._operators import Descriptor, failed, near
from ._plan import Bound, Plan, explain_descriptor

KEPT_CALLS = 4096  # most prepared calls of a thread; beyond, all are dropped
# The function of adjoint.torch that records the gradient of an operator, where it is not the operator's name without _forward.
TORCH_FUNCTIONS = {"softmax_cross_entropy_loss": "cross_entropy", "cross_entropy_with_gradient": "cross_entropy", "adam": "AdamW"}
_WORD = 2 ** 64 - 1
_pack_tensor, _pack_list = struct.Struct("=QQii8q").pack_into, struct.Struct("=qiIQQ").pack_into
_pack_scalar = struct.Struct("=dQQ").pack_into
_PACK = {"scalar": _pack_scalar, "random": struct.Struct("=QQQ").pack_into, "handle": struct.Struct("=Q").pack_into}
# What a caller gives. library and first: of the first array, which new arrays are like. arrays: inputs and outputs in the operator's order, a list argument
# as a tuple, True for an output that is asked for. verb: what to do instead of a run. plan: that of the caller, or None.
Request = namedtuple("Request", "library first arrays scalars fields parameters preference workspace kind verb plan", defaults=((), *[None] * 5))


class _Thread(threading.local):
    def __init__(self):
        self.calls, self.scratch = {}, {}


_thread = _Thread()


def forget_plans():
    """Drops the plans and workspaces that functions keep for this thread."""
    _thread.calls.clear()
    _thread.scratch.clear()


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


def written(arrays):
    """[(library, its arrays)] of the libraries that count writes."""
    found = {}
    for a in flat(arrays):
        library = library_of(a)
        if library is not None and library.versions:
            found.setdefault(library, []).append(a)
    return [(library, tuple(some)) for library, some in found.items()]


def check_places(operator, devices, stream):
    """devices: the name of the first argument on each device. Raises unless all are on one device, and work on the stream can read it."""
    def place(device):
        return "in ordinary memory" if device == -1 else "on the current device" if device is None else f"on device {device}"
    if stream.kind == StreamKind.CUDA:  # None: an array that does not say where it is
        devices = {stream.device if device is None else device: name for device, name in devices.items()}
    if len(devices) > 1:
        operator.fail(f"{' and '.join(f'{name} is {place(device)}' for device, name in devices.items())}; move them to one place", Status.STREAM_MISMATCH)
    for device, name in devices.items():
        if stream.kind != StreamKind.OFFLINE and device != (-1 if stream.kind == StreamKind.HOST else stream.device):
            operator.fail(f"{name} is {place(device)} and the stream is {'the host' if stream.kind == StreamKind.HOST else f'one of device {stream.device}'}; "
                          "give a stream of the array's device, or none", Status.STREAM_MISMATCH)


def looked(operator, name, a, owners=None, handle=None):
    """(View, address) of an array that is given as the argument of that name, or a sentence that says why it cannot serve."""
    library = library_of(a)
    if library is None:
        operator.fail(f"{name} is of type {type(a).__name__}; use an array with DLPack, __cuda_array_interface__ or the buffer protocol")
    try:
        library.trouble(a)
        key, address = library.look(a, owners, handle)
        return library.view(key), address
    except TypeError as problem:
        operator.fail(f"{name} is {problem}")
    except Tracked:
        instead = TORCH_FUNCTIONS.get(operator.name, operator.name.partition("_forward")[0])
        operator.fail(f"{name} requires grad, and this function records no gradient; use adjoint.torch.{instead}, torch.no_grad() or detach()")


def checked(operator, name, view, is_written, override=None):
    """The View of an array that an operator can take."""
    if not isinstance(view.dtype, Dtype):
        operator.fail(f"{name} has elements of type {view.dtype}, which no operator takes; convert it", Status.DTYPE_MISMATCH)
    if not view.contiguous:
        operator.fail(f"{name} of shape {list(view.shape)} is not contiguous; make a row-major copy, such as torch's contiguous() or numpy's "
                      "ascontiguousarray", Status.SHAPE_MISMATCH)
    if is_written and not view.writable:
        operator.fail(f"{name} is an output and its array is read-only; give one that can be written")
    return view._replace(dtype=override) if override is not None and view.dtype == Dtype.U16 else view


def scalar_words(operator, argument, value, stream, is_written, owners):
    """The words of a scalar (value, address, type), a random state (seed, offset, address) or a handle.

    value is a number, or an array of one element that is read in stream order; for a random state also (seed, offset), or an array of both. On a
    device, an array in ordinary memory is passed by its value."""
    if argument.kind == "handle":
        return (getattr(value, "value", value) or 0,)
    random = argument.kind == "random"
    expected = "a pair of integers, seed and offset, or an array of both" if random else "a number or an array of one element"
    if not isinstance(value, (int, float, str, tuple, list)) and library_of(value) is not None:
        view, address = looked(operator, argument.name, value, owners, stream.handle)
        checked(operator, argument.name, view, is_written)
        if prod(view.shape) != (2 if random else 1):
            operator.fail(f"{argument.name} has the shape {list(view.shape)}; give {expected}", Status.SHAPE_MISMATCH)
        if random and view.dtype not in (Dtype.I64, Dtype.U64):
            operator.fail(f"{argument.name} has elements of type {view.dtype.name.lower()}, expected i64 or u64", Status.DTYPE_MISMATCH)
        if view.device != -1 or stream.kind == StreamKind.HOST:
            check_places(operator, {view.device: argument.name}, stream)
            return (0, 0, address) if random else (0.0, address, int(view.dtype))
        if is_written:
            operator.fail(f"{argument.name} is in ordinary memory and is advanced on a device; give an array on that device", Status.STREAM_MISMATCH)
        if random:
            return (*(ctypes.c_uint64 * 2).from_address(address), 0)
    try:
        if random:
            seed, offset = value if isinstance(value, (tuple, list)) else (value, 0)
            return index(seed) & _WORD, index(offset) & _WORD, 0
        return float(value.item() if hasattr(value, "item") else value), 0, 0
    except (TypeError, ValueError):
        operator.fail(f"{argument.name} = {value!r} is not {expected}")


class Problem:
    """A problem on its way to a plan: its descriptor, the Views of its arrays by name, and the argument structure. shapes: of outputs, as callers expect
    them. asked: names of outputs that the function asks for."""

    def __init__(self, operator):
        self.operator, self.fail, self.descriptor = operator, operator.fail, None
        self.args, self.keep, self.views, self.shapes, self.asked = operator.Args.from_buffer_copy(operator.args), [], {}, {}, set()

    def put(self, argument, views, address):
        """Writes a tensor or a list to the argument structure."""
        if argument.kind == "tensor":
            shape = views.shape if len(views.shape) <= 8 else ()  # more is left unstated
            _pack_tensor(self.args, argument.offset, address, prod(views.shape) * SIZES[views.dtype], views.dtype, len(shape), *shape, *[0] * (8 - len(shape)))
            return
        kinds, count = {v.dtype for v in views}, len(views)
        if len(kinds) > 1:
            found = ", ".join(sorted(k.name.lower() for k in kinds))
            self.fail(f"{argument.name} has tensors of the types {found}; a list has one, so call once for each", Status.DTYPE_MISMATCH)
        arrays = (ctypes.c_void_p * count)(*address), (ctypes.c_uint64 * count)(*[prod(v.shape) * SIZES[v.dtype] for v in views])
        self.keep.append(arrays)
        _pack_list(self.args, argument.offset, count, kinds.pop() if kinds else 0, 0, *map(ctypes.addressof, arrays))

    def new_output(self, request, argument, need, a):
        """None, or (View or Views, function that makes it, function from it to its address) of an output that the call allocates, having been given a."""
        if argument not in self.operator.outputs or a is not None and a is not True:
            return None
        if need.presence == Presence.ABSENT and a is True:
            self.fail(f"{argument.name} = True asks for an output that this problem does not have ({argument.about})")
        if need.read and a is None and need.presence == Presence.REQUIRED:
            self.fail(f"{argument.name} is read as well as written; give an array", Status.NULL_BUFFER)
        if need.presence == Presence.ABSENT or not (a is True or argument.name in self.asked or need.presence == Presence.REQUIRED):
            return None
        shape, zero, views, inputs, library = need.shape, argument.role != "out", self.views, self.operator.inputs, request.library
        if argument.host:
            return View(shape, need.dtype), (ctypes.c_bool if need.dtype == Dtype.BOOL else ctypes.c_int64) * prod(shape), ctypes.addressof
        if argument.kind == "list":  # shaped like the first list of inputs with the same counts
            likes = [tuple(v.shape for v in views[s.name]) for s in inputs if type(views.get(s.name)) is list]
            shapes = self.shapes.get(argument.name, next((s for s in likes if tuple(map(prod, s)) == shape), [(n,) for n in shape]))
            makers = [library.maker(s, need.dtype, request.first, zero) for s in shapes]
            return [View(s, need.dtype) for s in shapes], lambda: [make() for make in makers], lambda made: list(map(library.address, made))
        likes = (views[s.name].shape for s in inputs if argument.may_equal >> s.index & 1 and type(views.get(s.name)) is View)  # they may be the output itself
        shape = self.shapes.get(argument.name, next((s for s in likes if prod(s) == prod(shape)), shape))
        return View(shape, need.dtype), library.maker(shape, need.dtype, request.first, zero), library.address


class _Call:
    """A prepared call. Nothing in it changes after its preparation.

    template: the argument structure without addresses. places: for each array the word of its address, 0 for what is absent or a list. lists and
    scalars: (word, index). make: (index, function, function to the address) of the outputs that a call allocates."""


class Function:
    """An operator as a function. build(views and parameters by name) returns what ops.defined says; without it the caller gives all fields.

    results: the names of outputs that come back as a tuple, whether they are there or not."""

    def __init__(self, operator, build=None, names=(), results=None):
        self.operator, self.build, self.names, self.results = operator, build, names, results
        self.arguments, self.keywords, self.known = [*operator.inputs, *operator.outputs], set(operator.keywords), ()

    def __call__(self, arrays, scalars, parameters, fields, stream, preference, workspace, kind, verb, plan):
        first = arrays[0] if arrays else None
        library = BY_TYPE.get(type(first))
        if library is None:
            first = next(iter(flat(arrays)), None)
            if first is None and plan is None:
                self.operator.fail(f"no array is given; its arguments are {', '.join(s.name for s in self.arguments)}", Status.NULL_BUFFER)
            library = library_of(b"" if first is None else first)
            if library is None:
                self.name_bad(arrays)
        request = Request(library, first, arrays, scalars, fields, parameters, preference, workspace, kind, verb, plan)
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
        with library.on(first, handle) if raw is None or raw.kind == StreamKind.CUDA else nullcontext():
            if stream is None:
                handle = library.place(flat(request.arrays), self.operator.name) if library.foreign else library.stream(first)
            if raw is None:
                stream = Stream(library.wrap(first, handle))
            with library.untracked() if request.verb in ("select", "explain") else nullcontext():  # nothing runs, so no gradient is lost
                return self.run(request, stream.raw.handle, stream)

    def run(self, request, handle, stream):
        """One call, or what the verb says. The device of the first array is current. stream: the Stream to run on, or None for the library's own, whose
        handle is given."""
        addresses, owners = [], []
        library, first, arrays, scalars, fields, parameters, preference, workspace, kind, verb, plan = request
        try:
            keys = library.keys(arrays, addresses, owners, handle)
            key = (self, parameters, handle, keys)
            if fields or preference is not None or kind is not None or stream is not None:
                key = (*key, tuple([(name, v if type(v) is int or type(v) is str else frozen(v)) for name, v in fields.items()]), preference, str(kind),
                       stream and bytes(stream.raw))
            call = _thread.calls.get(key)
        except (AttributeError, TypeError, RuntimeError) as problem:
            raise self.bad(request, problem) from None
        if verb == "explain":
            return explain_descriptor(stream.raw, self.problem(request, stream.raw, keys, addresses).descriptor.raw, preference)
        if call is None or plan is not None:
            call = self.prepare(request, library.wrap(first, handle) if stream is None else stream.raw, keys, addresses)
            if plan is None:
                if len(_thread.calls) >= KEPT_CALLS:
                    _thread.calls.clear()
                _thread.calls[key] = call
        if verb is not None:
            return self.use(call, request, addresses, owners)
        args, arrays = self.fill(call, request, addresses, owners)
        workspace = ctypes.byref(self.scratch(call, request, call.size)) if call.size or workspace is not None else None
        status = plan_run(call.handle, call.stream, workspace, args)
        if status:
            raise failed(status)
        if call.written:
            changed = [arrays[i] if i < len(arrays) else scalars[i - len(arrays)] for i in call.written]
            for of, found in ((library, tuple(flat(changed))),) if call.alike else written(changed):
                of.wrote(found)
        return call.collect(arrays)

    def use(self, call, request, addresses, owners):
        """The plan of a call, a check, or a bound call."""
        if request.verb == "select":
            return call.plan
        args, arrays = self.fill(call, request, addresses, owners)
        if request.verb == "check":
            return check(lib.adj_plan_can_implement(call.handle, args))

        def done():
            for of, found in again:
                of.wrote(found)
            return call.collect(arrays)
        again = written([(*arrays, *request.scalars)[i] for i in (*call.written, *(i for i, _, _ in call.make))])  # outputs are written by each call
        scratch = self.scratch(call, request, call.plan.info.bind_workspace_size, True)
        return Bound(call.plan, scratch, args, request.library, request.first, done, (owners, call, request))

    def fill(self, call, request, addresses, owners):
        """(argument structure of one call, its arrays, with new outputs). Objects to keep alive while the call runs are added to owners."""
        args, arrays = call.Args.from_buffer_copy(call.template), request.arrays
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
            owners.append(pointers)
        for (argument, is_written), value in zip(call.scalars, request.scalars):
            if type(value) is float and argument.kind == "scalar":
                _pack_scalar(args, argument.offset, value, 0, 0)
            elif value is not None:
                owners.append(value)
                _PACK[argument.kind](args, argument.offset, *scalar_words(self.operator, argument, value, call.plan.stream, is_written, owners))
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

    def name_bad(self, arrays):
        """Raises for the first argument that cannot serve as an array."""
        for argument, a in zip(self.arguments, arrays):
            self.check_kind(argument, a)
            for i, x in enumerate(flat((a,))):
                name = f"{argument.name}[{i}]" if argument.kind == "list" else argument.name
                checked(self.operator, name, looked(self.operator, name, x)[0], False)

    def bad(self, request, problem):
        """The error for a call that ended with `problem`: an argument or a parameter that cannot be used, arrays of several libraries, or else that."""
        if isinstance(problem, Error):
            return problem
        self.name_bad(request.arrays)
        for name, value in [*zip(self.names, request.parameters), *((name, frozen(value)) for name, value in request.fields.items())]:
            if type(value).__hash__ is None:
                self.operator.fail(f"{name} is of type {type(value).__name__}, expected a number, a string or, for a field, a list of numbers")
        kinds = {library_of(x).name: argument.name for argument, a in zip(self.arguments, request.arrays) for x in flat((a,))}
        if len(kinds) > 1:
            self.operator.fail(f"{' and '.join(f'{name} is an array of {kind}' for kind, name in kinds.items())}; give all of one library")
        return problem

    def check_kind(self, argument, a):
        if a is not None and a is not True and (argument.kind == "list") != (type(a) in (tuple, list)):
            expected = "a list of arrays" if argument.kind == "list" else "an array"
            self.operator.fail(f"{argument.name} is a {'list' if type(a) is tuple else type(a).__name__}, expected {expected}")

    def problem(self, request, stream, keys, addresses):
        """The Problem of a call."""
        operator, override, devices, p = self.operator, None, {}, Problem(self.operator)
        if request.kind is not None:
            override = dtype(request.kind)
            if override not in (Dtype.BF16, Dtype.F16):
                operator.fail(f"dtype = {override.name.lower()!r} is not bf16 or f16; it says what uint16 elements stand for")
        for name in request.fields:
            if name not in self.keywords:
                operator.fail(f"there is no argument or field {name}{near(name, self.known)}")
        for argument, a, key, address in zip(self.arguments, request.arrays, keys, addresses):
            self.check_kind(argument, a)
            if a is True and argument in operator.inputs:
                operator.fail(f"{argument.name} = True asks for an output, and {argument.name} is an input; give an array")
            if a is None or a is True:
                if a is None and argument.presence == "required" and argument in operator.inputs:
                    operator.fail(f"{argument.name} is None; give {'a list of arrays' if argument.kind == 'list' else 'an array'}", Status.NULL_BUFFER)
                continue
            try:
                found = [request.library.view(k) for k in (key if argument.kind == "list" else (key,))]
            except TypeError as trouble:
                operator.fail(f"{argument.name} is {trouble}")
            names = [f"{argument.name}[{i}]" if argument.kind == "list" else argument.name for i in range(len(found))]
            found = [checked(operator, name, v, argument.role != "in", override) for name, v in zip(names, found)]
            p.views[argument.name] = found if argument.kind == "list" else found[0]
            p.put(argument, p.views[argument.name], address)
            for view in () if argument.host else found:
                devices.setdefault(view.device, argument.name)
        check_places(operator, devices, stream)
        if request.plan is not None:
            p.descriptor = request.plan.descriptor
            return p
        fields = dict(self.build({**p.views, **dict(zip(self.names, request.parameters))})) if self.build else {}
        p.shapes, p.asked = fields.pop("shapes", {}), fields.pop("asked", ())
        try:
            p.descriptor = Descriptor(operator, {**fields, **request.fields})
            p.descriptor.complete(p.args, sum(len(v) for v in p.views.values() if type(v) is list))
        except Error as refused:
            if any(v.dtype == Dtype.U16 for v in p.views.values() if type(v) is View):
                refused.args = (f"{refused}; pass dtype=\"bf16\" where uint16 elements are the bits of bfloat16",)
            raise
        return p

    def shapes(self, request, keys):
        """New outputs of a call on arrays without contents, by the index of their arguments."""
        addresses = [[0] * len(k) if argument.kind == "list" and k else 0 for argument, k in zip(self.arguments, keys)]
        p = self.problem(request, HOST_STREAM, keys, addresses)
        made = [p.new_output(request, argument, p.descriptor.need(argument), a) for argument, a in zip(self.arguments, request.arrays)]
        return {i: new[1]() for i, new in enumerate(made) if new}

    def prepare(self, request, stream, keys, addresses):
        library, plan, p, call = request.library, request.plan, self.problem(request, stream, keys, addresses), _Call()
        call.make, call.written, call.places, call.lists, present = [], [], [], [], []
        for i, (argument, a) in enumerate(zip(self.arguments, request.arrays)):
            need, view = p.descriptor.need(argument), p.views.get(argument.name)
            new = p.new_output(request, argument, need, a) if plan is None else None
            if new:
                view = new[0]
                call.make.append((i, *new[1:]))
                p.put(argument, view, [0] * len(view) if argument.kind == "list" else 0)
            elif view is not None and need.written:
                call.written.append(i)
            if view is not None and argument in self.operator.outputs and (self.results is None or argument.name in self.results):
                present.append(i)
            call.places.append(0 if view is None or argument.kind == "list" else argument.offset // 8)
            if view is not None and argument.kind == "list":
                counts = tuple(prod(v.shape) for v in view)  # the library takes more memory than it needs
                if len(counts) == len(need.shape) and any(n and n != count for n, count in zip(need.shape, counts)):
                    self.operator.fail(f"{argument.name} has tensors of {list(counts)} elements, expected {list(need.shape)} ({argument.about})",
                                       Status.SHAPE_MISMATCH)
                call.lists.append((argument.offset // 8 + 2, i))
        call.scalars = [(argument, p.descriptor.need(argument).written) for argument in self.operator.scalars]
        call.written += [len(self.arguments) + i for i, (argument, is_written) in enumerate(call.scalars) if is_written and argument.kind != "handle"]
        call.alike = not library.foreign and all(i < len(self.arguments) and not self.arguments[i].host for i in call.written)
        call.written = call.written if library.versions or library.foreign else ()
        # Threads that call with the same shapes share a plan.
        call.plan = plan or Plan(self.operator, stream, p.descriptor, request.preference, lib.adj_plan_acquire)
        call.Args, call.template, call.keep = self.operator.Args, bytes(p.args), p.keep
        call.size, call.scratch = call.plan.workspace_size, (library.name, stream.handle, stream.kind, stream.device)
        call.handle, call.stream, call.collect = call.plan.handle, ctypes.byref(call.plan.stream), self.collector(present)
        return call

    def collector(self, present):
        """A function from the arrays of a call to its results."""
        names = [self.arguments[i].name for i in present]
        if self.results is not None and len(self.results) > 1:
            places = [present[names.index(name)] if name in names else None for name in self.results]
            return lambda arrays: tuple([None if i is None else arrays[i] for i in places])
        if not present:
            return lambda arrays: None
        if len(present) == 1:
            return (lambda arrays: plain(arrays[present[0]])) if self.arguments[present[0]].host else itemgetter(*present)
        kind = namedtuple("".join(word.capitalize() for word in self.operator.name.split("_")), names)
        return lambda arrays: kind(*[plain(arrays[i]) for i in present])
