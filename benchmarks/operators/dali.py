"""NVIDIA DALI's operators on the CPU."""

import pathlib
import sys

ENVIRONMENT = "dali"
sys.path.insert(0, str(pathlib.Path(__file__).parent / "work"))

import nvidia.dali as dali  # noqa: E402
import nvidia.dali.fn  # noqa: E402
import nvidia.dali.math  # noqa: E402
import nvidia.dali.types  # noqa: E402
import serving  # noqa: E402

if __name__ == "__main__":
    serving.serve(dali, {"nvidia-dali": dali.__version__})
