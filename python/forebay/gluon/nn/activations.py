"""Activations as layers."""

from __future__ import annotations

from typing import Any

from ... import init
from ...init import Initializer
from ...nd import NDArray
from ..hybrid_block import HybridBlock

__all__ = ["ELU", "GELU", "SELU", "Activation", "LeakyReLU", "PReLU", "Swish"]


class Activation(HybridBlock):
    """ "relu", "sigmoid", "tanh", "softrelu" (log(1 + e^x)) or "softsign"."""

    def __init__(self, activation: str, **kwargs: Any) -> None:
        self._act_type = activation
        super().__init__(**kwargs)

    def _alias(self) -> str:
        return self._act_type

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return F.Activation(x, act_type=self._act_type)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._act_type})"


class LeakyReLU(HybridBlock):
    """x, or alpha * x below 0."""

    def __init__(self, alpha: float, **kwargs: Any) -> None:
        if alpha < 0:
            raise AssertionError(f"LeakyReLU: alpha is {alpha}, less than 0")
        super().__init__(**kwargs)
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return F.LeakyReLU(x, act_type="leaky", slope=self._alpha)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._alpha})"


class PReLU(HybridBlock):
    """A leaky ReLU with a learned slope (one, or one per channel)."""

    def __init__(
        self, alpha_initializer: Initializer | str | None = None, in_channels: int = 1, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.alpha = self.params.get("alpha", shape=(in_channels,), init=alpha_initializer or init.Constant(0.25))

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return F.LeakyReLU(x, gamma=kwargs["alpha"], act_type="prelu")


class ELU(HybridBlock):
    """x, or alpha * (e^x - 1) below 0."""

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return F.LeakyReLU(x, act_type="elu", slope=self._alpha)


class SELU(HybridBlock):
    """A scaled ELU that keeps mean 0 and variance 1."""

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return F.LeakyReLU(x, act_type="selu")


class GELU(HybridBlock):
    """x times the normal distribution's probability of less than x."""

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return F.LeakyReLU(x, act_type="gelu")


class Swish(HybridBlock):
    """x * sigmoid(beta * x)."""

    def __init__(self, beta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._beta = beta

    def hybrid_forward(self, F: Any, x: NDArray, *args: Any, **kwargs: Any) -> Any:
        return x * F.sigmoid(self._beta * x)
