"""Images from local files in the formats of their publishers: MNIST's IDX files (http://yann.lecun.com/exdb/mnist),
plain or packed by gzip, and CIFAR-10's binary files (https://www.cs.toronto.edu/~kriz/cifar.html). Nothing is
downloaded."""

from __future__ import annotations

import gzip
import math
import os
import pathlib
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy

from .... import nd
from ....nd import NDArray
from ..dataset import Dataset

Numbers = numpy.ndarray[Any, Any]
_MOST_BYTES = 1 << 32  # of a file, unpacked


class _Images(Dataset):
    """Images and labels in memory."""

    _folder = ""

    def __init__(self, root: str | None, train: bool, transform: Callable[..., Any] | None) -> None:
        default = pathlib.Path("~", ".mxnet", "datasets", self._folder)
        self._root = pathlib.Path(root or default).expanduser()
        self._transform = transform
        images, labels = self._read(train)
        self._data: NDArray = nd.array(images)
        self._label: Numbers = labels.astype("int32")

    def _read(self, train: bool) -> tuple[Numbers, Numbers]:
        """Images (count, height, width, channels) of uint8, and labels."""
        raise NotImplementedError

    def __getitem__(self, index: int) -> Any:
        image, label = self._data[index], self._label[index]
        return (image, label) if self._transform is None else self._transform(image, label)

    def __len__(self) -> int:
        return len(self._label)

    def _find(self, *names: str) -> pathlib.Path:
        """The first of the files that exists."""
        for name in names:
            if (self._root / name).is_file():
                return self._root / name
        raise FileNotFoundError(
            f"{type(self).__name__}: there is no {' or '.join(names)} in {self._root}: data sets are read from local"
            " files, nothing is downloaded"
        )


def _content(path: pathlib.Path) -> bytes:
    try:
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path}: {error}") from error
    if len(content) > _MOST_BYTES:
        raise ValueError(f"{path}: more than {_MOST_BYTES} bytes")
    return content


def read_idx(path: pathlib.Path) -> Numbers:
    """The array of an IDX file of bytes. ValueError for what is none, or is cut."""
    content = _content(path)
    if len(content) < 4 or content[:3] != b"\0\0\x08" or not 1 <= content[3] <= 4:
        raise ValueError(f"{path}: no IDX file of bytes: it begins with {content[:4].hex()}")
    rank = content[3]
    header = 4 + 4 * rank
    if len(content) < header:
        raise ValueError(f"{path}: cut in its header, after {len(content)} bytes")
    shape = struct.unpack(f">{rank}I", content[4:header])
    if len(content) - header != math.prod(shape):
        raise ValueError(f"{path}: {len(content) - header} bytes for an array of {shape}")
    return numpy.frombuffer(content, numpy.uint8, offset=header).reshape(shape)


class MNIST(_Images):
    """28 x 28 x 1 images of digits, from ``train-images-idx3-ubyte`` and the other three files, with or without
    ``.gz``."""

    _folder = "mnist"

    def __init__(
        self, root: str | None = None, train: bool = True, transform: Callable[..., Any] | None = None
    ) -> None:
        super().__init__(root, train, transform)

    def _read(self, train: bool) -> tuple[Numbers, Numbers]:
        part = "train" if train else "t10k"
        image_path, label_path = (
            self._find(f"{part}-{name}-ubyte.gz", f"{part}-{name}-ubyte") for name in ("images-idx3", "labels-idx1")
        )
        images, labels = read_idx(image_path), read_idx(label_path)
        if images.ndim != 3 or labels.shape != images.shape[:1]:
            raise ValueError(f"{image_path}: images of {images.shape}, labels of {labels.shape}")
        return images[..., None], labels


class FashionMNIST(MNIST):
    """28 x 28 x 1 images of clothes, in files of the same names."""

    _folder = "fashion-mnist"


class CIFAR10(_Images):
    """32 x 32 x 3 photographs, from ``data_batch_1.bin`` to ``data_batch_5.bin``, or ``test_batch.bin``."""

    _folder = "cifar10"
    _record_bytes = 1 + 3 * 32 * 32

    def __init__(
        self, root: str | None = None, train: bool = True, transform: Callable[..., Any] | None = None
    ) -> None:
        super().__init__(root, train, transform)

    def _read(self, train: bool) -> tuple[Numbers, Numbers]:
        names = [f"data_batch_{number}.bin" for number in range(1, 6)] if train else ["test_batch.bin"]
        records = numpy.concatenate([self._records(name) for name in names])
        images = records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return numpy.ascontiguousarray(images), records[:, 0]

    def _records(self, name: str) -> Numbers:
        path = self._find(name, os.path.join("cifar-10-batches-bin", name))
        content = numpy.frombuffer(_content(path), numpy.uint8)
        if not content.size or content.size % self._record_bytes:
            raise ValueError(f"{path}: {content.size} bytes are not a whole number of images of {self._record_bytes} bytes")
        return content.reshape(-1, self._record_bytes)
