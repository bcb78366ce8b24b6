"""NVIDIA DALI's readers on CPU."""

import nvidia.dali as dali
import nvidia.dali.fn
import nvidia.dali.tfrecord  # noqa: F401
import reading

ENVIRONMENT = "dali"

if __name__ == "__main__":
    reading.measure(dali, {"nvidia-dali": dali.__version__})
