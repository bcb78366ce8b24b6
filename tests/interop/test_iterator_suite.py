"""One suite that the iterators of all frameworks pass: what is in iterator_frameworks.py, case by case."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib.util
import logging
import math
import os
import pathlib
import re
import sys
from collections.abc import Callable
from typing import Any

import iterator_frameworks
import numpy as np
import pytest
from iterator_frameworks import CASES, ROWS, Row, pipelines_of
from iterator_pipelines import Graph, batch_of, by_workers, epochs_of, files_of, read, reading, samples, sourced
from programs import run_program

import forebay
from forebay import fn, types
from forebay.plugin.base_iterator import LastBatchPolicy

FILL, DROP, PARTIAL = LastBatchPolicy.FILL, LastBatchPolicy.DROP, LastBatchPolicy.PARTIAL
HERE = pathlib.Path(__file__).parent
covered: set[str] = set()


def case(name: str, marks: Any = ()) -> Callable[[Any], Any]:
    """The test runs for every row that the case is for."""
    covered.add(name)
    rows = [row for row in ROWS if name not in row.not_for]
    return pytest.mark.parametrize("row", [pytest.param(row, id=row.name, marks=marks) for row in rows])


@pytest.fixture(autouse=True)
def installed(request: pytest.FixtureRequest) -> None:
    """Frameworks that are missing are skipped by name."""
    if "row" in request.fixturenames:
        pytest.importorskip(request.getfixturevalue("row").module, exc_type=ImportError)


@pytest.fixture(scope="module")
def seven(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return files_of(tmp_path_factory.mktemp("numbered"), 7)


def state_behind(row: Row, made: Any, batches: int) -> list[dict[str, Any]]:
    """The states behind so many batches of as many passes as these take."""
    states = []
    while len(states) < batches:
        for _ in made:
            states.append(row.saved(made).state_dict())
            if len(states) == batches:
                break
    return states


SIZES = [(7, 2), (6, 2), (3, 4)]


@case("epochs")
@pytest.mark.parametrize("policy", [FILL, DROP])
def test_epochs(row: Row, policy: LastBatchPolicy, seven: list[str]) -> None:
    for count, batch in SIZES:
        made = row.make(reading(seven[:count], batch), reader_name="reader", last_batch_policy=policy)
        for epoch in epochs_of(count, batch, policy, False, 3):
            lengths = set()
            found = []
            for each in made:
                lengths.add(len(row.saved(made)))
                found.append(row.labels(each))
            assert found == epoch
            assert lengths <= {len(epoch)}


@case("partial")
@pytest.mark.parametrize("padded", [False, True])
def test_partial_batches(row: Row, padded: bool, seven: list[str]) -> None:
    for count, batch in SIZES:
        graph = reading(seven[:count], batch, pad_last_batch=padded)
        made = row.make(graph, reader_name="reader", last_batch_policy=PARTIAL)
        assert [row.passed(made) for _ in range(3)] == epochs_of(count, batch, PARTIAL, padded, 3)


@case("padding")
def test_padding(row: Row, seven: list[str]) -> None:
    for count, batch in SIZES:
        for policy in (FILL, DROP):
            made = row.make(reading(seven[:count], batch, pad_last_batch=True), reader_name="reader", last_batch_policy=policy)
            assert [row.passed(made) for _ in range(2)] == epochs_of(count, batch, policy, True, 2)
    made = row.make(sourced(batch_of), size=5, last_batch_padded=True)
    assert [row.passed(made) for _ in range(2)] == [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]


BY_SIZE = {
    FILL: [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9]], [[10, 11], [12, 13], [14, 15]]],
    DROP: [[[0, 1], [2, 3]], [[6, 7], [8, 9]]],
    PARTIAL: [[[0, 1], [2, 3], [4]], [[6, 7], [8, 9], [10]]],
}


@case("size")
def test_given_sizes(row: Row) -> None:
    for policy, wanted in BY_SIZE.items():
        if policy is PARTIAL and "partial" in row.not_for:
            with pytest.raises(ValueError, match="PARTIAL"):
                row.make(sourced(batch_of), size=5, last_batch_policy=policy)
            continue
        made = row.make(sourced(batch_of), size=5, last_batch_policy=policy)
        assert [row.passed(made) for _ in wanted] == wanted


@case("reset")
def test_reset(row: Row, seven: list[str], caplog: pytest.LogCaptureFixture) -> None:
    whole = [[1, 2], [3, 4], [5, 6]]
    made = row.make(reading(seven[:6]), reader_name="reader")
    assert row.labels(next(made)) == whole[0]
    with caplog.at_level(logging.WARNING, "forebay"):
        made.reset()
    assert "before the end of the epoch" in caplog.text
    assert [row.labels(next(made)) for _ in range(2)] == whole[1:]
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(made)
    made.reset()
    assert row.passed(made) == whole
    for auto_reset in (True, "yes"):
        made = row.make(reading(seven[:6]), reader_name="reader", auto_reset=auto_reset)
        for _ in range(2):
            assert [row.labels(next(made)) for _ in range(3)] == whole
            with pytest.raises(StopIteration):
                next(made)


@case("left early")
def test_a_pass_that_is_left_early(row: Row, seven: list[str]) -> None:
    made = row.make(reading(seven[:6]), reader_name="reader")
    for batch in made:
        assert row.labels(batch) == [1, 2]
        break
    del batch
    gc.collect()
    assert [row.passed(made) for _ in range(2)] == [[[3, 4], [5, 6]], [[1, 2], [3, 4], [5, 6]]]


@case("resume")
@pytest.mark.parametrize("policy", [FILL, DROP, PARTIAL])
def test_resume(row: Row, policy: LastBatchPolicy, seven: list[str]) -> None:
    if policy is PARTIAL and "partial" in row.not_for:
        pytest.skip(row.not_for["partial"])

    def make() -> Any:
        return row.make(reading(seven, random_shuffle=True), reader_name="reader", last_batch_policy=policy)

    whole = make()
    wanted = [batch for _ in range(4) for batch in row.passed(whole)]
    states = state_behind(row, make(), 8)
    for place, state in enumerate(states, 1):
        resumed = make()
        row.saved(resumed).load_state_dict(state)
        found = [batch for _ in range(2) for batch in row.passed(resumed)]
        assert len(found) >= 3
        assert found == wanted[place : place + len(found)]
    with pytest.raises((ValueError, TypeError)):
        row.saved(whole).load_state_dict({"epochs": 3})


@case("checkpoint")
def test_checkpoints(row: Row, seven: list[str]) -> None:
    graph = reading(seven, random_shuffle=True)

    def make(**settings: Any) -> Any:
        return row.make(graph.with_settings(**settings), reader_name="reader")

    whole = make()
    wanted = [batch for _ in range(4) for batch in row.passed(whole)]
    made = make()
    states = []
    for _ in range(2):
        for _ in made:
            states.append(row.saved(made).checkpoints())
    for place, (checkpoint,) in enumerate(states, 1):
        found = row.passed(make(checkpoint=checkpoint))
        assert found and found == wanted[place : place + len(found)]


@case("two at once")
def test_two_iterators_at_once(row: Row, seven: list[str]) -> None:
    first = row.make(reading(seven[:6]), reader_name="reader")
    second = row.make(reading(seven[:6]), reader_name="reader")
    for _ in range(2):
        turns = [(row.labels(one), row.labels(other)) for one, other in zip(first, second, strict=True)]
        assert turns == [(batch, batch) for batch in ([1, 2], [3, 4], [5, 6])]


@case("error")
def test_an_error_in_the_pipeline(row: Row, seven: list[str]) -> None:
    made = row.make(reading(seven[:6], refused=3), reader_name="reader")
    for _ in range(2):
        steps = iter(made)
        assert row.labels(next(steps)) == [1, 2]
        with pytest.raises(Exception, match="the number 3 is refused"):
            next(steps)
        assert row.labels(next(steps)) == [5, 6]
        with pytest.raises(StopIteration):
            next(steps)


@case("early end")
def test_a_source_that_ends_early(row: Row) -> None:
    for named in ({"size": 20}, {}):
        made = row.make(sourced(samples(6), batch=False, cycle="raise"), **named)
        for _ in range(3):
            assert row.passed(made) == [[0, 1], [2, 3], [4, 5]]


@case("short batch")
def test_a_source_with_a_short_batch(row: Row) -> None:
    made = row.make(sourced(samples(5), batch=False, cycle="raise"))
    for _ in range(2):
        assert row.passed(made) == [[0, 1], [2, 3], [4]]


@case("several")
def test_several_pipelines(row: Row, seven: list[str]) -> None:
    graphs = [reading(seven[:6], 2, num_shards=2, shard_id=shard, pad_last_batch=True) for shard in range(2)]
    made = row.make(graphs, reader_name="reader", last_batch_policy=DROP)
    steps = [[part["label"].ravel().tolist() for part in row.parts(batch, 2)] for batch in made]
    assert steps == [[[1, 2], [4, 5]]]


def typed(dtype: Any) -> Any:
    def generate() -> Any:
        yield from ((np.array([number], dtype), np.int32([number])) for number in (0, 1))

    return sourced(generate, batch=False)


TYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]


@case("types")
def test_element_types(row: Row) -> None:
    for name in TYPES:
        named = {"dtype": np.dtype(name)} if row.framework == "tensorflow" else {}
        made = row.make(typed(name), **named)
        steps = iter(made)
        before = forebay.bytes_copied()
        (part,) = row.parts(next(steps), 1)
        assert part["data"].dtype == row.narrowed.get(name, name)
        assert part["data"].ravel().tolist() == [0, 1]
        if name in row.narrowed:
            assert forebay.bytes_copied() - before >= part["data"].nbytes


def drawn(files: list[str]) -> Any:
    label = fn.readers.file(files=files, labels=list(range(1, len(files) + 1)), name="reader")[1]
    return fn.random.uniform(range=(0.0, 1.0), shape=[64]), label


def bytes_copied_by(made: Any, row: Row) -> int:
    steps = iter(made)
    next(steps)
    before = forebay.bytes_copied()
    assert len(list(steps)) == 2
    return forebay.bytes_copied() - before


@case("copies")
def test_no_byte_is_copied(row: Row, seven: list[str]) -> None:
    made = row.make(Graph(drawn, {"files": seven[:6]}).with_settings(), reader_name="reader")
    assert bytes_copied_by(made, row) == 0
    if row.squeezed:
        made = row.make(reading(seven[:6]), reader_name="reader", squeeze_labels=True)
        assert bytes_copied_by(made, row) == (2 * 2 * 8 if row.squeezed == "int64" else 0)


@case("labels")
def test_labels_are_squeezed(row: Row, seven: list[str]) -> None:
    for squeezes, shape, dtype in ((True, (2,), row.squeezed), (False, (2, 1), "int32")):
        made = row.make(reading(seven[:6]), reader_name="reader", squeeze_labels=squeezes)
        for batch in made:
            (part,) = row.parts(batch, 1)
            assert (part["label"].shape, part["label"].dtype) == (shape, dtype)


@pytest.mark.parametrize("dtype", [types.UINT8, types.INT32, types.INT64])
def test_the_losses_of_mxnet_take_labels_as_they_are(dtype: Any, seven: list[str]) -> None:
    mxnet = pytest.importorskip("mxnet")
    from forebay.plugin.mxnet import DALIClassificationIterator

    def labelled() -> Any:
        data, label = read(seven[:6])
        return data, fn.cast(label, dtype=dtype)

    (batch,) = next(DALIClassificationIterator(pipelines_of(Graph(labelled).with_settings()), reader_name="reader"))
    labels = mxnet.nd.from_dlpack(batch.label[0].__dlpack__())
    assert labels.shape == (2,) and labels.dtype == np.dtype(dtype.name.lower())
    scores = mxnet.nd.array(np.eye(8)[[1, 3]])
    losses = mxnet.gluon.loss.SoftmaxCrossEntropyLoss()(scores, labels).asnumpy()
    assert losses[0] < losses[1], "the first is right: the labels are 1 and 2"
    metric = mxnet.metric.Accuracy()
    metric.update([labels], [scores])
    assert metric.get() == ("accuracy", 0.5)


LAZY = 8  # descriptors that the library and its workers may still make
SEGMENT = "memfd:forebay-source"  # in the maps of a worker that has made samples


def resident_bytes() -> int:
    """Of memory that is in use: what was freed goes back first."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    status = pathlib.Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmRSS:")[1].split()[0])


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def started() -> list[int]:
    """The processes below this one, also those of a fork server."""
    found = [os.getpid()]
    for process in found:  # which grows
        for thread in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
            with contextlib.suppress(OSError):  # it has ended
                found += map(int, thread.read_text().split())
    return found[1:]


def bytes_of_workers() -> dict[str, int]:
    """Of the processes that run sources: what only they have, and the memory for samples, which they share with this
    one."""
    own = 0
    segments: dict[str, int] = {}  # by inode
    for process in started():
        with contextlib.suppress(OSError):
            maps = pathlib.Path(f"/proc/{process}/maps").read_text()
            if SEGMENT not in maps:
                continue
            own += 1024 * int(pathlib.Path(f"/proc/{process}/status").read_text().split("RssAnon:")[1].split()[0])
            for line in maps.splitlines():
                if SEGMENT in line:
                    begin, end = (int(address, 16) for address in line.split()[0].split("-"))
                    segments[line.split()[4]] = end - begin
    return {"its workers": own, "samples": sum(segments.values())}


def check_flat(row: Row, before: int, epochs: int, slack: int, rounds: int) -> None:
    """The least of what rounds of so many epochs add, which is what leaks: other things grow once."""
    made = row.make(by_workers())
    wanted = [[0, 1], [2, 3], [4, 5], [6, 7]]

    def taken() -> dict[str, int]:
        return {"this process": resident_bytes(), **bytes_of_workers()}

    run_epochs(row, made, wanted, before)
    files, shared = descriptors(), set(os.listdir("/dev/shm"))
    assert min(taken().values()) > 0, "the worker was not found"
    grown: dict[str, float] = dict.fromkeys(taken(), math.inf)
    for _ in range(rounds):
        if max(grown.values()) >= slack:
            memory = taken()
            run_epochs(row, made, wanted, epochs)
            grown = {name: min(grown[name], now - memory[name]) for name, now in taken().items()}
    assert max(grown.values()) < slack, f"bytes in {epochs} epochs, {rounds} times: {grown}"
    assert descriptors() <= files + LAZY
    assert not {name for name in set(os.listdir("/dev/shm")) - shared if "forebay" in name}


def run_epochs(row: Row, made: Any, wanted: list[list[int]], count: int) -> None:
    for _ in range(count):
        assert row.passed(made) == wanted


FIRST = {row.framework: row for row in reversed(ROWS)}


@pytest.mark.parametrize("row", FIRST.values(), ids=FIRST)
def test_memory_is_flat(row: Row) -> None:
    check_flat(row, 30, 30, 1 << 20, rounds=4)


@case("memory", marks=pytest.mark.nightly)
def test_memory_is_flat_over_a_thousand_epochs(row: Row) -> None:
    check_flat(row, 200, 1000, 4 << 20, rounds=2)


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[int, str, list[str]]]:
    """Status, stderr and lines of iterator_processes.py, which runs once for a framework."""
    ended: dict[str, tuple[int, str, list[str]]] = {}

    def of(framework: str) -> tuple[int, str, list[str]]:
        if framework not in ended:
            command = [sys.executable, str(HERE / "iterator_processes.py"), framework, str(tmp_path_factory.mktemp("files"))]
            quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}  # TensorFlow's own words
            run = run_program(command, 240, quiet)
            ended[framework] = run.returncode, run.stderr, run.stdout.splitlines()
        return ended[framework]

    return of


@case("fork")
def test_a_forked_child(row: Row, processes: Any) -> None:
    _, errors, lines = processes(row.framework)
    assert f"{row.name}: fork holds" in lines, errors


@case("spawn")
def test_a_spawned_child(row: Row, processes: Any) -> None:
    _, errors, lines = processes(row.framework)
    assert f"{row.name}: spawn holds" in lines, errors


OURS = re.compile("forebay|Traceback|Exception ignored|Fatal", re.IGNORECASE)  # beside what frameworks say of themselves


@case("exit")
def test_the_end_of_the_interpreter(row: Row, processes: Any) -> None:
    status, errors, _ = processes(row.framework)
    assert status == 0 and not OURS.search(errors), errors


PYTEST = ["pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "forebay"]  # and `py`, a file


def test_the_real_peer_of_arrays(tmp_path: pathlib.Path) -> None:
    """MXNet needs an older NumPy, so its rows run once more in its environment, through its own arrays."""
    peers = pathlib.Path(__file__).resolve().parents[2] / ".peers"
    python = os.environ.get("FOREBAY_MXNET_PYTHON", str(peers / "mxnet" / "bin" / "python"))
    if not os.path.exists(python):
        pytest.skip("MXNet is absent")
    for name in PYTEST:
        found = importlib.util.find_spec(name)
        assert found is not None and found.origin is not None
        (tmp_path / name).symlink_to(pathlib.Path(found.origin).parent)
    (tmp_path / "py.py").symlink_to(pathlib.Path(pytest.__file__).parents[1] / "py.py")
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "mxnet and not memory", __file__]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("FOREBAY_TEST_MARKS", None)
    run = run_program(command, 240, environment)
    assert run.returncode == 0 and "passed" in run.stdout, run.stdout + run.stderr


def test_every_case_is_covered() -> None:
    assert covered == set(CASES)
    assert {case for row in ROWS for case in row.not_for} <= set(CASES)


def test_the_page_has_the_table() -> None:
    assert iterator_frameworks.page() == iterator_frameworks.PAGE.read_text(), (
        "docs/iterators.md is not up to date: run python tests/interop/iterator_frameworks.py --write"
    )
