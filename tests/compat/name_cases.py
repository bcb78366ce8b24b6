"""Cases: modules that scripts import, what modules and classes have, and the numbers of enumerations."""

from __future__ import annotations

import importlib
import inspect
import sys
import types as python_types
from typing import Any

import nvidia.dali.types as types

from catalogue import Group

case = Group("names")

MODULES = """_conditionals auto_aug.augmentations auto_aug.auto_augment auto_aug.core auto_aug.core._augmentation
auto_aug.core.decorator auto_aug.core.policy auto_aug.rand_augment auto_aug.trivial_augment backend
backend_impl data_node experimental experimental.dynamic experimental.dynamic.random external_source fn
fn.decoders fn.experimental fn.io fn.io.file fn.noise fn.random fn.readers fn.reductions fn.segmentation
fn.transforms math ops ops.decoders ops.experimental ops.io ops.noise ops.random ops.readers
ops.reductions ops.segmentation ops.transforms pipeline pipeline.experimental plugin
plugin.base_iterator plugin_manager reducers sysconfig tensors tfrecord types""".split()
# Whose names are compared, too.
LISTED = (
    """backend backend_impl data_node external_source fn fn.decoders fn.experimental fn.io.file fn.noise fn.random
fn.readers fn.reductions fn.segmentation fn.transforms math ops ops.experimental ops.random ops.readers pipeline
plugin.base_iterator plugin_manager reducers sysconfig tensors tfrecord types auto_aug.augmentations
auto_aug.auto_augment auto_aug.core""".split()
)
CLASSES = {
    "TensorCPU": "tensors",
    "TensorListCPU": "tensors",
    "Pipeline": "pipeline",
    "DataNode": "pipeline",
    "OpSchema": "backend",
    "OpSpec": "backend",
    "DALIDataType": "types",
    "ScalarConstant": "types",
}
SPECIAL = """__abs__ __add__ __array__ __array_interface__ __dlpack__ __dlpack_device__ __getitem__ __iter__ __len__
__lshift__ __pow__ __xor__""".split()
ENUMERATIONS = "DALIDataType DALIInterpType DALIImageType PipelineAPIType".split()
IS_DALI = "forebay" not in sys.modules


def module(name: str) -> Any:
    return importlib.import_module(f"nvidia.dali.{name}" if name else "nvidia.dali")


def is_own(value: Any) -> bool:
    """Whether a module of DALI has made it: what it has imported from elsewhere, no script shall rely on."""
    if isinstance(value, python_types.ModuleType) or getattr(value, "__module__", None) == "typing":
        return False
    if inspect.isclass(value) or inspect.isroutine(value):
        return str(getattr(value, "__module__", "")).startswith("nvidia.dali")
    return True


def names_of(owner: Any) -> set[str]:
    """Of DALI those that are its own, of Forebay all."""
    return {name for name in dir(owner) if not name.startswith("_") and (not IS_DALI or is_own(getattr(owner, name)))}


def members_of(name: str, where: str) -> set[str]:
    owner = getattr(module(where), name)
    return {member for member in dir(owner) if not member.startswith("_") or member in SPECIAL}


def numbers_of(name: str) -> dict[str, int]:
    return {key: int(getattr(value, "value", value)) for key, value in getattr(types, name).__members__.items()}


case.table({f"import_{name}": lambda name=name: module(name) is not None for name in MODULES})
case.table({f"names_of_{name or 'dali'}": lambda name=name: names_of(module(name)) for name in ("", *LISTED)})
case.table(
    {f"members_of_{name}": lambda name=name, where=where: members_of(name, where) for name, where in CLASSES.items()}
)
case.table({f"numbers_of_{name}": lambda name=name: numbers_of(name) for name in ENUMERATIONS})
