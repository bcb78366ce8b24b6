"""Trains a small network through torchvision's transforms, both ways: in a PyTorch DataLoader, and as a loader.

    python examples/train_transforms.py [FOLDER] [--photos N] [--steps N] [--out FOLDER]

FOLDER holds one folder a class; without it a data set is made in --out (demo/). Both ways give the same bits, so both
networks see the same pictures and end with the same weights; the time differs. Needs PyTorch.
"""

import argparse
import itertools
import os
import pathlib
import sys
import time

from make_photos import make_photos

from forebay import transforms

try:
    import torch
except ImportError:
    sys.exit("this example needs PyTorch: install the package 'torch'")

SIZE = 96
BATCH = 16
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def augment():
    return transforms.Compose([
        transforms.RandomResizedCrop(SIZE, scale=(0.3, 1.0)),
        transforms.RandomHorizontalFlip(),
        transforms.ColorJitter(0.2, 0.2, 0.2),
        transforms.ToTensor(),
        transforms.Normalize(MEAN, STD),
        transforms.RandomErasing(0.2),
    ], seed=1)


class Pictures(torch.utils.data.Dataset):
    """Files and their classes, as torchvision's ImageFolder has them."""

    def __init__(self, folder):
        classes = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
        self.samples = [(str(path), number) for number, name in enumerate(classes)
                        for path in sorted((pathlib.Path(folder) / name).iterdir())]
        self.classes = classes

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        path, label = self.samples[index]
        return pathlib.Path(path).read_bytes(), label


def network(classes):
    torch.manual_seed(1)
    torch.use_deterministic_algorithms(True)
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 8, stride=8), torch.nn.ReLU(), torch.nn.Conv2d(16, 32, 3), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(32, classes),
    )


def train(what, batches, classes, steps):
    """A network after so many steps, and its losses."""
    model = network(classes)
    optimizer = torch.optim.Adam(model.parameters(), 0.003)
    losses = []
    begun = time.perf_counter()
    for images, labels in itertools.islice(batches, steps):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    seconds = time.perf_counter() - begun
    print(f"{what}: {len(losses)} steps in {seconds:.1f} s, loss {losses[0]:.3f} to {losses[-1]:.3f}")
    return losses


def epochs_one_by_one(dataset):
    """The drop-in: the transform of a data set, in workers of a DataLoader. Each epoch in the order of the files."""
    indexed = transforms.Indexed(dataset, augment())
    for epoch in itertools.count():
        indexed.set_epoch(epoch)
        yield from torch.utils.data.DataLoader(indexed, batch_size=BATCH, num_workers=2)


def epochs_of_a_loader(dataset):
    """The same Compose as one pipeline."""
    loader = transforms.Loader(dataset, augment(), batch_size=BATCH)
    while True:
        yield from loader


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--photos", type=int, default=128)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo"))
    arguments = parser.parse_args()
    folder = arguments.folder or arguments.out / "photos_for_transforms"
    if arguments.folder is None:
        make_photos(folder, arguments.photos)
    dataset = Pictures(folder)
    classes = len(dataset.classes)
    one_by_one = train("in a DataLoader", epochs_one_by_one(dataset), classes, arguments.steps)
    whole = train("as a loader", epochs_of_a_loader(dataset), classes, arguments.steps)
    if one_by_one != whole:
        sys.exit("the losses differ, so the pictures did")
    print("the same losses to the bit")


if __name__ == "__main__":
    main()
