"""Data that comes from Python, as a function and as an object, under the name of DALI's module."""

from .graph.external_source import external_source
from .ops import ExternalSource

__all__ = ["ExternalSource", "external_source"]
