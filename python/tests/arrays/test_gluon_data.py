"""Data sets, samplers, loaders and transforms of gluon."""

from __future__ import annotations

import gzip
import pathlib
import random
import struct
from typing import Any

import numpy as np
import pytest
from forebay import nd
from forebay.gluon import data
from forebay.gluon.data import vision
from forebay.gluon.data.vision import transforms


def flat(loader: Any) -> list[float]:
    return [float(value) for batch in loader for value in batch.asnumpy().ravel()]


class Flipped(data.Dataset):
    """Images that are flipped at random: what a loader's workers must agree on."""

    def __getitem__(self, index: int) -> Any:
        image = nd.array(np.full((2, 2, 1), index).cumsum(1), dtype="uint8")
        return transforms.RandomFlipLeftRight()(image)

    def __len__(self) -> int:
        return 37


@pytest.mark.parametrize("options", [{}, {"num_workers": 2}, {"num_workers": 3, "thread_pool": True}])
def test_workers_change_nothing(options: dict[str, Any]) -> None:
    nd.random.seed(5)
    expected = [flat(data.DataLoader(Flipped(), 4, shuffle=True)) for _ in range(1)]
    nd.random.seed(5)
    loader = data.DataLoader(Flipped(), 4, shuffle=True, **options)
    assert [flat(loader)] == expected
    assert flat(loader) != expected[0] and sorted(flat(loader)) == sorted(expected[0])
    loader.close()


class Drawing(data.Dataset):
    """Samples drawn by NumPy and Python."""

    def __getitem__(self, index: int) -> Any:
        return np.array([np.random.random(), random.random()])

    def __len__(self) -> int:
        return 40


@pytest.mark.parametrize("workers", [1, 3])
def test_workers_draw_other_numbers_for_each_batch(workers: int) -> None:
    nd.random.seed(5)
    loader = data.DataLoader(Drawing(), 4, num_workers=workers)
    drawn = flat(loader)
    loader.close()
    assert len(set(drawn)) == 80
    nd.random.seed(5)
    single = data.DataLoader(Drawing(), 4, num_workers=1)
    assert flat(single) == drawn
    single.close()


def test_workers_read_arrays_of_their_parent() -> None:
    pictures, labels = nd.array(np.arange(24.0).reshape(6, 2, 2)), nd.array(np.arange(6))
    pictures[0] = 7
    loader = data.DataLoader(data.ArrayDataset(pictures, labels), 2, num_workers=2)
    batches = [(images.asnumpy(), numbers.asnumpy()) for images, numbers in loader]
    loader.close()
    np.testing.assert_array_equal(np.concatenate([images for images, _ in batches]), pictures.asnumpy())
    np.testing.assert_array_equal(np.concatenate([numbers for _, numbers in batches]), np.arange(6))


def test_a_loader_that_is_left_early_keeps_no_shared_memory() -> None:
    loader = data.DataLoader(data.ArrayDataset(np.zeros((40, 8))), 2, num_workers=2)
    batches = iter(loader)
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    pool: Any = loader._pool
    # What is under way has ended. (Without cancel_futures, CPython 3.11 may wait for results of what was cancelled.)
    pool._executor.shutdown(cancel_futures=True)
    assert list(pathlib.Path(pool._folder.name).iterdir()) == []
    loader.close()


class Failing(data.Dataset):
    def __getitem__(self, index: int) -> int:
        if index == 5:
            raise KeyError("sample 5")
        return index

    def __len__(self) -> int:
        return 9


@pytest.mark.parametrize("options", [{}, {"num_workers": 1}, {"num_workers": 1, "thread_pool": True}])
def test_an_error_comes_with_its_batch(options: dict[str, Any]) -> None:
    loader = data.DataLoader(Failing(), 2, **options)
    batches = iter(loader)
    assert next(batches).asnumpy().tolist() == [0, 1] and next(batches).asnumpy().tolist() == [2, 3]
    with pytest.raises(KeyError, match="sample 5"):
        next(batches)
    loader.close()


def test_loaders_arguments() -> None:
    sampler = data.BatchSampler(data.SequentialSampler(4), 2)
    assert len(data.DataLoader([1, 2, 3, 4], batch_sampler=sampler)) == 2
    with pytest.raises(ValueError, match="needs batch_size"):
        data.DataLoader([1])
    with pytest.raises(ValueError, match="without batch_sampler"):
        data.DataLoader([1], 2, batch_sampler=sampler)
    with pytest.raises(ValueError, match="without sampler"):
        data.DataLoader([1], 2, shuffle=True, sampler=data.SequentialSampler(1))
    with pytest.raises(ValueError, match="last_batch"):
        data.DataLoader([1], 2, last_batch="nothing")
    with pytest.raises(TypeError, match="cannot be stacked"):
        list(data.DataLoader([{}], 1))
    assert list(data.DataLoader([1, 2], 2, batchify_fn=sum)) == [3]


def test_datasets() -> None:
    pairs = data.ArrayDataset(nd.arange(3), [5, 6, 7])
    assert pairs[1] == (1.0, 6) and len(pairs) == 3
    with pytest.raises(AssertionError, match="length"):
        data.ArrayDataset([1], [1, 2])
    assert list(pairs.transform(lambda a, b: a + b)) == [5, 7, 9]
    assert list(pairs.transform_first(lambda a: -a, lazy=False)) == [(0, 5), (-1, 6), (-2, 7)]
    simple = data.SimpleDataset(list(range(7)))
    assert [len(simple.shard(3, part)) for part in range(3)] == [3, 2, 2]
    assert list(simple.filter(lambda x: x > 4)) == [5, 6] and list(simple.take(2)) == [0, 1]
    with pytest.raises(ValueError, match="no part 3"):
        simple.shard(3, 3)
    assert sorted(data.RandomSampler(20)) == list(range(20)) != list(data.RandomSampler(20))


def test_rollover() -> None:
    batches = data.BatchSampler(data.SequentialSampler(7), 3, "rollover")
    assert [list(batches), list(batches)] == [[[0, 1, 2], [3, 4, 5]], [[6, 0, 1], [2, 3, 4]]]


def test_random_transforms() -> None:
    image = nd.array(np.arange(300).reshape(10, 10, 3) % 256, dtype="uint8")
    nd.random.seed(1)
    crops = [transforms.RandomResizedCrop((4, 6))(image) for _ in range(8)]
    assert {crop.shape for crop in crops} == {(6, 4, 3)}
    assert len({crop.asnumpy().tobytes() for crop in crops}) > 4
    flips = {transforms.RandomFlipTopBottom()(image).asnumpy().tobytes() for _ in range(20)}
    assert flips == {image.asnumpy().tobytes(), image.asnumpy()[::-1].tobytes()}
    batch = nd.stack(image, image)
    assert transforms.Resize(5)(batch).shape == (2, 5, 5, 3)
    assert transforms.ToTensor()(batch).shape == (2, 3, 10, 10)


def idx(values: np.ndarray[Any, Any]) -> bytes:
    return struct.pack(f">I{values.ndim}I", 0x800 + values.ndim, *values.shape) + values.astype("uint8").tobytes()


def test_mnist_files(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing is downloaded"):
        vision.MNIST(root=str(tmp_path))
    images = np.arange(5 * 28 * 28).reshape(5, 28, 28) % 256
    (tmp_path / "train-images-idx3-ubyte").write_bytes(idx(images))
    (tmp_path / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx(np.arange(5))))
    dataset = vision.MNIST(str(tmp_path))
    image, label = dataset[3]
    assert len(dataset) == 5 and label == 3 and label.dtype == np.int32
    assert (image.asnumpy() == images[3][..., None]).all() and image.dtype == np.uint8
    for broken, cause in [(b"", "no IDX file"), (idx(images)[:9], "cut in its header"), (idx(images)[:-1], "bytes for")]:
        (tmp_path / "train-images-idx3-ubyte").write_bytes(broken)
        with pytest.raises(ValueError, match=cause):
            vision.MNIST(str(tmp_path))
    (tmp_path / "train-images-idx3-ubyte").write_bytes(idx(images[:4]))
    with pytest.raises(ValueError, match="labels of"):
        vision.MNIST(str(tmp_path))
    (tmp_path / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx(np.arange(5)))[:-9])
    with pytest.raises(ValueError, match="train-labels"):
        vision.MNIST(str(tmp_path))


def test_cifar_files(tmp_path: pathlib.Path) -> None:
    record = np.concatenate([[7], np.arange(3072) % 251]).astype("uint8")
    (tmp_path / "test_batch.bin").write_bytes(record.tobytes() * 2)
    image, label = vision.CIFAR10(str(tmp_path), train=False)[1]
    assert label == 7 and (image.asnumpy() == record[1:].reshape(3, 32, 32).transpose(1, 2, 0)).all()
    (tmp_path / "test_batch.bin").write_bytes(record.tobytes()[:-1])
    with pytest.raises(ValueError, match="not a whole number of images"):
        vision.CIFAR10(str(tmp_path), train=False)
