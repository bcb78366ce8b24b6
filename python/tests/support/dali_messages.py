"""Writes pipelines as DALI saves them, field by field, so that tests can say anything in one."""

from __future__ import annotations

import struct
from typing import Any, Sequence

CPU_ONLY = -99999


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    groups = bytearray()
    while number >= 0x80:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*groups, number])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def real(field: int, value: float) -> bytes:
    return varint(field << 3 | 5) + struct.pack("<f", value)


def block(field: int, content: bytes | str) -> bytes:
    """Text, or a message."""
    data = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(data)) + data


def argument(name: str, value: Any, kind: str | None = None) -> bytes:
    """As DALI writes it: each element of a list is a message of its own."""
    if isinstance(value, (list, tuple)):
        parts = b"".join(block(7, argument(f"element {place}", item)) for place, item in enumerate(value))
        return block(1, name) + block(2, kind or "int64") + parts + number(8, 1)
    if isinstance(value, bool):
        kind, content = kind or "bool", number(6, value)
    elif isinstance(value, int):
        kind, content = kind or "int64", number(4, value)
    elif isinstance(value, float):
        kind, content = kind or "float", real(3, value)
    else:
        kind, content = kind or "string", block(5, value)
    return block(1, name) + block(2, kind) + content + number(8, 0)


def tensor(name: str, device: str = "cpu", as_argument: str = "", dtype: int = -1, ndim: int = -1) -> bytes:
    message = block(1, name) + block(2, device) + number(3, bool(as_argument))
    return message + (block(4, as_argument) if as_argument else b"") + number(5, dtype) + number(6, ndim)


def operator(
    schema: str, name: str, inputs: Sequence[str] = (), outputs: Sequence[str] = (), device: str = "cpu",
    tensors: dict[str, str] | None = None, **arguments: Any,
) -> bytes:
    """`tensors` are the arguments that tensors give."""
    rows = [block(2, tensor(one, device)) for one in inputs]
    rows += [block(2, tensor(one, as_argument=key)) for key, one in (tensors or {}).items()]
    rows += [block(3, tensor(one, device)) for one in outputs or [name]]
    rows += [block(4, argument(key, value)) for key, value in {"device": device, **arguments}.items()]
    return block(1, schema) + b"".join(rows) + block(5, name)


def source(name: str, **arguments: Any) -> bytes:
    return operator("ExternalSource", name, repeat_last=False, preserve_name=True, **arguments)


def pipeline(operators: Sequence[bytes], outputs: Sequence[str], more: bytes = b"") -> bytes:
    rows = [block(5, one) for one in operators] + [block(7, tensor(one)) for one in outputs]
    return number(1, 2) + number(2, 3) + b"".join(rows) + number(8, CPU_ONLY) + more
