"""Records the masks that pycocotools makes of `mask_cases.py`: run with a Python that has it.

    python record_masks.py [masks.json]
"""

from __future__ import annotations

import base64
import importlib.metadata
import json
import pathlib
import sys

import numpy as np
from mask_cases import cases
from pycocotools import mask

if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "masks.json")
    results = []
    for height, width, polygons in cases():
        runs = mask.merge(mask.frPyObjects(polygons, height, width))
        pixels = base64.b64encode(np.packbits(mask.decode(runs)).tobytes()).decode()
        results.append({"size": [height, width], "counts": runs["counts"].decode(), "pixels": pixels})
    about = {"pycocotools": importlib.metadata.version("pycocotools"), "results": results}
    target.write_text(json.dumps(about, separators=(",", ":")))
