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


def test_scalar_constants_change_their_type() -> None:
    two = types.Constant(2)
    assert [two.uint8().dtype, two.float32().dtype, two.float64().dtype] == [types.UINT8, types.FLOAT, types.FLOAT64]
    assert (two.bool().value, types.Constant(2.7).int8().value) == (True, 2)
    assert types.Constant(np.int64(5)).dtype == types.INT64
    with pytest.raises(OverflowError):
        types.Constant(300).uint8()


def test_layouts_as_objects() -> None:
    layout = types.TensorLayout("HWC")
    assert (layout, str(layout), len(layout)) == ("HWC", "HWC", 3)
    assert repr(layout) == "TensorLayout('HWC')"
    with pytest.raises(TypeError, match="text such as"):
        types.TensorLayout(5)  # type: ignore[arg-type]
    assert types.PipelineAPIType.ITERATOR.value == 1
