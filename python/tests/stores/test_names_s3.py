"""Finding names in S3, and snapshots of them: the real program against a real server, requests counted between them."""

from __future__ import annotations

import collections.abc
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sysconfig

import pytest
import s3_server
from counting_proxy import CountingProxy, counting_proxy

PROGRAM = shutil.which("forebay", path=sysconfig.get_path("scripts"))
pytestmark = [
    pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed"),
    pytest.mark.skipif(PROGRAM is None, reason="the program is not installed beside Python"),
]
FOLDERS = 12
FLAT = 4500


def keys() -> list[str]:
    small = [f"tree/class {number % FOLDERS}/{number:05}.jpg" for number in range(2500)]
    return sorted([f"flat/{number:08}.bin" for number in range(FLAT)] + small)


class Bucket:
    """A bucket of empty objects, and the program with a namespace of its own in front of it."""

    def __init__(self, folder: pathlib.Path, server: s3_server.S3Server, proxy: CountingProxy) -> None:
        self.proxy = proxy
        self.server = server
        self.folder = folder
        self.environment = {**os.environ, **server.environment(), "AWS_ENDPOINT_URL": proxy.url,
                            "FOREBAY_HOME": str(folder / "home"), "FOREBAY_MOUNTS": "", "FOREBAY_DAEMON": "off"}

    def out(self, *arguments: str) -> bytes:
        assert PROGRAM is not None
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, check=False, env=self.environment,
                              cwd=self.folder)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def lists(self, *arguments: str) -> tuple[list[str], int]:
        """The lines that a command prints, sorted, and how many listings it asked for."""
        before = self.proxy.lists
        lines = sorted(self.out(*arguments).decode().splitlines())
        return lines, self.proxy.lists - before


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> collections.abc.Iterator[Bucket]:
    folder = tmp_path_factory.mktemp("s3")
    (folder / "data").mkdir()
    server = s3_server.S3Server(folder / "data")
    try:
        server.put("bucket")
        for key in keys():
            path = folder / "data" / "bucket" / key
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        with counting_proxy(server.port) as proxy:
            yield Bucket(folder, server, proxy)
    finally:
        server.stop()


def test_find_costs_a_listing_a_thousand_objects_and_one_a_prefix(bucket: Bucket) -> None:
    found, lists = bucket.lists("find", "s3://bucket")
    assert found == [f"s3://bucket/{key}" for key in keys()]
    prefixes = FOLDERS + 2  # and what is asked before: whether there is such an object or folder
    assert lists <= len(keys()) // 1000 + prefixes + 1
    found, lists = bucket.lists("find", "s3://bucket/tree", "--name", "*77.jpg")
    assert found == [f"s3://bucket/{key}" for key in keys() if key.endswith("77.jpg")]
    folders, lists = bucket.lists("find", "s3://bucket", "--type", "d")
    assert folders == sorted(["s3://bucket/flat/", "s3://bucket/tree/",
                              *(f"s3://bucket/tree/class {number}/" for number in range(FOLDERS))])
    assert lists <= len(keys()) // 1000 + len(folders) + 3  # the root, and whether it is there


@pytest.mark.parametrize("name", ["s3://bucket/tree", "s3://bucket/tree/", "forebay:///indexed"])
def test_an_index_of_a_folder(bucket: Bucket, tmp_path: pathlib.Path, name: str) -> None:
    if name.startswith("forebay:"):
        bucket.out("mount", "/indexed", "s3://bucket/tree")
    facts = json.loads(bucket.out("index", name, "--out", str(tmp_path / "index"), "--json"))
    assert facts["samples"] == 2500


def test_a_mount_of_a_snapshot_asks_for_nothing_but_bytes(bucket: Bucket) -> None:
    bucket.server.put("bucket/tree/class 0/content", b"what is in it")
    facts = json.loads(bucket.out("snapshot", "s3://bucket/tree", "names", "--json"))
    assert facts["objects"] == 2501
    bucket.out("mount", "/tree", "s3://bucket/tree", "--snapshot", "names")
    before = bucket.proxy.lists + bucket.proxy.others
    assert len(bucket.out("find", "/tree").splitlines()) == 2501
    assert json.loads(bucket.out("stat", "--json", "/tree/class 0/content"))[0]["size"] == 13
    assert bucket.proxy.lists + bucket.proxy.others == before
    assert bucket.out("cat", "/tree/class 0/content") == b"what is in it"
    assert bucket.proxy.lists + bucket.proxy.others > before


def test_an_inventory_serves_as_well(bucket: Bucket) -> None:
    bucket.server.put("bucket/inventory/a b", b"12345")
    (bucket.folder / "inventory.csv").write_text('"bucket","inventory/a+b","5","2026-11-23T06:40:00.000Z",""\n')
    before = bucket.proxy.lists
    bucket.out("snapshot", "s3://bucket/inventory", "inventory", "--inventory", "inventory.csv")
    bucket.out("mount", "/inventory", "s3://bucket/inventory", "--snapshot", "inventory")
    assert bucket.out("ls", "/inventory") == b"a b\n"
    assert bucket.proxy.lists == before
    assert bucket.out("cat", "/inventory/a b") == b"12345"


def test_an_inventory_that_the_store_keeps_is_found_by_its_manifest(bucket: Bucket) -> None:
    bucket.server.put("bucket/kept/a b", b"12345")
    rows = '"bucket","kept/gone","false","9"\n"bucket","kept/a+b","true","5"\n'
    manifest = {
        "fileFormat": "CSV",
        "fileSchema": "Bucket, Key, IsLatest, Size",
        "files": [{"key": "reports/daily/data/part.csv.gz"}],
    }
    bucket.server.put("bucket/reports/daily/data/part.csv.gz", gzip.compress(rows.encode()))
    bucket.server.put("bucket/reports/daily/2026-11-23T01-00Z/manifest.json", json.dumps(manifest).encode())
    before = bucket.proxy.lists
    where = "s3://bucket/reports/daily/2026-11-23T01-00Z/manifest.json"
    printed = bucket.out("snapshot", "s3://bucket/kept", "kept", "--inventory", where)
    assert printed.startswith(b"1 objects: 1 added")
    bucket.out("mount", "/kept", "s3://bucket/kept", "--snapshot", "kept")
    assert bucket.out("ls", "/kept") == b"a b\n"
    assert bucket.proxy.lists == before
