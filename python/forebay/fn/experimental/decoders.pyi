"""Generated from the operator table by tools/generate_stubs.py. Several outputs come as a list, which is written as a
tuple here: types know the length of no list."""

from typing import Any, Literal, Sequence, overload

from ...enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from ...graph.data_node import DataNode
from ...tfrecord import Feature
from ...types import ScalarConstant
from ..decoders import image as image
from ..decoders import image_crop as image_crop
from ..decoders import image_random_crop as image_random_crop
from ..decoders import image_slice as image_slice

Operand = DataNode | ScalarConstant | int | float | Sequence[Any]
