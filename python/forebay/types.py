"""Types, enumerations and constants. Names and numbers are those of DALI's, so that scripts and saved values agree."""

from __future__ import annotations

import builtins
import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

if TYPE_CHECKING:
    from .graph.data_node import DataNode


class _NamedEnum(enum.IntEnum):
    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"


class DALIDataType(_NamedEnum):
    """Element types."""

    NO_TYPE = -1
    UINT8 = 0
    UINT16 = 1
    UINT32 = 2
    UINT64 = 3
    INT8 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    FLOAT16 = 8
    FLOAT = 9
    FLOAT64 = 10
    BOOL = 11
    STRING = 12
    FEATURE = 17
    IMAGE_TYPE = 20
    DATA_TYPE = 21
    INTERP_TYPE = 22
    TENSOR_LAYOUT = 23
    PYTHON_OBJECT = 24


class DALIImageType(_NamedEnum):
    """Colour spaces that decoders give."""

    RGB = 0
    BGR = 1
    GRAY = 2
    YCbCr = 3
    ANY_DATA = 4


class DALIInterpType(_NamedEnum):
    """Filters of operators that resample."""

    INTERP_NN = 0
    INTERP_LINEAR = 1
    INTERP_CUBIC = 2
    INTERP_LANCZOS3 = 3
    INTERP_TRIANGULAR = 4
    INTERP_GAUSSIAN = 5


NO_TYPE = DALIDataType.NO_TYPE
UINT8 = DALIDataType.UINT8
UINT16 = DALIDataType.UINT16
UINT32 = DALIDataType.UINT32
UINT64 = DALIDataType.UINT64
INT8 = DALIDataType.INT8
INT16 = DALIDataType.INT16
INT32 = DALIDataType.INT32
INT64 = DALIDataType.INT64
FLOAT16 = DALIDataType.FLOAT16
FLOAT = DALIDataType.FLOAT
FLOAT64 = DALIDataType.FLOAT64
BOOL = DALIDataType.BOOL
STRING = DALIDataType.STRING
FEATURE = DALIDataType.FEATURE
IMAGE_TYPE = DALIDataType.IMAGE_TYPE
DATA_TYPE = DALIDataType.DATA_TYPE
INTERP_TYPE = DALIDataType.INTERP_TYPE
TENSOR_LAYOUT = DALIDataType.TENSOR_LAYOUT
PYTHON_OBJECT = DALIDataType.PYTHON_OBJECT

RGB = DALIImageType.RGB
BGR = DALIImageType.BGR
GRAY = DALIImageType.GRAY
YCbCr = DALIImageType.YCbCr
ANY_DATA = DALIImageType.ANY_DATA

INTERP_NN = DALIInterpType.INTERP_NN
INTERP_LINEAR = DALIInterpType.INTERP_LINEAR
INTERP_CUBIC = DALIInterpType.INTERP_CUBIC
INTERP_LANCZOS3 = DALIInterpType.INTERP_LANCZOS3
INTERP_TRIANGULAR = DALIInterpType.INTERP_TRIANGULAR
INTERP_GAUSSIAN = DALIInterpType.INTERP_GAUSSIAN

NCHW = "CHW"
NHWC = "HWC"
NFCHW = "FCHW"
NFHWC = "FHWC"
SAME = ""
"""Layouts of a sample, by the names that its batch's layout has; SAME: that of the input."""


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
"""A `device_id` that says: no GPU."""

_NUMPY_TYPES: dict[DALIDataType, Any] = {
    UINT8: np.uint8,
    UINT16: np.uint16,
    UINT32: np.uint32,
    UINT64: np.uint64,
    INT8: np.int8,
    INT16: np.int16,
    INT32: np.int32,
    INT64: np.int64,
    FLOAT16: np.float16,
    FLOAT: np.float32,
    FLOAT64: np.float64,
    BOOL: np.bool_,
}
_OF_NUMPY = {np.dtype(numpy_type): dtype for dtype, numpy_type in _NUMPY_TYPES.items()}


def to_numpy_type(dtype: DALIDataType) -> Any:
    """NumPy's scalar type of an element type."""
    try:
        return _NUMPY_TYPES[DALIDataType(dtype)]
    except KeyError:
        raise TypeError(f"{DALIDataType(dtype)} has no NumPy type") from None


def to_dali_type(name: Any) -> DALIDataType:
    """The element type of a NumPy type, or of its name ("float32")."""
    try:
        return _OF_NUMPY[np.dtype(name)]
    except KeyError:
        raise TypeError(f"NumPy's {name!s} is no element type of tensors") from None


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
    return isinstance(value, (bool, int, float, np.generic)) or (isinstance(value, np.ndarray) and value.ndim == 0)


class ScalarConstant:
    """A number of a chosen type, for use in expressions. Without one, Python's integers are int32, its floats float32,
    and NumPy's scalars keep theirs."""

    def __init__(self, value: Any, dtype: DALIDataType | None = None) -> None:
        if not _is_scalar(value):
            raise TypeError(f"a scalar constant is a bool, an int or a float, not {type(value).__name__}")
        if dtype is None and isinstance(value, (np.generic, np.ndarray)):
            dtype = to_dali_type(value.dtype)
        if dtype is None:
            dtype = BOOL if isinstance(value, bool) else INT32 if isinstance(value, int) else FLOAT
        self.dtype = DALIDataType(dtype)
        self.value = to_numpy_type(self.dtype)(value).item()
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

    def __repr__(self) -> str:
        return f"ScalarConstant({self.value}, {self.dtype})"

    def _apply(self, op: str, *operands: Any) -> DataNode:
        from .graph.expressions import arithmetic

        return arithmetic(op, *operands)

    def __add__(self, other: Any) -> DataNode:
        return self._apply("add", self, other)

    def __sub__(self, other: Any) -> DataNode:
        return self._apply("sub", self, other)

    def __mul__(self, other: Any) -> DataNode:
        return self._apply("mul", self, other)

    def __truediv__(self, other: Any) -> DataNode:
        return self._apply("fdiv", self, other)

    def __neg__(self) -> ScalarConstant:
        return ScalarConstant(-self.value, self.dtype)


def Constant(  # noqa: N802 (a name of DALI's)
    value: Any,
    dtype: DALIDataType | None = None,
    shape: Sequence[int] | int | None = None,
    layout: str | None = None,
    device: str | None = None,
    **_: Any,
) -> Any:
    """A constant in a pipeline: a :class:`ScalarConstant` for a plain number, else a DataNode that gives the same tensor
    for every sample. Without `dtype`, arrays of 64 bits become such of 32."""
    if _is_scalar(value) and shape is None and layout is None and device in (None, "cpu"):
        return ScalarConstant(value, dtype)
    from .graph.expressions import constant_node

    node = constant_node(value, dtype=dtype, shape=shape, layout=layout)
    return node.gpu() if device == "gpu" else node


class CUDAStream:
    """A CUDA stream by its address; accepted where DALI's arguments take one."""

    def __init__(self, ptr: int = 0) -> None:
        self.ptr = ptr


class _NewAxis:
    """Marks a new axis in a subscript: ``x[newaxis]`` or ``x[newaxis("C")]``."""

    def __init__(self, name: str | None = None) -> None:
        if name is not None and (not isinstance(name, str) or len(name) != 1):
            raise TypeError("the name of an axis is one character")
        self.name = name

    def __call__(self, name: str | None = None) -> _NewAxis:
        return _NewAxis(name)


newaxis = _NewAxis()
