"""Functions that keep a plan for every problem they have met.

Each thread keeps prepared calls: a plan, and a template of its argument structure with the defaults filled in. A call with a known problem
costs one lookup, a copy of the template with the call's own addresses and numbers, and the launch. A prepared call never changes."""
import ctypes
import struct
import threading
from collections import namedtuple
from contextlib import nullcontext

from . import _generated, _shapes
from ._arguments import Arguments, check_places, checked_view, given_workspace, scalar_words, versions_of
from ._arrays import AWAY, BY_TYPE, View, count_of, library_of, original
from ._descriptor import failed, make_descriptor
from ._generated import OPERATORS, Dtype, Status, adj_workspace
from ._library import Error, Stream, dtype, error, lib, plan_run
from ._plan import Bound, Plan, explain_descriptor, tell

KEPT_CALLS = 4096  # most prepared calls of a thread; beyond, all are dropped


class _Thread(threading.local):
    def __init__(self):
        self.calls, self.scratch = {}, {}


_thread = _Thread()


def forget_plans():
    """Drops the plans and workspaces that functions keep for this thread."""
    _thread.calls.clear()
    _thread.scratch.clear()


class Problem:
    """A problem under construction. A builder reads the views of the inputs, fills in `fields`, and describes `outputs`."""

    def __init__(self, operator, views, given, scalars):
        self.operator, self.views, self.given, self.scalars = operator, views, given, scalars
        self.fields, self.outputs, self.generic = {}, {}, False

    def __getitem__(self, name):
        return self.views.get(name)

    def fail(self, sentence, code=Status.SHAPE_MISMATCH):
        raise error(code, f"{self.operator.name}: {sentence}")

    def same_shape(self, name, other):
        a, b = self.views.get(name), self.views[other]
        if a is not None and a.shape != b.shape:
            self.fail(f"{name} has the shape {list(a.shape)} and {other} {list(b.shape)}; they must be equal")

    def shape(self, name, expected, about):
        a = self.views.get(name)
        if a is not None and a.shape != tuple(expected):
            self.fail(f"{name} has the shape {list(a.shape)}, expected {list(expected)} ({about})")

    def axis(self, axis, name):
        rank = len(self.views[name].shape)
        if not isinstance(axis, int) or not -rank <= axis < rank:
            self.fail(f"axis = {axis!r} is not in [{-rank}, {rank}), {name} having {rank} dimensions", Status.INVALID_ARGUMENT)
        return axis % rank

    def floating(self, name):
        view = self.views[name]
        if view.dtype not in (Dtype.F32, Dtype.F64, Dtype.F16, Dtype.BF16):
            hint = "; pass dtype=\"bf16\" where uint16 elements are the bits of bfloat16" if view.dtype == Dtype.U16 else ""
            self.fail(f"{name} has elements of type {view.dtype.name.lower()}, expected f32, f64, f16 or bf16{hint}", Status.DTYPE_MISMATCH)
        return view.dtype


_OPTIONS = {"stream", "preference", "dtype", "workspace", "_verb"}
RULE = "*"  # description of an output whose shape and type follow from the descriptor


class _Call:
    """A prepared call. Nothing in it changes after its preparation.

    pack: makes the argument structure of its values. values: a list of constant pieces, addresses and numbers, with the defaults of what may be
    left out. The places of tensors, lists, scalars and host outputs are indices of values, 0 for what is absent or of another kind."""
    __slots__ = ("plan", "pack", "values", "inputs", "outputs", "lists", "others", "hosts", "make", "scalars", "written", "handle", "stream", "size",
                 "scratch", "alike", "more", "single", "collect", "keep")


class Function:
    """An operator with a fixed order of inputs, outputs and scalars. It is called with a tuple of each, and parameters for its builder.

    A list argument is a tuple of arrays. An output is an array, True to ask for it, or None to leave it to the builder."""

    def __init__(self, name, inputs, outputs, build, scalars=(), collect=None):
        self.operator = OPERATORS[name]
        slots = {s.name: s for s in self.operator.slots}
        self.inputs, self.outputs, self.scalars = [slots[n] for n in inputs], [slots[n] for n in outputs], [slots[n] for n in scalars]
        self.build, self.collect = build, collect

    def __call__(self, inputs, outputs, parameters=(), options=None, scalars=()):
        first = inputs[0] if inputs else None
        library = BY_TYPE.get(type(first))
        if library is None:
            first = self.first_array(inputs, outputs)
            library = self.library(first, inputs, outputs)
        if options or library.foreign:
            unknown = (options or {}).keys() - _OPTIONS
            if unknown:
                raise TypeError(f"{self.operator.name}: there is no parameter {sorted(unknown)[0]}")
            if library.foreign or "stream" in options or "_verb" in options:
                return self.call_with_options(library, first, inputs, outputs, parameters, options or {}, scalars)
        handle = library.stream(first)
        if handle is not AWAY:
            return self.run(library, first, handle, None, inputs, outputs, parameters, options, scalars)
        with library.visit(first):
            return self.run(library, first, library.stream(first), None, inputs, outputs, parameters, options, scalars)

    def run(self, library, first, handle, stream, inputs, outputs, parameters, options, scalars):
        """One call. The device of the first array is current. stream: the Stream to run on, or None for the library's own, whose handle is given."""
        try:
            key = (self, parameters, handle, library.keys(inputs), library.keys(outputs))
            if options:
                key = (*key, options.get("preference"), str(options.get("dtype")), stream and stream.key)
            call = _thread.calls.get(key)
        except (AttributeError, TypeError, RuntimeError) as problem:
            raise self.bad(inputs, outputs, parameters, problem) from None
        if call is None:
            raw = library.wrap(first, handle) if stream is None else stream.raw
            call = self.prepare(library, first, raw, inputs, outputs, parameters, options or {}, scalars)
            if len(_thread.calls) >= KEPT_CALLS:
                _thread.calls.clear()
            _thread.calls[key] = call
        outputs = [make(inputs) if make is not None and (a is None or a is True) else a for a, make in zip(outputs, call.make)]
        values, owners = call.values.copy(), None
        try:
            library.fill(values, call.inputs, inputs)
            library.fill(values, call.outputs, outputs)
            if call.more:
                owners = self.fill(call, values, library, inputs, outputs, scalars)
        except (AttributeError, TypeError, RuntimeError) as problem:
            raise self.bad(inputs, outputs, parameters, problem) from None
        if options and options.get("workspace") is not None:
            scratch, owner = given_workspace(self.operator, options["workspace"], call.size, call.plan.stream)
            workspace = ctypes.byref(scratch)
        else:
            workspace = self.workspace(call, library, first) if call.size else None
        status = plan_run(call.handle, call.stream, workspace, call.pack(*values))
        if status:
            raise failed(status)
        if call.written:
            self.tell(call, library, inputs, outputs, scalars)
        if library.foreign:
            outputs = [original(a) for a in outputs]
        if call.single is not None:
            return outputs[call.single]
        return call.collect(outputs)

    def fill(self, call, values, library, inputs, outputs, scalars):
        """Fills in what is no single array of the library. Returns objects to keep alive while the call is in use."""
        owners = []
        for place, is_output, i in call.lists:
            arrays = (outputs if is_output else inputs)[i]
            pointers = (ctypes.c_void_p * len(arrays))(*library.addresses(arrays))
            values[place] = ctypes.addressof(pointers)
            owners.append(pointers)
        for place, is_output, i in call.others:
            array = (outputs if is_output else inputs)[i]
            library_of(array).fill(values, (place,), (array,))
        for place, i in call.hosts:
            values[place] = ctypes.addressof(outputs[i].memory)
        for (slot, place, written), value in zip(call.scalars, scalars):
            if type(value) is float and slot.kind == "scalar":
                values[place:place + 3] = value, 0, 0
            elif value is None:
                continue
            elif slot.kind == "handle":
                values[place] = getattr(value, "value", value) or 0
            else:
                values[place:place + 3], owner = scalar_words(self.operator, slot, value, call.plan.stream, written)
                owners.append(owner)
        return owners

    @staticmethod
    def tell(call, library, inputs, outputs, scalars):
        """Tells the libraries of the written arrays."""
        found, given = [], (inputs, outputs, scalars)
        for which, i in call.written:
            a = given[which][i]
            if type(a) is tuple or type(a) is list:
                found += a
            elif a is not None and not isinstance(a, (int, float)):
                found.append(a)
        if call.alike:
            library.wrote(found)
        else:
            tell(versions_of(found))

    @staticmethod
    def workspace(call, library, first):
        """Reference to scratch memory, which the thread's calls on one stream share. The stream is current. A CUDA graph gets memory of its own."""
        if call.plan.stream.kind == _generated.StreamKind.CUDA and library.capturing():
            return _new_scratch(library, first, call.size)
        found = _thread.scratch.get(call.scratch)
        if found is None or found[0] < call.size:
            room = 1 << max(call.size - 1, 4095).bit_length()
            found = _thread.scratch[call.scratch] = room, _new_scratch(library, first, room)
        return found[1]

    # -- the first call of a problem

    def first_array(self, inputs, outputs):
        for a in (*inputs, *outputs):
            while type(a) is tuple:
                a = a[0] if a else None
            if a is not None and a is not True:
                return a
        raise error(Status.NULL_BUFFER, f"{self.operator.name}: no array is given; its arguments are "
                    f"{', '.join(s.name for s in (*self.inputs, *self.outputs))}")

    def library(self, first, inputs, outputs):
        library = library_of(first)
        if library is None:
            self.name_bad(inputs, outputs)
        return library

    def arguments(self, inputs, outputs):
        """(slot, label, array) of every array that is given."""
        for slot, a in (*zip(self.inputs, inputs), *zip(self.outputs, outputs)):
            if type(a) is tuple:
                self.check_kind(slot, a)
                yield from ((slot, f"{self.operator.name}: {slot.name}[{i}]", x) for i, x in enumerate(a))
            elif a is not None and a is not True:
                yield slot, f"{self.operator.name}: {slot.name}", a

    def name_bad(self, inputs, outputs):
        """Raises for the first argument that cannot serve as an array."""
        for slot, label, a in self.arguments(inputs, outputs):
            checked_view(self.operator, slot, a, None, label)

    def bad(self, inputs, outputs, parameters, problem):
        """The error for a call that ended with `problem`: an argument that cannot be used (raised), a parameter that cannot be looked up, arrays of
        several libraries, or else the problem itself."""
        if isinstance(problem, Error):
            return problem
        self.name_bad(inputs, outputs)
        for value in parameters:
            try:
                hash(value)
            except TypeError:
                return error(Status.INVALID_ARGUMENT, f"{self.operator.name}: {value!r} of type {type(value).__name__} is given where a "
                             "number, a string or a tuple is expected")
        kinds = {}
        for slot, label, a in self.arguments(inputs, outputs):
            kinds.setdefault(library_of(a).name, slot.name)
        if len(kinds) < 2:
            return problem
        found = " and ".join(f"{slot} is an array of {kind}" for kind, slot in kinds.items())
        return error(Status.INVALID_ARGUMENT, f"{self.operator.name}: {found}; give all of one library")

    def check_kind(self, slot, a):
        if (slot.kind == "list") != (type(a) is tuple):
            expected = "a list of arrays" if slot.kind == "list" else "an array"
            raise error(Status.INVALID_ARGUMENT, f"{self.operator.name}: {slot.name} is a {'list' if type(a) is tuple else type(a).__name__}, "
                        f"expected {expected}")

    def views(self, slots, arrays, override, devices):
        """{argument: its view, or the views of its list}. Adds to devices the name of the first argument on each device."""
        found = {}
        for slot, a in zip(slots, arrays):
            if a is None or a is True:
                continue
            label = f"{self.operator.name}: {slot.name}"
            self.check_kind(slot, a)
            if slot.kind == "list":
                found[slot.name] = [checked_view(self.operator, slot, x, override, f"{label}[{i}]") for i, x in enumerate(a)]
            else:
                found[slot.name] = checked_view(self.operator, slot, a, override)
            for view in () if slot.host else found[slot.name] if slot.kind == "list" else (found[slot.name],):
                devices.setdefault(view.device, slot.name)
        return found

    def problem(self, stream, inputs, outputs, parameters, options, scalars):
        """(Problem, descriptor, objects that it points to), checked as far as possible without the library."""
        name, override = self.operator.name, None
        if options.get("dtype") is not None:
            override = dtype(options["dtype"])
            if override not in (Dtype.BF16, Dtype.F16):
                raise error(Status.INVALID_ARGUMENT, f"{name}: dtype = {override.name.lower()!r} is not bf16 or f16; it says what uint16 "
                            "elements stand for")
        devices = {}
        views = self.views(self.inputs, inputs, override, devices)
        given = self.views(self.outputs, outputs, override, devices)
        check_places(self.operator, devices, stream)
        for slot, a in zip(self.inputs, inputs):
            if a is True:
                raise error(Status.INVALID_ARGUMENT, f"{name}: {slot.name} = True asks for an output, and {slot.name} is an input; give an array")
            if a is None and slot.presence == "always" and "optional" not in slot.about:
                raise error(Status.NULL_BUFFER, f"{name}: {slot.name} is None; give {'a list of arrays' if slot.kind == 'list' else 'an array'}")
        problem = Problem(self.operator, views, given, dict(zip((s.name for s in self.scalars), scalars)))
        self.build(problem, *parameters)
        descriptor, keep = make_descriptor(self.operator, problem.fields)
        asked = {slot.name for slot, a in zip(self.outputs, outputs) if a is True}
        for slot in self.outputs:
            spec = problem.outputs.get(slot.name)
            if spec is RULE or problem.generic and (slot.name in given or slot.name in asked or _shapes.wanted(self.operator, slot, descriptor)):
                spec = self.ruled(problem, slot, descriptor)
            if isinstance(spec, str):
                spec = (spec, views[spec].shape, views[spec].dtype)  # like the input of this name
            if spec is None and slot.name in asked:
                raise error(Status.INVALID_ARGUMENT, f"{name}: {slot.name} = True; its shape does not follow from the other arguments, so give "
                            "an array")
            if spec is not None and slot.name in given:
                self.check_given(problem, slot, spec)
            problem.outputs[slot.name] = spec
        if problem.generic:
            self.check_inputs(problem, descriptor)
        return problem, descriptor, keep

    def ruled(self, problem, slot, descriptor):
        try:
            spec = _shapes.output(self.operator, slot, descriptor)
        except (ValueError, IndexError, ZeroDivisionError):  # a descriptor that the library will refuse
            return None
        if spec is None and slot.name not in problem.given:
            raise error(Status.NULL_BUFFER, f"{self.operator.name}: {slot.name} must be given; its shape does not follow from the other "
                        f"arguments ({slot.about})")
        if slot.kind == "list" and spec is not None:  # shaped like the first list of inputs with the same counts
            for views in problem.views.values():
                if isinstance(views, list) and [count_of(v.shape) for v in views] == [count_of(shape) for shape, _ in spec]:
                    return [(v.shape, kind) for v, (_, kind) in zip(views, spec)]
        return spec

    def check_given(self, problem, slot, spec):
        view = problem.given[slot.name]
        if isinstance(spec, list):
            counts = [count_of(s) for s, _ in spec], [count_of(v.shape) for v in view]
            if counts[0] != counts[1]:
                problem.fail(f"{slot.name} has tensors of {counts[1]} elements, expected {counts[0]}")
            return
        expected = spec[-2]
        if view.shape != tuple(expected) and not (problem.generic and count_of(view.shape) == count_of(expected)):
            problem.fail(f"{slot.name} has the shape {list(view.shape)}, expected {list(expected)}")

    def check_inputs(self, problem, descriptor):
        for slot in self.inputs:
            view = problem.views.get(slot.name)
            if view is not None and slot.kind == "list":
                counts, expected = [count_of(v.shape) for v in view], _shapes.list_counts(self.operator, slot, descriptor)
                if expected is not None and len(counts) == len(expected) and counts != expected:
                    problem.fail(f"{slot.name} has tensors of {counts} elements, expected {expected} ({slot.about})")
            if view is None or slot.kind != "tensor" or slot.dims is None:
                continue
            try:
                expected = _shapes.stated_shape(slot.dims, descriptor)
            except (AttributeError, KeyError):
                continue
            if min(expected, default=0) >= 0 and count_of(view.shape) != count_of(expected):
                fields = [d for d in slot.dims if isinstance(d, str) and hasattr(descriptor, d)]
                problem.fail(f"{slot.name} has the shape {list(view.shape)}, expected {list(expected)} ({slot.about})" +
                             (f"; set {', '.join(fields)}" if fields else ""))

    def prepare(self, library, first, stream, inputs, outputs, parameters, options, scalars):
        problem, descriptor, keep = self.problem(stream, inputs, outputs, parameters, options, scalars)
        call, args = _Call(), Arguments(self.operator)
        # Threads that call with the same shapes share a plan.
        call.plan = Plan(self.operator, stream, descriptor, keep, options.get("preference"), lib.adj_plan_acquire)
        call.make, call.written, present, filled = [], [], [], []  # filled: (slot, kind, True for an output, index)
        for i, slot in enumerate(self.inputs):
            view = problem.views.get(slot.name)
            if view is None:
                continue
            args.list(slot, view) if slot.kind == "list" else args.tensor(slot, view)
            filled.append((slot, "list" if slot.kind == "list" else "other" if slot.host else "tensor", False, i))
            if _shapes.is_written(self.operator, slot, descriptor):
                call.written.append((0, i))
        for i, slot in enumerate(self.outputs):
            make, kind, spec = None, "list" if slot.kind == "list" else "other" if slot.host else "tensor", problem.outputs[slot.name]
            view = problem.given.get(slot.name)
            if view is not None:
                if _shapes.is_written(self.operator, slot, descriptor):
                    call.written.append((1, i))
            elif spec is not None:
                if slot.host:
                    view, make, kind = View(None, *spec, -1, True, True), self.host_maker(*spec), "host"
                elif slot.kind == "list":
                    makers = [library.maker(shape, dtype, first, slot.role != "out") for shape, dtype in spec]
                    view = [View(None, shape, dtype, -1, True, True) for shape, dtype in spec]
                    make = lambda inputs, makers=makers: [m() for m in makers]  # noqa: E731
                elif len(spec) == 3:
                    view, make = problem.views[spec[0]], self.copier(library, spec[0])
                else:
                    maker = library.maker(*spec, first, slot.role != "out")
                    view, make = View(None, *spec, -1, True, True), lambda inputs, maker=maker: maker()
            if view is not None:
                args.list(slot, view) if slot.kind == "list" else args.tensor(slot, view)
                filled.append((slot, kind, True, i))
                present.append(i)
            call.make.append(make)
        for i, slot in enumerate(self.scalars):
            filled.append((slot, slot.kind, False, i))
            if _shapes.is_written(self.operator, slot, descriptor):
                call.written.append((2, i))
        self.template(call, args, filled, descriptor)
        call.more = bool(call.lists or call.others or call.hosts or call.scalars)
        slots = self.inputs, self.outputs, self.scalars
        call.alike = not library.foreign and not any(which == 2 or slots[which][i].host for which, i in call.written)
        if call.alike and not library.versions:
            call.written = ()
        call.single = present[0] if len(present) == 1 and self.collect is not tuple and not self.outputs[present[0]].host else None
        call.collect = self.collector(present)
        call.size, call.scratch = call.plan.workspace_size, (library.name, stream.handle, stream.kind, stream.device)
        call.handle, call.stream, call.keep = call.plan.handle, ctypes.byref(call.plan.stream), args.keep
        return call

    def template(self, call, args, filled, descriptor):
        """Splits the argument structure into constant pieces and the values that a call fills in, in the order of their offsets."""
        kind = self.operator.args
        raw, formats, values, end = bytes(args.raw), [], [], 0
        places = {}
        for slot, what, is_output, i in sorted(filled, key=lambda f: getattr(kind, f[0].name).offset):
            offset = getattr(kind, slot.name).offset
            if what == "list":
                offset += _generated.adj_tensor_list.data.offset
            code = {"scalar": "dQQ", "random": "QQQ"}.get(what, "Q")
            formats.append(f"{offset - end}s{code}")
            values.append(raw[end:offset])
            places[is_output, i, what in ("scalar", "random", "handle")] = len(values)
            end = offset + 8 * len(code)
            values += struct.unpack("=" + code, raw[offset:end])
        formats.append(f"{len(raw) - end}s")
        values.append(raw[end:])
        call.pack, call.values = struct.Struct("=" + "".join(formats)).pack, values
        found = [(what, places[is_output, i, what in ("scalar", "random", "handle")], is_output, i) for _, what, is_output, i in filled]
        tensors = {(is_output, i): place for what, place, is_output, i in found if what == "tensor"}
        call.inputs = tuple(tensors.get((False, i), 0) for i in range(len(self.inputs)))
        call.outputs = tuple(tensors.get((True, i), 0) for i in range(len(self.outputs)))
        call.lists = tuple((place, is_output, i) for what, place, is_output, i in found if what == "list")
        call.others = tuple((place, is_output, i) for what, place, is_output, i in found if what == "other")
        call.hosts = tuple((place, i) for what, place, is_output, i in found if what == "host")
        call.scalars = tuple((slot, places[False, i, True], _shapes.is_written(self.operator, slot, descriptor)) for i, slot in enumerate(self.scalars))

    @staticmethod
    def host_maker(shape, kind):
        """Makes outputs in ordinary memory, which come back as integers."""
        memory = (ctypes.c_bool if kind == Dtype.BOOL else ctypes.c_int64) * count_of(shape)
        return lambda inputs: _HostResult(memory())

    def copier(self, library, name):
        position, like = next(i for i, s in enumerate(self.inputs) if s.name == name), library.like
        return lambda inputs: like(inputs[position])

    def collector(self, present):
        if self.collect is tuple:
            return tuple
        if not present:
            return lambda outputs: None
        if len(present) == 1:
            return lambda outputs: _plain(outputs[present[0]])
        if self.collect == "named":
            kind = namedtuple(camel(self.operator.name), [self.outputs[i].name for i in present])
            return lambda outputs: kind(*(_plain(outputs[i]) for i in present))
        return lambda outputs: tuple(outputs[i] for i in present)

    # -- options

    def call_with_options(self, library, first, inputs, outputs, parameters, options, scalars):
        stream, verb, handle = options.get("stream"), options.get("_verb"), None
        try:
            if library.foreign:
                handle = library.place(self.flat(inputs, outputs), self.operator.name) if stream is None else \
                    stream.raw.handle if isinstance(stream, Stream) else stream
                inputs, outputs = library.hold(inputs, handle), library.hold(outputs, handle)
                first = self.first_array(inputs, outputs)
            if stream is None:
                guard = library.visit(first)
            elif isinstance(stream, Stream):
                on_device = stream.raw.kind == _generated.StreamKind.CUDA
                check_places(self.operator, {library.device(first): self.name_of(first, inputs, outputs)}, stream.raw)
                guard = library.on(first, stream.raw.handle) if on_device else nullcontext()
            elif library.device(first) == -1:
                raise error(Status.STREAM_MISMATCH, f"{self.operator.name}: stream = {stream!r} is given for arrays in ordinary memory; leave it out")
            else:
                guard = library.on(first, int(stream))
        except (AttributeError, TypeError, RuntimeError) as problem:
            raise self.bad(inputs, outputs, parameters, problem) from None
        with guard:
            if not isinstance(stream, Stream):
                handle = int(stream) if stream is not None else handle if library.foreign else library.stream(first)
                stream = Stream(library.wrap(first, handle))
            if not verb:
                return self.run(library, first, stream.raw.handle, stream, inputs, outputs, parameters, {**options, "stream": stream}, scalars)
            if verb == "bind":
                call = self.prepare(library, first, stream.raw, inputs, outputs, parameters, options, scalars)
                return self.bind(call, library, first, inputs, outputs, options, scalars)
            # Nothing runs, so no gradient is lost.
            with library.untracked():
                return self.look(verb, library, first, stream.raw, inputs, outputs, parameters, options, scalars)

    def look(self, verb, library, first, stream, inputs, outputs, parameters, options, scalars):
        """The candidates for a call, or its plan."""
        if verb == "explain":
            problem, descriptor, keep = self.problem(stream, inputs, outputs, parameters, options, scalars)
            return explain_descriptor(stream, descriptor, options.get("preference"))
        return self.prepare(library, first, stream, inputs, outputs, parameters, options, scalars).plan

    def flat(self, inputs, outputs):
        """Every array of a call."""
        return [a for _, _, a in self.arguments(inputs, outputs)]

    def name_of(self, array, inputs, outputs):
        return next((slot.name for slot, _, a in self.arguments(inputs, outputs) if a is array), "an array")

    def bind(self, call, library, first, inputs, outputs, options, scalars):
        outputs = [make(inputs) if make is not None and (a is None or a is True) else a for a, make in zip(outputs, call.make)]
        values = call.values.copy()
        library.fill(values, call.inputs, inputs)
        library.fill(values, call.outputs, outputs)
        owners = self.fill(call, values, library, inputs, outputs, scalars)
        scratch, owner, size = adj_workspace(), None, call.plan.info.bind_workspace_size
        if options.get("workspace") is not None:
            scratch, owner = given_workspace(self.operator, options["workspace"], size, call.plan.stream)
        elif size:
            scratch.data, owner = library.workspace(first, size)
            scratch.bytes = size
        results = [original(a) for a in outputs]
        result, collect = None, None
        if call.single is not None:
            result = results[call.single]
        elif call.hosts:  # read after each run
            collect = lambda: call.collect(results)  # noqa: E731
        else:
            result = call.collect(results)
        slots = (self.inputs, inputs), (self.outputs, outputs), (self.scalars, scalars)
        written = [a for slots, arrays in slots for slot, x in zip(slots, arrays) if _shapes.is_written(self.operator, slot, call.plan.descriptor)
                   for a in (x if type(x) in (tuple, list) else (x,)) if a is not None and not isinstance(a, (bool, int, float, _HostResult))]
        return Bound(call.plan, scratch, call.pack(*values), result, collect, versions_of(written), (library, first),
                     (owner, owners, call, inputs, outputs, scalars))


def _new_scratch(library, first, size):
    """Reference to new scratch memory, which it keeps alive."""
    raw = adj_workspace()
    raw.data, raw.owner = library.workspace(first, size)
    raw.bytes = size
    return ctypes.byref(raw)


class _HostResult:
    """An output in ordinary memory, read when the call is done."""

    def __init__(self, memory):
        self.memory = memory


def _plain(output):
    if isinstance(output, _HostResult):
        values = tuple(output.memory)
        return values[0] if len(values) == 1 else values
    return output


def camel(name):
    return "".join(word.capitalize() for word in name.split("_"))


def signed(value):
    """The value, or a text in place of -0.0, which is another parameter than 0.0 and equal to it."""
    return "-0.0" if type(value) is float and value == 0 and str(value) == "-0.0" else value
