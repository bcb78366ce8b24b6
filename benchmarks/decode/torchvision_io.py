"""torchvision's decode_image."""

import pathlib

import contender
import numpy
import torch
import torchvision

ENVIRONMENT = "torch"


FORMATS = {b"\xff\xd8", b"\x89P", b"RI"}  # JPEG, PNG, WebP


def prepare(task):
    first = min(pathlib.Path(task["row"]["folder"]).iterdir())
    with first.open("rb") as file:
        is_known = file.read(2) in FORMATS
    return contender.each_picture(decoder)(task) if is_known else None


def decoder():
    torch.set_num_threads(1)
    mode = torchvision.io.ImageReadMode.RGB

    def decode(data):
        tensor = torch.from_numpy(numpy.frombuffer(data, numpy.uint8).copy())
        return torchvision.io.decode_image(tensor, mode=mode).permute(1, 2, 0)

    return decode


if __name__ == "__main__":
    contender.calls(prepare, lambda: {"torchvision": torchvision.__version__})
