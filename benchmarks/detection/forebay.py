"""Forebay, by the script written for DALI."""

import pathlib
import sys

import contender

import forebay
from forebay import fn, pipeline_def, types

sys.path.append(str(pathlib.Path(__file__).parent / "work"))
import ssd  # noqa: E402

ENVIRONMENT = "forebay"


def open_loader(work):
    train = pipeline_def(ssd.outputs)
    return ssd.open_loader(train(fn, types, work, batch_size=work.batch_size, num_threads=work.threads, seed=1), work)


if __name__ == "__main__":
    contender.loader(open_loader, lambda: {"forebay": forebay.__version__})
