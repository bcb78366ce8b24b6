"""The benchmarks' harness: ratios, tables, windows."""

import os
import pathlib
import subprocess
import sys

import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "benchmarks" / "harness"))

import contender  # noqa: E402
import http_bodies  # noqa: E402
import processor_time  # noqa: E402
import runner  # noqa: E402
import table  # noqa: E402
import three_ways  # noqa: E402


def test_windows_lie_within_the_picture() -> None:
    for height, width in ((1, 1), (375, 500), (1080, 1920)):
        top, left, h, w = contender.window(height, width)
        assert 0 <= top <= top + h <= height
        assert 0 <= left <= left + w <= width


def test_psnr() -> None:
    flat = numpy.zeros((2, 2))
    assert runner.psnr(flat, flat, 255) == 99
    assert runner.psnr(flat + 255, flat, 255) == pytest.approx(0)


def test_cpu_seconds_grow_with_work() -> None:
    before = contender.cpu_seconds()
    sum(range(300_000))
    assert contender.cpu_seconds() > before


def test_ratios_are_medians_of_rounds() -> None:
    benchmark = runner.Benchmark.__new__(runner.Benchmark)
    benchmark.samples = {
        ("forebay", "row"): [{"images_per_second": 4.0}, {"images_per_second": 9.0}, {"images_per_second": 2.0}],
        ("peer", "row"): [{"images_per_second": 2.0}, {"images_per_second": 3.0}, {"images_per_second": 2.0}],
    }
    assert benchmark._ratios() == {"forebay/peer": {"row": {"images_per_second": 2.0}}}


def test_the_table_names_versions_and_the_absent() -> None:
    report = {
        "machine": {"processor": "P", "cores": 2, "kernel": "6", "forebay": "0.1.0", "revision": "r", "rounds": 1},
        "contenders": {"forebay": {"versions": {"forebay": "0.1.0"}, "rows": {"1 thread": {"images_per_second": 10.0}}},
                       "peer": {"versions": {"lib": "3"}, "rows": {"1 thread": {"images_per_second": 5.0}}}},
        "ratios": {"forebay/peer": {"1 thread": {"images_per_second": 2.0}}},
        "absent": {"other": "not built"},
    }
    text = table.text(report)
    assert "2.00x" in text and "peer: lib 3" in text and "absent: other (not built)" in text
    assert "| forebay" in table.text(report, markdown=True)


def test_bodies_of_objects_are_counted_however_they_are_cut() -> None:
    head = b"HTTP/1.1 206 Partial Content\r\nContent-Length: 5\r\n\r\n"
    for cut in range(1, len(head) + 5):
        bodies = http_bodies.ObjectBodies()
        bodies.request(b"GET /far/a HTTP/1.1\r\nHost: x\r\n\r\n")
        whole = head + b"bytes"
        assert bodies.answer(whole[:cut]) + bodies.answer(whole[cut:]) == 5


def test_bodies_of_listings_errors_and_heads_are_not_counted() -> None:
    bodies = http_bodies.ObjectBodies()
    for request, status in ((b"GET /far?list-type=2", b"200 OK"), (b"GET /far/b", b"404 Not Found"), (b"HEAD /far/a", b"200 OK")):
        bodies.request(request + b" HTTP/1.1\r\n\r\n")
        assert bodies.answer(b"HTTP/1.1 " + status + b"\r\ncontent-length: 3\r\n\r\nabc") == 0
    bodies.request(b"GET /far/a HTTP/1.1\r\n\r\n")
    assert bodies.answer(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc") == 3


def test_requests_are_counted_where_they_begin() -> None:
    bodies = http_bodies.ObjectBodies()
    assert bodies.request(b"GET /far/a HTTP/1.1\r\nHost: x\r\n") == (1, 1)
    assert bodies.request(b"Accept: */*\r\n\r\n") == (0, 0)
    assert bodies.request(b"HEAD /far/a HTTP/1.1\r\n\r\n") == (1, 0)
    assert bodies.request(b"GET /far?list-type=2 HTTP/1.1\r\n\r\n") == (1, 0)


@pytest.mark.parametrize("local_s", [0.001, 0.02, 0.5])
def test_a_step_is_a_fixed_share_of_the_wires_time(local_s: float) -> None:
    speed, step_s = three_ways.wire_and_step(2e6, local_s)
    assert step_s >= 1.25 * local_s and speed <= 20e6
    assert step_s == pytest.approx(0.4 * 2e6 / speed)


def test_processor_time_counts_children() -> None:
    before = processor_time.seconds_of_tree(os.getpid())
    subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)
    assert processor_time.seconds_of_tree(os.getpid()) > before
