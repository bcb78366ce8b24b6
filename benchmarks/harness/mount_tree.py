"""The files of `mount/`: on the local disk, and as objects in the bucket of a server of S3 beside it."""

import concurrent.futures
import contextlib
import hashlib
import os
import pathlib
import sys
from collections.abc import Iterator

import environments

sys.path.insert(0, str(environments.ROOT / "python" / "tests" / "support"))

import s3_server  # noqa: E402

BUCKET = "mounted"
CLASSES = 10
UPLOADS = 8
PIECE_BYTES = 1 << 20

# By what is measured: how many files of what size.
LARGE = (1, 512 << 20)
SMALL = (2000, 100 << 10)
NAMES = (5000, 1)
NAME_FOLDERS = ("warm", "first")


def scaled(shape: tuple[int, int], scale: float) -> tuple[int, int]:
    """Fewer files, or a smaller one."""
    count, size = shape
    return (1, max(1, int(size * scale) >> 20) << 20) if count == 1 else (max(1, int(count * scale)), size)


def make(folder: pathlib.Path, pictures: list[str], scale: float) -> None:
    """large/0, small/N, names/{warm,first}/N and train/CLASS/N.jpg."""
    shapes = {"large": LARGE, "small": SMALL} | {f"names/{name}": NAMES for name in NAME_FOLDERS}
    for name, shape in shapes.items():
        (folder / name).mkdir(parents=True)
        count, size = scaled(shape, scale)
        for number in range(count):
            (folder / name / f"{number:05}").write_bytes(os.urandom(size))
    for number, picture in enumerate(pictures[: max(CLASSES, int(len(pictures) * scale))]):
        place = folder / "train" / str(number % CLASSES) / f"{number:05}.jpg"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(pathlib.Path(picture).read_bytes())
    (folder / "written").mkdir()


def digest(folder: pathlib.Path) -> str:
    """Of all files below a folder, read from front to back."""
    found = hashlib.blake2b()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb", buffering=0) as file:
            while piece := file.read(PIECE_BYTES):
                found.update(piece)
    return found.hexdigest()


@contextlib.contextmanager
def stored(folder: pathlib.Path, place: pathlib.Path) -> Iterator[s3_server.S3Server]:
    """A server whose bucket has the files; `place/BUCKET` is where it keeps them, as files."""
    place.mkdir()
    server = s3_server.S3Server(place)
    try:
        server.put(BUCKET)
        files = [path for path in folder.rglob("*") if path.is_file()]
        with concurrent.futures.ThreadPoolExecutor(UPLOADS) as pool:
            list(pool.map(lambda path: server.put(f"{BUCKET}/{path.relative_to(folder)}", path.read_bytes()), files))
        yield server
    finally:
        server.stop()
