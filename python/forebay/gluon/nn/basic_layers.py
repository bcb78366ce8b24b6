"""Dense, Dropout, Embedding, Flatten."""

from __future__ import annotations

import math
from typing import Any

from ...init import Initializer
from ..hybrid_block import HybridBlock
from .activations import Activation

__all__ = ["Dense", "Dropout", "Embedding", "Flatten"]


class Dense(HybridBlock):
    """activation(x . weight^T + bias). ``flatten`` takes all axes but the first for one; else the last is the input's.

    ``in_units`` 0 is found at the first call.
    """

    def __init__(
        self,
        units: int,
        activation: str | None = None,
        use_bias: bool = True,
        flatten: bool = True,
        dtype: Any = "float32",
        weight_initializer: Initializer | str | None = None,
        bias_initializer: Initializer | str | None = "zeros",
        in_units: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._units = units
        self._in_units = in_units
        self._flatten = flatten
        with self.name_scope():
            self.weight = self.params.get(
                "weight", shape=(units, in_units), init=weight_initializer, dtype=dtype, allow_deferred_init=True
            )
            self.bias = (
                self.params.get("bias", shape=(units,), init=bias_initializer, dtype=dtype, allow_deferred_init=True)
                if use_bias
                else None
            )
            self.act = Activation(activation, prefix=activation + "_") if activation is not None else None

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        bias = kwargs.get("bias")
        outputs = F.FullyConnected(
            x, kwargs["weight"], bias, num_hidden=self._units, no_bias=bias is None, flatten=self._flatten
        )
        return outputs if self.act is None else self.act(outputs)

    def __repr__(self) -> str:
        shape = self.weight.shape
        assert shape is not None
        return f"{type(self).__name__}({shape[1] or None} -> {shape[0]}, {self.act or 'linear'})"


class Dropout(HybridBlock):
    """While training, each element becomes 0 with probability ``rate``, the others grow by 1 / (1 - rate). Along
    ``axes`` all elements are kept or dropped together."""

    def __init__(self, rate: float, axes: tuple[int, ...] = (), **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._rate = rate
        self._axes = axes

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return F.Dropout(x, p=self._rate, axes=self._axes) if self._rate > 0 else x

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p = {self._rate}, axes={self._axes})"


class Embedding(HybridBlock):
    """Rows of a matrix by their numbers."""

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        dtype: Any = "float32",
        weight_initializer: Initializer | str | None = None,
        sparse_grad: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if sparse_grad:
            raise ValueError("Embedding: gradients are dense; sparse_grad=True is not offered")
        self._sizes = {"input_dim": input_dim, "output_dim": output_dim}
        self._dtype = dtype
        with self.name_scope():
            self.weight = self.params.get(
                "weight", shape=(input_dim, output_dim), init=weight_initializer, dtype=dtype, allow_deferred_init=True
            )

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return F.Embedding(x, kwargs["weight"], **self._sizes)

    def __repr__(self) -> str:
        sizes = self._sizes
        return f"{type(self).__name__}({sizes['input_dim']} -> {sizes['output_dim']}, {self._dtype})"


class Flatten(HybridBlock):
    """All axes but the first as one."""

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return x.reshape((x.shape[0], math.prod(x.shape[1:])))

    def __repr__(self) -> str:
        return type(self).__name__
