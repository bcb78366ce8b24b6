"""Pictures prepared one by one, as a service for inference does it: requests from several threads, answered as futures.

    python examples/serve_requests.py

The same graph prepares batches for training. A request with the key 5 gets the bits of sample 5 of the first epoch.
"""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor

import numpy as np
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


def main() -> None:
    pipeline = preparation()
    with pipeline.serve(max_pending=COUNT) as server, ThreadPoolExecutor(4) as threads:

        def ask(key: int):
            return server.submit(key=key, deadline=60, picture=encoded_picture(key))

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


if __name__ == "__main__":
    main()
