"""The licences of what a wheel carries are those of the packages that the libraries come from."""

import pathlib
import shutil
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import wheel_licenses  # noqa: E402

needs_dpkg = pytest.mark.skipif(shutil.which("dpkg") is None, reason="needs dpkg")


@needs_dpkg
@pytest.mark.parametrize("library, package", [("libjpeg.so.62", "libjpeg62-turbo"), ("libtiff.so.6", "libtiff6"),
                                              ("libstdc++.so.6", "libstdc++6"), ("libcurl.so.4", "libcurl4")])
def test_the_package_of_a_library(library: str, package: str) -> None:
    assert wheel_licenses.package_of(library, wheel_licenses.folders_of_libraries()) == package


@needs_dpkg
def test_a_library_of_no_package_is_named() -> None:
    with pytest.raises(SystemExit, match="libno-such.so.1"):
        wheel_licenses.package_of("libno-such.so.1", wheel_licenses.folders_of_libraries())


@needs_dpkg
def test_a_wheel_with_its_licences_says_so_in_its_record(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "forebay-1-py3-none-any.whl"
    with zipfile.ZipFile(source, "w") as wheel:
        wheel.writestr("forebay.libs/libjpeg-0badcafe.so.62.3.0", b"")
        wheel.writestr("forebay-1.dist-info/RECORD", "forebay-1.dist-info/RECORD,,\n")
    with zipfile.ZipFile(source) as wheel:
        assert wheel_licenses.grafted_libraries(wheel) == ["libjpeg.so.62.3.0"]
        texts = wheel_licenses.licences(["libjpeg.so.62.3.0"])
        wheel_licenses.write_with(wheel, tmp_path / "whole.whl", texts)
    with zipfile.ZipFile(tmp_path / "whole.whl") as wheel:
        name = "forebay-1.dist-info/licenses/libraries/libjpeg62-turbo"
        assert b"JPEG" in wheel.read(name)
        assert f"{name},sha256=" in wheel.read("forebay-1.dist-info/RECORD").decode()
