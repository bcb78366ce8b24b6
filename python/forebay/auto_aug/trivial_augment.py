"""TrivialAugment Wide (https://arxiv.org/abs/2103.10158): each sample gets one operation, of any magnitude."""

from __future__ import annotations

from typing import Any, Sequence

from .. import fn, types
from ..enum_arguments import InterpTypeLike
from . import suites
from .core import signed_bin
from .core.arguments import refuse_unused
from .core.definition import Augmentation
from .core.seeds import seed_of

__all__ = ["apply_trivial_augment", "get_trivial_augment_wide_suite", "trivial_augment_wide"]


def trivial_augment_wide(
    data: Any,
    num_magnitude_bins: int = 31,
    shape: Any = None,
    fill_value: int | None = 128,
    interp_type: InterpTypeLike | None = None,
    max_translate_abs: Any = None,
    max_translate_rel: Any = None,
    seed: int | None = None,
    excluded: Sequence[str] | None = None,
) -> Any:
    """Applies one randomly chosen operation to each sample. The arguments are those of
    :func:`forebay.auto_aug.rand_augment.rand_augment`."""
    every = get_trivial_augment_wide_suite(shape is not None, max_translate_abs, max_translate_rel)
    chosen = suites.without(every, excluded, "TrivialAugmentWide")
    arguments = suites.common_arguments(fill_value, interp_type, shape)
    return apply_trivial_augment(chosen, data, num_magnitude_bins, seed, **arguments)


def apply_trivial_augment(
    augmentations: Sequence[Augmentation],
    data: Any,
    num_magnitude_bins: int = 31,
    seed: int | None = None,
    **kwargs: Any,
) -> Any:
    """:func:`trivial_augment_wide` with augmentations of your choice. `kwargs` go to those that take them."""
    bins = suites.checked_bins(num_magnitude_bins)
    if not augmentations:
        raise ValueError("apply_trivial_augment() needs at least one augmentation")
    refuse_unused(augmentations, kwargs, "apply_trivial_augment")
    magnitude: Any = fn.random.uniform(values=list(range(bins)), dtype=types.INT32, seed=seed_of("magnitude", seed))
    if any(augmentation.randomly_negate for augmentation in augmentations):
        magnitude = signed_bin(magnitude, seed=seed)
    index = fn.random.uniform(
        values=list(range(len(augmentations))), seed=seed_of("operation", seed), dtype=types.INT32
    )
    arguments = {"data": data, "magnitude_bin": magnitude, "num_magnitude_bins": bins, **kwargs}
    return suites.apply_one(
        augmentations, index, arguments, "apply_trivial_augment", "get_trivial_augment_wide_suite"
    )


def get_trivial_augment_wide_suite(
    use_shape: bool = False, max_translate_abs: Any = None, max_translate_rel: Any = None
) -> list[Augmentation]:
    """The augmentations of :func:`trivial_augment_wide`."""
    moves = suites.translations(use_shape, max_translate_abs, max_translate_rel, default_abs=32, default_rel=1.0)
    return moves + suites.warps_and_enhancements(0.99, 135, (0.01, 0.99), (8, 2))
