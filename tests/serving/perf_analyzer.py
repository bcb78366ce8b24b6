"""NVIDIA's `perf_analyzer`, which needs a newer Debian than ours: it runs in one of its own, and what it prints is read."""

from __future__ import annotations

import pathlib
import re
import sys
from dataclasses import dataclass

from inference_server import ROOT

sys.path.insert(0, str(ROOT / "tests" / "packaging"))

import bare_debian  # noqa: E402

# With shared memory it opens libcudart, even that of the system; a GPU it does not need.
PACKAGES = ["perf-analyzer==2.60.0", "nvidia-cuda-runtime==13.5.37"]
LINK = """
from pathlib import Path
import perf_analyzer, sysconfig
runtime = next(Path(sysconfig.get_path("purelib")).rglob("libcudart.so.*"))
(runtime.parent / "libcudart.so").symlink_to(runtime.name)
print(runtime.parent, Path(perf_analyzer.__file__).parent / "bin" / "perf_analyzer")
"""
# Some windows of at least so many requests, whatever they differ by: what is looked for are answers, not speed.
BRIEFLY = ["--measurement-mode", "count_windows", "--measurement-request-count", "20", "-s", "1000000", "-r", "4", "-v"]
PATIENCE_S = 120


@dataclass
class Measured:
    """What it says of one number of requests at a time; the client's side, and the server's by its statistics."""

    client_requests: int
    throughput: float
    server_requests: int
    server_rows: int
    server_runs: int


def why_not() -> str:
    return bare_debian.why_not()


def _number(name: str, text: str) -> float:
    found = re.search(rf"{name}: ([0-9.]+)", text)
    assert found is not None, f"no {name} in:\n{text}"
    return float(found[1])


def measured_in(printed: str) -> list[Measured]:
    parts = printed.split("\nRequest concurrency: ")[1:]
    return [
        Measured(
            int(_number("Request count", part)), _number("Throughput", part), int(_number("Successful request count", part)),
            int(_number("Inference count", part)), int(_number("Execution count", part)),
        )
        for part in (part.partition("\nInferences/Second")[0] for part in parts)
    ]


class PerfAnalyzer:
    """In a Debian 13 within `folder`, which is empty; shared memory is this machine's."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._debian = bare_debian.BareDebian("trixie", folder, shares_memory=True)
        self._debian.run("python3", "-m", "venv", "/env")
        self._debian.run("pip", "install", "--quiet", "--no-deps", *PACKAGES)
        self._libraries, self._program = self._debian.run("python", "-c", LINK).split()

    def write(self, name: str, text: str) -> str:
        """A file of the Debian; its path in there."""
        (self._debian.root / name).write_text(text)
        return f"/{name}"

    def measure(self, model: str, *options: str) -> list[Measured]:
        """One for each number of requests at a time."""
        printed = self._debian.run(
            "timeout", str(PATIENCE_S), self._program, "-m", model, *options, *BRIEFLY, LD_LIBRARY_PATH=self._libraries
        )
        return measured_in(printed)
