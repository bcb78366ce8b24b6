"""Members of enumerations through branches, and in operators that work on numbers."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest
from test_conditionals import SIZE, numbers

from forebay import fn, pipeline_def, types


def run(write: Callable[[], Any], **arguments: Any) -> Any:
    definition = pipeline_def(batch_size=SIZE, num_threads=1, enable_conditionals=True, **arguments)
    (output,) = definition(write)().run()
    return output


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("make", [types.Constant, lambda member: member])
def test_what_branches_choose_keeps_its_enumeration(make: Callable[[Any], Any], debug: bool) -> None:
    def body() -> Any:
        if numbers() > 3:
            chosen = make(types.INTERP_CUBIC)
        else:
            chosen = make(types.INTERP_NN)
        return fn.copy(chosen)

    output = run(body, debug=debug)
    assert output.dtype == types.INTERP_TYPE
    assert [int(output.at(k)) for k in range(SIZE)] == [0, 0, 0, 0, 2, 2]


@pytest.mark.parametrize("other", [types.Constant(types.RGB), types.RGB, 1, types.Constant(np.int32(1), dtype=types.INT32)])
def test_other_enumerations_and_numbers_are_not_merged_with_it(other: Any) -> None:
    def body(uses: bool) -> Any:
        x = numbers()
        if x > 3:
            chosen = types.Constant(types.INTERP_CUBIC)
        else:
            chosen = other
        return fn.copy(chosen) if uses else x

    assert run(lambda: body(False)).dtype == types.INT32
    for kind in (RuntimeError, TypeError):
        with pytest.raises(kind, match="cannot be merged"):
            run(lambda: body(True))


@pytest.mark.parametrize(
    "write",
    [
        lambda kind: fn.stack(kind, kind),
        lambda kind: fn.cat(fn.reshape(kind, shape=[1]), fn.reshape(kind, shape=[1])),
        lambda kind: fn.pad(fn.reshape(kind, shape=[1]), shape=[3]),
        lambda kind: fn.full_like(fn.zeros(shape=[2]), kind),
        lambda kind: fn.zeros_like(kind),
        lambda kind: fn.one_hot(kind, num_classes=4),
        lambda kind: fn.reductions.max(kind),
        lambda kind: kind == kind,
    ],
)
def test_operators_that_compute_refuse_it(write: Callable[[Any], Any]) -> None:
    for kind in (RuntimeError, TypeError):
        with pytest.raises(kind, match="fn.cast makes numbers"):
            run(lambda: write(types.Constant(types.INTERP_LINEAR)))


def test_what_picks_elements_keeps_it() -> None:
    assert run(lambda: fn.random.choice(types.Constant([types.INTERP_NN, types.INTERP_CUBIC]))).dtype == types.INTERP_TYPE


def test_a_type_of_elements_makes_numbers_of_it() -> None:
    for write in (
        lambda kind: fn.cast_like(kind, types.Constant(1)),
        lambda kind: fn.reinterpret(kind, dtype=types.INT32),
        lambda kind: fn.stack(fn.cast(kind, dtype=types.INT32), types.Constant(1)),
    ):
        assert run(lambda: write(types.Constant(types.INTERP_LINEAR))).dtype == types.INT32


def test_it_chooses_the_filter_of_each_sample() -> None:
    def body() -> Any:
        picture = types.Constant(np.arange(48, dtype=np.uint8).reshape(4, 4, 3), layout="HWC")
        if numbers() > 3:
            chosen = types.INTERP_NN
        else:
            chosen = types.INTERP_LINEAR
        return fn.resize(picture, size=[3, 5], interp_type=chosen)

    output = run(body)
    assert np.array_equal(output.at(0), output.at(3)) and np.array_equal(output.at(4), output.at(5))
    assert not np.array_equal(output.at(3), output.at(4))
