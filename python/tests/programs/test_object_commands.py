"""The commands on objects and mounts: the real program, in a FOREBAY_HOME of its own."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sysconfig
from typing import Any

import pytest
import web_server
from stalling_server import stalling_server

PROGRAM = shutil.which("forebay", path=sysconfig.get_path("scripts"))
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the program is not installed beside Python")
ODD = b"odd \xff\n'\\ name"


class Home:
    """A folder for data, and an environment whose mounts are its own."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "FOREBAY_HOME": str(folder / "home"), "FOREBAY_MOUNTS": ""}

    def run(self, *arguments: Any, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        assert PROGRAM is not None
        words = [PROGRAM, *(word if isinstance(word, bytes) else str(word) for word in arguments)]
        return subprocess.run(words, capture_output=True, check=False, input=stdin, env=self.environment,
                              cwd=self.folder)

    def out(self, *arguments: Any, stdin: bytes = b"") -> bytes:
        done = self.run(*arguments, stdin=stdin)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def json(self, *arguments: Any) -> Any:
        return json.loads(self.out(*arguments, "--json"))

    def refusal(self, *arguments: Any) -> str:
        done = self.run(*arguments)
        assert done.returncode == 1 and done.stderr.startswith(b"forebay: "), done
        return done.stderr.decode(errors="replace")

    def put(self, name: str | bytes, content: bytes = b"x") -> pathlib.Path:
        path = self.folder / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def left_overs(self) -> list[pathlib.Path]:
        return list(self.folder.rglob(".forebay-tmp-*"))


@pytest.fixture
def home(tmp_path: pathlib.Path) -> Home:
    return Home(tmp_path)


def test_mounts_are_listed_used_and_removed(home: Home) -> None:
    assert home.out("mount") == b"" and home.json("mount") == []
    home.put("disk/a/b", b"content")
    home.out("mount", "/no such/data", home.folder / "disk", "--read-only", "--rate-limit", "1MiB")
    (entry,) = home.json("mount")
    assert entry["path"] == "/no such/data" and entry["uri"] == f"file://{home.folder}/disk"
    assert entry["read_only"] and entry["bytes_per_s"] == 1 << 20
    assert b"/no such/data" in home.out("mount") and b"read-only" in home.out("mount")
    assert home.out("cat", "/no such/data/a/b") == b"content"
    assert home.out("cat", "forebay:///no such/data/a/b") == b"content"
    assert "read-only" in home.refusal("rm", "/no such/data/a/b")
    assert "mounted there" in home.refusal("mount", "/no such/data", "mem://other")
    home.out("unmount", "/no such/data")
    assert home.json("mount") == []
    assert "no such object" in home.refusal("cat", "/no such/data/a/b")
    assert "nothing is mounted" in home.refusal("unmount", "/no such/data")


def test_a_mount_within_a_mount(home: Home) -> None:
    home.put("outer/a"), home.put("outer/in/hidden"), home.put("inner/b")
    home.out("mount", "/m", home.folder / "outer")
    home.out("mount", "/m/in", home.folder / "inner")
    assert home.out("ls", "-R", "/m") == b"a\nin/b\n"
    assert home.out("ls", "/m") == b"a\nin/\n"
    for command in (["rm", "-r"], ["mv"]):
        target = [] if command[0] == "rm" else ["/elsewhere"]
        assert "is a mount" in home.refusal(*command, "/m/in", *target)
        assert "is a mount" in home.refusal(*command, "forebay:///m/", *target)
    home.out("mount", "/upper/lower", home.folder / "inner")
    assert "mounted below" in home.refusal("rm", "-r", "/upper")
    assert (home.folder / "inner/b").exists() and (home.folder / "outer/a").exists()


def test_a_mount_of_nothing_is_an_empty_folder(home: Home) -> None:
    home.out("mount", "/empty", "mem://nothing/here")
    assert home.out("ls", "/empty") == b"" and home.json("stat", "/empty")[0]["kind"] == "folder"
    assert "no such object" in home.refusal("ls", "/empty/below")


def test_wrong_mounts_are_refused(home: Home) -> None:
    assert "'nosuch'" in home.refusal("mount", "/m", "nosuch://bucket")
    assert "'colour'" in home.refusal("mount", "/m", "mem://x", "--option", "colour=red")
    assert "NAME=VALUE" in home.refusal("mount", "/m", "mem://x", "--option", "colour")
    assert "password" in home.refusal("mount", "/m", "http://user:hunter2@host/x")
    assert "hunter2" not in home.refusal("mount", "/m", "http://user:hunter2@host/x")
    assert "Give a URI" in home.refusal("mount", "/m")
    assert home.json("mount") == []


def test_a_static_table(home: Home) -> None:
    home.put("disk/a", b"content")
    table = home.put("mounts.json", json.dumps(
        {"mounts": [{"path": "/fixed", "uri": f"file://{home.folder}/disk", "read_only": True}]}).encode())
    home.environment["FOREBAY_MOUNTS"] = str(table)
    assert home.out("cat", "/fixed/a") == b"content"
    assert "FOREBAY_MOUNTS" in home.refusal("mount", "/m", "mem://x")
    table.write_text("{")
    assert str(table) in home.refusal("ls", home.folder)


def test_ls(home: Home) -> None:
    home.put("d/a", b"123"), home.put("d/sub/b"), home.put(b"d/" + ODD)
    assert home.out("ls", "d") == b"a\n" + ODD + b"\nsub/\n"
    assert home.out("ls", "-R", home.folder / "d") == b"a\n" + ODD + b"\nsub/b\n"
    assert home.out("ls", "d/a") == b"d/a\n"
    first, odd, sub = home.json("ls", "d")
    assert first["name"] == "a" and first["size"] == 3 and first["kind"] == "object" and first["modified_ns"] > 0
    assert bytes.fromhex(odd["name_hex"]) == ODD
    assert sub == {"kind": "folder", "name": "sub/"}
    long = home.out("ls", "-l", "d").splitlines()
    assert long[0].split()[0] == b"3" and long[0].endswith(b"  a")
    assert "no such object or folder" in home.refusal("ls", "none")
    (home.folder / "empty").mkdir()
    assert home.out("ls", "empty") == b"" and home.json("ls", "empty") == []


def test_a_closed_pipe_is_no_error(home: Home) -> None:
    assert PROGRAM is not None
    for number in range(3000):
        (home.folder / f"file with a name that is rather long {number:04}").touch()
    home.put("big", bytes(20 << 20))
    for arguments in (["ls", "."], ["ls", "-l", "--json", "."], ["cat", "big"]):
        read_end, write_end = os.pipe()
        os.close(read_end)
        done = subprocess.run([PROGRAM, *arguments], stdout=write_end, stderr=subprocess.PIPE, check=False,
                              env=home.environment, cwd=home.folder)
        os.close(write_end)
        assert (done.returncode, done.stderr) == (0, b"")
    full = subprocess.run([PROGRAM, "cat", "big"], stdout=open("/dev/full", "wb"), stderr=subprocess.PIPE,
                          check=False, env=home.environment, cwd=home.folder)
    assert full.returncode == 1 and b"standard output" in full.stderr


def test_cat(home: Home) -> None:
    content = bytes(range(256)) * 40000
    home.put("big", content), home.put("small", b"0123456789")
    assert home.out("cat", "big") == content
    assert home.out("cat", "small", "small") == b"0123456789" * 2
    assert home.out("cat", "small", "--offset", 3, "--length", 4) == b"3456"
    assert home.out("cat", "small", "--offset", 10) == b""
    assert "beyond" in home.refusal("cat", "small", "--offset", 8, "--length", 3)
    assert "beyond" in home.refusal("cat", "small", "--offset", 11)
    assert "is a folder" in home.refusal("cat", ".")


def test_cp_of_objects(home: Home) -> None:
    content = os.urandom(9 << 20)
    home.put("big", content), home.put(ODD)
    assert home.json("cp", "big", "copy") == {"objects": 1, "bytes": len(content)}
    assert (home.folder / "copy").read_bytes() == content
    home.out("cp", "big", ODD, "new/")
    assert (home.folder / "new/big").read_bytes() == content and (home.folder / os.fsdecode(b"new/" + ODD)).exists()
    (home.folder / "copy").write_bytes(b"old")
    home.out("cp", "-n", "big", "copy")
    assert (home.folder / "copy").read_bytes() == b"old"
    home.out("cp", "big", "copy")
    assert (home.folder / "copy").read_bytes() == content
    assert "onto itself" in home.refusal("cp", "big", "big")
    assert "no such object" in home.refusal("cp", "none", "copy")
    assert "not a folder" in home.refusal("cp", "big", "copy", "other")
    assert "cp -r" in home.refusal("cp", "new", "other")
    assert home.left_overs() == []


def test_cp_of_folders(home: Home) -> None:
    for number in range(120):
        home.put(f"from/{number % 7}/{number}", str(number).encode() * 1000)
    home.out("mount", "/m", home.folder / "mounted")
    facts = home.json("cp", "-r", "from", "/m/deep/to")
    assert facts["objects"] == 120
    for number in range(120):
        assert (home.folder / f"mounted/deep/to/{number % 7}/{number}").read_bytes() == str(number).encode() * 1000
    home.out("cp", "-r", "-j", 1, "from", "/m/deep")  # a folder that is there takes it
    assert (home.folder / "mounted/deep/from/0/0").exists()
    assert "into itself" in home.refusal("cp", "-r", "from", "from/below")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_copy_that_is_stopped_leaves_nothing_half_written(home: Home, number: signal.Signals) -> None:
    assert PROGRAM is not None
    with stalling_server() as server:
        copy = subprocess.Popen([PROGRAM, "cp", server.uri, "new/copy"], env=home.environment, cwd=home.folder,
                                stderr=subprocess.PIPE)
        while not server.was_asked.wait(1):
            assert copy.poll() is None, copy.communicate()
        assert len(home.left_overs()) == 1  # the copy is being written
        copy.send_signal(number)
        _, errors = copy.communicate()
    assert copy.returncode == 128 + number, errors
    assert b"cancelled" in errors
    assert [path for path in (home.folder / "new").iterdir()] == []


def test_mv(home: Home) -> None:
    home.put("a", b"content"), home.put("d/e")
    home.out("mv", "a", "b")
    assert (home.folder / "b").read_bytes() == b"content" and not (home.folder / "a").exists()
    home.out("mv", "b", "d/")
    home.out("mv", "d", "f")
    assert (home.folder / "f/b").exists() and (home.folder / "f/e").exists()
    home.put("a", b"new")
    assert "exists" in home.refusal("mv", "-n", "a", "f/b")


@pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed")
def test_copies_from_a_web_server_have_the_names_of_its_files(home: Home) -> None:
    for name in ("a b", "100%", "d/\u00e9"):
        home.put(f"served/t/{name}", name.encode())
    (home.folder / "web").mkdir()
    server = web_server.WebServer(home.folder / "served", home.folder / "web", "autoindex on; autoindex_format json;")
    try:
        home.out("cp", "-r", server.url("t/"), "copy")
        home.out("cp", server.url("t/a%20b"), "one/")
    finally:
        server.stop()
    for name in ("a b", "100%", "d/\u00e9"):
        assert (home.folder / "copy" / name).read_bytes() == name.encode()
    assert (home.folder / "one/a b").read_bytes() == b"a b"


def test_mkdir_and_rm(home: Home) -> None:
    home.out("mkdir", "a/b/c"), home.out("mkdir", "a/b")
    assert (home.folder / "a/b/c").is_dir()
    for number in range(50):
        home.put(f"a/{number % 5}/{number}")
    outside = home.put("outside/kept")
    (home.folder / "a/link").symlink_to(outside.parent)
    home.put("single")
    home.out("rm", "single")
    assert "no such object" in home.refusal("rm", "single")
    home.out("rm", "-f", "single")
    assert "rm -r" in home.refusal("rm", "a")
    assert home.json("rm", "-r", "a")["objects"] == 51  # the link itself is one of them
    assert not (home.folder / "a").exists() and outside.exists()
    (home.folder / "link").symlink_to(outside.parent)
    home.out("rm", "-r", "link/")
    assert outside.exists() and not (home.folder / "link").is_symlink()


def test_stat_and_du(home: Home) -> None:
    home.put("d/a", b"123"), home.put("d/sub/b", b"4567")
    one, folder = home.json("stat", "d/a", "d")
    assert (one["kind"], one["size"], one["name"]) == ("object", 3, "d/a") and one["version"]
    assert folder["kind"] == "folder"
    assert b"size      3" in home.out("stat", "d/a")
    assert home.json("du", "d", "d/a") == [{"name": "d", "objects": 2, "bytes": 7},
                                           {"name": "d/a", "objects": 1, "bytes": 3}]
    assert home.out("du", "d").split() == [b"7", b"2", b"objects", b"d"]
    assert b"1.0 KiB" in home.out("du", "-H", home.put("k", bytes(1024)))
    assert "no such object" in home.refusal("stat", "none") and "no such object" in home.refusal("du", "none")


def test_find(home: Home) -> None:
    home.put("d/a.jpg", b"123"), home.put("d/sub/b.jpg", b"4567"), home.put("d/sub/c.txt"), home.put(b"d/" + ODD)
    assert sorted(home.out("find", "d", "-0").split(b"\0")) == sorted(
        [b"", b"d/a.jpg", b"d/sub/b.jpg", b"d/sub/c.txt", b"d/" + ODD])
    assert sorted(home.out("find", "d/", "--name", "*.jpg").split()) == [b"d/a.jpg", b"d/sub/b.jpg"]
    assert home.out("find", "d", "--size", "+3").split() == [b"d/sub/b.jpg"]
    assert home.out("find", "d", "--size", "-4", "--name", "?.jpg").split() == [b"d/a.jpg"]
    assert home.out("find", "d", "--type", "d").split() == [b"d/sub/"]
    assert home.out("find", "d/a.jpg").split() == [b"d/a.jpg"]
    old = home.put("d/old")
    os.utime(old, (1_000_000_000, 1_000_000_000))
    assert b"d/old" not in home.out("find", "d", "--newer", "1h") and b"a.jpg" in home.out("find", "d", "--newer", "1h")
    (entry,) = home.json("find", home.folder / "d", "--name", "a*")
    assert (entry["name"], entry["size"]) == (f"{home.folder}/d/a.jpg", 3)
    assert home.json("find", "d", "--name", "none") == []
    assert "no such object" in home.refusal("find", "none")
    assert "no size" in home.refusal("find", "d", "--size", "big") and "no time" in home.refusal("find", "--newer", "x")
    assert "folders have no size" in home.refusal("find", "d", "--type", "d", "--size", "+1")


def test_find_prints_names_to_a_reader_that_goes(home: Home) -> None:
    assert PROGRAM is not None
    for number in range(5000):
        (home.folder / f"file with a name that is rather long {number:04}").touch()
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run([PROGRAM, "find", "."], stdout=write_end, stderr=subprocess.PIPE, check=False,
                          env=home.environment, cwd=home.folder)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_mount_of_a_snapshot(home: Home) -> None:
    for number in range(100):
        home.put(f"disk/{number % 3}/{number}", b"x" * number)
    facts = home.json("snapshot", home.folder / "disk", "names")
    assert facts == {"objects": 100, "added": 100, "changed": 0, "removed": 0, "rewritten": True}
    home.out("mount", "/m", home.folder / "disk", "--snapshot", "names")
    (entry,) = home.json("mount")
    assert entry["snapshot"] == str(home.folder / "names") and entry["read_only"]
    home.put("disk/new"), home.put("disk/0/99", b"changed"), (home.folder / "disk/1/1").unlink()
    assert home.json("du", "/m") == [{"name": "/m", "objects": 100, "bytes": sum(range(100))}]
    assert home.out("cat", "/m/2/50") == b"x" * 50
    assert "version" in home.refusal("cat", "/m/0/99") and "no such object" in home.refusal("cat", "/m/new")
    assert "read-only" in home.refusal("rm", "/m/2/50")
    facts = home.json("snapshot", "/m", "names")  # what lies behind the mount
    assert facts == {"objects": 100, "added": 1, "changed": 1, "removed": 1, "rewritten": False}
    assert home.json("snapshot", "/m", "names")["added"] == 0
    assert home.out("cat", "/m/0/99") == b"changed" and home.out("cat", "/m/new") == b"x"
    assert len(home.out("find", "/m").split()) == 100


def test_a_snapshot_of_a_list(home: Home) -> None:
    home.put("disk/a", b"12"), home.put("disk/b/c"), home.put("disk/d")
    home.put("list", b"b/c\na\n")
    assert home.json("snapshot", home.folder / "disk", "names", "--list", "list")["objects"] == 2
    home.out("mount", "/m", home.folder / "disk", "--snapshot", "names")
    assert home.out("ls", "-R", "/m") == b"a\nb/c\n"
    assert "forebay snapshot" in home.refusal("mount", "/n", home.folder / "disk", "--snapshot", "none")
    home.out("mount", "/o", home.folder, "--snapshot", "names")
    assert "is a snapshot of" in home.refusal("ls", "/o")
    assert "no snapshot" in home.refusal("snapshot", home.folder / "disk", "list")
    home.put("names", b"FBNAMES\0 and nothing else")
    assert "snapshot" in home.refusal("ls", "/m")


def test_an_index_of_a_folder_that_is_mounted(home: Home) -> None:
    for name in ("a/1.jpg", "a/2.jpg", "b/3.jpg"):
        home.put(f"disk/{name}")
    home.out("mount", "/no such/data", home.folder / "disk")
    assert home.json("index", "/no such/data", "--out", "first")["samples"] == 3
    assert home.json("index", "forebay:///no such/data/", "--out", "second")["samples"] == 3
    assert "no such object or folder" in home.refusal("index", "/no such/data/c", "--out", "third")


def test_folders_named_by_dots(home: Home) -> None:
    home.put("d/a")
    home.put("d/sub/b")
    listed = home.out("ls", "-R", "d")
    for name in ("d/.", "d/sub/..", "./d/./"):
        assert home.out("ls", "-R", name) == listed == b"a\nsub/b\n", name
    home.folder.joinpath("copy").mkdir()
    home.out("cp", "-r", "d/../d", "copy/")
    assert home.out("ls", "-R", "copy") == b"d/a\nd/sub/b\n"


def test_links_to_nothing(home: Home) -> None:
    home.put("d/a")
    (home.folder / "d/link").symlink_to("nowhere")
    assert home.out("ls", "d") == b"a\nlink\n"
    assert "d/link: a link to something that is not there" in home.refusal("cp", "-r", "d", "copy")
    home.out("rm", "-r", "d")
    assert not (home.folder / "d").exists()


def test_files_that_do_not_know_their_size(home: Home) -> None:
    assert b"Name:" in home.out("cat", "/proc/self/status")
    home.out("cp", "/proc/self/status", "copy")
    assert b"Name:" in (home.folder / "copy").read_bytes()


def test_unmount_goes_on_after_what_it_cannot_remove(home: Home) -> None:
    for name in ("/a", "/b"):
        home.out("mount", name, home.folder / "disk")
    assert "/none" in home.refusal("unmount", "/a", "/none", "/b")
    assert home.json("mount") == []


@pytest.mark.parametrize("words", [["ls", "--no-such"], ["cat"], ["nothing"], []])
def test_wrong_usage_has_one_status(home: Home, words: list[str]) -> None:
    assert home.run(*words).returncode == 2
    assert home.run("ls", "--help").returncode == 0


def test_help_says_that_a_mount_only_maps_names(home: Home) -> None:
    assert b"A mount only maps names" in home.out("mount", "--help")


def test_a_copy_of_a_private_file_is_private(home: Home) -> None:
    for mode in (0o600, 0o700):
        home.put("secret").chmod(mode)
        home.out("cp", "secret", "copy")
        assert (home.folder / "copy").stat().st_mode & 0o777 == mode
