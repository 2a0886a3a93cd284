"""Nodes and gradients through CUDAExecutionProvider. Needs a GPU and onnxruntime-gpu; everything here is skipped without them."""
import unittest

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

import adjoint.onnxruntime as training
import onnx_models
from onnx_node import model_of
from test_onnxruntime import CASES, wanted

CUDA = [("CUDAExecutionProvider", {"use_tf32": "0"})]  # its own products in full precision, for the comparison


def options(fallback):
    made = onnxruntime.SessionOptions()
    made.log_severity_level = 4
    if not fallback:  # every node of ours has to be on the GPU
        made.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    return training.session_options(made)


@unittest.skipUnless("CUDAExecutionProvider" in onnxruntime.get_available_providers(), "this onnxruntime has no CUDA provider")
class Cuda(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        getattr(onnxruntime, "preload_dlls", lambda: None)()  # CUDA's libraries from their wheels

    def test_cases(self):
        for case in CASES:
            with self.subTest(case.name):
                model, feeds = model_of(case)
                session = training.session(model, options(False), CUDA)
                self.assertEqual(session.get_providers()[0], "CUDAExecutionProvider")
                expected = wanted(case)
                for _ in range(2):  # the second run takes the call of the first
                    found = session.run(None, {n: a.copy() for n, a in feeds.items()})
                    for i, (a, b) in enumerate(zip(found, expected)):
                        tolerance = max(case.tolerance, 2e-5)
                        self.assertEqual(a.shape, np.shape(b))
                        np.testing.assert_allclose(a.astype(np.float64), np.asarray(b, np.float64), tolerance, tolerance, err_msg=f"{case.name}: output {i}")

    def test_gradients(self):
        for name, make in onnx_models.MODELS.items():
            with self.subTest(name):
                made = training.gradients(make(), "cross_entropy", list(onnx_models.trained(make())))
                feeds = onnx_models.batch(name, 0)
                gpu, cpu = (training.session(made, options(True), p).run(None, feeds) for p in (CUDA, ["CPUExecutionProvider"]))
                for output, a, b in zip(made.graph.output, gpu, cpu):
                    np.testing.assert_allclose(a, b, 1e-4, 1e-5, err_msg=f"{name}: {output.name}")

    def test_buffers_on_the_device(self):
        node = helper.make_node("InPlaceAccumulatorV2", ["sum", "value", "overwrite"], ["flag"], name="accumulate", domain="com.microsoft")
        values = [helper.make_tensor_value_info(n, t, s) for n, t, s in (("sum", 1, [1000]), ("value", 1, [1000]), ("overwrite", TensorProto.BOOL, [1]))]
        graph = helper.make_graph([node], "accumulate", values, [helper.make_tensor_value_info("flag", TensorProto.BOOL, [1])])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)
        session, x = training.session(model, options(False), CUDA), np.arange(1000, dtype=np.float32)
        on_gpu = lambda a: onnxruntime.OrtValue.ortvalue_from_numpy(a, "cuda", 0)  # noqa: E731
        total = on_gpu(np.zeros(1000, np.float32))
        for overwrite, expected in ((False, x), (False, 2 * x), (True, x), (False, 2 * x)):
            flag = onnxruntime.OrtValue.ortvalue_from_numpy(np.array([overwrite]))
            found = session.run_with_ort_values(["flag"], {"sum": total, "value": on_gpu(x), "overwrite": flag})
            np.testing.assert_array_equal(total.numpy(), expected)
            self.assertTrue(found[0].numpy().all())


if __name__ == "__main__":
    unittest.main()
