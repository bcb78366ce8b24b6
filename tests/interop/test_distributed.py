"""examples/distributed: ranks that share a store, stopped in the middle of an epoch and gone on with by other numbers of
ranks. Every sample of an epoch comes once, whichever rank it came to."""

from __future__ import annotations

import collections
import importlib.util
import os
import pathlib
import shutil
import sys
import tempfile
from typing import Callable, Iterator

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "python" / "tests" / "support"), str(ROOT / "tests" / "interop")]

import daemon_host  # noqa: E402
import s3_server  # noqa: E402
from make_photos import make_photos  # noqa: E402
from programs import run_program  # noqa: E402

torch = pytest.importorskip("torch")

PHOTOS = 101  # a prime: shards differ, and the last batch is filled
EPOCHS = 2
STEPS_OF_EPOCH = 5  # of 24 samples
FOLDER = ROOT / "examples" / "distributed"

Seen = list[tuple[int, int, str]]  # epoch, rank, object


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("ranks") / "photos"
    make_photos(folder, PHOTOS)
    return folder


class Job:
    """Runs of one job: its store, its checkpoint and what it has seen."""

    def __init__(self, store: str, folder: pathlib.Path, environment: dict[str, str]) -> None:
        self._arguments = ["--store", store, "--epochs", str(EPOCHS), "--checkpoint", str(folder / "checkpoint.pt")]
        self._folder = folder
        self._environment = {**os.environ, "OMP_NUM_THREADS": "1", **environment}

    def copy(self, name: str) -> Job:
        """Another run from the same checkpoint."""
        shutil.copytree(self._folder, self._folder.parent / name)
        other = Job("", self._folder.parent / name, {})
        other._environment = self._environment
        other._arguments = [*self._arguments[:-1], str(other._folder / "checkpoint.pt")]
        return other

    def run(self, *command: str, **options: int) -> Seen:
        log = self._folder / f"{'-'.join(map(str, options.values())) or 'rest'}.samples"
        named = [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", str(value))]
        command = (sys.executable, *command, *self._arguments, "--log-samples", str(log), *named)
        run = run_program(command, 300, self._environment, self._folder)
        assert run.returncode == 0, run.stdout + run.stderr
        lines = [line.split(maxsplit=2) for line in log.read_text().splitlines()]
        return [(int(epoch), int(rank), name) for epoch, rank, name in lines]

    def torchrun(self, ranks: int, **options: int) -> Seen:
        launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks)]
        return self.run(*launcher, str(FOLDER / "train_torchrun.py"), **options)

    def ray(self, ranks: int, **options: int) -> Seen:
        return self.run(str(FOLDER / "train_ray.py"), ranks=ranks, **options)


def names_of(seen: Seen, epoch: int) -> list[str]:
    return sorted(name for of, _, name in seen if of == epoch)


def check_rest(
    job: Job, ranks: int, before: Seen, wanted: list[str], start: Callable[..., Seen] = Job.torchrun
) -> None:
    """The job goes on with so many ranks: with what was seen before, all of the last epoch, and nothing twice."""
    after = start(job, ranks)
    assert {rank for _, rank, _ in after} == set(range(ranks))
    assert names_of(before, 1) and names_of(after, 1), "the run before has not stopped in the middle of the epoch"
    assert names_of(before + after, 1) == wanted
    assert not names_of(after, 0)
    beyond = [name for epoch, _, name in before + after if epoch > 1]
    assert len(set(beyond)) == len(beyond) < 24, "what fills the last batch is the beginning of the next epoch"


def four_ranks(job: Job, start: Callable[..., Seen] = Job.torchrun) -> Seen:
    """An epoch and two steps of the next one."""
    seen = start(job, 4, stop_after=STEPS_OF_EPOCH + 2)
    assert len(seen) == (STEPS_OF_EPOCH + 2) * 24
    return seen


def check_shares(seen: Seen, wanted: list[str]) -> None:
    """Of the first epoch: all samples, each to one rank, and about as many to each."""
    assert names_of(seen, 0) == wanted
    shares = collections.Counter(rank for epoch, rank, _ in seen if epoch == 0)
    assert sorted(shares) == [0, 1, 2, 3] and max(shares.values()) - min(shares.values()) <= 1


def test_four_ranks_then_three_or_six(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    wanted = sorted(map(str, photos.rglob("*.jpg")))
    (tmp_path / "four").mkdir()
    job = Job(str(photos), tmp_path / "four", {})
    before = four_ranks(job)
    check_shares(before, wanted)
    six = job.copy("six")
    check_rest(job, 3, before, wanted)
    check_rest(six, 6, before, wanted)


def test_a_stop_behind_the_last_step_of_an_epoch(photos: pathlib.Path, tmp_path: pathlib.Path) -> None:
    wanted = sorted(map(str, photos.rglob("*.jpg")))
    (tmp_path / "two").mkdir()
    job = Job(str(photos), tmp_path / "two", {})
    before = job.torchrun(2, stop_after=STEPS_OF_EPOCH)
    assert torch.load(tmp_path / "two" / "checkpoint.pt", weights_only=True)["epoch"] == 1
    after = job.torchrun(2)
    assert names_of(before + after, 0) == names_of(before + after, 1) == wanted
    beyond = [name for epoch, _, name in before + after if epoch > 1]
    assert len(set(beyond)) == len(beyond) < 24


def test_ranks_that_cannot_share_a_batch_are_refused_at_once(tmp_path: pathlib.Path) -> None:
    arguments = ["--store", str(tmp_path), "--checkpoint", str(tmp_path / "checkpoint.pt")]
    refused = run_program(
        [sys.executable, str(FOLDER / "train_torchrun.py"), *arguments], 120, {**os.environ, "WORLD_SIZE": "5", "RANK": "0"}
    )
    assert refused.returncode == 1 and "5 ranks cannot share a batch of 24" in refused.stderr
    if importlib.util.find_spec("ray") is not None:
        refused = run_program([sys.executable, str(FOLDER / "train_ray.py"), *arguments, "--ranks", "5"], 120)
        assert refused.returncode == 1 and "5 ranks cannot share a batch of 24" in refused.stderr
    make_photos(tmp_path / "photos", 3)
    check = "import sys, ranks; ranks.check_data(sys.argv[1], int(sys.argv[2]))"
    for count in (3, 4):
        run = run_program([sys.executable, "-c", check, str(tmp_path / "photos"), str(count)], 120, cwd=FOLDER)
        assert (run.returncode == 0) == (count == 3), run.stderr
    assert "from 1 to the number of samples, 3" in run.stderr


@pytest.fixture
def server(photos: pathlib.Path, tmp_path: pathlib.Path) -> Iterator[s3_server.S3Server]:
    (tmp_path / "s3").mkdir()
    server = s3_server.S3Server(tmp_path / "s3")
    server.put_folder("photos", photos)
    yield server
    server.stop()


@pytest.fixture
def host(tmp_path: pathlib.Path) -> Iterator[daemon_host.Host]:
    """With its daemon, where the program is installed: the cache that the ranks share."""
    made = daemon_host.Host(tmp_path / "home")
    if daemon_host.PROGRAM is not None:
        made.start()
    yield made
    if made.daemon is not None:
        made.end()


@pytest.mark.nightly
@pytest.mark.skipif(s3_server.program() is None, reason="versitygw is not installed")
def test_over_s3_with_three_and_with_six(
    photos: pathlib.Path, server: s3_server.S3Server, host: daemon_host.Host, tmp_path: pathlib.Path
) -> None:
    wanted = sorted(f"s3://photos/{path.relative_to(photos)}" for path in photos.rglob("*.jpg"))
    (tmp_path / "four").mkdir()
    job = Job("s3://photos", tmp_path / "four", {**server.environment(), "FOREBAY_HOME": str(host.home)})
    before = four_ranks(job)
    check_shares(before, wanted)
    six = job.copy("six")
    check_rest(job, 3, before, wanted)
    check_rest(six, 6, before, wanted)
    if host.daemon is not None:
        sizes = [path.stat().st_size for path in photos.rglob("*.jpg")]
        assert host.status()["upstream_bytes"] == sum(sizes), "13 ranks have read them, and each was fetched once"


@pytest.fixture
def short_folder() -> Iterator[pathlib.Path]:
    """For sockets, whose paths are short."""
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        yield pathlib.Path(folder)


@pytest.fixture
def under_ray(tmp_path: pathlib.Path, short_folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pathlib.Path]:
    """A job's folder, which must hold none of Ray's in the end."""
    pytest.importorskip("ray", reason="ray is not installed")
    monkeypatch.setenv("HOME", str(tmp_path))  # where Ray keeps its key
    monkeypatch.setenv("RAY_TMPDIR", str(short_folder))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    folder = tmp_path / "four"
    folder.mkdir()
    yield folder
    assert {path.name for path in folder.iterdir() if path.is_dir()} == set(), "Ray's folders are removed"


@pytest.mark.nightly
def test_ray_goes_on_from_torchrun(photos: pathlib.Path, under_ray: pathlib.Path) -> None:
    job = Job(str(photos), under_ray, {})
    before = four_ranks(job)
    check_rest(job, 3, before, sorted(map(str, photos.rglob("*.jpg"))), Job.ray)


@pytest.mark.nightly
def test_ray_with_four_ranks_then_six(photos: pathlib.Path, under_ray: pathlib.Path) -> None:
    wanted = sorted(map(str, photos.rglob("*.jpg")))
    job = Job(str(photos), under_ray, {})
    before = four_ranks(job, Job.ray)
    check_shares(before, wanted)
    check_rest(job, 6, before, wanted, Job.ray)
