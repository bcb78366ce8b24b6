"""Images of users as arrays, and the reverse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..framework_modules import import_framework, is_of
from ..tensors import TensorCPU
from .picture import Form, Picture, from_array, from_file

__all__ = ["Kind", "give", "given", "take"]

_TYPES = {"uint8": False, "float32": True}
_MODES = ("L", "RGB", "RGBA")


@dataclass(frozen=True)
class Kind:
    """What is the same for many images: they share a graph. `form` is None for the bytes of a file."""

    form: Form | None
    channels: int = 3
    is_float: bool = False

    @property
    def layout(self) -> str | None:
        """Of what goes into the graph."""
        return None if self.form is None else "CHW" if self.form == "tensor" else "HWC"

    def picture(self, node: Any) -> Picture:
        """What goes into the graph, as a picture."""
        if self.form is None:
            return from_file(node)
        return from_array(node, self.form, self.channels, self.is_float)


def take(image: Any) -> tuple[Kind, np.ndarray]:
    """An image as an array HWC, of tensors CHW, or a file's bytes. Shares memory where it can."""
    if isinstance(image, (bytes, bytearray, memoryview)):
        return Kind(None), np.frombuffer(image, np.uint8)
    if is_of(image, "PIL.Image", "Image"):
        if image.mode not in _MODES:
            raise TypeError(f"a PIL image of mode {image.mode} is not offered; take image.convert('RGB') or 'L'")
        return _taken("pil", _with_channels(np.asarray(image), last=True))
    if is_of(image, "torch", "Tensor"):
        if image.device.type != "cpu":
            raise TypeError(f"a tensor on {image.device} cannot be transformed here; take image.cpu()")
        array = image.detach().numpy()
        is_file = array.ndim == 1 and array.dtype == np.uint8
        return (Kind(None), array) if is_file else _taken("tensor", _with_channels(array, last=False))
    if isinstance(image, np.ndarray):
        if image.ndim == 1 and image.dtype == np.uint8:
            return Kind(None), image
        return _taken("array", _with_channels(image, last=True))
    hint = "; a transform takes one image, labels stay with you" if isinstance(image, (tuple, list, dict)) else ""
    wanted = "a PIL image, an array, a torch tensor or a file's bytes"
    raise TypeError(f"an image is {wanted}, not {type(image).__name__}{hint}")


def _with_channels(array: np.ndarray, last: bool) -> np.ndarray:
    if array.ndim == 2:
        return array[..., None] if last else array[None]
    return array


def _taken(form: Form, array: np.ndarray) -> tuple[Kind, np.ndarray]:
    if array.ndim != 3:
        wanted = "CHW" if form == "tensor" else "HWC or HW"
        raise ValueError(f"an image has the axes {wanted}, not the shape {array.shape}; batches go through a Loader")
    name = array.dtype.name
    if name not in _TYPES:
        raise TypeError(f"an image has uint8 or float32, not {name}")
    channels = array.shape[0] if form == "tensor" else array.shape[2]
    if not 1 <= channels <= 16:
        raise ValueError(f"an image of the shape {array.shape} would have {channels} channels; 1 to 16 are possible")
    return Kind(form, channels, _TYPES[name]), array


def give(form: Form, array: np.ndarray) -> Any:
    """An array of :func:`take`'s axes in the form that it is given back in."""
    if form == "tensor":
        torch = import_framework("torch")
        return torch.from_numpy(array if array.flags.writeable else array.copy())
    if form == "pil":
        pixels = array[..., 0] if array.shape[2] == 1 else array
        if pixels.dtype != np.uint8 or pixels.ndim == 3 and pixels.shape[2] not in (3, 4):
            raise TypeError(f"{pixels.dtype} of the shape {array.shape} is no PIL image; end with ToTensor()")
        return import_framework("PIL.Image").fromarray(np.ascontiguousarray(pixels))
    return array


def given(form: Form, tensor: TensorCPU) -> Any:
    """What an output of a graph is given back as."""
    return give(form, tensor.as_array())
