"""Transform: what all transforms are. One definition serves images one by one and whole loaders: how its parameters are
drawn, and which operators it is made of."""

from __future__ import annotations

import inspect
import secrets
from typing import Any, Union

from .draws import Draws
from .one_by_one import run_one
from .picture import Picture

__all__ = ["Pictures", "Transform", "apply_to"]

Pictures = Union[Picture, tuple[Picture, ...]]
"""One picture, or the several of FiveCrop and TenCrop."""


class _OnHost(type):
    """Takes `device`, as DALI's transforms do, of all classes."""

    def __call__(cls, *arguments: Any, device: str = "cpu", **named: Any) -> Any:
        if device != "cpu":
            raise NotImplementedError(f"{cls.__name__}: device={device!r} is not offered; transforms run on the CPU")
        return super().__call__(*arguments, **named)


class Transform(metaclass=_OnHost):
    """A transform of images. Call it with an image, or put it into a :class:`Compose`.

    A transform of your own has `draw` and `apply`, which write a graph: they run once for many images.
    """

    _seed: int | None = None

    def draw(self, draws: Draws, picture: Picture) -> Any:
        """The random parameters, for all pictures of one sample."""
        return None

    def apply(self, picture: Picture, drawn: Any) -> Pictures:
        """What it makes of one picture."""
        raise NotImplementedError(f"{type(self).__name__} has no apply()")

    def write(self, pictures: Pictures, draws: Draws) -> Pictures:
        """Adds the transform to the graph."""
        first = pictures[0] if isinstance(pictures, tuple) else pictures
        drawn = self.draw(draws, first)
        return apply_to(pictures, lambda picture: self.apply(picture, drawn))

    def __call__(self, image: Any, *, index: int | None = None, epoch: int | None = None) -> Any:
        """The image transformed.

        :param image: a PIL image, an array HWC or HW, a tensor CHW, or the bytes of an encoded image.
        :param index: which sample it is: decides, with the seed and `epoch`, what is drawn. Without it the images count
            in the order of the calls, and each worker of each epoch of a torch DataLoader draws other numbers.
        """
        return run_one(self, self.seed, image, index, epoch)

    @property
    def seed(self) -> int:
        """Of all that is drawn; chosen when it was not given."""
        if self._seed is None:
            self._seed = secrets.randbits(31)
        return self._seed

    def __getstate__(self) -> dict[str, Any]:
        """Without what belongs to this process."""
        return {key: value for key, value in self.__dict__.items() if not key.startswith("_of_process")}

    def __repr__(self) -> str:
        names = [name for name in inspect.signature(type(self).__init__).parameters if name != "self"]
        shown = [f"{name}={self.__dict__[name]!r}" for name in names if name in self.__dict__]
        return f"{type(self).__name__}({', '.join(shown)})"


def apply_to(pictures: Pictures, work: Any) -> Pictures:
    """`work` of one picture, or of each of several."""
    if isinstance(pictures, tuple):
        return tuple(work(picture) for picture in pictures)
    result: Pictures = work(pictures)
    return result
