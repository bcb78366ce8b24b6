"""The end of a pipeline while it is at work."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from forebay import Pipeline, fn, pipeline_def

Source = Callable[[], list[np.ndarray]]


def fed_by(source: Source) -> Pipeline:
    @pipeline_def(batch_size=2, num_threads=2, prefetch_queue_depth=3)
    def make() -> Any:
        return fn.external_source(source)

    return make()


def batch() -> list[np.ndarray]:
    return [np.zeros(1), np.ones(1)]


def run_once(pipe: Pipeline) -> None:
    with contextlib.suppress(RuntimeError):  # closed before the batch was there
        pipe.run()


def test_nothing_runs_after_close() -> None:
    for _ in range(20):
        began = threading.Semaphore(0)
        is_closing = threading.Event()
        under_way: list[int] = []

        def source() -> list[np.ndarray]:
            under_way.append(1)
            began.release()
            assert is_closing.wait(60)
            sum(range(100_000))
            under_way.pop()
            return batch()

        pipe = fed_by(source)
        pipe.build()
        runner = threading.Thread(target=run_once, args=(pipe,))
        runner.start()
        assert began.acquire(timeout=60)
        is_closing.set()
        pipe.close()
        assert under_way == []
        runner.join()


def test_a_function_may_close_its_own_pipeline() -> None:
    ended = threading.Event()

    def source() -> list[np.ndarray]:
        pipe.close()
        ended.set()
        return batch()

    pipe = fed_by(source)
    with pytest.raises(RuntimeError):
        pipe.run()
    assert ended.wait(60)


def test_closing_while_other_threads_run_it() -> None:
    for _ in range(50):
        pipe = fed_by(batch)
        pipe.run()
        errors: list[str] = []

        def consume(pipe: Pipeline = pipe, errors: list[str] = errors) -> None:
            try:
                while True:
                    pipe.run()
            except RuntimeError as error:
                errors.append(str(error))

        consumers = [threading.Thread(target=consume) for _ in range(2)]
        for consumer in consumers:
            consumer.start()
        pipe.close()
        for consumer in consumers:
            consumer.join()
        assert len(errors) == 2
        assert all("closed" in error or "cancelled" in error for error in errors), errors
