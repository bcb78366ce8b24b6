"""Makes the functions of dynamic mode from the operator table."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..enum_arguments import ENUMS
from ..errors import GivenTwiceError, InvalidError, UnknownArgumentError, WrongCountError, WrongTypeError
from ..fn import deprecations, generate
from ..suggestions import did_you_mean
from . import conversion, deferred
from .deferred import Held
from .device import check_cpu
from .dtypes import DType, dtype as dtype_of
from .generators import checked_rng
from .value import Value, common_size, held_of, wrap

Row = Mapping[str, Any]

_TYPE = "DALIDataType"
_WITHOUT_CALLS = ("source", "expand")
"""Scopes whose operators are no functions here: readers are classes."""


def rows() -> list[Row]:
    """The operators that can be called."""
    return [row for row in generate.table() if row["scope"] not in _WITHOUT_CALLS]


def names() -> dict[str, str]:
    """Under which names operators are called, and which they are: also those that DALI had in `experimental`."""
    own = {str(row["name"]): str(row["name"]) for row in rows()}
    older = {old: name for old, name in generate.old_names().items() if old.startswith("experimental.") and name in own}
    return {**own, **older}


class Operator:
    """An operator of the table as a function of tensors and batches."""

    def __init__(self, row: Row) -> None:
        self.name = str(row["name"])
        self.row = row
        self.parameters = {str(each["name"]): each for each in row["parameters"] if each["name"] != "seed"}
        self._takes_tensor = {name for name, each in self.parameters.items() if each["accepts_tensor"]}
        self._required = [name for name, each in self.parameters.items() if each["is_required"]]
        self._types = {name for name, each in self.parameters.items() if each["kind"] == _TYPE}
        self._enums = {name for name, each in self.parameters.items() if each["kind"] in ENUMS}
        self._deprecated = deprecations.arguments_of(self.name, self.parameters)
        self._is_random = bool(row["is_random"])
        self._counts = (int(row["min_inputs"]), int(row["max_inputs"]))

    def __call__(
        self, *inputs: Any, batch_size: int | None = None, device: Any = None, rng: Any = None, **arguments: Any
    ) -> Any:
        if device is not None:
            check_cpu(device)
        deprecations.warn_of_operator(self.name)
        given = [held_of(value) for value in self._checked_inputs(inputs)]
        constants, tensors = self._sorted(arguments)
        sizes = [size for _, size in (*given, *tensors.values()) if size is not None]
        size = common_size(sizes, batch_size, self.name)
        if self.name == "batch_permutation" and size is None:
            raise InvalidError("`batch_size` must be specified for batch_permutation, which has no inputs")
        seed, draw = self._drawn(rng)
        results = deferred.run(
            self.name,
            [held for held, _ in given],
            constants,
            {name: held for name, (held, _) in tensors.items()},
            1 if size is None else size,
            seed,
            draw,
        )
        if len(results) == 1:
            return wrap(results[0], size is not None)
        return tuple(wrap(result, size is not None) for result in results)

    def _drawn(self, rng: Any) -> tuple[int, int]:
        if self._is_random:
            return checked_rng(rng)._draw()
        if rng is not None:
            raise UnknownArgumentError(f"ndd.{self.name} draws no random numbers: it has no argument 'rng'")
        return 0, 0

    def _checked_inputs(self, inputs: tuple[Any, ...]) -> list[Any]:
        given = list(inputs)
        while given and given[-1] is None:
            given.pop()
        least, most = self._counts
        if not least <= len(given) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise WrongCountError(
                f"ndd.{self.name} takes {wanted} inputs, not {len(given)}; arguments are given by name"
            )
        for value in given:
            if value is None or isinstance(value, str):
                raise TypeError(f"ndd.{self.name}: an input is a tensor, a batch or an array, not {value!r}")
        return given

    def _sorted(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, tuple[Held, int | None]]]:
        """Constants, and what is given as tensors."""
        constants: dict[str, Any] = {}
        tensors: dict[str, tuple[Held, int | None]] = {}
        for name, value in arguments.items():
            if name not in self.parameters:
                hint = did_you_mean(name, [*self.parameters, "batch_size", "device"])
                raise UnknownArgumentError(f"ndd.{self.name} has no argument '{name}'{hint}")
            if value is None:
                continue
            if arguments.get(self.parameters[name]["newer_name"]) is not None:
                newer = self.parameters[name]["newer_name"]
                raise GivenTwiceError(f"ndd.{self.name}: '{name}' is an old name of '{newer}', which is given too")
            if self._deprecated and name in self._deprecated:
                deprecations.warn(self._deprecated[name])
            if name in self._types:
                constants[name] = self._type(name, value)
            elif self._is_tensor(name, value):
                tensors[name] = held_of(value)
            else:
                plain = np.asarray(value) if conversion.is_array(value) else value
                is_enum = name in self._enums
                constants[name] = self._enum(name, plain) if is_enum else generate.normalised(plain)
        for name in self._required:
            if name not in constants and name not in tensors:
                raise WrongTypeError(f"ndd.{self.name} needs the argument '{name}'")
        return constants, tensors

    def _is_tensor(self, name: str, value: Any) -> bool:
        kind = value.__class__
        if kind is int or kind is float or kind is str or kind is bool:
            return False
        if isinstance(value, (list, tuple)):
            return self._is_list_of_tensors(name, value)
        is_flat = isinstance(value, (np.ndarray, np.generic)) and value.ndim < 2
        if is_flat or not (isinstance(value, Value) or conversion.is_array(value)):
            return False
        if name in self._takes_tensor:
            return True
        if isinstance(value, Value):
            raise TypeError(f"ndd.{self.name}: '{name}' is the same for all samples; it cannot be a tensor or a batch")
        return False

    def _is_list_of_tensors(self, name: str, values: Any) -> bool:
        """A list of several axes, or of tensors, which are looked at, is a tensor."""
        holds_tensors = any(isinstance(value, Value) for value in values)
        if holds_tensors and name not in self._takes_tensor:
            raise TypeError(f"ndd.{self.name}: '{name}' is the same for all samples; it cannot be made of tensors")
        if any(isinstance(value, Value) and value._is_batch for value in values):
            raise TypeError(f"ndd.{self.name}: '{name}' is a list of batches; join them with ndd.stack")
        return name in self._takes_tensor and (holds_tensors or generate.is_shaped(values))

    def _enum(self, name: str, value: Any) -> Any:
        return generate.constant_of(f"ndd.{self.name}", self.parameters[name], value)

    def _type(self, name: str, value: Any) -> int | list[int]:
        """The number of an element type, or of several; of DType or of a framework's type."""
        if isinstance(value, int) and not isinstance(value, bool):
            return int(value)
        try:
            if isinstance(value, (list, tuple)):
                return [dtype_of(each).number for each in value]
            return dtype_of(value).number
        except (TypeError, ValueError) as error:
            kind = InvalidError if isinstance(error, ValueError) else WrongTypeError
            raise kind(f"ndd.{self.name}: {name}: {error}") from None


def signature_of(row: Row) -> inspect.Signature:
    """As that of `fn`, without a name and a seed; with the size of the batch."""
    kept = []
    for parameter in generate.signature_of(row).parameters.values():
        if parameter.name in ("name", "seed", "device"):
            continue
        annotation = str(parameter.annotation).replace("DataNode", "Tensor | Batch")
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            annotation = "TensorLike"
        kept.append(parameter.replace(annotation=annotation))
    keyword = inspect.Parameter.KEYWORD_ONLY
    kept.append(inspect.Parameter("batch_size", keyword, default=None, annotation="int | None"))
    kept.append(inspect.Parameter("device", keyword, default=None, annotation="DeviceLike | None"))
    if row["is_random"]:
        kept.append(inspect.Parameter("rng", keyword, default=None, annotation="RNG | None"))
    return inspect.Signature(kept, return_annotation="Any")


def document(row: Row) -> str:
    """The documentation, as reStructuredText."""
    dropped = (":param device:", ":param name:", ":param seed:")
    lines = [line for line in generate.document(row).splitlines() if not line.startswith(dropped)]
    place = next(index for index, line in enumerate(lines) if line.startswith(":returns:"))
    common = [
        ":param batch_size: Samples of the result, where no input is a batch.",
        ":param device: The CPU.",
    ]
    if row["is_random"]:
        common.append(":param rng: Where the random numbers come from; the thread's generator without it.")
    return "\n".join([*lines[:place], *common, *lines[place:]])


def function_of(row: Row) -> Callable[..., Any]:
    operator = Operator(row)
    short = operator.name.rpartition(".")[2]

    def function(*inputs: Any, **arguments: Any) -> Any:
        return operator(*inputs, **arguments)

    function.__name__ = short
    function.__qualname__ = short
    function.__doc__ = document(row)
    function.__signature__ = signature_of(row)  # type: ignore[attr-defined]
    return function


@functools.cache
def function_named(name: str) -> Callable[..., Any]:
    """The operator of the table with that name."""
    return function_of(next(row for row in rows() if row["name"] == name))


def add_functions(root: str, namespace: dict[str, Any]) -> None:
    """Puts the functions into `namespace` and its submodules."""
    made = {str(row["name"]): function_named(str(row["name"])) for row in rows()}
    known = list(names())
    for path, name in names().items():
        module = generate.put(root, namespace, path, made[name], known)
        if path == name:
            made[name].__module__ = module
