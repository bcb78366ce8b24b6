"""torchvision's transforms.v2 on tensors: decode_jpeg, then bytes as long as possible."""

import contender
import torch
import torch_loader
import torchvision
import transform_steps
from torchvision.transforms import v2

ENVIRONMENT = "torch"


class Pictures(torch.utils.data.Dataset):
    def __init__(self, work):
        self.work = work
        self.transform = v2.Compose(transform_steps.steps(v2, work.checked, [v2.ToDtype(torch.float32, scale=True)]))

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
                     lambda: {"torchvision": torchvision.__version__, "torch": torch.__version__})
