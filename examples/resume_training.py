"""Trains a small classifier with PyTorch. Killed at any moment (kill -9) and started again, it goes on to the same bits.

    python examples/resume_training.py [--out FOLDER] [--photos N] [--epochs N] [--every STEPS]

The checkpoint holds the network, the optimizer and the place in the data, taken behind the same step, and is replaced as
a whole. What was trained on since the last one is lost with its samples, so the network that goes on sees each sample
once an epoch. Leaves in --out (demo/) the losses over all steps as a curve that shows where it went on.
"""

import argparse
import os
import pathlib

import torch
from drawing import curve
from make_photos import CLASSES, make_photos

from forebay import fn, pipeline_def, types
from forebay.plugin.pytorch import DALIClassificationIterator, LastBatchPolicy

BATCH = 16
SIZE = 32
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]


@pipeline_def(batch_size=BATCH, num_threads=2, device_id=None, seed=1)
def pictures(folder):
    files, labels = fn.readers.file(file_root=str(folder), random_shuffle=True, pad_last_batch=True, name="reader")
    images = fn.resize(fn.decoders.image_random_crop(files), size=(SIZE, SIZE))
    images = fn.crop_mirror_normalize(images, mirror=fn.random.coin_flip(), dtype=types.FLOAT, mean=MEAN, std=STD)
    return images, labels


def small_network():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 5, stride=2), torch.nn.ReLU(), torch.nn.Conv2d(16, 32, 3, stride=2), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(32, len(CLASSES)),
    )


class Job:
    """All that a checkpoint holds: `parts` have a state of their own, `told` is what the steps so far have been."""

    def __init__(self, folder, path):
        self.path = path
        self.pipeline = pictures(folder)
        self.batches = DALIClassificationIterator(self.pipeline, reader_name="reader", auto_reset=True, squeeze_labels=True,
                                                  last_batch_policy=LastBatchPolicy.PARTIAL)  # each sample once an epoch
        torch.manual_seed(1)
        self.network = small_network()
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=0.003)
        self.parts = {"network": self.network, "optimizer": self.optimizer, "data": self.batches}
        self.told = {"epoch": 0, "steps": [], "went_on": []}  # a step: its epoch, loss and samples
        if path.exists():
            whole = torch.load(path, weights_only=True)
            self.told = whole.pop("told")
            for name, state in whole.items():
                self.parts[name].load_state_dict(state)
            self.told["went_on"].append(len(self.told["steps"]))
            print(f"goes on behind step {len(self.told['steps'])}, in epoch {self.told['epoch'] + 1}", flush=True)

    def save(self):
        partial = self.path.with_suffix(".part")
        torch.save({"told": self.told, **{name: part.state_dict() for name, part in self.parts.items()}}, partial)
        os.replace(partial, self.path)

    def step(self, batch):
        images, labels = batch["data"], batch["label"]
        loss = torch.nn.functional.cross_entropy(self.network(images), labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        samples = [sample["object"] for sample in self.pipeline.delivered()[: len(labels)]]
        self.told["steps"].append((self.told["epoch"], loss.item(), samples))
        print(f"step {len(self.told['steps'])}: loss {loss.item():.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo/resume"))
    parser.add_argument("--photos", type=int, default=203)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--every", type=int, default=4, metavar="STEPS", help="a checkpoint after so many steps")
    arguments = parser.parse_args()
    make_photos(arguments.out / "photos", arguments.photos)
    job = Job(arguments.out / "photos", arguments.out / "checkpoint.pt")
    for epoch in range(job.told["epoch"], arguments.epochs):
        job.told["epoch"] = epoch
        for (batch,) in job.batches:
            job.step(batch)
            if len(job.told["steps"]) % arguments.every == 0:
                job.save()
        seen = [name for of, _, samples in job.told["steps"] if of == epoch for name in samples]
        print(f"epoch {epoch + 1}: {len(seen)} samples, {len(set(seen))} different ones")
    job.told["epoch"] = arguments.epochs
    job.save()
    marks = [(place, "killed; went on") for place in job.told["went_on"]]
    curve([loss for _, loss, _ in job.told["steps"]], arguments.out / "loss.png", "loss of each step", marks)


if __name__ == "__main__":
    main()
