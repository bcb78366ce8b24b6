"""Warnings about the line that called this package, through however many of its own functions."""

from __future__ import annotations

import os
import pathlib
import sys
import warnings

_PACKAGE = f"{pathlib.Path(__file__).resolve().parent}{os.sep}"


def _is_ours(filename: str) -> bool:
    return filename.startswith(_PACKAGE) or str(pathlib.Path(filename).resolve()).startswith(_PACKAGE)


def warn(text: str, category: type[Warning] = DeprecationWarning) -> None:
    """A warning about the line that called this package."""
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
        level += 1
    warnings.warn(text, category, stacklevel=level)
