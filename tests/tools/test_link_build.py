"""What tools/link_build.py leaves beside the package of a build folder."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

import forebay

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(forebay.__file__).parent.parent


@pytest.fixture
def described(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder with the metadata, and that of an older version before."""
    spec = importlib.util.spec_from_file_location("link_build", ROOT / "tools" / "link_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "forebay-0.0.1.dist-info").mkdir()
    (tmp_path / "forebay-0.0.1.dist-info" / "METADATA").write_text("Name: forebay\nVersion: 0.0.1\n")
    module.write_metadata(tmp_path)
    module.write_metadata(tmp_path)
    return tmp_path


def printed(described: pathlib.Path, code: str) -> str:
    environment = {**os.environ, "PYTHONPATH": f"{described}{os.pathsep}{PACKAGE}"}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def test_the_package_has_its_version(described: pathlib.Path) -> None:
    assert [path.name for path in described.iterdir()] == [f"forebay-{(ROOT / 'VERSION').read_text().strip()}.dist-info"]
    code = "import importlib.metadata; print(importlib.metadata.version('forebay'))"
    assert printed(described, code) == (ROOT / "VERSION").read_text().strip()


def test_fsspec_knows_the_scheme(described: pathlib.Path) -> None:
    pytest.importorskip("fsspec")
    assert printed(described, "import fsspec; print(type(fsspec.filesystem('forebay')).__name__)") == "ForebayFileSystem"
