"""The conformance matrix: every case of an array's memory between Forebay and each framework that is installed.

`make test-interop` runs this in an environment with all of them; a framework that is missing is skipped by name.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from typing import Any, Callable

import numpy as np
import pytest
from memory_cases import ALL, ARRAY_FRAMEWORKS, aligned, values_of

import forebay
from forebay import TensorCPU, interop


@pytest.fixture(params=ALL)
def framework(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(request.param)
    return str(request.param)


@pytest.fixture(params=ARRAY_FRAMEWORKS)
def array_framework(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(request.param)
    return str(request.param)


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


def test_dense_memory_is_shared_and_comes_back(framework: str) -> None:
    source = aligned((4096,))
    before = forebay.bytes_copied()
    there = interop.to(source, framework, copy=False)
    back = interop.array(there, copy=False)
    assert forebay.bytes_copied() == before
    assert back.data_ptr() == source.ctypes.data
    np.testing.assert_array_equal(values_of(there), source)


def test_the_source_may_go_first(framework: str) -> None:
    there = interop.to(aligned((1000,)), framework, copy=False)
    gc.collect()
    [np.full(1000, 7, np.float32) for _ in range(10)]
    np.testing.assert_array_equal(values_of(there), np.arange(1000))


def test_a_copy_on_request_is_a_copy(framework: str) -> None:
    source = aligned((64,))
    before = forebay.bytes_copied()
    there = interop.to(source, framework, copy=True)
    assert forebay.bytes_copied() == before + source.nbytes
    source[:] = 0
    np.testing.assert_array_equal(values_of(there), np.arange(64))


CASES: dict[str, Callable[[], np.ndarray]] = {
    "0-d": lambda: aligned((1,)).reshape(()),
    "empty": lambda: aligned((0, 3)),
    "unit axes": lambda: aligned((1, 4, 1)),
    "negative stride": lambda: aligned((8,))[::-1],
    "both negative": lambda: aligned((4, 4))[::-1, ::-1],
    "zero stride": lambda: np.broadcast_to(aligned((1,)), (5,)),
    "column-major": lambda: aligned((3, 4)).T,
    "slice": lambda: aligned((8, 8))[2:5, 1:6:2],
    "offset": lambda: aligned((9,))[1:],
    "misaligned": lambda: np.frombuffer(bytearray(33), np.uint8)[1:].view(np.float32),
    "big-endian": lambda: aligned((4,)).astype(">f4"),
    "field of a record": lambda: np.zeros(4, [("a", "u1"), ("b", "f4")])["b"],
}


@pytest.mark.parametrize("case", CASES)
def test_every_case_keeps_its_values_or_says_why(array_framework: str, case: str) -> None:
    source = CASES[case]()
    there = interop.to(source, array_framework)
    assert tuple(there.shape) == source.shape
    np.testing.assert_array_equal(values_of(there), source)
    try:
        shared = interop.to(source, array_framework, copy=False)
    except BufferError as error:
        assert "without a copy" in str(error) or "read-only" in str(error)
        return
    if source.size:
        assert interop.array(shared).data_ptr() == source.__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64"])
def test_element_types(array_framework: str, dtype: str) -> None:
    source = aligned((8,), dtype)
    there = interop.to(source, array_framework)
    back = interop.to(there, "numpy")
    np.testing.assert_array_equal(back, source)
    if array_framework == "jax" and source.itemsize == 8 and dtype != "complex64":
        with pytest.raises(BufferError, match="jax_enable_x64"):
            interop.to(source, "jax", copy=False)
    else:
        assert back.dtype == source.dtype


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_types_that_numpy_has_not(torch: Any, dtype: str) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    source = torch.arange(8).to(getattr(torch, dtype))
    try:
        source.__dlpack__()
    except RuntimeError as error:
        pytest.skip(f"torch {torch.__version__}: {error}")
    there = interop.to(source, "numpy", copy=False)
    assert there.dtype == np.dtype(getattr(ml_dtypes, dtype))
    back = interop.to(there, "torch", copy=False)
    assert back.dtype == source.dtype and back.data_ptr() == source.data_ptr()


def test_read_only_memory(array_framework: str) -> None:
    source = aligned((16,))
    source.flags.writeable = False
    if array_framework == "torch":
        with pytest.raises(BufferError, match="read-only"):
            interop.to(source, "torch", copy=False)
        interop.to(source, "torch")[0] = 5
        assert source[0] == 0
        return
    there = interop.to(source, array_framework, copy=False)
    if array_framework == "numpy":
        assert not there.flags.writeable


def test_a_reversed_array_does_not_end_the_process() -> None:
    pytest.importorskip("torch")
    program = (
        "import numpy as np, torch, forebay\n"
        "from forebay import interop\n"
        "array = interop.array(np.arange(6.0)[::-1])\n"
        "assert torch.from_dlpack(array).tolist() == [5, 4, 3, 2, 1, 0]\n"
        "assert interop.to(np.arange(6.0)[::-1], 'torch').tolist() == [5, 4, 3, 2, 1, 0]\n"
        "try:\n"
        "    interop.to(np.arange(6.0)[::-1], 'torch', copy=False)\n"
        "except BufferError:\n"
        "    print('refused')\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "refused\n"), run.stderr


TENSORS_WITHOUT_NUMBERS = """
import numpy as np, tensorflow as tf
from forebay import interop
texts = tf.constant(["a", "b"])
for tensor in (texts, tf.raw_ops.EmptyTensorList(element_shape=[-1], max_num_elements=3, element_dtype=tf.float32),
               tf.Variable([1.0]).handle):
    for take in (interop.array, interop.from_dlpack, lambda obj: interop.to(obj, "numpy", copy=True)):
        try:
            take(tensor)
        except TypeError as error:
            assert tensor.dtype.name in str(error)
        else:
            raise AssertionError(tensor.dtype)
"""


def test_tensors_without_numbers_do_not_end_the_process() -> None:
    pytest.importorskip("tensorflow")
    run = subprocess.run([sys.executable, "-c", TENSORS_WITHOUT_NUMBERS], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_what_torch_will_not_export(torch: Any) -> None:
    with pytest.raises((BufferError, RuntimeError)):
        interop.array(torch.ones(3, requires_grad=True))
    conjugated = torch.ones(3, dtype=torch.complex64).conj()
    with pytest.raises(BufferError):
        interop.array(conjugated, copy=False)
    np.testing.assert_array_equal(interop.to(conjugated, "numpy"), np.ones(3))


def test_the_frameworks_own_from_dlpack(torch: Any) -> None:
    tensor = TensorCPU(np.arange(6, dtype=np.float32))
    shared = torch.from_dlpack(tensor)
    assert shared.data_ptr() == tensor.data_ptr()
    shared[0] = 42
    assert tensor.as_array()[0] == 42
    jax = pytest.importorskip("jax")
    assert jax.dlpack.from_dlpack(interop.array(aligned((8,)))).tolist() == list(range(8))


def test_torch_memory_released_on_other_threads(torch: Any) -> None:
    kept = [torch.from_dlpack(interop.array(np.full(64, number))) for number in range(64)]
    threads = [threading.Thread(target=lambda: [kept.pop() for _ in range(16)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kept == []


EXIT = """
import numpy as np, torch
from forebay import interop
kept = [torch.from_dlpack(interop.array(np.arange(10.0))), interop.array(torch.arange(10))]
cycle = [kept]
cycle.append(cycle)
torch.kept = kept
"""


def test_exit_with_memory_handed_over(torch: Any) -> None:
    run = subprocess.run([sys.executable, "-c", EXIT], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_elements_that_numpy_does_not_know(torch: Any) -> None:
    source = torch.ones(4, dtype=torch.complex32)
    for target in ("numpy", "pandas"):
        pytest.importorskip(target)
        with pytest.raises(TypeError, match="complex32"):
            interop.to(source, target)
    assert interop.to(source, "torch", copy=False).data_ptr() == source.data_ptr()


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
@pytest.mark.parametrize("kind", ["sparse", "meta", "quantized"])
def test_tensors_without_memory_of_their_own(torch: Any, kind: str) -> None:
    dense = torch.ones(2, 3)
    tensor = {
        "sparse": lambda: dense.to_sparse(),
        "meta": lambda: dense.to("meta"),
        "quantized": lambda: torch.quantize_per_tensor(dense, 0.1, 0, torch.qint8),
    }[kind]()
    for take in (interop.array, interop.from_dlpack, lambda obj: interop.to(obj, "numpy")):
        with pytest.raises((TypeError, BufferError)) as refusal:
            take(tensor)
        assert "\n" not in str(refusal.value)


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__]))
