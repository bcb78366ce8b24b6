"""Policy: which augmentations AutoAugment applies, how likely and how strongly."""

from __future__ import annotations

import warnings
from typing import Any, Sequence

from .definition import Augmentation

Step = tuple[Augmentation, float, "int | None"]


class Policy:
    """A policy of AutoAugment (https://arxiv.org/abs/1805.09501).

    :param name: for messages.
    :param num_magnitude_bins: how many magnitudes each range is cut into.
    :param sub_policies: sequences of (augmentation, probability, magnitude bin). Each sample gets one of the sequences,
        chosen evenly, and of that each augmentation with its probability.
    """

    def __init__(self, name: str, num_magnitude_bins: int, sub_policies: Sequence[Sequence[Step]]) -> None:
        if not isinstance(num_magnitude_bins, int) or num_magnitude_bins < 1:
            raise ValueError(f"`num_magnitude_bins` must be a positive integer, not {num_magnitude_bins!r}")
        if not isinstance(sub_policies, (list, tuple)):
            raise TypeError(f"`sub_policies` must be a list or a tuple, not {type(sub_policies).__name__}")
        self.name = name
        self.num_magnitude_bins = num_magnitude_bins
        for sub_policy in sub_policies:
            if not isinstance(sub_policy, (list, tuple)):
                raise TypeError(f"a sub-policy must be a list or a tuple, not {sub_policy!r}")
            for step in sub_policy:
                self._check(step)
        self.sub_policies = _with_different_names(sub_policies)

    def _check(self, step: Any) -> None:
        if not isinstance(step, (list, tuple)) or len(step) != 3:
            raise TypeError(f"a step of a sub-policy is (augmentation, probability, magnitude), not {step!r}")
        augmentation, probability, magnitude = step
        if not isinstance(augmentation, Augmentation):
            raise TypeError(f"a step has {augmentation!r} in place of an augmentation: is it decorated?")
        where = f"`{augmentation.name}` in the policy `{self.name}`"
        if not isinstance(probability, (float, int)) or not 0 <= probability <= 1:
            raise ValueError(f"the probability of {where} must be a number from 0 to 1, not {probability!r}")
        if probability == 0:
            warnings.warn(f"{where} has probability 0", stacklevel=4)
        if magnitude is None:
            if augmentation.mag_range is not None:
                raise ValueError(f"{where} has a `mag_range` and needs a magnitude bin, not None")
            return
        if augmentation.mag_range is None:
            warnings.warn(f"{where} has no `mag_range`: its magnitude {magnitude!r} is ignored", stacklevel=4)
        if not isinstance(magnitude, int) or not 0 <= magnitude < self.num_magnitude_bins:
            most = self.num_magnitude_bins - 1
            raise ValueError(f"the magnitude of {where} must be an integer from 0 to {most}, not {magnitude!r}")

    @property
    def augmentations(self) -> dict[str, Augmentation]:
        """All augmentations, by name."""
        every = {step[0] for sub_policy in self.sub_policies for step in sub_policy}
        return {augmentation.name: augmentation for augmentation in sorted(every, key=lambda each: each.name)}

    def __repr__(self) -> str:
        steps = [[(step[0].name, *step[1:]) for step in sub_policy] for sub_policy in self.sub_policies]
        lines = [f"Policy(name={self.name!r}, num_magnitude_bins={self.num_magnitude_bins}, sub_policies=["]
        lines += [f"    {sub_policy}," for sub_policy in steps]
        lines += ["], augmentations={"]
        lines += [f"    {name!r}: {augmentation!r}," for name, augmentation in self.augmentations.items()]
        return "\n".join([*lines, "})"])


def _with_different_names(sub_policies: Sequence[Sequence[Step]]) -> tuple[tuple[Step, ...], ...]:
    """The sub-policies; where two augmentations share a name, all get a number in front of theirs."""
    every = list(dict.fromkeys(step[0] for sub_policy in sub_policies for step in sub_policy))
    renamed = {augmentation: augmentation for augmentation in every}
    if len({augmentation.name for augmentation in every}) < len(every):
        digits = len(str(len(every) - 1))
        for number, augmentation in enumerate(every):
            renamed[augmentation] = augmentation.augmentation(name=f"{number:0{digits}}__{augmentation.name}")
    return tuple(tuple((renamed[step[0]], *step[1:]) for step in sub_policy) for sub_policy in sub_policies)
