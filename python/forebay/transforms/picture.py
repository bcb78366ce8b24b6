"""Picture: an image on its way through transforms, while their graph is written.

What is asked for is put off as long as something after it may join: a file is decoded when its window is known, a flip
and the conversion to floats wait for a Normalize.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Sequence

from .. import fn, math
from ..graph.data_node import DataNode
from ..types import DALIDataType, DALIImageType, DALIInterpType
from .sizes import Size, is_known, pair

__all__ = ["Form", "Picture", "from_array", "from_file"]

Form = Literal["pil", "array", "tensor"]
"""As what the image is given back: a PIL image, an array HWC, or a tensor CHW."""


@dataclass(frozen=True)
class Picture:
    """Changes give a new one.

    :param form: as what it is given back.
    :param height, width: in pixels.
    :param is_float: whether it has floats, from 0 to 1, else bytes.
    """

    form: Form
    height: Size
    width: Size
    channels: int
    is_float: bool
    layout: str
    _node: Any  # a DataNode, or None of a file that is not decoded
    _file: Any = None
    _mirror: Any = None
    _becomes_float: bool = False

    # --- as nodes ----------------------------------------------------------------------------------------------------

    def decoded(self) -> Picture:
        """With its pixels."""
        if self._node is not None:
            return self
        node = fn.decoders.image(self._file, output_type=DALIImageType.RGB, adjust_orientation=False)
        return replace(self, _node=node, _file=None)

    def flipped(self) -> Picture:
        """Without a flip to come."""
        if self._mirror is None:
            return self
        image = self.decoded()
        return replace(image, _node=fn.flip(image._node, horizontal=self._mirror), _mirror=None)

    def settled(self) -> Picture:
        """With nothing to come."""
        return self.normalized([0.0], [1.0]) if self._becomes_float else self.flipped().decoded()

    @property
    def pixels(self) -> DataNode:
        """The node of :meth:`settled`; take `layout` from there as well."""
        node: DataNode = self.settled()._node
        return node

    def in_layout(self, layout: str) -> Picture:
        image = self.settled()
        if image.layout == layout:
            return image
        perm = [image.layout.index(axis) for axis in layout]
        return replace(image, _node=fn.transpose(image._node, perm=perm), layout=layout)

    # --- changes -----------------------------------------------------------------------------------------------------

    def with_pixels(self, node: DataNode, **changes: Any) -> Picture:
        """This picture, which must be settled, with other pixels."""
        return replace(self, _node=node, **changes)

    def with_form(self, form: Form) -> Picture:
        return replace(self, form=form)

    def as_float(self) -> Picture:
        """Bytes as floats from 0 to 1; later, so that a Normalize can join."""
        return self if self.is_float else replace(self, is_float=True, _becomes_float=True)

    def mirrored(self, coin: Any) -> Picture:
        """Left to right where `coin` is not 0; later."""
        if not isinstance(coin, DataNode) and not coin:
            return self
        return replace(self.flipped(), _mirror=coin)

    def normalized(self, mean: Sequence[float], std: Sequence[float]) -> Picture:
        """Floats: less `mean`, by `std`."""
        image = self.decoded()
        unit = 255.0 if image._becomes_float else 1.0
        node = fn.crop_mirror_normalize(
            image._node, mean=[value * unit for value in mean], std=[value * unit for value in std],
            mirror=0 if image._mirror is None else image._mirror, dtype=DALIDataType.FLOAT, output_layout="CHW",
        )
        return replace(image, _node=node, _mirror=None, _becomes_float=False, layout="CHW")

    def window(self, top: Size, left: Size, height: Size, width: Size) -> Picture:
        """A window that lies inside; of a file only it is decoded."""
        image = self.flipped()
        edges = {"start": pair(top, left), "shape": pair(height, width), "axis_names": "HW"}
        if image._node is None:
            node = fn.decoders.image_slice(
                image._file, **edges, output_type=DALIImageType.RGB, adjust_orientation=False
            )
        else:
            node = fn.slice(image._node, **edges)
        return replace(image, _node=node, _file=None, height=height, width=width)

    def extended(
        self, top: Size, left: Size, height: Size, width: Size, policy: str, fill: Sequence[float]
    ) -> Picture:
        """A window that may reach outside, where `policy`, one of fn.slice, and `fill` say what is there."""
        image = self.settled()
        node = fn.slice(
            image._node, start=pair(top, left), shape=pair(height, width), axis_names="HW",
            out_of_bounds_policy=policy, fill_values=list(fill),
        )
        return replace(image, _node=node, height=height, width=width)

    def resized(self, height: Size, width: Size, filter: DALIInterpType, antialias: bool) -> Picture:
        """Of another size, as Pillow resizes; without `antialias` as torch does."""
        if is_known(height, width, self.height, self.width) and (height, width) == (self.height, self.width):
            return self
        image = self.settled()
        is_nearest = filter == DALIInterpType.INTERP_NN
        numerics = "exact" if is_nearest else "pillow" if antialias else "dali"
        node = fn.resize(
            image._node, size=pair(height, width), interp_type=filter, antialias=antialias, numerics=numerics
        )
        return replace(image, _node=node, height=height, width=width)

    def as_bytes(self, largest: float) -> Picture:
        """Floats times `largest`, cut to bytes."""
        if not self.is_float:
            return self
        image = self.settled()
        node = fn.cast(math.floor(image.pixels * largest), dtype=DALIDataType.UINT8)
        return replace(image, _node=node, is_float=False)

    def result(self) -> DataNode:
        """The node of what is given back: CHW for tensors, else HWC."""
        return self.in_layout("CHW" if self.form == "tensor" else "HWC").pixels


def from_file(node: DataNode) -> Picture:
    """Of the bytes of an encoded image: RGB, not turned by EXIF, as torchvision's loaders give it."""
    shape = fn.peek_image_shape(node, dtype=DALIDataType.INT32, adjust_orientation=False)
    return Picture("pil", shape[0], shape[1], 3, False, "HWC", None, node)


def from_array(node: DataNode, form: Form, channels: int, is_float: bool) -> Picture:
    """Of pixels HWC, or CHW for the form "tensor"."""
    layout = "CHW" if form == "tensor" else "HWC"
    shape = node.shape(dtype=DALIDataType.INT32)
    height, width = (shape[layout.index(axis)] for axis in "HW")
    return Picture(form, height, width, channels, is_float, layout, node)
