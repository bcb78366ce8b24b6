"""Automatic augmentation: AutoAugment, RandAugment and TrivialAugment."""

from . import augmentations, auto_augment, core, rand_augment, trivial_augment

__all__ = ["augmentations", "auto_augment", "core", "rand_augment", "trivial_augment"]
