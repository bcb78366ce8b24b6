"""Strategies for operators that move pixels: see `random_example.py`. What is left out stands in
`python/forebay/compat/departures.json`."""

from __future__ import annotations

import numpy as np
from random_example import Example, operator, operators

FILTERS = "INTERP_NN INTERP_LINEAR INTERP_CUBIC INTERP_LANCZOS3 INTERP_TRIANGULAR"  # departure: INTERP_GAUSSIAN


@operator("rotate")
def _(x: Example) -> None:
    x.images("HWC FHWC DHWC FDHWC -", "uint8 int16 int32 float32")
    x.number("angle", -400.0, 400.0, frames=True)
    if "D" in x.layout:
        x.given("axis", lambda: [x.between(0.1, 1.0), x.between(-1.0, 1.0), x.between(-1.0, 1.0)], frames=True)
    _warped(x)
    if x.whether():
        x.arg("keep_size", True)


@operator("warp_affine")
def _(x: Example) -> None:
    x.images("HWC FHWC DHWC -", "uint8 int16 int32 float32")
    axes = len(x.spatial())
    x.given("matrix", lambda: _matrix(x, axes), frames=True, shape=(axes, axes + 1))
    x.arg("inverse_map", x.whether())
    _warped(x)


def _matrix(x: Example, axes: int) -> list[float]:
    """Of a map that turns, shears, scales and shifts, and has an inverse."""
    most = 0.4 / axes
    numbers: list[float] = []
    for row in range(axes):
        for column in range(axes):
            middle = float(row == column)
            numbers.append(x.between(middle - most, middle + most))
        numbers.append(x.between(-9.0, 9.0))
    return numbers


def _warped(x: Example) -> None:
    if x.whether():
        x.arg("fill_value", x.between(-20.0, 300.0))
    if x.whether():
        x.whole("size", 1, 50, count=len(x.spatial()))  # departure: fractions in tensors
    if x.whether():
        x.enum("dtype", "FLOAT")


@operator("experimental.warp_perspective")
def _(x: Example) -> None:
    x.images("HWC HW FHWC", "uint8 uint16 float32", channels=(1, 3, 4))  # departure: two channels, INT16
    last = [x.between(-0.003, 0.003), x.between(-0.003, 0.003), 1.0]
    x.given("matrix", lambda: _matrix(x, 2) + last, frames=True, shape=(3, 3))
    x.arg("inverse_map", x.whether())
    x.enum("interp_type", "INTERP_LINEAR INTERP_CUBIC")
    is_cubic = x.case.args["interp_type"] == "INTERP_CUBIC"  # departure: cubic reflected or repeated
    x.arg("border_mode", x.of("constant replicate" + " reflect reflect_101 wrap" * (not is_cubic)))
    x.arg("pixel_origin", x.of("corner center"))
    if x.whether():
        x.numbers("size", 2, 1.0, 50.0)


@operator("paste", "exact")
def _(x: Example) -> None:
    x.images("HWC -", "uint8")
    channels = x.shapes[0][-1]
    x.arg("n_channels", channels)
    x.arg("fill_value", [x.between(0, 255) for _ in range(x.of([1, channels]))])
    x.number("ratio", 1.0, 3.0)
    for name in x.of([[], ["paste_x"], ["paste_x", "paste_y"]]):
        x.number(name, 0.0, 1.0)
    if x.whether():
        x.number("min_canvas_size", 0.0, 60.0)


@operator("multi_paste", "exact")
def _(x: Example) -> None:
    x.images("HWC", "uint8 int16 int32 float32", alike=True)
    ids = [[x.between(0, x.size - 1) for _ in range(x.between(1, 3))] for _ in range(x.size)]
    x.tensor("in_ids", [np.int32(each) for each in ids])
    canvas = [x.extent(50), x.extent(50)]
    x.arg("output_size", canvas)
    image = x.shapes[0][:2]
    anchors = [[[x.between(0, n - 1) for n in image] for _ in each] for each in ids]
    places = [[[x.between(0, n - 1) for n in canvas] for _ in each] for each in ids]
    room = [[[min(n - a, m - p) for n, m, a, p in zip(image, canvas, *pair)] for pair in zip(*each)]
            for each in zip(anchors, places)]
    for name, values in {"in_anchors": anchors, "out_anchors": places, "shapes": room}.items():
        x.tensor(name, [np.int32(each) for each in values])


@operator("water")
def _(x: Example) -> None:
    for name, most in {"ampl": 9.0, "freq": 0.5, "phase": 3.0}.items():
        for axis in x.of([[], ["x"], ["x", "y"]]):
            x.arg(f"{name}_{axis}", x.between(0.0, most))
    _displaced(x)


@operator("sphere")
def _(x: Example) -> None:
    _displaced(x, least=2)  # departure: images of one pixel


def _displaced(x: Example, least: int = 1) -> None:
    x.images("HWC -", "uint8 float32", least=least)
    x.enum("interp_type", "INTERP_NN INTERP_LINEAR")
    if x.case.args["interp_type"] == "INTERP_NN":
        x.case.bar = "nearest"
    if x.whether():
        x.tensor("mask", [np.int32(x.between(0, 1)) for _ in range(x.size)])  # departure: a constant mask of 0
    if x.whether():
        x.arg("fill_value", float(x.between(0, 255)))


@operator("flip", "exact")
def _(x: Example) -> None:
    types = "uint8 int8 uint16 int16 uint32 int32 uint64 int64 float32 float64"
    x.images("HWC CHW FHWC FCHW DHWC CDHW FDHWC FCDHW -", types)
    for name in ("horizontal", "vertical", "depthwise"):
        if x.whether():
            x.number(name, 0, 1)


@operator("resize")
def _(x: Example) -> None:
    x.images("HWC CHW FHWC FCHW CFHW DHWC CDHW FDHWC FCDHW -", "uint8 uint16 int16 float32")
    _resized(x)


@operators("resize_crop_mirror fast_resize_crop_mirror")
def _(x: Example) -> None:
    x.images("HWC CHW FHWC FCHW CFHW DHWC -", "uint8 uint16 int16 float32")
    _resized(x)
    _cropped(x, 0.5, 9.0)
    if x.layout[:1] not in ("F", "C") and x.whether():  # departure: sequences and planes mirrored
        x.number("mirror", 0, 2 ** len(x.spatial()) - 1)


def _resized(x: Example) -> None:
    axes = len(x.spatial())
    high = 60.0 if axes == 2 else 15.0
    way = x.of("size mode resize_shorter resize_longer resize_x resize_y")
    if way in ("size", "mode"):
        x.given("size", lambda: [x.between(-high if way == "size" else 1.0, high) or 1.0 for _ in range(axes)])
        if way == "mode":
            x.arg("mode", x.of("not_larger not_smaller stretch"))
    else:
        x.number(way, 1.0, high)
    if x.whether():
        x.arg("max_size", [x.between(1.0, high) for _ in range(axes)])
    _filtered(x)


def _filtered(x: Example, axes: int = 0, has_regions: bool = True) -> None:
    axes = axes or len(x.spatial())
    x.enum("interp_type", FILTERS.split()[x.case.op != "resize":])  # departures: INTERP_NN outside images
    x.arg("antialias", x.whether())
    if x.whether():
        x.arg("subpixel_scale", False)
    if has_regions and x.whether():
        x.numbers("roi_start", axes, 0.0, 0.4)
        x.numbers("roi_end", axes, 0.5, 1.0)
        x.arg("roi_relative", True)
    if x.whether():
        x.enum("dtype", "FLOAT")


@operator("tensor_resize")
def _(x: Example) -> None:
    x.images("HW HWC CHW FHWC FCHW CFHW DHWC CDHW FDHWC -", "uint8 uint16 int16 float32")
    axes = x.of([x.spatial(), [x.spatial()[-1]], list(range(len(x.shapes[0])))[:3]])  # DALI takes three at most
    x.arg("axes", axes)
    grows = x.whether()  # departure: extents that stay are resampled by their region
    way = "sizes" if grows else x.of("sizes scales")
    x.numbers(way, len(axes), *((41.0, 50.0) if grows else (1.0, 30.0) if way == "sizes" else (0.3, 2.0)))
    if way == "sizes" and not grows and x.whether():
        x.arg("mode", x.of("default not_larger not_smaller stretch"))
    if x.whether():
        x.arg("size_rounding", x.of("round ceil truncate"))
    if "mode" not in x.case.args and x.whether():  # departure: alignment of axes that follow others
        x.numbers("alignment", len(axes), 0.0, 1.0)
    _filtered(x, len(axes), has_regions=grows)
    if not grows:
        x.arg("subpixel_scale", False)  # departure: fractions where the extent stays


def _cropped(x: Example, low: float, high: float) -> None:
    """A window of up to `high` pixels."""
    axes = len(x.spatial())
    if x.whether():
        x.numbers("crop", axes, low, high)
    elif x.whether():
        x.number("crop_h", low, high)
        x.number("crop_w", low, high)
    for name in ["crop_pos_x", "crop_pos_y", "crop_pos_z"][: x.between(0, min(axes, 3))]:
        x.number(name, 0.0, 1.0)
    if x.whether():
        x.arg("rounding", x.of("round truncate"))


@operator("crop", "exact")
def _(x: Example) -> None:
    types = "uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 float32 float64"
    x.images("HWC CHW FHWC FCHW CFHW DHWC CDHW -", types)
    _cropped(x, 0.5, 40.0)
    x.arg("out_of_bounds_policy", x.of("pad trim_to_shape"))
    if x.whether():
        x.arg("fill_values", [float(x.between(0, 100))])
    if x.whether():
        x.enum("dtype", "FLOAT")


@operator("crop_mirror_normalize", "float")
def _(x: Example) -> None:
    x.images("HWC CHW FHWC FCHW CFHW DHWC CDHW -", "uint8 int16 uint16 int32 float32 float16")
    _cropped(x, 0.5, 40.0)
    x.arg("out_of_bounds_policy", x.of("pad trim_to_shape"))
    channels = x.shapes[0][(x.layout or "HWC").index("C")]
    x.numbers("mean", channels, -100.0, 200.0)
    x.numbers("std", channels, 0.5, 90.0)
    if x.whether():
        x.number("mirror", 0, 1)
    _normalized_to(x)


def _normalized_to(x: Example) -> None:
    layout = x.layout or "HWC"
    if x.whether():
        moved = layout.replace("C", "")
        place = x.of([i for i in range(len(moved) + 1) if "F" not in moved or i > 0])
        x.arg("output_layout", moved[:place] + "C" + moved[place:])
    else:
        x.arg("output_layout", layout)
    x.arg("pad_output", x.whether())
    x.enum("dtype", "FLOAT FLOAT16")
    if x.whether():
        x.arg("scale", x.between(0.1, 3.0))
        x.arg("shift", x.between(-9.0, 9.0))


@operator("slice", "exact")
def _(x: Example) -> None:
    x.images("HWC CHW FHWC DHWC HW -", "uint8 int16 uint16 int32 int64 float16 float32")
    rank = len(x.shapes[0])
    axes = sorted(x.of([[rank - 1], [0], [0, 1], list(range(rank))]))
    x.arg("axes", axes)
    first, last = x.of(["start shape", "start end", "rel_start rel_end", "rel_start rel_shape", "rel_start shape",
                        "start rel_end"]).split()
    x.numbers(first, len(axes), *((0.0, 0.5) if first.startswith("rel") else (-9, 20)))
    x.numbers(last, len(axes), *((0.5, 1.2) if last.startswith("rel") else (20, 50)))
    x.arg("out_of_bounds_policy", x.of("pad trim_to_shape"))
    if x.whether():
        x.arg("fill_values", [float(x.between(0, 100))])


@operator("erase", "exact")
def _(x: Example) -> None:
    x.images("HWC", "uint8 int16 int32 float32")
    regions = x.between(1, 3)
    parts = x.whether()
    x.arg("normalized", parts)
    x.numbers("anchor", 2 * regions, *((-0.2, 1.0) if parts else (-5.0, 40.0)))
    x.numbers("shape", 2 * regions, *((0.0, 0.7) if parts else (0.0, 30.0)))
    x.arg("axes", x.of([[0, 1], [1, 0]]))
    x.arg("centered_anchor", x.whether())
    x.whole("fill_value", 0, 100, count=x.shapes[0][-1])


@operator("grid_mask", "exact")
def _(x: Example) -> None:
    x.images("HWC", "uint8 float32")
    x.number("tile", 1, 30)
    for name, most in {"ratio": 0.9, "angle": 3.0, "shift_x": 20.0, "shift_y": 20.0}.items():
        if x.whether():
            x.number(name, 0.1 if name == "ratio" else -most, most)
