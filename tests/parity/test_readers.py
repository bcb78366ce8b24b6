"""Forebay's readers against DALI's: the same small data set, the same samples in the same order."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import pytest
from reader_cases import CASES, make_data, run

import forebay
import forebay.fn
import forebay.tfrecord

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    path = HERE / "readers.json"
    python = os.environ.get("FOREBAY_DALI_PYTHON")
    if python:
        path = tmp_path_factory.mktemp("dali") / "readers.json"
        subprocess.run([python, str(HERE / "record_readers.py"), str(path)], check=True)
    return json.loads(path.read_text())["results"]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readers")
    make_data(folder)
    return folder


@pytest.mark.parametrize("name", CASES)
def test_equals_dali(name: str, expected, root) -> None:
    assert run(forebay, name, root) == expected[name]
