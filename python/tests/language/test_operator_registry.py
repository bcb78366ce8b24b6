"""ops.Compose, and the sets of operators' names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from forebay import fn, ops, pipeline_def, types


def test_a_chain_of_operators() -> None:
    chain = ops.Compose([ops.Cast(dtype=types.FLOAT), ops.Normalize(mean=1.0, stddev=0.5), lambda x: (x, x + 1), max_of])

    @pipeline_def(batch_size=2, num_threads=1)
    def make() -> Any:
        return chain(fn.external_source(lambda: [np.uint8([1, 2]), np.uint8([3, 4])]))

    np.testing.assert_allclose(make().run()[0].as_array(), [[1, 3], [5, 7]])


def max_of(first: Any, second: Any) -> Any:
    from forebay import math

    return math.max(first, second)


def test_a_chain_gives_all_outputs_of_its_last() -> None:
    split = ops.Compose([lambda x: [x, x + 1]])

    @pipeline_def(batch_size=1, num_threads=1)
    def make() -> Any:
        return tuple(split(fn.external_source(lambda: [np.int32(5)])))

    assert [int(batch.as_array()[0]) for batch in make().run()] == [5, 6]


def test_what_a_chain_refuses() -> None:
    with pytest.raises(ValueError, match="at least one operator"):
        ops.Compose([])
    with pytest.raises(TypeError, match="cannot be called"):
        ops.Compose([ops.Resize(size=2), 3])


def test_sets_of_names() -> None:
    assert {"Resize", "readers__File", "random__Uniform", "ExternalSource", "DLTensorPythonFunction"} <= ops.cpu_ops()
    assert "decoders__Image" in ops.mixed_ops() and "Resize" not in ops.mixed_ops()
    assert "Mine" not in ops.cpu_ops() | ops.gpu_ops()
    ops.register_cpu_op("Mine")
    ops.register_gpu_op("Mine too")
    assert "Mine" in ops.cpu_ops() and ops.gpu_ops() == {"Mine too"}


def test_classes_by_name() -> None:
    assert ops.python_op_factory("Resize") is ops.Resize
    assert ops.python_op_factory("File", "readers__File") is ops.readers.File
    with pytest.raises(AttributeError, match="no operator 'Resise'"):
        ops.python_op_factory("Resise")
