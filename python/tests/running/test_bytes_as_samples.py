"""bytes from Python are samples of uint8; they are no batch."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

from forebay import Pipeline, fn, pipeline_def, types
from forebay import dynamic as ndd

WANTED = [[97, 98, 99], [100, 101]]


def run(**source: Any) -> Any:
    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        return fn.external_source(**source)

    pipe = make()
    output = pipe.run()[0]
    pipe.close()
    return output


def words(info: Any = None) -> bytes:
    return [b"abc", b"de"][0 if info is None else info.idx_in_batch]


@pytest.mark.parametrize("no_copy", [False, True])
def test_each_is_a_row_of_bytes(no_copy: bool) -> None:
    batch = run(source=lambda: [b"abc", b"de"], no_copy=no_copy, dtype=np.uint8, ndim=1)
    assert batch.dtype == types.UINT8 and [sample.tolist() for sample in map(np.asarray, batch)] == WANTED


@pytest.mark.parametrize("parallel", [False, True])
def test_a_source_of_samples(parallel: bool) -> None:
    batch = run(source=words, batch=False, parallel=parallel)
    assert [sample.tolist() for sample in map(np.asarray, batch)] == WANTED


def test_bytes_of_length_zero() -> None:
    assert run(source=lambda: [b"", b"a"]).shape() == [(0,), (1,)]


def test_they_are_fed_by_hand() -> None:
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(fn.external_source(name="x"))
    assert pipe.run(x=[b"abc", b"de"])[0].shape() == [(3,), (2,)]


def test_a_function_may_give_them() -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        return fn.python_function(fn.external_source(lambda: [b"abc", b"de"]), function=lambda x: x.tobytes() + b"!")

    assert [sample.tobytes() for sample in map(np.asarray, make().run()[0])] == [b"abc!", b"de!"]


def test_they_are_decoded(photos: pathlib.Path) -> None:
    contents = [path.read_bytes() for path in sorted(photos.rglob("*.jpg"))[:2]]

    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        return fn.decoders.image(fn.external_source(lambda: contents), output_type="rgb")

    assert all(shape[2] == 3 for shape in make().run()[0].shape())


def test_dynamic_mode_takes_them() -> None:
    assert np.asarray(ndd.tensor(b"abc")).tolist() == WANTED[0]
    assert ndd.tensor(b"abc").dtype == ndd.uint8
    assert [np.asarray(each).tolist() for each in ndd.batch([b"abc", b"de"]).tensors] == WANTED


KINDS = pytest.mark.parametrize("whole", [b"ab", bytearray(b"ab"), memoryview(b"ab"), "ab"], ids=lambda x: type(x).__name__)


@KINDS
def test_they_are_no_outputs(whole: Any) -> None:
    def make() -> Any:
        return fn.external_source(lambda: whole, num_outputs=2, batch=False)

    with pytest.raises(ValueError, match=f"gave {type(whole).__name__}, which is one sample, not 2 outputs"):
        pipeline_def(batch_size=2, num_threads=1)(lambda: tuple(make()))().run()
    with pytest.raises(ValueError, match=f"gave {type(whole).__name__}, which is one sample, not 2 outputs"):
        ndd.ExternalSource(lambda: whole, num_outputs=2)()


def test_bytes_that_can_change_are_samples_too() -> None:
    for whole in (bytearray(b"abc"), memoryview(b"abc")):
        assert np.asarray(run(source=lambda: [whole] * 2)[0]).tolist() == WANTED[0]
        assert np.asarray(ndd.tensor(whole)).tolist() == WANTED[0] and ndd.tensor(whole).dtype == ndd.uint8
    rows = memoryview(np.eye(2, dtype=np.float32))
    assert run(source=lambda: rows).shape() == [(2,), (2,)]


@KINDS
def test_they_are_no_batch(whole: Any) -> None:
    said = "is one sample, not a batch: give a list with one for each sample"
    with pytest.raises(TypeError, match=said):
        run(source=lambda: whole)
    with pytest.raises(TypeError, match=said):
        ndd.batch(whole)
    if isinstance(whole, memoryview):
        return  # which goes to no worker process
    with pytest.raises((TypeError, RuntimeError), match=said):
        run(source=lambda i: whole, parallel=True, batch=True)


def test_text_says_how_it_becomes_bytes() -> None:
    with pytest.raises(TypeError, match=r"give its bytes, 'abc'.encode\(\)"):
        run(source=lambda: ["abc", "de"])
