"""Element types of tensors and the enumerations of operators' arguments. Names and numbers are those of DALI's, so that
scripts and saved values agree."""

from __future__ import annotations

import enum
import re
from typing import Any, Callable

import numpy as np

from .errors import NoArrayTypeError


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
        raise NoArrayTypeError(f"{DALIDataType(dtype)} has no NumPy type") from None


_BY_NAME = {
    **{dtype.name.lower(): dtype for dtype in _NUMPY_TYPES},
    **{f"{kind[0].lower()}{bits}": DALIDataType[f"{kind}{bits}"] for kind in ("INT", "UINT") for bits in (8, 16, 32, 64)},
    "f16": FLOAT16, "f32": FLOAT, "f64": FLOAT64,
    "boolean": BOOL, "byte": UINT8, "float32": FLOAT, "sbyte": INT8,
}
"""Names in small letters that DALI has, or that other libraries understand otherwise than NumPy."""
_BY_CODE = {numpy_type.char: dtype for numpy_type, dtype in _OF_NUMPY.items()} | {"q": INT64, "Q": UINT64}
"""NumPy's single letters."""


def type_named(name: str) -> DALIDataType | None:
    """The element type of a name in any case: those of `types`, of NumPy and PyTorch, and those of dynamic mode, which
    have the bits ("i8" is int8). None for others, also for NumPy's codes with the bytes ("i4") unless they begin with a
    byte order ("<i4")."""
    small = name.lower().removeprefix("torch.")
    if name in _BY_CODE or small in _BY_NAME:
        return _BY_CODE[name] if name in _BY_CODE else _BY_NAME[small]
    is_of_numpy = small.isidentifier() and not re.fullmatch(r"[a-z]\d*", small)
    if not is_of_numpy and not re.fullmatch(r"[<>=|][biuf]\d", name):
        return None
    try:
        return _OF_NUMPY.get(np.dtype(small))
    except (TypeError, ValueError):
        return None


dali_type_converters: list[Callable[[Any], DALIDataType | None]] = []
"""Functions that a plugin adds for the types of its framework: each gives the element type, or None."""


def to_dali_type(framework_type: Any) -> DALIDataType:
    """The element type of a type of NumPy, PyTorch, JAX or TensorFlow, or of its name ("float32")."""
    for convert in dali_type_converters:
        found = convert(framework_type)
        if found is not None:
            return found
    framework_type = getattr(framework_type, "as_numpy_dtype", framework_type)
    text = framework_type.__qualname__ if isinstance(framework_type, type) else str(framework_type)
    if isinstance(framework_type, str) or text == "float" or text.startswith("torch."):
        found = type_named(text)
    else:
        try:
            found = None if framework_type is None else _OF_NUMPY.get(np.dtype(framework_type))
        except (TypeError, ValueError, SyntaxError):
            found = None
    if found is None:
        raise TypeError(f"tensors have no element type for {framework_type!s}")
    return found


def is_of_tensors(dtype: DALIDataType) -> bool:
    """Whether tensors can have such elements."""
    return dtype in _NUMPY_TYPES
