"""Parquet files as pyarrow writes them, for `record_parquet.py`, and which columns of them are read."""

from __future__ import annotations

import datetime
import pathlib
from typing import Any, Iterator

ROWS = 60

# File, columns, and what is to stand for null.
CASES: dict[str, tuple[str, list[str], float | None]] = {
    "numbers": ("plain.parquet", [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)], None),
    "floats, truths": ("plain.parquet", ["float16", "float32", "float64", "bool"], None),
    "text and bytes": ("plain.parquet", ["text", "bytes", "fixed", "large"], None),
    "times": ("plain.parquet", ["date", "stamp", "time"], None),
    "lists": ("lists.parquet", ["ragged", "pair", "grid", "nested"], None),
    "nulls": ("nulls.parquet", ["number", "text", "list", "truth"], 0.0),
    "parts": ("parts.parquet", ["image.bytes", "image.size.width", "keys.key_value.key"], 7.0),
    **{f"codec {codec}": (f"{codec}.parquet", ["number", "text", "list"], None)
       for codec in ("none", "snappy", "gzip", "zstd", "lz4", "brotli")},
    **{f"pages {version}, index {index}": (f"pages{version}{index}.parquet", ["number", "text", "list", "word"], None)
       for version in ("1.0", "2.0") for index in (False, True)},
    **{f"coding {coding}": (f"{coding}.parquet", columns, None)
       for coding, columns in {
           "DELTA_BINARY_PACKED": ["number", "small"], "DELTA_LENGTH_BYTE_ARRAY": ["text"],
           "DELTA_BYTE_ARRAY": ["text"], "BYTE_STREAM_SPLIT": ["real", "number"], "RLE": ["truth"]}.items()},
}


def _text(i: int) -> str:
    return f"row {i * i} é" * (i % 4)


def _table(pa: Any) -> Any:
    return pa.table({
        "number": pa.array([i * i * (-1) ** i for i in range(ROWS)], pa.int64()),
        "small": pa.array([i % 7 for i in range(ROWS)], pa.int32()),
        "real": pa.array([i / 8 for i in range(ROWS)], pa.float32()),
        "truth": pa.array([i % 3 == 0 for i in range(ROWS)]),
        "text": [_text(i) for i in range(ROWS)],
        "word": [["one", "two", "three"][i % 3] for i in range(ROWS)],
        "list": pa.array([[float(i)] * (i % 5) for i in range(ROWS)], pa.list_(pa.float32())),
    })


def _plain(pa: Any) -> Any:
    columns = {}
    for bits in (8, 16, 32, 64):
        half = 1 << (bits - 1)
        columns[f"int{bits}"] = pa.array([(-half, half - 1, i)[i % 3] for i in range(ROWS)], f"int{bits}")
        columns[f"uint{bits}"] = pa.array([(0, 2 * half - 1, i)[i % 3] for i in range(ROWS)], f"uint{bits}")
    for bits, width in ((16, "halffloat"), (32, "float"), (64, "double")):
        columns[f"float{bits}"] = pa.array([i / 4 - 3 for i in range(ROWS)], pa.float64()).cast(width)
    day = datetime.date(2020, 2, 28)
    columns["bool"] = pa.array([i % 2 == 0 for i in range(ROWS)])
    columns["text"] = pa.array([_text(i) for i in range(ROWS)])
    columns["bytes"] = pa.array([bytes(range(i)) for i in range(ROWS)], pa.binary())
    columns["fixed"] = pa.array([bytes([i, 255, 0]) for i in range(ROWS)], pa.binary(3))
    columns["large"] = pa.array([_text(i) for i in range(ROWS)], pa.large_string())
    columns["date"] = pa.array([day + datetime.timedelta(days=i) for i in range(ROWS)], pa.date32())
    columns["stamp"] = pa.array([1_600_000_000_000_000 + i for i in range(ROWS)], pa.timestamp("us"))
    columns["time"] = pa.array([i * 1000 for i in range(ROWS)], pa.time32("ms"))
    return pa.table(columns)


def _lists(pa: Any) -> Any:
    return pa.table({
        "ragged": pa.array([list(range(i % 6)) for i in range(ROWS)], pa.list_(pa.int16())),
        "pair": pa.array([[i, -i] for i in range(ROWS)], pa.list_(pa.int32(), 2)),
        "grid": pa.array([[[i + 0.5] * 3] * 2 for i in range(ROWS)], pa.list_(pa.list_(pa.float32(), 3), 2)),
        "nested": pa.array([[[i] * (1 + i % 3)] * (1 + i % 4) for i in range(ROWS)],
                           pa.large_list(pa.list_(pa.int64()))),
    })


def _nulls(pa: Any) -> Any:
    def some(values: Iterator[Any], every: int) -> list[Any]:
        return [None if i % every == 1 else value for i, value in enumerate(values)]

    return pa.table({
        "number": pa.array(some(iter(range(ROWS)), 3), pa.int32()),
        "text": pa.array(some((_text(i) for i in range(ROWS)), 4), pa.string()),
        "list": pa.array(some(([i, None, i] if i % 2 else [] for i in range(ROWS)), 5), pa.list_(pa.float64())),
        "truth": pa.array(some((i % 2 == 0 for i in range(ROWS)), 6), pa.bool_()),
    })


def _parts(pa: Any) -> Any:
    images = [None if i % 9 == 4 else {"bytes": bytes([i]) * i, "size": {"width": i, "height": None}}
              for i in range(ROWS)]
    size = pa.struct([("width", pa.int32()), ("height", pa.int32())])
    keys = [[(k, str(k)) for k in range(i % 3)] for i in range(ROWS)]
    return pa.table({
        "image": pa.array(images, pa.struct([("bytes", pa.binary()), ("size", size)])),
        "keys": pa.array(keys, pa.map_(pa.int32(), pa.string())),
    })


def make_files(folder: pathlib.Path) -> None:
    """Writes all files; needs pyarrow."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def write(name: str, table: Any, **options: Any) -> None:
        pq.write_table(table, folder / f"{name}.parquet", **options)

    table = _table(pa)
    for name, made in {"plain": _plain, "lists": _lists, "nulls": _nulls, "parts": _parts}.items():
        write(name, made(pa), row_group_size=25)
    for codec in ("none", "snappy", "gzip", "zstd", "lz4", "brotli"):
        write(codec, table, compression=codec, write_page_checksum=True, row_group_size=40)
    for version in ("1.0", "2.0"):
        for index in (False, True):
            write(f"pages{version}{index}", table, data_page_version=version, write_page_index=index,
                  data_page_size=64, write_batch_size=7, row_group_size=45)
    for coding, columns in {"DELTA_BINARY_PACKED": ["number", "small"], "DELTA_LENGTH_BYTE_ARRAY": ["text"],
                            "DELTA_BYTE_ARRAY": ["text"], "BYTE_STREAM_SPLIT": ["real", "number"],
                            "RLE": ["truth"]}.items():
        write(coding, table.select(columns), use_dictionary=False, data_page_version="2.0",
              column_encoding={column: coding for column in columns})
