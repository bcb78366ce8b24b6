"""The trace of arrays: a file for Perfetto, and a report."""

from __future__ import annotations

import json
import pathlib

import forebay
from forebay import nd


def record(path: pathlib.Path) -> None:
    with forebay.trace(path):
        x = nd.ones((64, 64))
        for _ in range(10):
            x = nd.dot(x, x) * 0.01
        x.wait_to_read()


def test_tasks_edges_and_levels_are_in_the_file(tmp_path: pathlib.Path) -> None:
    record(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    events = trace["traceEvents"]
    dots = [event for event in events if event["name"] == "dot"]
    assert len(dots) == 10
    assert all(event["args"]["site"].startswith("test_tracing.py:") for event in dots)
    assert {"unfinished", "ready"} == set(next(event for event in events if event["ph"] == "C")["args"])
    assert sum(event["ph"] == "s" for event in events) == sum(event["ph"] == "f" for event in events)
    assert trace["otherData"]["forgotten"] == 0


def test_the_report_names_the_longest_waits(tmp_path: pathlib.Path) -> None:
    record(tmp_path / "trace.json")
    report = forebay.trace.report()
    assert "dot (test_tracing.py:" in report and "waits for others" in report
    assert len(forebay.trace.report(count=1).splitlines()) == 3


def test_a_function_can_be_traced_whole(tmp_path: pathlib.Path) -> None:
    @forebay.trace(tmp_path / "trace.json")
    def work() -> float:
        return float(nd.ones(3).sum().asscalar())

    assert work() == 3
    assert "sum" in (tmp_path / "trace.json").read_text()
