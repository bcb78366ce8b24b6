"""Errors that are what Python calls a mistake and what DALI raises for it, so that `except` clauses written for either
catch them."""

from __future__ import annotations

import pathlib
import pickle
from typing import Any, Callable

import numpy as np
import pytest

from forebay import Pipeline, SampleError, TensorListCPU, errors, fn, ops, pipeline_def, types

Body = Callable[[], Any]


def given(value: Any, **arguments: Any) -> Any:
    return fn.external_source(source=lambda _: np.asarray(value), batch=False, **arguments)


def picture(layout: str | None = "HWC") -> Any:
    return given(np.ones((3, 4, 3), np.uint8), layout=layout)


def numbers() -> Any:
    return given(np.ones(4, np.float32))


def run(body: Body, **arguments: Any) -> Any:
    return pipeline_def(batch_size=2, num_threads=1, **arguments)(body)().run()


def never_fed() -> Pipeline:
    pipe = Pipeline(batch_size=1, num_threads=1)
    with pipe:
        pipe.set_outputs(fn.external_source(name="in"))
    pipe.build()
    return pipe


def raises(function: Callable[..., Any], *kinds: type[Exception], words: str | None = None) -> Exception:
    with pytest.raises(kinds[0], match=words) as caught:
        function()
    for kind in kinds[1:]:
        assert isinstance(caught.value, kind), (type(caught.value).__mro__, str(caught.value))
    return caught.value


@pytest.mark.parametrize(
    "body",
    [
        lambda: fn.crop(picture("XYZ"), crop=(2, 2)),
        lambda: fn.resize(picture("XYZ"), size=[2, 2]),
        lambda: fn.resize(numbers(), size=[2, 2]),
        lambda: fn.flip(picture("XYZ")),
        lambda: fn.rotate(numbers(), angle=30),
        lambda: fn.warp_affine(numbers(), matrix=[1, 0, 0, 0, 1, 0]),
        lambda: fn.hsv(picture("CHW"), hue=3),
        lambda: fn.brightness(numbers(), brightness=2),
        lambda: fn.crop_mirror_normalize(picture("XYZ")),
        lambda: fn.jpeg_compression_distortion(numbers()),
        lambda: fn.water(numbers()),
        lambda: given(np.int32(1)) // given(np.int32(0)),
        lambda: fn.reductions.sum(picture(), axes=[0, 0]),
    ],
)
def test_an_operator_that_cannot_work_with_a_sample(body: Body) -> None:
    raises(lambda: run(body), errors.InvalidSampleError, SampleError, ValueError, RuntimeError)


@pytest.mark.parametrize(
    "body",
    [
        lambda: fn.reductions.sum(picture(), axes=[5]),
        lambda: fn.reductions.mean(picture(), axes=[-9]),
        lambda: picture()[9],
    ],
)
def test_an_axis_or_an_index_beyond_a_sample(body: Body) -> None:
    raises(lambda: run(body), errors.OutOfRangeSampleError, SampleError, IndexError, RuntimeError)


def test_a_read_that_fails_is_no_mistake_of_an_argument(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY")
    error = raises(lambda: run(lambda: fn.readers.numpy(files=[str(tmp_path / "a.npy")])), SampleError)
    assert not isinstance(error, (ValueError, IndexError))


@pytest.mark.parametrize(
    ("function", "kinds"),
    [
        (lambda: never_fed().feed_input("other", [np.ones(1)]), (KeyError, RuntimeError)),
        (lambda: never_fed().input_feed_count("other"), (KeyError, RuntimeError)),
        (lambda: never_fed().reader_meta("other"), (KeyError, RuntimeError)),
        (lambda: never_fed().run(), (IndexError, RuntimeError)),
        (lambda: never_fed().feed_input("in", None), (TypeError, RuntimeError)),
        (lambda: Pipeline.deserialize(b"garbage"), (ValueError, RuntimeError)),
        (lambda: never_fed_with("garbage"), (ValueError, RuntimeError)),
        (lambda: run(lambda: None), (NotImplementedError, ValueError, RuntimeError)),
        (lambda: types.to_numpy_type(types.STRING), (TypeError, KeyError)),
        (lambda: TensorListCPU(np.zeros((2, 1))).at(9), (IndexError, RuntimeError)),
        (lambda: TensorListCPU(5), (TypeError, ValueError, RuntimeError)),
        (lambda: types.Constant(3, nonsense=1), (TypeError, KeyError)),
    ],
)
def test_an_error_is_both(function: Body, kinds: tuple[type[Exception], ...]) -> None:
    raises(function, *kinds)


def never_fed_with(checkpoint: str) -> None:
    pipe = Pipeline(batch_size=1, num_threads=1, checkpoint=checkpoint)
    with pipe:
        pipe.set_outputs(fn.external_source(name="in"))
    pipe.build()


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        (lambda: fn.external_source(source=lambda: 1, cycle=True), (TypeError, ValueError)),
        (lambda: fn.external_source(source=lambda: 1, nonsense=True), (TypeError, ValueError, KeyError)),
        (lambda: fn.external_source(source=5), (TypeError, RuntimeError)),
        (lambda: fn.external_source(source=lambda: None), (TypeError, RuntimeError)),
        (lambda: fn.external_source(source=lambda: "ab"), (TypeError, RuntimeError)),
        (lambda: fn.external_source(source=lambda: [np.array([None])] * 2), (TypeError, RuntimeError)),
        (lambda: fn.external_source(source=lambda: [np.array(["a"])] * 2), (TypeError, RuntimeError)),
        (lambda: fn.python_function(numbers(), function=5), (TypeError, RuntimeError)),
        (lambda: fn.python_function(numbers(), function=abs, nonsense=1), (TypeError, KeyError)),
        (
            lambda: fn.python_function(numbers(), function=lambda x: x[:1], batch_processing=True),
            (ValueError, RuntimeError),
        ),
        (lambda: ops.Constant(idata=1, shape=[1])(shape=[2]), (ValueError, RuntimeError)),
        (lambda: fn.cast(numbers(), dtype=types.INT32, device="tpu"), (NotImplementedError, ValueError)),
        (lambda: fn.stack([numbers(), numbers()], [numbers()]), (TypeError, ValueError)),
        (lambda: picture()[np.array([0, 1])], (TypeError, RuntimeError)),
        (lambda: "abc", (TypeError, ValueError)),
        (lambda: types.Constant("abc", shape=[1]), (TypeError, ValueError)),
    ],
)
@pytest.mark.parametrize("debug", [False, True])
def test_a_mistake_in_a_definition_is_both(body: Body, kinds: tuple[type[Exception], ...], debug: bool) -> None:
    raises(lambda: run(body, debug=debug), *kinds)


def test_what_a_function_of_a_batch_raises_is_a_runtime_error_too() -> None:
    class Own(Exception):
        def __init__(self, code: int) -> None:
            super().__init__(code)
            self.code = code

    class Odd(Exception):
        def __init__(self, one: int, two: int) -> None:
            super().__init__(f"{one} and {two}")

    def raising(error: Exception) -> Body:
        def fail(_: Any) -> Any:
            raise error

        return lambda: run(lambda: fn.python_function(numbers(), function=fail, batch_processing=True))

    own = Own(7)
    found = raises(raising(own), Own, RuntimeError)
    assert found.__cause__ is own and vars(found) == {"code": 7}
    gone = raises(raising(FileNotFoundError(2, "gone", "x")), FileNotFoundError, RuntimeError)
    assert isinstance(gone, OSError) and (gone.errno, gone.filename) == (2, "x")
    odd = Odd(1, 2)
    assert raises(raising(odd), Odd) is odd  # it cannot be made again
    again = pickle.loads(pickle.dumps(gone))
    assert isinstance(again, FileNotFoundError) and isinstance(again, RuntimeError) and str(again) == str(gone)
    refused = RuntimeError("no")
    assert raises(raising(refused), RuntimeError) is refused


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda: numbers() & numbers(), "bitwise"),
        (lambda: fn.crop(picture(), crop=(10, 10)), "out of bounds"),
        (lambda: picture()[9], "out of range.*bounds"),
        (lambda: picture()[0, 0, 0, 0], "Too many indices.*dimensions"),
        (lambda: picture()[::0], "step.*cannot be zero"),
        (lambda: fn.reductions.sum(picture(), axes=[5]), "Axis index out of range"),
        (lambda: fn.stack(numbers(), picture()), "number of dimensions"),
        (lambda: fn.reshape(picture(), shape=[5, 5]), "volume"),
        (lambda: given(1, dtype=types.FLOAT), "expected"),
        (lambda: given(1, ndim=3), "expected ndim"),
        (lambda: fn.external_source(source=5), "callable or iterable"),
        (lambda: fn.cast(numbers(), dtype=types.INT32, device="tpu"), "tpu"),
        (lambda: "abc", "'abc'.*constant"),
    ],
)
def test_the_words_that_scripts_look_for(body: Body, words: str) -> None:
    raises(lambda: run(body), Exception, words=words)


def scheduled() -> Any:
    pipe = pipeline_def(batch_size=2, num_threads=1)(numbers)()
    pipe.share_outputs()


KINDS: list[tuple[Body, tuple[type[Exception], ...]]] = [
    (scheduled, (StopIteration, RuntimeError)),
    (lambda: run(lambda: fn.random.uniform(seed="a")), (ValueError, TypeError, RuntimeError)),
    (lambda: run(lambda: fn.external_source(source=lambda: {"a": 1, "b": 2}, num_outputs=2)), (KeyError, ValueError, RuntimeError)),
    (lambda: fn.external_source(source=lambda: [1], repeat_last=True), (ValueError, RuntimeError)),
    (lambda: Pipeline(batch_size=2, max_batch_size=3), (TypeError, ValueError)),
]


@pytest.mark.parametrize(("body", "kinds"), KINDS)
def test_what_either_catches(body: Body, kinds: tuple[type[Exception], ...]) -> None:
    raises(body, *kinds)
