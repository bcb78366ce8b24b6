"""Sources in worker processes: order, epochs, start methods, and what happens when anything dies."""

from __future__ import annotations

import gc
import os
import pathlib
import select
import signal
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest

from forebay import Pipeline, fn, pipeline_def, types
from forebay.plugin.numpy import NumpyIterator

METHODS = ["fork", "spawn", "forkserver"]


def build(source: Any, *, method: str = "fork", workers: int = 2, depth: int = 2, batch_size: int = 5, **named: Any) -> Pipeline:
    pipeline_arguments = named.pop("pipeline", {})

    @pipeline_def(
        batch_size=batch_size, num_threads=1, seed=3, py_num_workers=workers, py_start_method=method, **pipeline_arguments
    )
    def make() -> Any:
        outputs = fn.external_source(source, parallel=True, prefetch_queue_depth=depth, **named)
        return tuple(outputs) if isinstance(outputs, list) else outputs

    return make()


def values(pipe: Pipeline) -> list[list[Any]]:
    """The batches of an epoch."""
    batches = []
    while True:
        try:
            batches.append([np.array(sample).tolist() for sample in pipe.run()[0]])
        except StopIteration:
            pipe.reset()
            return batches


def four_batches(info: types.SampleInfo) -> np.ndarray:
    if info.iteration == 4:
        raise StopIteration
    assert info.idx_in_epoch == info.iteration * 5 + info.idx_in_batch
    return np.array([info.idx_in_epoch, info.epoch_idx], np.int64)


def three_batches(info: types.BatchInfo) -> list[np.ndarray]:
    if info.iteration >= 3:
        raise StopIteration
    return [np.full(k + 1, info.iteration * 10 + info.epoch_idx, np.float32) for k in range(info.iteration + 2)]


def by_iteration(iteration: int) -> np.ndarray:
    if iteration >= 3:
        raise StopIteration
    return np.arange(10, dtype=np.float32).reshape(5, 2) + iteration


def generated() -> Any:
    for k in range(3):
        yield [np.int32(10 * k + place) for place in range(5)]


class Counted:
    """An iterable that is no generator."""

    def __iter__(self) -> Any:
        return iter([[np.int32(k)] * 5 for k in range(2)])


@pytest.mark.parametrize("method", METHODS)
def test_samples_come_in_order_epoch_after_epoch(method: str) -> None:
    pipe = build(four_batches, method=method, batch=False, workers=3)
    for epoch in range(3):
        assert values(pipe) == [[[5 * i + k, epoch] for k in range(5)] for i in range(4)]
    pipe.close()


@pytest.mark.parametrize("method", METHODS)
def test_batches_of_any_size_by_different_workers(method: str) -> None:
    pipe = build(three_batches, method=method, batch_info=True, depth=5)
    for epoch in range(2):
        assert values(pipe) == [[[i * 10.0 + epoch] * (k + 1) for k in range(i + 2)] for i in range(3)]
    pipe.close()


def test_one_array_is_a_batch_and_layouts_are_kept() -> None:
    pipe = build(by_iteration, layout="X", dtype=types.FLOAT, ndim=1)
    batch = pipe.run()[0]
    assert batch.layout() == "X"
    np.testing.assert_array_equal(batch.as_array(), by_iteration(0))
    np.testing.assert_array_equal(pipe.run()[0].as_array(), by_iteration(1))


@pytest.mark.parametrize("method", ["fork", "forkserver"])
@pytest.mark.parametrize("source", [generated, Counted()], ids=["generator", "iterable"])
def test_an_iterable_has_one_worker_and_keeps_its_place(method: str, source: Any) -> None:
    once = values(build(list(generated()) if source is generated else list(Counted()), cycle="raise"))
    pipe = build(source, method=method, cycle="raise", depth=4)
    assert [values(pipe) for _ in range(3)] == [once] * 3
    quiet = build(source, method=method, cycle="quiet", depth=3)
    assert [[np.array(sample).tolist() for sample in quiet.run()[0]] for _ in range(7)] == (once * 4)[:7]
    ending = build(source, method=method)
    assert [values(ending), values(ending)] == [once, []]


def test_samples_of_a_generator() -> None:
    def numbers() -> Any:
        yield from (np.int32(k) for k in range(12))

    pipe = build(numbers, batch=False, cycle="raise")
    assert [values(pipe), values(pipe)] == [[[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11]]] * 2


def test_several_outputs_and_several_sources() -> None:
    def pair(info: types.SampleInfo) -> Any:
        return np.int32(info.idx_in_epoch), np.full((2, 2), info.idx_in_batch, np.uint8)

    @pipeline_def(batch_size=4, num_threads=1, py_num_workers=2)
    def make() -> Any:
        one, two = fn.external_source(pair, num_outputs=2, parallel=True, batch=False, layout=["", "HW"])
        steps = fn.external_source(lambda i: [np.int32(100 * i)] * 4, parallel=True)
        here = fn.external_source(lambda i: [np.int32(1000 * i)] * 4)
        return one, two, steps, here

    pipe = make()
    for i in range(3):
        one, two, steps, here = pipe.run()
        assert one.as_array().tolist() == [4 * i + k for k in range(4)]
        assert two.as_array()[3].tolist() == [[3, 3], [3, 3]] and two.layout() == "HW"
        assert steps.as_array().tolist() == [100 * i] * 4 and here.as_array().tolist() == [1000 * i] * 4


def test_data_is_the_same_for_any_number_of_workers_and_any_depth() -> None:
    def drawn(info: types.SampleInfo) -> np.ndarray:
        if info.iteration == 3:
            raise StopIteration
        return np.random.rand(3)

    runs = [values(build(drawn, batch=False, workers=workers, depth=depth)) for workers, depth in ((1, 1), (3, 1), (2, 4))]
    assert runs[0] == runs[1] == runs[2]
    assert len({value for batch in runs[0] for sample in batch for value in sample}) == 45


@pytest.mark.parametrize("method", METHODS)
def test_lambdas_and_closures_travel(method: str) -> None:
    offset = 7
    pipe = build(lambda info: np.int32(info.idx_in_epoch + offset), method=method, batch=False)
    assert pipe.run()[0].as_array().tolist() == [7, 8, 9, 10, 11]


def test_kept_batches_are_not_written_again() -> None:
    pipe = build(lambda i: [np.full(50000, 100 * i + k, np.int32) for k in range(5)], depth=1, workers=1)
    kept = [pipe.run()[0] for _ in range(12)]
    for i, batch in enumerate(kept):
        assert [int(np.array(sample)[0]) for sample in batch] == [100 * i + k for k in range(5)]
        assert all((np.array(sample) == np.array(sample)[0]).all() for sample in batch)


def test_memory_is_used_again_and_nothing_is_copied() -> None:
    import forebay

    pipe = build(lambda i: [np.full(20000, i, np.float32)] * 5, workers=1, depth=1, pipeline={"prefetch_queue_depth": 1})
    pipe.run()
    before = forebay.bytes_copied()
    for _ in range(30):
        assert float(np.array(pipe.run()[0][0])[0]) > 0
    assert forebay.bytes_copied() - before < 30 * 5 * 80000 * 2  # joining the batch may copy it; the workers' data is not
    statistics = pipe.external_source_shm_statistics()
    assert 1 <= len(statistics["capacities"]) <= 8
    assert min(statistics["capacities"]) >= 5 * 80000 and min(statistics["per_sample_capacities"]) >= 80000


def test_a_hint_makes_the_memory_large_at_once() -> None:
    pipe = build(lambda info: np.uint8(1), batch=False, workers=1, bytes_per_sample_hint=1 << 20)
    pipe.run()
    assert min(pipe.external_source_shm_statistics()["capacities"]) >= 5 << 20


class Odd(Exception):
    """Of two arguments, which pickle cannot make again from its message."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"odd {first} {second}")


@pytest.mark.parametrize("error", [KeyError("gone"), ValueError("bad"), Odd(1, 2)], ids=["key", "value", "odd"])
def test_an_error_has_the_workers_traceback(error: Exception) -> None:
    def failing(info: types.SampleInfo) -> np.ndarray:
        if info.idx_in_epoch == 8:
            raise error
        return np.zeros(1)

    pipe = build(failing, batch=False)
    pipe.run()
    with pytest.raises((type(error), RuntimeError)) as raised:
        pipe.run()
    chain = f"{raised.value} {raised.value.__cause__}"
    assert "in failing" in chain and "raise error" in chain
    pipe.close()


def test_what_is_no_array_is_an_error_of_the_source() -> None:
    with pytest.raises((TypeError, ValueError, RuntimeError), match="cannot become a tensor"):
        build(lambda info: np.array(["a"]), batch=False).run()
    with pytest.raises((ValueError, RuntimeError), match="2 outputs are expected"):
        build(lambda i: [np.zeros(1)], num_outputs=2).run()
    with pytest.raises((TypeError, RuntimeError), match="promised"):
        build(lambda i: [np.zeros(1)], dtype=types.INT32).run()


def test_a_killed_worker_is_an_error_and_the_pipeline_closes() -> None:
    pipe = build(lambda info: np.int32(info.idx_in_epoch), batch=False, depth=1, pipeline={"prefetch_queue_depth": 1})
    pipe.run()
    victims = pipe._source_workers.pids()
    os.kill(victims[0], signal.SIGKILL)
    with pytest.raises(RuntimeError, match=rf"worker process {victims[0]} was killed by SIGKILL"):
        for _ in range(10):
            pipe.run()
    pipe.close()
    for pid in victims:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_worker_that_ends_itself_is_an_error() -> None:
    def leaving(info: types.SampleInfo) -> np.ndarray:
        os._exit(3)

    with pytest.raises(RuntimeError, match="ended with code 3"):
        build(leaving, batch=False).run()


def test_close_does_not_wait_for_a_source_that_waits(tmp_path: pathlib.Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    def waiting(info: types.SampleInfo) -> np.ndarray:
        if info.iteration == 1:
            gate.read_bytes()  # nobody ever writes
        return np.zeros(1)

    pipe = build(waiting, batch=False, depth=1)
    pipe.run()
    pids = pipe._source_workers.pids()
    pipe.close()
    pipe.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    with pytest.raises(RuntimeError, match="closed"):
        pipe.run()


def test_batches_outlive_their_pipeline() -> None:
    pipe = build(lambda i: [np.full(1000, i, np.int32)] * 5)
    batches = [pipe.run()[0] for _ in range(3)]
    pipe.close()
    del pipe
    assert [int(np.array(batch[4])[999]) for batch in batches] == [0, 1, 2]


def test_a_dropped_pipeline_leaves_no_process() -> None:
    pipe = build(lambda i: [np.int32(i)] * 5)
    pipe.run()
    pids = pipe._source_workers.pids()
    del pipe
    gc.collect()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_two_pipelines_at_a_time_and_twice() -> None:
    for _ in range(2):
        first, second = build(four_batches, batch=False), build(four_batches, batch=False, workers=1)
        for i in range(4):
            for pipe in (first, second):
                assert pipe.run()[0].as_array()[:, 0].tolist() == [5 * i + k for k in range(5)]
        first.close()
        with pytest.raises(StopIteration):
            second.run()
        second.close()


def test_a_pipeline_closes_beside_a_later_one() -> None:
    """Whose workers, forked from this process, have its sockets too."""
    first = build(four_batches, batch=False)
    first.run()
    processes = [each.process for each in first._source_workers._workers]
    second = build(four_batches, batch=False)
    second.run()
    first.close()
    assert [process.exitcode for process in processes] == [0, 0]  # not killed
    second.run()
    second.close()


def test_under_an_iterator_with_epochs() -> None:
    iterator = NumpyIterator(build(four_batches, batch=False), ["x"], auto_reset=True)
    for epoch in range(2):
        got = [batch[0]["x"] for batch in iterator]
        np.testing.assert_array_equal(np.concatenate(got), [[k, epoch] for k in range(20)])


def test_workers_started_early_are_those_used() -> None:
    pipe = build(four_batches, batch=False)
    pipe.start_py_workers()
    pids = pipe._source_workers.pids()
    pipe.run()
    assert pipe._source_workers.pids() == pids and (pipe.py_num_workers, pipe.py_start_method) == (2, "fork")


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: build(lambda: [np.zeros(1)]), TypeError, "takes one argument"),
        (lambda: build(None), ValueError, "needs a `source`"),
        (lambda: build(four_batches, no_copy=False), ValueError, "no_copy=False"),
        (lambda: build(four_batches, depth=0), ValueError, "at least 1"),
        (lambda: build(four_batches, method="thread"), ValueError, "py_start_method='thread' must be one of"),
        (lambda: build(four_batches, workers=0), ValueError, "py_num_workers=0"),
        (lambda: build(four_batches, pipeline={"py_callback_pickler": np}), ValueError, "nothing to do with"),
        (lambda: build(Unsent(), method="spawn", batch=False).build(), TypeError, "cannot be sent to a worker process"),
    ],
)
def test_what_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


class Unsent:
    def __call__(self, info: types.SampleInfo) -> np.ndarray:
        return np.zeros(1)

    def __reduce__(self) -> Any:
        raise TypeError("not by pickle")


def test_arguments_of_parallel_sources_need_parallel() -> None:
    for name in ("prefetch_queue_depth", "bytes_per_sample_hint"):
        with pytest.raises(ValueError, match=f"`{name}` is for parallel=True"), Pipeline(1):
            fn.external_source(lambda: [np.zeros(1)], **{name: 3})


class Marked:
    """A pickler that shows that it was used."""

    @staticmethod
    def dumps(value: Any, mark: bytes) -> bytes:
        import pickle

        return mark + pickle.dumps(value)

    @staticmethod
    def loads(data: bytes, mark: bytes) -> Any:
        import pickle

        assert data.startswith(mark)
        return pickle.loads(data[len(mark) :])


def test_a_pickler_of_the_users() -> None:
    pickler = (Marked, {"mark": b"!"}, {"mark": b"!"})
    pipe = build(four_batches, method="spawn", batch=False, pipeline={"py_callback_pickler": pickler})
    assert len(values(pipe)) == 4


ORPHANS = """
import os, signal, sys
import numpy as np
from forebay import fn, pipeline_def

def source(info):
    if info.iteration == 1:
        open(sys.argv[2]).read()  # a pipe that nobody writes to: in the middle of a source
    return np.zeros(1000)

if __name__ == "__main__":
    @pipeline_def(batch_size=4, num_threads=1, py_num_workers=2, py_start_method=sys.argv[1])
    def make():
        return fn.external_source(source, parallel=True, batch=False)

    pipe = make()
    pipe.run()
    print(*pipe._source_workers.pids(), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def wait_for_end(pid: int) -> None:
    """Until that process, which is no child of ours, has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([descriptor], [], [], 60)[0]
    finally:
        os.close(descriptor)


def shared_names() -> set[str]:
    """What lies in shared memory, but for semaphores, as Python's own modules make them in other tests meanwhile."""
    return {name for name in os.listdir("/dev/shm") if not name.startswith("sem.")}


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_left_when_the_process_is_killed(method: str, tmp_path: pathlib.Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    script = tmp_path / "orphans.py"
    script.write_text(ORPHANS)
    before = shared_names()
    process = subprocess.Popen([sys.executable, str(script), method, str(gate)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    # The pipe ends when the last process that holds it does: the workers inherit it.
    pids = process.stdout.read().split()
    assert process.wait() == -signal.SIGKILL and len(pids) == 2
    for pid in pids:
        wait_for_end(int(pid))
    assert shared_names() <= before


def test_an_interrupt_goes_to_the_script(tmp_path: pathlib.Path) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(textwrap.dedent("""
        import os, signal
        import numpy as np
        from forebay import fn, pipeline_def

        @pipeline_def(batch_size=2, num_threads=1, py_num_workers=2)
        def make():
            return fn.external_source(lambda info: np.int32(info.idx_in_epoch), parallel=True, batch=False)

        signal.signal(signal.SIGINT, signal.default_int_handler)
        pipe = make()
        pipe.run()
        try:
            os.killpg(0, signal.SIGINT)  # as a terminal does
            while True:
                pipe.run()
        except KeyboardInterrupt:
            print(pipe.run()[0].as_array().size)
    """))
    result = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, start_new_session=True, timeout=120
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "2\n", "")


def test_silent_at_the_end_of_the_interpreter(tmp_path: pathlib.Path) -> None:
    script = tmp_path / "ends.py"
    script.write_text(textwrap.dedent("""
        import numpy as np
        from forebay import fn, pipeline_def

        @pipeline_def(batch_size=2, num_threads=1, py_num_workers=2)
        def make():
            return fn.external_source(lambda info: np.zeros(100000), parallel=True, batch=False, prefetch_queue_depth=3)

        pipe = make()
        kept = [pipe.run()]
    """))
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_an_epoch_that_another_source_ends_begins_anew_here_too() -> None:
    @pipeline_def(batch_size=1, num_threads=1, py_num_workers=2)
    def make() -> Any:
        short = fn.external_source([[np.int32(k)] for k in range(2)], parallel=True, cycle="raise")
        return short, fn.external_source(long, parallel=True, cycle="raise", prefetch_queue_depth=3)

    def long() -> Any:
        yield from ([np.int32(10 + k)] for k in range(5))

    pipe = make()
    for _ in range(3):
        got = [[int(batch.as_array()[0]) for batch in pipe.run()] for _ in range(2)]
        assert got == [[0, 10], [1, 11]]
        with pytest.raises(StopIteration):
            pipe.run()
        pipe.reset()
