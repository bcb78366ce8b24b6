"""Cases: sources, functions of the user, constants and values, objects, mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np

from language import case, run, source


# Sources.


def fed(dali: Any, declared: str | None, has: str) -> Any:
    pipeline = dali.Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipeline:
        pipeline.set_outputs(dali.fn.external_source(name="fed", layout=declared))
    pipeline.build()
    batch = dali.tensors.TensorListCPU(np.zeros((2, 3, 4, 3), np.uint8), layout=has)
    pipeline.feed_input("fed", batch)
    return pipeline.run()[0].layout()


@case
def the_layout_of_what_is_fed_is_kept(dali: Any) -> Any:
    return fed(dali, None, "HWC")


@case
def another_layout_than_declared(dali: Any) -> Any:
    return fed(dali, "CHW", "HWC")


@case
def a_layout_where_none_is_declared(dali: Any) -> Any:
    return fed(dali, "", "HWC")


@case
def another_type_than_declared(dali: Any) -> Any:
    return run(dali, lambda: source(dali, [1, 2], dtype=dali.types.FLOAT))


@case
def another_rank_than_declared(dali: Any) -> Any:
    return run(dali, lambda: source(dali, [1, 2], ndim=3))


@case
def a_layout_of_another_rank(dali: Any) -> Any:
    return run(dali, lambda: source(dali, [1, 2], layout="HWC"))


@case
def a_layout_and_a_rank_that_differ(dali: Any) -> Any:
    return run(dali, lambda: source(dali, [1, 2], layout="HWC", ndim=2))


@case
def two_outputs_of_an_array(dali: Any) -> Any:
    def give() -> np.ndarray:
        return np.array([[[1], [2]], [[3], [4]]])

    return run(dali, lambda: tuple(dali.fn.external_source(give, num_outputs=2)), batch_size=2)


@case
def two_outputs_of_an_array_by_sample(dali: Any) -> Any:
    def body() -> Any:
        return tuple(dali.fn.external_source(lambda _: np.array([[1], [3]]), num_outputs=2, batch=False))

    return run(dali, body, batch_size=2)


@case
def too_many_outputs(dali: Any) -> Any:
    return run(dali, lambda: tuple(dali.fn.external_source(lambda: np.zeros((2, 1, 3)), num_outputs=3)))


@case
def two_sources_that_raise_at_their_end(dali: Any) -> Any:
    pipeline = dali.Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipeline:
        one = dali.fn.external_source(source=[[np.array(1)], [np.array(2)]], cycle="raise")
        other = dali.fn.external_source(source=[[np.array(3)], [np.array(4)]], cycle="raise")
        pipeline.set_outputs(one, other)
    pipeline.build()
    taken: list[Any] = []
    for _ in range(3):
        try:
            while True:
                taken.append([int(np.array(output.at(0))) for output in pipeline.run()])
        except StopIteration:
            taken.append("end")
            pipeline.reset()
    return taken


@case
def a_source_that_runs_a_pipeline(dali: Any) -> Any:
    inner = dali.Pipeline(batch_size=1, num_threads=1, device_id=None)
    with inner:
        inner.set_outputs(source(dali, 20) + 1)
    inner.build()
    return run(dali, lambda: dali.fn.external_source(lambda: [np.array(inner.run()[0].at(0))]) * 2)


@case
def the_origin_of_what_a_source_gives(dali: Any) -> Any:
    def body() -> Any:
        given = dali.fn.external_source(lambda: [np.zeros(2, np.uint8), np.ones(3, np.uint8)])
        return tuple(dali.fn.get_property(each, key="source_info") for each in (given, given + 1))

    return run(dali, body, batch_size=2)


# Functions of the user.


@case
def a_function_of_a_constant(dali: Any) -> Any:
    constant = dali.types.Constant(np.array([1, 2])) if hasattr(dali, "types") else None
    return run(dali, lambda: dali.fn.python_function(constant, function=lambda x: x + 1))


@case
def a_function_of_an_array(dali: Any) -> Any:
    return run(dali, lambda: dali.fn.python_function(np.array([1, 2]), function=lambda x: x + 1))


@case
def a_function_of_a_list_of_nodes(dali: Any) -> Any:
    return run(dali, lambda: dali.fn.python_function([source(dali, 1), source(dali, 2)], function=lambda x: x))


@case
def a_function_that_writes_its_input(dali: Any) -> Any:
    def negate(x: np.ndarray) -> np.ndarray:
        x *= -1
        return x

    return run(dali, lambda: dali.fn.python_function(source(dali, [1, 2]), function=negate))


# Constants and values.


@case
def subscripts_that_are_constants(dali: Any) -> Any:
    def body() -> Any:
        node = source(dali, [4, 5, 6, 7])
        return node[dali.types.Constant(1)], node[dali.types.Constant(1) : dali.types.Constant(3)]

    return run(dali, body)


@case
def clamp_with_crossed_bounds(dali: Any) -> Any:
    def body() -> Any:
        node = dali.types.Constant(np.array([0, 3, 5, 7, 10]))
        numbers = dali.types.Constant(np.array([0.0, 3.0, 5.0, 7.0, 10.0]))
        return dali.math.clamp(node, 7, 3), dali.math.clamp(numbers, 7.0, 3.0), dali.math.clamp(node, 3, 7)

    return run(dali, body)


@case
def pad_with_empty_axis_names(dali: Any) -> Any:
    def body() -> Any:
        node = dali.types.Constant(np.array([[1, 2], [3, 4]]), layout="HW")
        return dali.fn.pad(node, axis_names="", align=[3]), dali.fn.pad(node, axis_names="", shape=[3, 3])

    return run(dali, body)


@case
def one_hot_of_one_number(dali: Any) -> Any:
    def body() -> Any:
        row = dali.types.Constant(np.array([[1]]))
        number = dali.types.Constant(np.array([1]))
        axes = [dali.fn.one_hot(row, num_classes=3, axis=axis) for axis in (0, 1, 2)]
        axes += [dali.fn.one_hot(number, num_classes=3, axis=axis) for axis in (0, 1)]
        return dali.fn.one_hot(row, num_classes=3), dali.fn.one_hot(number, num_classes=3), *axes

    return run(dali, body)


@case
def squeeze_of_empty_tensors(dali: Any) -> Any:
    def body() -> Any:
        wide = source(dali, np.zeros((3, 0, 2), np.uint8))
        flat = source(dali, np.zeros((1, 0, 1), np.uint8))
        return dali.fn.squeeze(wide, axes=[2]), dali.fn.squeeze(flat, axes=[0, 2])

    return run(dali, body)


@case
def squeeze_that_would_make_elements(dali: Any) -> Any:
    return run(dali, lambda: dali.fn.squeeze(source(dali, np.zeros((3, 0, 1), np.uint8)), axes=[1]))


@case
def equal_pipelines_are_equal_as_bytes(dali: Any) -> Any:
    def make() -> bytes:
        pipeline = dali.Pipeline(batch_size=1, num_threads=1, device_id=None)
        with pipeline:
            pipeline.set_outputs(dali.fn.random.uniform() + dali.types.Constant(1))
        return bytes(pipeline.serialize())

    return make() == make()


# Objects.


@case
def objects_say_what_they_are(dali: Any) -> Any:
    made = dali.ops.random.Uniform(range=[1, 2], device="cpu")
    return made.device, made.schema.Name(), dali.ops.readers.File(files=["x"]).schema.Name()


@case
def none_at_the_call_of_an_object(dali: Any) -> Any:
    def body() -> Any:
        return dali.ops.Cast(dtype=dali.types.FLOAT)(source(dali, 3), dtype=None)

    return run(dali, body)


@case
def an_argument_given_twice_to_an_object(dali: Any) -> Any:
    def body() -> Any:
        return dali.ops.Cast(dtype=dali.types.FLOAT)(source(dali, 3), dtype=dali.types.INT32)

    return run(dali, body)


# Mistakes.


@case
def an_argument_that_is_not_there(dali: Any) -> Any:
    return dali.fn.resize(source(dali, 1), sizee=3)


@case
def an_argument_that_is_missing(dali: Any) -> Any:
    return run(dali, lambda: dali.fn.cast(source(dali, 1)))


@case
def an_input_that_is_missing(dali: Any) -> Any:
    return run(dali, lambda: dali.fn.resize(size=3))


@case
def a_folder_that_is_not_there(dali: Any) -> Any:
    return run(dali, lambda: dali.fn.readers.file(file_root="/not/there")[0])


@case
def two_ways_of_taking_batches(dali: Any) -> Any:
    pipeline = dali.Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipeline:
        pipeline.set_outputs(dali.fn.random.uniform())
    pipeline.build()
    pipeline.schedule_run()
    return len(pipeline.run())


@case
def warnings_of_older_names(dali: Any) -> Any:
    import warnings

    def body() -> Any:
        picture = source(dali, np.zeros((4, 4, 3), np.uint8), layout="HWC")
        older = {"output_dtype": dali.types.FLOAT}
        return dali.fn.crop(picture, crop=(2, 2), image_type=dali.types.RGB, **older), dali.fn.uniform(range=[1.0, 2.0])

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(dali, body)
    texts = [str(each.message) for each in caught if each.category is DeprecationWarning]
    return [any(word in text for text in texts) for word in ("`output_dtype`", "`image_type`", "fn.uniform`")]
