"""Steps of optimizers with MXNet's names, arguments and defaults: each one task and one pass, states in place."""

from __future__ import annotations

from collections.abc import Sequence

from .._core import ArrayOperations as native
from .ndarray import NDArray


def _update(
    rule: str, weight: NDArray, grad: NDArray, states: Sequence[NDArray], out: NDArray | None, options: dict[str, float]
) -> NDArray:
    target = native.empty(weight.shape, weight.dtype_name) if out is None else out
    native.update(rule, weight, grad, states, target, options)
    return target


def sgd_update(
    weight: NDArray,
    grad: NDArray,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    out: NDArray | None = None,
) -> NDArray:
    """weight - lr * g, where g = clip(rescale_grad * grad) + wd * weight."""
    options = {"lr": lr, "wd": wd, "rescale_grad": rescale_grad, "clip_gradient": clip_gradient}
    return _update("sgd", weight, grad, (), out, options)


def sgd_mom_update(
    weight: NDArray,
    grad: NDArray,
    mom: NDArray,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    out: NDArray | None = None,
) -> NDArray:
    """mom = momentum * mom - lr * g; weight + mom."""
    options = {"lr": lr, "momentum": momentum, "wd": wd, "rescale_grad": rescale_grad, "clip_gradient": clip_gradient}
    return _update("sgd_mom", weight, grad, (mom,), out, options)


def nag_mom_update(
    weight: NDArray,
    grad: NDArray,
    mom: NDArray,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: NDArray | None = None,
) -> NDArray:
    """Nesterov's: mom = momentum * mom - lr * g; weight + momentum * mom - lr * g."""
    options = {"lr": lr, "momentum": momentum, "wd": wd, "rescale_grad": rescale_grad, "clip_gradient": clip_gradient}
    return _update("nag_mom", weight, grad, (mom,), out, options)


def signsgd_update(
    weight: NDArray,
    grad: NDArray,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: NDArray | None = None,
) -> NDArray:
    """(1 - lr * wd) * weight - lr * sign(grad)."""
    options = {"lr": lr, "wd": wd, "rescale_grad": rescale_grad, "clip_gradient": clip_gradient}
    return _update("signsgd", weight, grad, (), out, options)


def adam_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
    out: NDArray | None = None,
) -> NDArray:
    """Adam without correction of the bias (which Trainer puts into lr); g = clip(rescale_grad * grad + wd * weight)."""
    options = {"lr": lr, "beta1": beta1, "beta2": beta2, "epsilon": epsilon, "wd": wd, "rescale_grad": rescale_grad}
    return _update("adam", weight, grad, (mean, var), out, {**options, "clip_gradient": clip_gradient})


def rmsprop_update(
    weight: NDArray,
    grad: NDArray,
    n: NDArray,
    lr: float,
    gamma1: float = 0.95,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
    out: NDArray | None = None,
) -> NDArray:
    """n = gamma1 * n + (1 - gamma1) * g^2; weight - lr * g / sqrt(n + epsilon)."""
    options = {"lr": lr, "gamma1": gamma1, "epsilon": epsilon, "wd": wd, "rescale_grad": rescale_grad}
    clips = {"clip_gradient": clip_gradient, "clip_weights": clip_weights}
    return _update("rmsprop", weight, grad, (n,), out, {**options, **clips})


def rmspropalex_update(
    weight: NDArray,
    grad: NDArray,
    n: NDArray,
    g: NDArray,
    delta: NDArray,
    lr: float,
    gamma1: float = 0.95,
    gamma2: float = 0.9,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
    out: NDArray | None = None,
) -> NDArray:
    """RMSProp by Graves: centred on the mean of the gradient, with momentum gamma2."""
    options = {"lr": lr, "gamma1": gamma1, "gamma2": gamma2, "epsilon": epsilon, "wd": wd, "rescale_grad": rescale_grad}
    clips = {"clip_gradient": clip_gradient, "clip_weights": clip_weights}
    return _update("rmspropalex", weight, grad, (n, g, delta), out, {**options, **clips})


def adagrad_update(
    weight: NDArray,
    grad: NDArray,
    history: NDArray,
    lr: float,
    epsilon: float = 1e-7,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    out: NDArray | None = None,
) -> NDArray:
    """history += g^2; weight - lr * (g / sqrt(history + epsilon) + wd * weight), where g is without wd."""
    options = {"lr": lr, "epsilon": epsilon, "wd": wd, "rescale_grad": rescale_grad, "clip_gradient": clip_gradient}
    return _update("adagrad", weight, grad, (history,), out, options)
