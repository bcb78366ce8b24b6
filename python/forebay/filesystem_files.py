"""Objects of the namespace as open files, for `forebay.filesystem`.

Readers expect that a file which a `with` block could not finish does not come to be. fsspec tells a file nothing of its
block's error where it stands between the two: in text mode, and with `fsspec.open`. These files find out by themselves.
"""

from __future__ import annotations

import io
import sys
from typing import Any

from fsspec.core import OpenFile
from fsspec.spec import AbstractBufferedFile

from . import _core

MOST_FRAMES = 16  # between a file and the block of fsspec.open that closes it: compression, text


def native_name(path: str) -> str:
    """The name by which the library knows a path of the file system."""
    return "forebay://" + path if path.startswith("/") else path


def bytes_of(lent: Any) -> bytes:
    """fsspec hands out bytes; `lent` is where they lie."""
    return bytes(memoryview(lent))


def _is_left_by_an_error() -> bool:
    """Whether a block of `fsspec.open`, which closes the caller's file, is left by an exception."""
    frame = sys._getframe(2)
    for _ in range(MOST_FRAMES):
        if frame.f_code is OpenFile.__exit__.__code__:
            details: tuple[Any, ...] = frame.f_locals.get("args") or (None,)
            return details[0] is not None
        if frame.f_back is None:
            break
        frame = frame.f_back
    return False


class ForebayFile(AbstractBufferedFile):  # type: ignore[misc]
    """An object being read, in one version from the beginning to the end, or being written as a whole."""

    writer: _core.StoreWriter | None = None
    buffer: Any
    closed: Any
    _details: dict[str, Any] | None

    @property
    def details(self) -> dict[str, Any]:
        if self._details is None:
            self._details = self.fs.info_to_read(self.path)
        return self._details

    @details.setter
    def details(self, value: dict[str, Any]) -> None:
        self._details = value
        self.size = value["size"]

    def _fetch_range(self, start: int, end: int) -> bytes:
        end = min(end, self.size)
        if start >= end:
            return b""
        version = self.details.get("version", "")
        return bytes_of(_core.store_read(native_name(self.path), start, end - start, version, self.size))

    def _initiate_upload(self) -> None:
        """Nothing: what turns out to be one part is written as a whole, and then lies in the host's cache."""

    def _upload_chunk(self, final: bool = False) -> bool:
        """False: the part is too small for the store, and is kept until there is more."""
        part = self.buffer.getvalue()
        if final and self.autocommit and self.writer is None:
            _core.store_write(native_name(self.path), part, self.mode == "xb")
            return True
        if self.writer is None:
            self.writer = _core.StoreWriter(native_name(self.path), self.mode == "xb")
        if not final and len(part) < self.writer.least_part_bytes:
            return False
        if part:
            self.writer.append(part)
        if final and self.autocommit:
            self.commit()
        return True

    def commit(self) -> None:
        if self.writer is not None:
            self.writer.commit()
            self.writer = None

    def discard(self) -> None:
        """Ends a write and leaves what was there before."""
        if self.writer is not None:
            self.writer.abort()
            self.writer = None

    def abandon(self) -> None:
        """Closes the file; what was written to it is discarded."""
        if self.mode != "rb" and not self.closed:
            self.discard()
            self.buffer = io.BytesIO()
            self.closed = True

    def close(self) -> None:
        if _is_left_by_an_error():
            self.abandon()
        super().close()

    def __exit__(self, kind: Any, *details: Any) -> None:
        if kind is not None:
            self.abandon()
        super().__exit__(kind, *details)


class TextFile(io.TextIOWrapper):
    """Text over a ForebayFile, or over one that compresses into it."""

    def __init__(self, file: Any, **options: Any) -> None:
        super().__init__(file, **options)
        self._file = file

    def __exit__(self, kind: Any, *details: Any) -> None:
        if kind is not None and isinstance(self._file, ForebayFile):
            self._file.abandon()
        super().__exit__(kind, *details)
