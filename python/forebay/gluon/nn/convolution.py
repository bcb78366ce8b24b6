"""Convolutions over one, two or three axes after batch and channels."""

from __future__ import annotations

from typing import Any

from ...init import Initializer
from ..hybrid_block import HybridBlock
from .activations import Activation
from .pooling import Extents, check_layout, extents_of

__all__ = ["Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose"]


class _Convolution(HybridBlock):
    """Slides ``channels`` filters over the input. ``in_channels`` 0 is found at the first call; ``groups`` lets each
    group of filters see only its group of channels."""

    _axes = 0
    _operator = "Convolution"

    def __init__(
        self,
        channels: int,
        kernel_size: Extents,
        strides: Extents = 1,
        padding: Extents = 0,
        dilation: Extents = 1,
        groups: int = 1,
        layout: str | None = None,
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Initializer | str | None = None,
        bias_initializer: Initializer | str | None = "zeros",
        in_channels: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix, params)
        self._channels = channels
        self._in_channels = in_channels
        axes = self._axes
        check_layout(layout or self._layout(), self._layout())
        self._options: dict[str, Any] = {
            "kernel": extents_of(kernel_size, axes),
            "stride": extents_of(strides, axes),
            "dilate": extents_of(dilation, axes),
            "pad": extents_of(padding, axes),
            "num_filter": channels,
            "num_group": groups,
            "no_bias": not use_bias,
        }
        with self.name_scope():
            self.weight = self.params.get(
                "weight", shape=self._weight_shape(), init=weight_initializer, allow_deferred_init=True
            )
            self.bias = (
                self.params.get("bias", shape=(channels,), init=bias_initializer, allow_deferred_init=True)
                if use_bias
                else None
            )
            self.act = Activation(activation, prefix=activation + "_") if activation is not None else None

    def _layout(self) -> str:
        return "NC" + "DHW"[3 - self._axes :]

    def _weight_shape(self) -> tuple[int, ...]:
        return (self._channels, self._in_channels // self._options["num_group"], *self._options["kernel"])

    def _alias(self) -> str:
        return "conv"

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        outputs = getattr(F, self._operator)(x, kwargs["weight"], kwargs.get("bias"), **self._options)
        return outputs if self.act is None else self.act(outputs)

    def _mapping(self) -> str:
        shape = self.weight.shape
        assert shape is not None
        return f"{shape[1] or None} -> {shape[0]}"

    def __repr__(self) -> str:
        o = self._options
        axes = self._axes
        parts = [self._mapping(), f"kernel_size={o['kernel']}", f"stride={o['stride']}"]
        parts += [f"padding={o['pad']}"] if o["pad"] != (0,) * axes else []
        parts += [f"dilation={o['dilate']}"] if o["dilate"] != (1,) * axes else []
        parts += [f"groups={o['num_group']}"] if o["num_group"] != 1 else []
        parts += ["bias=False"] if o["no_bias"] else []
        parts += [repr(self.act)] if self.act is not None else []
        return f"{type(self).__name__}({', '.join(parts)})"


class Conv1D(_Convolution):
    _axes = 1


class Conv2D(_Convolution):
    _axes = 2


class Conv3D(_Convolution):
    _axes = 3


class _Transposed(_Convolution):
    """The gradient of a convolution as a layer: an input element spreads over a window of the output."""

    _operator = "Deconvolution"

    def __init__(
        self,
        channels: int,
        kernel_size: Extents,
        strides: Extents = 1,
        padding: Extents = 0,
        output_padding: Extents = 0,
        *more: Any,
        **options: Any,
    ) -> None:
        super().__init__(channels, kernel_size, strides, padding, *more, **options)
        self._options["adj"] = extents_of(output_padding, self._axes)

    def _weight_shape(self) -> tuple[int, ...]:
        return (self._in_channels, self._channels // self._options["num_group"], *self._options["kernel"])

    def _mapping(self) -> str:
        shape = self.weight.shape
        assert shape is not None
        return f"{shape[1]} -> {shape[0] or None}"


class Conv1DTranspose(_Transposed):
    _axes = 1


class Conv2DTranspose(_Transposed):
    _axes = 2


class Conv3DTranspose(_Transposed):
    _axes = 3
