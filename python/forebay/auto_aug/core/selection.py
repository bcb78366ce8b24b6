"""Splits a batch among augmentations."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from ...graph import branches


def select(ops: Sequence[Callable[..., Any]], selected_op_idx: Any, *op_args: Any, **op_kwargs: Any) -> Any:
    """Applies ``ops[selected_op_idx](*op_args, **op_kwargs)``, where the index may differ from sample to sample. Each
    operation runs only for the samples that chose it.

    :param ops: functions that give results of the same kind.
    :param selected_op_idx: a DataNode, or a plain index.
    """
    if not ops:
        raise ValueError("select() needs at least one operation to choose from")

    def choose(first: int, end: int) -> Any:
        if end - first == 1:
            return ops[first](*op_args, **op_kwargs)
        middle = (first + end) // 2
        return branches.choose(
            selected_op_idx < middle, lambda: choose(first, middle), lambda: choose(middle, end)
        )

    return choose(0, len(ops))
