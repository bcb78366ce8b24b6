"""Pipelines as data sets of TensorFlow: batches reach it without a copy."""

from __future__ import annotations

from typing import Any

try:
    import tensorflow as _tf  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("forebay.plugin.tf needs TensorFlow; install the package 'tensorflow'", name=error.name) from error

from ...pipeline import Pipeline
from ..base_iterator import LastBatchPolicy
from . import experimental
from .dataset import DALIDataset, PipelineDataset

__all__ = [
    "DALIDataset",
    "LastBatchPolicy",
    "PipelineDataset",
    "dataset_compatible_tensorflow",
    "dataset_distributed_compatible_tensorflow",
    "dataset_inputs_compatible_tensorflow",
    "experimental",
    "serialize_pipeline",
]


def serialize_pipeline(pipeline: Pipeline) -> bytes:
    """The bytes of :meth:`Pipeline.serialize`."""
    return pipeline.serialize()


def dataset_compatible_tensorflow() -> bool:
    """Whether this TensorFlow can use :func:`DALIDataset`: every version that the plugin can be imported with."""
    return True


def dataset_inputs_compatible_tensorflow() -> bool:
    """Whether data sets can be inputs: always."""
    return True


def dataset_distributed_compatible_tensorflow() -> bool:
    """Whether ``distribute_datasets_from_function`` takes a :func:`DALIDataset`: always."""
    return True


def __getattr__(name: str) -> Any:
    if name in ("DALIIterator", "DALIIteratorWrapper", "DALIRawIterator"):
        raise AttributeError(f"forebay.plugin.tf has no {name}: it is of TensorFlow 1's graphs; use DALIDataset")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
