#!/usr/bin/env python3
"""Milliseconds of a training step of the transformer block on one thread: onnxruntime_training_time.py DIRECTORY.

Run it first where onnxruntime-training is installed (record_onnxruntime.py says how), which writes the graphs to the directory, then with ADJOINT_LIBRARY and a
stock onnxruntime. A step is a batch and an update by AdamW. Prints the least of many, for the small model of the suite and a larger one."""
import importlib.util
import pathlib
import sys
import time

import numpy as np
import onnxruntime

import onnx_models

SIZES = {"small": (dict(batch=4, length=5, width=8, heads=2, words=12), 3000), "large": (dict(batch=8, length=64, width=128, heads=4, words=512), 100)}


def batch(size):
    ids = np.random.default_rng(1).integers(0, size["words"], (size["batch"], size["length"]))
    return {"ids": ids, "labels": ((ids * 5 + 1) % size["words"]).reshape(-1)}


def least(step, count):
    """Of single steps, since other work on the machine only adds to their time."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        step()
        times.append((time.perf_counter() - start) * 1e3)
    return min(times)


def of_training_package(directory, size, count):
    from record_onnxruntime import CheckpointState, Module, Optimizer, artifacts

    model = onnx_models.transformer(**size)
    artifacts.generate_artifacts(model, requires_grad=list(onnx_models.trained(model)), loss=artifacts.LossType.CrossEntropyLoss,
                                 optimizer=artifacts.OptimType.AdamW, artifact_directory=str(directory))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    path = lambda name: str(directory / name)  # noqa: E731
    module = Module(path("training_model.onnx"), CheckpointState.load_checkpoint(path("checkpoint")), path("eval_model.onnx"), session_options=options)
    optimizer, feeds = Optimizer(path("optimizer_model.onnx"), module), batch(size)

    def step():
        module.train()
        module(*feeds.values())
        optimizer.step()
        module.lazy_reset_grad()
    return least(step, count)


def of_this_library(directory, size, count):
    import adjoint.onnxruntime as training

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    trainer = training.Trainer(str(directory / "training_model.onnx"), onnx_models.trained(onnx_models.transformer(**size)),
                               str(directory / "optimizer_model.onnx"), options=training.session_options(options))
    feeds = batch(size)
    return least(lambda: trainer.step(feeds), count)


def main():
    measure = of_training_package if importlib.util.find_spec("onnxruntime.training") else of_this_library
    sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "capi/python"))
    print(f"onnxruntime {onnxruntime.__version__}, {measure.__name__}: ms of a step")
    for name, (size, count) in SIZES.items():
        directory = pathlib.Path(sys.argv[1]) / name
        directory.mkdir(parents=True, exist_ok=True)
        print(f"  {name}: {measure(directory, size, count):.3f}", flush=True)


if __name__ == "__main__":
    main()
