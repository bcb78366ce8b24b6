"""Members of enumerations as constants of a pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from forebay import fn, pipeline_def, types


def run(write: Any, **arguments: Any) -> Any:
    (output,) = pipeline_def(batch_size=2, num_threads=1, **arguments)(write)().run()
    return output


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (types.FLOAT, types.DATA_TYPE),
        (types.RGB, types.IMAGE_TYPE),
        (types.INTERP_CUBIC, types.INTERP_TYPE),
        ([types.INTERP_NN, types.INTERP_CUBIC], types.INTERP_TYPE),
    ],
)
@pytest.mark.parametrize("debug", [False, True])
def test_the_type_is_that_of_the_enumeration(value: Any, kind: types.DALIDataType, debug: bool) -> None:
    for write in (lambda: types.Constant(value), lambda: value):
        if isinstance(value, list) and write() is value:
            continue  # a list is several outputs
        output = run(write, debug=debug)
        assert (output.dtype, output[0].dtype, output.as_tensor().dtype) == (kind, kind, kind)
        assert output.at(1).tolist() == value
        assert output.at(1).dtype == np.int32


def test_such_a_constant_is_a_node() -> None:
    assert isinstance(types.Constant(types.RGB), types.Constant(np.zeros(1)).__class__)
    with pytest.raises(TypeError, match="not DALIImageType"):
        types.ScalarConstant(types.RGB)
    with pytest.raises(TypeError, match="one enumeration"):
        types.Constant([types.RGB, types.FLOAT])


def test_what_keeps_the_elements_keeps_the_enumeration() -> None:
    kept = fn.reshape(fn.copy(types.Constant([types.INTERP_NN, types.INTERP_CUBIC])[1]), shape=[1])
    assert run(lambda: kept).dtype == types.INTERP_TYPE


def test_numbers_are_made_of_it_by_a_cast_or_a_dtype() -> None:
    for write in (
        lambda: fn.cast(types.Constant(types.INTERP_CUBIC), dtype=types.INT32),
        lambda: types.Constant(types.INTERP_CUBIC, dtype=types.INT32),
    ):
        output = run(write)
        assert (output.dtype, output.at(0)) == (types.INT32, 2)


def test_nothing_is_computed_of_it() -> None:
    for compute in (lambda: types.Constant(types.RGB) + 1, lambda: fn.random.uniform() < types.FLOAT):
        with pytest.raises(RuntimeError, match="fn.cast makes numbers"):
            compute()


def test_it_chooses_a_filter_as_the_member_does() -> None:
    def resized(chosen: Any) -> Any:
        picture = types.Constant(np.arange(48, dtype=np.uint8).reshape(4, 4, 3), layout="HWC")
        return fn.resize(picture, size=[3, 5], interp_type=chosen)

    outputs = [run(lambda: resized(make(types.INTERP_NN))).at(0) for make in (types.Constant, lambda member: member)]
    assert np.array_equal(*outputs)
