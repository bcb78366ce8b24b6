"""A source in worker processes gives what it gives in this one: data, layouts, and errors with what comes behind them."""

from __future__ import annotations

import array
import collections
import ctypes
from typing import Any, Callable

import numpy as np
import pytest

from forebay import Pipeline, TensorCPU, TensorListCPU, fn, pipeline_def, types
from forebay.graph.shared_segments import SegmentWriter
from forebay.graph.source_worker import Runner, Task
from forebay.graph.sources import CallableFeed, OutputForm

SAMPLES = 17  # an epoch: no batch size below divides it


def outcomes(pipe: Pipeline, epochs: int = 2) -> list[Any]:
    """Of so many epochs each batch with its layouts, and each error in its words."""
    found: list[Any] = []
    for _ in range(epochs):
        while True:
            try:
                outputs = pipe.run()
            except StopIteration:
                found.append("end")
                pipe.reset()
                break
            except Exception as error:
                found.append((type(error), str(error)))
            else:
                found.append([(batch.layout(), [batch.at(place).tolist() for place in range(len(batch))]) for batch in outputs])
            assert len(found) < 100
    return found


def over(source: Any, batch_size: int = 5, on_error: str = "raise", checkpoint: str | None = None, **named: Any) -> Pipeline:
    @pipeline_def(
        batch_size=batch_size, num_threads=1, py_num_workers=3, on_error=on_error, enable_checkpointing=True,
        checkpoint=checkpoint,
    )
    def make() -> Any:
        outputs = fn.external_source(source, **named)
        return tuple(outputs) if isinstance(outputs, list) else outputs

    return make()


def check_alike(source: Any, **named: Any) -> list[Any]:
    serial, parallel = over(source, **named), over(source, parallel=True, prefetch_queue_depth=2, **named)
    wanted = outcomes(serial)
    assert outcomes(parallel) == wanted
    parallel.close()
    return wanted


class Broken(Exception):
    pass


def called(broken: set[int], end: int = SAMPLES) -> Callable[[types.SampleInfo], np.ndarray]:
    """A function that fails for those samples. The end is said for one sample only."""

    def give(info: types.SampleInfo) -> np.ndarray:
        if info.idx_in_epoch == end or info.idx_in_epoch > 2 * SAMPLES:
            raise StopIteration
        if info.idx_in_epoch in broken:
            raise Broken(f"sample {info.idx_in_epoch}")
        return np.int32([info.idx_in_epoch, info.epoch_idx])

    return give


class Stepped:
    """An iterable that goes on behind an error."""

    def __init__(self, broken: set[int]) -> None:
        self._broken = broken

    def __iter__(self) -> Any:
        return _Steps(self._broken)


class _Steps:
    def __init__(self, broken: set[int]) -> None:
        self._broken = broken
        self._count = 0

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> np.ndarray:
        number, self._count = self._count, self._count + 1
        if number >= SAMPLES:
            raise StopIteration
        if number in self._broken:
            raise Broken(f"step {number}")
        return np.int32([number])


def generated(broken: set[int]) -> Callable[[], Any]:
    """A generator function: an error ends what it gives."""

    def give() -> Any:
        for number in range(SAMPLES):
            if number in broken:
                raise Broken(f"yield {number}")
            yield np.int32([number])

    return give


PLACES = [{0}, {2}, {4}, {7, 9}, {5, 6, 7, 8, 9}, {1, 12}, {15}, {16}, {15, 16}, set(range(SAMPLES))]


@pytest.mark.parametrize("batch_size", [1, 2, 5, 7, 20])
@pytest.mark.parametrize("broken", PLACES, ids=str)
def test_a_broken_sample_of_a_function(broken: set[int], batch_size: int) -> None:
    wanted = check_alike(called(broken), batch=False, batch_size=batch_size)
    lost = {number // batch_size for number in broken}
    assert [each for each in wanted if isinstance(each, tuple)] == [
        (Broken, f"sample {min(number for number in broken if number // batch_size == batch)}") for batch in sorted(lost)
    ] * 2


@pytest.mark.parametrize("batch_size", [1, 5, 7, 20])
@pytest.mark.parametrize("broken", PLACES, ids=str)
def test_a_broken_sample_of_an_iterable(broken: set[int], batch_size: int) -> None:
    wanted = check_alike(Stepped(broken), batch=False, batch_size=batch_size, cycle="raise")
    given = [sample for each in wanted if isinstance(each, list) for sample in each[0][1]]
    lost = {number // batch_size for number in broken}
    assert given == [[number] for number in range(SAMPLES) if number // batch_size not in lost] * 2


@pytest.mark.parametrize("cycle", ["raise", "quiet", "no"])
@pytest.mark.parametrize("broken", [{0}, {3}, {4}, {16}], ids=str)
def test_a_generator_that_fails(broken: set[int], cycle: str) -> None:
    def both(**named: Any) -> list[Any]:
        pipe = over(generated(broken), batch=False, cycle=cycle, **named)
        found: list[Any] = []
        for _ in range(12):
            try:
                found.append([sample.as_array().tolist() for sample in pipe.run()[0]])
            except StopIteration:
                found.append("end")
                pipe.reset()
            except Broken as error:
                found.append(str(error))
        pipe.close()
        return found

    assert both(parallel=True) == both()


@pytest.mark.parametrize("on_error", ["skip", "replace"])
def test_no_policy_drops_what_a_source_refuses(on_error: str) -> None:
    for source, cycle in ((called({6, 8}), None), (Stepped({6, 8}), "raise")):
        wanted = check_alike(source, batch=False, on_error=on_error, cycle=cycle)
        assert len([each for each in wanted if isinstance(each, tuple)]) == 2


@pytest.mark.parametrize("end", [5, 6, 7, 9])
@pytest.mark.parametrize("broken", [{5}, {7}, {8}, {9}], ids=str)
def test_an_error_and_the_end_in_one_batch(broken: set[int], end: int) -> None:
    check_alike(called(broken, end), batch=False)


def refused(info: types.SampleInfo) -> Any:
    """Two outputs, of which the second is first wrong, in a later batch the first."""
    if info.idx_in_epoch == SAMPLES:
        raise StopIteration
    number = info.idx_in_epoch
    first = np.zeros(2 + (number == 8), np.int32).reshape(-1, *([1] * (number == 8)))
    second = np.float64(number) if number in (2, 6) else np.float32(number)
    return (first, second, second)[: 3 if number == 11 else 2]


@pytest.mark.parametrize("broken", [{1}, {3}, set()], ids=str)
def test_the_first_sample_that_is_not_what_was_promised(broken: set[int]) -> None:
    def give(info: types.SampleInfo) -> Any:
        if info.idx_in_epoch in broken:
            raise Broken(f"sample {info.idx_in_epoch}")
        return refused(info)

    wanted = check_alike(give, num_outputs=2, batch=False, dtype=[types.INT32, types.FLOAT], ndim=[1, 0])
    assert len([each for each in wanted if isinstance(each, tuple)]) == 6


FORMS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "a layout": (lambda: np.zeros((2, 3), np.uint8), {"layout": "HW"}),
    "a layout of another rank": (lambda: np.zeros(2), {"layout": "HWC"}),
    "a type": (lambda: np.zeros(2), {"dtype": types.FLOAT64}),
    "another type": (lambda: np.zeros(2), {"dtype": types.FLOAT}),
    "a rank": (lambda: np.zeros(2), {"ndim": 1}),
    "another rank": (lambda: np.zeros(2), {"ndim": 3}),
    "a tensor's layout": (lambda: TensorCPU(np.zeros((2, 3), np.uint8), "WH"), {}),
    "a tensor's layout as promised": (lambda: TensorCPU(np.zeros((2, 3), np.uint8), "WH"), {"layout": "WH"}),
    "another layout": (lambda: TensorCPU(np.zeros((2, 3), np.uint8), "WH"), {"layout": "HW"}),
    "text": (lambda: np.array(["a"]), {}),
    "objects": (lambda: np.array([object()]), {}),
    "numbers of no type": (lambda: [[1], [2, 3]], {}),
    "complex": (lambda: np.zeros(2, np.complex64), {}),
    "times": (lambda: np.zeros(2, "M8[s]"), {}),
    "a list": (lambda: [1, 2], {"dtype": types.INT64}),
    "a number": (lambda: 3.5, {}),
    "truth": (lambda: np.array([True]), {"dtype": types.BOOL}),
    "halves": (lambda: np.ones(3, np.float16), {}),
    "big-endian": (lambda: np.arange(3, dtype=">i4"), {}),
    "columns first": (lambda: np.asfortranarray(np.arange(6).reshape(2, 3)), {}),
    "every second": (lambda: np.arange(8)[::2], {}),
    "nothing": (lambda: np.zeros((0, 3), np.float32), {"layout": "HW"}),
    "nine axes": (lambda: np.zeros((1,) * 9, np.float32), {}),
}


@pytest.mark.parametrize("name", FORMS)
def test_samples_are_checked_alike(name: str) -> None:
    make, named = FORMS[name]

    def give(info: types.SampleInfo) -> Any:
        if info.iteration == 2:
            raise StopIteration
        return make()

    check_alike(give, batch=False, **named)


@pytest.mark.parametrize("name", FORMS)
def test_batches_are_checked_alike(name: str) -> None:
    make, named = FORMS[name]

    def listed(iteration: int) -> Any:
        if iteration == 2:
            raise StopIteration
        return [make(), make()]

    check_alike(listed, **named)


@pytest.mark.parametrize("named", [{}, {"layout": "HW"}, {"layout": "HWC"}, {"dtype": types.FLOAT}, {"ndim": 2}, {"ndim": 3}], ids=str)
@pytest.mark.parametrize("kind", ["array", "list", "layouts", "too many", "none", "number"])
def test_whole_batches_are_checked_alike(kind: str, named: dict[str, Any]) -> None:
    def give(iteration: int) -> Any:
        if iteration == 3:
            raise StopIteration
        if iteration == 1:
            raise Broken("the second batch")
        whole = np.arange(30, dtype=np.uint8).reshape(5, 2, 3)
        return {
            "array": whole, "list": TensorListCPU(whole, "WH"), "layouts": [TensorCPU(whole[0], "WH"), whole[1]],
            "too many": np.concatenate([whole, whole]), "none": whole[:0], "number": np.float32(3),
        }[kind]

    check_alike(give, **named)


@pytest.mark.parametrize("batch_size", [1, 2, 3])
@pytest.mark.parametrize("cycle", ["no", "quiet", "raise"])
@pytest.mark.parametrize("broken", [set(), {4}, {8}], ids=str)
def test_beside_a_source_that_ends_the_epoch(broken: set[int], cycle: str, batch_size: int) -> None:
    """What was made ahead when the other source ended comes in the next epoch, where a source keeps its place."""

    def both(**named: Any) -> list[Any]:
        @pipeline_def(batch_size=batch_size, num_threads=1, py_num_workers=2)
        def make() -> Any:
            short = fn.external_source([[np.int32(k)] * batch_size for k in range(3)], cycle="raise")
            return short, fn.external_source(Stepped(broken), batch=False, cycle=cycle, **named)

        pipe = make()
        found: list[Any] = []
        for _ in range(20):
            try:
                found.append(pipe.run()[1].as_array().ravel().tolist())
            except StopIteration:
                found.append("end")
                pipe.reset()
            except ValueError as error:  # of outputs that differ in number
                found.append(str(error).splitlines()[0])
            except Broken as error:
                found.append(str(error))
        pipe.close()
        return found

    assert both(parallel=True, prefetch_queue_depth=2) == both()


class Interrupted:
    """An iterator that says four times that it has ended, and goes on each time."""

    def __init__(self) -> None:
        self._count = 0

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> np.ndarray:
        self._count += 1
        if self._count % 5 == 0 and self._count <= 20:
            raise StopIteration
        return np.int32([self._count])


def test_an_iterator_that_goes_on_behind_its_end() -> None:
    def both(**named: Any) -> list[Any]:
        pipe = over(Interrupted(), batch=False, batch_size=2, cycle="no", **named)
        found = outcomes(pipe, 4)
        pipe.close()
        return found

    assert both(parallel=True, prefetch_queue_depth=3) == both()


class Refilled:
    """Gives the same memory for each sample."""

    def __init__(self, form: str) -> None:
        self._form = form
        self._array = np.zeros((2, 3), np.int32)
        self._pair = (self._array, np.zeros((2, 3), np.int32)[:1])
        self._numbers = array.array("i", [0] * 6)
        self._words = (ctypes.c_int32 * 6)()

    def __call__(self, info: types.SampleInfo) -> Any:
        if info.idx_in_epoch == 9:
            raise StopIteration
        self._array[...] = info.idx_in_epoch
        self._pair[1][...] = -info.idx_in_epoch
        for place in range(6):
            self._numbers[place] = self._words[place] = info.idx_in_epoch
        return {
            "array": self._array, "view": self._array[1:], "transposed": self._array.T, "buffer": memoryview(self._array),
            "tensor": TensorCPU(self._array, "HW"), "tuple": self._pair, "list": [*self._pair], "fresh": self._array + 1,
            "fresh view": (self._array + 1)[1:], "numbers": self._array.tolist(), "number": self._array[0, 0],
            "bytes": self._array.tobytes(), "of bytes": np.frombuffer(self._array.tobytes(), np.int32),
            "array.array": self._numbers, "ctypes": self._words, "user list": collections.UserList(self._pair),
        }[self._form]

    def __iter__(self) -> Any:
        for number in range(9):
            yield self(types.SampleInfo(number, 0, 0, 0))


FORMS_OF_REFILLED = [
    "array", "view", "transposed", "buffer", "tensor", "tuple", "list", "fresh", "fresh view", "numbers", "number", "bytes",
    "of bytes", "array.array", "ctypes", "user list",
]


@pytest.mark.parametrize("form", FORMS_OF_REFILLED)
@pytest.mark.parametrize("is_called", [False, True])
def test_a_source_may_fill_its_array_anew(is_called: bool, form: str) -> None:
    source = Refilled(form)
    named = {"num_outputs": 2} if form in ("tuple", "list", "user list") else {}
    given = check_alike(source if is_called else source.__iter__, batch=False, batch_size=4, **named)
    assert [len(each[0][1]) for each in given if each != "end"][:3] == [4, 4, 1]


@pytest.mark.parametrize("parts", [1, 2])
def test_what_is_copied_as_it_comes_may_have_any_size(parts: int) -> None:
    memory = np.zeros(1 << 18, np.uint8)

    def give(info: types.SampleInfo) -> Any:
        number = info.idx_in_epoch
        if number == 80:
            raise StopIteration
        if number % 7 == 3:
            raise Broken(f"sample {number}")
        memory[...] = number
        held = memory[: (number * 7919 + info.epoch_idx) % 100_000]
        return (held, memory[::3] if number % 2 else held + 1)[:parts] if parts > 1 else held

    named = {"num_outputs": 2} if parts > 1 else {}
    check_alike(give, batch=False, batch_size=4, **named)


def test_a_sample_is_copied_once_to_where_it_is_written() -> None:
    held = np.zeros((2, 3), np.int32)
    for source in (lambda info: held, lambda info: held + info.idx_in_epoch):
        segments = SegmentWriter(1)
        runner = Runner(CallableFeed(source, [OutputForm("", None, None, copy=False)], False, False, False), 0, 0, segments)
        for iteration in range(3):
            written = segments.write(runner.run(Task(0, 0, iteration, 0, 4 * iteration, 0, 4)))[0]
        content = runner.run(Task(0, 0, 3, 0, 12, 0, 4))
        _, arrays, _, _ = segments._prepared(content)
        assert arrays == [], "they lie in the segment already"
        segments.release([written.segment])
