"""Cases: what a pipeline says of its readers."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
from nvidia.dali import pipeline_def

from catalogue import Group
from files import few_files
from pipelines import SETTINGS, ones

case = Group("pipelines")


def reader(**arguments: Any) -> Any:
    folder = few_files()

    @pipeline_def(**SETTINGS)
    def define() -> Any:
        return tuple(fn.readers.file(file_root=folder, name="R", **arguments))

    pipeline = define()
    pipeline.build()
    return pipeline


def without_reader() -> Any:
    pipeline = pipeline_def(**SETTINGS)(ones)()
    pipeline.build()
    return pipeline


case.table(
    {
        "reader_meta": lambda: reader().reader_meta("R"),
        "reader_meta_all": lambda: reader(
            num_shards=2, shard_id=1, stick_to_shard=True, pad_last_batch=True
        ).reader_meta(),
        "reader_meta_empty": lambda: without_reader().reader_meta(),
        "reader_meta_unknown": lambda: without_reader().reader_meta("nonsense"),
    }
)


@case
def epoch_size_reader() -> Any:
    pipeline = reader()
    return pipeline.epoch_size("R"), pipeline.epoch_size()


@case
def reader_run_twice() -> Any:
    pipeline = reader()
    return [pipeline.run() for _ in range(4)]


@case
def reader_padded() -> Any:
    pipeline = reader(pad_last_batch=True)
    return [pipeline.run() for _ in range(4)]


@case
def reader_shards() -> Any:
    pipeline = reader(num_shards=3, shard_id=1)
    return [pipeline.run() for _ in range(4)]


@case
def reader_source_info() -> Any:
    d = few_files()

    @pipeline_def(**SETTINGS)
    def define():
        a, b = fn.readers.file(file_root=d)
        return a.source_info(), b.source_info()

    pipeline = define()
    pipeline.build()
    return [[bytes(np.array(s)).decode()[-7:] for s in o] for o in pipeline.run()]
