"""Hand-overs that need no other framework than NumPy: the protocols' exact behaviour, and what must never happen."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import forebay
from forebay import TensorCPU, TensorListCPU, _core, interop

PRODUCERS = [
    lambda: TensorCPU(np.arange(6, dtype=np.float32).reshape(2, 3)),
    lambda: interop.array(np.arange(6, dtype=np.float32).reshape(2, 3)),
    lambda: TensorListCPU([np.arange(3, dtype=np.float32), np.arange(3, 6, dtype=np.float32)]).as_tensor(),
]


def address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def capsule_name(capsule: Any) -> str:
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return get_name(capsule).decode()


@pytest.mark.parametrize("make", PRODUCERS)
def test_dlpack_shares_the_memory(make: Any) -> None:
    producer = make()
    before = forebay.bytes_copied()
    array = np.from_dlpack(producer)
    assert forebay.bytes_copied() == before
    assert address(array) == producer.data_ptr()
    np.testing.assert_array_equal(array, [[0, 1, 2], [3, 4, 5]])


@pytest.mark.parametrize("make", PRODUCERS)
def test_dlpack_versions(make: Any) -> None:
    producer = make()
    assert capsule_name(producer.__dlpack__()) == "dltensor"
    assert capsule_name(producer.__dlpack__(max_version=None)) == "dltensor"
    assert capsule_name(producer.__dlpack__(max_version=(0, 8))) == "dltensor"
    assert capsule_name(producer.__dlpack__(max_version=(1, 0))) == "dltensor_versioned"
    assert capsule_name(producer.__dlpack__(max_version=(2, 0))) == "dltensor_versioned"
    assert capsule_name(producer.__dlpack_c_exchange_api__) == "dlpack_exchange_api"


@pytest.mark.parametrize("make", PRODUCERS)
def test_dlpack_refusals(make: Any) -> None:
    producer = make()
    assert producer.__dlpack_device__() == (1, 0)
    producer.__dlpack__(dl_device=(1, 0), copy=False, stream=None)
    for options in ({"stream": 1}, {"stream": -1}, {"dl_device": (2, 0)}, {"dl_device": (1, 7)}):
        with pytest.raises(BufferError):
            producer.__dlpack__(**options)
    wrong_devices = ({"dl_device": 1}, {"dl_device": (2**32 + 1, 0)})
    for options in ({"stream": "x"}, *wrong_devices, {"max_version": 1}, {"max_version": (1, 2, 3)}, {"other": 1}):
        with pytest.raises(TypeError):
            producer.__dlpack__(**options)
    with pytest.raises(TypeError):
        producer.__dlpack__(None)


@pytest.mark.parametrize("make", PRODUCERS)
def test_dlpack_copies_are_counted_and_flagged(make: Any) -> None:
    producer = make()
    before = forebay.bytes_copied()
    copy = interop.from_dlpack(producer, copy=True)
    assert forebay.bytes_copied() == before + 24
    assert copy.is_copied and not copy.readonly
    assert copy.data_ptr() != producer.data_ptr()


def test_read_only_memory_keeps_its_word() -> None:
    frozen = np.arange(4.0)
    frozen.flags.writeable = False
    array = interop.array(frozen)
    assert array.readonly
    assert not np.asarray(array).flags.writeable
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        assert not np.from_dlpack(array).flags.writeable
    else:  # asks without a version, so it could not be told
        with pytest.raises(BufferError, match="read-only"):
            np.from_dlpack(array)
    with pytest.raises(BufferError, match="read-only"):
        array.__dlpack__()
    array.__dlpack__(copy=True)
    with pytest.raises(TypeError, match="not writable"):
        (ctypes.c_char * 8).from_buffer(array)
    assert interop.from_dlpack(array).readonly


def test_strides_negative_zero_and_odd() -> None:
    base = np.arange(24, dtype=np.int32).reshape(4, 6)
    for view in (base[::-1], base[:, ::-2], base.T, base[1:, 2:5], np.broadcast_to(base[0], (3, 6)), base[:0], base[:1, 0].reshape(())):
        array = interop.array(view)
        assert array.shape == view.shape
        back = np.asarray(array)
        np.testing.assert_array_equal(back, view)
        assert view.size == 0 or address(back) == address(view)
        np.testing.assert_array_equal(np.from_dlpack(array) if not array.readonly else back, view)
        np.testing.assert_array_equal(np.asarray(array.copy()), view)


def test_negative_strides_never_cross_dlpack() -> None:
    array = interop.array(np.arange(3.0)[::-1])
    before = forebay.bytes_copied()
    np.testing.assert_array_equal(np.from_dlpack(array), [2, 1, 0])
    assert forebay.bytes_copied() == before + 24
    with pytest.raises(BufferError, match="negative strides"):
        array.__dlpack__(copy=False)


def test_fields_of_records_and_misaligned_memory() -> None:
    records = np.zeros(5, dtype=[("tag", "u1"), ("value", "<f8")])
    records["value"] = np.arange(5)
    array = interop.array(records["value"])
    assert array.strides == (9,)
    np.testing.assert_array_equal(np.asarray(array), np.arange(5))
    with pytest.raises(BufferError, match="multiples"):
        array.__dlpack__(copy=False)
    np.testing.assert_array_equal(np.from_dlpack(array), np.arange(5))
    tensor = array.tensor()
    np.testing.assert_array_equal(tensor.as_array(), np.arange(5))
    with pytest.raises(BufferError):
        array.tensor(copy=False)


@pytest.mark.parametrize("name", ["bool", "int8", "uint16", "int32", "uint64", "float16", "float64", "complex64", "complex128"])
def test_element_types(name: str) -> None:
    array = np.ones(3, dtype=name)
    for other in (np.from_dlpack(interop.array(array)), np.asarray(interop.array(array))):
        assert other.dtype == array.dtype
        assert address(other) == address(array)


def test_what_has_no_array() -> None:
    for thing in (np.array(["a"]), np.array([None]), np.zeros(2, "M8[h]"), np.zeros(2, "V4"), "text", 7, None):
        with pytest.raises((TypeError, BufferError)):
            interop.array(thing)


@pytest.mark.parametrize("take", [interop.array, interop.column, interop.table, interop.from_dlpack, lambda obj: interop.to(obj, "numpy")])
def test_nothing_is_refused_in_one_line(take: Any) -> None:
    with pytest.raises(TypeError, match="^NoneType [^\n]*$"):
        take(None)


def test_who_refuses_a_buffer_is_quoted() -> None:
    class Refusing(np.ndarray):
        """DLPack and the array interface would say less."""

    with pytest.raises(TypeError, match="no buffer: "):
        forebay._core.array_of(np.zeros(2, "M8[h]").view(Refusing))


def test_foreign_byte_order_is_copied_or_refused() -> None:
    swapped = np.arange(3, dtype=">i4")
    np.testing.assert_array_equal(np.asarray(interop.array(swapped)), [0, 1, 2])
    with pytest.raises(BufferError, match="byte order"):
        interop.array(swapped, copy=False)


def test_a_capsule_is_taken_once() -> None:
    capsule = TensorCPU(np.arange(3.0)).__dlpack__(max_version=(1, 3))
    taken = _core.from_dlpack(capsule)
    assert taken.shape == (3,)
    with pytest.raises(BufferError, match="used"):
        _core.from_dlpack(capsule)
    with pytest.raises(TypeError):
        _core.from_dlpack(object())


def test_capsules_dropped_unused_give_their_memory_back() -> None:
    source = np.arange(3.0)
    references = sys.getrefcount(source)
    for _ in range(100):
        array = interop.array(source)
        array.__dlpack__()
        array.__dlpack__(max_version=(1, 0))
        del array
    gc.collect()
    assert sys.getrefcount(source) == references


def test_other_threads_may_be_the_last_owners() -> None:
    kept = [np.from_dlpack(interop.array(np.full(100, number))) for number in range(50)]
    sums: list[int] = []

    def drop() -> None:
        while kept:
            sums.append(int(kept.pop().sum()))

    threads = [threading.Thread(target=drop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(sums) == [100 * number for number in range(50)]


EXIT = """
import ctypes, threading
import numpy as np
import forebay
from forebay import interop
kept = [interop.array(np.arange(10.0)), np.from_dlpack(interop.array(np.arange(10.0)))]
capsules = [kept[0].__dlpack__(), kept[0].__dlpack__(max_version=(1, 0))]
cycle = [kept, capsules]
cycle.append(cycle)
def work():
    while True:
        np.from_dlpack(interop.array(np.arange(100.0)))
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
print("done")
"""


def test_interpreter_exit_with_everything_alive() -> None:
    for _ in range(3):
        run = subprocess.run([sys.executable, "-c", EXIT], capture_output=True, text=True, timeout=120, check=False)
        assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr


class _Old:
    """A producer from before version 1."""

    def __init__(self, tensor: TensorCPU) -> None:
        self.tensor = tensor

    def __dlpack__(self, stream: Any = None) -> Any:
        return self.tensor.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def test_producers_of_the_old_protocol() -> None:
    tensor = TensorCPU(np.arange(3.0))
    assert interop.from_dlpack(_Old(tensor)).data_ptr() == tensor.data_ptr()
    assert interop.from_dlpack(_Old(tensor), copy=True).data_ptr() != tensor.data_ptr()
    with pytest.raises(BufferError):
        interop.from_dlpack(_Old(tensor), copy=False)


def test_from_dlpack_devices() -> None:
    source = np.arange(3.0)
    for device in (None, "cpu", (1, 0)):
        assert interop.from_dlpack(source, device=device).data_ptr() == address(source)
    with pytest.raises(BufferError):
        interop.from_dlpack(TensorCPU(source), device=(2, 0))
    with pytest.raises(TypeError):
        interop.from_dlpack(source, device="gpu")


class _Interface:
    def __init__(self, array: np.ndarray, **changes: Any) -> None:
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, **changes}


def test_array_interfaces_come_in() -> None:
    source = np.arange(6.0).reshape(2, 3)[:, ::-1]
    array = interop.array(_Interface(source))
    np.testing.assert_array_equal(np.asarray(array), source)
    for changes in ({"version": 9}, {"typestr": "|O8"}, {"mask": source}, {"strides": (8,)}, {"shape": (-1,)}):
        with pytest.raises((BufferError, TypeError, ValueError)):
            interop.array(_Interface(source, **changes))
    with pytest.raises(AttributeError):
        array.__cuda_array_interface__


def test_the_buffer_protocol_as_producer() -> None:
    tensor = TensorCPU(np.arange(6, dtype=np.int16).reshape(2, 3))
    view = memoryview(tensor)
    assert (view.format, view.shape, view.strides, view.readonly) == ("h", (2, 3), (6, 2), False)
    view[1, 2] = 77
    assert tensor.as_array()[1, 2] == 77
    column_major = interop.array(np.arange(6).reshape(2, 3).T)
    assert not memoryview(column_major).c_contiguous
    assert memoryview(column_major).f_contiguous
    with pytest.raises(BufferError):
        bytes_like = ctypes.pythonapi.PyObject_GetBuffer
        bytes_like.argtypes = [ctypes.py_object, ctypes.c_void_p, ctypes.c_int]
        bytes_like(column_major, ctypes.create_string_buffer(200), 0)


def test_tables_of_arrays() -> None:
    values = np.arange(4.0)
    before = forebay.bytes_copied()
    table = interop.table({"a": values, "b": np.arange(4, dtype=np.int32)})
    assert forebay.bytes_copied() == before
    assert table.column_names == ["a", "b"]
    assert len(table) == 4
    assert table["a"].array().data_ptr() == address(values)
    assert table["a"].array().readonly
    again = interop.table(table.slice(1, 2))
    np.testing.assert_array_equal(interop.to(again["b"], "numpy"), [1, 2])
    with pytest.raises(KeyError):
        table["c"]
    with pytest.raises(ValueError):
        interop.table({"a": values, "b": np.arange(3)})
    with pytest.raises(IndexError):
        table.slice(3, 2)


class _Arrow:
    """Passes on only the protocol."""

    def __init__(self, inner: Any, method: str) -> None:
        setattr(self, method, getattr(inner, method))


@pytest.mark.parametrize("method", ["__arrow_c_array__", "__arrow_c_stream__", "__arrow_c_device_array__", "__arrow_c_device_stream__"])
def test_arrow_round_trips_share_the_memory(method: str) -> None:
    values = np.arange(5, dtype=np.int64)
    column = interop.column(values)
    back = interop.column(_Arrow(column, method))
    assert back.array().data_ptr() == address(values)
    table = interop.table(_Arrow(interop.table({"x": values}), method))
    assert table["x"].array().data_ptr() == address(values)
    own = interop.column(column, copy=True)
    assert own.array().data_ptr() != address(values)


def test_arrow_capsules_are_taken_once_and_may_be_dropped() -> None:
    column = interop.column(np.arange(5.0))
    column.__arrow_c_stream__()
    column.__arrow_c_array__()

    class Again:
        capsules = column.__arrow_c_array__()

        def __arrow_c_array__(self) -> Any:
            return self.capsules

    assert len(interop.column(Again())) == 5
    with pytest.raises(ValueError, match="released"):
        interop.column(Again())
    with pytest.raises(NotImplementedError):
        column.__arrow_c_device_array__(None, other=1)
    with pytest.raises(ValueError, match="shape"):
        column.__arrow_c_array__(interop.table({"x": np.arange(2)}).__arrow_c_schema__())


def test_rows_that_are_tensors_and_bools() -> None:
    rows = np.arange(24.0).reshape(4, 2, 3)
    column = interop.column(rows)
    np.testing.assert_array_equal(interop.to(column, "numpy"), rows)
    assert column.array().data_ptr() == address(rows)
    bools = np.array([True, False, True])
    assert len(interop.column(bools)) == 3
    with pytest.raises(BufferError, match="bits"):
        interop.column(bools, copy=False)


def test_an_answer_to_copy_that_raises() -> None:
    class Undecided:
        def __bool__(self) -> bool:
            raise KeyError("undecided")

    with pytest.raises(KeyError):
        interop.array(np.arange(3)).__dlpack__(copy=Undecided())  # type: ignore[arg-type]


@pytest.mark.parametrize("no", [False, 0, np.False_])
def test_what_is_false_forbids_a_copy(no: Any) -> None:
    text = np.arange(4).astype(">i4")
    for take in (interop.array, interop.column, lambda obj, copy: interop.to(obj, "numpy", copy=copy)):
        with pytest.raises(BufferError, match="byte order"):
            take(text, copy=no)
    with pytest.raises(BufferError, match="row by row"):
        interop.table(np.zeros(3, [("a", "i4")]), copy=no)
    backwards = interop.array(np.arange(4)[::-1])
    assert not np.shares_memory(np.asarray(interop.from_dlpack(backwards)), np.asarray(backwards))
    with pytest.raises(BufferError, match="negative"):
        interop.from_dlpack(backwards, copy=no)


def test_a_copy_on_request_while_others_copy() -> None:
    values = np.arange(4.0)

    class Producer:
        def __dlpack__(self, **options: Any) -> object:
            forebay._core.count_copied(1)  # as another thread does meanwhile
            return interop.array(values).__dlpack__(max_version=(1, 0))

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    assert interop.array(Producer(), copy=False).data_ptr() == address(values)
    assert interop.array(Producer(), copy=True).data_ptr() != address(values)


def test_bits_become_bytes_by_a_copy() -> None:
    bools = np.arange(21) % 3 == 0
    column = interop.column(bools).slice(5, 11)
    before = forebay.bytes_copied()
    for copy in (None, True):
        back = interop.to(column, "numpy", copy=copy)
        assert back.dtype == bool and back.flags.writeable
        np.testing.assert_array_equal(back, bools[5:16])
    assert forebay.bytes_copied() == before + 2 * 11
    np.testing.assert_array_equal(interop.to(interop.table({"b": bools}), "numpy"), bools[:, None])
    with pytest.raises(BufferError, match="bits"):
        interop.to(column, "numpy", copy=False)


def test_to_numpy() -> None:
    source = np.arange(4.0)
    assert address(interop.to(source, "numpy", copy=False)) == address(source)
    assert address(interop.to(source, "numpy", copy=True)) != address(source)
    with pytest.raises(ValueError, match="framework"):
        interop.to(source, "fortran")
    matrix = interop.to(interop.table({"a": source, "b": source}), "numpy")
    np.testing.assert_array_equal(matrix[:, 1], source)
    both = np.arange(8.0).reshape(2, 4)
    shared = interop.to(interop.table({"a": both[0], "b": both[1]}), "numpy", copy=False)
    assert address(shared) == address(both)
    np.testing.assert_array_equal(shared, both.T)
