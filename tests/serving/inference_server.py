"""Starts `forebay serve` over a folder of models and stops it again; asks it over plain HTTP."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("FOREBAY_PROGRAM") or shutil.which("forebay", path=sysconfig.get_path("scripts"))
CLIENTS = ROOT / ".peers" / "serving" / "bin" / "python"
PATIENCE_S = 60.0

PREPARATION = """
from forebay import fn, pipeline_def, types

@pipeline_def(batch_size=8, num_threads=2, device_id=None, seed=1)
def preparation():
    pictures = fn.decoders.image(fn.external_source(name="picture"))
    pictures = fn.resize(pictures, size=(24, 32))
    return fn.crop_mirror_normalize(
        pictures, mirror=fn.random.coin_flip(), dtype=types.FLOAT, scale=1 / 255, output_layout="CHW", name="prepared")
"""


def has_clients() -> bool:
    return CLIENTS.exists()


def onnx_runtime() -> str:
    """The library inside the clients' environment; empty if there is none."""
    found = sorted((ROOT / ".peers" / "serving").glob("lib/python*/site-packages/onnxruntime/capi/libonnxruntime.so.*"))
    return str(found[0]) if found else ""


class InferenceServer:
    """A server that runs. `said` is what it printed when it was ready."""

    def __init__(self, process: subprocess.Popen[str], said: dict[str, Any]) -> None:
        self.process = process
        self.said = said

    @property
    def url(self) -> str:
        return str(self.said["http"])

    @property
    def grpc(self) -> str:
        return f"127.0.0.1:{self.said['grpc_port']}"

    def state_of(self, model: str) -> dict[str, Any]:
        return next(each for each in self.said["models"] if each["name"] == model)

    def ask(self, path: str, body: Any = None, method: str | None = None, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        """The status and the JSON of the answer, with the bytes behind it where some are; its text where it is no JSON."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers or {}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                status, content = answer.status, answer.read()
                length = answer.headers.get("Inference-Header-Content-Length")
        except urllib.error.HTTPError as error:
            with error:
                status, content, length = error.code, error.read(), None
        if length is not None:
            return status, (json.loads(content[: int(length)]), content[int(length) :])
        with contextlib.suppress(ValueError):
            return status, json.loads(content)
        return status, content.decode()

    def stop(self) -> int:
        """SIGTERM; its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)


@contextlib.contextmanager
def serving(repository: pathlib.Path, *options: str, environment: dict[str, str] | None = None) -> Iterator[InferenceServer]:
    assert PROGRAM is not None
    command = [PROGRAM, "serve", str(repository), "--http-port=0", "--grpc-port=0", "--json", "--drain=10",
               f"--python={sys.executable}", *options]
    own = {"FOREBAY_ONNXRUNTIME": onnx_runtime()} if onnx_runtime() else {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                          env={**os.environ, **own, **(environment or {})}) as process:
        deadline = threading.Timer(PATIENCE_S, process.kill)
        deadline.start()
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            deadline.cancel()
            assert line, f"the server ended with status {process.wait()} before it was ready"
            yield InferenceServer(process, json.loads(line))
        finally:
            deadline.cancel()
            process.terminate()
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()


def write_pipeline(repository: pathlib.Path, name: str = "preparation", code: str = PREPARATION) -> None:
    folder = repository / name / "1"
    folder.mkdir(parents=True)
    (folder / "pipeline.py").write_text(code)


def run_client(script: str, asked: dict[str, Any]) -> Any:
    """What a script of this folder prints as JSON, run by the clients' Python."""
    done = subprocess.run([str(CLIENTS), str(pathlib.Path(__file__).with_name(script))], input=json.dumps(asked), text=True,
                          capture_output=True, check=False, timeout=PATIENCE_S * 2)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
