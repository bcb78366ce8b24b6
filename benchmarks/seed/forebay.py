"""Forebay's arrays under MXNet's names, as scripts for MXNet find them: its workers are as many as the row's threads."""

import os
import pathlib
import sys

import contender

ENVIRONMENT = "forebay"
TASK = contender.read_task()
os.environ["FOREBAY_ARRAY_WORKERS"] = str(TASK["row"]["threads"])
sys.path.insert(0, str(pathlib.Path(__file__).parent / "work"))

import experiments  # noqa: E402
import forebay  # noqa: E402
from forebay.compat import mxnet  # noqa: E402

if __name__ == "__main__":
    contender.deliver(TASK, {"versions": {"forebay": forebay.__version__}, **experiments.measure(mxnet, TASK)})
