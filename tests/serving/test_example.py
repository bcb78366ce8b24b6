"""The example: an ensemble made, served and asked."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess

import pytest

from inference_server import CLIENTS, PROGRAM, ROOT, has_clients

pytestmark = [
    pytest.mark.skipif(PROGRAM is None, reason="the program is not installed beside Python"),
    pytest.mark.skipif(not has_clients(), reason="tools/peers.sh serving was not run"),
]


def test_pictures_are_told_apart(tmp_path: pathlib.Path) -> None:
    script = ROOT / "examples" / "serving" / "serve_ensemble.py"
    done = subprocess.run([str(CLIENTS), str(script), "--out", str(tmp_path), "--program", str(PROGRAM)], text=True,
                          capture_output=True, check=False, timeout=120, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stderr
    right = re.search(r"(\d+) of 200 pictures", done.stdout)
    assert right is not None and int(right[1]) > 160, done.stdout
    assert (tmp_path / "latency.png").stat().st_size > 0
