"""The Dockerfile and the conda recipe: read by the programs that people use for them, and whole."""

import pathlib
import re

import pytest
from commands import ROOT, run

PACKAGING = ROOT / "packaging"
PARSE = """
import sys
from rattler_build import Stage0Recipe
Stage0Recipe.from_yaml(open(sys.argv[1]).read())
"""

# Debian's libraries by the names of conda-forge; tests and compilers are none of them.
CONDA = {"libabsl-dev": "libabseil", "libfmt-dev": "fmt", "libspdlog-dev": "spdlog", "libcli11-dev": "cli11",
         "libhwy-dev": "libhwy", "libjpeg62-turbo-dev": "libjpeg-turbo", "libspng-dev": "libspng",
         "libdeflate-dev": "libdeflate", "libwebp-dev": "libwebp-base", "libjxl-dev": "libjxl",
         "libavif-dev": "libavif", "libopenjp2-7-dev": "openjpeg", "libtiff-dev": "libtiff",
         "libsndfile1-dev": "libsndfile", "libogg-dev": "libogg", "libvorbis-dev": "libvorbis", "liblz4-dev": "lz4-c",
         "libzstd-dev": "zstd", "libsnappy-dev": "snappy", "libbrotli-dev": "brotli", "libbz2-dev": "bzip2",
         "libxxhash-dev": "xxhash", "libopenblas-pthread-dev": "openblas", "liburing-dev": "liburing",
         "libcurl4-openssl-dev": "libcurl", "libssl-dev": "openssl", "libpugixml-dev": "pugixml",
         "libboost-dev": "libboost-headers", "libprotobuf-dev": "libprotobuf", "libgrpc++-dev": "libgrpc"}
OF_TESTS = {"libgtest-dev", "libgmock-dev", "libpng-dev"}


@pytest.fixture(scope="module")
def programs() -> pathlib.Path:
    link = ROOT / "build" / "packaging-tools"
    run(ROOT / "tools" / "environment.sh", link, "tools/requirements/packaging.txt")
    return link / "bin"


@pytest.mark.nightly
def test_the_image(programs: pathlib.Path) -> None:
    run(programs / "hadolint", PACKAGING / "Dockerfile")


@pytest.mark.nightly
def test_the_recipe_parses(programs: pathlib.Path) -> None:
    run(programs / "python", "-c", PARSE, PACKAGING / "recipe.yaml")


def test_the_recipe_names_this_version_and_every_library() -> None:
    recipe = (PACKAGING / "recipe.yaml").read_text()
    assert f"version: {(ROOT / 'VERSION').read_text().strip()}\n" in recipe
    host = set(re.findall(r"^    - ([\w.-]+)", recipe.partition("host:")[2].partition("run:")[0], re.MULTILINE))
    lines = (ROOT / "tools" / "packages.txt").read_text().splitlines()
    libraries = {line.split()[1] for line in lines if line.startswith("build   lib")} - OF_TESTS
    assert libraries == set(CONDA)
    assert set(CONDA.values()) <= host


def test_what_the_image_runs_is_there() -> None:
    text = (PACKAGING / "Dockerfile").read_text()
    for script in re.findall(r"tools/\w+\.sh", text):
        assert (ROOT / script).exists(), script
