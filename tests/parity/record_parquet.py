"""Writes the files of `parquet_cases.py` and what pyarrow reads of them: run with a Python that has pyarrow.

    python record_parquet.py [parquet.zip]
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile
import zipfile
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from parquet_cases import CASES, make_files


def _leaf(table: Any, path: str) -> Any:
    """The column, or a part of one, as an array with its nulls."""
    name, *parts = path.split(".")
    array = table[name].combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    for part in parts:
        if part == "key_value":
            continue  # a map's pairs
        if pa.types.is_map(array.type):
            array = pa.ListArray.from_arrays(array.offsets, array.keys if part == "key" else array.items)
        else:
            array = pa.compute.struct_field(array, part)
    return array


def _element_type(kind: Any) -> Any:
    while pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        kind = kind.value_type
    return kind


def _numpy_type(kind: Any) -> Any:
    if pa.types.is_temporal(kind):
        return np.dtype(f"int{kind.bit_width}")
    return np.dtype(kind.to_pandas_dtype())


def _filled(value: Any, fill: Any) -> Any:
    if isinstance(value, list):
        return [_filled(item, fill) for item in value]
    return fill if value is None else value


def _row(value: Any, kind: Any, fill: Any) -> list[Any]:
    element = _element_type(kind)
    if element is kind and not pa.types.is_primitive(kind):
        text = value.encode() if isinstance(value, str) else value or b""
        array = np.frombuffer(text, np.uint8)
    elif value is None and element is not kind:
        array = np.empty(0, _numpy_type(element))
    else:
        array = np.array(_filled(value, fill), _numpy_type(element))
    return [list(array.shape), array.dtype.name, array.tobytes().hex()]


def rows_of(folder: pathlib.Path, name: str) -> list[list[list[Any]]]:
    """Each row of a case: shape, type and bytes of its columns."""
    file, columns, fill = CASES[name]
    table = pq.read_table(folder / file)
    rows: list[list[list[Any]]] = [[] for _ in range(table.num_rows)]
    for column in columns:
        array = _leaf(table, column)
        if pa.types.is_temporal(array.type):
            values = array.cast(f"int{array.type.bit_width}").to_pylist()
        else:
            values = array.to_pylist()
        for row, value in zip(rows, values):
            row.append(_row(value, array.type, fill))
    return rows


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "parquet.zip")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_files(folder)
        results = {case: rows_of(folder, case) for case in CASES}
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.iterdir()):
                archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_DEFLATED)
            text = json.dumps({"pyarrow": pa.__version__, "results": results}, separators=(",", ":"))
            archive.writestr(zipfile.ZipInfo("expected.json"), text, zipfile.ZIP_DEFLATED)
