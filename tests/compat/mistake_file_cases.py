"""Cases: files that are not there or not what they should be."""

from __future__ import annotations

import numpy as np
import nvidia.dali as dali
import nvidia.dali.fn as fn

from catalogue import Group
from files import one_file
from pipelines import floats, ones

case = Group("errors")

case.outputs_table(
    {
        "decode_garbage": lambda: fn.decoders.image(
            fn.external_source(source=lambda: [np.frombuffer(b"garbage", np.uint8)] * 3)
        ),
        "decode_a_picture": lambda: fn.decoders.image(ones()),
        "decode_float": lambda: fn.decoders.image(floats()),
        "decode_empty": lambda: fn.decoders.image(fn.external_source(source=lambda: [np.zeros(0, np.uint8)] * 3)),
        "peek_garbage": lambda: fn.peek_image_shape(
            fn.external_source(source=lambda: [np.frombuffer(b"garbage", np.uint8)] * 3)
        ),
        "file_absent": lambda: fn.readers.file(file_root="/nonexistent")[0],
        "file_none": lambda: fn.readers.file()[0],
        "file_list_absent": lambda: fn.readers.file(file_list="/nonexistent")[0],
        "file_files_absent": lambda: fn.readers.file(files=["/nonexistent.jpg"])[0],
        "file_labels_count": lambda: fn.readers.file(files=[one_file()], labels=[1, 2])[0],
        "file_empty_files": lambda: fn.readers.file(files=[])[0],
        "file_shards": lambda: fn.readers.file(files=[one_file()], num_shards=2, shard_id=5)[0],
        "file_shards_negative": lambda: fn.readers.file(files=[one_file()], num_shards=2, shard_id=-1)[0],
        "file_more_shards": lambda: fn.readers.file(files=[one_file()], num_shards=2, shard_id=1)[0],
        "file_shuffle_both": lambda: fn.readers.file(
            files=[one_file()], random_shuffle=True, shuffle_after_epoch=True
        )[0],
        "file_stick_shuffle": lambda: fn.readers.file(
            files=[one_file()], stick_to_shard=True, shuffle_after_epoch=True
        )[0],
        "numpy_absent": lambda: fn.readers.numpy(file_root="/nonexistent"),
        "tfrecord_absent": lambda: list(
            fn.readers.tfrecord(
                path="/nonexistent",
                index_path="/nonexistent.idx",
                features={"a": dali.tfrecord.FixedLenFeature([], dali.tfrecord.int64, 0)},
            ).values()
        )[0],
        "webdataset_absent": lambda: fn.readers.webdataset(paths=["/nonexistent.tar"], ext=["jpg"]),
        "coco_absent": lambda: fn.readers.coco(file_root="/nonexistent", annotations_file="/nonexistent.json")[0],
        "mxnet_absent": lambda: fn.readers.mxnet(path=["/nonexistent"], index_path=["/nonexistent"])[0],
        "caffe_absent": lambda: fn.readers.caffe(path="/nonexistent")[0],
        "sequence_absent": lambda: fn.readers.sequence(file_root="/nonexistent", sequence_length=2),
        "io_read_absent": lambda: fn.io.file.read(np.frombuffer(b"/nonexistent", np.uint8)),
    }
)
