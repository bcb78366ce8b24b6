"""Examples run to their end, on data that they make."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys

import pytest
import s3_server

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLES / arguments[0]), *arguments[1:]]
    return subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)


def accuracy_of(result: subprocess.CompletedProcess[str]) -> float:
    found = re.search(r"accuracy on \d+ test pictures: ([\d.]+)", result.stdout)
    assert found, result.stdout + result.stderr
    return float(found[1])


@pytest.mark.nightly
def test_a_network_of_arrays_learns() -> None:
    result = run("train_arrays.py")
    assert result.returncode == 0, result.stdout + result.stderr
    assert accuracy_of(result) >= 0.8
    assert "reached" in result.stdout


@pytest.mark.nightly
def test_a_detector_learns(tmp_path: pathlib.Path) -> None:
    result = run("detect_shapes.py", "--out", str(tmp_path), "--photos", "416", "--epochs", "18", "--precision", "0.4")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0.4 is reached" in result.stdout
    assert (tmp_path / "shapes.png").stat().st_size > 10_000


@pytest.mark.nightly
def test_a_segmenter_learns(tmp_path: pathlib.Path) -> None:
    result = run("segment_shapes.py", "--out", str(tmp_path), "--photos", "416", "--epochs", "12", "--overlap", "0.35")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0.35 is reached" in result.stdout
    assert (tmp_path / "masks.png").stat().st_size > 10_000


def test_an_accuracy_that_is_not_reached_is_a_failure() -> None:
    result = run("train_arrays.py", "--photos", "64", "--epochs", "1", "--accuracy", "1.01")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "not reached" in result.stdout


def test_volumes_are_augmented(tmp_path: pathlib.Path) -> None:
    result = run("volumes.py", "--out", str(tmp_path), "--volumes", "5", "--batches", "2")
    assert result.returncode == 0, result.stdout + result.stderr
    shares = re.search(r"lesions are ([\d.]+) of the scans, and ([\d.]+) of what", result.stdout)
    assert shares, result.stdout
    assert 0 < float(shares[2]) < 10 * float(shares[1])
    assert (tmp_path / "volumes.png").stat().st_size > 10_000


def test_requests_are_answered() -> None:
    result = run("serve_requests.py")
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"^request 13: .+$", result.stdout, re.MULTILINE)
    assert "63 of 64 requests answered\nthe same bits as in a batch\n" in result.stdout


def test_operators_one_by_one() -> None:
    result = run("dynamic_photos.py")
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"^mean of all pictures: 0\.\d{4}$", result.stdout, re.MULTILINE)
    assert re.search(r"^told by who looks: .*'decoders.image' \(pushed at dynamic_photos.py:\d+\)", result.stdout, re.MULTILINE)


def test_transforms_train_the_same_both_ways(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("torch")
    result = run("train_transforms.py", "--out", str(tmp_path), "--photos", "40", "--steps", "5")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "the same losses to the bit" in result.stdout


@pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")
def test_a_job_is_fed_in_three_ways(tmp_path: pathlib.Path) -> None:
    result = run("three_ways/run.py", "--out", str(tmp_path), "--photos", "64", "--json")
    assert result.returncode == 0, result.stdout + result.stderr
    report = json.loads(result.stdout)
    ways = report["ways"]
    assert list(ways) == ["synthetic", "copy_first", "read_direct", "forebay"] and not report["absent"]
    assert all([len(epoch["steps"]) for epoch in way["timeline"]["epochs"]] == [2, 2] for way in ways.values())
    assert ways["synthetic"]["requests"] == 0
    assert ways["copy_first"]["bodies_1"] == ways["copy_first"]["bodies_2"] == 0
    assert ways["copy_first"]["requests"] >= 64
    assert ways["read_direct"]["object_share"] >= 2  # each picture once an epoch
    assert 1 <= ways["forebay"]["object_share"] < 2 and ways["forebay"]["bodies_2"] == 0
    assert pathlib.Path(report["picture"]).read_bytes().startswith(b"\x89PNG")


def test_a_job_of_half_a_batch_is_refused(tmp_path: pathlib.Path) -> None:
    result = run("three_ways/run.py", "--out", str(tmp_path), "--photos", "16")
    assert result.returncode == 2 and "multiple of 32" in result.stderr, result.stdout + result.stderr
