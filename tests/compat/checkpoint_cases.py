"""Cases: pipelines that go on from a checkpoint."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import nvidia.dali.fn as fn
from nvidia.dali import pipeline_def

from catalogue import Group
from files import few_files
from pipelines import SETTINGS

case = Group("checkpoints")

OPTIONS: dict[str, Any] = {"seed": 7, "enable_checkpointing": True}


def alike(left: Any, right: Any) -> list[bool]:
    return [np.array_equal(a.as_array(), b.as_array()) for a, b in zip(left, right)]


def made(body: Any, **settings: Any) -> Any:
    pipeline = pipeline_def(**SETTINGS | OPTIONS | settings)(body)()
    pipeline.build()
    return pipeline


def resumed(body: Any, before: int = 2, after: int = 3, **settings: Any) -> Any:
    """Whether the batches after a checkpoint are those of the pipeline that went on."""
    going_on = made(body, **settings)
    for _ in range(before):
        going_on.run()
    checkpoint = going_on.checkpoint()
    expected = [going_on.run() for _ in range(after)]
    restored = made(body, checkpoint=checkpoint, **settings)
    return [alike(batch, restored.run()) for batch in expected], restored.is_restored_from_checkpoint


@functools.cache
def folder() -> str:
    return few_files(folders=1)


def read(**arguments: Any) -> Any:
    """Labels by two readers."""
    labels = fn.readers.file(file_root=folder(), name="R", **arguments)[1]
    return labels + 0 * fn.readers.file(file_root=folder(), file_filters="*.jpg", **arguments)[1]


def noisy() -> Any:
    return fn.constant(fdata=[1.0, 2.0], shape=[2]) + fn.random.uniform()


DRAWS = {
    "uniform": lambda: fn.random.uniform(shape=[2]),
    "normal": lambda: fn.random.normal(),
    "coin_flip": lambda: fn.random.coin_flip(),
    "choice": lambda: fn.random.choice(5),
    "beta": lambda: fn.random.beta(),
    "batch_permutation": lambda: fn.batch_permutation(),
    "gaussian_noise": lambda: fn.noise.gaussian(noisy()),
    "shot_noise": lambda: fn.noise.shot(noisy()),
    "salt_and_pepper": lambda: fn.noise.salt_and_pepper(noisy()),
    "region_crop": lambda: fn.roi_random_crop(crop_shape=[3], roi_start=[1], roi_shape=[5]),
}
READERS: dict[str, dict[str, Any]] = {
    "in_order": {},
    "shuffled": {"random_shuffle": True},
    "shuffled_after_each_epoch": {"shuffle_after_epoch": True},
    "padded": {"pad_last_batch": True},
    "of_a_shard": {"num_shards": 2, "shard_id": 1},
    "that_sticks_to_its_shard": {"num_shards": 2, "shard_id": 1, "stick_to_shard": True},
    "shuffled_in_a_small_buffer": {"random_shuffle": True, "initial_fill": 2},
}
case.table({f"draws_of_{name}": lambda body=body: resumed(body) for name, body in DRAWS.items()})
case.table(
    {
        f"a_reader_{name}": lambda options=options: resumed(lambda: read(**options), before=4)
        for name, options in READERS.items()
    }
)


case.table(
    {
        "source_index": lambda: resumed(lambda: fn.external_source(source=lambda i: [np.array([i])] * 3)),
        "source_sample": lambda: resumed(
            lambda: fn.external_source(source=lambda s: np.array([s.idx_in_epoch]), batch=False)
        ),
        "source_batchinfo": lambda: resumed(
            lambda: fn.external_source(source=lambda b: [np.array([b.iteration, b.epoch_idx])] * 3, batch_info=True)
        ),
        "source_no_argument": lambda: resumed(lambda: fn.external_source(source=lambda: [np.array([1])] * 3)),
        "source_iterable": lambda: resumed(
            lambda: fn.external_source(source=[[np.array([k])] * 3 for k in range(9)])
        ),
        "before_the_first_batch": lambda: resumed(lambda: fn.random.uniform(), 0),
    }
)


@case
def draws_in_branches() -> Any:
    def body():
        x = fn.random.uniform(range=(0, 1))
        if x > 0.5:
            y = fn.random.uniform()
        else:
            y = fn.random.uniform() + 5
        return y

    return resumed(body, enable_conditionals=True)


@case
def sources_epochs() -> Any:
    def src(b):
        if b.iteration >= 2:
            raise StopIteration
        return [np.array([b.iteration, b.epoch_idx])] * 3

    def make(**k2):
        pipeline = pipeline_def(batch_size=3, num_threads=2, device_id=None, seed=7, enable_checkpointing=True, **k2)(
            lambda: fn.external_source(source=src, batch_info=True)
        )()
        pipeline.build()
        return pipeline

    pipeline = make()
    pipeline.run()
    pipeline.run()
    try:
        pipeline.run()
    except StopIteration:
        pipeline.reset()
    c = pipeline.checkpoint()
    a = pipeline.run()
    other = make(checkpoint=c)
    return alike(a, other.run())


@case
def checkpoint_of_a_restored_pipeline() -> Any:
    def make(**k2):
        pipeline = pipeline_def(batch_size=3, num_threads=2, device_id=None, seed=7, enable_checkpointing=True, **k2)(
            lambda: fn.random.uniform()
        )()
        pipeline.build()
        return pipeline

    pipeline = make()
    pipeline.run()
    other = make(checkpoint=pipeline.checkpoint())
    other.run()
    third = make(checkpoint=other.checkpoint())
    pipeline.run()
    return alike(pipeline.run(), third.run())


@case
def other_batch_size() -> Any:
    pipeline = pipeline_def(batch_size=3, num_threads=2, device_id=None, seed=7, enable_checkpointing=True)(
        lambda: fn.random.uniform()
    )()
    pipeline.build()
    pipeline.run()
    other = pipeline_def(
        batch_size=4,
        num_threads=2,
        device_id=None,
        seed=7,
        enable_checkpointing=True,
        checkpoint=pipeline.checkpoint(),
    )(lambda: fn.random.uniform())()
    other.build()
    return len(other.run()[0])


@case
def not_enabled_but_given() -> Any:
    pipeline = pipeline_def(batch_size=3, num_threads=2, device_id=None, seed=7, enable_checkpointing=True)(
        lambda: fn.random.uniform()
    )()
    pipeline.build()
    pipeline.run()
    other = pipeline_def(batch_size=3, num_threads=2, device_id=None, seed=7, checkpoint=pipeline.checkpoint())(
        lambda: fn.random.uniform()
    )()
    other.build()
    return other.is_restored_from_checkpoint


@case
def checkpoint_after_share_outputs() -> Any:
    pipeline = pipeline_def(batch_size=3, num_threads=2, device_id=None, seed=7, enable_checkpointing=True)(
        lambda: fn.random.uniform()
    )()
    pipeline.build()
    pipeline.schedule_run()
    pipeline.share_outputs()
    pipeline.release_outputs()
    return type(pipeline.checkpoint()).__name__
