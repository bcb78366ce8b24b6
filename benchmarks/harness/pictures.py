"""Pictures for the decode and resize benchmarks: made from those of --data, kept in build/benchmarks."""

import hashlib
import pathlib
from collections.abc import Callable

import contender
from PIL import Image

import environments

COUNT = 16  # source pictures of a row
LARGE = (1920, 1080)
FOLDER = environments.ROOT / "build" / "benchmarks"

Write = Callable[[Image.Image, pathlib.Path], None]


def sources(data: str) -> list[str]:
    """COUNT colour pictures spread over the folder."""
    files = contender.list_files(data)
    chosen = []
    for path in files[:: max(1, len(files) // (2 * COUNT))]:
        with Image.open(path) as image:
            if image.mode == "RGB" and len(chosen) < COUNT:
                chosen.append(path)
    return chosen


def as_jpeg(**options: object) -> Write:
    return lambda image, path: image.save(path.with_suffix(".jpg"), quality=90, **options)


def as_file(suffix: str, **options: object) -> Write:
    return lambda image, path: image.save(path.with_suffix(suffix), **options)


def as_png(mode: str) -> Write:
    return lambda image, path: image.convert(mode).save(path.with_suffix(".png"))


def large(image: Image.Image, path: pathlib.Path) -> None:
    image.resize(LARGE, Image.Resampling.BICUBIC).save(path.with_suffix(".jpg"), quality=85)


KINDS: dict[str, Write] = {
    "jpeg 4:4:4": as_jpeg(subsampling=0),
    "jpeg 4:2:0": as_jpeg(subsampling=2),
    "jpeg grey": lambda image, path: as_jpeg()(image.convert("L"), path),
    "jpeg progressive": as_jpeg(progressive=True),
    "jpeg 4:2:0 1920x1080": large,
    "png rgb": as_png("RGB"),
    "png rgba": as_png("RGBA"),
    "png palette": as_png("P"),
    "png grey": as_png("L"),
    "tiff": as_file(".tif"),
    "tiff lzw": as_file(".tif", compression="tiff_lzw"),
    "tiff deflate": as_file(".tif", compression="tiff_adobe_deflate"),
    "tiff jpeg": as_file(".tif", compression="jpeg", quality=90),
    "bmp": as_file(".bmp"),
    "ppm": as_file(".ppm"),
    "webp": as_file(".webp", quality=90),
    "webp lossless": as_file(".webp", lossless=True),
    "jpeg 2000": as_file(".jp2", irreversible=True, quality_layers=[10]),
    "jpeg 2000 lossless": as_file(".jp2"),
}


def by_kind(data: str) -> dict[str, pathlib.Path]:
    """{kind: folder of pictures of that kind}, made when they are not there yet."""
    files = sources(data)
    key = hashlib.sha256("\n".join(files).encode()).hexdigest()[:12]
    folders = {}
    for kind, write in KINDS.items():
        folder = FOLDER / key / kind.replace(" ", "_").replace(":", "")
        folders[kind] = folder
        if len(list(folder.glob("*"))) == len(files):
            continue
        folder.mkdir(parents=True, exist_ok=True)
        for number, file in enumerate(files):
            with Image.open(file) as image:
                write(image, folder / f"{number:02}")
    return folders


def pixels(data: str, width: int, height: int) -> pathlib.Path:
    """A file of height x width x 3 bytes: one of the pictures, at that size."""
    path = FOLDER / f"{hashlib.sha256(data.encode()).hexdigest()[:12]}_{width}x{height}.rgb"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with Image.open(sources(data)[0]) as image:
            path.write_bytes(image.resize((width, height), Image.Resampling.BICUBIC).tobytes())
    return path
