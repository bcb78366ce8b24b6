"""Smaller things that scripts written for DALI rely on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from forebay import Pipeline, fn, ops, pipeline_def, types


def image() -> Any:
    return types.Constant(np.arange(48, dtype=np.uint8).reshape(4, 4, 3), layout="HWC")


def run(*outputs: Any) -> list[Any]:
    pipe = Pipeline(batch_size=1, num_threads=1)
    pipe.set_outputs(*outputs)
    return [output.as_array().tolist() for output in pipe.run()]


def test_lists_of_inputs() -> None:
    flip = ops.Flip(horizontal=1)
    one, other = flip([image(), image() + types.Constant(1).uint8()])
    single = flip([image()])
    first, second, alone = run(one, other, single)
    assert first == alone != second


def test_lists_of_inputs_of_an_operator_with_several_outputs() -> None:
    shapes = [types.Constant(np.array(extents)) for extents in ([40, 60, 3], [10, 20, 3])]
    anchors, extents = fn.random_crop_generator(shapes, seed=3)
    assert len(anchors) == len(extents) == 2
    outputs = run(*anchors, *extents)
    assert all(np.shape(output) == (1, 2) for output in outputs)
    assert outputs[3][0][0] <= 10 and outputs[3][0][1] <= 20


def test_two_ways_of_taking_batches_are_not_mixed() -> None:
    def make() -> Pipeline:
        pipe = Pipeline(batch_size=1, num_threads=1)
        pipe.set_outputs(fn.random.uniform())
        return pipe

    pipe = make()
    pipe.run()
    for method in (pipe.schedule_run, pipe.share_outputs, pipe.release_outputs, pipe.outputs):
        with pytest.raises(RuntimeError, match="Mixing pipeline API type"):
            method()
    pipe.enable_api_check(False)
    for method in (pipe.schedule_run, pipe.share_outputs, pipe.release_outputs, pipe.outputs):
        method()
    pipe = make()
    pipe.schedule_run()
    pipe.share_outputs()
    pipe.release_outputs()
    with pytest.raises(RuntimeError, match="Currently used: PipelineAPIType.SCHEDULED"):
        pipe.run()
    pipe.enable_api_check(False)
    assert len(pipe.run()) == 1


def test_what_outputs_must_be_is_saved() -> None:
    pipe = Pipeline(batch_size=1, num_threads=1, output_dtype=[types.UINT8, None], output_ndim=[3, 0], output_layout="")
    pipe.set_outputs(image(), 5)
    saved = Pipeline.deserialize(pipe.serialize())
    assert (saved.output_dtype(), saved.output_ndim(), saved.output_layout()) == ([types.UINT8, None], [3, 0], ["", ""])
    wrong = Pipeline(batch_size=1, num_threads=1, output_dtype=types.FLOAT)
    wrong.set_outputs(image())
    with pytest.raises(RuntimeError, match="uint8"):
        Pipeline.deserialize(wrong.serialize()).run()
    for what in ("text", 42):
        with pytest.raises(TypeError, match="`define_graph` must be callable"):
            pipe.serialize(what)


def test_an_argument_under_both_names() -> None:
    for kind in (TypeError, ValueError):
        with pytest.raises(kind, match="'output_dtype' is an old name of 'dtype', which is given too"):
            fn.crop(image(), crop=(2, 2), dtype=types.FLOAT, output_dtype=types.FLOAT)


def test_the_batch_size_has_two_names() -> None:
    @pipeline_def(batch_size=3, num_threads=1)
    def make() -> Any:
        return fn.random.uniform()

    assert [len(pipe.run()[0]) for pipe in (make(), make(max_batch_size=2), make(batch_size=4))] == [3, 2, 4]
    assert Pipeline(max_batch_size=5).max_batch_size == 5
    with pytest.raises(ValueError, match="are one argument"):
        Pipeline(batch_size=1, max_batch_size=2)
