"""Measures of classes and of the probabilities given to them."""

from __future__ import annotations

import math
from typing import Any

import numpy

from .base import EvalMetric, Numbers, check_label_shapes, known_as


@known_as("acc")
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


@known_as("top_k_accuracy", "top_k_acc")
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


@known_as("ce")
class CrossEntropy(_Likelihood):
    def __init__(self, eps: float = 1e-12, name: str = "cross-entropy", **names: Any) -> None:
        super().__init__(eps, name, **names)


@known_as("nll_loss")
class NegativeLogLikelihood(_Likelihood):
    def __init__(self, eps: float = 1e-12, name: str = "nll-loss", **names: Any) -> None:
        super().__init__(eps, name, **names)


@known_as()
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
