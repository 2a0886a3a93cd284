"""Training graphs of ONNX Runtime, run by a stock onnxruntime of 1.18 or newer through this library.

    import adjoint.onnxruntime as training
    trainer = training.Trainer("training_model.onnx", parameters, "optimizer_model.onnx", lr=1e-3)
    loss = trainer.step({"x": x, "labels": labels})

The graphs are those of onnxruntime-training's generate_artifacts, or those that training_model() makes of a model without that package."""
import os

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

from . import _library
from ._adapter import path_of
from ._generated import Status
from ._onnx_bindings import bindings, check_node, domain_of, refuse
from ._onnx_gradients import gradients, training_model

__all__ = ["Trainer", "gradients", "prepare", "session", "session_options", "training_model"]

MICROSOFT, OURS = "com.microsoft", "adjoint"
_MARK = "adjoint.registered"
_TYPES = {1: "f32", 2: "u8", 3: "i8", 4: "u16", 5: "i16", 6: "i32", 7: "i64", 9: "bool", 10: "f16", 11: "f64", 12: "u32", 13: "u64", 16: "bf16"}


def session_options(options=None):
    """Session options in which this library's operators are registered: `options`, or new ones. Options that have them already are left as they are."""
    options = onnxruntime.SessionOptions() if options is None else options
    try:
        options.get_session_config_entry(_MARK)
    except Exception:  # the entry is not there, for which onnxruntime has no error of its own
        options.register_custom_ops_library(path_of("onnxruntime", "onnxruntime"))
        options.add_session_config_entry(_MARK, "1")
    return options


def load(model):
    """A copy of a model that is given by its path, as bytes or as a ModelProto."""
    if isinstance(model, (str, os.PathLike)):
        return onnx.load(model)
    if isinstance(model, (bytes, bytearray)):
        return onnx.load_from_string(bytes(model))
    if isinstance(model, onnx.ModelProto):
        made = onnx.ModelProto()
        made.CopyFrom(model)
        return made
    raise _library.error(Status.INVALID_ARGUMENT, f"model = {type(model).__name__} is not a path, bytes or an onnx.ModelProto")


def prepare(model, tensors=None):
    """A copy of the model that a session can run: com.microsoft is imported at version 1, optimizers take tensors in place of sequences, and operators whose
    output type the session cannot infer have the type in their names. `tensors`: how many tensors a sequence among the inputs has.

    An attribute or input that an operator does not take raises InvalidError; an operator without a meaning in a session, UnsupportedError. Both name the
    node, the operator and the attribute."""
    model = load(model)
    versions = {o.domain: o.version for o in model.opset_import}
    if versions.get(MICROSOFT, 1) != 1:
        raise _library.error(Status.INVALID_ARGUMENT, f"the model imports {MICROSOFT} at version {versions[MICROSOFT]}, expected 1")
    for domain in (MICROSOFT, OURS):
        if domain not in versions:
            model.opset_import.append(helper.make_opsetid(domain, 1))
    for node in _nodes(model.graph):
        check_node(node)
    _Rewrite(model.graph, tensors).run()
    return model


def session(model, options=None, providers=("CPUExecutionProvider",), tensors=None):
    """An InferenceSession of prepare(model)."""
    return onnxruntime.InferenceSession(prepare(model, tensors).SerializeToString(), session_options(options), providers=list(providers))


def _nodes(graph):
    for node in graph.node:
        yield node
        for a in node.attribute:
            for inner in [a.g] * a.HasField("g") + list(a.graphs):
                yield from _nodes(inner)


class _Rewrite:
    """Of what custom operators cannot take as it stands."""

    def __init__(self, graph, tensors):
        self.graph, self.tensors = graph, tensors
        self.sequences = {}  # name: names of the tensors
        self.types = {v.name: v.type.tensor_type.elem_type for v in (*graph.input, *graph.output, *graph.value_info) if v.type.HasField("tensor_type")}
        self.types.update({i.name: i.data_type for i in graph.initializer})
        self.made = {n.output[0]: n for n in graph.node if n.op_type == "SequenceConstruct"}

    def run(self):
        nodes = []
        for node in self.graph.node:
            binding = bindings().get((domain_of(node), node.op_type))
            if binding is not None and domain_of(node) == MICROSOFT:
                nodes += self.rewritten(node, binding)
            else:
                nodes.append(node)
        used = {name for n in nodes for name in n.input} | {o.name for o in self.graph.output}
        nodes = [n for n in nodes if n.op_type != "SequenceConstruct" or n.output[0] in used]
        for i in list(self.graph.input):
            if i.type.HasField("sequence_type") and i.name not in used:  # SGD's moments
                self.graph.input.remove(i)
        del self.graph.node[:]
        self.graph.node.extend(nodes)

    def rewritten(self, node, binding):
        """The nodes that take the place of one."""
        if any(p.sequence for p in binding.inputs):
            return self.without_sequences(node, binding)
        if any(p.group for p in binding.inputs):
            return self.by_group(node, binding)
        if binding.told is not None:
            self.name_type(node, binding)
        if any(binding.attributes[a.name].rewritten and a.i for a in node.attribute):
            return self.joined(node)
        if node.op_type == "PassThrough" and self.of_several_types(node):
            return [helper.make_node(node.op_type, [node.input[i], *(x for j, x in enumerate(node.input) if j != i)], [out], name=f"{node.name}.{i}", domain=OURS)
                    for i, out in enumerate(node.output) if out]
        return [node]

    def of_several_types(self, node):
        """Whether the inputs have several element types, or may have."""
        types = {self.types.get(x, 0) for x in node.input}
        return len(types) > 1 or len(node.input) > 1 and 0 in types

    def joined(self, node):
        """The node with an output for each input, and these as one vector, which is its output."""
        parts, flat, vector = [f"{node.output[0]}.{i}" for i in range(len(node.input) - 1)], [], self.constant("flat", np.array([-1], np.int64))
        made = helper.make_node(node.op_type, node.input, parts, name=node.name, domain=node.domain)
        made.attribute.extend(a for a in node.attribute if a.name != "fuse_outputs")
        for part in parts:
            flat.append(helper.make_node("Reshape", [part, vector], [f"{part}.flat"], name=f"{part}.flat"))
        return [made, *flat, helper.make_node("Concat", [n.output[0] for n in flat], node.output, name=f"{node.name}.joined", axis=0)]

    def by_group(self, node, binding):
        """A node for each group of ports: weights of one tensor with what belongs to them."""
        counts, sides = binding.groups(node), []
        if counts[0] != counts[1]:
            refuse(node, f"it has inputs for {counts[0]} groups of tensors, and outputs for {counts[1]}")
        for ports, names in ((binding.inputs, node.input), (binding.outputs, node.output)):
            head, size = sum(not p.group for p in ports), sum(p.group for p in ports)
            sides.append((names[:head], [names[at:at + size] for at in range(head, len(names), size)]))
        given = {a.name: a for a in node.attribute}
        for name, a in given.items():
            if binding.attributes[name].kind == "floats" and len(a.floats) < counts[0]:
                refuse(node, f"attribute {name} has {len(a.floats)} numbers, for {counts[0]} groups of tensors")
        settled = dict(p.without for p, name in zip(binding.inputs, node.input) if p.without and not name)
        nodes = []
        for i in range(counts[0]):
            results = [name if i == 0 else "" for name in sides[1][0]]
            made = helper.make_node(node.op_type, [*sides[0][0], *sides[0][1][i]], [*results, *sides[1][1][i]], name=f"{node.name}.{i}", domain=OURS)
            for name, a in given.items():
                made.attribute.append(helper.make_attribute(name, a.floats[i]) if binding.attributes[name].kind == "floats" else a)
            for name, value in settled.items():
                kept = [a for a in made.attribute if a.name != name]
                del made.attribute[:]
                made.attribute.extend([*kept, helper.make_attribute(name, int(value))])
            nodes.append(made)
        return nodes

    def name_type(self, node, binding):
        """Puts the type of the output into the operator's name."""
        attribute = next((a for a in binding.attributes.values() if a.type_of), None)
        number = next((a.i for a in node.attribute if attribute and a.name == attribute.name), 0) or self.types.get(node.output[binding.told], 0)
        if not number:
            return  # the first that is registered: the session says what it took
        if number not in _TYPES:
            refuse(node, f"element type {number} of {binding.outputs[binding.told].name} is not served", Status.UNSUPPORTED)
        node.op_type, node.domain = f"{node.op_type}_{_TYPES[number]}", OURS

    def without_sequences(self, node, binding):
        """The node on tensors, which are updated in place."""
        outputs = {o.name for o in self.graph.output}
        read = {name for n in self.graph.node for name in n.input}
        for port, name in zip(binding.outputs, node.output):
            if port.sequence and name:
                if name in read:
                    refuse(node, f"output {port.name} is read by another node; the tensors of the input are updated in place, read them")
                if name in outputs:
                    self.graph.output.remove(next(o for o in self.graph.output if o.name == name))
        given = dict(zip((p.name for p in binding.inputs), node.input))
        inputs, lists = [], []
        for port in binding.inputs:
            name = given.get(port.name, "")
            if port.sequence:
                lists.append(self.tensors_of(node, port, name))
            else:
                inputs.append(name or self.constant("true", np.array(True)))
        counts = {len(names) for names in lists}
        if len(counts) > 1:
            refuse(node, f"its sequences have {' and '.join(map(str, sorted(counts)))} tensors, expected one number")
        kept = [name for port, name in zip(binding.outputs, node.output) if not port.sequence and name] or [f"{node.name or node.op_type}.norm"]
        made = helper.make_node(node.op_type, [*inputs, *(n for names in lists for n in names)], kept, name=node.name, domain=OURS)
        made.attribute.extend(node.attribute)
        return [made]

    def tensors_of(self, node, port, name):
        if name in self.made:
            return list(self.made[name].input)
        if name not in self.sequences:
            found = next((i for i in self.graph.input if i.name == name and i.type.HasField("sequence_type")), None)
            if found is None:
                refuse(node, f"the sequence {port.name} is neither an input of the graph nor the output of SequenceConstruct")
            if self.tensors is None:
                refuse(node, f"the sequence {port.name} is an input of the graph; say how many tensors it has: prepare(model, tensors=N)")
            names = self.sequences[name] = [f"{name}.{i}" for i in range(self.tensors)]
            place = list(self.graph.input).index(found)
            inputs = list(self.graph.input)
            inputs[place:place + 1] = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, None) for n in names]
            del self.graph.input[:]
            self.graph.input.extend(inputs)
        return self.sequences[name]

    def constant(self, name, value):
        name = f"adjoint.{name}"
        if all(i.name != name for i in self.graph.initializer):
            self.graph.initializer.append(numpy_helper.from_array(value, name))
        return name


OPTIMIZERS = {"adamw": ("AdamWOptimizer", 4), "sgd": ("SGDOptimizerV2", 2)}


def _optimizer_model(name, attributes):
    """An optimizer graph as onnxruntime-training writes it."""
    if name not in OPTIMIZERS:
        raise _library.error(Status.INVALID_ARGUMENT, f"optimizer = {name!r} is not one of {', '.join(OPTIMIZERS)}, a path or a model")
    op, lists = OPTIMIZERS[name]
    sequences = ["params", "gradients", "first_order_moments", "second_order_moments"][:lists]
    tensor = helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, None)
    inputs = [helper.make_tensor_value_info("learning_rate", onnx.TensorProto.FLOAT, [1]), helper.make_tensor_value_info("step", onnx.TensorProto.INT64, [1])]
    inputs += [helper.make_value_info(n, helper.make_sequence_type_proto(tensor)) for n in sequences]
    node = helper.make_node(op, ["learning_rate", *["step"] * (lists == 4), *sequences], ["updated"], name="optimizer", domain=MICROSOFT, **attributes)
    graph = helper.make_graph([node], "optimizer", inputs, [helper.make_tensor_value_info("updated", onnx.TensorProto.BOOL, [1])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)], ir_version=8)


_SUFFIX = "_grad.accumulation.buffer"
_FEW = 4096  # elements of a gradient that can wait for others: a node costs more than to accumulate it


def _accumulate_together(graph, small):
    """One node in place of those that accumulate into buffers named in `small` with one flag: its output is that of the first. The gradients live until it runs."""
    nodes, outputs = list(graph.node), {o.name: o for o in graph.output}
    read = {name for n in nodes for name in n.input}
    found = [n for n in nodes if n.op_type == "InPlaceAccumulatorV2" and n.input[0] in small and len(n.input) == 3 and n.input[2]
             and not any(n.output[1:]) and n.output[0] not in read]
    found = [n for n in found if n.input[2] == found[0].input[2]]
    if len(found) < 2:
        return
    for n in found:
        graph.node.remove(n)
    for n in found[1:]:
        if n.output[0] in outputs:
            graph.output.remove(outputs[n.output[0]])
    graph.node.append(helper.make_node("InPlaceAccumulatorV2", [found[0].input[2], *(n.input[i] for i in (0, 1) for n in found)], found[0].output[:1],
                                       name=found[0].name, domain=OURS))


class Trainer:
    """A training loop over a training graph and an optimizer graph.

    training: training_model.onnx of generate_artifacts, or what training_model() has made. parameters: arrays by name; the trainer has copies of its own.
    optimizer: optimizer_model.onnx, or "adamw" or "sgd" with the attributes of the operator as keywords. lr: a number, or a function of the step, which counts
    from 0. evaluation: eval_model.onnx, or any model with the same parameters among its inputs."""

    def __init__(self, training, parameters, optimizer="adamw", lr=1e-3, evaluation=None, options=None, **attributes):
        training = load(training)
        self.names = [n.input[0][:-len(_SUFFIX)] for n in training.graph.node if n.op_type == "InPlaceAccumulatorV2" and n.input[0].endswith(_SUFFIX)]
        if not self.names:
            raise _library.error(Status.INVALID_ARGUMENT, "the training model accumulates no gradient: it has no InPlaceAccumulatorV2 of a buffer NAME" + _SUFFIX)
        inputs = {i.name: [d.dim_value for d in i.type.tensor_type.shape.dim] for i in training.graph.input}
        wanted = [n for n in inputs if n in parameters]
        missing = [n for n in self.names if n not in parameters]
        if missing:
            raise _library.error(Status.INVALID_ARGUMENT, f"parameters lacks {', '.join(missing)}, which the training model trains")
        self.parameters, self._values = {}, {}
        for name in dict.fromkeys([*wanted, *self.names]):
            value = np.array(parameters[name], order="C")  # a copy: it is written, and the caller's may be read-only or strided
            if name in inputs and (list(value.shape) != inputs[name] or value.dtype != np.float32):
                raise _library.error(Status.SHAPE_MISMATCH, f"parameter {name} is {value.dtype} of shape {list(value.shape)}, the model takes float32 of "
                                     f"shape {inputs[name]}")
            self.parameters[name] = value
        self._state = {kind: {n: np.zeros_like(self.parameters[n]) for n in self.names} for kind in ("gradients", "moments", "squares")}
        self._bind()
        reset = next((n.input[2] for n in training.graph.node if n.op_type == "InPlaceAccumulatorV2" and len(n.input) > 2), None)
        self._reset_name = reset if reset in inputs else None
        self._own = {*self.parameters, *(n + _SUFFIX for n in self.names), self._reset_name}
        self._inputs = [n for n in inputs if n not in self._own]
        _accumulate_together(training.graph, {n + _SUFFIX for n in self.names if self.parameters[n].size <= _FEW})
        self._training = session(training, options)
        self._binding = self._training.io_binding()
        self._fresh_flag = np.ones(1, np.bool_)
        kept = {**{n: v for n, v in self._values.items() if n in inputs}, **{n + _SUFFIX: v for n, v in self._buffers["gradients"].items()}}
        if self._reset_name:
            kept[self._reset_name] = onnxruntime.OrtValue.ortvalue_from_numpy(self._fresh_flag)
        for name, value in kept.items():
            self._binding.bind_ortvalue_input(name, value)
        self._results = [o.name for o in self._training.get_outputs() if not o.name.endswith("accumulation.out")]
        results = [o for o in self._training.get_outputs() if o.name in self._results]
        self._loss = np.zeros((), np.float32) if [(o.shape, o.type) for o in results] == [([], "tensor(float)")] else None
        if self._loss is not None:  # bound once, since finding a result costs as much as tens of nodes
            self._binding.bind_ortvalue_output(self._results[0], onnxruntime.OrtValue.ortvalue_from_numpy(self._loss))
        self._batch = {}  # arrays of the last batch, which are bound
        if isinstance(optimizer, str) and not optimizer.endswith(".onnx"):
            optimizer = _optimizer_model(optimizer, attributes)
        elif attributes:
            raise _library.error(Status.INVALID_ARGUMENT, f"{', '.join(attributes)}: attributes belong to an optimizer that is given by its name")
        self._optimizer = session(optimizer, options, tensors=len(self.names))
        self._bind_optimizer()
        self._evaluation = None if evaluation is None else session(evaluation, options)
        self.lr, self.steps, self._fresh = lr if callable(lr) else lambda step: lr, 0, True

    def _bind(self):
        """Values of onnxruntime over the arrays, which it updates in place."""
        value = onnxruntime.OrtValue.ortvalue_from_numpy
        self._values = {n: value(a) for n, a in self.parameters.items()}
        self._buffers = {kind: {n: value(a) for n, a in arrays.items()} for kind, arrays in self._state.items()}

    def _bind_optimizer(self):
        self._rate, self._step = np.zeros(1, np.float32), np.zeros(1, np.int64)
        given = {n: onnxruntime.OrtValue.ortvalue_from_numpy(a) for n, a in (("learning_rate", self._rate), ("step", self._step))}
        kinds = {"params": self._values, "gradients": self._buffers["gradients"], "first_order_moments": self._buffers["moments"],
                 "second_order_moments": self._buffers["squares"]}
        self._update = self._optimizer.io_binding()
        for i in self._optimizer.get_inputs():
            sequence, _, place = i.name.rpartition(".")
            if sequence not in kinds and i.name not in given:
                raise _library.error(Status.INVALID_ARGUMENT, f"the optimizer model has an input {i.name}, expected learning_rate, step and {', '.join(kinds)}")
            self._update.bind_ortvalue_input(i.name, kinds[sequence][self.names[int(place)]] if sequence in kinds else given[i.name])
        for o in self._optimizer.get_outputs():
            self._update.bind_output(o.name)

    def _given(self, feeds):
        if set(feeds) != set(self._inputs):
            raise _library.error(Status.INVALID_ARGUMENT, f"inputs are {', '.join(feeds)}, the training model takes {', '.join(self._inputs)}")
        return {n: np.asarray(a) for n, a in feeds.items()}

    def accumulate(self, feeds):
        """Adds the gradients of a batch to those since the last update. Returns the loss, or the outputs before the accumulators."""
        given = self._given(feeds)
        if self._reset_name is None and self._fresh:
            for array in self._state["gradients"].values():
                array[...] = 0
        self._fresh_flag[0] = self._fresh
        for name, array in given.items():
            bound = self._batch.get(name)
            if bound is not None and bound.shape == array.shape and bound.dtype == array.dtype:
                bound[...] = array
            else:
                self._batch[name] = np.array(array, order="C")
                self._binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(self._batch[name]))
        for name in self._results if self._loss is None else ():  # memory of their own for each run, since their shapes may change
            self._binding.bind_output(name)
        self._training.run_with_iobinding(self._binding)
        self._fresh = False
        if self._loss is not None:
            return float(self._loss)
        kept = [r.numpy() for r in self._binding.get_outputs()]
        return float(kept[0].reshape(-1)[0]) if len(kept) == 1 and kept[0].size == 1 else kept

    def update(self):
        """Updates the parameters by the gradients, which begin anew."""
        self._rate[0], self._step[0] = self.lr(self.steps), self.steps + 1
        self._optimizer.run_with_iobinding(self._update)
        self.steps, self._fresh = self.steps + 1, True

    def step(self, *batches):
        """accumulate() of each batch, then update(). Returns the loss of the last batch."""
        for feeds in batches:
            loss = self.accumulate(feeds)
        self.update()
        return loss

    def evaluate(self, feeds):
        """The outputs of the evaluation model with the parameters as they are."""
        if self._evaluation is None:
            raise _library.error(Status.INVALID_ARGUMENT, "there is no evaluation model: give Trainer(evaluation=...)")
        takes = {i.name for i in self._evaluation.get_inputs()}
        return self._evaluation.run(None, {**{n: a for n, a in self.parameters.items() if n in takes}, **feeds})

    def export(self, model):
        """A copy of a model for inference: its initializers or inputs with the names of parameters become initializers with their values."""
        model = load(model)
        graph = model.graph
        known = {i.name for i in graph.initializer} | {i.name for i in graph.input}
        absent = [n for n in self.names if n not in known]
        if absent:
            raise _library.error(Status.INVALID_ARGUMENT, f"the model to export has neither input nor initializer {', '.join(absent)}")
        kept = [i for i in graph.initializer if i.name not in self.parameters]
        inputs = [i for i in graph.input if i.name not in self.parameters]
        del graph.initializer[:], graph.input[:]
        graph.initializer.extend(kept + [numpy_helper.from_array(a, n) for n, a in self.parameters.items() if n in known])
        graph.input.extend(inputs)
        return model

    def state(self):
        """Copies of all arrays and the count of steps, for numpy.savez: a trainer that loads them goes on with the same bits."""
        arrays = {f"{kind}/{n}": a.copy() for kind, group in (("parameters", self.parameters), *self._state.items()) for n, a in group.items()}
        return {**arrays, "steps": np.array(self.steps), "fresh": np.array(self._fresh)}

    def load_state(self, state):
        """Takes what state() has returned."""
        groups = {"parameters": self.parameters, **self._state}
        wanted = {f"{kind}/{n}": a for kind, group in groups.items() for n, a in group.items()}
        for name, array in wanted.items():
            if name not in state or np.shape(state[name]) != array.shape:
                raise _library.error(Status.INVALID_ARGUMENT, f"the state lacks {name} of shape {list(array.shape)}")
        for name, array in wanted.items():
            array[...] = state[name]
        self.steps, self._fresh = int(state["steps"]), bool(state["fresh"])
