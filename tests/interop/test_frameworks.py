"""The conformance matrix: every case of memory between Forebay and each framework that is installed.

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

import forebay
from forebay import TensorCPU, interop

ARRAY_FRAMEWORKS = ["numpy", "torch", "jax", "tensorflow"]
COLUMN_FRAMEWORKS = ["pyarrow", "pandas", "polars"]
ALL = ARRAY_FRAMEWORKS + COLUMN_FRAMEWORKS


def values_of(obj: Any) -> np.ndarray:
    """The content as NumPy sees it, by the framework's own way."""
    if hasattr(obj, "numpy") and not hasattr(obj, "to_numpy"):
        return np.asarray(obj.numpy())
    if hasattr(obj, "to_numpy"):
        try:
            return np.asarray(obj.to_numpy(zero_copy_only=False))
        except TypeError:
            return np.asarray(obj.to_numpy())
    return np.asarray(obj)


def aligned(shape: tuple[int, ...], dtype: str = "float32") -> np.ndarray:
    """An array that counts up, at an address that is a multiple of 64."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.empty(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    array = raw[start : start + size].view(dtype).reshape(shape)
    array[...] = np.arange(array.size).reshape(shape)
    return array


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


def test_torch_memory_let_go_on_other_threads(torch: Any) -> None:
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


def test_arrow_tables_with_text_and_nulls() -> None:
    pa = pytest.importorskip("pyarrow")
    source = pa.table({"n": pa.array([1, None, 3]), "s": ["a", "bb", None], "l": [[1], [], [2, 3]]})
    table = interop.table(source, copy=False)
    back = interop.to(table, "pyarrow", copy=False)
    assert back.equals(source)
    assert back["n"].chunk(0).buffers()[1].address == source["n"].chunk(0).buffers()[1].address
    assert table["n"].null_count == 1
    with pytest.raises(BufferError, match="nulls"):
        interop.to(table["n"], "numpy")
    two = interop.table(pa.concat_tables([source, source]))
    assert len(two) == 6 and two["n"].chunk_count == 2
    assert interop.to(two, "pyarrow").equals(pa.concat_tables([source, source]))


class Streamed:
    """A table of Arrow's that shows its stream alone."""

    def __init__(self, table: Any) -> None:
        self.__arrow_c_stream__ = table.__arrow_c_stream__


def test_any_number_of_chunks() -> None:
    pa = pytest.importorskip("pyarrow")
    pl = pytest.importorskip("polars")
    source = pa.concat_tables([pa.table({"n": [1, 2], "s": ["x", "y"]}), pa.table({"n": [3], "s": ["z"]})])
    assert interop.to(source, "polars").to_dict(as_series=False) == source.to_pydict()
    assert interop.to(source["n"], "polars").to_list() == [1, 2, 3]
    if len(pl.DataFrame(Streamed(source))) == 3:  # Polars 1.9 keeps the first chunk of any stream
        assert pl.DataFrame(interop.table(source)).shape == (3, 2)
    empty = source.schema.empty_table()
    assert interop.to(empty, "polars").to_dict(as_series=False) == empty.to_pydict()
    assert interop.to(pa.chunked_array([], pa.int32()), "polars").to_list() == []


@pytest.mark.parametrize("kind", ["string_view", "dictionary", "timestamp", "decimal", "fixed_size_binary", "bool", "large_list", "map"])
def test_arrow_types(kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    arrays = {
        "string_view": lambda: pa.array(["a", None, "x" * 40], pa.string_view()),
        "dictionary": lambda: pa.array(["a", "b", "a"]).dictionary_encode(),
        "timestamp": lambda: pa.array([1, 2, None], pa.timestamp("us", "UTC")),
        "decimal": lambda: pa.array([1, 2], pa.decimal128(9, 2)),
        "fixed_size_binary": lambda: pa.array([b"abc", b"def"], pa.binary(3)),
        "bool": lambda: pa.array([True, None, False] * 5)[2:],
        "large_list": lambda: pa.array([[1], [2, 3]], pa.large_list(pa.int64())),
        "map": lambda: pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
    }
    source = arrays[kind]()
    back = pa.array(interop.column(source))
    back.validate(full=True)
    assert back.to_pylist() == (
        [[{"key": "k", "value": 1}], []] if kind == "map" else source.to_pylist()
    )


def test_arrow_types_that_are_refused_by_name() -> None:
    pa = pytest.importorskip("pyarrow")
    run_ends = pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"])
    with pytest.raises(ValueError, match=r"\+r"):
        interop.column(run_ends)


def test_polars_and_duckdb() -> None:
    pl = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    frame = pl.DataFrame({"s": ["a", None, "c" * 50], "n": [1.5, 2.5, 3.5]})
    table = interop.table(frame)
    assert interop.to(table, "polars").equals(frame)
    assert interop.array(frame["n"], copy=False).data_ptr() == interop.to(frame["n"], "numpy").ctypes.data
    relation = duckdb.sql("select range as a, 'x' || range as s from range(5)")
    asked = interop.table(relation)
    assert asked.column_names == ["a", "s"] and len(asked) == 5
    numbers = interop.table({"v": np.arange(10.0)})  # noqa: F841 - DuckDB finds it by its name
    assert duckdb.sql("select sum(v) from numbers").fetchall() == [(45.0,)]


def test_columns_of_one_name() -> None:
    pa = pytest.importorskip("pyarrow")
    source = pa.table([[1, 2], [3, 4]], names=["a", "a"])
    np.testing.assert_array_equal(interop.to(source, "numpy"), [[1, 3], [2, 4]])
    table = interop.table(source)
    assert table.column(1).array().data_ptr() == source.column(1).chunk(0).buffers()[1].address
    with pytest.raises(KeyError, match="several"):
        table["a"]
    with pytest.raises(IndexError):
        table.column(2)
    pytest.importorskip("pandas")
    frame = interop.to(source, "pandas")
    assert list(frame.columns) == ["a", "a"] and frame.to_numpy().tolist() == [[1, 3], [2, 4]]


def test_rows_that_are_tensors_in_pandas() -> None:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    source = pa.FixedSizeListArray.from_arrays(pa.array([1, 2, 3, 4]), 2)
    assert [list(row) for row in interop.to(source, "pandas", copy=False)] == [[1, 2], [3, 4]]
    assert len(interop.to(pa.table({"rows": source}), "pandas")) == 2


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


@pytest.mark.parametrize("kind", ["strided", "bool", "object"])
def test_what_pandas_copies_for_arrow(kind: str) -> None:
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    frames = {
        "strided": lambda: pd.DataFrame(aligned((10, 2), "float64"), columns=["a", "b"], copy=False)[["a"]],
        "bool": lambda: pd.DataFrame({"a": [True, False] * 5}),
        "object": lambda: pd.DataFrame({"a": pd.Series(["x", "y"] * 5, dtype=object)}),
    }
    frame = frames[kind]()
    if kind == "strided" and frame["a"].to_numpy().flags.c_contiguous:
        pytest.skip(f"pandas {pd.__version__} has copied the column already")
    before = forebay.bytes_copied()
    there = interop.to(frame, "pyarrow")
    assert there["a"].to_pylist() == frame["a"].tolist() and forebay.bytes_copied() > before
    with pytest.raises(BufferError, match="pandas"):
        interop.to(frame, "pyarrow", copy=False)
    whole = pd.DataFrame({"a": aligned((10,)), "t": pd.date_range("2020", periods=10)})
    before = forebay.bytes_copied()
    assert pa.types.is_timestamp(interop.to(whole, "pyarrow", copy=False)["t"].type)
    assert forebay.bytes_copied() == before


@pytest.mark.parametrize("kind", ["string", "list", "dictionary", "fixed_size_binary", "time32"])
def test_what_polars_copies(kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("polars")
    arrays = {
        "string": lambda: pa.array(["a", "b" * 40]),
        "list": lambda: pa.array([[1], [2, 3]]),
        "dictionary": lambda: pa.array(["a", "b", "a"]).dictionary_encode(),
        "fixed_size_binary": lambda: pa.array([b"abc", b"def"], pa.binary(3)),
        "time32": lambda: pa.array([1, 2], pa.time32("s")),
    }
    source = arrays[kind]()
    for whole in (source, pa.table({"a": source})):
        before = forebay.bytes_copied()
        interop.to(whole, "polars")
        assert forebay.bytes_copied() > before
        with pytest.raises(BufferError, match="Polars"):
            interop.to(whole, "polars", copy=False)
    before = forebay.bytes_copied()
    shared = pa.table({"n": [1, None], "b": [True, None], "l": pa.array([[1], [2]], pa.large_list(pa.int64()))})
    interop.to(pa.concat_tables([shared, shared]), "polars", copy=False)
    assert forebay.bytes_copied() == before


def test_polars_columns_without_type() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"a": [None, None]})
    assert interop.table(frame)["a"].null_count == 2
    assert interop.to(frame, "polars").equals(frame)
    assert len(interop.table(pl.DataFrame({"a": []}))) == 0


def test_nanoarrow() -> None:
    nanoarrow = pytest.importorskip("nanoarrow")
    source = np.arange(5, dtype=np.int32)
    array = nanoarrow.Array(interop.column(source))
    assert array.to_pylist() == [0, 1, 2, 3, 4]
    assert interop.column(array).array().data_ptr() == source.ctypes.data


def test_tensors_in_rows() -> None:
    pa = pytest.importorskip("pyarrow")
    source = aligned((5, 2, 3))
    array = interop.to(source, "pyarrow", copy=False)
    assert isinstance(array.type, pa.FixedShapeTensorType) and list(array.type.shape) == [2, 3]
    back = interop.to(array, "numpy", copy=False)
    assert back.ctypes.data == source.ctypes.data and back.shape == (5, 2, 3)


def test_pandas_frames() -> None:
    pd = pytest.importorskip("pandas")
    matrix = aligned((10, 3))
    frame = interop.to(matrix, "pandas", copy=False)
    assert interop.array(frame, copy=False).data_ptr() == matrix.ctypes.data
    mixed = pd.DataFrame({"a": [1.0, 2.0], "b": [1, 2]})
    with pytest.raises(BufferError):
        interop.to(mixed, "numpy", copy=False)
    np.testing.assert_array_equal(interop.to(mixed, "numpy"), [[1, 1], [2, 2]])


def test_the_conversion_table_proves_every_pair() -> None:
    from forebay.interop_table import SIDES, Pair, pairs

    installed = [name for name in SIDES if __import__("importlib").util.find_spec(name)]
    found: list[Pair] = list(pairs())
    proven = {(pair.source, pair.target): pair for pair in found if pair.proven}
    assert len(proven) == len(installed) * (len(installed) - 1)
    for pair in proven.values():
        assert pair.shared or pair.bytes_copied, pair
        assert pair.owner != "lost" and pair.read_only != "lost", pair
    assert all(pair.reason for pair in found if not pair.proven)


if __name__ == "__main__":
    raise SystemExit(pytest.main([__file__]))
