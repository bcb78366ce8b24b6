"""The pipeline of `examples/volumes.py` without chance, in DALI or in Forebay: what a batch of it holds.

    python volume_pipeline.py FOLDER OUT.npz        with DALI's Python
"""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import numpy as np

BATCH = 3
WINDOW = (18, 60, 70)
SIZE = (20, 40, 48)


def _turned_and_stretched(lib: Any, data: Any, outside: float, interp_type: Any) -> dict[str, Any]:
    fn = lib.fn
    windows = {"window": fn.crop(data, crop=WINDOW, crop_pos_x=0.3, crop_pos_y=0.7, crop_pos_z=0.25)}
    windows["mirrored"] = fn.flip(windows["window"], vertical=0, depthwise=1)
    turned = fn.rotate(windows["mirrored"], angle=17.0, axis=(0.2, -0.3, 1.0), keep_size=True,
                       fill_value=outside, interp_type=interp_type)
    grown = fn.rotate(windows["mirrored"], angle=-30.0, axis=(1.0, 0.0, 0.0), fill_value=outside,
                      interp_type=interp_type)
    matrix = fn.transforms.scale(scale=[0.9, 1.1, 1.05], center=[35.0, 30.0, 9.0])
    stretched = fn.warp_affine(windows["mirrored"], matrix=matrix, fill_value=outside, interp_type=interp_type)
    resized = fn.resize(windows["mirrored"], size=SIZE, interp_type=interp_type)
    return {**windows, "turned": turned, "grown": grown, "stretched": stretched, "resized": resized}


def build(lib: Any, folder: pathlib.Path, threads: int = 2) -> tuple[Any, list[str]]:
    """The pipeline, and the names of its outputs."""
    fn, types = lib.fn, lib.types
    pipe = lib.Pipeline(batch_size=BATCH, num_threads=threads, device_id=None, seed=1)
    outputs = {}
    with pipe:
        for part, outside, interp_type in (("scan", -1000.0, types.INTERP_LINEAR), ("organs", 0.0, types.INTERP_NN)):
            data = fn.readers.numpy(file_root=str(folder), file_filter=f"*_{part}.npy")
            data = fn.reshape(data, layout="DHW")
            outputs[f"{part} flat window"] = fn.slice(data, [4, 10, 12], [9, 40, 50], axis_names="DHW")
            if part == "scan":
                data = fn.cast(data, dtype=types.FLOAT)
            data = fn.expand_dims(data, axes=[3], new_axis_names="C")
            for name, output in _turned_and_stretched(lib, data, outside, interp_type).items():
                outputs[f"{part} {name}"] = output
        pipe.set_outputs(*outputs.values())
    return pipe, list(outputs)


def run(lib: Any, folder: pathlib.Path, threads: int = 2) -> dict[str, np.ndarray]:
    """Every output of every sample, by its name and place."""
    pipe, names = build(lib, folder, threads)
    pipe.build()
    batch = pipe.run()
    return {
        f"{name} {place}": np.array(output.at(place)) for name, output in zip(names, batch) for place in range(BATCH)
    }


if __name__ == "__main__":
    import nvidia.dali
    import nvidia.dali.fn
    import nvidia.dali.types

    nvidia.dali.Pipeline = nvidia.dali.pipeline.Pipeline
    np.savez(sys.argv[2], **run(nvidia.dali, pathlib.Path(sys.argv[1])))
