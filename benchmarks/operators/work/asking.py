"""A contender's process as the run sees it: asked by lines, started again when it ended, waited for a while only."""

from __future__ import annotations

import json
import os
import pathlib
import selectors
import subprocess
import tempfile
from typing import Any

import environments

LIMIT_S = 120


class Ended(RuntimeError):
    """The process ended, or did not answer in time, instead of answering."""


class Contender:
    """One library's process, on one core."""

    def __init__(self, name: str, command: list[str]) -> None:
        core = sorted(os.sched_getaffinity(0))[-1]
        self.name = name
        self._command = ["taskset", "-c", str(core), *command]
        self._process: subprocess.Popen[str] | None = None
        self._folder = tempfile.TemporaryDirectory()
        self._said = pathlib.Path(self._folder.name) / name
        self.versions: dict[str, str] = {}

    def ask(self, **question: Any) -> dict[str, Any]:
        """The answer; RuntimeError with what the library said, Ended if the process is there no more."""
        if self._process is None:
            self._start()
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise RuntimeError(str(answer["error"]).splitlines()[0])
        return answer

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _start(self) -> None:
        with open(self._said, "w") as said:
            self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said,
                                             text=True, env=environments.quiet())
        self.versions = self._answer()

    def _answer(self) -> dict[str, Any]:
        """One line; a contender writes whole lines."""
        process = self._process
        assert process is not None and process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            line = process.stdout.readline() if selector.select(LIMIT_S) else None
        if line:
            found: dict[str, Any] = json.loads(line)
            return found
        self.close()
        if line is None:
            raise Ended(f"no answer within {LIMIT_S} s")
        how = f"signal {-process.returncode}" if process.returncode < 0 else f"status {process.returncode}"
        said = self._said.read_text(errors="replace").strip().splitlines()
        raise Ended(f"the process ended by itself: {said[-1][:200] if said else how}")
