"""The training loops of the examples, each with its framework: the loss falls over the epochs."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "frameworks"
EPOCHS = 4


@pytest.mark.parametrize("framework", ["tensorflow", "jax"])
def test_the_loss_falls(framework: str, tmp_path: pathlib.Path) -> None:
    pytest.importorskip(framework)
    command = [sys.executable, str(EXAMPLES / f"train_{framework}.py"), "--photos", "128", "--epochs", str(EPOCHS)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    losses = [float(loss) for loss in re.findall(r"epoch \d: 128 images, loss ([0-9.]+),", run.stdout)]
    assert len(losses) == EPOCHS
    assert losses[-1] < 0.8 * losses[0], run.stdout
