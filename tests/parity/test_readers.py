"""Forebay's readers against DALI's: the same small data set, the same samples in the same order."""

from __future__ import annotations

import json

import pytest
from reader_cases import CASES, make_data, run
from recordings import recording

import forebay
import forebay.fn
import forebay.tfrecord


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return json.loads(recording("readers.json", tmp_path_factory).read_text())["results"]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readers")
    make_data(folder)
    return folder


@pytest.mark.parametrize("name", CASES)
def test_equals_dali(name: str, expected, root) -> None:
    assert run(forebay, name, root) == expected[name]
