"""Numbers given to `mirror` and its like: not 0 mirrors, but for `resize_crop_mirror`, where each bit is an axis."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

from forebay import fn, pipeline_def, types

PICTURE = np.arange(2 * 2 * 3, dtype=np.uint8).reshape(2, 2, 3)


def of_one(operator: Callable[[Any], Any]) -> np.ndarray:
    @pipeline_def(batch_size=1, num_threads=1)
    def make() -> Any:
        return operator(fn.external_source(lambda: [PICTURE], layout="HWC"))

    return make().run()[0].at(0)


@pytest.mark.parametrize("number", [-1, 0, 1, 2, 4, 5])
def test_any_number_but_0_mirrors(number: int) -> None:
    wanted = PICTURE[:, ::-1] if number else PICTURE
    normalised = of_one(
        lambda x: fn.crop_mirror_normalize(x, mirror=number, output_layout="HWC", dtype=types.UINT8)
    )
    np.testing.assert_array_equal(normalised, wanted)
    np.testing.assert_array_equal(of_one(lambda x: fn.flip(x, horizontal=number)), wanted)
    of_tensor = of_one(lambda x: fn.flip(x, horizontal=fn.cast(fn.constant(idata=number), dtype=types.INT32)))
    np.testing.assert_array_equal(of_tensor, wanted)


@pytest.mark.parametrize("number", range(6))
def test_each_bit_is_an_axis(number: int) -> None:
    wanted = PICTURE[:: -1 if number & 2 else 1, :: -1 if number & 1 else 1]
    found = of_one(lambda x: fn.resize_crop_mirror(x, size=(2, 2), crop=(2, 2), mirror=number))
    np.testing.assert_array_equal(found, wanted)


def test_text_is_no_number() -> None:
    with pytest.raises(ValueError, match="mirror: 'yes' was given where an integer is expected"):
        of_one(lambda x: fn.crop_mirror_normalize(x, mirror="yes"))
