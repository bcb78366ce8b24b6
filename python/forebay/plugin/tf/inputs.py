"""Data sets of TensorFlow as inputs of a pipeline: one batch of each for a step, beside each other whatever breaks."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Iterator, Mapping

import numpy as np
import tensorflow as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

from ... import _core
from ...graph.sources import QueueFeed
from ...pipeline import Pipeline
from ...tensors import TensorCPU

__all__ = ["Feeder", "Input"]


@dataclass(frozen=True)
class Input:
    """A data set as the input of a pipeline.

    :param layout: of the data; that of the external source when not given.
    :param batch: whether its elements are batches; else samples, of which a batch is made.
    """

    dataset: Any
    layout: str | None = None
    batch: bool = False


def _view(tensor: Any) -> np.ndarray:
    """The tensor as an array over the same memory, which TensorFlow does not change."""
    try:
        return np.asarray(memoryview(tensor))
    except (BufferError, TypeError, ValueError):  # types that NumPy's buffers lack
        array: np.ndarray = tensor.numpy()
        _core.count_copied(array.nbytes)
        return array


def _is_dense(dataset: Any) -> bool:
    """Whether all its elements are of one shape, so that TensorFlow can batch them."""
    spec = dataset.element_spec
    return isinstance(spec, tf.TensorSpec) and spec.shape.is_fully_defined()


def _gathered(samples: Iterator[Any], size: int) -> Iterator[list[Any]]:
    while batch := list(itertools.islice(samples, size)):
        yield batch


class _Steps:
    """What an input gives at each step, behind the first `fed`. A broken element breaks the step that it is in and no
    other: TensorFlow's own batches go on right behind it, and its `skip` does not pass it, so from then on each element
    is taken by itself."""

    def __init__(self, given: Input, batch_size: int, fed: int) -> None:
        self._dataset = given.dataset
        self._gives_batches = given.batch
        self._size = 1 if given.batch else batch_size  # elements of a step
        self._fed = fed
        behind = given.dataset.skip(fed * self._size)
        self._whole: Iterator[Any] | None
        if given.batch:
            self._whole = iter(behind)
        elif _is_dense(behind):
            self._whole = iter(behind.batch(batch_size))
        else:
            self._whole = _gathered(iter(behind), batch_size)
        self._elements: Iterator[Any] = iter(())

    def __next__(self) -> Any:
        if self._whole is not None:
            try:
                given = next(self._whole)
            except StopIteration:
                raise
            except Exception:
                self._whole, self._elements = None, self._behind()
            else:
                self._fed += 1
                return given
        given = self._one_by_one(self._size)
        return given[0] if self._gives_batches else given

    def _behind(self) -> Iterator[Any]:
        elements: Iterator[Any] = iter(self._dataset)
        for _ in range(self._fed * self._size):
            try:
                next(elements)
            except StopIteration:
                break
            except Exception:  # it was raised at its step
                pass
        return elements

    def _one_by_one(self, size: int) -> list[Any]:
        found: list[Any] = []
        broken: Exception | None = None
        for _ in range(size):
            try:
                found.append(next(self._elements))
            except StopIteration:
                break
            except Exception as error:
                broken = broken or error
        if broken is not None:
            raise broken
        if not found:
            raise StopIteration
        return found


class Feeder:
    """Steps through the input data sets, behind the first `fed` batches."""

    def __init__(self, inputs: Mapping[str, Input], batch_size: int, fed: int) -> None:
        self._inputs = inputs
        self._steps = {name: _Steps(each, batch_size, fed) for name, each in inputs.items()}
        self._taken: dict[str, list[TensorCPU] | Exception] = {}  # of the step under way

    def feed(self, pipeline: Pipeline) -> None:
        """A batch of each, or the error that has taken its place. StopIteration when one of them has ended."""
        feeds = {name: pipeline._queue_of(name) for name in self._inputs}
        for name, feed in feeds.items():
            if name not in self._taken:
                self._taken[name] = self._step(name, feed)
        taken, self._taken = self._taken, {}
        broken = next((each for each in taken.values() if isinstance(each, Exception)), None)
        for name, feed in feeds.items():
            feed.put(taken[name] if broken is None else broken)

    def _step(self, name: str, feed: QueueFeed) -> list[TensorCPU] | Exception:
        try:
            batch = next(self._steps[name])
            data = [_view(each) for each in batch] if isinstance(batch, list) else _view(batch)
            return feed.made_of(data, self._inputs[name].layout, copy=False)
        except StopIteration:
            raise
        except Exception as error:
            return error
