"""What DALI has under this name."""

from . import proxy

__all__ = ["proxy"]
