"""Pictures prepared one by one, as a service for inference does it: requests from several threads, answered as futures.

    python examples/serve_requests.py [--out FOLDER]

The same graph prepares batches for training. A request with the key 5 gets the bits of sample 5 of the first epoch.
Leaves in --out (demo/) a chart of how long the requests took.
"""

from __future__ import annotations

import argparse
import io
import pathlib
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from drawing import bars
from PIL import Image

from forebay import SampleError, fn, pipeline_def, types

COUNT = 64
BROKEN = 13


@pipeline_def(batch_size=8, num_threads=2, seed=1)
def preparation():
    pictures = fn.decoders.image(fn.external_source(name="picture"))
    pictures = fn.resize(pictures, size=(224, 224))
    return fn.crop_mirror_normalize(pictures, mirror=fn.random.coin_flip(), dtype=types.FLOAT, scale=1 / 255)


def encoded_picture(key: int) -> np.ndarray:
    pixels = np.random.default_rng(key).integers(0, 256, (64 + key, 80, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG")
    encoded = np.frombuffer(file.getvalue(), np.uint8)
    return encoded[:20] if key == BROKEN else encoded


def chart(latencies: list[float], path: pathlib.Path) -> None:
    """How many requests took how many milliseconds, in ten steps up to the slowest."""
    counts, edges = np.histogram(np.multiply(latencies, 1000), bins=10, range=(0, 1000 * max(latencies)))
    names = (f"to {edge:.1f} ms" for edge in edges[1:])
    bars(dict(zip(names, counts.tolist(), strict=True)), path, f"{len(latencies)} requests, by how long they took")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo/serve"))
    arguments = parser.parse_args()
    latencies: list[float] = []
    pipeline = preparation()
    with pipeline.serve(max_pending=COUNT) as server, ThreadPoolExecutor(4) as threads:

        def ask(key: int):
            picture = encoded_picture(key)
            begun = time.perf_counter()
            future = server.submit(key=key, deadline=60, picture=picture)
            future.add_done_callback(lambda _: latencies.append(time.perf_counter() - begun))
            return future

        futures = list(threads.map(ask, range(COUNT)))
        answered = 0
        for key, future in enumerate(futures):
            try:
                (picture,) = future.result()
                answered += picture.as_array().shape == (3, 224, 224)
            except SampleError as error:
                print(f"request {key}: {error.cause}")
    print(f"{answered} of {COUNT} requests answered")

    (batch,) = preparation().run(picture=[encoded_picture(key) for key in range(8)])
    same = all(np.array_equal(batch.at(key), futures[key].result()[0].as_array()) for key in range(8))
    print("the same bits as in a batch" if same else "other bits than in a batch")
    chart(latencies, arguments.out / "latencies.png")


if __name__ == "__main__":
    main()
