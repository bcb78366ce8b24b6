"""Stochastic gradient descent. NAG: Nesterov, "A method of solving a convex programming problem with convergence rate
O(1/k^2)", 1983, in the form of Sutskever et al., 2013."""

from __future__ import annotations

from typing import Any

from .. import nd
from ..nd import NDArray
from .base import Optimizer, State, register


@register
class SGD(Optimizer):
    """weight -= lr * (grad + wd * weight), with ``momentum`` that of a velocity that keeps so much of itself."""

    def __init__(self, momentum: float = 0.0, lazy_update: bool = True, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.momentum = momentum

    def create_state(self, index: int, weight: NDArray) -> State:
        return nd.zeros_like(weight) if self.momentum else None

    def update(self, index: int, weight: NDArray, grad: NDArray, state: Any) -> None:
        self.count_update(index)
        if state is None:
            nd.sgd_update(weight, grad, out=weight, **self.rates(index))
        else:
            nd.sgd_mom_update(weight, grad, state, out=weight, momentum=self.momentum, **self.rates(index))


@register
class NAG(SGD):
    """The gradient taken where the velocity leads."""

    def update(self, index: int, weight: NDArray, grad: NDArray, state: Any) -> None:
        if state is None:
            super().update(index, weight, grad, state)
            return
        self.count_update(index)
        nd.nag_mom_update(weight, grad, state, out=weight, momentum=self.momentum, **self.rates(index))


def prepared_gradient(grad: NDArray, rates: dict[str, Any]) -> NDArray:
    """The gradient scaled and clipped."""
    scaled = grad * rates["rescale_grad"]
    most = rates["clip_gradient"]
    return nd.clip(scaled, -most, most) if most > 0 else scaled
