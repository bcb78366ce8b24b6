"""The helpers under the name of the English edition, ``d2l``. Its `Benchmark` prints "NAME: 0.1234 sec"."""

from __future__ import annotations

import sys
from typing import Any

from . import d2lzh
from .d2lzh import Timer

mxnet = sys.modules[__name__]  # `from d2l import mxnet as d2l`


class Benchmark:
    """Prints how long the body of a ``with`` took."""

    def __init__(self, description: str = "Done") -> None:
        self.description = description

    def __enter__(self) -> Benchmark:
        self._timer = Timer()
        return self

    def __exit__(self, *error: object) -> None:
        print(f"{self.description}: {self._timer.stop():.4f} sec")


def __getattr__(name: str) -> Any:
    return getattr(d2lzh, name)
