"""Runs scripts written for `nvidia.dali` or `mxnet` with Forebay behind those names, in this process only.

`install()` makes ``nvidia.dali``, ``mxnet`` and their submodules names of Forebay's modules; ``d2lzh`` and ``d2l``, the
helpers of the book "Dive into deep learning", stand in where they are not installed. Nothing does that by itself: only
``python -m forebay.compat SCRIPT`` and calls of `install()`.
"""

from __future__ import annotations

import importlib
import os
import sys
import types
from typing import Any

from .aliases import AliasFinder, put_first, put_last

_DALI_NAMES = {
    "nvidia.dali": "forebay",
    "nvidia.dali._utils": "forebay.compat",
    "nvidia.dali.auto_aug.core._augmentation": "forebay.auto_aug.core.definition",
    "nvidia.dali.auto_aug.core.decorator": "forebay.auto_aug.core",
    "nvidia.dali.experimental": "forebay.compat.experimental",
    "nvidia.dali.experimental.dynamic": "forebay.dynamic",
    "nvidia.dali.ops._registry": "forebay.operator_registry",
    "nvidia.dali.pipeline.experimental": "forebay.pipeline",
    "nvidia.dali.experimental.torchvision": "forebay.transforms",
    "nvidia.dali.experimental.torchvision.v2": "forebay.transforms",
}
_DALI = AliasFinder("nvidia.dali", _DALI_NAMES)
_MXNET = AliasFinder(
    "mxnet",
    {
        "mxnet": "forebay.compat.mxnet",
        **{
            f"mxnet.{name}": f"forebay.{target}"
            for name, target in {
                "autograd": "autograd",
                "context": "nd.context",
                "gluon": "gluon",
                "init": "init",
                "initializer": "init",
                "lr_scheduler": "lr_scheduler",
                "metric": "metric",
                "nd": "nd",
                "ndarray": "nd",
                "ndarray.ndarray": "nd.ndarray",
                "optimizer": "optimizer",
                "random": "nd.random",
            }.items()
        },
    },
)
_HELPERS = [
    AliasFinder("d2lzh", {"d2lzh": "forebay.compat.d2lzh"}),
    AliasFinder("d2l", {"d2l": "forebay.compat.d2l", "d2l.mxnet": "forebay.compat.d2l"}),
]


SCRIPT_VARIABLE = "FOREBAY_COMPAT_SCRIPT"
"""Tells spawned processes which script it is whose functions they need."""


def _nvidia_package() -> types.ModuleType:
    """The package `nvidia`: the one that is installed, or an empty one."""
    try:
        return importlib.import_module("nvidia")
    except ImportError:
        package = types.ModuleType("nvidia")
        package.__path__ = []
        sys.modules["nvidia"] = package
        return package


def _heed_engine_type() -> None:
    """MXNET_ENGINE_TYPE=NaiveEngine is Forebay's naive engine, unless that was chosen in Forebay's own way."""
    if os.environ.get("MXNET_ENGINE_TYPE") == "NaiveEngine":
        os.environ.setdefault("FOREBAY_ARRAY_ENGINE", "naive")


def _add_members(dali: types.ModuleType) -> None:
    """`from nvidia.dali import NAME` looks into the package itself: the modules that lie elsewhere are put there."""
    for name in _DALI_NAMES:
        parent, _, short = name.rpartition(".")
        if parent == "nvidia.dali" and not hasattr(dali, short):
            setattr(dali, short, importlib.import_module(name))


def install() -> None:
    """Makes `import nvidia.dali` and `import mxnet` give Forebay, in this process. Once is enough; more does no
    harm."""
    _heed_engine_type()
    importlib.import_module("forebay.pipeline").Pipeline._unequal_readers_usually = "warn"
    if put_first(_DALI):
        package: Any = _nvidia_package()
        package.dali = importlib.import_module("nvidia.dali")
        _add_members(package.dali)
    put_first(_MXNET)
    for finder in _HELPERS:
        put_last(finder)
