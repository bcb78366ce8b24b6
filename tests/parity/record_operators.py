"""Records what DALI makes of `operator_cases.py`, and OpenCV of what DALI runs on a GPU alone: run with DALI's Python.

    python record_operators.py [operators.npz]
"""

from __future__ import annotations

import json
import pathlib
import sys
import warnings

import numpy as np
import nvidia.dali
import nvidia.dali.fn
import nvidia.dali.math
import nvidia.dali.types

import opencv_operators
from operator_cases import CASES, run


def main() -> None:
    warnings.simplefilter("ignore")
    nvidia.dali.Pipeline = nvidia.dali.pipeline.Pipeline
    target = sys.argv[1] if len(sys.argv) > 1 else str(pathlib.Path(__file__).parent / "operators.npz")
    data = bytearray()
    results: dict[str, dict] = {}
    for case in CASES:
        try:
            batch, layout = opencv_operators.run(case) if case.reference == "opencv" else run(nvidia.dali, case)
        except Exception as error:  # the name of the case is what one needs to know
            raise RuntimeError(f"case {case.name!r}") from error
        samples = []
        for sample in batch:
            samples.append({"shape": sample.shape, "dtype": sample.dtype.name, "offset": len(data)})
            data += sample.tobytes()
        results[case.name] = {"layout": layout, "samples": samples}
    about = json.dumps({"dali": nvidia.dali.__version__, "results": results})
    np.savez_compressed(target, about=np.frombuffer(about.encode(), np.uint8), data=np.frombuffer(data, np.uint8))


if __name__ == "__main__":
    main()
