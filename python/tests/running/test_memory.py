"""NumPy on Forebay's pool, and what stays out of reach."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

from forebay import interop, memory, memory_frameworks

MIB = 1 << 20


def handler_of(array: np.ndarray) -> str:
    try:
        from numpy._core.multiarray import get_handler_name
    except ImportError:
        from numpy.core.multiarray import get_handler_name  # before NumPy 2
    return str(get_handler_name(array))


def numpy_bytes() -> int:
    gc.collect()  # arrays of earlier tests may wait in a cycle
    return memory.statistics()["numpy"]["bytes"]


def test_numpy_takes_its_memory_from_the_pool() -> None:
    before, in_use = numpy_bytes(), memory.statistics()["host"]["in_use_bytes"]
    with memory.use_everywhere(["numpy"]) as use:
        assert use.reached == ["numpy"]
        array = np.empty(3 * MIB, np.uint8)
        assert handler_of(array) == "forebay"
    assert handler_of(np.empty(10)) == "default_allocator"
    assert numpy_bytes() == before + array.nbytes
    assert memory.statistics()["host"]["in_use_bytes"] >= in_use + array.nbytes
    assert array.ctypes.data % 64 == 0
    array[:] = 7
    del array
    assert numpy_bytes() == before
    assert memory.statistics()["host"]["in_use_bytes"] == in_use


def test_blocks_are_used_again_and_zeros_are_zero() -> None:
    with memory.use_everywhere(["numpy"]):
        used = np.full(2 * MIB, 9, np.uint8)
        place = used.ctypes.data
        del used
        hits = memory.statistics()["host"]["hits"]
        zeros = np.zeros(2 * MIB, np.uint8)
        assert memory.statistics()["host"]["hits"] == hits + 1
        assert zeros.ctypes.data == place
        assert not zeros.any()


def test_arrays_that_grow_and_shrink() -> None:
    before = numpy_bytes()
    with memory.use_everywhere(["numpy"]):
        many = np.fromiter((number * 3 for number in range(200_000)), np.int64)
        np.testing.assert_array_equal(many, np.arange(200_000) * 3)
        many.resize(10, refcheck=False)
        assert numpy_bytes() == before + 80
        many.resize(100_000, refcheck=False)
        np.testing.assert_array_equal(many[:10], np.arange(10) * 3)
        assert not many[10:].any()
        for shape in ((), (0,), (0, 5), (1,), (7, 0, 2)):
            assert np.zeros(shape).shape == shape
        words = np.array(["a", "bcd"], dtype=object)
        assert words.tolist() == ["a", "bcd"]
        with pytest.raises(MemoryError):
            np.empty(1 << 55, np.uint8)
        del many, words
    assert numpy_bytes() == before


def test_arrays_outlive_the_switch_back_and_end_on_any_thread() -> None:
    before = numpy_bytes()
    with memory.use_everywhere(["numpy"]):
        arrays = [np.full(size, size % 251, np.uint8) for size in range(1, 200_000, 5_000)]
    assert numpy_bytes() > before
    assert all((array == array.size % 251).all() for array in arrays)
    threads = [threading.Thread(target=lambda: [arrays.pop() for _ in range(10)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert arrays == []
    assert numpy_bytes() == before


def test_the_handler_is_the_threads_own() -> None:
    seen: dict[str, Any] = {}

    def other() -> None:
        seen["before"] = handler_of(np.empty(5))
        with memory.use_everywhere(["numpy"]):
            seen["with"] = handler_of(np.empty(5))
        seen["stays"] = use.undo()

    use = memory.use_everywhere(["numpy"])
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert (seen["before"], seen["with"]) == ("default_allocator", "forebay")
    assert "thread" in seen["stays"][0].note
    assert handler_of(np.empty(5)) == "forebay"
    assert use.undo() == []
    assert handler_of(np.empty(5)) == "default_allocator"


def test_uses_nest() -> None:
    with memory.use_everywhere(["numpy"]):
        inner = memory.use_everywhere(["numpy"])
        assert inner.undo() == []
        assert inner.undo() == []
        assert handler_of(np.empty(5)) == "forebay"
    assert handler_of(np.empty(5)) == "default_allocator"


def test_arrays_of_the_pool_are_shared_like_any_other() -> None:
    with memory.use_everywhere(["numpy"]):
        array = np.arange(1000.0)
        shared = interop.to(array, "numpy", copy=False)
        assert shared.ctypes.data == array.ctypes.data
        own = interop.to(array, "numpy", copy=True)
    assert own.sum() == array.sum()


PROGRAM = """
import os, sys, threading
import numpy as np
from forebay import memory
use = memory.use_everywhere(["numpy"])
kept = [np.full(size, 3, np.uint8) for size in (10, 1000, 100_000, 5_000_000)]
np.kept = kept
cycle = [kept]
cycle.append(cycle)
child = os.fork()
if child == 0:
    kept.append(np.zeros(3_000_000))
    del kept[0], kept[1]
    assert all(array[0] in (0, 3) for array in kept)
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
def work():
    memory.use_everywhere(["numpy"])
    while True:
        np.empty(100_000)
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
print(sum(int(array[-1]) for array in kept))
"""


def test_fork_and_exit_with_live_arrays() -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, check=False)
    assert (run.returncode, run.stdout) == (0, "12\n"), run.stderr


def test_every_framework_is_listed_with_a_reason() -> None:
    names = [name for name in memory_frameworks.FRAMEWORKS if name not in ("torch", "cupy", "numba")]
    with memory.use_everywhere(names) as use:
        assert [reach.framework for reach in use] == names
        assert len(use) == len(names)
        assert all(reach.note for reach in use)
        assert use.reached == ["numpy"]
        assert "numpy" in str(use)
    with pytest.raises(ValueError, match="fortran"):
        memory.use_everywhere(["fortran"])


def test_trim_gives_kept_blocks_back() -> None:
    with memory.use_everywhere(["numpy"]):
        np.empty(5 * MIB, np.uint8)
    assert memory.trim() >= 5 * MIB
    assert memory.statistics()["host"]["kept_bytes"] == 0


def test_one_name_is_no_list() -> None:
    with pytest.raises(TypeError, match=r"\['numpy'\]"):
        memory.use_everywhere("numpy")
