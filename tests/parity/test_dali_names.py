"""The names of DALI's operators that are recorded are those of its wheel."""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest

import forebay.fn.dali_names

PYTHON = os.environ.get("FOREBAY_DALI_PYTHON")


@pytest.mark.skipif(PYTHON is None, reason="no .peers/dali, and FOREBAY_DALI_PYTHON names no Python that has DALI")
def test_the_recorded_names_are_those_of_the_wheel(tmp_path: pathlib.Path) -> None:
    recorder = pathlib.Path(__file__).parent / "record_dali_names.py"
    subprocess.run([str(PYTHON), "-W", "ignore", str(recorder), str(tmp_path / "names.py")], check=True)
    recorded = pathlib.Path(forebay.fn.dali_names.__file__).read_text()
    assert recorded == (tmp_path / "names.py").read_text(), "a new DALI? then tests/parity/record_dali_names.py"
