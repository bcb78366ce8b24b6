"""Trains a small network with Lightning on pictures of a pipeline, and goes on amid an epoch from a checkpoint.

    python examples/frameworks/train_lightning.py [FOLDER] [--epochs N]

The trainer takes the data set itself, without a `DataLoader`. The data module keeps the place in the data in every
checkpoint: what is left of the epoch follows, then the next epoch, and no picture comes twice.
"""

import lightning
from lightning.pytorch.callbacks import ModelCheckpoint
from photo_pipeline import arguments_of, pictures, report
from torch_network import optimizer_of, scored, small_network

from forebay.plugin.pytorch import DALIClassificationIterator, IterableDataset, LastBatchPolicy


class Classifier(lightning.LightningModule):
    def __init__(self, classes):
        super().__init__()
        self.network = small_network(classes)
        self.steps, self.last_epoch = [], []

    def training_step(self, batch, _):
        loss, right = scored(self.network, batch["data"], batch["label"])
        self.steps.append((len(batch["label"]), loss.item(), right))
        return loss

    def on_train_epoch_end(self):
        report(self.current_epoch + 1, self.steps)
        self.last_epoch, self.steps = self.steps, []

    def configure_optimizers(self):
        return optimizer_of(self.network)


class Pictures(lightning.LightningDataModule):
    def __init__(self, folder):
        super().__init__()
        self.batches = IterableDataset(DALIClassificationIterator(
            pictures(folder, "CHW"), reader_name="reader", squeeze_labels=True,
            last_batch_policy=LastBatchPolicy.PARTIAL))

    def train_dataloader(self):
        return self.batches

    def state_dict(self):
        return self.batches.state_dict()

    def load_state_dict(self, state):
        self.batches.load_state_dict(state)


def trainer_of(epochs, callbacks=()):
    return lightning.Trainer(accelerator="cpu", devices=1, max_epochs=epochs, callbacks=list(callbacks), logger=False,
                             enable_checkpointing=bool(callbacks), enable_progress_bar=False,
                             enable_model_summary=False)


def main():
    folder, classes, epochs = arguments_of(__doc__)
    data = Pictures(folder)
    amid = (epochs - 1) * len(data.batches) + max(1, len(data.batches) // 2)
    saver = ModelCheckpoint("demo/lightning", filename="amid", every_n_train_steps=amid, enable_version_counter=False)
    first, second = Classifier(classes), Classifier(classes)
    trainer_of(epochs, [saver]).fit(first, data)
    print(f"from the checkpoint after {amid} steps:")
    trainer_of(epochs).fit(second, Pictures(folder), ckpt_path=saver.best_model_path)
    before = first.last_epoch[len(first.last_epoch) - len(second.last_epoch):]
    print("the same losses" if second.last_epoch == before else "other losses")


if __name__ == "__main__":
    main()
