"""Batches as arrays that are not there yet, and arrays as batches."""

from __future__ import annotations

import subprocess
import sys

import numpy
import pytest

import forebay
from forebay import fn, nd, pipeline_def


@pipeline_def(batch_size=8, num_threads=2, seed=3)
def numbers(count: int = 64):
    def sample(info):
        if info.idx_in_epoch >= count:
            raise StopIteration
        return numpy.full((4, 3), info.idx_in_epoch, numpy.float32)

    return fn.external_source(sample, batch=False) * 2, fn.random.uniform()


def test_arrays_are_the_batches() -> None:
    later, waited = numbers(), numbers()
    promised = [later.run_arrays() for _ in range(6)]
    for values, draws in promised:
        expected, expected_draws = waited.run()
        assert isinstance(values, nd.NDArray)
        numpy.testing.assert_array_equal(values.asnumpy(), expected.as_array())
        numpy.testing.assert_array_equal(draws.asnumpy(), expected_draws.as_array())


def test_what_is_computed_from_a_batch_copies_nothing() -> None:
    pipe = numbers()
    pipe.run_arrays()
    values, _ = pipe.run_arrays()
    shared = numpy.from_dlpack(values)
    total = (values + 1).sum(axis=(1, 2))
    total.wait_to_read()
    assert shared.ctypes.data == values.tensor().data_ptr()
    assert total.shape == (8,)


def test_the_end_of_the_data_is_raised_by_who_reads() -> None:
    pipe = numbers(count=16)
    pipe.run_arrays()
    pipe.run_arrays()
    values, _ = pipe.run_arrays()
    with pytest.raises(StopIteration):
        values.wait_to_read()


@pytest.mark.parametrize("waits", [True, False])
def test_reset_begins_the_next_epoch_once_the_end_was_seen(waits: bool) -> None:
    pipe = numbers(count=16)
    for _ in range(3):
        pipe.reset()  # in the middle: ignored
        batches = [pipe.run_arrays()[0] for _ in range(2)]
        assert [batch.asnumpy().ravel()[0] for batch in batches] == [0, 16]
        with pytest.raises(StopIteration):
            pipe.run() if waits else pipe.run_arrays()[0].wait_to_read()
        pipe.reset()


def test_another_shape_is_the_error_of_its_arrays() -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def growing():
        return fn.external_source(lambda info: numpy.zeros(3 + info.iteration, numpy.float32), batch=False)

    pipe = growing()
    (first,) = pipe.run_arrays()
    assert first.shape == (2, 3)
    (second,) = pipe.run_arrays()
    doubled = second * 2
    for _ in range(2):
        with pytest.raises(ValueError, match="promised as float 2x3"):
            doubled.asnumpy()


@pipeline_def(batch_size=2, num_threads=1)
def sounds(lengths: list[list[int]], padded_to: int | None = None):
    coming = iter(lengths)
    sound = fn.external_source(lambda: [numpy.ones(length, numpy.float32) for length in next(coming)])
    return sound if padded_to is None else fn.pad(sound, axes=[0], shape=[padded_to])


WHAT_TO_DO = r"one shape \(sound by fn.pad with `shape`.*take batches by run\(\)"


def test_sound_of_different_lengths_is_refused_and_says_what_to_do() -> None:
    with pytest.raises(ValueError, match="output 0 as one array: samples differ.* float 4, .* float 3;.*" + WHAT_TO_DO):
        sounds([[4, 3]]).run_arrays()
    later = sounds([[3, 3], [3, 4], [5, 5]])
    later.run_arrays()
    with pytest.raises(ValueError, match="output 0 as one array: samples differ.* float 3, .* float 4;.*" + WHAT_TO_DO):
        later.run_arrays()[0].asnumpy()
    with pytest.raises(ValueError, match="output 0 is float 2x5, .* as float 2x3.*" + WHAT_TO_DO):
        later.run_arrays()[0].asnumpy()


def test_sound_that_is_padded_comes_as_arrays() -> None:
    pipe = sounds([[3, 3], [3, 4], [5, 1]], padded_to=5)
    assert [pipe.run_arrays()[0].asnumpy().sum(axis=1).tolist() for _ in range(3)] == [[3, 3], [3, 4], [5, 1]]


FED = """
import numpy
import forebay
from forebay import fn, nd, pipeline_def

arrays = [nd.ones((3, 2)) * i for i in range(4)]

@pipeline_def(batch_size=4, num_threads=1)
def fed():
    return fn.external_source(lambda: [array * 2 for array in arrays], no_copy=True)

pipe = fed()
(batch,) = pipe.run()
assert forebay.bytes_copied() == 0
for i in range(4):
    numpy.testing.assert_array_equal(batch.at(i), numpy.full((3, 2), 2.0 * i))
"""


def test_arrays_are_fed_without_a_copy() -> None:
    # In a process of its own: pipelines of other tests may be copying meanwhile.
    subprocess.run([sys.executable, "-c", FED], check=True, timeout=60)
