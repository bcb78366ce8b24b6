"""Compressed images of FITS files: the same values as astropy reads, from files that astropy wrote."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import zipfile
from typing import Any

import numpy as np
import pytest

import forebay
import forebay.fn
from forebay import SampleError

HERE = pathlib.Path(__file__).parent
NAMES = sorted(set(zipfile.ZipFile(HERE / "fits.zip").namelist()) - {"expected.json"})


@pytest.fixture(scope="module", params=["recorded", "live"])
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("fits")
    archive = HERE / "fits.zip"
    if request.param == "live":
        python = os.environ.get("FOREBAY_ASTROPY_PYTHON")
        if not python:
            pytest.skip("FOREBAY_ASTROPY_PYTHON names no Python with astropy")
        archive = folder / "live.zip"
        subprocess.run([python, str(HERE / "record_fits.py"), str(archive)], check=True)
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
    return folder


def image_of(path: pathlib.Path) -> Any:
    pipe = forebay.Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(forebay.fn.experimental.readers.fits(files=[str(path)], name="reader"))
    pipe.build()
    (batch,) = pipe.run()
    return np.asarray(batch.at(0))


@pytest.mark.parametrize("name", NAMES)
def test_equals_astropy(name: str, files: pathlib.Path) -> None:
    if name.startswith("HCOMPRESS"):
        with pytest.raises(SampleError, match="HCOMPRESS_1"):
            image_of(files / name)
        return
    shape, dtype, data = json.loads((files / "expected.json").read_text())["results"][name]
    image = image_of(files / name)
    assert (list(image.shape), image.dtype.name) == (shape, dtype)
    expected = np.frombuffer(bytes.fromhex(data), dtype).reshape(shape)
    np.testing.assert_array_equal(image, expected)
