"""Files of pipelines as users write and read them: what is kept, where they may lie, and that no bytes break the reader."""

from __future__ import annotations

import json
import os
import pathlib
import random
import stat
import threading
from typing import Any

import numpy as np
import pytest

from forebay import Pipeline, fn, pipeline_def, types
from forebay.errors import InvalidError

PLANES = [np.arange(3 * 5 * 4, dtype=np.uint8).reshape(3, 5, 4) + place for place in range(2)]


@pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=3)
def planes() -> Any:
    x = fn.external_source(name="x", layout="CHW", dtype=types.UINT8, ndim=3)
    return fn.crop(x, crop=(2, 3)), fn.constant(idata=[1], shape=[2])


def run(pipe: Pipeline, **feeds: Any) -> list[Any]:
    return [np.stack([np.array(output.at(place)) for place in range(len(output))]) for output in pipe.run(**feeds)]


def test_what_sources_promise_is_kept() -> None:
    """Without its layout a picture in planes would be cropped along its channels."""
    loaded = Pipeline.deserialize(planes().serialize())
    for got, want in zip(run(loaded, x=PLANES), run(planes(), x=PLANES), strict=True):
        np.testing.assert_array_equal(got, want)
    assert run(planes(), x=PLANES)[0].shape == (2, 3, 2, 3)
    for wrong, words in ((np.zeros((2, 3, 5, 4), np.float32), "type"), (np.zeros((2, 4), np.uint8), "ndim=3")):
        with pytest.raises(RuntimeError, match=words):
            Pipeline.deserialize(planes().serialize()).run(x=wrong)
    assert loaded.serialize() == planes().serialize()


def test_the_last_batch_is_repeated_where_it_was_to_be() -> None:
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(fn.external_source(name="x", repeat_last=True))
    loaded = Pipeline.deserialize(pipe.serialize())
    loaded.feed_input("x", np.int32([1, 2]))
    assert [run(loaded)[0].tolist() for _ in range(3)] == [[1, 2]] * 3


def test_constants_of_any_form() -> None:
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(fn.constant(idata=3, shape=[2]), fn.constant(fdata=[1.5]), fn.constant(idata=[1, 2], shape=2), 7)
    assert [each.tolist() for each in run(Pipeline.deserialize(pipe.serialize()))] == [[[3, 3]], [[1.5]], [[1, 2]], [7]]


def test_files_of_earlier_versions_are_read() -> None:
    content = json.loads(planes().serialize())
    assert content.pop("sources")
    assert run(Pipeline.deserialize(json.dumps(content)), x=PLANES)[1].tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("name", ["plain", "with a space", "ümlaut", "-"])
@pytest.mark.parametrize("kind", [str, pathlib.Path, os.fsencode])
def test_files_by_any_kind_of_path(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (name, str(tmp_path / name), f"./{name}"):
        data = planes().serialize(filename=kind(path))
        assert (tmp_path / name).read_bytes() == data
        assert Pipeline.deserialize(filename=kind(path)).serialize() == data
    assert os.listdir(tmp_path) == [name]


def test_a_file_is_replaced_as_a_whole(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "saved"
    link = tmp_path / "link"
    file.write_bytes(b"older")
    file.chmod(0o600)
    link.symlink_to("saved")
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("no more")))
        with pytest.raises(OSError, match="no more"):
            planes().serialize(filename=link)
    assert file.read_bytes() == b"older" and sorted(os.listdir(tmp_path)) == ["link", "saved"]
    data = planes().serialize(filename=link)
    assert file.read_bytes() == data and link.is_symlink() and stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_pipe_is_written_to(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()), daemon=True)
    reader.start()
    data = planes().serialize(filename=tmp_path / "pipe")
    reader.join(60)
    assert read == [data]
    planes().serialize(filename=os.devnull)
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


def test_where_no_file_can_be(tmp_path: pathlib.Path) -> None:
    with pytest.raises(IsADirectoryError, match=f"folder.*{tmp_path.name}"):
        planes().serialize(filename=tmp_path)
    with pytest.raises(IsADirectoryError):
        Pipeline.deserialize(filename=tmp_path)
    with pytest.raises(FileNotFoundError, match=r"absent/saved'$"):
        planes().serialize(filename=tmp_path / "absent" / "saved")
    with pytest.raises(FileNotFoundError, match="absent"):
        Pipeline.deserialize(filename=tmp_path / "absent")
    assert os.listdir(tmp_path) == []


def test_a_file_that_is_not_named_as_one() -> None:
    with pytest.raises(TypeError, match=r"serialize\(filename=...\)"):
        planes().serialize("saved")
    with pytest.raises(TypeError, match="as `filename`"):
        Pipeline.deserialize(pathlib.Path("saved"))  # type: ignore[arg-type]


def test_python_functions_are_refused_by_name(tmp_path: pathlib.Path) -> None:
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(fn.python_function(fn.external_source(name="x"), function=lambda x: x, name="mine"))
    with pytest.raises(InvalidError, match="'mine' calls a Python function"):
        pipe.serialize(filename=tmp_path / "saved")
    assert os.listdir(tmp_path) == []


CONTENT = json.loads(planes().serialize())


def changed(*path: Any, to: Any) -> bytes:
    content = json.loads(json.dumps(CONTENT))
    place = content
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return json.dumps(content).encode()


@pytest.mark.parametrize(
    "data, words",
    [
        (b"[" * 100_000, "not the bytes"),
        (changed("arguments", to=[]), "its arguments are no object"),
        (changed("arguments", "batch_size", to="two"), "'batch_size' of its pipeline is 'two'"),
        (changed("arguments", "num_threads", to=1 << 70), "'num_threads'"),
        (changed("arguments", "batch_size", to=0), "'batch_size'"),
        (changed("arguments", "on_error", to="other"), "'on_error'"),
        (changed("arguments", "output_dtype", to=999), "999"),
        (changed("arguments", "output_dtype", to=[[1]]), "'output_dtype'"),
        (changed("arguments", "of_later", to=1), "'of_later'"),
        (changed("graph", to=3), "not the bytes"),
        (changed("graph", "nodes", to=[5]), "not the bytes"),
        (changed("graph", "nodes", 0, "op", to="none_such"), "none_such"),
        (changed("graph", "nodes", 2, "constants", "shape", to=[1 << 33]), "8589934592"),
        (changed("graph", "nodes", 2, "constants", "shape", to=["a"]), "not the bytes"),
        (changed("graph", "outputs", to=[[9, 0]]), "9"),
        (changed("sources", to=[5]), "not the bytes"),
        (changed("sources", 0, "dtype", to=999), "999"),
        (changed("sources", 0, "layout", to=1), "promises"),
    ],
)
def test_what_is_no_saved_pipeline(data: bytes, words: str) -> None:
    with pytest.raises(InvalidError, match=words):
        Pipeline.deserialize(data)


def assert_read_or_refused(data: bytes) -> None:
    try:
        Pipeline.deserialize(data)
    except InvalidError:
        pass


def test_damaged_bytes_are_read_or_refused() -> None:
    whole = planes().serialize()
    for end in range(len(whole)):
        assert_read_or_refused(whole[:end])
    draw = random.Random(1)
    for _ in range(2000):
        damaged = bytearray(whole)
        for _ in range(draw.randint(1, 3)):
            damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
        assert_read_or_refused(bytes(damaged))
