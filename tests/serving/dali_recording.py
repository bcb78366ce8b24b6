"""A pipeline as DALI has saved it, what goes in, and what DALI itself gave for it: from the recordings of tests/parity."""

from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass
from typing import Any

import numpy as np

PARITY = pathlib.Path(__file__).resolve().parents[1] / "parity"


@dataclass
class DaliRecording:
    """Files come in, a row each; of each output there is a sample a row, and the layout."""

    saved: bytes
    files: list[bytes]
    outputs: list[list[np.ndarray]]
    layouts: list[str]


def served() -> DaliRecording:
    """The case `served` of saved_cases.py: photographs decoded, resized, and made a network's input."""
    with np.load(PARITY / "saved.npz") as recording:
        row = json.loads(recording["about"].tobytes())["pipelines"]["served"]
        data = recording["data"].tobytes()

    def array(place: dict[str, Any]) -> np.ndarray:
        count = int(np.prod(place["shape"]))
        return np.frombuffer(data, place["dtype"], count, place["offset"]).reshape(place["shape"])

    return DaliRecording(
        saved=array(row["saved"]).tobytes(),
        files=[(PARITY / "decode" / name).read_bytes() for name in ("exif6_420.jpg", "exif1_grey.jpg", "exif6_420.jpg")],
        outputs=[[array(place) for place in output["samples"]] for output in row["outputs"]],
        layouts=[output["layout"] for output in row["outputs"]],
    )
