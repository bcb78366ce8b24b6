"""Readers of dynamic mode: epochs, states, and the same samples as in a pipeline."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import forebay
import forebay.dynamic as ndd
from forebay import fn


def labels(epoch: Any) -> list[int]:
    return [int(label.item()) for _, batch in epoch for label in batch]


def test_an_epoch_is_that_of_a_pipeline(photos: pathlib.Path) -> None:
    arguments: dict[str, Any] = {"file_root": str(photos), "random_shuffle": True, "seed": 5}
    pipe = forebay.Pipeline(batch_size=8, num_threads=2, seed=1)
    with pipe:
        jpegs, numbers = fn.readers.file(name="reader", **arguments)
        pipe.set_outputs(fn.decoders.image(jpegs), numbers)
    for jpegs, numbers in ndd.readers.File(**arguments).next_epoch(batch_size=8):
        want_images, want_numbers = pipe.run()
        images = ndd.decoders.image(jpegs)
        assert np.asarray(numbers).tolist() == want_numbers.as_array().tolist()
        for got, want in zip(images, want_images, strict=True):
            assert np.asarray(got).tobytes() == want.as_array().tobytes()


def test_every_picture_comes_once_an_epoch(photos: pathlib.Path) -> None:
    reader = ndd.readers.File(file_root=str(photos), random_shuffle=True)
    ndd.random.set_seed(1)
    files = [sample for sample, _ in reader.next_epoch()]
    assert len({np.asarray(each).tobytes() for each in files}) == 37
    assert reader.get_metadata()["epoch_size"] == 37


def test_the_order_follows_from_the_threads_seed(photos: pathlib.Path) -> None:
    orders = []
    for seed in (1, 1, 2):
        ndd.random.set_seed(seed)
        reader = ndd.readers.File(file_root=str(photos), random_shuffle=True)
        orders.append([labels(reader.next_epoch(batch_size=37)) for _ in range(2)])
    assert orders[0] == orders[1] != orders[2]
    assert orders[0][0] != orders[0][1]


@pytest.mark.parametrize("taken", [0, 1, 3, 5])
def test_a_reader_goes_on_in_the_middle_of_an_epoch(photos: pathlib.Path, taken: int) -> None:
    def make() -> ndd.readers.Reader:
        return ndd.readers.File(file_root=str(photos), random_shuffle=True, seed=3, enable_checkpointing=True)

    reader = make()
    epoch = reader.next_epoch(batch_size=8)
    for _ in range(taken):
        next(epoch)
    state = str(reader.get_state())
    want = [labels(epoch), labels(reader.next_epoch(batch_size=8))]
    other = make()
    other.set_state(state)
    assert [labels(other.next_epoch(batch_size=8)), labels(other.next_epoch(batch_size=8))] == want


def test_states_in_a_checkpoint(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    def make(checkpoint: ndd.checkpoint.Checkpoint) -> tuple[Any, Any]:
        reader = ndd.readers.File(file_root=str(photos), random_shuffle=True)
        rng = ndd.random.RNG(0)
        checkpoint.register(reader, "reader")
        checkpoint.register(rng)
        return reader, rng

    checkpoint = ndd.checkpoint.Checkpoint()
    reader, rng = make(checkpoint)
    next(reader.next_epoch(batch_size=4))
    rng()
    for number in range(3):
        checkpoint.collect()
        assert checkpoint.save(str(tmp_path / "state {seq:02}.json")) == str(tmp_path / f"state {number:02}.json")
    want = labels(reader.next_epoch(batch_size=4)), rng()

    loaded = ndd.checkpoint.Checkpoint()
    assert loaded.load(str(tmp_path / "state {seq:02}.json")).endswith("02.json")
    other, other_rng = make(loaded)
    assert (labels(other.next_epoch(batch_size=4)), other_rng()) == want


def test_mistakes_with_states(photos: pathlib.Path) -> None:
    reader = ndd.readers.File(file_root=str(photos))
    with pytest.raises(RuntimeError, match="enable_checkpointing"):
        reader.get_state()
    next(reader.next_epoch(batch_size=2))
    with pytest.raises(RuntimeError, match="before it has given anything"):
        reader.set_state("{}")
    with pytest.raises(ValueError, match="not the state of a reader"):
        ndd.readers.File(file_root=str(photos)).set_state("{}")
    with pytest.raises(RuntimeError, match="enable_checkpointing"):
        ndd.checkpoint.Checkpoint().register(reader)


def test_two_readers_and_a_thread(photos: pathlib.Path) -> None:
    first = ndd.readers.File(file_root=str(photos)).next_epoch(batch_size=4)
    second = ndd.readers.File(file_root=str(photos)).next_epoch(batch_size=4)
    for (one, _), (two, _) in zip(first, second, strict=True):
        assert [np.asarray(a).tobytes() for a in one] == [np.asarray(b).tobytes() for b in two]


def test_sizes_that_do_not_fit(photos: pathlib.Path) -> None:
    reader = ndd.readers.File(max_batch_size=4, file_root=str(photos))
    with pytest.raises(ValueError, match="larger than the max_batch_size=4"):
        reader.next_epoch(batch_size=5)
    next(reader.next_epoch())
    with pytest.raises(ValueError, match="cannot become 3"):
        reader.next_epoch(batch_size=3)
    with pytest.raises(RuntimeError, match="either batches or samples"):
        ndd.readers.File.next_epoch(reader, None) and reader()


def test_a_reader_is_called(photos: pathlib.Path) -> None:
    reader = ndd.readers.File(file_root=str(photos))
    jpegs, number = reader(batch_size=3)
    assert jpegs.batch_size == number.batch_size == 3
    single = ndd.readers.File(file_root=str(photos))()
    assert isinstance(single[0], ndd.Tensor)


def test_files_that_are_not_there(tmp_path: pathlib.Path) -> None:
    reader = ndd.readers.File(file_root=str(tmp_path / "absent"))
    with pytest.raises(FileNotFoundError):
        reader.next_epoch(batch_size=2)
    with pytest.raises(TypeError, match="no argument 'file_rot'"):
        ndd.readers.File(file_rot="x")
    with pytest.raises(NotImplementedError, match="CPU"):
        ndd.readers.File(file_root=str(tmp_path), device="gpu")


def test_arrays_read_by_regions_of_tensors(tmp_path: pathlib.Path) -> None:
    for number in range(3):
        np.save(tmp_path / f"{number}.npy", np.arange(12, dtype=np.int32).reshape(3, 4) + 100 * number)
    reader = ndd.readers.Numpy(file_root=str(tmp_path), roi_start=ndd.tensor([1, 0]), roi_end=ndd.tensor([3, 2]))
    (batch,) = next(reader.next_epoch(batch_size=3))
    assert np.asarray(batch)[1].tolist() == [[104, 105], [108, 109]]


def test_every_reader_of_the_table_is_a_class() -> None:
    names = {name for name in dir(ndd.readers) if isinstance(getattr(ndd.readers, name), type)}
    assert {"File", "COCO", "Numpy", "TFRecord", "Webdataset", "MXNet", "Caffe", "Caffe2"} <= names
