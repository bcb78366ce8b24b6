"""Augments scans in three dimensions: window, turn, stretch, mirror, resize; each scan together with its organs.

    python examples/volumes.py [--out FOLDER] [--volumes N] [--batches N] [--threads N]

The scans are made: int16 arrays of depth, height and width, with an array of the same extents that says what each voxel
is. Prints how many voxels a second were made, and how much of what went in is a lesion before and after. Leaves in
--out (demo/) a picture of one batch: of each volume the middle slices along its three axes, organs in colour.
"""

import argparse
import pathlib
import time

import numpy as np
from make_volumes import ORGANS, make_volumes
from PIL import Image

from forebay import fn, pipeline_def, types

BATCH = 4
WINDOW = (22, 80, 80)  # depth, height, width, in voxels of the scan
SIZE = (24, 64, 64)  # of what training gets
AIR, BONE = -1000.0, 1000.0  # become 0 and 1
COLORS = np.float32([[0, 0, 0], [0, 0, 0], [0.2, 0.5, 1], [1, 0.9, 0.3], [1, 0.2, 0.2]])


@pipeline_def(batch_size=BATCH, seed=1)
def volumes(folder):
    """Scans, FLOAT between 0 and 1, and their organs, UINT8; both DHWC with one channel."""
    scans, organs = (
        fn.readers.numpy(file_root=str(folder), file_filter=f"*_{part}.npy", random_shuffle=True, seed=3, name=part)
        for part in ("scan", "organs")  # equal seeds: the same order
    )
    window = {f"crop_pos_{axis}": fn.random.uniform(range=[0.0, 1.0]) for axis in "xyz"}
    mirrors = {way: fn.random.coin_flip() for way in ("depthwise", "horizontal")}
    angle = fn.random.uniform(range=[-20.0, 20.0])
    stretch = fn.transforms.scale(scale=fn.random.uniform(range=[0.85, 1.15], shape=[3]),
                                  center=[WINDOW[2] / 2, WINDOW[1] / 2, WINDOW[0] / 2])

    def augmented(data, outside, filter_of):
        data = fn.expand_dims(fn.reshape(data, layout="DHW"), axes=[3], new_axis_names="C")
        data = fn.flip(fn.crop(data, crop=WINDOW, **window), vertical=0, **mirrors)
        data = fn.rotate(data, angle=angle, axis=(0.0, 0.0, 1.0), keep_size=True, fill_value=outside,
                         interp_type=filter_of)
        data = fn.warp_affine(data, matrix=stretch, fill_value=outside, interp_type=filter_of)
        return fn.resize(data, size=SIZE, interp_type=filter_of)

    scans = augmented(fn.cast(scans, dtype=types.FLOAT), AIR, types.INTERP_LINEAR)
    return (scans - AIR) / (BONE - AIR), augmented(organs, 0.0, types.INTERP_NN)


def slices_of(scan, organs):
    """The middle slices along the three axes, side by side, as pixels."""
    rows = []
    for axis in range(3):
        grey = np.take(scan, scan.shape[axis] // 2, axis)[..., None].clip(0, 1) * np.ones(3, np.float32)
        kinds = np.take(organs, organs.shape[axis] // 2, axis)
        grey[kinds > 1] = 0.6 * grey[kinds > 1] + 0.4 * COLORS[kinds[kinds > 1]]
        tile = Image.fromarray((255 * grey).astype(np.uint8)).resize((2 * SIZE[2], 2 * SIZE[1]))
        rows.append(np.asarray(tile))
    return np.concatenate(rows, axis=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("demo"))
    parser.add_argument("--volumes", type=int, default=16)
    parser.add_argument("--batches", type=int, default=8)
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_args()
    folder = arguments.out / "volumes"
    make_volumes(folder, arguments.volumes)
    options = {"num_threads": arguments.threads} if arguments.threads else {}
    pipe = volumes(folder, **options)
    begun = time.perf_counter()
    shares = np.zeros(len(ORGANS))
    for number in range(arguments.batches):
        scans, organs = (np.array(output.as_array())[..., 0] for output in pipe.run())
        shares += np.bincount(organs.ravel(), minlength=len(ORGANS)) / organs.size / arguments.batches
        if number == 0:
            sheet = np.concatenate([slices_of(scan, kinds) for scan, kinds in zip(scans, organs, strict=True)])
            Image.fromarray(sheet).save(arguments.out / "volumes.png")
    voxels = arguments.batches * BATCH * np.prod(SIZE) / (time.perf_counter() - begun)
    print(f"{voxels / 1e6:.2f} million voxels a second; see {arguments.out}/volumes.png")
    whole = np.concatenate([np.load(file).ravel() for file in sorted(folder.glob("*_organs.npy"))])
    print(f"lesions are {np.mean(whole == 4):.4f} of the scans, and {shares[4]:.4f} of what training gets")


if __name__ == "__main__":
    main()
