"""DALI's parallel external sources."""

import pathlib
import sys

ENVIRONMENT = "dali"
sys.path.insert(0, str(pathlib.Path(__file__).parent / "work"))

import fed  # noqa: E402
import nvidia.dali as dali  # noqa: E402
import nvidia.dali.fn  # noqa: E402, F401

if __name__ == "__main__":
    fed.measure(dali, {"nvidia-dali": dali.__version__})
