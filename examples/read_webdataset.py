"""Trains a small network on pictures in two archives (WebDataset), read where they lie: nothing is unpacked.

    python examples/read_webdataset.py [--out FOLDER] [--photos N] [--epochs N]

Makes the pictures and the archives in --out (demo/), and leaves a contact sheet of one batch with its classes there.
"""

import argparse
import io
import pathlib
import tarfile

import numpy as np
from drawing import contact_sheet
from make_photos import CLASSES, make_photos
from small_network import small_network

from forebay import fn, pipeline_def, types
from forebay.plugin.numpy import NumpyIterator

SIZE = 64
SHARDS = 2


def make_shards(folder, photos):
    """Writes the pictures into archives; a sample is a picture and its class in digits, two members of one name."""
    make_photos(folder / "photos", photos)
    paths = sorted((folder / "photos").glob("*/*"), key=lambda path: path.name)[:photos]
    for shard in range(SHARDS):
        with tarfile.open(folder / f"photos-{shard:03}.tar", "w") as archive:
            for path in paths[shard::SHARDS]:
                members = {path.suffix: path.read_bytes(), ".cls": str(CLASSES.index(path.parent.name)).encode()}
                for suffix, content in members.items():
                    member = tarfile.TarInfo(path.stem + suffix)
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
    return f"{folder}/photos-{{000..{SHARDS - 1:03}}}.tar"


@pipeline_def(batch_size=32, num_threads=2, seed=1)
def pictures(shards):
    encoded, labels, names = fn.readers.webdataset(
        paths=shards, ext=["jpg;png", "cls", "__key__"], dtypes=[types.UINT8, types.INT32, types.UINT8],
        missing_component_behavior="error", random_shuffle=True, name="reader")
    images = fn.resize(fn.decoders.image_random_crop(encoded), size=(SIZE, SIZE))
    images = fn.flip(images, horizontal=fn.random.coin_flip())
    return images, labels, names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo/webdataset"))
    parser.add_argument("--photos", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=4)
    arguments = parser.parse_args()
    pipe = pictures(make_shards(arguments.out, arguments.photos))
    print(f"{pipe.epoch_size('reader')} samples in {SHARDS} archives")

    shown, captions, _ = pipe.run()
    labels = [CLASSES[int(captions.at(place)[0])] for place in range(len(captions))]
    contact_sheet([shown.at(place) for place in range(len(shown))], arguments.out / "batch.png", labels)
    pipe.reset()

    network = small_network(len(CLASSES))
    loader = NumpyIterator(pipe, ["data", "label", "name"], reader_name="reader", auto_reset=True)
    for epoch in range(arguments.epochs):
        seen = hits = 0
        for (batch,) in loader:
            images = np.asarray(batch["data"]).transpose(0, 3, 1, 2).astype(np.float32) / 64 - 2
            labels = np.asarray(batch["label"]).reshape(-1).astype(np.int64)
            loss, right = network.step(images, labels)
            seen, hits = seen + len(labels), hits + right
        print(f"epoch {epoch + 1}: {seen} samples, loss {loss:.3f}, {hits / seen:.0%} right")


if __name__ == "__main__":
    main()
