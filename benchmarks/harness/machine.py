"""The machine a measurement was taken on, in a few facts."""

import os
import pathlib
import platform
import subprocess
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def processor() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def memory_gib() -> float:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)


def revision() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return run.stdout.strip() or "unknown"


def facts() -> dict[str, Any]:
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": memory_gib(),
        "kernel": platform.release(),
        "load_before": round(os.getloadavg()[0], 2),
        "forebay": (ROOT / "VERSION").read_text().strip(),
        "revision": revision(),
    }
