"""Transforms of images, with the names, arguments and results of torchvision's `transforms.v2`.

    from forebay import transforms

    augment = transforms.Compose([
        transforms.RandomResizedCrop(224),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]),
    ], seed=1)

    dataset = ImageFolder("train", transform=augment)                           # image by image, in any data set
    loader = transforms.Loader("train", augment, batch_size=256, shuffle=True)  # or as one pipeline, faster

Both give the same bits for the same seed, epoch and sample. What is drawn comes from the library's random numbers, not
from torch's generator.
"""

from __future__ import annotations

from typing import Any

from ..suggestions import refuse_unknown
from . import functional as functional
from .batches import CutMix, MixUp
from .colors import (
    RGB,
    ColorJitter,
    Grayscale,
    RandomAdjustSharpness,
    RandomAutocontrast,
    RandomEqualize,
    RandomGrayscale,
    RandomInvert,
    RandomPosterize,
    RandomSolarize,
)
from .containers import Compose, Lambda, RandomApply, RandomChoice, RandomOrder
from .conversions import (
    ConvertImageDtype,
    Identity,
    LinearTransformation,
    Normalize,
    PILToTensor,
    ToDtype,
    ToImage,
    ToPILImage,
    ToPureTensor,
    ToTensor,
)
from .cropping import CenterCrop, FiveCrop, Pad, RandomCrop, RandomZoomOut, TenCrop
from .filters import GaussianBlur, GaussianNoise, RandomErasing
from .flips import RandomHorizontalFlip, RandomVerticalFlip
from .indexed import Indexed
from .interpolation import InterpolationMode
from .loader import Loader
from .policies import AugMix, AutoAugment, AutoAugmentPolicy, RandAugment, TrivialAugmentWide
from .resizing import RandomResize, RandomResizedCrop, RandomShortestSize, Resize, ScaleJitter
from .transform import Transform
from .warps import ElasticTransform, RandomAffine, RandomPerspective, RandomRotation

__all__ = [
    "AugMix",
    "AutoAugment",
    "AutoAugmentPolicy",
    "CenterCrop",
    "ColorJitter",
    "Compose",
    "ConvertImageDtype",
    "CutMix",
    "ElasticTransform",
    "FiveCrop",
    "GaussianBlur",
    "GaussianNoise",
    "Grayscale",
    "Identity",
    "Indexed",
    "InterpolationMode",
    "Lambda",
    "LinearTransformation",
    "Loader",
    "MixUp",
    "Normalize",
    "PILToTensor",
    "Pad",
    "RGB",
    "RandAugment",
    "RandomAdjustSharpness",
    "RandomAffine",
    "RandomApply",
    "RandomAutocontrast",
    "RandomChoice",
    "RandomCrop",
    "RandomEqualize",
    "RandomErasing",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomInvert",
    "RandomOrder",
    "RandomPerspective",
    "RandomPosterize",
    "RandomResize",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomShortestSize",
    "RandomSolarize",
    "RandomVerticalFlip",
    "RandomZoomOut",
    "Resize",
    "ScaleJitter",
    "TenCrop",
    "ToDtype",
    "ToImage",
    "ToPILImage",
    "ToPureTensor",
    "ToTensor",
    "Transform",
    "TrivialAugmentWide",
    "functional",
]

_BOXES = "images come here without boxes and points; a pipeline has fn.{0}"
_NOT_OFFERED = {
    "ClampBoundingBoxes": _BOXES.format("coord_transform and math.clamp"),
    "ClampKeyPoints": _BOXES.format("coord_transform and math.clamp"),
    "ConvertBoundingBoxFormat": _BOXES.format("coord_transform"),
    "RandomIoUCrop": _BOXES.format("ssd_random_crop and fn.random_bbox_crop"),
    "SanitizeBoundingBoxes": _BOXES.format("random_bbox_crop, which prunes boxes"),
    "SanitizeKeyPoints": _BOXES.format("coord_transform"),
    "SetClampingMode": _BOXES.format("coord_transform"),
    "JPEG": "a pipeline has fn.jpeg_compression_distortion",
    "RandomChannelPermutation": "take a Lambda",
    "RandomPhotometricDistort": "the nearest is ColorJitter",
    "UniformTemporalSubsample": "a pipeline has fn.sequence_rearrange",
}

_refuse = refuse_unknown("forebay.transforms", "transform", __all__)


def __getattr__(name: str) -> Any:
    if name in _NOT_OFFERED:
        raise AttributeError(f"forebay.transforms has no {name}: {_NOT_OFFERED[name]}")
    return _refuse(name)


def __dir__() -> list[str]:
    return sorted(__all__)
