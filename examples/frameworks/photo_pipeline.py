"""The pipeline that the training loops of this folder share, and the pictures if none are given.

A framework's loop differs from another's in its iterator alone.
"""

import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from make_photos import make_photos  # noqa: E402

from forebay import fn, pipeline_def, types  # noqa: E402

SIZE = 64
BATCH = 32
MEAN = [123.675, 116.28, 103.53]
STD = [58.395, 57.12, 57.375]


@pipeline_def(batch_size=BATCH, num_threads=2, device_id=None, seed=1)
def pictures(folder):
    """Normalised floats, (batch, height, width, channel), and labels, (batch, 1)."""
    files, labels = fn.readers.file(file_root=str(folder), random_shuffle=True, pad_last_batch=True, name="reader")
    images = fn.resize(fn.decoders.image_random_crop(files), size=(SIZE, SIZE), antialias=True)
    images = fn.crop_mirror_normalize(images, mirror=fn.random.coin_flip(), dtype=types.FLOAT, output_layout="HWC",
                                      mean=MEAN, std=STD)
    return images, labels


def arguments_of(about):
    """The folder of pictures, made if none is named, its count of classes, and the epochs."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="one folder a class; made if there is none")
    parser.add_argument("--photos", type=int, default=512, help="how many are made")
    parser.add_argument("--epochs", type=int, default=4)
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.folder or "demo/photos")
    if arguments.folder is None:
        make_photos(folder, arguments.photos)
    classes = sum(entry.is_dir() for entry in os.scandir(folder))
    if classes == 0:
        parser.error(f"{folder}: it holds no folders; one a class is needed")
    return folder, classes, arguments.epochs
