"""The pairs of operations that AutoAugment's search found on three data sets (Cubuk et al., "AutoAugment: learning
augmentation strategies from data", CVPR 2019, appendix), in the reading of torchvision: an operation, its probability
and its magnitude of 10 bins."""

from __future__ import annotations

__all__ = ["POLICIES", "Step"]

Step = tuple[str, float, int]

_IMAGENET = """
posterize 0.4 8, rotate 0.6 9
solarize 0.6 5, autocontrast 0.6 0
equalize 0.8 0, equalize 0.6 0
posterize 0.6 7, posterize 0.6 6
equalize 0.4 0, solarize 0.2 4
equalize 0.4 0, rotate 0.8 8
solarize 0.6 3, equalize 0.6 0
posterize 0.8 5, equalize 1.0 0
rotate 0.2 3, solarize 0.6 8
equalize 0.6 0, posterize 0.4 6
rotate 0.8 8, saturation 0.4 0
rotate 0.4 9, equalize 0.6 0
equalize 0.0 0, equalize 0.8 0
invert 0.6 0, equalize 1.0 0
saturation 0.6 4, contrast 1.0 8
rotate 0.8 8, saturation 1.0 2
saturation 0.8 8, solarize 0.8 7
sharpness 0.4 7, invert 0.6 0
shear_x 0.6 5, equalize 1.0 0
saturation 0.4 0, equalize 0.6 0
equalize 0.4 0, solarize 0.2 4
solarize 0.6 5, autocontrast 0.6 0
invert 0.6 0, equalize 1.0 0
saturation 0.6 4, contrast 1.0 8
equalize 0.8 0, equalize 0.6 0
"""

_CIFAR10 = """
invert 0.1 0, contrast 0.2 6
rotate 0.7 2, translate_x 0.3 9
sharpness 0.8 1, sharpness 0.9 3
shear_y 0.5 8, translate_y 0.7 9
autocontrast 0.5 0, equalize 0.9 0
shear_y 0.2 7, posterize 0.3 7
saturation 0.4 3, brightness 0.6 7
sharpness 0.3 9, brightness 0.7 9
equalize 0.6 0, equalize 0.5 0
contrast 0.6 7, sharpness 0.6 5
saturation 0.7 7, translate_x 0.5 8
equalize 0.3 0, autocontrast 0.4 0
translate_y 0.4 3, sharpness 0.2 6
brightness 0.9 6, saturation 0.2 8
solarize 0.5 2, invert 0.0 0
equalize 0.2 0, autocontrast 0.6 0
equalize 0.2 0, equalize 0.6 0
saturation 0.9 9, equalize 0.6 0
autocontrast 0.8 0, solarize 0.2 8
brightness 0.1 3, saturation 0.7 0
solarize 0.4 5, autocontrast 0.9 0
translate_y 0.9 9, translate_y 0.7 9
autocontrast 0.9 0, solarize 0.8 3
equalize 0.8 0, invert 0.1 0
translate_y 0.7 9, autocontrast 0.9 0
"""

_SVHN = """
shear_x 0.9 4, invert 0.2 0
shear_y 0.9 8, invert 0.7 0
equalize 0.6 0, solarize 0.6 6
invert 0.9 0, equalize 0.6 0
equalize 0.6 0, rotate 0.9 3
shear_x 0.9 4, autocontrast 0.8 0
shear_y 0.9 8, invert 0.4 0
shear_y 0.9 5, solarize 0.2 6
invert 0.9 0, autocontrast 0.8 0
equalize 0.6 0, rotate 0.9 3
shear_x 0.9 4, solarize 0.3 3
shear_y 0.8 8, invert 0.7 0
equalize 0.9 0, translate_y 0.6 6
invert 0.9 0, equalize 0.6 0
contrast 0.3 3, rotate 0.8 4
invert 0.8 0, translate_y 0.0 2
shear_y 0.7 6, solarize 0.4 8
invert 0.6 0, rotate 0.8 4
shear_y 0.3 7, translate_x 0.9 3
shear_x 0.1 6, invert 0.6 0
solarize 0.7 2, translate_y 0.6 7
shear_y 0.8 4, invert 0.8 0
shear_x 0.7 9, translate_y 0.8 3
shear_y 0.8 5, autocontrast 0.7 0
shear_x 0.7 2, invert 0.1 0
"""


def _step(text: str) -> Step:
    name, p, bin = text.split()
    return name, float(p), int(bin)


def _pairs(text: str) -> list[list[Step]]:
    return [[_step(part) for part in line.split(",")] for line in text.strip().splitlines()]


POLICIES = {"imagenet": _pairs(_IMAGENET), "cifar10": _pairs(_CIFAR10), "svhn": _pairs(_SVHN)}
