"""A pipeline as a :class:`tf.data.Dataset`, with other data sets as its inputs.

Each iterator over the data set runs a pipeline of its own, from the start. A pipeline with Python functions or sources
cannot be made twice; there all iterators run that one, one at a time.
"""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass
from typing import Any, Iterator, Mapping

import tensorflow as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

from ...graph.sources import QueueFeed
from ...pipeline import Pipeline
from ...tensors import TensorListCPU

__all__ = ["DALIDataset", "DALIDatasetWithInputs", "Input"]


@dataclass(frozen=True)
class Input:
    """A data set as the input of a pipeline.

    :param layout: of the data; that of the external source when not given.
    :param batch: whether its elements are batches; else samples, of which a batch is made.
    """

    dataset: Any
    layout: str | None = None
    batch: bool = False


def _as_input(name: Any, value: Any) -> Input:
    if not isinstance(name, str):
        raise TypeError(f"`input_datasets` is by names of external sources; {name!r} is none")
    if isinstance(value, Input):
        return value
    if isinstance(value, tf.data.Dataset):
        return Input(value)
    raise TypeError(f"the input '{name}' must be a tf.data.Dataset or an Input, not {type(value).__name__}")


class _Feeder:
    """Steps through the input data sets."""

    def __init__(self, inputs: Mapping[str, Input], batch_size: int) -> None:
        self._inputs = inputs
        self._steps = {
            name: iter(each.dataset if each.batch else each.dataset.batch(batch_size, drop_remainder=False))
            if each.batch or _is_dense(each.dataset)
            else _gathered(iter(each.dataset), batch_size)
            for name, each in inputs.items()
        }

    def feed(self, pipeline: Pipeline) -> None:
        """StopIteration when one of them has ended."""
        given = {name: next(step) for name, step in self._steps.items()}
        for name, batch in given.items():
            data = [each.numpy() for each in batch] if isinstance(batch, list) else batch.numpy()
            pipeline.feed_input(name, data, layout=self._inputs[name].layout)


def _is_dense(dataset: Any) -> bool:
    """Whether all its elements are of one shape, so that TensorFlow can batch them."""
    spec = dataset.element_spec
    return isinstance(spec, tf.TensorSpec) and spec.shape.is_fully_defined()


def _gathered(samples: Iterator[Any], size: int) -> Iterator[list[Any]]:
    while batch := list(itertools.islice(samples, size)):
        yield batch


class _Runs:
    """The iterators that TensorFlow has made."""

    def __init__(self, pipeline: Pipeline, arguments: Mapping[str, Any], inputs: Mapping[str, Input]) -> None:
        self._pipeline = pipeline
        self._arguments = arguments
        self._inputs = inputs
        self._lock = threading.Lock()
        self._running = 0
        self._count = itertools.count()
        self._made: dict[int, tuple[TensorListCPU, ...]] = {}  # by number, until TensorFlow takes them
        has_sources = any(not isinstance(feed, QueueFeed) for feed in pipeline._feeds.values())
        self._is_single = has_sources or bool(pipeline._functions)
        self._serialized = b"" if self._is_single else pipeline.serialize()

    def _open(self) -> Pipeline:
        with self._lock:
            if self._is_single and self._running:
                raise RuntimeError(
                    "the pipeline has Python functions or sources, so the data set has one iterator at a time"
                )
            self._running += 1
        if self._is_single:
            return self._pipeline
        return Pipeline.deserialize(self._serialized, **self._arguments)

    def _close(self, pipeline: Pipeline) -> None:
        with self._lock:
            self._running -= 1
        if self._is_single:
            pipeline.reset()
        else:
            pipeline.close()

    def numbers(self) -> Iterator[int]:
        """Runs the pipeline; gives the numbers by which :meth:`take` gives the batches. TensorFlow drops the generator
        when it drops the iterator."""
        pipeline = self._open()
        number = -1
        try:
            pipeline.build()
            feeder = _Feeder(self._inputs, pipeline.max_batch_size)
            while True:
                try:
                    feeder.feed(pipeline)
                    batches = pipeline.run()
                except StopIteration:
                    return
                number = next(self._count)
                self._made[number] = batches
                yield number
        finally:
            self._made.pop(number, None)
            self._close(pipeline)

    def take(self, number: int) -> tuple[TensorListCPU, ...]:
        return self._made.pop(number)


def _taken(batch: TensorListCPU, dtype: Any) -> Any:
    """The batch as a tensor over the same memory, where TensorFlow can have it so."""
    tensor = tf.experimental.dlpack.from_dlpack(batch.as_tensor().__dlpack__())
    if tensor.dtype != dtype:
        raise TypeError(f"an output of the pipeline is {tensor.dtype.name}; `output_dtypes` says {dtype.name}")
    return tensor


def _generated(runs: _Runs, dtypes: tuple[Any, ...], shapes: tuple[Any, ...]) -> Any:
    def taken(number: Any) -> list[Any]:
        batches = runs.take(int(number))
        if len(batches) != len(dtypes):
            raise ValueError(f"the pipeline has {len(batches)} outputs; `output_dtypes` has {len(dtypes)}")
        return [_taken(batch, dtype) for batch, dtype in zip(batches, dtypes)]

    def step(number: Any) -> tuple[Any, ...]:
        outputs = tf.py_function(taken, [number], dtypes)
        return tuple(tf.ensure_shape(output, shape) for output, shape in zip(outputs, shapes))

    numbers = tf.data.Dataset.from_generator(runs.numbers, output_signature=tf.TensorSpec([], tf.int64))
    return numbers.map(step)


def _renamed(given: Any, older: Any, name: str) -> Any:
    if older is None:
        return given
    if given is not None:
        raise ValueError(f"give `output_{name}`, and not `{name}`, its older name, too")
    return tuple(older) if isinstance(older, list) else older


def _checked_inputs(pipeline: Pipeline, input_datasets: Mapping[str, Any] | None) -> dict[str, Input]:
    if input_datasets is not None and not isinstance(input_datasets, Mapping):
        raise TypeError(f"`input_datasets` must be a dictionary by name, not {type(input_datasets).__name__}")
    inputs = {name: _as_input(name, value) for name, value in (input_datasets or {}).items()}
    pipeline.build()
    nodes = pipeline._graph.nodes()
    awaited = {nodes[number]["name"] for number, feed in pipeline._feeds.items() if isinstance(feed, QueueFeed)}
    if "" in awaited:
        raise ValueError("an external_source without a source needs a name, by which a data set is given to it")
    for name in inputs.keys() - awaited:
        raise ValueError(f"the pipeline has no external_source '{name}' without a source; it has {sorted(awaited)}")
    if awaited - inputs.keys():
        raise ValueError(f"`input_datasets` has nothing for the external sources {sorted(awaited - inputs.keys())}")
    return inputs


def DALIDatasetWithInputs(  # noqa: N802 (a name of DALI's)
    pipeline: Pipeline,
    output_dtypes: Any = None,
    output_shapes: Any = None,
    fail_on_device_mismatch: bool = True,
    *,
    input_datasets: Mapping[str, Any] | None = None,
    batch_size: int | None = None,
    num_threads: int | None = None,
    device_id: int | None = None,
    exec_separated: bool = False,
    exec_dynamic: bool = False,
    prefetch_queue_depth: int = 2,
    cpu_prefetch_queue_depth: int = 2,
    gpu_prefetch_queue_depth: int = 2,
    dtypes: Any = None,
    shapes: Any = None,
) -> Any:
    """A pipeline as a :class:`tf.data.Dataset` of tuples, one tensor for each output.

    :param output_dtypes: the element types, a tuple or one.
    :param output_shapes: their shapes with the batch, as far as they are known; checked.
    :param input_datasets: for each external source without a source, by name, a data set or an :class:`Input`. The data
        set ends with the first of them.
    :param batch_size, num_threads, device_id: in place of the pipeline's own.

    The other arguments choose among DALI's executors and change nothing.
    """
    output_dtypes = _renamed(output_dtypes, dtypes, "dtypes")
    output_shapes = _renamed(output_shapes, shapes, "shapes")
    kinds = output_dtypes if isinstance(output_dtypes, tuple) else (output_dtypes,)
    if not all(isinstance(kind, tf.DType) for kind in kinds):
        raise TypeError(f"`output_dtypes` must be a tf.DType or a tuple of them, not {output_dtypes!r}")
    if output_shapes is None:
        extents: tuple[Any, ...] = (None,) * len(kinds)
    else:
        extents = tuple(output_shapes) if isinstance(output_dtypes, tuple) else (output_shapes,)
    if len(extents) != len(kinds):
        raise ValueError(f"`output_shapes` has {len(extents)} shapes for {len(kinds)} outputs")
    given = {"batch_size": batch_size, "num_threads": num_threads, "device_id": device_id}
    arguments = {name: value for name, value in given.items() if value is not None}
    runs = _Runs(pipeline, arguments, _checked_inputs(pipeline, input_datasets))
    return _generated(runs, kinds, tuple(tf.TensorShape(extent) for extent in extents))


def DALIDataset(pipeline: Pipeline, *arguments: Any, **named: Any) -> Any:  # noqa: N802 (a name of DALI's)
    """A pipeline without inputs as a :class:`tf.data.Dataset`; see :func:`DALIDatasetWithInputs`."""
    if "input_datasets" in named:
        raise TypeError("DALIDataset takes no `input_datasets`; use experimental.DALIDatasetWithInputs")
    return DALIDatasetWithInputs(pipeline, *arguments, **named)
