"""RandAugment (https://arxiv.org/abs/1909.13719): each sample gets `n` of the operations, all of one magnitude."""

from __future__ import annotations

import warnings
from typing import Any, Sequence

from .. import fn, types
from ..enum_arguments import InterpTypeLike
from . import augmentations as a, suites
from .core import signed_bin
from .core.arguments import refuse_unused
from .core.definition import Augmentation
from .core.seeds import seed_of

__all__ = [
    "apply_rand_augment",
    "get_rand_augment_non_monotonic_suite",
    "get_rand_augment_suite",
    "rand_augment",
]

_DEFAULTS = {"default_abs": 100, "default_rel": 100 / 224}


def rand_augment(
    data: Any,
    n: int,
    m: int,
    num_magnitude_bins: int = 31,
    shape: Any = None,
    fill_value: int | None = 128,
    interp_type: InterpTypeLike | None = None,
    max_translate_abs: Any = None,
    max_translate_rel: Any = None,
    seed: int | None = None,
    monotonic_mag: bool = True,
    excluded: Sequence[str] | None = None,
) -> Any:
    """Applies `n` randomly chosen operations to each sample.

    :param data: the samples, uint8, HWC.
    :param n: how many operations a sample gets.
    :param m: the bin of their magnitudes, from 0 to `num_magnitude_bins` - 1.
    :param num_magnitude_bins: how many magnitudes each range is cut into.
    :param shape: height and width of each sample; with it translations are relative.
    :param fill_value: of pixels from outside of the image.
    :param interp_type: of warping and rotating.
    :param max_translate_abs: the largest translation in pixels, or (height, width); without `shape`.
    :param max_translate_rel: the largest translation as a part of the image; with `shape`.
    :param seed: of the random choices.
    :param monotonic_mag: whether a higher bin is always a stronger change, of random direction; else the range of
        enhancements goes from one end to the other.
    :param excluded: names of augmentations to leave out.
    """
    suite = get_rand_augment_suite if monotonic_mag else get_rand_augment_non_monotonic_suite
    every = suite(shape is not None, max_translate_abs, max_translate_rel)
    chosen = suites.without(every, excluded, "RandAugment")
    arguments = suites.common_arguments(fill_value, interp_type, shape)
    return apply_rand_augment(chosen, data, n, m, num_magnitude_bins, seed, **arguments)


def apply_rand_augment(
    augmentations: Sequence[Augmentation],
    data: Any,
    n: int,
    m: int,
    num_magnitude_bins: int = 31,
    seed: int | None = None,
    **kwargs: Any,
) -> Any:
    """:func:`rand_augment` with augmentations of your choice. `kwargs` go to those that take them."""
    if not isinstance(n, int) or n < 0:
        raise ValueError(f"`n`, the number of operations, must be an integer of at least 0, not {n!r}")
    bins = suites.checked_bins(num_magnitude_bins)
    if not isinstance(m, int) or not 0 <= m < bins:
        raise ValueError(f"the magnitude bin `m` must be an integer from 0 to {bins - 1}, not {m!r}")
    if n == 0:
        warnings.warn("n=0: no augmentation is applied", stacklevel=2)
        return data
    if not augmentations:
        raise ValueError("apply_rand_augment() needs at least one augmentation")
    refuse_unused(augmentations, kwargs, "apply_rand_augment")
    stages = () if n == 1 else (n,)
    index = fn.random.uniform(
        values=list(range(len(augmentations))), seed=seed_of("operation", seed), shape=stages, dtype=types.INT32
    )
    has_signs = any(augmentation.randomly_negate for augmentation in augmentations)
    magnitude: Any = signed_bin(m, seed=seed, shape=stages) if has_signs else m
    for stage in range(n):
        arguments = {
            "data": data,
            "magnitude_bin": magnitude[stage] if has_signs and n > 1 else magnitude,
            "num_magnitude_bins": bins,
            **kwargs,
        }
        which = index if n == 1 else index[stage]
        data = suites.apply_one(augmentations, which, arguments, "apply_rand_augment", "get_rand_augment_suite")
    return data


def get_rand_augment_suite(
    use_shape: bool = False, max_translate_abs: Any = None, max_translate_rel: Any = None
) -> list[Augmentation]:
    """The augmentations of :func:`rand_augment`, where a higher bin is always a stronger change."""
    moves = suites.translations(use_shape, max_translate_abs, max_translate_rel, **_DEFAULTS)
    return moves + suites.warps_and_enhancements(0.3, 30, (0, 0.9), (8, 4))


def get_rand_augment_non_monotonic_suite(
    use_shape: bool = False, max_translate_abs: Any = None, max_translate_rel: Any = None
) -> list[Augmentation]:
    """The augmentations of :func:`rand_augment` with the ranges of AutoAugment."""
    moves = suites.translations(use_shape, max_translate_abs, max_translate_rel, **_DEFAULTS)
    return moves + [
        a.shear_x.augmentation((0, 0.3), True),
        a.shear_y.augmentation((0, 0.3), True),
        a.rotate.augmentation((0, 30), True),
        a.brightness.augmentation((0.1, 1.9), False, None),
        a.contrast.augmentation((0.1, 1.9), False, None),
        a.color.augmentation((0.1, 1.9), False, None),
        a.sharpness.augmentation((0.1, 1.9), False, a.sharpness_kernel_shifted),
        a.posterize.augmentation((0, 4), False, a.poster_mask_uint8),
        a.solarize.augmentation((0, 256), False, None),
        a.equalize,
        a.auto_contrast,
        a.identity,
    ]
