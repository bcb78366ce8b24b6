"""Measures of differences, and the mean of losses."""

from __future__ import annotations

import math
from typing import Any

import numpy

from .base import EvalMetric, Numbers, Values, known_as, list_of, numbers


class _Regression(EvalMetric):
    """A measure of differences, averaged a batch, then over batches."""

    def __init__(self, name: str, **names: Any) -> None:
        super().__init__(name, **names)

    def of(self, differences: Numbers) -> float:
        raise NotImplementedError

    def measured(self, label: Numbers, pred: Numbers) -> tuple[float, float]:
        columns = (values.reshape(-1, 1) if values.ndim == 1 else values for values in (label, pred))
        return self.of(numpy.subtract(*columns)), 1


@known_as()
class MAE(_Regression):
    """The mean magnitude of errors."""

    def __init__(self, name: str = "mae", **names: Any) -> None:
        super().__init__(name, **names)

    def of(self, differences: Numbers) -> float:
        return float(numpy.abs(differences).mean())


@known_as()
class MSE(_Regression):
    """The mean square of errors."""

    def __init__(self, name: str = "mse", **names: Any) -> None:
        super().__init__(name, **names)

    def of(self, differences: Numbers) -> float:
        return float((differences**2).mean())


@known_as()
class RMSE(_Regression):
    """The root of the mean square of errors, a batch."""

    def __init__(self, name: str = "rmse", **names: Any) -> None:
        super().__init__(name, **names)

    def of(self, differences: Numbers) -> float:
        return math.sqrt((differences**2).mean())


@known_as()
class Loss(EvalMetric):
    """The mean of what is given as predictions."""

    def __init__(self, name: str = "loss", **names: Any) -> None:
        super().__init__(name, **names)

    def update(self, labels: Values, preds: Values) -> None:
        for pred in list_of(preds):
            values = numbers(pred)
            self._count(values.sum(), values.size)
