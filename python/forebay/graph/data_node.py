"""DataNode: a tensor that flows through a pipeline, as an expression."""

from __future__ import annotations

from typing import Any

from ..element_types import DALIDataType
from ..enum_arguments import DTypeLike
from . import expressions
from .values import Node

_NO_TRUTH = (
    "a DataNode has no truth value while the pipeline is being written: its content differs from sample to sample. "
    "To branch on it, write the `if` in a function decorated with @pipeline_def(enable_conditionals=True)"
)


class NoTruthValueError(TypeError):
    """Python asked for the truth of a DataNode."""


class DataNode(Node):
    """One output of an operator. Arithmetic, comparisons and subscripts make new nodes; nothing is computed before the
    pipeline runs."""

    __array_priority__ = 1000  # NumPy's operators give way to ours

    def __repr__(self) -> str:
        return f'DataNode(name="{self.name}", device="{self.device}", source="{self._op}", index="{self._output}")'

    ndim: int | None = None
    dtype: DALIDataType | None = None
    layout: str | None = None
    """Not known while the pipeline is being written; :meth:`Pipeline.output_ndim` and its like say what was promised."""

    @property
    def source(self) -> str | None:
        """The operator that gives it."""
        return self._op

    @property
    def index(self) -> int:
        """Which of the operator's outputs it is."""
        return self._output

    def gpu(self) -> DataNode:
        """This tensor in GPU memory."""
        return self if self.device == "gpu" else expressions.owner_of([self])._add_transfer(self, "gpu")

    def cpu(self) -> DataNode:
        """This tensor in host memory."""
        return self if self.device == "cpu" else expressions.owner_of([self])._add_transfer(self, "cpu")

    def shape(self, *, dtype: DTypeLike | None = None, device: str = "cpu") -> DataNode:
        """The shape of each sample, as a tensor; int64 unless `dtype` says otherwise."""
        return _placed(expressions.shape(self, dtype), device)

    def property(self, key: str, *, device: str = "cpu") -> DataNode:
        """What is known about each sample beside its content: "layout" or "source_info", as bytes."""
        return _placed(expressions.property_of(self, key), device)

    def source_info(self, *, device: str = "cpu") -> DataNode:
        """Where each sample comes from, as bytes."""
        return self.property("source_info", device=device)

    def __getitem__(self, index: Any) -> DataNode:
        return expressions.subscript(self, index)

    __iter__ = None  # its extent is not known while the pipeline is being written: no Iterable

    def __len__(self) -> int:
        raise TypeError("a DataNode has no length while the pipeline is being written; use .shape()")

    def __bool__(self) -> bool:
        raise NoTruthValueError(_NO_TRUTH)

    def __add__(self, other: Any) -> DataNode:
        return expressions.arithmetic("add", self, other)

    def __radd__(self, other: Any) -> DataNode:
        return expressions.arithmetic("add", other, self)

    def __sub__(self, other: Any) -> DataNode:
        return expressions.arithmetic("sub", self, other)

    def __rsub__(self, other: Any) -> DataNode:
        return expressions.arithmetic("sub", other, self)

    def __mul__(self, other: Any) -> DataNode:
        return expressions.arithmetic("mul", self, other)

    def __rmul__(self, other: Any) -> DataNode:
        return expressions.arithmetic("mul", other, self)

    def __truediv__(self, other: Any) -> DataNode:
        return expressions.arithmetic("fdiv", self, other)

    def __rtruediv__(self, other: Any) -> DataNode:
        return expressions.arithmetic("fdiv", other, self)

    def __floordiv__(self, other: Any) -> DataNode:
        return expressions.arithmetic("div", self, other)

    def __rfloordiv__(self, other: Any) -> DataNode:
        return expressions.arithmetic("div", other, self)

    def __mod__(self, other: Any) -> DataNode:
        return expressions.arithmetic("mod", self, other)

    def __rmod__(self, other: Any) -> DataNode:
        return expressions.arithmetic("mod", other, self)

    def __pow__(self, other: Any) -> DataNode:
        return expressions.arithmetic("pow", self, other)

    def __rpow__(self, other: Any) -> DataNode:
        return expressions.arithmetic("pow", other, self)

    def __neg__(self) -> DataNode:
        return expressions.arithmetic("minus", self)

    def __pos__(self) -> DataNode:
        return expressions.arithmetic("plus", self)

    def __abs__(self) -> DataNode:
        return expressions.arithmetic("abs", self)

    def __eq__(self, other: object) -> DataNode:  # type: ignore[override]
        return expressions.arithmetic("eq", self, other)

    def __ne__(self, other: object) -> DataNode:  # type: ignore[override]
        return expressions.arithmetic("neq", self, other)

    def __lt__(self, other: Any) -> DataNode:
        return expressions.arithmetic("lt", self, other)

    def __le__(self, other: Any) -> DataNode:
        return expressions.arithmetic("leq", self, other)

    def __gt__(self, other: Any) -> DataNode:
        return expressions.arithmetic("gt", self, other)

    def __ge__(self, other: Any) -> DataNode:
        return expressions.arithmetic("geq", self, other)

    def __and__(self, other: Any) -> DataNode:
        return expressions.arithmetic("bitand", self, other)

    def __rand__(self, other: Any) -> DataNode:
        return expressions.arithmetic("bitand", other, self)

    def __or__(self, other: Any) -> DataNode:
        return expressions.arithmetic("bitor", self, other)

    def __ror__(self, other: Any) -> DataNode:
        return expressions.arithmetic("bitor", other, self)

    def __xor__(self, other: Any) -> DataNode:
        return expressions.arithmetic("bitxor", self, other)

    def __rxor__(self, other: Any) -> DataNode:
        return expressions.arithmetic("bitxor", other, self)

    def __invert__(self) -> DataNode:
        return expressions.arithmetic("bitnot", self)

    def __lshift__(self, other: Any) -> DataNode:
        return expressions.arithmetic("lshift", self, other)

    def __rlshift__(self, other: Any) -> DataNode:
        return expressions.arithmetic("lshift", other, self)

    def __rshift__(self, other: Any) -> DataNode:
        return expressions.arithmetic("rshift", self, other)

    def __rrshift__(self, other: Any) -> DataNode:
        return expressions.arithmetic("rshift", other, self)

    __hash__ = object.__hash__


def _placed(node: DataNode, device: str) -> DataNode:
    return node.gpu() if device == "gpu" else node
