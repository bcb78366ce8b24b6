"""TIFFs made by hand, for `format_parity.py` and `test_formats.py`."""

from __future__ import annotations

import struct
import zlib

import numpy as np

TIFF_SHORTS = {258, 259, 262, 277, 339}  # tags whose numbers have 16 bits


def tiff(values, bits, *, meaning=None, is_float=False, tile=0, rows=10, coding=1, is_big=False, order="<", strip=b""):
    """`values`: samples of that many bits, height x width x channels; `coding` 8 deflates them. `strip`: the whole
    picture as another coding has it."""
    height, width, channels = values.shape
    side = tile or 1
    padded = np.zeros((-(-height // side) * side, -(-width // side) * side, channels), values.dtype)
    padded[:height, :width] = values
    if tile:
        parts = [padded[y : y + tile, x : x + tile] for y in range(0, height, tile) for x in range(0, width, tile)]
    else:
        parts = [values[y : y + rows] for y in range(0, height, rows)]
    pieces = [strip] if strip else [tiff_part(part, bits, is_float, coding, order) for part in parts]
    out = bytearray(16 if is_big else 8)
    offsets = []
    for piece in pieces:
        offsets.append(len(out))
        out += piece + bytes(-len(piece) % 8)
    sizes = [len(piece) for piece in pieces]
    tags = {256: [width], 257: [height], 258: [bits] * channels, 259: [coding], 277: [channels],
            262: [(1 if channels < 3 else 2) if meaning is None else meaning], 339: [3 if is_float else 1] * channels}
    tags |= {322: [tile], 323: [tile], 324: offsets, 325: sizes} if tile else {
        273: offsets, 278: [height if strip else rows], 279: sizes}
    return tiff_with_directory(out, tags, is_big, order)


def tiff_part(part, bits, is_float, coding, order):
    """The data of a strip or tile."""
    if bits == 24:
        wide = part.astype(f"{order}u4").reshape(-1, 1).view(np.uint8)
        data = (wide[:, :3] if order == "<" else wide[:, 1:]).tobytes()
    elif bits % 8 == 0:
        data = part.astype(f"{order}{'f' if is_float else 'u'}{bits // 8}").tobytes()
    else:
        each = np.unpackbits(part.astype(">u2").reshape(len(part), -1, 1).view(np.uint8), axis=2)[:, :, 16 - bits :]
        data = np.packbits(each.reshape(len(part), -1), axis=1).tobytes()
    return zlib.compress(data) if coding == 8 else data


def tiff_with_directory(out, tags, is_big, order):
    """Puts the directory behind the data, and where it is at the beginning."""
    place, field = ("Q", 8) if is_big else ("I", 4)
    entries = b""
    for tag, numbers in sorted(tags.items()):
        kind, form = (3, "H") if tag in TIFF_SHORTS else (4, "I")
        body = struct.pack(f"{order}{len(numbers)}{form}", *numbers)
        if len(body) > field:
            out += bytes(-len(out) % 8)
            at = len(out)
            out += body
            body = struct.pack(order + place, at)
        entries += struct.pack(f"{order}HH{place}", tag, kind, len(numbers)) + body.ljust(field, b"\0")
    out += bytes(-len(out) % 8)
    at = len(out)
    out += struct.pack(order + ("Q" if is_big else "H"), len(tags)) + entries + bytes(field)
    head = struct.pack(order + ("HHHQ" if is_big else "HI"), *((43, 8, 0, at) if is_big else (42, at)))
    return (b"II" if order == "<" else b"MM") + head + bytes(out[2 + len(head) :])
