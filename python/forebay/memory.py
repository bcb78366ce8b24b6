"""The process's memory pools, and how other frameworks are put on them.

    use = forebay.memory.use_everywhere()    # as a context manager, or until use.undo()
    print(use)                               # what was reached, and why the rest was not
    forebay.memory.statistics()["numpy"]["bytes"]

Arrays that were made on a pool stay valid after `undo()`, on every thread and to the end of the process: each goes back to
where it came from.
"""

from __future__ import annotations

import dataclasses
from types import TracebackType
from typing import Any, Iterator, Sequence

from . import _core
from .memory_frameworks import FRAMEWORKS, Framework, Refused, is_installed

__all__ = ["PoolUse", "Reach", "statistics", "trim", "use_everywhere"]


@dataclasses.dataclass(frozen=True)
class Reach:
    """Whether one framework takes its memory from the pool."""

    framework: str
    reached: bool
    note: str
    """What of the framework's memory it is, or why it is none."""


class PoolUse:
    """What `use_everywhere` did. A context manager that undoes it at its end. Not thread safe."""

    def __init__(self, reaches: list[Reach], undo_steps: list[tuple[str, Any]]) -> None:
        self._reaches = {reach.framework: reach for reach in reaches}
        self._undo_steps = undo_steps

    @property
    def reached(self) -> list[str]:
        """The frameworks that take memory from the pool."""
        return [name for name, reach in self._reaches.items() if reach.reached]

    def __getitem__(self, framework: str) -> Reach:
        return self._reaches[framework]

    def __iter__(self) -> Iterator[Reach]:
        return iter(self._reaches.values())

    def __len__(self) -> int:
        return len(self._reaches)

    def undo(self) -> list[Reach]:
        """Puts back what was in place before, the last first; what stays on the pool, and why. Called again it tries that
        again. For NumPy it must be called in the thread (context) that called `use_everywhere`."""
        stays: list[Reach] = []
        steps, self._undo_steps = self._undo_steps, []
        for name, step in reversed(steps):
            reason = step()
            if reason:
                stays.append(Reach(name, True, reason))
                self._undo_steps.insert(0, (name, step))
        return stays

    def __enter__(self) -> PoolUse:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.undo()

    def __str__(self) -> str:
        lines = (f"{reach.framework:<11}{'pool' if reach.reached else '-':<6}{reach.note}" for reach in self)
        return "\n".join(lines)


def _reach(framework: Framework, undo_steps: list[tuple[str, Any]]) -> Reach:
    if not is_installed(framework):
        return Reach(framework.name, False, "it is not installed")
    try:
        undo = framework.use()
    except Refused as refusal:
        return Reach(framework.name, False, str(refusal))
    except Exception as error:  # a framework of a version that does it differently
        return Reach(framework.name, False, f"{type(error).__name__}: {error}")
    undo_steps.append((framework.name, undo))
    return Reach(framework.name, True, framework.covers)


def _chosen(frameworks: Sequence[str] | None) -> list[Framework]:
    if isinstance(frameworks, str):
        raise TypeError(f"frameworks is a list of names: ['{frameworks}']")
    names = list(FRAMEWORKS) if frameworks is None else list(frameworks)
    for name in names:
        if name not in FRAMEWORKS:
            raise ValueError(f"no framework is called '{name}': one of {', '.join(FRAMEWORKS)}")
    return [FRAMEWORKS[name] for name in names]


def use_everywhere(frameworks: Sequence[str] | None = None) -> PoolUse:
    """Puts Forebay's pools under every framework that is installed, or under those named, and says what it reached.

    Host memory comes from the pool that Forebay's own buffers come from, aligned to 64 bytes; device memory from one pool
    for all frameworks, in which a block that one gives back on a stream serves the next one behind it. Memory that a
    framework has already stays where it is.

    NumPy: its handler is kept per thread (context), so it counts for arrays made in the calling thread from now on; call it
    in other threads too. PyTorch: device memory, and only before PyTorch has made any; it cannot be undone. CuPy: device
    memory, on the stream that is current. Numba: device memory, and only before Numba's first use of the device. Frameworks
    that take no allocator from outside are listed with the reason.

    A framework that can be reached is imported. ValueError for an unknown name, TypeError for a name that is no list;
    nothing else is raised: what fails is listed.
    """
    undo_steps: list[tuple[str, Any]] = []
    reaches = [_reach(framework, undo_steps) for framework in _chosen(frameworks)]
    return PoolUse(reaches, undo_steps)


def statistics() -> dict[str, dict[str, int]]:
    """Counts of the process, by pool and user, in bytes where the name says so.

    "host": the pool of host memory, blocks above 32 KiB, rounded to its size classes. "numpy": what arrays made on it hold,
    of any size, as they asked. "device": the device's pool, when there is one. Thread safe.
    """
    found: dict[str, dict[str, int]] = {"host": _core.host_pool_statistics(), "numpy": _core.numpy_memory_statistics()}
    device = _core.device_pool_statistics()
    if device is not None:
        found["device"] = device
    return found


def trim() -> int:
    """Gives what the pool of host memory keeps for later back to the system; the bytes given back. Thread safe."""
    return int(_core.trim_host_pool())
