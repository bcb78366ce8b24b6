"""Where arrays lie, in MXNet's terms."""

from __future__ import annotations

import threading
from types import TracebackType

from .. import _core
from ..errors import ArrayError


class Context:
    """A device: ``cpu(0)``. Making an array on a GPU raises ArrayError.

    As a context manager it is the default of the thread.
    """

    _active = threading.local()

    def __init__(self, device_type: str | Context, device_id: int = 0) -> None:
        if isinstance(device_type, Context):
            device_id = device_type.device_id
            device_type = device_type.device_type
        if device_type not in ("cpu", "gpu", "cpu_pinned", "cpu_shared"):
            raise ValueError(f"there is no device of type '{device_type}'")
        self.device_type: str = device_type
        self.device_id: int = device_id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and (self.device_type, self.device_id) == (other.device_type, other.device_id)

    def __hash__(self) -> int:
        return hash((self.device_type, self.device_id))

    def __repr__(self) -> str:
        return f"{self.device_type}({self.device_id})"

    def __enter__(self) -> Context:
        stack = Context._active.__dict__.setdefault("stack", [])
        stack.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        Context._active.stack.pop()

    def empty_cache(self) -> None:
        """Gives memory that is kept for reuse back to the system."""
        _core.trim_host_pool()


def cpu(device_id: int = 0) -> Context:
    """The host's memory and cores."""
    return Context("cpu", device_id)


def cpu_pinned(device_id: int = 0) -> Context:
    """The host's memory; without a GPU pinning it has no use."""
    return Context("cpu_pinned", device_id)


def gpu(device_id: int = 0) -> Context:
    """A GPU. Arrays cannot be made there yet: ArrayError says so when one is asked for."""
    return Context("gpu", device_id)


def num_gpus() -> int:
    """How many GPUs arrays can be made on: none yet."""
    return 0


def current_context() -> Context:
    """The innermost ``with`` context of this thread, else ``cpu(0)``."""
    stack = Context._active.__dict__.get("stack")
    return stack[-1] if stack else Context("cpu")


def checked(context: Context | None) -> Context:
    """The context, or the current one. ArrayError for a GPU."""
    chosen = current_context() if context is None else context
    if chosen.device_type == "gpu":
        raise ArrayError(
            f"there is no {chosen} here: arrays are computed on the CPU only. Use mx.cpu(), or choose with"
            " `mx.gpu() if mx.context.num_gpus() else mx.cpu()`"
        )
    return chosen
