"""`@augmentation`: turns a function of samples and a parameter into one of samples and a magnitude bin."""

from __future__ import annotations

import inspect
import warnings
from typing import Any, Callable, Sequence, overload

import numpy as np

from ... import types
from ...graph.expressions import is_node
from .arguments import MissingArgException, missing, positional_count, taken
from .magnitudes import SignedMagnitudeBin, is_bin, signed_bin, with_both_signs

__all__ = ["Augmentation", "augmentation"]

_UNCHANGED: Any = inspect.Parameter.empty


def _holds_nodes(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(_holds_nodes(item) for item in value)
    return is_node(value)


class Augmentation:
    """An operation with a range of magnitudes. Made by :func:`augmentation`."""

    def __init__(
        self,
        op: Callable[..., Any],
        mag_range: tuple[float, float] | np.ndarray | None = None,
        randomly_negate: bool | None = None,
        mag_to_param: Callable[[Any], Any] | None = None,
        param_device: str | None = None,
        name: str | None = None,
    ) -> None:
        self._settings: dict[str, Any] = {
            "mag_range": mag_range,
            "mag_to_param": mag_to_param,
            "randomly_negate": randomly_negate,
            "param_device": param_device,
            "name": name,
        }
        self.op = op
        count = positional_count(op)
        if count < 2:
            raise TypeError(
                f"an augmentation takes at least two arguments by position, the samples and the parameter; {op} takes "
                f"{count}"
            )

    def __repr__(self) -> str:
        settings = [f"{key}={value!r}" for key, value in self._settings.items() if value is not None]
        return f"Augmentation({', '.join([repr(self.op), *settings])})"

    @property
    def mag_range(self) -> Any:
        return self._settings["mag_range"]

    @property
    def mag_to_param(self) -> Callable[[Any], Any]:
        function: Callable[[Any], Any] = self._settings["mag_to_param"] or np.array
        return function

    @property
    def randomly_negate(self) -> bool:
        return bool(self._settings["randomly_negate"])

    @property
    def param_device(self) -> str:
        return str(self._settings["param_device"] or "cpu")

    @property
    def name(self) -> str:
        return str(self._settings["name"] or self.op.__name__)

    def augmentation(
        self,
        mag_range: Any = _UNCHANGED,
        randomly_negate: Any = _UNCHANGED,
        mag_to_param: Any = _UNCHANGED,
        param_device: Any = _UNCHANGED,
        name: Any = _UNCHANGED,
        augmentation_cls: type[Augmentation] | None = None,
    ) -> Augmentation:
        """The same operation with other settings; what is not given stays as it is."""
        given = {
            "mag_range": mag_range,
            "randomly_negate": randomly_negate,
            "mag_to_param": mag_to_param,
            "param_device": param_device,
            "name": name,
        }
        changes = {key: value for key, value in given.items() if value is not _UNCHANGED}
        return (augmentation_cls or type(self))(self.op, **{**self._settings, **changes})

    def __call__(
        self, data: Any, *, magnitude_bin: Any = None, num_magnitude_bins: int | None = None, **arguments: Any
    ) -> Any:
        """Applies the operation.

        :param data: the samples.
        :param magnitude_bin: which of the magnitudes: an int, one for each sample, or what :func:`signed_bin` gives.
        :param num_magnitude_bins: how many magnitudes `mag_range` is cut into.
        :param arguments: of the operation; those that it does not take are left out.
        """
        lacking = missing(self.op, arguments)
        if lacking:
            noun = "argument" if len(lacking) == 1 else "arguments"
            names = ", ".join(f"`{name}`" for name in lacking)
            raise MissingArgException(f"the augmentation `{self.name}` needs the {noun} {names}", self, lacking)
        device = self.param_device
        if device == "auto":
            device = data.device or "cpu"
        parameter = self._parameter(magnitude_bin, num_magnitude_bins, device)
        return self.op(data, parameter, **taken(self.op, arguments))

    def _magnitudes(self, count: int | None) -> Any:
        magnitudes = self.mag_range
        if isinstance(magnitudes, np.ndarray):
            if count is not None and len(magnitudes) != count:
                raise ValueError(
                    f"the augmentation `{self.name}` has {len(magnitudes)} magnitudes in its `mag_range`, and "
                    f"`num_magnitude_bins` is {count}"
                )
            return magnitudes
        if count is None:
            raise TypeError(f"the augmentation `{self.name}` has a `mag_range`, so it needs `num_magnitude_bins`")
        if not hasattr(magnitudes, "__len__") or len(magnitudes) != 2:
            raise ValueError(
                f"`mag_range` is the lowest and the highest magnitude, or an array of all; that of `{self.name}` is "
                f"{magnitudes!r}"
            )
        low, high = magnitudes
        return np.linspace(low, high, count, dtype=np.float32)

    def _one_parameter(self, magnitude: Any) -> np.ndarray:
        parameter = self.mag_to_param(magnitude)
        if _holds_nodes(parameter):
            raise TypeError(
                f"`mag_to_param` of the augmentation `{self.name}` gave a DataNode; parameters are computed once, when "
                "the pipeline is written, so it must give numbers or arrays. Call operators in the augmentation itself"
            )
        return np.array(parameter)

    def _parameters(self, magnitudes: Sequence[Any]) -> np.ndarray:
        parameters = [self._one_parameter(magnitude) for magnitude in magnitudes]
        first = parameters[0]
        for parameter, magnitude in zip(parameters, magnitudes):
            if parameter.shape != first.shape or parameter.dtype != first.dtype:
                raise ValueError(
                    f"`mag_to_param` of the augmentation `{self.name}` must give one shape and type for all "
                    f"magnitudes: it gave {first.dtype} of shape {first.shape} for {magnitudes[0]}, and "
                    f"{parameter.dtype} of shape {parameter.shape} for {magnitude}"
                )
        return np.array(parameters)

    def _parameter(self, magnitude_bin: Any, count: int | None, device: str) -> Any:
        """What the operation gets beside the samples; None for operations without magnitudes."""
        if self.mag_range is None:
            return None
        magnitudes = self._magnitudes(count)
        if magnitude_bin is None:
            raise TypeError(f"the augmentation `{self.name}` has a `mag_range`, so it needs a `magnitude_bin`")
        if not isinstance(magnitude_bin, SignedMagnitudeBin) and not is_bin(magnitude_bin):
            raise TypeError(
                f"the `magnitude_bin` of the augmentation `{self.name}` must be an int, a DataNode or what "
                f"signed_bin() gives, not {magnitude_bin!r}"
            )
        if self.randomly_negate:
            return self._signed_parameter(magnitudes, magnitude_bin, device)
        place: Any = magnitude_bin.bin if isinstance(magnitude_bin, SignedMagnitudeBin) else magnitude_bin
        if not is_node(place):
            return types.Constant(self._one_parameter(magnitudes[int(place)]), device=device)
        return types.Constant(self._parameters(magnitudes), device=device)[place]

    def _signed_parameter(self, magnitudes: Any, magnitude_bin: Any, device: str) -> Any:
        if not isinstance(magnitude_bin, SignedMagnitudeBin):
            warnings.warn(
                f"the augmentation `{self.name}` draws the signs of its magnitudes by itself; where a batch is split "
                "among augmentations it is faster to draw them before, with signed_bin()",
                stacklevel=4,
            )
            magnitude_bin = signed_bin(magnitude_bin)
        place = magnitude_bin.signed_magnitude_idx
        if not is_node(magnitude_bin.bin):
            magnitudes = [magnitudes[int(magnitude_bin.bin)]]
            place = magnitude_bin.random_sign
        return types.Constant(self._parameters(with_both_signs(magnitudes)), device=device)[place]


@overload
def augmentation(function: Callable[..., Any]) -> Augmentation: ...


@overload
def augmentation(
    *,
    mag_range: tuple[float, float] | np.ndarray | None = ...,
    randomly_negate: bool | None = ...,
    mag_to_param: Callable[[Any], Any] | None = ...,
    param_device: str | None = ...,
    name: str | None = ...,
    augmentation_cls: type[Augmentation] | None = ...,
) -> Callable[[Callable[..., Any]], Augmentation]: ...


def augmentation(
    function: Callable[..., Any] | None = None,
    *,
    mag_range: tuple[float, float] | np.ndarray | None = None,
    randomly_negate: bool | None = None,
    mag_to_param: Callable[[Any], Any] | None = None,
    param_device: str | None = None,
    name: str | None = None,
    augmentation_cls: type[Augmentation] | None = None,
) -> Any:
    """Decorates a function that takes samples and a parameter, for use by automatic augmentation. The decorated
    function takes the samples, `magnitude_bin` and `num_magnitude_bins`, and computes the parameter from them:
    ``mag_to_param(magnitudes[magnitude_bin])``.

    :param mag_range: the lowest and the highest magnitude, cut evenly into bins; or an array with the magnitude of each
        bin. None: the function gets None as its parameter.
    :param randomly_negate: whether the magnitude is negated for half of the samples, at random.
    :param mag_to_param: makes the parameter of a magnitude; it is called once for each bin, when the pipeline is
        written.
    :param param_device: where the parameters are kept: "cpu", "gpu", or "auto", where the samples are.
    :param name: of the augmentation; the function's when not given.
    """

    def decorate(operation: Callable[..., Any]) -> Augmentation:
        cls = augmentation_cls or Augmentation
        return cls(operation, mag_range, randomly_negate, mag_to_param, param_device, name)

    if function is None:
        return decorate
    if isinstance(function, Augmentation):
        raise TypeError(
            f"`{function.name}` is an augmentation already: change its settings by "
            f"`{function.name}.augmentation(...)`, or decorate `{function.name}.op`"
        )
    if not callable(function):
        raise TypeError(f"@augmentation decorates a function, not {function!r}")
    return decorate(function)
