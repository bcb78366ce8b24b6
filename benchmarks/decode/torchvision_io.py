"""torchvision's decode_image."""

import contender
import numpy
import torch
import torchvision

ENVIRONMENT = "torch"


def prepare():
    torch.set_num_threads(1)
    mode = torchvision.io.ImageReadMode.RGB

    def decode(data):
        tensor = torch.from_numpy(numpy.frombuffer(data, numpy.uint8).copy())
        return torchvision.io.decode_image(tensor, mode=mode).permute(1, 2, 0)

    return decode


if __name__ == "__main__":
    contender.calls(contender.each_picture(prepare), lambda: {"torchvision": torchvision.__version__})
