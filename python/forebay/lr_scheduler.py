"""Learning rates that depend on the number of updates made so far, as MXNet's ``mx.lr_scheduler``.

Each may begin with ``warmup_steps`` updates during which the rate grows from ``warmup_begin_lr`` ("linear") or stays
there ("constant"). Cosine: Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", 2017.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["CosineScheduler", "FactorScheduler", "LRScheduler", "MultiFactorScheduler", "PolyScheduler"]


class LRScheduler:
    """Derive from it and define ``__call__(num_update)``. An optimizer sets ``base_lr`` to its learning rate."""

    def __init__(
        self,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        if warmup_begin_lr > base_lr:
            raise ValueError(f"the warm-up begins with {warmup_begin_lr}, more than the learning rate {base_lr}")
        if warmup_steps < 0 or not isinstance(warmup_steps, int):
            raise ValueError(f"warmup_steps is a count, not {warmup_steps}")
        if warmup_mode not in ("linear", "constant"):
            raise ValueError(f"warmup_mode is 'linear' or 'constant', not '{warmup_mode}'")
        self.base_lr = base_lr
        self.warmup_steps = warmup_steps
        self.warmup_begin_lr = warmup_begin_lr
        self.warmup_final_lr = base_lr
        self.warmup_mode = warmup_mode

    def get_warmup_lr(self, num_update: int) -> float:
        """The rate of an update of the warm-up."""
        if self.warmup_mode == "constant":
            return self.warmup_begin_lr
        grown = (self.warmup_final_lr - self.warmup_begin_lr) * num_update / self.warmup_steps
        return self.warmup_begin_lr + grown

    def __call__(self, num_update: int) -> float:
        raise NotImplementedError(f"{type(self).__name__} defines no __call__(num_update)")


class FactorScheduler(LRScheduler):
    """Multiplied by ``factor`` after each ``step`` updates, but never below ``stop_factor_lr``."""

    def __init__(
        self,
        step: int,
        factor: float = 1,
        stop_factor_lr: float = 1e-8,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if step < 1:
            raise ValueError(f"step is 1 or more, not {step}")
        _check_factor(factor)
        self.step = step
        self.factor = factor
        self.stop_factor_lr = stop_factor_lr
        self.count = 0

    def __call__(self, num_update: int) -> float:
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        while num_update > self.count + self.step:
            self.count += self.step
            self.base_lr = max(self.base_lr * self.factor, self.stop_factor_lr)
        return self.base_lr


class MultiFactorScheduler(LRScheduler):
    """Multiplied by ``factor`` after each of the numbers of updates in ``step``."""

    def __init__(
        self,
        step: Sequence[int],
        factor: float = 1,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if not step or list(step) != sorted(set(step)) or step[0] < 1:
            raise ValueError(f"steps grow from 1 or more, unlike {list(step)}")
        _check_factor(factor)
        self.step = list(step)
        self.factor = factor
        self.cur_step_ind = 0
        self.count = 0

    def __call__(self, num_update: int) -> float:
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        while self.cur_step_ind < len(self.step) and num_update > self.step[self.cur_step_ind]:
            self.count = self.step[self.cur_step_ind]
            self.cur_step_ind += 1
            self.base_lr *= self.factor
        return self.base_lr


class _Descent(LRScheduler):
    """From the learning rate to ``final_lr`` at ``max_update``, and that from there on."""

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if max_update < 1:
            raise ValueError(f"max_update is 1 or more, not {max_update}")
        self.base_lr_orig = base_lr
        self.max_update = max_update
        self.final_lr = final_lr
        self.max_steps = max_update - warmup_steps

    def _left(self, progress: float) -> float:
        """How much of the descent is left after a share of it, both between 0 and 1."""
        raise NotImplementedError

    def __call__(self, num_update: int) -> float:
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        if num_update <= self.max_update:
            left = self._left((num_update - self.warmup_steps) / self.max_steps)
            self.base_lr = self.final_lr + (self.base_lr_orig - self.final_lr) * left
        return self.base_lr


class PolyScheduler(_Descent):
    """By the power ``pwr`` of what is left."""

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        pwr: float = 2,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(max_update, base_lr, final_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        self.power = pwr

    def _left(self, progress: float) -> float:
        return float((1 - progress) ** self.power)


class CosineScheduler(_Descent):
    """Along half a wave of the cosine."""

    def _left(self, progress: float) -> float:
        return (1 + math.cos(math.pi * progress)) / 2


def _check_factor(factor: float) -> None:
    if factor > 1:
        raise ValueError(f"factor is at most 1, so that the learning rate falls, not {factor}")
