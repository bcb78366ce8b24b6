"""Errors of arrays name the line of the user's script that asked for the operation, not the package's."""

from __future__ import annotations

import inspect
import subprocess
import sys
import threading

import pytest

from forebay import autograd, gluon, nd

MUCH = 1 << 46  # more elements than there is memory for


def line() -> int:
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back.f_lineno


def expect_line(array: nd.NDArray, where: int, task: str) -> None:
    with pytest.raises(MemoryError, match=rf"task '{task}' \(pushed at test_push_sites.py:{where}\): "):
        array.wait_to_read()


def test_an_operator_that_fails_in_its_task() -> None:
    bad, where = nd.ones(MUCH), line()
    later = bad + 1
    expect_line(bad, where, "full")
    expect_line(later, where, "full")


def test_the_same_line_any_number_of_times_and_other_lines_of_the_same_code() -> None:
    for _ in range(3):
        first, where = nd.ones(MUCH), line()
        expect_line(first, where, "full")
        second, where = nd.ones((1, 1)).broadcast_to((MUCH, 1)), line()
        expect_line(second, where, "broadcast_to")


def test_under_autograd() -> None:
    x = nd.ones((1, 1))
    x.attach_grad()
    with autograd.record():
        y, where = x.broadcast_to((MUCH, 1)), line()
    expect_line(y, where, "broadcast_to")


def test_a_layer_of_the_package() -> None:
    net = gluon.nn.Dense(MUCH, in_units=1)
    where = line() + 1
    net.initialize()
    with pytest.raises(MemoryError, match=rf"\(pushed at test_push_sites.py:{where}\)"):
        net.weight.data().wait_to_read()


def test_a_layer_of_the_user() -> None:
    class Layer(gluon.nn.Block):
        def forward(self, x: nd.NDArray) -> nd.NDArray:
            self.line = line() + 1
            return nd.broadcast_to(x, (MUCH, 1))

    layer = Layer()
    with autograd.record():
        y = layer(nd.ones((1, 1)))
    expect_line(y, layer.line, "broadcast_to")


def test_a_thread_of_its_own() -> None:
    made: list[tuple[nd.NDArray, int]] = []
    thread = threading.Thread(target=lambda: made.append((nd.ones(MUCH), line())))
    thread.start()
    thread.join()
    expect_line(*made[0], "full")


def test_code_that_comes_and_goes() -> None:
    for number in range(3000):  # more than are kept; new code may lie where old code lay
        source = "\n" * (number % 7) + "made = nd.ones(MUCH)"
        names = {"nd": nd, "MUCH": MUCH}
        exec(compile(source, f"/some/where/script_{number}.py", "exec"), names)
        if number % 100 == 0:
            with pytest.raises(MemoryError, match=rf"pushed at script_{number}.py:{number % 7 + 1}\)"):
                names["made"].wait_to_read()  # type: ignore[attr-defined]


def test_a_script_without_a_file() -> None:
    code = f"from forebay import nd\nx = nd.ones({MUCH})\ntry: x.wait_to_read()\nexcept MemoryError as error: print(error)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "task 'full' (pushed at <string>:2): " in result.stdout
