"""A run that goes on with another number of ranks: every sample of every epoch once, with the bits it would have had."""

from __future__ import annotations

import itertools
import json
import pathlib
import subprocess
import sys
from typing import Any, Iterable

import daemon_host
import numpy as np
import pytest
import web_server
from daemon_host import Host
from places import take, value

from forebay import Pipeline, fn, pipeline_def, types
from forebay.plugin.base_iterator import LastBatchPolicy
from forebay.plugin.numpy import NumpyIterator

FILES = 31  # a prime, so that shards differ
BATCH = 3

Place = tuple[int, int]  # epoch, position


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("elastic")
    for number in range(FILES):
        (folder / f"{number:02}").write_bytes(bytes([number] * 5))
    return sorted(map(str, folder.iterdir()))


def make(
    files: list[str], shard: int, shards: int, *, shuffles: bool = True, keeps: bool = False, seed: int = 9,
    scale: float = 1.0, above: int = 4, checkpoint: list[str] | None = None, **reader: Any,
) -> Pipeline:
    @pipeline_def(batch_size=BATCH, num_threads=2, seed=seed, checkpoint=checkpoint)
    def pipeline() -> Any:
        _, labels = fn.readers.file(
            files=files, labels=list(range(len(files))), random_shuffle=shuffles, shard_id=shard, num_shards=shards,
            name="reader", **reader,
        )
        drawn = fn.random.uniform(range=[0.0, 1.0]) * scale
        outputs = (labels, drawn)
        return fn.keep(*outputs, where=labels % 5 < above) if keeps else outputs

    return pipeline()


def steps_of(pipeline: Pipeline, count: int) -> dict[Place, Any]:
    """What so many batches gave, by place; no place twice."""
    given: dict[Place, Any] = {}
    for _ in range(count):
        columns = [value(output) for output in pipeline.run()]
        for sample, *content in zip(pipeline.delivered(), *columns):
            place = (sample["epoch"], sample["position"])
            assert place not in given
            given[place] = content
    return given


def until(pipeline: Pipeline, epoch: int) -> dict[Place, Any]:
    """All that a rank gives up to the end of `epoch`."""
    given: dict[Place, Any] = {}
    while not given or max(given)[0] <= epoch:
        given |= steps_of(pipeline, 1)
    return {place: content for place, content in given.items() if place[0] <= epoch}


def states_of(pipelines: Iterable[Pipeline]) -> list[dict[str, Any]]:
    states: list[dict[str, Any]] = json.loads(json.dumps([pipeline.state_dict() for pipeline in pipelines]))
    return states


def add_all(given: dict[Place, Any], more: dict[Place, Any]) -> None:
    twice = given.keys() & more.keys()
    assert not twice, f"given twice: {sorted(twice)}"
    given.update(more)


WORLDS = [(4, 3, 6), (4, 6, 4), (1, 4, 2), (3, 1, 5), (2, 2, 3)]
STEPS = [(0, 0), (2, 1), (3, 4), (1, 9)]  # of a run's first and last rank, before each change


@pytest.mark.parametrize(("worlds", "steps", "shuffles", "keeps"),
                         list(itertools.product(WORLDS, STEPS, [False, True], [False, True])))
def test_no_sample_is_lost_or_comes_twice(
    files: list[str], worlds: tuple[int, ...], steps: tuple[int, int], shuffles: bool, keeps: bool
) -> None:
    """Twice in a row, in the middle of epochs, and from ranks that are not at the same step."""
    last = 4
    wanted = until(make(files, 0, 1, shuffles=shuffles, keeps=keeps), last)
    given: dict[Place, Any] = {}
    states: list[dict[str, Any]] = []
    for number, shards in enumerate(worlds):
        ranks = [make(files, shard, shards, shuffles=shuffles, keeps=keeps) for shard in range(shards)]
        for shard, rank in enumerate(ranks):
            if states:
                rank.load_state_dict(states)
            if number + 1 == len(worlds):
                add_all(given, until(rank, last))
            else:
                count = steps[0] + (steps[1] - steps[0]) * shard // max(1, shards - 1)
                add_all(given, steps_of(rank, count))
        states = states_of(ranks)[::-1]  # in any order
    beyond = {place for place in given if place[0] > last}
    assert {place: content for place, content in given.items() if place not in beyond} == wanted


def test_ranks_go_on_from_their_own_state_where_their_number_stays(files: list[str]) -> None:
    ranks = [make(files, shard, 3) for shard in range(3)]
    for count, rank in enumerate(ranks):
        steps_of(rank, count)
    states = states_of(ranks)
    for shard, rank in enumerate(ranks):
        other = make(files, shard, 3)
        other.load_state_dict(states)
        assert steps_of(other, 9) == steps_of(rank, 9)
        same = make(files, shard, 3)
        same.load_state_dict(states[shard])
        assert same.state_dict() == states[shard]


def test_checkpoints_of_all_ranks(files: list[str]) -> None:
    ranks = [make(files, shard, 2) for shard in range(2)]
    given: dict[Place, Any] = {}
    for rank in ranks:
        add_all(given, steps_of(rank, 2))
    texts = [json.dumps({"pipeline": state, "iterator": None}) for state in states_of(ranks)]
    for shard in range(3):
        other = make(files, shard, 3, checkpoint=texts)
        assert other.num_outputs and other.is_restored_from_checkpoint
        add_all(given, until(other, 0))
    assert given == until(make(files, 0, 1), 0)


def test_what_happens_to_a_sample_may_be_another(files: list[str]) -> None:
    before = make(files, 0, 1, keeps=True)
    steps_of(before, 3)
    state = before.state_dict()
    after = make(files, 0, 1, keeps=True, scale=10.0)
    after.load_state_dict(state)
    for place, (label, drawn) in steps_of(after, 5).items():
        assert np.allclose(drawn, 10 * np.asarray(make(files, 0, 1).replay(place[1], place[0])[1]).ravel())
        assert label[0] % 5 < 4


@pytest.mark.parametrize("change", [{"above": 3}, {"shuffles": False}, {"keeps": False}, {"stick_to_shard": True}])
def test_what_decides_the_order_may_not(files: list[str], change: dict[str, Any]) -> None:
    state = make(files, 0, 1, keeps=True).state_dict()
    with pytest.raises(RuntimeError, match="reads other samples or in another order"):
        make(files, 0, 1, **{"keeps": True, **change}).load_state_dict(state)


@pytest.mark.parametrize("name", ["stick_to_shard", "pad_last_batch", "shuffle_after_epoch"])
def test_shards_that_stay_are_refused_by_name(files: list[str], name: str) -> None:
    options: dict[str, Any] = {name: True, "shuffles": False}
    ranks = [make(files, shard, 2, **options) for shard in range(2)]
    other = make(files, 0, 3, **options)
    with pytest.raises(RuntimeError, match=f"'reader' has {name}"):
        other.load_state_dict(states_of(ranks))
    assert take(other, 9) == take(make(files, 0, 3, **options), 9)
    own = make(files, 1, 2, **options)
    take(ranks[1], 2)
    own.load_state_dict(states_of(ranks))
    assert own.state_dict() == ranks[1].state_dict()


def test_sources_of_python_are_refused_by_name(files: list[str]) -> None:
    def ranks(shards: int) -> list[Pipeline]:
        @pipeline_def(batch_size=BATCH, num_threads=1, seed=1)
        def pipeline(shard: int) -> Any:
            labels = fn.readers.file(files=files, shard_id=shard, num_shards=shards)[1]
            fed = fn.external_source(source=lambda info: np.int32([info.idx_in_epoch]), batch=False, name="mine")
            return labels, fed

        return [pipeline(shard) for shard in range(shards)]

    with pytest.raises(RuntimeError, match="external_source 'mine' cannot go on with another number of shards"):
        ranks(3)[0].load_state_dict(states_of(ranks(2)))


def test_states_that_are_not_of_one_run_are_refused(files: list[str]) -> None:
    ranks = [make(files, shard, 3) for shard in range(3)]
    states = states_of(ranks)
    other = make(files, 0, 2)
    for wrong, what in (
        (states[:2], "that of shard 2 is missing"),
        (states[1], "that of shard 0 is missing"),
        ([*states[:2], states[0]], "two of the states are of shard 0"),
        ([*states[:2], make(files, 2, 4).state_dict()], "not of one run"),
        ([*states[:2], make(files, 2, 3, seed=8).state_dict()], "seed 8"),
    ):
        with pytest.raises(RuntimeError, match=what):
            other.load_state_dict(wrong)
    for nothing in ([], "state", [3]):
        with pytest.raises((TypeError, ValueError)):
            other.load_state_dict(nothing)  # type: ignore[arg-type]
    assert steps_of(other, 9) == steps_of(make(files, 0, 2), 9)


@pytest.mark.parametrize("damage", [
    {"first_epoch": 3}, {"first_whole_epoch": 1 << 40}, {"left": [[0, 5, 4]]}, {"left": [[0, 0, FILES + 1]]},
    {"left": [[0, 4, 9], [0, 8, 12]]}, {"left": [[7, 0, 1]]}, {"left": [[0, 1]]}, {"left": 3}, {"left": [[0, -1, 2]]},
])
def test_a_damaged_begin_is_refused(files: list[str], damage: dict[str, Any]) -> None:
    state = make(files, 0, 1).state_dict()
    session = json.loads(state["session"])
    session["begin"] = {"first_epoch": 0, "first_whole_epoch": 1, "left": [[0, 3, 9]], **damage}
    with pytest.raises((ValueError, RuntimeError)):
        make(files, 0, 1).load_state_dict({**state, "session": json.dumps(session)})


def iterators(files: list[str], shards: int, policy: LastBatchPolicy) -> list[NumpyIterator]:
    return [
        NumpyIterator([make(files, shard, shards)], ["label", "drawn"], reader_name="reader", last_batch_policy=policy)
        for shard in range(shards)
    ]


def epoch_of(iterator: NumpyIterator) -> list[list[int]]:
    batches = []
    for batch in iterator:
        batches.append(batch[0]["label"].ravel().tolist())
    iterator.reset()
    return batches


@pytest.mark.parametrize("policy", list(LastBatchPolicy))
@pytest.mark.parametrize(("before", "after"), [(4, 3), (2, 5), (3, 1)])
def test_iterators_go_on_with_what_is_left_of_the_epoch(
    files: list[str], policy: LastBatchPolicy, before: int, after: int
) -> None:
    first = iterators(files, before, policy)
    seen: list[int] = []
    for iterator in first:
        for _ in range(2):
            seen += next(iterator)[0]["label"].ravel().tolist()
    states = json.loads(json.dumps([iterator.state_dict() for iterator in first]))
    second = iterators(files, after, policy)
    for iterator in second:
        iterator.load_state_dict(states)
    left = FILES - len(seen)
    shares = [(shard + 1) * left // after - shard * left // after for shard in range(after)]
    steps = {
        LastBatchPolicy.PARTIAL: -(-max(shares) // BATCH),
        LastBatchPolicy.FILL: -(-max(shares) // BATCH),
        LastBatchPolicy.DROP: min(shares) // BATCH,
    }[policy]
    assert [len(iterator) for iterator in second] == [steps] * after
    epochs = [epoch_of(iterator) for iterator in second]
    assert [len(batches) for batches in epochs] == [steps] * after
    given = [label for batches, share in zip(epochs, shares) for label in sum(batches, [])[:share]]
    assert len(set(given)) == len(given)
    assert not set(given) & set(seen)
    if policy is not LastBatchPolicy.DROP:
        assert sorted(given + seen) == list(range(FILES))
    whole = [epoch_of(iterator) for iterator in second]
    assert {len(batches) for batches in whole} == {len(whole[0])}


def test_iterators_with_a_size_are_refused(files: list[str]) -> None:
    def sized(shards: int) -> list[NumpyIterator]:
        return [NumpyIterator([make(files, shard, shards)], ["label", "drawn"], size=9) for shard in range(shards)]

    states = [iterator.state_dict() for iterator in sized(2)]
    other = sized(3)[0]
    with pytest.raises(ValueError, match="size=9 does not know what is left"):
        other.load_state_dict(states)
    same = sized(2)[1]
    same.load_state_dict(states)
    assert same.state_dict() == states[1]


# Arguments: a folder's URL, the rank and the number of ranks, and for how many steps it runs; 0: to the end of epoch 1.
# Reads the states of the ranks before it, prints what it gave and its own.
FAR_RANK = f"""
import json, sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
""" + """
from test_elastic_resume import far, steps_of, until
url, shard, shards, steps = sys.argv[1], *map(int, sys.argv[2:])
states = json.load(sys.stdin)
pipeline = far(url, shard, shards)
if states:
    pipeline.load_state_dict(states)
given = steps_of(pipeline, steps) if steps else until(pipeline, 1)
print(json.dumps([list(given.items()), pipeline.state_dict()]))
"""


@pipeline_def(batch_size=BATCH, num_threads=2, seed=9)
def far(url: str, shard: int, shards: int) -> Any:
    jpegs, labels = fn.readers.file(file_root=url, random_shuffle=True, shard_id=shard, num_shards=shards, name="reader")
    pictures = fn.resize(fn.decoders.image(jpegs), size=(8, 8))
    return labels, fn.reductions.sum(fn.cast(pictures, dtype=types.INT32))


def run_ranks(host: Host, url: str, shards: int, states: list[Any], steps: int) -> tuple[dict[Place, Any], list[Any]]:
    """All ranks at the same time, each a process; what they gave, and their states."""
    ranks = [
        subprocess.Popen([sys.executable, "-P", "-c", FAR_RANK, url, str(shard), str(shards), str(steps)],
                         env=host.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for shard in range(shards)
    ]
    given: dict[Place, Any] = {}
    after = []
    for rank in ranks:
        said, _ = rank.communicate(json.dumps(states))
        assert rank.returncode == 0
        samples, state = json.loads(said)
        add_all(given, {tuple(place): content for place, content in samples})
        after.append(state)
    return given, after


@pytest.mark.skipif(daemon_host.PROGRAM is None, reason="the program is not installed beside Python")
@pytest.mark.skipif(web_server.program() is None, reason="nginx is not installed")
def test_over_a_hosts_cache_that_restarts(host: Host, server: web_server.WebServer, tmp_path: pathlib.Path) -> None:
    """Four ranks, then three: no sample is lost or comes twice, and what the first ones gave is not fetched again. What
    they had asked for and not yet got is: nobody waits for it when they end."""
    requests = tmp_path / "web" / "requests"
    wanted, _ = run_ranks(host, server.url(), 1, [], 0)  # without a cache
    host.start()
    given, states = run_ranks(host, server.url(), 4, [], 2)
    host.end()
    delivered = len(given)
    before = len(requests.read_text().splitlines())
    host.start()
    more, _ = run_ranks(host, server.url(), 3, states, 0)
    add_all(given, more)
    host.end()
    asked = [line for line in requests.read_text().splitlines()[before:] if '"GET' in line and ".jpg " in line]
    assert delivered == 4 * 2 * BATCH
    assert len(asked) <= 37 - delivered
    assert {place: content for place, content in given.items() if place[0] <= 1} == wanted
