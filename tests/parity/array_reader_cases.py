"""Cases of `reader_cases.py` about arrays and about records of other frameworks."""

from __future__ import annotations

import json
import pathlib
import struct
import zlib

import numpy as np
from reader_files import MAGIC, datum, image_record, lmdb, recordio, tensor_proto, tensor_protos
from sound_files import tones, wav


def _make_arrays(root: pathlib.Path) -> None:
    for folder in ("sub/deep", "asub"):
        (root / "arrays" / folder).mkdir(parents=True)
    for i, name in enumerate(("b.npy", "sub/a.npy", "asub/z.npy", "sub/deep/no.npy", "B.NPY", "asub/other.txt")):
        with open(root / "arrays" / name, "wb") as file:
            np.save(file, np.arange(100 * i, 100 * i + 6 + 2 * i, dtype="<i4").reshape(2, -1))
    (root / "arrays" / "list.txt").write_text("sub/a.npy\n\nb.npy\n")
    for dtype in ("u1", "<u2", "<u4", "<u8", "i1", "<i2", "<i4", "<i8", "<f2", "<f4", "<f8", "?"):
        for order in "CF":
            values = (np.arange(60).reshape(3, 4, 5) % 7 - 2).astype(dtype)
            np.save(root / f"{np.dtype(dtype).name}_{order}.npy", np.asarray(values, order=order))
    np.save(root / "scalar.npy", np.float32(3.5))
    np.save(root / "empty.npy", np.zeros((0, 3)))
    for order in "CF":
        np.save(root / f"plane_{order}.npy", np.asarray(np.arange(20, dtype="i4").reshape(4, 5), order=order))


def _make_records(root: pathlib.Path) -> None:
    magic = struct.pack("<I", MAGIC)
    records = [
        recordio(image_record(b"abcde", 3.0)),
        recordio(image_record(b"xyz", [1.5, -2])),
        recordio(image_record(b"1234" + magic + b"5678" + magic + b"9", 1.0)),
        recordio(image_record(b"q" * 4 + magic, [1.0, 2.0])),
        recordio(image_record(b"", 2.0)),
    ]
    offsets = [sum(len(record) for record in records[:i]) for i in range(len(records) + 2)]
    (root / "a.rec").write_bytes(b"".join(records))
    lines = [f"{i}\t{offset}\n" for i, offset in enumerate(offsets)]
    (root / "a.idx").write_text("".join(reversed(lines[:5])))
    (root / "b.rec").write_bytes(records[1])
    (root / "ab.idx").write_text("".join(lines[:6]))
    for name, items in _databases().items():
        (root / name).mkdir()
        (root / name / "data.mdb").write_bytes(lmdb(items))


def _make_speech(root: pathlib.Path) -> None:
    lines = []
    for i in range(5):
        (root / f"{i}.wav").write_bytes(wav(tones(30 + 7 * i, 1 + i % 2, i), 8000 * (1 + i % 2)))
        entry = {"audio_filepath": str(root / f"{i}.wav"), "text": "s\u00f6" * i}
        lines.append(json.dumps(entry | ({"duration": 0.5 * i} if i % 4 else {})))
    (root / "manifest.json").write_text("\n".join(lines) + "\n")


def _databases() -> dict[str, dict[bytes, bytes]]:
    encoded = tensor_proto("string", b"abc")
    pixels = np.arange(12, dtype="u1").reshape(2, 3, 2)
    label, box = tensor_proto("int32", [7]), tensor_proto("int32", [1, -2, 3, 4])
    return {
        "caffe": {b"%05d" % i: datum(bytes([i]) * (i % 7 * 700 + 1), i - 5) for i in range(120)},
        "caffe_raw": {b"1": datum(bytes(range(12)), 4, (2, 3, 2))},
        "single": {b"1": tensor_protos(encoded, label), b"2": tensor_protos(tensor_proto("byte", pixels), label)},
        "dense": {b"1": tensor_protos(encoded, tensor_proto("float", [0.5, 2.0]))},
        "gray": {b"1": tensor_protos(tensor_proto("byte", pixels[0]), label)},
        "more": {
            b"1": tensor_protos(encoded, label, tensor_proto("int64", [-1, 2]), tensor_proto("float", [0.25]), box)
        },
        "no_label": {b"1": tensor_protos(encoded, box)},
        "no_image": {b"1": tensor_protos(label)},
    }


def _png(pixels: np.ndarray) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def _make_videos(root: pathlib.Path) -> None:
    for video, frames in (("0", 5), ("1", 2), ("2", 3)):
        (root / "videos" / video).mkdir(parents=True)
        for frame in range(frames):
            pixels = np.arange(18, dtype="u1").reshape(2, 3, 3) + np.uint8(40 * int(video) + 5 * frame)
            (root / "videos" / video / f"{frame:03}.png").write_bytes(_png(pixels))


def make_more_data(root: pathlib.Path) -> None:
    _make_videos(root)
    _make_arrays(root)
    _make_records(root)
    _make_speech(root)


def _reader(op: str, **args):
    def nodes(lib, root):
        given = {}
        for name, value in args.items():
            texts = [text.format(root=root) if isinstance(text, str) else text for text in value] \
                if isinstance(value, list) else value
            given[name] = texts.format(root=root) if isinstance(texts, str) else texts
        out = getattr(lib.fn.readers, op)(name="reader", **given)
        return out if isinstance(out, (list, tuple)) else [out]

    return nodes


def _decoded(file: str, dtype: str | None = None):
    def nodes(lib, root):
        data, _ = lib.fn.readers.file(name="reader", files=[f"{root}/{file}"])
        given = {} if dtype is None else {"dtype": getattr(lib.types, dtype)}
        return [lib.fn.decoders.numpy(data, **given)]

    return nodes


def _drawn_region(order: str, **more):
    """A region by tensors, one for each sample."""

    def nodes(lib, root):
        start = lib.types.Constant([1, 0], dtype=lib.types.INT32)
        return [lib.fn.readers.numpy(name="reader", files=[f"{root}/plane_{order}.npy"], roi_start=start, **more)]

    return nodes


MORE_CASES = {
    "numpy root": _reader("numpy", file_root="{root}/arrays"),
    "numpy filter": _reader("numpy", file_root="{root}/arrays", file_filter="*.NPY"),
    "numpy list": _reader("numpy", file_list="{root}/arrays/list.txt"),
    "numpy list and root": _reader("numpy", file_list="{root}/arrays/list.txt", file_root="{root}/arrays"),
    "numpy sharded": _reader(
        "numpy", file_root="{root}/arrays", num_shards=2, shard_id=1, pad_last_batch=True, stick_to_shard=True),
    "numpy scalar": _reader("numpy", files=["{root}/scalar.npy"]),
    "numpy empty": _reader("numpy", files=["{root}/empty.npy"]),
    "nemo_asr": _reader("nemo_asr", manifest_filepaths=["{root}/manifest.json"]),
    "nemo_asr, numbers alone": _reader(
        "nemo_asr", manifest_filepaths=["{root}/manifest.json"] * 2, read_text=False, read_sample_rate=False, read_idxs=True),
    "nemo_asr, bounds": _reader(
        "nemo_asr", manifest_filepaths=["{root}/manifest.json"], min_duration=0.4, max_duration=1.2, downmix=False),
    "nemo_asr, longest": _reader("nemo_asr", manifest_filepaths=["{root}/manifest.json"], max_duration=0.7),
    "nemo_asr, shard": _reader("nemo_asr", manifest_filepaths=["{root}/manifest.json"], num_shards=2, shard_id=1),
    "mxnet": _reader("mxnet", path=["{root}/a.rec"], index_path=["{root}/a.idx"]),
    "mxnet, two files": _reader("mxnet", path=["{root}/a.rec", "{root}/b.rec"], index_path=["{root}/ab.idx"]),
    "caffe": _reader("caffe", path="{root}/caffe"),
    "caffe, two": _reader("caffe", path=["{root}/caffe_raw", "{root}/caffe_raw"]),
    "caffe, its end": _reader("caffe", path="{root}/caffe", num_shards=20, shard_id=19),
    "caffe, pictures": _reader("caffe", path="{root}/caffe", label_available=False),
    "caffe, labels": _reader("caffe", path="{root}/caffe", image_available=False),
    "sequence": _reader("sequence", file_root="{root}/videos", sequence_length=2),
    "sequence, step and stride": _reader("sequence", file_root="{root}/videos", sequence_length=2, step=2, stride=2),
    "sequence, sharded": _reader("sequence", file_root="{root}/videos", sequence_length=3, num_shards=2, shard_id=1),
    "caffe2": _reader("caffe2", path="{root}/dense", label_type=2),
    "caffe2, gray": _reader("caffe2", path="{root}/gray"),
    "caffe2, more": _reader("caffe2", path="{root}/more", additional_inputs=2, bbox=True),
    "caffe2, no label": _reader("caffe2", path="{root}/no_label", label_type=4, bbox=True),
    "caffe2, no picture": _reader("caffe2", path="{root}/no_image", image_available=False),
}
for _name in ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32",
              "float64", "bool"):
    for _order in "CF":
        MORE_CASES[f"numpy {_name} {_order}"] = _reader("numpy", files=[f"{{root}}/{_name}_{_order}.npy"])
    MORE_CASES[f"decoders.numpy {_name}"] = _decoded(f"{_name}_C.npy")
MORE_CASES["decoders.numpy to uint8"] = _decoded("float32_C.npy", "UINT8")
MORE_CASES["decoders.numpy to float"] = _decoded("int64_C.npy", "FLOAT")
for _order in "CF":
    for _name, _region in {
        "start, end": {"roi_start": [1, 2], "roi_end": [3, 4]},
        "axes": {"roi_start": [1], "roi_shape": [2], "roi_axes": [1]},
        "axes reversed": {"roi_start": [1, 2], "roi_shape": [2, 1], "roi_axes": [1, 0]},
        "axes from the end": {"roi_start": [1], "roi_shape": [2], "roi_axes": [-1]},
        "axes alone": {"roi_axes": [0]},
        "relative": {"rel_roi_start": [0.3, 0.5], "rel_roi_shape": [0.5, 0.5]},
        "relative end": {"rel_roi_start": [0.1, 0.3], "rel_roi_end": [0.7, 0.9]},
        "mixed": {"roi_start": [1, 0], "rel_roi_end": [0.7, 0.9]},
        "start": {"roi_start": [1, 1]},
        "shape": {"roi_shape": [2, 2]},
        "one number": {"roi_start": 1, "roi_shape": 2},
        "empty": {"roi_start": [1, 2], "roi_shape": [0, 1]},
        "pad": {"roi_start": [-1, 3], "roi_shape": [3, 4], "out_of_bounds_policy": "pad", "fill_value": 7.5},
        "trim": {"roi_start": [-1, 3], "roi_shape": [3, 4], "out_of_bounds_policy": "trim_to_shape"},
    }.items():
        MORE_CASES[f"numpy region: {_name}, {_order}"] = _reader(
            "numpy", files=[f"{{root}}/plane_{_order}.npy"], **_region)
    MORE_CASES[f"numpy region by tensors, {_order}"] = _drawn_region(_order, roi_shape=[2, 3])
    MORE_CASES[f"numpy region by tensors, padded, {_order}"] = _drawn_region(
        _order, roi_shape=[9, 3], out_of_bounds_policy="pad", fill_value=7.5)
