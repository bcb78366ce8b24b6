"""Cases of resizing where a place lies on the border between two pixels, and of what DALI resizes on a GPU alone."""

from __future__ import annotations

import numpy as np

LARGEST = 60
TYPES = (np.uint8, np.uint16, np.int16, np.float32)


def rules(pixels: int, out: int) -> list[np.ndarray]:
    """Nearest neighbours along an axis: as a product, as a sum, and exactly."""
    half, step = np.float32(0.5), np.float32(pixels) / np.float32(out)
    product = (np.arange(out, dtype=np.float32) + half) * step
    steps = np.full(out, step)
    steps[0] = half * step
    exact = (2 * np.arange(out) + 1) * pixels // (2 * out)
    return [np.floor(product), np.floor(np.cumsum(steps, dtype=np.float32)), exact]


def telling_sizes(largest: int) -> list[tuple[int, int]]:
    """Where the rules differ: of an axis, and of what it becomes."""
    def is_telling(pixels: int, out: int) -> bool:
        product, *others = rules(pixels, out)
        return any(not np.array_equal(product, other) for other in others)

    sizes = range(1, largest)
    return [(pixels, out) for pixels in sizes for out in sizes if is_telling(pixels, out)]


class Geometries:
    """Random ones, most with ties along all axes."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.telling = {largest: telling_sizes(largest) for largest in (LARGEST, 24)}

    def axis(self, largest: int = LARGEST) -> tuple[int, int]:
        if self.random.random() < 0.8:
            return self.telling_axis(largest)
        pixels, out = self.random.integers(1, largest, 2)
        return int(pixels), int(out)

    def telling_axis(self, largest: int) -> tuple[int, int]:
        telling = self.telling[largest]
        return telling[self.random.integers(len(telling))]

    def signs(self, count: int) -> np.ndarray:
        return self.random.choice([-1, 1], count)

    def picture(self, *shape: int) -> np.ndarray:
        """Neighbours along every axis differ, and what they are is short when packed."""
        return sum(places % 3 * 3**axis for axis, places in enumerate(np.indices(shape))).astype(np.uint8)


def _tensors(**values: list) -> dict[str, list[np.ndarray]]:
    return {name: [np.asarray(value, np.int32 if name == "mirror" else np.float32) for value in each]
            for name, each in values.items()}


def _images(case, geometries: Geometries, nearest: dict) -> None:
    for kind, layout in {"images": "HWC", "planes": "CHW", "frames": "FHWC", "plane frames": "FCHW"}.items():
        for part in range(12 if layout == "HWC" else 3):
            data, sizes = [], []
            type_of_part = TYPES[part % len(TYPES)]
            for _ in range(12):
                axes = {"H": geometries.axis(), "W": geometries.axis()}
                extents = [axes[name][0] if name in axes else 2 for name in layout]
                data.append(geometries.picture(*extents).astype(type_of_part))
                sizes.append([axes["H"][1], axes["W"][1]] * geometries.signs(2))
            case(f"resize ties {kind} {part}", "resize", data, layout, bar="exact", tensors=_tensors(size=sizes), **nearest)


def _regions(case, geometries: Geometries, nearest: dict) -> None:
    for part in range(6):
        data, sizes, starts, ends = [], [], [], []
        for _ in range(12):
            shown, out = np.transpose([geometries.axis(), geometries.axis()])
            before, behind = geometries.random.integers(0, 9, (2, 2))
            fraction = 0 if part % 2 else geometries.random.random(2)
            data.append(geometries.picture(*(shown + before + behind + 1), 1))
            starts.append(before + fraction)
            ends.append(before + fraction + shown)
            sizes.append(out * geometries.signs(2))
        tensors = _tensors(size=sizes, roi_start=starts, roi_end=ends)
        case(f"resize ties region {part}", "resize", data, bar="exact", tensors=tensors, **nearest)


def _fractions(case, geometries: Geometries, nearest: dict) -> None:
    """Sizes that are rounded, where the region is adjusted so that the scale stays as asked."""
    for op in ("resize", "resize_crop_mirror", "tensor_resize"):
        for part in range(4):
            data, sizes = [], []
            for _ in range(16):
                data.append(geometries.picture(*geometries.random.integers(20, 60, 2), 1))
                sizes.append(geometries.random.uniform(1, 19, 2))
            tensors = _tensors(**{"sizes" if op == "tensor_resize" else "size": sizes})
            more = {"axes": [0, 1]} if op == "tensor_resize" else {}
            case(f"{op} fractions {part}", op, data, bar="exact", tensors=tensors, **more, **nearest)
    data = [geometries.picture(*extents, 1) for extents in ((480, 640), (375, 500), (360, 640), (281, 500))]
    for shorter in (224, 300):
        case(f"resize shorter side {shorter}", "resize", data, bar="exact", resize_shorter=float(shorter), **nearest)


def _grown_regions(case, geometries: Geometries, nearest: dict) -> None:
    """Of the first axis alone, by one pixel: DALI takes the axis behind it first."""
    data = [geometries.picture(40, 4) for _ in range(30)]
    starts = geometries.random.integers(1, 15, (30, 1))
    ends = starts + geometries.random.integers(1, 20, (30, 1))
    tensors = _tensors(sizes=ends - starts + 1, roi_start=starts, roi_end=ends)
    case("tensor_resize grown region", "tensor_resize", data, None, bar="exact", axes=[0], tensors=tensors, **nearest)


def _windows(case, geometries: Geometries, nearest: dict) -> None:
    for op in ("resize_crop_mirror", "fast_resize_crop_mirror"):
        for part in range(4):
            data, sizes, crops, mirrors, xs, ys = [], [], [], [], [], []
            for _ in range(12):
                extents, out = np.transpose([geometries.axis(), geometries.axis()])
                data.append(geometries.picture(*extents, 2).astype(TYPES[part]))
                sizes.append(out)
                crops.append(geometries.random.integers(1, out + 1))
                mirrors.append(geometries.random.integers(4))
                xs.append(geometries.random.random())
                ys.append(geometries.random.choice([0, 0.5, 1]))
            tensors = _tensors(size=sizes, crop=crops, mirror=mirrors, crop_pos_x=xs, crop_pos_y=ys)
            case(f"{op} ties {part}", op, data, bar="exact", tensors=tensors, **nearest)
    for out in (7, 14, 29, 38, 45, 55):  # a window that is the whole of a square
        data = [geometries.picture(pixels, pixels, 1).astype(np.uint8) for pixels in range(2, LARGEST, 3)]
        case(f"random_resized_crop ties {out}", "random_resized_crop", data, bar="exact", size=[out, out],
             random_area=[1.0, 1.0], random_aspect_ratio=[1.0, 1.0], **nearest)


def _volumes(case, geometries: Geometries, nearest: dict) -> None:
    for layout in ("DHWC", "CDHW", "FDHWC"):
        data, sizes = [], []
        for _ in range(16):
            axes = {name: geometries.axis(24) for name in "DHW"}
            data.append(geometries.picture(*(axes.get(name, (2,))[0] for name in layout)))
            sizes.append([axes[name][1] for name in "DHW"] * geometries.signs(3))
        case(f"resize ties {layout}", "resize", data, layout, bar="exact", tensors=_tensors(size=sizes), **nearest)


def _tensor_axes(case, geometries: Geometries, nearest: dict) -> None:
    """With axes that change and others before, between and behind them."""
    for axes in ([0], [1], [2], [3], [0, 1], [1, 2], [2, 3], [0, 2], [0, 1, 2], [1, 2, 3]):
        data, sizes = [], []
        for _ in range(10):
            chosen = {axis: geometries.telling_axis(24) for axis in axes}
            data.append(geometries.picture(*(chosen.get(axis, (3,))[0] for axis in range(4))))
            sizes.append([chosen[axis][1] for axis in axes] * geometries.signs(len(axes)))
        case(f"tensor_resize ties {axes}", "tensor_resize", data, None, bar="exact", axes=axes,
             tensors=_tensors(sizes=sizes), **nearest)


def _mixed(case, geometries: Geometries, enum) -> None:
    """One axis nearest, the other linear."""
    for name, filters in {"shrinks": {"min_filter": "INTERP_NN", "mag_filter": "INTERP_LINEAR"},
                          "grows": {"min_filter": "INTERP_LINEAR", "mag_filter": "INTERP_NN"}}.items():
        data, sizes = [], []
        for _ in range(12):
            extents, out = np.transpose([geometries.axis(), geometries.axis()])
            data.append(geometries.picture(*extents, 1).astype(np.float32))
            sizes.append(out)
        filters = {argument: enum(value) for argument, value in filters.items()}
        case(f"resize ties where it {name}", "resize", data, bar="float", tensors=_tensors(size=sizes), **filters)


def _experimental(case, enum) -> None:
    """OpenCV's linear filter of floats (of bytes it rounds weights), and its nearest neighbours where none are ties."""
    random = np.random.default_rng(34)
    smooth = np.add.outer(np.sin(np.arange(31) / 3), np.cos(np.arange(43) / 5))[..., None] + [0.0, 0.2, 0.4]
    image = np.clip(127 + 50 * smooth + random.normal(0, 6, (31, 43, 3)), 0, 255).astype(np.uint8)
    for size in ([12, 17], [50, 80], [12, 80], [31, 60], [93, 129]):
        case(f"experimental.resize {size}", "experimental.resize", image.astype(np.float32), bar="float",
             reference="opencv", size=size, antialias=False, interp_type=enum("INTERP_LINEAR"))
        for data in (image, image.astype(np.float32)):
            case(f"experimental.resize nearest {data.dtype} {size}", "experimental.resize", data, bar="exact",
                 reference="opencv", size=size, interp_type=enum("INTERP_NN"))


def add(case, enum) -> None:
    nearest = {"interp_type": enum("INTERP_NN")}
    geometries = Geometries(34)
    for group in (_images, _regions, _windows, _volumes, _tensor_axes, _fractions, _grown_regions):
        group(case, geometries, nearest)
    _mixed(case, geometries, enum)
    _experimental(case, enum)
