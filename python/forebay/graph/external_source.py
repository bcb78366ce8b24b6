"""fn.external_source: data that comes from Python."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Sequence, overload

from ..caller_warnings import warn
from ..enum_arguments import DTypeLike, element_type
from ..errors import InvalidError, UnfitError, UnknownArgumentError, WrongTypeError
from ..suggestions import did_you_mean
from . import scope
from .parallel_source import ParallelFeed
from .pipeline_arguments import whole_number
from .sources import CallableFeed, Feed, IterableFeed, OutputForm, QueueFeed, cycle_mode, is_generator_function

if TYPE_CHECKING:
    from .data_node import DataNode

__all__ = ["external_source"]


def _for_each(value: Any, count: int, name: str) -> list[Any]:
    """One value per output: those of a list, which must have that length, or the same value for all."""
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"external_source: `{name}` has {len(value)} entries for {count} outputs")
    return list(value)


def _make_feed(
    source: Any, forms: Sequence[OutputForm], multiple: bool, batch: bool, cycle: Any, batch_info: bool, repeat: bool
) -> Feed:
    if source is None:
        if multiple:
            raise ValueError("external_source: `num_outputs` needs a `source`; data fed by feed_input() is one output")
        if cycle_mode(cycle) != "no":
            raise ValueError("external_source: `cycle` needs a `source`")
        return QueueFeed(forms[0], repeat)
    if repeat:
        raise InvalidError("external_source: `repeat_last` is for data given by feed_input(), not for a `source`")
    mode = cycle_mode(cycle)
    if not callable(source) and not hasattr(source, "__iter__") and not hasattr(source, "__getitem__"):
        raise WrongTypeError(f"external_source: `source` must be callable or iterable, not {type(source).__name__}")
    if is_generator_function(source) or not callable(source):
        return IterableFeed(source, forms, multiple, batch, mode)
    if mode != "no":
        raise UnfitError("external_source: `cycle` is for iterables and generator functions, not for other callables")
    return CallableFeed(source, forms, multiple, batch, batch_info)


def _check_parallel(parallel: bool, no_copy: Any, depth: Any, bytes_hint: Any) -> None:
    if parallel and no_copy is False:
        raise ValueError("external_source: no_copy=False cannot be had with parallel=True: data stays where it was made")
    for name, value in (("prefetch_queue_depth", depth), ("bytes_per_sample_hint", bytes_hint)):
        if value is not None and not parallel:
            raise ValueError(f"external_source: `{name}` is for parallel=True")
    if depth is not None:
        whole_number("prefetch_queue_depth", depth, 1)


def _largest(bytes_hint: Any) -> int:
    hints = bytes_hint if isinstance(bytes_hint, (list, tuple)) else [bytes_hint]
    return sum(whole_number("bytes_per_sample_hint", hint, 1) for hint in hints if hint is not None)


@overload
def external_source(
    source: Any = ...,
    num_outputs: None = ...,
    *,
    cycle: str | bool | None = ...,
    name: str | None = ...,
    device: str = ...,
    layout: str | Sequence[str] | None = ...,
    dtype: DTypeLike | Sequence[DTypeLike] | None = ...,
    ndim: int | Sequence[int] | None = ...,
    cuda_stream: Any = ...,
    use_copy_kernel: bool | None = ...,
    blocking: bool | None = ...,
    batch: bool | None = ...,
    repeat_last: bool = ...,
    parallel: bool | None = ...,
    no_copy: bool | None = ...,
    prefetch_queue_depth: int | None = ...,
    bytes_per_sample_hint: Any = ...,
    batch_info: bool | None = ...,
) -> DataNode: ...


@overload
def external_source(
    source: Any,
    num_outputs: int,
    *,
    cycle: str | bool | None = ...,
    name: str | None = ...,
    device: str = ...,
    layout: str | Sequence[str] | None = ...,
    dtype: DTypeLike | Sequence[DTypeLike] | None = ...,
    ndim: int | Sequence[int] | None = ...,
    cuda_stream: Any = ...,
    use_copy_kernel: bool | None = ...,
    blocking: bool | None = ...,
    batch: bool | None = ...,
    repeat_last: bool = ...,
    parallel: bool | None = ...,
    no_copy: bool | None = ...,
    prefetch_queue_depth: int | None = ...,
    bytes_per_sample_hint: Any = ...,
    batch_info: bool | None = ...,
) -> list[DataNode]: ...


def external_source(
    source: Any = None,
    num_outputs: int | None = None,
    *,
    cycle: str | bool | None = None,
    name: str | None = None,
    device: str = "cpu",
    layout: str | Sequence[str] | None = None,
    dtype: DTypeLike | Sequence[DTypeLike] | None = None,
    ndim: int | Sequence[int] | None = None,
    cuda_stream: Any = None,
    use_copy_kernel: bool | None = None,
    blocking: bool | None = None,
    batch: bool | None = True,
    repeat_last: bool = False,
    parallel: bool | None = None,
    no_copy: bool | None = None,
    prefetch_queue_depth: int | None = None,
    bytes_per_sample_hint: Any = None,
    batch_info: bool | None = None,
    **kwargs: Any,
) -> DataNode | list[DataNode]:
    """Gives data that comes from Python.

    :param source: a callable, an iterable or a generator function; None: the data is given by
        :meth:`Pipeline.feed_input`. A callable takes nothing, or one argument: the number of the iteration (a
        :class:`types.BatchInfo` with `batch_info`), or with ``batch=False`` a :class:`types.SampleInfo`.
        Raising StopIteration ends the epoch; :meth:`Pipeline.reset` starts the next. A sample is what can become an array;
        bytes are one of uint8, such as a file's content for `fn.decoders.image`.
    :param num_outputs: how many outputs the source gives, as a tuple. None: one, not in a tuple.
    :param cycle: what happens at the end of an iterable: "no", "quiet" (start again) or "raise" (StopIteration, then
        start again).
    :param layout: layout of the outputs, one for all or one each.
    :param dtype: the type that the data must have, of `types` or NumPy, or its name; checked.
    :param ndim: the number of dimensions that each sample must have; checked.
    :param batch: whether the source gives batches, or samples one by one.
    :param repeat_last: for data fed by hand: without new data the last batch is given again.
    :param no_copy: the arrays are used where they lie, and must not change while the pipeline uses them; what is
        read-only, as bytes are, is copied where it would be an output. Otherwise all are copied.
    :param parallel: the source runs in the pipeline's worker processes, `py_num_workers` of them. A callable must take
        its argument and depend on nothing else, as any worker may call it, for any sample or batch, ahead of need; the
        data comes in order all the same. An iterable or a generator function has one worker. `no_copy` is implied: data
        is copied once, to shared memory, so a source may fill one array anew for each sample or batch. `batch` is False
        where it is None.
    :param prefetch_queue_depth: with `parallel`: batches that are made ahead; 1 when not given. A worker has no more than
        128 of them, or parts of them, that nobody has read; fewer where `ulimit -n` is low.
    :param bytes_per_sample_hint: with `parallel`: how large a sample is at most, so that the shared memory is taken in
        its final size at once.

    The sources of a pipeline are called on one thread, one at a time and batches ahead of what is delivered; its
    functions (:func:`fn.python_function`) on another, beside them. The GIL keeps single steps of Python whole and nothing
    more: what a source shares with a function, or with the program, needs a lock or a queue, and what a source changes is
    seen by functions that are still at earlier batches. A source may run another pipeline; where pipelines ask each other
    in a ring for what none could give first, RuntimeError.

    `cuda_stream`, `use_copy_kernel` and `blocking` are taken for compatibility and change nothing.
    """
    for key in kwargs.keys() - {"preserve", "seed"}:
        hint = did_you_mean(key, inspect.signature(external_source).parameters)
        raise UnknownArgumentError(f"fn.external_source has no argument '{key}'{hint}")
    _check_parallel(bool(parallel), no_copy, prefetch_queue_depth, bytes_per_sample_hint)
    pipeline = scope.require()
    count = 1 if num_outputs is None else num_outputs
    layouts = _for_each(layout, count, "layout")
    dtypes = [
        None if each is None else element_type("external_source: dtype", each) for each in _for_each(dtype, count, "dtype")
    ]
    ndims = _for_each(ndim, count, "ndim")
    forms = [
        OutputForm(one_layout, one_dtype, one_ndim, not no_copy)
        for one_layout, one_dtype, one_ndim in zip(layouts, dtypes, ndims)
    ]
    is_batch = not parallel if batch is None else bool(batch)
    feed = _make_feed(source, forms, num_outputs is not None, is_batch, cycle, bool(batch_info), repeat_last)
    if feed.about_checkpoints and pipeline._enable_checkpointing:
        warn(f"checkpoints of a pipeline whose external_source reads {feed.about_checkpoints}", UserWarning)
    if parallel:
        feed = ParallelFeed(feed, prefetch_queue_depth or 1, _largest(bytes_per_sample_hint))
    nodes = pipeline._add_feed(feed, count, name)
    if device == "gpu":
        nodes = [node.gpu() for node in nodes]
    return nodes[0] if num_outputs is None else nodes
