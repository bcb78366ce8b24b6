"""The benchmarks' harness: ratios, tables, windows."""

import pathlib
import sys

import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "benchmarks" / "harness"))

import contender  # noqa: E402
import runner  # noqa: E402
import table  # noqa: E402


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
