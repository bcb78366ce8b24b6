"""Saving a pipeline: its state, checkpoints, and its graph as bytes or as a picture."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any, Callable, Mapping, Protocol, Sequence, TypeVar

from ..errors import InvalidError
from . import own_file
from .dot_file import dot_of
from .own_file import OwnFile
from .pipeline_arguments import checked_promises
from .replace_file import replace_file
from .sources import Feed
from .writer import GraphWriter

Loaded = TypeVar("Loaded", bound="SavedPipeline")


class Saved(Protocol):
    """A pipeline that was saved. `arguments` are those of `Pipeline`, some of them perhaps missing."""

    arguments: Mapping[str, Any]

    def put_into(self, pipeline: Any) -> None:
        """Makes the graph of `pipeline`, which has none."""


_others: list[tuple[Callable[[bytes], bool], Callable[[bytes], Saved]]] = []


def also_reads(is_one: Callable[[bytes], bool], read: Callable[[bytes], Saved]) -> None:
    """Saved pipelines of another library are read by `read`; `is_one` knows them by their first bytes."""
    _others.append((is_one, read))


def _parse(serialized: Any) -> Saved:
    if not isinstance(serialized, (str, bytes, bytearray, memoryview)):
        hint = "; give the name of a file as `filename`" if isinstance(serialized, os.PathLike) else ""
        raise TypeError(f"a saved pipeline is the bytes that serialize() gives, not {type(serialized).__name__}{hint}")
    if isinstance(serialized, str):
        return OwnFile(serialized)
    data = bytes(serialized)
    for is_one, read in _others:
        if is_one(data):
            return read(data)
    return OwnFile(data)


class SavedPipeline(GraphWriter):
    """The part of `Pipeline` that saves and restores."""

    _batch_size: int | None
    _num_threads: int | None
    _device_id: int | None
    _seed: int
    _seed_is_given: bool
    _depth: int
    _on_error: str
    _memory_limit: int
    _enable_checkpointing: bool
    _is_fresh: bool
    _plan: tuple[int, Any] | None
    _feeds: dict[int, Any]
    _is_restored: bool
    _delivered: Sequence[Any]
    _iterator_state: Any

    def build(self) -> None:
        raise NotImplementedError

    def _open(self) -> None:
        raise NotImplementedError

    def _built(self) -> Any:
        raise NotImplementedError

    def _compiled(self, seed: int) -> Any:
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """The position behind the batches that were delivered; those prepared ahead do not count. Small, and fit for
        JSON."""
        session = self._built()  # which may go on from a checkpoint, and take its seed
        return {"version": 1, "seed": self._seed, "session": session.state()}

    def load_state_dict(self, state: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
        """Goes on where `state` was taken, in this or another process, with a pipeline of the same seed that reads the
        same samples in the same order; what happens to a sample may be another. A pipeline that was given no seed takes
        that of the state. A state that is refused changes nothing.

        A list holds the states of all ranks of a run, in any order and taken at any step. With as many shards as then,
        each rank goes on from its own. With more or fewer, what is left of the epochs in which the ranks were is divided
        anew, and no sample is lost or comes twice; that is refused for sources that are not readers, and for readers
        with ``stick_to_shard``, ``shuffle_after_epoch`` or ``pad_last_batch``, or several of which one has ``shuffle``."""
        _, load = self._check_states([state] if isinstance(state, Mapping) else state)
        load()

    def _check_states(self, states: Any) -> tuple[int, Callable[[], None]]:
        """Checks whether the states can be loaded, which changes nothing. Returns which of them this pipeline goes on
        from, -1 where what all have left is divided anew, and what loads it."""
        if not isinstance(states, Sequence) or isinstance(states, (str, bytes)):
            raise TypeError(f"a state is the dictionary that state_dict() gives, not {type(states).__name__}")
        for state in states:
            if not isinstance(state, Mapping):
                raise TypeError(f"a state is the dictionary that state_dict() gives, not {type(state).__name__}")
            if state.get("version") != 1 or not state.keys() >= {"seed", "session"}:
                raise ValueError("this is not the state of a pipeline; pass what state_dict() returned")
        self.build()
        seed = self._seed if self._seed_is_given or not states else states[0]["seed"]
        plan = self._compiled(seed)
        sessions = [state["session"] for state in states]
        own = plan.check_states(sessions)
        for feed in self._feeds.values():
            feed.check_restore()

        def load() -> None:
            if seed != self._seed:
                self._seed = seed
                self._plan = (seed, plan)
                self._is_fresh = False
            if not self._is_fresh:
                self._open()
            self._session.restore(sessions)
            self._delivered = []

        return own, load

    def _get_checkpoint(self, iterator_data: Any = None, state: Mapping[str, Any] | None = None) -> bytes:
        if not self._enable_checkpointing:
            raise RuntimeError("checkpoints need enable_checkpointing=True when the pipeline is made")
        return json.dumps({"pipeline": state or self.state_dict(), "iterator": iterator_data}).encode()

    def checkpoint(self, filename: str | os.PathLike[str] | None = None) -> bytes:
        """The state as bytes (JSON), for `Pipeline(checkpoint=...)`; also written to `filename` if given, which is replaced as
        a whole: at any moment, also where the machine stops, it holds an old or the new checkpoint."""
        content = self._get_checkpoint()
        if filename is not None:
            replace_file(filename, content)
        return content

    def _restore(self, checkpoint: str | bytes | Sequence[str | bytes]) -> None:
        try:
            texts = [checkpoint] if isinstance(checkpoint, (str, bytes)) else list(checkpoint)
            contents = [json.loads(text) for text in texts]
            states = [content["pipeline"] for content in contents]
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidError("`checkpoint` is not what Pipeline.checkpoint() gave") from error
        own, load = self._check_states(states)
        load()
        self._iterator_state = None if own < 0 else contents[own].get("iterator")
        self._is_restored = True

    def serialize(self, define_graph: Any = None, filename: str | os.PathLike[str] | None = None) -> bytes:
        """Graph, arguments and what sources promise as bytes, the same for equal pipelines; also written to `filename` if
        given, which is replaced as a whole. Python sources are saved as sources that are fed, and a seed that was not
        given is not saved. InvalidError, which names the operator, where the graph has a Python function."""
        if define_graph is not None and not callable(define_graph):
            hint = "; a file is given as serialize(filename=...)" if isinstance(define_graph, (str, os.PathLike)) else ""
            raise TypeError(f"`define_graph` must be callable, not {type(define_graph).__name__}{hint}")
        if self._output_count is None:
            with self._writing():
                outputs = define_graph() if define_graph is not None else self.define_graph()
            self.set_outputs(*(outputs if isinstance(outputs, (tuple, list)) else (outputs,)))
        data = own_file.written(self, {
            "batch_size": self._batch_size,
            "num_threads": self._num_threads,
            "device_id": self._device_id,
            "seed": self._seed if self._seed_is_given else None,
            "prefetch_queue_depth": self._depth,
            "on_error": self._on_error,
            "memory_limit": self._memory_limit,
            **self._promises,
        })
        if filename is not None:
            replace_file(filename, data)
        return data

    @classmethod
    def deserialize(
        cls: type[Loaded],
        serialized_pipeline: bytes | str | None = None,
        filename: str | os.PathLike[str] | None = None,
        **arguments: Any,
    ) -> Loaded:
        """The pipeline of :meth:`serialize`'s bytes or file, or of those that DALI's `serialize` gave; `arguments` replace
        those saved. External sources are fed by :meth:`feed_input`. InvalidError where the bytes are neither, or damaged;
        it names the operator where DALI saved one that is not here."""
        if (serialized_pipeline is None) == (filename is None):
            raise ValueError("deserialize() takes either the bytes or a file name")
        if filename is not None:
            with open(filename, "rb") as file:
                serialized_pipeline = file.read()
        saved = _parse(serialized_pipeline)
        pipeline = cls(**{**saved.arguments, **arguments})
        saved.put_into(pipeline)
        return pipeline

    def deserialize_and_build(self, serialized_pipeline: bytes | str) -> None:
        """Takes the graph of :meth:`serialize`'s bytes, or of DALI's, and the saved batch size, threads, seed and promises
        of the outputs where this pipeline was given none; then builds it."""
        if self._output_count is not None or self._graph.size() > 0:
            raise RuntimeError("the pipeline has a graph already; deserialize into a new one")
        saved = _parse(serialized_pipeline)
        given = saved.arguments
        self._batch_size = self._batch_size or given["batch_size"]
        self._num_threads = self._num_threads or given["num_threads"]
        if not self._seed_is_given and given["seed"] is not None:
            self._seed = given["seed"]
        promises = {name: given.get(name) if value is None else value for name, value in self._promises.items()}
        self._promises = checked_promises(**promises)
        saved.put_into(self)
        self.build()

    def _take_graph(self, graph: Any, feeds: dict[int, Feed]) -> None:
        """Has this graph, which was read from a file, and these sources."""
        self._graph = graph
        self._output_count = len(graph.outputs())
        self._feeds.update(feeds)

    def save_graph_to_dot_file(
        self, filename: str, *, show_tensors: bool = False, show_ids: bool | None = None, use_colors: bool = False
    ) -> None:
        """Writes the graph for Graphviz.

        :param show_tensors: tensors are boxes between the operators.
        :param use_colors: operators have a colour by device.
        :param show_ids: deprecated, without effect.
        """
        self.build()
        if show_ids is not None:
            warnings.warn("`show_ids` is deprecated and has no effect", DeprecationWarning, stacklevel=2)
        with open(filename, "w", encoding="utf-8") as file:
            file.write(dot_of(self._graph.nodes(), show_tensors, use_colors))
