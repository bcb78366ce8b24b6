"""Forebay's Loader: files, decoding and transforms as one pipeline."""

import forebay_steps
import contender
import torch

import forebay
from forebay import transforms

ENVIRONMENT = "torch"


class Files:
    def __init__(self, files):
        self.samples = [(path, 0) for path in files]


def open_loader(work):
    loader = transforms.Loader(
        Files(work.files), forebay_steps.compose(work), batch_size=work.batch_size, shuffle=not work.checked,
        num_threads=work.threads, drop_last=True,
    )
    return lambda: (images for images, _ in loader)


if __name__ == "__main__":
    contender.loader(open_loader, lambda: {"forebay": forebay.__version__, "torch": torch.__version__})
