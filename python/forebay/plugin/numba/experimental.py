"""An older name."""

from .function import NumbaFunction

__all__ = ["NumbaFunction"]
