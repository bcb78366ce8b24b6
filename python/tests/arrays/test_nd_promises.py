"""What arrays promise whatever is computed: errors stay, memory is shared, threads, signals and exits do no harm."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading

import numpy
import pytest

import forebay
from forebay import autograd, nd


def broken() -> nd.NDArray:
    """An array whose computing fails: the end of a pipeline's data."""

    @forebay.pipeline_def(batch_size=2, num_threads=1)
    def ends():
        def sample(info):
            if info.idx_in_epoch >= 2:
                raise StopIteration
            return numpy.zeros(3, numpy.float32)

        return forebay.fn.external_source(sample, batch=False)

    pipe = ends()
    pipe.run_arrays()
    return pipe.run_arrays()[0]


def test_an_error_is_raised_by_every_reader_any_number_of_times() -> None:
    bad = broken()
    later = (bad + 1).sum()
    for _ in range(3):
        with pytest.raises(StopIteration):
            later.asnumpy()
        with pytest.raises(StopIteration):
            bad.wait_to_read()
    bad[:] = 5
    assert (bad + 1).sum().asscalar() == 36


def test_waitall_raises_what_nobody_has_read() -> None:
    nd.ones(1 << 46)
    with pytest.raises(MemoryError, match="full"):
        nd.waitall()
    nd.waitall()


def test_shapes_that_do_not_fit_are_raised_by_the_call() -> None:
    with pytest.raises(ValueError, match="add: .*2x3"):
        nd.ones((2, 3)) + nd.ones(4)
    with pytest.raises(ValueError, match="astype"):
        nd.ones(3) + nd.ones(3, dtype="float64")
    with pytest.raises(IndexError):
        nd.ones(3)[3]
    with pytest.raises(TypeError):
        nd.ones(3) + "one"


def test_memory_is_shared_with_numpy() -> None:
    x = nd.arange(6).reshape((2, 3))
    before = forebay.bytes_copied()
    view = numpy.from_dlpack(x)
    assert forebay.bytes_copied() == before
    x[:] = 7
    nd.waitall()
    assert view.tolist() == [[7.0] * 3] * 2
    values = numpy.arange(4, dtype=numpy.float32)
    shared = nd.from_numpy(values)
    values[0] = 9
    assert shared.asnumpy()[0] == 9
    values.flags.writeable = False
    own = nd.from_numpy(values)
    own += 1
    assert own.asnumpy()[0] == 10 and values[0] == 9
    values.flags.writeable = True
    copied = nd.array(values)
    values[0] = 1
    assert copied.asnumpy()[0] == 9
    assert numpy.asarray(memoryview(x)).sum() == 42


def test_a_capsule_is_taken_as_mxnet_takes_it() -> None:
    x = nd.arange(6)
    capsule = x.__dlpack__()
    shared = nd.from_dlpack(capsule)
    x[:] = 7
    x.wait_to_read()  # `shared` is another array to the engine
    assert shared.asnumpy().tolist() == [7.0] * 6
    assert nd.from_dlpack(numpy.arange(3)).asnumpy().tolist() == [0, 1, 2]
    with pytest.raises(BufferError, match="taken once"):
        nd.from_dlpack(capsule)
    with pytest.raises(TypeError, match="list has no __dlpack__"):
        nd.from_dlpack([1, 2])
    for capsule in (x.to_dlpack_for_read(), nd.to_dlpack_for_write(x)):
        assert nd.from_dlpack(capsule).asnumpy().tolist() == [7.0] * 6


def test_a_gradient_that_was_lent_stays_where_it_is() -> None:
    x = nd.ones((1000, 10))
    x.attach_grad()
    view = numpy.from_dlpack(x.grad)
    with autograd.record():
        y = (x * 3).sum()
    y.backward()
    nd.waitall()
    assert view.tolist() == numpy.full((1000, 10), 3.0).tolist()


def test_gradients_change_hands_without_a_copy() -> None:
    x = nd.ones((1000, 1000))
    x.attach_grad()
    with autograd.record():
        y = x * 3
    nd.waitall()
    before = forebay.bytes_copied()
    y.backward()
    del y
    nd.waitall()
    assert forebay.bytes_copied() == before
    assert x.grad.asnumpy()[0, 0] == 3


def test_several_threads_compute() -> None:
    totals = [0.0] * 8

    def work(index: int) -> None:
        x = nd.full((100,), float(index))
        for _ in range(200):
            x = x + 1
        totals[index] = float(x.sum().asscalar())

    threads = [threading.Thread(target=work, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert totals == [100.0 * (200 + index) for index in range(8)]


def test_recording_is_of_the_thread() -> None:
    seen = []
    with autograd.record():
        thread = threading.Thread(target=lambda: seen.append(autograd.is_recording()))
        thread.start()
        thread.join()
        assert autograd.is_recording() and autograd.is_training()
        with autograd.pause():
            assert not autograd.is_recording()
    assert seen == [False]
    assert not autograd.is_recording()


def test_random_numbers_depend_on_the_seed_alone() -> None:
    def draw() -> list[float]:
        nd.random.seed(12)
        first = nd.random.uniform(shape=(1000, 70))
        second = nd.random.normal(shape=(1000, 70))
        return [float(first.sum().asscalar()), float(second.sum().asscalar())]

    assert draw() == draw()


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | environment,
    )


def test_a_program_may_end_with_work_queued() -> None:
    result = run_python("from forebay import nd\nx = nd.ones((500, 500))\nfor _ in range(300): x = nd.dot(x, x) * 0.001\n")
    assert (result.returncode, result.stderr) == (0, "")


def test_a_wait_can_be_interrupted() -> None:
    code = (
        "import os, signal, threading\nfrom forebay import nd\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs ignore it
        "x = nd.ones((2000, 2000))\n"
        "for _ in range(2000): x = nd.dot(x, x) * 0.0005\n"
        "threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    x.wait_to_read()\nexcept KeyboardInterrupt:\n    print('interrupted', flush=True)\n    os._exit(0)\n"
    )
    result = run_python(code)
    assert result.stdout == "interrupted\n", result.stderr


def test_a_forked_child_has_arrays_of_its_own() -> None:
    code = (
        "import os\nfrom forebay import nd\nx = nd.ones(3)\nx.wait_to_read()\npid = os.fork()\n"
        "if pid == 0:\n"
        "    assert nd.ones(4).sum().asscalar() == 4\n"
        "    try:\n        x + 1\n    except RuntimeError as error:\n        os._exit(0 if 'fork' in str(error) else 2)\n"
        "    os._exit(1)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0\nassert (x + 1).sum().asscalar() == 6\n"
    )
    result = run_python(code)
    assert result.returncode == 0, result.stderr


def test_arrays_are_pickled_and_freed() -> None:
    import pickle

    x = nd.arange(5).astype("int32")
    y = pickle.loads(pickle.dumps(x))
    assert y.dtype is numpy.int32
    assert y.asnumpy().tolist() == [0, 1, 2, 3, 4]
    gc.collect()


# Says where the errors of an operation and of a pipeline's batch are raised, and that they stick.
WHERE_ERRORS_ARE_RAISED = """
import forebay, numpy
from forebay import fn, nd

@forebay.pipeline_def(batch_size=1, num_threads=1)
def ends():
    def sample(info):
        if info.idx_in_epoch >= 1:
            raise StopIteration
        return numpy.zeros(3, numpy.float32)
    return fn.external_source(sample, batch=False)

pipe = ends()
assert (pipe.run_arrays()[0] + 1).sum().asscalar() == 3
for make in (lambda: nd.ones(1 << 46), lambda: pipe.run_arrays()[0]):
    try:
        x = make()
    except (MemoryError, StopIteration) as error:
        print("call", type(error).__name__)
        continue
    try:
        x.wait_to_read()
    except (MemoryError, StopIteration) as error:
        print("wait", type(error).__name__)
"""


@pytest.mark.parametrize(("engine", "place"), [("", "wait"), ("threaded", "wait"), ("naive", "call")])
def test_the_naive_engine_raises_errors_at_the_call(engine: str, place: str) -> None:
    result = run_python(WHERE_ERRORS_ARE_RAISED, FOREBAY_ARRAY_ENGINE=engine)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.split() == [place, "MemoryError", place, "StopIteration"]


def test_the_naive_engine_computes_on_the_thread_that_calls() -> None:
    code = (
        "import os, time\nfrom forebay import autograd, nd\nx = nd.ones((300, 300))\nx.attach_grad()\n"
        "with autograd.record():\n    y = nd.dot(x, x).sum()\ny.backward()\n"
        "assert x.grad.asnumpy()[0, 0] == 600\nassert len(os.listdir('/proc/self/task')) == 1\n"
    )
    result = run_python(code, FOREBAY_ARRAY_ENGINE="naive", OPENBLAS_NUM_THREADS="1")
    assert result.returncode == 0, result.stderr


def test_an_engine_that_is_not_known_is_told() -> None:
    result = run_python("from forebay import nd\nnd.ones(1).asnumpy()", FOREBAY_ARRAY_ENGINE="Naive")
    assert result.returncode == 0
    assert "neither 'naive' nor 'threaded'" in result.stderr
