"""NVIDIA DALI on the CPU, as its SSD example has it."""

import pathlib
import sys

import contender
import nvidia.dali as dali
from nvidia.dali import fn, types

sys.path.append(str(pathlib.Path(__file__).parent / "work"))
import ssd  # noqa: E402

ENVIRONMENT = "dali"


def open_loader(work):
    train = dali.pipeline_def(ssd.outputs)
    pipe = train(fn, types, work, batch_size=work.batch_size, num_threads=work.threads, device_id=None, seed=1)
    return ssd.open_loader(pipe, work)


if __name__ == "__main__":
    contender.loader(open_loader, lambda: {"nvidia-dali": dali.__version__})
