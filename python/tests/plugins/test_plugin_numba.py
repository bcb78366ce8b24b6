"""Operators that Numba compiles."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

from forebay import fn, pipeline_def, types  # noqa: E402
from forebay.plugin.numba import NumbaFunction  # noqa: E402
from forebay.plugin.numba.experimental import NumbaFunction as OlderName  # noqa: E402
from forebay.plugin.numba.fn import numba_function  # noqa: E402
from forebay.plugin.numba.fn.experimental import numba_function as older_name  # noqa: E402


def run(*inputs: Any, **arguments: Any) -> list[list[np.ndarray]]:
    """The outputs, as lists of samples."""

    @pipeline_def(batch_size=len(inputs[0]), num_threads=1)
    def make() -> Any:
        nodes = [fn.external_source(itertools.repeat(given)) for given in inputs]
        outputs = numba_function(*nodes, **arguments)
        return tuple(outputs) if isinstance(outputs, list) else outputs

    return [[np.array(sample) for sample in batch] for batch in make().run()]


IMAGES = [np.arange(6, dtype=np.uint8).reshape(2, 3), np.full((4, 1), 9, np.uint8)]


def invert(out0: Any, in0: Any) -> None:
    for y in range(in0.shape[0]):
        for x in range(in0.shape[1]):
            out0[y, x] = 255 - in0[y, x]


def turned_shape(outs: Any, ins: Any) -> None:
    out0, in0 = outs[0], ins[0]
    for sample in range(len(out0)):
        out0[sample][0] = in0[sample][1]
        out0[sample][1] = in0[sample][0]


def turn(out0: Any, in0: Any) -> None:
    out0[:] = in0.T


def test_outputs_have_the_shapes_of_the_inputs() -> None:
    (got,) = run(IMAGES, run_fn=invert, out_types=[types.UINT8], in_types=[types.UINT8], outs_ndim=[2], ins_ndim=[2])
    for result, image in zip(got, IMAGES):
        np.testing.assert_array_equal(result, 255 - image)


def test_types_are_numpys_too() -> None:
    (got,) = run(IMAGES, run_fn=invert, out_types=[np.uint8], in_types="uint8", outs_ndim=[2], ins_ndim=[2])
    np.testing.assert_array_equal(got[0], 255 - IMAGES[0])
    with pytest.raises(ValueError, match="numba_function: out_types='uin8' names no element type"):
        run(IMAGES, run_fn=invert, out_types=["uin8"], in_types=["uint8"], outs_ndim=[2], ins_ndim=[2])


def test_setup_says_the_shapes() -> None:
    one = {"out_types": types.UINT8, "in_types": types.UINT8, "outs_ndim": 2, "ins_ndim": 2}
    (got,) = run(IMAGES, run_fn=turn, setup_fn=turned_shape, **one)
    for result, image in zip(got, IMAGES):
        np.testing.assert_array_equal(result, image.T)


def test_batches_of_two_inputs_and_outputs() -> None:
    def shapes(outs: Any, ins: Any) -> None:
        for sample in range(len(ins[0])):
            outs[0][sample][0] = ins[0][sample][0]
            outs[1][sample][0] = len(ins[0])

    def work(sums: Any, counts: Any, left: Any, right: Any) -> None:
        for sample in range(len(left)):
            sums[sample][:] = left[sample] + right[sample]
            counts[sample][:] = len(left)

    left = [np.float32([1, 2]), np.float32([3, 4, 5])]
    sums, counts = run(
        left, left, run_fn=work, setup_fn=shapes, out_types=[types.FLOAT, types.INT64],
        in_types=[types.FLOAT, types.FLOAT], outs_ndim=[1, 1], ins_ndim=[1, 1], batch_processing=True,
    )
    assert [each.tolist() for each in sums] == [[2, 4], [6, 8, 10]]
    assert [each.tolist() for each in counts] == [[2, 2], [2, 2]]


def test_as_an_object_and_by_older_names() -> None:
    assert OlderName is NumbaFunction and older_name is numba_function
    operator = NumbaFunction(invert, [types.UINT8], [types.UINT8], [2], [2])
    assert operator.device == "cpu"

    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        return operator(fn.external_source(lambda: IMAGES))

    np.testing.assert_array_equal(np.array(make().run()[0][1]), 255 - IMAGES[1])


def negative_shape(outs: Any, ins: Any) -> None:
    outs[0][0][0] = -1


def refused(**changes: Any) -> None:
    arguments = {
        "run_fn": invert, "out_types": [types.UINT8], "in_types": [types.UINT8], "outs_ndim": [2], "ins_ndim": [2],
    }
    run(IMAGES, **{**arguments, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"out_types": [types.UINT8, types.INT8]}, "2 `out_types` for 1 `outs_ndim`"),
        ({"in_types": [types.FLOAT16]}, "no float16"),
        ({"in_types": [types.UINT8] * 2, "ins_ndim": [2, 2]}, "1 inputs were given for 2"),
        ({"in_types": [], "ins_ndim": []}, "1 to 6 inputs, not 0"),
        ({"outs_ndim": [3]}, "without `setup_fn`"),
        ({"device": "gpu"}, "CPU only"),
        ({"in_types": [types.INT32]}, "promised as int32 of 2 dimensions and is uint8 of 2"),
        ({"ins_ndim": [3], "outs_ndim": [3]}, "of 3 dimensions and is uint8 of 2"),
        ({"setup_fn": negative_shape}, "gave the shape"),
    ],
)
def test_what_is_refused(changes: Any, message: str) -> None:
    with pytest.raises(Exception, match=message):
        refused(**changes)


def test_code_that_numba_cannot_compile_is_an_error() -> None:
    def strange(out0: Any, in0: Any) -> None:
        out0[:] = open("x")

    with pytest.raises(Exception, match="(?i)numba|untyped|open"):
        refused(run_fn=strange)
