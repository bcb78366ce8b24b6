"""Datatypes of the Open Inference Protocol as NumPy's, and elements of BYTES, which have lengths of their own."""

import struct
from typing import Any

import numpy as np

_NUMPY_NAMES = {
    "BOOL": "bool",
    "UINT8": "uint8",
    "UINT16": "uint16",
    "UINT32": "uint32",
    "UINT64": "uint64",
    "INT8": "int8",
    "INT16": "int16",
    "INT32": "int32",
    "INT64": "int64",
    "FP16": "float16",
    "FP32": "float32",
    "FP64": "float64",
}
_PROTOCOL_NAMES = {name: datatype for datatype, name in _NUMPY_NAMES.items()}
_LENGTH = struct.Struct("<I")


def numpy_type(datatype: str) -> np.dtype[Any]:
    """Of BYTES objects; of BF16 the type of `ml_dtypes`, as NumPy has none."""
    if datatype == "BYTES":
        return np.dtype(object)
    if datatype == "BF16":
        import ml_dtypes  # type: ignore[import-not-found, unused-ignore]

        brain_float: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return brain_float
    return np.dtype(_NUMPY_NAMES[datatype])


def protocol_type(declared: Any) -> str:
    """The protocol's name for what a model declares: "FP32", "TYPE_FP32", "float32", numpy.float32, bytes, str."""
    if isinstance(declared, str):
        name = declared.removeprefix("TYPE_")
        if name == "STRING":
            return "BYTES"
        if name in _NUMPY_NAMES or name in ("BYTES", "BF16"):
            return name
    if declared in (bytes, str, object):
        return "BYTES"
    try:
        name = np.dtype(declared).name
    except TypeError:
        name = str(declared)
    if name in ("object", "bytes", "str"):
        return "BYTES"
    if name == "bfloat16":
        return "BF16"
    if name not in _PROTOCOL_NAMES:
        raise ValueError(f"{declared!r} is no type of tensors; {', '.join([*_NUMPY_NAMES, 'BF16', 'BYTES'])} are")
    return _PROTOCOL_NAMES[name]


def decode_bytes(data: bytes | memoryview, count: int) -> np.ndarray[Any, Any]:
    """The elements as `bytes` in an array of objects."""
    view = memoryview(data)
    elements = np.empty(count, dtype=object)
    at = 0
    for i in range(count):
        (length,) = _LENGTH.unpack_from(view, at)
        at += _LENGTH.size
        elements[i] = bytes(view[at : at + length])
        at += length
    return elements


def encode_bytes(array: np.ndarray[Any, Any]) -> bytes:
    """The elements, `bytes`, `str` or what str() makes text of, each behind its length."""
    parts: list[bytes] = []
    for element in array.ravel():
        encoded = element if isinstance(element, bytes) else str(element).encode()
        parts += (_LENGTH.pack(len(encoded)), encoded)
    return b"".join(parts)
