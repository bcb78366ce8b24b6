"""Alluxio 2.9.6 on this host: `fs load`, of files that it has listed before.

FOREBAY_ALLUXIO names the folder with `up.sh`, `ax.sh` and `down.sh`, which start one node, run its command line, and
stop it. Needs Java 17 and root. Its services run already; time is from the start of the command until all blocks are in
the tier's folder.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import time

import bringing
import environments

ENVIRONMENT = "forebay"
VERSION = "2.9.6"
SCRIPTS = pathlib.Path(os.environ.get("FOREBAY_ALLUXIO", environments.ROOT.parent / "shared" / "peers" / "alluxio"))
LIMIT_S = 300
JARS = pathlib.Path("/tmp/forebay-alluxio-jars")


def script(name, *arguments):
    subprocess.run([SCRIPTS / f"{name}.sh", *arguments], check=True, capture_output=True)


def blocks(tier):
    return sum(entry.name[0].isdigit() for entry in os.scandir(tier))


def bring(files, place):
    work = str(place / "alluxio")
    pathlib.Path(work).mkdir()
    if JARS.exists():
        os.symlink(JARS, f"{work}/lib")
    wanted = sum(1 for _ in files.rglob("*.bin"))
    try:
        script("up", work, str(files))
        keep_jars(pathlib.Path(work) / "lib")
        script("ax", work, "fs", "ls", "-R", "/")
        return loaded(work, wanted)
    finally:
        script("down", work, "--wipe")


def keep_jars(lib):
    """What was fetched once serves the next rounds, too."""
    if not lib.is_symlink():
        shutil.copytree(lib, JARS)


def loaded(work, wanted):
    tier = pathlib.Path(work) / "tier" / "alluxioworker"
    begin = time.monotonic()
    script("ax", work, "fs", "load", "/", "--submit")
    while blocks(tier) < wanted:
        if time.monotonic() - begin > LIMIT_S:
            sys.exit(f"{blocks(tier)} of {wanted} files after {LIMIT_S} s")
        time.sleep(0.05)
    return {"seconds": time.monotonic() - begin}


if __name__ == "__main__":
    bringing.measure(bring, {"alluxio": VERSION})
