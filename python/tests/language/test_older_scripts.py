"""Names and arguments that older scripts use, and NumPy's constants."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest
from PIL import Image

from forebay import Pipeline, SampleError, fn, ops, pipeline_def, tfrecord, types

from tfrecords import example_of, field, record_of

IMAGE = np.arange(9 * 7 * 3, dtype=np.uint8).reshape(9, 7, 3)


def images() -> Any:
    return fn.external_source(lambda: [IMAGE] * 2, layout="HWC")


def run(body: Any) -> list[Any]:
    @pipeline_def(batch_size=2, num_threads=1, seed=3)
    def make() -> Any:
        return body()

    return list(make().run())


def test_layouts_of_samples() -> None:
    assert (types.NCHW, types.NHWC, types.NFCHW, types.NFHWC, types.SAME) == ("CHW", "HWC", "FCHW", "FHWC", "")
    layouts = [types.NCHW, types.NHWC, types.SAME, types.TensorLayout("CHW")]
    outputs = run(lambda: [fn.crop_mirror_normalize(images(), output_layout=layout) for layout in layouts])
    assert [output.layout() for output in outputs] == ["CHW", "HWC", "HWC", "CHW"]


def test_older_names_of_operators(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a" / "0.png"
    path.parent.mkdir()
    Image.fromarray(IMAGE).save(path)

    def body() -> Any:
        files, _ = fn.file_reader(file_root=str(tmp_path))
        draws = fn.uniform(range=[5.0, 6.0]), fn.coin_flip(probability=1.0), fn.normal_distribution(mean=2.0, stddev=0.0)
        return fn.image_decoder(files), fn.image_decoder_crop(files, crop=(2, 3)), *draws

    image, window, uniform, coin, normal = run(body)
    np.testing.assert_array_equal(image.at(1), IMAGE)
    assert window.shape() == [(2, 3, 3)] * 2
    assert 5 <= uniform.at(0) < 6
    assert (coin.at(0), normal.at(0)) == (1, 2)
    assert ops.TFRecordReader._function is fn.readers.tfrecord


def test_older_names_lie_where_scripts_look_for_them() -> None:
    assert fn.experimental.peek_image_shape.__wrapped__ is fn.peek_image_shape
    assert fn.experimental.decoders.image_slice.__wrapped__ is fn.decoders.image_slice
    assert fn.transform_translation.__wrapped__ is fn.transforms.translation
    assert ops.experimental.decoders.ImageCrop._function is fn.decoders.image_crop
    assert {"decoders", "peek_image_shape"} <= set(dir(fn.experimental))
    assert "experimental" in dir(fn) and "experimental" in dir(ops)
    with pytest.raises(AttributeError, match="fn.experimental.decoders has no operator 'imag'; did you mean"):
        fn.experimental.decoders.imag


def test_objects_are_called_as_in_dali() -> None:
    names = ("coco_reader", "mxnet", "bbox_paste", "bb_flip", "ssd_random_crop", "std_dev", "rms", "caffe2_reader")
    expected = ["COCOReader", "MXNet", "BBoxPaste", "BbFlip", "SSDRandomCrop", "StdDev", "RMS", "Caffe2Reader"]
    assert [ops._camel(name) for name in names] == expected
    assert {"TFRecord", "File", "COCO"} <= set(dir(ops.readers))
    assert ops.COCOReader._function is fn.readers.coco
    assert {"BBoxPaste", "BBoxRotate", "BbFlip", "RandomBBoxCrop", "ROIRandomCrop", "SSDRandomCrop"} <= set(dir(ops))


def test_older_names_of_arguments() -> None:
    def body() -> Any:
        old = {"output_dtype": types.FLOAT}
        return (
            fn.crop(images(), crop=(4, 4), image_type=types.RGB, **old),
            fn.crop_mirror_normalize(images(), image_type=types.RGB, output_dtype=types.FLOAT16),
            fn.slice(images(), start=[0], shape=[2], axes=[0], image_type=types.RGB, **old),
            fn.rotate(images(), angle=90.0, **old),
            fn.warp_affine(images(), matrix=[1, 0, 0, 0, 1, 0], **old),
            fn.resize(images(), size=[3, 3], image_type=types.RGB),
            fn.shapes(images(), type=types.FLOAT),
        )

    dtypes = [output.dtype for output in run(body)]
    assert dtypes == [types.FLOAT, types.FLOAT16, types.FLOAT, types.FLOAT, types.FLOAT, types.UINT8, types.FLOAT]
    with pytest.raises(ValueError, match="'output_dtype' is an old name of 'dtype', which is given too"):
        run(lambda: fn.crop(images(), crop=(4, 4), dtype=types.FLOAT, output_dtype=types.UINT8))
    with pytest.raises(ValueError, match="image_type|DALIImageType"):
        run(lambda: fn.crop(images(), crop=(4, 4), image_type=99))


def test_decoders_take_what_has_no_effect_and_more_types(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a" / "0.png"
    path.parent.mkdir()
    Image.fromarray(np.array([[0, 1, 100, 255]], np.uint8)).save(path)
    wanted = {
        types.UINT8: [0, 1, 100, 255], types.INT8: [0, 0, 50, 127], types.INT16: [0, 128, 12850, 32767],
        types.UINT16: [0, 257, 25700, 65535], types.INT32: [0, 8421505, 842150528, 2147483647],
        types.UINT32: [0, 16843010, 1684301056, 4294967295],
    }

    def body() -> Any:
        files, _ = fn.readers.file(file_root=str(tmp_path))
        return [
            fn.decoders.image(
                files, output_type=types.GRAY, dtype=dtype, memory_stats=True, split_stages=True, use_chunk_allocator=True
            )
            for dtype in wanted
        ]

    for output, values in zip(run(body), wanted.values()):
        assert output.at(0).ravel().tolist() == values
    with pytest.raises(ValueError, match="integers of at most 32 bits or to float, not to int64"):
        run(lambda: fn.decoders.image(images(), dtype=types.INT64))


def test_arrays_of_64_bits_become_such_of_32() -> None:
    def body() -> Any:
        bytes_ = fn.external_source(lambda: [np.zeros(2, np.uint8)] * 2)
        return (
            bytes_ + np.array([1, 2]), bytes_ + np.array([1.0, 2.0]), types.Constant(np.array([1, 2], np.uint64)),
            types.Constant(np.array([1, 2]), dtype=types.INT64), types.Constant(np.array([1, 2], np.int16)),
            bytes_ + np.int64(2), bytes_ + types.Constant(np.float64(2)), np.array([1, 2]),
        )

    dtypes = [output.dtype for output in run(body)]
    assert dtypes[:4] == [types.INT32, types.FLOAT, types.UINT32, types.INT64]
    assert dtypes[4:] == [types.INT16, types.INT64, types.FLOAT64, types.INT32]
    with pytest.raises(OverflowError, match="1099511627776 does not fit into int32"):
        run(lambda: types.Constant(np.array([2**40])))


def test_many_tensors_are_joined() -> None:
    joined, stacked = run(lambda: (fn.cat(*[images()] * 70), fn.stack(*[images()] * 70)))
    assert joined.shape()[0] == (70 * 9, 7, 3)
    assert stacked.shape()[0] == (70, 9, 7, 3)


@pytest.fixture
def records(tmp_path: pathlib.Path) -> dict[str, str]:
    """Arguments of a reader: a TFRecord file of two examples whose feature "x" is 1, 2, 3, 4."""
    record = record_of(example_of("x", field(2, field(1, np.arange(1, 5, dtype=np.float32).tobytes()))))
    (tmp_path / "records").write_bytes(record * 2)
    (tmp_path / "index").write_text(f"0 {len(record)}\n{len(record)} {len(record)}\n")
    return {"path": str(tmp_path / "records"), "index_path": str(tmp_path / "index")}


def test_partial_shapes_of_features(records: dict[str, str]) -> None:
    def body() -> Any:
        features = {
            "x": tfrecord.VarLenFeature([2], tfrecord.float32, 0.0),
            "absent": tfrecord.VarLenFeature(tfrecord.int64, 7),
        }
        return tuple(fn.readers.tfrecord(**records, features=features).values())

    pairs, absent = run(body)
    assert pairs.at(1).tolist() == [[1, 2], [3, 4]]
    assert absent.shape() == [(0,)] * 2
    for wrong in ((2, tfrecord.float32, 0.0), (tfrecord.float32,), ([2], 0.0)):
        with pytest.raises(TypeError):
            tfrecord.VarLenFeature(*wrong)


def test_features_of_another_type_are_named(records: dict[str, str]) -> None:
    features = {"x": tfrecord.VarLenFeature(tfrecord.int64, 0)}
    with pytest.raises(SampleError, match="feature 'x': of type float, not int64 as requested"):
        run(lambda: tuple(fn.readers.tfrecord(**records, features=features).values()))


def test_a_saved_pipeline_is_built_into_another() -> None:
    with Pipeline(batch_size=2, num_threads=1, seed=4) as saved:
        saved.set_outputs(fn.random.uniform(range=[5.0, 6.0]))
    of_file = Pipeline()
    of_file.deserialize_and_build(saved.serialize())
    assert (of_file.max_batch_size, of_file.num_threads, of_file.seed) == (2, 1, 4)
    np.testing.assert_array_equal(of_file.run()[0].as_array(), saved.run()[0].as_array())
    larger = Pipeline(batch_size=4, num_threads=2)
    larger.deserialize_and_build(saved.serialize())
    assert (len(larger.run()[0]), larger.num_threads) == (4, 2)
    with pytest.raises(RuntimeError, match="has a graph already"):
        larger.deserialize_and_build(saved.serialize())
