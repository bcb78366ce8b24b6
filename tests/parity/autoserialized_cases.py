"""What goes into the pipeline of autoserialized_model.py, and how either library runs it."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

DECODE = pathlib.Path(__file__).parent / "decode"
FEEDS = {
    "encoded": [np.frombuffer((DECODE / name).read_bytes(), np.uint8) for name in ("exif6_420.jpg", "exif1_grey.jpg")],
    "scale": [np.float32(2.0), np.float32(0.5)],
}


def run(pipe: Any) -> list[list[np.ndarray]]:
    """Of each output the samples."""
    pipe.build()
    for name, batch in FEEDS.items():
        pipe.feed_input(name, batch)
    return [[np.array(output.at(place)) for place in range(len(output))] for output in pipe.run()]
