"""What scripts say about DALI's executors, and can ask back: one executor runs everything here."""

from __future__ import annotations

import enum
from typing import Any, Mapping

from ..caller_warnings import warn
from .data_node import DataNode
from .saved_pipeline import SavedPipeline
from .worker_pool import WorkerPool

__all__ = ["ExecutorSettings", "OperatorConcurrency", "StreamPolicy"]


class StreamPolicy(enum.Enum):
    """Which CUDA streams operators share. Here the engine orders queues of a GPU by what depends on what."""

    SINGLE = 1
    PER_BACKEND = 2
    PER_OPERATOR = 3
    UNSPECIFIED = 0


class OperatorConcurrency(enum.Enum):
    """Which operators may run at a time. Here samples go through the graph at a time, each whole."""

    NONE = 1
    BACKEND = 2
    FULL = 3
    UNSPECIFIED = 0


class ExecutorSettings(SavedPipeline):
    """The part of `Pipeline` that keeps such settings and answers what DALI's does.

    Without effect, because there is nothing that they could change:

    * `exec_async`, `exec_dynamic`, `concurrency`, `stream_policy` choose between executors and orders of operators. A
      sample goes through all its operators at once, on whichever worker is free.
    * `set_affinity`: the workers belong to the process, not to a pipeline, and take whatever sample is next; give the
      process its CPUs (``taskset``), which `num_threads` follows.
    * `bytes_per_sample`: memory comes from a pool that grows as needed, up to `memory_limit`.
    * `max_streams`, `default_cuda_stream_priority`: DALI's own take no effect any more either.
    * `enable_memory_stats`: operators own no buffers that could be counted one by one; :meth:`Pipeline.memory` and
      :meth:`Pipeline.explain` are always there.
    """

    _source_workers: WorkerPool | None
    _settings_of_executor: dict[str, Any]

    def _keep_settings(self, prefetch_queue_depth: int | Mapping[str, int], **settings: Any) -> None:
        is_separated = isinstance(prefetch_queue_depth, Mapping)
        sizes = prefetch_queue_depth if isinstance(prefetch_queue_depth, Mapping) else {}
        depth = None if isinstance(prefetch_queue_depth, Mapping) else int(prefetch_queue_depth)
        for name in ("max_streams", "default_cuda_stream_priority"):
            if settings[name] is not None:
                warn(f"`{name}` is deprecated and has no effect", Warning)
        older = settings.pop("experimental_exec_dynamic")
        if older is not None:
            warn("use `exec_dynamic` instead of `experimental_exec_dynamic`", Warning)
            settings["exec_dynamic"] = older
        if is_separated and not settings["exec_async"]:
            raise ValueError("exec_async=False cannot be had with separate queues: give `prefetch_queue_depth` one number")
        for name, kind in (("stream_policy", StreamPolicy), ("concurrency", OperatorConcurrency)):
            if settings[name] is not None and not isinstance(settings[name], kind):
                raise TypeError(f"{name}={settings[name]!r} must be one of {kind.__name__}, or None")
        if settings["exec_dynamic"] is None and settings["exec_pipelined"] and settings["exec_async"] and not is_separated:
            settings["exec_dynamic"] = True
        self._settings_of_executor = {
            **settings,
            "prefetch_queue_depth": dict(sizes) if is_separated else depth,
            "exec_separated": is_separated,
            "cpu_queue_size": sizes.get("cpu_size", depth),
            "gpu_queue_size": sizes.get("gpu_size", depth),
        }

    @property
    def batch_size(self) -> int:
        """:attr:`max_batch_size`, which is its newer name."""
        warn("Pipeline.batch_size is deprecated; use `max_batch_size`", Warning)
        return self.max_batch_size

    @property
    def max_batch_size(self) -> int:
        return self._batch_size or 0

    @property
    def exec_pipelined(self) -> bool:
        return bool(self._settings_of_executor["exec_pipelined"])

    @property
    def exec_async(self) -> bool:
        return bool(self._settings_of_executor["exec_async"])

    @property
    def exec_dynamic(self) -> bool | None:
        """None where nothing was said and other settings rule it out."""
        chosen: bool | None = self._settings_of_executor["exec_dynamic"]
        return None if chosen is None else bool(chosen)

    @property
    def exec_separated(self) -> bool:
        """Whether `prefetch_queue_depth` was given for CPU and GPU separately."""
        return bool(self._settings_of_executor["exec_separated"])

    @property
    def prefetch_queue_depth(self) -> int | dict[str, int]:
        """As it was given."""
        given: int | dict[str, int] = self._settings_of_executor["prefetch_queue_depth"]
        return given

    @property
    def cpu_queue_size(self) -> int:
        return int(self._settings_of_executor["cpu_queue_size"])

    @property
    def gpu_queue_size(self) -> int:
        return int(self._settings_of_executor["gpu_queue_size"])

    @property
    def stream_policy(self) -> StreamPolicy | None:
        policy: StreamPolicy | None = self._settings_of_executor["stream_policy"]
        return policy

    @property
    def concurrency(self) -> OperatorConcurrency | None:
        concurrency: OperatorConcurrency | None = self._settings_of_executor["concurrency"]
        return concurrency

    @property
    def set_affinity(self) -> bool:
        return bool(self._settings_of_executor["set_affinity"])

    @property
    def max_streams(self) -> int:
        return -1

    @property
    def default_cuda_stream_priority(self) -> int:
        return 0

    @property
    def enable_memory_stats(self) -> bool:
        return bool(self._settings_of_executor["enable_memory_stats"])

    @property
    def py_num_workers(self) -> int:
        """Worker processes of parallel external sources."""
        return int(self._settings_of_executor["py_num_workers"])

    @property
    def py_start_method(self) -> str:
        return str(self._settings_of_executor["py_start_method"])

    def executor_statistics(self) -> dict[str, Any]:
        """Memory of each operator, by name: none, as in DALI's dynamic executor, since no operator owns any.
        :meth:`Pipeline.memory` has what the pipeline uses, :meth:`Pipeline.explain` where its time goes."""
        self.build()
        return {}

    def external_source_shm_statistics(self) -> dict[str, list[int]]:
        """Bytes of the pieces of shared memory in which parallel external sources deliver: "capacities", and divided by
        the batch size "per_sample_capacities"."""
        capacities = [] if self._source_workers is None else self._source_workers.capacities()
        per_sample = [capacity // max(1, self._batch_size or 1) for capacity in capacities]
        return {"capacities": capacities, "per_sample_capacities": per_sample}

    def add_sink(self, edge: DataNode) -> None:
        """Has `edge` computed also where no output needs it, for what its operators do."""
        if not isinstance(edge, DataNode):
            raise TypeError(f"add_sink() takes a DataNode, not {type(edge).__name__}")
        with self._writing():
            self._add_function(_Sink(), [edge.cpu()], 0, False, None, True)

    def output_stream(self) -> Any:
        """None: outputs are on no stream of their own. Those in GPU memory are handed over by DLPack, which waits in the
        consumer's stream."""
        self.build()
        return None


class _Sink:
    """A function that takes rows of tensors and gives nothing."""

    def __call__(self, rows: list[Any]) -> list[Any]:
        return [[] for _ in rows]
