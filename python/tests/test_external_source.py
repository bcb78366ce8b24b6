"""Data from Python: callables, iterables, generators, and batches fed by hand."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np
import pytest

import forebay
from forebay import Pipeline, fn, pipeline_def, types


def batch_of(value: int, size: int = 3) -> list[np.ndarray]:
    return [np.array([value, k], np.int32) for k in range(size)]


def build(**source: Any) -> Pipeline:
    arguments = source.pop("pipeline", {})

    @pipeline_def(**{"batch_size": 3, "num_threads": 1, **arguments})
    def make() -> Any:
        outputs = fn.external_source(**source)
        return tuple(outputs) if isinstance(outputs, list) else outputs

    return make()


def firsts(pipe: Pipeline, count: int) -> list[int]:
    return [int(pipe.run()[0].at(0)[0]) for _ in range(count)]


def test_callable_without_argument() -> None:
    pipe = build(source=lambda: batch_of(5))
    output = pipe.run()[0]
    assert output.dtype == types.INT32
    np.testing.assert_array_equal(output.as_array(), [[5, 0], [5, 1], [5, 2]])


def test_callable_gets_the_iteration() -> None:
    assert firsts(build(source=lambda i: batch_of(i)), 4) == [0, 1, 2, 3]


def test_callable_gets_batch_info() -> None:
    seen: list[types.BatchInfo] = []

    def source(info: types.BatchInfo) -> list[np.ndarray]:
        seen.append(info)
        if info.iteration == 2:
            raise StopIteration
        return batch_of(info.iteration)

    pipe = build(source=source, batch_info=True)
    assert firsts(pipe, 2) == [0, 1]
    with pytest.raises(StopIteration):
        pipe.run()
    pipe.reset()
    assert firsts(pipe, 2) == [0, 1]
    assert {info.epoch_idx for info in seen} == {0, 1}


def test_samples_one_by_one() -> None:
    def source(info: types.SampleInfo) -> np.ndarray:
        if info.iteration == 2:
            raise StopIteration
        assert info.idx_in_epoch == info.iteration * 3 + info.idx_in_batch
        return np.array([info.idx_in_epoch], np.int64)

    pipe = build(source=source, batch=False)
    np.testing.assert_array_equal(pipe.run()[0].as_array().ravel(), [0, 1, 2])
    np.testing.assert_array_equal(pipe.run()[0].as_array().ravel(), [3, 4, 5])
    with pytest.raises(StopIteration):
        pipe.run()
    pipe.reset()
    np.testing.assert_array_equal(pipe.run()[0].as_array().ravel(), [0, 1, 2])


def test_several_outputs() -> None:
    pipe = build(source=lambda i: (batch_of(i), np.full((3, 2, 2), i, np.uint8)), num_outputs=2, layout=["X", "HW"])
    first, second = pipe.run()
    assert (first.layout(), second.layout()) == ("X", "HW")
    assert second.shape() == [(2, 2)] * 3


def test_wrong_number_of_outputs() -> None:
    pipe = build(source=lambda: (batch_of(1),), num_outputs=2)
    with pytest.raises(ValueError, match="2 outputs"):
        pipe.run()


def test_iterables_end_once() -> None:
    pipe = build(source=[batch_of(1), batch_of(2)])
    assert firsts(pipe, 2) == [1, 2]
    for _ in range(2):
        with pytest.raises(StopIteration):
            pipe.run()
        pipe.reset()


def test_cycle_quiet() -> None:
    assert firsts(build(source=[batch_of(1), batch_of(2)], cycle="quiet"), 5) == [1, 2, 1, 2, 1]


def test_cycle_raise() -> None:
    def generate() -> Iterator[list[np.ndarray]]:
        yield batch_of(1)
        yield batch_of(2)

    pipe = build(source=generate, cycle="raise")
    for _ in range(3):
        assert firsts(pipe, 2) == [1, 2]
        with pytest.raises(StopIteration):
            pipe.run()
        pipe.reset()


def test_generator_without_cycle() -> None:
    pipe = build(source=(batch_of(i) for i in range(2)))
    assert firsts(pipe, 2) == [0, 1]
    with pytest.raises(StopIteration):
        pipe.run()


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="cycle"):
        build(source=lambda: batch_of(1), cycle=True)
    with pytest.raises(TypeError, match="generator function"):
        build(source=(batch_of(i) for i in range(2)), cycle=True)
    with pytest.raises(ValueError, match="cycle"):
        build(source=[1], cycle="often")
    with pytest.raises(TypeError, match="no argument, or one"):
        build(source=lambda a, b: batch_of(1))
    with pytest.raises(NotImplementedError, match="parallel"):
        build(source=lambda: batch_of(1), parallel=True)
    with pytest.raises(TypeError, match="no argument 'sauce'"):
        build(sauce=1)


def test_promised_type_and_dimensions() -> None:
    with pytest.raises(TypeError, match="promised"):
        build(source=lambda: batch_of(1), dtype=types.FLOAT).run()
    with pytest.raises(ValueError, match="promised 3 dimensions"):
        build(source=lambda: batch_of(1), ndim=3).run()


def test_the_exception_of_the_source_comes_out_as_it_is() -> None:
    class Broken(Exception):
        pass

    def source() -> Any:
        raise Broken("the shelf is empty")

    pipe = build(source=source)
    with pytest.raises(Broken, match="the shelf is empty"):
        pipe.run()


def test_ragged_batches() -> None:
    pipe = build(source=lambda: [np.zeros((k + 1, 2), np.float32) for k in range(3)])
    assert pipe.run()[0].shape() == [(1, 2), (2, 2), (3, 2)]


def test_batches_shorter_than_the_batch_size() -> None:
    pipe = build(source=lambda i: batch_of(i, size=1 + i % 3))
    assert [len(pipe.run()[0]) for _ in range(4)] == [1, 2, 3, 1]


def test_batches_longer_than_the_batch_size_are_refused() -> None:
    with pytest.raises((ValueError, RuntimeError), match="batch_size"):
        build(source=lambda: batch_of(1, size=4)).run()


def test_arrays_are_copied_unless_told_otherwise() -> None:
    data = np.zeros((3, 100), np.float32)
    copying = build(source=lambda: data, pipeline={"prefetch_queue_depth": 1})
    output = copying.run()[0]
    copying.close()
    data[:] = 1
    assert output.as_array().max() == 0
    sharing = build(source=lambda: data, no_copy=True)
    before = forebay.bytes_copied()
    for _ in range(10):
        output = sharing.run()[0]
        assert output.at(0).ctypes.data == data.ctypes.data
    assert forebay.bytes_copied() - before < 5 * data.nbytes  # of batches of other tests that were still under way


def test_feed_by_hand() -> None:
    pipe = build(name="input")
    pipe.build()
    for value in (4, 5):
        pipe.feed_input("input", batch_of(value))
        assert firsts(pipe, 1) == [value]
    with pytest.raises(RuntimeError, match="feed_input"):
        pipe.run()
    pipe.feed_input("input", batch_of(6))
    assert firsts(pipe, 1) == [6]
    (output,) = pipe.run(input=batch_of(7))
    assert output.at(0)[0] == 7
    with pytest.raises(RuntimeError, match="no external_source named"):
        pipe.feed_input("other", batch_of(1))


def test_feed_several_ahead() -> None:
    pipe = build(name="input")
    for value in range(3):
        pipe.feed_input("input", batch_of(value))
    assert firsts(pipe, 3) == [0, 1, 2]


def test_repeat_last() -> None:
    pipe = build(name="input", repeat_last=True)
    pipe.feed_input("input", batch_of(8))
    assert firsts(pipe, 3) == [8, 8, 8]


def test_constants_beside_a_source() -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        return fn.external_source(lambda: [np.zeros(1), np.zeros(1)]), types.Constant(np.arange(3, dtype=np.int16)), 5

    _, constant, number = make().run()
    assert constant.dtype == types.INT16
    np.testing.assert_array_equal(constant.as_array(), [[0, 1, 2]] * 2)
    np.testing.assert_array_equal(number.as_array(), [5, 5])


def test_the_end_of_an_iterator_in_a_callable() -> None:
    batches = iter([batch_of(1), batch_of(2)])
    pipe = build(source=lambda: next(batches))
    assert firsts(pipe, 2) == [1, 2]
    with pytest.raises(StopIteration):
        pipe.run()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (lambda: 1 / 0, ZeroDivisionError),
        (lambda: [][1], IndexError),
        (lambda: {}["a"], KeyError),
        (lambda: int("x"), ValueError),
        (lambda: np.ones(3).reshape(2, 2), ValueError),
        (lambda: np.array(["a", "b", "c"]), TypeError),
        (lambda: [np.array([object()])] * 3, TypeError),
    ],
)
def test_an_exception_of_the_source_comes_out(source: Any, expected: type[Exception]) -> None:
    pipe = build(source=source)
    with pytest.raises(expected) as caught:
        pipe.run()
    assert type(caught.value) is expected
    assert caught.value.__traceback__ is not None


def test_a_layout_of_another_rank_is_refused() -> None:
    with pytest.raises(ValueError, match="HWC"):
        build(source=lambda: batch_of(1), layout="HWC").run()


@pytest.mark.parametrize("on_error", ["raise", "skip", "replace"])
@pytest.mark.parametrize("other", [np.zeros(2, np.float32), np.zeros((2, 1), np.int32)])
def test_a_batch_of_mixed_kinds_is_an_error(other: np.ndarray, on_error: str) -> None:
    pipe = build(source=lambda: [*batch_of(1, 2), other], name="mixed", pipeline={"on_error": on_error})
    with pytest.raises(ValueError, match="mixed.*sample 0 is int32 with 1 dimension, sample 2 is"):
        pipe.run()


def test_batches_keep_the_order_of_the_source() -> None:
    def make() -> Pipeline:
        pipe = Pipeline(batch_size=1, num_threads=4, prefetch_queue_depth=4, device_id=None)
        with pipe:
            pipe.set_outputs(fn.external_source(lambda i: [np.array([i])]))
        return pipe

    for _ in range(100):  # workers begin batches in any order
        pipe = make()
        assert [int(pipe.run()[0].as_array()[0, 0]) for _ in range(6)] == list(range(6))
