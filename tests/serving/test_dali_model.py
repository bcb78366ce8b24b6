"""A repository with DALI's own file, model.dali, is served without DALI: the answers are what DALI gave."""

from __future__ import annotations

import json
import pathlib
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dali_recording
from inference_server import PROGRAM, InferenceServer, serving

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the program is not installed beside Python")

CONFIG = """
name: "configured"
backend: "dali"
max_batch_size: 3
input [ { name: "raw" data_type: TYPE_UINT8 dims: [ -1 ] } ]
output [
  { name: "tensors" data_type: TYPE_FP32 dims: [ 3, 16, 17 ] },
  { name: "pictures" data_type: TYPE_UINT8 dims: [ 20, 24, 3 ] }
]
"""
# As in tests/parity: a level of a decoder, which a network's input has divided by 57.
TOLERANCE = {"FP32": 0.041, "UINT8": 1}


@pytest.fixture(scope="module")
def recorded() -> dali_recording.DaliRecording:
    return dali_recording.served()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, recorded: dali_recording.DaliRecording) -> Iterator[InferenceServer]:
    repository = tmp_path_factory.mktemp("models")
    for name, content in {"m": recorded.saved, "configured": recorded.saved, "broken": recorded.saved[:-40]}.items():
        (repository / name / "1").mkdir(parents=True)
        (repository / name / "1" / "model.dali").write_bytes(content)
    (repository / "configured" / "config.pbtxt").write_text(CONFIG)
    with serving(repository) as running:
        yield running


def ask(server: InferenceServer, model: str, datatype: str, shape: list[int], raw: bytes) -> list[tuple[str, str, np.ndarray]]:
    """Of each output the name, the datatype and the values."""
    tensor = {"name": "raw", "datatype": datatype, "shape": shape, "parameters": {"binary_data_size": len(raw)}}
    head = json.dumps({"inputs": [tensor]}).encode()
    headers = {"Inference-Header-Content-Length": str(len(head))}
    status, answer = server.ask(f"/v2/models/{model}/infer", head + raw, headers=headers)
    assert status == 200, answer
    kinds: dict[str, Any] = {"FP32": np.float32, "UINT8": np.uint8}
    return [
        (output["name"], output["datatype"], np.array(output["data"], kinds[output["datatype"]]).reshape(output["shape"]))
        for output in answer["outputs"]
    ]


def check(got: list[tuple[str, str, np.ndarray]], want: list[list[np.ndarray]]) -> None:
    for (name, datatype, values), samples in zip(got, want, strict=True):
        wanted = np.stack(samples)
        assert (values.dtype, values.shape) == (wanted.dtype, wanted.shape), name
        np.testing.assert_allclose(values.astype(np.float64), wanted, rtol=0, atol=TOLERANCE[datatype], err_msg=name)


def test_files_as_bytes_in_one_batch(server: InferenceServer, recorded: dali_recording.DaliRecording) -> None:
    raw = b"".join(struct.pack("<I", len(file)) + file for file in recorded.files)
    got = ask(server, "m", "BYTES", [len(recorded.files), 1], raw)
    assert got[0][0] == "network_input"
    check(got, recorded.outputs)


def test_a_file_as_numbers_under_the_names_of_a_configuration(
    server: InferenceServer, recorded: dali_recording.DaliRecording
) -> None:
    """As clients of Triton's DALI backend send pictures."""
    config = server.ask("/v2/models/configured/config")[1]
    assert config["backend"] == "dali" and config["max_batch_size"] == 3
    for place, file in enumerate(recorded.files):
        got = ask(server, "configured", "UINT8", [1, len(file)], file)
        assert [(name, datatype) for name, datatype, _ in got] == [("tensors", "FP32"), ("pictures", "UINT8")]
        check(got, [[output[place]] for output in recorded.outputs])


def test_a_file_that_is_cut_is_not_served(server: InferenceServer) -> None:
    state = server.state_of("broken")
    assert state["state"] == "UNAVAILABLE" and "model.dali" in state["reason"], state
