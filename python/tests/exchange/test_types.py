from typing import Any

import numpy as np
import pytest

from forebay import Pipeline, pipeline_def, types


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


def test_shaped_constants_are_made_before_their_pipeline() -> None:
    node = types.Constant(np.array([1, 2, 3]))
    pipe = Pipeline(batch_size=2, num_threads=1)
    pipe.set_outputs(node + 1)
    np.testing.assert_array_equal(pipe.run()[0].as_array(), [[2, 3, 4]] * 2)


def test_scalar_constants_change_their_type() -> None:
    two = types.Constant(2)
    assert [two.uint8().dtype, two.float32().dtype, two.float64().dtype] == [types.UINT8, types.FLOAT, types.FLOAT64]
    assert (two.bool().value, types.Constant(2.7).int8().value) == (True, 2)
    assert types.Constant(np.int64(5)).dtype == types.INT64


def test_a_scalar_constant_keeps_its_number() -> None:
    large = types.Constant(300).uint8()
    assert (large.value, str(large), types.Constant(0.1, types.FLOAT16).value) == (300, "300:DALIDataType.UINT8", 0.1)
    with pytest.raises(OverflowError, match="300 does not fit into uint8"):
        large + large
    pipe = Pipeline(batch_size=1, num_threads=1)
    pipe.set_outputs(large, types.Constant(-1, types.UINT8))
    assert [output.as_array().tolist() for output in pipe.run()] == [[255], [0]]


def test_layouts_as_objects() -> None:
    layout = types.TensorLayout("HWC")
    assert (layout, str(layout), len(layout)) == ("HWC", "HWC", 3)
    assert repr(layout) == "TensorLayout('HWC')"
    with pytest.raises(TypeError, match="text such as"):
        types.TensorLayout(5)  # type: ignore[arg-type]
    assert types.PipelineAPIType.ITERATOR.value == 1


class OfTorch:
    """What PyTorch's types look like from outside."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __str__(self) -> str:
        return f"torch.{self._name}"


def test_types_of_other_libraries() -> None:
    names = {"float32": types.FLOAT, "float16": types.FLOAT16, "bool": types.BOOL, "uint8": types.UINT8}
    for name, dtype in names.items():
        assert types.to_dali_type(OfTorch(name)) == types.to_dali_type(f"torch.{name}") == dtype
    assert types.to_dali_type("byte") == types.UINT8 and types.to_dali_type("sbyte") == types.INT8
    assert types.to_dali_type(float) == types.FLOAT and types.to_dali_type(np.float64) == types.FLOAT64
    for unknown in (OfTorch("complex64"), "quint8", 3, None):
        with pytest.raises(TypeError, match="no element type for"):
            types.to_dali_type(unknown)


def test_a_converter_of_a_plugin_is_asked_first() -> None:
    class Mine:
        pass

    types.dali_type_converters.append(lambda kind: types.INT16 if kind is Mine else None)
    try:
        assert types.to_dali_type(Mine) == types.INT16 and types.to_dali_type("int8") == types.INT8
    finally:
        types.dali_type_converters.pop()


def test_a_constant_node_is_a_node_for_a_number_too() -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        node = types.ConstantNode("cpu", 3, types.UINT8, None, None, name="three")
        assert (node.source, node.index, node.ndim, node.dtype, node.layout) == ("constant", 0, None, None, None)
        return node, types.ConstantNode(None, [1.0, 2.0], None, None, "X")

    number, row = make().run()
    assert number.as_array().tolist() == [3, 3] and number.dtype == types.UINT8
    assert row.as_array().tolist() == [[1, 2]] * 2 and row.layout() == "X"
    with pytest.raises(TypeError, match="no argument 'sead'"):
        types.ConstantNode("cpu", 3, sead=1)
