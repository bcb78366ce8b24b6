"""Transforms made of transforms, and of functions."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from .. import fn
from ..graph import branches
from ..graph.data_node import DataNode
from ..types import DALIDataType
from .checks import probability
from .draws import Draws
from .exchange import Kind, give, take
from .picture import Picture
from .transform import Pictures, Transform, apply_to

__all__ = ["Compose", "Lambda", "RandomApply", "RandomChoice", "RandomOrder"]


def _checked(owner: str, transforms: Any) -> list[Transform]:
    if isinstance(transforms, Transform) or not isinstance(transforms, Sequence):
        raise TypeError(f"{owner} takes a list of transforms, not {type(transforms).__name__}")
    for transform in transforms:
        if isinstance(transform, Transform):
            continue
        kind = type(transform).__name__
        is_torchvisions = "torchvision" in type(transform).__module__
        hint = f"take forebay.transforms.{kind}" if is_torchvisions else "put it into a Lambda"
        raise TypeError(f"{owner}: {kind} is no transform of forebay.transforms; {hint}")
    if not transforms:
        raise ValueError(f"{owner} needs at least one transform")
    return list(transforms)


class _Step:
    """One of several transforms; `again` tells apart those that are written more than once."""

    def __init__(self, transform: Transform, draws: Draws, number: int, again: int | None = None) -> None:
        part = f"{number}.{type(transform).__name__}"
        self._transform = transform
        self._draws = draws.at(part if again is None else f"{part}.{again}")

    def __call__(self, pictures: Pictures) -> Pictures:
        return self._transform.write(pictures, self._draws)


def _one_after_the_other(transforms: Sequence[Transform], pictures: Pictures, draws: Draws) -> Pictures:
    for number, transform in enumerate(transforms):
        pictures = _Step(transform, draws, number)(pictures)
    return pictures


class Compose(Transform):
    """Transforms one after the other. Call it with an image, as a data set's `transform` does, or give it to a
    :class:`Loader`: with the same seed, the same sample in the same epoch gets the same bits.

    :param seed: of all that is drawn; one is chosen when not given (:attr:`seed` tells it).
    """

    def __init__(self, transforms: Sequence[Transform], *, seed: int | None = None) -> None:
        self.transforms = _checked("Compose", transforms)
        if seed is not None and not 0 <= seed < 2**63:
            raise ValueError(f"seed={seed!r} must be at least 0 and below 2**63")
        self._seed = seed

    def write(self, pictures: Pictures, draws: Draws) -> Pictures:
        return _one_after_the_other(self.transforms, pictures, draws)

    def __repr__(self) -> str:
        lines = "".join(f"\n      {transform!r}" for transform in self.transforms)
        return f"{type(self).__name__}({lines}\n)"


def where(condition: DataNode, pictures: Pictures, work: Callable[[Pictures], Pictures]) -> Pictures:
    """`work` of the pictures of those samples for which the condition holds; the others stay as they are."""
    before = apply_to(pictures, lambda picture: picture.settled())
    made: list[tuple[Picture, ...]] = []

    def changed() -> list[Any]:
        made.append(tuple(picture.settled() for picture in _all(work(before))))
        kept = _all(before)
        for new, old in zip(made[0], kept):
            if (new.channels, new.is_float, new.form) != (old.channels, old.is_float, old.form):
                raise TypeError("what is applied at random must leave the type, channels and form of images")
        if len(made[0]) != len(kept):
            raise TypeError("a transform that is applied at random must leave the number of images")
        made[0] = tuple(new.in_layout(old.layout) for new, old in zip(made[0], kept))
        return [_parts(picture) for picture in made[0]]

    merged = branches.choose(condition, changed, lambda: [_parts(picture) for picture in _all(before)])
    results = [
        picture.with_pixels(node, height=height, width=width)
        for picture, (node, height, width) in zip(_all(before), merged)
    ]
    return tuple(results) if isinstance(pictures, tuple) else results[0]


def _all(pictures: Pictures) -> tuple[Picture, ...]:
    return pictures if isinstance(pictures, tuple) else (pictures,)


def _parts(picture: Picture) -> tuple[Any, ...]:
    return picture.pixels, picture.height, picture.width


class RandomApply(Transform):
    """All of the transforms, one after the other, with probability `p`; else none."""

    def __init__(self, transforms: Sequence[Transform], p: float = 0.5) -> None:
        self.transforms = _checked("RandomApply", transforms)
        self.p = probability(p)

    def write(self, pictures: Pictures, draws: Draws) -> Pictures:
        def all_of(given: Pictures) -> Pictures:
            return _one_after_the_other(self.transforms, given, draws)

        coin = draws.coin("applies", self.p)
        if isinstance(coin, int):
            return all_of(pictures) if coin else pictures
        return where(coin, pictures, all_of)


class RandomChoice(Transform):
    """One of the transforms, as likely as `p`, one weight for each, says."""

    def __init__(self, transforms: Sequence[Transform], p: Sequence[float] | None = None) -> None:
        self.transforms = _checked("RandomChoice", transforms)
        self.p = [1.0] * len(self.transforms) if p is None else [float(weight) for weight in p]
        if len(self.p) != len(self.transforms) or min(self.p) < 0 or sum(self.p) <= 0:
            raise ValueError(f"RandomChoice: p={p!r} must be a weight of 0 or more for each transform, and not all 0")

    def write(self, pictures: Pictures, draws: Draws) -> Pictures:
        chosen = draws.choice("choice", self.p)
        for number, transform in enumerate(self.transforms):
            pictures = where(chosen == number, pictures, _Step(transform, draws, number))
        return pictures


class RandomOrder(Transform):
    """All of the transforms, in random order."""

    def __init__(self, transforms: Sequence[Transform]) -> None:
        self.transforms = _checked("RandomOrder", transforms)

    def write(self, pictures: Pictures, draws: Draws) -> Pictures:
        keys = [draws.part(f"order{number}") for number in range(len(self.transforms))]
        places = [self._place(keys, number) for number in range(len(keys))]
        for turn in range(len(keys)):
            for number, transform in enumerate(self.transforms):
                pictures = where(places[number] == turn, pictures, _Step(transform, draws, number, turn))
        return pictures

    @staticmethod
    def _place(keys: Sequence[DataNode], number: int) -> Any:
        """How many of the keys are smaller; of equal ones the first counts."""
        place: Any = 0
        for other, key in enumerate(keys):
            if other != number:
                before = key < keys[number] if other > number else key <= keys[number]
                place = place + fn.cast(before, dtype=DALIDataType.INT32)
        return place if isinstance(place, DataNode) else fn.constant(idata=0, dtype=DALIDataType.INT32)


class _Call:
    """A function of users on the arrays of a graph."""

    def __init__(self, function: Callable[[Any], Any], picture: Picture) -> None:
        self._function = function
        self._kind = Kind(picture.form, picture.channels, picture.is_float)

    def __call__(self, array: np.ndarray) -> np.ndarray:
        assert self._kind.form is not None
        kind, result = take(self._function(give(self._kind.form, array)))
        if kind != self._kind:
            raise TypeError(f"a Lambda must leave what an image is; it got {self._kind} and gave {kind}")
        return np.ascontiguousarray(result)


class Lambda(Transform):
    """A function of one image, as a PIL image, array or tensor, whichever it is at that place; gives another of the
    same form, type and channels. In a :class:`Loader`, too, it is called in this process, one image at a time."""

    def __init__(self, lambd: Callable[[Any], Any]) -> None:
        if not callable(lambd):
            raise TypeError(f"Lambda takes a function, not {type(lambd).__name__}")
        self.lambd = lambd

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        image = picture.in_layout("CHW" if picture.form == "tensor" else "HWC")
        layout = image.layout
        node = fn.python_function(image.pixels, function=_Call(self.lambd, image), output_layouts=layout)
        assert isinstance(node, DataNode)
        shape = node.shape(dtype=DALIDataType.INT32)
        return image.with_pixels(node, height=shape[layout.index("H")], width=shape[layout.index("W")])
