import numpy as np
import pytest

from forebay import types


def test_numbers_are_those_of_saved_values() -> None:
    assert (types.UINT8, types.INT64, types.FLOAT16, types.FLOAT, types.BOOL) == (0, 7, 8, 9, 11)
    assert (types.RGB, types.GRAY, types.ANY_DATA) == (0, 2, 4)
    assert (types.INTERP_NN, types.INTERP_LINEAR, types.INTERP_LANCZOS3) == (0, 1, 3)
    assert str(types.FLOAT) == "DALIDataType.FLOAT"
    assert repr(types.FLOAT) == "<DALIDataType.FLOAT: 9>"


def test_numpy_types_go_both_ways() -> None:
    for dtype in (types.UINT8, types.INT16, types.FLOAT16, types.FLOAT64, types.BOOL):
        assert types.to_dali_type(types.to_numpy_type(dtype)) == dtype
    assert types.to_dali_type("float32") == types.FLOAT
    with pytest.raises(TypeError, match="complex"):
        types.to_dali_type("complex64")
    with pytest.raises(TypeError):
        types.to_numpy_type(types.STRING)


def test_scalar_constants_have_a_type() -> None:
    assert types.Constant(3).dtype == types.INT32
    assert types.Constant(True).dtype == types.BOOL
    assert types.Constant(1.5).dtype == types.FLOAT
    assert types.Constant(300, dtype=types.INT64).value == 300
    assert float(types.ScalarConstant(2, types.FLOAT)) == 2.0
    with pytest.raises(TypeError):
        types.ScalarConstant("x")  # type: ignore[arg-type]


def test_shaped_constants_need_a_pipeline() -> None:
    with pytest.raises(RuntimeError, match="outside of a pipeline"):
        types.Constant(np.zeros(3))
