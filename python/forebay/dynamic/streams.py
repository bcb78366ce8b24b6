"""CUDA streams by the names of DALI's dynamic mode. Calls run on the CPU, so a stream orders nothing here: it is kept,
and given back."""

from __future__ import annotations

import operator
import threading
from typing import Any

__all__ = ["Stream", "get_current_stream", "get_default_stream", "set_current_stream", "set_default_stream", "stream"]


class Stream:
    """A stream by its address.

    :param stream: an integer, or an object with ``__cuda_stream__``, ``handle``, ``cuda_stream`` or ``ptr``.
    :param device_id: the GPU.
    """

    def __init__(self, *, stream: Any, device_id: int | None = None) -> None:
        self.handle = _address(stream)
        self.device_id = device_id

    def __cuda_stream__(self) -> tuple[int, int]:
        return (0, self.handle)

    def synchronize(self) -> None:
        """Nothing to wait for: calls run on the CPU."""

    def __repr__(self) -> str:
        return f"Stream(handle={self.handle:#x}, device_id={self.device_id})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stream):
            return NotImplemented
        return (self.handle, self.device_id) == (other.handle, other.device_id)

    def __hash__(self) -> int:
        return hash((self.handle, self.device_id))


def _address(source: Any) -> int:
    if hasattr(source, "__cuda_stream__"):
        return int(source.__cuda_stream__()[1])
    for name in ("handle", "cuda_stream", "ptr"):
        if hasattr(source, name):
            return int(getattr(source, name))
    try:
        return operator.index(source)
    except TypeError:
        raise TypeError(f"{type(source).__name__} is no CUDA stream") from None


_NEW = object()


def stream(*, stream: Any = _NEW, device_id: int | None = None) -> Stream | None:
    """The stream that `stream` is; None of None. NotImplementedError without it: no streams are made here."""
    if stream is _NEW:
        raise NotImplementedError("calls run on the CPU: a CUDA stream is made by your GPU framework")
    if stream is None or isinstance(stream, Stream):
        return stream
    return Stream(stream=stream, device_id=device_id)


_default: dict[int | None, Stream | None] = {}
_local = threading.local()


def set_default_stream(cuda_stream: Any, /, device_id: int | None = None) -> None:
    """Keeps the stream of all threads, for :func:`get_default_stream`."""
    _default[device_id] = stream(stream=cuda_stream, device_id=device_id)


def get_default_stream(device_id: int | None = None) -> Stream | None:
    """What was set by :func:`set_default_stream`."""
    return _default.get(device_id)


def set_current_stream(cuda_stream: Any, /) -> None:
    """Keeps the stream of this thread, for :func:`get_current_stream`."""
    _local.stream = stream(stream=cuda_stream)


def get_current_stream() -> Stream | None:
    """What was set by :func:`set_current_stream` on this thread; else the default one."""
    mine: Stream | None = getattr(_local, "stream", None)
    return get_default_stream() if mine is None else mine
