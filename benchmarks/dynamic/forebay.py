"""Forebay's dynamic mode; its workers are as many as the row's threads."""

import os
import pathlib
import sys

import contender

ENVIRONMENT = "forebay"
TASK = contender.read_task()
os.environ["FOREBAY_ARRAY_WORKERS"] = str(TASK["row"]["threads"])
sys.path.insert(0, str(pathlib.Path(__file__).parent / "work"))

import calls  # noqa: E402
import forebay  # noqa: E402
import forebay.dynamic  # noqa: E402

if __name__ == "__main__":
    calls.measure(forebay.dynamic, lambda: {"forebay": forebay.__version__})
