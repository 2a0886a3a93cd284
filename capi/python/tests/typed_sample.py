"""A program that mypy checks. A line with an error says which, behind "E:"; test_typing.py compares."""
import numpy as np

import adjoint

x = np.ones((2, 3), np.float32)
y = adjoint.softmax(x, axis=0, out=x, stream=adjoint.Stream.host(), preference=adjoint.Preference(math="ieee"))
adjoint.softmax(x, axis="last")  # E: incompatible type "str"; expected "int"
adjoint.softmax(x, axes=0)  # E: Unexpected keyword argument "axes"
adjoint.relu(x, interleaved=True)  # E: Unexpected keyword argument "interleaved"
adjoint.relu_backward(y, x, want_dbias=True)
adjoint.ops.softmax_backward(y, y, outer=2, element="f32", dinput=True)
adjoint.attention_forward(x, x, x, causal=1, scale=0.5)
adjoint.attention_forward(x, x)  # E: Missing positional argument "v"
adjoint.ops.reduce(x, kind="mean", axes=[0])
adjoint.ops.reduce(x, kind="median")  # E: incompatible type "Literal['median']"
adjoint.ops.dropout_forward(x, ratio=0.5, random=(1, 0), mask_mode="bits", words=True)
adjoint.adam([x], [x], [x], [x], lr=0.1, step=1, betas=(0.9, 0.95))
adjoint.sgd(x.shape, lr="fast", nesterov=1)  # E: Missing positional argument "grads"
bound: adjoint.Bound = adjoint.softmax_backward.bind(y, y)
plan: adjoint.Plan = adjoint.matmul.select(x, x, bias=y)
adjoint.matmul.select(x, x, biases=y)  # E: Unexpected keyword argument "biases"
code: adjoint.Status = adjoint.Status.SHAPE_MISMATCH
level = adjoint.Determinism.BATCH_INVARIANTS  # E: has no attribute "BATCH_INVARIANTS"
adjoint.ops.softmax_sideways(x)  # E: Module has no attribute "softmax_sideways"
