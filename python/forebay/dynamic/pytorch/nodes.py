"""Readers and calls as nodes of torchdata: each gives dictionaries of tensors or batches, the last one PyTorch's
tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torchdata.nodes as torch_nodes

from ...errors import InvalidError
from ..reader import Reader as _Reader

__all__ = ["DictMapper", "Reader", "ToTorch"]


class Reader(torch_nodes.BaseNode):  # type: ignore[misc]
    """A reader; an epoch is what the node gives until it is reset.

    :param reader_type: the class, such as ``ndd.readers.File``.
    :param batch_size: None: single samples.
    :param output_names: keys of the dictionaries; "data" and "label" where there are two outputs.
    :param arguments: those of the reader.
    """

    def __init__(
        self,
        reader_type: type[_Reader],
        *,
        batch_size: int | None,
        output_names: Iterable[str] | None = None,
        **arguments: Any,
    ) -> None:
        super().__init__()
        self._reader = reader_type(enable_checkpointing=True, **arguments)
        self._batch_size = batch_size
        self._names = None if output_names is None else tuple(output_names)
        self._epoch: Iterator[Any] | None = None

    def reset(self, initial_state: dict[str, Any] | None = None) -> None:
        """Begins the next epoch, or goes on where the state was taken."""
        super().reset(initial_state)
        if initial_state:
            self._reader.set_state(initial_state["reader"])
        self._epoch = iter(self._reader.next_epoch(batch_size=self._batch_size))

    def next(self) -> dict[str, Any]:
        if self._epoch is None:
            raise RuntimeError("reset() the node before its first next()")
        outputs = next(self._epoch)
        if isinstance(outputs, dict):
            return outputs
        names = ("data", "label") if self._names is None and len(outputs) == 2 else self._names
        if names is None or len(names) != len(outputs):
            raise InvalidError(f"the reader has {len(outputs)} outputs: give as many output_names")
        return dict(zip(names, outputs))

    def get_state(self) -> dict[str, Any]:
        return {"reader": str(self._reader.get_state())}

    def get_metadata(self) -> dict[str, int]:
        """Sizes of the epoch and of the shards."""
        return self._reader.get_metadata(self._batch_size)


class _OnSource(torch_nodes.BaseNode):  # type: ignore[misc]
    """A node that has no state but its source's."""

    def __init__(self, source: Any) -> None:
        super().__init__()
        self._source = source

    def reset(self, initial_state: dict[str, Any] | None = None) -> None:
        super().reset(initial_state)
        self._source.reset(initial_state["source"] if initial_state else None)

    def get_state(self) -> dict[str, Any]:
        return {"source": self._source.state_dict()}


class DictMapper(_OnSource):
    """Applies a function to one value of the dictionaries.

    :param map_fn: gets a tensor or batch, and gives one.
    """

    def __init__(self, source: Any, map_fn: Callable[[Any], Any], key: str = "data") -> None:
        super().__init__(source)
        self._function = map_fn
        self._key = key

    def next(self) -> dict[str, Any]:
        values = dict(next(self._source))
        values[self._key] = self._function(values[self._key])
        return values


class ToTorch(_OnSource):
    """Gives tuples of PyTorch's tensors. `output_stream` makes no difference: calls run on the CPU."""

    def __init__(self, source: Any, output_stream: Any = None) -> None:
        super().__init__(source)

    def next(self) -> tuple[Any, ...]:
        return tuple(value.torch() for value in next(self._source).values())
