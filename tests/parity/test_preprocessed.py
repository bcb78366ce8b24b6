"""Preprocessed annotations of readers.coco, both ways: DALI's files read here, and those of here read by DALI."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import subprocess

import pytest
from preprocessed_cases import CASES, make_data, read, save
from recordings import HERE, recording

import forebay
import forebay.fn

EMPTY = base64.b64encode(bytes(4)).decode()


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return json.loads(recording("preprocessed.json", tmp_path_factory).read_text())["results"]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("preprocessed")
    make_data(folder)
    return folder


@pytest.mark.parametrize("name", CASES)
def test_reads_what_dali_saved(name: str, expected, root, tmp_path) -> None:
    for file, content in expected[name]["files"].items():
        (tmp_path / file).write_bytes(base64.b64decode(content))
    assert read(forebay, name, root, tmp_path) == expected[name]["samples"]


@pytest.mark.parametrize("name", CASES)
def test_saves_what_dali_saves(name: str, expected, root, tmp_path) -> None:
    saved = save(forebay, name, root, tmp_path)
    empty = {file for file, content in saved.items() if content == EMPTY}
    assert {file: content for file, content in saved.items() if file not in empty} == expected[name]["files"]


@pytest.mark.skipif(not os.environ.get("FOREBAY_DALI_PYTHON"), reason="FOREBAY_DALI_PYTHON is not set")
def test_dali_reads_what_is_saved_here(expected, root, tmp_path) -> None:
    for name in CASES:
        save(forebay, name, root, tmp_path / name)
    command = [os.environ["FOREBAY_DALI_PYTHON"], "-W", "ignore", str(HERE / "record_preprocessed.py"), "--read", tmp_path]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    results = json.loads(done.stdout.splitlines()[-1])
    assert results == {name: expected[name]["samples"] for name in CASES}
