"""Trains a small network on a folder of pictures, for two epochs, through a Forebay pipeline.

    python examples/train_small.py [FOLDER] [--out FOLDER] [--epochs N] [--photos N] [--threads N]

FOLDER holds one folder a class; without it a data set is made. Prints images per second and per CPU-second and where
the time went, and leaves in --out (demo/) a trace that Perfetto opens and a contact sheet of one augmented batch: below
each picture its class, and where the trained network takes it for another one, that one, in red.
"""

import argparse
import os
import pathlib
import sys
import time

import numpy as np
from labelled_sheet import labelled_sheet
from make_photos import make_photos
from progress import Progress
from small_network import small_network

import forebay
from forebay import fn, pipeline_def, types
from forebay.plugin.numpy import NumpyIterator

SIZE = 224
BATCH = 32
MEAN = np.array([123.675, 116.28, 103.53], np.float32)
STD = np.array([58.395, 57.12, 57.375], np.float32)
PHOTOS = 512


@pipeline_def
def pictures(folder):
    files, labels = fn.readers.file(file_root=str(folder), random_shuffle=True, name="reader")
    images = fn.decoders.image_random_crop(files)
    images = fn.resize(images, size=(SIZE, SIZE))
    images = fn.crop_mirror_normalize(images, mirror=fn.random.coin_flip(), dtype=types.FLOAT, output_layout="CHW",
                                      mean=MEAN.tolist(), std=STD.tolist())
    return images, labels


def contact_sheet(path, images, labels, guesses, names):
    """The pictures of a batch, as they were before normalising, with what they are and what they are taken for."""
    pixels = (images.transpose(0, 2, 3, 1) * STD + MEAN).clip(0, 255).astype(np.uint8)
    texts = [
        (names[label] if label == guess else f"{names[label]} > {names[guess]}", label == guess)
        for label, guess in zip(labels, guesses, strict=True)
    ]
    labelled_sheet(path, pixels, texts)


def train(loader, network, epochs, samples):
    """All epochs; gives the first batch's images and labels."""
    first = None
    for epoch in range(epochs):
        seen = hits = 0
        loss = 0.0
        progress = Progress(loader, f"epoch {epoch + 1}", total=-(-samples // BATCH))
        for (batch,) in progress:
            images, labels = np.asarray(batch["data"]), np.asarray(batch["label"]).reshape(-1).astype(np.int64)
            first = (images.copy(), labels) if first is None else first
            step_loss, step_hits = network.step(images, labels)
            seen, hits, loss = seen + len(labels), hits + step_hits, loss + step_loss * len(labels)
            progress.note = f"loss {loss / seen:.3f}, {hits / seen:.0%} right"
        print(f"epoch {epoch + 1}: {seen} images, loss {loss / seen:.3f}, {hits / seen:.0%} right")
    return first


def measure(what, work, samples):
    """Runs `work` and prints what it took."""
    begun, begun_cpu = time.perf_counter(), time.process_time()
    result = work()
    wall, cpu = time.perf_counter() - begun, time.process_time() - begun_cpu
    print(f"{what}: {samples / wall:.0f} images/s, {samples / cpu:.0f} images per CPU-second")
    return result


def class_names(folder):
    """Folders in `folder`, in the order of their labels; ends the program where there are none."""
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.is_dir()]
    except OSError as error:
        sys.exit(f"{sys.argv[0]}: {folder}: {error.strerror}")
    return sorted(names, key=os.fsencode) or sys.exit(f"{sys.argv[0]}: {folder}: it holds no folders; one a class is needed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo"))
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--photos", type=int, default=PHOTOS, help="how many are made")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    folder = arguments.folder or arguments.out / "photos"
    if arguments.folder is None:
        make_photos(folder, arguments.photos)
    names = class_names(folder)
    arguments.out.mkdir(parents=True, exist_ok=True)

    pipe = pictures(folder, batch_size=BATCH, num_threads=arguments.threads, device_id=None, seed=1, on_error="skip")
    loader = NumpyIterator(pipe, ["data", "label"], reader_name="reader", auto_reset=True)
    samples = pipe.epoch_size("reader")
    network = small_network(len(names))
    print(f"{samples} pictures of {len(names)} classes, {arguments.threads} threads, network in {network.name}")

    with forebay.trace(arguments.out / "trace.json"):
        images, labels = measure("training", lambda: train(loader, network, arguments.epochs, samples),
                                 samples * arguments.epochs)
    print(pipe.explain())
    measure("loading alone", lambda: [None for _ in loader], samples)
    for error in pipe.errors():
        print(f"skipped: {error}")
    contact_sheet(arguments.out / "contact_sheet.png", images, labels, network.guess(images), names)
    print(f"see {arguments.out}/contact_sheet.png, and {arguments.out}/trace.json in https://ui.perfetto.dev")


if __name__ == "__main__":
    main()
