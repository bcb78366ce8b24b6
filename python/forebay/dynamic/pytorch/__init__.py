"""Dynamic mode for PyTorch. `nodes` is there where torchdata is installed."""

from __future__ import annotations

import importlib.util

__all__: list[str] = []

if importlib.util.find_spec("torchdata") is not None:
    from . import nodes as nodes

    __all__ += ["nodes"]
