"""tools/compile.sh: ccache answers in another clone, though its precompiled header was made anew there."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
pytestmark = pytest.mark.skipif(not shutil.which("ccache"), reason="needs ccache")


def compile_in(clone: pathlib.Path, header: str, cache: pathlib.Path, part: str = "", name: str = "twice",
               caches_header: bool = False) -> str:
    """Compiles `header` and a source with it in a new folder `clone`; returns what ccache says of the source.

    Both may include part.h. `name` is that of the source's function.
    """
    (clone / "tools").mkdir(parents=True)
    script = shutil.copy(ROOT / "tools" / "compile.sh", clone / "tools")
    (clone / "all.hxx").write_text(header)
    (clone / "empty.cxx").write_text("")
    (clone / "part.h").write_text(part)
    (clone / "source.cc").write_text(f'#include "part.h"\nint {name}(int number) {{ return factor() * number; }}\n')
    environment = {**os.environ, "CCACHE_DIR": str(cache), "CCACHE_STATSLOG": str(clone / "log")}
    environment.pop("CCACHE_DISABLE", None)
    flags = [script, "c++", "-std=c++20", "-O2", "-Winvalid-pch"]
    made = ["-MD", "-MT", "all.hxx.gch", "-MF", "all.hxx.gch.d", "-o", "all.hxx.gch", "-c", "empty.cxx"]
    subprocess.run([*flags, "-x", "c++-header", "-include", clone / "all.hxx", *made], cwd=clone, check=True,
                   env=environment if caches_header else {**environment, "CCACHE_DISABLE": "1"})
    subprocess.run([*flags, "-include", clone / "all.hxx", "-o", "source.o", "-c", clone / "source.cc"], cwd=clone,
                   check=True, env=environment)
    return (clone / "log").read_text()


def test_other_clones_take_what_one_has_compiled(tmp_path: pathlib.Path) -> None:
    header = "#include <string>\ninline int factor() { return 2; }\n"
    assert "cache_hit" not in compile_in(tmp_path / "first", header, tmp_path / "cache")
    assert "direct_cache_hit" in compile_in(tmp_path / "second", header, tmp_path / "cache")
    assert (tmp_path / "first" / "all.hxx.gch").stat().st_size > 0


def test_a_changed_header_is_compiled_anew(tmp_path: pathlib.Path) -> None:
    assert "cache_hit" not in compile_in(tmp_path / "first", "inline int factor() { return 2; }\n", tmp_path / "cache")
    assert "cache_hit" not in compile_in(tmp_path / "second", "inline int factor() { return 3; }\n", tmp_path / "cache")


def test_a_comment_in_a_precompiled_header_is_a_change(tmp_path: pathlib.Path) -> None:
    header = '#include "part.h"\ninline int factor() { return Part::factor; }\n'
    for comment in ("one", "another"):  # the compiler must find each part.h in the precompiled header made of it
        part = f"#pragma once\n// {comment}\nstruct Part {{ static constexpr int factor = 2; }};\n"
        compile_in(tmp_path / comment, header, tmp_path / "cache", part, name=comment, caches_header=True)


def test_a_failed_compilation_fails(tmp_path: pathlib.Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        compile_in(tmp_path / "first", "int factor() { return; }\n", tmp_path / "cache")
