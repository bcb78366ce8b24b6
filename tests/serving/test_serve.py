"""`forebay serve` over HTTP, asked without any client library: answers, refusals, loading, the end."""

from __future__ import annotations

import base64
import io
import json
import pathlib
import signal
import socket
import struct
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image

from forebay import Pipeline
from forebay.plugin.triton import serialize_file

from inference_server import PROGRAM, InferenceServer, serving, write_pipeline

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the program is not installed beside Python")

DOUBLING = """
import numpy as np

class Model:
    inputs = [{"name": "x", "datatype": "FP32", "shape": [-1]}]
    outputs = [{"name": "y", "datatype": "FP32", "shape": [-1]}]

    def __init__(self, config):
        pass

    def infer(self, x):
        if x.size and x[0] < 0:
            raise ValueError("a negative number came first")
        if x.size and x[0] == 13:
            import os
            os.kill(os.getpid(), 9)
        return {"y": x * 2}
"""


def picture(seed: int, height: int = 40, width: int = 60) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG")
    return file.getvalue()


def binary_request(pictures: list[bytes], parameters: dict[str, Any] | None = None) -> tuple[bytes, dict[str, str]]:
    """A request with the pictures as BYTES behind the JSON; body and headers."""
    raw = b"".join(struct.pack("<I", len(each)) + each for each in pictures)
    tensor = {"name": "picture", "datatype": "BYTES", "shape": [len(pictures), 1], "parameters": {"binary_data_size": len(raw)}}
    head = json.dumps({"inputs": [tensor], "parameters": parameters or {}}).encode()
    return head + raw, {"Inference-Header-Content-Length": str(len(head))}


def prepared(server: InferenceServer, pictures: list[bytes], **parameters: Any) -> np.ndarray:
    body, headers = binary_request(pictures, parameters)
    status, answer = server.ask("/v2/models/preparation/infer", body, headers=headers)
    assert status == 200, answer
    output = answer["outputs"][0]
    return np.array(output["data"], np.float32).reshape(output["shape"])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InferenceServer]:
    repository = tmp_path_factory.mktemp("models")
    write_pipeline(repository)
    (repository / "doubling").mkdir()
    (repository / "doubling" / "model.py").write_text(DOUBLING)
    with serving(repository) as running:
        yield running


@pytest.fixture(scope="module")
def in_training(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    """What the same pipeline gives the first pictures of an epoch."""
    folder = tmp_path_factory.mktemp("training")
    write_pipeline(folder)
    pipeline = Pipeline.deserialize(serialize_file(folder / "preparation" / "1" / "pipeline.py"))
    pipeline.feed_input("picture", [np.frombuffer(picture(seed), np.uint8) for seed in range(4)])
    return np.stack([np.asarray(each) for each in pipeline.run()[0]])


def test_what_is_there_is_told(server: InferenceServer) -> None:
    assert server.ask("/v2/health/live")[0] == 200 and server.ask("/v2/health/ready")[0] == 200
    assert server.ask("/v2")[1]["name"] == "forebay"
    assert server.ask("/v2/models/preparation/ready")[0] == 200
    metadata = server.ask("/v2/models/preparation")[1]
    assert metadata["inputs"] == [{"name": "picture", "datatype": "BYTES", "shape": [-1, 1]}]
    assert metadata["outputs"][0]["name"] == "prepared" and metadata["outputs"][0]["datatype"] == "FP32"
    assert server.ask("/v2/models/preparation/config")[1]["max_batch_size"] == 8
    states = {each["name"]: each["state"] for each in server.ask("/v2/repository/index", {})[1]}
    assert states == {"preparation": "READY", "doubling": "READY"}
    assert "forebay_inference_request_success_total" in server.ask("/metrics")[1]


def test_same_bits_as_in_training(server: InferenceServer, in_training: np.ndarray) -> None:
    pictures = [picture(seed) for seed in range(4)]
    assert np.array_equal(prepared(server, pictures), in_training)
    for key in (3, 1):
        assert np.array_equal(prepared(server, [pictures[key]], key=key)[0], in_training[key])
    encoded = base64.b64decode(base64.b64encode(pictures[0]))
    assert np.array_equal(prepared(server, [encoded], key=0)[0], in_training[0])


def test_a_broken_picture_is_its_own_requests_error(server: InferenceServer, in_training: np.ndarray) -> None:
    answers: list[Any] = [None] * 20

    def ask(number: int) -> None:
        sent = picture(1)[: 50 if number % 2 else None]
        body, headers = binary_request([sent], {"key": 1})
        answers[number] = server.ask("/v2/models/preparation/infer", body, headers=headers)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(answers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, (status, answer) in enumerate(answers):
        if number % 2:
            assert status in (400, 500) and "decoders.image" in answer["error"]
        else:
            assert status == 200 and np.allclose(answer["outputs"][0]["data"], in_training[1].ravel())


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("/v2/models/nothing/infer", {"inputs": []}, 404, "nothing"),
        ("/v2/models/doubling/infer", {"inputs": []}, 400, "x"),
        ("/v2/models/doubling/infer", {"inputs": [{"name": "z", "datatype": "FP32", "shape": [1], "data": [1]}]}, 400, "z"),
        ("/v2/models/doubling/infer", {"inputs": [{"name": "x", "datatype": "INT8", "shape": [1], "data": [1]}]}, 400, "FP32"),
        ("/v2/models/doubling/infer", {"inputs": [{"name": "x", "datatype": "FP32", "shape": [2], "data": [1]}]}, 400, "x"),
        ("/v2/models/doubling/infer", {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1 << 62], "data": [1]}]}, 400, "x"),
        ("/v2/models/doubling/versions/7/infer", {"inputs": []}, 404, "7"),
        ("/v2/models/doubling/infer", b"{", 400, "JSON"),
        ("/v2/models/doubling/nothing", None, 404, "path"),
        ("/v3", None, 404, "path"),
    ],
)
def test_wrong_requests_are_told_what_is_wrong(server: InferenceServer, path: str, body: Any, status: int, words: str) -> None:
    got, answer = server.ask(path, body)
    assert got == status and words in answer["error"], answer


def doubled(server: InferenceServer, values: list[float]) -> tuple[int, Any]:
    tensor = {"name": "x", "datatype": "FP32", "shape": [len(values)], "data": values}
    return server.ask("/v2/models/doubling/infer", {"id": "7", "inputs": [tensor]})


def test_a_model_in_python_answers_throws_and_dies_alone(server: InferenceServer) -> None:
    status, answer = doubled(server, [1, 2.5])
    assert status == 200 and answer["outputs"][0]["data"] == [2, 5] and answer["id"] == "7"
    status, answer = doubled(server, [-1])
    assert status >= 400 and "negative number" in answer["error"]
    status, answer = doubled(server, [13])
    assert status == 503 and "signal 9" in answer["error"]
    deadline = time.monotonic() + 60
    while doubled(server, [4])[0] != 200:  # it is started again
        assert time.monotonic() < deadline
    assert server.ask("/v2/health/live")[0] == 200


def test_a_body_alone_is_the_only_input(server: InferenceServer, in_training: np.ndarray) -> None:
    """As `curl --data-binary @photo.jpg` sends it."""
    status, answer = server.ask("/v2/models/preparation/infer", picture(0), headers={"Inference-Header-Content-Length": "0"})
    assert status == 200, answer
    described, content = answer
    assert described["outputs"][0]["shape"] == [1, 3, 24, 32]
    assert np.array_equal(np.frombuffer(content, np.float32), in_training[0].ravel())


def test_pages_in_a_browser_are_kept_out(server: InferenceServer) -> None:
    status, answer = server.ask("/v2", headers={"Origin": "https://example.com"})
    assert status == 403 and "token" in answer["error"]
    assert server.ask("/v2", headers={"Host": "example.com"})[0] == 403
    status, answer = server.ask("/v2/health/live", b"x" * 100)
    assert status == 413 and "error" in answer


def test_half_requests_harm_nobody(server: InferenceServer) -> None:
    host, port = server.url.removeprefix("http://").rsplit(":", 1)
    halves = []
    for _ in range(20):
        half = socket.create_connection((host, int(port)), timeout=60)
        half.sendall(b"POST /v2/models/doubling/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
        halves.append(half)
    assert doubled(server, [1])[0] == 200
    for half in halves:
        half.close()
    assert doubled(server, [1])[0] == 200


def test_models_come_and_go_while_serving(tmp_path: pathlib.Path) -> None:
    write_pipeline(tmp_path)
    (tmp_path / "broken.py").write_text("from forebay import pipeline_def\nraise RuntimeError('no such day')\n")
    with serving(tmp_path, "--control=explicit", "--load=preparation") as server:
        assert prepared(server, [picture(1)]).shape == (1, 3, 24, 32)
        assert server.ask("/v2/repository/models/preparation/unload", {})[0] == 200
        assert server.ask("/v2/models/preparation/ready")[0] != 200
        assert server.ask("/v2/models/preparation/infer", {"inputs": []})[0] in (404, 503)
        status, answer = server.ask("/v2/repository/models/broken/load", {})
        assert status >= 400 and "no such day" in answer["error"]
        assert server.ask("/v2/repository/models/preparation/load", {})[0] == 200
        assert prepared(server, [picture(1)]).shape == (1, 3, 24, 32)
        assert server.stop() == 0


def test_a_token_is_asked_for(tmp_path: pathlib.Path) -> None:
    write_pipeline(tmp_path / "models")
    token = tmp_path / "token"
    token.write_text("s3cret\n")
    with serving(tmp_path / "models", f"--token-file={token}") as server:
        assert server.ask("/v2/health/live")[0] == 200
        status, answer = server.ask("/v2")
        assert status == 401 and "token" in answer["error"]
        assert server.ask("/v2", headers={"Authorization": "Bearer wrong"})[0] == 401
        assert server.ask("/v2", headers={"Authorization": "Bearer s3cret"})[0] == 200


def test_a_model_that_cannot_be_loaded_is_named_and_others_serve(tmp_path: pathlib.Path) -> None:
    write_pipeline(tmp_path)
    write_pipeline(tmp_path, "reading", "from forebay import fn, pipeline_def\n\n@pipeline_def(batch_size=1, num_threads=1)\n"
                   "def reading():\n    return fn.readers.file(file_root='/')[0]\n")
    (tmp_path / "empty" / "1").mkdir(parents=True)
    with serving(tmp_path, f"--trace={tmp_path}/trace.json") as server:
        assert server.state_of("preparation")["state"] == "READY"
        assert server.state_of("empty")["reason"].count("model.py") == 1
        assert "readers.file" in server.state_of("reading")["reason"]
        assert prepared(server, [picture(1)]).shape == (1, 3, 24, 32)
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(60) == 0
        names = {event.get("name") for event in json.loads((tmp_path / "trace.json").read_text())["traceEvents"]}
        assert "preparation" in names


def test_why_a_model_cannot_be_loaded_is_logged_once(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    write_pipeline(tmp_path, "leaving", "import os\n\nfrom forebay import pipeline_def\n\nos._exit(0)\n")
    (tmp_path / "dying" / "1").mkdir(parents=True)
    (tmp_path / "dying" / "1" / "model.py").write_text("raise ValueError('unlucky start')\n")
    with serving(tmp_path) as server:
        leaving, dying = (server.state_of(name)["reason"] for name in ("leaving", "dying"))
    logged = capfd.readouterr().err
    assert "leaving/1/pipeline.py" in leaving and "exited with code 0" in leaving and "os._exit()" in leaving
    assert dying.count("ValueError: unlucky start") == 1
    for reason in (leaving, dying):
        assert logged.count(reason.splitlines()[-1]) == 1, logged
