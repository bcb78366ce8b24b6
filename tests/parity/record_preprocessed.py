"""Records what DALI's readers.coco saves and reads of the data of `preprocessed_cases.py`: run with DALI's Python.

    python record_preprocessed.py [preprocessed.json]
    python record_preprocessed.py --read FOLDER     # prints what DALI reads of FOLDER/CASE, which others have saved
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile

import nvidia.dali
import nvidia.dali.fn
from preprocessed_cases import CASES, make_data, read, save

if __name__ == "__main__":
    nvidia.dali.Pipeline = nvidia.dali.pipeline.Pipeline
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary) / "data"
        make_data(root)
        if sys.argv[1:2] == ["--read"]:
            print(json.dumps({name: read(nvidia.dali, name, root, pathlib.Path(sys.argv[2]) / name) for name in CASES}))
        else:
            target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "preprocessed.json")
            results = {}
            for name in CASES:
                folder = pathlib.Path(temporary) / name
                files = save(nvidia.dali, name, root, folder)
                results[name] = {"files": files, "samples": read(nvidia.dali, name, root, folder)}
            target.write_text(json.dumps({"dali": nvidia.dali.__version__, "results": results}, separators=(",", ":")))
