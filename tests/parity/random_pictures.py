"""Strategies for operators on colours and around pixels: see `random_example.py`."""

from __future__ import annotations

from random_example import Example, operator, operators

TYPES = "uint8 int16 int32 float32"
LAYOUTS = "HWC FHWC DHWC"


def _typed(x: Example) -> None:
    if x.whether():
        x.enum("dtype", "FLOAT UINT8")


def _some(x: Example, ranges: dict[str, tuple[float, float]]) -> None:
    for name, (low, high) in ranges.items():
        if x.whether():
            x.number(name, low, high, frames=True)


@operator("brightness")
def _(x: Example) -> None:
    x.images(LAYOUTS, TYPES)
    _some(x, {"brightness": (0.0, 3.0), "brightness_shift": (-1.0, 1.0)})
    _typed(x)


@operator("contrast")
def _(x: Example) -> None:
    x.images(LAYOUTS, TYPES)
    _some(x, {"contrast": (0.0, 3.0), "contrast_center": (0.0, 200.0)})
    _typed(x)


@operator("brightness_contrast")
def _(x: Example) -> None:
    x.images(LAYOUTS, TYPES)
    _some(x, {"brightness": (0.0, 3.0), "brightness_shift": (-1.0, 1.0), "contrast": (0.0, 3.0),
              "contrast_center": (0.0, 200.0)})
    _typed(x)


TWISTED = {"hue": ["hue"], "saturation": ["saturation"], "hsv": ["hue", "saturation", "value"],
           "color_twist": ["hue", "saturation", "brightness", "contrast"]}


@operators("hue saturation hsv color_twist")
def _(x: Example) -> None:
    x.images(LAYOUTS, TYPES, channels=(3,))  # departure: other numbers of channels
    _some(x, {name: (-400.0, 400.0) if name == "hue" else (0.0, 3.0) for name in TWISTED[x.case.op]})
    _typed(x)


@operator("color_space_conversion")
def _(x: Example) -> None:
    source = x.of("RGB BGR YCbCr GRAY")
    x.images("HWC FHWC", "uint8", channels=(1 if source == "GRAY" else 3,))
    x.enum("image_type", [source])
    x.enum("output_type", [name for name in ("RGB", "BGR", "YCbCr", "GRAY") if name != source])


@operator("gaussian_blur")
def _(x: Example) -> None:
    x.images("HW HWC CHW FHW FHWC FCHW CFHW DHWC CDHW FDHWC", "uint8 int8 uint16 int16 uint32 int32 float32 float64")
    if x.whether():
        x.number("sigma", 0.2, 5.0, frames=True)
        return
    x.given("window_size", lambda: 2 * x.between(0, 8) + 1, frames=True)
    if x.whether():
        x.numbers("sigma", len(x.spatial()), 0.3, 4.0)


@operator("laplacian")
def _(x: Example) -> None:
    x.images("HW HWC CHW FHWC FCHW DHWC CDHW", "uint8 uint16 int16 float32", least=2)
    x.given("window_size", lambda: 2 * x.between(1, 5) + 1, frames=True)
    if x.whether():
        x.given("smoothing_size", lambda: 2 * x.between(0, 3) + 1)
    if x.whether():
        x.arg("normalized_kernel", True)
    else:
        x.number("scale", 0.0001, 0.01, frames=True)
    if x.whether():
        x.enum("dtype", "FLOAT")


@operator("filter")
def _(x: Example) -> None:
    x.images("HW HWC CHW FHWC FCHW", "uint8 uint16 int16 float32", least=4)
    x.input([x.random.normal(0, 0.3, [x.extent(7), x.extent(7)]).astype("float32") for _ in range(x.size)])
    x.arg("border", x.of("reflect_101 reflect_1001 wrap clamp constant"))
    if x.whether():
        x.enum("dtype", "FLOAT")


@operator("jpeg_compression_distortion", "exact")
def _(x: Example) -> None:
    x.images("HWC FHWC", "uint8", channels=(3,))
    x.number("quality", 1, 100)  # departure: by frames


@operator("lookup_table", "exact")
def _(x: Example) -> None:
    x.images("HWC HW CHW FHWC DHWC -", "uint8 int8 uint16 int16 uint32 int32 uint64 int64", high=40.0)
    count = x.between(1, 20)
    x.arg("keys", [x.between(0, 40) for _ in range(count)])
    x.arg("values", [x.between(-99.0, 99.0) for _ in range(count)])
    x.arg("default_value", x.between(-99.0, 99.0))
    if x.whether():
        x.enum("dtype", "FLOAT")


@operator("equalize", "exact")
def _(x: Example) -> None:
    x.images("HWC HW FHWC", "uint8")


@operator("clahe", "exact")
def _(x: Example) -> None:
    luma = x.whether()
    x.images("HWC", "uint8", channels=(1,) if luma else (1, 3), least=8)  # departure: the lightness of colours
    x.arg("tiles_x", x.between(1, 8))
    x.arg("tiles_y", x.between(1, 8))
    x.arg("clip_limit", x.between(0.0, 40.0))
    x.arg("luma_only", luma)


@operator("debayer", "exact")
def _(x: Example) -> None:
    sides = [(2 * x.between(1, 16), 2 * x.between(1, 16)) for _ in range(x.size)]  # departure: odd sides
    kind = x.of("uint8 uint16")
    x.input([x.picture(list(side), kind) for side in sides], "HW")
    x.arg("algorithm", x.of("default bilinear_ocv edgeaware_ocv gray_ocv"))
    x.numbers("blue_position", 2, 0, 1)


@operator("normalize", "float")
def _(x: Example) -> None:
    is_batch = x.whether()
    x.images("HWC HW CHW FHWC DHWC -", "uint8 int16 uint16 int32 float32", least=2, alike=is_batch)
    rank = len(x.shapes[0])
    axes = x.of([[0], [0, 1], [rank - 1], list(range(rank))])
    x.arg("axes", axes)
    x.arg("batch", is_batch)
    x.arg("epsilon", x.between(0.1, 2.0))
    for name, low, high in (("ddof", 0, 1), ("scale", 0.1, 9.0), ("shift", -9.0, 9.0)):
        if x.whether():
            x.arg(name, x.between(low, high))
