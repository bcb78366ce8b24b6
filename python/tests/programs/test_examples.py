"""Examples run to their end, on data that they make."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys

import daemon_host
import pytest
import s3_server

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLES / arguments[0]), *arguments[1:]]
    environment = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False, env=environment)


def check_picture(path: pathlib.Path, least_bytes: int = 10_000) -> None:
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG") and len(content) > least_bytes, path


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


@pytest.mark.nightly
def test_words_are_told_apart(tmp_path: pathlib.Path) -> None:
    result = run("recognise_words.py", "--out", str(tmp_path), "--json")
    assert result.returncode == 0, result.stdout + result.stderr
    report = json.loads(result.stdout)
    assert report["tested"] == 200 and report["reached"] and report["accuracy"] >= report["bar"] == 0.85
    assert report["untrained"] <= 3 / report["words"]


def test_a_word_or_two_are_learnt(tmp_path: pathlib.Path) -> None:
    """All steps, once; that all words are told apart is tried at night."""
    result = run("recognise_words.py", "--out", str(tmp_path), "--clips", "64", "--epochs", "4", "--accuracy", "1.01",
                 "--json")
    assert result.returncode == 1, result.stdout + result.stderr
    report = json.loads(result.stdout)
    assert report["tested"] == 16 and not report["reached"]
    assert report["losses"][-1] < report["losses"][0]
    check_picture(tmp_path / "words.png")
    check_picture(tmp_path / "words_loss.png", 1000)


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


def test_archives_are_trained_on(tmp_path: pathlib.Path) -> None:
    result = run("read_webdataset.py", "--out", str(tmp_path), "--photos", "64", "--epochs", "2")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "64 samples in 2 archives\n" in result.stdout
    losses = re.findall(r"epoch \d: 64 samples, loss ([\d.]+)", result.stdout)
    assert len(losses) == 2 and float(losses[1]) < float(losses[0]), result.stdout
    check_picture(tmp_path / "batch.png")


def test_records_are_read(tmp_path: pathlib.Path) -> None:
    result = run("read_tfrecord.py", "--out", str(tmp_path), "--photos", "32")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "32 records, index of " in result.stdout
    assert (tmp_path / "photos.index").is_file()
    check_picture(tmp_path / "batch.png")


def test_a_source_draws_the_same_here_and_in_workers(tmp_path: pathlib.Path) -> None:
    result = run("python_source.py", "--out", str(tmp_path), "--samples", "96")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "3 batches, the same bits both ways\n" in result.stdout
    check_picture(tmp_path / "batch.png")


@pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")
@pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python")
def test_the_second_epoch_asks_nothing_of_the_store(tmp_path: pathlib.Path, host: daemon_host.Host) -> None:
    (tmp_path / "s3").mkdir()
    server = s3_server.S3Server(tmp_path / "s3")
    try:
        server.put("train")
        host.environment |= server.environment()
        host.start()
        arguments = ("s3_two_epochs.py", "s3://train/photos", "--out", str(tmp_path / "out"), "--photos", "32")
        first = run(*arguments, **host.environment)
        again = run(*arguments, **host.environment)
        absent = run("s3_two_epochs.py", "s3://absent/photos", *arguments[2:], **host.environment)
    finally:
        server.stop()
    assert absent.returncode == 1 and "there is no such bucket" in absent.stderr and "Traceback" not in absent.stderr
    assert first.returncode == again.returncode == 0, first.stdout + first.stderr + again.stdout + again.stderr
    stored = sum(path.stat().st_size for path in (tmp_path / "out" / "photos").rglob("*.*"))
    assert f"epoch 1: 32 samples, {stored} bytes from the store" in first.stdout
    assert "epoch 2: 32 samples, 0 bytes from the store" in first.stdout
    assert f"held on this host now: {stored} of {stored} bytes\n" in first.stdout
    assert "epoch 1: 32 samples, 0 bytes from the store" in again.stdout
    check_picture(tmp_path / "out" / "bytes.png", 1000)


def test_pictures_are_segmented(tmp_path: pathlib.Path) -> None:
    """All steps, once; that it learns is tried at night."""
    result = run("segment_shapes.py", "--out", str(tmp_path), "--photos", "64", "--epochs", "1", "--overlap", "0")
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"^ground [\d.]+, disc [\d.]+, square [\d.]+, triangle [\d.]+$", result.stdout, re.MULTILINE)
    check_picture(tmp_path / "masks.png")


def test_requests_are_answered(tmp_path: pathlib.Path) -> None:
    result = run("serve_requests.py", "--out", str(tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"^request 13: .+$", result.stdout, re.MULTILINE)
    assert "63 of 64 requests answered\nthe same bits as in a batch\n" in result.stdout
    check_picture(tmp_path / "latencies.png", 1000)


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
