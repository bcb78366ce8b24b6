"""Types, enumerations and constants. Names and numbers are those of DALI's, so that scripts and saved values agree."""

from __future__ import annotations

import builtins
import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from .element_types import (
    ANY_DATA as ANY_DATA,
    BGR as BGR,
    BOOL as BOOL,
    DALIDataType as DALIDataType,
    DALIImageType as DALIImageType,
    DALIInterpType as DALIInterpType,
    DATA_TYPE as DATA_TYPE,
    FEATURE as FEATURE,
    FLOAT as FLOAT,
    FLOAT16 as FLOAT16,
    FLOAT64 as FLOAT64,
    GRAY as GRAY,
    IMAGE_TYPE as IMAGE_TYPE,
    INT16 as INT16,
    INT32 as INT32,
    INT64 as INT64,
    INT8 as INT8,
    INTERP_CUBIC as INTERP_CUBIC,
    INTERP_GAUSSIAN as INTERP_GAUSSIAN,
    INTERP_LANCZOS3 as INTERP_LANCZOS3,
    INTERP_LINEAR as INTERP_LINEAR,
    INTERP_NN as INTERP_NN,
    INTERP_TRIANGULAR as INTERP_TRIANGULAR,
    INTERP_TYPE as INTERP_TYPE,
    NO_TYPE as NO_TYPE,
    PYTHON_OBJECT as PYTHON_OBJECT,
    RGB as RGB,
    STRING as STRING,
    TENSOR_LAYOUT as TENSOR_LAYOUT,
    UINT16 as UINT16,
    UINT32 as UINT32,
    UINT64 as UINT64,
    UINT8 as UINT8,
    YCbCr as YCbCr,
    dali_type_converters as dali_type_converters,
    to_dali_type as to_dali_type,
    to_numpy_type as to_numpy_type,
)
from .enum_arguments import DTypeLike, element_type
from .errors import UnknownArgumentError
from .graph.expressions import arithmetic, constant_node
from .graph.values import NewAxis, Scalar

if TYPE_CHECKING:
    from .graph.data_node import DataNode


NCHW = "CHW"
NHWC = "HWC"
NFCHW = "FCHW"
NFHWC = "FHWC"
SAME = ""
"""Layouts of a sample under the names of the batch's layout (N is the batch); SAME is the layout of the input."""


class TensorLayout(str):
    """A layout as an object: the names of the axes, outermost first."""

    def __new__(cls, names: str = "") -> TensorLayout:
        if not isinstance(names, str):
            raise TypeError(f"a layout is text such as 'HWC', not {type(names).__name__}")
        return super().__new__(cls, names)

    def __repr__(self) -> str:
        return f"TensorLayout({super().__repr__()})"


class PipelineAPIType(enum.Enum):
    """How a pipeline is run: by run(), by an iterator, or by schedule_run()."""

    BASIC = 0
    ITERATOR = 1
    SCHEDULED = 2


CPU_ONLY_DEVICE_ID = -99999
"""The `device_id` for no GPU."""

@dataclass
class SampleInfo:
    """Which sample an external source is asked for."""

    idx_in_epoch: int
    idx_in_batch: int
    iteration: int
    epoch_idx: int


@dataclass
class BatchInfo:
    """Which batch an external source is asked for."""

    iteration: int
    epoch_idx: int


def _is_scalar(value: Any) -> bool:
    if isinstance(value, (DALIDataType, DALIImageType, DALIInterpType)):
        return False
    return isinstance(value, (bool, int, float, np.generic)) or (isinstance(value, np.ndarray) and value.ndim == 0)


class ScalarConstant(Scalar):
    """A number of a chosen type, for use in expressions. Without one, Python's integers are int32, its floats float32,
    and NumPy's scalars keep theirs."""

    def __init__(self, value: Any, dtype: DTypeLike | None = None) -> None:
        if not _is_scalar(value):
            raise TypeError(f"a scalar constant is a bool, an int or a float, not {type(value).__name__}")
        if dtype is not None:
            chosen = element_type("a constant's dtype", dtype)
        elif isinstance(value, (np.generic, np.ndarray)):
            chosen = to_dali_type(value.dtype)
        else:
            chosen = BOOL if isinstance(value, bool) else INT32 if isinstance(value, int) else FLOAT
        kind = np.dtype(to_numpy_type(chosen)).kind
        number = bool(value) if kind == "b" else float(value) if kind == "f" else int(value)
        super().__init__(number, chosen)
        self.shape: tuple[int, ...] = ()

    def _as(self, dtype: DALIDataType) -> ScalarConstant:
        return ScalarConstant(self.value, dtype)

    def bool(self) -> ScalarConstant:
        return self._as(BOOL)

    def int8(self) -> ScalarConstant:
        return self._as(INT8)

    def int16(self) -> ScalarConstant:
        return self._as(INT16)

    def int32(self) -> ScalarConstant:
        return self._as(INT32)

    def int64(self) -> ScalarConstant:
        return self._as(INT64)

    def uint8(self) -> ScalarConstant:
        return self._as(UINT8)

    def uint16(self) -> ScalarConstant:
        return self._as(UINT16)

    def uint32(self) -> ScalarConstant:
        return self._as(UINT32)

    def uint64(self) -> ScalarConstant:
        return self._as(UINT64)

    def float16(self) -> ScalarConstant:
        return self._as(FLOAT16)

    def float32(self) -> ScalarConstant:
        return self._as(FLOAT)

    def float64(self) -> ScalarConstant:
        return self._as(FLOAT64)

    def __bool__(self) -> builtins.bool:
        return builtins.bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        return f"{self.value}:{self.dtype}"

    def __repr__(self) -> str:
        return f"ScalarConstant({self.value}, {self.dtype})"

    def __add__(self, other: Any) -> DataNode:
        return arithmetic("add", self, other)

    def __sub__(self, other: Any) -> DataNode:
        return arithmetic("sub", self, other)

    def __mul__(self, other: Any) -> DataNode:
        return arithmetic("mul", self, other)

    def __truediv__(self, other: Any) -> DataNode:
        return arithmetic("fdiv", self, other)

    def __neg__(self) -> ScalarConstant:
        return ScalarConstant(-self.value, self.dtype)


def Constant(  # noqa: N802 (a name of DALI's)
    value: Any,
    dtype: DTypeLike | None = None,
    shape: Sequence[int] | int | None = None,
    layout: str | None = None,
    device: str | None = None,
    **unused: Any,
) -> Any:
    """A constant in a pipeline: a :class:`ScalarConstant` for a plain number, else a DataNode that gives the same
    tensor for every sample. Without `dtype`, 64-bit arrays become 32-bit ones. `name`, `seed`, `preserve` and
    `bytes_per_sample_hint` are taken for the sake of scripts, without effect."""
    _check_unused(unused)
    if _is_scalar(value) and shape is None and layout is None and device is None:
        return ScalarConstant(value, dtype)
    return ConstantNode(device, value, dtype, shape, layout)


def _check_unused(arguments: Mapping[str, Any]) -> None:
    unknown = arguments.keys() - {"name", "seed", "preserve", "bytes_per_sample_hint"}
    if unknown:
        raise UnknownArgumentError(f"types.Constant has no argument '{min(unknown)}'")


def ConstantNode(  # noqa: N802 (a name of DALI's)
    device: str | None,
    value: Any,
    dtype: DTypeLike | None = None,
    shape: Sequence[int] | int | None = None,
    layout: str | None = None,
    **unused: Any,
) -> DataNode:
    """A DataNode that gives `value`, also a plain number, for every sample; see :func:`Constant`."""
    _check_unused(unused)
    node = constant_node(value, dtype=dtype, shape=shape, layout=layout)
    return node.gpu() if device == "gpu" else node


class CUDAStream:
    """A CUDA stream by its address; accepted where DALI's arguments take one."""

    def __init__(self, ptr: int = 0) -> None:
        self.ptr = ptr


newaxis = NewAxis()
