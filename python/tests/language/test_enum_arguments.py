"""Element types, filters and colour spaces as users write them: of `types`, of NumPy, by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from forebay import fn, ops, pipeline_def, types
from forebay import dynamic as ndd
from forebay.fn import generate

PICTURE = np.arange(8 * 8 * 3, dtype=np.uint8).reshape(8, 8, 3)
FLOATS = [np.float32, np.dtype("float32"), float, "float32", "FLOAT", "Float32", ndd.float32, 9]


class OfTorch:
    """What PyTorch's types look like from outside."""

    def __str__(self) -> str:
        return "torch.float32"


def pictures() -> Any:
    return fn.external_source(lambda: [PICTURE, PICTURE])


def output(made: Any, **arguments: Any) -> Any:
    """The first output of a pipeline."""

    @pipeline_def(batch_size=2, num_threads=1, **arguments)
    def pipe() -> Any:
        return made()

    return pipe().run()[0]


@pytest.mark.parametrize("dtype", [*FLOATS, OfTorch(), types.FLOAT], ids=str)
def test_an_element_type_of_any_library(dtype: Any) -> None:
    assert output(lambda: fn.cast(pictures(), dtype=dtype)).dtype == types.FLOAT
    assert output(lambda: fn.crop_mirror_normalize(pictures(), dtype=dtype)).dtype == types.FLOAT
    assert output(lambda: ops.Cast(dtype=dtype)(pictures())).dtype == types.FLOAT
    assert output(lambda: pictures().shape(dtype=dtype)).dtype == types.FLOAT
    assert types.Constant(3, dtype=dtype).dtype == types.FLOAT
    assert output(lambda: types.Constant([1, 2], dtype=dtype)).dtype == types.FLOAT
    assert output(lambda: fn.external_source(lambda: [np.zeros(3, np.float32)] * 2, dtype=dtype)).dtype == types.FLOAT
    assert output(lambda: fn.cast(pictures(), dtype=types.FLOAT), output_dtype=dtype).dtype == types.FLOAT


@pytest.mark.parametrize(
    ("dtype", "wanted"), [(bool, types.BOOL), (int, types.INT64), (np.uint8, types.UINT8), ("int16", types.INT16)]
)
def test_other_types(dtype: Any, wanted: Any) -> None:
    assert output(lambda: fn.cast(pictures(), dtype=dtype)).dtype == wanted


def test_a_source_of_several_types() -> None:
    @pipeline_def(batch_size=1, num_threads=1, output_dtype=[np.uint8, "float64"])
    def pipe() -> Any:
        batch = ([np.zeros(1, np.uint8)], [np.zeros(1)])
        return tuple(fn.external_source(lambda: batch, num_outputs=2, dtype=[np.uint8, float64]))

    float64 = np.float64
    assert [each.dtype for each in pipe().run()] == [types.UINT8, types.FLOAT64]


def test_a_source_that_breaks_its_promise_says_both_types() -> None:
    with pytest.raises(TypeError, match="expected the type DALIDataType.FLOAT, as promised, and got DALIDataType.UINT8"):
        output(lambda: fn.external_source(lambda: [PICTURE] * 2, dtype=np.float32))


@pytest.mark.parametrize("name", ["linear", "LINEAR", "INTERP_LINEAR", "interp_linear", "bilinear", types.INTERP_LINEAR, 1])
def test_filters_by_name(name: Any) -> None:
    wanted = output(lambda: fn.resize(pictures(), size=(5, 5), interp_type=types.INTERP_LINEAR)).as_array()
    np.testing.assert_array_equal(output(lambda: fn.resize(pictures(), size=(5, 5), interp_type=name)).as_array(), wanted)
    made = ndd.resize(ndd.tensor(PICTURE, layout="HWC"), size=(5, 5), interp_type=name)
    np.testing.assert_array_equal(np.asarray(made), wanted[0])


def test_all_filters_have_names() -> None:
    for name in ("nn", "nearest", "cubic", "bicubic", "lanczos3", "triangular", "gaussian"):
        assert output(lambda: fn.resize(pictures(), size=(5, 5), interp_type=name)).shape() == [(5, 5, 3)] * 2


def test_colour_spaces_by_name() -> None:
    @pipeline_def(batch_size=2, num_threads=1)
    def pipe(image_type: Any, output_type: Any) -> Any:
        return fn.color_space_conversion(pictures(), image_type=image_type, output_type=output_type)

    wanted = pipe(types.RGB, types.YCbCr).run()[0].as_array()
    np.testing.assert_array_equal(pipe("rgb", "YCbCr").run()[0].as_array(), wanted)
    np.testing.assert_array_equal(pipe("RGB", "ycbcr").run()[0].as_array(), wanted)


def test_names_that_are_none_are_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"fn.resize: interp_type='linaer' names no filter; did you mean 'linear'\?.*cubic"):
        output(lambda: fn.resize(pictures(), size=4, interp_type="linaer"))
    with pytest.raises(ValueError, match=r"output_type='rbg' names no colour space; did you mean.* gray"):
        output(lambda: fn.decoders.image(pictures(), output_type="rbg"))
    with pytest.raises(ValueError, match=r"fn.cast: dtype='flot32' names no element type; did you mean 'float32'\?.* uint8"):
        output(lambda: fn.cast(pictures(), dtype="flot32"))
    with pytest.raises(ValueError, match="ndd.resize: interp_type='linaer'"):
        ndd.resize(ndd.tensor(PICTURE, layout="HWC"), size=4, interp_type="linaer")
    with pytest.raises(ValueError, match="external_source: dtype='complex64' names no element type"):
        output(lambda: fn.external_source(lambda: [PICTURE] * 2, dtype="complex64"))
    with pytest.raises(ValueError, match="output_dtype='flot32' names no element type"):
        output(pictures, output_dtype="flot32")


@pytest.mark.parametrize("wrong", [types.RGB, True, complex, np.complex64, 1.5, [1, 2]], ids=str)
def test_what_is_no_element_type_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="dtype=.* is no element type.*float32"):
        output(lambda: fn.cast(pictures(), dtype=wrong))


def test_lists_of_element_types() -> None:
    parameter = {"name": "dtypes", "kind": "int | Sequence[int]"}
    assert generate.constant_of("fn.readers.webdataset", parameter, [np.uint8, "float32", types.INT32]) == [0, 9, 6]
    assert generate.constant_of("fn.readers.webdataset", parameter, np.uint8) == [0]


def test_a_filter_is_no_element_type() -> None:
    with pytest.raises(TypeError, match="interp_type=<DALIDataType.FLOAT: 9> is no filter"):
        output(lambda: fn.resize(pictures(), size=4, interp_type=types.FLOAT))


NAMES = {
    "i8": types.INT8, "u8": types.UINT8, "I16": types.INT16, "u32": types.UINT32, "i64": types.INT64, "f16": types.FLOAT16,
    "f32": types.FLOAT, "F64": types.FLOAT64, "bool": types.BOOL, "UINT8": types.UINT8, "uint16": types.UINT16,
    "FLOAT": types.FLOAT, "Float32": types.FLOAT, "float": types.FLOAT, "double": types.FLOAT64, "half": types.FLOAT16,
    "byte": types.UINT8, "int": types.INT64, "B": types.UINT8, "b": types.INT8, "<i8": types.INT64, "|u1": types.UINT8,
    "torch.int16": types.INT16,
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_the_same_type_in_pipelines_and_without(name: str) -> None:
    assert output(lambda: fn.cast(pictures(), dtype=name)).dtype == NAMES[name]
    assert ndd.cast(ndd.tensor(PICTURE), dtype=name).dtype.type_id == ndd.dtype(name).type_id == NAMES[name]
    assert types.to_dali_type(name) == NAMES[name]


@pytest.mark.parametrize("name", ["(2,", ",", "i4,(", "i4", "u1", "f8", "string", "STRING", "", "a", "3", "object", ">i4"])
def test_text_that_names_no_type_is_refused_in_both(name: str) -> None:
    with pytest.raises(ValueError, match="fn.cast: dtype=.* names no element type.*float32"):
        output(lambda: fn.cast(pictures(), dtype=name))
    with pytest.raises(ValueError, match="ndd.cast: dtype: .* names no element type.* f32"):
        ndd.cast(ndd.tensor(PICTURE), dtype=name)
    with pytest.raises(ValueError, match="output_dtype=.* names no element type"):
        output(pictures, output_dtype=name)


def test_types_that_no_tensor_has_are_refused() -> None:
    with pytest.raises(ValueError, match="output_dtype=99 is no element type"):
        output(pictures, output_dtype=99)
    with pytest.raises(ValueError, match="a constant's dtype=99 is no element type"):
        types.Constant(3, dtype=99)  # type: ignore[arg-type]
    for wrong in (types.STRING, types.FEATURE, ndd.DataType):
        with pytest.raises(TypeError, match="output_dtype=.* is no element type of tensors"):
            output(pictures, output_dtype=wrong)
        with pytest.raises(TypeError, match="dtype=.* is no element type of tensors"):
            output(lambda: fn.external_source(lambda: [PICTURE] * 2, dtype=wrong))
