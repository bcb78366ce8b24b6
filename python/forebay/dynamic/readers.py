"""Readers: a class for each reader of the operator table, which are put here from it."""

from __future__ import annotations

from .reader import Reader as Reader, ReaderState as ReaderState

__all__ = ["Reader", "ReaderState"]
