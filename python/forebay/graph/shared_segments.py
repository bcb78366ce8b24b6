"""Pieces of memory that a worker process writes and the process of the pipeline reads.

A segment is a file without a name (memfd), so nothing is left when processes die, in whatever way. The worker copies
its arrays into one, and its descriptor travels over the socket the first time it is used. Tensors are made over the
memory, without a copy; once the last of them is gone, the segment goes back to the worker and is used again. Neither side
keeps a descriptor, of which a process has few.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import pickle
import weakref
from collections import deque
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

ALIGNMENT = 64
_SPARE = 4  # free segments that a worker keeps


@dataclass(frozen=True)
class Stored:
    """An array in a segment."""

    offset: int
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Written:
    """Where a worker put something: the index lies behind the arrays."""

    segment: int
    capacity: int
    index_offset: int
    index_bytes: int


_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
_libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
_FAILED = ctypes.c_void_p(-1).value


def _mapped(descriptor: int, capacity: int) -> Any:
    """The memory of a file as a buffer, until the last array over it is gone. Python's own keeps a descriptor."""
    address = _libc.mmap(None, capacity, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, descriptor, 0)
    if address is None or address == _FAILED:
        code = ctypes.get_errno()
        raise OSError(code, f"{os.strerror(code)}: {capacity} bytes of memory shared with a worker process")
    memory = (ctypes.c_ubyte * capacity).from_address(address)
    finalizer = weakref.finalize(memory, _libc.munmap, address, capacity)
    finalizer.atexit = False  # type: ignore[misc, unused-ignore]
    return memory


def no_descriptor(purpose: str, code: int = errno.EMFILE) -> OSError:
    """The error where a process has as many descriptors as it may."""
    return OSError(code, f"{os.strerror(code)}: none is left for {purpose}; raise the limit, `ulimit -n`")


def _rounded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


class _Segment:
    def __init__(self, number: int, capacity: int) -> None:
        self.number = number
        self.capacity = capacity
        try:
            self.descriptor = os.memfd_create("forebay-source", os.MFD_CLOEXEC)
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise no_descriptor("the data of a source, in a worker process", error.errno) from error
            raise
        try:
            os.ftruncate(self.descriptor, capacity)
            self.memory = _mapped(self.descriptor, capacity)
        except OSError:
            os.close(self.descriptor)
            raise
        self.is_known = False  # the reader has its descriptor

    def close(self) -> None:
        del self.memory
        if not self.is_known:
            os.close(self.descriptor)


class SegmentWriter:
    """In a worker: segments in use, and free ones."""

    def __init__(self, least_bytes: int) -> None:
        self._least_bytes = least_bytes
        self._used: dict[int, _Segment] = {}
        self._free: list[_Segment] = []
        self._count = 0
        self._open: _Segment | None = None  # which room() gives of
        self._end = 0  # of what it gave
        self._most = 0  # bytes that were written at once

    def begin(self) -> None:
        """What :meth:`room` gave is not needed any more."""
        self._end = 0

    def room(self, size: int) -> np.ndarray | None:
        """So many bytes of the segment that is written next, for arrays that are to be written to it. None where they are
        not left: it is as large as the most that was written before."""
        if self._open is None:
            self._open = self._taken(self._most)
        offset = _rounded(self._end)
        if offset + size > self._open.capacity:
            return None
        self._end = offset + size
        return np.frombuffer(self._open.memory, np.uint8, size, offset)

    def release(self, numbers: Sequence[int]) -> None:
        """The reader is done with these."""
        for number in numbers:
            self._free.append(self._used.pop(number))
        while len(self._free) > _SPARE:
            self._free.pop(0).close()

    def write(self, columns: Any) -> tuple[Written, int | None]:
        """Stores what is a nest of lists with arrays in it. Gives where it is, and a descriptor that has to be sent
        along where the segment is new: the caller closes it by :meth:`sent`."""
        segment, arrays, index, end = self._prepared(columns)
        for offset, array in arrays:
            place = np.frombuffer(segment.memory, array.dtype, array.size, offset)
            np.copyto(place.reshape(array.shape), array)
        np.frombuffer(segment.memory, np.uint8, len(index), end)[:] = np.frombuffer(index, np.uint8)
        self._most = max(self._most, end + len(index))
        if self._open is not None and segment is not self._open:  # it had not enough room
            self._free.append(self._used.pop(self._open.number))
        self._open, self._end = None, 0
        written = Written(segment.number, segment.capacity, end, len(index))
        return written, None if segment.is_known else segment.descriptor

    def _prepared(self, columns: Any) -> tuple[_Segment, list[tuple[int, np.ndarray]], bytes, int]:
        """The segment to write to, arrays with their places in it, the index, and its place."""
        choices = [self._open] if self._open is not None and self._end > 0 else []
        for segment in [*choices, None]:
            plan = _Plan(segment, self._end if segment is not None else 0)
            index = pickle.dumps(plan.of(columns), pickle.HIGHEST_PROTOCOL)
            end = _rounded(plan.end)
            if segment is None or end + len(index) <= segment.capacity:
                break
        return segment or self._taken(end + len(index)), plan.arrays, index, end

    def sent(self, written: Written) -> None:
        """The reader has the descriptor."""
        segment = self._used[written.segment]
        if not segment.is_known:
            segment.is_known = True
            os.close(segment.descriptor)

    def _taken(self, size: int) -> _Segment:
        """A segment of at least that size. Sizes grow a little beyond need, so that larger batches fit later."""
        fitting = [segment for segment in self._free if segment.capacity >= size]
        if fitting:
            segment = min(fitting, key=lambda each: each.capacity)
            self._free.remove(segment)
        else:
            capacity = -(-max(size + size // 8, self._least_bytes) // mmap.PAGESIZE) * mmap.PAGESIZE
            segment = _Segment(self._count, capacity)
            self._count += 1
        self._used[segment.number] = segment
        return segment


class _Plan:
    """Where arrays go in a segment: behind `end`, but for those that lie in it already."""

    def __init__(self, segment: _Segment | None, end: int) -> None:
        self.arrays: list[tuple[int, np.ndarray]] = []
        self.end = end
        self._inside = end
        self._address = 0 if segment is None else ctypes.addressof(segment.memory)

    def of(self, value: Any) -> Any:
        """The nest with :class:`Stored` in place of arrays."""
        if isinstance(value, (list, tuple)):
            return [self.of(item) for item in value]
        if not isinstance(value, np.ndarray):
            return value
        return Stored(self._place(value), value.shape, value.dtype.str)

    def _place(self, array: np.ndarray) -> int:
        if self._inside and array.flags.c_contiguous:
            offset: int = array.ctypes.data - self._address
            if 0 <= offset and offset + array.nbytes <= self._inside:
                return offset
        offset = _rounded(self.end)
        if array.size:
            self.arrays.append((offset, array))
            self.end = offset + array.nbytes
        return offset


class SegmentReader:
    """In the process of the pipeline: the segments of one worker."""

    def __init__(self) -> None:
        self._memories: dict[int, Any] = {}
        self._released: deque[int] = deque()  # filled by finalizers, on any thread

    def read(self, written: Written, descriptor: int | None) -> Any:
        """What the worker wrote; its arrays lie in the segment, which they keep."""
        if descriptor is not None:
            try:
                self._memories[written.segment] = _mapped(descriptor, written.capacity)
            finally:
                os.close(descriptor)
        memory = self._memories.get(written.segment)
        if memory is None:  # the kernel drops a descriptor that has no place
            raise no_descriptor("what a worker process has made")
        whole = np.frombuffer(memory, np.uint8)
        finalizer = weakref.finalize(whole, self._released.append, written.segment)
        finalizer.atexit = False  # type: ignore[misc, unused-ignore]
        end = written.index_offset + written.index_bytes
        return _over(pickle.loads(whole[written.index_offset : end].tobytes()), whole)

    def take_released(self) -> list[int]:
        """The segments that nothing refers to any more, once."""
        numbers = []
        while self._released:
            numbers.append(self._released.popleft())
        return numbers

    def capacities(self) -> list[int]:
        return [len(memory) for memory in self._memories.values()]

    def close(self) -> None:
        """Forgets the segments. Arrays over them stay valid."""
        self._memories.clear()


def _over(value: Any, whole: np.ndarray) -> Any:
    if isinstance(value, list):
        return [_over(item, whole) for item in value]
    if not isinstance(value, Stored):
        return value
    dtype = np.dtype(value.dtype)
    size = int(np.prod(value.shape)) * dtype.itemsize
    if size == 0:
        return np.empty(value.shape, dtype)
    return whole[value.offset : value.offset + size].view(dtype).reshape(value.shape)
