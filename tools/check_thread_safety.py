"""What files say of their mutexes (forebay/base/sync/thread_annotations.h), held against their code by clang.

Looks at the translation units of the development build that use annotations, one folder's as one where it is
built so.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import project_files

PROGRAM = "clang++-16"
SOURCE = project_files.ROOT / "src" / "forebay"
BUILD = project_files.ROOT / "build/dev"
COMMANDS = BUILD / "compile_commands.json"
OUTPUTS = BUILD / "thread_safety"
HEADER = OUTPUTS / "common.pch"
CACHE = [str(project_files.ROOT / "tools/compile.sh")] if shutil.which("ccache") else []
ANNOTATED = re.compile(r"FOREBAY_(GUARDED_BY|PT_GUARDED_BY|REQUIRES|EXCLUDES)\b")
INCLUDED = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
KEPT = ("-I", "-D", "-std=")


@functools.cache
def included(path: pathlib.Path) -> tuple[pathlib.Path, ...]:
    """The project's files that the file includes."""
    names = INCLUDED.findall(path.read_text())
    return tuple(found for found in (project_files.ROOT / "src" / name for name in names) if found.is_file())


def room(path: pathlib.Path) -> pathlib.Path:
    """The folder of a layer that the file lies in, directly or in a subfolder; elsewhere the file's own."""
    inside = SOURCE in path.parents
    return SOURCE / path.relative_to(SOURCE).parts[0] if inside else path.parent


def uses_annotations(unit: pathlib.Path) -> bool:
    """Whether a source of the unit, or a header of its room that it includes, says what a mutex guards."""
    sources = [unit, *(path for path in included(unit) if path.suffix == ".cc")]
    own = {room(path) for path in sources}
    seen = set(sources)
    for path in sources:  # grows
        if ANNOTATED.search(path.read_text()):
            return True
        more = [header for header in included(path) if room(header) in own and header not in seen]
        seen.update(more)
        sources += more
    return False


def arguments(command: str) -> list[str]:
    """Of a compiler's command, what decides which code it sees."""
    words = shlex.split(command)
    kept = [word for word in words if word.startswith(KEPT)]
    systems = [word for first, path in zip(words, words[1:]) if first == "-isystem" for word in (first, path)]
    return kept + systems


def precompile(entry: dict[str, str]) -> None:
    """Most of a unit is what the build's precompiled header has, too: HEADER is that for clang. ccache takes it by the
    hash of what it was made of, which lies beside it."""
    OUTPUTS.mkdir(parents=True, exist_ok=True)
    source = BUILD / "CMakeFiles/forebay_precompiled.dir/cmake_pch.hxx"
    make = [PROGRAM, "-w", *arguments(entry["command"]), "-x", "c++-header", str(source)]
    subprocess.run([*make, "-o", str(HEADER)], cwd=BUILD, check=True)
    text = subprocess.run([*make, "-E", "-P", "-dD"], cwd=BUILD, stdout=subprocess.PIPE, check=True).stdout
    HEADER.with_name(HEADER.name + ".sum").write_text(hashlib.sha256(text).hexdigest())


def findings(entry: dict[str, str]) -> list[str]:
    """The warnings of one unit. It is compiled, so that ccache knows what had none."""
    check = [*CACHE, PROGRAM, "-c", "-O0", "-Wno-everything", "-Wthread-safety", "-Werror=thread-safety"]
    name = hashlib.sha256(entry["file"].encode()).hexdigest()
    run = subprocess.run([*check, *arguments(entry["command"]), "-include-pch", os.path.relpath(HEADER, BUILD),
                          "-o", os.path.relpath(OUTPUTS / f"{name}.o", BUILD), entry["file"]], cwd=BUILD,
                         stderr=subprocess.PIPE, text=True, check=False)
    lines = [line for line in run.stderr.splitlines() if "error:" in line]
    return lines or ([f"{entry['file']}: {run.stderr}"] if run.returncode != 0 else [])


def main() -> int:
    if shutil.which(PROGRAM) is None:
        print(f"thread safety: {PROGRAM} is missing; `make deps` installs it")
        return 1
    if not COMMANDS.exists():
        print("thread safety: no development build; `make build` makes it")
        return 1
    entries = [entry for entry in json.loads(COMMANDS.read_text())
               if not entry["file"].endswith("_test.cc") and "/unity/tests/" not in entry["file"]
               and "/forebay/" in entry["file"]
               and pathlib.Path(entry["file"]).exists() and uses_annotations(pathlib.Path(entry["file"]))]
    if entries:
        precompile(entries[0])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [line for lines in pool.map(findings, entries) for line in lines]
    return project_files.finish("thread safety", sorted(set(found)), f"{len(entries)} translation units")


if __name__ == "__main__":
    sys.exit(main())
