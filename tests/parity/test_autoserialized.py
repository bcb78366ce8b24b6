"""What `@autoserialize` makes files of: the same as `Pipeline.serialize`, and in what it computes the same as what DALI's own
wrote for the same file, which record_autoserialized.py has recorded."""

from __future__ import annotations

import base64
import json
import pathlib
import subprocess
import sys
import types as python_types
from typing import Any

import numpy as np
import pytest
from autoserialized_cases import run
from recordings import recording

import forebay
import forebay.fn
import forebay.types
from forebay import Pipeline
from forebay.compat.autoserialize import invoke_autoserialize
from forebay.plugin.triton import autoserialize, serialize_file

MODEL = pathlib.Path(__file__).parent / "autoserialized_model.py"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    row = json.loads(recording("autoserialized.json", tmp_path_factory).read_text())
    row["saved"] = base64.b64decode(row["saved"])
    return row


@pytest.fixture(scope="module")
def saved() -> bytes:
    """By Forebay."""
    return serialize_file(MODEL)


def definition() -> Any:
    """The function of the file with Forebay for DALI, as `forebay.compat` has it, and without the mark."""
    code = MODEL.read_text().replace("@autoserialize\n", "").partition("\n\n\n")[2]
    names: dict[str, Any] = {"fn": forebay.fn, "types": forebay.types, "pipeline_def": forebay.pipeline_def}
    exec(compile(code, str(MODEL), "exec"), names)
    return names["classify"]


def test_it_is_what_serialize_gives(saved: bytes, tmp_path: pathlib.Path) -> None:
    """By the function, by the program that servers call, and by what DALI's backend calls."""
    function = definition()
    assert saved == function().serialize()
    # In a process of its own: it gives that process the names of DALI.
    program = [sys.executable, "-m", "forebay.plugin.triton", str(MODEL), str(tmp_path / "by_program")]
    subprocess.run(program, check=True, timeout=60)
    assert (tmp_path / "by_program").read_bytes() == saved
    head = python_types.ModuleType("head")
    setattr(head, "classify", autoserialize(function))
    invoke_autoserialize(head, tmp_path / "by_backend")
    assert (tmp_path / "by_backend").read_bytes() == saved


def test_a_file_without_the_mark_is_saved_the_same(saved: bytes, tmp_path: pathlib.Path) -> None:
    unmarked = tmp_path / "unmarked.py"
    unmarked.write_text(MODEL.read_text().replace("@autoserialize\n", ""))
    assert serialize_file(unmarked) == saved


def test_dali_wrote_the_same_pipeline(saved: bytes, recorded: dict[str, Any]) -> None:
    own, theirs = Pipeline.deserialize(saved), Pipeline.deserialize(recorded["saved"])
    for pipe in (own, theirs):
        assert (pipe.max_batch_size, pipe.num_threads, pipe.seed, pipe.device_id) == (4, 2, 11, None)
    names = [[node["name"] for node in pipe._graph.nodes() if node["op"] == "external_source"] for pipe in (own, theirs)]
    assert names[0] == names[1] == ["encoded", "scale"]
    operators = [sorted(node["op"] for node in pipe._graph.nodes()) for pipe in (own, theirs)]
    assert operators[0] == operators[1]  # DALI sorts them


def test_both_compute_what_dali_does(saved: bytes, recorded: dict[str, Any]) -> None:
    own, theirs = run(Pipeline.deserialize(saved)), run(Pipeline.deserialize(recorded["saved"]))
    for own_samples, their_samples, rows in zip(own, theirs, recorded["outputs"], strict=True):
        for got, same, row in zip(own_samples, their_samples, rows, strict=True):
            np.testing.assert_array_equal(got, same)
            wanted = np.frombuffer(base64.b64decode(row["data"]), row["dtype"]).reshape(row["shape"])
            assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
            # A level of a decoder, which is divided by 57 and doubled.
            np.testing.assert_allclose(got, wanted, rtol=0, atol=0.041 * 2 if got.dtype == np.float32 else 1)

