"""The pictures of --data as each reader wants them, written by hand and kept in build/benchmarks."""

import hashlib
import io
import json
import os
import pathlib
import sys
import tarfile
from collections.abc import Callable

import contender
import environments
import numpy
from PIL import Image

sys.path[:0] = [str(environments.ROOT / "tests" / "parity"), str(environments.ROOT / "python" / "tests" / "support")]

import reader_files  # noqa: E402
import tfrecords  # noqa: E402

CLASSES = 10
FRAMES = 8  # of a sequence
FRAME = (64, 48)
RECORDS = 1_000_000  # of the large index
FOLDER = environments.ROOT / "build" / "benchmarks"


def _record(picture: bytes, label: int) -> bytes:
    field = reader_files.field
    features = {"image": field(1, field(1, picture)), "label": field(3, field(1, reader_files.varint(label)))}
    entries = (field(1, field(1, name.encode()) + field(2, value)) for name, value in features.items())
    return tfrecords.record_of(field(1, b"".join(entries)))


def _offsets(sizes: list[int]) -> list[int]:
    return [0, *numpy.cumsum(sizes).tolist()]


def _files(folder: pathlib.Path, pictures: list[bytes]) -> None:
    for number, picture in enumerate(pictures):
        path = folder / f"{number % CLASSES}" / f"{number:05}.jpg"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(picture)


def _tfrecord(folder: pathlib.Path, pictures: list[bytes]) -> None:
    records = [_record(picture, number % CLASSES) for number, picture in enumerate(pictures)]
    _write_records(folder, records)


def _write_records(folder: pathlib.Path, records: list[bytes]) -> None:
    sizes = [len(record) for record in records]
    (folder / "data.tfrecord").write_bytes(b"".join(records))
    lines = [f"{offset} {size}\n" for offset, size in zip(_offsets(sizes), sizes)]
    (folder / "data.idx").write_text("".join(lines))


def _tar(folder: pathlib.Path, pictures: list[bytes]) -> None:
    with tarfile.open(folder / "data.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
        for number, picture in enumerate(pictures):
            for suffix, content in (("jpg", picture), ("cls", b"%d" % (number % CLASSES))):
                member = tarfile.TarInfo(f"{number:05}.{suffix}")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))


def _mxnet(folder: pathlib.Path, pictures: list[bytes]) -> None:
    images = [reader_files.image_record(picture, float(number % CLASSES)) for number, picture in enumerate(pictures)]
    records = [reader_files.recordio(image) for image in images]
    (folder / "data.rec").write_bytes(b"".join(records))
    offsets = _offsets([len(record) for record in records])
    (folder / "data.idx").write_text("".join(f"{i}\t{offset}\n" for i, offset in enumerate(offsets[:-1])))


def _caffe(folder: pathlib.Path, pictures: list[bytes]) -> None:
    items = {b"%08d" % i: reader_files.datum(picture, i % CLASSES) for i, picture in enumerate(pictures)}
    (folder / "data.mdb").write_bytes(reader_files.lmdb(items))


def _caffe2(folder: pathlib.Path, pictures: list[bytes]) -> None:
    protos, tensor = reader_files.tensor_protos, reader_files.tensor_proto
    items = {b"%08d" % i: protos(tensor("string", picture), tensor("int32", [i % CLASSES]))
             for i, picture in enumerate(pictures)}
    (folder / "data.mdb").write_bytes(reader_files.lmdb(items))


def _coco(folder: pathlib.Path, pictures: list[bytes]) -> None:
    _files(folder, pictures)
    images, objects = [], []
    for number, picture in enumerate(pictures):
        with Image.open(io.BytesIO(picture)) as image:
            width, height = image.size
        name = f"{number % CLASSES}/{number:05}.jpg"
        images.append({"id": number, "file_name": name, "width": width, "height": height})
        for place in range(7):
            box = [width * place / 10, height / 4, width / 10, height / 2]
            objects.append({"id": 7 * number + place, "image_id": number, "category_id": place, "bbox": box,
                            "area": box[2] * box[3], "iscrowd": 0})
    categories = [{"id": number, "name": f"kind {number}"} for number in range(7)]
    text = json.dumps({"images": images, "annotations": objects, "categories": categories})
    (folder / "annotations.json").write_text(text)


def _numpy(folder: pathlib.Path, pictures: list[bytes]) -> None:
    for number, picture in enumerate(pictures):
        numpy.save(folder / f"{number:05}.npy", numpy.frombuffer(picture, dtype=numpy.uint8))


def _sequence(folder: pathlib.Path, pictures: list[bytes]) -> None:
    for number, picture in enumerate(pictures):
        path = folder / f"{number // FRAMES:05}" / f"{number % FRAMES}.jpg"
        path.parent.mkdir(exist_ok=True)
        with Image.open(io.BytesIO(picture)) as image:
            image.convert("RGB").resize(FRAME).save(path, quality=90)


def _million_tfrecord(folder: pathlib.Path, pictures: list[bytes]) -> None:
    _write_records(folder, [_record(b"no picture", 7)] * RECORDS)


def _million_webdataset(folder: pathlib.Path, pictures: list[bytes]) -> None:
    """The archive has holes where its members would be: it is the index that is opened."""
    block = tarfile.BLOCKSIZE
    lines = (f"jpg {4 * block * number + block} 100 cls {4 * block * number + 3 * block} 1\n" for number in range(RECORDS))
    (folder / "data.wds").write_text(f"v1.1 {RECORDS}\n" + "".join(lines))
    with open(folder / "data.tar", "wb") as tar:
        tar.truncate(4 * block * RECORDS)


def _million_mxnet(folder: pathlib.Path, pictures: list[bytes]) -> None:
    record = reader_files.recordio(reader_files.image_record(b"no picture", 7.0))
    (folder / "data.rec").write_bytes(record * RECORDS)
    (folder / "data.idx").write_text("".join(f"{i}\t{i * len(record)}\n" for i in range(RECORDS)))


def _million_caffe(folder: pathlib.Path, pictures: list[bytes]) -> None:
    value = reader_files.datum(b"no picture", 7)
    (folder / "data.mdb").write_bytes(reader_files.lmdb({b"%08d" % i: value for i in range(RECORDS)}))


def _million_file(folder: pathlib.Path, pictures: list[bytes]) -> None:
    _files(folder, pictures[:CLASSES])
    (folder / "list.txt").write_text("".join(f"{i % CLASSES}/{i % CLASSES:05}.jpg {i % 1000}\n" for i in range(RECORDS)))


def _million_coco(folder: pathlib.Path, pictures: list[bytes]) -> None:
    _files(folder, pictures[:CLASSES])
    images = [{"id": i, "file_name": f"{i % CLASSES}/{i % CLASSES:05}.jpg", "width": 64, "height": 48}
              for i in range(RECORDS)]
    objects = [{"id": i, "image_id": i, "category_id": 0, "bbox": [1, 2, 30, 20], "area": 600, "iscrowd": 0}
               for i in range(RECORDS)]
    text = json.dumps({"images": images, "annotations": objects, "categories": [{"id": 0, "name": "kind"}]})
    (folder / "annotations.json").write_text(text)


WRITERS: dict[str, Callable[[pathlib.Path, list[bytes]], None]] = {
    "file": _files, "tfrecord": _tfrecord, "webdataset": _tar, "mxnet": _mxnet, "caffe": _caffe, "caffe2": _caffe2,
    "coco": _coco, "numpy": _numpy, "sequence": _sequence, "tfrecord of a million": _million_tfrecord,
    "webdataset of a million": _million_webdataset, "mxnet of a million": _million_mxnet,
    "caffe of a million": _million_caffe, "file list of a million": _million_file, "coco of a million": _million_coco,
}


def by_reader(data: str) -> dict[str, pathlib.Path]:
    """{reader: folder of what it reads}, made when it is not there yet."""
    files = contender.list_files(data)
    key = hashlib.sha256("\n".join(files).encode()).hexdigest()[:12]
    pictures = [pathlib.Path(file).read_bytes() for file in files]
    folders = {}
    for kind, write in WRITERS.items():
        folder = FOLDER / key / "readers" / kind.replace(" ", "_")
        folders[kind] = folder
        if not folder.exists():
            half = folder.with_suffix(".half")
            half.mkdir(parents=True)
            write(half, pictures)
            os.rename(half, folder)
    return folders
