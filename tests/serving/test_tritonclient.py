"""An ensemble of a pipeline and an ONNX model, asked by Triton's own clients over HTTP and gRPC."""

from __future__ import annotations

import base64
import io
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image

from inference_server import PROGRAM, InferenceServer, has_clients, onnx_runtime, run_client, serving, write_pipeline

pytestmark = [
    pytest.mark.skipif(PROGRAM is None, reason="the program is not installed beside Python"),
    pytest.mark.skipif(not has_clients() or not onnx_runtime(), reason="tools/peers.sh serving was not run"),
]

ENSEMBLE = """
platform: "ensemble"
max_batch_size: 8
input [ { name: "picture" data_type: TYPE_STRING dims: [ 1 ] } ]
output [ { name: "scores" data_type: TYPE_FP32 dims: [ 3 ] label_filename: "labels.txt" } ]
ensemble_scheduling {
  step [
    { model_name: "preparation" model_version: -1
      input_map { key: "picture" value: "picture" } output_map { key: "prepared" value: "prepared" } },
    { model_name: "means" model_version: -1
      input_map { key: "pictures" value: "prepared" } output_map { key: "scores" value: "scores" } }
  ]
}
"""
MEANS = """
max_batch_size: 16
dynamic_batching { max_queue_delay_microseconds: 2000 }
"""
COLOURS = {"red": (200, 20, 30), "green": (10, 220, 40), "blue": (0, 30, 230)}


def picture(colour: tuple[int, int, int]) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (60, 40), colour).save(file, "PNG")
    return file.getvalue()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InferenceServer]:
    repository = tmp_path_factory.mktemp("models")
    write_pipeline(repository)
    (repository / "means" / "1").mkdir(parents=True)
    run_client("make_onnx.py", {"path": str(repository / "means" / "1" / "model.onnx")})
    (repository / "means" / "config.pbtxt").write_text(MEANS)
    (repository / "colours" / "1").mkdir(parents=True)
    (repository / "colours" / "config.pbtxt").write_text(ENSEMBLE)
    (repository / "colours" / "labels.txt").write_text("\n".join(COLOURS) + "\n")
    with serving(repository) as running:
        assert all(each["state"] == "READY" for each in running.said["models"]), running.said
        yield running


def scores() -> np.ndarray:
    return np.array(list(COLOURS.values()), np.float32) / 255


def test_over_http(server: InferenceServer) -> None:
    asked = {
        "url": server.url.removeprefix("http://"), "model": "colours", "input": "picture", "output": "scores", "count": 8,
        "pictures": [base64.b64encode(picture(colour)).decode() for colour in COLOURS.values()],
    }
    said = run_client("http_client_check.py", asked)
    assert said["server"]["live"] and said["server"]["ready"] and said["server"]["model_ready"]
    assert said["server"]["metadata"]["platform"] == "ensemble"
    for form in ("binary", "plain", "all", "gzip"):
        assert np.allclose(said["forms"][form], scores(), atol=1e-5), form
    classes = [each.split(":") for each in said["forms"]["classes"]]
    assert [each[2] for each in classes[::2]] == list(COLOURS)
    for answers in (said["async"], said["asyncio"]):
        assert np.allclose(np.concatenate(answers), scores()[np.arange(8) % 3], atol=1e-5)
    assert np.allclose(said["shared_memory"]["values"], scores(), atol=1e-5)
    assert len(said["shared_memory"]["status"]) == 1 and said["shared_memory"]["left"] == []
    assert "there-is-no-such-model" in said["refusals"]["unknown"]
    assert "decoders.image" in said["refusals"]["broken"]
    assert "picture" in said["refusals"]["nameless"]


def test_over_grpc(server: InferenceServer) -> None:
    sets: list[Any] = [
        [{"name": "picture", "datatype": "BYTES", "shape": [1, 1], "data": [base64.b64encode(picture(colour)).decode()]}]
        for colour in COLOURS.values()
    ]
    said = run_client("grpc_client_check.py", {"url": server.grpc, "model": "colours", "inputs": sets, "count": 8})
    expected = scores()
    for number, answer in enumerate(said["stream"]["answers"]):
        assert np.allclose(answer["outputs"]["scores"]["data"], expected[number % 3], atol=1e-5)
    assert said["stream"]["complete"] and len(said["stream"]["answers"]) == 8 and len(said["stream"]["errors"]) == 1
    assert np.allclose(said["sync"]["outputs"]["scores"]["data"], expected[0], atol=1e-5)
    for number, answer in enumerate(said["async"]):
        assert np.allclose(answer["outputs"]["scores"]["data"], expected[number % 3], atol=1e-5)


def test_where_the_time_went_is_told(server: InferenceServer, tmp_path: pathlib.Path) -> None:
    encoded = base64.b64encode(picture(COLOURS["red"])).decode()
    statistics = server.ask("/v2/models/means/stats")[1]["model_stats"][0]
    assert statistics["inference_stats"]["compute_infer"]["ns"] >= 0
    assert server.ask("/v2/models/colours/infer", {"inputs": [
        {"name": "picture", "datatype": "BYTES", "shape": [1, 1], "data": [encoded]}]})[0] >= 400  # text is no picture
