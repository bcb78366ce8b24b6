"""The class of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, SupportsFloat

import numpy

from .. import _core
from .._core import ArrayOperations as native
from . import indexing
from .context import Context, checked, cpu
from .fluent import FluentMethods

DType = str | type | numpy.dtype[Any]
Axis = int | Sequence[int] | None
Shape = int | Sequence[int]


def dtype_name(dtype: DType | None) -> str:
    """NumPy's name of an element type; float32 for None, as in MXNet."""
    return "float32" if dtype is None else numpy.dtype(dtype).name


def axes_of(axis: Axis) -> list[int]:
    """The axes as a list; empty for all."""
    if axis is None:
        return []
    return [axis] if isinstance(axis, int) else list(axis)


def shape_from_the_right(shape: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """The shape that ``reshape(wanted, reverse=True)`` gives: both are read from the right."""
    backward = list(reversed(wanted))
    for place in [place for place, extent in enumerate(backward) if extent == -4]:
        backward[place - 2 : place + 1] = [-4, backward[place - 2], backward[place - 1]]
    return list(reversed(native.reshaped_shape(list(reversed(shape)), backward)))


class NDArray(FluentMethods):
    """An array whose values are computed asynchronously: operations return at once, reading waits.

    The interface is that of MXNet's ``mx.nd.NDArray``. Arrays are dense and row-major. ``x[i]``, ``x[a:b]`` and
    ``reshape`` share the memory. What went wrong while computing is raised by whoever reads the array, or one made
    from it, each time until it is written anew.
    """

    __slots__ = ()
    __array_priority__ = 1000.0  # NumPy's operators let ours do the work

    # What it is.

    @property
    def dtype(self) -> type:
        return numpy.dtype(self.dtype_name).type

    @property
    def context(self) -> Context:
        return cpu()

    @property
    def ctx(self) -> Context:
        return cpu()

    @property
    def stype(self) -> str:
        """Dense arrays are of storage type 'default'; there are no others."""
        return "default"

    @property
    def T(self) -> NDArray:  # noqa: N802
        """With its axes in reverse order."""
        return native.transpose(self, [])

    def __repr__(self) -> str:
        extents = "x".join(str(extent) for extent in self.shape)
        return f"\n{self.asnumpy()}\n<NDArray {extents} @{self.context}>"

    def __hash__(self) -> int:
        return id(self)

    # Comparison by value gives an array; with anything else the objects are compared, as in MXNet.

    def __eq__(self, other: object) -> Any:
        return compared("eq", self, other, False)

    def __ne__(self, other: object) -> Any:
        return compared("neq", self, other, True)

    def __mod__(self, other: NDArray | float) -> NDArray:
        if isinstance(other, NDArray):
            return native.pairs("modulo", self, other)
        return native.pairs_with_scalar("modulo", self, float(other))

    def __rmod__(self, other: float) -> NDArray:
        return native.pairs_with_scalar("modulo", self, float(other), True)

    def __imod__(self, other: NDArray | float) -> NDArray:
        native.copy_into(self % other, self)
        return self

    # Values.

    def asscalar(self) -> Any:
        """The only element as a NumPy scalar, after waiting; ValueError when there are more."""
        if self.size != 1:
            raise ValueError("the array is not a scalar: it has the shape " + str(self.shape))
        return self.asnumpy().reshape(())[()]

    item = asscalar

    def __bool__(self) -> bool:
        if self.size == 0:
            return False
        if self.size == 1:
            return bool(self.asscalar())
        raise ValueError("the truth value of an array with several elements is ambiguous")

    def __float__(self) -> float:
        return float(self.asscalar())

    def __int__(self) -> int:
        return int(self.asscalar())

    def __index__(self) -> int:
        return int(self.asscalar())

    def __iter__(self) -> Iterator[NDArray]:
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray[Any, Any]:
        values = self.asnumpy()
        return values if dtype is None else values.astype(dtype)

    def __getitem__(self, key: Any) -> NDArray:
        return indexing.get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        indexing.set(self, key, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return array, (self.asnumpy(), None, self.dtype_name)

    # Other memory.

    @staticmethod
    def _new(source: Any, dtype: DType | None = None) -> NDArray:
        """A new array with the values of `source`; see :func:`array`."""
        if isinstance(source, NDArray):
            return source.copy() if dtype is None else native.cast(source, dtype_name(dtype))
        if hasattr(source, "__dlpack__") and not isinstance(source, numpy.ndarray):
            made = NDArray(source)
            return made if dtype is None else native.cast(made, dtype_name(dtype))
        values = numpy.asarray(source)
        is_typed = isinstance(source, (numpy.ndarray, numpy.generic))
        wanted = dtype_name(dtype if dtype is not None or not is_typed else values.dtype)
        return NDArray(numpy.ascontiguousarray(values, dtype=wanted).reshape(values.shape))

    def copy(self) -> NDArray:
        return native.copy(self)

    def astype(self, dtype: DType, copy: bool = True) -> NDArray:
        """With elements of another type; the array itself when nothing changes and ``copy`` is False."""
        name = dtype_name(dtype)
        return self if not copy and name == self.dtype_name else native.cast(self, name)

    def copyto(self, other: NDArray | Context) -> NDArray:
        """Into another array (whose type it takes), or onto a device."""
        if isinstance(other, Context):
            checked(other)
            return native.copy(self)
        native.copy_into(self, other)
        return other

    def as_in_context(self, context: Context) -> NDArray:
        """On that device: the array itself when it is there."""
        checked(context)
        return self

    as_in_ctx = as_in_context

    def wait_to_write(self) -> None:
        """Waits until the array may be overwritten from outside."""
        self.wait_to_read()

    # Other shapes.

    def reshape(self, *shape: Any, **options: Any) -> NDArray:
        """In another shape over the same memory; 0, -1, -2, -3 and -4 mean what they mean in MXNet."""
        if "shape" in options:
            shape = tuple(options["shape"])
        elif len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = tuple(shape[0])
        if options.get("reverse"):
            shape = tuple(shape_from_the_right(self.shape, shape))
        return native.reshape(self, [int(extent) for extent in shape])

    # Reductions.

    def sum(self, axis: Axis = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
        return native.sum(self, axes_of(axis), keepdims, exclude)

    def mean(self, axis: Axis = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
        return native.mean(self, axes_of(axis), keepdims, exclude)

    def prod(self, axis: Axis = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
        return native.prod(self, axes_of(axis), keepdims, exclude)

    def max(self, axis: Axis = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
        return native.max(self, axes_of(axis), keepdims, exclude)

    def min(self, axis: Axis = None, keepdims: bool = False, exclude: bool = False) -> NDArray:
        return native.min(self, axes_of(axis), keepdims, exclude)

    def argmax(self, axis: Axis = None, keepdims: bool = False) -> NDArray:
        return native.argmax(self, axes_of(axis), keepdims)

    def argmin(self, axis: Axis = None, keepdims: bool = False) -> NDArray:
        return native.argmin(self, axes_of(axis), keepdims)

    def norm(self, ord: int = 2, axis: Axis = None, keepdims: bool = False) -> NDArray:
        return native.norm(self, ord, axes_of(axis), keepdims)

    def dot(self, other: NDArray, transpose_a: bool = False, transpose_b: bool = False) -> NDArray:
        return native.dot(self, other, transpose_a, transpose_b)

    # Autograd.

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Makes the array a variable: backward() writes (or with "add" adds) to ``grad``. Its history ends here."""
        if stype not in (None, "default"):
            raise ValueError(f"gradients are dense, not of storage type '{stype}'")
        gradient = native.full(self.shape, 0.0, self.dtype_name)
        _core.mark_variable(self, gradient, grad_req)

    def backward(
        self, out_grad: NDArray | None = None, retain_graph: bool = False, train_mode: bool = True
    ) -> None:
        """Computes the gradients of all variables that the array depends on."""
        _core.backward([self], None if out_grad is None else [out_grad], retain_graph, train_mode)


def compared(name: str, data: NDArray, other: object, otherwise: bool) -> Any:
    """The comparison of this name with an array or a number; ``otherwise`` for anything else."""
    if isinstance(other, NDArray):
        return native.binary(name, data, other)
    if hasattr(type(other), "_operates_on_arrays"):
        return NotImplemented  # it compares itself with arrays
    if isinstance(other, (float, int, SupportsFloat)) and not isinstance(other, numpy.ndarray):
        return native.with_scalar(name, data, float(other))
    return otherwise


def array(source: Any, ctx: Context | None = None, dtype: DType | None = None) -> NDArray:
    """A new array with the values of an array of any framework, a list or a number (copied).

    The type is that of an NDArray or NumPy array, else float32, as in MXNet.
    """
    checked(ctx)
    return NDArray._new(source, dtype)


_core.set_ndarray_class(NDArray)
