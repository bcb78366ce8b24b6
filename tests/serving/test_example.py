"""The example: an ensemble made, served and asked; and what docs/serving.md says of it."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
from collections.abc import Iterator

import numpy as np
import pytest

from inference_server import CLIENTS, PROGRAM, ROOT, InferenceServer, has_clients, onnx_runtime, serving

pytestmark = [
    pytest.mark.skipif(PROGRAM is None, reason="the program is not installed beside Python"),
    pytest.mark.skipif(not has_clients() or not onnx_runtime(), reason="tools/peers.sh serving was not run"),
]
FOLDER = "demo/serving"  # where the example leaves what it makes


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[pathlib.Path, str]:
    """The folder that the example ran in, and what it printed."""
    folder = tmp_path_factory.mktemp("example")
    script = ROOT / "examples" / "serving" / "serve_ensemble.py"
    done = subprocess.run([str(CLIENTS), str(script), "--program", str(PROGRAM)], cwd=folder, text=True, capture_output=True,
                          check=False, timeout=120, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


@pytest.fixture(scope="module")
def server(made: tuple[pathlib.Path, str]) -> Iterator[InferenceServer]:
    with serving(made[0] / FOLDER / "models") as running:
        yield running


def blocks(kind: str) -> list[str]:
    """Of that kind in the document, in their order."""
    parts = re.split(r"^```(.*)\n", (ROOT / "docs" / "serving.md").read_text(), flags=re.MULTILINE)
    return [text for name, text in zip(parts[1::4], parts[2::4], strict=True) if name == kind]


def test_pictures_are_told_apart(made: tuple[pathlib.Path, str]) -> None:
    folder, printed = made
    right = re.search(r"(\d+) of 200 pictures", printed)
    assert right is not None and int(right[1]) > 160, printed
    assert (folder / FOLDER / "latency.png").stat().st_size > 0


def test_a_photo_as_curl_sends_it(made: tuple[pathlib.Path, str], server: InferenceServer) -> None:
    document = next(block for block in blocks("sh") if "curl" in block)
    photo = (made[0] / FOLDER / "photo.jpg").read_bytes()
    status, answer = server.ask("/v2/models/shapes/infer", photo, headers={"Inference-Header-Content-Length": "0"})
    assert status == 200, answer
    described, scores = answer
    for shown in (server.ask("/v2/models/shapes")[1], described):
        assert re.sub(r"\s", "", repr(shown["outputs"]).replace("'", '"')) in re.sub(r"\s", "", document)
    numbers = [float(number) for number in re.findall(r" (0\.\d+)", document)]
    np.testing.assert_allclose(np.frombuffer(scores, np.float32), numbers, atol=1e-3)


def test_what_the_clients_snippet_prints(made: tuple[pathlib.Path, str], server: InferenceServer) -> None:
    snippet = next(block for block in blocks("python") if "tritonclient" in block)
    snippet = snippet.replace("localhost:8000", server.url.removeprefix("http://"))
    done = subprocess.run([str(CLIENTS), "-c", snippet], cwd=made[0], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    shown = next(block for block in blocks("") if "[[b'" in block)
    classes = [re.findall(r"(\d):(\w+)'", text) for text in (done.stdout, shown)]
    assert classes[0] == classes[1] and len(classes[0]) == 3, done.stdout
