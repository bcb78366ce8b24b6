"""Alluxio 2.9.6 on this host. FOREBAY_ALLUXIO names the folder with `up.sh`, `ax.sh` and `down.sh`, which start one
node, run its command line, and stop it. Needs Java 17 and root."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import environments
import mounts

VERSION = "2.9.6"
SCRIPTS = pathlib.Path(os.environ.get("FOREBAY_ALLUXIO", environments.ROOT.parent / "shared" / "peers" / "alluxio"))
JARS = pathlib.Path(tempfile.gettempdir()) / "forebay-alluxio-jars"
LIMIT_S = 300


def script(name: str, *arguments: str, **variables: str) -> None:
    """Runs one of the scripts to its end; ends the contender with what it said last if it fails."""
    if not (SCRIPTS / f"{name}.sh").exists():
        sys.exit(f"no {SCRIPTS / name}.sh: FOREBAY_ALLUXIO names their folder")
    run = subprocess.run([SCRIPTS / f"{name}.sh", *arguments], env={**os.environ, **variables}, capture_output=True,
                         text=True, timeout=LIMIT_S, preexec_fn=mounts.kill_with_starter, check=False)
    if run.returncode:
        sys.exit(f"{name}.sh: {(run.stderr or run.stdout).strip()[-400:]}")


def start(work: pathlib.Path, files: pathlib.Path, **variables: str) -> None:
    """Starts a node that works in a folder, over files. What it fetches once serves the next one, too."""
    work.mkdir(parents=True, exist_ok=True)
    lib = work / "lib"
    if JARS.exists() and not lib.exists():
        lib.symlink_to(JARS)
    script("up", str(work), str(files), **variables)
    if not lib.is_symlink():
        shutil.copytree(lib, JARS)


def stop(work: pathlib.Path) -> None:
    """All that was started there, also if starting was interrupted; nothing where none was."""
    if not (work / "run").exists():
        return
    try:
        script("down", str(work), "--wipe")
    finally:
        for process in services(work):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


def services(work: pathlib.Path) -> list[int]:
    """The processes whose command line names the folder as their home."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.fsencode(f"-Dalluxio.home={work}") in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found
