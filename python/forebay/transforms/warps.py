"""Rotations, affine and perspective maps, elastic deformations."""

from __future__ import annotations

import builtins
import math as numbers
from typing import Any, Sequence

import numpy as np

from .. import fn, math
from ..types import DALIDataType, DALIInterpType
from .checks import fill_values, number_range, probability
from .draws import Draws
from .interpolation import InterpolationMode, warp_filter
from .picture import Picture
from .sizes import Size, vector, whole
from .transform import Transform

__all__ = [
    "ElasticTransform", "RandomAffine", "RandomPerspective", "RandomRotation", "affine_map", "affine_warped",
    "perspective_warped", "rotated",
]

_RADIANS = numbers.pi / 180.0


def _sin(angle: Any) -> Any:
    return numbers.sin(angle) if isinstance(angle, (int, float)) else math.sin(angle)


def _cos(angle: Any) -> Any:
    return numbers.cos(angle) if isinstance(angle, (int, float)) else math.cos(angle)


def _abs(value: Any) -> Any:
    return builtins.abs(value) if isinstance(value, (int, float)) else math.abs(value)


def _ceil(value: Any) -> Size:
    return -whole(-value)


def affine_map(
    center: Sequence[Any], angle: Any, translate: Sequence[Any], scale: Any, shear: Sequence[Any]
) -> list[Any]:
    """From output to input, two rows of three, of coordinates about the image's centre: torchvision's affine(). Angles
    in degrees, clockwise."""
    rotation, shear_x, shear_y = angle * _RADIANS, shear[0] * _RADIANS, shear[1] * _RADIANS
    by_y, tan_x = rotation - shear_y, _sin(shear_x) / _cos(shear_x)
    a = _cos(by_y) / _cos(shear_y)
    b = -1.0 * a * tan_x - _sin(rotation)
    c = _sin(by_y) / _cos(shear_y)
    d = -1.0 * c * tan_x + _cos(rotation)
    rows = [[d / scale, -1.0 * b / scale], [-1.0 * c / scale, a / scale]]
    shift = [center[axis] + translate[axis] for axis in (0, 1)]
    moved = [center[axis] - (rows[axis][0] * shift[0] + rows[axis][1] * shift[1]) for axis in (0, 1)]
    return [*rows[0], moved[0], *rows[1], moved[1]]


def _in_pixels(rows: Sequence[Any], picture: Picture, height: Size, width: Size) -> list[Any]:
    """A map of coordinates about the centres as one of pixels."""
    out = (width * 0.5, height * 0.5)
    own = (picture.width * 0.5, picture.height * 0.5)
    result: list[Any] = []
    for axis in (0, 1):
        x, y, shift = rows[3 * axis : 3 * axis + 3]
        result += [x, y, shift + own[axis] - (x * out[0] + y * out[1])]
    return result


def affine_warped(
    picture: Picture, rows: Sequence[Any], filter: DALIInterpType, fill: Sequence[float],
    size: Sequence[Size] | None = None,
) -> Picture:
    """Through a map as :func:`affine_map` gives it, onto a canvas of `size`, height and width, or its own."""
    height, width = size or (picture.height, picture.width)
    image = picture.in_layout("HWC")
    matrix = _in_pixels(rows, picture, height, width)
    is_plain = len(set(fill)) == 1
    values = matrix if is_plain else [*matrix, 0.0, 0.0, 1.0]
    arguments: dict[str, Any] = {"matrix": _numbers(values), "interp_type": filter}
    if size is not None:
        arguments["size"] = _numbers([height, width])
    if is_plain:
        node = fn.warp_affine(image.pixels, fill_value=fill[0], **arguments)
    else:
        node = fn.experimental.warp_perspective(image.pixels, fill_value=list(fill), **arguments)
    return image.with_pixels(node, height=height, width=width)


def _numbers(values: Sequence[Any]) -> Any:
    if all(isinstance(value, (int, float)) for value in values):
        return [float(value) for value in values]
    return vector(values, DALIDataType.FLOAT)


def _center(center: Sequence[float] | None, picture: Picture) -> list[Any]:
    """A centre in pixels about that of the image."""
    if center is None:
        return [0.0, 0.0]
    return [center[0] - picture.width * 0.5, center[1] - picture.height * 0.5]


def rotated(
    picture: Picture, angle: Any, filter: DALIInterpType, expand: bool, center: Sequence[float] | None,
    fill: Sequence[float],
) -> Picture:
    """By degrees counter-clockwise; with `expand` on a canvas that holds it."""
    if isinstance(angle, (int, float)) and center is None and angle % (90 if expand else 180) == 0:
        return _quarter_turned(picture, int(angle // 90) % 4)
    rows = affine_map(_center(center, picture), -1.0 * angle, [0.0, 0.0], 1.0, [0.0, 0.0])
    if not expand:
        return affine_warped(picture, rows, filter, fill)
    size = [_expanded(rows[3:], picture.height, picture), _expanded(rows[:3], picture.width, picture)]
    return affine_warped(picture, rows, filter, fill, size)


def _quarter_turned(picture: Picture, quarters: int) -> Picture:
    """Counter-clockwise, without sampling."""
    image = picture.in_layout("HWC")
    if quarters % 2 == 0:
        both = int(quarters == 2)
        return image.with_pixels(fn.flip(image.pixels, horizontal=both, vertical=both))
    turned = fn.transpose(image.pixels, perm=[1, 0, 2], transpose_layout=False, output_layout="HWC")
    node = fn.flip(turned, horizontal=int(quarters == 3), vertical=int(quarters == 1))
    return image.with_pixels(node, height=image.width, width=image.height)


def _expanded(row: Sequence[Any], extent: Size, picture: Picture) -> Size:
    """The canvas along the axis of `row`, as torchvision computes it: to a ten thousandth of a pixel."""
    reach = _abs(row[0]) * (picture.width * 0.5) + _abs(row[1]) * (picture.height * 0.5)
    middle = extent * 0.5 + row[2]
    return _ceil(middle + reach - 1e-4) - whole(middle - reach + 1e-4)


class RandomRotation(Transform):
    """Turns by random degrees, counter-clockwise.

    :param degrees: low and high, or one number for minus and plus.
    :param expand: whether the canvas grows to hold the image.
    :param center: x and y of what stays in place; the middle without it.
    :param fill: what comes in from outside; one number, or one for each channel.
    """

    def __init__(
        self,
        degrees: float | Sequence[float],
        interpolation: Any = InterpolationMode.NEAREST,
        expand: bool = False,
        center: Sequence[float] | None = None,
        fill: Any = 0,
    ) -> None:
        self.degrees = number_range("degrees", degrees, symmetric=True)
        self.interpolation = interpolation
        self.expand = expand
        self.center = center
        self.fill = fill
        self._filter = warp_filter(interpolation)
        self._fill = fill_values(fill)

    def draw(self, draws: Draws, picture: Picture) -> Any:
        return draws.uniform("angle", *self.degrees)

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        return rotated(picture, drawn, self._filter, self.expand, self.center, self._fill)


class RandomAffine(Transform):
    """Turns, moves, scales and shears at random.

    :param degrees: low and high, or one number for minus and plus; clockwise, as torchvision has it.
    :param translate: the largest moves along x and y, as parts of the width and height.
    :param scale: range of the factor.
    :param shear: degrees: one number, low and high along x, or those along x and along y.
    """

    def __init__(
        self,
        degrees: float | Sequence[float],
        translate: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        shear: Any = None,
        interpolation: Any = InterpolationMode.NEAREST,
        fill: Any = 0,
        center: Sequence[float] | None = None,
    ) -> None:
        self.degrees = number_range("degrees", degrees, symmetric=True)
        if translate is not None and not (len(translate) == 2 and all(0 <= part <= 1 for part in translate)):
            raise ValueError(f"translate={translate!r} must be two parts, 0 to 1, of the width and height")
        self.translate = translate
        self.scale = None if scale is None else number_range("scale", scale, least=0.0)
        if self.scale is not None and self.scale[0] == 0:
            raise ValueError(f"scale={scale!r} must be positive")
        self.shear = _shear(shear)
        self.interpolation = interpolation
        self.fill = fill
        self.center = center
        self._filter = warp_filter(interpolation)
        self._fill = fill_values(fill)

    def draw(self, draws: Draws, picture: Picture) -> Any:
        extents = {"translate_x": picture.width, "translate_y": picture.height}
        translate: list[Any] = [0.0, 0.0]
        if self.translate is not None:
            translate = [
                whole(draws.uniform(what, -part, part) * extent + 0.5) * 1.0
                for part, (what, extent) in zip(self.translate, extents.items())
            ]
        angle = draws.uniform("angle", *self.degrees)
        scale = 1.0 if self.scale is None else draws.uniform("scale", *self.scale)
        shear = [draws.uniform("shear_x", *self.shear[:2]), draws.uniform("shear_y", *self.shear[2:])]
        return angle, translate, scale, shear

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        rows = affine_map(_center(self.center, picture), *drawn)
        return affine_warped(picture, rows, self._filter, self._fill)


def _shear(shear: Any) -> list[float]:
    """Low and high along x, low and high along y."""
    if shear is None:
        return [0.0] * 4
    if isinstance(shear, Sequence) and len(shear) == 4:
        return [*number_range("shear", shear[:2]), *number_range("shear", shear[2:])]
    return [*number_range("shear", shear, symmetric=True), 0.0, 0.0]


def perspective_warped(
    picture: Picture, matrix: Sequence[Any], inverse_map: bool, filter: DALIInterpType, fill: Sequence[float]
) -> Picture:
    """Through three rows of three numbers, from output to input, or the other way if not `inverse_map`."""
    image = picture.in_layout("HWC")
    node = fn.experimental.warp_perspective(
        image.pixels, matrix=_numbers(matrix), inverse_map=inverse_map, interp_type=filter, fill_value=list(fill)
    )
    return image.with_pixels(node)


def _square_to(corners: Sequence[Sequence[Any]]) -> list[Any]:
    """The map of the unit square to a quadrilateral, whose corners go around (Heckbert, "Fundamentals of texture
    mapping and image warping", 1989)."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    sum_x, sum_y = x0 - x1 + x2 - x3, y0 - y1 + y2 - y3
    dx1, dx2, dy1, dy2 = x1 - x2, x3 - x2, y1 - y2, y3 - y2
    determinant = dx1 * dy2 - dx2 * dy1
    g = (sum_x * dy2 - sum_y * dx2) / determinant
    h = (dx1 * sum_y - dy1 * sum_x) / determinant
    return [x1 - x0 + g * x1, x3 - x0 + h * x3, x0, y1 - y0 + g * y1, y3 - y0 + h * y3, y0, g, h, 1.0]


class RandomPerspective(Transform):
    """Moves the corners inwards at random, with probability `p`.

    :param distortion_scale: how far at most, as a part of half the extents.
    """

    def __init__(
        self,
        distortion_scale: float = 0.5,
        p: float = 0.5,
        interpolation: Any = InterpolationMode.BILINEAR,
        fill: Any = 0,
    ) -> None:
        self.distortion_scale = probability(distortion_scale)
        self.p = probability(p)
        self.interpolation = interpolation
        self.fill = fill
        self._filter = warp_filter(interpolation)
        self._fill = fill_values(fill)

    def draw(self, draws: Draws, picture: Picture) -> Any:
        """The corners, in the order of the image's: around, from the top left."""
        coin = draws.coin("applies", self.p)
        right, bottom = picture.width - 1, picture.height - 1
        most_x = whole(picture.width // 2 * self.distortion_scale) + 1
        most_y = whole(picture.height // 2 * self.distortion_scale) + 1
        moves = [(draws.below(f"x{i}", most_x) * coin, draws.below(f"y{i}", most_y) * coin) for i in range(4)]
        corners = [
            moves[0], (right - moves[1][0], moves[1][1]), (right - moves[2][0], bottom - moves[2][1]),
            (moves[3][0], bottom - moves[3][1]),
        ]
        return [(x * 1.0, y * 1.0) for x, y in corners]

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        matrix = _square_to(drawn)
        right, bottom = picture.width - 1, picture.height - 1
        scaled = [value / (right, bottom)[i % 3] if i % 3 < 2 else value for i, value in enumerate(matrix)]
        return perspective_warped(picture, scaled, False, self._filter, self._fill)


def _ramps(shape: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The coordinates x and y of each pixel's middle."""
    height, width = (int(extent) for extent in shape)
    x = np.broadcast_to(np.arange(width, dtype=np.float32) + 0.5, (height, width))
    y = np.broadcast_to(np.arange(height, dtype=np.float32)[:, None] + 0.5, (height, width))
    return np.ascontiguousarray(x), np.ascontiguousarray(y)


class ElasticTransform(Transform):
    """Moves each pixel by smooth random distances.

    :param alpha: how far: one number, or those along x and y.
    :param sigma: how smooth: one number, or those along y and x.
    """

    def __init__(
        self, alpha: Any = 50.0, sigma: Any = 5.0, interpolation: Any = InterpolationMode.BILINEAR, fill: Any = 0
    ) -> None:
        self.alpha = number_pair("alpha", alpha)
        self.sigma = number_pair("sigma", sigma)
        self.interpolation = interpolation
        self.fill = fill
        self._filter = warp_filter(interpolation)
        if fill_values(fill) != [0.0]:
            raise ValueError(f"ElasticTransform: fill={fill!r} is not offered; what comes in from outside is 0")

    def draw(self, draws: Draws, picture: Picture) -> Any:
        shape = vector([picture.height, picture.width], DALIDataType.INT32)
        moves = []
        for axis, what in enumerate(("x", "y")):
            noise = draws.parts(what, shape) * 2.0 - 1.0
            if self.sigma[axis] > 0:
                window = int(8 * self.sigma[axis] + 1) | 1
                noise = fn.gaussian_blur(noise, window_size=[window, window], sigma=list(self.sigma[::-1]))
            moves.append(noise * (self.alpha[axis] * 0.5))
        return shape, moves

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        shape, (move_x, move_y) = drawn
        image = picture.in_layout("HWC")
        ramps: Any = fn.python_function(shape, function=_ramps, num_outputs=2)
        x, y = ramps
        node = fn.experimental.remap(image.pixels, x + move_x, y + move_y, interp=self._filter)
        return image.with_pixels(node)


def number_pair(name: str, value: Any) -> tuple[float, float]:
    """One number twice, or two."""
    parts = list(value) if isinstance(value, Sequence) else [value]
    if len(parts) not in (1, 2) or not all(isinstance(part, (int, float)) for part in parts):
        raise ValueError(f"{name}={value!r} must be one or two numbers")
    return float(parts[0]), float(parts[-1])
