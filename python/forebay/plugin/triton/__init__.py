"""Pipelines for inference servers, under the names of `nvidia.dali.plugin.triton`: a Python file says what is served.

    @autoserialize
    @pipeline_def(batch_size=64, num_threads=4, device_id=None)
    def preprocessing():
        images = fn.decoders.image(fn.external_source(name="raw"))
        return fn.resize(images, size=(224, 224))

:func:`serialize_file` gives the pipeline of such a file as bytes, and so does `python -m forebay.plugin.triton FILE OUTPUT`.
"""

from __future__ import annotations

from typing import Any, Callable, TypeVar

from .serialize import serialize_file

__all__ = ["autoserialize", "serialize_file"]

Definition = TypeVar("Definition", bound=Callable[..., Any])


def autoserialize(dali_pipeline: Definition) -> Definition:
    """Marks what :func:`pipeline_def` made as the pipeline that its file is about. One in a file."""
    if not getattr(dali_pipeline, "_is_pipeline_def", False):
        shown = getattr(dali_pipeline, "__name__", type(dali_pipeline).__name__)
        raise TypeError(f"@autoserialize is for what @pipeline_def makes, and stands above it; {shown} is none")
    dali_pipeline._is_autoserialize = True  # type: ignore[attr-defined]
    return dali_pipeline
