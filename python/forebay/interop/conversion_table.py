"""The conversion table: for every ordered pair of frameworks, whether a hand-over shares the memory, and the proof.

    forebay interop [--json | --markdown]        (or python -m forebay.interop)

Each pair is run here, on an array of 1 MiB that the first framework made itself. "shared" means that the result's first
element lies at the address of the source's; otherwise the bytes that were copied are given. Frameworks that are not
installed, or need a device that is not here, are listed as unproven.

Read-only is measured too: the owner of a source writes to it by its own means, and where that does not reach the
memory, the result's framework writes to the result. "kept": that did not reach the memory either, by refusal or by a
copy of its own.
"""

from __future__ import annotations

import ctypes
import dataclasses
import gc
import importlib.util
import time
from typing import Any, Callable, Iterator

import numpy as np

from .. import _core
from .._core import Array
from ..framework_modules import import_framework
from . import array, to
from .frameworks import ARRAY_TARGETS, TABLE_TARGETS, framework_named

_ELEMENTS = 1 << 18  # of 4 bytes
_ROUNDS = 30
_DEVICE_ONLY = ("cupy", "numba", "cudf")


@dataclasses.dataclass(frozen=True)
class Side:
    """One framework as source and as target."""

    make: Callable[[np.ndarray], Any]
    address: Callable[[Any], int]
    write: Callable[[Any, float], None]  # to the first element; raises where the framework has no such thing
    has_strides: bool


def _series_address(series: Any) -> int:
    return int(series.values.__array_interface__["data"][0])


def _arrow_address(array: Any) -> int:
    return int(array.buffers()[1].address) + int(array.offset) * 4


def _polars_address(series: Any) -> int:
    return int(series.to_numpy(allow_copy=False).__array_interface__["data"][0])


def _tensorflow_address(tensor: Any) -> int:
    capsule = import_framework("tensorflow").experimental.dlpack.to_dlpack(tensor)
    return _core.from_dlpack(capsule).data_ptr()


def _set_item(obj: Any, value: float) -> None:
    obj[0] = value


def _set_place(series: Any, value: float) -> None:
    series.iloc[0] = value


SIDES: dict[str, Side] = {
    "numpy": Side(np.array, lambda a: int(a.ctypes.data), _set_item, True),
    "torch": Side(lambda a: import_framework("torch").tensor(a), lambda t: int(t.data_ptr()), _set_item, True),
    "jax": Side(lambda a: import_framework("jax.numpy").array(a), lambda x: int(x.unsafe_buffer_pointer()), _set_item, False),
    "tensorflow": Side(lambda a: import_framework("tensorflow").constant(a), _tensorflow_address, _set_item, False),
    "pyarrow": Side(lambda a: import_framework("pyarrow").array(a), _arrow_address, _set_item, False),
    "pandas": Side(lambda a: import_framework("pandas").Series(a), _series_address, _set_place, True),
    "polars": Side(lambda a: import_framework("polars").Series(a), _polars_address, _set_item, False),
}


@dataclasses.dataclass
class Pair:
    """What was found out about one hand-over."""

    source: str
    target: str
    proven: bool
    shared: bool | None = None
    bytes_copied: int | None = None
    owner: str = ""
    read_only: str = ""
    strides: str = ""
    nanoseconds: float | None = None
    without_copy: str = ""
    reason: str = ""


def _time_of(source: Any, target: str) -> float:
    best = float("inf")
    for _ in range(_ROUNDS):
        start = time.perf_counter_ns()
        to(source, target)
        best = min(best, time.perf_counter_ns() - start)
    return best


def _strides_kept(source: Side, target: Side, name: str) -> str:
    """Every second element, handed over."""
    if not (source.has_strides and target.has_strides):
        return "-"
    whole = source.make(np.arange(64, dtype=np.float32))
    part = whole[::2]
    return "kept" if target.address(to(part, name)) == source.address(part) else "lost"


def _reaches(side: Side, obj: Any, place: int) -> bool:
    """Whether a write by the framework's own means changes the memory at `place`; undone."""
    cell = ctypes.c_float.from_address(place)
    before = cell.value
    try:
        side.write(obj, before + 1)
    except (TypeError, ValueError, RuntimeError, NotImplementedError):  # what frameworks raise when memory cannot be written
        return False
    if cell.value == before:
        return False
    cell.value = before
    return True


def _shared_source(side: Side) -> tuple[Any, Array]:
    """An object, and its memory, kept alive in case a write moves the object to new memory."""
    source = side.make(np.arange(_ELEMENTS, dtype=np.float32))
    return source, array(source, copy=False)


def _read_only_of(one: Side, other: Side, name: str) -> str:
    """Whether memory stays read-only in a hand-over, tried on objects made for it."""
    source, held = _shared_source(one)
    if _reaches(one, source, held.data_ptr()):
        return "-"
    source, held = _shared_source(one)
    result = to(source, name)
    if other.address(result) != held.data_ptr():
        return "copied"
    return "lost" if _reaches(other, result, held.data_ptr()) else "kept"


def _refusal(source: Any, target: str) -> str:
    try:
        to(source, target, copy=False)
    except BufferError as error:
        return str(error).rpartition("copy: ")[2]
    return "shared"


def prove(source_name: str, target_name: str) -> Pair:
    """Runs one hand-over and looks at what came of it."""
    one, other = SIDES[source_name], SIDES[target_name]
    values = np.arange(_ELEMENTS, dtype=np.float32)
    source = one.make(values)
    place = one.address(source)
    before = _core.bytes_copied()
    result = to(source, target_name)
    copied = _core.bytes_copied() - before
    shared = other.address(result) == place
    pair = Pair(source_name, target_name, True, shared, copied)
    pair.read_only = _read_only_of(one, other, target_name)
    pair.strides = _strides_kept(one, other, target_name)
    pair.nanoseconds = _time_of(source, target_name)
    pair.without_copy = _refusal(source, target_name)
    del source
    gc.collect()
    keeps = bool(np.array_equal(np.asarray(result), values))
    pair.owner = ("source's" if shared else "own") if keeps else "lost"
    if not shared and copied == 0:
        pair.reason = f"copied by {target_name} itself, not counted"
    return pair


def _proven(source: str, target: str) -> Pair:
    try:
        return prove(source, target)
    except Exception as error:  # another version of the framework may raise anything
        return Pair(source, target, False, reason=f"{type(error).__name__}: {error}")


def _missing(name: str) -> str:
    """Why the framework cannot run here, or nothing."""
    if importlib.util.find_spec(framework_named(name).module) is None:
        return f"{name} is not installed"
    if name in _DEVICE_ONLY:
        return f"{name} needs a device"
    return "" if name in SIDES else f"{name} is not measured here"


def pairs() -> Iterator[Pair]:
    """Every ordered pair of two frameworks."""
    names = [*ARRAY_TARGETS, *TABLE_TARGETS]
    reasons = {name: _missing(name) for name in names}
    for source in names:
        for target in names:
            if source == target:
                continue
            reason = reasons[source] or reasons[target]
            yield Pair(source, target, False, reason=reason) if reason else _proven(source, target)
