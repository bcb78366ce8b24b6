"""Layers that normalize. BatchNorm: Ioffe and Szegedy, 2015; LayerNorm: Ba, Kiros and Hinton, 2016; InstanceNorm:
Ulyanov, Vedaldi and Lempitsky, 2016; GroupNorm: Wu and He, 2018."""

from __future__ import annotations

from typing import Any

from ...init import Initializer
from ..hybrid_block import HybridBlock
from ..parameter import Parameter

__all__ = ["BatchNorm", "GroupNorm", "InstanceNorm", "LayerNorm"]

Init = Initializer | str | None


class _Normalization(HybridBlock):
    """Holds gamma and beta; those that are switched off stay 1 and 0."""

    def _scale_and_shift(
        self, channels: int, scale: bool, center: bool, gamma_initializer: Init, beta_initializer: Init
    ) -> None:
        with self.name_scope():
            self.gamma = self._learned("gamma", channels, scale, gamma_initializer)
            self.beta = self._learned("beta", channels, center, beta_initializer)

    def _learned(self, name: str, channels: int, is_learned: bool, init: Init) -> Parameter:
        grad_req = "write" if is_learned else "null"
        return self.params.get(name, grad_req=grad_req, shape=(channels,), init=init, allow_deferred_init=True)


class BatchNorm(_Normalization):
    """Normalizes to mean 0 and variance 1 over all axes but ``axis``: by the mean and variance of the batch while
    training, which are also averaged over batches, and by those averages otherwise."""

    def __init__(
        self,
        axis: int = 1,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        use_global_stats: bool = False,
        beta_initializer: Init = "zeros",
        gamma_initializer: Init = "ones",
        running_mean_initializer: Init = "zeros",
        running_variance_initializer: Init = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._options = {
            "axis": axis,
            "eps": epsilon,
            "momentum": momentum,
            "fix_gamma": not scale,
            "use_global_stats": use_global_stats,
        }
        with self.name_scope():
            self.gamma = self._learned("gamma", in_channels, scale, gamma_initializer)
            self.beta = self._learned("beta", in_channels, center, beta_initializer)
            self.running_mean = self._gathered("running_mean", in_channels, running_mean_initializer)
            self.running_var = self._gathered("running_var", in_channels, running_variance_initializer)

    def _gathered(self, name: str, channels: int, init: Init) -> Parameter:
        return self.params.get(
            name, grad_req="null", shape=(channels,), init=init, allow_deferred_init=True, differentiable=False
        )

    def cast(self, dtype: Any) -> None:
        """Means and variances stay in single precision; half precision is not enough."""
        super().cast("float32" if str(dtype).endswith("float16") or "float16" in str(dtype) else dtype)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return F.BatchNorm(
            x, kwargs["gamma"], kwargs["beta"], kwargs["running_mean"], kwargs["running_var"], **self._options
        )

    def __repr__(self) -> str:
        shape = self.gamma.shape or (0,)
        options = ", ".join(f"{name}={value}" for name, value in self._options.items())
        return f"{type(self).__name__}({options}, in_channels={shape[0] or None})"


class LayerNorm(_Normalization):
    """Normalizes to mean 0 and variance 1 along one axis of each sample."""

    def __init__(
        self,
        axis: int = -1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Init = "zeros",
        gamma_initializer: Init = "ones",
        in_channels: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix, params)
        self._options = {"eps": epsilon, "axis": axis}
        self._switches = {"center": center, "scale": scale}
        self._scale_and_shift(in_channels, scale, center, gamma_initializer, beta_initializer)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return F.LayerNorm(x, kwargs["gamma"], kwargs["beta"], **self._options)

    def __repr__(self) -> str:
        shape = self.gamma.shape or (0,)
        options = ", ".join(f"{name}={value}" for name, value in (self._options | self._switches).items())
        return f"{type(self).__name__}({options}, in_channels={shape[0]})"


class InstanceNorm(_Normalization):
    """Normalizes to mean 0 and variance 1 over the space of each channel of each sample."""

    def __init__(
        self,
        axis: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = False,
        beta_initializer: Init = "zeros",
        gamma_initializer: Init = "ones",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._options = {"eps": epsilon, "axis": axis, "center": center, "scale": scale}
        self._axis = axis
        self._epsilon = epsilon
        self._scale_and_shift(in_channels, scale, center, gamma_initializer, beta_initializer)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        if self._axis == 1:
            return F.InstanceNorm(x, kwargs["gamma"], kwargs["beta"], eps=self._epsilon)
        moved = F.swapaxes(x, 1, self._axis)
        return F.swapaxes(F.InstanceNorm(moved, kwargs["gamma"], kwargs["beta"], eps=self._epsilon), 1, self._axis)

    def __repr__(self) -> str:
        shape = self.gamma.shape or (0,)
        options = ", ".join(f"{name}={value}" for name, value in self._options.items())
        return f"{type(self).__name__}({options}, in_channels={shape[0]})"


class GroupNorm(_Normalization):
    """Normalizes to mean 0 and variance 1 over each group of channels of each sample."""

    def __init__(
        self,
        num_groups: int = 1,
        epsilon: float = 1e-5,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Init = "zeros",
        gamma_initializer: Init = "ones",
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix, params)
        self._options = {"eps": epsilon, "num_groups": num_groups}
        self._switches = {"center": center, "scale": scale}
        self._scale_and_shift(num_groups, scale, center, gamma_initializer, beta_initializer)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return F.GroupNorm(x, kwargs["gamma"], kwargs["beta"], **self._options)

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value}" for name, value in (self._options | self._switches).items())
        return f"{type(self).__name__}({options})"
