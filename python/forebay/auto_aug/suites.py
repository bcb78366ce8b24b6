"""What the suites share: translations by their settings, arguments of all augmentations, names left out."""

from __future__ import annotations

from typing import Any, Sequence

from . import augmentations as a
from .core import select
from .core.arguments import MissingArgException
from .core.definition import Augmentation


def _for_both_axes(extent: Any) -> tuple[Any, Any]:
    """(height, width) of one number, or of both."""
    if isinstance(extent, (tuple, list)):
        height, width = extent
        return height, width
    return extent, extent


def translations(
    use_shape: bool, max_translate_abs: Any, max_translate_rel: Any, *, default_abs: float, default_rel: float
) -> list[Augmentation]:
    """translate_x and translate_y: by parts of the image with `use_shape`, else by pixels."""
    if not isinstance(use_shape, bool):
        raise TypeError(f"`use_shape` must be True or False, not {use_shape!r}")
    if use_shape:
        if max_translate_abs is not None:
            raise ValueError("`max_translate_abs` cannot be used with image shapes; use `max_translate_rel`")
        height, width = _for_both_axes(default_rel if max_translate_rel is None else max_translate_rel)
        return [a.translate_x.augmentation((0, width), True), a.translate_y.augmentation((0, height), True)]
    if max_translate_rel is not None:
        raise ValueError("`max_translate_rel` needs image shapes; use `max_translate_abs`, or give `shape`")
    height, width = _for_both_axes(default_abs if max_translate_abs is None else max_translate_abs)
    return [
        a.translate_x_no_shape.augmentation((0, width), True),
        a.translate_y_no_shape.augmentation((0, height), True),
    ]


def warps_and_enhancements(
    shear: float, angle: float, enhancement: tuple[float, float], posterization: tuple[int, int]
) -> list[Augmentation]:
    """The suite of RandAugment and TrivialAugment but for translations, stronger with the bin: enhancements go either
    way from 1."""
    return [
        a.shear_x.augmentation((0, shear), True),
        a.shear_y.augmentation((0, shear), True),
        a.rotate.augmentation((0, angle), True),
        a.brightness.augmentation(enhancement, True, a.shift_enhance_range),
        a.contrast.augmentation(enhancement, True, a.shift_enhance_range),
        a.color.augmentation(enhancement, True, a.shift_enhance_range),
        a.sharpness.augmentation(enhancement, True, a.sharpness_kernel),
        a.posterize.augmentation(posterization, False, a.poster_mask_uint8),
        a.solarize.augmentation((256, 0)),
        a.equalize,
        a.auto_contrast,
        a.identity,
    ]


def common_arguments(fill_value: Any, interp_type: Any, shape: Any) -> dict[str, Any]:
    """The arguments that all augmentations of a suite are offered."""
    arguments = {"fill_value": fill_value, "interp_type": interp_type}
    return arguments if shape is None else {**arguments, "shape": shape}


def without(suite: Sequence[Augmentation], excluded: Sequence[str] | None, title: str) -> list[Augmentation]:
    """The augmentations whose names are not excluded."""
    names = [augmentation.name for augmentation in suite]
    for name in excluded or ():
        if name not in names:
            raise ValueError(f"`excluded` names `{name}`; the suite of {title} has {', '.join(names)}")
    return [augmentation for augmentation in suite if augmentation.name not in (excluded or ())]


def checked_bins(num_magnitude_bins: Any) -> int:
    if not isinstance(num_magnitude_bins, int) or num_magnitude_bins < 1:
        raise ValueError(f"`num_magnitude_bins` must be a positive integer, not {num_magnitude_bins!r}")
    return num_magnitude_bins


def apply_one(
    augmentations: Sequence[Augmentation], index: Any, arguments: dict[str, Any], caller: str, suite: str
) -> Any:
    """select(), with advice where a translation lacks the image's shape."""
    try:
        return select(augmentations, index, **arguments)
    except MissingArgException as error:
        by_shape = (a.translate_x.op, a.translate_y.op)
        if error.missing_args != ["shape"] or error.augmentation.op not in by_shape:
            raise
        message = (
            f"`{error.augmentation.name}` moves by parts of the image and needs `shape` (HWC): give it to `{caller}`, "
            "for encoded images from fn.peek_image_shape; or use the augmentations that move by pixels: "
            f"{suite}(use_shape=False)"
        )
        raise MissingArgException(message, error.augmentation, error.missing_args) from error
