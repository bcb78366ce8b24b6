"""Writes a small ONNX model: the means of a picture's channels as scores of three classes.

Runs in the environment that has `onnx`. Standard input: {"path": FILE}.
"""

import json
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper


def main() -> None:
    asked = json.load(sys.stdin)
    weights = helper.make_tensor("weights", TensorProto.FLOAT, [3, 3], np.eye(3, dtype=np.float32).ravel().tolist())
    nodes = [
        helper.make_node("ReduceMean", ["pictures", "axes"], ["means"], keepdims=0),
        helper.make_node("MatMul", ["means", "weights"], ["scores"]),
    ]
    axes = helper.make_tensor("axes", TensorProto.INT64, [2], [2, 3])
    graph = helper.make_graph(
        nodes,
        "means_of_channels",
        [helper.make_tensor_value_info("pictures", TensorProto.FLOAT, ["batch", 3, "height", "width"])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", 3])],
        [weights, axes],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, asked["path"])
    print(json.dumps({"path": asked["path"]}))


if __name__ == "__main__":
    main()
