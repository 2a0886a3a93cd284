"""Stand-ins for torch and cupy on two devices of the driver of tests/faults, whose memory is ordinary memory.

They have what the package uses of the real ones: arrays, allocation, the current device and stream, capture. Memory and streams say which stream
and device were current when they were made. The driver's context follows a change of the current device, as with the real libraries: a new thread has none."""
import contextlib
import ctypes
import sys
import types


class Driver:
    """The driver of tests/faults."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.state = ctypes.c_void_p(self.function("fake_driver", ctypes.c_void_p)())

    def function(self, name, result=ctypes.c_int, *types_):
        found = getattr(self.library, name)
        found.restype, found.argtypes = result, types_
        return found

    def call(self, name, *arguments):
        address, found = ctypes.c_void_p(), ctypes.c_int()
        lookup = self.function("cuGetProcAddress_v2", ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p)
        assert lookup(name.encode(), ctypes.byref(address), 13000, 0, ctypes.byref(found)) == 0, name
        status = ctypes.CFUNCTYPE(ctypes.c_int, *[type(a) if isinstance(a, ctypes._SimpleCData) else ctypes.c_void_p for a in arguments])(address.value)(
            *[a if isinstance(a, ctypes._SimpleCData) else ctypes.byref(a) if a is not None else None for a in arguments])
        assert status == 0, (name, status)

    def calls(self, entry):
        """How often an entry point was called."""
        return ctypes.c_int.from_address(self.function("fake_entry", ctypes.c_void_p, ctypes.c_char_p)(entry.encode()) + 8).value

    def push(self, device):
        self.function("fake_enter", None, ctypes.c_int, ctypes.c_bool)(device, True)

    def has_context(self):
        class Pointer(ctypes.Structure):
            _fields_ = [("value", ctypes.c_void_p)]
        found = Pointer()
        self.call("cuCtxGetCurrent", found)
        return found.value is not None

    def pop(self):
        class Pointer(ctypes.Structure):
            _fields_ = [("value", ctypes.c_void_p)]
        self.call("cuCtxPopCurrent", Pointer())

    def new_stream(self, device):
        class Pointer(ctypes.Structure):
            _fields_ = [("value", ctypes.c_void_p)]
        handle = Pointer()
        self.push(device)
        self.call("cuStreamCreate", handle, ctypes.c_uint(0))
        self.pop()
        return handle.value


class Machine:
    """The current device, and the current stream of each device."""

    def __init__(self, driver):
        self.driver, self.devices, self.streams, self.capturing, self.log = driver, [0], {0: 0, 1: 0}, False, []
        driver.push(0)

    @property
    def device(self):
        return self.devices[-1]

    @property
    def stream(self):
        return self.streams[self.device]

    def enter(self, device):
        self.devices.append(device)
        if device != self.devices[-2]:
            self.driver.push(device)

    def leave(self):
        if self.devices.pop() != self.device:
            self.driver.pop()

    def touch(self):
        """What a call of CUDA's runtime does in a thread without a context."""
        if not self.driver.has_context():
            self.driver.push(self.device)

    def allocate(self, what, size):
        """Memory of the current stream."""
        memory = ctypes.create_string_buffer(size + 512)
        self.log.append((what, self.device, self.stream, self.capturing))
        return memory, (ctypes.addressof(memory) + 255) & ~255


class _On:
    """Makes a device current, and a stream of it."""

    def __init__(self, machine, device, stream=None):
        self.machine, self.device, self.stream = machine, device, stream

    def __enter__(self):
        self.machine.enter(self.device)
        if self.stream is not None:
            self.before, self.machine.streams[self.device] = self.machine.streams[self.device], self.stream
        return self

    def __exit__(self, *raised):
        if self.stream is not None:
            self.machine.streams[self.device] = self.before
        self.machine.leave()


def _count(shape):
    n = 1
    for extent in shape:
        n *= extent
    return n


class _Dtype:
    def __init__(self, name, size):
        self.name, self.size = name, size

    def __repr__(self):
        return "torch." + self.name


def torch(machine):
    """A module that the package takes for torch."""
    module = types.ModuleType("torch")
    for name, size in (("float32", 4), ("float64", 8), ("int64", 8), ("int32", 4), ("uint8", 1), ("bool", 1)):
        setattr(module, name, _Dtype(name, size))
    module.strided = object()

    class Tensor:
        layout, requires_grad = module.strided, False

        def __init__(self, shape, dtype, device, what="output"):
            self.shape, self.dtype = tuple(shape), dtype
            self.device = types.SimpleNamespace(type="cpu" if device < 0 else "cuda", index=device)
            if device < 0:
                self.memory = ctypes.create_string_buffer(_count(shape) * dtype.size + 512)
                self.address = (ctypes.addressof(self.memory) + 255) & ~255
            else:
                with _On(machine, device):
                    self.memory, self.address = machine.allocate(what, _count(shape) * dtype.size)

        def get_device(self):
            return self.device.index

        def is_contiguous(self):
            return True

        def stride(self):
            return tuple(_count(self.shape[i + 1:]) for i in range(len(self.shape)))

        def is_neg(self):
            return False

        is_conj = is_neg

        def data_ptr(self):
            return self.address

        def item(self):
            return {"float32": ctypes.c_float, "float64": ctypes.c_double, "int64": ctypes.c_int64}[self.dtype.name].from_address(self.address).value

    Tensor.__module__ = "torch"
    module.Tensor = Tensor

    def empty(shape, dtype=None, device=None):
        shape = (shape,) if isinstance(shape, int) else shape
        return Tensor(shape, dtype or module.float32, -1 if device is None else device.index, "scratch" if dtype is module.uint8 else "output")

    module.empty = module.zeros = empty
    module.empty_like = lambda t: Tensor(t.shape, t.dtype, t.get_device())
    module.is_grad_enabled, module.no_grad = lambda: False, contextlib.nullcontext
    module.__version__ = "2.6"
    module._C = types.SimpleNamespace(_get_tracing_state=lambda: None, _len_torch_dispatch_stack=lambda: 0,
                                      _increment_version=lambda tensors: machine.log.append(("written", len(tensors))),
                                      _cuda_getDevice=lambda: machine.device, _cuda_getCurrentRawStream=lambda device: machine.streams[device])
    made = lambda handle, device: types.SimpleNamespace(handle=handle, device=device)  # noqa: E731
    module.cuda = types.SimpleNamespace(
        device=lambda d: _On(machine, d if isinstance(d, int) else d.index), stream=lambda s: _On(machine, s.device, s.handle),
        ExternalStream=lambda handle, device: made(handle, device), default_stream=lambda device: made(0, device),
        is_current_stream_capturing=lambda: machine.capturing, mem_get_info=machine.touch)
    sys.modules["torch"] = module
    sys.modules["adjoint._torch_compiled"] = types.SimpleNamespace(known=None)  # kernels in compiled code need torch itself
    return module


def cupy(machine):
    """A module that the package takes for cupy. Element types are numpy's."""
    import numpy
    module = types.ModuleType("cupy")

    class ndarray:
        def __init__(self, shape, dtype=numpy.float32, what="output"):
            self.shape, self.dtype, self.flags = tuple(shape), numpy.dtype(dtype), types.SimpleNamespace(c_contiguous=True)
            self.memory, address = machine.allocate(what, _count(shape) * self.dtype.itemsize)
            self.data = types.SimpleNamespace(ptr=address, device_id=machine.device)
            self.__cuda_array_interface__ = {"shape": self.shape, "typestr": self.dtype.str, "data": (address, False), "strides": None, "version": 3}

    ndarray.__module__ = "cupy"
    module.ndarray = ndarray
    module.empty = module.zeros = lambda shape, dtype=numpy.float32: ndarray((shape,) if isinstance(shape, int) else shape, dtype,
                                                                            "scratch" if dtype == "uint8" else "output")
    module.cuda = types.SimpleNamespace(
        Device=lambda d: _On(machine, d), ExternalStream=lambda handle, device: _On(machine, device, handle),
        get_current_stream=lambda: types.SimpleNamespace(ptr=machine.stream, is_capturing=lambda: machine.capturing),
        runtime=types.SimpleNamespace(getDevice=lambda: machine.device, memGetInfo=machine.touch))
    sys.modules["cupy"] = module
    return module
