"""Arguments of transforms, checked when they are made."""

from __future__ import annotations

import numbers
from typing import Any, Sequence

__all__ = ["fill_values", "height_width", "number_range", "probability", "sides"]


def height_width(name: str, size: Any) -> tuple[int, int]:
    """(height, width) of an integer, or a sequence of one or two."""
    parts = [size] if isinstance(size, numbers.Integral) else list(size) if isinstance(size, Sequence) else []
    if len(parts) not in (1, 2) or not all(isinstance(part, numbers.Integral) and int(part) > 0 for part in parts):
        raise ValueError(f"{name}={size!r} must be a positive integer, or height and width")
    return int(parts[0]), int(parts[-1])


def sides(padding: Any) -> tuple[int, int, int, int]:
    """(left, top, right, bottom) of an integer, or a sequence of one, two (left and right, top and bottom) or four."""
    parts = [padding] if isinstance(padding, numbers.Integral) else list(padding)
    if len(parts) not in (1, 2, 4) or not all(isinstance(part, numbers.Integral) for part in parts):
        raise ValueError(f"padding={padding!r} must be an integer, or a sequence of 1, 2 or 4 of them")
    left, top = parts[0], parts[min(1, len(parts) - 1)]
    right, bottom = (parts[2], parts[3]) if len(parts) == 4 else (left, top)
    return int(left), int(top), int(right), int(bottom)


def probability(p: float) -> float:
    if not isinstance(p, numbers.Real) or not 0 <= p <= 1:
        raise ValueError(f"p={p!r} must be a probability, 0 to 1")
    return float(p)


def number_range(name: str, value: Any, *, least: float | None = None, symmetric: bool = False) -> tuple[float, float]:
    """Two numbers, low and high. One number is that and itself; with `symmetric` its negative and it."""
    if isinstance(value, numbers.Real):
        if symmetric and value < 0:
            raise ValueError(f"{name}={value!r} must not be negative; or give low and high")
        low, high = (-float(value), float(value)) if symmetric else (float(value), float(value))
    elif isinstance(value, Sequence) and len(value) == 2 and all(isinstance(part, numbers.Real) for part in value):
        low, high = float(value[0]), float(value[1])
    else:
        raise ValueError(f"{name}={value!r} must be a number, or two: low and high")
    if low > high or (least is not None and low < least):
        raise ValueError(f"{name}={value!r} must be low and high" + ("" if least is None else f", {least} or more"))
    return low, high


def fill_values(fill: Any) -> list[float]:
    """One value, or one for each channel; None is 0."""
    if fill is None:
        return [0.0]
    parts = [fill] if isinstance(fill, numbers.Real) else fill
    if not isinstance(parts, Sequence) or not parts or not all(isinstance(part, numbers.Real) for part in parts):
        raise ValueError(f"fill={fill!r} must be a number, or one for each channel")
    return [float(part) for part in parts]
