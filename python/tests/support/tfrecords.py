"""TFRecord files, written by hand."""

from __future__ import annotations


def field(number: int, content: bytes) -> bytes:
    """A field of a protocol buffer that holds bytes, at most 127 of them."""
    return bytes([number << 3 | 2, len(content)]) + content


def example_of(name: str, feature: bytes) -> bytes:
    """An example of one feature; `feature`: its field of bytes, floats or integers."""
    return field(1, field(1, field(1, name.encode()) + field(2, feature)))


def _crc_of_byte(value: int) -> int:
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value


_CRCS = [_crc_of_byte(value) for value in range(256)]


def masked_crc32c(data: bytes) -> bytes:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _CRCS[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8 & 0xFFFFFFFF).to_bytes(4, "little")


def record_of(example: bytes) -> bytes:
    """One record of a file."""
    length = len(example).to_bytes(8, "little")
    return length + masked_crc32c(length) + example + masked_crc32c(example)
