"""DALI's dynamic mode."""

import pathlib
import sys

ENVIRONMENT = "dali"
sys.path.insert(0, str(pathlib.Path(__file__).parent / "work"))

import calls  # noqa: E402
import nvidia.dali  # noqa: E402
import nvidia.dali.experimental.dynamic as ndd  # noqa: E402

if __name__ == "__main__":
    calls.measure(ndd, lambda: {"dali": nvidia.dali.__version__})
