"""Augmentations of `auto_aug` that a library with DALI's interface runs: every one, weak and strong, of both signs.

    python auto_aug_cases.py FILE.npz          # with DALI's Python
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

import numpy as np

BINS = 11
AUGMENTATIONS = [
    "shear_x", "shear_y", "translate_x", "translate_y", "translate_x_no_shape", "translate_y_no_shape", "rotate",
    "brightness", "contrast", "color", "posterize", "solarize", "solarize_add", "invert", "equalize", "auto_contrast",
    "identity", "sharpness",
]
POLICIES = ["image_net", "reduced_image_net", "svhn", "reduced_cifar10"]
SUITES = [
    ("rand_augment", "get_rand_augment_suite"),
    ("rand_augment", "get_rand_augment_non_monotonic_suite"),
    ("trivial_augment", "get_trivial_augment_wide_suite"),
]


def images() -> list[np.ndarray]:
    """Smooth pictures with some noise, of several shapes; one of few values."""
    rng = np.random.default_rng(7)
    made = []
    for height, width in ((40, 56), (33, 47), (64, 31)):
        y, x = np.mgrid[0:height, 0:width]
        smooth = np.stack([80 + 2 * x + y, 200 - 2 * y, 40 + 3 * x], axis=-1)
        made.append(np.clip(smooth + rng.normal(0, 9, smooth.shape), 0, 255).astype(np.uint8))
    made.append(np.repeat(rng.integers(90, 110, (24, 24, 1), np.uint8), 3, axis=2))
    return made


def run(dali: Any, name: str, magnitude_bin: int, sign: int) -> list[np.ndarray]:
    """One augmentation of all images."""
    augmentation = getattr(importlib.import_module(f"{dali.__name__}.auto_aug.augmentations"), name)
    core = importlib.import_module(f"{dali.__name__}.auto_aug.core")
    batch = images()
    pipe = dali.Pipeline(batch_size=len(batch), num_threads=1, device_id=None, seed=1)
    with pipe:
        data = dali.fn.external_source(lambda: batch, layout="HWC")
        signs = dali.fn.external_source(lambda: [np.int32(sign) for _ in batch])
        number: Any = magnitude_bin
        if augmentation.randomly_negate:
            number = core.signed_bin(magnitude_bin, random_sign=signs)
        arguments = {"shape": data.shape()} if name in ("translate_x", "translate_y") else {}
        output = augmentation(data, magnitude_bin=number, num_magnitude_bins=BINS, **arguments)
        pipe.set_outputs(output)
    pipe.build()
    (result,) = pipe.run()
    return [np.array(result.at(place)) for place in range(len(batch))]


def cases() -> list[tuple[str, int, int]]:
    return [(name, magnitude_bin, sign) for name in AUGMENTATIONS for magnitude_bin in (0, 4, 10) for sign in (0, 1)]


def _described(augmentation: Any, bins: int) -> list[Any]:
    """Name, whether it has a sign, and the parameter of each bin."""
    low_high = augmentation.mag_range
    if low_high is None:
        return [augmentation.name, augmentation.randomly_negate, None]
    magnitudes = np.linspace(*low_high, bins, dtype=np.float32)
    parameters = [np.asarray(augmentation.mag_to_param(each), np.float64).tolist() for each in magnitudes]
    return [augmentation.name, augmentation.randomly_negate, parameters]


def tables(dali: Any) -> dict[str, Any]:
    """The policies and suites as plain data."""
    auto = importlib.import_module(f"{dali.__name__}.auto_aug.auto_augment")
    found: dict[str, Any] = {}
    for name in POLICIES:
        policy = getattr(auto, f"get_{name}_policy")()
        found[name] = [
            policy.num_magnitude_bins,
            [[[*_described(step[0], 11), step[1], step[2]] for step in steps] for steps in policy.sub_policies],
        ]
    for module, function in SUITES:
        for use_shape in (False, True):
            suite = getattr(importlib.import_module(f"{dali.__name__}.auto_aug.{module}"), function)(use_shape)
            found[f"{function} {use_shape}"] = [_described(augmentation, 31) for augmentation in suite]
    return found


def main() -> None:
    import nvidia.dali as dali
    import nvidia.dali.fn

    dali.Pipeline = dali.pipeline.Pipeline
    arrays = {"tables": np.frombuffer(json.dumps(tables(dali)).encode(), np.uint8)}
    for case in cases():
        for place, sample in enumerate(run(dali, *case)):
            arrays["/".join(map(str, (*case, place)))] = sample
    np.savez(sys.argv[1], **arrays)


if __name__ == "__main__":
    main()
