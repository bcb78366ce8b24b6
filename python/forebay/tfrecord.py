"""What a TFRecord file's examples hold, for `fn.readers.tfrecord`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence, overload

int64 = "int64"
float32 = "float"
string = "string"

FeatureType = str


@dataclass
class Feature:
    """One feature of an example."""

    kind: str
    is_fixed: bool
    shape: list[int]
    default: Any

    def row(self) -> dict[str, Any]:
        row: dict[str, Any] = {"kind": self.kind, "fixed": self.is_fixed, "shape": self.shape}
        if self.default is not None:
            row["default"] = self.default
        return row


def _checked(kind: Any) -> str:
    if kind not in (int64, float32, string):
        raise TypeError(f"the type of a feature is tfrecord.int64, .float32 or .string, not {kind!r}")
    return str(kind)


def FixedLenFeature(shape: Sequence[int] | int, dtype: str, default_value: Any) -> Feature:  # noqa: N802
    """A feature with the same shape in every example; `default_value` where it is absent. With None, an example without
    it is a broken sample."""
    extents = [shape] if isinstance(shape, int) else list(shape)
    return Feature(_checked(dtype), True, extents, default_value)


@overload
def VarLenFeature(dtype: str, default_value: Any, /) -> Feature: ...  # noqa: N802


@overload
def VarLenFeature(partial_shape: Sequence[int], dtype: str, default_value: Any, /) -> Feature: ...  # noqa: N802


def VarLenFeature(*arguments: Any) -> Feature:  # noqa: N802
    """A feature whose number of values differs from example to example; `partial_shape`, if given, is that of all but
    the first axis."""
    if len(arguments) == 2:
        arguments = ((), *arguments)
    if len(arguments) != 3 or isinstance(arguments[0], (str, int)):
        raise TypeError("write VarLenFeature(dtype, default_value) or VarLenFeature(partial_shape, dtype, default_value)")
    partial_shape, dtype, default_value = arguments
    return Feature(_checked(dtype), False, list(partial_shape), default_value)
