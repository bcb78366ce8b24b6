"""The example from CSV text to a PyTorch model: it fails when a step copies."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

EXAMPLE = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "signals.py"


@pytest.mark.parametrize("rows", [0, 4096])
def test_no_byte_is_copied_between_the_steps(rows: int, tmp_path: pathlib.Path) -> None:
    """With made heartbeats (0), and with a file."""
    pytest.importorskip("torch")
    text = tmp_path / "signals.csv"
    text.write_text("a,b,c\n" + "".join(f"{row},{-row},{row % 7}\n" for row in range(rows)))
    command = [sys.executable, str(EXAMPLE), *([str(text)] if rows else [])]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "bytes copied between the steps: 0" in run.stdout and run.stdout.count("segments of stride (32, 1)") == (3 if rows else 2)
