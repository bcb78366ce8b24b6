"""Pictures of shapes with boxes, made once and kept in build/benchmarks."""

import pathlib
import shutil
import sys
from collections.abc import Callable

import environments

sys.path.append(str(environments.ROOT / "examples"))

from make_shapes import make_shapes  # noqa: E402

LARGE_COUNT = 256
LARGE_SIDES = (448, 640)  # pixels, least and most: as COCO's
JPEG = (("jpg", {"quality": 92}),)


def _once(name: str, make: Callable[[pathlib.Path], None]) -> pathlib.Path:
    folder = environments.ROOT / "build" / "benchmarks" / name
    if not folder.exists():
        half = folder.with_suffix(".half")
        shutil.rmtree(half, ignore_errors=True)
        make(half)
        half.rename(folder)
    return folder


def large() -> pathlib.Path:
    """JPEG files, with annotations.json."""
    return _once(f"detection-{LARGE_COUNT}", lambda folder: make_shapes(folder, LARGE_COUNT, sides=LARGE_SIDES, formats=JPEG))


def small(photos: int) -> pathlib.Path:
    """Those of examples/detect_shapes.py: `train`, and a fifth as many in `test`."""

    def make(folder: pathlib.Path) -> None:
        make_shapes(folder / "train", photos)
        make_shapes(folder / "test", photos // 5, first=photos)

    return _once(f"shapes-{photos}", make)
