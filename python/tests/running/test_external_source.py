"""Data from Python: callables, iterables, generators, and batches fed by hand."""

from __future__ import annotations

import pathlib
import threading
from typing import Any, Iterator

import numpy as np
import pytest

import forebay
from forebay import Pipeline, TensorCPU, TensorListCPU, fn, pipeline_def, types
from forebay.errors import WrongTypeError


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


def test_what_the_source_keeps_for_its_thread_is_there_at_the_next_call() -> None:
    kept = threading.local()

    def source() -> Any:
        kept.calls = getattr(kept, "calls", 0) + 1
        return batch_of(kept.calls)

    assert firsts(build(source=source), 3) == [1, 2, 3]


@pytest.mark.parametrize("parallel", [False, True])
def test_bytes_are_samples_as_a_file_gives_them(parallel: bool) -> None:
    def source(info: types.SampleInfo) -> Any:
        content = b"%d bytes" % info.idx_in_batch
        return (content, bytearray(content))[info.idx_in_batch % 2]

    output = build(source=source, batch=False, parallel=parallel).run()[0]
    assert output.dtype == types.UINT8
    assert [output.at(k).tobytes() for k in range(3)] == [b"0 bytes", b"1 bytes", b"2 bytes"]


@pytest.mark.parametrize("no_copy", [False, True])
@pytest.mark.parametrize("kind", [bytes, memoryview])
@pytest.mark.parametrize("form", ["sample", "samples"])
def test_bytes_are_never_written(form: str, kind: Any, no_copy: bool) -> None:
    content = bytes(range(65, 68))
    given = [kind(content)] if form == "samples" else kind(content)
    before = forebay.bytes_copied()
    output = build(source=lambda: given, batch=form != "sample", no_copy=no_copy).run()[0]
    assert forebay.bytes_copied() > before
    np.asarray(output.at(0))[...] = 0
    assert content == b"ABC"


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("no_copy", [False, True])
def test_a_file_that_may_only_be_read_gives_outputs_to_write_on(batch: bool, no_copy: bool, tmp_path: pathlib.Path) -> None:
    content = np.arange(12, dtype=np.uint8).tobytes()
    (tmp_path / "values").write_bytes(content)
    values = np.memmap(tmp_path / "values", np.uint8, "r", shape=(3, 4))
    output = build(source=lambda: values if batch else values[1], batch=batch, no_copy=no_copy).run()[0]
    assert output.at(1).tolist() == [4, 5, 6, 7]
    output.at(1)[:] = 9
    output.as_array()[:] = 9
    assert (tmp_path / "values").read_bytes() == content == values.tobytes()


@pytest.mark.parametrize("no_copy", [False, True])
def test_a_batch_that_comes_as_one_array_stays_one(no_copy: bool) -> None:
    data = np.arange(3 * 4 * 5, dtype=np.int16).reshape(3, 4, 5)
    output = build(source=lambda: data, no_copy=no_copy, layout="HW").run()[0]
    assert output.is_contiguous()
    assert output.layout() == "HW"
    np.testing.assert_array_equal(output.as_array(), data)
    assert np.shares_memory(output.as_array(), data) == no_copy
    data[:] = 0
    assert (output.as_array() == 0).all() == no_copy


def test_a_read_only_batch_that_comes_as_one_array_is_copied_once_as_one() -> None:
    data = np.arange(3 * 4, dtype=np.uint8).reshape(3, 4)
    data.flags.writeable = False
    pipe = build(source=lambda: data, no_copy=True)
    before = forebay.bytes_copied()
    output = pipe.run()[0]
    assert output.is_contiguous()
    array = output.as_array()
    array[:] = 7  # what a pipeline gives may be written
    assert (forebay.bytes_copied() - before) % data.nbytes == 0  # whole batches: some are prepared ahead
    assert data.max() == 11


def test_samples_of_a_batch_of_eight_axes() -> None:
    data = np.arange(512, dtype=np.int8).reshape(2, *[2] * 8)
    output = build(source=lambda: data).run()[0]
    np.testing.assert_array_equal(output.at(1), data[1])


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


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize(
    ("given", "num_outputs", "told"),
    [
        (None, None, "gave None: it must return what it makes"),
        (None, 2, "gave None: it must return what it makes"),
        ((np.zeros(2),) * 3, 2, "gave a tuple of 3; 2 outputs are expected, as a tuple"),
        (np.zeros((4, 5)), 1, r"gave an array of shape \(4, 5\); 1 outputs are expected, as a tuple"),
    ],
)
def test_what_a_source_gave_is_told(given: Any, num_outputs: int | None, told: str, parallel: bool) -> None:
    pipe = build(source=lambda info: given, num_outputs=num_outputs, batch=False, parallel=parallel)
    with pytest.raises((TypeError, ValueError, RuntimeError), match=told):
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
    with pytest.raises(TypeError, match="no argument 'sauce'"):
        build(sauce=1)


def test_promised_type_and_dimensions() -> None:
    with pytest.raises(TypeError, match="expected the type"):
        build(source=lambda: batch_of(1), dtype=types.FLOAT).run()
    with pytest.raises(ValueError, match="expected ndim=3 dimensions"):
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
        (lambda: np.array(["a", "b", "c"]), WrongTypeError),
        (lambda: [np.array([object()])] * 3, WrongTypeError),
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


def test_declared_forms_are_checked() -> None:
    def make(data: Any, **declared: Any) -> Any:
        pipe = Pipeline(batch_size=1, num_threads=1)
        with pipe:
            pipe.set_outputs(fn.external_source(lambda: [data], **declared))
        return pipe

    for declared, said in (
        ({"dtype": types.FLOAT}, "expected the type DALIDataType.FLOAT, as promised, and got DALIDataType.INT32"),
        ({"ndim": 3}, "expected ndim=3 dimensions, as promised, and got 1"),
        ({"layout": "HWC"}, "HWC"),
    ):
        with pytest.raises(RuntimeError, match=said):
            make(np.zeros(2, np.int32), **declared).run()
    with pytest.raises(RuntimeError, match="the layout 'HWC' is not one of 2 dimensions"):
        make(np.zeros(2), layout="HWC", ndim=2)
    tensor = TensorCPU(np.zeros((2, 3), np.uint8), "HW")
    assert make(tensor).run()[0].layout() == "HW"
    with pytest.raises(RuntimeError, match="expected the layout 'WH', as promised, and got 'HW'"):
        make(tensor, layout="WH").run()


def test_batches_that_are_fed_keep_their_layout() -> None:
    pipe = Pipeline(batch_size=2, num_threads=1)
    with pipe:
        pipe.set_outputs(fn.external_source(name="x"), fn.external_source(name="y", layout="HW"))
    pipe.feed_input("x", TensorListCPU(np.zeros((2, 3, 4), np.uint8), "WH"))
    pipe.feed_input("y", np.zeros((2, 3, 4), np.uint8))
    assert [output.layout() for output in pipe.run()] == ["WH", "HW"]
    with pytest.raises(RuntimeError, match="expected the layout 'HW', as promised, and got 'WH'"):
        pipe.feed_input("y", np.zeros((2, 3, 4), np.uint8), layout="WH")


def test_outputs_may_be_rows_of_an_array() -> None:
    def give() -> np.ndarray:
        return np.arange(4).reshape(2, 2, 1)

    pipe = Pipeline(batch_size=2, num_threads=1)
    with pipe:
        pipe.set_outputs(*fn.external_source(give, num_outputs=2))
    assert [output.as_array().tolist() for output in pipe.run()] == [[[0], [1]], [[2], [3]]]


@pytest.mark.parametrize("lengths", [(2, 2), (2, 3), (3, 2)])
def test_sources_that_raise_begin_together(lengths: tuple[int, int]) -> None:
    pipe = Pipeline(batch_size=1, num_threads=1)
    with pipe:
        nodes = [fn.external_source([[np.int32(i)] for i in range(length)], cycle="raise") for length in lengths]
        pipe.set_outputs(*nodes)
    for _ in range(3):
        taken = []
        with pytest.raises(StopIteration):
            while True:
                taken.append([int(output.at(0)) for output in pipe.run()])
        assert taken == [[0, 0], [1, 1]]
        pipe.reset()


def test_repeat_last_is_for_what_is_fed() -> None:
    with pytest.raises(ValueError, match="`repeat_last` is for data given by feed_input"):
        fn.external_source(lambda: [np.zeros(1)], repeat_last=True)
    pipe = Pipeline(batch_size=1, num_threads=1)
    with pipe:
        pipe.set_outputs(fn.external_source(name="kept", repeat_last=True), fn.external_source(name="new"))
    pipe.feed_input("kept", [np.int32(1)])
    for number in range(4):
        pipe.feed_input("new", [np.int32(number)])
        if number == 2:
            pipe.feed_input("kept", [np.int32(7)])
        kept, new = pipe.run()
        assert (int(kept.at(0)), int(new.at(0))) == (7 if number >= 2 else 1, number)
