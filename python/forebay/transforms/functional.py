"""Transforms with their parameters given, as torchvision's functional has them: ``functional.rotate(image, 30)``.

Each takes what a transform takes and gives the same form. The graph of a function is kept for each kind of image and
each choice that is no number; numbers are data, so that other ones cost nothing.
"""

from __future__ import annotations

import inspect
import itertools
import os
from typing import Any, Callable, Sequence

import numpy as np

from .. import fn, math
from ..graph.data_node import DataNode
from ..pipeline import Pipeline
from ..suggestions import refuse_unknown
from ..types import DALIDataType
from . import checks, colors, cropping, filters, resizing, warps
from .conversions import ConvertImageDtype, Normalize, PILToTensor, ToDtype, ToImage, ToPILImage, ToTensor
from .cropping import Pad, policy_of
from .exchange import Kind, given, take
from .flips import flipped
from .interpolation import InterpolationMode, resampling_filter, warp_filter
from .picture import Picture
from .sizes import whole

Write = Callable[..., Any]


class _Function:
    """One function for one kind of images, in one process."""

    def __init__(self, write: Write, kind: Kind, count: int) -> None:
        pipeline = Pipeline(batch_size=1, num_threads=1, seed=0)
        with pipeline:
            picture = kind.picture(fn.external_source(name="image", layout=kind.layout, no_copy=True))
            numbers = fn.external_source(name="numbers") if count else None
            parts = [] if numbers is None else [numbers[place] for place in range(count)]
            made = write(picture, *parts)
            self._is_tuple = isinstance(made, tuple)
            results = made if isinstance(made, tuple) else (made,)
            self._forms = [result.form for result in results]
            pipeline.set_outputs(*[result.result() for result in results])
        self._has_numbers = bool(count)
        self._pipeline = pipeline
        self._server = pipeline.serve(max_pending=4096)

    def __call__(self, array: np.ndarray, numbers: Sequence[float]) -> Any:
        data: dict[str, Any] = {"numbers": np.asarray(numbers, np.float32)} if self._has_numbers else {}
        outputs = self._server.submit(key=0, image=array, **data).result()
        results = tuple(given(form, output) for form, output in zip(self._forms, outputs))
        return results if self._is_tuple else results[0]


_kept: dict[Any, _Function] = {}
_MOST_KEPT = 256


def _run(image: Any, choice: tuple[Any, ...], write: Write, *numbers: float) -> Any:
    """`write(picture, *numbers)` of an image. `choice` says, with the image's kind, what graph that writes."""
    kind, array = take(image)
    key = (os.getpid(), kind, choice, len(numbers))
    function = _kept.get(key)
    if function is None:
        if len(_kept) >= _MOST_KEPT:
            for old in list(itertools.islice(_kept, _MOST_KEPT // 2)):
                _kept.pop(old, None)
        function = _kept[key] = _Function(write, kind, len(numbers))
    return function(array, numbers)


def _integer(node: DataNode) -> Any:
    return whole(node + 0.5)


# --- size and place ------------------------------------------------------------------------------------------------


def resize(
    image: Any, size: Any, interpolation: Any = InterpolationMode.BILINEAR, max_size: int | None = None,
    antialias: bool | None = True,
) -> Any:
    transform = resizing.Resize(size, interpolation, max_size, antialias)
    choice = ("resize", tuple(transform.size or ()), str(interpolation), max_size, antialias)
    return _run(image, choice, lambda picture: transform.apply(picture, None))


def crop(image: Any, top: int, left: int, height: int, width: int) -> Any:
    """What lies outside of the image is 0."""

    def write(picture: Picture, *numbers: DataNode) -> Picture:
        top, left, height, width = map(_signed, numbers)
        return picture.extended(top, left, height, width, "pad", [0.0])

    return _run(image, ("crop",), write, top, left, height, width)


def _signed(node: DataNode) -> Any:
    return fn.cast(math.floor(node + 0.5), dtype=DALIDataType.INT32)


def resized_crop(
    image: Any, top: int, left: int, height: int, width: int, size: Any,
    interpolation: Any = InterpolationMode.BILINEAR, antialias: bool | None = True,
) -> Any:
    target, filter = checks.height_width("size", size), resampling_filter(interpolation)

    def write(picture: Picture, *numbers: DataNode) -> Picture:
        window = picture.window(*map(_integer, numbers))
        return window.resized(*target, filter, antialias is not False)

    choice = ("resized_crop", target, str(interpolation), antialias)
    return _run(image, choice, write, top, left, height, width)


def center_crop(image: Any, output_size: Any) -> Any:
    size = checks.height_width("output_size", output_size)
    return _run(image, ("center_crop", size), lambda picture: cropping.center_window(picture, *size))


def five_crop(image: Any, size: Any) -> Any:
    transform = cropping.FiveCrop(size)
    return _run(image, ("five_crop", transform.size), lambda picture: transform.apply(picture, None))


def ten_crop(image: Any, size: Any, vertical_flip: bool = False) -> Any:
    transform = cropping.TenCrop(size, vertical_flip)
    return _run(image, ("ten_crop", transform.size, vertical_flip), lambda picture: transform.apply(picture, None))


def pad(image: Any, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> Any:
    transform = Pad(padding, fill, padding_mode)
    choice = ("pad", transform.padding, tuple(checks.fill_values(fill)), policy_of(padding_mode))
    return _run(image, choice, lambda picture: transform.apply(picture, None))


def horizontal_flip(image: Any) -> Any:
    return _run(image, ("horizontal_flip",), lambda picture: flipped(picture, horizontal=1))


def vertical_flip(image: Any) -> Any:
    return _run(image, ("vertical_flip",), lambda picture: flipped(picture, vertical=1))


hflip = horizontal_flip
vflip = vertical_flip


def rotate(
    image: Any, angle: float, interpolation: Any = InterpolationMode.NEAREST, expand: bool = False,
    center: Sequence[float] | None = None, fill: Any = None,
) -> Any:
    """By degrees counter-clockwise."""
    filter, values = warp_filter(interpolation), checks.fill_values(fill)
    choice: tuple[Any, ...] = ("rotate", filter, expand, None if center is None else tuple(center), tuple(values))
    if center is None and angle % 90 == 0:
        choice = (*choice, angle % 360)
        return _run(image, choice, lambda picture: warps.rotated(picture, angle, filter, expand, center, values))
    return _run(image, choice, lambda picture, by: warps.rotated(picture, by, filter, expand, center, values), angle)


def affine(
    image: Any, angle: float, translate: Sequence[float], scale: float, shear: Any,
    interpolation: Any = InterpolationMode.NEAREST, fill: Any = None, center: Sequence[float] | None = None,
) -> Any:
    """Turned clockwise, moved, scaled and sheared about the middle, or `center`."""
    filter, values = warp_filter(interpolation), checks.fill_values(fill)
    shears = [shear, 0.0] if isinstance(shear, (int, float)) else [*shear, 0.0][:2]

    def write(picture: Picture, *numbers: DataNode) -> Picture:
        own = [0.0, 0.0] if center is None else [center[0] - picture.width * 0.5, center[1] - picture.height * 0.5]
        rows = warps.affine_map(own, numbers[0], numbers[1:3], numbers[3], numbers[4:6])
        return warps.affine_warped(picture, rows, filter, values)

    choice = ("affine", filter, None if center is None else tuple(center), tuple(values))
    return _run(image, choice, write, angle, *translate, scale, *shears)


def perspective(
    image: Any, startpoints: Any, endpoints: Any, interpolation: Any = InterpolationMode.BILINEAR, fill: Any = None,
    coefficients: Sequence[float] | None = None,
) -> Any:
    """Four points moved to four others; or the eight numbers that take output to input."""
    filter, values = warp_filter(interpolation), checks.fill_values(fill)
    numbers = list(coefficients) if coefficients is not None else _perspective_numbers(startpoints, endpoints)
    if len(numbers) != 8:
        raise ValueError(f"coefficients={coefficients!r} must be eight numbers")
    return _run(
        image, ("perspective", filter, tuple(values)),
        lambda picture, *parts: warps.perspective_warped(picture, [*parts, 1.0], True, filter, values), *numbers,
    )


def _perspective_numbers(startpoints: Any, endpoints: Any) -> list[float]:
    """Of the map of each end to its start."""
    rows, results = [], []
    for (to_x, to_y), (x, y) in zip(startpoints, endpoints):
        rows.append([x, y, 1, 0, 0, 0, -to_x * x, -to_x * y])
        rows.append([0, 0, 0, x, y, 1, -to_y * x, -to_y * y])
        results += [to_x, to_y]
    solved = np.linalg.lstsq(np.asarray(rows, np.float64), np.asarray(results, np.float64), rcond=None)[0]
    return [float(value) for value in solved]


# --- colours and values --------------------------------------------------------------------------------------------


def _adjust(image: Any, operation: str, amount: float = 0.0) -> Any:
    number = colors.OPERATIONS[operation]
    return _run(
        image, ("adjust", number), lambda picture, amount: colors.augmented(picture, [number], fn.stack(amount)), amount
    )


def adjust_brightness(image: Any, brightness_factor: float) -> Any:
    return _adjust(image, "brightness", brightness_factor)


def adjust_contrast(image: Any, contrast_factor: float) -> Any:
    return _adjust(image, "contrast", contrast_factor)


def adjust_saturation(image: Any, saturation_factor: float) -> Any:
    return _adjust(image, "saturation", saturation_factor)


def adjust_hue(image: Any, hue_factor: float) -> Any:
    return _adjust(image, "hue", hue_factor)


def adjust_sharpness(image: Any, sharpness_factor: float) -> Any:
    return _adjust(image, "sharpness", sharpness_factor)


def adjust_gamma(image: Any, gamma: float) -> Any:
    return _adjust(image, "gamma", gamma)


def posterize(image: Any, bits: int) -> Any:
    return _adjust(image, "posterize", bits)


def solarize(image: Any, threshold: float) -> Any:
    return _adjust(image, "solarize", threshold)


def autocontrast(image: Any) -> Any:
    return _adjust(image, "autocontrast")


def equalize(image: Any) -> Any:
    return _adjust(image, "equalize")


def invert(image: Any) -> Any:
    return _adjust(image, "invert")


def rgb_to_grayscale(image: Any, num_output_channels: int = 1) -> Any:
    transform = colors.Grayscale(num_output_channels)
    return _run(image, ("grayscale", num_output_channels), lambda picture: transform.apply(picture, None))


to_grayscale = rgb_to_grayscale


def gaussian_blur(image: Any, kernel_size: Any, sigma: Any = None) -> Any:
    """`kernel_size` and `sigma` are one number, or those along x and y; without `sigma` 0.3 * (k - 1) / 2 + 0.5."""
    size = checks.height_width("kernel_size", kernel_size)
    sigmas = [0.15 * length + 0.35 for length in size] if sigma is None else list(warps.number_pair("sigma", sigma))
    filters.GaussianBlur(size, sigmas[0])  # checks
    return _run(
        image, ("gaussian_blur", size), lambda picture, *numbers: filters.blurred(picture, size, numbers), *sigmas
    )


def normalize(image: Any, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> Any:
    transform = Normalize(mean, std)
    choice = ("normalize", tuple(transform.mean), tuple(transform.std))
    return _run(image, choice, lambda picture: transform.apply(picture, None))


def erase(image: Any, i: int, j: int, h: int, w: int, v: Any, inplace: bool = False) -> Any:
    """The box from row `i` and column `j`, of `h` rows and `w` columns, becomes `v`: a number, or one a channel."""
    values = checks.fill_values(v.ravel().tolist() if hasattr(v, "ravel") else v)

    def write(picture: Picture, *numbers: DataNode) -> Picture:
        image = picture.settled()
        box: dict[str, Any] = {"anchor": fn.stack(*numbers[:2]), "shape": fn.stack(*numbers[2:4]), "axis_names": "HW"}
        return image.with_pixels(fn.erase(image.pixels, **box, fill_value=fn.stack(*numbers[4:])))

    return _run(image, ("erase",), write, i, j, h, w, *values)


# --- between kinds -------------------------------------------------------------------------------------------------


def to_tensor(pic: Any) -> Any:
    return _run(pic, ("to_tensor",), lambda picture: ToTensor().apply(picture, None))


def pil_to_tensor(pic: Any) -> Any:
    return _run(pic, ("pil_to_tensor",), lambda picture: PILToTensor().apply(picture, None))


def to_image(pic: Any) -> Any:
    return _run(pic, ("to_image",), lambda picture: ToImage().apply(picture, None))


def to_pil_image(pic: Any, mode: str | None = None) -> Any:
    transform = ToPILImage(mode)
    return _run(pic, ("to_pil_image", mode), lambda picture: transform.apply(picture, None))


def to_dtype(image: Any, dtype: Any, scale: bool = False) -> Any:
    transform = ToDtype(dtype, scale)
    return _run(image, ("to_dtype", transform._name, scale), lambda picture: transform.apply(picture, None))


def convert_image_dtype(image: Any, dtype: Any = "float32") -> Any:
    transform = ConvertImageDtype(dtype)
    return _run(image, ("to_dtype", transform._name, True), lambda picture: transform.apply(picture, None))


# --- facts ---------------------------------------------------------------------------------------------------------


def get_dimensions(image: Any) -> list[int]:
    """Channels, height and width. Not of files."""
    kind, array = take(image)
    if kind.form is None:
        raise TypeError("a file has no dimensions before it is decoded; fn.peek_image_shape reads them from its header")
    shape = array.shape
    return list(shape) if kind.form == "tensor" else [shape[2], shape[0], shape[1]]


def get_size(image: Any) -> list[int]:
    """Height and width."""
    return get_dimensions(image)[1:]


def get_image_size(image: Any) -> list[int]:
    """Width and height."""
    return get_dimensions(image)[:0:-1]


__all__ = sorted(
    name for name, value in list(globals().items())
    if inspect.isfunction(value) and value.__module__ == __name__ and not name.startswith("_")
)
__getattr__ = refuse_unknown("forebay.transforms.functional", "function", __all__)
