"""Reads pictures from S3 for two epochs: the second comes from this host's cache, and the store sends nothing.

    AWS_ENDPOINT_URL=... AWS_ACCESS_KEY_ID=... AWS_SECRET_ACCESS_KEY=... \\
        python examples/s3_two_epochs.py s3://BUCKET/FOLDER [--out FOLDER] [--photos N]

A folder of the bucket that holds nothing gets made pictures; one that holds pictures, one folder a class, is only read.
A daemon keeps what was read, for all processes of this host (docs/cache.md): if none runs, the first read starts it.
Leaves in --out (demo/) a chart of the bytes that the store sent in each epoch.
"""

import argparse
import os
import pathlib
import sys
import time

from drawing import bars
from make_photos import make_photos

from forebay import fn, host_cache, pipeline_def
from forebay.filesystem import ForebayFileSystem

EPOCHS = 2


@pipeline_def(batch_size=16, num_threads=2, seed=1)
def pictures(url):
    encoded, labels = fn.readers.file(file_root=url, random_shuffle=True, pad_last_batch=True, name="reader")
    return fn.resize(fn.decoders.image_random_crop(encoded), size=(64, 64)), labels


def fill(url, folder, photos):
    """Makes pictures and stores them, where the bucket's folder is empty."""
    store = ForebayFileSystem()
    if not store.exists(url):
        make_photos(folder, photos)
        begun = time.perf_counter()
        store.put(f"{folder}/", url, recursive=True)
        print(f"{photos} pictures stored in {time.perf_counter() - begun:.1f} s")
        host_cache.free(url)  # what was written is held, too: without this the store would have nothing to send


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo/s3"))
    parser.add_argument("--photos", type=int, default=128)
    arguments = parser.parse_args()
    url = arguments.url.rstrip("/")
    if "://" not in url:
        sys.exit(f"{sys.argv[0]}: {url}: not the URL of a store, such as s3://BUCKET/FOLDER")
    if os.environ.get("FOREBAY_DAEMON") == "off":
        sys.exit(f"{sys.argv[0]}: FOREBAY_DAEMON=off: without the daemon nothing is kept, and both epochs ask the store")
    fill(url, arguments.out / "photos", arguments.photos)

    print(f"held on this host before: {host_cache.share(url).held_bytes} bytes")
    pipe = pictures(url)
    samples = pipe.epoch_size("reader")
    sent = {}
    for epoch in range(1, EPOCHS + 1):
        before, begun = host_cache.status()["upstream_bytes"], time.perf_counter()
        for _ in range(-(-samples // 16)):
            pipe.run()
        taken = time.perf_counter() - begun
        sent[f"epoch {epoch}"] = host_cache.status()["upstream_bytes"] - before
        print(f"epoch {epoch}: {samples} samples, {sent[f'epoch {epoch}']} bytes from the store, {taken:.2f} s")
    bars(sent, arguments.out / "bytes.png", f"bytes from {url}, by epoch")
    held = host_cache.share(url)
    print(f"held on this host now: {held.held_bytes} of {held.stored_bytes} bytes")


if __name__ == "__main__":
    try:
        main()
    except OSError as error:  # the bucket is not there, access is denied, ...
        sys.exit(f"{sys.argv[0]}: {error}")
