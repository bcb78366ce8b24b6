"""A small data set of COCO's kind for `reader_cases.py`, and what is read of it."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Callable

IMAGES = [(70, "b/two words.jpg", 20, 10), (3, "a.png", 8, 9), (12, "c'\"é.jpg", 30, 31), (9, "b/empty.jpg", 5, 6),
          (55, "crowd.jpg", 12, 16)]

Nodes = Callable[[Any, pathlib.Path], list[Any]]


def _object(image: int, category: int, box: list[float], **more: Any) -> dict[str, Any]:
    return {"image_id": image, "category_id": category, "bbox": box, "iscrowd": 0, **more}


def annotations() -> dict[str, Any]:
    objects = [
        _object(70, 4, [1, 2, 3.5, 4], segmentation=[[1, 2, 4.5, 2, 4.5, 6, 1, 6], [10, 1, 15, 1, 12.25, 7]]),
        _object(3, 18, [2, 2, 3, 4.125], segmentation=[[1, 2, 4.5, 2, 4.5, 6]]),
        _object(70, 90, [12, 2, 6, 7], segmentation=[[16, 2, 19.5, 3, 17, 8.5]]),
        _object(12, 18, [0, 0, 0.05, 4], segmentation=[[1, 2, 4.5, 2, 4.5, 6]]),
        _object(12, 90, [7, 8, 22.5, 0.5], segmentation=[[7, 8, 29.5, 8, 29.5, 8.5, 7, 8.5]]),
        _object(55, 4, [2, 3, 4, 5], iscrowd=1, segmentation={"size": [16, 12], "counts": [35, 5, 11, 5, 11, 5, 120]}),
        _object(4711, 4, [2, 3, 4, 5], segmentation=[]),
    ]
    images = [{"id": id_, "file_name": name, "width": width, "height": height} for id_, name, width, height in IMAGES]
    categories = [{"id": 18, "name": "dog"}, {"id": 4, "name": "motorcycle"}, {"id": 90, "name": "toothbrush"}]
    return {"info": {"year": [2017, {"a": None}]}, "images": images, "licenses": [[]], "annotations": objects,
            "categories": categories}


def make_data(root: pathlib.Path) -> None:
    for _, name, _, _ in IMAGES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(f"content of {name}".encode())
    (root / "annotations.json").write_text(json.dumps(annotations()))


def _coco(**args: Any) -> Nodes:
    def nodes(lib: Any, root: pathlib.Path) -> list[Any]:
        folder = root / "coco"
        return lib.fn.readers.coco(name="reader", file_root=str(folder), annotations_file=str(folder / "annotations.json"),
                                   **args)

    return nodes


CASES = {
    "coco": _coco(),
    "coco ltrb": _coco(ltrb=True),
    "coco ratio": _coco(ratio=True, ltrb=True, polygon_masks=True),
    "coco polygons": _coco(polygon_masks=True, image_ids=True),
    "coco masks": _coco(pixelwise_masks=True, image_ids=True),
    "coco masks, ids of classes": _coco(pixelwise_masks=True, avoid_class_remapping=True),
    "coco skip_empty": _coco(skip_empty=True, image_ids=True),
    "coco without crowds": _coco(include_iscrowd=False, skip_empty=True),
    "coco size_threshold": _coco(size_threshold=4.1, image_ids=True),
    "coco images": _coco(images=["crowd.jpg", "a.png", "crowd.jpg", "nowhere.jpg"]),
    "coco shard": _coco(num_shards=2, shard_id=1),
    "coco shard, padded": _coco(num_shards=2, shard_id=1, stick_to_shard=True, pad_last_batch=True),
}
