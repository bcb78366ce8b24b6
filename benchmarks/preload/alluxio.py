"""Alluxio 2.9.6 on this host: `fs load`, of files that it has listed before.

Its services run already; time is from the start of the command until all blocks are in the tier's folder.
"""

import os
import sys
import time

import alluxio_host
import bringing

ENVIRONMENT = "forebay"
LIMIT_S = 300


def blocks(tier):
    return sum(entry.name[0].isdigit() for entry in os.scandir(tier))


def bring(files, place):
    work = place / "alluxio"
    wanted = sum(1 for _ in files.rglob("*.bin"))
    try:
        alluxio_host.start(work, files)
        alluxio_host.script("ax", str(work), "fs", "ls", "-R", "/")
        return loaded(work, wanted)
    finally:
        alluxio_host.stop(work)


def loaded(work, wanted):
    tier = work / "tier" / "alluxioworker"
    begin = time.monotonic()
    alluxio_host.script("ax", str(work), "fs", "load", "/", "--submit")
    while blocks(tier) < wanted:
        if time.monotonic() - begin > LIMIT_S:
            sys.exit(f"{blocks(tier)} of {wanted} files after {LIMIT_S} s")
        time.sleep(0.05)
    return {"seconds": time.monotonic() - begin}


if __name__ == "__main__":
    bringing.measure(bring, {"alluxio": alluxio_host.VERSION})
