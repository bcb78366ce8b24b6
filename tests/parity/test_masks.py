"""The masks of readers.coco against those of pycocotools, pixel by pixel: of polygons, and of runs in both forms.

With FOREBAY_COCO_PYTHON set to a Python that has pycocotools, that makes them; else `masks.json`, which
`record_masks.py` made, is compared with.
"""

from __future__ import annotations

import base64
import json
import os
import pathlib
import subprocess
from typing import Any

import numpy as np
import pytest
from mask_cases import cases

import forebay
from forebay import fn

HERE = pathlib.Path(__file__).parent
LABEL = 7


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    path = HERE / "masks.json"
    python = os.environ.get("FOREBAY_COCO_PYTHON")
    if python:
        path = tmp_path_factory.mktemp("coco") / "masks.json"
        subprocess.run([python, str(HERE / "record_masks.py"), str(path)], check=True)
    return json.loads(path.read_text())["results"]


def _pixels(case: dict[str, Any]) -> np.ndarray:
    height, width = case["size"]
    bits = np.unpackbits(np.frombuffer(base64.b64decode(case["pixels"]), np.uint8))
    return bits[: height * width].reshape(height, width)


def _runs(pixels: np.ndarray) -> list[int]:
    """Lengths of runs of 0 and 1 by turns, down the columns."""
    column = pixels.ravel(order="F")
    changes = np.flatnonzero(np.diff(column, prepend=0))
    return [int(length) for length in np.diff([0, *changes, len(column)])]


@pytest.mark.parametrize("form", ["polygons", "packed runs", "runs"])
def test_masks_are_those_of_pycocotools(form: str, recorded: list[dict[str, Any]], tmp_path: pathlib.Path) -> None:
    images, objects = [], []
    for number, (case, (height, width, polygons)) in enumerate(zip(recorded, cases(), strict=True)):
        (tmp_path / f"{number}.jpg").write_bytes(b"x")
        images.append({"id": number, "file_name": f"{number}.jpg", "width": width, "height": height})
        counts = case["counts"] if form == "packed runs" else _runs(_pixels(case))
        mask = polygons if form == "polygons" else {"size": [height, width], "counts": counts}
        objects.append({"image_id": number, "category_id": LABEL, "bbox": [0, 0, 1, 1], "segmentation": mask})
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps({"images": images, "annotations": objects, "categories": [{"id": LABEL}]}))

    pipe = forebay.Pipeline(batch_size=len(recorded), num_threads=2, device_id=None)
    with pipe:
        outputs = fn.readers.coco(file_root=str(tmp_path), annotations_file=str(path), pixelwise_masks=True,
                                  avoid_class_remapping=True)
        pipe.set_outputs(*outputs)
    pipe.build()
    masks = pipe.run()[3]
    for number, case in enumerate(recorded):
        np.testing.assert_array_equal(np.array(masks.at(number))[..., 0], _pixels(case) * LABEL, err_msg=str(number))
