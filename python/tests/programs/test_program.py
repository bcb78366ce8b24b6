"""The program `forebay`: what its commands print, write and refuse."""

from __future__ import annotations

import gzip
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from typing import Any

import numpy as np
import pytest

import forebay
import forebay.__main__
from forebay import fn, pipeline_def, tfrecord

from tfrecords import example_of, field, record_of

PROGRAM = shutil.which("forebay", path=sysconfig.get_path("scripts"))
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the program is not installed beside Python")


def run(*arguments: Any) -> subprocess.CompletedProcess[str]:
    assert PROGRAM is not None
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )


def printed(*arguments: Any) -> Any:
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refusal(*arguments: Any) -> str:
    done = run(*arguments)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("forebay: ")
    return done.stderr


def test_python_runs_the_program() -> None:
    for arguments in (["--version"], ["doctor", "--json"], ["index", "/no/such/folder"], []):
        done = subprocess.run(
            [sys.executable, "-m", "forebay", *arguments], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
        wanted = run(*arguments)
        assert done.returncode == wanted.returncode, done.stderr
        assert done.stdout.splitlines()[:1] == wanted.stdout.splitlines()[:1]
        assert done.stderr == wanted.stderr


def test_a_program_that_is_not_there_is_said(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forebay.__main__.folders", lambda: [str(tmp_path)])
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(SystemExit, match=f"the program 'forebay' is in none of {tmp_path}, and not on PATH; install"):
        forebay.__main__.main()


def test_index_of_a_folder(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for folder in (photos, *(entry for entry in photos.iterdir() if entry.is_dir())):
        os.utime(folder, (1_000_000_000, 1_000_000_000))  # one that has just changed is listed again
    out = tmp_path / "index"
    facts = printed("index", photos, "--out", out)
    assert (facts["samples"], facts["index"]) == (37, str(out))
    written = out.stat().st_mtime_ns
    assert "37 samples" in run("index", photos, "--out", out).stdout
    assert out.stat().st_mtime_ns == written  # one that fits is left as it is

    @pipeline_def(batch_size=37, num_threads=1)
    def read() -> Any:
        return fn.readers.file(file_root=str(photos), index_file=str(out))

    assert len(read().run()[0]) == 37
    assert out.stat().st_mtime_ns == written


def test_index_of_a_list(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    files = sorted(photos.rglob("*.jpg"))[:5]
    (tmp_path / "list.txt").write_text("".join(f"{file} {label}\n" for label, file in enumerate(files)))
    assert printed("index", tmp_path / "list.txt", "--out", tmp_path / "index")["samples"] == 5


def test_index_of_archives(tmp_path: pathlib.Path) -> None:
    archive = tmp_path / "shard.tar"
    with tarfile.open(archive, "w", format=tarfile.USTAR_FORMAT) as tar:
        for name in ("a.jpg", "a.cls", "b.jpg", "b.cls"):
            member = tarfile.TarInfo(name)
            member.size = 3
            tar.addfile(member, io.BytesIO(b"123"))
    assert "--ext" in refusal("index", archive, "--out", tmp_path / "index")
    assert printed("index", archive, "--out", tmp_path / "index", "--ext", "jpg", "--ext", "cls")["samples"] == 2


def test_index_of_names_that_stand_for_several(tmp_path: pathlib.Path) -> None:
    for name in ("s-0", "s-1", "s-2"):
        with tarfile.open(tmp_path / f"{name}.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
            tar.addfile(tarfile.TarInfo("a.jpg"))
    for name in ("{s-0,s-2}.tar", "s-{1..2}.tar", "s-[!0].tar"):
        out = tmp_path / f"index of {name}"
        assert printed("index", tmp_path / name, "--ext", "jpg", "--out", out)["samples"] == 2
    none = tmp_path / "t-*.tar"
    assert f"'{none}' matches no file" in refusal("index", none, "--ext", "jpg", "--out", tmp_path / "index")


def test_index_of_records(tmp_path: pathlib.Path) -> None:
    records = tmp_path / "records.tfrecord"
    examples = [example_of("f", field(1, field(1, text))) for text in (b"one", b"three")]
    records.write_bytes(b"".join(map(record_of, examples)))
    out = tmp_path / "index"
    assert printed("index", records, "--out", out)["samples"] == 2
    written = out.stat().st_mtime_ns

    @pipeline_def(batch_size=2, num_threads=1)
    def read() -> Any:
        features = {"f": tfrecord.FixedLenFeature((), tfrecord.string, "")}
        return fn.readers.tfrecord(path=[str(records)], features=features, index_file=str(out))["f"]

    (texts,) = read().run()
    assert [bytes(np.asarray(texts.at(i))) for i in range(2)] == [b"one", b"three"]
    assert out.stat().st_mtime_ns == written


@pytest.mark.parametrize("name", ["shard.tar", "shard.tar.gz", "records.tfrecord"])
def test_index_of_a_compressed_file(name: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / name).write_bytes(gzip.compress(b"whatever it was"))
    error = refusal("index", tmp_path / name, "--ext", "jpg", "--out", tmp_path / "index")
    assert f"{name}: gzip-compressed" in error and "decompress" in error
    assert not (tmp_path / "index").exists()


def test_index_refuses(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "index"
    assert "nowhere" in refusal("index", tmp_path / "nowhere", "--out", out)
    assert "none.tfrecord" in refusal("index", tmp_path / "none.tfrecord", "--out", out)
    assert "no samples found" in refusal("index", tmp_path, "--out", out)
    assert "all be .tar" in refusal("index", "a.tar", "b.tfrecord", "--out", out)
    (tmp_path / "broken.tfrecord").write_bytes(b"this is no record of any kind")
    assert "at byte 0" in refusal("index", tmp_path / "broken.tfrecord", "--out", out)
    assert not out.exists()
    missing = tmp_path / "not" / "there"
    assert "there is no folder" in refusal("index", photos, "--out", missing / "index")
    assert not missing.parent.exists()
    assert "is a folder; --out names" in refusal("index", photos, "--out", tmp_path)
    assert run("index", photos).returncode not in (0, 1)  # without --out: the usage


def test_bench(photos: pathlib.Path) -> None:
    facts = printed("bench", photos, "--seconds", 0.05, "--batch-size", 8, "--size", 16)
    assert facts["images"] > 0 and facts["images_per_second"] > 0
    assert "bottleneck" in facts["explanation"]
    text = run("bench", photos, "--seconds", 0.05, "--size", 16)
    assert text.returncode == 0 and "images/s" in text.stdout


def test_bench_refuses(tmp_path: pathlib.Path) -> None:
    assert "is not a folder" in refusal("bench", tmp_path / "nowhere", "--json")
    assert "no samples found" in refusal("bench", tmp_path, "--json")
    assert run("bench", tmp_path, "--threads", 0).returncode not in (0, 1)


def test_doctor() -> None:
    findings = printed("doctor")
    assert {"name", "verdict", "detail", "advice"} == set(findings[0])
    names = [finding["name"] for finding in findings]
    assert len(names) == len(set(names))
    text = run("doctor").stdout
    assert all(name in text for name in names)


def test_version() -> None:
    assert run("--version").stdout.strip() == forebay.__version__


def test_a_command_that_is_not_there_is_named() -> None:
    result = run("nosuch")
    assert result.returncode != 0
    assert "nosuch" in result.stderr


def test_without_a_command_the_commands_are_shown() -> None:
    result = run()
    assert result.returncode == 2
    assert "a command is needed" in result.stderr and "doctor" in result.stderr


def test_a_demo_of_nothing_says_so_in_a_line(tmp_path: pathlib.Path) -> None:
    for folder, words in ((tmp_path / "none", "No such file"), (tmp_path, "holds no folders")):
        result = run("demo", str(folder), "--out", str(tmp_path / "out"))
        assert result.returncode == 1
        assert result.stderr.startswith("forebay demo: ") and words in result.stderr
        assert result.stderr.count("\n") == 1
