"""A model of one node, for a case."""
from onnx import helper


def model_of(case):
    names = [f"input_{i}" for i in range(len(case.inputs))]
    outputs = [f"output_{i}" if there else "" for i, there in enumerate(case.outputs)]
    node = helper.make_node(case.op, [n if a is not None else "" for n, a in zip(names, case.inputs)], outputs, name="tested", domain=case.domain,
                            **case.attributes)
    inputs = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in zip(names, case.inputs) if a is not None]
    graph = helper.make_graph([node], "one", inputs, [helper.make_empty_tensor_value_info(o) for o in outputs if o])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8), {n: a for n, a in zip(names, case.inputs) if a is not None}
