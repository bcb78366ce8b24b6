"""What the examples of this folder share: the pipeline, the report of an epoch, and the pictures if none are given.

A framework's loop differs from another's in its iterator alone.
"""

import argparse
import os
import pathlib
import sys

from forebay import fn, pipeline_def, types

SIZE = 64
BATCH = 32
MEAN = [123.675, 116.28, 103.53]
STD = [58.395, 57.12, 57.375]


def normalised(files, layout):
    """Floats of a random part of each picture, mirrored at random."""
    images = fn.resize(fn.decoders.image_random_crop(files), size=(SIZE, SIZE), antialias=True)
    return fn.crop_mirror_normalize(images, mirror=fn.random.coin_flip(), dtype=types.FLOAT, output_layout=layout,
                                    mean=MEAN, std=STD)


@pipeline_def(batch_size=BATCH, num_threads=2, device_id=None, seed=1)
def pictures(folder, layout="HWC", rank=0, ranks=1):
    """Normalised floats, (batch, height, width, channel) or as `layout` says, and labels, (batch, 1)."""
    files, labels = fn.readers.file(file_root=str(folder), random_shuffle=True, pad_last_batch=True, shard_id=rank,
                                    num_shards=ranks, name="reader")
    return normalised(files, layout), labels


def report(epoch, steps):
    """Prints what came of an epoch, whose `steps` are (images, mean loss, how many were right)."""
    images = sum(count for count, _, _ in steps)
    loss = sum(count * float(loss) for count, loss, _ in steps) / images
    right = sum(float(hits) for _, _, hits in steps) / images
    print(f"epoch {epoch}: {images} images, loss {loss:.3f}, {right:.0%} right")


def arguments_of(about):
    """The folder of pictures, made if none is named, its count of classes, and the epochs."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="one folder a class; made if there is none")
    parser.add_argument("--photos", type=int, default=512, help="how many are made")
    parser.add_argument("--epochs", type=int, default=4)
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.folder or "demo/photos")
    if arguments.folder is None:
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
        from make_photos import make_photos  # needs Pillow

        make_photos(folder, arguments.photos)
    classes = sum(entry.is_dir() for entry in os.scandir(folder))
    if classes == 0:
        parser.error(f"{folder}: it holds no folders; one a class is needed")
    return folder, classes, arguments.epochs
