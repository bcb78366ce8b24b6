"""AutoAugment (https://arxiv.org/abs/1805.09501): each sample gets one of a policy's sequences of operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import fn, types
from ..enum_arguments import InterpTypeLike
from ..graph import branches
from . import augmentations as a, suites
from .core import Policy, signed_bin
from .core.arguments import refuse_unused
from .core.definition import Augmentation
from .core.seeds import seed_of
from .policies import (
    get_image_net_policy,
    get_reduced_cifar10_policy,
    get_reduced_image_net_policy,
    get_svhn_policy,
)

__all__ = [
    "apply_auto_augment",
    "auto_augment",
    "auto_augment_image_net",
    "get_image_net_policy",
    "get_reduced_cifar10_policy",
    "get_reduced_image_net_policy",
    "get_svhn_policy",
]

_TRANSLATING = {
    "image_net": get_image_net_policy,
    "reduced_cifar10": get_reduced_cifar10_policy,
    "svhn": get_svhn_policy,
}
_NAMES = ("image_net", "reduced_image_net", "svhn", "reduced_cifar10")


def auto_augment(
    data: Any,
    policy_name: str = "image_net",
    shape: Any = None,
    fill_value: int | None = 128,
    interp_type: InterpTypeLike | None = None,
    max_translate_abs: Any = None,
    max_translate_rel: Any = None,
    seed: int | None = None,
) -> Any:
    """Applies a policy that was found by search.

    :param data: the samples, uint8, HWC.
    :param policy_name: "image_net", "reduced_image_net", "svhn" or "reduced_cifar10".
    :param shape: height and width of each sample; with it translations are relative.
    :param fill_value: of pixels from outside of the image.
    :param interp_type: of warping and rotating.
    :param max_translate_abs: the largest translation in pixels, or (height, width); without `shape`.
    :param max_translate_rel: the largest translation as a part of the image; with `shape`.
    :param seed: of the random choices.
    """
    if policy_name not in _NAMES:
        raise ValueError(f"policy_name={policy_name!r} must be one of {', '.join(map(repr, _NAMES))}")
    if policy_name in _TRANSLATING:
        policy = _TRANSLATING[policy_name](shape is not None, max_translate_abs, max_translate_rel)
    else:
        given = {"shape": shape, "max_translate_abs": max_translate_abs, "max_translate_rel": max_translate_rel}
        for name, value in given.items():
            if value is not None:
                raise ValueError(f"the policy '{policy_name}' moves nothing: leave out `{name}`")
        policy = get_reduced_image_net_policy()
    return apply_auto_augment(policy, data, seed, **suites.common_arguments(fill_value, interp_type, shape))


def auto_augment_image_net(
    data: Any,
    shape: Any = None,
    fill_value: int | None = 128,
    interp_type: InterpTypeLike | None = None,
    max_translate_abs: Any = None,
    max_translate_rel: Any = None,
    seed: int | None = None,
) -> Any:
    """:func:`auto_augment` with the policy "image_net"."""
    return auto_augment(
        data, "image_net", shape, fill_value, interp_type, max_translate_abs, max_translate_rel, seed
    )


class _Tables:
    """A policy as arrays: by sub-policy and stage, the probability, the magnitude bin, and which of the stage's
    augmentations it is. Where a sub-policy has no such stage, it is `identity`, with probability 0."""

    def __init__(self, policy: Policy) -> None:
        self.stages = max(len(sub_policy) for sub_policy in policy.sub_policies)
        shape = (len(policy.sub_policies), self.stages)
        self.probabilities = np.zeros(shape, np.float32)
        self.magnitude_bins = np.zeros(shape, np.int32)
        self.choices = np.zeros(shape, np.int32)
        self.augmentations = [self._stage(policy, stage) for stage in range(self.stages)]

    def _stage(self, policy: Policy, stage: int) -> list[Augmentation]:
        longer = [sub_policy[stage][0] for sub_policy in policy.sub_policies if stage < len(sub_policy)]
        different = list(dict.fromkeys(longer))
        self.choices[:, stage] = len(different)
        for number, sub_policy in enumerate(policy.sub_policies):
            if stage < len(sub_policy):
                augmentation, probability, magnitude = sub_policy[stage]
                self.probabilities[number, stage] = probability
                self.magnitude_bins[number, stage] = magnitude or 0
                self.choices[number, stage] = different.index(augmentation)
        return [*different, a.identity]


def apply_auto_augment(policy: Policy, data: Any, seed: int | None = None, **kwargs: Any) -> Any:
    """:func:`auto_augment` with a policy of your own. `kwargs` go to the augmentations that take them."""
    if not any(policy.sub_policies):
        raise ValueError(f"the policy `{policy.name}` is empty")
    augmentations = policy.augmentations.values()
    refuse_unused(augmentations, kwargs, "apply_auto_augment")
    tables = _Tables(policy)
    stages = (tables.stages,)
    chance = fn.random.uniform(range=[0.0, 1.0], shape=stages, dtype=types.FLOAT, seed=seed_of("chance", seed))
    number = fn.random.uniform(
        values=list(range(len(policy.sub_policies))), seed=seed_of("sub-policy", seed), dtype=types.INT32
    )
    probabilities = types.Constant(tables.probabilities)[number]
    magnitudes: Any = types.Constant(tables.magnitude_bins)[number]
    choices = types.Constant(tables.choices)[number]
    if any(augmentation.randomly_negate for augmentation in augmentations):
        magnitudes = signed_bin(magnitudes, seed=seed, shape=stages)
    for stage in range(tables.stages):
        data = _apply_stage(
            data, chance[stage] < probabilities[stage], tables.augmentations[stage], choices[stage],
            {"magnitude_bin": magnitudes[stage], "num_magnitude_bins": policy.num_magnitude_bins, **kwargs},
        )
    return data


def _apply_stage(data: Any, condition: Any, augmentations: Any, choice: Any, arguments: dict[str, Any]) -> Any:
    def augmented() -> Any:
        offered = {"data": data, **arguments}
        return suites.apply_one(augmentations, choice, offered, "apply_auto_augment", "get_image_net_policy")

    return branches.choose(condition, augmented, lambda: data)
