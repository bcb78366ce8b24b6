"""What expressions are made of: outputs of operators, scalar constants, marks of new axes; and what must not be in any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

from ..element_types import DALIDataType

if TYPE_CHECKING:
    from .writer import GraphWriter


class Node:
    """One output of an operator. Users meet it as a `DataNode`, which adds Python's operators.

    :param source: the operator. A node that is made by hand has a name, and comes from nowhere: no pipeline takes it.
    """

    _pipeline = cast("GraphWriter", None)
    _node = -1

    def __init__(self, name: str, device: str = "cpu", source: str | None = None, index: int = 0) -> None:
        self.name = name
        self.device = device
        self._op = source
        self._output = index
        self._guards: tuple[tuple[int, int, bool], ...] = ()  # the branches of conditionals in which it has a value

    def _placed_in(self, pipeline: GraphWriter, node: int, guards: tuple[tuple[int, int, bool], ...]) -> Self:
        """The same, as an output of the operator that is `node` there."""
        self._pipeline = pipeline
        self._node = node
        self._guards = guards
        return self

    @property
    def _edge(self) -> tuple[int, int]:
        return (self._node, self._output)


class Scalar:
    """A number and its element type. Users meet it as a `types.ScalarConstant`, which adds Python's operators."""

    def __init__(self, value: Any, dtype: DALIDataType) -> None:
        self.value = value
        self.dtype = dtype


class NewAxis:
    """Marks a new axis in a subscript: ``x[newaxis]`` or ``x[newaxis("C")]``."""

    def __init__(self, name: str | None = None) -> None:
        if name is not None and (not isinstance(name, str) or len(name) != 1):
            raise TypeError("the name of an axis is one character")
        self.name = name

    def __call__(self, name: str | None = None) -> NewAxis:
        return NewAxis(name)


class Unusable:
    """Stands for a variable that is fine as long as nobody uses it. Any use raises the error, `isinstance` too; for
    `is`, rewritten code asks `used`."""

    def __init__(self, error: Exception) -> None:
        object.__setattr__(self, "_error", error)

    def refuse(self, *_: Any, **__: Any) -> Any:
        error = object.__getattribute__(self, "_error")
        raise type(error)(*error.args)

    __getattr__ = __setattr__ = __call__ = __getitem__ = __iter__ = __len__ = __bool__ = __contains__ = refuse
    __eq__ = __ne__ = __hash__ = __lt__ = __le__ = __gt__ = __ge__ = refuse
    __neg__ = __pos__ = __abs__ = __invert__ = __int__ = __float__ = __index__ = __str__ = __format__ = refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = refuse
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __matmul__ = __rmatmul__ = refuse
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __divmod__ = __rdivmod__ = refuse
    __class__ = property(refuse)


def is_unusable(value: Any) -> bool:
    return type(value) is Unusable


def used(value: Any) -> Any:
    """The value, which is looked at now."""
    return value.refuse() if type(value) is Unusable else value
