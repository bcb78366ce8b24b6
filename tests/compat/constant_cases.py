"""Cases: constants, and enumerations as values."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types

from catalogue import Group

case = Group("backend")

TYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()


def added(name: str) -> Any:
    return fn.constant(idata=0, shape=[]) + types.Constant(np.dtype(name).type(1))


case.outputs_table(
    {
        "arrays_of_every_type": lambda: tuple(types.Constant(np.ones(2, name)) for name in TYPES),
        "numbers_of_every_type": lambda: tuple(added(name) for name in TYPES if name != "float16"),
        "number_of_float16": lambda: added("float16"),
    }
)


case.table(
    {
        "to_numpy_type": lambda: [
            str(np.dtype(types.to_numpy_type(t))) for t in (types.FLOAT, types.INT8, types.BOOL, types.FLOAT16)
        ],
        "to_numpy_type_bad": lambda: types.to_numpy_type(types.STRING),
        "to_dali_type": lambda: [
            types.to_dali_type(t) for t in ("float32", "int8", "bool", "float16", "double") if True
        ],
        "types_of_constants": lambda: [
            (types.Constant(v).dtype, types.Constant(v).value) for v in (5, 1.5, True, np.int16(3), np.float32(2))
        ],
        "constant_float64": lambda: types.Constant(np.float64(2)).dtype,
        "constant_float64_type": lambda: types.Constant(2.0, types.FLOAT64).dtype,
        "constant_conversion": lambda: (
            types.Constant(5.7, types.INT32).value,
            types.Constant(300, types.UINT8).value,
        ),
        "constant_negative": lambda: types.Constant(-1, types.UINT8).value,
        "constant_str": lambda: (
            str(types.Constant(5)),
            repr(types.Constant(1.5)),
            str(types.Constant(5, types.FLOAT16)),
        ),
        "constant_plus_a_number": lambda: types.Constant(5) + 3,
        "constant_times_a_constant": lambda: types.Constant(5) * types.Constant(3),
        "constant_negative_operator": lambda: -types.Constant(5),
        "constant_comparison": lambda: types.Constant(5) == 5,
        "constant_string": lambda: types.Constant("a"),
        "constant_none": lambda: types.Constant(None),
        "scalar_constant_array": lambda: types.ScalarConstant([1, 2]),
        "type_str": lambda: (str(types.FLOAT), repr(types.FLOAT), types.FLOAT.name, int(types.FLOAT)),
        "interp_str": lambda: (str(types.INTERP_LINEAR), types.INTERP_LINEAR.name, int(types.INTERP_LINEAR)),
        "image_str": lambda: (str(types.RGB), int(types.GRAY)),
        "type_call": lambda: (types.DALIDataType(8), types.DALIDataType(int(types.FLOAT)) == types.FLOAT),
        "type_call_bad": lambda: types.DALIDataType(1234),
        "type_hash": lambda: (
            {types.FLOAT: 1}[types.DALIDataType.FLOAT],
            types.FLOAT == types.INT32,
            types.FLOAT != types.INT32,
        ),
        "type_pickle": lambda: pickle.loads(pickle.dumps(types.FLOAT)) == types.FLOAT,
    }
)


case.outputs_table(
    {
        "constant_of_a_list": lambda: types.Constant([1, 2, 3]),
        "constant_list_float": lambda: types.Constant([1, 2.5]),
        "constant_list_bool": lambda: types.Constant([True, False]),
        "constant_list_mixed_bool": lambda: types.Constant([True, 2]),
        "constant_tuple": lambda: types.Constant((1, 2)),
        "constant_nested": lambda: types.Constant([[1, 2], [3, 4]]),
        "constant_shape": lambda: types.Constant([1, 2, 3, 4], shape=[2, 2]),
        "constant_shape_bad": lambda: types.Constant([1, 2, 3], shape=[2, 2]),
        "constant_scalar_shape": lambda: types.Constant(3, shape=[2]),
        "constant_layout": lambda: types.Constant(np.zeros((2, 2), np.uint8), layout="HW"),
        "constant_type": lambda: types.Constant([1, 2], dtype=types.FLOAT),
        "constant_type_numpy": lambda: types.Constant([1, 2], dtype=np.uint8),
        "constant_device": lambda: types.Constant([1], device="cpu"),
        "constant_name": lambda: types.Constant([1], name="abc"),
        "constant_unknown": lambda: types.Constant([1], nonsense=3),
        "constant_of_enum": lambda: types.Constant(types.FLOAT),
        "enum_as_output": lambda: (fn.constant(idata=1, shape=[]), types.FLOAT),
        "interp_tensor_argument": lambda: fn.resize(
            fn.constant(idata=5, shape=[4, 4, 1], dtype=types.UINT8, layout="HWC"),
            size=[2, 2],
            interp_type=types.Constant(types.INTERP_NN),
        ),
        "interp_tensor_argument_list": lambda: fn.resize(
            fn.constant(idata=5, shape=[4, 4, 1], dtype=types.UINT8, layout="HWC"),
            size=[2, 2],
            interp_type=[types.INTERP_NN],
        ),
        "interp_numpy_argument": lambda: fn.resize(
            fn.constant(idata=5, shape=[4, 4, 1], dtype=types.UINT8, layout="HWC"),
            size=[2, 2],
            interp_type=np.array([types.INTERP_NN]),
        ),
    }
)


@case
def constant_of_a_number() -> Any:
    c = types.Constant(5)
    return type(c).__name__, c.value, c.dtype


@case
def constant_methods() -> Any:
    c = types.Constant(5)
    return [
        getattr(c, m)().dtype
        for m in "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()
    ]


@case
def constant_as_a_number() -> Any:
    c = types.Constant(5)
    return int(c), float(c), bool(c)


@case
def constant_of_enum_type() -> Any:
    c = types.Constant(types.FLOAT)
    return type(c).__name__, getattr(c, "dtype", None)


@case
def constant_of_interp() -> Any:
    c = types.Constant(types.INTERP_LINEAR)
    return type(c).__name__, getattr(c, "dtype", None)
