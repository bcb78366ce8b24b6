"""torchvision's Pillow path (the classic ImageNet recipe) in a PyTorch DataLoader."""

import contender
import PIL
import torch
import torchvision
from PIL import Image
from torchvision import transforms

import torch_loader

ENVIRONMENT = "torch"
UNIT_MEAN, UNIT_STD = ([value / 255 for value in values] for values in (contender.MEAN, contender.STD))


class Pictures(torch.utils.data.Dataset):
    def __init__(self, work):
        self.work = work
        crop = transforms.Resize((contender.SIZE, contender.SIZE))
        random = [transforms.RandomResizedCrop(contender.SIZE), transforms.RandomHorizontalFlip()]
        self.transform = transforms.Compose([
            *([crop] if work.checked else random),
            transforms.ToTensor(),
            transforms.Normalize(UNIT_MEAN, UNIT_STD),
        ])

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
