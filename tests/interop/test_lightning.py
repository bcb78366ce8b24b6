"""Lightning's trainer over a data set of a pipeline: from every checkpoint it goes on as if nothing had been."""

from __future__ import annotations

import importlib.util
import pathlib
from typing import Any

import pytest

if importlib.util.find_spec("lightning") is None:
    pytest.skip("lightning is not installed", allow_module_level=True)

import lightning  # noqa: E402
import torch  # noqa: E402
from lightning.pytorch.callbacks import ModelCheckpoint  # noqa: E402

from forebay import fn, pipeline_def  # noqa: E402
from forebay.plugin.pytorch import DALIGenericIterator, IterableDataset, LastBatchPolicy  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # Lightning's advice on workers

FILES = 10
EPOCHS = 3
STEPS = 3  # of an epoch


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


class Data(lightning.LightningDataModule):  # type: ignore[misc, unused-ignore]
    """As `examples/frameworks/train_lightning.py` has it; `with_loader` in a DataLoader."""

    def __init__(self, batches: IterableDataset[Any], with_loader: bool = False) -> None:
        super().__init__()
        self.batches = batches
        self._given = torch.utils.data.DataLoader(batches, batch_size=None) if with_loader else batches

    def train_dataloader(self) -> Any:
        return self._given

    def state_dict(self) -> dict[str, Any]:
        return self.batches.state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.batches.load_state_dict(state_dict)


class Model(lightning.LightningModule):  # type: ignore[misc, unused-ignore]
    """Keeps what it has seen."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.seen: list[list[int]] = []
        self.epochs: list[int] = []  # batches of each
        self.validated: list[list[int]] = []

    def training_step(self, batch: Any, _: int) -> Any:
        self.seen.append(batch["label"].ravel().tolist())
        return self.layer(batch["label"].float()).mean()

    def on_train_epoch_end(self) -> None:
        self.epochs.append(len(self.seen) - sum(self.epochs))

    def on_validation_epoch_start(self) -> None:
        self.validated.append([])

    def validation_step(self, batch: Any, _: int) -> None:
        self.validated[-1] += batch["label"].ravel().tolist()

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), 0.1)


def fitted(train: Any, validation: Any = None, checkpoint: Any = None, callbacks: Any = (), **named: Any) -> Model:
    trainer = lightning.Trainer(
        accelerator="cpu", devices=1, max_epochs=EPOCHS, logger=False, enable_checkpointing=bool(callbacks),
        callbacks=list(callbacks), enable_progress_bar=False, enable_model_summary=False, **named,
    )
    model = Model()
    trainer.fit(model, train, validation, ckpt_path=checkpoint)
    return model


@pytest.mark.parametrize("with_loader", [False, True])
def test_every_checkpoint_goes_on(with_loader: bool, files: list[str], tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "checkpoints"
    amid = ModelCheckpoint(folder, "amid-{step}", every_n_train_steps=2, save_top_k=-1, save_on_train_epoch_end=False)
    end = ModelCheckpoint(folder, "end-{step}", every_n_epochs=1, save_top_k=-1)
    whole = fitted(Data(numbers(files), with_loader), callbacks=(amid, end))
    assert whole.epochs == [STEPS] * EPOCHS
    assert all(sorted(sum(whole.seen[place : place + STEPS], [])) == list(range(FILES)) for place in (0, 3, 6))
    checkpoints = {path: int(path.stem.partition("=")[2]) for path in folder.iterdir()}
    assert sorted(checkpoints.values()) == [2, 3, 4, 6, 6, 8, 9]
    for path, step in checkpoints.items():
        assert fitted(Data(numbers(files), with_loader), checkpoint=path).seen == whole.seen[step:], path


def test_a_run_leaves_the_data_set_usable(files: list[str]) -> None:
    batches = numbers(files)
    seen = [batch for _ in range(2) for batch in fitted(batches).seen]
    epochs = [sum(seen[place : place + STEPS], []) for place in range(0, len(seen), STEPS)]
    assert [sorted(labels) for labels in epochs] == [list(range(FILES))] * 2 * EPOCHS
    assert len({str(labels) for labels in epochs}) == 2 * EPOCHS and len(batches) == STEPS


def test_epochs_that_are_shorter_than_the_first(files: list[str]) -> None:
    filled = fitted(numbers(files, LastBatchPolicy.FILL))
    assert filled.epochs == [3, 2, 3]
    flat = sum(filled.seen, [])
    assert [sorted(flat[place : place + FILES]) for place in (0, 10, 20)] == [list(range(FILES))] * 3


def test_validation_that_is_cut_short_sees_the_same_each_time(files: list[str]) -> None:
    checked = fitted(numbers(files), numbers(files, rewind=True), num_sanity_val_steps=2)
    assert [len(labels) for labels in checked.validated] == [8, FILES, FILES, FILES]
    limited = fitted(numbers(files), numbers(files, rewind=True), num_sanity_val_steps=0, limit_val_batches=2)
    assert len({str(labels) for labels in limited.validated}) == 1 and len(limited.validated) == EPOCHS
