"""A session by ONNX Runtime's C interface alone: onnxruntime_from_c.py RUNTIME ADAPTER MODEL. No package of Python takes part.

The model has inputs input_0 and input_1 of six f32 and an output output_0; they are 1 to 6 and -1, 1, -1 and so on, and the output is printed."""
import ctypes
import sys

pointer, text = ctypes.c_void_p, ctypes.c_char_p
RELEASES = {"environment": 92, "session": 95, "value": 96, "options": 100}


class Base(ctypes.Structure):
    _fields_ = [("get", ctypes.CFUNCTYPE(ctypes.POINTER(pointer), ctypes.c_uint32)), ("version", pointer)]


runtime = ctypes.CDLL(sys.argv[1])
runtime.OrtGetApiBase.restype = ctypes.POINTER(Base)
table = runtime.OrtGetApiBase().contents.get(18)


def call(place, *arguments):
    """A function of OrtApi by its place in version 18. A status ends the program with its message."""
    status = ctypes.CFUNCTYPE(pointer, *(type(a) if isinstance(a, ctypes._SimpleCData) else pointer for a in arguments))(table[place])(*arguments)
    if status:
        sys.exit(ctypes.CFUNCTYPE(text, pointer)(table[2])(status).decode())


def made(place, *arguments):
    out = pointer()
    call(place, *arguments, ctypes.byref(out))
    return out


def main():
    with open(sys.argv[3], "rb") as file:
        model = file.read()
    environment, options = made(3, ctypes.c_int(3), text(b"test")), made(10)
    call(228, options, text(sys.argv[2].encode()))  # RegisterCustomOpsLibrary_V2
    session = made(8, environment, text(model), ctypes.c_size_t(len(model)), options)
    memory = made(69, ctypes.c_int(0), ctypes.c_int(0))
    shape = (ctypes.c_int64 * 1)(6)
    arrays = [(ctypes.c_float * 6)(*(i + 1 for i in range(6))), (ctypes.c_float * 6)(*((-1) ** (i + 1) for i in range(6)))]
    values = [made(49, memory, ctypes.cast(a, pointer), ctypes.c_size_t(24), ctypes.cast(shape, pointer), ctypes.c_size_t(1), ctypes.c_int(1)) for a in arrays]
    names, outputs, result = (text * 2)(b"input_0", b"input_1"), (text * 1)(b"output_0"), (pointer * 1)()
    call(9, session, pointer(), ctypes.cast(names, pointer), ctypes.cast((pointer * 2)(*(v.value for v in values)), pointer), ctypes.c_size_t(2),
         ctypes.cast(outputs, pointer), ctypes.c_size_t(1), ctypes.cast(result, pointer))
    data = made(51, pointer(result[0]))
    print(list((ctypes.c_float * 6).from_address(data.value)))
    for what, handle in (("value", result[0]), *(("value", v) for v in values), ("session", session), ("options", options), ("environment", environment)):
        ctypes.CFUNCTYPE(None, pointer)(table[RELEASES[what]])(handle)


main()
