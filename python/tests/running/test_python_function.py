"""Operators written in Python."""

from __future__ import annotations

import gc
import pathlib
import weakref
from typing import Any, Callable

import numpy as np
import pytest

from forebay import Pipeline, SampleError, fn, pipeline_def, types
from forebay.graph import python_function


def build(function: Callable[..., Any], inputs: int = 1, **arguments: Any) -> Pipeline:
    pipeline = arguments.pop("pipeline", {})

    @pipeline_def(**{"batch_size": 4, "num_threads": 2, **pipeline})
    def make() -> Any:
        numbers = fn.external_source(lambda i: [np.array([4 * i + k, k], np.int32) for k in range(4)])
        outputs = fn.python_function(*[numbers] * inputs, function=function, **arguments)
        return tuple(outputs) if isinstance(outputs, list) else outputs

    return make()


def test_each_sample() -> None:
    (output,) = build(lambda x: x * 2).run()
    np.testing.assert_array_equal(output.as_array(), [[0, 0], [2, 2], [4, 4], [6, 6]])


def test_several_inputs_and_outputs() -> None:
    pipe = build(lambda a, b: (a + b, np.float32(a.sum())), inputs=2, num_outputs=2, output_layouts=["X"])
    total, number = pipe.run()
    np.testing.assert_array_equal(total.as_array()[3], [6, 6])
    assert (total.layout(), number.layout()) == ("X", "")
    assert number.shape() == [()] * 4
    assert number.dtype == types.FLOAT


def test_the_whole_batch() -> None:
    def function(batch: list[np.ndarray]) -> list[np.ndarray]:
        assert len(batch) == 4
        return batch[::-1]

    (output,) = build(function, batch_processing=True).run()
    np.testing.assert_array_equal(output.as_array()[:, 0], [3, 2, 1, 0])


def test_output_goes_on_into_other_operators() -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        data = fn.external_source(lambda: [np.arange(3, dtype=np.uint8)] * 2)
        return fn.cast(fn.python_function(data, function=lambda x: x + 1), dtype=types.FLOAT) + 0.5

    (output,) = make().run()
    np.testing.assert_array_equal(output.as_array(), [[1.5, 2.5, 3.5]] * 2)


def test_a_function_may_write_what_it_gets() -> None:
    def function(x: np.ndarray) -> np.ndarray:
        x *= 0
        return x

    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        data = fn.external_source(lambda: [np.array([1, 2])] * 2)
        return fn.python_function(data, function=function), data

    zeros, data = make().run()
    np.testing.assert_array_equal(zeros.as_array(), [[0, 0]] * 2)
    np.testing.assert_array_equal(data.as_array(), [[1, 2]] * 2)  # what others see stays


def test_constants_and_arrays_are_inputs() -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        data = fn.external_source(lambda: [np.array([1, 2])] * 2)
        return fn.python_function(data, np.array([10, 20]), 100, function=lambda x, y, z: x + y + z)

    np.testing.assert_array_equal(make().run()[0].as_array(), [[111, 122]] * 2)
    with pytest.raises(TypeError, match="unpack it with"):
        fn.python_function([types.Constant(np.zeros(1)), types.Constant(np.zeros(1))], function=len)


def test_an_array_that_somebody_else_holds_is_copied() -> None:
    kept = np.zeros(2, np.int32)

    def function(x: np.ndarray) -> np.ndarray:
        kept[:] = x
        return kept

    (output,) = build(function).run()
    np.testing.assert_array_equal(output.as_array()[:, 0], [0, 1, 2, 3])


class Wrapped:
    """An object that gives the array it keeps."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.array


@pytest.mark.parametrize("form", [list, tuple, lambda row: tuple(Wrapped(array) for array in row)])
def test_arrays_of_a_row_that_somebody_else_holds_are_copied(form: Callable[[list[np.ndarray]], Any]) -> None:
    kept = form([np.zeros(2, np.int32), np.zeros(1, np.int32)])

    def function(x: np.ndarray) -> Any:
        for result in kept:
            np.asarray(result)[:] = x[0]
        return kept

    first, second = build(function, num_outputs=2).run()
    np.testing.assert_array_equal(first.as_array()[:, 0], [0, 1, 2, 3])
    np.testing.assert_array_equal(second.as_array()[:, 0], [0, 1, 2, 3])


def test_fresh_arrays_are_taken_as_they_are() -> None:
    made: list[int] = []

    def function(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        fresh = np.full(1000, x[0]), np.full(1000, x[1])
        made.extend(array.__array_interface__["data"][0] for array in fresh)
        return fresh

    pipe = build(function, num_outputs=2, pipeline={"prefetch_queue_depth": 1})
    outputs = pipe.run()
    places = {sample.as_array().__array_interface__["data"][0] for output in outputs for sample in output}
    assert places <= set(made)


@pytest.mark.parametrize("raised", [SystemExit(3), KeyboardInterrupt()])
def test_what_ends_programs_is_the_error_of_one_sample(raised: BaseException) -> None:
    def function(x: np.ndarray) -> np.ndarray:
        if x[0] == 2:
            raise raised
        return x

    pipe = build(function, pipeline={"on_error": "skip"})
    (output,) = pipe.run()
    np.testing.assert_array_equal(output.as_array()[:, 0], [0, 1, 3])


def test_the_exception_is_the_cause_of_the_error() -> None:
    def function(x: np.ndarray) -> np.ndarray:
        if x[0] == 2:
            raise LookupError("no two")
        return x

    pipe = build(function)
    with pytest.raises(SampleError, match="no two") as caught:
        pipe.run()
    assert isinstance(caught.value.__cause__, LookupError)
    assert caught.value.position == 2
    (output,) = pipe.run()
    assert output.at(0)[0] == 4


def test_every_sample_keeps_its_exception() -> None:
    @pipeline_def(batch_size=256, num_threads=1)
    def make() -> Any:
        numbers = fn.external_source(lambda: [np.int64(k) for k in range(256)])
        return fn.python_function(numbers, function=lambda x: [][int(x)])

    pipe = make()
    for batch in range(2):
        with pytest.raises(SampleError) as caught:
            pipe.run()
        assert caught.value.position == 256 * batch
        assert isinstance(caught.value.__cause__, IndexError)


def test_exceptions_go_when_nobody_has_their_error_any_more() -> None:
    class Kept(Exception):
        pass

    made: list[weakref.ref[Kept]] = []

    def fail(x: np.ndarray) -> np.ndarray:
        error = Kept()
        made.append(weakref.ref(error))
        raise error

    pipe = build(fail, pipeline={"prefetch_queue_depth": 1})
    for _ in range(3):
        with pytest.raises(SampleError):
            pipe.run()
    pipe.close()
    pipe = build(lambda x: x)
    pipe.run()
    gc.collect()
    assert made and all(reference() is None for reference in made)


def test_errors_of_single_samples_follow_the_policy() -> None:
    def function(x: np.ndarray) -> np.ndarray:
        if x[0] == 2:
            raise LookupError("no two")
        return x

    pipe = build(function, pipeline={"on_error": "skip"})
    (output,) = pipe.run()
    np.testing.assert_array_equal(output.as_array()[:, 0], [0, 1, 3])
    (error,) = pipe.errors()
    assert error["position"] == 2 and "no two" in error["cause"]


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="callable"):
        build(3)  # type: ignore[arg-type]
    with pytest.raises((RuntimeError, ValueError), match="num_outputs=2"):
        build(lambda x: x, num_outputs=2).run()
    with pytest.raises(NotImplementedError, match="CPU"):
        build(lambda x: x, device="gpu")


@pytest.mark.parametrize(
    ("raising", "expected"),
    [
        (lambda: 1 / 0, ZeroDivisionError),
        (lambda: [][1], IndexError),
        (lambda: {}["a"], KeyError),
        (lambda: int("x"), ValueError),
    ],
)
def test_an_exception_of_a_batch_function_comes_out(
    raising: Callable[[], Any], expected: type[Exception]
) -> None:
    with pytest.raises(expected) as caught:
        build(lambda batch: raising(), batch_processing=True).run()
    assert isinstance(caught.value, RuntimeError)  # as DALI's
    assert type(caught.value.__cause__) is expected and str(caught.value) == str(caught.value.__cause__)


@pytest.mark.parametrize("batch", [False, True])
def test_the_end_of_an_iterator_in_a_function_is_no_end_of_data(batch: bool) -> None:
    nothing = iter(())
    with pytest.raises(RuntimeError, match="StopIteration") as caught:
        build(lambda _: next(nothing), batch_processing=batch).run()
    assert isinstance(caught.value.__cause__, StopIteration)


@pytest.mark.parametrize("on_error", ["raise", "skip"])
@pytest.mark.parametrize("batch", [False, True])
def test_results_of_mixed_kinds_are_an_error(batch: bool, on_error: str) -> None:
    def one(x: np.ndarray) -> np.ndarray:
        return x.astype(np.float32) if x[0] == 2 else x + 1

    function = (lambda xs: [one(x) for x in xs]) if batch else one
    pipe = build(function, name="odd_one", batch_processing=batch, pipeline={"on_error": on_error})
    with pytest.raises(ValueError, match="odd_one.*sample 0 is int32 with 1 dimension, sample 2 is float"):
        pipe.run()


def test_a_branch_without_samples_does_not_call() -> None:
    sizes: list[int] = []

    def function(batch: list[np.ndarray]) -> list[np.ndarray]:
        sizes.append(len(batch))
        return batch

    @pipeline_def(batch_size=2, num_threads=1, enable_conditionals=True, prefetch_queue_depth=1)
    def make() -> Any:
        x = fn.external_source(lambda i: [np.int32(i)] * 2)
        y = x
        if x == 1:
            y = fn.python_function(x, function=function, batch_processing=True)
        return y

    pipe = make()
    assert [pipe.run()[0].as_array().tolist() for _ in range(2)] == [[0, 0], [1, 1]]
    pipe.close()
    assert sizes == [2]


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("how", [{"num_outputs": 0}, {"preserve": True}, {}])
def test_a_function_for_what_it_does(how: dict[str, Any], batch: bool) -> None:
    seen: list[int] = []

    def function(x: Any) -> Any:
        seen.extend(int(one[0]) for one in x) if batch else seen.append(int(x[0]))
        return x

    @pipeline_def(batch_size=4, num_threads=1, prefetch_queue_depth=1)
    def make() -> Any:
        numbers = fn.external_source(lambda i: [np.array([4 * i + k], np.int32) for k in range(4)])
        fn.python_function(numbers, function=function, batch_processing=batch, **how)
        return numbers

    pipe = make()
    pipe.run()
    assert seen[:4] == [0, 1, 2, 3]


def test_the_error_of_a_batch_is_not_skipped_behind_keep() -> None:
    def function(batch: list[np.ndarray]) -> list[np.ndarray]:
        raise LookupError("never")

    @pipeline_def(batch_size=2, num_threads=1, on_error="skip")
    def make() -> Any:
        numbers = fn.external_source(lambda: [np.int32(1)] * 2)
        return fn.keep(fn.python_function(numbers, function=function, batch_processing=True), where=numbers == 1)

    with pytest.raises(LookupError, match="never"):
        make().run()


@pytest.mark.parametrize("batch", [False, True])
def test_functions_see_the_batches_in_order(batch: bool) -> None:
    def make(seen: list[int]) -> Pipeline:
        def one(x: np.ndarray) -> np.ndarray:
            seen.append(int(x[0]))
            return x

        function = (lambda xs: [one(x) for x in xs]) if batch else one

        @pipeline_def(batch_size=2, num_threads=4, prefetch_queue_depth=4)
        def numbers() -> Any:
            x = fn.external_source(lambda i: [np.array([2 * i + k], np.int32) for k in range(2)])
            return fn.python_function(fn.cast(x, dtype=types.INT32), function=function, batch_processing=batch)

        return numbers()

    for _ in range(50):  # workers bring batches in any order
        seen: list[int] = []
        pipe = make(seen)
        for _ in range(4):
            pipe.run()
        pipe.close()
        assert seen == sorted(seen)


def test_the_gil_is_taken_once_a_group(monkeypatch: pytest.MonkeyPatch) -> None:
    groups: list[int] = []
    enter = python_function._Function.__call__

    def counted(self: Any, rows: list[Any]) -> list[Any]:
        groups.append(len(rows))
        return enter(self, rows)

    monkeypatch.setattr(python_function._Function, "__call__", counted)
    calls: list[int] = []

    @pipeline_def(batch_size=20, num_threads=3, prefetch_queue_depth=1)
    def make() -> Any:
        numbers = fn.external_source(lambda i: [np.int64(20 * i + k) for k in range(20)])
        return fn.python_function(numbers, function=lambda x: calls.append(int(x)) or x)

    pipe = make()
    for _ in range(3):
        pipe.run()
    pipe.close()
    assert groups[:9] == [8, 8, 4] * 3
    assert calls[:60] == list(range(60))


def test_the_batch_size_does_not_show() -> None:
    def first_of(batch_size: int) -> list[float]:
        @pipeline_def(batch_size=batch_size, num_threads=4, seed=5)
        def make() -> Any:
            numbers = fn.external_source(lambda info: np.float32(info.idx_in_epoch), batch=False)
            return fn.python_function(numbers + fn.random.uniform(range=(0.0, 0.5)), function=lambda x: x * 2) + 1

        pipe = make()
        values: list[float] = []
        while len(values) < 40:
            values.extend(pipe.run()[0].as_array().tolist())
        pipe.close()
        return values[:40]

    assert first_of(1) == first_of(7) == first_of(64)


def test_a_function_sees_what_others_stand_in_for_once(tmp_path: pathlib.Path) -> None:
    files = []
    for index in range(12):
        files.append(str(tmp_path / f"{index}"))
        if index % 3:
            pathlib.Path(files[-1]).write_bytes(bytes([index]))
    seen: list[int] = []

    @pipeline_def(batch_size=6, num_threads=4, on_error="replace", prefetch_queue_depth=3)
    def make() -> Any:
        data, _ = fn.readers.file(files=files)
        return fn.python_function(data, function=lambda x: seen.append(int(x[0])) or x)

    pipe = make()
    taken = [int(value) for _ in range(6) for value in pipe.run()[0].as_array()[:, 0]]
    pipe.close()
    assert seen[: len(taken)] == taken


def test_a_batch_function_lets_go_of_what_nobody_needs_any_more() -> None:
    held: list[int] = []

    def look(*_: Any) -> list[np.ndarray]:
        held.append(pipe._session.working_bytes())  # type: ignore[union-attr]
        return [np.zeros(1)] * 2

    @pipeline_def(batch_size=2, num_threads=1, prefetch_queue_depth=1)
    def make() -> Any:
        large = fn.zeros(shape=1 << 20)
        small = fn.python_function(large, function=lambda batch: [x[:1] for x in batch], batch_processing=True)
        return fn.python_function(small, function=look, batch_processing=True)

    pipe = make()
    pipe.build()
    pipe.run()
    assert held[0] < 1 << 20
