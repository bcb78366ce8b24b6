"""Losses: blocks that give one number per sample, the mean over all axes but ``batch_axis``.

``weight`` scales a loss; a ``sample_weight`` given with a call is multiplied to it, broadcast. Labels take the shape of
the predictions.
"""

from __future__ import annotations

from typing import Any

from .hybrid_block import HybridBlock

__all__ = [
    "HingeLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "L2Loss",
    "LogisticLoss",
    "Loss",
    "SigmoidBCELoss",
    "SigmoidBinaryCrossEntropyLoss",
    "SoftmaxCELoss",
    "SoftmaxCrossEntropyLoss",
    "SquaredHingeLoss",
    "TripletLoss",
]

_TINY = 1e-12  # keeps logarithms finite


class Loss(HybridBlock):
    """Derive from it and define hybrid_forward."""

    def __init__(self, weight: float | None, batch_axis: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._weight = weight
        self._batch_axis = batch_axis

    def __repr__(self) -> str:
        return f"{type(self).__name__}(batch_axis={self._batch_axis}, w={self._weight})"

    def _per_sample(self, F: Any, loss: Any, sample_weight: Any, scale: float | None = None) -> Any:
        """Weighted losses, averaged for each sample; ``scale`` replaces the weight."""
        return F.mean(self._weighted(F, loss, sample_weight, scale), axis=self._batch_axis, exclude=True)

    def _weighted(self, F: Any, loss: Any, sample_weight: Any, scale: float | None = None) -> Any:
        if sample_weight is not None:
            loss = F.broadcast_mul(loss, sample_weight)
        factor = self._weight if scale is None else scale
        return loss if factor is None or factor == 1 else loss * factor


class L2Loss(Loss):
    """weight / 2 * (label - pred)^2"""

    def __init__(self, weight: float | None = 1.0, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        loss = F.square(label.reshape_like(pred) - pred)
        return self._per_sample(F, loss, sample_weight, (1.0 if self._weight is None else self._weight) / 2)


class L1Loss(Loss):
    """|label - pred|"""

    def __init__(self, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        return self._per_sample(F, F.abs(label.reshape_like(pred) - pred), sample_weight)


def _log1p_exp_of_minus_magnitude(F: Any, x: Any) -> Any:
    """log(1 + e^-|x|)"""
    return F.Activation(-F.abs(x), act_type="softrelu")


class SigmoidBinaryCrossEntropyLoss(Loss):
    """The binary cross entropy of logits, or of probabilities with ``from_sigmoid``. ``pos_weight``, given with a call,
    weighs the positive class."""

    def __init__(
        self, from_sigmoid: bool = False, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_sigmoid = from_sigmoid

    def hybrid_forward(
        self, F: Any, pred: Any, label: Any, sample_weight: Any = None, pos_weight: Any = None
    ) -> Any:
        label = label.reshape_like(pred)
        of = self._of_probabilities if self._from_sigmoid else self._of_logits
        return self._per_sample(F, of(F, pred, label, pos_weight), sample_weight)

    @staticmethod
    def _of_logits(F: Any, pred: Any, label: Any, pos_weight: Any) -> Any:
        if pos_weight is None:
            return F.relu(pred) - pred * label + _log1p_exp_of_minus_magnitude(F, pred)
        factor = 1 + F.broadcast_mul(pos_weight - 1, label)
        return pred - pred * label + factor * (_log1p_exp_of_minus_magnitude(F, pred) + F.relu(-pred))

    @staticmethod
    def _of_probabilities(F: Any, pred: Any, label: Any, pos_weight: Any) -> Any:
        yes = F.log(pred + _TINY) * label
        if pos_weight is not None:
            yes = F.broadcast_mul(yes, pos_weight)
        return -(yes + F.log(1.0 - pred + _TINY) * (1.0 - label))


class SoftmaxCrossEntropyLoss(Loss):
    """The cross entropy of classes along ``axis``, from numbers before the softmax, or from logarithms of probabilities
    with ``from_logits``. Labels are class numbers, or with ``sparse_label=False`` probabilities."""

    def __init__(
        self,
        axis: int = -1,
        sparse_label: bool = True,
        from_logits: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._axis = axis
        self._sparse_label = sparse_label
        self._from_logits = from_logits

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        if self._sparse_label:
            loss = -F.pick(pred, label, axis=self._axis, keepdims=True)
        else:
            loss = -F.sum(pred * label.reshape_like(pred), axis=self._axis, keepdims=True)
        return self._per_sample(F, loss, sample_weight)


class KLDivLoss(Loss):
    """The Kullback-Leibler divergence of the label's distribution from pred's. ``pred`` holds logarithms of
    probabilities, or with ``from_logits=False`` numbers before the softmax along ``axis``. Summed, unlike the other
    losses."""

    def __init__(
        self, from_logits: bool = True, axis: int = -1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._axis = axis

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        loss = self._weighted(F, label * (F.log(label + _TINY) - pred), sample_weight)
        return F.sum(loss, axis=self._batch_axis, exclude=True)


class HuberLoss(Loss):
    """|label - pred| - rho / 2, below rho a parabola that meets it smoothly."""

    def __init__(self, rho: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._rho = rho

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        distance = F.abs(label.reshape_like(pred) - pred)
        rho = self._rho
        loss = F.where(distance > rho, distance - 0.5 * rho, (0.5 / rho) * F.square(distance))
        return self._per_sample(F, loss, sample_weight)


class HingeLoss(Loss):
    """max(0, margin - pred * label) for labels -1 and 1"""

    def __init__(self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        return self._per_sample(F, F.relu(self._margin - pred * label.reshape_like(pred)), sample_weight)


class SquaredHingeLoss(HingeLoss):
    """max(0, margin - pred * label)^2 for labels -1 and 1"""

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        loss = F.square(F.relu(self._margin - pred * label.reshape_like(pred)))
        return self._per_sample(F, loss, sample_weight)


class LogisticLoss(Loss):
    """log(1 + e^(-pred * label)) for labels -1 and 1 ("signed"), or 0 and 1 ("binary")"""

    def __init__(
        self, weight: float | None = None, batch_axis: int = 0, label_format: str = "signed", **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        if label_format not in ("signed", "binary"):
            raise ValueError(f"label_format is 'signed' or 'binary', not '{label_format}'")
        self._is_signed = label_format == "signed"

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        label = label.reshape_like(pred)
        if self._is_signed:
            label = (label + 1.0) / 2.0
        loss = F.relu(pred) - pred * label + _log1p_exp_of_minus_magnitude(F, pred)
        return self._per_sample(F, loss, sample_weight)


class TripletLoss(Loss):
    """The triplet loss: max(0, |pos - pred|^2 - |neg - pred|^2 +
    margin)"""

    def __init__(self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(
        self, F: Any, pred: Any, positive: Any, negative: Any, sample_weight: Any = None
    ) -> Any:
        nearer = F.square(positive.reshape_like(pred) - pred) - F.square(negative.reshape_like(pred) - pred)
        loss = F.relu(F.sum(nearer, axis=self._batch_axis, exclude=True) + self._margin)
        return self._weighted(F, loss, sample_weight)


SigmoidBCELoss = SigmoidBinaryCrossEntropyLoss
SoftmaxCELoss = SoftmaxCrossEntropyLoss
