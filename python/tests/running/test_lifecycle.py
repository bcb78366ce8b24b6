"""Signals, fork, spawn, and the end of the interpreter; each in a process of its own."""

from __future__ import annotations

import contextlib
import pathlib
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator

import pytest
from stalling_server import StallingServer, stalling_server

TESTS = pathlib.Path(__file__).parents[1] / "support"

HEAD = """
import os, signal, sys, threading, time
sys.path.insert(0, {tests!r})
import numpy as np
from forebay import fn, pipeline_def
from sample_pipelines import augmented
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background of a shell start with it ignored
ROOT = {root!r}

def counts():
    return {{"threads": len(os.listdir("/proc/self/task")), "files": len(os.listdir("/proc/self/fd"))}}

LAZY = 8  # threads and descriptors that the library may still make for itself, once a process

def check_nothing_left(before):
    # No threads and descriptors are left behind, once what was cancelled has ended.
    end = time.monotonic() + 30
    def more():
        return any(counts()[kind] > before[kind] + LAZY for kind in before)
    while more() and time.monotonic() < end:
        os.sched_yield()
    assert not more(), (counts(), before)
"""


def run(body: str, photos: pathlib.Path, code: int = 0) -> str:
    """The output of a script; it must end with that code, and silently on stderr."""
    script = HEAD.format(tests=str(TESTS), root=str(photos)) + textwrap.dedent(body)
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (result.returncode, result.stderr) == (code, "")
    return result.stdout


INTERRUPTED = """
    resumed = threading.Event()
    armed = [False]

    def interrupt(x):
        if armed[0]:
            armed[0] = False
            os.kill(os.getpid(), signal.SIGINT)
            resumed.wait({wait})
        return x

    @pipeline_def(batch_size=4, num_threads=2, prefetch_queue_depth=2)
    def make():
        {graph}

    def once():
        resumed.clear()
        armed[0] = True
        pipe = make()
        try:
            for _ in range(20):
                pipe.run()
            print("not interrupted")
        except KeyboardInterrupt:
            print("interrupted")
        resumed.set()
        for _ in range(5):
            size = len(pipe.run()[0])
        pipe.close()
        return size

    assert once() == 4  # starts every thread
    before = counts()
    for _ in range(11):
        assert once() == 4
    check_nothing_left(before)
"""

GRAPHS = {
    "in a Python function": ("60", "return fn.python_function(fn.readers.file(file_root=ROOT)[1], function=interrupt)"),
    "in a source": ("60", "return fn.external_source(lambda: interrupt([np.zeros(1)] * 4))"),
    "while others decode": (
        "0",
        "jpegs = fn.readers.file(file_root=ROOT)[0]; "
        "return fn.decoders.image(jpegs), fn.external_source(lambda: interrupt([np.zeros(1)] * 4))",
    ),
    "while others read": (
        "0",
        "return fn.readers.file(file_root=ROOT)[0], fn.external_source(lambda: interrupt([np.zeros(1)] * 4))",
    ),
}


@pytest.mark.parametrize("where", GRAPHS)
def test_interrupt(where: str, photos: pathlib.Path) -> None:
    wait, graph = GRAPHS[where]
    body = INTERRUPTED.format(wait=wait, graph=graph)
    assert run(body, photos).split() == ["interrupted"] * 12


def test_a_signal_handler_runs_while_a_batch_is_waited_for(photos: pathlib.Path) -> None:
    body = """
    handled = threading.Event()
    signal.signal(signal.SIGUSR1, lambda *_: handled.set())

    def source():
        os.kill(os.getpid(), signal.SIGUSR1)
        assert handled.wait(60)
        return [np.zeros(1)] * 4

    @pipeline_def(batch_size=4, num_threads=1)
    def make():
        return fn.external_source(source)

    print(len(make().run()[0]))
    """
    assert run(body, photos) == "4\n"


def test_fork(photos: pathlib.Path) -> None:
    body = """
    pipe = augmented(ROOT, batch_size=4)
    wanted = pipe.run()[0].as_array().copy()
    child = os.fork()
    if child == 0:
        try:
            pipe.run()
        except RuntimeError as error:
            assert "fork" in str(error), error
        else:
            os._exit(3)
        del pipe
        fresh = augmented(ROOT, batch_size=4)
        assert (fresh.run()[0].as_array() == wanted).all()
        sys.exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    pipe.run()
    print("parent goes on")
    """
    assert run(body, photos) == "parent goes on\n"


def test_a_forked_child_waits_for_no_source_of_its_parent(photos: pathlib.Path) -> None:
    body = """
    entered, may_go_on = threading.Event(), threading.Event()

    def source():
        entered.set()
        assert may_go_on.wait(60)
        return [np.zeros(1, np.uint8)] * 4

    @pipeline_def(batch_size=4, num_threads=1)
    def make():
        return fn.external_source(source)

    pipe = make()
    pipe.schedule_run()
    assert entered.wait(60)
    child = os.fork()
    if child == 0:
        from forebay import _core
        os._exit(0 if _core.await_python_calls() else 3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    may_go_on.set()
    print("parent goes on")
    """
    assert run(body, photos) == "parent goes on\n"


def test_spawn(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    script = tmp_path / "spawn.py"
    head = HEAD.format(tests=str(TESTS), root=str(photos))
    body = """
    import multiprocessing

    def work(_):
        return float(augmented(ROOT, batch_size=4).run()[0].as_array().sum())

    if __name__ == "__main__":
        pipe = augmented(ROOT, batch_size=4)
        here = float(pipe.run()[0].as_array().sum())
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            assert pool.map(work, range(2)) == [here, here]
        print("equal")
    """
    script.write_text(head + textwrap.dedent(body))
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert (result.returncode, result.stdout, result.stderr) == (0, "equal\n", "")


@pytest.mark.parametrize("ending", ["", "sys.exit(3)", "del pipe", "kept.append(kept)", "threading.Thread(target=lambda: 0).start()"])
def test_the_interpreter_ends_silently_with_batches_in_flight(ending: str, photos: pathlib.Path) -> None:
    body = f"""
    def slow(x):
        return np.sort(np.random.rand(200000))[:4]

    @pipeline_def(batch_size=8, num_threads=3, prefetch_queue_depth=6)
    def make():
        jpegs, labels = fn.readers.file(file_root=ROOT)
        images = fn.resize(fn.decoders.image(jpegs), size=(300, 300))
        source = fn.external_source(lambda: [np.zeros((100, 100))] * 8)
        return images, fn.python_function(labels, function=slow), source

    pipe = make()
    kept = [pipe.run()]
    {ending}
    """
    run(body, photos, 3 if "exit" in ending else 0)


def test_the_interpreter_ends_silently_with_requests_in_flight(photos: pathlib.Path) -> None:
    body = """
    @pipeline_def(batch_size=1, num_threads=2)
    def make():
        return fn.python_function(fn.external_source(name="x"), function=lambda x: np.sort(np.random.rand(200000))[:4])

    server = make().serve()
    futures = [server.submit(key=key, x=np.zeros(1)) for key in range(100)]
    print(len(futures[0].result()))
    """
    assert run(body, photos) == "1\n"


def test_a_source_that_waits_for_ever_does_not_hold_the_interpreter(photos: pathlib.Path) -> None:
    body = """
    def source(i):
        if i == 2:
            threading.Event().wait()
        return [np.zeros(1)] * 4

    @pipeline_def(batch_size=4, num_threads=1, prefetch_queue_depth=3)
    def make():
        return fn.external_source(source)

    pipe = make()
    print(len(pipe.run()[0]))
    """
    assert run(body, photos) == "4\n"


def test_pipelines_come_and_go(photos: pathlib.Path) -> None:
    body = """
    def once():
        pipe = augmented(ROOT, batch_size=4, num_threads=2)
        pipe.run()
        pipe.build()

    for _ in range(3):
        once()
    before = counts()
    for _ in range(20):
        once()
    check_nothing_left(before)
    """
    run(body, photos)


@pytest.mark.parametrize("step", ["array.copy()", "interop.column(values)", "interop.column(Producer())"])
def test_threads_inside_the_library_when_the_interpreter_ends(step: str, photos: pathlib.Path) -> None:
    run(f"""
    from forebay import interop
    values = np.arange(10.0)
    array, column = interop.array(values), interop.column(values)

    class Producer:
        def __arrow_c_array__(self, requested_schema=None):
            return column.__arrow_c_array__()

    running = [threading.Event() for _ in range(4)]

    def work(event):
        while True:
            {step}
            event.set()

    for event in running:
        threading.Thread(target=work, args=(event,), daemon=True).start()
    for event in running:
        event.wait()
    """, photos)


@contextlib.contextmanager
def telling_server(asked: pathlib.Path) -> Iterator[StallingServer]:
    """A server that stalls, and makes the file once it was asked."""
    with stalling_server() as server:
        def tell() -> None:
            server.was_asked.wait(60)
            asked.touch()

        telling = threading.Thread(target=tell)
        telling.start()
        yield server
        telling.join()


def test_threads_that_wait_for_a_store_when_the_interpreter_ends(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    asked = tmp_path / "asked"
    with telling_server(asked) as server:
        run(f"""
        from forebay.filesystem import ForebayFileSystem

        class Slow:
            # The interpreter is ending while this sleeps, and the threads below go on asking about signals.
            def __del__(self, sleep=time.sleep):
                sleep(0.3)

        slow = Slow()

        def work():
            ForebayFileSystem().cat_file({server.uri!r})

        for _ in range(4):
            threading.Thread(target=work, daemon=True).start()
        while not os.path.exists({str(asked)!r}):
            time.sleep(0.01)
        """, photos)


def test_ctrl_c_ends_the_building_of_an_index(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    asked = tmp_path / "asked"
    with telling_server(asked) as server:
        said = run(f"""
        @pipeline_def(batch_size=4, num_threads=2)
        def make():
            return fn.readers.webdataset(paths=[{server.uri!r}], ext=["jpg"])

        def interrupt():
            while not os.path.exists({str(asked)!r}):
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt, daemon=True).start()
        try:
            make().build()
        except KeyboardInterrupt:
            print("interrupted")
        """, photos)
    assert said == "interrupted\n"
