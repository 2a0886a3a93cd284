#!/usr/bin/env python3
"""What a node costs beside its arithmetic: onnxruntime_overhead.py [NODES]. Needs ADJOINT_LIBRARY, as run.py does.

Chains of nodes of four elements run in a session with one thread, so that the cost of a run of the session is spread over them. Prints microseconds for each
node: the least of 400 runs, since other work on the machine only adds to it."""
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "capi/python")]

import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402

import adjoint.onnxruntime as training  # noqa: E402

ROUNDS = 400


def chain(op, count, inputs, domain="com.microsoft", **attributes):
    """A model of `count` nodes, each on the result of the one before it; `inputs` names the others."""
    nodes = [helper.make_node(op, [f"x{i}", *inputs], [f"x{i + 1}"], domain=domain, **attributes) for i in range(count)]
    feeds = {"x0": np.full((2, 2), 0.5, np.float32), **{n: np.array(v) for n, v in inputs.items()}}
    values = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in feeds.items()]
    graph = helper.make_graph(nodes, "chain", values, [helper.make_tensor_value_info(f"x{count}", TensorProto.FLOAT, [2, 2])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8), feeds


def cost(model, feeds, count):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = training.session(model, training.session_options(options))
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        session.run(None, feeds)
        times.append((time.perf_counter() - start) / count * 1e6)
    return min(times)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    y, mask = np.full((2, 2), 0.5, np.float32), np.ones((2, 2), bool)
    print(f"onnxruntime {onnxruntime.__version__}, us for a node of a chain of {count}")
    for name, case in {"Relu of ONNX Runtime": ("Relu", {}, ""), "ReluGrad, two inputs": ("ReluGrad", {"y": y}),
                       "DropoutGrad, four inputs": ("DropoutGrad", {"mask": mask, "ratio": np.float32(0.5), "training": np.array(True)}),
                       "Scale by an input": ("Scale", {"scale": np.float32(1)})}.items():
        print(f"  {name:28s}{cost(*chain(case[0], count, *case[1:]), count):6.2f}")


main()
