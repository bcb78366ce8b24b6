"""States of sources in worker processes: what they go on with, and what is said where they cannot."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest
from test_parallel_like_serial import SAMPLES, Broken, Stepped, outcomes, over
from test_parallel_source import build, four_batches, generated, values


@pytest.mark.parametrize("source", [four_batches, generated], ids=["samples", "generator"])
def test_a_checkpoint_goes_on_where_it_was_taken(source: Any) -> None:
    arguments = {"batch": source is not four_batches, "pipeline": {"enable_checkpointing": True}}
    pipe = build(source, **arguments)
    whole = values(build(source, **arguments))
    pipe.run()
    saved = pipe.checkpoint()
    later = build(source, batch=source is not four_batches, pipeline={"checkpoint": saved})
    assert values(later) == whole[1:]


@pytest.mark.parametrize("broken", [{1}, {6, 7}, {11}, {16}], ids=str)
def test_a_state_behind_a_broken_batch(broken: set[int]) -> None:
    for parallel in ({}, {"parallel": True}):
        whole = outcomes(over(Stepped(broken), batch=False, cycle="raise", **parallel))
        for taken in range(1, 6):
            pipe = over(Stepped(broken), batch=False, cycle="raise", **parallel)
            found: list[Any] = []
            for _ in range(taken):
                try:
                    pipe.run()
                except (Broken, StopIteration):
                    pass
            if whole[taken - 1] == "end":
                pipe.reset()
            later = over(Stepped(broken), batch=False, cycle="raise", checkpoint=pipe.checkpoint(), **parallel)
            found = outcomes(later, 1)
            assert found == whole[taken : taken + len(found)], (parallel, taken)
            later.close()
            pipe.close()


class Stored:
    """An iterable whose store may be away. The files say so to workers, too."""

    def __init__(self, folder: pathlib.Path, end: int = SAMPLES, batched: bool = False) -> None:
        self._folder = folder
        self._end = end
        self._batched = batched

    def __iter__(self) -> Any:
        if (self._folder / "away").exists():
            raise OSError("the store is away")
        end = self._end - 4 * (self._folder / "shorter").exists()
        return iter([[np.int32(number)] if self._batched else np.int32(number) for number in range(end)])


BOTH = [{}, {"parallel": True}]


@pytest.mark.parametrize("cycle", ["raise", "quiet", "no"])
@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("parallel", BOTH, ids=str)
def test_a_state_whose_source_cannot_be_begun(
    parallel: dict[str, Any], batch: bool, cycle: str, tmp_path: pathlib.Path
) -> None:
    named = {"batch": batch, "batch_size": 1, "cycle": cycle, **parallel}
    whole = outcomes(over(Stored(tmp_path, 7, batch), **{**named, "cycle": "raise"}), 1)
    pipe = over(Stored(tmp_path, 7, batch), **named)
    for _ in range(3):
        pipe.run()
    state, checkpoint = pipe.state_dict(), pipe.checkpoint()
    (tmp_path / "away").touch()
    with pytest.raises(OSError, match="the store is away"):
        over(Stored(tmp_path, 7, batch), checkpoint=checkpoint, **named).run()
    with pytest.raises(OSError, match="the store is away"):
        pipe.load_state_dict(state)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="load one again"):
            pipe.run()
    (tmp_path / "away").unlink()
    pipe.load_state_dict(state)
    assert [[batch.layout(), batch.as_array().tolist()] for batch in pipe.run()] == [list(each) for each in whole[3]]
    pipe.close()


@pytest.mark.parametrize(("batch", "taken"), [(True, 5), (True, 4), (False, 5), (False, 4)])
@pytest.mark.parametrize("parallel", BOTH, ids=str)
def test_a_state_whose_source_is_shorter_now(
    parallel: dict[str, Any], batch: bool, taken: int, tmp_path: pathlib.Path
) -> None:
    named = {"batch": batch, "batch_size": 1, "cycle": "raise", **parallel}
    pipe = over(Stored(tmp_path, 7, batch), **named)
    for _ in range(taken):
        pipe.run()
    checkpoint = pipe.checkpoint()
    (tmp_path / "shorter").touch()
    kind = "batches" if batch else "samples"
    with pytest.raises(ValueError, match=f"ended after 3 {kind}, and the state is behind {taken}: load it with"):
        over(Stored(tmp_path, 7, batch), checkpoint=checkpoint, **named).run()
    pipe.close()


def test_a_state_at_the_end_of_a_source() -> None:
    for batch in (False, True):
        for parallel in BOTH:
            source = Stored(pathlib.Path(), 4, batch)
            named = {"batch": batch, "batch_size": 1, "cycle": "raise", **parallel}
            pipe = over(source, **named)
            whole = outcomes(pipe, 1)
            for _ in range(4):
                pipe.run()
            for _ in range(2):
                later = over(source, checkpoint=pipe.checkpoint(), **named)
                assert outcomes(later, 2) == ["end", *whole]
                later.close()
                with pytest.raises(StopIteration):
                    pipe.run()
            pipe.reset()
            later = over(source, checkpoint=pipe.checkpoint(), **named)
            assert outcomes(later, 1) == whole
            later.close()
            pipe.close()


class Unreadable:
    """A pickler whose bytes no worker can read."""

    @staticmethod
    def dumps(value: Any) -> bytes:
        return b"?"

    @staticmethod
    def loads(data: bytes) -> Any:
        raise ValueError("unreadable")


def test_a_state_of_a_source_that_no_worker_can_read() -> None:
    readable = build(generated)
    readable.run()
    pipe = build(generated, method="spawn", workers=1, pipeline={"py_callback_pickler": Unreadable})
    with pytest.raises(ValueError, match="unreadable"):
        pipe.load_state_dict(readable.state_dict())
    assert pipe._source_workers._answers == {} and [each.load for each in pipe._source_workers._workers] == [0]
    pipe.close()
