"""Prints where a Python's packages have the headers of XLA's FFI and of TVM-FFI, as lines `jax DIRECTORY` and `tvm_ffi DIRECTORY LIBRARIES`.

A package that is not installed has no line. Nothing is imported."""
import importlib.util
import pathlib


def package(name):
    found = importlib.util.find_spec(name)
    return pathlib.Path(found.origin).parent if found and found.origin else None


jaxlib, tvm_ffi = package("jaxlib"), package("tvm_ffi")
if jaxlib and (jaxlib / "include/xla/ffi/api/c_api.h").is_file():
    print("jax", jaxlib / "include")
if tvm_ffi and (tvm_ffi / "include/tvm/ffi/c_api.h").is_file() and (tvm_ffi / "lib/libtvm_ffi.so").is_file():
    print("tvm_ffi", tvm_ffi / "include", tvm_ffi / "lib")
