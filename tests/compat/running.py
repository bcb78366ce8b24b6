"""Runs all cases by a given Python, in a process of its own. Where a case ends the process, that is noted, and the rest
run in another."""

from __future__ import annotations

import json
import pathlib
import subprocess
from typing import Any

RUNNER = pathlib.Path(__file__).resolve().parent / "runner.py"
DIED = {"died": True}
PATIENCE_S = 240


def _run(command: list[str], output: pathlib.Path) -> str:
    """What the process has printed, where it did not end well."""
    with output.with_suffix(".txt").open("wb") as log:
        try:
            status = subprocess.run(
                [*command, str(RUNNER), str(output)], stdout=log, stderr=log, timeout=PATIENCE_S
            ).returncode
        except subprocess.TimeoutExpired:
            status = -1
    return "" if status == 0 else output.with_suffix(".txt").read_text(errors="replace") or f"status {status}"


def outcomes_by(command: list[str], folder: pathlib.Path) -> dict[str, Any]:
    """{id: outcome} of every case, by `command`, which runs a script that is appended to it."""
    output = folder / "outcomes.jsonl"
    while printed := _run(command, output):
        text = output.read_text() if output.exists() else ""
        if not text or text.endswith("\n"):
            raise RuntimeError(f"the cases do not run:\n{printed[-4000:]}")
        with output.open("a") as file:
            file.write(json.dumps(DIED) + "]\n")
    return dict(json.loads(line) for line in output.read_text().splitlines())
