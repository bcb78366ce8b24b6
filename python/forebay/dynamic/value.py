"""What tensors and batches have in common: where they come from, arithmetic, what is known of them."""

from __future__ import annotations

from typing import Any, ClassVar

from ..errors import InvalidError
from ..tensors import TensorCPU, TensorListCPU
from . import conversion, deferred
from .deferred import Future, Held
from .device import NO_GPU, Device, DeviceLike, device as device_of
from .dtypes import DType


class Value:
    """A :class:`Tensor` or a :class:`Batch`. Its content is computed by the engine; looking at it waits."""

    __array_priority__ = 2000  # NumPy's operators give way to ours
    _operates_on_arrays = True  # so do those of `nd`

    _kinds: ClassVar[dict[bool, type[Value]]] = {}
    _is_batch: ClassVar[bool]

    _held: Held
    _meta: tuple[list[tuple[int, ...]], DType, str] | None

    def __init_subclass__(cls, is_batch: bool | None = None, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if is_batch is not None:
            cls._is_batch = is_batch
            Value._kinds[is_batch] = cls

    @classmethod
    def _of(cls, held: Held) -> Any:
        made = cls.__new__(cls)
        made._held = held
        made._meta = None
        return made

    # --- content ------------------------------------------------------------------------------------------------------

    @property
    def _future(self) -> Future:
        held = self._held
        if not isinstance(held, Future):
            held = self._held = held.future()
        return held

    def _content(self) -> TensorListCPU:
        return self._future.get()

    def _look(self) -> tuple[list[tuple[int, ...]], DType, str]:
        """Shapes, type and layout. Waits; what went wrong is raised here, with the line that caused it."""
        if self._meta is None:
            content = self._content()
            self._meta = (content.shape(), DType.from_type_id(content.dtype), content.layout())
        return self._meta

    def evaluate(self) -> Any:
        """Waits for the content, and raises what went wrong with it. Gives the same object."""
        self._future.wait()
        return self

    @property
    def dtype(self) -> DType:
        """Type of the elements."""
        return self._look()[1]

    @property
    def layout(self) -> str | None:
        """Names of the axes of a sample, such as "HWC"; None where they have none."""
        return self._look()[2] or None

    @property
    def ndim(self) -> int:
        """Number of axes of a sample."""
        return len(self._look()[0][0])

    # --- devices ------------------------------------------------------------------------------------------------------

    @property
    def device(self) -> Device:
        """The CPU."""
        return Device.CPU

    def cpu(self) -> Any:
        """Itself."""
        return self

    def gpu(self, index: int | None = None) -> Any:
        """NotImplementedError: calls run on the CPU."""
        raise NotImplementedError(NO_GPU)

    def to_device(self, device: DeviceLike, force_copy: bool = False) -> Any:
        """Itself, or a copy; NotImplementedError for a GPU."""
        wanted = device_of(device)
        if wanted is not None and wanted.device_type == "gpu":
            return self.gpu()
        return apply("copy", [self], {}) if force_copy else self

    # --- arrays -------------------------------------------------------------------------------------------------------

    def as_nd(self, shape: Any = None, dtype: str | None = None) -> Any:
        """As a :class:`forebay.nd.NDArray`; a batch has its samples along the first axis.

        What an operator gave goes there without a copy, unless somebody else has its memory: then this is the array,
        and shows what is written into it.

        :param shape: with it the array is there at once. Should the content have another shape or type, reading the
            array raises that.
        :param dtype: the element type that goes with `shape`; float32 without it.
        """
        return self._future.array(shape, "float32" if dtype is None else dtype, self._is_batch)

    def __add__(self, other: Any) -> Any:
        return arithmetic("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return arithmetic("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return arithmetic("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return arithmetic("sub", other, self)

    def __mul__(self, other: Any) -> Any:
        return arithmetic("mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return arithmetic("mul", other, self)

    def __pow__(self, other: Any) -> Any:
        return arithmetic("pow", self, other)

    def __rpow__(self, other: Any) -> Any:
        return arithmetic("pow", other, self)

    def __truediv__(self, other: Any) -> Any:
        return arithmetic("fdiv", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return arithmetic("fdiv", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return arithmetic("div", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return arithmetic("div", other, self)

    def __mod__(self, other: Any) -> Any:
        return arithmetic("mod", self, other)

    def __rmod__(self, other: Any) -> Any:
        return arithmetic("mod", other, self)

    def __neg__(self) -> Any:
        return arithmetic("minus", self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return arithmetic("abs", self)

    def __invert__(self) -> Any:
        return arithmetic("bitnot", self)

    def __eq__(self, other: object) -> Any:
        return arithmetic("eq", self, other)

    def __ne__(self, other: object) -> Any:
        return arithmetic("neq", self, other)

    def __lt__(self, other: Any) -> Any:
        return arithmetic("lt", self, other)

    def __le__(self, other: Any) -> Any:
        return arithmetic("leq", self, other)

    def __gt__(self, other: Any) -> Any:
        return arithmetic("gt", self, other)

    def __ge__(self, other: Any) -> Any:
        return arithmetic("geq", self, other)

    def __and__(self, other: Any) -> Any:
        return arithmetic("bitand", self, other)

    def __rand__(self, other: Any) -> Any:
        return arithmetic("bitand", other, self)

    def __or__(self, other: Any) -> Any:
        return arithmetic("bitor", self, other)

    def __ror__(self, other: Any) -> Any:
        return arithmetic("bitor", other, self)

    def __xor__(self, other: Any) -> Any:
        return arithmetic("bitxor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return arithmetic("bitxor", other, self)

    def __lshift__(self, other: Any) -> Any:
        return arithmetic("lshift", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return arithmetic("lshift", other, self)

    def __rshift__(self, other: Any) -> Any:
        return arithmetic("rshift", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return arithmetic("rshift", other, self)

    __hash__ = None  # type: ignore[assignment]  # compared element by element


def wrap(held: Held, is_batch: bool) -> Any:
    """A tensor or a batch."""
    return Value._kinds[is_batch]._of(held)


def common_size(sizes: list[int], wanted: int | None, what: str) -> int | None:
    """The number of samples of a call; None for a call on tensors."""
    for size in sizes:
        if wanted is not None and size != wanted:
            raise InvalidError(f"{what}: Inconsistent batch size: {size} != {wanted}")
        wanted = size
    return wanted


def held_of(value: Any) -> tuple[Held, int | None]:
    """What anybody gives as an input, and its number of samples if it is a batch."""
    if isinstance(value, Value):
        held = value._held
        return held, held.size if value._is_batch else None
    if isinstance(value, TensorListCPU):
        return Future.of(value, True), len(value)
    if isinstance(value, TensorCPU) or conversion.is_array(value):
        return conversion.future_of_array(value, "", False), None
    return conversion.future_of_python(value, None, ""), None


def apply(op: str, inputs: list[Any], constants: dict[str, Any], tensors: dict[str, Any] | None = None) -> Any:
    """The first result of an operator that is not random, on values."""
    held = [held_of(each) for each in inputs]
    arguments = {name: held_of(each) for name, each in (tensors or {}).items()}
    sizes = [size for _, size in (*held, *arguments.values()) if size is not None]
    size = common_size(sizes, None, op)
    given = {name: each for name, (each, _) in arguments.items()}
    results = deferred.run(op, [each for each, _ in held], constants, given, 1 if size is None else size)
    return wrap(results[0], size is not None)


def _operand(value: Any, op: str) -> tuple[Held, int | None]:
    if conversion.is_number(value):
        return conversion.scalar(value), None
    if value is None or isinstance(value, (str, bytes)):
        raise TypeError(f"'{op}' cannot be computed of a tensor and {value!r}")
    return held_of(value)


def arithmetic(op: str, *operands: Any) -> Any:
    """One operation of an expression, element by element. Python's integers are int32, its floats float32."""
    held = [_operand(operand, op) for operand in operands]
    size = common_size([size for _, size in held if size is not None], None, op)
    results = deferred.run("_arithmetic", [each for each, _ in held], {"op": op}, None, 1 if size is None else size)
    return wrap(results[0], size is not None)
