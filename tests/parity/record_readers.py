"""Records what DALI's readers give of the data set of `reader_cases.py`: run with DALI's Python.

    python record_readers.py [readers.json]
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile

import nvidia.dali
import nvidia.dali.fn
import nvidia.dali.tfrecord
from reader_cases import CASES, make_data, run

if __name__ == "__main__":
    nvidia.dali.Pipeline = nvidia.dali.pipeline.Pipeline
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "readers.json")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        make_data(root)
        results = {name: run(nvidia.dali, name, root) for name in CASES}
    target.write_text(json.dumps({"dali": nvidia.dali.__version__, "results": results}, separators=(",", ":")))
