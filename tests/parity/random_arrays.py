"""Strategies for operators on shapes, numbers and sequences: see `random_example.py`."""

from __future__ import annotations

import numpy as np
from operator_cases import ARITHMETIC
from random_example import Example, operator, operators

INTEGERS = "uint8 int8 uint16 int16 uint32 int32 uint64 int64"
NUMBERS = INTEGERS + " float32 float64"
LAYOUTS = "HW HWC CHW FHWC DHWC FCDHW -"
NAMES = "UINT8 INT8 UINT16 INT16 UINT32 INT32 UINT64 INT64 FLOAT FLOAT64"


def _axes(x: Example) -> list[int]:
    rank = len(x.shapes[0])
    return sorted(x.of([[0], [rank - 1], [0, rank - 1], list(range(rank)), list(range(1, rank))]))


@operators("zeros ones", "exact")
def _(x: Example) -> None:
    x.numbers("shape", x.between(0, 4), 0, 9)
    if x.whether():
        x.enum("dtype", NAMES + " BOOL FLOAT16")


@operators("zeros_like ones_like", "exact")
def _(x: Example) -> None:
    x.images(LAYOUTS, NUMBERS + " float16 bool")
    if x.whether():
        x.enum("dtype", NAMES + " BOOL FLOAT16")


@operator("full", "exact")
def _(x: Example) -> None:
    shape = [x.extent(5) for _ in range(x.between(1, 4))]
    value = [n if x.whether() else 1 for n in shape[x.between(0, len(shape)):]]
    kind = x.of(NUMBERS)
    x.input([x.picture(value, kind) for _ in range(x.size)])
    x.arg("shape", shape)


@operator("full_like", "exact")
def _(x: Example) -> None:
    x.images(LAYOUTS, NUMBERS, alike=True)
    kind = x.of(NUMBERS)
    value = [n if x.whether() else 1 for n in x.shapes[0][x.between(0, len(x.shapes[0])):]]
    x.input([x.picture(value, kind) for _ in range(x.size)])


@operators("reductions.sum reductions.mean reductions.mean_square reductions.rms", "float")
@operators("reductions.min reductions.max", "exact")
def _(x: Example) -> None:
    x.images(LAYOUTS, INTEGERS + " float32", high=100.0)
    if x.whether():
        x.arg("axes", _axes(x))
    x.arg("keep_dims", x.whether())


@operators("reductions.variance reductions.std_dev", "float")
def _(x: Example) -> None:
    x.images(LAYOUTS, INTEGERS + " float32", high=100.0, least=2)
    axes = _axes(x)
    x.arg("axes", axes)
    x.arg("keep_dims", x.whether())
    kept = [[1 if i in axes else n for i, n in enumerate(shape)] for shape in x.shapes]
    if not x.case.args["keep_dims"]:
        kept = [[n for i, n in enumerate(shape) if i not in axes] for shape in x.shapes]
    x.input([x.picture(shape, "float32", 100.0) for shape in kept])  # departure: a single mean for several outputs
    if x.whether():
        x.arg("ddof", 1)


@operator("element_extract", "exact")
def _(x: Example) -> None:
    x.images("FHW FHWC FCHW FDHWC -", NUMBERS)
    frames = min(shape[0] for shape in x.shapes)
    x.arg("element_map", [x.between(0, frames - 1) for _ in range(x.between(1, 3))])


@operator("sequence_rearrange", "exact")
def _(x: Example) -> None:
    x.images("FHW FHWC FCHW FDHWC -", NUMBERS)
    frames = min(shape[0] for shape in x.shapes)
    x.numbers("new_order", x.between(1, 4), 0, frames - 1)


@operator("per_frame", "exact")
def _(x: Example) -> None:
    x.images("FHW FHWC FCHW HWC -", NUMBERS + " bool")
    x.arg("replace", x.layout == "HWC" or x.whether())


@operator("transpose", "exact")
def _(x: Example) -> None:
    x.images(LAYOUTS, NUMBERS)
    x.arg("perm", x.of([list(order) for order in _orders(len(x.shapes[0]))]))
    x.arg("transpose_layout", x.whether())


def _orders(rank: int) -> list[list[int]]:
    order = list(range(rank))
    return [order, order[::-1], order[1:] + order[:1], order[-1:] + order[:-1], [1, 0, *order[2:]]]


@operators("cat stack", "exact")
def _(x: Example) -> None:
    x.images(LAYOUTS, NUMBERS)
    x.arg("axis", x.between(0, len(x.shapes[0]) - 1))
    kind = x.case.inputs[0][0].dtype.name
    for _ in range(x.between(0, 3)):
        x.input([x.picture(shape, kind) for shape in x.shapes], x.layout)
    if x.case.op == "stack" and x.layout and x.whether():
        x.arg("axis_name", "N")


@operator("reshape", "exact")
def _(x: Example) -> None:
    x.images(LAYOUTS, NUMBERS)
    order = x.of(_orders(len(x.shapes[0])))
    x.arg("src_dims", order)
    if x.whether():
        x.arg("rel_shape", [1.0] * len(order))


@operator("squeeze", "exact")
def _(x: Example) -> None:
    x.images("HWC CHW FHWC -", NUMBERS, channels=(1,))
    x.arg("axes", [(x.layout or "HWC").index("C")])


@operator("expand_dims", "exact")
def _(x: Example) -> None:
    x.images(LAYOUTS, NUMBERS)
    axes = sorted({x.between(0, len(x.shapes[0])) for _ in range(2)})
    x.arg("axes", axes)
    if x.layout and x.whether():
        x.arg("new_axis_names", "XY"[: len(axes)])


@operator("reinterpret", "exact")
def _(x: Example) -> None:
    x.images("HWC -", "uint8 int16", channels=(4,))
    x.enum("dtype", "INT8 UINT8 INT16 UINT16 INT32 FLOAT")


@operator("pad", "exact")
def _(x: Example) -> None:
    x.images(LAYOUTS, INTEGERS + " float32")
    axes = _axes(x)
    x.arg("axes", axes)
    if x.whether():
        x.numbers("shape", len(axes), -1, 50 if len(axes) < 3 else 12, samples=False)
    if x.whether():
        x.numbers("align", len(axes), 1, 9)
    x.whole("fill_value", 0, 100)


@operator("permute_batch", "exact")
def _(x: Example) -> None:
    x.images(LAYOUTS, NUMBERS)
    x.arg("indices", [x.between(0, x.size - 1) for _ in range(x.size)])


@operator("shapes", "exact")
def _(x: Example) -> None:
    x.images(LAYOUTS, NUMBERS)
    if x.whether():
        x.enum("dtype", "INT32 INT64 UINT32 UINT64 FLOAT")


@operator("one_hot", "exact")
def _(x: Example) -> None:
    x.images("HW HWC -", INTEGERS, high=9.0, least=2)  # departure: tensors of one element
    x.arg("num_classes", x.between(1, 9))
    x.arg("axis", x.between(-1, len(x.shapes[0])))
    x.arg("on_value", float(x.between(0, 100)))
    x.arg("off_value", float(x.between(0, 100)))
    if x.whether():
        x.enum("dtype", NAMES)


@operator("constant", "exact")
def _(x: Example) -> None:
    shape = [x.extent(4) for _ in range(x.between(1, 3))]
    count = int(np.prod(shape))
    x.of([lambda: x.arg("idata", [x.between(0, 100) for _ in range(count)]),
          lambda: x.arg("fdata", [x.between(-9.0, 9.0) for _ in range(count)])])()
    x.arg("shape", shape)


@operator("cast", "exact")
def _(x: Example) -> None:
    x.images(LAYOUTS, NUMBERS + " float16 bool", high=30000.0)
    x.enum("dtype", NAMES + " BOOL")


@operator("cast_like", "exact")
def _(x: Example) -> None:
    x.images(LAYOUTS, NUMBERS + " float16 bool", high=30000.0)
    kind = x.of(NUMBERS)
    x.input([x.picture([], kind) for _ in range(x.size)])


@operator("copy", "exact")
def _(x: Example) -> None:
    x.images(LAYOUTS, NUMBERS + " float16 bool")


@operator("_subscript", "exact")
def _(x: Example) -> None:
    x.images(LAYOUTS, NUMBERS)
    least = [min(extents) for extents in zip(*x.shapes)]
    count = x.between(1, len(least))
    x.arg("num_subscripts", count)
    is_small = max(int(np.prod(shape)) for shape in x.shapes) <= 4000  # departure: steps through large tensors
    for axis in range(count):
        way = x.of("whole at range")
        if way == "at":
            x.arg(f"at_{axis}", x.between(-least[axis], least[axis] - 1))
        elif way == "range":
            for part in x.of(["lo", "hi", "lo hi"] + ["lo hi step", "step"] * is_small).split():
                x.arg(f"{part}_{axis}", x.of([-3, -2, -1, 1, 2, 3]) if part == "step" else x.between(-45, 45))


UNARY = """sqrt rsqrt cbrt exp log log2 log10 abs fabs floor ceil sin cos tan asin acos atan sinh cosh tanh asinh atanh
minus"""
BINARY = [*(op for op in ARITHMETIC if op != "minus"), "min", "max", "pow", "fpow", "atan2"]


@operator("_arithmetic", "float")
def _(x: Example) -> None:
    x.arg("op", x.of([*UNARY.split(), *BINARY]))
    if x.case.args["op"] in UNARY.split():
        x.images("HW HWC -", "float32 float64", high=1.0)
        return
    x.images("HW HWC -", INTEGERS + " float32 float64 bool", high=100.0, least=2)
    kind = x.of(INTEGERS + " float32")
    whole = [x.whether() for _ in x.shapes[0]]  # departure: a batch in which some samples alone are stretched
    shapes = [[n if kept else 1 for n, kept in zip(shape, whole)] for shape in x.shapes]
    x.input([x.picture(shape, kind, 100.0) for shape in shapes], x.layout)
