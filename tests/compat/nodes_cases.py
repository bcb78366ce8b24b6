"""Cases: nodes, and what may stand where a node does: outputs, inputs, arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.types as types
from nvidia.dali import Pipeline, pipeline_def
from nvidia.dali.pipeline import DataNode

from catalogue import Group
from pipelines import run, SETTINGS

case = Group("building")


def pairs(values: Any = ((1, 2), (3, 4), (5, 6)), dtype: Any = np.int32) -> Any:
    return fn.external_source(source=lambda: [np.array(value, dtype) for value in values])


case.outputs_table(
    {
        "output_list_of_nodes": lambda: [pairs(), pairs()],
        "output_nested_list": lambda: (pairs(), [pairs(), pairs()]),
        "output_constant_int": lambda: (pairs(), 5),
        "output_numpy": lambda: (pairs(), np.array([1, 2, 3])),
        "output_python_list": lambda: (pairs(), [1, 2, 3]),
        "output_string": lambda: (pairs(), "abc"),
        "output_none_in_tuple": lambda: (pairs(), None),
        "output_none": lambda: None,
        "output_empty_tuple": lambda: (),
        "output_dict": lambda: {"a": pairs()},
        "only_constant_output": lambda: types.Constant(3),
        "node_iterate": lambda: [a for a in pairs()],
        "node_len": lambda: len(pairs()),
        "node_not": lambda: not pairs(),
        "node_unset_attribute": lambda: pairs().nonsense,
        "node_cpu": lambda: pairs().cpu(),
        "node_gpu_no_gpu": lambda: pairs().gpu(),
        "subscript_constant": lambda: pairs()[types.Constant(1)],
        "subscript_constant_slice": lambda: pairs()[types.Constant(0) : types.Constant(1)],
        "input_sets_empty": lambda: fn.cast([], dtype=types.FLOAT),
        "constant_input_list": lambda: (pairs(), fn.cast(np.array([1, 2], np.int32), dtype=types.FLOAT)),
        "constant_input_scalar": lambda: (pairs(), fn.cast(5, dtype=types.FLOAT)),
        "constant_input_types_constant": lambda: (pairs(), fn.cast(types.Constant([1, 2]), dtype=types.FLOAT)),
        "constant_input_nested_pylist": lambda: (pairs(), fn.stack(pairs(), [[1, 2]])),
        "argument_constant_node": lambda: fn.random.uniform(range=(3.0, 3.0), shape=types.Constant([2])),
        "argument_numpy": lambda: fn.reshape(pairs(), shape=np.array([2, 1])),
        "argument_numpy_scalar": lambda: fn.pad(pairs(), shape=np.int64(4), fill_value=np.float32(2)),
        "argument_numpy_array_for_tensor": lambda: fn.warp_affine(
            fn.constant(idata=1, shape=[4, 4, 1], dtype=types.UINT8, layout="HWC"), np.float32([[1, 0, 0], [0, 1, 0]])
        ),
        "argument_none": lambda: fn.cast(pairs(), dtype=types.FLOAT, name=None, bytes_per_sample_hint=None),
        "argument_none_value": lambda: fn.pad(pairs(), shape=None),
        "argument_tuple_for_list": lambda: fn.reshape(pairs(), shape=(1, 2)),
        "argument_datanode_not_tensor_argument": lambda: fn.cast(pairs(), dtype=pairs()),
        "argument_string_for_float": lambda: fn.pad(pairs(), fill_value="a"),
        "argument_bool_for_int": lambda: fn.pad(pairs(), fill_value=True, shape=[3]),
        "argument_float_for_int": lambda: fn.reshape(pairs(), shape=[1.0, 2.0]),
        "argument_fractional_for_int": lambda: fn.one_hot(pairs(), num_classes=2.5),
        "argument_list_for_scalar": lambda: fn.pad(pairs(), fill_value=[1.0], shape=[3]),
        "argument_range_object": lambda: fn.transpose(fn.reshape(pairs(), shape=[1, 2]), perm=range(1, -1, -1)),
        "cast_type_numpy": lambda: fn.cast(pairs(), dtype=np.float32),
        "cast_type_str": lambda: fn.cast(pairs(), dtype="float32"),
        "argument_misspelt": lambda: fn.cast(pairs(), dytpe=types.FLOAT),
        "device_gpu_operator_on_cpu_input": lambda: fn.cast(pairs(), dtype=types.FLOAT, device="gpu"),
        "device_bad": lambda: fn.cast(pairs(), dtype=types.FLOAT, device="tpu"),
        "arithmetic_with_numpy_left": lambda: np.array([1, 2], np.int32) + pairs(),
        "arithmetic_with_numpy_scalar_left": lambda: np.float32(2) * pairs(),
        "arithmetic_with_list": lambda: pairs() + [1, 2],
        "arithmetic_none": lambda: pairs() + None,
        "ufunc_on_node": lambda: np.sqrt(pairs()),
    }
)


@case
def node_passed_to_definition() -> Any:
    x = fn.constant(idata=[1, 2], shape=[2])

    @pipeline_def(**SETTINGS)
    def define(y):
        return y * 2

    pipeline = define(x)
    pipeline.build()
    return pipeline.run()


@case
def node_used_in_two_pipelines() -> Any:
    x = fn.constant(idata=[7], shape=[1])
    pipeline = Pipeline(**SETTINGS)
    pipeline.set_outputs(x)
    pipeline.build()
    a = pipeline.run()
    other = Pipeline(**SETTINGS)
    other.set_outputs(x + 1)
    other.build()
    return a, other.run()


@case
def node_of_another_pipeline_with() -> Any:
    pipeline = Pipeline(**SETTINGS)
    with pipeline:
        x = pairs()
    other = Pipeline(**SETTINGS)
    with other:
        other.set_outputs(x + 1)
    other.build()
    return other.run()


@case.outputs
def same_output_twice() -> Any:
    x = pairs()
    return x, x


@case
def node_iterable_isinstance() -> Any:
    from collections.abc import Iterable

    seen = []

    def body():
        x = pairs()
        seen.append(isinstance(x, Iterable))
        return x

    run(body)
    return seen


@case.outputs
def node_bool() -> Any:
    if pairs():
        return pairs()
    return pairs() + 1


@case.outputs
def node_hash() -> Any:
    d = {pairs(): 1}
    return list(d)[0]


@case
def node_attributes() -> Any:
    seen = []

    def body():
        x = pairs()
        seen.append((x.device, x.name is not None, isinstance(x, DataNode)))
        return x

    run(body)
    return seen


@case
def node_shape_layout_type() -> Any:
    seen = []

    def body():
        x = pairs()
        seen.append((x.ndim, x.dtype, x.layout))
        return x.shape(), x.shape(dtype=types.INT32)

    return run(body), seen


@case.outputs
def node_set_attribute() -> Any:
    x = pairs()
    x.extra = 5
    return x + x.extra


@case.outputs
def node_source_info() -> Any:
    x = pairs()
    return x.source_info()


@case.outputs
def node_property_layout() -> Any:
    x = fn.external_source(source=lambda: [np.zeros((2, 2))] * 3, layout="HW")
    return x.property("layout")


@case.outputs
def input_sets_with_single() -> Any:
    a, b = pairs(), pairs()
    return fn.stack([a, b], a)


@case.outputs
def same_seed_twice() -> Any:
    return fn.random.uniform(seed=5, shape=[3]) - fn.random.uniform(seed=5, shape=[3])
