"""Every operator for TVM-FFI: arrays by DLPack, of torch, cupy, paddle, jax or numpy.

    import adjoint.tvm_ffi
    adjoint.tvm_ffi.call("softmax_backward", outer=4, dout=dout, out=out, dinput=dinput)

Names are those of the C headers, and of the fields of adj_preference. Outputs are given; fields that follow from the arrays need not be."""
import tvm_ffi

from ._adapter import path_of

# The function itself, for callers that have names and values by turns: function(operator, name, value, name, value, ...).
function = tvm_ffi.load_module(path_of("tvm_ffi", "apache-tvm-ffi"))["call"]


def call(operator, /, **named):
    """Runs an operator on the stream of TVM-FFI's environment, or in ordinary memory. A value of None is left out."""
    words = [operator]
    for pair in named.items():
        words += pair
    function(*words)
