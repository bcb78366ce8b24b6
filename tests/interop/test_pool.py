"""Forebay's pool under the frameworks that are installed."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from forebay import interop, memory
from forebay.memory_frameworks import FRAMEWORKS


def test_everything_that_is_installed_is_reached_or_has_a_reason() -> None:
    with memory.use_everywhere() as use:
        assert use["numpy"].reached
        for reach in use:
            is_installed = importlib.util.find_spec(FRAMEWORKS[reach.framework].module) is not None
            assert reach.note and (reach.note == "it is not installed") == (not is_installed), reach


def test_torch_without_a_device_says_so() -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a device")
    use = memory.use_everywhere(["torch"])
    assert not use["torch"].reached and "CUDA" in use["torch"].note
    assert hasattr(torch.cuda.memory, "CUDAPluggableAllocator")
    assert hasattr(torch.cuda.memory, "change_current_allocator")


@pytest.mark.parametrize("framework", ["torch", "jax", "tensorflow", "pyarrow", "pandas", "polars"])
def test_arrays_of_the_pool_are_aligned_as_frameworks_ask(framework: str) -> None:
    pytest.importorskip(framework)
    for size in (1, 100, 100_000, 1_000_000):
        before = memory.statistics()["numpy"]["blocks"]
        with memory.use_everywhere(["numpy"]):
            source = np.zeros(size, np.float32)
        there = interop.to(source, framework, copy=False)
        assert interop.array(there, copy=False).data_ptr() == source.ctypes.data
        del source, there
        assert memory.statistics()["numpy"]["blocks"] <= before + 1


def test_records_as_tables() -> None:
    pa = pytest.importorskip("pyarrow")
    source = np.zeros(5, [("a", "i4"), ("b", "f8", 2)])
    source["a"], source["b"] = np.arange(5), np.arange(10).reshape(5, 2)
    table = interop.to(source, "pyarrow")
    assert isinstance(table, pa.Table) and table["a"].to_pylist() == [0, 1, 2, 3, 4]
    with pytest.raises(BufferError, match="records"):
        interop.to(source, "pyarrow", copy=False)


def test_records_as_frames() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    source = np.zeros(5, [("a", "i4"), ("b", "f8")])
    source["b"] = np.arange(5)
    frame = interop.to(source, "pandas")
    assert list(frame.columns) == ["a", "b"] and frame["b"].sum() == 10


def test_records_have_no_tensor() -> None:
    pytest.importorskip("torch")
    source = np.zeros(5, [("a", "i4"), ("b", "f8")])
    with pytest.raises(BufferError, match="records"):
        interop.to(source, "torch")
    member = interop.to(interop.array(source).field("b"), "torch")
    assert member.tolist() == [0] * 5
