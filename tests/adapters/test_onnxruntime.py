"""Nodes and trainings of onnxruntime, against what onnxruntime-training 1.19.2 computed (record_onnxruntime.py) and against numpy."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from google.protobuf import json_format
from onnx import TensorProto, helper

import adjoint
import adjoint.onnxruntime as training
import onnx_cases
import onnx_models
from adjoint import _generated, _library
from adjoint._onnx_bindings import bindings
from onnx_node import model_of

RECORDS = pathlib.Path(__file__).parent / "onnxruntime"
TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i32": np.int32, "i64": np.int64, "bool": np.bool_,
         "u8": np.uint8, "i8": np.int8, "u16": np.uint16, "i16": np.int16, "u32": np.uint32, "u64": np.uint64}
NUMBERS = {name: helper.np_dtype_to_tensor_dtype(np.dtype(t)) for name, t in TYPES.items()}
FLOATS = ("f32", "f64", "f16", "bf16")
PRECISION = {"f32": 2e-6, "f64": 2e-6, "f16": 4e-3, "bf16": 3e-2}


def restored(word):
    dtype, shape, data = word
    return np.frombuffer(bytes.fromhex(data), dtype).reshape(shape)


def recorded(name):
    return json.loads((RECORDS / name).read_text(encoding="utf-8"))


def graph(record, part):
    return json_format.ParseDict(record[part], onnx.ModelProto())


def quiet():
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return training.session_options(options)


OPTIONS = quiet()
CASES = list(onnx_cases.cases())
GOLDENS = {name: [restored(w) for w in words] for name, words in recorded("cases.json").items()}


def wanted(case):
    return case.reference(*case.inputs) if case.differs or case.name not in GOLDENS else GOLDENS[case.name]


def run(case, **changes):
    model, feeds = model_of(case)
    return training.session(model, OPTIONS).run(None, {n: a.copy() for n, a in {**feeds, **changes}.items()})  # some operators update inputs


def rows():
    """domain, operator, session, type names of each combination, of every row of the registry."""
    for i in range(_library.lib.adj_registry_count()):
        row = _library.info(_generated.adj_registry_row, _library.lib.adj_registry_get, i)
        combinations = [c.split() for c in row.combinations.decode().split(";")]
        yield row.domain.decode(), row.op.decode(), row.session.decode(), combinations, row.binding.decode()


class Nodes(unittest.TestCase):
    def compare(self, found, expected, tolerance, about):
        self.assertEqual(len(found), len(expected), about)
        for i, (a, b) in enumerate(zip(found, expected)):
            self.assertEqual(a.shape, np.shape(b), f"{about}: output {i}")
            np.testing.assert_allclose(a.astype(np.float64), np.asarray(b, np.float64), tolerance, tolerance, err_msg=f"{about}: output {i}")

    def test_cases(self):
        for case in CASES:
            with self.subTest(case.name):
                self.compare(run(case), wanted(case), case.tolerance, case.name)

    def test_every_operator_has_a_case(self):
        served = {op for _, op, session, _, _ in rows() if session == "table"}
        self.assertEqual(served - {c.op for c in CASES}, {"BiasSoftmaxDropout"})  # it draws numbers: a test of its own
        self.assertGreaterEqual(len(GOLDENS), 100)

    def test_every_combination_of_types(self):
        """Each row of the registry with each of its combinations, on the inputs of the first case of the operator, cast."""
        tried = set()
        first = {}
        for case in CASES:
            first.setdefault((case.domain, case.op), case)
        for domain, op, session, combinations, text in rows():
            if session != "table" or (domain, op) not in first:
                continue
            case = first[domain, op]
            variables = next(line.split()[1:] for line in text.splitlines() if line.startswith("types"))
            for types in combinations:
                with self.subTest(op=op, types=types):
                    self.cast(case, {"T": "f32", **dict(zip(variables, types))})
                    tried.add((op, *types))
        self.assertGreater(len(tried), 250)

    def cast(self, case, types):
        ports = bindings()[case.domain, case.op]
        attributes = dict(case.attributes)
        for name, attribute in ports.attributes.items():
            if attribute.type_of:
                attributes[name] = int(NUMBERS[types[attribute.type_of]])
        used = [types.get(p.type, p.type) for p in ports.inputs]
        used += [used[-1]] * (len(case.inputs) - len(used))
        made = [types.get(p.type, p.type) for p in ports.outputs]
        made += [made[-1]] * (len(case.outputs) - len(made))
        integers = [t for p, t in zip(ports.inputs, used) if p.type == "T" and t not in FLOATS]
        transform = (lambda a: (np.abs(a) * 10).astype(np.int64) if a.dtype.kind == "f" else a) if integers else (lambda a: a)
        nodes, feeds, names = [], {}, []
        for i, a in enumerate(case.inputs):
            if a is None:
                names.append("")
                continue
            kind = used[i] if used[i] in TYPES else None
            feeds[f"input_{i}"] = a = transform(a).copy()
            names.append(f"input_{i}")
            if kind and np.dtype(TYPES[kind]) != a.dtype:
                nodes.append(helper.make_node("Cast", [names[-1]], [f"cast_{i}"], to=int(NUMBERS[kind])))
                names[-1] = f"cast_{i}"
        outputs = [f"output_{i}" if there else "" for i, there in enumerate(case.outputs)]
        nodes.append(helper.make_node(case.op, names, outputs, name="tested", domain=case.domain, **attributes))
        wide = {o: "wide_" + o for o in outputs if o}
        nodes += [helper.make_node("Cast", [o], [w], to=TensorProto.DOUBLE) for o, w in wide.items()]
        infos = [helper.make_tensor_value_info(o, int(NUMBERS[t]), None) for o, t in zip(outputs, made) if o]
        whole = helper.make_graph(nodes, "cast", [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in feeds.items()],
                                  [helper.make_tensor_value_info(w, TensorProto.DOUBLE, None) for w in wide.values()], value_info=infos)
        model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)
        found = training.session(model, OPTIONS).run(None, feeds)
        inputs = [a and feeds[f"input_{i}"] for i, a in enumerate(names)]
        expected = case.reference(*inputs) if integers and case.reference else [transform(np.asarray(a)) for a in wanted(case)]
        if "bool" in integers:
            expected = [np.asarray(a) != 0 if t == "bool" else a for a, t in zip(expected, made)]
        loosest = max((PRECISION.get(t, 0) for t in (*used, *made)), default=0)
        self.compare(found, expected, max(4 * loosest, case.tolerance), f"{case.op} {types}")

    def test_rows_with_recorded_numbers(self):
        """Each row whose types a record has is compared in them: in f32 by test_cases, here in f64 and f16. README.md has the counts."""
        records = {}
        for case in (*CASES, *onnx_cases.cases_in_types()):
            if case.name in GOLDENS and not case.differs:
                records.setdefault((case.domain, case.op), []).append(case)
        compared, counts = set(), {True: 0, False: 0}
        for domain, op, session, combinations, text in rows():
            if session != "table":
                continue
            variables = next(line.split()[1:] for line in text.splitlines() if line.startswith("types"))
            ports = bindings()[domain, op].inputs
            found = False
            for case in records.get((domain, op), ()):
                kinds = [(ports[min(i, len(ports) - 1)].type, a.dtype) for i, a in enumerate(case.inputs) if a is not None]
                if not any(all(v not in types or TYPES[types[v]] == dtype for v, dtype in kinds) for types in (dict(zip(variables, c)) for c in combinations)):
                    continue
                found = True
                if " in f" in case.name and case.name not in compared:
                    compared.add(case.name)
                    with self.subTest(case.name):
                        self.compare(run(case), GOLDENS[case.name], case.tolerance, case.name)
            counts[found] += 1
        self.assertEqual(counts, {True: 72, False: 104})
        self.assertGreater(len(compared), 100)

    def test_bias_softmax_dropout(self):
        data, ratio = onnx_cases.real(4, 3, 64), np.array(0.25, np.float32)
        for inner, bias in ((1, onnx_cases.real(4, 1, 64, seed="b")), (0, onnx_cases.real(1, 3, 64, seed="b"))):
            case = onnx_cases.Case("BiasSoftmaxDropout", [data, bias, ratio], 3, axis=2, is_inner_broadcast=inner, seed=7)
            model, feeds = model_of(case)
            sessions = [training.session(model, OPTIONS) for _ in range(2)]
            out, mask, y = sessions[0].run(None, feeds)
            np.testing.assert_allclose(y, onnx_cases.softmax(data + bias), 1e-5, 1e-7)
            np.testing.assert_allclose(out, np.where(mask, y / np.float32(0.75), 0), 1e-6)
            self.assertLess(abs(mask.mean() - 0.75), 0.06)
            np.testing.assert_array_equal(sessions[1].run(None, feeds)[1], mask)  # one seed, one mask
            self.assertTrue((sessions[1].run(None, feeds)[1] != mask).any())  # and the next run draws on


class Schemas(unittest.TestCase):
    """The bindings against schemas that others have published."""

    # Attributes that gradients have from their forward operators, whose schemas ai.onnx has; the gradients' own schemas let anything pass.
    INHERITED = {"ConvGrad": "Conv", "ConvTransposeGrad": "ConvTranspose", "DropoutGrad": "Dropout", "BitmaskDropoutGrad": "Dropout",
                 "LayerNormalizationGrad": "LayerNormalization", "LeakyReluGrad": "LeakyRelu", "ResizeGrad": "Resize"}
    # What kernels read without a word of it in their schemas.
    READ = {"IsAllFinite": {"isinf_only", "isnan_only"}, "BitmaskDropoutGrad": {"seed"},
            **dict.fromkeys(("LayerNormalizationGrad", "SimplifiedLayerNormalizationGrad", "InvertibleLayerNormalizationGrad"), {"stash_type", "epsilon"})}

    def test_com_microsoft(self):
        lines = (pathlib.Path(__file__).parent / "onnx_schemas.tsv").read_text(encoding="utf-8").splitlines()
        spelled = lambda p: p.name + "?" * p.optional + "*" * p.variadic  # noqa: E731
        compared = set()
        for line in lines:
            if line.startswith("#"):
                continue
            op, inputs, outputs, attributes = line.split("\t")
            attributes = "" if attributes == "none" else attributes
            binding = bindings()["" if op.startswith("Sparse") else "com.microsoft", op]
            with self.subTest(op):
                self.assertEqual([spelled(p) for p in binding.inputs], inputs.split())
                self.assertEqual([spelled(p) for p in binding.outputs], outputs.split())
                for word in attributes.split():
                    name, default = (word[:-1], {"!": "required", "-": "none"}[word[-1]]) if word[-1] in "!-" else word.split("=")
                    found = binding.attributes[name].default
                    self.assertTrue(found.split(":")[0] == default or same_number(found, default), f"{op}: {name} is {found}, the schema says {default}")
                extra = set(binding.attributes) - {w.split("=")[0].rstrip("!-") for w in attributes.split()}
                inherited = onnx.defs.get_schema(self.INHERITED[op], 19).attributes if op in self.INHERITED else {}
                self.assertLessEqual(extra, set(inherited) | self.READ.get(op, set()))
                compared.add(op)
        # Every row that a session runs; test_ai_onnx has the one of ai.onnx that is not here.
        self.assertEqual({op for _, op, session, _, _ in rows() if session != "none"} - compared, {"SoftmaxCrossEntropyLoss"})

    def test_ai_onnx(self):
        schema = onnx.defs.get_schema("SoftmaxCrossEntropyLoss", 17)
        binding = bindings()["", "SoftmaxCrossEntropyLoss"]
        self.assertEqual([p.name for p in binding.inputs], [i.name for i in schema.inputs])
        self.assertEqual([p.name for p in binding.outputs], [o.name for o in schema.outputs])
        self.assertEqual(set(binding.attributes), set(schema.attributes))

    def test_inherited_attributes_are_mapped(self):
        for gradient, forward in self.INHERITED.items():
            with self.subTest(gradient):
                known = bindings()["com.microsoft", gradient].attributes
                for name, attribute in onnx.defs.get_schema(forward, 19).attributes.items():
                    self.assertIn(name, known)
                    if attribute.default_value.type == onnx.AttributeProto.FLOAT and known[name].default != "none":
                        self.assertTrue(same_number(known[name].default, attribute.default_value.f), name)


def same_number(one, other):
    try:
        return np.float32(one) == np.float32(other)
    except ValueError:
        return False


class BadInput(unittest.TestCase):
    def refused(self, sentence, case, error=(adjoint.InvalidError, adjoint.UnsupportedError), **changes):
        with self.assertRaisesRegex(error, sentence):
            run(case, **changes)

    def test_attributes(self):
        x = onnx_cases.real(2, 3)
        Case = onnx_cases.Case
        self.refused(r"node 'tested' \(SoftmaxGrad_13\): there is no attribute axes; there are axis", Case("SoftmaxGrad_13", [x, x], axes=1))
        self.refused(r"node 'tested' \(SoftmaxGrad_13\): attribute axis is a float, expected an int", Case("SoftmaxGrad_13", [x, x], axis=1.0))
        self.refused(r"node 'tested' \(ConcatTraining\): attribute axis must be given", Case("ConcatTraining", [x, x]))
        self.refused(r"\(ResizeGrad\): attribute antialias = 1 is not served, only 0", Case("ResizeGrad", [x, x], mode="linear", antialias=1))
        self.refused(r"\(ReluGrad\): input X is missing", Case("ReluGrad", [x]))
        self.refused(r"\(ReluGrad\): it has 3 inputs, at most 2", Case("ReluGrad", [x, x, x]))
        self.refused(r"node 'tested' \(DropoutGrad\): there is no attribute probability", Case("DropoutGrad", [x, x > 0], probability=1))
        self.refused(r"\(Send\): it does not run in a session of ONNX Runtime: a stock session has no communicator", Case("Send", [x]))

    def test_values(self):
        """What only the run can see: onnxruntime names the node, and so does the sentence."""
        x = onnx_cases.real(2, 3)
        Case = onnx_cases.Case
        self.refused(r"node 'tested' \(SoftmaxGrad_13\): axis = 2 is outside -2 to 1", Case("SoftmaxGrad_13", [x, x], axis=2), Exception)
        self.refused(r"node 'tested' \(ReluGrad\): .*dout", Case("ReluGrad", [x, onnx_cases.real(3, 3)]), Exception)
        self.refused(r"node 'tested' \(SoftmaxCrossEntropyLossGrad\): .*reduction.*median",
                     Case("SoftmaxCrossEntropyLossGrad", [np.array(1, np.float32), x, np.array([0, 1])], reduction="median"), Exception)
        self.refused(r"node 'tested' \(DropoutGrad\): .*ratio", Case("DropoutGrad", [x, x > 0, np.array(1.5, np.float32)]), Exception)
        self.refused(r"node 'tested' \(DropoutGrad\): ratio is a number, and has 2 elements", Case("DropoutGrad", [x, x > 0, onnx_cases.real(2)]), Exception)
        self.refused(r"node 'tested' \(ReduceSumTraining\): axes has 5", Case("ReduceSumTraining", [x, onnx_cases.ints(5)]), Exception)
        self.refused(r"node 'tested' \(SplitTraining\): the lengths of split add up to 2, the axis has 3",
                     Case("SplitTraining", [x, onnx_cases.ints(1, 1)], 2, axis=1), Exception)
        self.refused(r"node 'tested' \(GatherGrad\): .*", Case("GatherGrad", [onnx_cases.ints(5, 3), onnx_cases.ints(1), onnx_cases.real(2, 3)]), Exception)

    def test_types_that_are_not_there(self):
        x = onnx_cases.real(2, 3)
        self.refused(r"(?s)tested.*ReluGrad|ReluGrad.*tested", onnx_cases.Case("ReluGrad", [x, x.astype(np.float64)]), Exception)
        self.refused(r"(?s)tested.*ReluGrad|ReluGrad.*tested", onnx_cases.Case("ReluGrad", [x.astype(np.int32)] * 2), Exception)

    def test_imports(self):
        model, feeds = model_of(CASES[0])
        plain = onnx.ModelProto()
        plain.CopyFrom(model)
        del plain.opset_import[1:]
        self.assertEqual({o.domain: o.version for o in training.prepare(plain).opset_import}, {"": 17, "com.microsoft": 1, "adjoint": 1})
        np.testing.assert_array_equal(training.session(plain, OPTIONS).run(None, feeds)[0], run(CASES[0])[0])
        self.assertEqual([o.domain for o in plain.opset_import], [""])  # the caller's model is as it was
        plain.opset_import.append(helper.make_opsetid("com.microsoft", 1000))
        with self.assertRaisesRegex(adjoint.InvalidError, "imports com.microsoft at version 1000, expected 1"):
            training.prepare(plain)
        with self.assertRaisesRegex(adjoint.InvalidError, "model = int is not a path"):
            training.prepare(3)

    def test_registering_twice(self):
        options = training.session_options()
        self.assertIs(training.session_options(options), options)
        model, feeds = model_of(CASES[0])
        for _ in range(2):
            np.testing.assert_array_equal(training.session(model, options).run(None, feeds)[0], run(CASES[0])[0])

        options.register_custom_ops_library(training.path_of("onnxruntime", "onnxruntime"))  # without session_options(), onnxruntime sees two of one domain
        with self.assertRaisesRegex(Exception, "Domain already set in registry"):
            training.session(model, options)

    def test_a_shape_that_the_model_states_otherwise(self):
        model, feeds = model_of(CASES[0])
        model.graph.output[0].CopyFrom(helper.make_tensor_value_info("output_0", TensorProto.FLOAT, [7, 7]))
        np.testing.assert_array_equal(training.session(model, OPTIONS).run(None, feeds)[0], run(CASES[0])[0])


def losses(name, trainer, batches):
    return [trainer.accumulate(onnx_models.batch(name, batches * step + part)) if part + 1 < batches else
            trainer.step(onnx_models.batch(name, batches * step + part)) for step in range(onnx_models.STEPS) for part in range(batches)]


ADAMW = {"adam_mode": 1, "epsilon": 1e-6, "weight_decay": 0.0}  # what generate_artifacts sets


class Trainings(unittest.TestCase):
    def check(self, record, name, trainer, batches):
        np.testing.assert_allclose(losses(name, trainer, batches), record["losses"], 2e-6, 2e-6)
        for parameter, word in record["final"].items():
            found, expected = trainer.parameters[parameter], restored(word)
            if parameter == "bqkv":  # softmax does not depend on the bias of the keys: its gradient is rounding errors, which Adam divides by their size
                found, expected = np.delete(found, range(8, 16)), np.delete(expected, range(8, 16))
            np.testing.assert_allclose(found, expected, 1e-5, 2e-6, err_msg=f"{name}: {parameter}")

    def test_unmodified_graphs(self):
        for name, optimizer, batches, file in TRAININGS:
            with self.subTest(file):
                record, model = recorded(file), onnx_models.MODELS[name]()
                trainer = training.Trainer(graph(record, "training"), onnx_models.trained(model), graph(record, "optimizer"), onnx_models.learning_rate,
                                           graph(record, "evaluation"), OPTIONS)
                self.check(record, name, trainer, batches)
                self.assertAlmostEqual(float(trainer.evaluate(onnx_models.batch(name, 1000))[0].reshape(-1)[0]), record["evaluated"], delta=5e-6)

    def test_graphs_of_training_model(self):
        for name, optimizer, batches, file in TRAININGS:
            with self.subTest(file):
                model = onnx_models.MODELS[name]()
                made = training.training_model(model, "cross_entropy", list(onnx_models.trained(model)))
                trainer = training.Trainer(made, onnx_models.trained(model), optimizer.lower(), onnx_models.learning_rate, None, OPTIONS,
                                           **(ADAMW if optimizer == "AdamW" else {}))
                # Outputs of the model follow the loss.
                trainer.accumulate, whole = lambda feeds: whole(feeds)[0].reshape(-1)[0], trainer.accumulate
                self.check(recorded(file), name, trainer, batches)

    def trainer(self, **more):
        model = onnx_models.mlp()
        made = training.training_model(model, "cross_entropy", list(onnx_models.trained(model)))
        return training.Trainer(made, **{"parameters": onnx_models.trained(model), "optimizer": "adamw", "lr": 0.01, "options": OPTIONS, **more})

    def test_read_only_and_strided_parameters(self):
        given = onnx_models.trained(onnx_models.mlp())
        before = {n: a.copy() for n, a in given.items()}
        strided = {n: np.repeat(a, 2, axis=-1)[..., ::2] for n, a in given.items()}
        for a in given.values():
            a.setflags(write=False)
        trainers = [self.trainer(parameters=p) for p in (given, strided)]
        for t in trainers:
            t.step(onnx_models.batch("mlp", 0))
        for n in given:
            np.testing.assert_array_equal(given[n], before[n])
            np.testing.assert_array_equal(strided[n], before[n])
            np.testing.assert_array_equal(trainers[0].parameters[n], trainers[1].parameters[n])
            self.assertTrue((trainers[0].parameters[n] != before[n]).any())
        x = onnx_models.batch("mlp", 1)
        wide = np.repeat(x["x"], 2, axis=1)[:, ::2]
        wide.setflags(write=False)
        self.assertEqual(trainers[0].accumulate(x)[0], trainers[1].accumulate({**x, "x": wide})[0])

    def test_small_gradients_are_accumulated_by_one_node(self):
        """With the bits of a node for each. Large ones, those with another flag, and those whose outputs are read keep theirs."""
        batch, results = onnx_models.batch("mlp", 0), []
        for most in (0, 64, 4096):
            with unittest.mock.patch.object(training, "_FEW", most):
                trainer = self.trainer()
            results.append([trainer.accumulate(batch)[0], trainer.accumulate(batch)[0], *(a.copy() for a in trainer._state["gradients"].values())])
        for other in results[1:]:
            for a, b in zip(results[0], other):
                np.testing.assert_array_equal(a, b)

        def count(most, change=lambda graph: None):
            made = training.training_model(onnx_models.mlp(), "cross_entropy", list(onnx_models.trained(onnx_models.mlp())))
            change(made.graph)
            sizes = {n + "_grad.accumulation.buffer": a.size for n, a in onnx_models.trained(onnx_models.mlp()).items()}
            training._accumulate_together(made.graph, {n for n, size in sizes.items() if size <= most})
            return [n.domain for n in made.graph.node if n.op_type == "InPlaceAccumulatorV2"]
        whole = len(onnx_models.trained(onnx_models.mlp()))
        first = lambda graph: next(n for n in graph.node if n.op_type == "InPlaceAccumulatorV2")  # noqa: E731
        self.assertEqual(count(4096), ["adjoint"])
        self.assertEqual(count(0), ["com.microsoft"] * whole)
        self.assertEqual(sorted(count(4096, lambda g: first(g).output.append("copy"))), ["adjoint", "com.microsoft"])
        self.assertEqual(sorted(count(4096, lambda g: g.node.append(helper.make_node("Not", [first(g).output[0]], ["not"])))), ["adjoint", "com.microsoft"])

    def test_state(self):
        one, other = self.trainer(), self.trainer()
        for step in range(3):
            one.step(onnx_models.batch("mlp", step))
        one.accumulate(onnx_models.batch("mlp", 3))
        other.load_state(one.state())
        for t in (one, other):
            t.step(onnx_models.batch("mlp", 4))
        for n in one.parameters:
            np.testing.assert_array_equal(one.parameters[n], other.parameters[n])
        self.assertEqual(one.steps, other.steps)
        state = one.state()
        del state["moments/w1"]
        with self.assertRaisesRegex(adjoint.InvalidError, r"the state lacks moments/w1 of shape \[6, 16\]"):
            other.load_state(state)

    def test_export(self):
        trainer = self.trainer()
        trainer.step(onnx_models.batch("mlp", 0))
        made = trainer.export(onnx_models.mlp())
        x = onnx_models.batch("mlp", 1)
        found = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"x": x["x"]})[0]
        np.testing.assert_allclose(trainer.accumulate(x)[1], found, 1e-6)
        with self.assertRaisesRegex(adjoint.InvalidError, "neither input nor initializer w1"):
            trainer.export(onnx_models.cnn())

    def test_bad_input(self):
        parameters = onnx_models.trained(onnx_models.mlp())
        for sentence, more in ((r"parameters lacks w1", {"parameters": {}}),
                               (r"parameter w1 is float32 of shape \[2\], the model takes float32 of shape \[6, 16\]",
                                {"parameters": {**parameters, "w1": np.zeros(2, np.float32)}}),
                               ("optimizer = 'lion' is not one of adamw, sgd", {"optimizer": "lion"}),
                               (r"\(AdamWOptimizer\): there is no attribute betas", {"betas": 0.9})):
            with self.assertRaisesRegex(adjoint.InvalidError, sentence):
                self.trainer(**more)
        trainer = self.trainer()
        with self.assertRaisesRegex(adjoint.InvalidError, "inputs are x, the training model takes x, labels"):
            trainer.step({"x": np.zeros((1, 6), np.float32)})
        with self.assertRaisesRegex(adjoint.InvalidError, "there is no evaluation model"):
            trainer.evaluate({})
        with self.assertRaisesRegex(adjoint.InvalidError, "the training model accumulates no gradient"):
            training.Trainer(onnx_models.mlp(), parameters)

    def test_clipping_and_sequences(self):
        sequence = lambda name: helper.make_value_info(name, helper.make_sequence_type_proto(helper.make_tensor_type_proto(1, None)))  # noqa: E731
        nodes = [helper.make_node("SequenceConstruct", ["a", "b"], ["all"]),
                 helper.make_node("InplaceClipGradNorm", ["all"], ["clipped"], name="clip", domain="com.microsoft", max_norm=0.5)]
        inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [3]) for n in "ab"]
        model = helper.make_model(helper.make_graph(nodes, "clip", inputs, [sequence("clipped")]), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        model.graph.output.append(helper.make_tensor_value_info("clip.norm", TensorProto.FLOAT, [1]))
        a, b = np.array([3, 0, 0], np.float32), np.array([0, 4, 0], np.float32)
        values = {n: onnxruntime.OrtValue.ortvalue_from_numpy(v) for n, v in (("a", a), ("b", b))}
        norm = training.session(model, OPTIONS).run_with_ort_values(["clip.norm"], values)[0].numpy()
        np.testing.assert_allclose((a, b, np.array([norm[0], 0, 0])), ([0.3, 0, 0], [0, 0.4, 0], [5, 0, 0]), 1e-6)
        arrays = [a.copy() for a in onnx_cases.CLIPPED]
        values = dict(zip("ab", map(onnxruntime.OrtValue.ortvalue_from_numpy, arrays)))
        training.session(onnx_cases.clipping(([], ["clip.norm"])), OPTIONS).run_with_ort_values(["clip.norm"], values)
        for found, expected in zip(arrays, GOLDENS["InplaceClipGradNorm"]):
            np.testing.assert_allclose(found, expected, 2e-6, 2e-6)
        del model.graph.node[0]
        with self.assertRaisesRegex(adjoint.InvalidError, r"node 'clip' \(InplaceClipGradNorm\): the sequence gradients is neither"):
            training.prepare(model)
        model.graph.input.append(sequence("all"))
        with self.assertRaisesRegex(adjoint.InvalidError, "say how many tensors it has"):
            training.prepare(model)

    def test_mixed_precision_scale(self):
        case = onnx_cases.Case("MixedPrecisionScale", [np.array([0.5], np.float32), onnx_cases.real(3), onnx_cases.real(2)], 2, to=TensorProto.FLOAT16)
        for found, x in zip(run(case), case.inputs[1:]):
            self.assertEqual(found.dtype, np.float16)
            np.testing.assert_array_equal(found, (x * np.float32(0.5)).astype(np.float16))


TRAININGS = [(name, optimizer, 1, f"{name}_{optimizer}.json") for name in onnx_models.MODELS for optimizer in ("AdamW", "SGD")]
TRAININGS.append(("mlp", "AdamW", 2, "mlp_AdamW_accumulated.json"))


class Selections(unittest.TestCase):
    """A node asks for a plan once for each set of shapes, and for values that are part of its call; addresses and numbers only change the call."""

    PROGRAM = """
import ctypes, json, sys
import numpy as np
import onnx_cases, adjoint.onnxruntime as training
from onnx import TensorProto, helper
from onnx_node import model_of

count = ctypes.c_long.in_dll(ctypes.CDLL(None), "adj_test_selections")
found = []
def run(session, **feeds):
    before = count.value
    session.run(None, feeds)
    found.append(count.value - before)

def of(case):
    model, feeds = model_of(case)
    for i in model.graph.input:
        for d in i.type.tensor_type.shape.dim:
            d.Clear()
    return training.session(model), feeds

relu, x = of(onnx_cases.Case("ReluGrad", [onnx_cases.real(2, 3), onnx_cases.real(2, 3)]))
wide = {n: onnx_cases.real(4, 5) for n in x}
for feeds in (x, x, {n: a + 1 for n, a in x.items()}, wide, x, wide):
    run(relu, **feeds)
adam = onnx_cases.Case("AdamOptimizer", [np.array(0.1, np.float32), np.array(1), *[onnx_cases.real(6, low=0.1) for _ in range(4)]], 4)
session, feeds = of(adam)
for step in range(3):
    run(session, **{**feeds, "input_1": np.array(step + 1), "input_0": np.array(0.1 / (step + 1), np.float32)})
total, feeds = of(onnx_cases.Case("ReduceSumTraining", [onnx_cases.real(2, 3), onnx_cases.ints(0)]))
for axis in (0, 1, 0, 1):
    run(total, **{**feeds, "input_1": onnx_cases.ints(axis)})
for size in [*range(1, 21), 20, 1]:
    run(relu, **{n: onnx_cases.real(1, size) for n in x})
print(json.dumps(found))
"""

    def test_selections(self):
        here = pathlib.Path(__file__).parent
        module = pathlib.Path(_library.path).resolve().parent / "tests" / "libcount_selections.so"
        path = os.pathsep.join([str(here), str(here.parents[1] / "capi/python")])
        done = subprocess.run([sys.executable, "-c", self.PROGRAM], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "LD_PRELOAD": str(module), "PYTHONPATH": path, "ADJOINT_LIBRARY": str(_library.path)})
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found[:6], [1, 0, 0, 1, 0, 0])    # by shapes
        self.assertEqual(found[6:9], [1, 0, 0])            # learning rate and step are numbers of the call
        self.assertEqual(found[9:13], [1, 1, 0, 0])        # axes are part of it
        self.assertEqual(found[13:], [1] * 20 + [0, 1])    # 16 sets of shapes are kept


class Threads(unittest.TestCase):
    def test_runs_of_one_session_at_a_time(self):
        model, _ = model_of(onnx_cases.Case("ReluGrad", [onnx_cases.real(64), onnx_cases.real(64)]))
        model.graph.input[0].type.tensor_type.shape.dim[0].Clear()
        model.graph.input[1].type.tensor_type.shape.dim[0].Clear()
        session, wrong = training.session(model, OPTIONS), []

        def work(seed):
            for size in [*range(1, 40), *range(1, 40)]:
                d, x = onnx_cases.real(size, seed=seed), onnx_cases.real(size, seed=seed + 1)
                if (session.run(None, {"input_0": d, "input_1": x})[0] != np.where(x > 0, d, 0)).any():
                    wrong.append((seed, size))
        workers = [threading.Thread(target=work, args=(10 * i,)) for i in range(6)]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
        self.assertEqual(wrong, [])


class FromC(unittest.TestCase):
    def test_the_library_needs_no_python_and_names_one_symbol(self):
        path = training.path_of("onnxruntime", "onnxruntime")
        symbols = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual([s for s in symbols if "Register" in s or s.startswith("Ort")], ["RegisterCustomOps"])
        needed = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("onnxruntime.so", needed.replace("adjoint_onnxruntime.so", ""))
        self.assertNotIn("python", needed)

    def test_session(self):
        runtimes = sorted((pathlib.Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so.*"))
        if not runtimes:
            self.skipTest("the wheel of this version has the runtime inside its Python module alone")
        model, _ = model_of(onnx_cases.Case("ReluGrad", [np.zeros(6, np.float32)] * 2))
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
            file.write(model.SerializeToString())
            file.flush()
            words = [str(pathlib.Path(__file__).parent / "onnxruntime_from_c.py"), str(runtimes[0]), training.path_of("onnxruntime", "onnxruntime"), file.name]
            done = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "[0.0, 2.0, 0.0, 4.0, 0.0, 6.0]"), done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
