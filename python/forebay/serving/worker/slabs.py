"""Shared memory between the server and this process: its slab, which inputs lie in, and ours, for outputs."""

import fcntl
import mmap
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from .element_types import decode_bytes, numpy_type

_Output = tuple[str, str, tuple[int, ...], bytes | np.ndarray[Any, Any]]

_ALIGNMENT = 64
_PAGE = 4096
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | 0x0010  # and F_SEAL_FUTURE_WRITE, which fcntl does not name


def _round_up(value: int, multiple: int) -> int:
    return (value + multiple - 1) // multiple * multiple


class InputSlab:
    """The server's slab, mapped for reading."""

    def __init__(self) -> None:
        self._memory: mmap.mmap | bytes = b""

    def replace(self, descriptor: int, size: int) -> None:
        """Arrays over the old one keep it mapped."""
        try:
            self._memory = mmap.mmap(descriptor, size, prot=mmap.PROT_READ)
        finally:
            os.close(descriptor)

    def array(self, placed: dict[str, Any]) -> np.ndarray[Any, Any]:
        """A read-only view, valid until the next request; of BYTES a new array of objects."""
        shape = placed["shape"]
        count = int(np.prod(shape, dtype=np.int64))
        if placed["datatype"] == "BYTES":
            begin = placed["offset"]
            elements = decode_bytes(memoryview(self._memory)[begin : begin + placed["size"]], count)
            return elements.reshape(shape)
        dtype = numpy_type(placed["datatype"])
        if count > 0:
            return np.frombuffer(self._memory, dtype, count, placed["offset"]).reshape(shape)
        empty = np.empty(shape, dtype)
        empty.flags.writeable = False
        return empty


@dataclass
class _Slab:
    memory: mmap.mmap
    is_free: bool = False


@dataclass
class Placed:
    """Where an answer's outputs lie; `descriptor`, of a new slab, is to be sent and then closed."""

    fields: dict[str, Any]
    descriptor: int | None = None


class OutputSlabs:
    """Slabs of this process, each used again once the server says that nobody holds it."""

    def __init__(self, most_bytes: int | None = None) -> None:
        """`most_bytes` bounds all slabs together: the server takes no more."""
        self._most_bytes = most_bytes
        self._slabs: dict[int, _Slab] = {}
        self._last = 0
        self._dropped: list[int] = []

    def free(self, numbers: list[int]) -> None:
        for number in numbers:
            if number in self._slabs:
                self._slabs[number].is_free = True

    def place(self, outputs: list[_Output]) -> Placed:
        """Copies the outputs (name, datatype, shape, content) into one slab.

        MemoryError where there is none that the server would take.
        """
        offsets: list[int] = []
        end = 0
        for _, _, _, content in outputs:
            offsets.append(_round_up(end, _ALIGNMENT))
            end = offsets[-1] + _size(content)
        placed = Placed({"slab": 0, "slab_bytes": 0})
        memory = self._choose(end, placed) if end > 0 else None
        try:
            placed.fields["outputs"] = _fill(memory, outputs, offsets)
        except BaseException:
            self.take_back(placed)
            raise
        return placed

    def take_back(self, placed: Placed) -> None:
        """Undoes place(): the outputs are not sent after all."""
        number = placed.fields["slab"]
        if placed.descriptor is not None:  # a new one, of which the server never hears
            del self._slabs[number]
            os.close(placed.descriptor)
            placed.descriptor = None
        elif number in self._slabs:
            self._slabs[number].is_free = True

    def take_dropped(self) -> list[int]:
        """The slabs that were given up since the last call: the next answer, also an error, is to say so."""
        dropped, self._dropped = self._dropped, []
        return dropped

    def _choose(self, size: int, placed: Placed) -> mmap.mmap:
        for number, slab in self._slabs.items():
            if slab.is_free and len(slab.memory) >= size:
                slab.is_free = False
                placed.fields["slab"] = number
                return slab.memory
        dropped = [number for number, slab in self._slabs.items() if slab.is_free]
        for number in dropped:
            del self._slabs[number]
        self._dropped += dropped
        self._check_room(_round_up(size, _PAGE))
        memory, placed.descriptor = _new_slab(_round_up(size, _PAGE))
        self._last += 1
        self._slabs[self._last] = _Slab(memory)
        placed.fields["slab"] = self._last
        placed.fields["slab_bytes"] = len(memory)
        return memory

    def _check_room(self, size: int) -> None:
        held = sum(len(slab.memory) for slab in self._slabs.values())
        if self._most_bytes is not None and held + size > self._most_bytes:
            taken = f"users of earlier ones hold {held} of at most {self._most_bytes}"
            raise MemoryError(f"outputs need {size} bytes of shared memory, and {taken}")


def _fill(memory: mmap.mmap | None, outputs: list[_Output], offsets: list[int]) -> list[dict[str, Any]]:
    tensors = []
    for (name, datatype, shape, content), offset in zip(outputs, offsets, strict=True):
        size = _size(content)
        if memory is not None and size > 0:
            _copy(memory, offset, content)
        at = offset if size > 0 else 0
        tensors.append({"name": name, "datatype": datatype, "shape": list(shape), "offset": at, "size": size})
    return tensors


def _size(content: bytes | np.ndarray[Any, Any]) -> int:
    return len(content) if isinstance(content, bytes) else content.nbytes


def _copy(memory: mmap.mmap, offset: int, content: bytes | np.ndarray[Any, Any]) -> None:
    if isinstance(content, bytes):
        memory[offset : offset + len(content)] = content
    else:
        target = np.frombuffer(memory, content.dtype, content.size, offset).reshape(content.shape)
        np.copyto(target, content)


def _new_slab(size: int) -> tuple[mmap.mmap, int]:
    """Its pages are taken at once, so that too little memory is an error here, and no signal later."""
    descriptor = os.memfd_create("forebay-model", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.posix_fallocate(descriptor, 0, size)
        memory = mmap.mmap(descriptor, size)
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
    except BaseException as error:
        os.close(descriptor)
        if isinstance(error, OSError):
            raise MemoryError(f"outputs need {size} bytes of shared memory: {error.strerror}") from error
        raise
    return memory, descriptor
