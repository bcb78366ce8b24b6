"""Element types as objects: ``uint8``, ``float32``... Names and attributes are those of DALI's dynamic mode."""

from __future__ import annotations

import builtins
import enum
from collections.abc import Callable
from typing import Any

from ..element_types import DALIDataType, to_dali_type, to_numpy_type, type_named
from ..errors import InvalidError
from ..suggestions import did_you_mean

__all__ = [
    "DType", "DataType", "ImageType", "InterpType", "bfloat16", "bool", "dtype", "float16", "float32", "float64",
    "int16", "int32", "int64", "int8", "type_id", "uint16", "uint32", "uint64", "uint8",
]

_EXPONENT_BITS = {8: 4, 16: 5, 32: 8, 64: 11}


class _Kind(enum.Enum):
    signed = enum.auto()
    unsigned = enum.auto()
    float = enum.auto()
    bool = enum.auto()
    enum = enum.auto()


_makers: list[Callable[..., Any]] = []


class DType:
    """An element type. There are those of this module; others cannot be made.

    :ivar kind: signed, unsigned, float, bool or enum.
    :ivar bits: size of an element.
    :ivar bytes: the same in bytes.
    :ivar exponent_bits: of floating-point types; else None.
    :ivar significand_bits: of floating-point types, without the sign; else None.
    :ivar name: "u8", "i32", "f32", "bool"...
    :ivar type_id: its number in `forebay.types`; None for bfloat16.
    """

    Kind = _Kind

    def __init__(
        self, kind: _Kind, bits: int, name: str, type_id: DALIDataType | None, exponent_bits: int | None = None
    ) -> None:
        self.kind = kind
        self.bits = bits
        self.bytes = (bits + 7) // 8
        self.name = name
        self.type_id = type_id
        self.exponent_bits = exponent_bits
        self.significand_bits = None if exponent_bits is None else bits - exponent_bits - 1

    @staticmethod
    def from_type_id(type_id: DALIDataType | int) -> DType:
        """The type of that number in `forebay.types`."""
        try:
            return _BY_ID[DALIDataType(type_id)]
        except KeyError:
            raise InvalidError(f"{DALIDataType(type_id)} is the type of no tensor") from None

    @staticmethod
    def from_fw_type(framework_type: Any) -> DType:
        """The type of a framework's type: NumPy's, PyTorch's..."""
        return DType.from_type_id(to_dali_type(framework_type))

    @staticmethod
    def parse(name: str) -> DType:
        """The type of a name in any case: "u8", "uint8", "f32", "float32"..."""
        found = type_named(name)
        if found is not None:
            return _BY_ID[found]
        if name.lower() in _BY_NAME:
            return _BY_NAME[name.lower()]
        names = sorted(each.name for each in _ALL)
        hint = did_you_mean(name, names)
        raise InvalidError(f"{name!r} names no element type{hint}; {', '.join(names)} do")

    def __call__(self, data: Any, **arguments: Any) -> Any:
        """A new tensor with elements of this type: ``float32([1, 2])``."""
        if "dtype" in arguments:
            raise InvalidError(f"ndd.{self.name}() makes tensors of that type: leave out `dtype`")
        return _makers[0](data, dtype=self, **arguments)

    @property
    def numpy_type(self) -> Any:
        """NumPy's type; int32 for enumerations. TypeError where NumPy has none."""
        if self.kind is _Kind.enum:
            return to_numpy_type(DALIDataType.INT32)
        if self.type_id is None:
            raise TypeError(f"NumPy has no {self.name}")
        return to_numpy_type(self.type_id)

    @property
    def number(self) -> int:
        """What operators take as `dtype`: enumerations are int32. TypeError where they have no such type."""
        if self.kind is _Kind.enum:
            return int(DALIDataType.INT32)
        if self.type_id is None:
            raise TypeError(f"operators do not compute with {self.name}")
        return int(self.type_id)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        floating = "" if self.exponent_bits is None else (
            f", exponent_bits={self.exponent_bits}, significand_bits={self.significand_bits}"
        )
        return f"DType(kind={self.kind}, bits={self.bits}{floating})"

    def __eq__(self, other: object) -> builtins.bool:
        if isinstance(other, DALIDataType):
            return self.type_id == other
        return self is other if isinstance(other, DType) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name if self.type_id is None else self.type_id)

    def __reduce__(self) -> tuple[Any, ...]:
        return (DType.parse, (self.name,))


def set_maker(make: Callable[..., Any]) -> None:
    """`make` gives tensors, for calls of a type."""
    _makers[:] = [make]


def _integer(kind: _Kind, bits: int, type_id: DALIDataType) -> DType:
    return DType(kind, bits, f"{'i' if kind is _Kind.signed else 'u'}{bits}", type_id)


def _floating(bits: int, type_id: DALIDataType) -> DType:
    return DType(_Kind.float, bits, f"f{bits}", type_id, _EXPONENT_BITS[bits])


int8 = _integer(_Kind.signed, 8, DALIDataType.INT8)
int16 = _integer(_Kind.signed, 16, DALIDataType.INT16)
int32 = _integer(_Kind.signed, 32, DALIDataType.INT32)
int64 = _integer(_Kind.signed, 64, DALIDataType.INT64)
uint8 = _integer(_Kind.unsigned, 8, DALIDataType.UINT8)
uint16 = _integer(_Kind.unsigned, 16, DALIDataType.UINT16)
uint32 = _integer(_Kind.unsigned, 32, DALIDataType.UINT32)
uint64 = _integer(_Kind.unsigned, 64, DALIDataType.UINT64)
float16 = _floating(16, DALIDataType.FLOAT16)
float32 = _floating(32, DALIDataType.FLOAT)
float64 = _floating(64, DALIDataType.FLOAT64)
bool = DType(_Kind.bool, 8, "bool", DALIDataType.BOOL)
bfloat16 = DType(_Kind.float, 16, "bfloat16", None, 8)
DataType = DType(_Kind.enum, 32, "DataType", DALIDataType.DATA_TYPE)
ImageType = DType(_Kind.enum, 32, "ImageType", DALIDataType.IMAGE_TYPE)
InterpType = DType(_Kind.enum, 32, "InterpType", DALIDataType.INTERP_TYPE)

_ALL = [
    int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, bool, bfloat16, DataType,
    ImageType, InterpType,
]
_BY_ID = {each.type_id: each for each in _ALL if each.type_id is not None}
_BY_NAME = {each.name.lower(): each for each in _ALL}

DTypeLike = Any
"""A DType, its name, a type of `forebay.types`, NumPy or PyTorch."""


def dtype(of: DTypeLike) -> DType:
    """The element type of a DType, a name, a type of `forebay.types` or of a framework."""
    if isinstance(of, DType):
        return of
    if isinstance(of, DALIDataType):
        return DType.from_type_id(of)
    if isinstance(of, str):
        return DType.parse(of)
    if of is int or of is float:
        raise TypeError(f"Python's {of.__name__} has no size: give a type such as ndd.int32 or ndd.float32")
    return DType.from_fw_type(of)


def type_id(of: DType | DALIDataType) -> DALIDataType | None:
    """Its number in `forebay.types`."""
    if isinstance(of, DType):
        return of.type_id
    if isinstance(of, DALIDataType):
        return of
    raise InvalidError(f"{of!r} is no element type")
