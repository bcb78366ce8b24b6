"""Makes the ONNX model: a stem and residual blocks of random filters, and a last layer fitted by least squares."""

import io

import numpy as np
import onnx
import onnxruntime
import shapes
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

CHANNELS = (48, 96)
OPSET = 17


class Builder:
    """The nodes and weights of a graph, in the order in which they compute."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.weights = [], []

    def add(self, kind, inputs, **attributes):
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def constant(self, values):
        name = f"weights_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values, np.float32), name))
        return name

    def convolution(self, data, before, after, stride=1, side=3, sees_edges=False):
        """Of random filters; with `sees_edges` their sum is 0, so that plain ground gives nothing."""
        filters = self.rng.normal(0, np.sqrt(2 / (before * side * side)), (after, before, side, side))
        if sees_edges:
            filters -= filters.mean(axis=(2, 3), keepdims=True)
        return self.add("Conv", [data, self.constant(filters)], kernel_shape=[side, side], strides=[stride] * 2, pads=[side // 2] * 4)

    def block(self, data, before, after):
        """A residual block that halves height and width."""
        inner = self.add("Relu", [self.convolution(data, before, after, stride=2)])
        inner = self.convolution(inner, after, after)
        shortcut = self.convolution(data, before, after, stride=2, side=1)
        return self.add("Relu", [self.add("Add", [inner, shortcut])])


def features(builder, data):
    data = builder.add("Relu", [builder.convolution(data, 3, CHANNELS[0], stride=2, side=7, sees_edges=True)])
    for before, after in zip(CHANNELS, CHANNELS[1:]):
        data = builder.block(data, before, after)
    pooled = builder.add("AveragePool", [data], kernel_shape=[4, 4], strides=[4, 4])
    return builder.add("Flatten", [pooled])


def model_of(builder, output, width):
    pictures = helper.make_tensor_value_info("pictures", TensorProto.FLOAT, ["batch", 3, 64, 64])
    scores = helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", width])
    graph = helper.make_graph(builder.nodes, "small_resnet", [pictures], [scores], builder.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = 8
    return model


def prepared(files):
    """The pictures as the pipeline prepares them, near enough to fit a layer to."""
    rows = []
    for file in files:
        image = Image.open(io.BytesIO(file)).convert("RGB").resize((96, 72), Image.BILINEAR).crop((16, 4, 80, 68))
        rows.append((np.asarray(image, np.float32) - 127.5).transpose(2, 0, 1) / 127.5)
    return np.stack(rows)


def fitted_layer(values, labels, strength=30.0):
    """Weights and offsets that tell the classes apart: ridge regression."""
    wanted = np.eye(len(shapes.NAMES))[labels] * 2 - 1
    design = np.hstack([values, np.ones((len(values), 1))]).astype(np.float64)
    solution = np.linalg.solve(design.T @ design + strength * np.eye(design.shape[1]), design.T @ wanted)
    return solution[:-1], solution[-1]


def make(path, seed=1, count=1500):
    builder = Builder(seed)
    output = features(builder, "pictures")
    body = model_of(builder, output, "width")
    session = onnxruntime.InferenceSession(body.SerializeToString(), providers=["CPUExecutionProvider"])
    files, labels = shapes.draw(count, seed)
    values = np.vstack([session.run(None, {"pictures": part})[0] for part in np.array_split(prepared(files), 20)])
    spread = values.std(axis=0) + 1e-3
    weights, offsets = fitted_layer(values / spread, labels)
    scaled = builder.constant(weights / spread[:, None])
    scores = builder.add("Gemm", [output, scaled, builder.constant(offsets)])
    builder.nodes.append(helper.make_node("Softmax", [scores], ["classes"], axis=1))
    model = model_of(builder, "classes", len(shapes.NAMES))
    onnx.checker.check_model(model)
    onnx.save(model, path)
