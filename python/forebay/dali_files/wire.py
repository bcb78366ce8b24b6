"""The wire format of protocol buffers: messages as dictionaries, or as what their schema makes of them.

Source: the format's public description, protobuf.dev/programming-guides/encoding. The bytes come from outside: every
length is checked before it is used, depth and number of fields have limits, and what no valid message has is refused.
Fields that the schema does not name are skipped, as the format asks.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Mapping, Union

from ..errors import InvalidError

MAX_DEPTH = 16
"""Messages inside of messages."""

MAX_FIELDS = 8_000_000
"""Of a whole file. Each takes time, and some memory: a constant of a million elements has four million of them."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_SIZES = {_FIXED64: 8, _FIXED32: 4}


def _refuse(position: int, what: str) -> InvalidError:
    return InvalidError(f"byte {position}: {what}")


def _varint(data: bytes, position: int, end: int) -> tuple[int, int]:
    """A number of 64 bits in groups of seven, the lowest first; and where it ends."""
    if position < end and data[position] < 0x80:
        return data[position], position + 1
    number = 0
    for place in range(10):
        if position + place >= end:
            raise _refuse(position, "the message ends inside of a number")
        byte = data[position + place]
        number |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            if number >= 1 << 64:
                break
            return number, position + place + 1
    raise _refuse(position, "a number has more than 64 bits")


@dataclass
class _Reading:
    """One file while it is read."""

    data: bytes
    fields_left: int = field(default_factory=lambda: MAX_FIELDS)

    def fields(self, position: int, end: int) -> Iterator[tuple[int, int, int, int, int]]:
        """Of each field of a message: number, wire type, its value where that is a varint, and where the value begins and
        ends."""
        while position < end:
            self.fields_left -= 1
            if self.fields_left < 0:
                raise _refuse(position, f"there are more than {MAX_FIELDS} fields")
            start = position
            tag, position = _varint(self.data, position, end)
            number, kind = tag >> 3, tag & 7
            if not 0 < number < 1 << 29:
                raise _refuse(start, f"a field cannot have the number {number}")
            value = 0
            begin = position
            if kind == _VARINT:
                value, position = _varint(self.data, position, end)
            elif kind == _BYTES:
                length, begin = _varint(self.data, position, end)
                position = begin + length
            elif kind in _SIZES:
                position += _SIZES[kind]
            else:
                raise _refuse(start, f"a field has the wire type {kind}, which messages of today do not have")
            if position > end:
                raise _refuse(start, f"field {number} is longer than the message that it is in")
            yield number, kind, value, begin, position


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _boolean(value: int) -> bool:
    return value != 0


def _float(data: bytes, begin: int) -> float:
    return float(struct.unpack_from("<f", data, begin)[0])


Scalar = Callable[[int], Any]
"""What a varint stands for."""

INTEGER: Scalar = _signed
BOOLEAN: Scalar = _boolean
FLOAT = "float"
TEXT = "text"
"""Text comes as `os.fsdecode` gives it: names of files may have any bytes."""


@dataclass(frozen=True)
class Field:
    """`kind` is INTEGER, BOOLEAN, FLOAT, TEXT, or the schema of a message. One that is not repeated is `default` where it
    is absent, and its last value counts."""

    name: str
    kind: Union[Scalar, str, Schema]
    repeated: bool = False
    required: bool = False
    default: Any = None


@dataclass(frozen=True)
class Schema:
    """A message: its fields by their numbers. `into` makes a value of its dictionary at once, which takes less memory."""

    name: str
    fields: dict[int, Field] = field(default_factory=dict)
    into: Callable[[Mapping[str, Any]], Any] | None = None


def _packed(reading: _Reading, kind: Union[Scalar, str, Schema], begin: int, end: int) -> list[Any]:
    """The numbers of a repeated field that are written as one."""
    values: list[Any] = []
    if kind == FLOAT:
        if (end - begin) % 4 != 0:
            raise _refuse(begin, "a list of floats is cut off")
        values.extend(struct.unpack_from(f"<{(end - begin) // 4}f", reading.data, begin))
    else:
        assert callable(kind)
        while begin < end:
            number, begin = _varint(reading.data, begin, end)
            values.append(kind(number))
    reading.fields_left -= len(values)
    if reading.fields_left < 0:
        raise _refuse(begin, f"there are more than {MAX_FIELDS} fields")
    return values


def _values(reading: _Reading, one: Field, kind: int, value: int, begin: int, end: int, depth: int) -> list[Any]:
    """The values of one field as it stands in the file: one, or several that are packed."""
    wanted = one.kind
    if isinstance(wanted, Schema) and kind == _BYTES:
        return [_message(reading, wanted, begin, end, depth + 1)]
    if wanted == TEXT and kind == _BYTES:
        return [os.fsdecode(reading.data[begin:end])]
    if wanted == FLOAT and kind == _FIXED32:
        return [_float(reading.data, begin)]
    if callable(wanted) and kind == _VARINT:
        return [wanted(value)]
    if one.repeated and kind == _BYTES and wanted != TEXT:
        return _packed(reading, wanted, begin, end)
    raise _refuse(begin, f"'{one.name}' has the wire type {kind}, which is not that of its values")


def _message(reading: _Reading, schema: Schema, begin: int, end: int, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise _refuse(begin, f"messages are nested more than {MAX_DEPTH} deep")
    found: dict[str, Any] = {one.name: [] if one.repeated else one.default for one in schema.fields.values()}
    missing = {one.name for one in schema.fields.values() if one.required}
    for number, kind, value, start, stop in reading.fields(begin, end):
        one = schema.fields.get(number)
        if one is None:
            continue
        values = _values(reading, one, kind, value, start, stop, depth)
        missing.discard(one.name)
        if one.repeated:
            found[one.name].extend(values)
        else:
            found[one.name] = values[0]
    if missing:
        raise _refuse(begin, f"a message '{schema.name}' has no '{min(missing)}'")
    return found if schema.into is None else schema.into(found)


def decode(schema: Schema, data: bytes) -> Any:
    """The message that `data` is. InvalidError, with the place, where it is none."""
    return _message(_Reading(data), schema, 0, len(data), 0)
