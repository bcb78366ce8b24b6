"""What scripts find under `mxnet.base`. Once it is imported, errors of the library are `MXNetError`s as well as what
they were: a script that catches MXNet's catches them."""

from __future__ import annotations

from ... import _core
from ...errors import ArrayError

MXNetError = ArrayError

_KINDS: tuple[type[Exception], ...] = (
    FileNotFoundError,
    IndexError,
    KeyError,
    MemoryError,
    NotImplementedError,
    PermissionError,
    RuntimeError,
    ValueError,
)
for _kind in _KINDS:
    _core.set_exception_class(_kind, type("MXNetError", (MXNetError, _kind), {"__module__": __name__}))
