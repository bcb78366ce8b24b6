"""Readers: classes, because each has a place in its data. They read ahead on the engine's workers."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from ..errors import InvalidError, UnknownArgumentError
from ..fn import generate
from ..graph.pipeline import Pipeline
from ..ops import class_path_of, function_at
from ..types import Constant
from .deferred import Future
from .device import check_cpu
from .dtypes import DType
from .generators import get_default_rng
from .value import Value, wrap

__all__ = ["Reader", "ReaderState"]

_NAME = "reader"
_Outputs = tuple[Any, ...] | dict[str, Any]


class ReaderState:
    """Where a reader was; str() of it is for files."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"ReaderState({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, (ReaderState, str)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)


class Reader:
    """What readers have in common. Their other arguments are those of `fn`.

    A reader gives its data as batches or as single samples, all the time in the same way.

    :param max_batch_size: the size of batches where :meth:`next_epoch` is not told one; `batch_size` is the same.
    :param name: for errors.
    :param device: the CPU.
    :param enable_checkpointing: allows :meth:`get_state`.
    """

    _operator: ClassVar[str]

    def __init__(
        self,
        max_batch_size: int | None = None,
        name: str | None = None,
        device: Any = None,
        *,
        batch_size: int | None = None,
        enable_checkpointing: bool = False,
        **arguments: Any,
    ) -> None:
        check_cpu(device)
        self._batch_size = max_batch_size if batch_size is None else batch_size
        self._name = name or _NAME
        self._checkpointing = enable_checkpointing
        self._arguments = {key: value for key, value in arguments.items() if value is not None}
        self._check_arguments(self._arguments)
        self._seed = get_default_rng()() if self._is_shuffled else 0
        self._pipe: Pipeline | None = None
        self._keys: list[str] | None = None  # of readers that give dictionaries
        self._way: str | None = None
        self._has_given = False
        self._shard = int(self._arguments.get("shard_id", 0))
        self._taken = 0  # samples of this epoch
        self._state: dict[str, Any] | None = None  # of the pipeline, to go on from

    @property
    def _is_shuffled(self) -> bool:
        return bool(self._arguments.get("random_shuffle") or self._arguments.get("shuffle"))

    @classmethod
    def _check_arguments(cls, arguments: Mapping[str, Any]) -> None:
        known = inspect.signature(cls).parameters
        for key, value in arguments.items():
            if key not in known:
                raise UnknownArgumentError(f"ndd.{cls._operator}: {cls.__name__} has no argument '{key}'")
            if isinstance(value, Value) and value._is_batch:
                raise InvalidError(f"ndd.{cls._operator}: '{key}' is the same for all samples; it cannot be a batch")

    # --- the pipeline behind it ---------------------------------------------------------------------------------------

    def _open(self, batch_size: int) -> Pipeline:
        """A pipeline of the reader alone."""
        if self._pipe is not None and self._pipe.max_batch_size != batch_size:
            if self._has_given:
                known = self._pipe.max_batch_size
                raise InvalidError(f"the reader gives batches of {known}; that cannot become {batch_size}")
            self._pipe.close()
            self._pipe = None
        if self._pipe is None:
            seed = self._seed if self._state is None else self._state["seed"]
            pipe = Pipeline(batch_size=batch_size, seed=seed)
            with pipe:
                pipe.set_outputs(*self._nodes())
            pipe.build()
            self._pipe = pipe
            if self._state is not None:
                pipe.load_state_dict(self._state)
                self._state = None
        return self._pipe

    def _nodes(self) -> list[Any]:
        """The reader's outputs in the pipeline that is being written."""
        given = {key: _constant(value) for key, value in self._arguments.items()}
        outputs = function_at(self._operator)(name=self._name, **given)
        self._keys = list(outputs) if isinstance(outputs, dict) else None
        if isinstance(outputs, dict):
            return list(outputs.values())
        return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]

    def _go(self, way: str) -> None:
        if self._way not in (None, way):
            raise RuntimeError(f"a reader gives either batches or samples: it gave {self._way}, and is asked for {way}")
        self._way = way

    def _next(self, pipe: Pipeline) -> list[Future]:
        self._has_given = True
        return [Future.of(content, False) for content in pipe.run()]

    def _shaped(self, values: list[Any]) -> _Outputs:
        return tuple(values) if self._keys is None else dict(zip(self._keys, values))

    def _epoch_size(self, pipe: Pipeline) -> int:
        """Samples of this shard in an epoch."""
        meta = pipe.reader_meta(self._name)
        padded, shards = int(meta["epoch_size_padded"]), int(meta["number_of_shards"])
        return padded * (self._shard + 1) // shards - padded * self._shard // shards

    def _end_epoch(self) -> None:
        self._taken = 0
        if not self._arguments.get("stick_to_shard"):
            self._shard = (self._shard + 1) % int(self._arguments.get("num_shards", 1))

    # --- what users call ----------------------------------------------------------------------------------------------

    def next_epoch(self, batch_size: int | None = None, ctx: Any = None, capture: bool = False) -> Iterator[Any]:
        """Iterates over the next epoch: tuples of batches, or of tensors where no size was given here nor before.
        Readers of records with names give dictionaries. All batches are full: the last one of an epoch may begin the
        next.

        :param ctx: an evaluation context, which makes no difference.
        :param capture: makes no difference: a reader reads ahead in any case.
        """
        size = self._batch_size if batch_size is None else batch_size
        if size is None:
            self._go("samples")
            return self._samples()
        if self._batch_size is not None and size > self._batch_size:
            raise InvalidError(f"batch_size={size} is larger than the max_batch_size={self._batch_size} of the reader")
        self._open(size)
        self._go("batches")
        return self._batches(size)

    def _batches(self, size: int) -> Iterator[_Outputs]:
        pipe = self._open(size)
        count = self._epoch_size(pipe)
        while self._taken < count:
            batches = self._next(pipe)
            self._taken += batches[0].size
            yield self._shaped([wrap(batch, True) for batch in batches])
        self._end_epoch()

    def _samples(self) -> Iterator[_Outputs]:
        pipe = self._open(1)
        count = self._epoch_size(pipe)
        while self._taken < count:
            samples = self._next(pipe)
            self._taken += 1
            yield self._shaped([wrap(sample, False) for sample in samples])
        self._end_epoch()

    def __call__(self, *, batch_size: int | None = None) -> Any:
        """The next batch, or the next sample where no size was given: one value, or a tuple or dictionary of
        several."""
        size = self._batch_size if batch_size is None else batch_size
        pipe = self._open(1 if size is None else size)
        self._go("calls")
        outputs = self._shaped([wrap(batch, size is not None) for batch in self._next(pipe)])
        return outputs[0] if isinstance(outputs, tuple) and len(outputs) == 1 else outputs

    def get_metadata(self, batch_size: int | None = None) -> dict[str, int]:
        """Sizes of the epoch and of the shards: epoch_size, epoch_size_padded, number_of_shards, shard_id,
        pad_last_batch, stick_to_shard."""
        if self._pipe is None:
            self._open(batch_size or self._batch_size or 1)
        assert self._pipe is not None
        return self._pipe.reader_meta(self._name)

    def close(self) -> None:
        """Ends reading ahead. The reader can be used again; it begins anew."""
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
            self._taken = 0
            self._has_given = False

    # --- states -------------------------------------------------------------------------------------------------------

    def _enable_checkpointing(self) -> None:
        """What a Checkpoint asks of the readers that are registered."""
        if self._checkpointing:
            return
        if self._has_given:
            raise RuntimeError("states of a reader need enable_checkpointing=True when it is made")
        self._checkpointing = True

    def get_state(self, *, cuda_stream: Any = None) -> ReaderState:
        """Where the reader is: behind what it gave, in the middle of an epoch too. `cuda_stream` makes no
        difference."""
        if not self._checkpointing:
            raise RuntimeError("states of a reader need enable_checkpointing=True when it is made")
        if self._pipe is None or self._way is None:
            raise RuntimeError("a reader has a state once it was asked for an epoch: call next_epoch() first")
        pipeline = self._pipe.state_dict()
        return ReaderState(json.dumps({"pipeline": pipeline, "shard": self._shard, "taken": self._taken}))

    def set_state(self, value: ReaderState | str | bytes) -> None:
        """Goes on where the state was taken: the next epoch is the rest of that one. Only before the reader has given
        anything."""
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if not isinstance(value, (ReaderState, str)):
            raise TypeError(f"a state is what get_state() gives or str() of it, not {type(value).__name__}")
        if self._has_given:
            raise RuntimeError("a reader takes a state before it has given anything: make another one")
        try:
            state = json.loads(str(value))
            pipeline = dict(state["pipeline"])
            place = (int(state["shard"]), int(state["taken"]))
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidError("this is not the state of a reader") from error
        self.close()
        self._checkpointing = True
        self._state = pipeline
        self._shard, self._taken = place


def _constant(value: Any) -> Any:
    """An argument as a pipeline takes it."""
    if isinstance(value, DType):
        return value.number
    if isinstance(value, (list, tuple)) and any(isinstance(each, DType) for each in value):
        return [_constant(each) for each in value]
    if not isinstance(value, Value):
        return value
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else Constant(array, layout=value.layout, device="cpu")


def signature_of(row: generate.Row) -> inspect.Signature:
    """The arguments of the class."""
    all_own = inspect.signature(Reader.__init__).parameters
    own = [each for key, each in all_own.items() if key not in ("self", "arguments")]
    known = {each.name for each in own}
    keyword = inspect.Parameter.KEYWORD_ONLY
    for parameter in generate.signature_of(row).parameters.values():
        if parameter.kind is keyword and parameter.name not in known:
            own.append(parameter)
    if "seed" not in {each.name for each in own}:
        own.append(inspect.Parameter("seed", keyword, default=None, annotation="int | None"))
    texts = [str(each.annotation).replace("DataNode", "Tensor") for each in own]
    return inspect.Signature([each.replace(annotation=text) for each, text in zip(own, texts)])


def _class_of(row: generate.Row) -> type[Reader]:
    path = str(row["name"])
    members = {"_operator": path, "__doc__": generate.document(row), "__signature__": signature_of(row)}
    return type(class_path_of(path).rpartition(".")[2], (Reader,), members)


def rows() -> list[generate.Row]:
    """The readers of the operator table."""
    return [row for row in generate.table() if row["scope"] == "source"]


def class_paths() -> list[str]:
    """The names of the classes: "readers.File"..."""
    return [class_path_of(str(row["name"])) for row in rows()]


def add_classes(root: str, namespace: dict[str, Any]) -> None:
    """Puts the classes into `namespace` and its submodules."""
    known = class_paths()
    for row in rows():
        made = _class_of(row)
        made.__module__ = generate.put(root, namespace, class_path_of(made._operator), made, known)
