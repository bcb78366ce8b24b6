"""Records what DALI's PyTorch iterator makes of `iterator_cases.py`: run with a Python that has DALI and PyTorch.

    python record_iterators.py [iterators.json]
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile

import nvidia.dali
import nvidia.dali.fn
from iterator_cases import CASES, make_data, run
from nvidia.dali.plugin.pytorch import DALIGenericIterator, LastBatchPolicy

if __name__ == "__main__":
    nvidia.dali.Pipeline = nvidia.dali.pipeline.Pipeline
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "iterators.json")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        make_data(root)
        results = {case.name: run(nvidia.dali, DALIGenericIterator, LastBatchPolicy, case, root) for case in CASES}
    target.write_text(json.dumps({"dali": nvidia.dali.__version__, "results": results}, separators=(",", ":")) + "\n")
