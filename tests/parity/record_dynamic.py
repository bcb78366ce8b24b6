"""What DALI's dynamic mode makes of `operator_cases.py` and `dynamic_cases.py`: run with DALI's Python.

    python record_dynamic.py operators.npz behaviour.json
"""

from __future__ import annotations

import json
import sys
import warnings

import numpy as np
import nvidia.dali
import nvidia.dali.experimental.dynamic as ndd
import nvidia.dali.types as types

import dynamic_cases
from dynamic_run import can_run, run
from operator_cases import CASES


def record_operators(target: str) -> None:
    data = bytearray()
    results: dict[str, dict] = {}
    for case in CASES:
        if case.reference != "dali" or not can_run(ndd, case):
            continue
        try:
            batch, layout = run(ndd, types, case)
        except Exception as error:  # DALI cannot run it so
            results[case.name] = {"error": f"{type(error).__name__}: {error}"[:300]}
            continue
        samples = []
        for sample in batch:
            samples.append({"shape": sample.shape, "dtype": sample.dtype.name, "offset": len(data)})
            data += sample.tobytes()
        results[case.name] = {"layout": layout, "samples": samples}
    about = json.dumps({"dali": nvidia.dali.__version__, "results": results})
    np.savez_compressed(target, about=np.frombuffer(about.encode(), np.uint8), data=np.frombuffer(data, np.uint8))


def main() -> None:
    warnings.simplefilter("ignore")
    record_operators(sys.argv[1])
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump({"dali": nvidia.dali.__version__, "results": dynamic_cases.run_all(ndd, types)}, file, indent=1)


if __name__ == "__main__":
    main()
