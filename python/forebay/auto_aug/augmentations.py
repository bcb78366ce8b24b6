"""The operations that AutoAugment, RandAugment and TrivialAugment choose from, with the usual ranges of magnitudes.

Each takes the samples (uint8, HWC), `magnitude_bin` and `num_magnitude_bins`, and its own arguments by name. Other
ranges: ``shear_x.augmentation(mag_range=(0, 0.5))``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import fn, types
from .core import augmentation

__all__ = [
    "auto_contrast",
    "brightness",
    "color",
    "contrast",
    "equalize",
    "identity",
    "invert",
    "posterize",
    "rotate",
    "sharpness",
    "shear_x",
    "shear_y",
    "solarize",
    "solarize_add",
    "translate_x",
    "translate_x_no_shape",
    "translate_y",
    "translate_y_no_shape",
]

_LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)


def warp_x_param(magnitude: Any) -> list[Any]:
    """A magnitude along x: (x, y)."""
    return [magnitude, 0]


def warp_y_param(magnitude: Any) -> list[Any]:
    """A magnitude along y: (x, y)."""
    return [0, magnitude]


def _warp(data: Any, matrix: Any, fill_value: Any, interp_type: Any) -> Any:
    return fn.warp_affine(
        data, matrix=matrix, fill_value=fill_value, interp_type=interp_type, inverse_map=False
    )


def _shear(data: Any, shear: Any, fill_value: Any, interp_type: Any) -> Any:
    return _warp(data, fn.transforms.shear(shear=shear), fill_value, interp_type)


def _translate(data: Any, offset: Any, fill_value: Any, interp_type: Any) -> Any:
    return _warp(data, fn.transforms.translation(offset=offset), fill_value, interp_type)


@augmentation(mag_range=(0, 0.3), randomly_negate=True, mag_to_param=warp_x_param)
def shear_x(data: Any, shear: Any, fill_value: Any = 128, interp_type: Any = None) -> Any:
    return _shear(data, shear, fill_value, interp_type)


@augmentation(mag_range=(0, 0.3), randomly_negate=True, mag_to_param=warp_y_param)
def shear_y(data: Any, shear: Any, fill_value: Any = 128, interp_type: Any = None) -> Any:
    return _shear(data, shear, fill_value, interp_type)


@augmentation(mag_range=(0.0, 1.0), randomly_negate=True, mag_to_param=warp_x_param)
def translate_x(data: Any, rel_offset: Any, shape: Any, fill_value: Any = 128, interp_type: Any = None) -> Any:
    return _translate(data, rel_offset * shape[1], fill_value, interp_type)


@augmentation(mag_range=(0, 250), randomly_negate=True, mag_to_param=warp_x_param, name="translate_x")
def translate_x_no_shape(data: Any, offset: Any, fill_value: Any = 128, interp_type: Any = None) -> Any:
    return _translate(data, offset, fill_value, interp_type)


@augmentation(mag_range=(0.0, 1.0), randomly_negate=True, mag_to_param=warp_y_param)
def translate_y(data: Any, rel_offset: Any, shape: Any, fill_value: Any = 128, interp_type: Any = None) -> Any:
    return _translate(data, rel_offset * shape[0], fill_value, interp_type)


@augmentation(mag_range=(0, 250), randomly_negate=True, mag_to_param=warp_y_param, name="translate_y")
def translate_y_no_shape(data: Any, offset: Any, fill_value: Any = 128, interp_type: Any = None) -> Any:
    return _translate(data, offset, fill_value, interp_type)


@augmentation(mag_range=(0, 30), randomly_negate=True)
def rotate(
    data: Any, angle: Any, fill_value: Any = 128, interp_type: Any = None, rotate_keep_size: bool = True
) -> Any:
    return fn.rotate(
        data, angle=angle, fill_value=fill_value, interp_type=interp_type, keep_size=rotate_keep_size
    )


def shift_enhance_range(magnitude: Any) -> Any:
    """The factor of an enhancement, 1 for none."""
    return 1 + magnitude


@augmentation(mag_range=(0, 0.9), randomly_negate=True, mag_to_param=shift_enhance_range)
def brightness(data: Any, parameter: Any) -> Any:
    return fn.brightness(data, brightness=parameter)


@augmentation(mag_range=(0, 0.9), randomly_negate=True, mag_to_param=shift_enhance_range)
def contrast(data: Any, parameter: Any) -> Any:
    """Moves values away from the mean grey of the image, or towards it."""
    mean = fn.reductions.mean(data, axis_names="HW", keep_dims=True)
    center = fn.reductions.sum(mean * types.Constant(_LUMA), axis_names="C", keep_dims=True)
    return fn.cast_like(center + (data - center) * parameter, data)


@augmentation(mag_range=(0, 0.9), randomly_negate=True, mag_to_param=shift_enhance_range)
def color(data: Any, parameter: Any) -> Any:
    return fn.saturation(data, saturation=parameter)


def sharpness_kernel(magnitude: Any) -> Any:
    """The filter that adds `magnitude` times the difference to a smoothed image; 0 changes nothing."""
    smooth = np.ones((3, 3), dtype=np.float32)
    smooth[1, 1] = 5
    identity_kernel = np.zeros((3, 3), dtype=np.float32)
    identity_kernel[1, 1] = 1
    return -magnitude * (smooth / 13) + (1 + magnitude) * identity_kernel


def sharpness_kernel_shifted(magnitude: Any) -> Any:
    """As `sharpness_kernel`, where 1 changes nothing and 0 smoothes."""
    return sharpness_kernel(magnitude - 1)


@augmentation(mag_range=(0, 0.9), randomly_negate=True, mag_to_param=sharpness_kernel, param_device="auto")
def sharpness(data: Any, kernel: Any) -> Any:
    return fn.filter(data, kernel)  # type: ignore[attr-defined, unused-ignore]


def poster_mask_uint8(magnitude: Any) -> np.ndarray:
    """The mask that keeps the upper bits, at least one and at most eight."""
    kept = int(np.clip(np.round(magnitude), 1, 8))
    return np.array(256 - (1 << (8 - kept)), dtype=np.uint8)


@augmentation(mag_range=(0, 4), mag_to_param=poster_mask_uint8, param_device="auto")
def posterize(data: Any, mask: Any) -> Any:
    return data & mask


@augmentation(mag_range=(256, 0), param_device="auto")
def solarize(data: Any, threshold: Any) -> Any:
    """Inverts what is not below the threshold."""
    inverted = types.Constant(255, dtype=types.UINT8) - data
    is_kept = data < threshold
    return is_kept * data + (is_kept ^ True) * inverted


def solarize_add_shift(shift: Any) -> Any:
    """What is added, as uint8."""
    if shift >= 128:
        raise ValueError(f"solarize_add adds from 0 to 127, not {shift}: the sum must stay below 256")
    return np.uint8(shift)


@augmentation(mag_range=(0, 110), param_device="auto", mag_to_param=solarize_add_shift)
def solarize_add(data: Any, shift: Any) -> Any:
    """Adds to what is below 128."""
    is_dark = data < types.Constant(128, dtype=types.UINT8)
    return is_dark * (data + shift) + (is_dark ^ True) * data


@augmentation
def invert(data: Any, _: Any) -> Any:
    return types.Constant(255, dtype=types.UINT8) - data


@augmentation
def equalize(data: Any, _: Any) -> Any:
    return fn.equalize(data)


@augmentation
def auto_contrast(data: Any, _: Any) -> Any:
    """Stretches each channel to the range 0..255; a channel of one value stays as it is."""
    lowest = fn.reductions.min(data, axis_names="HW", keep_dims=True)
    range_ = fn.reductions.max(data, axis_names="HW", keep_dims=True) - lowest
    has_range = range_ > 0
    divisor = range_ * has_range + types.Constant(255, dtype=types.UINT8) * (has_range ^ True)
    return fn.cast_like((data - lowest * has_range) * (255 / divisor), data)


@augmentation
def identity(data: Any, _: Any) -> Any:
    return data
