"""Normalisation, dropout, embeddings and masks, with MXNet's names, arguments and defaults."""

from __future__ import annotations

from collections.abc import Sequence

from .._core import ArrayOperations as native
from .creation import into
from .ndarray import DType, NDArray


def BatchNorm(  # noqa: N802
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    moving_mean: NDArray,
    moving_var: NDArray,
    eps: float = 1e-3,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    axis: int = 1,
    cudnn_off: bool = False,
    out: NDArray | None = None,
) -> NDArray | list[NDArray]:
    """Normalises each channel by the batch's mean and variance while training, else by the moving ones.

    These are updated in place when ``backward`` passes.
    """
    results = native.batch_norm(
        data, gamma, beta, moving_mean, moving_var, eps, momentum, fix_gamma, use_global_stats, axis
    )
    return results if output_mean_var else into(results[0], out)


def LayerNorm(  # noqa: N802
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    axis: int = -1,
    eps: float = 1e-5,
    output_mean_var: bool = False,
    out: NDArray | None = None,
) -> NDArray | list[NDArray]:
    """Normalises along the axis. ``output_mean_var`` gives the mean and the standard deviation too."""
    results = native.layer_norm(data, gamma, beta, axis, eps)
    return results if output_mean_var else into(results[0], out)


def GroupNorm(  # noqa: N802
    data: NDArray,
    gamma: NDArray,
    beta: NDArray,
    num_groups: int = 1,
    eps: float = 1e-5,
    output_mean_var: bool = False,
    out: NDArray | None = None,
) -> NDArray | list[NDArray]:
    """Normalises groups of channels of each sample; gamma and beta are of groups."""
    results = native.group_norm(data, gamma, beta, num_groups, eps)
    return results if output_mean_var else into(results[0], out)


def InstanceNorm(  # noqa: N802
    data: NDArray, gamma: NDArray, beta: NDArray, eps: float = 1e-3, out: NDArray | None = None
) -> NDArray:
    """Normalises each channel of each sample."""
    return into(native.group_norm(data, gamma, beta, data.shape[1], eps)[0], out)


def L2Normalization(  # noqa: N802
    data: NDArray, eps: float = 1e-10, mode: str = "instance", out: NDArray | None = None
) -> NDArray:
    """Divides by the norm of each sample ('instance'), of each place's channels ('channel') or of each channel of
    a sample ('spatial')."""
    axes = {"instance": range(1, data.ndim), "channel": range(1, 2), "spatial": range(2, data.ndim)}
    if mode not in axes:
        raise ValueError(f"L2Normalization: mode is 'instance', 'channel' or 'spatial', not '{mode}'")
    return into(native.l2_normalized(data, list(axes[mode]), eps), out)


def LRN(  # noqa: N802
    data: NDArray,
    alpha: float = 1e-4,
    beta: float = 0.75,
    knorm: float = 2.0,
    nsize: int = 5,
    out: NDArray | None = None,
) -> NDArray:
    """Divides by a power of the squares of ``nsize`` neighbouring channels."""
    return into(native.local_response_norm(data, alpha, beta, knorm, nsize), out)


def Dropout(  # noqa: N802
    data: NDArray,
    p: float = 0.5,
    mode: str = "training",
    axes: Sequence[int] = (),
    cudnn_off: bool = False,
    out: NDArray | None = None,
) -> NDArray:
    """Zeroes elements with probability ``p`` and scales the others by 1 / (1 - p), while training or with mode
    'always'. Along ``axes`` all elements are kept or dropped together."""
    if mode not in ("training", "always"):
        raise ValueError(f"Dropout: mode is 'training' or 'always', not '{mode}'")
    return into(native.dropout(data, p, mode == "always", list(axes)), out)


def Embedding(  # noqa: N802
    data: NDArray,
    weight: NDArray,
    input_dim: int | None = None,
    output_dim: int | None = None,
    dtype: DType = "float32",
    sparse_grad: bool = False,
    out: NDArray | None = None,
) -> NDArray:
    """The rows of weight that data names."""
    wanted = (weight.shape[0] if input_dim is None else input_dim, weight.shape[1] if output_dim is None else output_dim)
    if wanted != weight.shape:
        raise ValueError(f"Embedding: input_dim and output_dim are {wanted}, the weight is {weight.shape}")
    return into(native.embedding(data, weight), out)


def SequenceMask(  # noqa: N802
    data: NDArray,
    sequence_length: NDArray | None = None,
    use_sequence_length: bool = False,
    value: float = 0.0,
    axis: int = 0,
    out: NDArray | None = None,
) -> NDArray:
    """``value`` for what lies beyond the lengths of the sequences, which lie along ``axis``."""
    if not use_sequence_length:
        return into(data.copy(), out)
    if sequence_length is None:
        raise ValueError("SequenceMask: use_sequence_length takes a sequence_length")
    return into(native.sequence_mask(data, sequence_length, value, axis), out)


def UpSampling(  # noqa: N802
    *data: NDArray, scale: int, sample_type: str = "nearest", num_args: int = 1, out: NDArray | None = None
) -> NDArray:
    """Repeats each pixel of (batch, channels, height, width) ``scale`` times both ways."""
    if sample_type != "nearest" or len(data) != 1:
        raise ValueError("UpSampling: one array, by 'nearest'")
    batch, channels, height, width = data[0].shape
    apart = native.reshape(data[0], [batch, channels, height, 1, width, 1])
    spread = native.broadcast_to(apart, (batch, channels, height, scale, width, scale))
    return into(native.reshape(spread, [batch, channels, height * scale, width * scale]), out)
