"""MXNet 1.9.1: its threads are as many as the row's."""

import os
import pathlib
import sys

import contender

ENVIRONMENT = "mxnet"
TASK = contender.read_task()
os.environ["OMP_NUM_THREADS"] = str(TASK["row"]["threads"])
sys.path.insert(0, str(pathlib.Path(__file__).parent / "work"))

import experiments  # noqa: E402
import mxnet  # noqa: E402

if __name__ == "__main__":
    contender.deliver(TASK, {"versions": {"mxnet": mxnet.__version__}, **experiments.measure(mxnet, TASK)})
