"""Makers of element-wise functions from the native ones, which take an operation by its name."""

from __future__ import annotations

from collections.abc import Callable

from .creation import into
from .ndarray import NDArray

Operand = NDArray | float


def of_one(native: Callable[[str, NDArray], NDArray]) -> Callable[[str, str], Callable[..., NDArray]]:
    """A maker of functions of one array, called with an operation's name and a docstring."""

    def made(name: str, text: str) -> Callable[..., NDArray]:
        def function(data: NDArray, out: NDArray | None = None) -> NDArray:
            return into(native(name, data), out)

        function.__name__ = name
        function.__doc__ = text
        return function

    return made


def of_two(
    native: Callable[[str, NDArray, NDArray], NDArray], native_with_scalar: Callable[[str, NDArray, float, bool], NDArray]
) -> Callable[[str, str], Callable[..., NDArray]]:
    """A maker of functions of two operands, one of which may be a number."""

    def made(name: str, text: str) -> Callable[..., NDArray]:
        def function(lhs: Operand, rhs: Operand, out: NDArray | None = None) -> NDArray:
            if isinstance(lhs, NDArray):
                if isinstance(rhs, NDArray):
                    return into(native(name, lhs, rhs), out)
                return into(native_with_scalar(name, lhs, float(rhs), False), out)
            if isinstance(rhs, NDArray):
                return into(native_with_scalar(name, rhs, float(lhs), True), out)
            raise TypeError("one of the operands must be an NDArray")

        function.__name__ = name
        function.__doc__ = text
        return function

    return made
