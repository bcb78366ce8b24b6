"""Records what DALI's autoserialize writes for autoserialized_model.py, and what DALI gives that reads it again: run with
DALI's Python.

    python record_autoserialized.py [autoserialized.json]
"""

from __future__ import annotations

import base64
import json
import pathlib
import sys
import tempfile
import warnings
from typing import Any

import numpy as np
import nvidia.dali
from nvidia.dali._utils import autoserialize, dali_trace

import autoserialized_cases

HERE = pathlib.Path(__file__).parent


def row(sample: np.ndarray) -> dict[str, Any]:
    return {"shape": sample.shape, "dtype": sample.dtype.name, "data": base64.b64encode(sample.tobytes()).decode()}


def main() -> None:
    warnings.simplefilter("ignore")
    dali_trace.set_tracing(enabled=False)  # a saved pipeline holds the paths and lines of its script otherwise
    import autoserialized_model

    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "model.dali"
        autoserialize.invoke_autoserialize(autoserialized_model, str(file))
        saved = file.read_bytes()
    loaded = nvidia.dali.pipeline.Pipeline.deserialize(saved)
    outputs = [[row(sample) for sample in samples] for samples in autoserialized_cases.run(loaded)]
    content = {"dali": nvidia.dali.__version__, "saved": base64.b64encode(saved).decode(), "outputs": outputs}
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "autoserialized.json"
    target.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
