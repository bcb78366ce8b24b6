"""examples/resume_training.py, killed with SIGKILL and started again: what an uninterrupted run gives, to the bit."""

from __future__ import annotations

import collections
import os
import pathlib
import signal
import subprocess
import sys
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples" / "resume_training.py"
PHOTOS = 101
STEPS_OF_EPOCH = 7

torch = pytest.importorskip("torch")


def start(folder: pathlib.Path, epochs: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(EXAMPLE), "--out", str(folder), "--photos", str(PHOTOS), "--epochs", str(epochs)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(folder: pathlib.Path, epochs: int) -> str:
    process = start(folder, epochs)
    output, errors = process.communicate()
    assert process.returncode == 0, output + errors
    return output


def kill_behind(folder: pathlib.Path, step: int) -> None:
    """Kills a run, which would take for ever, when it has made so many steps, wherever it is then."""
    with start(folder, 1_000_000) as process:
        assert process.stdout is not None
        lines = iter(process.stdout)
        seen = next((line for line in lines if line.startswith(f"step {step}:")), None)
        process.send_signal(signal.SIGKILL)
        assert seen is not None and process.wait() == -signal.SIGKILL, process.communicate()


def checkpoint(folder: pathlib.Path) -> dict[str, Any]:
    whole: dict[str, Any] = torch.load(folder / "checkpoint.pt", weights_only=True)
    return whole


def test_no_sample_is_lost_or_seen_twice(tmp_path: pathlib.Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    kill_behind(killed, STEPS_OF_EPOCH - 1)
    behind = len(checkpoint(killed)["told"]["steps"])
    assert behind >= 4 and behind % 4 == 0
    epochs = behind // STEPS_OF_EPOCH + 2
    output = finish(killed, epochs)
    assert f"goes on behind step {behind}" in output
    assert f"epoch {epochs}: {PHOTOS} samples, {PHOTOS} different ones\n" in output
    assert (killed / "loss.png").read_bytes().startswith(b"\x89PNG")

    after = checkpoint(killed)
    assert after["told"]["went_on"] == [behind]
    files = sorted(path.name for path in (killed / "photos").rglob("*.*"))
    for epoch in range(epochs):
        names = [pathlib.Path(name).name for of, _, samples in after["told"]["steps"] if of == epoch for name in samples]
        assert sorted(names) == files and len(files) == PHOTOS, collections.Counter(names) - collections.Counter(files)

    (whole / "photos").parent.mkdir()
    (killed / "photos").rename(whole / "photos")
    finish(whole, epochs)
    expected = checkpoint(whole)
    assert [loss for _, loss, _ in after["told"]["steps"]] == [loss for _, loss, _ in expected["told"]["steps"]]
    assert all(torch.equal(after["network"][name], value) for name, value in expected["network"].items())
