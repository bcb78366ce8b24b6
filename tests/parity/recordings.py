"""What DALI gives for the cases of this folder: its results that are checked in, or in thorough runs those of a live one."""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent


def is_thorough() -> bool:
    """As `make nightly` runs the tests."""
    return os.environ.get("FOREBAY_THOROUGH") == "1"


def recording(name: str, folders: pytest.TempPathFactory, needs: str | None = None) -> pathlib.Path:
    """The file of that name, draws.json for one, which record_draws.py makes anew if FOREBAY_DALI_PYTHON names a Python,
    which has what is needed beside DALI."""
    python = os.environ.get("FOREBAY_DALI_PYTHON")
    if not is_thorough() or not python:
        return HERE / name
    if needs and subprocess.run([python, "-c", f"import {needs}"], capture_output=True, check=False).returncode != 0:
        return HERE / name
    path = folders.mktemp("dali") / name
    subprocess.run([python, "-W", "ignore", str(HERE / f"record_{path.stem}.py"), str(path)], check=True)
    return path
