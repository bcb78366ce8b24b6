"""The same on images that Pillow decoded, as in a data set that is left as it is."""

import forebay_steps
import contender
import torch
import torch_loader
from PIL import Image

import forebay

ENVIRONMENT = "torch"


class Pictures(torch.utils.data.Dataset):
    def __init__(self, work):
        self.files = work.files
        self.transform = forebay_steps.compose(work)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        with open(self.files[index], "rb") as file:
            return self.transform(Image.open(file).convert("RGB"))


if __name__ == "__main__":
    contender.loader(lambda work: torch_loader.open_loader(work, Pictures(work)),
                     lambda: {"forebay": forebay.__version__, "torch": torch.__version__})
