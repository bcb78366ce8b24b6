"""Forebay's iterators against DALI's: the same batches, epoch after epoch, for every `last_batch_policy`.

With FOREBAY_DALI_PYTHON set to a Python that has nvidia-dali and PyTorch, that DALI runs the cases; else, as without
PyTorch there, its recorded results are compared with.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import pytest
from iterator_cases import CASES, Case, make_data, run

import forebay
import forebay.fn
from forebay.plugin.base_iterator import LastBatchPolicy
from forebay.plugin.numpy import NumpyIterator

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    path = HERE / "iterators.json"
    python = os.environ.get("FOREBAY_DALI_PYTHON")
    if python and subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
        path = tmp_path_factory.mktemp("dali") / "iterators.json"
        subprocess.run([python, "-W", "ignore", str(HERE / "record_iterators.py"), str(path)], check=True)
    return json.loads(path.read_text())["results"]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seven")
    make_data(folder)
    return folder


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_equals_dali(case: Case, expected, root) -> None:
    got = run(forebay, NumpyIterator, LastBatchPolicy, case, root)
    if not case.departs:
        assert got == expected[case.name]
        return
    assert got[0] == expected[case.name][0]
    labels = [part for _, batches in got for batch in batches for part in batch]
    assert all(len(set(part)) == case.batch_size for part in labels)  # samples, not padding
