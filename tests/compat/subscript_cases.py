"""Cases: parts of samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali as dali
import nvidia.dali.fn as fn
import nvidia.dali.types as types

from catalogue import Group

case = Group("subscripts")

BLOCKS = [np.arange(60, dtype=np.int32).reshape(3, 4, 5) + 100 * number for number in range(3)]


def blocks(layout: str | None = "HWC") -> Any:
    return fn.external_source(source=lambda: BLOCKS, layout=layout)


def numbers(*values: int) -> Any:
    return fn.external_source(source=lambda: [np.array(value, np.int32) for value in values])


# As they stand in scripts, and as they stand in the case's name.
WRITTEN = (
    """[0] [-1] [1,2] [1,2,3] [-1,-2,-3] [:] [1:] [:2] [1:2] [-2:] [:-1] [::1] [::2] [::-1] [2:0:-1] [:,1] [:,:,2]
[:,1:3] [1,:,2] [...] [...,1] [1,...] [1,...,2] [:,...,1] [0:0] [2:1] [5:] [:100] [-100:] [3] [-4] [0,4] [:,:,::2]
[::-1,::-1] [0,0,0,0] [1:3,2] [...,...] [:,:,:,:] [100:200] [::0] [1.5] ['a'] [None] [:,None] [None,...] [True] [[0,1]]
[(0,1)] [1:2,1:2,1:2] [-3:-1,0] [0:3:2] [-1:-3:-1] [:,-1] [0][0] [1:][0] [:,1][1] [::-2] [1::2,::-3]""".split()
)
case.outputs_table({text: lambda text=text: eval("blocks()" + text) for text in WRITTEN})


case.outputs_table(
    {
        "newaxis_dali": lambda: blocks()[dali.newaxis],
        "newaxis_named": lambda: blocks()[dali.newaxis("X")],
        "newaxis_mid": lambda: blocks()[:, dali.newaxis("X"), 1],
        "newaxis_layoutless": lambda: blocks(None)[dali.newaxis],
        "newaxis_named_layoutless": lambda: blocks(None)[dali.newaxis("N")],
        "newaxis_end": lambda: blocks()[..., dali.newaxis("Z")],
        "node_index": lambda: blocks()[numbers(0, 1, 2)],
        "node_index_negative": lambda: blocks()[numbers(-1, 0, -2)],
        "node_index_two": lambda: blocks()[numbers(0, 1, 2), numbers(0, 1, 2)],
        "node_slice": lambda: blocks()[numbers(0, 1, 2) :],
        "node_slice_both": lambda: blocks()[numbers(0, 1, 1) : numbers(2, 2, 3)],
        "node_step": lambda: blocks()[:: numbers(1, 2, -1)],
        "node_out": lambda: blocks()[numbers(0, 1, 5)],
        "node_nonscalar": lambda: blocks()[fn.constant(idata=[0, 1], shape=[2])],
        "node_of_one_element": lambda: blocks()[fn.constant(idata=[1], shape=[1])],
        "node_float": lambda: blocks()[fn.constant(fdata=[1.0], shape=[])],
        "node_uint8": lambda: blocks()[fn.constant(idata=1, shape=[], dtype=types.UINT8)],
        "node_int64": lambda: blocks()[fn.constant(idata=1, shape=[], dtype=types.INT64)],
        "node_bool": lambda: blocks()[fn.constant(idata=1, shape=[], dtype=types.BOOL)],
        "node_expr": lambda: blocks()[numbers(0, 1, 2) - 1],
        "numpy_index": lambda: blocks()[np.int64(1)],
        "numpy_array_index": lambda: blocks()[np.array([0, 1])],
        "constant_index": lambda: blocks()[types.Constant(1)],
        "constant_slice": lambda: blocks()[types.Constant(1) : types.Constant(3)],
        "no_layout": lambda: blocks(None)[1, :, ::2],
        "scalar_subscript": lambda: numbers(1, 2, 3)[0],
        "scalar_ellipsis": lambda: numbers(1, 2, 3)[...],
        "ragged": lambda: fn.external_source(source=lambda: [np.arange(k + 2) for k in range(3)])[-1],
        "ragged_out": lambda: fn.external_source(source=lambda: [np.arange(k + 1) for k in range(3)])[2],
        "ragged_slice": lambda: fn.external_source(source=lambda: [np.arange(k + 1) for k in range(3)])[1:],
        "strided_big": lambda: fn.external_source(source=lambda: [np.arange(50).reshape(5, 10)] * 3)[::2, ::-3],
    }
)


@case.outputs
def assign() -> Any:
    x = blocks()
    x[0] = 1
    return x


@case.outputs
def delete() -> Any:
    x = blocks()
    del x[0]
    return x
