"""Lightning's trainer over a data set of a pipeline: from every checkpoint it goes on as if nothing had been."""

from __future__ import annotations

import importlib.util
import pathlib
from typing import Any

import pytest

if importlib.util.find_spec("lightning") is None:
    pytest.skip("lightning is not installed", allow_module_level=True)

from forebay import fn, pipeline_def  # noqa: E402
from forebay.plugin.pytorch import DALIGenericIterator, IterableDataset, LastBatchPolicy  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # Lightning's advice on workers

FILES = 10
STEPS = 3  # of an epoch


@pytest.fixture
def runs() -> Any:
    import lightning_runs  # takes seconds, so not in each process that looks for tests

    return lightning_runs


@pytest.fixture
def files(tmp_path: pathlib.Path) -> list[str]:
    paths = [tmp_path / f"{number}.bin" for number in range(FILES)]
    for path in paths:
        path.write_bytes(b"x")
    return [str(path) for path in paths]


def numbers(files: list[str], policy: LastBatchPolicy = LastBatchPolicy.PARTIAL, **named: Any) -> IterableDataset[Any]:
    @pipeline_def(batch_size=4, num_threads=1, seed=5)
    def pipeline() -> Any:
        padded = policy is not LastBatchPolicy.FILL
        return fn.readers.file(files=files, name="reader", random_shuffle=True, pad_last_batch=padded)[1]

    iterator = DALIGenericIterator(pipeline(), ["label"], reader_name="reader", last_batch_policy=policy)
    return IterableDataset(iterator, **named)


@pytest.mark.parametrize("with_loader", [False, True])
def test_every_checkpoint_goes_on(runs: Any, with_loader: bool, files: list[str], tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "checkpoints"
    whole = runs.fitted(runs.Data(numbers(files), with_loader), callbacks=runs.savers(folder))
    assert whole.epochs == [STEPS] * runs.EPOCHS
    assert all(sorted(sum(whole.seen[place : place + STEPS], [])) == list(range(FILES)) for place in (0, 3, 6))
    checkpoints = {path: int(path.stem.partition("=")[2]) for path in folder.iterdir()}
    assert sorted(checkpoints.values()) == [2, 3, 4, 6, 6, 8, 9]
    for path, step in checkpoints.items():
        resumed = runs.fitted(runs.Data(numbers(files), with_loader), checkpoint=path)
        assert resumed.seen == whole.seen[step:], path


def test_a_run_leaves_the_data_set_usable(runs: Any, files: list[str]) -> None:
    batches = numbers(files)
    seen = [batch for _ in range(2) for batch in runs.fitted(batches).seen]
    epochs: list[list[int]] = [sum(seen[place : place + STEPS], []) for place in range(0, len(seen), STEPS)]
    assert [sorted(labels) for labels in epochs] == [list(range(FILES))] * 2 * runs.EPOCHS
    assert len({str(labels) for labels in epochs}) == 2 * runs.EPOCHS and len(batches) == STEPS


def test_epochs_that_are_shorter_than_the_first(runs: Any, files: list[str]) -> None:
    filled = runs.fitted(numbers(files, LastBatchPolicy.FILL))
    assert filled.epochs == [3, 2, 3]
    flat: list[int] = sum(filled.seen, [])
    assert [sorted(flat[place : place + FILES]) for place in (0, 10, 20)] == [list(range(FILES))] * 3


def test_validation_that_is_cut_short_sees_the_same_each_time(runs: Any, files: list[str]) -> None:
    checked = runs.fitted(numbers(files), numbers(files, rewind=True), num_sanity_val_steps=2)
    assert [len(labels) for labels in checked.validated] == [8, FILES, FILES, FILES]
    limited = runs.fitted(numbers(files), numbers(files, rewind=True), num_sanity_val_steps=0, limit_val_batches=2)
    assert len({str(labels) for labels in limited.validated}) == 1 and len(limited.validated) == runs.EPOCHS
