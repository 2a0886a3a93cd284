#!/usr/bin/env python3
"""Records what onnxruntime-training 1.19.2 computes: record_onnxruntime.py DIRECTORY.

It needs Python 3.11 with onnxruntime-training-cpu==1.19.2, onnx<1.17 and numpy<2; torch, which the package imports, is not needed. It writes

  cases.json             outputs of the nodes of onnx_cases.py that it has a kernel for on the CPU, also in f64 and f16 where it has those kernels
  NAME_OPTIMIZER.json    for each model of onnx_models.py: the graphs of generate_artifacts, the losses of a training and the parameters at its end"""
import importlib.util
import json
import os
import pathlib
import sys
import tempfile
import types

import numpy as np
import onnx
import onnxruntime
from google.protobuf import json_format
from onnx import helper

import onnx_cases
import onnx_models
from onnx_node import model_of

# The package's __init__ imports torch, which only parts that are not used here need.
package = types.ModuleType("onnxruntime.training")
package.__path__ = [str(pathlib.Path(importlib.util.find_spec("onnxruntime").origin).parent / "training")]
sys.modules["onnxruntime.training"] = package
from onnxruntime.training import artifacts  # noqa: E402
from onnxruntime.training.api import CheckpointState, Module, Optimizer  # noqa: E402

onnxruntime.set_default_logger_severity(4)


def stored(array):
    """An array as text: type, shape, and its bytes in hexadecimal."""
    return [array.dtype.name, list(array.shape), np.ascontiguousarray(array).tobytes().hex()]


def clipped():
    at = lambda i: [helper.make_node("Constant", [], [f"at{i}"], value_int=i), helper.make_node("SequenceAt", ["clipped", f"at{i}"], [f"y{i}"])]  # noqa: E731
    model = onnx_cases.clipping((at(0) + at(1), ["y0", "y1"]))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return [stored(a) for a in session.run(None, dict(zip("ab", (a.copy() for a in onnx_cases.CLIPPED))))]


def run(case):
    """Its outputs, or None: it has no kernel on the CPU, or one that fails. In a process of its own, since some kernels end the process."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        sys.stderr = open(os.devnull, "w")
        model, feeds = model_of(case)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        with open(writing, "w") as file:
            file.write(json.dumps([stored(a) for a in session.run(None, feeds)]))
        os._exit(0)
    os.close(writing)
    with open(reading) as file:
        text = file.read()
    return json.loads(text) if os.waitpid(child, 0)[1] == 0 else None


def record_cases():
    made, without = {}, set()
    for case in onnx_cases.cases():
        found = run(case)
        if found is not None:
            made[case.name] = found
            continue
        without.add(case.op)
        if case.reference is None:
            print(f"{case.name}: neither a kernel nor a reference", file=sys.stderr)
    print(f"{len(made)} cases; not to be had: {', '.join(sorted(without))}")
    for case in onnx_cases.cases_in_types():
        found = run(case)
        if found is not None and not any(word[0] == "float32" for word in found):  # else a kernel of f32 between casts
            made[case.name] = found
    made["InplaceClipGradNorm"] = clipped()
    return made


def compact(path):
    """A graph in the form of JSON, without what nothing reads."""
    model = onnx.load(path)
    for node in model.graph.node:
        node.ClearField("doc_string")
    return json_format.MessageToDict(model, preserving_proto_field_name=True)


def train(name, optimizer, batches, directory):
    model = onnx_models.MODELS[name]()
    parameters = onnx_models.trained(model)
    artifacts.generate_artifacts(model, requires_grad=list(parameters), loss=artifacts.LossType.CrossEntropyLoss,
                                 optimizer=getattr(artifacts.OptimType, optimizer), artifact_directory=directory)
    path = lambda file: str(pathlib.Path(directory) / file)  # noqa: E731
    module = Module(path("training_model.onnx"), CheckpointState.load_checkpoint(path("checkpoint")), path("eval_model.onnx"))
    stepper = Optimizer(path("optimizer_model.onnx"), module)
    losses = []
    for step in range(onnx_models.STEPS):
        module.train()
        for part in range(batches):
            feeds = onnx_models.batch(name, batches * step + part)
            losses.append(float(np.asarray(module(*feeds.values())).reshape(-1)[0]))
        stepper.set_learning_rate(onnx_models.learning_rate(step))
        stepper.step()
        module.lazy_reset_grad()
    module.eval()
    evaluated = float(np.asarray(module(*onnx_models.batch(name, 1000).values())).reshape(-1)[0])
    state = CheckpointState.load_checkpoint(path("checkpoint"))
    del state
    final = {n: stored(np.asarray(p.data)) for n, p in module._state.parameters if n in parameters}
    return {"losses": losses, "evaluated": evaluated, "final": final, "training": compact(path("training_model.onnx")),
            "optimizer": compact(path("optimizer_model.onnx")), "evaluation": compact(path("eval_model.onnx"))}


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    write = lambda name, value: (out / name).write_text(json.dumps(value, separators=(",", ":"), sort_keys=True) + "\n", encoding="utf-8")  # noqa: E731
    write("cases.json", record_cases())
    for name in onnx_models.MODELS:
        for optimizer in ("AdamW", "SGD"):
            with tempfile.TemporaryDirectory() as directory:
                write(f"{name}_{optimizer}.json", train(name, optimizer, 1, directory))
    with tempfile.TemporaryDirectory() as directory:
        write("mlp_AdamW_accumulated.json", train("mlp", "AdamW", 2, directory))


if __name__ == "__main__":
    main()
