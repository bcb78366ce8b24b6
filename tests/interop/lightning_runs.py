"""Runs of Lightning's trainer that keep what they have seen, for test_lightning.py."""

from __future__ import annotations

from typing import Any

import lightning
import torch
from lightning.pytorch.callbacks import ModelCheckpoint

from forebay.plugin.pytorch import IterableDataset

EPOCHS = 3


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


def savers(folder: Any) -> list[Any]:
    """Checkpoints amid epochs, and at their ends."""
    amid = ModelCheckpoint(folder, "amid-{step}", every_n_train_steps=2, save_top_k=-1, save_on_train_epoch_end=False)
    return [amid, ModelCheckpoint(folder, "end-{step}", every_n_epochs=1, save_top_k=-1)]
