"""Arrays of records in and out by the buffer protocol: NumPy's structured arrays, ctypes' structures, broken formats."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import forebay
from forebay import TensorCPU, interop

POINT = np.dtype([("tag", "u1"), ("value", "<f8"), ("grid", "<i2", (2, 3))])
DTYPES = {
    "packed": POINT,
    "aligned": np.dtype([("a", "i1"), ("b", "f8"), ("c", "u2")], align=True),
    "offsets": np.dtype({"names": ["x", "y"], "formats": ["f4", "i4"], "offsets": [4, 12], "itemsize": 24}),
    "nested": np.dtype([("p", POINT), ("q", [("z", "c8"), ("flag", "?")], 2)]),
    "text": np.dtype([("name", "S5"), ("wide", "U3"), ("half", "e")]),
    "one": np.dtype([("x", "f4")]),
    "void": np.dtype([("x", "V3"), ("y", "f4")]),
}


def filled(dtype: np.dtype, shape: tuple[int, ...] = (4,)) -> np.ndarray:
    array = np.zeros(shape, dtype)
    array.view(np.uint8).reshape(-1)[:] = np.arange(array.nbytes) % 2
    return array


@pytest.mark.parametrize("name", DTYPES)
def test_structured_arrays_go_in_and_out_without_a_copy(name: str) -> None:
    source = filled(DTYPES[name])
    before = forebay.bytes_copied()
    array = interop.array(source, copy=False)
    back = interop.to(array, "numpy", copy=False)
    assert forebay.bytes_copied() == before
    assert back.ctypes.data == source.ctypes.data
    assert back.dtype.names == source.dtype.names and back.dtype.itemsize == source.dtype.itemsize
    for field in source.dtype.names or ():
        assert back.dtype.fields[field] == source.dtype.fields[field]
    assert back.tobytes() == source.tobytes()
    assert array.dtype == "record" and "record" in repr(array)


def test_members_are_shared() -> None:
    source = filled(DTYPES["nested"], (2, 3))[:, ::-1]
    array = interop.array(source)
    assert array.fields == ["p.tag", "p.value", "p.grid", "q.z", "q.flag"]
    for name in array.fields:
        outer, inner = name.split(".")
        member = np.asarray(array.field(name))
        np.testing.assert_array_equal(member, source[outer][inner])
        assert member.strides == source[outer][inner].strides
    array.field("p.tag").copy()
    np.asarray(array.field("p.value"))[1, 2] = 42.0
    assert source["p"]["value"][1, 2] == 42.0
    with pytest.raises(KeyError):
        array.field("p")
    assert array.field("p.value").fields == []


@pytest.mark.parametrize("shape", [(), (0,), (0, 2), (1,), (3, 2)])
def test_shapes(shape: tuple[int, ...]) -> None:
    source = filled(POINT, shape) if shape else np.zeros((), POINT)
    back = interop.to(source, "numpy", copy=False)
    assert back.shape == shape and back.dtype == source.dtype
    assert interop.array(source).field("grid").shape == (*shape, 2, 3)


def test_strided_and_read_only_records() -> None:
    source = filled(POINT, (6,))
    source.flags.writeable = False
    array = interop.array(source[::-2])
    assert array.readonly and array.field("value").readonly
    back = np.asarray(array)
    assert back.tobytes() == source[::-2].tobytes() and not back.flags.writeable
    before = forebay.bytes_copied()
    copy = np.asarray(array.copy())
    assert forebay.bytes_copied() == before + 3 * POINT.itemsize
    assert copy.tobytes() == back.tobytes()


class _Inner(ctypes.Structure):
    _fields_ = [("a", ctypes.c_uint8), ("b", ctypes.c_double)]


class _Outer(ctypes.Structure):
    _fields_ = [("c", ctypes.c_int16), ("inner", _Inner), ("d", ctypes.c_float * 3)]


def test_structures_of_ctypes_become_tables() -> None:
    source = (_Inner * 3)()
    source[1].b = 2.5
    assert interop.to(interop.table(source)["b"], "numpy").tolist() == [0, 2.5, 0]
    with pytest.raises(TypeError):
        interop.table((ctypes.c_int * 3)())


class _Either(ctypes.Union):
    _fields_ = [("a", ctypes.c_int32), ("b", ctypes.c_float)]


class _Tagged(ctypes.Structure):
    _fields_ = [("tag", ctypes.c_uint8), ("value", _Either)]


@pytest.mark.parametrize("make", [lambda: _Either(), lambda: (_Either * 3)(), lambda: _Tagged(), lambda: (_Tagged * 3)()])
def test_unions_are_refused_by_the_names_of_their_members(make: Any) -> None:
    for target in (interop.array, interop.column, lambda obj: interop.to(obj, "numpy")):
        with pytest.raises(TypeError, match="a' and '.*b' of the record overlap"):
            target(make())


def test_members_that_numpy_has_no_buffer_for() -> None:
    overlapping = np.dtype({"names": ["a", "b"], "formats": ["i4", "i2"], "offsets": [0, 2]})
    for take in (interop.array, interop.table):
        with pytest.raises(TypeError, match="'a' and 'b' of the record overlap"):
            take(np.zeros(2, overlapping))
        with pytest.raises(TypeError, match="'p.t' of the record is datetime64"):
            take(np.zeros(2, [("p", [("x", "i4"), ("t", "M8[s]")])]))


def test_masks_are_not_lost() -> None:
    masked = np.ma.array([1, 2, 3], mask=[0, 1, 0])
    with pytest.raises(TypeError, match="mask"):
        interop.array(masked)
    np.testing.assert_array_equal(interop.to(masked.filled(0), "numpy"), [1, 0, 3])


def test_structures_of_ctypes() -> None:
    source = (_Outer * 5)()
    source[3].inner.b = 2.5
    source[4].d[1] = 7.0
    array = interop.array(source, copy=False)
    assert array.data_ptr() == ctypes.addressof(source)
    assert array.shape == (5,) and array.itemsize == ctypes.sizeof(_Outer)
    assert np.asarray(array.field("inner.b")).tolist() == [0, 0, 0, 2.5, 0]
    assert np.asarray(array.field("d"))[4, 1] == 7.0



def with_format(text: bytes, item_bytes: int) -> Any:
    """Five items of `item_bytes` whose format is `text`."""
    return interop.array(_Formatted(text, item_bytes).view())


class _Formatted:
    def __init__(self, text: bytes, item_bytes: int) -> None:
        self.text = ctypes.create_string_buffer(text)
        self.memory = ctypes.create_string_buffer(5 * item_bytes)
        self.shape = (ctypes.c_ssize_t * 1)(5)
        self.strides = (ctypes.c_ssize_t * 1)(item_bytes)
        self.item_bytes = item_bytes

    def view(self) -> memoryview:
        make = ctypes.pythonapi.PyMemoryView_FromBuffer
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p]
        view = _PyBuffer(
            buf=ctypes.addressof(self.memory),
            obj=None,
            len=5 * self.item_bytes,
            itemsize=self.item_bytes,
            readonly=0,
            ndim=1,
            format=ctypes.addressof(self.text),
            shape=ctypes.addressof(self.shape),
            strides=ctypes.addressof(self.strides),
            suboffsets=None,
            internal=None,
        )
        made: memoryview = make(ctypes.byref(view))
        _KEPT.append(self)
        return made


class _PyBuffer(ctypes.Structure):
    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_void_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


_KEPT: list[Any] = []  # such a view does not keep its memory alive


def test_any_producers_format() -> None:
    array = with_format(b"T{<i:x: (2)f:y:}", 12)
    assert array.fields == ["x", "y"]
    assert np.asarray(array).dtype == np.dtype([("x", "<i4"), ("y", "<f4", 2)])


@pytest.mark.parametrize(
    "text,item_bytes,reason",
    [
        (b"T{i:a:", 4, "ends within a record"),
        (b"T{i:a:i:a:}", 8, "two members"),
        (b"T{i:a:}", 3, "describes 4 bytes, but the records have 3"),
        (b"T{<i:a:}", 5, "describes 4 bytes, but the records have 5"),
        (b"T{y:a:}", 4, "at character 2"),
        (b"T{O:a:}", 8, "Python objects"),
        (b"T{>i:a:}", 4, "byte order"),
        (b"T{" * 40, 4, "deep"),
        (b"T{99999999999i:a:}", 4, "above"),
    ],
)
def test_broken_formats_say_what_is_wrong(text: bytes, item_bytes: int, reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        with_format(text, item_bytes)


def test_records_that_are_refused() -> None:
    with pytest.raises(TypeError, match="Python objects"):
        interop.array(np.zeros(2, [("x", "O")]))
    with pytest.raises(TypeError, match="byte order"):
        interop.array(np.zeros(2, [("x", ">i4")]))
    records = interop.array(filled(POINT))
    with pytest.raises(BufferError, match="no records"):
        records.__dlpack__(max_version=(1, 0))
    with pytest.raises((BufferError, ValueError), match="cannot become a tensor"):
        records.tensor()
    with pytest.raises(TypeError):
        TensorCPU(filled(POINT))
    assert interop.array(np.zeros(3, [("x", "f8")])).retyped(2, 64).dtype == "float64"


def test_arrays_of_records_whose_padding_numpy_does_not_tell() -> None:
    inner = np.dtype({"names": ["x"], "formats": ["f4"], "offsets": [4], "itemsize": 24})
    for dtype in (np.dtype([("a", inner, 2)]), np.dtype([("a", inner, 2), ("b", "i4")])):
        with pytest.raises(TypeError, match="padding"):
            interop.array(np.zeros(3, dtype))
    nested = np.zeros(3, [("q", [("r", inner)]), ("s", [("t", "f8"), ("u", "i1")], (2, 2))])
    nested["q"]["r"]["x"] = 5
    back = interop.to(nested, "numpy", copy=False)
    np.testing.assert_array_equal(back["q"]["r"]["x"], [5, 5, 5])
    assert back["s"].dtype == nested["s"].dtype


def test_records_become_tables() -> None:
    source = np.zeros(1000, POINT)
    source["tag"] = np.arange(1000) % 256
    source["value"] = np.arange(1000) / 2
    source["grid"] = np.arange(6000).reshape(1000, 2, 3)
    before = forebay.bytes_copied()
    table = interop.table(source)
    assert forebay.bytes_copied() == before + source.nbytes
    assert table.column_names == ["tag", "value", "grid"] and len(table) == 1000
    np.testing.assert_array_equal(interop.to(table["value"], "numpy"), source["value"])
    np.testing.assert_array_equal(interop.to(table["grid"], "numpy"), source["grid"])
    assert table["grid"].type == "tensor<int16, 2x3>"
    assert interop.table(np.zeros(3, [("x", "f4", (1,)), ("y", "?", (2, 2))]))["y"].type == "tensor<bool, 2x2>"
    with pytest.raises(ValueError, match="9 dimensions"):
        interop.table(np.zeros(3, [("deep", "f4", (1,) * 9)]))
    every_second = interop.table(interop.array(source[::2]))
    np.testing.assert_array_equal(interop.to(every_second["tag"], "numpy"), source["tag"][::2])
    with pytest.raises(BufferError, match="without a copy"):
        interop.table(source, copy=False)
    with pytest.raises(TypeError, match="one dimension"):
        interop.table(source.reshape(10, 100))
    with pytest.raises(ValueError, match="columns do not have"):
        interop.table(np.zeros(3, [("z", "c8")]))
