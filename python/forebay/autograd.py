"""Recording and differentiation, as MXNet's ``mx.autograd``."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from . import _core
from ._core import is_recording, is_training, set_recording, set_training
from .nd import NDArray

__all__ = [
    "backward",
    "grad",
    "is_recording",
    "is_training",
    "mark_variables",
    "pause",
    "predict_mode",
    "record",
    "set_recording",
    "set_training",
    "train_mode",
]


class _Modes:
    """Sets the modes of the thread for a ``with``; None leaves one as it is."""

    def __init__(self, is_record: bool | None, train_mode: bool | None) -> None:
        self._wanted = (is_record, train_mode)
        self._before: tuple[bool, bool] = (False, False)

    def __enter__(self) -> None:
        self._before = (is_recording(), is_training())
        self._set(self._wanted)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._set(self._before)

    def _set(self, modes: tuple[bool | None, bool | None]) -> None:
        if modes[0] is not None:
            set_recording(modes[0])
        if modes[1] is not None:
            set_training(modes[1])


def record(train_mode: bool = True) -> _Modes:
    """Records what is computed within the ``with``."""
    return _Modes(True, train_mode)


def pause(train_mode: bool = False) -> _Modes:
    """Does not record within the ``with``."""
    return _Modes(False, train_mode)


def train_mode() -> _Modes:
    """Operations behave as in training (dropout drops) within the ``with``."""
    return _Modes(None, True)


def predict_mode() -> _Modes:
    return _Modes(None, False)


def mark_variables(
    variables: NDArray | Sequence[NDArray], gradients: NDArray | Sequence[NDArray], grad_reqs: str | Sequence[str] = "write"
) -> None:
    """Makes arrays variables whose gradients backward() puts into ``gradients``."""
    if isinstance(variables, NDArray):
        variables = [variables]
    if isinstance(gradients, NDArray):
        gradients = [gradients]
    modes = [grad_reqs] * len(variables) if isinstance(grad_reqs, str) else list(grad_reqs)
    for variable, gradient, mode in zip(variables, gradients, modes, strict=True):
        _core.mark_variable(variable, gradient, mode)


def backward(
    heads: NDArray | Sequence[NDArray],
    head_grads: NDArray | Sequence[NDArray | None] | None = None,
    retain_graph: bool = False,
    train_mode: bool = True,
) -> None:
    """Computes the gradients of all variables that the heads depend on."""
    if isinstance(heads, NDArray):
        heads = [heads]
    if isinstance(head_grads, NDArray):
        head_grads = [head_grads]
    _core.backward(heads, head_grads, retain_graph, train_mode)


def grad(
    heads: NDArray | Sequence[NDArray],
    variables: NDArray | Sequence[NDArray],
    head_grads: NDArray | Sequence[NDArray | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> NDArray | list[NDArray]:
    """The gradients with regard to the variables, without touching their ``grad``. ``create_graph`` records them."""
    if isinstance(heads, NDArray):
        heads = [heads]
    if isinstance(head_grads, NDArray):
        head_grads = [head_grads]
    wanted = [variables] if isinstance(variables, NDArray) else list(variables)
    keep = create_graph if retain_graph is None else retain_graph
    found = _core.gradients(heads, wanted, head_grads, keep, create_graph, train_mode)
    return found[0] if isinstance(variables, NDArray) else found
