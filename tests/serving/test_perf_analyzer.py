"""NVIDIA's `perf_analyzer` against `forebay serve`: it asks for configurations and statistics, registers shared memory,
and loads the server by each of its ways. Nightly: a Debian is made for it."""

from __future__ import annotations

import base64
import json
import pathlib
import shutil
import struct
from collections.abc import Iterator

import pytest

import perf_analyzer
from inference_server import PROGRAM, InferenceServer, serving, write_pipeline
from test_serve import DOUBLING, picture

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(PROGRAM is None, reason="the program is not installed beside Python"),
    pytest.mark.skipif(bool(perf_analyzer.why_not()), reason=perf_analyzer.why_not() or "-"),
]

SUMMING = """
class Model:
    def __init__(self, config):
        pass

    def infer(self, pictures):
        return {"sums": pictures.sum(axis=(1, 2, 3))[:, None]}
"""
SUMMING_CONFIG = """
max_batch_size: 16
input [ { name: "pictures" data_type: TYPE_FP32 dims: [ 3, 24, 32 ] } ]
output [ { name: "sums" data_type: TYPE_FP32 dims: [ 1 ] } ]
dynamic_batching { max_queue_delay_microseconds: 500 }
"""
ENSEMBLE = """
platform: "ensemble"
max_batch_size: 8
input [ { name: "picture" data_type: TYPE_STRING dims: [ 1 ] } ]
output [ { name: "sums" data_type: TYPE_FP32 dims: [ 1 ] } ]
ensemble_scheduling {
  step [
    { model_name: "preparation" model_version: -1
      input_map { key: "picture" value: "picture" } output_map { key: "prepared" value: "prepared" } },
    { model_name: "summing" model_version: -1
      input_map { key: "pictures" value: "prepared" } output_map { key: "sums" value: "sums" } }
  ]
}
"""
SHARED = ("--shared-memory", "system", "--output-shared-memory-size", "4096")


def write_models(repository: pathlib.Path) -> None:
    write_pipeline(repository)
    for name, code in {"doubling": DOUBLING, "summing": SUMMING}.items():
        (repository / name / "1").mkdir(parents=True)
        (repository / name / "1" / "model.py").write_text(code)
    (repository / "summing" / "config.pbtxt").write_text(SUMMING_CONFIG)
    (repository / "photos" / "1").mkdir(parents=True)
    (repository / "photos" / "config.pbtxt").write_text(ENSEMBLE)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InferenceServer]:
    repository = tmp_path_factory.mktemp("models")
    write_models(repository)
    with serving(repository) as running:
        assert all(each["state"] == "READY" for each in running.said["models"]), running.said
        yield running


@pytest.fixture(scope="module")
def analyzer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[perf_analyzer.PerfAnalyzer]:
    folder = tmp_path_factory.mktemp("trixie")
    try:
        yield perf_analyzer.PerfAnalyzer(folder)
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def pictures(analyzer: perf_analyzer.PerfAnalyzer) -> str:
    """The file of inputs: elements of BYTES as they are sent, a length before each."""
    rows = []
    for seed in range(3):
        encoded = picture(seed)
        content = base64.b64encode(struct.pack("<I", len(encoded)) + encoded).decode()
        rows.append({"picture": {"b64": content, "shape": [1]}})
    return analyzer.write("pictures.json", json.dumps({"data": rows}))


def door(server: InferenceServer, protocol: str) -> list[str]:
    return ["-i", protocol, "-u", server.grpc if protocol == "grpc" else server.url.removeprefix("http://")]


def check(found: list[perf_analyzer.Measured], levels: int = 1, rows: int = 1) -> None:
    assert len(found) == levels, found
    for each in found:
        assert each.client_requests >= 20 and each.throughput > 0, each
        assert each.server_requests > 0 and each.server_rows == each.server_requests * rows, each
        assert 0 < each.server_runs <= each.server_requests, each


@pytest.mark.parametrize("protocol", ["http", "grpc"])
@pytest.mark.parametrize("way", [(), ("--async", "--concurrency-range", "4"), SHARED], ids=["one", "async", "shared memory"])
def test_a_model_in_python(
    server: InferenceServer, analyzer: perf_analyzer.PerfAnalyzer, protocol: str, way: tuple[str, ...]
) -> None:
    check(analyzer.measure("doubling", *door(server, protocol), "--shape", "x:4", *way))
    assert server.ask("/v2/systemsharedmemory/status")[1] == []


def test_a_stream(server: InferenceServer, analyzer: perf_analyzer.PerfAnalyzer) -> None:
    check(analyzer.measure("doubling", *door(server, "grpc"), "--shape", "x:4", "--streaming", "--async",
                           "--concurrency-range", "4"))


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_batches_of_pictures(
    server: InferenceServer, analyzer: perf_analyzer.PerfAnalyzer, pictures: str, protocol: str
) -> None:
    found = analyzer.measure("preparation", *door(server, protocol), "--input-data", pictures, "-b", "2",
                             "--concurrency-range", "1:2")
    check(found, levels=2, rows=2)


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_an_ensemble(
    server: InferenceServer, analyzer: perf_analyzer.PerfAnalyzer, pictures: str, protocol: str
) -> None:
    """Of which it asks for the configurations and statistics of the steps, too."""
    check(analyzer.measure("photos", *door(server, protocol), "--input-data", pictures, "--concurrency-range", "4"))
