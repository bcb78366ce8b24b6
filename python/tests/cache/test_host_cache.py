"""forebay.host_cache: what `forebay cache` and `forebay preload` do, from Python."""

from __future__ import annotations

import collections.abc
import json
import pathlib
import signal
import subprocess
import sys
from typing import Any

import daemon_host
import pytest
import web_server
from daemon_host import Host
from gated_proxy import gated_proxy
from test_preload import wait_until_running

pytestmark = [
    pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed"),
    pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python"),
]

FILES = 60
SIZE = 1000
HEAD = """
import dataclasses, json, sys, threading, time
from forebay import host_cache
url = sys.argv[1]
said = {}
def facts(value):
    return dataclasses.asdict(value)
"""


@pytest.fixture
def server(tmp_path: pathlib.Path) -> collections.abc.Iterator[web_server.WebServer]:
    (tmp_path / "web").mkdir()
    for i in range(FILES):
        path = tmp_path / "data" / "train" / f"{i:03}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes([i]) * SIZE)
    started = web_server.WebServer(tmp_path / "data", tmp_path / "web", "autoindex on; autoindex_format json;")
    yield started
    started.stop()


def begin(host: Host, url: str, script: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-P", "-c", HEAD + script, url], env=host.environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            preexec_fn=web_server.end_with_starter)


def said_by(host: Host, url: str, script: str) -> dict[str, Any]:
    output = daemon_host.result_of(begin(host, url, script + "\nprint(json.dumps(said))"))
    said: dict[str, Any] = json.loads(output)
    return said


def test_a_folder_is_preloaded_pinned_and_freed(host: Host, server: web_server.WebServer) -> None:
    host.start()
    said = said_by(host, server.url("train/"), """
steps = []
said["preload"] = facts(host_cache.preload(url, verify=True, on_progress=lambda done, all: steps.append((done, all))))
said["last"] = steps[-1]
said["again"] = facts(host_cache.preload(url))
said["progress"] = facts(host_cache.preload_status(url))
said["share"] = facts(host_cache.share(url))
host_cache.pin(url)
said["pinned"] = facts(host_cache.free(url))
said["rules"] = [facts(rule) for rule in host_cache.rules()]
host_cache.unpin(url)
said["verified"] = facts(host_cache.verify())
said["freed"] = facts(host_cache.free(url + "000"))
said["left"] = facts(host_cache.share(url))
said["entries"] = host_cache.status()["entries"]
said["flushed"] = facts(host_cache.flush(wait=0))
""")
    whole = FILES * SIZE
    assert said["preload"] == {"state": "done", "uri": server.url("train/"), "objects": FILES, "bytes": whole,
                               "fetched_objects": FILES, "fetched_bytes": whole, "failed": 0, "first_error": ""}
    assert said["last"] == [FILES, FILES]
    assert said["again"]["fetched_objects"] == 0 and said["again"]["objects"] == FILES
    assert said["progress"] == said["again"]
    assert said["share"] == {"stored_objects": FILES, "stored_bytes": whole, "held_entries": FILES,
                             "held_bytes": whole, "pinned_entries": 0, "unreadable": 0, "uncached_mounts": 0}
    assert said["pinned"] == {"entries": FILES, "bytes": whole, "dropped": 0, "dropped_bytes": 0, "pinned": FILES,
                              "unreadable": 0}
    assert said["rules"] == [{"uri": server.url("train"), "pinned": True, "priority": 0, "ttl_seconds": 0,
                              "admitted": True, "quota": 0}]
    assert said["verified"]["entries"] == FILES and said["verified"]["dropped"] == 0
    assert said["freed"]["dropped"] == 1
    assert said["left"]["held_bytes"] == whole - SIZE
    assert said["entries"] == FILES - 1
    assert said["flushed"] == {"stored": 0, "waiting": 0, "failing": 0, "last_error": ""}


def test_rules_say_how_a_path_is_kept(host: Host, server: web_server.WebServer) -> None:
    said = said_by(host, server.url("train"), """
import datetime
host_cache.set_rule(url, ttl=datetime.timedelta(hours=1), priority=-3)
host_cache.set_rule(url, ttl=0.2, quota=5_000_000)
said["rule"] = facts(*host_cache.rules(url))
errors = said["errors"] = []
for wrong in (lambda: host_cache.set_rule(url), lambda: host_cache.set_rule(url, priority=128),
              lambda: host_cache.set_rule(url, ttl=-1), lambda: host_cache.set_rule("/tmp", priority=1),
              lambda: host_cache.set_rule(url, quota=-1),
              lambda: host_cache.unpin(url), lambda: host_cache.preload(url, seed=1, num_shards=0),
              lambda: host_cache.share(url), lambda: host_cache.stop_preload(url), lambda: host_cache.verify(""),
              lambda: host_cache.preload(url, epoch=1), lambda: host_cache.preload(url, extensions="jpg")):
    try:
        wrong()
    except Exception as error:
        errors.append([kind.__name__ for kind in (ValueError, FileNotFoundError) if isinstance(error, kind)])
    else:
        errors.append([])
host_cache.remove_rule(url)
said["rules"] = len(host_cache.rules())
""")
    assert said["rule"] == {"uri": server.url("train"), "pinned": False, "priority": -3, "ttl_seconds": 1,
                            "admitted": True, "quota": 5_000_000}
    value, absent = ["ValueError"], ["FileNotFoundError"]
    assert said["errors"] == [value] * 5 + [absent, value] + [absent] * 2 + [value] * 3
    assert said["rules"] == 0


# The first batches go at once, the next in days.
SLOW = "print(host_cache.preload(url, rate_limit=1, on_progress={}).state)"


def add_files(folder: pathlib.Path) -> None:
    """More than what is under way at a time."""
    for i in range(3000):
        (folder / "data" / "train" / f"more{i}").write_bytes(b"x" * 10)


def test_a_preload_is_stopped_and_told_of_by_another_thread(
    host: Host, server: web_server.WebServer, tmp_path: pathlib.Path
) -> None:
    host.start()
    add_files(tmp_path)
    said = said_by(host, server.url("train"), """
def work():
    said["ended"] = host_cache.preload(url, rate_limit=1).state
thread = threading.Thread(target=work)
thread.start()
while True:
    try:
        if host_cache.preload_status(url).state == "running":
            break
    except FileNotFoundError:
        assert thread.is_alive()
    time.sleep(0.01)
try:
    host_cache.preload(url)
except FileExistsError as error:
    said["second"] = str(error)
host_cache.stop_preload(url)
thread.join()
said["state"] = host_cache.preload_status(url).state
said["whole"] = facts(host_cache.preload(url))
""")
    assert "by this process" in said["second"]
    assert said["ended"] == "stopped"
    assert said["state"] == "stopped"
    assert said["whole"]["state"] == "done" and said["whole"]["objects"] == FILES + 3000


def test_one_that_still_indexes_its_data_set_can_be_stopped(
    host: Host, server: web_server.WebServer, tmp_path: pathlib.Path
) -> None:
    host.start()
    folder = tmp_path / "data" / "pictures" / "a"
    folder.mkdir(parents=True)
    for i in range(FILES):
        (folder / f"{i}.jpg").write_bytes(b"x" * i)
    with gated_proxy(server.port, "/a/") as proxy:  # the listing does not come
        url = f"{proxy.url}/pictures/"
        process = begin(host, url, "print(host_cache.preload(url, seed=7).state)")
        proxy.wait_until_held({"/pictures/a/"})
        assert "running, 0 objects" in host.run("preload", url, "--seed", "7", "--status").stdout
        assert host.run("preload", url, "--seed", "7", "--stop").returncode == 0
        output, errors = process.communicate()
        assert output == "stopped\n", errors
        proxy.open()
        whole = said_by(host, url, 'said["whole"] = facts(host_cache.preload(url, seed=7))')["whole"]
    assert whole["state"] == "done" and whole["objects"] == FILES


def test_a_preload_that_the_daemon_ends_is_an_error(
    host: Host, server: web_server.WebServer, tmp_path: pathlib.Path
) -> None:
    host.environment["FOREBAY_RETRY_FOR"] = "0"  # else it waits for the next one
    host.start()
    add_files(tmp_path)
    url = server.url("train")
    process = begin(host, url, SLOW.format("None"))
    wait_until_running(host, url, process)
    assert host.end() == 0
    output, errors = process.communicate()
    assert process.returncode != 0 and output == "" and "OSError" in errors, errors


@pytest.mark.parametrize("how", ["signal", "signal without a daemon", "callback", "program", "program without a daemon"])
def test_a_preload_ends_when_it_is_told_to(
    host: Host, server: web_server.WebServer, tmp_path: pathlib.Path, how: str
) -> None:
    host.start()
    add_files(tmp_path)
    url = server.url("train")
    callback = "lambda done, all: 1 // 0" if how == "callback" else "None"
    process = begin(host, url, SLOW.format(callback))
    if how != "callback":
        wait_until_running(host, url, process)
    if how.endswith("without a daemon"):
        assert host.end() == 0
    if how.startswith("signal"):
        process.send_signal(signal.SIGINT)
    elif how.startswith("program"):
        assert host.run("preload", url, "--stop").returncode == 0
    output, errors = process.communicate()
    said = {"signal": "KeyboardInterrupt", "callback": "ZeroDivisionError", "program": "stopped"}[how.split()[0]]
    assert said in output + errors
    assert (process.returncode == 0) == how.startswith("program")
    assert '"stopped"' in host.run("preload", url, "--status", "--json").stdout
