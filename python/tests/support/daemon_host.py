"""A host of its own for tests: processes with one FOREBAY_HOME, and its daemon."""

from __future__ import annotations

import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig
from typing import Any

import web_server

PROGRAM = shutil.which("forebay", path=sysconfig.get_path("scripts"))
LONGEST_RUN_S = 60

# Prints the hash of what two epochs of a shuffled pipeline give.
READER = """
import hashlib, sys
from remote_data import batches_of, from_files
url = sys.argv[1]
pipeline = from_files(files=[url] * 5) if "?" in url else from_files(url)
print(hashlib.sha256(b"".join(array.tobytes() for batch in batches_of(pipeline) for array in batch)).hexdigest())
"""


class Host:
    """A host of its own: processes with the same FOREBAY_HOME."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.home = folder
        tests = str(pathlib.Path(__file__).parent)
        paths = [path for path in (tests, os.environ.get("PYTHONPATH")) if path]
        self.environment = {
            **os.environ,
            "FOREBAY_HOME": str(folder),
            "PYTHONPATH": os.pathsep.join(paths),
            "no_proxy": web_server.HOST,
        }
        self.daemon: subprocess.Popen[str] | None = None

    def start(self, *arguments: str, group: pathlib.Path | None = None) -> None:
        """With `group`, the folder of a control group, the daemon runs in that."""
        assert PROGRAM is not None

        def prepare() -> None:
            web_server.end_with_starter()
            if group is not None:
                (group / "cgroup.procs").write_text("0")

        self.daemon = subprocess.Popen([PROGRAM, "daemon", "--least-free", "0", *arguments], env=self.environment,
                                       stdout=subprocess.PIPE, text=True, preexec_fn=prepare)
        assert self.daemon.stdout is not None
        assert "serving at" in self.daemon.stdout.readline()

    def end(self, how: int = signal.SIGTERM) -> int:
        assert self.daemon is not None
        self.daemon.send_signal(how)
        return self.daemon.wait()

    def read(self, url: str) -> subprocess.Popen[str]:
        return subprocess.Popen([sys.executable, "-P", "-c", READER, url], env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(
        self, *arguments: str, text: bool = True, longest_s: float = LONGEST_RUN_S
    ) -> subprocess.CompletedProcess[Any]:
        """A command, which is killed when it takes too long."""
        assert PROGRAM is not None
        return subprocess.run([PROGRAM, *arguments], env=self.environment, capture_output=True, text=text, check=False,
                              timeout=longest_s)

    def run_python(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-P", "-c", program, *arguments], env=self.environment,
                              capture_output=True, text=True, check=False)

    def settings(self, **options: str | int) -> None:
        """Of a daemon that nobody starts by hand."""
        (self.home / "daemon.json").write_text(json.dumps(options))

    def starts(self) -> int:
        """How often a daemon began to serve, by its log."""
        return (self.home / "daemon.log").read_text().count("serving at")

    def status(self) -> dict[str, int]:
        counts: dict[str, int] = json.loads(self.run("cache", "status", "--json").stdout)
        return counts


def results_of(*processes: subprocess.Popen[str]) -> list[str]:
    """What each wrote. They may wait for each other: once one has failed, the others are killed."""
    failures: list[str] = []

    def wait(process: subprocess.Popen[str]) -> str:
        output, errors = process.communicate()
        if process.returncode != 0:
            failures.append(errors)
            for other in processes:
                other.kill()
        return output

    with concurrent.futures.ThreadPoolExecutor(len(processes)) as pool:
        outputs = list(pool.map(wait, processes))
    assert not failures, failures[0]
    return outputs


def result_of(process: subprocess.Popen[str]) -> str:
    return results_of(process)[0]
