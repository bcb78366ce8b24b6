"""Transforms of single images: a graph for each kind of image, answered by a server (docs/design/requests.md)."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Any

from .. import fn
from ..framework_modules import loaded_framework
from ..graph.pipeline_arguments import usable_cpus
from ..pipeline import Pipeline
from .draws import Draws
from .exchange import Kind, given, take

if TYPE_CHECKING:
    from .transform import Transform

__all__ = ["ROOT", "run_one"]

ROOT = "transforms"
"""The place of the outermost transform, of which the names of its random operators are made."""

_MOST_UNDER_WAY = 4096


class OneByOne:
    """A transform for one kind of images, in one process. Thread safe."""

    def __init__(self, transform: Transform, seed: int, kind: Kind) -> None:
        threads = 1 if _worker() is not None else usable_cpus()
        pipeline = Pipeline(batch_size=1, num_threads=threads, seed=seed)
        with pipeline:
            picture = kind.picture(fn.external_source(name="image", layout=kind.layout, no_copy=True))
            pictures = transform.write(picture, Draws(ROOT))
        self._is_tuple = isinstance(pictures, tuple)
        results = pictures if isinstance(pictures, tuple) else (pictures,)
        self._forms = [result.form for result in results]
        with pipeline:
            pipeline.set_outputs(*[result.result() for result in results])
        self._pipeline = pipeline
        self._server = pipeline.serve(max_pending=_MOST_UNDER_WAY)

    def __call__(self, array: Any, key: int, epoch: int) -> Any:
        outputs = self._server.submit(key=key, epoch=epoch, image=array).result()
        results = tuple(given(form, output) for form, output in zip(self._forms, outputs))
        return results if self._is_tuple else results[0]


class OfProcess:
    """What a transform keeps in a process: its graphs, and how many images it has seen without an index."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.count = itertools.count()
        self.graphs: dict[tuple[int, Kind], OneByOne] = {}


def run_one(transform: Transform, seed: int, image: Any, index: int | None, epoch: int | None) -> Any:
    """See :meth:`Transform.__call__`."""
    kind, array = take(image)
    kept: OfProcess | None = transform.__dict__.get("_of_process")
    if kept is None or kept.process != os.getpid():
        kept = transform.__dict__["_of_process"] = OfProcess()
    graph = kept.graphs.get((seed, kind))
    if graph is None:
        graph = kept.graphs[seed, kind] = OneByOne(transform, seed, kind)
    if index is None:
        if epoch is not None:
            raise TypeError("`epoch` goes with `index`")
        return graph(array, *_next_place(kept))
    return graph(array, index, epoch or 0)


def _next_place(kept: OfProcess) -> tuple[int, int]:
    """(key, epoch) of an image without an index. Each epoch of a DataLoader has a seed of torch's, from which its
    workers' are counted."""
    worker = _worker()
    if worker is None:
        return next(kept.count), 0
    return next(kept.count) * worker.num_workers + worker.id, (worker.seed - worker.id) % 2**31


def _worker() -> Any:
    """torch's description of this worker process, or None."""
    data = loaded_framework("torch.utils.data")
    return None if data is None else data.get_worker_info()

