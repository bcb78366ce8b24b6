"""Loader: a whole data set through transforms, as one pipeline: files are read, decoded and transformed by threads of
the library, and batches come as tensors of torch."""

from __future__ import annotations

import os
from typing import Any, Iterator, Sequence

import numpy as np

from .. import _core, fn
from ..framework_modules import import_framework
from ..graph.data_node import DataNode
from ..pipeline import Pipeline
from ..plugin.epochs import LastBatchPolicy, ReaderEpochs
from ..tensors import TensorListCPU
from .draws import Draws
from .exchange import Kind, take
from .one_by_one import ROOT
from .picture import from_file
from .transform import Transform

__all__ = ["Loader"]


class Loader:
    """Batches of a data set: an iterable of (images, labels), tensors of torch. Each iteration is an epoch.

    :param source: a folder of folders, one for each class, of any store, as ImageFolder has it; a data set with
        `samples`, pairs of a path and a label, such as torchvision's ImageFolder; or any data set with `len()` whose
        items are an image and a number. The items of the last are made by Python, in this process or in `num_workers`.
    :param transform: a :class:`Compose`, or another transform; that of the data set where it is not given.
    :param shuffle: whether each epoch has an order of its own: of the whole data set, a function of seed and epoch.
    :param seed: of the order and of what is drawn; the transform's where it is not given.
    :param num_threads: of the library; all usable CPUs without it.
    :param drop_last: leaves out a last batch that is not full.
    :param shard_id, num_shards: which part of the data set is read, of how many.
    :param prefetch: batches kept ready.
    :param on_error: what a broken sample does: "raise", "skip" or "replace".
    :param memory_limit: most bytes of work in progress: a number or "256MiB".
    """

    def __init__(
        self,
        source: Any,
        transform: Transform | None = None,
        *,
        batch_size: int = 1,
        shuffle: bool = False,
        seed: int | None = None,
        num_threads: int | None = None,
        num_workers: int = 0,
        drop_last: bool = False,
        shard_id: int = 0,
        num_shards: int = 1,
        prefetch: int = 2,
        on_error: str = "raise",
        memory_limit: int | str | None = None,
    ) -> None:
        self.transform = _transform_of(source, transform)
        self.seed = self.transform.seed if seed is None else seed
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.epoch = 0
        self._shuffle = shuffle
        self._shard = (shard_id, num_shards)
        self._is_fed = not _is_files(source)
        self._pipeline = Pipeline(
            batch_size=batch_size, num_threads=num_threads, seed=self.seed, prefetch_queue_depth=prefetch,
            on_error=on_error, memory_limit=memory_limit, py_num_workers=max(1, num_workers),
        )
        with self._pipeline:
            image, labels = self._fed(source, num_workers > 0) if self._is_fed else self._read(source)
            pictures = self.transform.write(image, Draws(ROOT))
            results = pictures if isinstance(pictures, tuple) else (pictures,)
            if any(picture.form != "tensor" for picture in results):
                raise TypeError("a Loader gives tensors: end the transforms with ToTensor() or PILToTensor()")
            nodes = [picture.result() for picture in results]
            self._pipeline.set_outputs(nodes[0] if len(nodes) == 1 else fn.stack(*nodes), labels)
        self._epochs = None if self._is_fed else self._reader_epochs()
        self._is_running = False
        self._delivered: list[Any] = []
        self._left = 0  # batches of the epoch that were not taken

    # --- the graph ---------------------------------------------------------------------------------------------------

    def _read(self, source: Any) -> tuple[Any, DataNode]:
        files: dict[str, Any] = {"file_root": os.fspath(source)} if isinstance(source, (str, os.PathLike)) else {}
        if not files:
            files = {"files": [os.fspath(path) for path, _ in source.samples]}
            files["labels"] = [int(label) for _, label in source.samples]
        shard_id, num_shards = self._shard
        data, labels = fn.readers.file(
            **files, random_shuffle=self._shuffle, shard_id=shard_id, num_shards=num_shards, pad_last_batch=True,
            name="reader",
        )
        return from_file(data), labels

    def _fed(self, source: Any, is_parallel: bool) -> tuple[Any, DataNode]:
        kind = take(_image_of(source, 0))[0]
        seed = self.seed if self._shuffle else None
        feed = _Batches(source, kind, self.batch_size, seed, self._shard, self.drop_last)
        self._length = feed.batches()
        nodes: Any = fn.external_source(
            source=feed, num_outputs=2, batch=True, batch_info=True, layout=[kind.layout or "", ""], name="samples",
            parallel=is_parallel,
        )
        return kind.picture(nodes[0]), nodes[1]

    # --- running -----------------------------------------------------------------------------------------------------

    def _reader_epochs(self) -> ReaderEpochs:
        self._pipeline.build()
        policy = LastBatchPolicy.DROP if self.drop_last else LastBatchPolicy.PARTIAL
        return ReaderEpochs(self._pipeline.reader_meta("reader"), [self._shard[0]], self.batch_size, policy)

    def __len__(self) -> int:
        """Batches in an epoch."""
        return self._length if self._epochs is None else len(self._epochs)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """An epoch. What is left of one that was not taken to its end is done unseen before the next begins."""
        if self._is_running:
            raise RuntimeError("an epoch of this Loader is under way: go on with its iterator, or close that")
        self._is_running = True
        try:
            while self._left:
                self._step()
            self._left = len(self)
            while self._left:
                yield self._converted(*self._step())
        finally:
            self._is_running = False

    def _step(self) -> tuple[Sequence[TensorListCPU], int]:
        """The next batch, and how many of its samples count."""
        outputs = self._pipeline.run()
        self._delivered = list(self._pipeline._delivered)
        self._left -= 1
        count = self.batch_size if self._epochs is None else self._epochs.take()[0]
        if not self._left:
            self._end_epoch()
        return outputs, count

    def _end_epoch(self) -> None:
        self.epoch += 1
        if self._epochs is not None:
            for _ in range(self._epochs.end()):
                self._pipeline.run()
            return
        try:
            self._pipeline.run()
        except StopIteration:
            self._pipeline.reset()

    def _converted(self, outputs: Sequence[TensorListCPU], count: int) -> tuple[Any, Any]:
        images, labels = (self._array(batch) for batch in outputs)
        if count < self.batch_size:
            kept = [place for place, sample in enumerate(self._delivered) if sample.index_in_batch < count]
            images, labels = images[: len(kept)], labels[: len(kept)]
        torch = import_framework("torch")
        return torch.from_numpy(images), torch.from_numpy(labels.reshape(len(labels)).astype(np.int64))

    @staticmethod
    def _array(batch: TensorListCPU) -> np.ndarray:
        shapes = {tuple(shape) for shape in batch.shape()}
        if len(shapes) > 1:
            raise ValueError(
                f"the images of a batch have different shapes, {', '.join(map(str, sorted(shapes)[:3]))}: give the "
                "transform a Resize to height and width, a CenterCrop or a RandomResizedCrop"
            )
        return batch.as_array()

    def samples(self) -> list[dict[str, Any]]:
        """Who the samples of the last batch are: "epoch", "position" in its order, "index" in the data set..."""
        return [sample.as_dict() for sample in self._delivered]

    def close(self) -> None:
        """Stops the work that is under way."""
        self._pipeline.close()

    def __enter__(self) -> Loader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Batches:
    """The batches of a data set of Python's, for an external source."""

    def __init__(
        self, dataset: Any, kind: Kind, batch_size: int, seed: int | None, shard: tuple[int, int], drop_last: bool
    ) -> None:
        self._dataset = dataset
        self._kind = kind
        self._batch_size = batch_size
        self._seed = seed
        self._shard = shard
        self._drop_last = drop_last

    def _order(self, epoch: int) -> Sequence[int]:
        size = len(self._dataset)
        order = range(size) if self._seed is None else _core.random_order(_key_of_order(self._seed, epoch), size)
        shard_id, num_shards = self._shard
        return order[size * shard_id // num_shards : size * (shard_id + 1) // num_shards]

    def batches(self) -> int:
        size = len(self._order(0))
        return size // self._batch_size if self._drop_last else -(-size // self._batch_size)

    def __call__(self, info: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
        order = self._order(info.epoch_idx)
        start = info.iteration * self._batch_size
        places = order[start : start + self._batch_size]
        if not len(places) or (self._drop_last and len(places) < self._batch_size):
            raise StopIteration
        images, labels = [], []
        for place in places:
            image, label = self._dataset[place]
            kind, array = take(image)
            if kind != self._kind:
                raise TypeError(f"item {place} of the data set is {kind}, the first {self._kind}; all must be alike")
            images.append(np.ascontiguousarray(array))
            labels.append(np.asarray([int(label)], np.int64))
        return images, labels


def _key_of_order(seed: int, epoch: int) -> int:
    return (seed * 2654435761 + epoch * 40503 + 12345) % 2**63


def _is_files(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike)) or hasattr(source, "samples")


def _image_of(dataset: Any, index: int) -> Any:
    if not hasattr(dataset, "__getitem__") or not hasattr(dataset, "__len__"):
        raise TypeError(f"a Loader takes a folder, or a data set with len() and items, not {type(dataset).__name__}")
    if len(dataset) == 0:
        raise ValueError("the data set has no items")
    item = dataset[index]
    if not isinstance(item, (tuple, list)) or len(item) != 2:
        raise TypeError("an item of the data set must be an image and a number")
    return item[0]


def _transform_of(source: Any, transform: Transform | None) -> Transform:
    own = getattr(source, "transform", None)
    if transform is not None and own is not None:
        raise ValueError("the data set has a transform, too: make it without one, or give the Loader none")
    chosen = transform if transform is not None else own
    if not isinstance(chosen, Transform):
        kind = type(chosen).__name__
        raise TypeError(f"a Loader takes a transform of forebay.transforms, such as Compose, not {kind}")
    if transform is None and not _is_files(source):
        raise ValueError("give the transform to the Loader, and make the data set without one")
    return chosen
