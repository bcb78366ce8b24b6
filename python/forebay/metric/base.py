"""What a measure is, and how it is known by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy

from ..nd import NDArray

Numbers = numpy.ndarray[Any, Any]
Values = Any  # an array, or a list of arrays


def list_of(values: Values) -> list[Any]:
    return list(values) if isinstance(values, (list, tuple)) else [values]


def numbers(value: Any) -> Numbers:
    return value.asnumpy() if isinstance(value, NDArray) else numpy.asarray(value)


def check_label_shapes(labels: Values, preds: Values, wrap: bool = False, shape: bool = False) -> tuple[Any, Any]:
    """ValueError when there are not as many of both, or with ``shape`` when their shapes differ. With ``wrap`` as
    lists."""
    ours, theirs = (labels.shape, preds.shape) if shape else (len(labels), len(preds))
    if ours != theirs:
        raise ValueError(f"labels have the {'shape' if shape else 'length'} {ours}, predictions {theirs}")
    return (list_of(labels), list_of(preds)) if wrap else (labels, preds)


class EvalMetric:
    """Derive from it and define `measured`, or `update`, which adds to ``sum_metric`` and ``num_inst``."""

    def __init__(
        self,
        name: str,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        **config: Any,
    ) -> None:
        self.name = str(name)
        self.output_names = output_names
        self.label_names = label_names
        self._config = config
        self.reset()

    def __str__(self) -> str:
        return f"EvalMetric: {dict(self.get_name_value())}"

    def reset(self) -> None:
        self.num_inst: float = 0
        self.sum_metric: float = 0.0
        self._earlier = (0.0, 0.0)

    def reset_local(self) -> None:
        """Begins anew, but for `get_global`."""
        self._earlier = (self._earlier[0] + self.sum_metric, self._earlier[1] + self.num_inst)
        self.num_inst = 0
        self.sum_metric = 0.0

    def measured(self, label: Numbers, pred: Numbers) -> tuple[float, float]:
        """The sum of the measure over a batch, and how many it is of."""
        raise NotImplementedError(f"{type(self).__name__} defines neither measured() nor update()")

    def update(self, labels: Values, preds: Values) -> None:
        label_list, pred_list = list_of(labels), list_of(preds)
        check_label_shapes(label_list, pred_list)
        for label, pred in zip(label_list, pred_list, strict=True):
            self._count(*self.measured(numbers(label), numbers(pred)))

    def _count(self, total: float, count: float) -> None:
        self.sum_metric += float(total)
        self.num_inst += count

    def update_dict(self, label: Mapping[str, Any], pred: Mapping[str, Any]) -> None:
        """`update` with those of the names that the metric was made for."""
        labels = [label[name] for name in self.label_names] if self.label_names is not None else list(label.values())
        preds = [pred[name] for name in self.output_names] if self.output_names is not None else list(pred.values())
        self.update(labels, preds)

    def _value(self, total: float, count: float) -> float:
        return total / count if count else math.nan

    def get(self) -> Any:
        """Name and value; nan before the first update."""
        return self.name, self._value(self.sum_metric, self.num_inst)

    def get_global(self) -> Any:
        """The same since `reset`, whatever `reset_local` did."""
        return self.name, self._value(self._earlier[0] + self.sum_metric, self._earlier[1] + self.num_inst)

    def get_name_value(self) -> list[tuple[str, float]]:
        name, value = self.get()
        return list(zip(list_of(name), list_of(value), strict=True))

    def get_config(self) -> dict[str, Any]:
        return self._config | {
            "metric": type(self).__name__,
            "name": self.name,
            "output_names": self.output_names,
            "label_names": self.label_names,
        }


Kind = TypeVar("Kind", bound=type[EvalMetric])

classes: dict[str, type[EvalMetric]] = {}


def register(klass: Kind, name: str | None = None) -> Kind:
    """Makes a class known to `create` by its name in small letters."""
    classes[(name or klass.__name__).lower()] = klass
    return klass


def known_as(*names: str) -> Callable[[Kind], Kind]:
    def add(klass: Kind) -> Kind:
        for name in (klass.__name__, *names):
            register(klass, name)
        return klass

    return add
