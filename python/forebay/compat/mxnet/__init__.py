"""What scripts find under `mxnet`: the version says which interface it is."""

from __future__ import annotations

from typing import Any

from ... import autograd, gluon, init, lr_scheduler, metric, nd, optimizer
from ...nd import context, random
from ...nd.context import Context, cpu, cpu_pinned, current_context, gpu, num_gpus
from . import base, test_utils, util
from .base import MXNetError

__version__ = "1.9.1"

initializer = init
ndarray = nd
waitall = nd.waitall
opt = optimizer

__all__ = [
    "Context",
    "MXNetError",
    "autograd",
    "base",
    "context",
    "cpu",
    "cpu_pinned",
    "current_context",
    "gluon",
    "gpu",
    "init",
    "initializer",
    "lr_scheduler",
    "metric",
    "nd",
    "ndarray",
    "num_gpus",
    "opt",
    "optimizer",
    "random",
    "test_utils",
    "util",
    "waitall",
]

_ABSENT = {
    "np": "NumPy's interface",
    "npx": "NumPy's interface",
    "numpy": "NumPy's interface",
    "sym": "symbols",
    "symbol": "symbols",
    "mod": "the module interface",
    "module": "the module interface",
    "kv": "key-value stores",
    "kvstore": "key-value stores",
    "io": "data iterators of symbols; gluon.data and Forebay's pipelines load data",
    "image": "image functions; Forebay's pipelines decode and augment",
    "recordio": "RecordIO files; Forebay's readers.mxnet reads them",
}


def __getattr__(name: str) -> Any:
    what = f" ({_ABSENT[name]})" if name in _ABSENT else ""
    raise AttributeError(f"mxnet.{name}{what} is not offered by Forebay")
