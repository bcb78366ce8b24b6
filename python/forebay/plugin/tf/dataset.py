"""A pipeline as a :class:`tf.data.Dataset`, with other data sets as its inputs.

Without `reader_name` and `size` each iterator over the data set runs a pipeline of its own, from the start, as with
DALI. With one of them a pass over the data set is an epoch, and the next pass the next epoch.
"""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

import numpy as np
import tensorflow as tf  # type: ignore[import-not-found, import-untyped, unused-ignore]

from ... import _core
from ...graph.sources import QueueFeed
from ...pipeline import Pipeline
from ...tensors import TensorListCPU
from ..base_iterator import LastBatchPolicy, about_output, kept_array
from .dataset_iterator import Runs
from .inputs import Input

__all__ = ["DALIDataset", "DALIDatasetWithInputs", "Input", "PipelineDataset"]

_ALIGNMENT = 64  # of memory that TensorFlow takes as it lies


def _as_input(name: Any, value: Any) -> Input:
    if not isinstance(name, str):
        raise TypeError(f"`input_datasets` is by names of external sources; {name!r} is none")
    if isinstance(value, Input):
        return value
    if isinstance(value, tf.data.Dataset):
        return Input(value)
    raise TypeError(f"the input '{name}' must be a tf.data.Dataset or an Input, not {type(value).__name__}")


def _array(place: int, batch: TensorListCPU, selection: np.ndarray | None, dtype: Any, shape: Any) -> np.ndarray:
    """The samples of an output that count as an array over the same memory, which TensorFlow takes as it lies where it is
    aligned; TypeError or ValueError where it is not what was said."""
    with about_output(place, batch):
        array = np.ascontiguousarray(kept_array(batch, selection))
    if array.dtype != dtype.as_numpy_dtype:
        raise TypeError(f"output {place} of the pipeline is {array.dtype.name}; `output_dtypes` says {dtype.name}")
    if not shape.is_compatible_with(array.shape):
        raise ValueError(f"output {place} of the pipeline has the shape {array.shape}; `output_shapes` says {shape}")
    if array.__array_interface__["data"][0] % _ALIGNMENT:
        _core.count_copied(array.nbytes)
    return array


class _Steps:
    """What TensorFlow steps through: a broken batch is raised in its place, and the next one comes. TensorFlow drops this
    when it drops the iterator."""

    def __init__(self, steps: Iterator[Any], specs: Sequence[Any]) -> None:
        self._steps = steps
        self._specs = specs

    def __iter__(self) -> Iterator[tuple[np.ndarray, ...]]:
        return self

    def __next__(self) -> tuple[np.ndarray, ...]:
        made = next(self._steps)
        if isinstance(made, Exception):
            raise made
        batches, selection = made
        return tuple(
            _array(place, batch, selection, spec.dtype, spec.shape)
            for place, (batch, spec) in enumerate(zip(batches, self._specs))
        )


def _generated(runs: Runs, dtypes: tuple[Any, ...], shapes: tuple[Any, ...]) -> Any:
    specs = tuple(tf.TensorSpec(shape, dtype) for shape, dtype in zip(shapes, dtypes))
    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = False  # so that a state is behind the batches that were taken
    made = tf.data.Dataset.from_generator(lambda: _Steps(runs.steps(), specs), output_signature=specs)
    return made.with_options(options)


class PipelineDataset(tf.data.Dataset):  # type: ignore[misc, unused-ignore]
    """What :func:`DALIDataset` gives: a data set whose place can be saved. Where TensorFlow takes batches ahead, by
    ``prefetch``, the place is behind these. States are not part of TensorFlow's own checkpoints."""

    def __init__(self, runs: Runs, batches: Any) -> None:
        self._runs = runs
        self._batches = batches
        super().__init__(batches._variant_tensor)

    def _inputs(self) -> list[Any]:
        return [self._batches]

    @property
    def element_spec(self) -> Any:
        return self._batches.element_spec

    def __len__(self) -> int:
        """Batches of the present epoch, where `reader_name` or `size` was given."""
        length = self._runs.length()
        return int(super().__len__()) if length is None else length

    def __reduce__(self) -> Any:
        return self._runs.__reduce__()

    def state_dict(self) -> dict[str, Any]:
        """Where the iterator is that was made last; see
        :meth:`forebay.plugin.base_iterator.BaseIterator.state_dict`."""
        return self._runs.state_dict()

    def load_state_dict(self, state: dict[str, Any] | list[dict[str, Any]]) -> None:
        """The next iterator goes on where the state was taken, with inputs that give the same as then; see
        :meth:`forebay.plugin.base_iterator.BaseIterator.load_state_dict`."""
        self._runs.load_state_dict(state)

    def checkpoints(self) -> list[bytes]:
        """The place as a checkpoint, for `Pipeline(checkpoint=...)`; a data set over that goes on here."""
        return self._runs.checkpoints()


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
    _end_together(pipeline)
    return inputs


def _end_together(pipeline: Pipeline) -> None:
    """Where a source ends before the inputs, the batch of these that was fed last goes with the pass: the next one begins
    with their first."""
    queues = [feed for feed in pipeline._feeds.values() if isinstance(feed, QueueFeed) and feed.keeps_its_place]
    if len(queues) == len(pipeline._feeds) or not queues or not pipeline._is_fresh:
        return
    for feed in queues:
        feed.keeps_its_place = False
    pipeline._open()
    if pipeline._checkpoint is not None:
        pipeline._restore(pipeline._checkpoint)


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
    size: int = -1,
    reader_name: str | None = None,
    last_batch_padded: bool = False,
    last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
) -> PipelineDataset:
    """A pipeline as a :class:`tf.data.Dataset` of tuples, one tensor for each output.

    :param output_dtypes: the element types, a tuple or one.
    :param output_shapes: their shapes with the batch, as far as they are known; checked.
    :param input_datasets: for each external source without a source, by name, a data set or an :class:`Input`. The data
        set ends with the first of them.
    :param batch_size, num_threads, device_id: in place of the pipeline's own.
    :param size, reader_name, last_batch_padded, last_batch_policy: as those of
        :class:`forebay.plugin.base_iterator.BaseIterator`. With `size` or `reader_name` a pass over the data set is an
        epoch, as ``model.fit`` takes it without `steps_per_epoch`, and behind a pass that was left early the rest of that
        epoch; one iterator at a time.

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
    inputs = _checked_inputs(pipeline, input_datasets)
    if pipeline.num_outputs != len(kinds):
        raise ValueError(f"the pipeline has {pipeline.num_outputs} outputs; `output_dtypes` has {len(kinds)}")
    epochs = {
        "size": size, "reader_name": reader_name, "last_batch_padded": last_batch_padded,
        "last_batch_policy": last_batch_policy,
    }
    runs = Runs(pipeline, arguments, inputs, epochs)
    return PipelineDataset(runs, _generated(runs, kinds, tuple(tf.TensorShape(extent) for extent in extents)))


def DALIDataset(  # noqa: N802 (a name of DALI's)
    pipeline: Pipeline,
    output_dtypes: Any = None,
    output_shapes: Any = None,
    fail_on_device_mismatch: bool = True,
    *,
    input_datasets: None = None,
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
    size: int = -1,
    reader_name: str | None = None,
    last_batch_padded: bool = False,
    last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
) -> PipelineDataset:
    """A pipeline without inputs as a :class:`tf.data.Dataset`; see :func:`DALIDatasetWithInputs`."""
    if input_datasets is not None:
        raise TypeError("DALIDataset takes no `input_datasets`; use experimental.DALIDatasetWithInputs")
    return DALIDatasetWithInputs(
        pipeline, output_dtypes, output_shapes, fail_on_device_mismatch, batch_size=batch_size, num_threads=num_threads,
        device_id=device_id, exec_separated=exec_separated, exec_dynamic=exec_dynamic,
        prefetch_queue_depth=prefetch_queue_depth, cpu_prefetch_queue_depth=cpu_prefetch_queue_depth,
        gpu_prefetch_queue_depth=gpu_prefetch_queue_depth, dtypes=dtypes, shapes=shapes, size=size,
        reader_name=reader_name, last_batch_padded=last_batch_padded, last_batch_policy=last_batch_policy,
    )
