"""page: the pages of a TIFF, by a constant and by a number for each sample, whole, in windows and fused with a resize."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest
from PIL import Image

from forebay import Pipeline, SampleError, fn, pipeline_def, types

PAGES = 3


def picture(page: int) -> np.ndarray:
    rows, columns, channels = np.mgrid[: 20 + page, : 30 + 2 * page, :3]
    result: np.ndarray = (rows * 5 + columns * 3 + channels * 40 + page * 50).astype(np.uint8)
    return result


def save_pages(path: pathlib.Path, pages: list[Image.Image], **options: Any) -> None:
    pages[0].save(path, save_all=True, append_images=pages[1:], **options)


@pytest.fixture
def slides(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "slides.tiff"
    save_pages(path, [Image.fromarray(picture(page)) for page in range(PAGES)], compression="tiff_lzw")
    return path


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


@pytest.mark.parametrize("page", range(PAGES))
def test_a_page_is_the_picture_it_is(slides: pathlib.Path, page: int) -> None:
    (image,) = decoded([slides], lambda encoded: fn.decoders.image(encoded, page=page))
    np.testing.assert_array_equal(image, picture(page))
    (shape,) = decoded([slides], lambda encoded: fn.peek_image_shape(encoded, page=page))
    assert tuple(shape) == picture(page).shape


def test_the_first_page_is_the_default(slides: pathlib.Path) -> None:
    np.testing.assert_array_equal(decoded([slides], fn.decoders.image)[0], picture(0))


def test_windows_are_of_the_page(slides: pathlib.Path) -> None:
    whole = picture(2)
    (crop,) = decoded(
        [slides], lambda e: fn.decoders.image_crop(e, page=2, crop=(10, 12), crop_pos_x=0, crop_pos_y=0)
    )
    np.testing.assert_array_equal(crop, whole[:10, :12])
    (part,) = decoded(
        [slides], lambda e: fn.decoders.image_slice(e, page=2, start=(3, 5), shape=(17, 9), axes=(0, 1))
    )
    np.testing.assert_array_equal(part, whole[3:20, 5:14])
    (drawn,) = decoded([slides], lambda e: fn.decoders.image_random_crop(e, page=2, seed=4))
    windows = np.lib.stride_tricks.sliding_window_view(whole, drawn.shape)
    assert np.any(np.all(windows == drawn, axis=(3, 4, 5)))


def test_each_sample_may_have_its_page(slides: pathlib.Path) -> None:
    numbers = [2, 0, 1]

    @pipeline_def(batch_size=PAGES, num_threads=2)
    def make() -> Any:
        encoded = fn.readers.file(files=[str(slides)] * PAGES)[0]
        page = fn.external_source(lambda: [np.array(number, np.int32) for number in numbers])
        image = fn.decoders.image(encoded, page=page)
        small = fn.resize(fn.decoders.image(encoded, page=page), size=(8, 8))
        same = fn.resize(image, size=(8, 8))
        return image, small, same, fn.peek_image_shape(encoded, page=page)

    pipe = make()
    pipe.build()
    for _ in range(2):
        images, small, same, shapes = pipe.run()
        for number, image, shape in zip(numbers, images, shapes, strict=True):
            np.testing.assert_array_equal(np.asarray(image), picture(number))
            assert tuple(np.asarray(shape)) == picture(number).shape
        for one, other in zip(small, same, strict=True):
            np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


def test_palettes_are_of_the_page(tmp_path: pathlib.Path) -> None:
    mask = (picture(1)[:, :, 0] % 7).astype(np.uint8)
    palette = Image.fromarray(mask)
    palette.putpalette([value for i in range(256) for value in (i * 53 % 256, i * 31 % 256, i * 11 % 256)])
    path = tmp_path / "mixed.tiff"
    save_pages(path, [Image.fromarray(picture(0)), palette])
    (indices,) = decoded([path], lambda e: fn.decoders.image(e, page=1, palette="index"))
    np.testing.assert_array_equal(indices, mask[:, :, None])
    (colours,) = decoded([path], lambda e: fn.decoders.image(e, page=1))
    np.testing.assert_allclose(colours.astype(int), np.asarray(palette.convert("RGB")), atol=1)  # of 16 bits there
    with pytest.raises(SampleError, match="has no palette"):
        decoded([path], lambda e: fn.decoders.image(e, palette="index"))


def test_a_page_that_is_not_there_is_an_error_of_the_sample(slides: pathlib.Path) -> None:
    with pytest.raises(SampleError, match=r"slides\.tiff.*has 3 pages|has 3 pages.*slides\.tiff"):
        decoded([slides], lambda e: fn.decoders.image(e, page=3))
    short = slides.with_name("short.tiff")
    Image.fromarray(picture(0)).save(short)
    (kept,) = decoded([short, slides], lambda e: fn.decoders.image(e, page=1), "skip")
    np.testing.assert_array_equal(kept, picture(1))


def test_other_formats_have_no_pages(tmp_path: pathlib.Path) -> None:
    for name, kind in {"a.png": "PNG", "a.jpg": "JPEG", "a.webp": "WebP", "a.bmp": "BMP"}.items():
        path = tmp_path / name
        Image.fromarray(picture(0)).save(path)
        assert decoded([path], lambda e: fn.decoders.image(e, page=0))[0].shape == picture(0).shape
        with pytest.raises(SampleError, match=f"{kind} has no pages, only TIFF has"):
            decoded([path], lambda e: fn.decoders.image(e, page=1))


def test_negative_pages_are_refused_at_once(slides: pathlib.Path) -> None:
    for operator in (fn.decoders.image, fn.peek_image_shape):
        with pytest.raises(ValueError, match="page is -1"):
            reading([slides], lambda e, operator=operator: operator(e, page=-1))


def test_a_page_goes_on_to_other_types(slides: pathlib.Path) -> None:
    (image,) = decoded([slides], lambda e: fn.decoders.image(e, page=1, dtype=types.FLOAT))
    np.testing.assert_allclose(image, picture(1).astype(np.float32) / 255, atol=1e-6)
