"""palette="index": masks keep the numbers of their classes, whole, in windows and through a pipeline."""

from __future__ import annotations

import io
import pathlib
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image, features

from forebay import Pipeline, SampleError, fn, pipeline_def, types

HEIGHT, WIDTH = 24, 37


def mask(classes: int) -> np.ndarray:
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    result: np.ndarray = ((rows * 3 + columns) % classes).astype(np.uint8)
    return result


def save_mask(path: pathlib.Path, indices: np.ndarray, orientation: int = 1) -> None:
    picture = Image.fromarray(indices)
    picture.putpalette([value for i in range(256) for value in (i * 53 % 256, i * 31 % 256, i * 11 % 256)])
    exif = Image.Exif()
    exif[0x0112] = orientation
    if orientation == 1:
        picture.save(path)
    else:
        picture.save(path, exif=exif)


def save_jpeg2000(path: pathlib.Path, indices: np.ndarray) -> None:
    """Writes a JP2 with a palette, which Pillow only reads: boxes are put at the end of its header box."""
    written = io.BytesIO()
    Image.fromarray(indices).save(written, "JPEG2000", irreversible=False)
    file = written.getvalue()
    colours = b"".join(bytes((i * 53 % 256, i * 31 % 256, i * 11 % 256)) for i in range(256))
    palette = b"pclr" + struct.pack(">HB3B", 256, 3, 7, 7, 7) + colours
    mapping = b"cmap" + b"".join(struct.pack(">HBB", 0, 1, column) for column in range(3))
    boxes = b"".join(struct.pack(">I", 4 + len(box)) + box for box in (palette, mapping))
    at = file.index(b"jp2h") - 4
    (size,) = struct.unpack_from(">I", file, at)
    kind = file.index(b"colr") + 4 + 3
    file = file[:kind] + struct.pack(">I", 16) + file[kind + 4 :]
    path.write_bytes(
        file[:at] + struct.pack(">I", size + len(boxes)) + file[at + 4 : at + size] + boxes + file[at + size :]
    )


def reading(files: list[pathlib.Path], decode: Any, on_error: str = "raise") -> Pipeline:
    @pipeline_def(batch_size=len(files), num_threads=2, on_error=on_error)
    def make() -> Any:
        return decode(fn.readers.file(files=[str(file) for file in files])[0])

    pipe = make()
    pipe.build()
    return pipe


def decoded(files: list[pathlib.Path], decode: Any, on_error: str = "raise") -> list[np.ndarray]:
    (batch,) = reading(files, decode, on_error).run()
    return [np.asarray(sample) for sample in batch]


def by_index(encoded: Any) -> Any:
    return fn.decoders.image(encoded, palette="index")


@pytest.mark.parametrize("name", ["mask.png", "mask.bmp", "mask.tif"])
@pytest.mark.parametrize("classes", [2, 21, 256])
def test_indices_are_those_of_the_file(tmp_path: pathlib.Path, name: str, classes: int) -> None:
    save_mask(tmp_path / name, mask(classes))
    (indices,) = decoded([tmp_path / name], by_index)
    assert indices.dtype == np.uint8
    np.testing.assert_array_equal(indices, mask(classes)[:, :, None])


@pytest.mark.skipif(not features.check("jpg_2000"), reason="Pillow without JPEG 2000")
@pytest.mark.parametrize("classes", [2, 21, 256])
def test_jpeg_2000_gives_indices_and_colours(tmp_path: pathlib.Path, classes: int) -> None:
    path = tmp_path / "mask.jp2"
    save_jpeg2000(path, mask(classes))
    (indices,) = decoded([path], by_index)
    np.testing.assert_array_equal(indices, mask(classes)[:, :, None])
    (window,) = decoded(
        [path], lambda e: fn.decoders.image_slice(e, palette="index", start=(3, 5), shape=(7, 9), axes=(0, 1))
    )
    np.testing.assert_array_equal(window, mask(classes)[3:10, 5:14, None])
    (colours,) = decoded([path], fn.decoders.image)
    np.testing.assert_array_equal(colours, np.asarray(Image.open(path).convert("RGB")))
    np.testing.assert_array_equal(colours[:, :, 0], mask(classes).astype(int) * 53 % 256)


def test_colours_are_the_default(tmp_path: pathlib.Path) -> None:
    save_mask(tmp_path / "mask.png", mask(21))
    colours = np.asarray(Image.open(tmp_path / "mask.png").convert("RGB"))
    for decode in (fn.decoders.image, lambda encoded: fn.decoders.image(encoded, palette="color")):
        np.testing.assert_array_equal(decoded([tmp_path / "mask.png"], decode)[0], colours)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation_turns_indices(tmp_path: pathlib.Path, orientation: int) -> None:
    save_mask(tmp_path / "mask.png", mask(5), orientation)
    turns: dict[int, Callable[[Any], Any]] = {
        1: lambda a: a,
        2: np.fliplr,
        3: lambda a: np.rot90(a, 2),
        4: np.flipud,
        5: np.transpose,
        6: lambda a: np.rot90(a, -1),
        7: lambda a: np.rot90(a, 2).T,
        8: np.rot90,
    }
    (indices,) = decoded([tmp_path / "mask.png"], by_index)
    np.testing.assert_array_equal(indices[:, :, 0], turns[orientation](mask(5)))


def test_windows_are_parts_of_the_whole(tmp_path: pathlib.Path) -> None:
    save_mask(tmp_path / "mask.png", mask(21))
    files = [tmp_path / "mask.png"]
    whole = mask(21)[:, :, None]
    (crop,) = decoded(
        files, lambda e: fn.decoders.image_crop(e, palette="index", crop=(10, 12), crop_pos_x=0, crop_pos_y=0)
    )
    np.testing.assert_array_equal(crop, whole[:10, :12])
    (part,) = decoded(
        files, lambda e: fn.decoders.image_slice(e, palette="index", start=(3, 5), shape=(7, 9), axes=(0, 1))
    )
    np.testing.assert_array_equal(part, whole[3:10, 5:14])
    (drawn,) = decoded(files, lambda e: fn.decoders.image_random_crop(e, palette="index", seed=4))
    windows = np.lib.stride_tricks.sliding_window_view(whole[:, :, 0], drawn.shape[:2])
    assert np.any(np.all(windows == drawn[:, :, 0], axis=(2, 3)))


def test_nearest_neighbours_are_indices(tmp_path: pathlib.Path) -> None:
    save_mask(tmp_path / "mask.png", mask(3))

    def decode(encoded: Any) -> Any:
        return fn.resize(by_index(encoded), size=(12, 50), interp_type=types.INTERP_NN, antialias=False)

    (small,) = decoded([tmp_path / "mask.png"], decode)
    assert small.shape == (12, 50, 1) and set(np.unique(small)) == {0, 1, 2}


def test_a_picture_without_palette_is_a_named_error(tmp_path: pathlib.Path) -> None:
    Image.fromarray(mask(200)).save(tmp_path / "grey.png")
    Image.fromarray(mask(200)).save(tmp_path / "grey.jpg")
    for name, cause in {"grey.png": "has no palette", "grey.jpg": "JPEG does not give"}.items():
        with pytest.raises(SampleError, match=f"{name}.*{cause}|{cause}.*{name}"):
            decoded([tmp_path / name], by_index)
    save_mask(tmp_path / "mask.png", mask(21))
    kept = decoded([tmp_path / name for name in ("grey.png", "mask.png", "grey.jpg")], by_index, "skip")
    assert len(kept) == 1
    np.testing.assert_array_equal(kept[0], mask(21)[:, :, None])


def test_the_shape_is_that_of_the_indices(tmp_path: pathlib.Path) -> None:
    save_mask(tmp_path / "mask.png", mask(21), 6)
    files = [tmp_path / "mask.png"]

    def shapes(encoded: Any) -> Any:
        return fn.peek_image_shape(encoded), fn.peek_image_shape(encoded, palette="index")

    colours, indices = (np.asarray(batch.at(0)).tolist() for batch in reading(files, shapes).run())
    height, width = mask(21).T.shape
    assert (colours, indices) == ([height, width, 3], [height, width, 1])
    assert indices == list(decoded(files, by_index)[0].shape)
    Image.fromarray(mask(200)).save(tmp_path / "grey.png")
    with pytest.raises(SampleError, match="has no palette"):
        decoded([tmp_path / "grey.png"], lambda encoded: fn.peek_image_shape(encoded, palette="index"))


def test_other_types_and_words_are_refused(tmp_path: pathlib.Path) -> None:
    files = [tmp_path / "mask.png"]
    with pytest.raises(ValueError, match="palette='index' gives UINT8"):
        reading(files, lambda encoded: fn.decoders.image(encoded, palette="index", dtype=types.FLOAT))
    with pytest.raises(ValueError, match="palette"):
        reading(files, lambda encoded: fn.decoders.image(encoded, palette="indices"))
