"""Makes a small data set like scans of bodies: volumes of numbers as a scanner gives them, and what each voxel is.

    python examples/make_volumes.py FOLDER [COUNT]

FOLDER gets NUMBER_scan.npy, int16 in Hounsfield units, and NUMBER_organs.npy, uint8, both depth by height by width. The
same volumes every time.
"""

import pathlib
import sys

import numpy as np
from progress import Progress

ORGANS = ("air", "body", "lung", "bone", "lesion")
UNITS = (-1000, 40, -750, 600, 110)  # how dense each is
NOISE = 25


def ellipsoid(grid, center, radii):
    """Which voxels lie in it."""
    return sum(((axis - at) / radius) ** 2 for axis, at, radius in zip(grid, center, radii, strict=True)) < 1


def volume(rng):
    """A scan and its organs. Slices lie three times as far apart as pixels, as scanners leave them."""
    shape = (int(rng.integers(24, 33)), *(int(side) for side in rng.integers(88, 113, size=2)))
    grid = np.meshgrid(*(np.linspace(-1, 1, side) for side in shape), indexing="ij", sparse=True)
    organs = np.zeros(shape, np.uint8)
    organs[ellipsoid(grid, (0, 0, 0), (1.2, rng.uniform(0.65, 0.8), rng.uniform(0.8, 0.92)))] = 1
    for side in (-1, 1):
        organs[ellipsoid(grid, (0.1, -0.05, side * 0.42), (0.8, rng.uniform(0.4, 0.5), rng.uniform(0.25, 0.3)))] = 2
    organs[ellipsoid(grid, (0, 0.52, 0), (2.0, 0.13, 0.11))] = 3
    place = rng.uniform((-0.5, -0.2, 0.3), (0.5, 0.15, 0.5)) * (1, 1, rng.choice([-1, 1]))
    organs[ellipsoid(grid, place, (0.22, 0.09, 0.09))] = 4
    scan = np.float32(UNITS)[organs] + rng.normal(0, NOISE, shape)
    return scan.round().astype(np.int16), organs


def make_volumes(folder, count):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for number in Progress(range(count), "making volumes"):
        scan, organs = volume(np.random.default_rng([11, number]))
        np.save(folder / f"{number:03}_scan.npy", scan)
        np.save(folder / f"{number:03}_organs.npy", organs)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    make_volumes(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 16)
