"""A pipeline of one reader and nothing else, in Forebay and in DALI alike: how many samples come, and how soon. Of each
sample a byte in every page is looked at: a reader that maps files has not read them before."""

import pathlib
import time
from collections.abc import Callable
from typing import Any

import contender
import numpy

Nodes = Any
PAGE = 4096


def _tfrecord(lib: Any, folder: str) -> Nodes:
    features = {"image": lib.tfrecord.FixedLenFeature((), lib.tfrecord.string, ""),
                "label": lib.tfrecord.FixedLenFeature([1], lib.tfrecord.int64, -1)}
    read = lib.fn.readers.tfrecord(path=f"{folder}/data.tfrecord", index_path=f"{folder}/data.idx", name="reader",
                                   features=features)
    return read["image"], read["label"]


READERS: dict[str, Callable[[Any, str], Nodes]] = {
    "file": lambda lib, folder: lib.fn.readers.file(file_root=folder, name="reader"),
    "tfrecord": _tfrecord,
    "webdataset": lambda lib, folder: lib.fn.readers.webdataset(paths=[f"{folder}/data.tar"], ext=["jpg", "cls"],
                                                                name="reader"),
    "mxnet": lambda lib, folder: lib.fn.readers.mxnet(path=[f"{folder}/data.rec"], index_path=[f"{folder}/data.idx"],
                                                      name="reader"),
    "caffe": lambda lib, folder: lib.fn.readers.caffe(path=folder, name="reader"),
    "caffe2": lambda lib, folder: lib.fn.readers.caffe2(path=folder, name="reader"),
    "coco": lambda lib, folder: lib.fn.readers.coco(file_root=folder, annotations_file=f"{folder}/annotations.json",
                                                    name="reader"),
    "numpy": lambda lib, folder: (lib.fn.readers.numpy(file_root=folder, name="reader"),),
    "sequence": lambda lib, folder: (lib.fn.readers.sequence(file_root=folder, sequence_length=8, name="reader"),),
    "webdataset of a million": lambda lib, folder: lib.fn.readers.webdataset(
        paths=[f"{folder}/data.tar"], index_paths=[f"{folder}/data.wds"], ext=["jpg", "cls"], name="reader"),
    "file list of a million": lambda lib, folder: lib.fn.readers.file(file_root=folder, file_list=f"{folder}/list.txt",
                                                                      name="reader"),
}
READERS |= {f"{kind} of a million": READERS[kind] for kind in ("tfrecord", "mxnet", "caffe", "coco")}


def _open(lib: Any, row: dict[str, Any]) -> Any:
    pipe = lib.Pipeline(batch_size=contender.BATCH_SIZE, num_threads=1, device_id=None, seed=1)
    with pipe:
        pipe.set_outputs(*READERS[row["reader"]](lib, row["folder"]))
    pipe.build()
    return pipe


def _opening(lib: Any, row: dict[str, Any]) -> dict[str, float]:
    """Seconds to the first batch of a reader that has been opened before."""
    _open(lib, row).run()
    begun, begun_cpu = time.perf_counter(), contender.cpu_seconds()
    _open(lib, row).run()
    return {"first_batch_s": time.perf_counter() - begun, "cpu_s": contender.cpu_seconds() - begun_cpu}


def _look_at(samples: Any) -> None:
    for number in range(len(samples)):
        numpy.asarray(samples.at(number)).reshape(-1)[::PAGE].max()


def _steady(lib: Any, row: dict[str, Any], seconds: float) -> dict[str, float]:
    pipe = _open(lib, row)
    batches = -(-pipe.epoch_size("reader") // contender.BATCH_SIZE)

    def epoch() -> Any:
        for _ in range(batches):
            samples = pipe.run()[0]
            _look_at(samples)
            yield samples

    for _ in epoch():
        pass
    return contender.measure_epochs(epoch, seconds)


def measure(lib: Any, versions: dict[str, str]) -> None:
    """The row's reader: images a second over whole epochs, or the time until its first batch."""
    task = contender.read_task()
    row = task["row"]
    if task["check"] or not pathlib.Path(row["folder"]).exists():
        return contender.deliver(task, {"versions": versions, "offered": False})
    found = _opening(lib, row) if row["opening"] else _steady(lib, row, task["seconds"])
    contender.deliver(task, {"versions": versions, **found})
