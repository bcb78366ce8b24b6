"""Forebay's namespace as a file system of fsspec, for pandas, pyarrow, PyTorch, Hugging Face datasets and others.

    import fsspec
    import forebay.filesystem

    with fsspec.open("forebay:///data/table.parquet") as file: ...

A path such as ``/data/table.parquet`` is looked for in the mount table, then in the local file system. Any other URI that
Forebay knows (``s3://bucket/key``) may stand in place of a path.
"""

from __future__ import annotations

import datetime
import errno
import hashlib
import io
from collections.abc import Iterator
from typing import Any

import fsspec
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

from . import _core

Entry = tuple[str, bool, int, int, str]


def _native(path: str) -> str:
    """The name by which the library knows a path of this file system."""
    return "forebay://" + path if path.startswith("/") else path


def _info(name: str, entry: Entry) -> dict[str, Any]:
    _, is_folder, size, modified_ns, version = entry
    facts: dict[str, Any] = {"name": name, "size": size, "type": "directory" if is_folder else "file"}
    if modified_ns:
        facts["mtime"] = modified_ns / 1e9
    if version:
        facts["version"] = version
    return facts


def _bytes_of(lent: Any) -> bytes:
    """fsspec hands out bytes; `lent` is where they lie."""
    return bytes(memoryview(lent))


class ForebayFileSystem(AbstractFileSystem):  # type: ignore[misc]
    """Objects and folders of the namespace. Nothing is cached here: every call asks the store."""

    protocol = "forebay"
    root_marker = "/"
    cachable = True

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(each) for each in path]
        name = fsspec.utils.stringify_path(path)
        if name.startswith("forebay:"):
            name = "/" + name.removeprefix("forebay:").lstrip("/")
        scheme, separator, rest = name.partition("://")
        if separator and "/" not in scheme:
            return scheme + separator + rest.rstrip("/")
        return "/" + name.strip("/") if name.strip("/") else cls.root_marker

    @classmethod
    def _parent(cls, path: Any) -> str:
        name = cls._strip_protocol(path)
        parent: str = name.rpartition("/")[0]
        return name if parent.endswith("/") else parent or cls.root_marker

    def unstrip_protocol(self, name: str) -> str:
        return _native(self._strip_protocol(name))

    def _names(self, folder: str, is_recursive: bool) -> Iterator[dict[str, Any]]:
        listing = _core.StoreListing(_native(folder).rstrip("/") + "/", is_recursive)
        start = folder.rstrip("/") + "/"
        while (page := listing.next()) is not None:
            for entry in page:
                yield _info(start + entry[0].rstrip("/"), entry)

    def info(self, path: Any, **_: Any) -> dict[str, Any]:
        name = self._strip_protocol(path)
        return _info(name, _core.store_stat(_native(name)))

    def ls(self, path: Any, detail: bool = True, **_: Any) -> list[Any]:
        name = self._strip_protocol(path)
        own = self.info(name)
        entries = [own] if own["type"] == "file" else sorted(self._names(name, False), key=lambda each: each["name"])
        return entries if detail else [entry["name"] for entry in entries]

    def iterate(self, path: Any) -> Iterator[dict[str, Any]]:
        """All objects below a folder, one after the other, in the memory of a page. Folders are left out."""
        return self._names(self._strip_protocol(path), True)

    def find(self, path: Any, maxdepth: int | None = None, withdirs: bool = False, detail: bool = False,
             **options: Any) -> Any:
        if maxdepth is not None or withdirs:
            return super().find(path, maxdepth=maxdepth, withdirs=withdirs, detail=detail, **options)
        name = self._strip_protocol(path)
        try:
            own = self.info(name)
        except FileNotFoundError:
            return {} if detail else []
        found = {name: own} if own["type"] == "file" else {each["name"]: each for each in self.iterate(name)}
        return found if detail else sorted(found)

    def exists(self, path: Any, **_: Any) -> bool:
        try:
            self.info(path)
        except FileNotFoundError:
            return False
        return True

    def modified(self, path: Any) -> datetime.datetime:
        return datetime.datetime.fromtimestamp(self.info(path)["mtime"], tz=datetime.timezone.utc)

    def ukey(self, path: Any) -> str:
        """Changes whenever the object does."""
        facts = self.info(path)
        return hashlib.sha256(repr([facts[key] for key in ("name", "size", "version") if key in facts]).encode()).hexdigest()

    def checksum(self, path: Any) -> int:
        return int(self.ukey(path), 16)

    def cat_file(self, path: Any, start: int | None = None, end: int | None = None, **options: Any) -> bytes:
        name = self._strip_protocol(path)
        version = ""
        if (start or 0) < 0 or end is not None:
            _, _, size, _, version = _core.store_stat(_native(name))
            start, end, _ = slice(start, end).indices(size)
        first = start or 0
        length = None if end is None else max(0, end - first)
        return _bytes_of(_core.store_read(_native(name), first, length, version))

    def cat_ranges(self, paths: Any, starts: Any, ends: Any, max_gap: int | None = None, on_error: str = "return",
                   **options: Any) -> list[Any]:
        """Reads that start together; ranges are cut at the objects' ends."""
        if not isinstance(paths, list):
            raise TypeError("paths must be a list")
        names = [self._strip_protocol(path) for path in paths]
        starts = starts if isinstance(starts, list) else [starts] * len(names)
        ends = ends if isinstance(ends, list) else [ends] * len(names)
        if len(starts) != len(names) or len(ends) != len(names):
            raise ValueError("there must be a start and an end for each path")
        reads, places, results = [], [], [None] * len(names)  # type: tuple[list[Any], list[int], list[Any]]
        for place, (name, start, end) in enumerate(zip(names, starts, ends, strict=True)):
            try:
                first, last, _ = slice(start, end).indices(self.info(name)["size"])
            except OSError as error:
                results[place] = error
                continue
            reads.append((_native(name), first, max(0, last - first)))
            places.append(place)
        for place, read in zip(places, _core.store_read_many(reads), strict=True):
            results[place] = read if isinstance(read, Exception) else _bytes_of(read)
        failed = [result for result in results if isinstance(result, Exception)]
        if failed and on_error == "raise":
            raise failed[0]
        return results

    def pipe_file(self, path: Any, value: Any, mode: str = "overwrite", **_: Any) -> None:
        _core.store_write(_native(self._strip_protocol(path)), value, mode == "create")

    def _open(self, path: str, mode: str = "rb", block_size: int | str | None = None, autocommit: bool = True,
              cache_options: dict[str, Any] | None = None, **options: Any) -> ForebayFile:
        if mode not in ("rb", "wb", "xb"):
            raise NotImplementedError(f"{path}: mode {mode!r}; objects are written as a whole, so there are rb, wb and xb")
        if mode == "xb" and self.exists(path):
            raise FileExistsError(errno.EEXIST, f"{path} exists")
        size = "default" if block_size is None else block_size
        return ForebayFile(self, path, mode, size, autocommit, cache_options=cache_options, **options)

    def cp_file(self, path1: Any, path2: Any, **_: Any) -> None:
        source, target = self._strip_protocol(path1), self._strip_protocol(path2)
        if self.isdir(source):
            self.makedirs(target, exist_ok=True)
        else:
            _core.store_copy(_native(source), _native(target))

    def mv(self, path1: Any, path2: Any, recursive: bool = False, maxdepth: int | None = None, **options: Any) -> None:
        """Renames within a store. Between stores it is an OSError (EXDEV): copy and remove instead."""
        if isinstance(path1, list) or isinstance(path2, list) or "*" in str(path1) or maxdepth is not None:
            super().mv(path1, path2, recursive=recursive, maxdepth=maxdepth, **options)
            return
        source, target = self._strip_protocol(path1), self._strip_protocol(path2)
        is_folder = self.isdir(source)
        if self.isdir(target) or str(path2).endswith("/"):
            target = target.rstrip("/") + "/" + source.rpartition("/")[2]
        if is_folder and not recursive:
            raise IsADirectoryError(errno.EISDIR, f"{source} is a folder; mv needs recursive=True")
        try:
            _core.store_rename(_native(source), _native(target), is_folder)
        except NotImplementedError:
            super().mv(path1, path2, recursive=recursive, **options)

    def rm_file(self, path: Any) -> None:
        _core.store_remove(_native(self._strip_protocol(path)))

    _rm = rm_file

    def rm(self, path: Any, recursive: bool = False, maxdepth: int | None = None) -> None:
        if maxdepth is not None:
            raise NotImplementedError("rm removes all that is below a folder, or nothing")
        for each in self.expand_path(path, recursive=False):
            if not self.isdir(each):
                self.rm_file(each)
            elif recursive:
                _core.store_remove_tree(_native(each))
            else:
                raise IsADirectoryError(errno.EISDIR, f"{each} is a folder; rm needs recursive=True")

    def rmdir(self, path: Any) -> None:
        _core.store_remove(_native(self._strip_protocol(path)).rstrip("/") + "/")

    def mkdir(self, path: Any, create_parents: bool = True, **_: Any) -> None:
        if self.exists(path):
            raise FileExistsError(errno.EEXIST, f"{path} exists")
        self.makedirs(path, exist_ok=True)

    def makedirs(self, path: Any, exist_ok: bool = False) -> None:
        if not exist_ok and self.exists(path):
            raise FileExistsError(errno.EEXIST, f"{path} exists")
        try:
            _core.store_make_directory(_native(self._strip_protocol(path)))
        except NotImplementedError:
            pass  # a store without folders: they come with their objects


class ForebayFile(AbstractBufferedFile):  # type: ignore[misc]
    """An object being read, in one version from the beginning to the end, or being written as a whole."""

    writer: _core.StoreWriter | None = None
    buffer: Any
    closed: Any

    def _fetch_range(self, start: int, end: int) -> bytes:
        end = min(end, self.size)
        if start >= end:
            return b""
        read = _core.store_read(_native(self.path), start, end - start, self.details.get("version", ""))
        return _bytes_of(read)

    def _initiate_upload(self) -> None:
        self.writer = _core.StoreWriter(_native(self.path), self.mode == "xb")

    def _upload_chunk(self, final: bool = False) -> bool:
        """False: the part is too small for the store, and is kept until there is more."""
        assert self.writer is not None
        part = self.buffer.getvalue()
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

    def __exit__(self, kind: Any, *details: Any) -> None:
        if kind is not None and self.mode != "rb" and not self.closed:
            self.discard()
            self.buffer = io.BytesIO()
            self.closed = True
        super().__exit__(kind, *details)


fsspec.register_implementation("forebay", ForebayFileSystem, clobber=True)
