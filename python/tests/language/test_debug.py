"""Pipelines with debug=True: operators run as they are called."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest
from PIL import Image

from forebay import Pipeline, fn, pipeline_def, types
from forebay.graph.debug import DebugPipeline

SIZE = 4


def numbers() -> Any:
    return fn.external_source(lambda info: np.int32(info.idx_in_epoch), batch=False)


def batches(pipe: Pipeline, count: int = 3) -> list[Any]:
    return [[[np.array(sample).tolist() for sample in output] for output in pipe.run()] for _ in range(count)]


def assert_same(body: Any, count: int = 3, **arguments: Any) -> None:
    """The same batches with debug=True as without."""
    make = pipeline_def(**{"batch_size": SIZE, "num_threads": 2, "seed": 7, **arguments})(body)
    whole, debugged = make(), make(debug=True)
    assert isinstance(debugged, DebugPipeline) and not isinstance(whole, DebugPipeline)
    assert batches(debugged, count) == batches(whole, count)


def test_values_are_those_of_the_whole_pipeline() -> None:
    def body() -> Any:
        x = numbers()
        y = fn.cast(x * 2 + 1, dtype=types.FLOAT) / 4
        return x, y, fn.stack(x, x), fn.random.uniform(range=[0.0, 1.0]), fn.random.normal(y)

    assert_same(body)


def test_equal_operators_draw_what_they_do_in_the_whole_pipeline() -> None:
    def body() -> Any:
        draws = [fn.random.uniform(), fn.random.normal(), fn.random.uniform(), fn.random.uniform(name="named")]
        return *draws, fn.random.uniform(seed=3), fn.random.coin_flip(probability=draws[0] * 0 + 0.5)

    assert_same(body)


def test_a_reader(tmp_path: pathlib.Path) -> None:
    for number in range(8):
        folder = tmp_path / f"class{number % 2}"
        folder.mkdir(exist_ok=True)
        Image.fromarray(np.full((9, 7, 3), number * 20, np.uint8)).save(folder / f"{number}.png")

    def body() -> Any:
        files, labels = fn.readers.file(file_root=str(tmp_path), random_shuffle=True, name="reader")
        images = fn.decoders.image(files)
        cropped = fn.crop(images, crop=(4, 4), crop_pos_x=fn.random.uniform(range=[0.0, 1.0]))
        return labels, fn.crop_mirror_normalize(cropped, mirror=fn.random.coin_flip()), images.shape()

    def without_shapes() -> Any:
        return body()[:2]

    assert_same(without_shapes, 2)
    pipe = pipeline_def(batch_size=SIZE, num_threads=1)(without_shapes)(debug=True)
    with pytest.raises(KeyError, match="run the pipeline once"):
        pipe.reader_meta("reader")
    pipe.run()
    assert pipe.epoch_size("reader") == 8 and pipe.reader_meta().keys() == {"reader"}
    pipe.close()
    with pytest.raises(RuntimeError, match="closed"):
        pipe.run()


def test_results_can_be_looked_at() -> None:
    seen: list[Any] = []

    @pipeline_def(batch_size=SIZE, num_threads=1, debug=True)
    def make() -> Any:
        x = numbers()
        seen.append(x.get().as_array().tolist())
        if x.get().as_array().max() > SIZE:
            seen.append("later")
        y = fn.stack(x, x)
        assert y.shape() == [(2,)] * SIZE
        return y

    pipe = make()
    pipe.build()
    assert seen == []
    pipe.run()
    pipe.run()
    assert seen == [[0, 1, 2, 3], [4, 5, 6, 7], "later"]


def test_branches_run_where_they_are_chosen() -> None:
    calls: list[int] = []

    def note(x: Any) -> Any:
        calls.append(int(x))
        return x

    def body() -> Any:
        x = numbers()
        if x % 3 == 1:
            y = fn.random.uniform(range=[0.0, 1.0])
            z = fn.random.normal(fn.stack(x, x))
        else:
            y = fn.cast(fn.python_function(x, function=note), dtype=types.FLOAT)
            z = fn.random.normal(fn.stack(x, x), mean=5.0)
            if x > 100:
                z = z + 1
        return y, z, x > 2 and x < 7, not x

    assert_same(body, enable_conditionals=True)
    assert all(number % 3 != 1 for number in calls)


def test_what_is_drawn_does_not_depend_on_branches_that_did_not_run() -> None:
    def body() -> Any:
        x = numbers()
        y = fn.cast(x, dtype=types.FLOAT)
        if x >= 2 * SIZE:
            y = fn.reductions.sum(fn.random.normal(fn.stack(y, y)))
        return y

    assert_same(body, 4, enable_conditionals=True)


def test_batches_may_be_given_to_operators() -> None:
    loader = Pipeline(batch_size=SIZE, num_threads=1)
    loader.set_outputs(fn.cast(numbers(), dtype=types.FLOAT))

    @pipeline_def(batch_size=SIZE, num_threads=1, debug=True)
    def make() -> Any:
        batch = loader.run()[0]
        arrays = [np.array(sample) for sample in batch]
        return fn.stack(batch, arrays), fn.cast(arrays, dtype=types.INT32)

    assert batches(make(), 2)[1] == [[[4, 4], [5, 5], [6, 6], [7, 7]], [4, 5, 6, 7]]


def test_fed_data_and_epochs() -> None:
    @pipeline_def(batch_size=SIZE, num_threads=1, debug=True)
    def make(end: list[Any]) -> Any:
        return fn.external_source(name="fed") + fn.external_source(end, cycle="raise")

    pipe = make([[np.int32(1)] * SIZE, [np.int32(2)] * SIZE])
    for number in range(2):
        pipe.feed_input("fed", [np.int32(10 * number)] * SIZE)
    assert batches(pipe, 2) == [[[1] * SIZE], [[12] * SIZE]]
    pipe.feed_input("fed", np.zeros(SIZE, np.int32))
    with pytest.raises(StopIteration):
        pipe.run()
    pipe.reset()
    assert [output.as_array().tolist() for output in pipe.run(fed=np.zeros(SIZE, np.int32))] == [[1] * SIZE]
    with pytest.raises(RuntimeError, match="no external_source named 'other'"):
        pipe.feed_input("other", [])


def test_batches_of_other_sizes() -> None:
    sizes = [3, 1, 4]

    @pipeline_def(batch_size=SIZE, num_threads=1, debug=True)
    def make() -> Any:
        x = fn.external_source([[np.int32(i) for i in range(size)] for size in sizes])
        return x + 1, types.Constant(np.array([5])), fn.random.uniform()

    pipe = make()
    assert [[len(output) for output in pipe.run()] for _ in sizes] == [[size] * 3 for size in sizes]

    @pipeline_def(batch_size=SIZE, num_threads=1, debug=True)
    def uneven() -> Any:
        draw = fn.random.uniform()
        return draw, fn.external_source(lambda: [np.int32(1)])

    with pytest.raises(RuntimeError, match="Batch size must be uniform across an iteration"):
        uneven().run()


@pytest.mark.parametrize(("second", "said"), [
    (lambda: fn.cast(numbers(), dtype=types.FLOAT), "Unexpected operator"),
    (lambda: fn.cat(numbers(), numbers()), "Unexpected operator"),
    (lambda: fn.stack(*[numbers(), numbers()][:1], axis=0), "different number of inputs"),
    (lambda: fn.stack(numbers(), numbers()), "different number of keyword arguments"),
    (lambda: fn.stack(numbers(), numbers(), axis=1), "'axis' for operator 'stack' unexpectedly changed value from '0'"),
    (lambda: numbers(), "of the first run was not called"),
    (lambda: fn.stack(numbers(), numbers(), axis=0) + 1, "was not called in the first run"),
])
def test_another_course_of_the_definition_is_refused(second: Any, said: str) -> None:
    count = 0

    @pipeline_def(batch_size=SIZE, num_threads=1, debug=True)
    def make() -> Any:
        nonlocal count
        count += 1
        if count == 1:
            return fn.stack(numbers(), numbers(), axis=0)
        return second()

    pipe = make()
    pipe.run()
    with pytest.raises(RuntimeError, match=said):
        pipe.run()


def test_errors_come_from_the_line() -> None:
    reached: list[str] = []

    @pipeline_def(batch_size=SIZE, num_threads=1, debug=True)
    def make() -> Any:
        x = fn.stack(numbers(), numbers())
        reached.append("before")
        y = fn.crop(x, crop=(100, 100, 100))
        reached.append("after")
        return y

    with pytest.raises(RuntimeError, match="crop"):
        make().run()
    assert reached == ["before"]


def test_what_debugging_does_not_have() -> None:
    make = pipeline_def(batch_size=SIZE, num_threads=1, debug=True)(numbers)
    for method in ("serialize", "state_dict", "explain"):
        with pytest.raises(NotImplementedError, match="debug=True"):
            getattr(make(), method)()
    for arguments in ({"on_error": "skip"}, {"enable_checkpointing": True}):
        with pytest.raises(NotImplementedError, match="debug=True"):
            make(**arguments)

    @pipeline_def(batch_size=SIZE, num_threads=1, debug=True)
    def keeps() -> Any:
        return fn.keep(numbers(), where=numbers() > 1)

    with pytest.raises(NotImplementedError, match="changes the number of samples"):
        keeps().run()


def test_nodes_from_outside_and_fn_of_the_user() -> None:
    outside = numbers() * 10

    @pipeline_def(batch_size=2, num_threads=1, debug=True)
    def make(node: Any) -> Any:
        seen: list[int] = []
        fn.python_function(node, function=lambda x: seen.append(int(x)), num_outputs=0)
        return node + len(seen)

    assert batches(make(outside), 2) == [[[2, 12]], [[22, 32]]]


def test_what_is_known_after_a_run() -> None:
    @pipeline_def(batch_size=2, num_threads=1, debug=True)
    def make() -> Any:
        return numbers(), numbers()

    pipe = make()
    pipe.start_py_workers()
    with pytest.raises(NotImplementedError, match="by running"):
        pipe.num_outputs  # noqa: B018
    pipe.run()
    assert (pipe.num_outputs, pipe.output_dtype(), pipe.output_layout()) == (2, [None, None], [None, None])
