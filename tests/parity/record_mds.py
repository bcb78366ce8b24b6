"""Writes the data sets of `mds_cases.py` and what StreamingDataset reads of them: run with a Python that has MosaicML's
streaming.

    python record_mds.py [mds.zip]
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile
import zipfile
from typing import Any

import numpy as np
import streaming
from mds_cases import COLUMNS, SAMPLES, SETS, make_sets


def _array(value: Any, encoding: str) -> Any:
    if encoding == "json":
        value = json.dumps(value)
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return np.frombuffer(value, np.uint8)
    if isinstance(value, (int, float)):
        return np.array(value, np.int64 if isinstance(value, int) else np.float64)
    array = np.asarray(value)
    return array[:, :, np.newaxis] if encoding == "pil" and array.ndim == 2 else array


def rows_of(folder: pathlib.Path, name: str) -> list[list[list[Any]]]:
    """Each sample: shape, type and bytes of its columns."""
    hashes = SETS[name].get("hashes", [None])
    # What is compressed is unpacked beside itself, so another folder is read into.
    with tempfile.TemporaryDirectory() as local:
        dataset = streaming.StreamingDataset(remote=str(folder / name), local=local, batch_size=1, shuffle=False,
                                             validate_hash=hashes[0])
        rows = []
        for i in range(SAMPLES):
            arrays = [_array(dataset[i][column], encoding) for column, encoding in COLUMNS.items()]
            rows.append([[list(a.shape), a.dtype.name, a.tobytes().hex()] for a in arrays])
    return rows


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "mds.zip")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_sets(folder)
        results = {case: rows_of(folder, case) for case in SETS}
        assert all(rows == results["plain"] for rows in results.values())
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*.*")):
                if path.is_file():
                    place = zipfile.ZipInfo(path.relative_to(folder).as_posix())
                    archive.writestr(place, path.read_bytes(), zipfile.ZIP_DEFLATED)
            text = json.dumps({"streaming": streaming.__version__, "results": results["plain"]}, separators=(",", ":"))
            archive.writestr(zipfile.ZipInfo("expected.json"), text, zipfile.ZIP_DEFLATED)
