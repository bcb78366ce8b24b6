"""`Trainer`: applies an optimizer to parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .. import nd, optimizer as optimizers
from .._core import gradient_is_fresh, set_gradient_fresh
from ..optimizer import Optimizer, Updater
from .parameter import Parameter
from .parameter_dict import ParameterDict, named


def _parameters_of(params: Any) -> list[Parameter]:
    if isinstance(params, (ParameterDict, Mapping)):
        params = [params[name] for name in sorted(params)]
    if not isinstance(params, Iterable):
        raise ValueError(f"a Trainer takes Parameters, a list or dict of them, not {type(params).__name__}")
    found = list(params)
    for parameter in found:
        if not isinstance(parameter, Parameter):
            raise ValueError(f"a Trainer takes Parameters, not {type(parameter).__name__}")
    return found


class Trainer:
    """Changes parameters by their gradients: ``Trainer(net.collect_params(), 'sgd', {'learning_rate': 0.1})``.

    Parameters lie on one device, so ``kvstore``, ``compression_params`` and ``update_on_kvstore``, which tell MXNet how
    devices share gradients, change nothing.
    """

    def __init__(
        self,
        params: Any,
        optimizer: str | Optimizer,
        optimizer_params: Mapping[str, Any] | None = None,
        kvstore: Any = "device",
        compression_params: Mapping[str, Any] | None = None,
        update_on_kvstore: bool | None = None,
    ) -> None:
        self._params = _parameters_of(params)
        for parameter in self._params:
            parameter.list_ctx()  # says so if it is not initialized
        by_index = dict(enumerate(self._params))
        if isinstance(optimizer, Optimizer):
            if optimizer_params:
                raise AssertionError("optimizer_params belong to an optimizer given by name")
            self._optimizer = optimizer
            optimizer.param_dict = by_index
        else:
            self._optimizer = optimizers.create(optimizer, param_dict=by_index, **dict(optimizer_params or {}))
        self._scale = self._optimizer.rescale_grad
        self._updater = Updater(self._optimizer)

    @property
    def optimizer(self) -> Optimizer:
        return self._optimizer

    @property
    def learning_rate(self) -> float:
        return self._optimizer.learning_rate

    def set_learning_rate(self, lr: float) -> None:
        """UserWarning where a scheduler sets it."""
        self._optimizer.set_learning_rate(lr)

    def step(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """One update with the gradients divided by ``batch_size``.

        A gradient that no backward has written since the last update is an error (UserWarning), or with
        ``ignore_stale_grad`` its parameter stays as it is."""
        self.allreduce_grads()
        self.update(batch_size, ignore_stale_grad)

    def allreduce_grads(self) -> None:
        """Sums gradients over devices: there is one."""

    def update(self, batch_size: float, ignore_stale_grad: bool = False) -> None:
        """`step` without `allreduce_grads`."""
        self._optimizer.rescale_grad = self._scale / batch_size
        for index, parameter in enumerate(self._params):
            if parameter.grad_req == "null":
                continue
            weight = parameter.data()
            if gradient_is_fresh(weight):
                self._updater(index, parameter.grad(), weight)
                set_gradient_fresh(weight, False)
            elif not ignore_stale_grad:
                raise UserWarning(
                    f"the gradient of Parameter '{parameter.name}' has not been written by backward() since the last"
                    " step: it was not used in what was differentiated. step(..., ignore_stale_grad=True) leaves such"
                    " parameters as they are"
                )

    def save_states(self, fname: str) -> None:
        """Writes the optimizer's states and counts, for `load_states`."""
        nd.save(fname, self._updater.named_states())

    def load_states(self, fname: str) -> None:
        """Goes on from a file of `save_states`."""
        self._updater.set_named_states(named(nd.load(fname), fname), fname)
