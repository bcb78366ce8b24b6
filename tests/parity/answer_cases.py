"""Runs cases that come through its input with DALI, and answers each through its output: run with DALI's Python."""

from __future__ import annotations

import os
import resource
import sys
import warnings
from typing import BinaryIO

import nvidia.dali
import nvidia.dali.fn
import nvidia.dali.math
import nvidia.dali.types

import case_messages
from operator_cases import run_all


def answer(asked: BinaryIO, answers: BinaryIO) -> None:
    def read(count: int) -> bytes:
        data = asked.read(count)
        if len(data) < count:
            raise EOFError
        return data

    while True:
        case = case_messages.to_case(*case_messages.received(read))
        try:
            message = case_messages.of_outputs(run_all(nvidia.dali, case))
        except Exception as error:
            message = case_messages.of_error(error)
        answers.write(message)
        answers.flush()


def main() -> None:
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nvidia.dali.Pipeline = nvidia.dali.pipeline.Pipeline
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what DALI prints is no answer
    answers.write(case_messages.packed({"dali": nvidia.dali.__version__}, []))
    answers.flush()
    try:
        answer(sys.stdin.buffer, answers)
    except EOFError:
        pass


if __name__ == "__main__":
    main()
