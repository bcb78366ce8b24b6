"""Checkpoints of readers and generators."""

from __future__ import annotations

from .checkpoint_state import Checkpoint
from .eval_context import EvalContext

__all__ = ["Checkpoint", "current"]


def current() -> Checkpoint:
    """The checkpoint of the current evaluation context."""
    return EvalContext.current().checkpoint
