"""Libraries of operators, compiled as users compile them; each check runs in a process of its own."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

import custom_operator_checks as checks
import pytest

from forebay import sysconfig

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parents[2] / "src" / "forebay" / "plugin" / "testing" / "plugins"
CLANG = shutil.which("clang++") or shutil.which("clang++-16")

pytestmark = pytest.mark.skipif(shutil.which("c++") is None or shutil.which("cc") is None, reason="needs a C++ compiler")


def compiled(source: pathlib.Path, library: pathlib.Path, *options: str) -> str:
    """The library's path."""
    is_plain = source.suffix == ".c"
    command = ["cc", "-std=c99", "-pedantic"] if is_plain else ["c++", "-std=c++17"]
    command += ["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", *sysconfig.get_compile_flags(), *options]
    made = subprocess.run([*command, str(source), "-o", str(library), *sysconfig.get_link_flags()],
                          capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return str(library)


def plain(name: str, library: pathlib.Path) -> str:
    return compiled(HERE / "plain_operator.c", library, f'-DOPERATOR_NAME="{name}"')


def run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_check(name: str, *arguments: object) -> None:
    run(checks.__file__, name, *map(str, arguments))


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> str:
    return compiled(SOURCES / "good.cc", tmp_path_factory.mktemp("good") / "libforebay_good.so")


@pytest.mark.parametrize("check", [
    checks.functions_and_classes, checks.arguments_a_sample, checks.same_numbers_whatever_the_batch, checks.checkpoints,
    checks.conditionals, checks.debug_mode, checks.errors, checks.arguments_that_are_refused,
    checks.within_a_memory_limit, checks.loading_from_threads, checks.loading_in_a_forked_child,
    checks.loaded_before_a_fork,
], ids=lambda check: check.__name__)
def test_with_a_good_library(check: object, good: str) -> None:
    run_check(check.__name__, good)  # type: ignore[attr-defined]


def test_a_saved_pipeline_names_the_library_that_it_needs(good: str, tmp_path: pathlib.Path) -> None:
    run_check("saving", good, tmp_path / "pipeline")
    run_check("reading_what_was_saved", good, tmp_path / "pipeline")


def test_lies_of_a_library(tmp_path: pathlib.Path) -> None:
    run_check("lies", compiled(SOURCES / "lying.cc", tmp_path / "liblying.so"))


def test_names_that_are_taken(tmp_path: pathlib.Path) -> None:
    for name in ("resize", "readers", "generate", "compose", "external_source"):
        plain(name, tmp_path / f"lib{name}.so")
    plain("dl_tensor_python_function", tmp_path / "libdl_function.so")
    plain("Re_size", tmp_path / "libre_size.so")
    plain("resize.mine", tmp_path / "libresize_mine.so")
    plain("readers.mine", tmp_path / "libreaders_mine.so")
    run_check("names_that_are_taken", tmp_path)


def test_folders(tmp_path: pathlib.Path) -> None:
    (tmp_path / "below").mkdir()
    plain("found.below", tmp_path / "below" / "libforebay_below.so")
    plain("found.as_for_dali", tmp_path / "libdali_other.so")
    plain("found.other_name", tmp_path / "libother.so")
    (tmp_path / "libforebay_notes.txt").write_text("no library")
    run_check("folders", tmp_path)


def test_files_that_are_no_libraries(tmp_path: pathlib.Path) -> None:
    run_check("files_that_are_no_libraries", tmp_path)


def test_a_script_of_dali(tmp_path: pathlib.Path) -> None:
    library = plain("CustomDummy", tmp_path / "libcustomdummy.so")
    script = tmp_path / "script.py"
    script.write_text(f"""
import nvidia.dali.fn as fn
import nvidia.dali.ops as ops
import nvidia.dali.plugin_manager as plugin_manager
import nvidia.dali.sysconfig as sysconfig
import numpy as np
from nvidia.dali import pipeline_def

assert sysconfig.get_include_flags() == ["-I" + sysconfig.get_include_dir()]
plugin_manager.load_library({library!r})

@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def copied():
    return fn.CustomDummy(np.array([1, 2], np.uint8))

print(np.array(copied().run()[0].at(0)), ops.CustomDummy.__name__)
""")
    assert run("-m", "forebay.compat", str(script)) == "[1 2] CustomDummy\n"


def test_the_headers_are_where_sysconfig_says() -> None:
    assert (pathlib.Path(sysconfig.get_include_dir()) / "forebay" / "plugin" / "operator.h").is_file()
    assert (pathlib.Path(sysconfig.get_cmake_dir()) / "forebayConfig.cmake").is_file()
    assert pathlib.Path(sysconfig.get_lib_dir()).is_dir()
    assert sysconfig.get_lib_flags() == sysconfig.get_link_flags() == []


@pytest.mark.nightly
@pytest.mark.skipif(CLANG is None, reason="needs clang++")
def test_another_compiler(tmp_path: pathlib.Path) -> None:
    library = tmp_path / "libforebay_good.so"
    source = str(SOURCES / "good.cc")
    subprocess.run([str(CLANG), "-std=c++17", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                    *sysconfig.get_compile_flags(), source, "-o", str(library)], check=True)
    run_check("arguments_a_sample", library)
    run_check("errors", library)
