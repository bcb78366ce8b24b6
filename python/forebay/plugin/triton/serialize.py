"""The pipeline of a Python file, as bytes: the file is run in a process of its own."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import tempfile

from ...errors import InvalidError

_REFUSED = 3
"""As `model_file.REFUSED`, which would import what only that process needs."""

_CHILD = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from forebay.plugin.triton.model_file import main
sys.exit(main(*sys.argv[2:]))
"""


def _run(path: str, output: str, timeout_s: float) -> int:
    """The status of the process, which writes to `output`. What the file prints goes to stderr."""
    command = [sys.executable, "-c", _CHILD, json.dumps(sys.path), path, output]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=2, start_new_session=True) as process:
        try:
            return process.wait(timeout_s)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)  # it, and what the file has started
            raise


def _ended(status: int) -> str:
    return f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"


def serialize_file(path: str | os.PathLike[str], *, timeout_s: float = 300) -> bytes:
    """What :meth:`Pipeline.serialize` gives for the pipeline of a Python file: of its function that is marked with
    :func:`autoserialize`, or else of its only one that is decorated with :func:`pipeline_def`.

    The file is run in a process of its own, where `nvidia.dali` is Forebay's; modules beside it can be imported. Its name is
    not `__main__`. The function is called without arguments, and the pipeline is one that can be served: of operators alone,
    with sources that are fed by their names.

    :param timeout_s: how long that may take, in seconds; TimeoutError beyond.
    :raises InvalidError: with the line, or the operator, where the file gives no such pipeline.
    """
    given = os.fsdecode(path)
    if os.path.isdir(given):
        raise IsADirectoryError(errno.EISDIR, "This is a folder, and a Python file is wanted", given)
    if not os.path.exists(given):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), given)
    with tempfile.TemporaryDirectory(prefix="forebay-") as folder:
        output = os.path.join(folder, "pipeline")
        try:
            status = _run(os.path.abspath(given), output, timeout_s)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{given}: there is no pipeline after {timeout_s:g} s; what does the file wait for?") from None
        if status not in (0, _REFUSED) or not os.path.exists(output):
            raise InvalidError(f"{given}: the process that ran it {_ended(status)} before there was a pipeline")
        with open(output, "rb") as file:
            content = file.read()
    if status == _REFUSED:
        raise InvalidError(content.decode())
    return content
