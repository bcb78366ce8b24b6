"""Generated from the operator table by tools/generate_stubs.py."""

import builtins
import collections.abc
from typing import Any

from ...enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from ..batch import Batch
from ..generators import RNG
from ..reader import Reader
from ..tensor import Tensor

TensorLike = Any
DeviceLike = Any

def read(
    filepaths: TensorLike,
    /,
    *,
    dont_use_mmap: builtins.bool = ...,
    use_o_direct: builtins.bool = ...,
    batch_size: int | None = ...,
    device: DeviceLike | None = ...,
) -> Any: ...
