"""What networks are made of, with MXNet's names, arguments and defaults. Of float32 and float64."""

from __future__ import annotations

from collections.abc import Sequence

from .._core import ArrayOperations as native
from .creation import into
from .ndarray import DType, NDArray

Extents = int | Sequence[int]


def _numbers(extents: Extents | None, rank: int | None = None) -> list[int]:
    """One number a dimension; a single one stands for all."""
    if extents is None:
        return []
    if isinstance(extents, int):
        return [extents] * (1 if rank is None else rank)
    return [int(extent) for extent in extents]


def _check_layout(name: str, layout: str | None) -> None:
    if layout not in (None, "None", "NCW", "NCHW", "NCDHW"):
        raise ValueError(f"{name}: channels come second (NCW, NCHW, NCDHW), not {layout}")


def _given(name: str, bias: NDArray | None, no_bias: bool) -> NDArray | None:
    if bias is None and not no_bias:
        raise ValueError(f"{name}: takes a bias, or no_bias=True")
    return None if no_bias else bias


def FullyConnected(  # noqa: N802
    data: NDArray,
    weight: NDArray,
    bias: NDArray | None = None,
    num_hidden: int | None = None,
    no_bias: bool = False,
    flatten: bool = True,
    out: NDArray | None = None,
) -> NDArray:
    """``data @ weight.T + bias``; all axes but the first are inputs, or with ``flatten=False`` the last."""
    if num_hidden is not None and num_hidden != weight.shape[0]:
        raise ValueError(f"FullyConnected: num_hidden is {num_hidden}, the weight has {weight.shape[0]} rows")
    return into(native.fully_connected(data, weight, _given("FullyConnected", bias, no_bias), flatten), out)


def Convolution(  # noqa: N802
    data: NDArray,
    weight: NDArray,
    bias: NDArray | None = None,
    kernel: Extents = (),
    stride: Extents = (),
    dilate: Extents = (),
    pad: Extents = (),
    num_filter: int | None = None,
    num_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    cudnn_tune: str | None = None,
    cudnn_off: bool = False,
    layout: str | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """The convolution (as networks call the correlation) of one to three dimensions. The weight is
    (num_filter, channels / num_group, ...kernel)."""
    _check_layout("Convolution", layout)
    rank = data.ndim - 2
    result = native.convolution(
        data,
        weight,
        _given("Convolution", bias, no_bias),
        _numbers(kernel, rank) or list(weight.shape[2:]),
        _numbers(stride, rank),
        _numbers(dilate, rank),
        _numbers(pad, rank),
        weight.shape[0] if num_filter is None else num_filter,
        num_group,
    )
    return into(result, out)


def Deconvolution(  # noqa: N802
    data: NDArray,
    weight: NDArray,
    bias: NDArray | None = None,
    kernel: Extents = (),
    stride: Extents = (),
    dilate: Extents = (),
    pad: Extents = (),
    adj: Extents = (),
    target_shape: Extents = (),
    num_filter: int | None = None,
    num_group: int = 1,
    workspace: int = 512,
    no_bias: bool = True,
    cudnn_tune: str | None = None,
    cudnn_off: bool = False,
    layout: str | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """The transpose of the convolution. The weight is (channels, num_filter / num_group, ...kernel)."""
    _check_layout("Deconvolution", layout)
    if _numbers(target_shape):
        raise ValueError("Deconvolution: give pad and adj, not target_shape")
    rank = data.ndim - 2
    result = native.deconvolution(
        data,
        weight,
        _given("Deconvolution", bias, no_bias),
        _numbers(kernel, rank) or list(weight.shape[2:]),
        _numbers(stride, rank),
        _numbers(dilate, rank),
        _numbers(pad, rank),
        _numbers(adj, rank),
        weight.shape[1] * num_group if num_filter is None else num_filter,
        num_group,
    )
    return into(result, out)


def Pooling(  # noqa: N802
    data: NDArray,
    kernel: Extents = (),
    pool_type: str = "max",
    global_pool: bool = False,
    cudnn_off: bool = False,
    pooling_convention: str = "valid",
    stride: Extents = (),
    pad: Extents = (),
    p_value: int | None = None,
    count_include_pad: bool | None = None,
    layout: str | None = None,
    out: NDArray | None = None,
) -> NDArray:
    """Pools windows: 'max', 'avg', 'sum' or 'lp'. ``pooling_convention='full'`` has windows that lie partly outside."""
    _check_layout("Pooling", layout)
    if pooling_convention not in ("valid", "full"):
        raise ValueError(f"Pooling: pooling_convention is 'valid' or 'full', not '{pooling_convention}'")
    if pool_type == "lp" and p_value is None:
        raise ValueError("Pooling: pool_type 'lp' takes a p_value")
    rank = data.ndim - 2
    result = native.pooling(
        data,
        pool_type,
        global_pool,
        _numbers(kernel, rank),
        _numbers(stride, rank),
        _numbers(pad, rank),
        pooling_convention == "full",
        count_include_pad is not False,
        2.0 if p_value is None else float(p_value),
    )
    return into(result, out)


def Activation(data: NDArray, act_type: str, out: NDArray | None = None) -> NDArray:  # noqa: N802
    """'relu', 'sigmoid', 'tanh', 'softrelu' (log(1 + e^x)) or 'softsign' (x / (1 + |x|))."""
    return into(native.activation(data, act_type), out)


def LeakyReLU(  # noqa: N802
    data: NDArray,
    gamma: NDArray | None = None,
    act_type: str = "leaky",
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.334,
    out: NDArray | None = None,
) -> NDArray:
    """'leaky', 'elu', 'selu', 'gelu', or 'prelu', whose slope ``gamma`` is learned."""
    if act_type == "prelu":
        if gamma is None:
            raise ValueError("LeakyReLU: prelu takes gamma")
        return into(native.parametric_rectified(data, gamma), out)
    return into(native.rectified(data, act_type, slope), out)


def _softmax(
    data: NDArray,
    axis: int,
    temperature: float | None,
    dtype: DType | None,
    logarithm: bool,
    negative: bool,
    length: NDArray | None,
) -> NDArray:
    values = data if dtype is None else data.astype(dtype, copy=False)
    return native.softmax(values, axis, 1.0 if temperature is None else temperature, logarithm, negative, length)


def softmax(
    data: NDArray,
    length: NDArray | None = None,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DType | None = None,
    use_length: bool = False,
    out: NDArray | None = None,
) -> NDArray:
    """Exponentials that sum to 1 along the axis; with ``use_length`` only of the first ``length`` elements."""
    if use_length and length is None:
        raise ValueError("softmax: use_length takes a length")
    return into(_softmax(data, axis, temperature, dtype, False, False, length if use_length else None), out)


def log_softmax(
    data: NDArray,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DType | None = None,
    use_length: bool = False,
    out: NDArray | None = None,
) -> NDArray:
    """The logarithm of softmax()."""
    return into(_softmax(data, axis, temperature, dtype, True, False, None), out)


def softmin(
    data: NDArray,
    axis: int = -1,
    temperature: float | None = None,
    dtype: DType | None = None,
    use_length: bool = False,
    out: NDArray | None = None,
) -> NDArray:
    """softmax() of the negative."""
    return into(_softmax(data, axis, temperature, dtype, False, True, None), out)


def SoftmaxActivation(data: NDArray, mode: str = "instance", out: NDArray | None = None) -> NDArray:  # noqa: N802
    """softmax() over all axes but the first, or with mode 'channel' over the second."""
    if mode == "channel":
        return softmax(data, axis=1, out=out)
    return into(softmax(data.reshape((data.shape[0], -1))).reshape(data.shape), out)


def SoftmaxOutput(  # noqa: N802
    data: NDArray,
    label: NDArray,
    grad_scale: float = 1.0,
    ignore_label: float = -1.0,
    multi_output: bool = False,
    use_ignore: bool = False,
    preserve_shape: bool = False,
    normalization: str = "null",
    out_grad: bool = False,
    smooth_alpha: float = 0.0,
    out: NDArray | None = None,
) -> NDArray:
    """softmax() whose gradient is that of the cross entropy with the labels."""
    if out_grad:
        raise ValueError("SoftmaxOutput: the gradient does not depend on that of the output (out_grad)")
    result = native.softmax_output(
        data, label, grad_scale, multi_output, preserve_shape, use_ignore, ignore_label, smooth_alpha, normalization
    )
    return into(result, out)


def softmax_cross_entropy(data: NDArray, label: NDArray, out: NDArray | None = None) -> NDArray:
    """The sum of the cross entropies of the rows with their classes."""
    return into(native.softmax_cross_entropy(data, label, -1).sum(), out)
