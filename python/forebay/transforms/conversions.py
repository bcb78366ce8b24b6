"""Transforms between images, arrays and tensors, and of their values."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from .. import fn
from ..graph.expressions import constant_node
from ..types import DALIDataType
from .picture import Picture
from .transform import Transform

__all__ = [
    "ConvertImageDtype", "Identity", "LinearTransformation", "Normalize", "PILToTensor", "ToDtype", "ToImage",
    "ToPILImage", "ToPureTensor", "ToTensor", "dtype_name",
]

_BYTES_PER_UNIT = 256.0 - 1e-3  # what torchvision multiplies floats by before it cuts them to bytes


def dtype_name(dtype: Any) -> str:
    """ "float32" or "uint8" of a dtype of torch or NumPy, or its name."""
    text = str(dtype).rpartition(".")[2]
    name = text if text in ("float32", "uint8") else np.dtype(dtype).name if isinstance(dtype, type) else text
    if name not in ("float32", "uint8"):
        raise ValueError(f"dtype={dtype!r} is not offered: take torch.float32 or torch.uint8, and convert the batch")
    return name


class ToTensor(Transform):
    """A tensor CHW of floats from 0 to 1."""

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        if picture.form == "tensor":
            raise TypeError("ToTensor takes PIL images and arrays; of tensors take ToDtype(torch.float32, scale=True)")
        return picture.as_float().with_form("tensor")


class PILToTensor(Transform):
    """A tensor CHW of the same type."""

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        return picture.with_form("tensor")


class ToImage(PILToTensor):
    """A tensor CHW of the same type, a plain one."""


class ToPureTensor(Transform):
    """Nothing: tensors are plain ones."""

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        return picture


class Identity(ToPureTensor):
    """Nothing."""


class ToPILImage(Transform):
    """A PIL image; floats times 255 are cut to bytes."""

    def __init__(self, mode: str | None = None) -> None:
        if mode not in (None, "L", "RGB", "RGBA"):
            raise ValueError(f"mode={mode!r} is not offered: L, RGB, RGBA, or None for that of the channels")
        self.mode = mode

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        if self.mode is not None and {"L": 1, "RGB": 3, "RGBA": 4}[self.mode] != picture.channels:
            raise ValueError(f"an image of {picture.channels} channels has not the mode {self.mode}")
        return picture.as_bytes(255.0).with_form("pil")


class ToDtype(Transform):
    """Another type: torch.float32 or torch.uint8. With `scale`, 0 to 255 become 0 to 1, or the reverse."""

    def __init__(self, dtype: Any, scale: bool = False) -> None:
        self.dtype = dtype
        self.scale = scale
        self._name = dtype_name(dtype)

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        if self._name == "uint8":
            return picture.as_bytes(_BYTES_PER_UNIT if self.scale else 1.0)
        if self.scale or picture.is_float:
            return picture.as_float()
        image = picture.settled()
        return image.with_pixels(fn.cast(image.pixels, dtype=DALIDataType.FLOAT), is_float=True)


class ConvertImageDtype(ToDtype):
    """:class:`ToDtype` with `scale`."""

    def __init__(self, dtype: Any = "float32") -> None:
        super().__init__(dtype, scale=True)


class Normalize(Transform):
    """Less `mean`, by `std`: one number, or one for each channel. Of floats."""

    def __init__(self, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> None:
        self.mean = [float(value) for value in np.ravel(mean)]
        self.std = [float(value) for value in np.ravel(std)]
        self.inplace = inplace
        if not self.mean or not self.std or 0.0 in self.std:
            raise ValueError("Normalize: mean and std need a number for each channel, and no std may be 0")

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        if not picture.is_float:
            raise TypeError("Normalize takes floats: put ToTensor(), or ToDtype(torch.float32, scale=True), before it")
        for name, values in (("mean", self.mean), ("std", self.std)):
            if len(values) not in (1, picture.channels):
                raise ValueError(f"Normalize: {name} has {len(values)} numbers for {picture.channels} channels")
        return picture.normalized(self.mean, self.std)


class LinearTransformation(Transform):
    """The elements of a float image, CHW, less `mean_vector`, times a square matrix."""

    def __init__(self, transformation_matrix: Any, mean_vector: Any) -> None:
        self.transformation_matrix = np.asarray(transformation_matrix, np.float32)
        self.mean_vector = np.asarray(mean_vector, np.float32).ravel()
        count = len(self.mean_vector)
        if self.transformation_matrix.shape != (count, count):
            raise ValueError(
                f"LinearTransformation: a matrix of {self.transformation_matrix.shape} and {count} means; it must be "
                "square, with a mean for each row"
            )

    def apply(self, picture: Picture, drawn: Any) -> Picture:
        image = picture.in_layout("CHW")
        count = len(self.mean_vector)
        values = fn.reshape(image.pixels, shape=[1, count]) - constant_node(self.mean_vector.reshape(1, count))
        moved = fn.coord_transform(values, M=constant_node(np.ascontiguousarray(self.transformation_matrix.T)))
        shape = image.pixels.shape()
        return image.with_pixels(fn.reshape(moved, shape=shape, layout="CHW"), is_float=True)
