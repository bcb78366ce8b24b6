"""Pipeline: a graph of operators, built once and run batch by batch."""

from __future__ import annotations

import atexit
import secrets
import weakref
from typing import Any, Mapping, Sequence

from .. import _core
from ..errors import GivenTwiceError, NoOutputsError, NotFedError, NothingScheduledError, UnknownNameError
from ..nd import NDArray
from ..tensors import TensorCPU, TensorListCPU
from ..types import CPU_ONLY_DEVICE_ID, DALIDataType, PipelineAPIType
from .batch_arrays import one_array
from .data_node import DataNode
from .executor_settings import ExecutorSettings
from .parallel_source import check_start_method, start_workers
from .pipeline_arguments import (
    checked_promises, parse_bytes, queue_depth, refusing_unknown, usable_cpus, whole_number,
)
from .reader_facts import ReaderFacts
from .server import Server, close_all
from .sources import Feed, QueueFeed
from .worker_pool import WorkerPool

__all__ = ["Pipeline"]

_live: weakref.WeakSet[Pipeline] = weakref.WeakSet()


class Pipeline(ExecutorSettings):
    """A graph of operators and what runs it.

    :param batch_size: samples in a batch; `max_batch_size` is the same.
    :param num_threads: worker threads; all usable CPUs when not given.
    :param device_id: GPU; None for none. On a graph without GPU operators it makes no difference.
    :param seed: of all random numbers; -1 or None chooses one.
    :param prefetch_queue_depth: batches kept ready ahead of the consumer.
    :param exec_pipelined: False: one batch is prepared at a time.
    :param enable_checkpointing: allows :meth:`checkpoint` and the iterators' ``checkpoints()``.
    :param checkpoint: a checkpoint to go on from, or those of all ranks (see :meth:`load_state_dict`).
    :param output_dtype, output_ndim, output_layout: what the outputs must be; checked, one for all or a list with one
        or None for each.
    :param py_num_workers: processes for external sources with ``parallel=True``; none are started without such.
    :param py_start_method: how they are started. "fork" needs no pickling, but takes over this process's threads as
        they stand: prefer "spawn" or "forkserver" where other libraries have threads.
    :param py_callback_pickler: an object with `dumps` and `loads` by which sources travel, or a tuple of it and the
        keyword arguments of both; not with "fork". Functions of a script and lambdas need none.
    :param on_error: "raise", "skip" (a shorter batch) or "replace" (by another sample) for samples that are
        damaged or not there. A store that cannot be reached or refuses raises whatever is said here.
    :param memory_limit: most bytes of work in progress: a number or "256MiB"; None for no limit.
    :param unequal_readers: "error" or "warn" where several readers do not have the same number of samples: from the second
        epoch on, what they give does not belong together. None: "error", and "warn" in scripts written for DALI, which
        allows it.

    The other arguments are for DALI's executors, of which there is one here: :class:`ExecutorSettings` says for each why
    it has nothing to do.
    """

    _simulated_device: int | None = None
    """For tests: the seed of a simulated device that stands in for the GPU."""
    _unequal_readers_usually = "error"
    _clock: Any = None
    """For tests: what deadlines of requests go by."""

    @refusing_unknown
    def __init__(
        self,
        batch_size: int | None = None,
        num_threads: int | None = None,
        device_id: int | None = None,
        seed: int | None = None,
        exec_pipelined: bool = True,
        prefetch_queue_depth: int | Mapping[str, int] = 2,
        exec_async: bool = True,
        bytes_per_sample: int = 0,
        set_affinity: bool = False,
        max_streams: int | None = None,
        default_cuda_stream_priority: int | None = None,
        *,
        enable_memory_stats: bool = False,
        enable_checkpointing: bool = False,
        checkpoint: str | bytes | Sequence[str | bytes] | None = None,
        py_num_workers: int = 1,
        py_start_method: str = "fork",
        py_callback_pickler: Any = None,
        output_dtype: Any = None,
        output_ndim: Any = None,
        output_layout: Any = None,
        exec_dynamic: bool | None = None,
        experimental_exec_dynamic: bool | None = None,
        stream_policy: Any = None,
        concurrency: Any = None,
        on_error: str = "raise",
        memory_limit: int | str | None = None,
        unequal_readers: str | None = None,
        fuse: bool = True,
        max_batch_size: int | None = None,
    ) -> None:
        if max_batch_size is not None:
            if batch_size is not None and batch_size != max_batch_size:
                raise GivenTwiceError(f"batch_size={batch_size} and max_batch_size={max_batch_size} are one argument")
            batch_size = max_batch_size
        if on_error not in ("raise", "skip", "replace"):
            raise ValueError(f"on_error={on_error!r} must be 'raise', 'skip' or 'replace'")
        self._batch_size = None if batch_size is None else whole_number("batch_size", batch_size, 1)
        self._num_threads = None if num_threads is None else whole_number("num_threads", num_threads, 1)
        device_id = CPU_ONLY_DEVICE_ID if device_id is None else whole_number("device_id", device_id)
        self._device_id = None if device_id == CPU_ONLY_DEVICE_ID else device_id
        seed = -1 if seed is None else whole_number("seed", seed)
        self._seed_is_given = seed >= 0
        self._seed: int = seed if seed >= 0 else secrets.randbits(31)
        self._feed_count = queue_depth(prefetch_queue_depth)
        self._depth = self._feed_count if exec_pipelined else 1
        self._enable_checkpointing = enable_checkpointing or checkpoint is not None
        self._checkpoint = checkpoint
        self._on_error = on_error
        if unequal_readers not in (None, "error", "warn"):
            raise ValueError(f"unequal_readers={unequal_readers!r} must be 'error' or 'warn'")
        self._unequal_readers = unequal_readers or self._unequal_readers_usually
        self._memory_limit = parse_bytes(memory_limit)
        check_start_method(py_start_method, py_callback_pickler)
        self._keep_settings(
            prefetch_queue_depth, exec_pipelined=exec_pipelined, exec_async=exec_async, exec_dynamic=exec_dynamic,
            experimental_exec_dynamic=experimental_exec_dynamic, stream_policy=stream_policy, concurrency=concurrency,
            set_affinity=set_affinity, max_streams=max_streams, enable_memory_stats=enable_memory_stats,
            default_cuda_stream_priority=default_cuda_stream_priority, py_start_method=py_start_method,
            py_num_workers=whole_number("py_num_workers", py_num_workers, 1),
        )
        self._py_callback_pickler = py_callback_pickler
        self._source_workers: WorkerPool | None = None
        self._fuse = fuse
        super().__init__(
            checked_promises(output_dtype=output_dtype, output_ndim=output_ndim, output_layout=output_layout)
        )
        self._settings: dict[str, Any] = {}
        self._plan: tuple[int, Any] | None = None  # for which seed; holds the opened data sets
        self._is_fresh = True  # nothing was asked of the session yet
        self._scheduled = 0
        self._begins = True  # the next schedule_run() is the first of its epoch
        self._way: PipelineAPIType | None = None
        self._checks_way = True
        self._array_specs: list[tuple[tuple[int, ...], str]] | None = None
        self._delivered: Sequence[Any] = []
        self._iterator_state: Any = None
        self._is_restored = False

    # --- running -----------------------------------------------------------------------------------------------------

    def build(self) -> None:
        """Checks and compiles the graph and opens its readers. The first run does it if you do not."""
        if self._session is not None:
            return
        if self._batch_size is None:
            raise ValueError("the pipeline has no batch_size")
        self.start_py_workers()
        by_hand = self._is_fed_by_hand()
        settings = {
            "num_threads": self.num_threads,
            "prefetch_depth": 1 if by_hand else self._depth,
            "on_demand": by_hand,
            "on_error": self._on_error,
            "refuses_unequal_readers": self._unequal_readers == "error",
            "memory_limit_bytes": self._memory_limit,
            "feeds": self._feeds,
            "functions": self._functions,
            "simulated_device": self._simulated_device,
        }
        self._settings = settings
        self._open()
        _live.add(self)
        if self._checkpoint is not None:
            self._restore(self._checkpoint)

    def start_py_workers(self) -> None:
        """Starts the processes of parallel external sources; build() does it otherwise. With py_start_method="fork" it
        is well done early, before other libraries start threads."""
        if self._output_count is None:
            with self._writing():
                outputs = self.define_graph()
            self.set_outputs(*(outputs if isinstance(outputs, (tuple, list)) else (outputs,)))
        if self._source_workers is None:
            self._source_workers = start_workers(
                self._feeds.values(), self.py_num_workers, self.py_start_method, self._py_callback_pickler,
                self.max_batch_size, self._seed,
            )
            if self._source_workers is not None:
                weakref.finalize(self, self._source_workers.close, waits=False)

    def _open(self) -> None:
        """Makes the session, and closes the one there was before."""
        self._plan = (self._seed, self._compiled(self._seed))
        if self._session is not None:
            self._session.close()
        self._session = _core.Session.create(self._plan[1], self._settings)
        self._is_fresh = True

    def _compiled(self, seed: int) -> Any:
        if self._plan is not None and self._plan[0] == seed:
            return self._plan[1]
        if self._output_count == 0:
            raise NoOutputsError("the pipeline has no outputs: return at least one from its definition")
        has_device = self._simulated_device is not None
        return _core.Plan.compile(self._graph, self.max_batch_size, seed, self._fuse, has_device)

    def _built(self) -> Any:
        self.build()
        return self._session

    _has_state = True

    def _iterations(self) -> int:
        """How many batches were given, broken ones included."""
        return int(self._built().iterations())

    def _prefetch(self) -> None:
        session = self._built()
        if not self._is_fed_by_hand():
            self._is_fresh = False
            session.prefetch()

    def _is_fed_by_hand(self) -> bool:
        return any(isinstance(feed, QueueFeed) for feed in self._feeds.values())

    def _check_fed(self) -> None:
        for number, feed in self._feeds.items():
            if isinstance(feed, QueueFeed) and not feed.is_ready():
                name = self._graph.nodes()[number]["name"] or f"node {number}"
                raise NotFedError(f"no data was fed to external_source '{name}'; call feed_input() before each run()")

    def _go(self, way: PipelineAPIType) -> None:
        """RuntimeError where batches are asked for in both ways: which one run() would give is not clear then."""
        if self._checks_way and self._way not in (None, way):
            raise RuntimeError(
                f"Mixing pipeline API type. Currently used: {self._way}, but trying to use {way}: take batches either by "
                "run() or by schedule_run() and share_outputs()"
            )
        self._way = way

    def enable_api_check(self, enable: bool) -> None:
        """Whether taking batches in two ways is refused: by run(), and by schedule_run() and share_outputs()."""
        self._checks_way = enable

    def iter_setup(self) -> None:
        """For classes that derive from Pipeline: called before each run, to feed data."""

    def run(self, cuda_stream: Any = None, /, **inputs: Any) -> tuple[TensorListCPU, ...]:
        """The next batch: a TensorListCPU for each output. `inputs` are fed to the external sources of those names
        first. `cuda_stream` changes nothing: batches in host memory are ready, and those of a GPU are handed over by
        DLPack, which has the consumer's stream wait. StopIteration at the end of a source's data; :meth:`reset` starts
        its next epoch."""
        self._go(PipelineAPIType.BASIC)
        session = self._built()
        self._feed_all(inputs)
        self.iter_setup()
        self._check_fed()
        return self._take(session)

    def run_arrays(self, **inputs: Any) -> tuple[NDArray, ...]:
        """The next batch as an :class:`forebay.nd.NDArray` for each output, samples along the first axis.

        The first call waits, to learn the shapes. Later ones return at once: what is computed from the arrays runs
        when the batch's samples are done, and no byte is copied. All batches must have the shapes of the first (sound is
        padded to one length, by `fn.pad` with `shape`). If one does not, or is broken, reading its arrays raises the
        error. Where an operator decides how many samples there are, each call waits.
        """
        session = self._built()
        self._feed_all(inputs)
        self.iter_setup()
        self._check_fed()
        if self._array_specs is not None:
            self._is_fresh = False
            return tuple(session.run_arrays(self._array_specs))
        arrays = tuple(one_array(number, batch) for number, batch in enumerate(self._take(session)))
        if session.has_fixed_samples():
            self._array_specs = [(array.shape, array.dtype_name) for array in arrays]
        return arrays

    def _take(self, session: Any) -> tuple[TensorListCPU, ...]:
        self._is_fresh = False
        outputs, self._delivered, _ = session.run()
        for place, kind in self._output_enumerations.items():
            _core.mark_as_enumeration(outputs[place], kind)
        return outputs  # type: ignore[no-any-return]

    def schedule_run(self) -> None:
        """Starts the preparation of a batch, and at the beginning that of as many as are kept ready;
        :meth:`share_outputs` gives them."""
        self._go(PipelineAPIType.SCHEDULED)
        self._built()
        self.iter_setup()
        self._prefetch()
        self._scheduled += self._depth if self._begins and not self._is_fed_by_hand() else 1
        self._begins = False

    def share_outputs(self, cuda_stream: Any = None) -> tuple[TensorListCPU, ...]:
        """The batch of the oldest :meth:`schedule_run`. You may keep it for as long as you want."""
        self._go(PipelineAPIType.SCHEDULED)
        session = self._built()
        if self._checks_way and self._scheduled == 0:
            raise NothingScheduledError("share_outputs() gives what schedule_run() started; call that first")
        self._check_fed()
        self._scheduled = max(0, self._scheduled - 1)
        try:
            return self._take(session)
        except StopIteration:
            self._scheduled = 0
            raise

    def release_outputs(self) -> None:
        """Does nothing: the memory of a batch is reused once nothing refers to it."""
        self._go(PipelineAPIType.SCHEDULED)

    def outputs(self, cuda_stream: Any = None) -> tuple[TensorListCPU, ...]:
        """:meth:`share_outputs`."""
        return self.share_outputs()

    def empty(self) -> bool:
        """True when share_outputs() gave all that was started."""
        return self._scheduled == 0

    def reset(self) -> None:
        """Starts the next epoch of external sources whose data has ended. Readers are endless and need no reset."""
        if self._session is not None and self._session.reset_feeds():
            self._scheduled = 0
            self._begins = True

    def feed_input(
        self, data_node: str | DataNode, data: Any, layout: str | None = None, cuda_stream: Any = None,
        use_copy_kernel: bool = False,
    ) -> None:
        """Gives a batch to an external_source without a source: a list of arrays, or one array."""
        self.build()
        feed = self._queue_of(data_node)
        feed.put(feed.made_of(data, layout))

    def _queue_of(self, data_node: str | DataNode) -> QueueFeed:
        number = self._own(data_node)._node if isinstance(data_node, DataNode) else self._graph.find(data_node)
        feed = self._feeds.get(number)
        if feed is None:
            raise UnknownNameError(f"there is no external_source named '{data_node}'")
        if not isinstance(feed, QueueFeed):
            raise RuntimeError(f"external_source '{data_node}' has a source; it cannot be fed by hand")
        return feed

    def _feed_all(self, inputs: Mapping[str, Any]) -> None:
        """Feeds all of these batches, or none."""
        feeds = [self._queue_of(name) for name in inputs]
        batches = [feed.made_of(data, None) for feed, data in zip(feeds, inputs.values())]
        if len({len(batch) for batch in batches}) > 1:
            counts = ", ".join(f"{len(batch)} for '{name}'" for name, batch in zip(inputs, batches))
            raise ValueError(f"run() was given batches of different sizes: {counts}")
        for feed, batch in zip(feeds, batches):
            feed.put(batch)

    def input_feed_count(self, input_name: str) -> int:
        """How many batches DALI wants to be fed before the first run. Here one is enough."""
        if self._graph.find(input_name) not in self._feeds:
            raise UnknownNameError(f"there is no external_source named '{input_name}'")
        return self._feed_count

    def close(self) -> None:
        """Stops the pipeline's work and waits until it has stopped. Afterwards none of your functions runs, except the
        one that called close(). Batches that were delivered stay valid.
        """
        self._end_workers()
        if self._session is not None:
            self._session.close()

    def _end_workers(self, waits: bool = True) -> None:
        if self._source_workers is not None:
            self._source_workers.close(waits)

    def _end(self) -> None:
        """Like close(), but does not wait."""
        self._end_workers(waits=False)
        if self._session is not None:
            self._session.close(waits=False)

    def serve(self, *, max_pending: int = 256) -> Server:
        """A server that answers single requests by this pipeline's graph: for inference. It runs beside :meth:`run` and
        other servers.

            with pipeline.serve() as server:
                future = server.submit(key=17, deadline=0.05, images=encoded)
                (image,) = future.result()

        What a request gives takes the place of each ``fn.external_source``, which must have a name; their own sources
        are not asked. Graphs with readers, ``fn.keep``, or operators that need a whole batch cannot be served
        (NotImplementedError).

        :param max_pending: requests that may be without an answer at once.
        """
        self.build()
        assert self._plan is not None
        whole_number("max_pending", max_pending, 1)
        return Server(self._plan[1], self._settings, self._named_feeds(), max_pending, self._clock)

    def _named_feeds(self) -> dict[str, tuple[int, Feed]]:
        feeds = {self._graph.nodes()[number]["name"]: (number, feed) for number, feed in self._feeds.items()}
        for name in ("", "key", "deadline", "epoch", "self"):
            if name in feeds:
                raise ValueError(
                    f"an external_source is named '{name}'; to be given by requests each needs a name, other than "
                    "'key', 'deadline' and 'epoch'"
                )
        return feeds

    # --- facts about it -----------------------------------------------------------------------------------------------

    @property
    def num_threads(self) -> int:
        return self._num_threads or usable_cpus()

    @property
    def device_id(self) -> int | None:
        return self._device_id

    @property
    def seed(self) -> int:
        return self._seed

    @property
    def num_outputs(self) -> int:
        self.build()
        return self._output_count or 0

    @property
    def is_restored_from_checkpoint(self) -> bool:
        return self._is_restored

    def output_dtype(self) -> list[DALIDataType | None]:
        return self._one_each("output_dtype", self.num_outputs)

    def output_ndim(self) -> list[int | None]:
        return self._one_each("output_ndim", self.num_outputs)

    def output_layout(self) -> list[str | None]:
        return self._one_each("output_layout", self.num_outputs)

    def epoch_size(self, name: str | None = None) -> int | dict[str, int]:
        """Samples in an epoch of the reader of that name, over all shards, with padding; without a name, of each
        reader."""
        if name is not None:
            return int(self.reader_meta(name)["epoch_size_padded"])
        return {reader: int(meta["epoch_size_padded"]) for reader, meta in self.reader_meta().items()}

    def reader_meta(self, name: str | None = None) -> dict[str, Any]:
        """What iterators need to know about a reader: epoch_size, epoch_size_padded, number_of_shards, shard_id,
        pad_last_batch, stick_to_shard. Without a name: all readers, by name."""
        session = self._built()
        if name is not None:
            return session.reader_meta(name)  # type: ignore[no-any-return]
        return {reader: session.reader_meta(reader) for reader in session.reader_names()}

    def _reader_facts(self, reader: str) -> ReaderFacts:
        """:meth:`reader_meta` of one reader, for which nothing is waited before it is looked up."""
        return ReaderFacts(self._built, reader)

    def _epochs_left(self, reader: str) -> tuple[int, list[int]]:
        """The epoch in which a reader's stream begins, and what is left of it and of those after it over all shards."""
        return self._built().epochs_left(reader)  # type: ignore[no-any-return]

    def delivered(self) -> list[dict[str, Any]]:
        """Identifies the samples of the last batch: epoch, position, index, object, offset, is_padding,
        is_replacement."""
        return [sample.as_dict() for sample in self._delivered]

    def errors(self) -> list[dict[str, Any]]:
        """The broken samples met so far: sample, object, offset, operator, epoch, position, cause, action. Also those
        of the last batch that lie beyond the end of the epoch, where an iterator cuts the batch off."""
        return self._built().errors()  # type: ignore[no-any-return]

    def explain(self) -> Any:
        """Why the run was as fast as it was: `.bottleneck`, `.stage`; print it for a table."""
        return self._built().explain()

    def replay(self, sample: int, epoch: int = 0) -> tuple[TensorCPU, ...]:
        """The outputs for the sample at position `sample` of an epoch, computed again."""
        return tuple(self._built().replay(epoch, sample))

    def memory(self) -> dict[str, int]:
        """Bytes in use: "working" counts against memory_limit, "held" are in batches that were delivered."""
        session = self._built()
        return {
            "working": session.working_bytes(),
            "held": session.held_bytes(),
            "peak_working": session.peak_working_bytes(),
            "limit": self._memory_limit,
        }


@atexit.register
def _shut_down() -> None:
    """Ends all work before the interpreter ends, so that nothing calls into it afterwards."""
    close_all()
    for pipeline in list(_live):
        pipeline._end()
    _core.shutdown_engine()
