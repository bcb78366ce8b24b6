"""Two epochs of a small classifier over torchvision's ImageFolder: image_folder_epochs.py FOLDER; prints the seconds.

A program as many write it: Pillow decodes, a DataLoader of two workers collates, and nothing in it knows what the
folder is.
"""

import json
import sys
import time

import torch
from torchvision import datasets, transforms

WORKERS = 2
BATCH_SIZE = 32
SIZE = 224
EPOCHS = 2


def small_network(classes: int) -> torch.nn.Module:
    layers = [torch.nn.Conv2d(3, 8, 7, stride=4), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(8, classes))


def train(loader: torch.utils.data.DataLoader, network: torch.nn.Module, optimizer: torch.optim.Optimizer) -> float:
    begin = time.perf_counter()
    for pictures, labels in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(network(pictures), labels).backward()
        optimizer.step()
    return time.perf_counter() - begin


def main(folder: str) -> None:
    torch.manual_seed(1)
    torch.set_num_threads(1)
    steps = transforms.Compose([transforms.Resize((SIZE, SIZE)), transforms.ToTensor()])
    data = datasets.ImageFolder(folder, steps)
    loader = torch.utils.data.DataLoader(data, BATCH_SIZE, shuffle=True, num_workers=WORKERS, persistent_workers=True)
    network = small_network(len(data.classes))
    optimizer = torch.optim.SGD(network.parameters(), 0.01)
    seconds = [train(loader, network, optimizer) for _ in range(EPOCHS)]
    print(json.dumps({"images": len(data), "seconds": seconds}))


if __name__ == "__main__":
    main(sys.argv[1])
