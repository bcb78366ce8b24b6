"""Files that are replaced as a whole."""

from __future__ import annotations

import errno
import os
import secrets
import stat


def _sync_folder(folder: str) -> None:
    """Makes the names in it last. Some file systems cannot; then there is nothing to do."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def _write(descriptor: int, data: bytes, like: str) -> None:
    """Writes and syncs a new file, with the permissions of the file `like` if that is there."""
    with open(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        if os.path.exists(like):
            os.fchmod(file.fileno(), stat.S_IMODE(os.stat(like).st_mode))
        os.fsync(file.fileno())


def replace_file(filename: str | os.PathLike[str], data: bytes) -> None:
    """Writes `data` to a file beside `filename`, makes it last, and renames it. Where that fails, `filename` is as it
    was. What is no file, such as a pipe or /dev/null, is written to. IsADirectoryError for a folder."""
    path = os.fsdecode(os.path.realpath(filename))  # a link stays one
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "This is a folder, and a file is to be written; give its name", os.fsdecode(filename))
    if os.path.exists(filename) and not os.path.isfile(filename):
        with open(filename, "wb") as file:
            file.write(data)
        return
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except OSError as error:  # of the file that is known, not of the one beside it
        raise OSError(error.errno, error.strerror, os.fsdecode(filename)) from None
    try:
        _write(descriptor, data, path)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    _sync_folder(folder)
