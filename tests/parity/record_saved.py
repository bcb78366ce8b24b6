"""Records pipelines as DALI saves them, and what DALI gives that reads them again: run with DALI's Python.

    python record_saved.py [saved.npz]

What reads files is not among them: `save_pipelines.py` saves such pipelines live.
"""

from __future__ import annotations

import json
import pathlib
import sys
import warnings
from typing import Any

import numpy as np
import nvidia.dali
import nvidia.dali.fn
import nvidia.dali.math
import nvidia.dali.types
from nvidia.dali._utils import dali_trace

import operator_cases
import saved_cases


class _Recording:
    def __init__(self) -> None:
        self._data = bytearray()

    def row(self, saved: bytes, outputs: list[tuple[list[np.ndarray], str]]) -> dict[str, Any]:
        """What stands for a pipeline: its bytes, and of each output the layout and the samples."""
        return {
            "saved": self._put(np.frombuffer(saved, np.uint8)),
            "outputs": [{"layout": layout, "samples": [self._put(sample) for sample in batch]} for batch, layout in outputs],
        }

    def _put(self, array: np.ndarray) -> dict[str, Any]:
        place = {"shape": array.shape, "dtype": array.dtype.name, "offset": len(self._data)}
        self._data += array.tobytes()
        return place

    def write(self, target: str, **rows: Any) -> None:
        about = json.dumps({"dali": nvidia.dali.__version__, **rows})
        np.savez_compressed(target, about=np.frombuffer(about.encode(), np.uint8), data=np.frombuffer(self._data, np.uint8))


def main() -> None:
    warnings.simplefilter("ignore")
    dali_trace.set_tracing(enabled=False)  # a saved pipeline holds the paths and lines of its script otherwise
    nvidia.dali.Pipeline = nvidia.dali.pipeline.Pipeline
    nvidia.dali.newaxis = nvidia.dali.data_node.newaxis
    target = sys.argv[1] if len(sys.argv) > 1 else str(pathlib.Path(__file__).parent / "saved.npz")
    recording = _Recording()
    pipelines = {}
    for name in saved_cases.WITHOUT_FILES:
        case = saved_cases.CASES[name]
        saved = case.build(nvidia.dali, pathlib.Path()).serialize()
        pipelines[name] = recording.row(saved, saved_cases.first_of(nvidia.dali.Pipeline.deserialize(saved), case.feeds))
    operators = {}
    for case in saved_cases.operators():
        saved = operator_cases.build(nvidia.dali, case).serialize()
        loaded = nvidia.dali.Pipeline.deserialize(saved)
        operators[case.name] = recording.row(saved, saved_cases.first_of(loaded, saved_cases.feeds_of(case)))
    recording.write(target, pipelines=pipelines, operators=operators)


if __name__ == "__main__":
    main()
