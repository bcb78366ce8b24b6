"""Pipelines as type checkers see them: what the decorator keeps of a function, and what operators give."""

from __future__ import annotations

from typing import Any, Callable, assert_type

import numpy as np

from forebay import Pipeline, fn, pipeline_def, tfrecord, types
from forebay import dynamic as ndd
from forebay.graph.data_node import DataNode
from forebay.pipeline import experimental

# --- pipeline_def -----------------------------------------------------------------------------------------------------


@pipeline_def(batch_size=8, num_threads=4, device_id=0, seed=1, prefetch_queue_depth={"cpu_size": 2, "gpu_size": 1})
def pictures(folder: str, size: int = 224, *, shuffle: bool = True) -> tuple[DataNode, DataNode]:
    files, labels = fn.readers.file(file_root=folder, random_shuffle=shuffle, name="reader")
    return fn.resize(fn.decoders.image(files), size=size), labels


@pipeline_def
def bare(folder: str) -> DataNode:
    return fn.readers.numpy(file_root=folder)


@pipeline_def(enable_conditionals=True, debug=False)
def conditional(folder: str) -> DataNode:
    files, _ = fn.readers.file(file_root=folder)
    return files if fn.random.coin_flip() else fn.copy(files)


@experimental.pipeline_def(enable_conditionals=True, batch_size=2)
def of_older_scripts() -> DataNode:
    return fn.random.uniform(range=[0.0, 1.0])


class Recipes:
    @pipeline_def(batch_size=4)
    def of_object(self, folder: str) -> DataNode:
        return fn.readers.numpy(file_root=folder)

    @staticmethod
    @pipeline_def(batch_size=4)
    def of_class(folder: str) -> DataNode:
        return fn.readers.numpy(file_root=folder)


assert_type(pictures("photos"), Pipeline)
assert_type(pictures("photos", 64, shuffle=False), Pipeline)
assert_type(pictures("photos", batch_size=16, num_threads=2), Pipeline)
assert_type(pictures(folder="photos", size=64, device_id=None, seed=3), Pipeline)
assert_type(pictures("photos", enable_conditionals=True), Pipeline)
assert_type(bare("arrays", max_batch_size=16, enable_checkpointing=True, checkpoint=None), Pipeline)
assert_type(conditional("photos", batch_size=2), Pipeline)
assert_type(of_older_scripts(), Pipeline)
assert_type(Recipes().of_object("arrays"), Pipeline)
assert_type(Recipes.of_class("arrays", batch_size=2), Pipeline)
assert_type(pictures.__name__, str)
maker: Callable[[str], Pipeline] = pictures

pictures()  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
pictures(3)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
pictures("photos", sise=64)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
pictures("photos", 64, False)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
pictures("photos", batch_size="8")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
pictures("photos", batch_size=8, seed="1")  # type: ignore[call-overload]  # pyright: ignore
Recipes().of_object(3)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
pipeline_def(batchsize=8)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
pipeline_def(batch_size="8")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]

# --- readers ----------------------------------------------------------------------------------------------------------

Two = tuple[DataNode, DataNode]
Three = tuple[DataNode, DataNode, DataNode]
Four = tuple[DataNode, DataNode, DataNode, DataNode]
Many = tuple[DataNode, ...]


def readers(flag: bool, names: list[str]) -> None:
    assert_type(fn.readers.file(files=["a", "b"]), Two)
    assert_type(fn.readers.mxnet(path=["a.rec"], index_path=["a.idx"]), Two)
    assert_type(fn.readers.numpy(files="a.npy", roi_start=[1]), DataNode)
    assert_type(fn.readers.sequence(file_root="frames", sequence_length=3), DataNode)

    assert_type(fn.readers.caffe(path="data"), Two)
    assert_type(fn.readers.caffe(path="data", label_available=False), DataNode)
    assert_type(fn.readers.caffe(path="data", label_available=flag), DataNode | Many)
    assert_type(fn.readers.caffe2(path="data"), Two)
    assert_type(fn.readers.caffe2(path="data", bbox=True), Three)
    assert_type(fn.readers.caffe2(path="data", additional_inputs=2), DataNode | Many)

    assert_type(fn.readers.coco(file_root="photos", annotations_file="all.json"), Three)
    assert_type(fn.readers.coco(file_root="photos", annotations_file="all.json", image_ids=True), Four)
    assert_type(fn.readers.coco(file_root="photos", polygon_masks=True, image_ids=True), Many)
    assert_type(fn.readers.coco(file_root="photos", keypoints=flag), Many)

    assert_type(fn.readers.webdataset(paths="a.tar", ext="jpg"), DataNode)
    assert_type(fn.readers.webdataset(paths="a.tar", ext=("jpg", "cls")), Two)
    assert_type(fn.readers.webdataset(paths="a.tar", ext=("jpg", "json", "cls")), Three)
    assert_type(fn.readers.webdataset(paths="a.tar", ext=["jpg", "cls"]), Many)
    images, labels = fn.readers.webdataset(paths="a.tar", ext=["jpg", "cls"])
    assert_type(labels, DataNode)
    assert_type(fn.readers.parquet(path="rows.parquet", columns=names), Many)
    assert_type(fn.readers.mds(path="shards", columns="x"), DataNode)
    assert_type(fn.experimental.readers.fits(files="a.fits"), DataNode)

    features = {"image": tfrecord.FixedLenFeature((), tfrecord.string, ""), "label": tfrecord.VarLenFeature(tfrecord.int64, 0)}
    assert_type(fn.readers.tfrecord(path="a.tfrecord", features=features), dict[str, DataNode])

    fn.readers.file(file_roots="photos")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    fn.readers.file(file_root=3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    fn.readers.mxnet()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    a, b, c = fn.readers.file(file_root="photos")  # type: ignore[misc]  # pyright: ignore[reportAssignmentType]
    fn.readers.numpy(file_root="arrays").read()  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    fn.readers.tfrecord(path="a.tfrecord", features=["x"])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


# --- other operators --------------------------------------------------------------------------------------------------


def operators(data: DataNode, boxes: DataNode, labels: DataNode, source: Callable[[], Any]) -> None:
    assert_type(fn.resize(data, size=(64, 64)), DataNode)
    assert_type(fn.resize(data, size=(64, 64), save_attrs=True), Two)
    assert_type(fn.decoders.image(data, output_type=types.RGB, device="mixed"), DataNode)
    assert_type(fn.random_bbox_crop(boxes), Three)
    assert_type(fn.random_bbox_crop(boxes, labels), Four)
    assert_type(fn.box_encoder(boxes, labels, anchors=[0.0, 0.0, 1.0, 1.0]), Two)
    assert_type(fn.element_extract(data, element_map=3), DataNode)
    assert_type(fn.external_source(source=source, layout="HWC"), DataNode)
    assert_type(fn.external_source(source=source, num_outputs=2), list[DataNode])
    assert_type(fn.python_function(data, function=source), DataNode)
    assert_type(fn.python_function(data, function=source, num_outputs=2), list[DataNode])

    assert_type(fn.cast(data, dtype=np.float32), DataNode)
    assert_type(fn.cast(data, dtype=np.dtype("float32")), DataNode)
    assert_type(fn.cast(data, dtype=float), DataNode)
    assert_type(fn.cast(data, dtype="float32"), DataNode)
    assert_type(fn.cast(data, dtype=ndd.float32), DataNode)
    assert_type(fn.resize(data, size=64.0, interp_type="linear"), DataNode)
    assert_type(fn.decoders.image(data, output_type="rgb"), DataNode)
    assert_type(fn.readers.webdataset(paths="a.tar", ext=("jpg", "cls"), dtypes=[types.UINT8, np.int32]), Two)
    assert_type(fn.external_source(source=source, dtype=np.uint8), DataNode)
    assert_type(data.shape(dtype=np.int32), DataNode)

    fn.cast(data, dtype=1.5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    fn.cast(data, dtype=types.RGB)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    fn.resize(data, size=64.0, interp_type=types.RGB)  # type: ignore[call-overload]  # pyright: ignore
    fn.resize(data, sise=64)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    fn.external_source(source=source, num_output=2)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
