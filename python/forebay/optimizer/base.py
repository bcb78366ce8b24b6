"""`Optimizer`: what all ways to change parameters share, and how they are found by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ..lr_scheduler import LRScheduler
from ..nd import NDArray

if TYPE_CHECKING:
    from ..gluon.parameter import Parameter

State = None | NDArray | tuple[NDArray, ...]


class Optimizer:
    """Derive from it and define `create_state` and `update`.

    The gradient is multiplied by ``rescale_grad`` and cut to ``clip_gradient`` in magnitude; ``wd`` times the weight is
    added. A parameter's ``lr_mult`` and ``wd_mult`` scale learning rate and weight decay.
    """

    def __init__(
        self,
        rescale_grad: float = 1.0,
        param_idx2name: Mapping[int, str] | None = None,
        wd: float = 0.0,
        clip_gradient: float | None = None,
        learning_rate: float | None = None,
        lr_scheduler: LRScheduler | None = None,
        begin_num_update: int = 0,
        multi_precision: bool = False,
        param_dict: Mapping[int, Parameter] | None = None,
    ) -> None:
        if multi_precision:
            raise ValueError(f"{type(self).__name__}: weights are updated in their own type, without multi_precision")
        self.rescale_grad = rescale_grad
        self.wd = wd
        self.clip_gradient = clip_gradient
        self.lr = 0.01 if learning_rate is None else learning_rate
        self.lr_scheduler = lr_scheduler
        if lr_scheduler is not None and learning_rate is not None:
            lr_scheduler.base_lr = learning_rate
        self.begin_num_update = begin_num_update
        self.num_update = begin_num_update
        self.idx2name = dict(param_idx2name or {})
        self.param_dict = dict(param_dict or {})
        self._index_update_count: dict[int, int] = {}
        self._multipliers: dict[str, dict[int | str, float]] = {"lr_mult": {}, "wd_mult": {}}

    # What a derived class defines.

    def create_state(self, index: int, weight: NDArray) -> State:
        """What is kept of a weight from update to update."""
        return None

    def update(self, index: int, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Changes the weight in place."""
        raise NotImplementedError(f"{type(self).__name__} defines no update()")

    def update_multi_precision(self, index: int, weight: NDArray, grad: NDArray, state: Any) -> None:
        self.update(index, weight, grad, state)

    # Rates.

    @property
    def learning_rate(self) -> float:
        """That of the next update, before ``lr_mult``."""
        return self.lr if self.lr_scheduler is None else self.lr_scheduler(self.num_update)

    def set_learning_rate(self, lr: float) -> None:
        """UserWarning where a scheduler sets it."""
        if self.lr_scheduler is not None:
            raise UserWarning("the learning rate is set by the lr_scheduler of the optimizer, so it cannot be set")
        self.lr = lr

    def set_lr_mult(self, args_lr_mult: Mapping[int | str, float]) -> None:
        """Factors by index or name, for weights that are not of a trainer's parameters."""
        self._multipliers["lr_mult"] = dict(args_lr_mult)

    def set_wd_mult(self, args_wd_mult: Mapping[int | str, float]) -> None:
        self._multipliers["wd_mult"] = dict(args_wd_mult)

    def _multiplier(self, kind: str, index: int) -> float:
        if index in self.param_dict:
            return float(getattr(self.param_dict[index], kind))
        given = self._multipliers[kind]
        return given.get(index, given.get(self.idx2name.get(index, ""), 1.0))

    def count_update(self, index: int) -> int:
        """Counts an update of a weight; how many it has had."""
        count = self._index_update_count.get(index, self.begin_num_update) + 1
        self._index_update_count[index] = count
        self.num_update = max(self.num_update, count)
        return count

    def rates(self, index: int) -> dict[str, Any]:
        """Arguments of the update operations: learning rate, decay, scale and clipping of the weight's next update."""
        return {
            "lr": self.learning_rate * self._multiplier("lr_mult", index),
            "wd": self.wd * self._multiplier("wd_mult", index),
            "rescale_grad": self.rescale_grad,
            "clip_gradient": -1.0 if self.clip_gradient is None else self.clip_gradient,
        }

    # Classes by name.

    @staticmethod
    def register(klass: Kind) -> Kind:
        return register(klass)

    @staticmethod
    def create_optimizer(name: str, **arguments: Any) -> Optimizer:
        return create(name, **arguments)


Kind = TypeVar("Kind", bound=type[Optimizer])

_classes: dict[str, type[Optimizer]] = {}


def register(klass: Kind) -> Kind:
    """Makes a class known to `create` by its name in small letters."""
    _classes[klass.__name__.lower()] = klass
    return klass


def create(name: str, **arguments: Any) -> Optimizer:
    """An optimizer by name. ValueError for unknown names."""
    kind = _classes.get(name.lower())
    if kind is None:
        raise ValueError(f"there is no optimizer '{name}'; there are {', '.join(sorted(_classes))}")
    return kind(**arguments)
