"""What comes of a case, written so that two libraries can be compared: its value as plain data, or the kind of
exception; and kinds of warnings."""

from __future__ import annotations

import base64
import builtins
import warnings
from typing import Any, Callable

import numpy as np

INLINE = 24  # elements; of more, the bytes are written
DIGITS = 7
TYPES = {"float32": "FLOAT"}  # whose names differ from numpy's
OURS = "_cases"  # how the modules end whose own exceptions are kinds, too


def _number(value: float) -> Any:
    return float(f"{value:.{DIGITS}g}")


def _elements(flat: np.ndarray) -> Any:
    if flat.size <= INLINE:
        return [_number(each) for each in flat.tolist()] if flat.dtype.kind == "f" else flat.tolist()
    return base64.b64encode(np.ascontiguousarray(flat).astype(flat.dtype.newbyteorder("<")).tobytes()).decode()


def array(value: Any) -> dict[str, Any]:
    value = np.asarray(value)
    if value.dtype.kind not in "biuf":
        return {"array": str(value.dtype), "shape": list(value.shape), "data": repr(value)}
    return {"array": str(value.dtype), "shape": list(value.shape), "data": _elements(value.ravel())}


def elements(described: dict[str, Any]) -> np.ndarray:
    """What `array` and `_batch` have written, flat."""
    data, dtype = described["data"], np.dtype(described.get("array") or described["batch"])
    return np.frombuffer(base64.b64decode(data), dtype) if isinstance(data, str) else np.array(data, dtype)


def _batch(tensors: Any) -> dict[str, Any]:
    """All samples of a batch together; a shape that all have is written once."""
    if "GPU" in type(tensors).__name__:
        tensors = tensors.as_cpu()
    samples = [np.array(tensors[i]) for i in range(len(tensors))]
    shapes = [list(sample.shape) for sample in samples]
    flat = np.concatenate([sample.ravel() for sample in samples]) if samples else np.zeros(0, np.uint8)
    about: dict[str, Any] = {"batch": str(flat.dtype)}
    if tensors.dtype.name != TYPES.get(str(flat.dtype), str(flat.dtype).upper()):
        about["type"] = tensors.dtype.name
    if tensors.layout():
        about["layout"] = str(tensors.layout())
    if samples and shapes.count(shapes[0]) == len(shapes):
        about |= {"samples": len(samples), "shape": shapes[0]}
    else:
        about |= {"shapes": shapes}
    return about | {"data": _elements(flat)}


def _described(value: Any) -> Any:
    """Of what is no plain data: values of DALI by their names, and else what it is."""
    kind = type(value).__name__
    if "TensorList" in kind:
        return _batch(value)
    if kind in ("TensorCPU", "TensorGPU"):
        return {"tensor": array(np.array(value)), "layout": str(value.layout() or "")}
    if isinstance(value, (np.ndarray, np.generic)):
        return array(value)
    if hasattr(value, "name") and (kind.startswith("DALI") or kind in ("StreamPolicy", "OperatorConcurrency")):
        return value.name
    if isinstance(value, bytes):
        return {"bytes": len(value)}
    return {"type": value.__name__} if isinstance(value, type) else {"object": kind}


def plain(value: Any) -> Any:
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return _number(value)
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, (set, frozenset)):
        return {"set": sorted(map(str, value))}
    return _described(value)


def _kinds(error: Exception) -> list[str]:
    """The classes that an `except` could name: builtin ones, and those that a case made."""
    classes = [kind for kind in type(error).__mro__ if kind not in (object, BaseException)]
    return [k.__name__ for k in classes if getattr(builtins, k.__name__, None) is k or k.__module__.endswith(OURS)]


def outcome(function: Callable[[], Any]) -> dict[str, Any]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result: dict[str, Any] = {"value": plain(function())}
        except Exception as error:
            result = {"raises": _kinds(error), "message": str(error)[:300]}
    kinds = {each.category.__name__ for each in seen} - {"ResourceWarning", "Warning"}
    return result | ({"warns": sorted(kinds)} if kinds else {})
