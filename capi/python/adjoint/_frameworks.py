"""Arrays of numpy, cupy and torch.

torch and cupy are never imported here. They are taken from sys.modules: a caller with such an array has imported the library."""
import sys
from contextlib import nullcontext
from functools import partial

from ._arrays import AWAY, HOST_STREAM, Library, Tracked, View, host_memory
from ._generated import Dtype
from ._library import Stream


class Numpy(Library):
    name = "numpy"

    def __init__(self):
        np = self.np = sys.modules["numpy"]
        names = {"float32": Dtype.F32, "float64": Dtype.F64, "float16": Dtype.F16, "int8": Dtype.I8, "int16": Dtype.I16, "int32": Dtype.I32,
                 "int64": Dtype.I64, "uint8": Dtype.U8, "uint16": Dtype.U16, "uint32": Dtype.U32, "uint64": Dtype.U64, "bool": Dtype.BOOL}
        self.codes = {np.dtype(name): code for name, code in names.items()}
        self.dtypes = {code: dtype for dtype, code in self.codes.items()}

    def code(self, dtype):
        found = self.codes.get(dtype)
        if found is None and dtype.name == "bfloat16":  # of ml_dtypes
            self.codes[dtype], self.dtypes[Dtype.BF16], found = Dtype.BF16, dtype, Dtype.BF16
        return found

    def dtype(self, code):
        """The numpy type; bf16 without ml_dtypes is uint16."""
        if code == Dtype.BF16 and code not in self.dtypes:
            return self.dtypes[Dtype.U16]
        return self.dtypes[code]

    def keys(self, arrays):
        found = []
        for a in arrays:
            if a is None or a is True:
                found.append(a)
            elif type(a) is tuple:
                found.append(self.keys(a))
            else:
                flags = a.flags
                found.append((a.shape, a.dtype, flags.c_contiguous, flags.writeable))
        return tuple(found)

    def fill(self, values, places, arrays):
        for place, a in zip(places, arrays):
            if place:
                values[place] = a.__array_interface__["data"][0]

    def like(self, array):
        return self.np.empty(array.shape, array.dtype)

    def view(self, a):
        return View(a.__array_interface__["data"][0], a.shape, self.code(a.dtype) or a.dtype, -1, a.flags.c_contiguous, a.flags.writeable)

    def maker(self, shape, dtype, array, zero):
        return partial(self.np.zeros if zero else self.np.empty, shape, self.dtype(dtype))


class Cupy(Numpy):
    name = "cupy"

    def __init__(self):
        super().__init__()
        self.cupy = sys.modules["cupy"]

    def keys(self, arrays):
        found = []
        for a in arrays:
            if a is None or a is True:
                found.append(a)
            elif type(a) is tuple:
                found.append(self.keys(a))
            else:
                found.append((a.shape, a.dtype, a.flags.c_contiguous, a.data.device_id))
        return tuple(found)

    def fill(self, values, places, arrays):
        for place, a in zip(places, arrays):
            if place:
                values[place] = a.data.ptr

    def stream(self, array):
        return self.cupy.cuda.get_current_stream().ptr if array.data.device_id == self.cupy.cuda.runtime.getDevice() else AWAY

    def visit(self, array):
        return self.cupy.cuda.Device(array.data.device_id)

    def device(self, array):
        return array.data.device_id

    def on(self, array, handle):
        return _CupyStream(self.cupy, array.data.device_id, handle)

    def wrap(self, array, handle):
        with self.cupy.cuda.Device(array.data.device_id):
            return Stream.wrap(handle).raw

    def capturing(self):
        return self.cupy.cuda.get_current_stream().is_capturing()

    def workspace(self, array, size):
        with self.cupy.cuda.Device(array.data.device_id):
            owner = self.cupy.empty(size, "uint8")
        return owner.data.ptr, owner

    def view(self, a):
        return View(a.data.ptr, a.shape, self.code(a.dtype) or a.dtype, a.data.device_id, a.flags.c_contiguous, True)

    def like(self, array):
        return self.cupy.empty(array.shape, array.dtype)

    def maker(self, shape, dtype, array, zero):
        function, device, dtype = self.cupy.zeros if zero else self.cupy.empty, array.data.device_id, self.dtype(dtype)

        def make():
            with self.cupy.cuda.Device(device):
                return function(shape, dtype)
        return make


class _CupyStream:
    """Makes a device and a stream of it current for cupy."""

    def __init__(self, cupy, device, handle):
        self.device, self.stream = cupy.cuda.Device(device), cupy.cuda.ExternalStream(handle, device)

    def __enter__(self):
        self.device.__enter__()
        try:
            self.stream.__enter__()
        except BaseException:
            self.device.__exit__()
            raise

    def __exit__(self, *raised):
        try:
            self.stream.__exit__(*raised)
        finally:
            self.device.__exit__(*raised)


class Torch(Library):
    name = "torch"
    versions = True

    def __init__(self):
        torch = self.torch = sys.modules["torch"]
        names = {"float32": Dtype.F32, "float64": Dtype.F64, "float16": Dtype.F16, "bfloat16": Dtype.BF16, "int8": Dtype.I8, "int16": Dtype.I16,
                 "int32": Dtype.I32, "int64": Dtype.I64, "uint8": Dtype.U8, "uint16": Dtype.U16, "uint32": Dtype.U32, "uint64": Dtype.U64,
                 "bool": Dtype.BOOL}
        self.codes = {getattr(torch, name): code for name, code in names.items() if hasattr(torch, name)}
        self.dtypes = {code: dtype for dtype, code in self.codes.items()}
        self.like = torch.empty_like
        # torch.cuda.current_stream makes an object in every call, which takes longer than the rest of the lookup.
        self.raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (lambda device: torch.cuda.current_stream(device).cuda_stream)
        self.current_device = getattr(torch._C, "_cuda_getDevice", None) or torch.cuda.current_device
        self.grad_enabled, self.untracked = torch.is_grad_enabled, torch.no_grad
        self.wrote = _torch_versions(torch)

    def keys(self, arrays):
        found = []
        for a in arrays:
            if a is None or a is True:
                found.append(a)
            elif type(a) is tuple:
                found.append(self.keys(a))
            else:
                if a.requires_grad and self.grad_enabled():
                    raise Tracked
                found.append((a.shape, a.dtype, a.get_device(), a.is_contiguous(), a.is_neg()))
        return tuple(found)

    def fill(self, values, places, arrays):
        for place, a in zip(places, arrays):
            if place:
                values[place] = a.data_ptr()

    def addresses(self, arrays):
        return [a.data_ptr() for a in arrays]

    def tracked(self, array):
        return array.requires_grad and self.grad_enabled()

    def zeros_like(self, array):
        return self.torch.zeros_like(array)

    def copy(self, array):
        return array.detach().clone()

    def row_major(self, arrays):
        if all(a.is_contiguous() for a in arrays):
            return arrays, lambda: None
        first, found, copies = arrays[0], [], []
        strides = _dense_strides(first)
        for a in arrays:
            if strides is None or not _same_strides(a, strides):
                copies.append((a, a.contiguous() if strides is None else self.torch.empty_strided(a.shape, strides, dtype=a.dtype, device=a.device).copy_(a)))
                a = copies[-1][1]
            found.append(a.as_strided((a.numel(),), (1,)))

        def write_back():
            for a, copy in copies:
                if a is not arrays[1]:
                    a.copy_(copy)
        return tuple(found), write_back

    def stream(self, array):
        device = array.get_device()
        return None if device < 0 else self.raw_stream(device) if device == self.current_device() else AWAY

    def visit(self, array):
        device = array.get_device()
        return self.torch.cuda.device(device) if device >= 0 else nullcontext()

    def device(self, array):
        return array.get_device()

    def on(self, array, handle):
        device, cuda = array.get_device(), self.torch.cuda
        if device < 0:
            return nullcontext()
        if handle == self.raw_stream(device):
            return cuda.device(device)
        # ExternalStream makes a new stream of the handle 0, and 1 is the legacy default stream by its other name.
        return cuda.stream(cuda.default_stream(device) if handle in (None, 0, 1) else cuda.ExternalStream(handle, device=device))

    def wrap(self, array, handle):
        if array.get_device() < 0:
            return HOST_STREAM
        with self.torch.cuda.device(array.device):
            return Stream.wrap(handle).raw

    def capturing(self):
        return self.torch.cuda.is_current_stream_capturing()

    def workspace(self, array, size):
        if array.get_device() < 0:
            return host_memory(size)
        owner = self.torch.empty(size, dtype=self.torch.uint8, device=array.device)
        return owner.data_ptr(), owner

    def view(self, a):
        if a.device.type not in ("cpu", "cuda") or a.layout is not self.torch.strided:
            raise TypeError(f"a {a.layout} tensor on {a.device}; use a dense tensor on the CPU or on a CUDA device")
        if a.is_neg() or a.is_conj():
            raise TypeError("a tensor whose elements are to be negated when they are read; use resolve_neg() or resolve_conj()")
        try:
            pointer = a.data_ptr()
        except RuntimeError:
            raise TypeError(f"a {type(a).__name__} without memory of its own, as in torch.func.vmap and torch.compile; use the functions of "
                            "adjoint.torch there") from None
        return View(pointer, tuple(a.shape), self.codes.get(a.dtype, a.dtype), a.get_device(), a.is_contiguous(), True)

    def maker(self, shape, dtype, array, zero):
        return partial(self.torch.zeros if zero else self.torch.empty, shape, dtype=self.dtypes[dtype], device=array.device)


def _dense_strides(tensor):
    """The strides of a tensor whose elements fill a range of memory, each once; None for another tensor."""
    expected = 1
    for stride, extent in sorted((s, n) for s, n in zip(tensor.stride(), tensor.shape) if n != 1):
        if stride != expected:
            return None
        expected *= extent
    return tensor.stride()


def _same_strides(tensor, strides):
    return all(n == 1 or a == b for n, a, b in zip(tensor.shape, tensor.stride(), strides))


def _torch_versions(torch):
    """A function that raises the version counters of a tuple of tensors, so that autograd sees that they were written."""
    increment = getattr(torch._C, "_increment_version", None)
    try:
        increment((torch.empty(0),))
        return increment
    except TypeError:  # torch before 2.6, which takes one tensor or has no such function
        def wrote(tensors):
            for t in tensors:
                if not t.is_inference():
                    t.detach().reshape(-1)[:0].zero_()  # a view, which shares the counter; nothing is launched for no elements
        return wrote
