"""torchvision's transforms.v2 of pictures with boxes, in a PyTorch DataLoader."""

import json
import pathlib
import sys

import contender
import torch
import torchvision
from torchvision import tv_tensors
from torchvision.transforms import v2

import torch_loader

sys.path.append(str(pathlib.Path(__file__).parent / "work"))
import ssd  # noqa: E402

ENVIRONMENT = "torch"
ANCHORS = torch.from_numpy(ssd.default_boxes())


def encode(boxes, labels):
    """The offsets and class of every default box: that of the box which it overlaps most, or is the best for."""
    size = ANCHORS[:, 2:] - ANCHORS[:, :2]
    offsets = torch.zeros_like(ANCHORS)
    classes = torch.zeros(len(ANCHORS), dtype=torch.int32)
    if not len(boxes):
        return offsets, classes
    shared = torchvision.ops.box_iou(boxes, ANCHORS)
    best, matched = shared.max(dim=0)
    own = shared.max(dim=1).indices
    best[own] = 2.0
    matched[own] = torch.arange(len(boxes))
    has_box = best > ssd.CRITERIA
    found = boxes[matched]
    extent = found[:, 2:] - found[:, :2]
    center = (found[:, :2] + found[:, 2:] - ANCHORS[:, :2] - ANCHORS[:, 2:]) / 2
    all_offsets = torch.cat([center / size, torch.log(extent / size)], dim=1) / torch.tensor(ssd.STDS)
    offsets[has_box] = all_offsets[has_box]
    classes[has_box] = labels[matched][has_box]
    return offsets, classes


class Pictures(torch.utils.data.Dataset):
    def __init__(self, work):
        described = json.loads((pathlib.Path(work.files[0]).parent / "annotations.json").read_text())
        place_of = {image["id"]: place for place, image in enumerate(described["images"])}
        self.objects = [[] for _ in described["images"]]
        for one in described["annotations"]:
            self.objects[place_of[one["image_id"]]].append(one)
        self.files = work.files
        random = [v2.RandomIoUCrop(), v2.RandomHorizontalFlip()]
        colors = [v2.ColorJitter(brightness=0.125, contrast=0.5, saturation=0.5, hue=ssd.HUE / 360)]
        self.transform = v2.Compose([
            *([v2.RandomHorizontalFlip(1.0)] if work.checked else random),
            v2.Resize((ssd.SIZE, ssd.SIZE), antialias=True),
            *([] if work.checked else colors),
            v2.SanitizeBoundingBoxes(),
            v2.ToDtype({tv_tensors.Image: torch.float32, "others": None}),
            v2.Normalize(contender.MEAN, contender.STD),
        ])

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        data = torchvision.io.read_file(self.files[index])
        image = torchvision.io.decode_jpeg(data, mode=torchvision.io.ImageReadMode.RGB)
        corners = torch.tensor([one["bbox"] for one in self.objects[index]]).reshape(-1, 4)
        corners[:, 2:] += corners[:, :2]
        boxes = tv_tensors.BoundingBoxes(corners, format="XYXY", canvas_size=image.shape[1:])
        labels = torch.tensor([one["category_id"] for one in self.objects[index]], dtype=torch.int32)
        made = self.transform({"image": tv_tensors.Image(image), "boxes": boxes, "labels": labels})
        return made["image"], *encode(made["boxes"] / ssd.SIZE, made["labels"])


def open_loader(work):
    epochs = torch_loader.open_loader(work, Pictures(work))

    def epoch():
        for images, offsets, classes in epochs():
            yield ssd.joined(images.numpy(), offsets.numpy(), classes.numpy()) if work.checked else images

    return epoch


if __name__ == "__main__":
    contender.loader(open_loader, lambda: {"torch": torch.__version__, "torchvision": torchvision.__version__})
