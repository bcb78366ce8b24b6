"""Secrets stay where they belong: they are in no output, log, trace, command line or file that others may read."""

from __future__ import annotations

import base64
import collections.abc
import dataclasses
import os
import pathlib
import stat
import subprocess
import sys
import urllib.parse

import daemon_host
import pytest
import s3_server
import web_server
from daemon_host import Host
from faulty_server import MODES, FaultyServer, faulty_server

pytestmark = pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python")

MARK = "RecognisableSecret"
SECRET = f"{MARK}/a+b="

# Reads in all ways that Python has, once for each line that it is sent; errors are printed with all that belongs to them.
READER = """
import os, sys, traceback
import forebay, forebay.filesystem
import fsspec
from remote_data import from_files

place = os.environ["PLACE"]
files = fsspec.filesystem("forebay")

def attempt(work):
    try:
        work()
    except Exception:
        print(traceback.format_exc())

for number, line in enumerate(sys.stdin):
    with forebay.trace(f"{sys.argv[1]}/{number}.trace"):
        attempt(lambda: from_files(files=[f"{place}/a.jpg"] * 5).run())
        attempt(lambda: from_files(place).run())
        skipping = from_files(files=[f"{place}/a.jpg", f"{place}/b.jpg"], on_error="skip")
        attempt(skipping.run)
        print(skipping.errors())
        attempt(lambda: files.cat(f"{place}/a.jpg"))
        attempt(lambda: files.open(f"{place}/a.jpg").read(100))
        attempt(lambda: files.ls(place))
        attempt(lambda: files.pipe(f"{place}/c.jpg", b"content"))
        attempt(lambda: files.rm(f"{place}/c.jpg"))
        print(forebay.trace.report())
    print("done", flush=True)
"""


def traces_of_secret() -> list[bytes]:
    """The secret as it is, and what Base64 makes of it wherever it stands in what is encoded."""
    traces = [MARK.encode()]
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + MARK.encode())
        traces.append(encoded[-(-before * 8 // 6) : (before + len(MARK)) * 8 // 6])
    return traces


def shows_secret(content: bytes) -> bool:
    return any(trace in content for trace in traces_of_secret())


@dataclasses.dataclass(frozen=True)
class Case:
    """A store and the way it is told its secret. `{url}` and `{authority}` are the server's."""

    uri: str
    options: dict[str, str] = dataclasses.field(default_factory=dict)  # of a mount, in a file
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    travels: bool = True  # else it only signs


AZ = {"account": "someone", "endpoint": "{url}/someone"}
KEYS = {"access_key_id": "someone", "secret_access_key": SECRET}
CASES = {
    "http": Case(f"http://someone:{urllib.parse.quote(SECRET, safe='')}@{{authority}}/data"),
    "http, query": Case(f"{{url}}/data?token={urllib.parse.quote(SECRET, safe='')}"),
    "s3": Case("s3://bucket/data", {"endpoint": "{url}", "region": "us-east-1", **KEYS}, travels=False),
    "s3, session": Case("s3://bucket/data", {"endpoint": "{url}", **KEYS, "session_token": SECRET}),
    "s3, variables": Case(
        "s3://bucket/data",
        environment={"AWS_ENDPOINT_URL": "{url}", "AWS_ACCESS_KEY_ID": "someone", "AWS_SECRET_ACCESS_KEY": SECRET},
        travels=False,
    ),
    "az, key": Case("az://container/data", {**AZ, "account_key": base64.b64encode(SECRET.encode()).decode()},
                    travels=False),
    "az, signature": Case("az://container/data", {**AZ, "sas_token": f"sv=1&sig={urllib.parse.quote(SECRET, safe='')}"}),
    "az, variables": Case(
        "az://container/data",
        environment={
            "AZURE_STORAGE_CONNECTION_STRING": "BlobEndpoint={url}/someone;AccountName=someone;AccountKey="
            + base64.b64encode(SECRET.encode()).decode()
        },
        travels=False,
    ),
    "gs": Case("gs://bucket/data", {"endpoint": "{url}", "access_token": SECRET}),
    "webhdfs": Case("webhdfs://{authority}/data", {"delegation_token": SECRET, "token_in_clear": "true"}),
}


BY_DAY = ("http", "s3, session", "az, signature", "gs", "webhdfs")  # one of each store
OF_ALL_MODES = ("s3, session",)
ASKED_AGAIN = ("busy", "cut")
"""Such a server is asked again for seconds, by code that all stores share: one command has to do."""


class Watched:
    """A host all of whose output is kept. Its daemon starts on demand, and all processes log all they can."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.outputs: list[bytes] = []
        host.home.mkdir()
        host.settings(idle="60s", **{"least-free": 0})
        host.environment.update(FOREBAY_DAEMON="on", FOREBAY_LOG="trace", FOREBAY_RETRY_FOR="0",
                                AWS_EC2_METADATA_DISABLED="true")

    def run(self, *arguments: str) -> int:
        done = self.host.run(*arguments, text=False)
        self.outputs += [done.stdout, done.stderr]
        return done.returncode

    def assert_nothing_shown(self) -> None:
        for output in self.outputs:
            assert not shows_secret(output), output.decode(errors="replace")

    def assert_no_command_line_shows(self) -> None:
        """Of the processes of this host: those that have its home in their environment."""
        found = 0
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.fsencode(self.host.home) in (process / "environ").read_bytes():
                    found += 1
                    assert not shows_secret((process / "cmdline").read_bytes())
                    for thread in (process / "task").iterdir():
                        assert not shows_secret((thread / "comm").read_bytes())
            except (OSError, ProcessLookupError):
                continue  # ended meanwhile, or another's
        assert found >= 2  # a reader and the daemon

    def assert_no_file_shows(self, folder: pathlib.Path) -> None:
        for path in folder.rglob("*"):
            if path.is_file() and shows_secret(path.read_bytes()):
                assert path == self.host.home / "mounts.json"
                assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.fixture
def watched(host: Host) -> collections.abc.Iterator[Watched]:
    made = Watched(host)
    yield made
    made.run("daemon", "--stop")


def commands_of(place: str, target: pathlib.Path, mode: str) -> list[list[str]]:
    """All of them where all are refused; elsewhere the ways to the errors are the same for all."""
    cat = ["cat", f"{place}/a.jpg"]
    if mode != "refused":
        return [cat] if mode in ("busy", "cut") else [cat, ["ls", place]]
    return [cat, ["ls", "-l", "-R", place], ["stat", f"{place}/a.jpg"], ["du", place], ["find", place],
            ["cp", f"{place}/a.jpg", str(target)], ["cp", str(pathlib.Path(__file__)), f"{place}/b.py"],
            ["mv", f"{place}/a.jpg", f"{place}/b.jpg"], ["rm", f"{place}/a.jpg"], ["mkdir", f"{place}/new"],
            ["preload", place], ["cache", "pin", place], ["cache", "verify", place], ["cache", "free", place],
            ["snapshot", place, str(target) + ".names"], ["index", place, "--out", str(target) + ".index"]]


def look_at_all(watched: Watched) -> None:
    for command in (["mount"], ["mount", "--json"], ["cache", "status"], ["cache", "status", "--json"]):
        assert watched.run(*command) == 0
    assert watched.run("top", "--json", "--once") == 0


def mount(watched: Watched, case: Case, server: FaultyServer) -> str:
    """Where its objects are found."""

    def filled(text: str) -> str:
        return text.replace("{url}", server.url).replace("{authority}", server.authority)

    watched.host.environment.update({name: filled(value) for name, value in case.environment.items()})
    if not case.options:
        return filled(case.uri)
    lines = "".join(f"{name}={filled(value)}\n" for name, value in case.options.items())
    assert daemon_host.PROGRAM is not None
    done = subprocess.run([daemon_host.PROGRAM, "mount", "/far", filled(case.uri), "--option-file", "-"],
                          env=watched.host.environment, input=lines.encode(), capture_output=True, check=False)
    watched.outputs += [done.stdout, done.stderr]
    assert done.returncode == 0, done.stderr
    return "/far"


def read_in_all_ways(reader: subprocess.Popen[bytes], watched: Watched) -> None:
    assert reader.stdin is not None
    assert reader.stdout is not None
    reader.stdin.write(b"\n")
    reader.stdin.flush()
    while (line := reader.stdout.readline()) != b"done\n":
        assert line, "the reader ended"
        watched.outputs.append(line)


@pytest.mark.parametrize("name", [*BY_DAY, *(pytest.param(name, marks=pytest.mark.nightly) for name in CASES
                                             if name not in BY_DAY)])
def test_secrets_are_shown_nowhere(name: str, watched: Watched, tmp_path: pathlib.Path) -> None:
    case = CASES[name]
    seen = tmp_path / "traces"
    seen.mkdir()
    with faulty_server() as server:
        place = mount(watched, case, server)
        environment = {**watched.host.environment, "PLACE": place}
        reader = subprocess.Popen([sys.executable, "-P", "-c", READER, str(seen)], env=environment,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  preexec_fn=web_server.end_with_starter)
        for mode in MODES if name in OF_ALL_MODES else ("refused", "nonsense"):
            server.mode = mode
            if mode not in ASKED_AGAIN:
                read_in_all_ways(reader, watched)
            watched.assert_no_command_line_shows()
            # Who names a secret on a command line shows it there; here the commands themselves must not.
            for command in commands_of(place, tmp_path / "copy", mode):
                watched.run(*command)
        look_at_all(watched)
        watched.outputs.append(reader.communicate()[0])
        assert reader.returncode == 0
        travelled = any(shows_secret(urllib.parse.unquote(asked).encode()) for asked in server.asked)
        assert server.asked
        assert travelled == case.travels
    watched.run("daemon", "--stop")
    assert list(seen.iterdir())
    assert (watched.host.home / "daemon.log").stat().st_size > 0
    watched.assert_nothing_shown()
    watched.assert_no_file_shows(watched.host.home)
    watched.assert_no_file_shows(seen)


def test_secrets_that_are_refused_are_not_repeated(watched: Watched) -> None:
    quoted = urllib.parse.quote(SECRET, safe="")
    for arguments in (
        ["/far", "s3://bucket", "--option", f"secret_access_key={SECRET}"],
        ["/far", f"http://someone:{quoted}@localhost/data"],
        ["/far", f"s3://someone:{quoted}@bucket/data"],
        ["/far", "az://container", "--option", f"sas_token={SECRET}"],
        ["/far", "gs://bucket", "--option", f"access_token={SECRET}"],
        ["/far", "webhdfs://localhost/", "--option", f"delegation_token={SECRET}"],
    ):
        assert watched.run("mount", *arguments) != 0
    assert not (watched.host.home / "mounts.json").exists()
    watched.assert_nothing_shown()


@pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")
def test_a_wrong_signature_is_refused_without_the_key(watched: Watched, tmp_path: pathlib.Path) -> None:
    (tmp_path / "s3").mkdir()
    server = s3_server.S3Server(tmp_path / "s3")
    try:
        server.put("bucket")
        server.put("bucket/data/a.jpg", b"content")
        watched.host.environment.update({**server.environment(), "AWS_SECRET_ACCESS_KEY": SECRET})
        for command in commands_of("s3://bucket/data", tmp_path / "copy", "refused"):
            watched.run(*command)
        assert watched.run("cat", "s3://bucket/data/a.jpg") != 0
        assert any(b"s3://bucket/data/a.jpg" in output for output in watched.outputs)
    finally:
        server.stop()
    watched.run("daemon", "--stop")
    watched.assert_nothing_shown()
    watched.assert_no_file_shows(watched.host.home)
