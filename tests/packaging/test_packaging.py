"""The three ways to install, each used by a project outside: cmake --install, pip install ., the wheel.

The Python builds take dev's flags, so that ccache answers for what `make build` has compiled.
"""

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUTSIDE = pathlib.Path(__file__).resolve().parent / "outside"
BUILD = ROOT / "build" / "dev"
AS_DEV = [
    "--config-settings=cmake.build-type=RelWithDebInfo",
    "--config-settings=cmake.define.CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1",
]
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
ENVIRONMENT = {**os.environ, "CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"}


def run(*command: object, cwd: pathlib.Path = ROOT, **environment: str) -> str:
    done = subprocess.run([str(word) for word in command], cwd=cwd, env={**ENVIRONMENT, **environment}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def use_from_outside(folder: pathlib.Path, empty: pathlib.Path) -> None:
    """The package installed in `folder` is the one imported, and its program runs."""
    script = OUTSIDE / "use_forebay.py"
    printed = run(sys.executable, script, cwd=empty, PYTHONPATH=str(folder))
    assert pathlib.Path(printed.split()[-1]).is_relative_to(folder)
    assert "processors" in run(folder / "bin" / "forebay", "doctor", cwd=empty)


@pytest.mark.skipif(not (BUILD / "CMakeCache.txt").exists(), reason="needs build/dev: make build")
def test_find_package(tmp_path: pathlib.Path) -> None:
    prefix = tmp_path / "prefix"
    run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "development")
    run("cmake", "-G", "Ninja", "-S", OUTSIDE, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", tmp_path / "build")
    assert "no_such_operator" in run(tmp_path / "build" / "outside", cwd=tmp_path)


def test_pip_install(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "site"
    run(*PIP, "install", "--no-deps", "--no-build-isolation", *AS_DEV, "--target", folder, ".")
    use_from_outside(folder, tmp_path)


def test_wheel(tmp_path: pathlib.Path) -> None:
    run(*PIP, "wheel", "--no-deps", "--no-build-isolation", *AS_DEV, "--wheel-dir", tmp_path, ".")
    (wheel,) = tmp_path.glob("*.whl")
    folder = tmp_path / "site"
    run(*PIP, "install", "--no-deps", "--target", folder, wheel)
    use_from_outside(folder, tmp_path)
