"""The ways to install, each used by a project outside: cmake --install, the wheel of what is built, pip install .

Each test works in a folder of its own, so that several runs at once do not meet.
"""

import pathlib
import re
import sys
import sysconfig
import venv

import pytest
from commands import CUSTOM, OUTSIDE, PIP, ROOT, run

BUILD = ROOT / "build" / "dev"
needs_build = pytest.mark.skipif(not (BUILD / "CMakeCache.txt").exists(), reason="needs build/dev: make build")


def python_of(folder: pathlib.Path) -> pathlib.Path:
    """The Python of a fresh virtual environment, to which this one lends NumPy and frameworks."""
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "lent.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return folder / "bin" / "python"


def use_from_outside(python: pathlib.Path, empty: pathlib.Path) -> None:
    """The package of `python`'s environment is the one imported, and its program runs."""
    folder = python.parent.parent
    printed = run(python, OUTSIDE / "use_forebay.py", cwd=empty)
    assert pathlib.Path(printed.split()[-1]).is_relative_to(folder)
    assert "processors" in run(folder / "bin" / "forebay", "doctor", cwd=empty)
    assert "Open Inference Protocol" in run(folder / "bin" / "forebay", "serve", "--help", cwd=empty)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The Python of an environment with the wheel of build/dev."""
    folder = tmp_path_factory.mktemp("wheel")
    run(*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder,
        f"--config-settings=build-dir={folder}/build", f"--config-settings=cmake.define.FOREBAY_BUILT={BUILD}", ".")
    (wheel,) = folder.glob("*.whl")
    python = python_of(folder / "environment")
    run(*PIP, "--python", python, "install", "--no-deps", "--no-index", wheel)
    return python


def readme_snippets() -> list[str]:
    """The README's Python: a first batch, of pictures that it makes, and a loop that goes on from there."""
    found: list[str] = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert found[0].startswith("import pathlib") and "ClassificationIterator" in found[1]
    return found


@needs_build
def test_find_package(tmp_path: pathlib.Path) -> None:
    prefix = tmp_path / "prefix"
    run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "development")
    assert ".debug_info" not in run("readelf", "--sections", "--wide", prefix / "lib" / "libforebay_base.a")
    run("cmake", "-G", "Ninja", "-S", OUTSIDE, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", tmp_path / "build")
    assert "no_such_operator" in run(tmp_path / "build" / "outside", cwd=tmp_path)


def test_the_cpp_of_the_readme_is_what_is_compiled() -> None:
    (snippet,) = re.findall(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert snippet in (ROOT / "examples" / "cpp_pipeline.cc").read_text()


def test_install_names_what_is_not_built(tmp_path: pathlib.Path) -> None:
    script = ROOT / "cmake" / "forebay_check_built.cmake"
    header = tmp_path / "fn.h"
    command = ("cmake", f"-Dneeded={script};{header}", "-Dcomponent=some", "-Dbuild=there", "-P", script)
    with pytest.raises(AssertionError) as refused:
        run(*command)
    text = " ".join(str(refused.value).split())
    assert f"{header} is not built" in text and "`cmake --build there` builds all" in text
    header.write_text("")
    run(*command)


@needs_build
@pytest.mark.parametrize("component", ["development", "python", "program"])
def test_no_half_of_a_component_is_installed(component: str, tmp_path: pathlib.Path) -> None:
    """By the scripts of build/dev, as if nothing had been built."""
    empty = tmp_path / "build"
    for script in BUILD.rglob("cmake_install.cmake"):
        copy = empty / script.relative_to(BUILD)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(script.read_text().replace(f"{BUILD}/", f"{empty}/"))
    prefix = tmp_path / "prefix"
    with pytest.raises(AssertionError, match="is not built") as refused:
        run("cmake", f"-DCMAKE_INSTALL_COMPONENT={component}", f"-DCMAKE_INSTALL_PREFIX={prefix}", "-P",
            empty / "cmake_install.cmake")
    assert f"the component {component} is not installed" in " ".join(str(refused.value).split())
    assert not prefix.exists()


def test_what_is_installed_is_stripped_wherever_that_is(tmp_path: pathlib.Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES NONE)
set(CMAKE_STRIP echo)
include("{ROOT}/cmake/forebay_stripped.cmake")
forebay_stripped(some lib/libbelow.a --strip-debug)
forebay_stripped(some /absolute/libaway.a)
""")
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build")
    printed = run("cmake", "--install", tmp_path / "build", "--prefix", "/prefix", "--component", "some", DESTDIR="/staged")
    assert "-p --strip-debug /staged/prefix/lib/libbelow.a" in printed
    assert "-p /staged/absolute/libaway.a" in printed


@needs_build
def test_cmake_installs_the_package_where_python_looks(tmp_path: pathlib.Path) -> None:
    run("cmake", "--install", BUILD, "--prefix", tmp_path, "--component", "python")
    (package,) = tmp_path.glob("lib/python3*/*-packages/forebay")
    printed = run(sys.executable, OUTSIDE / "use_forebay.py", cwd=tmp_path, PYTHONPATH=str(package.parent))
    assert pathlib.Path(printed.split()[-1]).parent == package
    (module,) = package.glob("_core*.so")
    assert ".debug_info" not in run("readelf", "--sections", "--wide", module)


@needs_build
def test_wheel(installed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    use_from_outside(installed, tmp_path)


@needs_build
def test_first_batch_of_the_readme(installed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    printed = run(installed, "-c", readme_snippets()[0], cwd=tmp_path)
    assert "shape=[(3, 224, 224)] * 8" in printed
    assert "8 batches, 64 samples, 2 workers" in printed  # the verdict above it depends on how long things took


@needs_build
def test_loop_of_the_readme(installed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("torch")
    step = "def step(images, labels):\n    print(tuple(images.shape), tuple(labels.shape))\n"
    printed = run(installed, "-c", step + "".join(readme_snippets()[:2]), cwd=tmp_path)
    assert "(8, 3, 224, 224)" in printed


def flags(python: pathlib.Path, function: str, empty: pathlib.Path) -> list[str]:
    """What forebay.sysconfig says, as a shell would split it."""
    code = f"import forebay.sysconfig as s; given = s.{function}(); print(*[given] if isinstance(given, str) else given)"
    return run(python, "-c", code, cwd=empty).split()


def use_custom_operators(python: pathlib.Path, library: pathlib.Path, empty: pathlib.Path) -> None:
    printed = run(python, CUSTOM / "use_blend.py", library, cwd=empty)
    assert len(printed.splitlines()) == 4 and "255" in printed


@needs_build
def test_custom_operators_by_one_call_of_the_compiler(installed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    library = tmp_path / "libforebay_my_lab.so"
    run("c++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
        *flags(installed, "get_compile_flags", tmp_path), CUSTOM / "blend.cc", "-o", library,
        *flags(installed, "get_link_flags", tmp_path))
    use_custom_operators(installed, library, tmp_path)


@needs_build
@pytest.mark.nightly
def test_custom_operators_by_cmake_from_the_wheel(installed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (folder,) = flags(installed, "get_cmake_dir", tmp_path)
    run("cmake", "-S", CUSTOM, "-B", tmp_path / "build", f"-Dforebay_DIR={folder}", "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", tmp_path / "build")
    use_custom_operators(installed, tmp_path / "build" / "libforebay_my_lab.so", tmp_path)


@needs_build
@pytest.mark.nightly
def test_custom_operators_by_cmake_from_an_installed_library(installed: pathlib.Path, tmp_path: pathlib.Path) -> None:
    prefix = tmp_path / "prefix"
    run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "development")
    run("cmake", "-S", CUSTOM, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", tmp_path / "build")
    use_custom_operators(installed, tmp_path / "build" / "libforebay_my_lab.so", tmp_path)


@pytest.mark.nightly
def test_pip_install_from_a_source_archive(tmp_path: pathlib.Path) -> None:
    run(sys.executable, "-c", f"import scikit_build_core.build as b; b.build_sdist({str(tmp_path)!r})")
    (archive,) = tmp_path.glob("forebay-*.tar.gz")
    python = python_of(tmp_path / "environment")
    run(*PIP, "--python", python, "install", "--no-deps", "--no-build-isolation", archive, CXX="c++")  # as `make build`
    use_from_outside(python, tmp_path)
