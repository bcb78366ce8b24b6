"""The first call of a block whose parameters wait for their shapes: each operation tells the shapes of the parameters
that it is given, from its other arguments. The operations stand in for those of `forebay.nd` once; what they give is
the result of the call.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .. import nd
from .parameter import DeferredInitializationError, Parameter, is_known

if TYPE_CHECKING:
    from .hybrid_block import HybridBlock

Arguments = Mapping[str, Any]
Shape = tuple[int, ...]
Shapes = dict[str, Shape]


class Waiting:
    """A parameter whose shape is not known."""

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter

    def resolve(self, shape: Shape) -> nd.NDArray:
        """The array, of that shape."""
        self.parameter.shape = shape
        self.parameter.finish_deferred()
        return self.parameter.data()

    def __getattr__(self, name: str) -> Any:
        raise self._unknown(f"'.{name}'")

    def _unknown(self, use: str) -> DeferredInitializationError:
        return DeferredInitializationError(
            f"Parameter '{self.parameter.name}' has no shape yet, and {use} does not tell it: give its shape in full"
        )

    def _calculate(self, other: object) -> Any:
        raise self._unknown("arithmetic")

    __add__ = __radd__ = __sub__ = __rsub__ = _calculate
    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = _calculate


def _fully_connected(arguments: Arguments) -> Shapes:
    data = arguments["data"].shape
    units = arguments["num_hidden"]
    inputs = math.prod(data[1:]) if arguments.get("flatten", True) else data[-1]
    return {"weight": (units, inputs), "bias": (units,)}


def _convolution(arguments: Arguments) -> Shapes:
    channels = arguments["data"].shape[_channel_axis(arguments)]
    filters = arguments["num_filter"]
    per_group = channels // (arguments.get("num_group") or 1)
    weight = _placed(arguments, filters, per_group)
    return {"weight": weight, "bias": (filters,)}


def _deconvolution(arguments: Arguments) -> Shapes:
    channels = arguments["data"].shape[_channel_axis(arguments)]
    filters = arguments["num_filter"]
    weight = _placed(arguments, channels, filters // (arguments.get("num_group") or 1))
    return {"weight": weight, "bias": (filters,)}


def _channel_axis(arguments: Arguments) -> int:
    return -1 if (arguments.get("layout") or "NC").endswith("C") and len(arguments.get("layout") or "") > 2 else 1


def _placed(arguments: Arguments, outer: int, inner: int) -> Shape:
    kernel = tuple(arguments["kernel"])
    return (outer, *kernel, inner) if _channel_axis(arguments) == -1 else (outer, inner, *kernel)


def _normalized_axis(names: tuple[str, ...], default: int) -> Callable[[Arguments], Shapes]:
    def shapes(arguments: Arguments) -> Shapes:
        extent = arguments["data"].shape[arguments.get("axis", default)]
        return {name: (extent,) for name in names}

    return shapes


RULES: dict[str, Callable[[Arguments], Shapes]] = {
    "FullyConnected": _fully_connected,
    "Convolution": _convolution,
    "Deconvolution": _deconvolution,
    "BatchNorm": _normalized_axis(("gamma", "beta", "moving_mean", "moving_var"), 1),
    "LayerNorm": _normalized_axis(("gamma", "beta"), -1),
    "InstanceNorm": _normalized_axis(("gamma", "beta"), 1),
    "GroupNorm": _normalized_axis(("gamma", "beta"), 1),
    "LeakyReLU": _normalized_axis(("gamma",), 1),
    "Embedding": lambda arguments: {"weight": (arguments["input_dim"], arguments["output_dim"])},
}


class _Operations:
    """The functions of a module; each gives shapes to the waiting parameters among its arguments."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if isinstance(found, ModuleType):
            return _Operations(found)
        return _settling(name, found) if callable(found) else found


def _settling(name: str, operation: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        if not any(isinstance(value, Waiting) for value in (*args, *kwargs.values())):
            return operation(*args, **kwargs)
        rule = RULES.get(name)
        if rule is None:
            waiting = next(value for value in (*args, *kwargs.values()) if isinstance(value, Waiting))
            raise waiting._unknown(name)
        bound = inspect.signature(operation).bind(*args, **kwargs)
        shapes = rule(bound.arguments)
        for argument, value in bound.arguments.items():
            if isinstance(value, Waiting):
                bound.arguments[argument] = value.resolve(shapes[argument])
        return operation(*bound.args, **bound.kwargs)

    return call


def _argument_of(parameter: Parameter) -> nd.NDArray | Waiting:
    """The parameter's array, or a placeholder until its shape is known. RuntimeError for a parameter that is not
    initialized."""
    try:
        return parameter.data()
    except DeferredInitializationError:
        if is_known(parameter.shape):
            parameter.finish_deferred()
            return parameter.data()
        return Waiting(parameter)


def first_forward(block: HybridBlock, x: Any, args: tuple[Any, ...]) -> Any:
    """hybrid_forward, during which parameters get their shapes."""
    parameters = {name: _argument_of(parameter) for name, parameter in block._reg_params.items()}
    return block.hybrid_forward(_Operations(nd), x, *args, **parameters)
