"""Functions of ``forebay.nd`` as methods of arrays: ``x.relu()`` is ``nd.relu(x)``."""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .. import _core

if TYPE_CHECKING:
    from .ndarray import NDArray

Result = TypeVar("Result")


class Method(Generic[Result]):
    """The function of this name, with the array as its first argument."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, array: Any, owner: type | None = None) -> Callable[..., Result]:
        function: Callable[..., Result] = getattr(importlib.import_module("forebay.nd"), self._name)
        return function if array is None else types.MethodType(function, array)


def method() -> Method[NDArray]:
    return Method()


class FluentMethods(_core.NDArrayBase):
    """The methods of NDArray that are functions by another way to write them."""

    __slots__ = ()

    abs = method()
    arccos = method()
    arccosh = method()
    arcsin = method()
    arcsinh = method()
    arctan = method()
    arctanh = method()
    argmax_channel = method()
    argsort = method()
    broadcast_axes = method()
    broadcast_like = method()
    broadcast_to = method()
    cbrt = method()
    ceil = method()
    clip = method()
    cos = method()
    cosh = method()
    cumsum = method()
    degrees = method()
    depth_to_space = method()
    diag = method()
    erf = method()
    erfinv = method()
    exp = method()
    expand_dims = method()
    expm1 = method()
    fix = method()
    flatten = method()
    flip = method()
    floor = method()
    gamma = method()
    gammaln = method()
    log = method()
    log10 = method()
    log1p = method()
    log2 = method()
    log_softmax = method()
    nanprod = method()
    nansum = method()
    one_hot = method()
    ones_like = method()
    pad = method()
    pick = method()
    radians = method()
    rcbrt = method()
    reciprocal = method()
    relu = method()
    repeat = method()
    reshape_like = method()
    rint = method()
    round = method()
    rsqrt = method()
    shape_array = method()
    sigmoid = method()
    sign = method()
    sin = method()
    sinh = method()
    size_array = method()
    slice = method()
    slice_axis = method()
    slice_like = method()
    softmax = method()
    softmin = method()
    sort = method()
    space_to_depth = method()
    sqrt = method()
    square = method()
    squeeze = method()
    swapaxes = method()
    take = method()
    tan = method()
    tanh = method()
    tile = method()
    transpose = method()
    trunc = method()
    zeros_like = method()
    split: Method[NDArray | list[NDArray]] = Method()
    split_v2: Method[NDArray | list[NDArray]] = Method()
    topk: Method[NDArray | list[NDArray]] = Method()
