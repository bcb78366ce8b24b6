"""Functions of ``forebay.nd`` as methods of arrays: ``x.relu()`` is ``nd.relu(x)``."""

from __future__ import annotations

from .. import _core


class FluentMethods(_core.NDArrayBase):
    """Has the methods of the function table, which `forebay.nd` puts here: their modules need the class of arrays."""

    __slots__ = ()
