"""Writes compressed FITS images and what astropy reads of them: run with a Python that has astropy.

    python record_fits.py [fits.zip]
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile
import zipfile
from typing import Any

import astropy
import numpy as np
from astropy.io import fits

METHODS = ("RICE_1", "GZIP_1", "GZIP_2")


def images() -> dict[str, Any]:
    draw = np.random.RandomState(7)
    smooth = np.cumsum(draw.randint(-3, 4, (11, 37)), axis=1)
    return {
        "uint8": (smooth % 256).astype("u1"), "int16": (smooth * 9).astype("i2"), "int32": (smooth * 70001).astype("i4"),
        "uint16": (30000 + smooth).astype("u2"), "noise": draw.randint(-32768, 32768, (9, 21)).astype("i2"),
        "cube": np.arange(3 * 5 * 8).reshape(3, 5, 8).astype("i4"), "zeros": np.zeros((4, 40), "i2"),
    }


def floats() -> Any:
    draw = np.random.RandomState(8)
    image = draw.normal(100, 3, (12, 50)).astype("f4")
    image[3, 5:9] = np.nan
    image[4, 10:20] = 0
    return image


def write(path: pathlib.Path, data: Any, **options: Any) -> None:
    fits.HDUList([fits.PrimaryHDU(), fits.CompImageHDU(data, **options)]).writeto(path)


def write_all(folder: pathlib.Path) -> None:
    for method in METHODS:
        for name, data in images().items():
            write(folder / f"{method} {name}.fits", data, compression_type=method)
        write(folder / f"{method} tiles.fits", images()["int16"], compression_type=method, tile_shape=(4, 10))
        for dither, number in (("none", -1), ("first", 1), ("second", 2)):
            write(folder / f"{method} {dither}.fits", floats(), compression_type=method, quantize_level=8,
                  quantize_method=number, dither_seed=9987)
        write(folder / f"{method} double.fits", floats().astype("f8"), compression_type=method, quantize_level=4)
    for method in ("GZIP_1", "GZIP_2"):
        write(folder / f"{method} exact.fits", floats(), compression_type=method, quantize_level=0)
    write(folder / "HCOMPRESS_1.fits", images()["int16"], compression_type="HCOMPRESS_1")


def read(path: pathlib.Path) -> list[Any]:
    with fits.open(path) as units:
        data = np.ascontiguousarray(units[1].data)
    data = data.astype(data.dtype.newbyteorder("="))
    return [list(data.shape), data.dtype.name, data.tobytes().hex()]


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "fits.zip")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_all(folder)
        results = {path.name: read(path) for path in sorted(folder.iterdir())}
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.iterdir()):
                archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_DEFLATED)
            text = json.dumps({"astropy": astropy.__version__, "results": results}, separators=(",", ":"))
            archive.writestr(zipfile.ZipInfo("expected.json"), text, zipfile.ZIP_DEFLATED)
