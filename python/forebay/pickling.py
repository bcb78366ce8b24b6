"""How functions travel to worker processes, under the name of DALI's module."""

from .graph.function_pickling import dumps, loads, pickle_by_value

__all__ = ["dumps", "loads", "pickle_by_value"]
