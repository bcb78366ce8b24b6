"""Measures made of functions and of other measures; `create`, which makes any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .base import EvalMetric, Numbers, Values, check_label_shapes, classes, known_as, list_of, numbers


def create(metric: Any, *args: Any, **kwargs: Any) -> EvalMetric:
    """A metric by name, from a function (see `CustomMetric`), of a list of those, or the metric itself."""
    if isinstance(metric, EvalMetric):
        return metric
    if isinstance(metric, list):
        return CompositeEvalMetric([create(each, *args, **kwargs) for each in metric])
    if callable(metric):
        return CustomMetric(metric, *args, **kwargs)
    kind = classes.get(str(metric).lower())
    if kind is None:
        raise ValueError(f"there is no metric '{metric}'; there are {', '.join(sorted(classes))}")
    return kind(*args, **kwargs)


class CustomMetric(EvalMetric):
    """A function of label and prediction (NumPy's arrays) that gives the measure of a batch, or its sum and count."""

    def __init__(
        self,
        feval: Callable[[Numbers, Numbers], Any],
        name: str | None = None,
        allow_extra_outputs: bool = False,
        **names: Any,
    ) -> None:
        given = str(name or getattr(feval, "__name__", type(feval).__name__))
        super().__init__(f"custom({given})" if "<" in given else given, **names)
        self._feval = feval
        self._allow_extra_outputs = allow_extra_outputs

    def update(self, labels: Values, preds: Values) -> None:
        label_list, pred_list = list_of(labels), list_of(preds)
        if not self._allow_extra_outputs:
            check_label_shapes(label_list, pred_list)
        for label, pred in zip(label_list, pred_list, strict=False):
            value = self._feval(numbers(label), numbers(pred))
            self._count(*(value if isinstance(value, tuple) else (value, 1)))


def np(numpy_feval: Callable[[Numbers, Numbers], Any], name: str | None = None, allow_extra_outputs: bool = False) -> CustomMetric:
    """A `CustomMetric` that is named after its function."""
    return CustomMetric(numpy_feval, name or numpy_feval.__name__, allow_extra_outputs)


@known_as()
class CompositeEvalMetric(EvalMetric):
    """Several metrics at once."""

    def __init__(self, metrics: Sequence[Any] | None = None, name: str = "composite", **names: Any) -> None:
        self.metrics = [create(metric) for metric in metrics or ()]
        super().__init__(name, **names)

    def add(self, metric: Any) -> None:
        self.metrics.append(create(metric))

    def get_metric(self, index: int) -> EvalMetric:
        return self.metrics[index]

    def reset(self) -> None:
        for metric in self.metrics:
            metric.reset()

    def reset_local(self) -> None:
        for metric in self.metrics:
            metric.reset_local()

    def update(self, labels: Values, preds: Values) -> None:
        for metric in self.metrics:
            metric.update(labels, preds)

    def get(self) -> Any:
        """The names and the values."""
        pairs = [pair for metric in self.metrics for pair in metric.get_name_value()]
        return [name for name, _ in pairs], [value for _, value in pairs]

    def get_global(self) -> Any:
        pairs = [metric.get_global() for metric in self.metrics]
        return [name for name, _ in pairs], [value for _, value in pairs]
