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
import os
from collections.abc import Iterable, Iterator
from typing import Any

import fsspec
from fsspec.core import has_magic
from fsspec.spec import AbstractFileSystem

from . import _core
from .filesystem_files import ForebayFile, TextFile, bytes_of, native_name

Entry = tuple[str, bool, int, int, str]


def _info(name: str, entry: Entry) -> dict[str, Any]:
    _, is_folder, size, modified_ns, version = entry
    facts: dict[str, Any] = {"name": name, "size": size, "type": "directory" if is_folder else "file"}
    if modified_ns:
        facts["mtime"] = modified_ns / 1e9
    if version:
        facts["version"] = version
    return facts


def _marks_folder(entry: Entry) -> bool:
    """Whether it is an empty object with a folder's name, as some tools write where there are no folders."""
    name, is_folder, size, _, _ = entry
    return not is_folder and size == 0 and (not name or name.endswith("/"))


def _check_below(name: str, path: Any) -> None:
    """The path was made of a folder's and the object's name."""
    parts = str(path).rstrip("/").split("/")[1:]
    if not isinstance(path, str) or not parts or all(part not in ("", ".", "..") for part in parts):
        return
    shown = _core.store_shown_name(native_name(name))
    raise ValueError(f"{shown}: no file can have this name below the folder that it is copied to; rename the object first")


def _folders_of(name: str) -> Iterator[str]:
    """Each folder that the path lies in, the nearest first."""
    while (name := name.rpartition("/")[0]):
        yield name


def _range(name: str, start: int | None, end: int | None) -> tuple[str, int, int | None]:
    first = start or 0
    return name, first, None if end is None else max(0, end - first)


def _raise_first(results: Iterable[Any], on_error: str) -> None:
    for result in results:
        if on_error == "raise" and isinstance(result, Exception):
            raise result


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
        return native_name(self._strip_protocol(name))

    def _names(self, folder: str, is_recursive: bool) -> Iterator[dict[str, Any]]:
        native = native_name(folder)
        listing = _core.StoreListing(native if native.endswith("/") else native + "/", is_recursive)
        start = folder.rstrip("/") + "/"
        while (page := listing.next()) is not None:
            for entry in page:
                if not _marks_folder(entry):
                    yield _info(start + entry[0].rstrip("/"), entry)

    def info(self, path: Any, **_: Any) -> dict[str, Any]:
        name = self._strip_protocol(path)
        return _info(name, _core.store_stat(native_name(name)))

    def info_to_read(self, path: Any) -> dict[str, Any]:
        """As `info`, but as patient as the read that waits for it, where the store is away for a while."""
        name = self._strip_protocol(path)
        return _info(name, _core.store_stat(native_name(name), for_read=True))

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
            _, _, size, _, version = _core.store_stat(native_name(name), for_read=True)
            start, end, _ = slice(start, end).indices(size)
        first = start or 0
        length = None if end is None else max(0, end - first)
        return bytes_of(_core.store_read(native_name(name), first, length, version))

    def cat(self, path: Any, recursive: bool = False, on_error: str = "raise", **options: Any) -> Any:
        """The contents of a path, or of each path of a list, a pattern or a folder: those are read together."""
        is_single = not isinstance(path, list) and not recursive and not has_magic(fsspec.utils.stringify_path(path))
        if is_single or options:
            return super().cat(path, recursive=recursive, on_error=on_error, **options)
        names = self.expand_path(path, recursive=recursive)
        files = [name for name in names if not recursive or not self.isdir(name)]
        results = dict(zip(files, self._read_many([(name, 0, None) for name in files]), strict=True))
        _raise_first(results.values(), on_error)
        return {name: read for name, read in results.items() if on_error != "omit" or not isinstance(read, Exception)}

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
        ranges = list(zip(names, starts, ends, strict=True))
        known = [place for place, (_, start, end) in enumerate(ranges) if (start or 0) >= 0 and (end is None or end >= 0)]
        results: list[Any] = [None] * len(names)
        for place, read in zip(known, self._read_many([_range(*ranges[place]) for place in known]), strict=True):
            results[place] = read
        # Only where a range does not fit, or counts from the end, the object's size has to be asked for.
        odd = [place for place, read in enumerate(results) if read is None or isinstance(read, IndexError)]
        self._cut_and_read(ranges, odd, results)
        _raise_first(results, on_error)
        return results

    def _cut_and_read(self, ranges: list[tuple[str, Any, Any]], places: list[int], results: list[Any]) -> None:
        reads = {}
        for place in places:
            name, start, end = ranges[place]
            try:
                reads[place] = _range(name, *slice(start, end).indices(self.info_to_read(name)["size"])[:2])
            except OSError as error:
                results[place] = error
        for place, read in zip(reads, self._read_many(list(reads.values())), strict=True):
            results[place] = read

    def _read_many(self, reads: list[tuple[str, int, int | None]]) -> list[Any]:
        """The bytes of each (name, offset, length), or its exception."""
        wanted = [(native_name(name), offset, length) for name, offset, length in reads]
        return _core.store_read_many(wanted)

    def get(self, rpath: Any, lpath: Any, recursive: bool = False, **options: Any) -> None:
        """Copies to local files. ValueError for an object whose name would lead out of the folder: nothing is written."""
        if isinstance(lpath, (str, os.PathLike)):
            folder = os.path.expanduser(os.fspath(lpath))
            lpath = os.path.abspath(folder) + ("/" if folder.endswith("/") else "")
            options["is_joined"] = True
        super().get(rpath, lpath, recursive=recursive, **options)

    def get_file(self, rpath: Any, lpath: Any, *positional: Any, is_joined: bool = False, **options: Any) -> None:
        if is_joined:
            _check_below(rpath, lpath)
        super().get_file(rpath, lpath, *positional, **options)

    def touch(self, path: Any, truncate: bool = True, **_: Any) -> None:
        """Makes an empty object. What is there is emptied, or with `truncate=False` left as it is."""
        if truncate or not self.exists(path):
            self.pipe_file(path, b"")

    def pipe_file(self, path: Any, value: Any, mode: str = "overwrite", **_: Any) -> None:
        _core.store_write(native_name(self._strip_protocol(path)), value, mode == "create")

    def open(self, path: Any, mode: str = "rb", **options: Any) -> Any:
        if "b" in mode:
            return super().open(path, mode, **options)
        text = {name: options.pop(name) for name in ("encoding", "errors", "newline") if name in options}
        return TextFile(self.open(path, mode.replace("t", "") + "b", **options), **text)

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
        if ".." in target.split("/") and target.startswith(("/", "file:")):
            raise ValueError(f"{target}: a copy goes to a path without '..', which the name of an object may have brought")
        if self.isdir(source):
            self.makedirs(target, exist_ok=True)
        else:
            _core.store_copy(native_name(source), native_name(target))

    def mv(self, path1: Any, path2: Any, recursive: bool = False, maxdepth: int | None = None, **_: Any) -> None:
        """Renames where the store can. Elsewhere everything is copied, and removed where it has not changed meanwhile.

        An object takes the place of another one of its store. What is in another store is not replaced
        (FileExistsError), nor is a folder there that is not empty: two names might lead to one object. A path that
        is moved to itself stays.
        """
        if maxdepth is not None:
            raise NotImplementedError("mv moves all that is below a folder, or nothing")
        is_list = isinstance(path1, list) or isinstance(path2, list)
        if is_list:
            moves = self._moves_of_list(path1, path2, recursive)
        elif has_magic(fsspec.utils.stringify_path(path1)) and not self.exists(path1):
            moves = self._moves_of_pattern(path1, self._strip_protocol(path2), recursive)
        else:
            source, target = self._strip_protocol(path1), self._strip_protocol(path2)
            self._check_may_move(source, recursive)
            is_into = self.isdir(target) or str(path2).endswith("/")
            moves = [(source, target.rstrip("/") + "/" + source.rpartition("/")[2] if is_into else target)]
        if len({target for _, target in moves}) < len(moves):
            raise ValueError(f"{path2}: several of what is moved would have one name there; move them one by one")
        for source, target in moves:
            if source != target:
                _core.store_move(native_name(source), native_name(target))

    def _check_may_move(self, source: str, recursive: bool) -> None:
        if self.info(source)["type"] == "directory" and not recursive:
            raise IsADirectoryError(errno.EISDIR, f"{source} is a folder; mv needs recursive=True")

    def _moves_of_list(self, path1: Any, path2: Any, recursive: bool) -> list[tuple[str, str]]:
        """(from, to) of each: name by name, or into a folder."""
        sources = [self._strip_protocol(each) for each in (path1 if isinstance(path1, list) else [path1])]
        for source in sources:
            self._check_may_move(source, recursive)
        if isinstance(path2, list):
            return list(zip(sources, self._strip_protocol(path2), strict=True))
        folder = self._strip_protocol(path2).rstrip("/")
        return [(source, f"{folder}/{source.rpartition('/')[2]}") for source in sources]

    def _moves_of_pattern(self, pattern: Any, target: str, recursive: bool) -> list[tuple[str, str]]:
        """(from, to) of all that it names. What lies in a folder that moves goes with it."""
        found = self.glob(pattern, detail=True)
        if not found:
            raise FileNotFoundError(errno.ENOENT, f"{self._strip_protocol(pattern)}: nothing has such a name")
        folders = {name for name, facts in found.items() if facts["type"] == "directory"}
        if recursive:
            sources = [name for name in found if not any(folder in folders for folder in _folders_of(name))]
        else:
            sources = [name for name in found if name not in folders]
        if not sources:
            raise IsADirectoryError(errno.EISDIR, f"{min(folders)} is a folder; mv needs recursive=True")
        targets = fsspec.utils.other_paths(sources, target, exists=len(found) == 1)
        return list(zip(sources, targets, strict=True))

    def rm_file(self, path: Any) -> None:
        _core.store_remove(native_name(self._strip_protocol(path)))

    _rm = rm_file

    def expand_path(self, path: Any, recursive: bool = False, maxdepth: int | None = None, **options: Any) -> list[Any]:
        try:
            return list(super().expand_path(path, recursive=recursive, maxdepth=maxdepth, **options))
        except FileNotFoundError as error:
            if error.errno is not None:
                raise
        # fsspec's own has no words, and shows a URL with all that may be secret in it.
        names = [self._strip_protocol(each) for each in (path if isinstance(path, list) else [path])]
        shown = ", ".join(_core.store_shown_name(native_name(name)) for name in names)
        raise FileNotFoundError(errno.ENOENT, f"{shown}: nothing has this name")

    def rm(self, path: Any, recursive: bool = False, maxdepth: int | None = None) -> None:
        if maxdepth is not None:
            raise NotImplementedError("rm removes all that is below a folder, or nothing")
        for each in self.expand_path(path, recursive=False):
            if not self.isdir(each):
                self.rm_file(each)
            elif recursive:
                _core.store_remove_tree(native_name(each))
            else:
                raise IsADirectoryError(errno.EISDIR, f"{each} is a folder; rm needs recursive=True")

    def rmdir(self, path: Any) -> None:
        _core.store_remove(native_name(self._strip_protocol(path)).rstrip("/") + "/")

    def mkdir(self, path: Any, create_parents: bool = True, **_: Any) -> None:
        if self.exists(path):
            raise FileExistsError(errno.EEXIST, f"{path} exists")
        if not create_parents and not self.isdir(self._parent(path)):
            raise FileNotFoundError(errno.ENOENT, f"{path}: there is no folder to make it in")
        self.makedirs(path, exist_ok=True)

    def makedirs(self, path: Any, exist_ok: bool = False) -> None:
        if not exist_ok and self.exists(path):
            raise FileExistsError(errno.EEXIST, f"{path} exists")
        try:
            _core.store_make_directory(native_name(self._strip_protocol(path)))
        except NotImplementedError:
            pass  # a store without folders: they come with their objects


fsspec.register_implementation("forebay", ForebayFileSystem, clobber=True)
