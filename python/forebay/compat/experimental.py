"""What stands for ``nvidia.dali.experimental``: what of it is here, under its names."""

from __future__ import annotations

from .. import dynamic as dynamic
from .. import transforms as torchvision

__all__ = ["dynamic", "torchvision"]
