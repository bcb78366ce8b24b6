"""Forebay's iterators against DALI's: the same batches, epoch after epoch, for every `last_batch_policy`."""

from __future__ import annotations

import json

import pytest
from iterator_cases import CASES, Case, make_data, run
from recordings import recording

import forebay
import forebay.fn
from forebay.plugin.base_iterator import LastBatchPolicy
from forebay.plugin.numpy import NumpyIterator


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return json.loads(recording("iterators.json", tmp_path_factory, needs="torch").read_text())["results"]


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
