"""What every test of Python is kept from: the state of whoever runs it."""

from __future__ import annotations

import os
import pathlib
import tempfile

import pytest


# Where `tools/peers.sh` puts the libraries that are compared with; a variable names another Python that has one.
PEERS = pathlib.Path(__file__).parent / ".peers"


def find_peers() -> None:
    """Tests of parity run beside real peers where these are installed."""
    for name in ("dali", "mxnet"):
        python = PEERS / name / "bin" / "python"
        if python.exists():
            os.environ.setdefault(f"FOREBAY_{name.upper()}_PYTHON", str(python))


def pytest_configure(config: pytest.Config) -> None:
    """Mounts of whoever runs the tests are none of theirs, and no test starts a daemon by accident."""
    find_peers()
    home = tempfile.TemporaryDirectory(prefix="forebay-test-home-")
    config.add_cleanup(home.cleanup)
    os.environ["FOREBAY_HOME"] = home.name
    os.environ["FOREBAY_DAEMON"] = "running"
    os.environ.pop("FOREBAY_MOUNTS", None)
