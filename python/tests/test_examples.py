"""Examples run to their end, on data that they make."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(EXAMPLES / arguments[0]), *arguments[1:]], capture_output=True, text=True, timeout=300, check=False
    )


def accuracy_of(result: subprocess.CompletedProcess[str]) -> float:
    found = re.search(r"accuracy on \d+ test pictures: ([\d.]+)", result.stdout)
    assert found, result.stdout + result.stderr
    return float(found[1])


def test_a_network_of_arrays_learns() -> None:
    result = run("train_arrays.py")
    assert result.returncode == 0, result.stdout + result.stderr
    assert accuracy_of(result) >= 0.8
    assert "reached" in result.stdout


def test_an_accuracy_that_is_not_reached_is_a_failure() -> None:
    result = run("train_arrays.py", "--photos", "64", "--epochs", "1", "--accuracy", "1.01")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "not reached" in result.stdout


def test_requests_are_answered() -> None:
    result = run("serve_requests.py")
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"^request 13: .+$", result.stdout, re.MULTILINE)
    assert "63 of 64 requests answered\nthe same bits as in a batch\n" in result.stdout
