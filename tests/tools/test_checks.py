"""The checks of tools/ find what they are for."""

import json
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def project(tmp_path: pathlib.Path) -> pathlib.Path:
    """An empty project with the checks in it."""
    (tmp_path / "tools").mkdir()
    for script in (ROOT / "tools").glob("*.py"):
        (tmp_path / "tools" / script.name).write_text(script.read_text())
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def write(project: pathlib.Path, name: str, text: str) -> None:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def check(project: pathlib.Path, name: str) -> tuple[int, str]:
    run = subprocess.run([sys.executable, project / "tools" / f"check_{name}.py"], capture_output=True, text=True,
                         check=False)
    return run.returncode, run.stdout + run.stderr


def layer(project: pathlib.Path, name: str, deps: str = "") -> None:
    write(project, f"src/forebay/{name}/CMakeLists.txt", f"forebay_layer({name} {deps})\n")
    write(project, f"src/forebay/{name}/{name}.h", "#pragma once\n")


def test_layers_accepts_what_deps_name(project: pathlib.Path) -> None:
    layer(project, "base")
    layer(project, "memory")
    layer(project, "tensor", "DEPS memory")
    write(project, "src/forebay/tensor/tensor.cc",
          '#include <vector>\n#include "forebay/base/base.h"\n#include "forebay/memory/memory.h"\n')
    assert check(project, "layers")[0] == 0


@pytest.mark.parametrize(("include", "said"), [
    ("forebay/engine/engine.h", "may know only base, memory, tensor"),
    ("forebay/memory/gone.h", "does not exist"),
    ("tensor.h", "must read"),
])
def test_layers_refuses_other_includes(project: pathlib.Path, include: str, said: str) -> None:
    for name in ("base", "memory", "engine"):
        layer(project, name)
    layer(project, "tensor", "DEPS memory")
    write(project, "src/forebay/tensor/tensor.cc", f'#include "{include}"\n')
    status, text = check(project, "layers")
    assert status == 1
    assert said in text


def test_layers_refuses_deps_that_do_not_lie_below(project: pathlib.Path) -> None:
    layer(project, "memory")
    layer(project, "engine", "DEPS memory")
    status, text = check(project, "layers")
    assert status == 1
    assert "engine (rank 1): DEPS names memory (rank 1)" in text


def rooms(project: pathlib.Path, lines: str) -> None:
    """A folder `engine` with the rooms `root`, `waits` and `crew`, listed as `lines` say."""
    write(project, "src/forebay/engine/CMakeLists.txt", f"forebay_layer(engine)\n{lines}")
    write(project, "src/forebay/engine/engine.h", "#pragma once\n")
    write(project, "src/forebay/engine/waits/walk.h", '#include "forebay/engine/engine.h"\n')
    write(project, "src/forebay/engine/crew/crew.h", '#include "forebay/engine/waits/walk.h"\n')


ROOT_ROOM = "# What an engine is.\nforebay_room(root)\n"
WAITS_ROOM = "# How tasks wait\n# for each other.\nforebay_room(waits DEPS root)\n"
CREW_ROOM = "# Who runs tasks.\nforebay_room(crew DEPS root waits)\n"


def test_rooms_accept_what_their_deps_name(project: pathlib.Path) -> None:
    rooms(project, ROOT_ROOM + WAITS_ROOM + CREW_ROOM)
    write(project, "src/forebay/engine/waits/walk_test.cc", '#include "forebay/engine/crew/crew.h"\n')
    status, text = check(project, "layers")
    assert status == 0, text
    assert "1 folders, 3 rooms" in text


@pytest.mark.parametrize(("lines", "said"), [
    (ROOT_ROOM + WAITS_ROOM + CREW_ROOM.replace(" waits", ""), "engine/crew may know only crew, root"),
    (ROOT_ROOM + WAITS_ROOM.replace("DEPS", "DEPS crew") + CREW_ROOM, "DEPS names crew, which is not listed before it"),
    (ROOT_ROOM + WAITS_ROOM, "engine: room crew has no forebay_room(...) line"),
    (ROOT_ROOM + WAITS_ROOM + CREW_ROOM + CREW_ROOM, "room crew is listed twice"),
    (ROOT_ROOM + WAITS_ROOM + CREW_ROOM + CREW_ROOM.replace("crew", "gone"), "room gone does not exist"),
    (ROOT_ROOM + WAITS_ROOM + CREW_ROOM.partition("\n")[2], "engine/crew: one or two lines above it must say"),
    ("# One\n" * 3 + "forebay_room(root)\n" + WAITS_ROOM + CREW_ROOM, "engine/root: one or two lines above it"),
])
def test_rooms_refuse(project: pathlib.Path, lines: str, said: str) -> None:
    rooms(project, lines)
    status, text = check(project, "layers")
    assert status == 1
    assert said in text


def test_tree_shows_folders_and_rooms(project: pathlib.Path) -> None:
    rooms(project, ROOT_ROOM + WAITS_ROOM + CREW_ROOM)
    write(project, "src/forebay/engine/testing/made.h", "#pragma once\n")
    tree = [sys.executable, str(project / "tools" / "tree.py")]
    overview = subprocess.run(tree, capture_output=True, text=True, check=True).stdout
    assert overview.split() == "r1 engine 4 files root waits crew".split()
    folder = subprocess.run([*tree, "engine"], capture_output=True, text=True, check=True).stdout
    assert folder.startswith("r1 engine: knows base\n")
    assert "How tasks wait for each other." in folder
    assert "includes root waits" in folder
    unknown = subprocess.run([*tree, "engines"], capture_output=True, text=True, check=False)
    assert unknown.returncode == 2
    assert "no folder engines" in unknown.stderr


@pytest.mark.parametrize(("line", "allowed"), [
    ("std::memcpy(to, from, size);", False),
    ("memmove(to, from, count * sizeof(int));", False),
    ("std::memcpy(&x, p, sizeof(x));", True),
    ("std::memcpy(&x, p, 8);", True),
    ("std::memcpy(to, from, size);  // copy: below memory", True),
    ("// memcpy(to, from, size)", True),
])
def test_copies(project: pathlib.Path, line: str, allowed: bool) -> None:
    write(project, "src/forebay/codec/a.cc", f"void f() {{\n  {line}\n}}\n")
    assert (check(project, "copies")[0] == 0) is allowed


def test_readmes(project: pathlib.Path) -> None:
    layer(project, "base")
    write(project, "src/forebay/base/README.md", "`base.h` and `gone.h` and `base.{h,cc}`\n")
    status, text = check(project, "readmes")
    assert status == 1
    assert "gone.h" in text and "names base.cc" in text and "names base.h" not in text
    write(project, "src/forebay/base/README.md", "line\n" * 26)
    assert "26 lines, at most 25" in check(project, "readmes")[1]


@pytest.mark.parametrize("line", ["# TO" + "DO: later", "open('/ho" + "me/me/x')", "raise X('not imple" + "mented')"])
def test_words(project: pathlib.Path, line: str) -> None:
    write(project, "a.py", line + "\n")
    assert check(project, "words")[0] == 1


def test_sizes_prints_outliers_and_refuses_the_largest(project: pathlib.Path) -> None:
    body = "  call();\n" * 70
    write(project, "src/forebay/base/long.cc", f"void long_one() {{\n{body}}}\n")
    status, text = check(project, "sizes")
    assert status == 0
    assert "long_one has 72 lines" in text
    write(project, "src/forebay/base/huge.cc", "int x;\n" * 501)
    assert check(project, "sizes")[0] == 1


def test_sizes_prints_the_median_of_operators(project: pathlib.Path) -> None:
    for name, lines in (("flip", 10), ("resize", 30), ("cast", 50)):
        body = "  call();\n" * (lines - 2)
        write(project, f"src/forebay/operators/color/{name}.cc", f"OperatorSpec {name}() {{\n{body}}}\n")
    write(project, "src/forebay/operators/sample.cc", "int x;\n" * 200)
    assert "the file of an operator has 30 lines (the median of 3 files)" in check(project, "sizes")[1]


def test_steps_tell_name_time_and_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOREBAY_STEPS", raising=False)  # of a run that this test is part of
    run = subprocess.run([ROOT / "tools" / "step.sh", "a step", "sh", "-c", "exit 3"], capture_output=True, text=True,
                         check=False)
    assert run.returncode == 3
    assert "-- a step: failed (3)" in run.stdout


LONG = "word " * 40


def test_documents_finds_long_prose(project: pathlib.Path) -> None:
    write(project, "page.md", f"# Title\n\n{LONG}\n")
    status, output = check(project, "documents")
    assert status == 1
    assert "page.md" in output


def test_documents_leaves_code_tables_and_headings(project: pathlib.Path) -> None:
    text = f"# {LONG}\n\n```\n{LONG}\n```\n\n    {LONG}\n\n| {LONG} |\n|---|\n"
    write(project, "page.md", text)
    assert check(project, "documents")[0] == 0


def test_documents_wraps_items_below_their_mark(project: pathlib.Path) -> None:
    write(project, "page.md", f"* {LONG}\n* short\n")
    script = project / "tools" / "check_documents.py"
    subprocess.run([sys.executable, script, "--write"], check=True)
    lines = (project / "page.md").read_text().splitlines()
    assert [line[:2] for line in lines] == ["* ", "  ", "* "]
    assert " ".join(lines).split() == f"* {LONG}* short".split()


@pytest.mark.parametrize(("first", "second", "circle"), [
    ("from . import b", "def f():\n    from .a import g", True),
    ("from .b import f", 'import importlib\nimportlib.import_module("forebay.a")', True),
    ("import forebay.b", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .a import g", False),
    ("from . import b", "import os", False),
])
def test_imports(project: pathlib.Path, first: str, second: str, circle: bool) -> None:
    write(project, "python/forebay/__init__.py", "from . import a\n")
    write(project, "python/forebay/a.py", first + "\n")
    write(project, "python/forebay/b.py", second + "\n")
    status, text = check(project, "imports")
    assert status == int(circle)
    assert ("forebay.a -> forebay.b -> forebay.a" in text) is circle


COUNTER = """#pragma once
#include "forebay/base/sync/mutex.h"
class Counter {{
 public:
  int add() {{
    {lock}
    return ++count_;
  }}
 private:
  forebay::Mutex mutex_;
  int count_ FOREBAY_GUARDED_BY(mutex_) = 0;
}};
"""


@pytest.mark.skipif(shutil.which("clang++-16") is None, reason="needs clang")
@pytest.mark.parametrize(("lock", "findings"), [("const forebay::MutexLock lock(mutex_);", 0), ("", 1)])
def test_thread_safety_finds_what_is_used_without_its_mutex(project: pathlib.Path, lock: str, findings: int) -> None:
    for name in ("mutex.h", "thread_annotations.h"):
        write(project, f"src/forebay/base/sync/{name}", (ROOT / "src/forebay/base/sync" / name).read_text())
    write(project, "src/forebay/room/counter.h", COUNTER.format(lock=lock))
    source = "src/forebay/room/counter.cc"
    write(project, source, '#include "forebay/room/counter.h"\nint add(Counter& counter) { return counter.add(); }\n')
    command = f"g++ -std=c++20 -Winvalid-pch -I{project}/src -c {source}"
    shutil.copy(ROOT / "tools/compile.sh", project / "tools/compile.sh")
    write(project, "build/dev/CMakeFiles/forebay_precompiled.dir/cmake_pch.hxx", "#include <cstdint>\n")
    write(project, "build/dev/compile_commands.json",
          json.dumps([{"directory": str(project / "build/dev"), "file": str(project / source), "command": command}]))
    status, text = check(project, "thread_safety")
    assert status == findings
    assert ("requires holding mutex" in text) == bool(findings)
    assert "1 translation units" in text


def test_types_are_not_checked_by_a_tool_that_is_absent(project: pathlib.Path) -> None:
    command = [sys.executable, "-S", project / "tools" / "check_pyright.py"]  # without installed packages
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.split(":")[:2]) == (0, ["pyright", " skipped"]), run.stderr
    assert "`make venv` installs" in run.stdout
