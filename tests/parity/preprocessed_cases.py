"""Preprocessed annotations of readers.coco: saved and read, for `record_preprocessed.py` and `test_preprocessed.py`."""

from __future__ import annotations

import base64
import json
import pathlib
from typing import Any

import coco_cases
from reader_cases import six_batches

# What annotations are saved with; of that, what they are read with.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "boxes": ({}, {}),
    "ltrb, ratio, polygons": ({"ltrb": True, "ratio": True}, {"polygon_masks": True, "image_ids": True}),
    "masks": ({}, {"pixelwise_masks": True, "image_ids": True}),
    "masks, skip_empty": ({"skip_empty": True, "avoid_class_remapping": True}, {"pixelwise_masks": True}),
    "no masks of runs": ({"include_iscrowd": False, "skip_empty": True}, {"pixelwise_masks": True}),
    "no objects": ({"size_threshold": 100.0}, {"polygon_masks": True}),
    "images": ({"images": ["crowd.jpg", "a.png", "crowd.jpg"]}, {"polygon_masks": True, "image_ids": True}),
}


def make_data(root: pathlib.Path) -> None:
    """Without white space in names, which DALI writes but cannot read."""
    annotations = coco_cases.annotations()
    for image in annotations["images"]:
        image["file_name"] = image["file_name"].replace(" ", "_")
        path = root / image["file_name"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"content of {image['file_name']}".encode())
    (root / "annotations.json").write_text(json.dumps(annotations))


def _pipeline(lib: Any, **arguments: Any) -> Any:
    pipe = lib.Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(*lib.fn.readers.coco(name="reader", **arguments))
    return pipe


def save(lib: Any, name: str, root: pathlib.Path, folder: pathlib.Path) -> dict[str, str]:
    """The files, in base64."""
    saved_with, read_with = CASES[name]
    folder.mkdir(parents=True, exist_ok=True)
    six_batches(_pipeline(lib, file_root=str(root), annotations_file=str(root / "annotations.json"),
                          save_preprocessed_annotations=True, save_preprocessed_annotations_dir=str(folder), **saved_with,
                          **read_with))
    return {path.name: base64.b64encode(path.read_bytes()).decode() for path in sorted(folder.iterdir())}


def read(lib: Any, name: str, root: pathlib.Path, folder: pathlib.Path) -> list[list[list]]:
    return six_batches(_pipeline(lib, file_root=str(root), preprocessed_annotations=str(folder), **CASES[name][1]))
