"""Names of files may be any bytes: they go through errors, states and saved graphs as os.fsdecode() gives them."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

from forebay import Pipeline, SampleError, fn, nd, pipeline_def, trace

ODD = os.fsdecode(b"caf\xe9 \xff.jpg")


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    for name in (ODD, "plain.jpg", "third.jpg"):
        (tmp_path / name).write_bytes(name.encode("utf-8", "surrogateescape"))
    return tmp_path


def reading(files: Any, **arguments: Any) -> Pipeline:
    @pipeline_def(batch_size=3, num_threads=1, seed=5, **arguments)
    def make() -> Any:
        return fn.readers.file(files=files, name="reader")[0]

    return make()


def decoding(files: Any, **arguments: Any) -> Pipeline:
    @pipeline_def(batch_size=3, num_threads=1, **arguments)
    def make() -> Any:
        return fn.decoders.image(fn.readers.file(files=files)[0], name="decode")

    return make()


def test_names_as_python_lists_them(folder: pathlib.Path) -> None:
    names = sorted(os.listdir(folder))
    assert ODD in names
    paths = [folder / name for name in names]
    for files in ([str(path) for path in paths], paths, [os.fsencode(path) for path in paths]):
        pipe = reading(files)
        (output,) = pipe.run()
        assert [bytes(output.at(i)) for i in range(3)] == [os.fsencode(name) for name in names]
        assert [row["object"] for row in pipe.delivered()] == [str(folder / name) for name in names]
        assert [output[i].source_info() for i in range(3)] == [str(folder / name) for name in names]


@pytest.mark.parametrize("kind", [str, os.fsencode, pathlib.Path], ids=["str", "bytes", "Path"])
def test_a_root_and_its_folders_of_such_names(folder: pathlib.Path, kind: Callable[[Any], Any]) -> None:
    root = folder / os.fsdecode(b"d\xe9j\xe0")
    (root / ODD).mkdir(parents=True)
    (folder / ODD).rename(root / ODD / ODD)

    @pipeline_def(batch_size=1, num_threads=1)
    def make(**reader: Any) -> Any:
        return fn.readers.file(**reader)[0]

    for reader in ({"file_root": kind(str(root))}, {"file_root": kind(str(root / ODD)), "files": [kind(ODD)]}):
        assert bytes(make(**reader).run()[0].at(0)) == os.fsencode(ODD)


def test_a_broken_file_of_such_a_name(folder: pathlib.Path) -> None:
    path = str(folder / ODD)
    with pytest.raises(SampleError) as caught:
        decoding([path]).run()
    assert caught.value.object == path
    readable = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    assert readable in str(caught.value)
    str(caught.value).encode("utf-8")  # so it can be printed to any stream
    for policy in ("skip", "replace"):
        pipe = decoding([path], on_error=policy)
        with pytest.raises(SampleError):  # there is no other
            pipe.run()
        assert pipe.errors()[0]["object"] == path


def test_a_missing_file_of_such_a_name(folder: pathlib.Path) -> None:
    path = str(folder / ODD)
    pipe = reading([path])
    pipe.build()
    os.unlink(path)
    with pytest.raises(SampleError) as caught:
        pipe.run()
    assert caught.value.object == path


def test_states_and_saved_graphs(folder: pathlib.Path) -> None:
    files = [str(folder / name) for name in sorted(os.listdir(folder))]
    pipe = reading(files)
    pipe.run()
    state = json.loads(json.dumps(pipe.state_dict()))
    loaded = Pipeline.deserialize(pipe.serialize())
    loaded.load_state_dict(state)
    assert [bytes(loaded.run()[0].at(i)) for i in range(3)] == [bytes(pipe.run()[0].at(i)) for i in range(3)]


def test_what_python_raises_may_name_them_too(folder: pathlib.Path) -> None:
    def missing() -> Any:
        raise FileNotFoundError(2, "No such file", ODD)

    @pipeline_def(batch_size=1, num_threads=1)
    def make() -> Any:
        return fn.external_source(missing)

    with pytest.raises(FileNotFoundError) as caught:
        make().run()
    assert caught.value.filename == ODD


def test_what_cannot_even_be_printed() -> None:
    class Unprintable(Exception):
        def __str__(self) -> str:
            raise ValueError("no text")

    def fail() -> Any:
        raise Unprintable

    @pipeline_def(batch_size=1, num_threads=1)
    def make() -> Any:
        return fn.external_source(fail)

    with pytest.raises(Unprintable):
        make().run()


def test_numbers_beyond_64_bits_are_refused_by_name() -> None:
    pipe = Pipeline(batch_size=1, num_threads=1)
    with pipe, pytest.raises(ValueError, match=r"'num_shards'.*64 bits"):
        fn.readers.file(files=["a"], num_shards=2**70)


def test_arrays_and_traces_go_to_files_of_such_names(tmp_path: pathlib.Path) -> None:
    path = tmp_path / ODD
    nd.save(path, {"x": nd.array([1, 2])})
    assert nd.load(path)["x"].asnumpy().tolist() == [1, 2]
    with trace(tmp_path / (ODD + ".json")):
        nd.array([1]).wait_to_read()
    assert sorted(os.listdir(tmp_path)) == [ODD, ODD + ".json"]


def test_a_class_whose_link_leads_nowhere_keeps_its_label(tmp_path: pathlib.Path) -> None:
    for name in ("a", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.jpg").write_bytes(name.encode())
    (tmp_path / "b").symlink_to("nowhere")
    (tmp_path / "c" / "y.jpg").symlink_to("nowhere")

    @pipeline_def(batch_size=4, num_threads=1, on_error="skip")
    def make() -> Any:
        return fn.readers.file(file_root=tmp_path, name="reader")

    pipe = make()
    contents, labels = pipe.run()
    assert [(bytes(contents.at(i)), int(labels.at(i))) for i in range(len(contents))] == [(b"a", 0), (b"c", 2)]
    assert pipe.reader_meta("reader")["epoch_size"] == 4
    causes = [str(error) for error in pipe.errors()]
    assert len(causes) == 2 and all("a link to something that is not there" in cause for cause in causes), causes


@pytest.mark.parametrize("root", [".", "sub/..", "sub/../sub/../."])
def test_a_root_named_by_dots(root: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x.jpg").write_bytes(b"content")
    monkeypatch.chdir(tmp_path)

    @pipeline_def(batch_size=1, num_threads=1)
    def make() -> Any:
        return fn.readers.file(file_root=root)[0]

    (output,) = make().run()
    assert bytes(output.at(0)) == b"content"
