"""The functions of `fn` are made from the operator table."""

from __future__ import annotations

import importlib
import inspect
import io
import math
import pathlib
import pydoc
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import forebay
from forebay import fn, ops, pipeline_def, types
from forebay.fn import generate


@pytest.mark.parametrize("row", generate.table(), ids=lambda row: str(row["name"]))
def test_every_operator_has_a_signature_and_documentation(row: generate.Row) -> None:
    function: Any = fn
    for part in row["name"].split("."):
        function = getattr(function, part)
    signature = inspect.signature(function)
    for parameter in row["parameters"]:
        shown = signature.parameters[parameter["name"]]
        assert shown.kind is shown.KEYWORD_ONLY
        assert parameter["doc"], parameter["name"]
        assert f":param {parameter['name']}:" in (function.__doc__ or "")
    assert {"name", "device"} <= set(signature.parameters)
    assert row["doc"].endswith("."), row["doc"]
    assert row["output_doc"]
    assert pydoc.render_doc(function, renderer=pydoc.plaintext)


def test_submodules_can_be_imported() -> None:
    readers = importlib.import_module("forebay.fn.readers")
    assert readers is fn.readers
    from forebay.fn.random import uniform

    assert uniform is fn.random.uniform
    assert "coin_flip" in fn.random.__all__


def test_enumerations_have_names_in_signatures() -> None:
    signature = inspect.signature(fn.decoders.image)
    assert signature.parameters["output_type"].default is types.RGB


def in_pipeline(body: Any) -> forebay.Pipeline:
    @pipeline_def(batch_size=2, num_threads=1, seed=3)
    def make() -> Any:
        data = fn.external_source(lambda: [np.arange(12, dtype=np.uint8).reshape(2, 2, 3)] * 2, layout="HWC", name="x")
        return body(data)

    return make()


def test_mistakes_are_named() -> None:
    with pytest.raises(TypeError, match="fn.flip has no argument 'horizon'; did you mean 'horizontal'"):
        in_pipeline(lambda x: fn.flip(x, horizon=1))
    with pytest.raises(TypeError, match="fn.flip takes 1 inputs, not 2"):
        in_pipeline(lambda x: fn.flip(x, x))
    with pytest.raises(TypeError, match="fn.cast needs the argument 'dtype'"):
        in_pipeline(lambda x: fn.cast(x))
    with pytest.raises(TypeError, match="an input is a DataNode"):
        in_pipeline(lambda x: fn.flip("x"))
    with pytest.raises(TypeError, match="'dtype' is the same for all samples"):
        in_pipeline(lambda x: fn.cast(x, dtype=x))
    with pytest.raises(ValueError, match="used twice"):
        in_pipeline(lambda x: fn.flip(x, name="x"))
    with pytest.raises(TypeError, match="fn.external_source has no argument 'bach'; did you mean 'batch'"):
        in_pipeline(lambda x: fn.external_source(lambda: [1], bach=False))
    with pytest.raises(TypeError, match="types.Constant has no argument 'stype'"):
        types.Constant(3, stype="x")


@pytest.mark.parametrize(("module", "name", "said"), [
    (fn, "resise", "fn has no operator 'resise'; did you mean 'resize'"),
    (fn, "image_random_crops", "did you mean 'decoders.image_random_crop'"),
    (fn.readers, "fil", "fn.readers has no operator 'fil'; did you mean 'readers.file'"),
    (fn.random, "unifrom", "did you mean 'random.uniform'"),
    (ops, "Resise", "ops has no operator 'Resise'; did you mean 'Resize'"),
    (ops.readers, "Fil", "ops.readers has no operator 'Fil'; did you mean 'readers.File'"),
    (fn, "decoder", r"did you mean 'decoders' \(decoders.audio, decoders.image, decoders.image_crop, ...\)\?"),
    (fn, "reader", r"did you mean 'readers' \("),
    (ops, "Decoder", r"did you mean 'decoders' \(decoders.Audio, "),
    (fn, "Resize", "did you mean 'resize'"),
    (fn, "qqqqqq", "fn has no operator 'qqqqqq'$"),
])
def test_unknown_operators_suggest_the_nearest(module: Any, name: str, said: str) -> None:
    with pytest.raises(AttributeError, match=said):
        getattr(module, name)
    assert not hasattr(module, name)


def test_dir_shows_what_users_use() -> None:
    assert set(dir(forebay)) == set(forebay.__all__)
    assert {"fn", "pipeline_def", "types", "nd"} <= set(dir(forebay)) and "graph" not in dir(forebay)
    assert {"resize", "readers", "external_source"} <= set(dir(fn)) and "generate" not in dir(fn)
    assert "file" in dir(fn.readers) and "File" in dir(ops.readers) and "Resize" in dir(ops)
    modules = {name for name in dir(ops) if name[0].islower()}
    assert {"decoders", "experimental", "noise", "random", "readers", "reductions", "transforms"} <= modules
    assert all(isinstance(getattr(ops, name), ModuleType) for name in modules)
    for name in dir(forebay):
        assert getattr(forebay, name) is not None


def test_names_of_another_pipeline_still_count() -> None:
    kept: list[Any] = []
    in_pipeline(lambda x: kept.append(x) or x)
    with pytest.raises(ValueError, match="used twice"):
        in_pipeline(lambda x: fn.cat(x, kept[0]))


def test_lists_of_inputs_give_lists() -> None:
    pipe = in_pipeline(lambda x: tuple(fn.flip([x, x], horizontal=1)))
    a, b = pipe.run()
    np.testing.assert_array_equal(a.as_array(), b.as_array())


def test_constants_as_inputs() -> None:
    pipe = in_pipeline(lambda x: (fn.cast(7, dtype=types.FLOAT), fn.cat(x, np.zeros((2, 2, 3), np.uint8))))
    number, joined = pipe.run()
    assert number.dtype == types.FLOAT
    assert joined.shape() == [(4, 2, 3)] * 2


def test_arguments_as_tensors() -> None:
    def body(x: Any) -> Any:
        which = fn.external_source(lambda: [np.int32(0), np.int32(1)])
        return fn.flip(x, horizontal=which)

    (output,) = in_pipeline(body).run()
    original = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    np.testing.assert_array_equal(output.at(0), original)
    np.testing.assert_array_equal(output.at(1), original[:, ::-1])


def test_arithmetic_agrees_with_numpy() -> None:
    def body(x: Any) -> Any:
        y = fn.cast(x, dtype=types.FLOAT)
        return (
            x + 1, 1 - y, y * 2.5, y / 4, x // 5, x % 5, -y, y**2, x == 3, x != 3, x < 5, x >= 5, x & 6, x | 1, x ^ 3,
            (y + x) * (x - 2), abs(y - 5), forebay.math.sqrt(y), forebay.math.clamp(x, 2, 5),
        )

    x = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    y = x.astype(np.float32)
    wanted = (
        x + 1, 1 - y, y * 2.5, y / 4, x // 5, x % 5, -y, y**2, x == 3, x != 3, x < 5, x >= 5, x & 6, x | 1, x ^ 3,
        (y + x) * (x.astype(int) - 2), abs(y - 5), np.sqrt(y), np.clip(x, 2, 5),
    )
    for got, expected in zip(in_pipeline(body).run(), wanted):
        np.testing.assert_allclose(got.at(1), expected, rtol=1e-6)


def test_constants_are_int32_and_float() -> None:
    def body(x: Any) -> Any:
        half = fn.cast(x, dtype=types.FLOAT16)
        return x + 1, x + 1.0, half + 1, x + types.Constant(1, dtype=types.INT64), x == 1, math.pi + x

    dtypes = [output.dtype for output in in_pipeline(body).run()]
    assert dtypes == [types.INT32, types.FLOAT, types.FLOAT16, types.INT64, types.BOOL, types.FLOAT]


def test_subscripts_agree_with_numpy() -> None:
    def body(x: Any) -> Any:
        one = fn.external_source(lambda: [np.int32(0), np.int32(1)])
        return (
            x[0], x[-1, 1], x[:, 1:], x[..., ] if False else x[:, ::-1], x[0:1, :, 2], x[one], x[:, one:],
            x[forebay.newaxis("F"), 0], x[:, forebay.newaxis],
        )

    x = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    wanted = (x[0], x[-1, 1], x[:, 1:], x[:, ::-1], x[0:1, :, 2], x[1], x[:, 1:], x[None, 0], x[:, None])
    outputs = in_pipeline(body).run()
    for got, expected in zip(outputs, wanted):
        np.testing.assert_array_equal(got.at(1), expected)
    assert outputs[2].layout() == "HWC"
    assert outputs[0].layout() == "WC"
    assert outputs[7].layout() == "FWC"


def test_wrong_subscripts() -> None:
    with pytest.raises(TypeError, match="integer"):
        in_pipeline(lambda x: x[1.5])
    with pytest.raises(NotImplementedError):
        in_pipeline(lambda x: x[..., 0])
    with pytest.raises(Exception, match="(?i)out of|range|bounds"):
        in_pipeline(lambda x: x[7]).run()


def test_nodes_are_no_numbers() -> None:
    for wrong in (lambda x: 1 if x else 2, lambda x: list(x), lambda x: len(x), lambda x: x + "a", lambda x: x + None):
        with pytest.raises(TypeError):
            in_pipeline(wrong)


def test_shape_and_names() -> None:
    names: list[str] = []

    def body(x: Any) -> Any:
        flipped = fn.flip(x, name="mirror")
        names.extend([x.name, flipped.name, flipped.device, repr(flipped)])
        return x.shape(), x.shape(dtype=types.INT32)

    long, short = in_pipeline(body).run()
    assert names[:3] == ["x", "mirror", "cpu"] and 'name="mirror"' in names[3]
    np.testing.assert_array_equal(long.at(0), [2, 2, 3])
    assert (long.dtype, short.dtype) == (types.INT64, types.INT32)


def test_a_gpu_is_refused_when_the_pipeline_is_built() -> None:
    pipe = in_pipeline(lambda x: x.gpu())
    with pytest.raises(NotImplementedError, match=r"'x\.gpu\(\)' is placed on the GPU"):
        pipe.build()


def test_crossings_to_a_device_and_back() -> None:
    def numbers() -> list[np.ndarray]:
        return [np.arange(k, k + 5, dtype=np.uint8) for k in range(3)]

    def results(on_device: bool, seed: int) -> list[Any]:
        pipe = forebay.Pipeline(batch_size=3, num_threads=2, seed=1)
        pipe._simulated_device = seed
        with pipe:
            x = fn.external_source(numbers)
            moved = x.gpu() if on_device else x
            moved = fn.cast(fn.cast(moved, dtype=types.INT16), dtype=types.FLOAT)
            assert moved.device == ("gpu" if on_device else "cpu")
            pipe.set_outputs(moved.cpu() * 1.5 + fn.random.uniform(), x)
        rows = [output.as_array().tolist() for _ in range(3) for output in pipe.run()]
        pipe.close()
        return rows

    wanted = results(False, 0)
    for seed in range(5):
        assert results(True, seed) == wanted


def test_an_input_on_the_wrong_side_is_named() -> None:
    pipe = forebay.Pipeline(batch_size=3, num_threads=1)
    pipe._simulated_device = 0
    with pipe:
        x = fn.external_source(lambda: [np.zeros(2, np.uint8)] * 3, name="numbers").gpu()
        pipe.set_outputs(fn.cast(x, dtype=types.FLOAT, device="cpu"))
    with pytest.raises(ValueError, match=r"'cast' runs on the CPU.*input\.cpu\(\)"):
        pipe.build()


def test_readers_take_dictionaries_of_features(tmp_path: pathlib.Path) -> None:
    from forebay import tfrecord

    with pytest.raises(TypeError, match="FixedLenFeature"):
        with forebay.Pipeline(batch_size=1):
            fn.readers.tfrecord(path=["x"], features={"a": 3})
    with forebay.Pipeline(batch_size=1):
        outputs = fn.readers.tfrecord(
            path=["x"],
            features={
                "image": tfrecord.FixedLenFeature((), tfrecord.string, ""),
                "label": tfrecord.FixedLenFeature([1], tfrecord.int64, -1),
                "boxes": tfrecord.VarLenFeature(tfrecord.float32, 0.0),
            },
        )
    assert list(outputs) == ["image", "label", "boxes"]


def test_seed_of_an_operator() -> None:
    def draws(seed: int | None, of_operator: int | None) -> list[float]:
        with forebay.Pipeline(batch_size=8, num_threads=1, seed=seed) as pipe:
            pipe.set_outputs(fn.random.uniform(range=[0.0, 1.0], seed=of_operator))
        return pipe.run()[0].as_array().tolist()  # type: ignore[no-any-return]

    assert draws(1, None) == draws(1, None) != draws(2, None)
    assert draws(1, 9) == draws(2, 9) != draws(1, 8)


def test_documentation_renders() -> None:
    out = io.StringIO()
    pydoc.Helper(output=out)(fn.resize)
    assert "interp_type" in out.getvalue()


def test_equal_seeds_draw_equal_numbers() -> None:
    def batch_of_images() -> list[np.ndarray]:
        columns = np.arange(64, dtype=np.float32)
        return [np.stack([np.broadcast_to(columns, (64, 64)), np.broadcast_to(columns[:, None], (64, 64))], axis=2)] * 4

    with forebay.Pipeline(batch_size=4, num_threads=2, seed=3) as pipe:
        image = fn.external_source(batch_of_images, layout="HWC")
        mask = fn.external_source(batch_of_images, layout="HWC")
        crops = [fn.random_resized_crop(x, size=8, seed=42) for x in (image, mask)]
        named = fn.random.uniform(seed=7, name="named")
        pipe.set_outputs(*crops, fn.random.uniform(seed=7), named, fn.random.uniform(), fn.random.uniform())
    image, mask, first, second, third, fourth = (output.as_array().tolist() for output in pipe.run())
    assert image == mask
    assert first == second
    assert third != fourth != first


def test_errors_of_batch_operators_end_no_stream() -> None:
    def run(function: Any) -> None:
        with forebay.Pipeline(batch_size=4, num_threads=1) as pipe:
            x = fn.external_source(lambda: [np.ones((2, 3), np.float32)] * 4)
            pipe.set_outputs(function(x))
        pipe.run()

    for function in (
        lambda x: fn.permute_batch(x, indices=[0, 1, 2, 4]),
        lambda x: fn.pad(x, axes=(0, 3)),
        lambda x: fn.normalize(x, batch=True, axes=[5]),
    ):
        with pytest.raises((IndexError, ValueError, RuntimeError)) as caught:
            run(function)
        assert "operator '" in str(caught.value)


@pytest.mark.parametrize("name", ["UINT8", "INT16", "UINT16", "INT32"])
@pytest.mark.parametrize("interpolation", [types.INTERP_NN, types.INTERP_LINEAR])
def test_warps_of_floats_to_integers(name: str, interpolation: Any) -> None:
    values = np.array([-5.5, -0.5, 0.5, 1.5, 2.5, 300.25, 40000, -40000, 1e10, -1e10], np.float32).reshape(1, -1, 1)
    dtype = getattr(types, name)
    with forebay.Pipeline(batch_size=1, num_threads=1) as pipe:
        x = fn.external_source(lambda: [values], layout="HWC")
        pipe.set_outputs(
            fn.warp_affine(x, matrix=[1, 0, 0, 0, 1, 0], dtype=dtype, interp_type=interpolation),
            fn.rotate(x, angle=0, dtype=dtype, interp_type=interpolation),
            fn.cast(x, dtype=dtype),
        )
    warped, rotated, cast = (output.as_array() for output in pipe.run())
    np.testing.assert_array_equal(warped, cast)
    np.testing.assert_array_equal(rotated, cast)


def test_a_warp_of_floats_takes_its_fill_as_an_integer() -> None:
    with forebay.Pipeline(batch_size=1, num_threads=1) as pipe:
        x = fn.external_source(lambda: [np.zeros((1, 2, 1), np.float32)], layout="HWC")
        pipe.set_outputs(fn.warp_affine(x, matrix=[1, 0, 0.25, 0, 1, 0], dtype=types.UINT8, fill_value=300.7))
    assert pipe.run()[0].as_array().ravel().tolist() == [0, 64]  # 255 / 4, as DALI
