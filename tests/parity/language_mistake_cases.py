"""Cases: mistakes, of which the exception's kind counts."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from language import branching, case, run, source


def mistake(name: str) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """A case by the function that gives a pipeline's outputs."""

    def add(body: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def running(dali: Any) -> Any:
            return run(dali, lambda: body(dali))

        running.__name__ = name
        return case(running)

    return add


def picture(dali: Any, layout: str | None = "HWC") -> Any:
    return source(dali, np.ones((3, 4, 3), np.uint8), layout=layout)


def numbers(dali: Any) -> Any:
    return source(dali, np.ones(4, np.float32))


_OF_SAMPLES: dict[str, Callable[[Any], Any]] = {
    "crop": lambda dali: dali.fn.crop(picture(dali, "XYZ"), crop=(2, 2)),
    "resize": lambda dali: dali.fn.resize(picture(dali, "XYZ"), size=[2, 2]),
    "resize_of_one_axis": lambda dali: dali.fn.resize(numbers(dali), size=[2, 2]),
    "flip": lambda dali: dali.fn.flip(picture(dali, "XYZ")),
    "rotate": lambda dali: dali.fn.rotate(numbers(dali), angle=30),
    "warp_affine": lambda dali: dali.fn.warp_affine(numbers(dali), matrix=[1, 0, 0, 0, 1, 0]),
    "hsv": lambda dali: dali.fn.hsv(picture(dali, "CHW"), hue=3),
    "brightness": lambda dali: dali.fn.brightness(numbers(dali), brightness=2),
    "crop_mirror_normalize": lambda dali: dali.fn.crop_mirror_normalize(picture(dali, "XYZ")),
    "jpeg_compression_distortion": lambda dali: dali.fn.jpeg_compression_distortion(numbers(dali)),
    "water": lambda dali: dali.fn.water(numbers(dali)),
    "division": lambda dali: source(dali, np.int32(1)) // source(dali, np.int32(0)),
    "axis_named_twice": lambda dali: dali.fn.reductions.sum(picture(dali), axes=[0, 0]),
    "axis_beyond": lambda dali: dali.fn.reductions.sum(picture(dali), axes=[5]),
    "axis_before": lambda dali: dali.fn.reductions.mean(picture(dali), axes=[-9]),
}
for _name, _body in _OF_SAMPLES.items():
    mistake(f"a_sample_that_does_not_fit_{_name}")(_body)


@mistake("text_as_an_output")
def _text(dali: Any) -> Any:
    return "abc"


@mistake("no_outputs")
def _nothing(dali: Any) -> Any:
    return None


@mistake("a_device_that_is_not_there")
def _device(dali: Any) -> Any:
    return dali.fn.cast(numbers(dali), dtype=dali.types.INT32, device="tpu")


@mistake("lists_of_inputs_of_other_lengths")
def _lists(dali: Any) -> Any:
    return dali.fn.stack([numbers(dali), numbers(dali)], [numbers(dali), numbers(dali), numbers(dali)])


@mistake("an_array_as_a_subscript")
def _subscript(dali: Any) -> Any:
    return picture(dali)[np.array([0, 1])]


@mistake("a_cycle_of_a_callable")
def _cycle(dali: Any) -> Any:
    return dali.fn.external_source(source=lambda: np.ones(1), cycle=True)


@mistake("a_source_with_an_unknown_argument")
def _source_argument(dali: Any) -> Any:
    return dali.fn.external_source(source=lambda: np.ones(1), nonsense=1)


@mistake("a_source_that_is_a_number")
def _source_number(dali: Any) -> Any:
    return dali.fn.external_source(source=5)


@mistake("a_source_that_gives_nothing")
def _source_nothing(dali: Any) -> Any:
    return dali.fn.external_source(source=lambda: None)


@mistake("a_source_that_gives_objects")
def _source_objects(dali: Any) -> Any:
    return dali.fn.external_source(source=lambda: [np.array([None])])


@mistake("a_function_that_is_none")
def _function(dali: Any) -> Any:
    return dali.fn.python_function(numbers(dali), function=5)


@mistake("a_function_with_an_unknown_argument")
def _function_argument(dali: Any) -> Any:
    return dali.fn.python_function(numbers(dali), function=abs, nonsense=1)


@mistake("a_function_of_a_batch_that_raises")
def _raising(dali: Any) -> Any:
    def fail(_: Any) -> Any:
        raise ValueError("own words")

    return dali.fn.python_function(numbers(dali), function=fail, batch_processing=True)


@mistake("a_function_of_a_batch_that_gives_too_few")
def _too_few(dali: Any) -> Any:
    return dali.fn.python_function(numbers(dali), function=lambda x: x[1:], batch_processing=True)


@mistake("a_constant_with_an_unknown_argument")
def _constant(dali: Any) -> Any:
    return dali.types.Constant(3, nonsense=1)


def _fed(dali: Any) -> Any:
    pipeline = dali.Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipeline:
        pipeline.set_outputs(dali.fn.external_source(name="in"))
    pipeline.build()
    return pipeline


@case
def a_feed_of_an_unknown_name(dali: Any) -> Any:
    _fed(dali).feed_input("other", [np.ones(1)])


@case
def a_feed_of_nothing(dali: Any) -> Any:
    _fed(dali).feed_input("in", None)


@case
def a_run_without_data(dali: Any) -> Any:
    return len(_fed(dali).run())


@case
def a_reader_of_an_unknown_name(dali: Any) -> Any:
    return _fed(dali).reader_meta("other")


@case
def a_pipeline_from_other_bytes(dali: Any) -> Any:
    return dali.Pipeline.deserialize(b"garbage") and None


@case
def the_numpy_type_of_text(dali: Any) -> Any:
    return dali.types.to_numpy_type(dali.types.STRING) and None


@case
def a_sample_beyond_a_batch(dali: Any) -> Any:
    return dali.tensors.TensorListCPU(np.zeros((2, 1))).at(9).tolist()


@case
def a_batch_of_a_number(dali: Any) -> Any:
    return len(dali.tensors.TensorListCPU(5))


# Branches whose layouts differ.


def _layouts(dali: Any, if_true: str | None, if_false: str | None, *conditions: bool) -> Any:
    def with_layout(layout: str | None) -> Any:
        return dali.fn.copy(picture(dali, None)) if layout is None else dali.fn.reshape(picture(dali), layout=layout)

    def body(condition: Any) -> Any:
        if condition:
            y = with_layout(if_true)
        else:
            y = with_layout(if_false)
        return dali.fn.reductions.sum(y)

    return branching(dali, body, list(conditions))


@case
def branches_of_two_layouts(dali: Any) -> Any:
    return _layouts(dali, "HWC", "CHW", True, False)


@case
def branches_with_a_layout_and_without(dali: Any) -> Any:
    return _layouts(dali, None, "CHW", True, False)


@case
def branches_of_two_layouts_of_which_one_runs(dali: Any) -> Any:
    return _layouts(dali, "HWC", "CHW", True, True)


@case
def branches_of_one_layout(dali: Any) -> Any:
    return _layouts(dali, "HWC", "HWC", True, False)
