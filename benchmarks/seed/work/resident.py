"""Resident memory of this process, in MiB: now, and the most since restart()."""

import pathlib

PROCESS = pathlib.Path("/proc/self")


def _status_mib(field: str) -> float:
    for line in (PROCESS / "status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    raise ValueError(f"no {field} in {PROCESS / 'status'}")


def now_mib() -> float:
    return _status_mib("VmRSS")


def peak_mib() -> float:
    return _status_mib("VmHWM")


def restart() -> float:
    """Forgets the most that there was; what is resident now."""
    (PROCESS / "clear_refs").write_text("5")
    return now_mib()
