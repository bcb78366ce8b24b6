"""What every test of Python is kept from: the state of whoever runs it."""

from __future__ import annotations

import collections.abc
import contextlib
import faulthandler
import os
import pathlib
import sys
import tempfile

import pytest

# What takes longer hangs: the stacks of all threads are printed, and the process ends. FOREBAY_TEST_SLOWNESS=2 doubles
# it.
DEADLINE_S = 300.0
messages = 2  # where stacks go, whatever pytest makes of the output of tests

# Where `tools/peers.sh` puts the libraries that are compared with; a variable names another Python that has one.
PEERS = pathlib.Path(__file__).parent / ".peers"


def find_peers() -> None:
    """Tests of parity run beside real peers where these are installed."""
    for name in ("audio", "dali", "mxnet"):
        python = PEERS / name / "bin" / "python"
        if python.exists():
            os.environ.setdefault(f"FOREBAY_{name.upper()}_PYTHON", str(python))


def pytest_configure(config: pytest.Config) -> None:
    """Mounts of whoever runs the tests are none of theirs, and no test starts a daemon by accident."""
    global messages
    messages = os.dup(2)
    find_peers()
    home = tempfile.TemporaryDirectory(prefix="forebay-test-home-")
    config.add_cleanup(home.cleanup)
    os.environ["FOREBAY_HOME"] = home.name
    os.environ["FOREBAY_DAEMON"] = "running"
    os.environ.pop("FOREBAY_MOUNTS", None)


# The files that take longest begin first, so that no process has to wait for another one's last file.
LONGEST = """test_running.py test_iterator_suite.py test_write_back.py test_secrets.py test_parallel_source.py test_daemon_mounts.py
test_preload_beside_job.py test_dynamic_mode.py test_custom_operators.py test_daemon_memory.py test_daemon.py
test_lifecycle.py test_array_seeds.py test_packaging.py test_compat_workers.py test_daemon_plans.py""".split()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


@pytest.fixture(autouse=True)
def no_errors_of_other_tests() -> collections.abc.Iterator[None]:
    """Errors of arrays that a test has not looked at are none of the next test's `nd.waitall()`."""
    yield
    core = sys.modules.get("forebay._core")
    with contextlib.suppress(Exception):
        if core is not None:
            core.waitall()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> collections.abc.Generator[None, object, object]:
    """Each test has a deadline. Under tools/run_pytest.py the stacks go to a file that begins with the test's name."""
    slowness = float(os.environ.get("FOREBAY_TEST_SLOWNESS", "1"))
    if item.get_closest_marker("nightly"):
        slowness *= 12  # it may build all of the project
    seconds = float(os.environ.get("FOREBAY_TEST_DEADLINE_S", DEADLINE_S * slowness))
    folder = os.environ.get("FOREBAY_TEST_MARKS")
    if folder is None:
        faulthandler.dump_traceback_later(seconds, exit=True, file=messages)
        try:
            return (yield)
        finally:
            faulthandler.cancel_dump_traceback_later()
    path = pathlib.Path(folder) / f"running-{os.getpid()}"
    with path.open("w") as file:
        print(item.nodeid, file=file, flush=True)
        faulthandler.dump_traceback_later(seconds, exit=True, file=file)
        try:
            return (yield)
        finally:
            faulthandler.cancel_dump_traceback_later()
            path.unlink(missing_ok=True)
