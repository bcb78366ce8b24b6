"""Optimizers with a rate for each element. Adam: Kingma and Ba, 2015; AdaGrad: Duchi, Hazan and Singer, 2011; AdaDelta:
Zeiler, 2012; RMSProp: Tieleman and Hinton, 2012, centered: Graves, 2013."""

from __future__ import annotations

import math
from typing import Any

from .. import nd
from ..nd import NDArray
from .base import Optimizer, State, register
from .descent import prepared_gradient


@register
class Adam(Optimizer):
    """Running means of gradients and of their squares, corrected for their beginning at 0."""

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        lazy_update: bool = True,
        **arguments: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **arguments)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon

    def create_state(self, index: int, weight: NDArray) -> State:
        return nd.zeros_like(weight), nd.zeros_like(weight)

    def update(self, index: int, weight: NDArray, grad: NDArray, state: Any) -> None:
        count = self.count_update(index)
        rates = self.rates(index)
        rates["lr"] *= math.sqrt(1 - self.beta2**count) / (1 - self.beta1**count)
        mean, variance = state
        betas: dict[str, Any] = {"beta1": self.beta1, "beta2": self.beta2, "epsilon": self.epsilon}
        nd.adam_update(weight, grad, mean, variance, out=weight, **betas, **rates)


@register
class AdaGrad(Optimizer):
    """Divided by the root of the sum of all squares."""

    def __init__(self, eps: float = 1e-7, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.float_stable_eps = eps

    def create_state(self, index: int, weight: NDArray) -> State:
        return nd.zeros_like(weight)

    def update(self, index: int, weight: NDArray, grad: NDArray, state: Any) -> None:
        self.count_update(index)
        rates = self.rates(index)
        gradient = prepared_gradient(grad, rates)
        state += gradient * gradient
        weight -= rates["lr"] * (gradient / nd.sqrt(state + self.float_stable_eps) + rates["wd"] * weight)


@register
class RMSProp(Optimizer):
    """Divided by the root of a running mean of squares (``gamma1`` of which stays), ``centered`` of the variance with
    momentum ``gamma2``."""

    def __init__(
        self,
        learning_rate: float = 0.001,
        gamma1: float = 0.9,
        gamma2: float = 0.9,
        epsilon: float = 1e-8,
        centered: bool = False,
        clip_weights: float | None = None,
        **arguments: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **arguments)
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.epsilon = epsilon
        self.centered = centered
        self.clip_weights = clip_weights

    def create_state(self, index: int, weight: NDArray) -> State:
        return tuple(nd.zeros_like(weight) for _ in range(3 if self.centered else 1))

    def update(self, index: int, weight: NDArray, grad: NDArray, state: Any) -> None:
        self.count_update(index)
        options = self.rates(index) | {
            "gamma1": self.gamma1,
            "epsilon": self.epsilon,
            "clip_weights": -1.0 if self.clip_weights is None else self.clip_weights,
        }
        if self.centered:
            nd.rmspropalex_update(weight, grad, state[0], state[1], state[2], out=weight, gamma2=self.gamma2, **options)
        else:
            nd.rmsprop_update(weight, grad, state[0], out=weight, **options)


@register
class AdaDelta(Optimizer):
    """Steps as long as those before were, relative to the gradients; there is no learning rate."""

    def __init__(self, rho: float = 0.9, epsilon: float = 1e-5, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.rho = rho
        self.epsilon = epsilon

    def create_state(self, index: int, weight: NDArray) -> State:
        return nd.zeros_like(weight), nd.zeros_like(weight)

    def update(self, index: int, weight: NDArray, grad: NDArray, state: Any) -> None:
        self.count_update(index)
        rates = self.rates(index)
        gradient = prepared_gradient(grad, rates)
        squares, steps = state
        squares[:] = self.rho * squares + (1 - self.rho) * gradient * gradient
        step = nd.sqrt(steps + self.epsilon) / nd.sqrt(squares + self.epsilon) * gradient
        steps[:] = self.rho * steps + (1 - self.rho) * step * step
        weight -= step + rates["wd"] * weight
