"""What `benchmarks/mount` measures with: calls on files, trees, waits for what is stored."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HARNESS = ROOT / "benchmarks" / "harness"
sys.path.insert(0, str(HARNESS))

import mount_tree  # noqa: E402
import mount_work  # noqa: E402
import mounts  # noqa: E402

MIB = 1 << 20


@pytest.fixture(scope="module")
def file_calls(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    program = tmp_path_factory.mktemp("program") / "file_calls"
    command = [compiler, "-std=c++20", "-pthread", str(HARNESS / "file_calls.cc"), "-o", str(program)]
    subprocess.run(command, check=True, timeout=120)
    return program


@pytest.fixture
def tree(tmp_path: pathlib.Path) -> pathlib.Path:
    """A file of 2 MiB, and a folder of five files."""
    (tmp_path / "large").write_bytes(os.urandom(2 * MIB))
    (tmp_path / "small").mkdir()
    for number in range(5):
        (tmp_path / "small" / str(number)).write_bytes(b"some bytes")
    return tmp_path


def called(program: pathlib.Path, *words: object) -> dict[str, float]:
    run = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=60, check=True)
    found: dict[str, float] = json.loads(run.stdout)
    return found


def test_calls_are_counted(file_calls: pathlib.Path, tree: pathlib.Path) -> None:
    for order in ("random", "sequential"):
        for drop in (0, 1):
            found = called(file_calls, order, tree / "large", 0.02, drop)
            assert found["calls"] > 0 and found["seconds"] >= 0.02
    assert called(file_calls, "files", tree / "small", 0.02, 2)["calls"] >= 2
    assert called(file_calls, "names", tree / "small")["calls"] == 5


def test_a_call_that_fails_ends_the_work(file_calls: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for words in (["random", "absent", "1", "0"], ["names", "absent"], ["files", "absent", "1", "2"], ["other", "x"]):
        run = subprocess.run([file_calls, *words], cwd=tmp_path, capture_output=True, timeout=60, check=False)
        assert run.returncode != 0 and run.stderr and not run.stdout


def test_a_digest_is_that_of_all_bytes(tree: pathlib.Path) -> None:
    before = mount_tree.digest(tree)
    assert mount_tree.digest(tree) == before
    (tree / "small" / "3").write_bytes(b"other byte")
    assert mount_tree.digest(tree) != before


def test_a_scale_makes_fewer_files_or_a_smaller_one() -> None:
    assert mount_tree.scaled((2000, 100), 0.1) == (200, 100)
    assert mount_tree.scaled((1, 512 * MIB), 0.25) == (1, 128 * MIB)
    assert mount_tree.scaled((1, 512 * MIB), 1e-9) == (1, MIB)


def test_what_is_stored_later_is_waited_for(tmp_path: pathlib.Path) -> None:
    name = pathlib.Path("late")
    timer = threading.Timer(0.1, (tmp_path / name).write_bytes, [b"1234"])
    begin = time.monotonic()
    timer.start()
    mount_work.wait_until_stored(tmp_path, [name], 4)
    assert time.monotonic() - begin >= 0.1
    timer.join()
    mount_work.compare(tmp_path, [name], b"1234")
    with pytest.raises(SystemExit, match="other bytes"):
        mount_work.compare(tmp_path, [name], b"4321")


def test_what_is_not_stored_is_told(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mount_work, "STORED_S", 0.05)
    with pytest.raises(SystemExit, match="not stored"):
        mount_work.wait_until_stored(tmp_path, [pathlib.Path("never")], 1)


def test_a_server_that_mounts_nothing_is_named_and_ended(tmp_path: pathlib.Path) -> None:
    command = ["sh", "-c", "echo why it does not; exit 3"]
    with pytest.raises(SystemExit, match="not mounted: why it does not"):
        with mounts.mounted_by(command, {}, tmp_path / "mount"):
            pass


def test_an_absent_program_is_named() -> None:
    with pytest.raises(SystemExit, match="no program surely-absent .*package of-debian"):
        mounts.program("surely-absent", "of-debian")
