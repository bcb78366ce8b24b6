"""Pipelines that DALI saves and Forebay reads: what scripts say, in either library. `save_pipelines.py` saves and runs
them with DALI, `test_saved_pipelines.py` with Forebay.

Nothing in them depends on chance: what is drawn has one value.
"""

from __future__ import annotations

import pathlib
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

import detection_pipeline
import image_cases
import operator_cases

BATCH = 3
HERE = pathlib.Path(__file__).parent
PHOTOGRAPHS = [
    np.frombuffer((HERE / "decode" / name).read_bytes(), np.uint8)
    for name in ("exif6_420.jpg", "exif1_grey.jpg", "exif6_420.jpg")
]
_random = np.random.default_rng(14)
PICTURES = [_random.integers(0, 256, (9 + place, 12, 3), np.uint8) for place in range(BATCH)]
NUMBERS = [np.arange(6, dtype=np.int32).reshape(2, 3) - place for place in range(BATCH)]


@dataclass
class Case:
    """`arguments` are those of `pipeline_def`; a function among them gets the library."""

    body: Callable[[Any, pathlib.Path], Any]
    feeds: dict[str, list[np.ndarray]] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)

    def build(self, lib: Any, root: pathlib.Path) -> Any:
        """The pipeline of `lib`, nvidia.dali or forebay."""
        given = {name: value(lib) if callable(value) else value for name, value in self.arguments.items()}
        make = lib.pipeline_def(self.body, batch_size=BATCH, num_threads=2, device_id=None, seed=5, **given)
        return make(lib, root)


CASES: dict[str, Case] = {}


def case(feeds: dict[str, list[np.ndarray]] | None = None, **arguments: Any) -> Any:
    def keep(body: Any) -> Any:
        CASES[body.__name__] = Case(body, feeds or {}, arguments)
        return body

    return keep


def first_of(pipe: Any, feeds: dict[str, list[np.ndarray]]) -> list[tuple[list[np.ndarray], str]]:
    """Of each output the samples of the first batch, and their layout."""
    pipe.build()
    for name, batch in feeds.items():
        pipe.feed_input(name, batch)
    return [([np.array(output.at(place)) for place in range(len(output))], output.layout()) for output in pipe.run()]


def feeds_of(case: operator_cases.Case) -> dict[str, list[np.ndarray]]:
    """Of what `operator_cases.build` makes, once it is saved: DALI numbers its sources in order."""
    return {f"__ExternalSource_{place}": batch for place, batch in enumerate((*case.inputs, *case.tensors.values()))}


def operators() -> list[operator_cases.Case]:
    """Of each operator the first case, and the first with arguments of each sample."""
    found: dict[tuple[str, bool], operator_cases.Case] = {}
    for case in (*operator_cases.CASES, *image_cases.CASES):
        if case.reference == "dali":
            found.setdefault((case.op, bool(case.tensors)), case)
    return list(found.values())




def outputs_of(pipe: Any, feeds: dict[str, list[np.ndarray]], batches: int = 2) -> list[list[list[np.ndarray]]]:
    """Of each batch, each output's samples. The same is fed before each."""
    pipe.build()
    rows = []
    for _ in range(batches):
        for name, batch in feeds.items():
            pipe.feed_input(name, batch)
        rows.append([[np.array(output.at(place)) for place in range(len(output))] for output in pipe.run()])
    return rows


def _flags(*values: bool) -> list[np.ndarray]:
    return [np.array(value) for value in values]


@case()
def photographs(lib, root):
    """A classifier's pipeline."""
    fn, types = lib.fn, lib.types
    jpegs, labels = fn.readers.file(file_root=str(root / "photos"), name="Reader", pad_last_batch=True)
    images = fn.decoders.image(jpegs, output_type=types.RGB, device="cpu")
    images = fn.resize(images, size=[20, 24], interp_type=types.INTERP_CUBIC)
    mirror = fn.random.coin_flip(probability=1.0, seed=7)
    return fn.crop_mirror_normalize(images, crop=(16, 17), mirror=mirror, mean=[1.0, 2.0, 3.0], std=[50.0]), labels


@case({"raw": PHOTOGRAPHS}, prefetch_queue_depth=1, enable_checkpointing=True)
def served(lib, root):
    """What a server runs: files come in, tensors of a network go out."""
    fn, types = lib.fn, lib.types
    raw = fn.external_source(name="raw", dtype=types.UINT8, ndim=1, device="cpu")
    images = fn.decoders.image(raw, device="cpu", output_type=types.RGB, name="images")
    images = fn.resize(images, resize_x=24, resize_y=20, interp_type=types.INTERP_LINEAR, antialias=False)
    return fn.crop_mirror_normalize(
        images, dtype=types.FLOAT, output_layout="CHW", crop=[16, 17], mean=[123.0, 116.0, 103.0], std=[58.0, 57.0, 57.0],
        name="network_input",
    ), images


@case({"x": PICTURES})
def batches_of_one_kind(lib, root):
    """Arguments that are lists, layouts, types and enumerations."""
    fn, types = lib.fn, lib.types
    x = fn.external_source(name="x", layout="HWC")
    return (fn.color_twist(x, brightness=1.5, contrast=0.5, dtype=types.INT16), fn.reinterpret(x, dtype=types.INT8),
            fn.grid_mask(x, ratio=0.3, tile=4), fn.full_like(x, types.Constant(3)), fn.squeeze(x[0:1], axes=[0]),
            fn.reductions.max(x, axis_names="HW"), fn.reductions.std_dev(x, fn.reductions.mean(x, axes=[0, 1]), axes=[0, 1], ddof=1),
            fn.cast_like(x, types.Constant(1.0)), fn.random_resized_crop(x, size=[4, 5], random_area=[1.0, 1.0],
            random_aspect_ratio=[1.0, 1.0]).shape(), fn.paste(x, ratio=1.5, fill_value=7),
            fn.get_property(x, key="layout"), fn.sphere(x), fn.water(x, ampl_x=2.0),
            fn.jpeg_compression_distortion(x, quality=20).shape(), fn.saturation(x, saturation=0.5))


@case()
def cropped_decoding(lib, root):
    fn, types = lib.fn, lib.types
    jpegs, _ = fn.readers.file(file_root=str(root / "photos"))
    return (fn.decoders.image_crop(jpegs, crop=(8, 9), output_type=types.GRAY), fn.peek_image_shape(jpegs),
            fn.decoders.image_slice(jpegs, rel_start=(0.1, 0.2), rel_shape=(0.5, 0.5)))


@case()
def drawn(lib, root):
    """What is drawn has one value."""
    fn, types = lib.fn, lib.types
    values = fn.random.uniform(values=[3.0], shape=[2])
    flips = fn.random.coin_flip(probability=0.0, dtype=types.BOOL)
    choice = fn.random.choice(1, shape=[2])
    normal = fn.random.normal(values, mean=2.0, stddev=0.0)
    return values, flips, choice, normal


@case({"a": PICTURES, "b": [number[:1] for number in NUMBERS]})
def arithmetic(lib, root):
    fn, types, math = lib.fn, lib.types, lib.math
    a = fn.external_source(name="a", layout="HWC", dtype=types.UINT8, ndim=3)
    b = fn.external_source(name="b")
    x = a * 2 + b
    return (x, math.sqrt(a) - types.Constant(2.5).float64(), (a < 3) & True, -b, math.clamp(a, 1, b),
            1 - a, a * types.Constant(3).uint8(), a + types.Constant(np.float32([1, 2, 3])), a * 1.5 * 2.5 + 3,
            a // 7, a / 7, math.pow(b, 2), math.max(b, 0), a == b, (a != 4) | (b >= 2) ^ False)


@case({"x": PICTURES})
def constants(lib, root):
    fn, types = lib.fn, lib.types
    x = fn.external_source(name="x", layout="HWC")
    return (types.Constant(np.array([[1, 2], [3, 4]], dtype=np.uint8)), types.Constant([1.5, 2]),
            fn.constant(fdata=[1.0], shape=[], dtype=types.FLOAT16), types.Constant(5, device="cpu"),
            types.Constant(np.array([3], dtype=np.int64)), fn.zeros(shape=[2, 3], dtype=types.INT32),
            fn.ones_like(x), 7, np.float32([[1, 2]]))


@case({"x": PICTURES, "g": [np.float32(angle) for angle in (10, -30, 0)]})
def arguments_of_each_sample(lib, root):
    fn, types = lib.fn, lib.types
    x = fn.external_source(name="x", layout="HWC")
    angle = fn.external_source(name="g")
    matrix = fn.transforms.rotation(angle=angle)
    matrix = fn.transforms.combine(matrix, fn.transforms.translation(offset=[1.0, 2.0]), reverse_order=True)
    scale = fn.transforms.scale(scale=[2.0, 0.5], center=[3.0, 4.0])
    return (fn.rotate(x, angle=angle, fill_value=0, keep_size=True), fn.warp_affine(x, matrix=matrix),
            fn.warp_affine(x, scale), matrix, fn.cast(x, dtype=types.FLOAT), fn.reshape(x, shape=[-1], layout=""),
            fn.shapes(x), x.shape(), fn.one_hot(fn.constant(idata=[3]), num_classes=4), fn.brightness(x, brightness=angle),
            fn.coord_transform(fn.constant(fdata=[1.0, 2.0], shape=[1, 2]), MT=matrix))


@case({"x": PICTURES, "i": [np.int32(place) for place in (1, 0, 2)]})
def slicing(lib, root):
    fn = lib.fn
    x = fn.external_source(name="x", layout="HWC")
    i = fn.external_source(name="i")
    return (x[1], x[1:3, ::2], x[i], x[i:, 0, -1], x[::-1, i], x[:, lib.newaxis("A")], fn.slice(x, [1], [2], axes=[0]),
            fn.slice(x, start=[1, 2], end=[5, 6], axis_names="HW"), fn.crop(x, crop=(3, 4), crop_pos_x=0.25),
            fn.slice(x, rel_start=[0.1, 0.2], rel_shape=[0.5, 0.5], axes=[0, 1]))


@case({"x": PICTURES})
def shapes_and_lists(lib, root):
    fn, types = lib.fn, lib.types
    x = fn.external_source(name="x", layout="HWC")
    first, second = fn.flip([x, x + 1])
    frames = fn.element_extract(fn.reshape(x, layout="FHW"), element_map=[0, 2])
    return (first, second, fn.cat(x, x, axis=1), fn.stack(x, x, axis_name="N"), fn.pad(x, axis_names="HW", align=16), *frames,
            fn.erase(x, anchor=[1, 2], shape=[3, 4]), fn.normalize(x, axes=[0, 1]), fn.transpose(x, perm=[2, 0, 1]),
            fn.color_space_conversion(x, image_type=types.RGB, output_type=types.YCbCr), fn.reductions.mean(x, axes=[]),
            fn.permute_batch(x, indices=[0, 0, 1]), fn.lookup_table(x, keys=[1, 2], values=[3.5, 4]),
            fn.gaussian_blur(x, sigma=[1.0, 2.0]), fn.hsv(x, hue=30), fn.expand_dims(x, axes=[0], new_axis_names="D"))


@case({"x": PICTURES}, output_dtype=lambda lib: [None, lib.types.UINT8], output_ndim=3, output_layout=["HWC", None])
def promised_outputs(lib, root):
    x = lib.fn.external_source(name="x", layout="HWC")
    return lib.fn.cast(x, dtype=lib.types.FLOAT), x


@case({"p": _flags(True, False, False), "q": _flags(True, True, False), "x": NUMBERS}, enable_conditionals=True)
def branches(lib, root):
    fn = lib.fn
    p, q, x = (fn.external_source(name=name) for name in "pqx")
    if p:
        y = x + 1
        z = fn.zeros(shape=[2], dtype=lib.types.INT32)
    elif q and not p:
        y = x * 2
        z = fn.cast(x[0, :2], dtype=lib.types.INT32)
    else:
        y = fn.constant(idata=[1, 2], shape=[1, 2])
        z = fn.random.uniform(values=[4.0], shape=[2], dtype=lib.types.INT32)
    return y, z, p or q, not q, p and q


@case({"p": [np.int32(place) for place in (2, 0, 1)], "x": NUMBERS}, enable_conditionals=True)
def nested_branches(lib, root):
    fn = lib.fn
    p, x = (fn.external_source(name=name) for name in "px")
    y = x
    if p:
        if p > 1:
            y = y + 100
        else:
            a, b = y * 3, y - 1
            y = fn.cat(a, b)
    return y, fn.reductions.sum(y)


@case()
def tfrecords(lib, root):
    features = lib.tfrecord
    out = lib.fn.readers.tfrecord(
        path=str(root / "data.tfrecord"), index_path=str(root / "data.idx"),
        features={"image": features.FixedLenFeature((), features.string, ""),
                  "label": features.FixedLenFeature([1], features.int64, -1),
                  "box": features.VarLenFeature(features.float32, 0.0)})
    return out["image"], out["label"], out["box"]


@case()
def a_class_of_operators(lib, root):
    """DALI's older interface, under older names."""
    reader = lib.ops.FileReader(file_root=str(root / "photos"))
    decoder = lib.ops.ImageDecoder(device="cpu", output_type=lib.types.RGB)
    jpegs, labels = reader(name="r")
    return lib.ops.Resize(device="cpu", resize_shorter=18.0)(decoder(jpegs)), labels


class _Detection(Case):
    def build(self, lib: Any, root: pathlib.Path) -> Any:
        return detection_pipeline.build(lib, root / "shapes")


CASES["detection"] = _Detection(lambda lib, root: None)


WITHOUT_FILES = [name for name, each in CASES.items() if each.feeds or name == "drawn"]
"""Those that can be recorded: their bytes hold no paths."""
