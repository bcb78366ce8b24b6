"""Reads pictures, labels and boxes out of TFRecord files, shuffled, without TensorFlow.

    python examples/read_tfrecord.py [--out FOLDER] [--photos N]

Makes the pictures and two files in --out (demo/), and leaves a contact sheet of one batch there. The first reader makes
the index beside the files, and later ones spare the scan; `forebay index --out photos.index photos-*.tfrecord` makes
the same.
"""

import argparse
import pathlib
import struct

from drawing import contact_sheet
from make_photos import CLASSES, make_photos

from forebay import fn, pipeline_def, tfrecord

SHARDS = 2
TABLE = [0] * 256  # CRC-32C, byte by byte
for _value in range(256):
    _rest = _value
    for _ in range(8):
        _rest = _rest >> 1 ^ (0x82F63B78 if _rest & 1 else 0)
    TABLE[_value] = _rest


def checksum(data):
    rest = 0xFFFFFFFF
    for byte in data:
        rest = TABLE[(rest ^ byte) & 255] ^ rest >> 8
    rest ^= 0xFFFFFFFF
    return struct.pack("<I", ((rest >> 15 | rest << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def field(number, content):
    """A field of a protocol buffer's message that holds bytes, or a message."""
    length, size = bytearray(), len(content)
    while size > 127:
        length.append(size & 127 | 128)
        size >>= 7
    return bytes([number << 3 | 2, *length, size]) + content


def example(features):
    """A tf.train.Example of bytes, one whole number below 128 each, or a list of floats."""
    entries = b""
    for name, value in features.items():
        if isinstance(value, bytes):
            feature = field(1, field(1, value))
        elif isinstance(value, int):
            feature = field(3, field(1, bytes([value])))
        else:
            feature = field(2, field(1, struct.pack(f"<{len(value)}f", *value)))
        entries += field(1, field(1, name.encode()) + field(2, feature))
    return field(1, entries)


def make_records(folder, photos):
    make_photos(folder / "photos", photos)
    paths = sorted((folder / "photos").glob("*/*"), key=lambda path: path.name)[:photos]
    for shard in range(SHARDS):
        with open(folder / f"photos-{shard}.tfrecord", "wb") as file:
            for path in paths[shard::SHARDS]:
                label = CLASSES.index(path.parent.name)
                record = example({"image/encoded": path.read_bytes(), "label": label, "box": (0.25, 0.25, 0.75, 0.75)})
                length = struct.pack("<Q", len(record))
                file.write(length + checksum(length) + record + checksum(record))


@pipeline_def(batch_size=32, num_threads=2, seed=1)
def pictures(folder):
    features = {"image/encoded": tfrecord.FixedLenFeature((), tfrecord.string, ""),
                "label": tfrecord.FixedLenFeature([1], tfrecord.int64, -1),
                "box": tfrecord.VarLenFeature(tfrecord.float32, 0.0)}
    fields = fn.readers.tfrecord(path=f"{folder}/photos-*.tfrecord", index_file=f"{folder}/photos.index",
                                 features=features, verify_checksums=True, random_shuffle=True, name="reader")
    images = fn.decoders.image(fields["image/encoded"])
    images = fn.slice(images, fields["box"][:2], fields["box"][2:] - fields["box"][:2], axis_names="HW")
    return fn.resize(images, size=(96, 96)), fields["label"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo/tfrecord"))
    parser.add_argument("--photos", type=int, default=64)
    arguments = parser.parse_args()
    make_records(arguments.out, arguments.photos)
    pipe = pictures(arguments.out)
    images, labels = pipe.run()
    print(f"{pipe.epoch_size('reader')} records, index of {(arguments.out / 'photos.index').stat().st_size} bytes")
    names = [CLASSES[int(labels.at(place)[0])] for place in range(len(labels))]
    print(f"the middles of {len(names)} pictures: {', '.join(names[:4])}, ...")
    contact_sheet([images.at(place) for place in range(len(images))], arguments.out / "batch.png", names)


if __name__ == "__main__":
    main()
