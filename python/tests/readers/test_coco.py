"""readers.coco in pipelines: resumed in the middle, broken samples left out, errors that say where."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np
import pytest

import forebay
from forebay import fn, pipeline_def

NAMES = ["a.jpg", "b/with space.jpg", "c\n'\"é.jpg", "d.jpg", "e.jpg", "f.jpg", "g.jpg"]


def make(root: pathlib.Path, broken: int | None = None) -> None:
    """A picture a name, with as many objects as its number; the mask of one may be that of another size."""
    images, objects = [], []
    for number, name in enumerate(NAMES):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(name.encode())
        images.append({"id": number, "file_name": name, "width": 4, "height": 3})
        mask: Any = {"size": [9, 9] if number == broken else [3, 4], "counts": [4, 2, 6]}
        objects += [{"image_id": number, "category_id": 1, "bbox": [0, 0, 2, 2], "segmentation": mask}] * number
    document = {"images": images, "annotations": objects, "categories": [{"id": 1}]}
    (root / "annotations.json").write_text(json.dumps(document))


def objects(root: pathlib.Path, **arguments: Any) -> forebay.Pipeline:
    @pipeline_def(batch_size=2, num_threads=2, seed=5, on_error="skip")
    def pipe() -> Any:
        return tuple(fn.readers.coco(file_root=str(root), annotations_file=str(root / "annotations.json"), name="reader",
                                     image_ids=True, **arguments))

    return pipe()


def batch_of(pipe: forebay.Pipeline) -> list[list[bytes]]:
    return [[np.asarray(output.at(place)).tobytes() for place in range(len(output))] for output in pipe.run()]


def test_goes_on_where_it_was(tmp_path: pathlib.Path) -> None:
    make(tmp_path)
    first = objects(tmp_path, random_shuffle=True, pixelwise_masks=True)
    for _ in range(3):
        first.run()
    second = objects(tmp_path, random_shuffle=True, pixelwise_masks=True)
    second.load_state_dict(first.state_dict())
    assert [batch_of(first) for _ in range(5)] == [batch_of(second) for _ in range(5)]


def test_reads_names_of_any_kind(tmp_path: pathlib.Path) -> None:
    make(tmp_path)
    pipe = objects(tmp_path, images=[NAMES[2], NAMES[1]])
    pictures, boxes, _, ids = pipe.run()
    assert [np.asarray(pictures.at(place)).tobytes().decode() for place in range(2)] == [NAMES[2], NAMES[1]]
    assert [boxes.at(place).shape for place in range(2)] == [(2, 4), (1, 4)]
    assert [int(np.asarray(ids.at(place))[0]) for place in range(2)] == [2, 1]


def test_leaves_out_the_sample_of_a_broken_mask(tmp_path: pathlib.Path) -> None:
    make(tmp_path, broken=3)
    pipe = objects(tmp_path, pixelwise_masks=True)
    seen = [int(np.frombuffer(number, np.int32)[0]) for _ in range(4) for number in batch_of(pipe)[4]]
    assert 3 not in seen and {0, 1, 2, 4, 5, 6} <= set(seen)
    assert any("9 x 9" in str(error) for error in pipe.errors())


def test_says_where_annotations_break_off(tmp_path: pathlib.Path) -> None:
    make(tmp_path)
    path = tmp_path / "annotations.json"
    path.write_text(path.read_text()[:100])
    with pytest.raises(RuntimeError, match=r"annotations.json: this is not JSON.*at byte 100"):
        objects(tmp_path).run()


def test_saves_annotations_and_reads_them(tmp_path: pathlib.Path) -> None:
    make(tmp_path)
    names = [name for name in NAMES if "\n" not in name]
    saved = str(tmp_path / "saved")
    first = objects(tmp_path, images=names, pixelwise_masks=True, ltrb=True, save_preprocessed_annotations=True,
                    save_preprocessed_annotations_dir=saved)
    expected = [batch_of(first) for _ in range(3)]
    resumed = objects(tmp_path, images=names, pixelwise_masks=True, ltrb=True)  # without saving again
    resumed.load_state_dict(first.state_dict())
    assert batch_of(resumed) == batch_of(first)
    (tmp_path / "annotations.json").unlink()

    def again(**arguments: Any) -> forebay.Pipeline:
        @pipeline_def(batch_size=2, num_threads=2, seed=5)
        def pipe() -> Any:
            return tuple(fn.readers.coco(file_root=str(tmp_path), image_ids=True, pixelwise_masks=True, **arguments))

        return pipe()

    second = again(preprocessed_annotations=saved)
    assert [batch_of(second) for _ in range(3)] == expected
    assert batch_of(again(meta_files_path=saved)) == expected[0]
    with pytest.raises(RuntimeError, match="`ltrb` cannot be given with `preprocessed_annotations`"):
        again(preprocessed_annotations=saved, ltrb=True)
    labels = pathlib.Path(saved, "labels.dat")
    labels.write_bytes(labels.read_bytes()[:-1])
    with pytest.raises(RuntimeError, match=r"saved/labels.dat: .* at byte 4"):
        again(preprocessed_annotations=saved).run()


def test_saves_annotations_under_older_names(tmp_path: pathlib.Path) -> None:
    make(tmp_path)
    objects(tmp_path, images=NAMES[:1], dump_meta_files=True, dump_meta_files_path=str(tmp_path)).run()
    assert (tmp_path / "filenames.dat").read_text() == "a.jpg\n"
    with pytest.raises(RuntimeError, match="belong together"):
        objects(tmp_path, save_preprocessed_annotations=True)
