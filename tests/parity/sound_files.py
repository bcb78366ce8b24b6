"""Sound for tests: waves as arrays, WAV files of every kind as bytes, and the few files of other formats that lie in
`sounds/`, which libsndfile 1.2 has made of `tones()`.
"""

from __future__ import annotations

import pathlib
import struct

import numpy as np

SOUNDS = pathlib.Path(__file__).parent / "sounds"


def tones(frames: int, channels: int = 1, seed: int = 0) -> np.ndarray:
    """Two tones and some noise for each channel, within full scale; float64 of shape (frames, channels)."""
    random = np.random.default_rng(seed)
    time = np.arange(frames)[:, None] * (1 + 0.2 * np.arange(channels))
    waves = 0.5 * np.sin(0.05 * time) + 0.3 * np.sin(0.8 * time)
    return np.clip(waves + random.normal(0, 0.02, waves.shape), -1, 1)


def _samples(waves: np.ndarray, kind: str) -> bytes:
    if kind == "u8":
        return (np.rint(waves * 127) + 128).astype(np.uint8).tobytes()
    if kind == "s24":
        wide = np.rint(waves * (2**23 - 1)).astype("<i4")
        return wide.reshape(-1, 1).view(np.uint8)[:, :3].tobytes()
    if kind in ("s16", "s32"):
        bits = int(kind[1:])
        return np.rint(waves * (2 ** (bits - 1) - 1)).astype(f"<i{bits // 8}").tobytes()
    return waves.astype({"f32": "<f4", "f64": "<f8"}[kind]).tobytes()


def wav(waves: np.ndarray, rate: int = 16000, kind: str = "s16") -> bytes:
    """A WAV file of waves of shape (frames, channels), of kind u8, s16, s24, s32, f32 or f64."""
    bits = int(kind[1:])
    width = waves.shape[1] * bits // 8
    data = _samples(waves, kind)
    header = struct.pack("<HHIIHH", 3 if kind[0] == "f" else 1, waves.shape[1], rate, rate * width, width, bits)
    chunks = b"fmt " + struct.pack("<I", len(header)) + header + b"data" + struct.pack("<I", len(data)) + data
    chunks += b"\0" * (len(data) % 2)
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def encoded(data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.uint8)


def kept(name: str) -> np.ndarray:
    """The bytes of a file of `sounds/`."""
    return encoded((SOUNDS / name).read_bytes())
