"""MDS shards as MosaicML's streaming writes them, for `record_mds.py`, and which columns of them are read."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

SAMPLES = 23
COLUMNS = {
    "bytes": "bytes", "str": "str", "int": "int", "json": "json", "number": "str_int", "real": "str_float",
    "any": "ndarray", "typed": "ndarray:float32", "fixed": "ndarray:int16:2,3", "pil": "pil", "gray": "pil",
    "png": "png", "jpeg": "jpeg",
    **{f"{kind}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": f"float{bits}" for bits in (16, 32, 64)},
}
# Folder and how it is written.
SETS: dict[str, dict[str, Any]] = {
    "plain": {},
    "hashed": {"hashes": ["sha1", "sha3_256", "xxh128", "xxh64"]},
    **{name.replace(":", "_"): {"compression": name, "hashes": ["blake2b", "xxh3_64"]}
       for name in ("zstd:3", "gz:6", "br:4", "snappy", "bz2:9")},
}


def sample(i: int) -> dict[str, Any]:
    from PIL import Image

    draw = np.random.RandomState(i)
    image = draw.randint(0, 256, (4 + i % 3, 5, 3)).astype("u1")
    values: dict[str, Any] = {
        "bytes": bytes(range(i)), "str": "é" * (i % 5), "int": i - 10, "json": {"i": [i, None]},
        "number": i * 10**12, "real": i / 7, "any": draw.randint(0, 9, (1 + i % 3, 2)).astype(("u1", "i8", "f8")[i % 3]),
        "typed": draw.rand(1 + i, 1).astype("f4"), "fixed": draw.randint(-9, 9, (2, 3)).astype("i2"),
        "pil": Image.fromarray(image), "gray": Image.fromarray(image[:, :, 0]), "png": Image.fromarray(image),
        "jpeg": Image.fromarray(image),
    }
    for name, encoding in COLUMNS.items():
        if name not in values:
            values[name] = np.dtype(encoding).type(i * 3)
    return values


def make_sets(folder: pathlib.Path) -> None:
    """Writes all data sets; needs MosaicML's streaming."""
    from streaming import MDSWriter

    for name, options in SETS.items():
        with MDSWriter(out=str(folder / name), columns=COLUMNS, size_limit=6000, **options) as writer:
            for i in range(SAMPLES):
                writer.write(sample(i))
