"""Records how what DALI draws in `draw_cases.py` is distributed, and what a formula in NumPy draws of what DALI runs on
a GPU alone: run with DALI's Python.

    python record_draws.py [draws.json]
"""

from __future__ import annotations

import json
import pathlib
import sys
import warnings

import nvidia.dali
import nvidia.dali.fn
import nvidia.dali.types
import opencv_operators
from draw_cases import CASES, limits_of, run, shares_below

SAMPLES = 20000

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    nvidia.dali.Pipeline = nvidia.dali.pipeline.Pipeline
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "draws.json")
    results = {}
    for name in CASES:
        is_on_gpu = CASES[name][0] in opencv_operators.DRAWN
        drawn = opencv_operators.drawn(*CASES[name], SAMPLES) if is_on_gpu else run(nvidia.dali, name, SAMPLES)
        limits = {number: limits_of(values) for number, values in drawn.items()}
        results[name] = {number: [limits[number], shares_below(values, limits[number])] for number, values in drawn.items()}
    about = {"dali": nvidia.dali.__version__, "samples": SAMPLES, "results": results}
    target.write_text(json.dumps(about, separators=(",", ":")))
