"""DALI in a process of its own that is asked for one case after another; one that ends is followed by another."""

from __future__ import annotations

import contextlib
import os
import pathlib
import select
import subprocess
import time
from typing import Any

import case_messages
from case_messages import Outputs
from operator_cases import Case

START_S = 120.0
CASE_S = 20.0
"""Who has not answered by then has hung; a case takes some milliseconds."""


class AskedDali:
    """What DALI makes of cases, whatever becomes of its process."""

    def __init__(self, python: str) -> None:
        self.python = python
        self.process: subprocess.Popen[bytes] | None = None

    def outputs(self, case: Case) -> Outputs | str | None:
        """All outputs of the case; DALI's error; or None where its process ended, or hung and was ended."""
        try:
            if self.process is None:
                self._start()
            self._input().write(case_messages.of_case(case))
            self._input().flush()
            head, arrays = self._received(CASE_S)
        except (EOFError, BrokenPipeError, TimeoutError):
            self.close()
            return None
        return str(head["error"]) if "error" in head else case_messages.to_outputs(head, arrays)

    def close(self) -> None:
        if self.process is None:
            return
        process, self.process = self.process, None
        process.kill()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        process.wait(START_S)

    def _start(self) -> None:
        command = [self.python, "-W", "ignore", str(pathlib.Path(__file__).parent / "answer_cases.py")]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        try:
            self._received(START_S)
        except (EOFError, TimeoutError) as error:
            self.close()
            raise RuntimeError(f"DALI does not start; what it says: {' '.join(command)}") from error

    def _input(self) -> Any:
        return self.process.stdin

    def _received(self, patience: float) -> Any:
        limit = time.monotonic() + patience
        file = self.process.stdout.fileno()
        ready = select.poll()  # select.select() takes no descriptor above 1023
        ready.register(file, select.POLLIN)

        def read(count: int) -> bytes:
            data = bytearray()
            while len(data) < count:
                if not ready.poll(1000 * max(0, limit - time.monotonic())):
                    raise TimeoutError
                part = os.read(file, count - len(data))
                if not part:
                    raise EOFError
                data += part
            return bytes(data)

        return case_messages.received(read)
