"""Cases: shapes, layouts and numbers out of range in arithmetic, and `clamp`."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.math as math

from arithmetic_cases import left, right
from catalogue import Group

case = Group("arithmetic")

case.outputs_table(
    {
        "math_constant": lambda: math.sqrt(4.0),
        "math_two_constant": lambda: math.max(3, 4),
        "clamp_basic": lambda: math.clamp(left("int32"), 2, 5),
        "clamp_crossed": lambda: math.clamp(left("int32"), 5, 2),
        "clamp_crossed_float": lambda: math.clamp(left("float32"), 5.0, 2.0),
        "clamp_nodes": lambda: math.clamp(left("int32"), right("int32"), right("float32") + 1),
        "clamp_mixed": lambda: math.clamp(left("uint8"), -1, 5.5),
        "broadcast_ok": lambda: left("int32") + fn.reshape(right("int32"), shape=[3, 1]),
        "broadcast_bad": lambda: left("int32") + fn.constant(idata=[1, 2], shape=[2]),
        "broadcast_scalar_node": lambda: left("int32") + fn.constant(idata=1, shape=[]),
        "broadcast_rank": lambda: fn.reshape(left("int32"), shape=[1, 3]) * right("int32"),
        "layouts_differ": lambda: fn.reshape(left("int32"), layout="X") + fn.reshape(right("int32"), layout="Y"),
        "div_by_zero_int": lambda: left("int32") // fn.constant(idata=1, shape=[3]),
        "div_zero_float": lambda: left("float32") / 0.0,
        "floordiv_negative": lambda: (left("int32") - 5) // 3,
        "modulo_negative": lambda: (left("int32") - 5) % 3,
        "big_int_constant": lambda: left("int32") + 2**31,
        "big_int_const64": lambda: left("int64") + 2**40,
        "int8_negative": lambda: left("int8") - 127,
        "sqrt_negative": lambda: math.sqrt(left("float32") - 5),
        "log_zero": lambda: math.log(left("float32") * 0),
        "pow_negative_int": lambda: left("int32") ** (-1),
        "pow_zero_zero": lambda: (left("int32") * 0) ** 0,
        "float16": lambda: left("float16") + 1,
        "bool_plus_bool": lambda: left("bool") + right("bool"),
        "bool_div_bool": lambda: left("bool") / right("bool"),
        "bool_negative": lambda: -left("bool"),
        "empty_tensors": lambda: fn.external_source(source=lambda: [np.zeros((0, 3), np.int32)] * 3) + 1,
        "ragged": lambda: fn.external_source(source=lambda: [np.ones(k + 1, np.int32) for k in range(3)]) + 1,
        "large": lambda: fn.reductions.sum(
            fn.external_source(source=lambda: [np.arange(100000, dtype=np.int64)] * 3) * 3 + 1
        ),
    }
)


@case.outputs
def same_node_twice() -> Any:
    x = left("int32")
    return x + x, x * x - x
