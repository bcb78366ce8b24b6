"""Pipelines that answer requests."""

from __future__ import annotations

import os
import queue
import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from forebay import Pipeline, SampleError, _core, fn, pipeline_def
from forebay.graph import server as _server


@pipeline_def(batch_size=4, num_threads=3, seed=3)
def noisy() -> Any:
    x = fn.external_source(name="x")
    return x + fn.random.uniform(range=(0.0, 1.0)), fn.cast_like(x, x)


class LentOutError(Exception):
    pass


class Lent:
    """An array that does not give its memory."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __dlpack_device__(self) -> tuple[int, int]:
        raise self._error


def serving(function: Any, **pipeline: Any) -> Pipeline:
    @pipeline_def(**{"batch_size": 1, "num_threads": 2, **pipeline})
    def make() -> Any:
        return fn.python_function(fn.external_source(name="x"), function=function)

    return make()


def test_a_key_gives_the_same_bits_whatever_else_runs() -> None:
    pipe = noisy()

    def ask(server: Any, key: int) -> bytes:
        noise, same = server.submit(key=key, x=np.float32([key, 1])).result()
        np.testing.assert_array_equal(same.as_array(), [key, 1])
        return noise.as_array().tobytes()

    with pipe.serve() as server:
        expected = [ask(server, key) for key in range(30)]
    assert len(set(expected)) == 30
    with pipe.serve() as one, pipe.serve() as other, ThreadPoolExecutor(4) as threads:
        for server in (one, other):
            assert list(threads.map(lambda key: ask(server, key), [*range(30)] * 4)) == expected * 4


def test_a_key_is_a_position_of_the_first_epoch() -> None:
    pipe = noisy()
    (batch, _) = pipe.run(x=[np.float32([k]) for k in range(4)])
    with pipe.serve() as server:
        answers = [server.submit(key=k, x=np.float32([k])).result()[0].as_array() for k in range(4)]
    np.testing.assert_array_equal(batch.as_array(), answers)


def test_an_epoch_has_random_numbers_of_its_own() -> None:
    with noisy().serve() as server:
        first, same, other = (
            server.submit(key=3, epoch=epoch, x=np.float32([1])).result()[0].as_array() for epoch in (2, 2, 1)
        )
        np.testing.assert_array_equal(first, same)
        assert (first != other).any()
        with pytest.raises(ValueError, match="epoch -1"):
            server.submit(key=3, epoch=-1, x=np.float32([1]))


def test_an_error_is_its_requests_own() -> None:
    def function(x: np.ndarray) -> np.ndarray:
        if x == 7:
            raise LookupError("no seven")
        return x

    with serving(function).serve() as server:
        futures = [server.submit(key=k, x=np.int64(k)) for k in range(20)]
        for key, future in enumerate(futures):
            if key != 7:
                assert future.result()[0].as_array() == key
                continue
            with pytest.raises(SampleError, match="no seven") as caught:
                future.result()
            assert caught.value.position == 7
            assert isinstance(caught.value.__cause__, LookupError)


def test_deadlines() -> None:
    clock = _core.SteppedClock()
    calls: list[int] = []

    def function(x: np.ndarray) -> np.ndarray:
        calls.append(int(x))
        clock.advance(1.0)
        return x

    pipe = serving(function)
    pipe._clock = clock
    with pipe.serve() as server:
        assert server.submit(key=0, deadline=1.5, x=np.int64(0)).result()[0].as_array() == 0
        for key, deadline in enumerate((0.0, 1.0), 1):
            with pytest.raises(TimeoutError, match=f"deadline of the request with key {key}"):
                server.submit(key=key, deadline=deadline, x=np.int64(key)).result()
        assert server.submit(key=3, deadline=1e300, x=np.int64(3)).result()[0].as_array() == 3
        with pytest.raises(ValueError, match="deadline"):
            server.submit(key=4, deadline=float("nan"), x=np.int64(4))
    assert calls == [0, 2, 3]  # nothing is done for one whose deadline has passed


def test_no_more_are_taken_than_may_be_pending() -> None:
    entered, may_answer = threading.Event(), threading.Event()

    def function(x: np.ndarray) -> np.ndarray:
        entered.set()
        assert may_answer.wait(60)
        return x

    with serving(function).serve(max_pending=2) as server:
        futures = [server.submit(key=k, x=np.int64(k)) for k in range(2)]
        assert entered.wait(60)
        with pytest.raises(queue.Full):
            server.submit(key=2, x=np.int64(2))
        may_answer.set()
        assert [future.result()[0].as_array() for future in futures] == [0, 1]
        server.submit(key=2, x=np.int64(2)).result()


def test_close_cancels_what_is_in_flight() -> None:
    entered, may_answer = threading.Event(), threading.Event()

    def function(x: np.ndarray) -> np.ndarray:
        entered.set()
        assert may_answer.wait(60)
        return x

    server = serving(function).serve()
    futures = [server.submit(key=k, x=np.int64(k)) for k in range(5)]
    futures[-1].add_done_callback(lambda _: may_answer.set())  # close() waits for the function
    assert entered.wait(60)
    server.close()
    for future in futures:
        with pytest.raises(CancelledError):
            future.result()
    with pytest.raises(RuntimeError, match="server has been closed"):
        server.submit(key=0, x=np.int64(0))
    server.close()


def test_a_future_may_be_cancelled() -> None:
    entered, may_answer = threading.Event(), threading.Event()

    def function(x: np.ndarray) -> np.ndarray:
        entered.set()
        assert may_answer.wait(60)
        return x

    with serving(function).serve() as server:
        future = server.submit(key=0, x=np.int64(0))
        assert entered.wait(60)
        assert future.cancel()
        may_answer.set()
        assert server.submit(key=1, x=np.int64(1)).result()[0].as_array() == 1
        assert future.cancelled()


def test_an_answer_may_ask_again() -> None:
    with serving(lambda x: x + 1).serve() as server:
        done = threading.Event()
        answers: list[int] = []

        def again(future: Any) -> None:
            answers.append(int(future.result()[0].as_array()))
            if len(answers) == 5:
                done.set()
            else:
                server.submit(key=len(answers), x=np.int64(answers[-1])).add_done_callback(again)

        server.submit(key=0, x=np.int64(0)).add_done_callback(again)
        assert done.wait(60)
    assert answers == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("raised", [SystemExit(1), KeyboardInterrupt(), ValueError("mine")])
def test_a_callback_that_raises_takes_no_answer_from_others(
    raised: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    all_are_there = threading.Event()

    def function(x: np.ndarray) -> np.ndarray:
        assert all_are_there.wait(60)
        return x + 1

    def raises(_: Any) -> None:
        raise raised

    with serving(function).serve() as server:
        futures = [server.submit(key=key, x=np.int64(key)) for key in range(8)]
        for future in futures:
            future.add_done_callback(raises)
        all_are_there.set()
        assert [future.result(60)[0].as_array() for future in futures] == list(range(1, 9))
        assert server.submit(key=9, x=np.int64(9)).result(60)[0].as_array() == 10
    assert sum(record.exc_info is not None and record.exc_info[1] is raised for record in caplog.records) == 8


@pytest.mark.parametrize("times", [1, 2, 5])
def test_an_answer_that_memory_was_short_for_comes_again(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    handed = _server._deliver
    left = dict.fromkeys(range(8), times)

    def deliver(future: Any, outputs: Any, error: Any) -> None:
        for key, other in enumerate(futures):
            if other is future and error is None and left[key] > 0:
                left[key] -= 1
                raise MemoryError("there is none now")
        handed(future, outputs, error)

    all_are_there = threading.Event()

    def function(x: np.ndarray) -> np.ndarray:
        assert all_are_there.wait(60)
        return x + 1

    monkeypatch.setattr(_server, "_deliver", deliver)
    with serving(function).serve() as server:
        futures = [server.submit(key=key, x=np.int64(key)) for key in range(8)]
        all_are_there.set()
        for key, future in enumerate(futures):
            if times < 3:
                assert future.result(60)[0].as_array() == key + 1
            else:  # it does not pass: the error is the answer
                with pytest.raises(MemoryError, match="there is none now"):
                    future.result(60)


def test_an_answer_that_cannot_be_given_keeps_no_other_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of its own server nor of another."""
    handed = _server._deliver
    refused: list[Any] = []
    is_known, may_pass = threading.Event(), threading.Event()

    def deliver(future: Any, outputs: Any, error: Any) -> None:
        if future is refused[0] and not may_pass.is_set():
            raise MemoryError("there is none now")
        handed(future, outputs, error)

    def function(x: np.ndarray) -> np.ndarray:
        assert is_known.wait(60)
        return x + 1

    monkeypatch.setattr(_server, "_deliver", deliver)
    with serving(function).serve() as one, serving(function).serve() as other:
        refused.append(one.submit(key=0, x=np.int64(0)))
        is_known.set()
        for key in range(1, 5):
            for server in (one, other):
                assert server.submit(key=key, x=np.int64(key)).result(60)[0].as_array() == key + 1
        may_pass.set()
        try:
            assert refused[0].result(60)[0].as_array() == 1
        except MemoryError as error:  # it had been refused three times
            assert "there is none now" in str(error)


def test_several_outputs_of_a_source_and_its_checks() -> None:
    @pipeline_def(batch_size=1, num_threads=1)
    def make() -> Any:
        a, b = fn.external_source(lambda: ([np.int64(0)], [np.int64(0)]), num_outputs=2, name="pair", ndim=[0, 1])
        return a, b

    with make().serve() as server:
        a, b = server.submit(key=0, pair=(np.int64(1), np.int64([2]))).result()
        assert (a.as_array(), b.as_array().tolist()) == (1, [2])
        with pytest.raises(ValueError, match="the input 'pair' of a request: .*dimensions"):
            server.submit(key=0, pair=(np.int64(1), np.int64(2)))


def test_what_is_refused() -> None:
    with noisy().serve() as server:
        with pytest.raises(TypeError, match="takes the inputs x; it was given y"):
            server.submit(key=0, y=np.float32([0]))
        with pytest.raises(ValueError, match="key"):
            server.submit(key=-1, x=np.float32([0]))
        with pytest.raises(TypeError, match="key='a' must be an integer, not str"):
            server.submit(key="a", x=np.float32([0]))  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="the input 'x' of a request: .* cannot become a tensor"):
            server.submit(key=0, x=[b"no", b"sample"])
        for kind, error in [(BufferError, BufferError("lent")), (RuntimeError, LentOutError("lent")), (ValueError, ValueError("lent"))]:
            with pytest.raises(kind, match="the input 'x' of a request: .*lent") as refused:
                server.submit(key=0, x=Lent(error))
            assert refused.value.__cause__ is not None
        assert server.submit(key=np.int64(1), x=np.float32([0])).result()
    for name in ("key", "", None):
        pipe = Pipeline(1, 1)
        with pipe, pytest.raises(ValueError, match="external_source"):
            pipe.set_outputs(fn.external_source(name=name))
            pipe.serve()


@pytest.mark.parametrize("step", ["permute", "keep", "batch_function"])
def test_graphs_of_whole_batches_are_refused_by_name(step: str) -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        x = fn.external_source(name="x")
        if step == "permute":
            return fn.permute_batch(x, indices=[1, 0], name="culprit")
        if step == "keep":
            return fn.keep(x, where=True, name="culprit")
        return fn.python_function(x, function=lambda xs: xs, batch_processing=True, name="culprit")

    with pytest.raises(NotImplementedError, match="culprit"):
        make().serve()


def test_after_fork() -> None:
    with noisy().serve() as server:
        child = os.fork()
        if child == 0:
            try:
                server.submit(key=0, x=np.float32([0]))
            except RuntimeError as error:
                os._exit(0 if "fork" in str(error) else 2)
            os._exit(3)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        server.submit(key=0, x=np.float32([0])).result()
