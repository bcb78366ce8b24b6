"""What automatic augmentations are made of."""

from .definition import Augmentation as _Augmentation, augmentation
from .magnitudes import signed_bin
from .policy import Policy
from .selection import select

__all__ = ["Policy", "_Augmentation", "augmentation", "select", "signed_bin"]
