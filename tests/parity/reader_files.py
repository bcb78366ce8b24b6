"""Files of data sets made by hand, for `reader_cases.py`: what their own programs would write, byte for byte enough."""

from __future__ import annotations

import struct

PAGE = 4096


def varint(value: int) -> bytes:
    out = bytearray()
    value &= 0xFFFFFFFFFFFFFFFF
    while True:
        out.append((value & 0x7F) | (0x80 if value > 0x7F else 0))
        value >>= 7
        if not value:
            return bytes(out)


def field(number: int, payload: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def number_field(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def datum(data: bytes, label: int, shape: tuple[int, int, int] | None = None) -> bytes:
    """Caffe's; with a shape (height, width, channels) the data are pixels."""
    out = b""
    if shape is not None:
        height, width, channels = shape
        out = number_field(1, channels) + number_field(2, height) + number_field(3, width)
    return out + field(4, data) + number_field(5, label) + number_field(7, shape is None)


def tensor_proto(kind: str, values) -> bytes:
    """One of Caffe2's tensors: "string", "byte" (an array), "int32", "float", "int64"."""
    if kind == "string":
        return number_field(2, 4) + field(6, values)
    if kind == "byte":
        dims = b"".join(number_field(1, extent) for extent in values.shape)
        return dims + number_field(2, 3) + field(5, values.tobytes())
    dims = number_field(1, len(values))
    if kind == "float":
        return dims + number_field(2, 1) + field(3, struct.pack(f"<{len(values)}f", *values))
    place, dtype = {"int32": (4, 2), "int64": (10, 10)}[kind]
    return dims + number_field(2, dtype) + field(place, b"".join(varint(value) for value in values))


def tensor_protos(*protos: bytes) -> bytes:
    return b"".join(field(1, proto) for proto in protos)


MAGIC = 0xCED7230A


def recordio(data: bytes) -> bytes:
    """A record; it is cut into parts where the magic word stands in it, as dmlc-core does at multiples of four."""
    magic = struct.pack("<I", MAGIC)
    parts, begin = [], 0
    for place in range(0, len(data) - 3, 4):
        if data[place : place + 4] == magic:
            parts.append(data[begin:place])
            begin = place + 4
    parts.append(data[begin:])
    out = b""
    for i, part in enumerate(parts):
        position = 0 if len(parts) == 1 else 1 if i == 0 else 3 if i == len(parts) - 1 else 2
        out += magic + struct.pack("<I", position << 29 | len(part)) + part + b"\0" * (-len(part) % 4)
    return out


def image_record(picture: bytes, labels: float | list[float]) -> bytes:
    many = isinstance(labels, list)
    head = struct.pack("<IfQQ", len(labels) if many else 0, 0 if many else labels, 5, 0)
    return head + (struct.pack(f"<{len(labels)}f", *labels) if many else b"") + picture


def lmdb(items: dict[bytes, bytes]) -> bytes:
    """An LMDB database: data.mdb of one committed transaction."""
    file = bytearray(2 * PAGE)
    overflow = 0

    def leaf_node(key: bytes, value: bytes) -> bytes:
        nonlocal overflow
        large = 8 + len(key) + len(value) > PAGE // 2 - 8
        body = value
        if large:
            number, count = len(file) // PAGE, (16 + len(value) + PAGE - 1) // PAGE
            file.extend((struct.pack("<QHHI", number, 0, 4, count) + value).ljust(count * PAGE, b"\0"))
            body = struct.pack("<Q", number)
            overflow += count
        return struct.pack("<IHH", len(value), large, len(key)) + key + body

    def pages_of(nodes: list[tuple[bytes, bytes]], flags: int) -> list[tuple[bytes, int]]:
        made: list[tuple[bytes, int]] = []
        rest = list(nodes)
        while rest:
            page, lower, upper = bytearray(PAGE), 16, PAGE
            first = rest[0][0]
            while rest:
                node = rest[0][1]
                room = len(node) + len(node) % 2
                if upper - lower < room + 2:
                    break
                upper -= room
                page[upper : upper + len(node)] = node
                struct.pack_into("<H", page, lower, upper)
                lower += 2
                rest.pop(0)
            number = len(file) // PAGE
            struct.pack_into("<QHHHH", page, 0, number, 0, flags, lower, upper)
            file.extend(page)
            made.append((first, number))
        return made

    pages = pages_of([(key, leaf_node(key, items[key])) for key in sorted(items)], 2)
    leaves, branches, depth = len(pages), 0, min(1, len(pages))
    while len(pages) > 1:
        nodes = []
        for i, (key, number) in enumerate(pages):
            shown = b"" if i == 0 else key  # the first one is less than all
            nodes.append((key, struct.pack("<IHH", number & 0xFFFFFFFF, number >> 32, len(shown)) + shown))
        pages = pages_of(nodes, 1)
        branches += len(pages)
        depth += 1
    none = 0xFFFFFFFFFFFFFFFF
    root = pages[0][1] if pages else none
    last = len(file) // PAGE - 1
    free = struct.pack("<IHHQQQQQ", PAGE, 8, 0, 0, 0, 0, 0, none)
    for number in (0, 1):
        tree = struct.pack("<IHHQQQQQ", 0, 0, depth, branches, leaves, overflow, len(items), root)
        if number == 0:
            tree = struct.pack("<IHHQQQQQ", 0, 0, 0, 0, 0, 0, 0, none)
        head = struct.pack("<QHHHHIIQQ", number, 0, 8, 0, 0, 0xBEEFC0DE, 1, 0, 1 << 30)
        meta = head + free + tree + struct.pack("<QQ", last if number else 1, number)
        file[number * PAGE : number * PAGE + len(meta)] = meta
    return bytes(file)
