"""The wheel on a Debian that has Python and nothing else: what the README says, S3 through the daemon, `doctor`.

What a stranger sees on the way, with seconds, is left in build/first-minutes-RELEASE.txt.
"""

import pathlib
import shutil
import sys
import time
from collections.abc import Iterator

import bare_debian
import pytest
from commands import ROOT, run
from test_packaging import needs_build, readme_snippets

sys.path.insert(0, str(ROOT / "python" / "tests" / "support"))

import s3_server  # noqa: E402

MOST_MODULE_BYTES = 15 << 20
pytestmark = [needs_build, pytest.mark.nightly,
              pytest.mark.skipif(bool(bare_debian.why_not()), reason=bare_debian.why_not() or "-")]

MULTIPLY = """
def mapped():
    return "openblas" in open("/proc/self/maps").read().replace("scipy_openblas", "")

from forebay import nd
ones = nd.ones((300, 300))
ones.wait_to_read()
assert not mapped()
assert float(nd.dot(ones, ones)[0, 0].asscalar()) == 300.0
assert mapped()
print("multiplied")
"""

READ_TWICE = """
from forebay import fn, host_cache, pipeline_def

@pipeline_def(batch_size=4, num_threads=1, device_id=None)
def read():
    return fn.readers.file(file_root="s3://pictures", name="reader")[0]

for _ in range(2):
    pipe = read()
    pipe.build()
    assert [len(sample) for sample in pipe.run()[0]] == [1000, 1001, 1002, 1003]
assert host_cache.status()["entries"] == 4, host_cache.status()
print("read twice through the daemon")
"""

SERVE = """
import json, pathlib, subprocess, urllib.request

folder = pathlib.Path("models/photos/1")
folder.mkdir(parents=True)
folder.joinpath("pipeline.py").write_text('''
from forebay import fn, pipeline_def

@pipeline_def(batch_size=8, num_threads=1, device_id=None)
def photos():
    return fn.resize(fn.decoders.image(fn.external_source(name="picture")), size=(2, 3))
''')
command = ["forebay", "serve", "models", "--http-port=0", "--grpc-port=0", "--json"]
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
    said = json.loads(server.stdout.readline())
    picture = next(pathlib.Path("demo").glob("*.png")).read_bytes()
    request = urllib.request.Request(said["http"] + "/v2/models/photos/infer", picture, {"Inference-Header-Content-Length": "0"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        head = json.loads(answer.read(int(answer.headers["Inference-Header-Content-Length"])))
    server.terminate()
    assert server.wait(60) == 0
assert said["grpc_port"] > 0 and head["outputs"][0]["shape"][:3] == [1, 2, 3], (said, head)
print("served")
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The folder of what `make wheel` makes."""
    folder = tmp_path_factory.mktemp("manylinux")
    run(ROOT / "tools" / "wheel.sh", folder)
    return folder


@pytest.fixture(scope="module", params=[("bookworm", "cp311"), ("trixie", "abi3")], ids=["bookworm", "trixie"])
def debian(request: pytest.FixtureRequest, wheels: pathlib.Path,
           tmp_path_factory: pytest.TempPathFactory) -> Iterator[bare_debian.BareDebian]:
    """A release with the wheel for its Python in an environment."""
    release, tag = request.param
    wheel = next(wheels.glob(f"*-{tag}-manylinux*.whl"), None)
    if wheel is None:
        pytest.skip(f"no wheel for {tag}: it needs headers of Python 3.12 or later")
    folder = tmp_path_factory.mktemp(release)
    debian = bare_debian.BareDebian(release, folder)
    shutil.copy(wheel, folder)
    debian.run("python3", "-m", "venv", "/env")
    try:
        go_the_way(debian, wheel.name, ROOT / "build" / f"first-minutes-{release}.txt")
        yield debian
    finally:
        shutil.rmtree(folder)


def go_the_way(debian: bare_debian.BareDebian, wheel: str, seen: pathlib.Path) -> None:
    way = Way(debian)
    way.go(f"pip install --quiet /{wheel}")
    (debian.root / "snippet.py").write_text(readme_snippets()[0])
    way.go("python /snippet.py")
    way.go("forebay demo")
    way.go("du --summarize --human-readable --dereference /env/lib/python3.*/site-packages/forebay* /forebay-*.whl")
    seen.write_text("\n".join(way.seen))


class Way:
    """Commands at a shell, what they print, and how long each takes."""

    def __init__(self, debian: bare_debian.BareDebian) -> None:
        self._debian = debian
        self.seen: list[str] = []

    def go(self, line: str) -> None:
        begun = time.perf_counter()
        printed = self._debian.run("sh", "-c", f"cd /root && {line}")
        self.seen += [f"$ {line}", printed.rstrip(), f"# {time.perf_counter() - begun:.1f} s", ""]


def test_nothing_is_asked_of_the_system(debian: bare_debian.BareDebian) -> None:
    code = "import forebay._core as core, os; print(core.__file__, os.path.getsize(core.__file__))"
    module, size = debian.run("python", "-c", code).split()
    assert int(size) <= MOST_MODULE_BYTES
    maps = debian.run("python", "-c", "import forebay; print(open('/proc/self/maps').read())")
    assert "libjpeg" in maps and "/usr/lib/x86_64-linux-gnu/libjpeg" not in maps


def test_the_licences_of_what_is_inside(debian: bare_debian.BareDebian) -> None:
    code = "import importlib.metadata as m; print(*(str(f) for f in m.files('forebay') if 'licenses' in str(f)))"
    files = debian.run("python", "-c", code)
    assert "LICENSE" in files and "libraries/libjpeg62-turbo" in files and "libraries/liburing-dev" in files
    assert all(f"libraries/{name}" in files for name in ("libgrpc", "libprotobuf", "libabsl", "libre2", "libc-ares"))


def test_the_demo_has_left_its_picture(debian: bare_debian.BareDebian) -> None:
    assert list((debian.root / "root" / "demo").glob("*.png"))


def test_openblas_is_opened_by_the_first_product(debian: bare_debian.BareDebian) -> None:
    assert "multiplied" in debian.run("python", "-c", MULTIPLY)


def test_the_program(debian: bare_debian.BareDebian) -> None:
    assert (ROOT / "VERSION").read_text().strip() in debian.run("forebay", "--version")
    assert "processors" in debian.run("forebay", "doctor")


def test_the_server(debian: bare_debian.BareDebian) -> None:
    """After the demo, which has left the picture that is sent."""
    assert "served" in debian.run("sh", "-c", 'cd /root && python -c "$0"', SERVE)


@pytest.mark.skipif(s3_server.program() is None, reason="no versitygw: make servers")
def test_s3_through_the_daemon(debian: bare_debian.BareDebian, tmp_path: pathlib.Path) -> None:
    server = s3_server.S3Server(tmp_path)
    try:
        server.put("pictures")
        for number in range(4):  # by the server, which gives an ETag only to what it has stored itself
            server.put(f"pictures/kind/{number}.jpg", b"x" * (1000 + number))
        assert "daemon" in debian.run("python", "-c", READ_TWICE, **server.environment())
    finally:
        server.stop()
