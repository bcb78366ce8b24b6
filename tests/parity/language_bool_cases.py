"""Cases: which numbers are true, where they become bools."""

from __future__ import annotations

from typing import Any

import numpy as np

from language import case, outputs_of, run, source

REALS = [-np.inf, -1.0, -0.5, -0.4999, -0.1, 0.0, 0.3, 0.4999, 0.5, 0.7, 2.0, np.nan]


def of_reals(dali: Any, convert: Any, dtype: type = np.float32) -> Any:
    return run(dali, lambda: convert(source(dali, np.array(REALS, dtype))))


@case
def reals_cast_to_bool(dali: Any) -> Any:
    return [of_reals(dali, lambda x: dali.fn.cast(x, dtype=dali.types.BOOL), dtype) for dtype in (np.float32, np.float64)]


@case
def reals_of_16_bits_cast_to_bool(dali: Any) -> Any:
    return of_reals(dali, lambda x: dali.fn.cast(dali.fn.cast(x, dtype=dali.types.FLOAT16), dtype=dali.types.BOOL))


@case
def integers_cast_to_bool(dali: Any) -> Any:
    return run(dali, lambda: dali.fn.cast(source(dali, np.int32([-1, 0, 1, 2])), dtype=dali.types.BOOL))


@case
def reals_cast_like_a_bool(dali: Any) -> Any:
    return of_reals(dali, lambda x: dali.fn.cast_like(x, source(dali, True)))


@case
def reals_not(dali: Any) -> Any:
    numbers = [0.3, 0.0]
    make = dali.pipeline_def(batch_size=1, num_threads=1, device_id=None, enable_conditionals=True)
    return [outputs_of(make(lambda: not source(dali, np.float32(number)))()) for number in numbers]


@case
def constants_of_reals_as_bool(dali: Any) -> Any:
    values = [-0.7, -0.4, 0.0, 0.3, 0.5, 0.7]

    def body() -> Any:
        return (
            dali.types.Constant(values, dtype=dali.types.BOOL),
            dali.types.Constant(np.float32(values), dtype=dali.types.BOOL),
            dali.types.Constant(0.3, dtype=dali.types.BOOL, shape=[2]),
            dali.types.Constant(0.7, dtype=dali.types.BOOL, shape=[2]),
            dali.fn.constant(fdata=values, dtype=dali.types.BOOL),
        )

    return run(dali, body)


@case
def bools_filled_with_reals(dali: Any) -> Any:
    def body() -> Any:
        like = source(dali, [True, False])
        return dali.fn.full_like(like, 0.3), dali.fn.full_like(like, 0.7)

    return run(dali, body)


@case
def a_table_of_bools(dali: Any) -> Any:
    table = {"keys": [0, 1, 2], "values": [0.3, 0.5, 0.7], "default_value": 0.4, "dtype": dali.types.BOOL}
    return run(dali, lambda: dali.fn.lookup_table(source(dali, np.uint8([0, 1, 2, 3])), **table))
