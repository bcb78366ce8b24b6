"""Cases that a library with DALI's interface runs: `record_operators.py` with DALI, `test_operators.py` with Forebay.

A case is data, not code, so that both libraries run the same: an operator, its constants, its inputs (a batch of arrays
each), its tensor arguments, and how close results must be.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import audio_cases
import detection_cases
import filter_cases
import numeric_cases
import signal_cases


class Enum(str):
    """The name of a member of `types`."""


@dataclass
class Case:
    name: str
    op: str
    inputs: list[list[np.ndarray]]
    args: dict[str, Any] = field(default_factory=dict)
    layouts: list[str | None] = field(default_factory=list)
    tensors: dict[str, list[np.ndarray]] = field(default_factory=dict)
    bar: str = "float"  # "exact", "float", "uint8", "nearest", or "sound": by full scale
    tensor_layouts: dict[str, str] = field(default_factory=dict)
    output: int | None = 0  # which is compared, of operators that have several; None: all
    reference: str = "dali"  # or "opencv", for what DALI runs on a GPU alone

    @property
    def batch_size(self) -> int:
        batches = self.inputs + list(self.tensors.values())
        return len(batches[0]) if batches else 1


ARITHMETIC = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "fdiv": operator.truediv,
    "div": operator.floordiv,
    "eq": operator.eq,
    "neq": operator.ne,
    "lt": operator.lt,
    "leq": operator.le,
    "gt": operator.gt,
    "geq": operator.ge,
    "bitand": operator.and_,
    "bitor": operator.or_,
    "bitxor": operator.xor,
    "minus": operator.neg,
}


def subscripted(node, args):
    count = args["num_subscripts"]
    parts = []
    for axis in range(count):
        if f"at_{axis}" in args:
            parts.append(args[f"at_{axis}"])
        else:
            parts.append(slice(*(args.get(f"{part}_{axis}") for part in ("lo", "hi", "step"))))
    return node[tuple(parts)]


def _apply(lib, case, nodes, tensors):
    args = {k: getattr(lib.types, v) if isinstance(v, Enum) else v for k, v in case.args.items()}
    if case.op == "_arithmetic":
        name = args["op"]
        return ARITHMETIC[name](*nodes) if name in ARITHMETIC else getattr(lib.math, name)(*nodes)
    if case.op == "_subscript":
        return subscripted(nodes[0], args)
    function = lib.fn
    for part in case.op.split("."):
        function = getattr(function, part)
    return function(*nodes, **args, **tensors)


def build(lib, case: Case, threads: int = 1):
    """The pipeline of `lib` (nvidia.dali or forebay) for the case."""

    def fed(batch, layout=None):
        return lib.fn.external_source(source=lambda: batch, layout=layout)

    pipe = lib.Pipeline(batch_size=case.batch_size, num_threads=threads, device_id=None, seed=1)
    with pipe:
        layouts = case.layouts + [None] * (len(case.inputs) - len(case.layouts))
        nodes = [fed(batch, layout) for batch, layout in zip(case.inputs, layouts)]
        tensors = {name: fed(batch, case.tensor_layouts.get(name)) for name, batch in case.tensors.items()}
        made = _apply(lib, case, nodes, tensors)
        every = made if isinstance(made, (list, tuple)) else [made]
        pipe.set_outputs(*(every if case.output is None else [every[case.output]]))
    return pipe


def run(lib, case: Case, threads: int = 1) -> tuple[list[np.ndarray], str]:
    """The batch that `lib` makes of the case, and its layout."""
    pipe = build(lib, case, threads)
    pipe.build()
    return first_batch(pipe, case)


def run_all(lib, case: Case) -> list[tuple[list[np.ndarray], str]]:
    """The same of each output that the case asks for."""
    pipe = build(lib, case)
    pipe.build()
    return _batches(pipe, case)


def first_batch(pipe, case: Case) -> tuple[list[np.ndarray], str]:
    """What the pipeline of the case gives first, and its layout."""
    return _batches(pipe, case)[0]


def _batches(pipe, case: Case) -> list[tuple[list[np.ndarray], str]]:
    return [([np.array(out.at(i)) for i in range(case.batch_size)], out.layout()) for out in pipe.run()]


CASES: list[Case] = []


def case(name, op, inputs, /, *, layouts=(), tensors=None, bar="float", tensor_layouts=None, output=0, reference="dali",
         **args):
    """Adds a case; single arrays stand for batches of one."""
    batches = [batch if isinstance(batch, list) else [batch] for batch in inputs]
    given = {k: v if isinstance(v, list) else [v] for k, v in (tensors or {}).items()}
    CASES.append(Case(name, op, batches, args, list(layouts), given, bar, tensor_layouts or {}, output, reference))


_random = np.random.default_rng(20)


def _image(*shape, dtype=np.uint8):
    """Smooth, with some noise, over most of the type's range."""
    grids = np.meshgrid(*(np.linspace(0, 3, n) for n in shape), indexing="ij")
    smooth = 0.5 + 0.45 * np.sin(sum((i + 1) * g for i, g in enumerate(grids)))
    noisy = np.clip(smooth + _random.normal(0, 0.02, shape), 0, 1)
    if np.issubdtype(dtype, np.integer):
        return (noisy * min(np.iinfo(dtype).max, 30000)).astype(dtype)
    return noisy.astype(dtype)


RGB = _image(18, 25, 3)
VOLUME = _image(5, 9, 12, 3)


def _shapes():
    for layout, shape in {"HWC": (4, 5, 3), "CHW": (3, 4, 5), "FHWC": (2, 4, 5, 3), "CDHW": (3, 2, 4, 5)}.items():
        for flags in ((1, 0, 0), (0, 1, 0), (1, 1, 1)):
            args = dict(zip(("horizontal", "vertical", "depthwise"), flags))
            case(f"flip {layout} {flags}", "flip", [_image(*shape)], layouts=[layout], bar="exact", **args)
    case("flip by tensor", "flip", [[RGB, RGB]], layouts=["HWC"], bar="exact",
         tensors={"horizontal": [np.int32(0).reshape(()), np.int32(1).reshape(())]})
    for perm in ([2, 0, 1], [1, 0, 2], [0, 1, 2], [2, 1, 0]):
        case(f"transpose {perm}", "transpose", [RGB], layouts=["HWC"], bar="exact", perm=perm)
    case("transpose float", "transpose", [VOLUME.astype(np.float32)], layouts=["DHWC"], bar="exact", perm=[3, 0, 1, 2])
    case("transpose reverse", "transpose", [RGB], layouts=["HWC"], bar="exact")
    case("transpose kept layout", "transpose", [RGB], layouts=["HWC"], bar="exact", perm=[1, 0, 2],
         transpose_layout=False)
    for axis in (0, 1, 2, -1):
        case(f"cat {axis}", "cat", [RGB, RGB, RGB], layouts=["HWC"], bar="exact", axis=axis)
        case(f"stack {axis}", "stack", [RGB, RGB], layouts=["HWC", "HWC"], bar="exact", axis=axis, axis_name="N")
    case("reshape", "reshape", [RGB], layouts=["HWC"], bar="exact", shape=[9, -1])
    case("reshape relative", "reshape", [RGB], layouts=["HWC"], bar="exact", rel_shape=[0.5, 2, 1])
    case("reshape axes", "reshape", [RGB], layouts=["HWC"], bar="exact", rel_shape=[1, 0.5, 2], src_dims=[1, 0, 2])
    case("reinterpret", "reinterpret", [_image(4, 8)], layouts=["HW"], bar="exact", dtype=Enum("UINT16"))
    case("squeeze", "squeeze", [_image(4, 1, 8, 1)], layouts=["ABCD"], bar="exact", axes=[1, 3])
    case("expand_dims", "expand_dims", [RGB], layouts=["HWC"], bar="exact", axes=[0, 2], new_axis_names="XY")
    ragged = [_image(3, 5), _image(4, 2)]
    case("pad batch", "pad", [ragged], layouts=["HW"], bar="exact", fill_value=7)
    case("pad axes", "pad", [ragged], layouts=["HW"], bar="exact", axes=[1], align=[4])
    case("pad names", "pad", [ragged], layouts=["HW"], bar="exact", axis_names="H", shape=[9])
    case("pad mixed", "pad", [ragged], layouts=["HW"], bar="exact", axes=[0, 1], shape=[6, -1])
    case("pad to none", "pad", [ragged], layouts=["HW"], bar="exact", axes=[0, 1], shape=[6, 0])
    case("permute_batch", "permute_batch", [[ragged[0], ragged[0] + 1, ragged[0] + 2]], bar="exact", indices=[2, 0, 0])
    case("shapes", "shapes", [RGB], bar="exact", dtype=Enum("INT32"))
    case("one_hot", "one_hot", [np.array([2, 0, 5], np.int32)], bar="exact", num_classes=4, on_value=3, off_value=-1)
    case("one_hot axis", "one_hot", [np.array([[2, 0], [1, 3]], np.int32)], layouts=["AB"], bar="exact", num_classes=4,
         axis=1, axis_name="K")
    case("one_hot scalar", "one_hot", [np.array([1], np.int32)], bar="exact", num_classes=4)
    case("constant", "constant", [], bar="exact", idata=[1, -2, 300, 4], shape=[2, 2], dtype=Enum("UINT8"))
    case("constant float", "constant", [], bar="exact", fdata=[1.5], shape=[3])


def _subscripts():
    for name, args in {
        "index": {"at_0": -2}, "range": {"lo_1": 1, "hi_1": -3}, "step": {"step_1": 3, "lo_1": 1},
        "reverse": {"step_0": -1}, "reverse part": {"lo_1": 17, "hi_1": 3, "step_1": -4}, "channel": {"at_2": 1},
        "mixed": {"at_0": 3, "lo_1": 5, "step_2": -1}, "empty": {"lo_0": 9, "hi_0": 3}, "beyond": {"lo_0": -99, "hi_0": 99},
    }.items():
        count = 1 + max(int(key[-1]) for key in args)
        case(f"subscript {name}", "_subscript", [RGB], layouts=["HWC"], bar="exact", num_subscripts=count, **args)


def _arithmetic():
    types = [np.uint8, np.int8, np.uint16, np.int32, np.uint32, np.int64, np.float32, np.float64]
    values = np.array([1, 2, 3, 5, 100, 127], np.int64)
    for a in types:
        for b in types:
            x, y = values.astype(a), values[::-1].astype(b)
            for op in ("add", "sub", "mul", "lt", "geq", "eq", "div", "fdiv"):
                case(f"{op} {a.__name__} {b.__name__}", "_arithmetic", [x, y], bar="float", op=op)
            if np.issubdtype(a, np.integer) and np.issubdtype(b, np.integer):
                for op in ("bitand", "bitor", "bitxor"):
                    case(f"{op} {a.__name__} {b.__name__}", "_arithmetic", [x, y], bar="exact", op=op)
    flags = np.array([True, False, True])
    case("mul bool", "_arithmetic", [flags, flags[::-1].copy()], bar="exact", op="mul")
    case("add bool int", "_arithmetic", [flags, np.array([1, 2, 3], np.int16)], bar="exact", op="add")
    case("negative division", "_arithmetic", [np.int32([-7, 7, -7]), np.int32([2, -2, -2])], bar="exact", op="div")
    case("broadcast", "_arithmetic", [RGB, np.float32([1, 2, 3])], layouts=["HWC", "C"], op="mul")
    case("broadcast scalar", "_arithmetic", [np.float32(2).reshape(()), RGB], layouts=[None, "HWC"], op="sub")
    reals = np.float32([0.1, 0.5, 0.9, 1.0])
    for op in ("sqrt", "rsqrt", "cbrt", "exp", "log", "log2", "log10", "abs", "fabs", "floor", "ceil", "sin", "cos",
               "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "atanh"):
        case(f"math {op}", "_arithmetic", [reals[: 3 if op == "atanh" else 4]], op=op)
    case("math acosh", "_arithmetic", [reals + 1], op="acosh")
    for op in ("min", "max", "pow", "fpow", "atan2"):
        case(f"math {op}", "_arithmetic", [np.float32([1, 2.5, 3]), np.float32([2, 0.5, 3])], op=op)
        case(f"math {op} int", "_arithmetic", [np.int32([1, 2, 3]), np.uint8([2, 0, 3])], op=op)
    case("math clamp", "_arithmetic", [np.uint8([1, 7, 9]), np.int32([2, 2, 2]), np.int32([8, 8, 8])], op="clamp")


def _casts():
    reals = np.float32([-1e10, -300.5, -1.5, -0.5, 0, 0.5, 1.5, 2.5, 254.5, 300, 70000, 1e10])
    for name in ("UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "INT64", "FLOAT", "FLOAT64", "BOOL"):
        case(f"cast float {name}", "cast", [reals], bar="exact", dtype=Enum(name))
        case(f"cast int {name}", "cast", [np.int32([-70000, -129, -1, 0, 1, 128, 255, 256, 70000])], bar="exact",
             dtype=Enum(name))
    case("cast_like", "cast_like", [RGB, np.float32(1).reshape(())], layouts=["HWC"], bar="exact")


def _colours():
    inputs = {"uint8": RGB, "float": _image(8, 9, 3, dtype=np.float32), "int16": _image(8, 9, 3, dtype=np.int16),
              "frames": _image(2, 8, 9, 3)}
    for kind, image in inputs.items():
        layout, bar = ("FHWC" if image.ndim == 4 else "HWC"), ("uint8" if image.dtype == np.uint8 else "float")
        for op, args in (
            ("color_twist", dict(hue=35.0, saturation=1.4, contrast=0.8, brightness=1.1)),
            ("hue", dict(hue=-70.0)), ("saturation", dict(saturation=0.3)),
            ("brightness", dict(brightness=1.3, brightness_shift=0.05)), ("contrast", dict(contrast=1.5)),
            ("contrast", dict(contrast=0.5, contrast_center=0.25)),
            ("brightness_contrast", dict(brightness=0.8, brightness_shift=-0.1, contrast=1.7)),
        ):
            case(f"{op} {kind} {args}", op, [image], layouts=[layout], bar=bar, **args)
        case(f"hsv {kind}", "hsv", [image], layouts=[layout], bar="uint8", hue=20.0, saturation=0.7, value=1.3)
    for op in ("color_twist", "brightness_contrast"):
        case(f"{op} to float", op, [RGB], layouts=["HWC"], dtype=Enum("FLOAT"), contrast=1.2, brightness=1.1)
        case(f"{op} to uint8", op, [inputs["float"]], layouts=["HWC"], bar="uint8", dtype=Enum("UINT8"), contrast=1.2)
    case("color_twist by tensors", "color_twist", [[RGB, RGB]], layouts=["HWC"], bar="uint8",
         tensors={"hue": [np.float32(10).reshape(()), np.float32(90).reshape(())]}, saturation=0.8)
    grey = _image(9, 11, 1)
    for source in ("RGB", "BGR", "YCbCr", "GRAY"):
        for target in ("RGB", "BGR", "YCbCr", "GRAY"):
            if source != target:
                case(f"{source} to {target}", "color_space_conversion", [grey if source == "GRAY" else RGB],
                     layouts=["HWC"], bar="uint8", image_type=Enum(source), output_type=Enum(target))


def _warps():
    for kind, image, bar in (("uint8", RGB, "uint8"), ("float", RGB.astype(np.float32), "float")):
        for angle in (0.0, 10.0, 45.0, 90.0, 133.0, -200.0):
            for more in ({}, {"fill_value": 42.0}, {"keep_size": True}):
                case(f"rotate {kind} {angle} {more}", "rotate", [image], layouts=["HWC"], bar=bar, angle=angle, **more)
        case(f"rotate {kind} nearest", "rotate", [image], layouts=["HWC"], bar="nearest", angle=33.0,
             interp_type=Enum("INTERP_NN"))
        for matrix in ([1, 0.2, 3, -0.1, 0.9, 2], [0.5, 0, 0, 0, 0.5, 0]):
            for inverse in (True, False):
                case(f"warp_affine {kind} {matrix} {inverse}", "warp_affine", [image], layouts=["HWC"], bar=bar,
                     matrix=matrix, inverse_map=inverse, fill_value=0.0)
    # Where the rounding of the map shows: far fill values, rows longer than a tile, ties of nearest neighbours.
    for image in (RGB, RGB.astype(np.float32)):
        case(f"rotate far fill {image.dtype}", "rotate", [image], layouts=["HWC"], angle=133.3, fill_value=-10000.0,
             dtype=Enum("FLOAT"))
        case(f"rotate nearest far fill {image.dtype}", "rotate", [image], layouts=["HWC"], bar="exact", angle=133.3,
             fill_value=-10000.0, dtype=Enum("FLOAT"), interp_type=Enum("INTERP_NN"))
    case("rotate wide", "rotate", [_image(3, 600, 1)], layouts=["HWC"], bar="exact", angle=0.3,
         keep_size=True, dtype=Enum("FLOAT"))
    for axis in ([0.0, 0.0, 1.0], [-0.3, 0.7, 0.2]):
        case(f"rotate volume nearest {axis}", "rotate", [VOLUME], layouts=["DHWC"], bar="exact", angle=45.0, axis=axis,
             interp_type=Enum("INTERP_NN"))
        case(f"rotate volume float {axis}", "rotate", [VOLUME], layouts=["DHWC"], bar="exact", angle=45.0, axis=axis,
             fill_value=-10000.0, dtype=Enum("FLOAT"))
    case("warp_affine inverse nearest", "warp_affine", [_image(40, 50, 2)], layouts=["HWC"], bar="exact",
         matrix=[1.1, 0.3, -4.7, -0.2, 0.9, 6.1], inverse_map=False, interp_type=Enum("INTERP_NN"))
    case("warp_affine inverse volume nearest", "warp_affine", [VOLUME], layouts=["DHWC"], bar="nearest",
         matrix=[0.1, 1.1, 0, 1, 0.9, 0, 0.1, 0, 0.1, 0, 1.1, -1], inverse_map=False, interp_type=Enum("INTERP_NN"))
    case("rotate frames", "rotate", [_image(2, 8, 9, 3)], layouts=["FHWC"], bar="uint8", angle=20.0)
    case("rotate to float", "rotate", [RGB], layouts=["HWC"], angle=20.0, dtype=Enum("FLOAT"))
    case("rotate size", "rotate", [RGB], layouts=["HWC"], bar="uint8", angle=20.0, size=[30.0, 31.0])
    for axis in ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 2.0, 3.0]):
        case(f"rotate volume {axis}", "rotate", [VOLUME], layouts=["DHWC"], bar="uint8", angle=25.0, axis=axis)
    case("warp_affine volume", "warp_affine", [VOLUME], layouts=["DHWC"], bar="uint8",
         matrix=[1, 0.1, 0, 1, 0, 0.9, 0.1, 0, 0.1, 0, 1.1, -1])
    case("warp_affine input", "warp_affine", [RGB, np.float32([[1, 0.1, 2], [0.2, 1, -3]])], layouts=["HWC"],
         bar="uint8", size=[20.0, 21.0])


def _statistics():
    data = _image(6, 7, 3, dtype=np.float32)
    for name, args in {"all": {}, "axes": {"axes": [0, 1]}, "names": {"axis_names": "C"}, "ddof": {"ddof": 1},
                       "epsilon": {"epsilon": 0.5}, "mean": {"mean": 0.25}, "stddev": {"stddev": 0.25},
                       "both": {"mean": 0.5, "stddev": 0.25, "scale": 2.0, "shift": 3.0}}.items():
        case(f"normalize {name}", "normalize", [data], layouts=["HWC"], **args)
        case(f"normalize uint8 {name}", "normalize", [RGB], layouts=["HWC"], **args)
    case("normalize to uint8", "normalize", [RGB], layouts=["HWC"], bar="uint8", dtype=Enum("UINT8"), scale=64.0,
         shift=128.0)
    case("normalize batch", "normalize", [[data, data[:3] * 2]], layouts=["HWC"], batch=True)
    case("normalize batch axes", "normalize", [[data, data[:3] * 2]], layouts=["HWC"], batch=True, axes=[0, 1])
    means = np.float32([[[0.1, 0.2, 0.3]]])
    case("normalize tensor", "normalize", [data], layouts=["HWC"], tensors={"mean": means})
    case("normalize tensors", "normalize", [data], layouts=["HWC"], tensors={"mean": means, "stddev": means})
    for name, args in {"box": dict(anchor=[2, 3], shape=[4, 5]), "boxes": dict(anchor=[0, 0, 9, 9], shape=[3, 3, 99, 4]),
                       "parts": dict(anchor=[0.25, 0.5], shape=[0.3, 0.3], normalized=True),
                       "centre": dict(anchor=[10, 10], shape=[5, 4], centered_anchor=True),
                       "fractions": dict(anchor=[1.7, 2.3], shape=[3.5, 4.4]),
                       "channels": dict(anchor=[1, 1], shape=[9, 9], fill_value=[1.0, 2.0, 3.0])}.items():
        case(f"erase {name}", "erase", [RGB], layouts=["HWC"], bar="exact", **args)


for _group in (_shapes, _subscripts, _arithmetic, _casts, _colours, _warps, _statistics):
    _group()
numeric_cases.add(case, Enum)
detection_cases.add(case, Enum)
filter_cases.add(case, Enum)
audio_cases.add(case, Enum)
signal_cases.add(case, Enum)
