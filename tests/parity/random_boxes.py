"""Strategies for boxes, points, masks and the matrices that move them: see `random_example.py`."""

from __future__ import annotations

import numpy as np
from random_example import Example, operator, operators


def _boxes(x: Example, least: int = 0, ltrb: bool = True) -> list[np.ndarray]:
    """Of each sample some boxes within the unit square."""
    batch = []
    for _ in range(x.size):
        low = x.random.random((x.extent(9, least), 2)) * 0.7
        extent = x.random.random(low.shape) * 0.29 + 0.01
        batch.append(np.float32(np.concatenate([low, low + extent if ltrb else extent], axis=1)))
    return batch


@operator("bb_flip", "float")
def _(x: Example) -> None:
    ltrb = x.whether()
    x.input(_boxes(x, ltrb=ltrb))
    x.arg("ltrb", ltrb)
    for name in ("horizontal", "vertical"):
        if x.whether():
            x.number(name, 0, 1)


@operator("bbox_paste", "float")
def _(x: Example) -> None:
    ltrb = x.whether()
    x.input(_boxes(x, ltrb=ltrb))
    x.arg("ltrb", ltrb)
    x.number("ratio", 1.0, 4.0)  # departure: ratios below 1
    for name in ("paste_x", "paste_y"):
        if x.whether():
            x.number(name, 0.0, 1.0)


@operator("bbox_rotate", "float")
def _(x: Example) -> None:
    x.arg("bbox_layout", x.of("xyXY xyWH"))
    x.input(_boxes(x, ltrb=x.case.args["bbox_layout"] == "xyXY"))
    if x.whether():
        x.input([np.arange(len(boxes), dtype=np.int32) for boxes in x.case.inputs[0]])
    x.number("angle", -400.0, 400.0)
    x.numbers("input_shape", 2, 2, 90)
    x.arg("mode", x.of("expand fixed halfway"))
    x.arg("keep_size", x.whether())
    if x.whether():
        x.arg("remove_threshold", x.between(0.0, 0.9))


@operator("box_encoder", "float")
def _(x: Example) -> None:
    x.input(_boxes(x))
    x.input([np.arange(1, len(boxes) + 1, dtype=np.int32) for boxes in x.case.inputs[0]])
    low = x.random.random((x.extent(30), 2)) * 0.6
    anchors = np.float32(np.concatenate([low, low + 0.05 + x.random.random(low.shape) * 0.35], axis=1))
    x.arg("anchors", [float(number) for number in anchors.ravel()])
    x.arg("criteria", x.between(0.1, 0.95))
    if x.whether():
        x.arg("offset", True)
        x.arg("scale", x.between(1.0, 300.0))
        x.arg("means", [x.between(-1.0, 1.0) for _ in range(4)])
        x.arg("stds", [x.between(0.1, 1.0) for _ in range(4)])


@operator("random_bbox_crop", "float")
def _(x: Example) -> None:
    x.input(_boxes(x, least=1))
    if x.whether():
        x.input([np.arange(len(boxes), dtype=np.int32) for boxes in x.case.inputs[0]])
        x.arg("output_bbox_indices", x.whether())
    x.arg("allow_no_crop", False)
    x.arg("all_boxes_above_threshold", False)
    if x.whether():
        shape = [x.between(2, 90), x.between(2, 90)]
        x.arg("crop_shape", shape)
        x.arg("input_shape", shape)


@operator("coord_flip", "float")
def _(x: Example) -> None:
    axes = x.of("x xy xyz zyx yx")
    x.input([x.random.random((x.extent(9, 0), len(axes))).astype("float32") for _ in range(x.size)])
    x.arg("layout", axes)
    for axis in axes:
        if x.whether():
            x.number(f"flip_{axis}", 0, 1)
        if x.whether():
            x.number(f"center_{axis}", -2.0, 2.0)


@operator("coord_transform", "float")
def _(x: Example) -> None:
    x.layout = x.of(["", "FNX"])
    size, to, kind = x.between(1, 5), x.between(1, 5), x.of("uint8 int16 uint16 int32 float32")
    for _ in range(x.size):
        x.shapes.append([x.extent(3)] * x.is_sequence() + [x.extent(9), size])
    x.input([x.picture(shape, kind, 99.0) for shape in x.shapes], x.layout)
    if x.whether():
        x.given("MT", lambda: _table(x, to, size + 1), frames=True, shape=(to, size + 1))
        return
    x.given("M", lambda: _table(x, to, size), frames=True, shape=(to, size))
    if x.whether():
        x.numbers("T", to, -9.0, 9.0, frames=True)


def _table(x: Example, rows: int, columns: int) -> list[float]:
    return [x.between(-3.0, 3.0) for _ in range(rows * columns)]


def _about_and_after(x: Example, size: int) -> None:
    """Perhaps a centre, perhaps another matrix before."""
    if x.whether():
        x.numbers("center", size, -9.0, 9.0)
    _after(x, size)


@operator("transforms.translation", "float")
def _(x: Example) -> None:
    x.numbers("offset", x.between(1, 4), -9.0, 9.0)
    _after(x, len(_of(x, "offset")))


@operator("transforms.scale", "float")
def _(x: Example) -> None:
    x.numbers("scale", x.between(1, 4), -3.0, 3.0)
    size = len(_of(x, "scale"))
    _about_and_after(x, size)


@operator("transforms.rotation", "float")
def _(x: Example) -> None:
    size = x.between(2, 3)
    x.number("angle", -400.0, 400.0)
    if size == 3:
        x.given("axis", lambda: [x.between(0.1, 1.0), x.between(-1.0, 1.0), x.between(-1.0, 1.0)])
    _about_and_after(x, size)


@operator("transforms.shear", "float")
def _(x: Example) -> None:
    size = x.between(2, 3)
    name, most = x.of([("shear", 3.0), ("angles", 70.0)])
    x.numbers(name, size * (size - 1), -most, most, shape=(size, size - 1) if size > 2 else None)
    _about_and_after(x, size)


@operator("transforms.crop", "float")
def _(x: Example) -> None:
    size = x.between(1, 4)
    for place in ("from", "to"):
        x.numbers(f"{place}_start", size, -9.0, 0.0)
        x.numbers(f"{place}_end", size, 1.0, 9.0)
    if x.whether():
        x.arg("absolute", True)
    _after(x, size)


@operator("transforms.combine", "float")
def _(x: Example) -> None:
    size = x.between(1, 4)
    for _ in range(x.between(2, 4)):
        x.input([np.float32(x.random.normal(0, 1, (size, size + 1))) for _ in range(x.size)])
    x.arg("reverse_order", x.whether())


def _of(x: Example, name: str) -> list[float]:
    return x.case.args[name] if name in x.case.args else list(x.case.tensors[name][0])


def _after(x: Example, size: int) -> None:
    """Sometimes the matrix of a map that goes before."""
    if x.whether():
        x.input([np.float32(x.random.normal(0, 1, (size, size + 1))) for _ in range(x.size)])
        x.arg("reverse_order", x.whether())


@operator("segmentation.select_masks", "exact")
def _(x: Example) -> None:
    ids, polygons, vertices = [], [], []
    kind = x.of("float32 int16 uint8 float64 int32")
    for _ in range(x.size):
        count = x.extent(5)
        ends = np.cumsum([x.between(1, 5) for _ in range(count)])
        places = [[i, end - x.between(1, 1), end] for i, end in enumerate(ends)]
        starts = [0, *ends[:-1]]
        polygons.append(np.int32([[place[0], start, end] for place, start, end in zip(places, starts, ends)]))
        vertices.append(x.picture([int(ends[-1]), x.of([2, 3])], kind, 100.0))
        ids.append(np.int32([i for i in range(count) if x.whether()]))
    for batch in (ids, polygons, vertices):
        x.input(batch)
    x.arg("reindex_masks", x.whether())


@operator("segmentation.random_object_bbox", "exact")
def _(x: Example) -> None:
    types = "uint8 int8 uint16 int16 uint32 int32 bool"
    x.images("HW HWC DHW -", types, high=2.0, channels=(1, 3), least=2)  # departure: masks of one pixel
    x.arg("k_largest", 1)
    x.arg("format", x.of("box anchor_shape start_end"))
    x.arg("output_class", True)
    x.arg("classes", [1])
    if x.whether():
        x.number("background", 0, 0)
    if x.whether():
        x.arg("threshold", [x.between(1, 3)] * len(x.shapes[0]))


@operator("segmentation.random_mask_pixel", "exact")
def _(x: Example) -> None:
    x.images("HW HWC DHW -", "uint8 int8 uint16 int16 uint32 int32 int64 float32", channels=(1, 3))
    for each in x.case.inputs[0]:
        each[...] = 1
        each.ravel()[x.random.integers(each.size)] = 7
    x.number("foreground", 1, 1)
    x.of([lambda: x.number("value", 7, 7), lambda: x.number("threshold", 1.5, 6.5)])()
