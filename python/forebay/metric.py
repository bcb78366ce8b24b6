"""Measures of how good predictions are, as MXNet's ``mx.metric``. Updating reads arrays, so it waits for them.

``update(labels, preds)`` takes arrays or lists of them; `EvalMetric.get` gives the mean since `EvalMetric.reset`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy

from .nd import NDArray

__all__ = [
    "MAE",
    "MSE",
    "RMSE",
    "Accuracy",
    "CompositeEvalMetric",
    "CrossEntropy",
    "CustomMetric",
    "EvalMetric",
    "Loss",
    "NegativeLogLikelihood",
    "Perplexity",
    "TopKAccuracy",
    "create",
    "np",
    "register",
]

Numbers = numpy.ndarray[Any, Any]
Values = Any  # an array, or a list of arrays


def _list_of(values: Values) -> list[Any]:
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _numbers(value: Any) -> Numbers:
    return value.asnumpy() if isinstance(value, NDArray) else numpy.asarray(value)


def check_label_shapes(labels: Values, preds: Values, wrap: bool = False, shape: bool = False) -> tuple[Any, Any]:
    """ValueError when there are not as many of both, or with ``shape`` when their shapes differ. With ``wrap`` as
    lists."""
    ours, theirs = (labels.shape, preds.shape) if shape else (len(labels), len(preds))
    if ours != theirs:
        raise ValueError(f"labels have the {'shape' if shape else 'length'} {ours}, predictions {theirs}")
    return (_list_of(labels), _list_of(preds)) if wrap else (labels, preds)


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
        label_list, pred_list = _list_of(labels), _list_of(preds)
        check_label_shapes(label_list, pred_list)
        for label, pred in zip(label_list, pred_list, strict=True):
            self._count(*self.measured(_numbers(label), _numbers(pred)))

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
        return list(zip(_list_of(name), _list_of(value), strict=True))

    def get_config(self) -> dict[str, Any]:
        return self._config | {
            "metric": type(self).__name__,
            "name": self.name,
            "output_names": self.output_names,
            "label_names": self.label_names,
        }


Kind = TypeVar("Kind", bound=type[EvalMetric])

_classes: dict[str, type[EvalMetric]] = {}


def register(klass: Kind, name: str | None = None) -> Kind:
    """Makes a class known to `create` by its name in small letters."""
    _classes[(name or klass.__name__).lower()] = klass
    return klass


def _known_as(*names: str) -> Callable[[Kind], Kind]:
    def add(klass: Kind) -> Kind:
        for name in (klass.__name__, *names):
            register(klass, name)
        return klass

    return add


def create(metric: Any, *args: Any, **kwargs: Any) -> EvalMetric:
    """A metric by name, from a function (see `CustomMetric`), of a list of those, or the metric itself."""
    if isinstance(metric, EvalMetric):
        return metric
    if isinstance(metric, list):
        return CompositeEvalMetric([create(each, *args, **kwargs) for each in metric])
    if callable(metric):
        return CustomMetric(metric, *args, **kwargs)
    kind = _classes.get(str(metric).lower())
    if kind is None:
        raise ValueError(f"there is no metric '{metric}'; there are {', '.join(sorted(_classes))}")
    return kind(*args, **kwargs)


@_known_as("acc")
class Accuracy(EvalMetric):
    """The share of right classes. Predictions are classes, or scores along ``axis``."""

    def __init__(self, axis: int = 1, name: str = "accuracy", **names: Any) -> None:
        super().__init__(name, axis=axis, **names)
        self.axis = axis

    def measured(self, label: Numbers, pred: Numbers) -> tuple[float, float]:
        if pred.shape != label.shape:
            pred = pred.argmax(axis=self.axis)
        classes, wanted = pred.astype("int32").ravel(), label.astype("int32").ravel()
        check_label_shapes(wanted, classes)
        return (classes == wanted).sum(), classes.size


@_known_as("top_k_accuracy", "top_k_acc")
class TopKAccuracy(EvalMetric):
    """The share of samples whose class is among the ``top_k`` of greatest scores."""

    def __init__(self, top_k: int = 1, name: str = "top_k_accuracy", **names: Any) -> None:
        if top_k <= 1:
            raise AssertionError(f"TopKAccuracy is for more than one class, not {top_k}: use Accuracy")
        super().__init__(f"{name}_{top_k}", top_k=top_k, **names)
        self.top_k = top_k

    def measured(self, label: Numbers, pred: Numbers) -> tuple[float, float]:
        wanted = label.astype("int32").ravel()
        if pred.ndim == 1:
            return (pred.astype("int32") == wanted).sum(), wanted.size
        best = numpy.argsort(pred.astype("float32"), axis=1)[:, -self.top_k :]
        return (best == wanted[:, None]).any(axis=1).sum(), wanted.size


class _Regression(EvalMetric):
    """A measure of differences, averaged a batch, then over batches."""

    def __init__(self, name: str, **names: Any) -> None:
        super().__init__(name, **names)

    def of(self, differences: Numbers) -> float:
        raise NotImplementedError

    def measured(self, label: Numbers, pred: Numbers) -> tuple[float, float]:
        columns = (values.reshape(-1, 1) if values.ndim == 1 else values for values in (label, pred))
        return self.of(numpy.subtract(*columns)), 1


@_known_as()
class MAE(_Regression):
    """The mean magnitude of errors."""

    def __init__(self, name: str = "mae", **names: Any) -> None:
        super().__init__(name, **names)

    def of(self, differences: Numbers) -> float:
        return float(numpy.abs(differences).mean())


@_known_as()
class MSE(_Regression):
    """The mean square of errors."""

    def __init__(self, name: str = "mse", **names: Any) -> None:
        super().__init__(name, **names)

    def of(self, differences: Numbers) -> float:
        return float((differences**2).mean())


@_known_as()
class RMSE(_Regression):
    """The root of the mean square of errors, a batch."""

    def __init__(self, name: str = "rmse", **names: Any) -> None:
        super().__init__(name, **names)

    def of(self, differences: Numbers) -> float:
        return math.sqrt((differences**2).mean())


class _Likelihood(EvalMetric):
    """The mean of -log of the probability given to the right class."""

    def __init__(self, eps: float, name: str, **names: Any) -> None:
        super().__init__(name, eps=eps, **names)
        self.eps = eps

    def measured(self, label: Numbers, pred: Numbers) -> tuple[float, float]:
        classes = label.ravel().astype("int64")
        if classes.size != pred.shape[0]:
            raise ValueError(f"there are {classes.size} labels for {pred.shape[0]} predictions")
        probabilities = pred[numpy.arange(classes.size), classes]
        return -numpy.log(probabilities + self.eps).sum(), classes.size


@_known_as("ce")
class CrossEntropy(_Likelihood):
    def __init__(self, eps: float = 1e-12, name: str = "cross-entropy", **names: Any) -> None:
        super().__init__(eps, name, **names)


@_known_as("nll_loss")
class NegativeLogLikelihood(_Likelihood):
    def __init__(self, eps: float = 1e-12, name: str = "nll-loss", **names: Any) -> None:
        super().__init__(eps, name, **names)


@_known_as()
class Perplexity(EvalMetric):
    """e to the cross entropy; labels equal to ``ignore_label`` are left out."""

    def __init__(self, ignore_label: int | None, axis: int = -1, name: str = "perplexity", **names: Any) -> None:
        super().__init__(name, ignore_label=ignore_label, axis=axis, **names)
        self.ignore_label = ignore_label
        self.axis = axis

    def measured(self, label: Numbers, pred: Numbers) -> tuple[float, float]:
        classes = label.ravel().astype("int64")
        scores = numpy.moveaxis(pred, self.axis, -1).reshape(classes.size, -1)
        probabilities = scores[numpy.arange(classes.size), classes]
        counted = classes != self.ignore_label if self.ignore_label is not None else numpy.ones(classes.size, bool)
        return -numpy.log(numpy.maximum(1e-10, probabilities[counted])).sum(), counted.sum()

    def _value(self, total: float, count: float) -> float:
        return math.exp(total / count) if count else math.nan


@_known_as()
class Loss(EvalMetric):
    """The mean of what is given as predictions."""

    def __init__(self, name: str = "loss", **names: Any) -> None:
        super().__init__(name, **names)

    def update(self, labels: Values, preds: Values) -> None:
        for pred in _list_of(preds):
            values = _numbers(pred)
            self._count(values.sum(), values.size)


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
        label_list, pred_list = _list_of(labels), _list_of(preds)
        if not self._allow_extra_outputs:
            check_label_shapes(label_list, pred_list)
        for label, pred in zip(label_list, pred_list, strict=False):
            value = self._feval(_numbers(label), _numbers(pred))
            self._count(*(value if isinstance(value, tuple) else (value, 1)))


def np(numpy_feval: Callable[[Numbers, Numbers], Any], name: str | None = None, allow_extra_outputs: bool = False) -> CustomMetric:
    """A `CustomMetric` that is named after its function."""
    return CustomMetric(numpy_feval, name or numpy_feval.__name__, allow_extra_outputs)


@_known_as()
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
