"""What readers of a small data set give, for `record_readers.py` with DALI and `test_readers.py` with Forebay.

The data set is made by this module: labelled folders with names in both cases, a list, tar shards with parts missing,
TFRecords with their index.
"""

from __future__ import annotations

import hashlib
import io
import pathlib
import struct
import tarfile

from array_reader_cases import MORE_CASES, make_more_data
from reader_files import field as _field
from reader_files import varint as _varint
import coco_cases

FOLDERS = {"b": ["z.JPG", "a.jpeg", "notes.txt"], "a": ["x.png", "X2.jpg"], "c.d": ["1.webp", "2.Png"], "empty": []}


def _content(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()[: 5 + len(name)]


def _example(features: dict[str, bytes]) -> bytes:
    entries = b"".join(_field(1, _field(1, name.encode()) + _field(2, value)) for name, value in features.items())
    return _field(1, entries)


def _crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return (crc >> 15 | crc << 17) + 0xA282EAD8 & 0xFFFFFFFF


def make_data(root: pathlib.Path) -> None:
    for folder, names in FOLDERS.items():
        (root / "files" / folder).mkdir(parents=True)
        for name in names:
            (root / "files" / folder / name).write_bytes(_content(name))
    (root / "files" / "list.txt").write_text("b/z.JPG 4\na/x.png 2\nb/notes.txt 11\n")
    for shard in range(2):
        with tarfile.open(root / f"{shard}.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
            for i in range(3 + shard):
                for ext in ("jpg", "seg.png", "cls", "JSON"):
                    if (i + shard) % 3 == 1 and ext == "cls":
                        continue
                    data = _content(f"{shard}{i}{ext}")
                    member = tarfile.TarInfo(f"dir/s{shard}_{i}.{ext}")
                    member.size = len(data)
                    tar.addfile(member, io.BytesIO(data))
    records, index = bytearray(), []
    for i in range(5):
        features = {
            "image": _field(1, _field(1, _content(f"record {i}"))),
            "label": _field(3, _field(1, _varint(i * 1000))),
            "box": _field(2, _field(1, struct.pack(f"<{2 * i}f", *(0.5 * k for k in range(2 * i))))),
        }
        data = _example(features)
        length = struct.pack("<Q", len(data))
        record = length + struct.pack("<I", _crc32c(length)) + data + struct.pack("<I", _crc32c(data))
        index.append(f"{len(records)} {len(record)}\n")
        records += record
    (root / "data.tfrecord").write_bytes(records)
    (root / "data.idx").write_text("".join(index))
    make_more_data(root)
    coco_cases.make_data(root / "coco")


def _file(**args):
    def nodes(lib, root):
        given = {k: v.format(root=root) if isinstance(v, str) else v for k, v in args.items()}
        return lib.fn.readers.file(name="reader", **given)

    return nodes


def _webdataset(**args):
    def nodes(lib, root):
        paths = [f"{root}/{shard}.tar" for shard in range(2)]
        out = lib.fn.readers.webdataset(name="reader", paths=paths, **args)
        return out if isinstance(out, (list, tuple)) else [out]

    return nodes


def _tfrecord(lib, root):
    tfrec = lib.tfrecord
    out = lib.fn.readers.tfrecord(
        name="reader", path=f"{root}/data.tfrecord", index_path=f"{root}/data.idx",
        features={
            "image": tfrec.FixedLenFeature((), tfrec.string, ""),
            "label": tfrec.FixedLenFeature([1], tfrec.int64, -1),
            "box": tfrec.VarLenFeature(tfrec.float32, 0.0),
        })
    return [out["image"], out["label"], out["box"]]


CASES = {
    "file_root": _file(file_root="{root}/files"),
    "file filters": _file(file_root="{root}/files", file_filters=["*.JPG", "n*"]),
    "file filters, case": _file(file_root="{root}/files", file_filters=["*.JPG", "n*"], case_sensitive_filter=True),
    "dir filters": _file(file_root="{root}/files", dir_filters=["[bc]*"]),
    "file_list": _file(file_list="{root}/files/list.txt"),
    "file_list and root": _file(file_list="{root}/files/list.txt", file_root="{root}/files"),
    "files": _file(file_root="{root}/files", files=["b/z.JPG", "b/notes.txt", "a/x.png"]),
    "files and labels": _file(file_root="{root}/files", files=["b/z.JPG", "a/x.png"], labels=[7, -3]),
    "webdataset": _webdataset(ext=["jpg", "cls"]),
    "webdataset, alternatives": _webdataset(ext=["cls;seg.png", "none;jpg"]),
    "webdataset, skip": _webdataset(ext=["jpg", "cls"], missing_component_behavior="skip"),
    "webdataset, any case": _webdataset(ext=["json"], case_sensitive_extensions=False),
    "tfrecord": _tfrecord,
    **MORE_CASES,
    **coco_cases.CASES,
}
for _shards, _shard, _args in ((3, 1, {}), (3, 2, {"stick_to_shard": True}), (2, 1, {"pad_last_batch": True})):
    CASES[f"shard {_shard} of {_shards} {_args}"] = _file(
        file_root="{root}/files", num_shards=_shards, shard_id=_shard, **_args)


def build(lib, name: str, root: pathlib.Path, threads: int = 1):
    """The pipeline of `lib` (nvidia.dali or forebay) for the case."""
    pipe = lib.Pipeline(batch_size=2, num_threads=threads, device_id=None)
    with pipe:
        outputs = CASES[name](lib, root)
        pipe.set_outputs(*outputs)
    return pipe


def run(lib, name: str, root: pathlib.Path, threads: int = 1) -> list[list[list]]:
    """Each sample of six batches of two: shape, type and bytes of its fields."""
    return six_batches(build(lib, name, root, threads))


def six_batches(pipe) -> list[list[list]]:
    pipe.build()
    rows = []
    for _ in range(6):
        batch = pipe.run()
        for i in range(len(batch[0])):
            arrays = [out.at(i) for out in batch]
            rows.append([[list(a.shape), a.dtype.name, a.tobytes().hex()] for a in arrays])
    return rows
