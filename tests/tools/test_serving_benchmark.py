"""What `benchmarks/serving` measures with: loads whose answers are counted, rounds that name what is absent."""

import argparse
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BENCHMARK = ROOT / "benchmarks" / "serving"
sys.path[:0] = [str(ROOT / "benchmarks" / "harness"), str(BENCHMARK / "work")]

import model_servers  # noqa: E402
import request_bodies  # noqa: E402
import server_loads  # noqa: E402
import serving_rounds  # noqa: E402
import table  # noqa: E402

SCORES = [0.5, 0.25, 0.125, 0.125]
SPENT_NS = [2_000_000, 1_000_000]


class TwinAnswers(http.server.BaseHTTPRequestHandler):
    """Answers every request with the same scores, or with the status that the test sets."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    status = 200

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        outputs = [{"name": "classes", "data": SCORES}, {"name": "spent", "data": SPENT_NS}]
        body = json.dumps({"outputs": outputs}).encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


class TwinServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # connections of an open load come all at once


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(TwinAnswers, "status", 200)
    server = TwinServer(("127.0.0.1", 0), TwinAnswers)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.socket.close()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    if shutil.which("c++") is None:
        pytest.skip("no C++ compiler")
    return model_servers.compiled_load(tmp_path_factory.mktemp("load"))


@pytest.fixture
def inputs(tmp_path: pathlib.Path) -> pathlib.Path:
    """Two pictures of 2 x 3 pixels, whose files are any bytes."""
    folder = tmp_path / "inputs"
    for name in ("files", "pixels"):
        (folder / name).mkdir(parents=True)
    for name in ("0000", "0001"):
        (folder / "files" / f"{name}.jpg").write_bytes(b"file" + name.encode())
        numpy.save(folder / "pixels" / f"{name}.npy", numpy.arange(18, dtype=numpy.uint8).reshape(2, 3, 3))
    return folder


class Twin(model_servers.Server):
    """The answers of this process as a server."""

    name = "forebay"
    listening = 0

    def missing(self) -> str:
        return ""

    def version(self) -> str:
        return "1"

    def start(self) -> None:
        self.port = self.port or self.listening
        self.process = SimpleNamespace(pid=os.getpid())  # type: ignore[assignment]

    def stop(self) -> None:
        self.process = None


class AbsentTwin(Twin):
    name = "triton"

    def missing(self) -> str:
        return "nobody has installed it"


class OtherTwin(Twin):
    """One that cannot be started."""

    name = "mlserver"

    def start(self) -> None:
        raise RuntimeError("its log\nits last words")


@pytest.fixture
def loads(port: int, program: pathlib.Path, inputs: pathlib.Path, tmp_path: pathlib.Path) -> server_loads.Loads:
    twin = Twin(tmp_path, inputs, 1, True)
    twin.port = port
    twin.start()
    return server_loads.Loads(twin, [program], inputs)


def test_a_closed_load_counts_answers(loads: server_loads.Loads) -> None:
    found = loads.run(loads.requests("encoded"), 2, 0.1)
    assert found["answered"] > 2 and found["unanswered"] == 0
    assert 0 < found["p50_us"] <= found["p99_us"]


def test_an_open_load_sends_what_is_due(loads: server_loads.Loads) -> None:
    first, again, other = (loads.run(loads.requests("decoded"), 4, 0.2, 200, seed) for seed in (1, 1, 2))
    assert first["answered"] == again["answered"] and 10 < first["answered"] < 100  # 40 are expected
    assert other["answered"] > 10


def test_a_connection_that_was_closed_while_idle_is_made_again(loads: server_loads.Loads,
                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TwinAnswers, "timeout", 0.02)  # of a connection without a request
    found = loads.run(loads.requests("encoded"), 4, 0.3, 30)
    assert found["answered"] > 1 and found["unanswered"] == 0


def test_what_is_refused_is_told(loads: server_loads.Loads) -> None:
    TwinAnswers.status = 429
    with pytest.raises(RuntimeError, match="requests refused, 0 answered"):
        loads.run(loads.requests("encoded"), 1, 0.02)


def test_a_server_that_is_not_there_is_told(loads: server_loads.Loads) -> None:
    [loads.server.port] = model_servers.free_ports(1)
    with pytest.raises(RuntimeError, match="cannot connect"):
        loads.run(loads.requests("encoded"), 1, 0.02)


def test_the_parts_of_a_request_come_from_its_answer(loads: server_loads.Loads) -> None:
    found = loads.split("encoded", 0.1, 200, 1)
    assert found["preprocessing_ms"] == 2 and found["inference_ms"] == 1
    assert "waiting_ms" not in found  # nobody counted it


def test_forebay_tells_the_parts_by_its_steps(inputs: pathlib.Path, tmp_path: pathlib.Path) -> None:
    steps = [{"input_ns": 1e6, "compute_ns": 2e6, "output_ns": 3e6, "queue_ns": 4e6},
             {"input_ns": 0, "compute_ns": 5e6, "output_ns": 0, "queue_ns": 1e6}]
    for said in (steps, json.dumps(steps)):
        body = json.dumps({"parameters": {"steps": said}}).encode()
        found = model_servers.Forebay(tmp_path, inputs, 1, True).parts_of(body)
        assert found == {"preprocessing_ms": 2, "inference_ms": 5, "waiting_ms": 5}


def test_requests_say_where_their_bytes_begin(inputs: pathlib.Path) -> None:
    body, fields = request_bodies.body_of("triton", False, "encoded", inputs, "0001", asks_split=True)
    length = int(fields["Inference-Header-Content-Length"])
    head = json.loads(body[:length])
    assert body[length:] == b"\x08\x00\x00\x00file0001"
    assert head["inputs"][0]["parameters"]["binary_data_size"] == len(body) - length
    assert [output["name"] for output in head["outputs"]] == ["classes", "spent"]
    plain, _ = request_bodies.body_of("mlserver", True, "decoded", inputs, "0000")
    assert json.loads(plain)["inputs"][0]["data"] == list(range(18))


def test_other_answers_are_no_contender(port: int, inputs: pathlib.Path, tmp_path: pathlib.Path) -> None:
    twin = Twin(tmp_path, inputs, 1, True)
    twin.port = port
    scores = server_loads.Loads(twin, [], inputs).scores("encoded")
    assert scores == {"0000": SCORES, "0001": SCORES}
    server_loads.check(scores, "encoded", scores)
    with pytest.raises(RuntimeError, match="other answers: picture 0001"):
        server_loads.check(scores, "encoded", {"0000": SCORES, "0001": SCORES[::-1]})


def test_rounds_fill_every_row_and_name_what_is_absent(port: int, program: pathlib.Path, inputs: pathlib.Path,
                                                       tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "place"
    place.mkdir()
    arguments = argparse.Namespace(rounds=1, seconds=0.05, rows="encoded", only=None, no_check=False, data="drawn",
                                   pictures=None, count=2, json=True, markdown=False)
    monkeypatch.setattr(Twin, "listening", port)
    monkeypatch.setattr(serving_rounds, "ROWS", {"encoded": {}, "decoded": {}})  # the twins speak no gRPC
    monkeypatch.setattr(model_servers, "ALL", (Twin, AbsentTwin, OtherTwin))
    monkeypatch.setattr(model_servers, "make_inputs",
                        lambda folder, count, pictures: shutil.copytree(inputs, folder, dirs_exist_ok=True))
    monkeypatch.setattr(model_servers, "compiled_load", lambda folder: program)
    benchmark = serving_rounds.ServingBenchmark(BENCHMARK, place, arguments, 1)
    report: dict[str, Any] = benchmark.measure()
    assert report["absent"] == {"triton": "nobody has installed it", "mlserver": "failed: its last words"}
    rows = report["contenders"]["forebay"]["rows"]
    assert len(rows) == 7 and all(name.startswith("encoded") for name in rows)
    assert rows["encoded, 16 connections"]["requests_per_cpu_second"] > 0
    assert "absent: triton (nobody has installed it)" in table.text(report)
    assert benchmark.status() == 0


def test_a_server_that_does_not_end_is_ended(inputs: pathlib.Path, tmp_path: pathlib.Path,
                                             monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_servers, "STOP_S", 0.05)

    class Stubborn(Twin):
        def command(self) -> tuple[list[str], dict[str, str]]:
            return ["sh", "-c", "trap '' TERM; echo trapped; while :; do sleep 1; done"], {}

        def is_ready(self, kind: str) -> bool:
            return "trapped" in self.last_words()

    server = Stubborn(tmp_path, inputs, 1, True)
    model_servers.Server.start(server)
    process = server.process
    assert isinstance(process, subprocess.Popen)
    begun = time.monotonic()
    model_servers.Server.stop(server)
    assert process.returncode is not None and time.monotonic() - begun < 10
