"""Small files of the formats that readers read, as bytes: samples are numbers from 0 to 127, and one may be broken."""

from __future__ import annotations

import io
import itertools
import json
import os
import pathlib
import struct
import sys
import tarfile
import zlib
from typing import Sequence

import numpy as np

from tfrecords import example_of, field, record_of

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tests" / "parity"))
import reader_files  # noqa: E402
import sound_files  # noqa: E402

BROKEN = -1  # written so that it cannot be read, and the samples beside it can

Ids = Sequence[int]


def content(number: int) -> bytes:
    """A file, as long as any other, that begins with its number; empty if it is broken."""
    return b"" if number == BROKEN else bytes([number]) * 9


def array(number: int) -> bytes:
    """An .npy file."""
    if number == BROKEN:
        return b"no array"
    file = io.BytesIO()
    np.save(file, np.full((2, 3), number, np.int32))
    return file.getvalue()


def fits(number: int) -> bytes:
    """A FITS file of one image of 2 x 3 pixels of 16 bits."""
    if number == BROKEN:
        return b"no picture of the sky"
    cards = ["SIMPLE  =                    T", "BITPIX  =                   16", "NAXIS   =                    2",
             "NAXIS1  =                    3", "NAXIS2  =                    2", "END"]
    pixels = np.full(6, number, ">i2").tobytes()
    return "".join(card.ljust(80) for card in cards).ljust(2880).encode() + pixels.ljust(2880, b"\0")


def sound(number: int) -> bytes:
    """A WAV file of nine samples of 16 bits."""
    return b"no sound at all" if number == BROKEN else sound_files.wav(np.full((9, 1), number / 32767))


def manifest(names: Sequence[str]) -> bytes:
    """A manifest of NeMo for these files."""
    return b"".join(json.dumps({"audio_filepath": name, "text": name}).encode() + b"\n" for name in names)


def png(number: int) -> bytes:
    """A picture of one pixel, not compressed, so that all are as long."""
    if number == BROKEN:
        return b"no picture"

    def chunk(kind: bytes, inside: bytes) -> bytes:
        return struct.pack(">I", len(inside)) + kind + inside + struct.pack(">I", zlib.crc32(kind + inside))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(bytes([0, number, number, number]), 0))
    return b"\x89PNG\r\n\x1a\n" + head + pixels + chunk(b"IEND", b"")


def coco_annotations(names: Sequence[str]) -> bytes:
    """COCO's, of pictures without objects."""
    images = [{"id": number, "file_name": name, "width": 1, "height": 1} for number, name in enumerate(names)]
    return json.dumps({"images": images, "annotations": [], "categories": []}).encode()


def coco_lists(names: Sequence[str]) -> dict[str, bytes]:
    """The files of COCO's preprocessed annotations, of pictures without objects."""
    count = struct.pack("<I", len(names))
    none = count + bytes(4 * len(names))
    return {"offsets.dat": none, "counts.dat": none,
            "filenames.dat": b"".join(os.fsencode(name) + b"\n" for name in names)}


def caffe(ids: Ids) -> bytes:
    """An LMDB database of Caffe's."""
    values = [b"\xff" if number == BROKEN else reader_files.datum(content(number), number) for number in ids]
    return reader_files.lmdb({b"%03d" % place: value for place, value in enumerate(values)})


def caffe2(ids: Ids) -> bytes:
    """An LMDB database of Caffe2's."""

    def value(number: int) -> bytes:
        if number == BROKEN:
            return b"\xff"
        picture = reader_files.tensor_proto("string", content(number))
        return reader_files.tensor_protos(picture, reader_files.tensor_proto("int32", [number]))

    return reader_files.lmdb({b"%03d" % place: value(number) for place, number in enumerate(ids)})


def mds(ids: Ids) -> dict[str, bytes]:
    """The files of a data set with the column `id`."""
    bodies = [struct.pack("<q", number) + (b"more" if number == BROKEN else b"") for number in ids]
    ends = itertools.accumulate(map(len, bodies), initial=4 * (len(ids) + 2))
    shard = struct.pack(f"<{len(ids) + 2}I", len(ids), *ends) + b"".join(bodies)
    row = {
        "format": "mds", "version": 2, "samples": len(ids), "compression": None, "hashes": [], "zip_data": None,
        "column_names": ["id"], "column_encodings": ["int"], "column_sizes": [8],
        "raw_data": {"basename": "shard.00000.mds", "bytes": len(shard), "hashes": {}},
    }
    index = {"version": 2, "shards": [row] if ids else []}
    return {"index.json": json.dumps(index).encode(), **({"shard.00000.mds": shard} if ids else {})}


def image_records(ids: Ids) -> list[bytes]:
    """Records of a RecordIO file."""
    return [reader_files.recordio(b"short" if number == BROKEN else reader_files.image_record(content(number), 0.0))
            for number in ids]


def offsets(records: Sequence[bytes]) -> list[int]:
    """Where each record begins."""
    return list(itertools.accumulate(map(len, records), initial=0))[:-1]


def record_index(records: Sequence[bytes]) -> bytes:
    """What im2rec writes beside them."""
    return "".join(f"{key}\t{offset}\n" for key, offset in enumerate(offsets(records))).encode()


def examples(ids: Ids) -> list[bytes]:
    """Records of a TFRecord file with the feature `id`."""
    return [record_of(b"\xff\xff" if number == BROKEN else example_of("id", field(3, field(1, bytes([number])))))
            for number in ids]


def example_index(records: Sequence[bytes]) -> bytes:
    """What tfrecord2idx writes beside them."""
    rows = zip(offsets(records), records, strict=True)
    return "".join(f"{offset} {len(record)}\n" for offset, record in rows).encode()


def archive(ids: Ids, key: str) -> tuple[bytes, bytes]:
    """A tar archive of classes in digits, whose members' names begin with `key`; and what wds2idx writes beside it."""
    file = io.BytesIO()
    rows = []
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT, errors="surrogateescape") as tar:
        for place, number in enumerate(ids):
            digits = b"none" if number == BROKEN else b"%04d" % number
            member = tarfile.TarInfo(f"{key}{place:03}.cls")
            member.size = len(digits)
            tar.addfile(member, io.BytesIO(digits))
            rows.append(f"cls {tar.offset - 512} {len(digits)}\n")
    return file.getvalue(), (f"v1.1 {len(ids)}\n" + "".join(rows)).encode()


def _number(place: int, value: int, kind: int = 6) -> tuple[int, int, bytes]:
    return place, kind, reader_files.varint(value << 1 ^ value >> 63)


def _text(place: int, value: bytes) -> tuple[int, int, bytes]:
    return place, 8, reader_files.varint(len(value)) + value


def _list(place: int, kind: int, values: Sequence[bytes]) -> tuple[int, int, bytes]:
    return place, 9, bytes([len(values) << 4 | kind]) + b"".join(values)


def _struct(*fields: tuple[int, int, bytes]) -> bytes:
    """A structure of Thrift's compact protocol, its fields in the order of their numbers."""
    out, last = b"", 0
    for place, kind, body in fields:
        out += bytes([place - last << 4 | kind]) + body
        last = place
    return out + b"\0"


def parquet(ids: Ids) -> bytes:
    """A file with the column `id` in one row group; a broken sample is null."""
    levels = b"".join(b"\2" + bytes([number != BROKEN]) for number in ids)
    values = b"".join(struct.pack("<i", number) for number in ids if number != BROKEN)
    body = struct.pack("<I", len(levels)) + levels + values
    details = _struct(_number(1, len(ids), 5), _number(2, 0, 5), _number(3, 3, 5), _number(4, 3, 5))
    page = _struct(_number(1, 0, 5), _number(2, len(body), 5), _number(3, len(body), 5), (5, 12, details)) + body
    column = _struct(_number(1, 1, 5), _list(2, 5, [b"\0"]), _list(3, 8, [b"\2id"]), _number(4, 0, 5),
                     _number(5, len(ids)), _number(6, len(page)), _number(7, len(page)), _number(9, 4))
    chunk = _struct(_number(2, 4), (3, 12, column))
    groups = [_struct(_list(1, 12, [chunk]), _number(2, len(page)), _number(3, len(ids)))] if ids else []
    root = _struct(_text(4, b"schema"), _number(5, 1, 5))
    leaf = _struct(_number(1, 1, 5), _number(3, 1, 5), _text(4, b"id"))
    footer = _struct(_number(1, 2, 5), _list(2, 12, [root, leaf]), _number(3, len(ids)), _list(4, 12, groups))
    return b"PAR1" + (page if ids else b"") + footer + struct.pack("<I", len(footer)) + b"PAR1"
