"""Functions that keep a plan for every problem they have met.

Each thread keeps prepared calls: a plan, and a template of its argument structure with the defaults filled in. A call with a known problem
costs one lookup, a copy of the template with the call's own addresses and numbers, and the launch. A prepared call never changes."""
import ctypes
import struct
import threading
from collections import namedtuple
from contextlib import nullcontext
from operator import index

from ._arrays import AWAY, BY_TYPE, HOST_STREAM, Library, View, count_of, library_of
from ._generated import Dtype, Status, StreamKind, adj_workspace
from ._library import SIZES, Error, Stream, dtype, error, lib, plan_run
from ._operators import ABSENT, REQUIRED, Descriptor, failed, near
from ._plan import Bound, Plan, explain_descriptor

KEPT_CALLS = 4096  # most prepared calls of a thread; beyond, all are dropped
# The function of adjoint.torch that records the gradient of an operator.
TORCH_FUNCTIONS = {"softmax_forward": "softmax", "log_softmax_forward": "log_softmax", "softmax_cross_entropy_loss": "cross_entropy",
                   "cross_entropy_with_gradient": "cross_entropy", "embedding_forward": "embedding", "layer_norm_forward": "layer_norm",
                   "rms_norm_forward": "rms_norm", "activation_forward": "activation", "gated_activation_forward": "gated_activation",
                   "dropout_forward": "dropout", "adam": "AdamW"}
_WORD = 2 ** 64 - 1
_pack_scalar, _pack_tensor = struct.Struct("=dQQ").pack_into, struct.Struct("=QQii8q").pack_into
_pack_random, _pack_list = struct.Struct("=QQQ").pack_into, struct.Struct("=qiIQQ").pack_into
# What a caller gives. arrays: inputs and outputs in the operator's order, a list argument as a tuple, True for an output that is asked for.
Request = namedtuple("Request", "arrays scalars parameters fields preference workspace kind")


class _Thread(threading.local):
    def __init__(self):
        self.calls, self.scratch = {}, {}


_thread = _Thread()


def forget_plans():
    """Drops the plans and workspaces that functions keep for this thread."""
    _thread.calls.clear()
    _thread.scratch.clear()


class Problem:
    """What the signature of a function adds to a call: shapes of outputs as a caller expects them, and outputs that are asked for."""

    def __init__(self, operator):
        self.operator, self.fail, self.shapes, self.asked = operator, operator.fail, {}, set()

    def axis(self, axis, view):
        """(product of the dimensions before the axis, its extent, product of those after it)"""
        rank = len(view.shape)
        if not isinstance(axis, int) or not -rank <= axis < rank:
            self.fail(f"axis = {axis!r} is not in [{-rank}, {rank}), the array having {rank} dimensions")
        axis %= rank
        return count_of(view.shape[:axis]), view.shape[axis], count_of(view.shape[axis + 1:])


class HostResult:
    """An output in ordinary memory, which comes back as integers when the call is done."""

    def __init__(self, kind):
        self.memory = kind()
        self.address = ctypes.addressof(self.memory)


def plain(output):
    if type(output) is not HostResult:
        return output
    values = tuple(output.memory)
    return values[0] if len(values) == 1 else values


def signed(value):
    """The value, or a text in place of -0.0, which is another parameter than 0.0 and equal to it."""
    return "-0.0" if type(value) is float and value == 0 and str(value) == "-0.0" else value


class Same:
    """An object that is equal to itself alone, in a key."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return type(other) is Same and self.value is other.value

    def __hash__(self):
        return id(self.value)


def frozen(value):
    """A field's value as part of a key."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if type(value) in (list, tuple):
        return tuple(map(frozen, value))
    return Same(value) if isinstance(value, (ctypes._CFuncPtr, bytearray)) else signed(value)


def check_places(operator, devices, stream):
    """devices: the name of the first argument on each device. Raises unless all are on one device, and work on the stream can read it."""
    where = {-1: "in ordinary memory", None: "on the current device"}
    if stream.kind == StreamKind.CUDA and None in devices:  # an array that does not say where it is
        devices = {stream.device if device is None else device: slot for device, slot in devices.items()}
    if len(devices) > 1:
        found = " and ".join(f"{slot} is {where.get(device, f'on device {device}')}" for device, slot in devices.items())
        operator.fail(f"{found}; move them to one place", Status.STREAM_MISMATCH)
    for device, slot in devices.items():
        on_host = stream.kind == StreamKind.HOST
        if stream.kind != StreamKind.OFFLINE and not (on_host and device == -1) and (on_host or device not in (None, stream.device)):
            operator.fail(f"{slot} is {where.get(device, f'on device {device}')} and the stream is "
                          f"{'the host' if on_host else f'one of device {stream.device}'}; give a stream of the array's device, or none",
                          Status.STREAM_MISMATCH)


def looked(operator, name, a, owners=None, handle=None, written=False, override=None):
    """(View, address) of an array that may serve as the argument of that name, or a sentence that says why it cannot."""
    library = library_of(a)
    if library is None:
        expected = "expected an array" if isinstance(a, (list, tuple)) else "use an array with DLPack, __cuda_array_interface__ or the buffer protocol"
        operator.fail(f"{name} is {f'a {type(a).__name__}' if isinstance(a, (list, tuple)) else f'of type {type(a).__name__}'}; {expected}")
    try:
        library.trouble(a)
        key, address = library.look(a, owners, handle)
        view = library.view(key)
    except TypeError as problem:
        operator.fail(f"{name} is {problem}")
    except RuntimeError as problem:
        if isinstance(problem, Error):
            raise
        instead = TORCH_FUNCTIONS.get(operator.name)
        operator.fail(f"{name} requires grad, and this function records no gradient; use {f'adjoint.torch.{instead}, ' if instead else ''}torch.no_grad() or "
                      "detach()")
    return checked(operator, name, view, written, override), address


def checked(operator, name, view, written, override=None):
    if not isinstance(view.dtype, Dtype):
        operator.fail(f"{name} has elements of type {view.dtype}, which no operator takes; convert it", Status.DTYPE_MISMATCH)
    if not view.contiguous:
        operator.fail(f"{name} of shape {list(view.shape)} is not contiguous; make a row-major copy, such as torch's contiguous() or numpy's "
                      "ascontiguousarray", Status.SHAPE_MISMATCH)
    if written and not view.writable:
        operator.fail(f"{name} is an output and its array is read-only; give one that can be written")
    return view._replace(dtype=override) if override is not None and view.dtype == Dtype.U16 else view


def scalar_words(operator, slot, value, stream, written, owners):
    """The words of a scalar (value, address, type) or a random state (seed, offset, address).

    value is a number, or an array of one element that is read in stream order; for a random state also (seed, offset), or an array of both. On a
    device, an array in ordinary memory is passed by its value."""
    random = slot.kind == "random"
    if not random and isinstance(value, (int, float)):
        return float(value), 0, 0
    if not isinstance(value, (int, str, tuple, list)) and library_of(value) is not None:
        view, address = looked(operator, slot.name, value, owners, stream.handle, written)
        if count_of(view.shape) != (2 if random else 1):
            expected = "a pair of numbers or an array of both, seed and offset" if random else "a number or an array of one element"
            operator.fail(f"{slot.name} has the shape {list(view.shape)}; give {expected}", Status.SHAPE_MISMATCH)
        if random and view.dtype not in (Dtype.I64, Dtype.U64):
            operator.fail(f"{slot.name} has elements of type {view.dtype.name.lower()}, expected i64 or u64", Status.DTYPE_MISMATCH)
        if view.device == -1 and stream.kind != StreamKind.HOST and written:
            operator.fail(f"{slot.name} is in ordinary memory and is advanced on a device; give an array on that device", Status.STREAM_MISMATCH)
        if view.device != -1 or stream.kind == StreamKind.HOST:
            check_places(operator, {view.device: slot.name}, stream)
            return (0, 0, address) if random else (0.0, address, int(view.dtype))
        if random:
            return (*(ctypes.c_uint64 * 2).from_address(address), 0)
    try:
        if random:
            seed, offset = value if isinstance(value, (tuple, list)) else (value, 0)
            return index(seed) & _WORD, index(offset) & _WORD, 0
        return float(value.item() if hasattr(value, "item") else value), 0, 0
    except (TypeError, ValueError):
        operator.fail(f"{slot.name} = {value!r} is not {'a pair of integers, seed and offset, or an array of both' if random else 'a number'}")


class _Call:
    """A prepared call. Nothing in it changes after its preparation.

    template: the argument structure without addresses. places: for each array the word of its address, 0 for what is absent or a list. lists and
    scalars: (word, index). make: (index, function) of the outputs that a call allocates."""
    __slots__ = ("plan", "Args", "template", "places", "lists", "make", "scalars", "written", "alike", "handle", "stream", "size", "scratch",
                 "collect", "keep")


class Function:
    """An operator as a function. build(problem, views and parameters) gives fields of the descriptor; without it the caller gives them all.

    results: the names of outputs that come back as a tuple, whether they are there or not."""

    def __init__(self, operator, build=None, names=(), results=None):
        self.operator, self.build, self.names, self.results = operator, build, names, results
        self.slots, self.keywords, self.known = [*operator.inputs, *operator.outputs], set(operator.keywords), ()

    def __call__(self, arrays, scalars, parameters, fields, stream, preference, workspace, kind, verb, plan):
        first = arrays[0] if arrays else None
        library = BY_TYPE.get(type(first))
        if library is None:
            first, library = self.first_array(arrays, plan)
        request = Request(arrays, scalars, parameters, fields, preference, workspace, kind)
        if stream is None and verb is None and plan is None and not library.foreign:
            handle = library.stream(first)
            if handle is not AWAY:
                return self.run(library, first, handle, None, request)
            with library.on(first):
                return self.run(library, first, library.stream(first), None, request)
        return self.elsewhere(library, first, Stream(plan.stream) if plan is not None else stream, verb, plan, request)

    def elsewhere(self, library, first, stream, verb, plan, request):
        """A call on a stream that is not its array library's own, for arrays of a protocol, or one that does not run."""
        if stream is not None and not isinstance(stream, Stream) and library.device(first) == -1:
            self.operator.fail(f"stream = {stream!r} is given for arrays in ordinary memory; leave it out", Status.STREAM_MISMATCH)
        raw = stream.raw if isinstance(stream, Stream) else None
        handle = stream if raw is None else raw.handle or 0 if raw.kind == StreamKind.CUDA else None
        with library.on(first, None if library.foreign else handle) if raw is None or raw.kind == StreamKind.CUDA else nullcontext():
            if stream is None:
                handle = library.place(self.flat(request.arrays), self.operator.name) if library.foreign else library.stream(first)
            if raw is None:
                stream = Stream(library.wrap(first, handle))
            if verb is None and plan is None:
                return self.run(library, first, stream.raw.handle, stream, request)
            with library.untracked() if verb in ("select", "explain") else nullcontext():  # nothing runs, so no gradient is lost
                addresses, owners = [], []
                try:
                    keys = library.keys(request.arrays, addresses, owners, stream.raw.handle)
                except (AttributeError, TypeError, RuntimeError) as problem:
                    raise self.bad(request, problem) from None
                if verb == "explain":
                    return explain_descriptor(stream.raw, self.problem(library, stream.raw, request, keys, addresses)[0].raw, request.preference)
                call = self.prepare(library, first, stream.raw, request, keys, addresses, plan)
            if verb == "select":
                return call.plan
            if verb is None:
                return self.launch(call, library, first, request, addresses, owners)
            args, arrays = self.fill(call, library, request, addresses, owners)
            if verb == "check":
                return call.plan.check(args)
            scratch = self.scratch(call, library, first, request, call.plan.info.bind_workspace_size, True)
            written = self.written(call, library, arrays, request.scalars, [i for i, _ in call.make])  # each call writes its own outputs again
            return Bound(call.plan, scratch, args, lambda: call.collect(arrays), written, (library, first), owners + [call, request])

    def run(self, library, first, handle, stream, request):
        """One call. The device of the first array is current. stream: the Stream to run on, or None for the library's own, whose handle is given."""
        addresses, owners = [], []
        arrays, _, parameters, fields, preference, _, kind = request
        try:
            keys = library.keys(arrays, addresses, owners, handle)
            key = (self, parameters, handle, keys)
            if fields or preference is not None or kind is not None or stream is not None:
                key = (*key, tuple([(name, v if type(v) is int or type(v) is str else frozen(v)) for name, v in fields.items()]), preference, str(kind),
                       stream and stream.key)
            call = _thread.calls.get(key)
        except (AttributeError, TypeError, RuntimeError) as problem:
            raise self.bad(request, problem) from None
        if call is None:
            raw = library.wrap(first, handle) if stream is None else stream.raw
            call = self.prepare(library, first, raw, request, keys, addresses)
            if len(_thread.calls) >= KEPT_CALLS:
                _thread.calls.clear()
            _thread.calls[key] = call
        return self.launch(call, library, first, request, addresses, owners)

    def launch(self, call, library, first, request, addresses, owners):
        args, arrays = self.fill(call, library, request, addresses, owners)
        workspace = ctypes.byref(self.scratch(call, library, first, request, call.size)) if call.size or request.workspace is not None else None
        status = plan_run(call.handle, call.stream, workspace, args)
        if status:
            raise failed(status)
        if call.written:
            for of, found in self.written(call, library, arrays, request.scalars):
                of.wrote(found)
        return call.collect(arrays)

    def fill(self, call, library, request, addresses, owners):
        """(argument structure of one call, its arrays, with new outputs). Objects to keep alive while the call runs are added to owners."""
        args, arrays = call.Args.from_buffer_copy(call.template), request.arrays
        if call.make:
            arrays = list(arrays)
            for i, make in call.make:
                made = arrays[i] = make()
                if type(made) is list:
                    addresses[i] = [library.address(a) for a in made]
                else:
                    addresses[i] = made.address if type(made) is HostResult else library.address(made)
        for place, address in zip(call.places, addresses):
            if place:
                args[place] = address
        for place, i in call.lists:
            pointers = (ctypes.c_void_p * len(addresses[i]))(*addresses[i])
            args[place] = ctypes.addressof(pointers)
            owners.append(pointers)
        for (slot, written), value in zip(call.scalars, request.scalars):
            if value is None:
                continue
            if type(value) is float and slot.kind == "scalar":
                _pack_scalar(args, slot.offset, value, 0, 0)
            elif slot.kind == "handle":
                args[slot.offset // 8] = getattr(value, "value", value) or 0
            else:
                owners.append(value)
                words = scalar_words(self.operator, slot, value, call.plan.stream, written, owners)
                (_pack_scalar if slot.kind == "scalar" else _pack_random)(args, slot.offset, *words)
        return args, arrays

    def written(self, call, library, arrays, scalars, more=()):
        """[(library, the arrays that the call writes)] of the libraries that count writes."""
        found = []
        for i in (*call.written, *more):
            a = arrays[i] if i < len(arrays) else scalars[i - len(arrays)]
            found += a if type(a) in (tuple, list) else () if a is None or isinstance(a, (int, float, HostResult)) else (a,)
        if call.alike and not more:
            return [(library, tuple(found))]
        libraries = {}
        for a in found:
            of = library_of(a)
            if of is not None and of.versions:
                libraries.setdefault(of, []).append(a)
        return [(of, tuple(of_it)) for of, of_it in libraries.items()]

    def scratch(self, call, library, first, request, size, own=False):
        """Scratch memory: the caller's, or the thread's, which its calls on one stream share. Bound calls and CUDA graphs get memory of their own."""
        raw, given = adj_workspace(), request.workspace
        if given is not None:
            view, address = looked(self.operator, "workspace", given, None, call.plan.stream.handle, True)
            if size:
                check_places(self.operator, {view.device: "workspace"}, call.plan.stream)
            raw.data = (address + 255) & ~255
            raw.bytes, raw.owner = max(address + count_of(view.shape) * SIZES[view.dtype] - raw.data, 0), given
            return raw
        own = own or call.plan.stream.kind == StreamKind.CUDA and library.capturing()
        found = None if own else _thread.scratch.get(call.scratch)
        if found is None or found.bytes < size:
            room = size if own else 1 << max(size - 1, 4095).bit_length()
            raw.data, raw.owner = library.workspace(first, room)
            raw.bytes, found = room, raw
            if not own:
                _thread.scratch[call.scratch] = raw
        return found

    # -- the first call of a problem

    def first_array(self, arrays, plan):
        found = next(iter(self.flat(arrays)), None)
        if found is None:
            if plan is not None:
                return None, Library()
            self.operator.fail(f"no array is given; its arguments are {', '.join(s.name for s in self.slots)}", Status.NULL_BUFFER)
        library = library_of(found)
        if library is None:
            self.name_bad(arrays)
        return found, library

    @staticmethod
    def flat(arrays):
        """Every array of a call."""
        return [x for a in arrays if a is not None and a is not True for x in (a if type(a) is tuple else (a,))]

    def name_bad(self, arrays, override=None):
        """Raises for the first argument that cannot serve as an array."""
        for slot, a in zip(self.slots, arrays):
            self.check_kind(slot, a)
            for i, x in enumerate(a if type(a) is tuple else () if a is None or a is True else (a,)):
                looked(self.operator, f"{slot.name}[{i}]" if type(a) is tuple else slot.name, x)

    def bad(self, request, problem):
        """The error for a call that ended with `problem`: an argument that cannot be used, a parameter that cannot be looked up, arrays of several
        libraries, or else the problem itself."""
        if isinstance(problem, Error):
            return problem
        self.name_bad(request.arrays)
        for name, value in [*zip(self.names, request.parameters), *((name, frozen(value)) for name, value in request.fields.items())]:
            try:
                hash(value)
            except TypeError:
                return error(Status.INVALID_ARGUMENT, f"{self.operator.name}: {name} is of type {type(value).__name__}, expected a number, a string or, for a "
                             "field, a list of numbers")
        kinds = {}
        for slot, a in zip(self.slots, request.arrays):
            for x in self.flat((a,)):
                kinds.setdefault(library_of(x).name, slot.name)
        if len(kinds) < 2:
            return problem
        found = " and ".join(f"{slot} is an array of {kind}" for kind, slot in kinds.items())
        return error(Status.INVALID_ARGUMENT, f"{self.operator.name}: {found}; give all of one library")

    def check_kind(self, slot, a):
        if a is not None and a is not True and (slot.kind == "list") != (type(a) is tuple):
            expected = "a list of arrays" if slot.kind == "list" else "an array"
            self.operator.fail(f"{slot.name} is a {'list' if type(a) is tuple else type(a).__name__}, expected {expected}")

    def problem(self, library, stream, request, keys, addresses, plan=None):
        """(Descriptor, argument structure, Views by name, objects that the structure points to, the Problem)"""
        operator, override = self.operator, None
        if request.kind is not None:
            override = dtype(request.kind)
            if override not in (Dtype.BF16, Dtype.F16):
                operator.fail(f"dtype = {override.name.lower()!r} is not bf16 or f16; it says what uint16 elements stand for")
        for name in request.fields:
            if name not in self.keywords:
                operator.fail(f"there is no argument or field {name}{near(name, self.known)}")
        args, views, keep, devices, problem = operator.Args.from_buffer_copy(operator.args), {}, [], {}, Problem(operator)
        for slot, a, key, address in zip(self.slots, request.arrays, keys, addresses):
            self.check_kind(slot, a)
            if a is True and slot in operator.inputs:
                operator.fail(f"{slot.name} = True asks for an output, and {slot.name} is an input; give an array")
            if a is None or a is True:
                if a is None and slot.presence == "required" and slot in operator.inputs:
                    operator.fail(f"{slot.name} is None; give {'a list of arrays' if slot.kind == 'list' else 'an array'}", Status.NULL_BUFFER)
                continue
            try:
                found = [library.view(k) for k in (key if slot.kind == "list" else (key,))]
            except TypeError as trouble:
                operator.fail(f"{slot.name} is {trouble}")
            found = [checked(operator, f"{slot.name}[{i}]" if slot.kind == "list" else slot.name, v, slot.role != "in", override) for i, v in enumerate(found)]
            views[slot.name] = found if slot.kind == "list" else found[0]
            self.put(args, slot, views[slot.name], address, keep)
            for view in () if slot.host else found:
                devices.setdefault(view.device, slot.name)
        check_places(operator, devices, stream)
        if plan is not None:
            return plan.descriptor, args, views, keep, problem
        fields = {}
        if self.build is not None:
            given = {**views, **dict(zip(self.names, request.parameters))}
            fields = self.build(problem, **{name: given.get(name) for name in self.build.names}) or {}
        try:
            descriptor = Descriptor(operator, {**fields, **request.fields})
            descriptor.complete(args, sum(len(v) for v in views.values() if type(v) is list))
        except Error as refused:
            if any(v.dtype == Dtype.U16 for v in views.values() if type(v) is View):
                refused.args = (f"{refused}; pass dtype=\"bf16\" where uint16 elements are the bits of bfloat16",)
            raise
        return descriptor, args, views, keep, problem

    def put(self, args, slot, views, address, keep):
        """Writes a tensor or a list to an argument structure."""
        if slot.kind == "tensor":
            shape = views.shape if len(views.shape) <= 8 else ()  # more is left unstated
            _pack_tensor(args, slot.offset, address, count_of(views.shape) * SIZES[views.dtype], views.dtype, len(shape), *shape, *[0] * (8 - len(shape)))
            return
        kinds, count = {v.dtype for v in views}, len(views)
        if len(kinds) > 1:
            found = ", ".join(sorted(k.name.lower() for k in kinds))
            self.operator.fail(f"{slot.name} has tensors of the types {found}; a list has one, so call once for each", Status.DTYPE_MISMATCH)
        arrays = (ctypes.c_void_p * count)(*address), (ctypes.c_uint64 * count)(*[count_of(v.shape) * SIZES[v.dtype] for v in views])
        keep.append(arrays)
        _pack_list(args, slot.offset, count, kinds.pop() if kinds else 0, 0, *map(ctypes.addressof, arrays))

    def new_output(self, library, first, slot, need, views, problem):
        """(View or Views, function that makes it) of an output that the caller did not give."""
        shape, zero = need.shape, slot.role != "out"
        if slot.host:
            kind = (ctypes.c_bool if need.dtype == Dtype.BOOL else ctypes.c_int64) * count_of(shape)
            return View(shape, need.dtype), lambda: HostResult(kind)
        if slot.kind == "list":  # shaped like the first list of inputs with the same counts
            likes = (tuple(v.shape for v in views[s.name]) for s in self.operator.inputs if type(views.get(s.name)) is list)
            shapes = problem.shapes.get(slot.name) or next((s for s in likes if tuple(map(count_of, s)) == shape), [(n,) for n in shape])
            makers = [library.maker(s, need.dtype, first, zero) for s in shapes]
            return [View(s, need.dtype) for s in shapes], lambda: [make() for make in makers]
        for other in self.operator.inputs:  # one that may be the output itself has its shape
            if slot.may_equal >> other.index & 1 and type(views.get(other.name)) is View and count_of(views[other.name].shape) == count_of(shape):
                shape = views[other.name].shape
                break
        shape = problem.shapes.get(slot.name, shape)
        return View(shape, need.dtype), library.maker(shape, need.dtype, first, zero)

    def wanted(self, slot, need, a, problem):
        """True when a call allocates an output for which the caller gave `a`."""
        if slot not in self.operator.outputs or a is not None and a is not True:
            return False
        if need.presence == ABSENT:
            if a is True:
                self.operator.fail(f"{slot.name} = True asks for an output that this problem does not have ({slot.about})")
            return False
        if need.read and a is None and need.presence == REQUIRED:
            self.operator.fail(f"{slot.name} is read as well as written; give an array", Status.NULL_BUFFER)
        return a is True or slot.name in problem.asked or need.presence == REQUIRED

    def shapes(self, library, first, request, keys):
        """New outputs of a call on arrays without contents, by the index of their slots."""
        addresses = [[0] * len(k) if slot.kind == "list" and k else 0 for slot, k in zip(self.slots, keys)]
        descriptor, _, views, _, problem = self.problem(library, HOST_STREAM, request, keys, addresses)
        found = {}
        for i, (slot, a) in enumerate(zip(self.slots, request.arrays)):
            need = descriptor.need(slot)
            if self.wanted(slot, need, a, problem):
                found[i] = self.new_output(library, first, slot, need, views, problem)[1]()
        return found

    def prepare(self, library, first, stream, request, keys, addresses, plan=None):
        operator, call = self.operator, _Call()
        descriptor, args, views, keep, problem = self.problem(library, stream, request, keys, addresses, plan)
        call.make, call.written, places, call.lists, present = [], [], [], [], []
        for i, (slot, a) in enumerate(zip(self.slots, request.arrays)):
            need, view = descriptor.need(slot), views.get(slot.name)
            if plan is None and self.wanted(slot, need, a, problem):
                view, make = self.new_output(library, first, slot, need, views, problem)
                call.make.append((i, make))
                self.put(args, slot, view, [0] * len(view) if slot.kind == "list" else 0, keep)
            elif view is not None and need.written:
                call.written.append(i)
            if view is not None and slot in operator.outputs and (self.results is None or slot.name in self.results):
                present.append(i)
            places.append(0 if view is None or slot.kind == "list" else slot.offset // 8)
            if view is not None and slot.kind == "list":
                counts = tuple(count_of(v.shape) for v in view)  # the library takes more memory than it needs
                if len(counts) == len(need.shape) and any(n and n != count for n, count in zip(need.shape, counts)):
                    operator.fail(f"{slot.name} has tensors of {list(counts)} elements, expected {list(need.shape)} ({slot.about})", Status.SHAPE_MISMATCH)
                call.lists.append((slot.offset // 8 + 2, i))
        call.scalars = [(slot, descriptor.need(slot).written) for slot in operator.scalars]
        call.written += [len(self.slots) + i for i, (slot, written) in enumerate(call.scalars) if written and slot.kind != "handle"]
        call.alike = not library.foreign and not any(i >= len(self.slots) or self.slots[i].host for i in call.written)
        if call.alike and not library.versions:
            call.written = ()
        # Threads that call with the same shapes share a plan.
        call.plan = plan or Plan(operator, stream, descriptor, request.preference, lib.adj_plan_acquire)
        call.Args, call.template, call.places, call.keep = operator.Args, bytes(args), tuple(places), keep
        call.size, call.scratch = call.plan.workspace_size, (library.name, stream.handle, stream.kind, stream.device)
        call.handle, call.stream, call.collect = call.plan.handle, ctypes.byref(call.plan.stream), self.collector(present)
        return call

    def collector(self, present):
        """A function from the arrays of a call to its results."""
        names = [self.slots[i].name for i in present]
        if self.results is not None and len(self.results) > 1:
            places = [present[names.index(name)] if name in names else None for name in self.results]
            return lambda arrays: tuple(None if i is None else arrays[i] for i in places)
        if len(present) < 2:
            place = present[0] if present else None
            if place is None:
                return lambda arrays: None
            return (lambda arrays: plain(arrays[place])) if self.slots[place].host else lambda arrays: arrays[place]
        kind = namedtuple("".join(word.capitalize() for word in self.operator.name.split("_")), names)
        return lambda arrays: kind(*(plain(arrays[i]) for i in present))
