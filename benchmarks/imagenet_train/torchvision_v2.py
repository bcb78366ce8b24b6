"""torchvision's tensor path (decode_jpeg and transforms.v2) in a PyTorch DataLoader."""

import contender
import torch
import torchvision
from torchvision.transforms import v2

import torch_loader

ENVIRONMENT = "torch"


class Pictures(torch.utils.data.Dataset):
    def __init__(self, work):
        self.work = work
        crop = v2.Resize((contender.SIZE, contender.SIZE), antialias=True)
        random = [v2.RandomResizedCrop(contender.SIZE, antialias=True), v2.RandomHorizontalFlip()]
        self.transform = v2.Compose([
            *([crop] if work.checked else random),
            v2.ToDtype(torch.float32),
            v2.Normalize(contender.MEAN, contender.STD),
        ])

    def __len__(self):
        return len(self.work.files)

    def __getitem__(self, index):
        data = torchvision.io.read_file(self.work.files[index])
        image = torchvision.io.decode_jpeg(data, mode=torchvision.io.ImageReadMode.RGB)
        if self.work.checked:
            top, left, height, width = contender.window(*image.shape[1:])
            image = image[:, top : top + height, left : left + width]
        return self.transform(image)


if __name__ == "__main__":
    contender.loader(lambda work: torch_loader.open_loader(work, Pictures(work)),
                     lambda: {"torch": torch.__version__, "torchvision": torchvision.__version__})
