"""What tests of positions share: what pipelines and iterators give, and going on from states."""

from __future__ import annotations

import json
from typing import Any, Callable

import numpy as np

from forebay import Pipeline, SampleError

BATCH = 2


def value(batch: Any) -> list[Any]:
    return [np.asarray(sample).ravel().tolist() for sample in batch]


def take(pipeline: Pipeline, count: int) -> list[Any]:
    """What `count` calls give; "end" is the end of the sources' data, after which their next epoch begins."""
    given: list[Any] = []
    for _ in range(count):
        try:
            given.append([value(output) for output in pipeline.run()])
        except StopIteration:
            given.append("end")
            pipeline.reset()
        except Exception as error:
            given.append(type(error).__name__)
    return given


def check_resume(make: Callable[[], Pipeline], count: int) -> list[Any]:
    """A pipeline that goes on from a state gives what the first one would have, wherever the state was taken, and twice
    in a row. Returns what an uninterrupted one gives."""
    expected = take(make(), count)
    for place in range(count):
        first = make()
        take(first, place)
        state = json.loads(json.dumps(first.state_dict()))
        second = make()
        second.load_state_dict(state)
        assert take(second, 1) == expected[place : place + 1], place
        third = make()
        third.load_state_dict(second.state_dict())
        assert take(third, count - place - 1) == expected[place + 1 :], place
    return expected


def labels_in(iterator: Any) -> list[Any]:
    """An epoch of an iterator over one pipeline."""
    given: list[Any] = []
    while True:
        try:
            given.append(next(iterator)[0]["label"].ravel().tolist())
        except StopIteration:
            return given
        except SampleError as error:
            given.append(type(error).__name__)
