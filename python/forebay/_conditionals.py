"""What code around a pipeline's definition asks of conditionals, under the name of DALI's module.

A node knows the branches in which it has a value, so there is nothing to register and nothing to split by hand.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from .graph import scope

__all__ = ["apply_conditional_split", "apply_conditional_split_to_args", "conditionals_enabled", "register_data_nodes"]


def conditionals_enabled() -> bool:
    """Whether the definition that runs now was made with enable_conditionals=True."""
    current = scope.current()
    return current is not None and current._has_conditionals


def register_data_nodes(data_node: Any, inputs: Sequence[Any] = (), args: Mapping[str, Any] | None = None) -> None:
    """Does nothing: nodes are known when they are made."""


def apply_conditional_split(input: Any) -> Any:
    """The node itself."""
    return input


def apply_conditional_split_to_args(inputs: Any, kwargs: Any) -> tuple[Any, Any]:
    """Both as they are."""
    return inputs, kwargs
