"""Forebay's Compose as the transform of a data set in a PyTorch DataLoader; it decodes the files, too."""

import pathlib

import forebay_steps
import contender
import torch
import torch_loader

import forebay

ENVIRONMENT = "torch"


class Pictures(torch.utils.data.Dataset):
    def __init__(self, work):
        self.files = work.files
        self.transform = forebay_steps.compose(work)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return self.transform(pathlib.Path(self.files[index]).read_bytes())


if __name__ == "__main__":
    contender.loader(lambda work: torch_loader.open_loader(work, Pictures(work)),
                     lambda: {"forebay": forebay.__version__, "torch": torch.__version__})
