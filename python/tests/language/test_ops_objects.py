"""Operators as objects: what they say of themselves, and arguments given twice."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from forebay import Pipeline, fn, ops, types


def numbers() -> Any:
    return fn.external_source(lambda: [np.int32(3)] * 2)


def run(*outputs: Any) -> list[Any]:
    pipe = Pipeline(batch_size=2, num_threads=1)
    pipe.set_outputs(*outputs)
    return [output.as_array().tolist() for output in pipe.run()]


def test_objects_say_what_they_are() -> None:
    made = ops.random.Uniform(range=[1, 2], device="cpu")
    assert (made.device, made.schema_name, made.preserve) == ("cpu", "random__Uniform", False)
    assert made.schema is not None and made.spec is not None
    assert made.schema.ModulePath() == ["random"] and made.schema.OperatorName() == "Uniform"
    assert made.schema.HasArgument("range") and not made.schema.HasArgument("ranges")
    assert made.spec.arguments["range"] == [1, 2] and "range" in str(made.spec)
    cast = ops.Cast(dtype=types.FLOAT).schema
    assert cast is not None
    assert (cast.MinNumInput(), cast.MaxNumInput()) == (1, 1)
    assert not cast.IsArgumentOptional("dtype") and not cast.IsTensorArgument("dtype")
    with pytest.raises(KeyError, match="has no argument 'x'"):
        cast.IsTensorArgument("x")
    assert ops.ExternalSource(lambda: []).schema is None


def test_none_at_the_call_leaves_what_the_object_was_made_with() -> None:
    cast = ops.Cast(dtype=types.FLOAT)
    assert run(cast(numbers(), dtype=None)) == [[3.0, 3.0]]
    with pytest.raises(ValueError, match="`dtype` was already specified in __init__"):
        cast(numbers(), dtype=types.INT32)
    assert run(ops.Cast(dtype=None)(numbers(), dtype=types.FLOAT)) == [[3.0, 3.0]]
    with pytest.raises(KeyError, match="ops.Cast has no argument 'dtyp'"):
        ops.Cast(dtyp=types.FLOAT)


def test_older_names_warn_where_they_are_used() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fn.uniform(range=[0.0, 1.0])
        ops.CoinFlip()()
        fn.crop(fn.cast(numbers(), dtype=types.UINT8), crop=(1, 1), output_dtype=types.FLOAT)
        fn.random.uniform(range=[0.0, 1.0])
        fn.shapes(numbers())
        numbers().shape()
    assert [(each.category, each.filename) for each in caught] == [(DeprecationWarning, __file__)] * 4
    assert [str(each.message) for each in caught] == [
        "`fn.uniform` is now deprecated. Use `fn.random.uniform` instead.",
        "`ops.CoinFlip` is now deprecated. Use `ops.random.CoinFlip` instead.",
        "The argument `output_dtype` is a deprecated alias for `dtype`. Use `dtype` instead.",
        "`fn.shapes` is now deprecated. Use `DataNode.shape()` instead.",
    ]


def test_mistakes_are_caught_as_python_and_as_dali_call_them() -> None:
    for kind in (TypeError, KeyError):
        with pytest.raises(kind, match="fn.flip has no argument 'horizon'; did you mean 'horizontal'"):
            fn.flip(numbers(), horizon=1)
    for kind in (TypeError, ValueError):
        with pytest.raises(kind, match="fn.flip takes 1 inputs, not 0"):
            fn.flip()
    for kind in (TypeError, RuntimeError):
        with pytest.raises(kind, match="fn.cast needs the argument 'dtype'"):
            fn.cast(numbers())
    for kind in (FileNotFoundError, RuntimeError):
        with pytest.raises(kind, match="not/there"):
            run(fn.readers.file(file_root="/not/there")[0])
    for kind in (ValueError, RuntimeError):
        with pytest.raises(kind, match="crop"):
            run(fn.crop(numbers(), crop=(1, 1), image_type=99))
