"""Pooling layers: windows of one, two or three axes after batch and channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..hybrid_block import HybridBlock

__all__ = [
    f"{reach}{kind}Pool{axes}D" for reach in ("", "Global") for kind in ("Avg", "Max") for axes in (1, 2, 3)
]

Extents = int | Sequence[int]


def extents_of(value: Extents, axes: int) -> tuple[int, ...]:
    """One extent per axis."""
    extents = (value,) * axes if isinstance(value, int) else tuple(value)
    if len(extents) != axes:
        raise ValueError(f"{extents} are not the extents of {axes} axes")
    return extents


def check_layout(layout: str, known: str) -> None:
    if layout != known:
        raise ValueError(f"the layout is '{known}', not '{layout}'")


class _Pooling(HybridBlock):
    def __init__(
        self,
        pool_size: tuple[int, ...],
        strides: Extents | None,
        padding: Extents,
        layout: str,
        options: dict[str, Any],
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        axes = len(pool_size)
        check_layout(layout, "NC" + "DHW"[3 - axes :])
        self._layout = layout
        self._options: dict[str, Any] = {
            "kernel": pool_size,
            "stride": pool_size if strides is None else extents_of(strides, axes),
            "pad": extents_of(padding, axes),
            **options,
        }

    def _alias(self) -> str:
        return "pool"

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return F.Pooling(x, **self._options)

    def __repr__(self) -> str:
        o = self._options
        is_global = o.get("global_pool", False)
        is_full = o["pooling_convention"] == "full"
        return (
            f"{type(self).__name__}(size={o['kernel']}, stride={o['stride']}, padding={o['pad']}, ceil_mode={is_full},"
            f" global_pool={is_global}, pool_type={o['pool_type']}, layout={self._layout})"
        )


def _convention(ceil_mode: bool) -> str:
    return "full" if ceil_mode else "valid"


class _MaxPool(_Pooling):
    """The greatest value of each window."""

    _axes = 0
    _layouts = ""

    def __init__(
        self,
        pool_size: Extents = 2,
        strides: Extents | None = None,
        padding: Extents = 0,
        *,
        layout: str | None = None,
        ceil_mode: bool = False,
        **kwargs: Any,
    ) -> None:
        options = {"pool_type": "max", "pooling_convention": _convention(ceil_mode)}
        super().__init__(
            extents_of(pool_size, self._axes), strides, padding, layout or self._layouts, options, **kwargs
        )


class MaxPool1D(_MaxPool):
    _axes = 1
    _layouts = "NCW"


class MaxPool2D(_MaxPool):
    _axes = 2
    _layouts = "NCHW"


class MaxPool3D(_MaxPool):
    _axes = 3
    _layouts = "NCDHW"


class _AvgPool(_Pooling):
    """The mean of each window; ``count_include_pad`` counts the padding's zeros."""

    _axes = 0
    _layouts = ""

    def __init__(
        self,
        pool_size: Extents = 2,
        strides: Extents | None = None,
        padding: Extents = 0,
        *,
        layout: str | None = None,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        **kwargs: Any,
    ) -> None:
        options = {
            "pool_type": "avg",
            "pooling_convention": _convention(ceil_mode),
            "count_include_pad": count_include_pad,
        }
        super().__init__(
            extents_of(pool_size, self._axes), strides, padding, layout or self._layouts, options, **kwargs
        )


class AvgPool1D(_AvgPool):
    _axes = 1
    _layouts = "NCW"


class AvgPool2D(_AvgPool):
    _axes = 2
    _layouts = "NCHW"


class AvgPool3D(_AvgPool):
    _axes = 3
    _layouts = "NCDHW"


class _GlobalPool(_Pooling):
    _axes = 0
    _layouts = ""
    _kind = ""

    def __init__(self, layout: str | None = None, **kwargs: Any) -> None:
        options = {"pool_type": self._kind, "pooling_convention": "full", "global_pool": True}
        super().__init__((1,) * self._axes, None, 0, layout or self._layouts, options, **kwargs)


class _GlobalMaxPool(_GlobalPool):
    """The greatest value of each channel."""

    _kind = "max"


class _GlobalAvgPool(_GlobalPool):
    """The mean of each channel."""

    _kind = "avg"


class GlobalMaxPool1D(_GlobalMaxPool):
    _axes = 1
    _layouts = "NCW"


class GlobalMaxPool2D(_GlobalMaxPool):
    _axes = 2
    _layouts = "NCHW"


class GlobalMaxPool3D(_GlobalMaxPool):
    _axes = 3
    _layouts = "NCDHW"


class GlobalAvgPool1D(_GlobalAvgPool):
    _axes = 1
    _layouts = "NCW"


class GlobalAvgPool2D(_GlobalAvgPool):
    _axes = 2
    _layouts = "NCHW"


class GlobalAvgPool3D(_GlobalAvgPool):
    _axes = 3
    _layouts = "NCDHW"
