"""Cases: words that messages of exceptions have."""

from __future__ import annotations

from typing import Any

import numpy as np
import nvidia.dali as dali
import nvidia.dali.fn as fn
import nvidia.dali.math as math
import nvidia.dali.types as types

from catalogue import Group
from files import one_file
from pipelines import floats, ones, run

case = Group("messages")


def booleans() -> Any:
    return floats() > 0


def said(body: Any, words: str, **settings: Any) -> Any:
    """Those of the words that the message of the exception has."""
    try:
        run(body, **settings)
    except Exception as error:
        return {word for word in words.split("|") if word in str(error)}
    return "no exception"


def words_of(cases: dict[str, Any], **settings: Any) -> None:
    """Key words of DALI's messages, by which scripts and people find out what was wrong."""
    for name, (body, words) in cases.items():
        case.add(name, lambda body=body, words=words: said(body, words, **settings))


words_of(
    {
        "bitand_float": (lambda: floats() & floats(), "itwise"),
        "invert": (lambda: ~floats(), "itwise"),
        "shift_float": (lambda: floats() << 1, "itwise|hift"),
        "bool_sub": (lambda: booleans() - booleans(), "bool"),
        "bool_negative": (lambda: -booleans(), "bool"),
        "bool_add": (lambda: booleans() + booleans(), "bool"),
        "math_bool": (lambda: math.sqrt(booleans()), "bool"),
        "min_bool": (lambda: math.min(booleans(), booleans()), "bool"),
        "shift_bool": (lambda: booleans() << 1, "bool|hift|itwise"),
        "bool_div": (lambda: booleans() / booleans(), "bool"),
        "subscript_out": (lambda: ones()[9], "out of|range|bounds"),
        "subscript_rank": (lambda: ones()[0, 0, 0, 0], "dimension|Too many|indices"),
        "ellipsis_two": (lambda: ones()[..., ...], "llipsis"),
        "subscript_list": (lambda: ones()[[0, 1]], "list|indices|index"),
        "subscript_float": (lambda: ones()[1.5], "float|integer"),
        "step_zero": (lambda: ones()[::0], "tep|zero"),
        "newaxis": (lambda: ones()[dali.newaxis], "name|newaxis|layout"),
        "slice_out": (lambda: fn.slice(ones(), start=[5], end=[9], axes=[0]), "out of bounds|out of|bound"),
        "crop_out": (lambda: fn.crop(ones(), crop=(10, 10)), "out of bounds|out of"),
        "slice_policy": (lambda: fn.slice(ones(), start=[5], end=[9], axes=[0], out_of_bounds_policy="x"), "policy"),
        "crop_policy": (lambda: fn.crop(ones(), crop=(10, 10), out_of_bounds_policy="x"), "policy"),
        "shapes": (lambda: floats((3,)) + floats((4,)), "broadcast|shape|compatible|match"),
        "ndims": (lambda: fn.stack(floats((3,)), floats((3, 1))), "dimension"),
        "cat": (lambda: fn.cat(ones(), ones((3, 5, 2)), axis=0), "shape|match|axis"),
        "no_type": (lambda: fn.cast(ones()), "dtype|argument"),
        "unknown_argument": (lambda: fn.cast(ones(), dtype=types.FLOAT, nonsense=1), "nonsense|argument"),
        "inputs": (lambda: fn.cast(ones(), ones(), dtype=types.FLOAT), "input|expected|2"),
        "no_inputs": (lambda: fn.cast(dtype=types.FLOAT), "input|expected|1"),
        "reshape": (lambda: fn.reshape(ones(), shape=[5, 5]), "elements|shape|volume"),
        "permutation": (lambda: fn.transpose(ones(), perm=[0, 0, 1]), "perm"),
        "axes": (lambda: fn.reductions.sum(ones(), axes=[5]), "axis|Axis|out of range"),
        "axis_name": (lambda: fn.reductions.sum(ones(), axis_names="Q"), "axis|Q|layout"),
        "squeeze": (lambda: fn.squeeze(ones(), axes=[0]), "equal|dimension|1"),
        "decode": (
            lambda: fn.decoders.image(fn.external_source(source=lambda: [np.frombuffer(b"garbage", np.uint8)] * 3)),
            "decode|ailed|format",
        ),
        "file_root": (lambda: fn.readers.file(file_root="/nonexistent")[0], "/nonexistent|irectory|open|exist"),
        "no_file": (lambda: fn.readers.file(file_list="/nonexistent")[0], "/nonexistent|open|ile"),
        "no_source": (lambda: fn.readers.file()[0], "file_root|file_list|files"),
        "shard": (
            lambda: fn.readers.file(files=[one_file()], num_shards=2, shard_id=5)[0],
            "shard_id|num_shards|shard",
        ),
        "unknown_function": (lambda: fn.nonsense(ones()), "nonsense|attribute"),
        "gpu": (lambda: ones().gpu(), "GPU|gpu|device|CUDA"),
        "input_str": (lambda: fn.cast("abc", dtype=types.FLOAT), "str|DataNode"),
        "input_none": (lambda: fn.cast(None, dtype=types.FLOAT), "None|DataNode"),
        "batch_large": (lambda: fn.external_source(source=lambda: [np.ones(1)] * 9), "batch|size|max"),
        "source_type": (
            lambda: fn.external_source(source=lambda: [np.ones(1)] * 3, dtype=types.INT8),
            "type|int8|expected",
        ),
        "source_rank": (
            lambda: fn.external_source(source=lambda: [np.ones(1)] * 3, ndim=2),
            "dimension|ndim|expected",
        ),
        "source_layout": (
            lambda: fn.external_source(source=lambda: [np.ones(1)] * 3, layout="HWC"),
            "layout|dimension",
        ),
        "cycle": (lambda: fn.external_source(source=[1], cycle="x"), "cycle"),
        "cycle_callable": (lambda: fn.external_source(source=lambda: 1, cycle=True), "cycle|iterable"),
        "source_arguments": (lambda: fn.external_source(source=lambda a, booleans: 1), "argument|source|callable"),
        "source_int": (lambda: fn.external_source(source=5), "source|iterable|callable"),
        "source_number": (
            lambda: tuple(fn.external_source(source=lambda: ([np.ones(1)] * 3,), num_outputs=2)),
            "output|num_outputs|number",
        ),
        "python_function_error": (
            lambda: fn.python_function(floats(), function=lambda x: 1 / 0),
            "ZeroDivisionError|division by zero",
        ),
        "python_function_count": (
            lambda: tuple(fn.python_function(floats(), function=lambda x: (x,), num_outputs=2)),
            "output|num_outputs",
        ),
        "type_type": (lambda: fn.cast(ones(), dtype="abc"), "abc|type"),
        "bool_node": (lambda: bool(ones()), "DataNode|enable_conditionals"),
        "iter_node": (lambda: [x for x in ones()], "iterable|DataNode|iterate"),
        "len_node": (lambda: len(ones()), "len|DataNode"),
        "output_str": (lambda: "abc", "output|str"),
        "resize_no_size": (lambda: fn.resize(ones()), "resize|size"),
        "resize_both": (lambda: fn.resize(ones(), size=[2, 2], resize_x=1), "size|resize"),
        "layout": (lambda: fn.resize(ones(layout="XYZ"), size=[2, 2]), "layout|XYZ"),
        "one_hot": (lambda: fn.one_hot(floats(), num_classes=0), "num_classes|class"),
        "constant": (lambda: fn.constant(shape=[1]), "idata|fdata"),
        "coin": (lambda: fn.random.coin_flip(probability=1.5), "probability|range"),
        "choice_p": (lambda: fn.random.choice(3, p=[0.5, 0.5]), "p|robabilit"),
        "input_sets_count": (lambda: fn.stack([ones(), ones()], [ones()]), "nput|Multiple|same length"),
    }
)


def a_vector_as_condition() -> Any:
    x = floats()
    if x > 0:
        y = x
    else:
        y = x + 1
    return y


def two_types() -> Any:
    x = fn.reductions.sum(floats())
    if x > 0:
        y = x
    else:
        y = fn.cast(x, dtype=types.INT32)
    return y


def set_in_one_branch() -> Any:
    x = fn.reductions.sum(floats())
    if x > 0:
        y = x
    return y


def and_of_vectors() -> Any:
    return (floats() > 0) and (floats() > 1)


def not_of_a_vector() -> Any:
    return not (floats() > 0)


def or_of_a_number() -> Any:
    return fn.cast(fn.reductions.sum(floats()), dtype=types.INT32) or (fn.reductions.sum(floats()) > 1)


words_of(
    {
        "a_vector_as_condition": (a_vector_as_condition, "scalar|if"),
        "branches_of_two_types": (two_types, "type|branch|ivergent"),
        "a_variable_set_in_one_branch": (set_in_one_branch, "y|branch|must"),
        "and_of_vectors": (and_of_vectors, "scalar|and"),
        "not_of_a_vector": (not_of_a_vector, "scalar|not"),
        "or_of_a_number": (or_of_a_number, "bool|or"),
    },
    enable_conditionals=True,
)
