"""What every test of Python is kept from: the state of whoever runs it."""

from __future__ import annotations

import os
import tempfile

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Mounts of whoever runs the tests are none of theirs, and no test starts a daemon by accident."""
    home = tempfile.TemporaryDirectory(prefix="forebay-test-home-")
    config.add_cleanup(home.cleanup)
    os.environ["FOREBAY_HOME"] = home.name
    os.environ["FOREBAY_DAEMON"] = "running"
    os.environ.pop("FOREBAY_MOUNTS", None)
