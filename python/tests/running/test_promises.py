"""The same bits whatever runs them; broken samples by policy; state and resuming."""

from __future__ import annotations

import errno
import json
import os
import pathlib
import signal
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from forebay import SampleError, fn, pipeline_def

from sample_pipelines import augmented, hashes

SAMPLES = 90  # of 37: more than two epochs


@pytest.fixture(scope="module")
def wanted(photos: pathlib.Path) -> list[Any]:
    return hashes(augmented(str(photos), batch_size=8), SAMPLES)


@pytest.mark.parametrize("threads", [1, 3, 8])
@pytest.mark.parametrize("batch_size,depth", [(1, 1), (5, 3), (8, 2), (37, 1)])
def test_same_bits(photos: pathlib.Path, wanted: list[Any], threads: int, batch_size: int, depth: int) -> None:
    pipe = augmented(str(photos), batch_size=batch_size, num_threads=threads, prefetch_queue_depth=depth)
    assert hashes(pipe, SAMPLES) == wanted


def test_same_bits_without_fusion(photos: pathlib.Path, wanted: list[Any]) -> None:
    assert hashes(augmented(str(photos), batch_size=8, fuse=False), SAMPLES) == wanted


def test_same_bits_of_two_random_steps_in_one(photos: pathlib.Path) -> None:
    @pipeline_def(batch_size=6, num_threads=2, seed=7)
    def make(everything: bool) -> Any:
        jpegs, labels = fn.readers.file(file_root=str(photos), random_shuffle=True, name="reader")
        decoded = fn.decoders.image_random_crop(jpegs)
        resized = fn.random_resized_crop(decoded, size=(24, 24))
        images = fn.crop_mirror_normalize(resized, mirror=fn.random.coin_flip(), mean=[100.0], std=[50.0])
        return (images, decoded, resized, labels) if everything else (images, labels)

    one, other = make(False), make(True)
    for _ in range(8):
        np.testing.assert_array_equal(one.run()[0].as_array(), other.run()[0].as_array())
    assert " + random_resized_crop + " in str(one.explain())


def test_same_bits_with_every_intermediate_returned(photos: pathlib.Path) -> None:
    @pipeline_def(batch_size=6, num_threads=2, seed=7)
    def make(everything: bool) -> Any:
        jpegs, labels = fn.readers.file(file_root=str(photos), random_shuffle=True, name="reader")
        decoded = fn.decoders.image_random_crop(jpegs)
        resized = fn.resize(decoded, size=(24, 24))
        images = fn.crop_mirror_normalize(resized, mirror=fn.random.coin_flip(), mean=[100.0], std=[50.0])
        return (images, decoded, resized, labels) if everything else (images, labels)

    one, other = make(False), make(True)
    for _ in range(8):
        np.testing.assert_array_equal(one.run()[0].as_array(), other.run()[0].as_array())


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_the_union_over_ranks_is_the_same(photos: pathlib.Path, wanted: list[Any], ranks: int) -> None:
    rows = []
    for rank in range(ranks):
        pipe = augmented(str(photos), batch_size=4, num_shards=ranks, shard_id=rank)
        count = 37 * (rank + 1) // ranks - 37 * rank // ranks
        rows += hashes(pipe, count)
    assert sorted(rows) == sorted(wanted[:37])


def test_a_seed_of_the_pipeline_changes_everything(photos: pathlib.Path, wanted: list[Any]) -> None:
    other = hashes(augmented(str(photos), batch_size=8, seed=8), 37)
    assert [row[2] for row in other] != [row[2] for row in wanted[:37]]


@pytest.mark.parametrize("batches", [0, 1, 4, 5, 9])
def test_resume(photos: pathlib.Path, wanted: list[Any], batches: int) -> None:
    pipe = augmented(str(photos), batch_size=8)
    before = hashes(pipe, 8 * batches)
    state = json.loads(json.dumps(pipe.state_dict()))
    assert len(state["session"]) < 1024
    resumed = augmented(str(photos), batch_size=8, num_threads=1)
    resumed.load_state_dict(state)
    assert before + hashes(resumed, SAMPLES - len(before)) == wanted


def test_a_pipeline_can_go_back(photos: pathlib.Path, wanted: list[Any]) -> None:
    pipe = augmented(str(photos), batch_size=8)
    start = pipe.state_dict()
    hashes(pipe, 40)
    pipe.load_state_dict(start)
    assert hashes(pipe, SAMPLES) == wanted


def test_the_state_of_another_pipeline_is_refused(photos: pathlib.Path) -> None:
    state = augmented(str(photos), batch_size=8).state_dict()
    with pytest.raises(RuntimeError):
        augmented(str(photos), False, batch_size=8).load_state_dict(state)
    with pytest.raises(ValueError):
        augmented(str(photos), batch_size=8).load_state_dict({"version": 9})


def test_checkpoints(photos: pathlib.Path, tmp_path: pathlib.Path, wanted: list[Any]) -> None:
    pipe = augmented(str(photos), batch_size=8, enable_checkpointing=True)
    before = hashes(pipe, 16)
    saved = pipe.checkpoint(str(tmp_path / "checkpoint"))
    assert isinstance(saved, bytes) and (tmp_path / "checkpoint").read_bytes() == saved
    for given in (saved, saved.decode()):
        resumed = augmented(str(photos), batch_size=8, checkpoint=given)
        resumed.build()
        assert resumed.is_restored_from_checkpoint
        assert before + hashes(resumed, SAMPLES - 16) == wanted
    with pytest.raises(RuntimeError, match="enable_checkpointing"):
        augmented(str(photos), batch_size=8).checkpoint()
    with pytest.raises(ValueError, match="checkpoint"):
        augmented(str(photos), batch_size=8, checkpoint="nonsense").build()


def test_a_state_is_small_whatever_the_data_set() -> None:
    @pipeline_def(batch_size=4, num_threads=1, seed=3)
    def make(files: list[str]) -> Any:
        return fn.readers.file(files=files)[0]

    files = [f"/data/train/n{index % 1000:08}/picture_{index:08}.JPEG" for index in range(20000)]
    state = make(files).state_dict()
    assert len(json.dumps(state)) < 1024
    make(list(files)).load_state_dict(state)
    with pytest.raises(RuntimeError, match="reads other samples"):
        make(files[::-1]).load_state_dict(state)


def test_a_checkpoint_replaces_its_file_as_a_whole(
    photos: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = augmented(str(photos), batch_size=8, enable_checkpointing=True)
    file = tmp_path / "checkpoint"
    link = tmp_path / "latest"
    link.symlink_to(file)
    first = pipe.checkpoint(str(file))
    file.chmod(0o640)
    pipe.run()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            pipe.checkpoint(str(file))
    assert file.read_bytes() == first and sorted(os.listdir(tmp_path)) == ["checkpoint", "latest"]

    before = file.stat().st_ino
    second = pipe.checkpoint(str(link))
    assert file.read_bytes() == second != first
    assert file.stat().st_ino != before and file.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["checkpoint", "latest"]


KILLED = """
import json, sys
sys.path.insert(0, {tests!r})
from sample_pipelines import augmented, hashes
pipe = augmented({root!r}, batch_size=8)
while True:
    rows = hashes(pipe, 8)
    print(json.dumps([rows, pipe.state_dict()]), flush=True)
"""


def test_kill_and_resume(photos: pathlib.Path, wanted: list[Any]) -> None:
    code = KILLED.format(tests=str(pathlib.Path(__file__).parents[1] / "support"), root=str(photos))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [json.loads(process.stdout.readline()) for _ in range(6)]
        process.send_signal(signal.SIGKILL)
    before = [tuple(row) for rows, _ in lines for row in rows]
    resumed = augmented(str(photos), batch_size=8)
    resumed.load_state_dict(lines[-1][1])
    assert before + hashes(resumed, SAMPLES - len(before)) == wanted


def test_resume_of_a_source_by_its_index() -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def make(source: Any) -> Any:
        return fn.external_source(source)

    def by_iteration(i: int) -> list[np.ndarray]:
        return [np.int64(10 * i + k) for k in range(2)]

    for source in (by_iteration, [by_iteration(i) for i in range(9)]):
        pipe = make(source)
        for _ in range(3):
            pipe.run()
        resumed = make(source)
        resumed.load_state_dict(pipe.state_dict())
        assert resumed.run()[0].as_array().tolist() == [30, 31]


# --- broken samples ------------------------------------------------------------------------------------------------


@pipeline_def(num_threads=2, seed=3)
def decoded(root: str) -> Any:
    jpegs, labels = fn.readers.file(file_root=root, name="reader")
    return fn.resize(fn.decoders.image(jpegs, name="decoder"), size=(16, 16)), labels


def test_raise_names_the_sample_and_goes_on(broken_photos: pathlib.Path) -> None:
    pipe = decoded(str(broken_photos), batch_size=4)
    problems = []
    delivered = 0
    for _ in range(5):
        try:
            delivered += len(pipe.run()[0])
        except SampleError as error:
            problems.append(error)
    assert [pathlib.Path(str(error.object)).name for error in problems] == ["003.jpg", "008.jpg", "012.jpg"]
    assert delivered == 8
    assert [error.position for error in problems] == [3, 8, 12]
    assert all(error.operator and error.cause and error.epoch == 0 for error in problems)
    assert "003.jpg" in str(problems[0])


def test_skip_leaves_holes(broken_photos: pathlib.Path) -> None:
    def once() -> list[list[int]]:
        pipe = decoded(str(broken_photos), batch_size=4, on_error="skip")
        rows = []
        for _ in range(5):
            images, labels = pipe.run()
            rows.append([sample["position"] for sample in pipe.delivered()])
            assert len(images) == len(labels) == len(rows[-1])
        names = [pathlib.Path(error["object"]).name for error in pipe.errors()]
        assert names == ["003.jpg", "008.jpg", "012.jpg"]
        assert {error["action"] for error in pipe.errors()} == {"skipped"}
        assert all(error["cause"] and error["operator"] for error in pipe.errors())
        return rows

    rows = once()
    assert rows == [[0, 1, 2], [4, 5, 6, 7], [9, 10, 11], [13, 14, 15], [16, 17, 18, 19]]
    assert once() == rows


def test_replace_fills_holes(broken_photos: pathlib.Path) -> None:
    def once() -> list[Any]:
        pipe = decoded(str(broken_photos), batch_size=4, on_error="replace")
        rows = hashes(pipe, 20)
        assert len(pipe.errors()) >= 3
        assert all(error["action"].startswith("replaced by index") for error in pipe.errors())
        return rows

    assert once() == once()


def test_a_missing_file(broken_photos: pathlib.Path) -> None:
    pipe = decoded(str(broken_photos), batch_size=4, on_error="skip", prefetch_queue_depth=1)
    pipe.build()
    (broken_photos / "class0" / "001.jpg").unlink()
    assert [len(pipe.run()[0]) for _ in range(5)] == [2, 4, 3, 3, 4]
    assert pathlib.Path(pipe.errors()[0]["object"]).name == "001.jpg"


def test_a_batch_of_broken_samples_is_never_empty(tmp_path: pathlib.Path, broken_photos: pathlib.Path) -> None:
    pipe = decoded(str(broken_photos), batch_size=1, on_error="skip")
    sizes = []
    flags = []
    for _ in range(20):
        sizes.append(len(pipe.run()[0]))
        flags.append(pipe.delivered()[0]["is_replacement"])
    assert sizes == [1] * 20
    assert [place for place, flag in enumerate(flags) if flag] == [3, 8, 12]


def test_iterators_over_broken_samples(broken_photos: pathlib.Path) -> None:
    from forebay.plugin.base_iterator import LastBatchPolicy
    from forebay.plugin.numpy import NumpyIterator

    pipe = decoded(str(broken_photos), batch_size=6, on_error="skip")
    iterator = NumpyIterator(
        pipe, ["image", "label"], reader_name="reader", last_batch_policy=LastBatchPolicy.PARTIAL, auto_reset=True
    )
    assert [len(batch[0]["image"]) for batch in iterator] == [5, 5, 5, 2]


@pytest.mark.parametrize("fuse", [False, True])
@pytest.mark.parametrize("batch_size", [4, 1])
def test_the_operator_that_failed_is_named(broken_photos: pathlib.Path, fuse: bool, batch_size: int) -> None:
    @pipeline_def(num_threads=2, batch_size=batch_size, on_error="skip", fuse=fuse)
    def named() -> Any:
        jpegs, _ = fn.readers.file(file_root=str(broken_photos))
        images = fn.decoders.image(jpegs, name="my_decoder")
        images = fn.resize(images, size=(16, 16), name="my_resize")
        return fn.crop_mirror_normalize(images, crop=(8, 8), name="my_normalize")

    pipe = named()
    for _ in range(20 // batch_size):
        pipe.run()
    by_file = {pathlib.Path(error["object"]).name: error["operator"] for error in pipe.errors()}
    assert by_file["003.jpg"] == by_file["012.jpg"] == "my_decoder"
    assert all("my_decoder" not in error["cause"] for error in pipe.errors())


@pytest.mark.parametrize("fuse", [False, True])
def test_a_step_that_failed_behind_the_first_is_named(photos: pathlib.Path, fuse: bool) -> None:
    @pipeline_def(num_threads=2, batch_size=2, fuse=fuse)
    def named() -> Any:
        jpegs, _ = fn.readers.file(file_root=str(photos))
        images = fn.resize(fn.decoders.image(jpegs, name="my_decoder"), size=(16, 16), name="my_resize")
        return fn.crop_mirror_normalize(images, crop=(32, 32), out_of_bounds_policy="error", name="my_normalize")

    with pytest.raises(SampleError) as caught:
        named().run()
    assert caught.value.operator == "my_normalize"
