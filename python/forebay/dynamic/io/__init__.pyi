"""Generated from the operator table by tools/generate_stubs.py."""

import builtins
import collections.abc
from typing import Any

from ...enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from ..batch import Batch
from ..generators import RNG
from ..reader import Reader
from ..tensor import Tensor
from . import file as file

TensorLike = Any
DeviceLike = Any
