"""Readers of arrays and of other frameworks' records: resuming, broken samples, index files of DALI's tools."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys
import sysconfig
from typing import Any

import numpy as np
import pytest

import forebay
from forebay import SampleError, fn, pipeline_def, types

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tests" / "parity"))
import reader_files  # noqa: E402

PROGRAM = shutil.which("forebay", path=sysconfig.get_path("scripts"))
SAMPLES = 10


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    root = tmp_path_factory.mktemp("records")
    (root / "arrays").mkdir()
    for i in range(SAMPLES):
        np.save(root / "arrays" / f"{i}.npy", np.full((3, 4), i, dtype="i4"))
    records = [reader_files.recordio(reader_files.image_record(b"p%d" % i, float(i))) for i in range(SAMPLES)]
    (root / "a.rec").write_bytes(b"".join(records))
    for name, items in {
        "caffe": {b"%03d" % i: reader_files.datum(b"p%d" % i, i) for i in range(SAMPLES)},
        "caffe2": {
            b"%03d" % i: reader_files.tensor_protos(
                reader_files.tensor_proto("string", b"p%d" % i), reader_files.tensor_proto("int32", [i])
            )
            for i in range(SAMPLES)
        },
    }.items():
        (root / name).mkdir()
        (root / name / "data.mdb").write_bytes(reader_files.lmdb(items))
    return root


def _numpy(root: pathlib.Path, **arguments: Any) -> Any:
    return fn.readers.numpy(file_root=str(root / "arrays"), name="reader", **arguments)


def _region(root: pathlib.Path, **arguments: Any) -> Any:
    return _numpy(root, roi_start=[1, 1], roi_shape=[1, 2], **arguments)


def _mxnet(root: pathlib.Path, **arguments: Any) -> Any:
    return fn.readers.mxnet(path=str(root / "a.rec"), name="reader", **arguments)[1]


def _caffe(root: pathlib.Path, **arguments: Any) -> Any:
    return fn.readers.caffe(path=str(root / "caffe"), name="reader", **arguments)[1]


def _caffe2(root: pathlib.Path, **arguments: Any) -> Any:
    return fn.readers.caffe2(path=str(root / "caffe2"), name="reader", **arguments)[1]


READERS = [_numpy, _region, _mxnet, _caffe, _caffe2]


def numbers_of(pipe: Any, batches: int) -> list[int]:
    numbers = []
    for _ in range(batches):
        (batch,) = pipe.run()
        numbers += [int(np.asarray(batch.at(place)).ravel()[0]) for place in range(len(batch))]
    return numbers


@pytest.mark.parametrize("reader", READERS)
def test_every_epoch_is_a_permutation_that_can_be_resumed(reader: Any, data: pathlib.Path) -> None:
    @pipeline_def(batch_size=2, num_threads=2, seed=5)
    def shuffled() -> Any:
        return reader(data, random_shuffle=True)

    pipe = shuffled()
    begin = numbers_of(pipe, 3)
    state = pipe.state_dict()
    rest = numbers_of(pipe, 2)
    assert sorted(begin + rest) == list(range(SAMPLES))
    again = shuffled()
    again.load_state_dict(state)
    assert numbers_of(again, 2) == rest


@pytest.mark.parametrize("reader", READERS)
def test_the_shards_make_up_the_data_set(reader: Any, data: pathlib.Path) -> None:
    @pipeline_def(batch_size=1, num_threads=2)
    def shard(shard_id: int) -> Any:
        return reader(data, num_shards=2, shard_id=shard_id)

    assert [numbers_of(shard(shard_id), 5) for shard_id in range(2)] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


def test_a_broken_file_is_one_broken_sample(tmp_path: pathlib.Path) -> None:
    paths = [tmp_path / f"{i}.npy" for i in range(4)]
    for i, path in enumerate(paths):
        np.save(path, np.array([i]))
    paths[1].write_bytes(b"no array")

    @pipeline_def(batch_size=2, num_threads=2)
    def arrays(**options: Any) -> Any:
        return fn.readers.numpy(files=[str(path) for path in paths], name="reader")

    with pytest.raises(SampleError, match=r"1\.npy.*not an \.npy file"):
        arrays().run()
    assert numbers_of(arrays(on_error="skip"), 2) == [0, 2, 3]


def test_a_region_may_differ_between_samples(data: pathlib.Path) -> None:
    np.save(data / "plane.npy", np.arange(20).reshape(4, 5))

    @pipeline_def(batch_size=3, num_threads=2)
    def regions() -> Any:
        start = fn.external_source(lambda info: np.array([info.idx_in_epoch, 1], dtype=np.int32), batch=False)
        return fn.readers.numpy(files=[str(data / "plane.npy")], roi_start=start, roi_shape=[1, 2], name="reader")

    (batch,) = regions().run()
    assert [np.asarray(batch.at(i)).tolist() for i in range(3)] == [[[1, 2]], [[6, 7]], [[11, 12]]]


def test_a_decoded_file_is_the_array(data: pathlib.Path) -> None:
    @pipeline_def(batch_size=2, num_threads=2)
    def decoded() -> Any:
        files, _ = fn.readers.file(files=[str(data / "arrays" / f"{i}.npy") for i in range(2)], name="reader")
        return fn.decoders.numpy(files), fn.decoders.numpy(files, dtype=types.UINT8)

    plain, converted = decoded().run()
    assert np.asarray(plain.at(1)).tolist() == [[1] * 4] * 3
    assert np.asarray(converted.at(1)).dtype == np.uint8


def test_files_are_read_by_their_names(tmp_path: pathlib.Path) -> None:
    name = str(tmp_path).encode() + b"/a \xff name"
    with open(name, "wb") as file:
        file.write(b"content")

    @pipeline_def(batch_size=1, num_threads=1)
    def content() -> Any:
        return fn.io.file.read(fn.external_source(lambda: [np.frombuffer(name, dtype=np.uint8)]))

    (batch,) = content().run()
    assert bytes(np.asarray(batch.at(0))) == b"content"


def run_index(*arguments: str) -> str:
    if PROGRAM is None:
        pytest.skip("the program is not installed beside Python")
    done = subprocess.run(
        [PROGRAM, "index", *arguments], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_index_files_of_dalis_tools_are_written_and_read(data: pathlib.Path, tmp_path: pathlib.Path) -> None:
    text, index = tmp_path / "a.idx", tmp_path / "a.index"
    run_index(str(data / "a.rec"), "--as", "rec2idx", "--out", str(text))
    lines = [line.split("\t") for line in text.read_text().splitlines()]
    assert [int(key) for key, _ in lines] == list(range(SAMPLES))
    assert f"{SAMPLES} samples" in run_index(str(data / "a.rec"), "--from", str(text), "--out", str(index))

    @pipeline_def(batch_size=SAMPLES, num_threads=2)
    def listed(**arguments: Any) -> Any:
        return fn.readers.mxnet(path=str(data / "a.rec"), name="reader", **arguments)[1]

    assert numbers_of(listed(index_path=str(text)), 1) == numbers_of(listed(), 1)


def test_older_names(data: pathlib.Path) -> None:
    assert forebay.ops.readers.MXNet is not None
    assert fn.mxnet_reader is not None
    assert fn.experimental.readers.fits is not None
