"""Programs that the tests start, each in a session of its own: past the deadline it ends with all that it has started."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
from collections.abc import Mapping, Sequence


def run_program(
    command: Sequence[str], timeout: float, env: Mapping[str, str] | None = None, cwd: pathlib.Path | None = None
) -> subprocess.CompletedProcess[str]:
    """As subprocess.run, which kills at the deadline no more than the program itself."""
    with subprocess.Popen(
        command, env=env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as program:
        try:
            output, errors = program.communicate(timeout=timeout)
        except BaseException:
            os.killpg(program.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, program.returncode, output, errors)
