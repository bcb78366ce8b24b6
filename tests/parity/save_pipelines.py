"""Saves pipelines with DALI, and runs some from what it saved: run with DALI's Python.

    python save_pipelines.py ROOT OUT.json        ROOT holds the files that they read
"""

from __future__ import annotations

import base64
import json
import pathlib
import sys
import warnings
from typing import Any

import numpy as np
import nvidia.dali
import nvidia.dali.fn
import nvidia.dali.math
import nvidia.dali.ops
import nvidia.dali.tfrecord
import nvidia.dali.types

import image_cases
import operator_cases
import reader_cases
import saved_cases


def _row(array: np.ndarray) -> list[Any]:
    return [list(array.shape), array.dtype.name, base64.b64encode(array.tobytes()).decode()]


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _ran(saved: bytes, case: saved_cases.Case) -> list[Any]:
    loaded = nvidia.dali.Pipeline.deserialize(saved)
    batches = saved_cases.outputs_of(loaded, case.feeds)
    return [[[_row(array) for array in output] for output in batch] for batch in batches]


def _saved_and_ran(root: pathlib.Path) -> dict[str, Any]:
    rows = {}
    for name, case in saved_cases.CASES.items():
        saved = case.build(nvidia.dali, root).serialize()
        rows[name] = {"saved": _text(saved), "batches": _ran(saved, case)}
    return rows


def main() -> None:
    warnings.simplefilter("ignore")
    nvidia.dali.Pipeline = nvidia.dali.pipeline.Pipeline
    nvidia.dali.newaxis = nvidia.dali.data_node.newaxis
    root = pathlib.Path(sys.argv[1])
    operators = {
        case.name: _text(operator_cases.build(nvidia.dali, case).serialize())
        for case in (*operator_cases.CASES, *image_cases.CASES)
        if case.reference == "dali"
    }
    readers = {name: _text(reader_cases.build(nvidia.dali, name, root).serialize()) for name in reader_cases.CASES}
    content = {"pipelines": _saved_and_ran(root), "operators": operators, "readers": readers}
    pathlib.Path(sys.argv[2]).write_text(json.dumps(content))


if __name__ == "__main__":
    main()
