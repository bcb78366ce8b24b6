"""torchvision's transforms.v2 on images of Pillow."""

import contender
import PIL
import torch
import torch_loader
import torchvision
import transform_steps
from PIL import Image
from torchvision.transforms import v2

ENVIRONMENT = "torch"


class Pictures(torch.utils.data.Dataset):
    def __init__(self, work):
        self.work = work
        to_floats = [v2.ToImage(), v2.ToDtype(torch.float32, scale=True)]
        self.transform = v2.Compose(transform_steps.steps(v2, work.checked, to_floats))

    def __len__(self):
        return len(self.work.files)

    def __getitem__(self, index):
        with open(self.work.files[index], "rb") as file:
            image = Image.open(file).convert("RGB")
        if self.work.checked:
            top, left, height, width = contender.window(image.height, image.width)
            image = image.crop((left, top, left + width, top + height))
        return self.transform(image)


if __name__ == "__main__":
    contender.loader(lambda work: torch_loader.open_loader(work, Pictures(work)),
                     lambda: {"torchvision": torchvision.__version__, "pillow": PIL.__version__})
