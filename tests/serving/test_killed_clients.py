"""Clients that are killed while they wait for answers or in the middle of what they send: others are answered meanwhile and
afterwards, every request ends, and connections, memory and shared memory are given back."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from inference_server import CLIENTS, PATIENCE_S, PROGRAM, InferenceServer, has_clients, serving

pytestmark = [
    pytest.mark.skipif(PROGRAM is None, reason="the program is not installed beside Python"),
    pytest.mark.skipif(not has_clients(), reason="tools/peers.sh serving was not run"),
]

# From 1 on a request is held until the file `open` is there; each that begins leaves a file.
HOLDING = """
import os, pathlib, time

FOLDER = pathlib.Path(FOLDER_NAME)

class Model:
    inputs = [{"name": "x", "datatype": "FP32", "shape": [-1]}]
    outputs = [{"name": "y", "datatype": "FP32", "shape": [-1]}]

    def __init__(self, config):
        pass

    def infer(self, x):
        if x[0] >= 1:
            (FOLDER / f"begun-{int(x[0])}").touch()
            deadline = time.monotonic() + 60
            while not (FOLDER / "open").exists() and time.monotonic() < deadline:
                time.sleep(0.002)
        return {"y": x * 2}
"""
WAITING = ["http", "grpc", "stream", "shared memory"]
CONFIG = f"instance_group [ {{ count: {len(WAITING)} kind: KIND_CPU }} ]"


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path


@pytest.fixture
def server(folder: pathlib.Path) -> Iterator[InferenceServer]:
    for name, config in {"holding": CONFIG, "free": ""}.items():
        (folder / "models" / name / "1").mkdir(parents=True)
        (folder / "models" / name / "1" / "model.py").write_text(HOLDING.replace("FOLDER_NAME", repr(str(folder))))
        if config:
            (folder / "models" / name / "config.pbtxt").write_text(config)
    with serving(folder / "models") as running:
        assert all(each["state"] == "READY" for each in running.said["models"]), running.said
        yield running


def until(is_so: Callable[[], Any], what: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, what()
        time.sleep(0.005)


def doubled(server: InferenceServer, model: str) -> None:
    tensor = {"name": "x", "datatype": "FP32", "shape": [2], "data": [-3, 4]}
    status, answer = server.ask(f"/v2/models/{model}/infer", {"inputs": [tensor]})
    assert status == 200 and answer["outputs"][0]["data"] == [-6, 8], answer


class Doomed:
    """A client's process."""

    def __init__(self, server: InferenceServer, kind: str, value: float) -> None:
        asked = {"kind": kind, "http": server.url.removeprefix("http://"), "grpc": server.grpc, "model": "holding", "value": value}
        script = pathlib.Path(__file__).with_name("doomed_client.py")
        self._process = subprocess.Popen([str(CLIENTS), str(script), json.dumps(asked)], text=True, stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, env={**os.environ, "PYTHONWARNINGS": "ignore"})

    @property
    def process_id(self) -> int:
        return self._process.pid

    def wait_for(self, line: str) -> None:
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        assert said == line + "\n", (said, self._process.poll())

    def send_more(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        self.wait_for("sent more")

    def kill(self) -> None:
        self._process.kill()
        with self._process:
            assert self._process.wait(PATIENCE_S) == -signal.SIGKILL


@contextlib.contextmanager
def doomed(server: InferenceServer, kinds: list[str]) -> Iterator[list[Doomed]]:
    clients: list[Doomed] = []
    try:
        clients += [Doomed(server, kind, place + 1) for place, kind in enumerate(kinds)]
        for client in clients:
            client.wait_for("sent")
        yield clients
    finally:
        for client in clients:
            client._process.kill()


def sockets_of(server: InferenceServer) -> int:
    """Open ones of the server's process; a descriptor that is closed meanwhile is none."""
    count = 0
    for descriptor in pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            count += os.readlink(descriptor).startswith("socket:")
    return count


def resident_bytes(server: InferenceServer) -> int:
    return int(pathlib.Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def statistics_of(server: InferenceServer, model: str) -> tuple[int, int]:
    """Requests that were answered, and that ended otherwise."""
    row = server.ask(f"/v2/models/{model}/stats")[1]["model_stats"][0]["inference_stats"]
    return row["success"]["count"], row["fail"]["count"]


def regions_of(server: InferenceServer) -> list[str]:
    return [row["name"] for row in server.ask("/v2/systemsharedmemory/status")[1]]


def maps_shared_memory(server: InferenceServer, name: str) -> bool:
    return f"/dev/shm/{name}" in pathlib.Path(f"/proc/{server.process.pid}/maps").read_text()


def test_while_they_wait_for_answers(server: InferenceServer, folder: pathlib.Path) -> None:
    doubled(server, "free")
    doubled(server, "holding")
    sockets = sockets_of(server)
    with doomed(server, WAITING) as clients:
        region = f"forebay_doomed_{clients[WAITING.index('shared memory')].process_id}"
        try:
            for value in range(1, len(WAITING) + 1):  # each has a process of the model
                until((folder / f"begun-{value}").exists, lambda: sorted(os.listdir(folder)))
            for client in clients:
                client.send_more()
            doubled(server, "free")
            for client in clients:
                client.kill()
            doubled(server, "free")
            (folder / "open").touch()
            doubled(server, "holding")
            until(lambda: sockets_of(server) <= sockets, lambda: (sockets, sockets_of(server)))
            # What a client had registered stays, as the protocol has it, until somebody takes it away.
            assert regions_of(server) == [region] and maps_shared_memory(server, region)
            assert server.ask(f"/v2/systemsharedmemory/region/{region}/unregister", b"")[0] == 200
            until(lambda: not maps_shared_memory(server, region), lambda: region)
        finally:
            pathlib.Path("/dev/shm", region).unlink(missing_ok=True)
    until(lambda: sum(statistics_of(server, "holding")) >= 2 + len(WAITING), lambda: statistics_of(server, "holding"))
    assert statistics_of(server, "free") == (3, 0)
    assert server.stop() == 0  # at once: nothing is under way any more


def test_in_the_middle_of_what_they_send(server: InferenceServer) -> None:
    """Twice: memory is kept for later use, and what the first ones had serves the next ones."""
    doubled(server, "free")
    sockets = sockets_of(server)
    resident = [resident_bytes(server)]
    sent_bytes = 3 * 4 * (16 << 20)
    for _ in range(2):
        with doomed(server, ["half a body"] * 3 + ["half a message"]) as clients:
            for client in clients:
                client.send_more()
            until(lambda: resident_bytes(server) - resident[0] > sent_bytes // 2, lambda: (resident, resident_bytes(server)))
            doubled(server, "free")
            for client in clients:
                client.kill()
        until(lambda: sockets_of(server) <= sockets, lambda: (sockets, sockets_of(server)))
        doubled(server, "free")
        resident.append(resident_bytes(server))
    assert resident[2] - resident[1] < sent_bytes // 2, resident
    doubled(server, "holding")
    assert statistics_of(server, "holding") == (1, 0)
    assert server.stop() == 0
