"""MixUp and CutMix: transforms of batches of torch tensors."""

from __future__ import annotations

import itertools
import math
import os
from typing import Any

from .. import fn
from ..framework_modules import import_framework
from ..graph.server import Server
from ..pipeline import Pipeline
from .transform import Transform

__all__ = ["CutMix", "MixUp"]


class _OfBatches(Transform):
    """What both share: a weight of a beta distribution and two numbers in [0, 1), drawn for each batch."""

    def __init__(self, *, alpha: float = 1.0, num_classes: int | None = None, seed: int | None = None) -> None:
        if not alpha > 0:
            raise ValueError(f"alpha={alpha!r} must be positive")
        self.alpha = float(alpha)
        self.num_classes = num_classes
        self._seed = seed

    def __call__(  # type: ignore[override]
        self, images: Any, labels: Any, *, index: int | None = None, epoch: int | None = None
    ) -> tuple[Any, Any]:
        """The batch, mixed with itself by one place on.

        :param images: a tensor NCHW of floats.
        :param labels: a tensor of `num_classes` classes, or NK with a part for each class.
        :param index: which batch it is, as of :meth:`Transform.__call__`.
        """
        torch = import_framework("torch")
        if images.ndim != 4 or len(labels) != len(images):
            raise ValueError(f"{type(self).__name__} takes a batch, images NCHW and as many labels")
        if labels.ndim == 1:
            if self.num_classes is None:
                raise ValueError(f"{type(self).__name__}: classes need num_classes")
            labels = torch.nn.functional.one_hot(labels, self.num_classes)
        elif labels.ndim != 2:
            raise ValueError(f"{type(self).__name__}: labels of the shape {tuple(labels.shape)} are neither N nor NK")
        mixed, weight = self._mixed(images, *self._drawn(index, epoch or 0))
        labels = labels.to(images.dtype if images.dtype.is_floating_point else torch.float32)
        return mixed, labels.roll(1, 0).mul(1.0 - weight).add(labels.mul(weight))

    def _mixed(self, images: Any, weight: float, x: float, y: float) -> tuple[Any, float]:
        raise NotImplementedError

    def _drawn(self, index: int | None, epoch: int) -> tuple[float, float, float]:
        kept = self.__dict__.get("_of_process")
        if kept is None or kept[0] != os.getpid():
            kept = self.__dict__["_of_process"] = (os.getpid(), itertools.count(), self._server())
        key = next(kept[1]) if index is None else index
        weight, place = kept[2].submit(key=key, epoch=epoch).result()
        x, y = place.as_array()
        return float(weight.as_array()), float(x), float(y)

    def _server(self) -> Server:
        pipeline = Pipeline(batch_size=1, num_threads=1, seed=self.seed)
        with pipeline:
            name = f"transforms.{type(self).__name__}"
            weight = fn.random.beta(alpha=self.alpha, beta=self.alpha, name=f"{name}.weight")
            place = fn.random.uniform(range=[0.0, 1.0], shape=[2], name=f"{name}.place")
            pipeline.set_outputs(weight, place)
        return pipeline.serve()


class MixUp(_OfBatches):
    """Each image mixed with the one before it (Zhang et al., "mixup: beyond empirical risk minimization", ICLR
    2018)."""

    def _mixed(self, images: Any, weight: float, x: float, y: float) -> tuple[Any, float]:
        if not images.dtype.is_floating_point:
            raise TypeError("MixUp takes floats: end the transforms of the images with ToTensor()")
        return images.roll(1, 0).mul_(1.0 - weight).add_(images.mul(weight)), weight


class CutMix(_OfBatches):
    """Each image with a rectangle of the one before it (Yun et al., "CutMix: regularization strategy to train strong
    classifiers with localizable features", ICCV 2019)."""

    def _mixed(self, images: Any, weight: float, x: float, y: float) -> tuple[Any, float]:
        height, width = images.shape[-2:]
        part = 0.5 * math.sqrt(1.0 - weight)
        left, right = _around(int(x * width), int(part * width), width)
        top, bottom = _around(int(y * height), int(part * height), height)
        mixed = images.clone()
        mixed[..., top:bottom, left:right] = images.roll(1, 0)[..., top:bottom, left:right]
        return mixed, 1.0 - (right - left) * (bottom - top) / (width * height)


def _around(middle: int, reach: int, extent: int) -> tuple[int, int]:
    return max(0, middle - reach), min(extent, middle + reach)
