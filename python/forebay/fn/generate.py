"""Makes the functions of `fn` from the operator table."""

from __future__ import annotations

import functools
import inspect
import sys
import types as python_types
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

import numpy as np

from .. import _core
from ..enum_arguments import ENUMS, LIKES, enum_number
from ..errors import GivenTwiceError, UnfitError, UnknownArgumentError, WrongCountError, WrongTypeError
from ..graph import expressions
from ..suggestions import did_you_mean
from ..types import ScalarConstant
from . import deprecations, features
from .absent_names import OF_PYTHON, refuse_operator
from .old_names import OLD_NAMES

if TYPE_CHECKING:
    from ..graph.data_node import DataNode

Row = Mapping[str, Any]

_IGNORED = {"bytes_per_sample_hint", "preserve"}
"""Arguments of every DALI operator that make no difference here."""

_ELEMENT_TYPES = "list[DALIDataType]"

COMMON_ARGUMENTS = _IGNORED | {"device", "name", "seed"}
"""Arguments of every operator."""


@functools.cache
def table() -> list[Row]:
    """The operators that users see, in the order of their names."""
    rows = [row for row in _core.operator_table() if not row["is_internal"]]
    return sorted(rows, key=lambda row: str(row["name"]))


def operator_names() -> list[str]:
    """With the folders of `fn` in which they are: "readers.file"."""
    return [*(str(row["name"]) for row in table()), *OF_PYTHON]


@functools.cache
def known_names() -> list[str]:
    """As :func:`operator_names`, for suggestions: one list, to which loaded libraries add theirs."""
    return operator_names()


def old_names() -> dict[str, str]:
    """The older names of the operators that exist: "image_decoder" is "decoders.image"."""
    known = set(operator_names())
    return {old: name for old, name in OLD_NAMES.items() if name in known}


def default_of(parameter: Row) -> Any:
    """The default as Python shows it: enumerations by name."""
    value = parameter["default"]
    enum = ENUMS.get(parameter["kind"])
    if enum is None or value is None:
        return value
    return enum(value)


def kind_of(parameter: Row) -> str:
    """What is taken. The table knows no lists of element types: they are numbers there."""
    kind: str = parameter["kind"]
    return _ELEMENT_TYPES if parameter["name"] == "dtypes" and kind == "int | Sequence[int]" else kind


def annotation_of(parameter: Row) -> str:
    """The type of an argument, as text."""
    kind = kind_of(parameter)
    names = {**LIKES, "list[float]": "Sequence[float] | float", "list[int]": "Sequence[int] | int"}
    names["list[str]"] = "Sequence[str] | str"
    names[_ELEMENT_TYPES] = "DTypeLike | Sequence[DTypeLike]"
    names["TensorLayout"] = names["layout"] = "str"
    text = names.get(kind, kind)
    if parameter["accepts_tensor"]:
        text += " | DataNode"
    optional = not parameter["is_required"] and parameter["default"] is None
    return f"{text} | None" if optional else text


def normalised(value: Any) -> Any:
    """A constant argument as the table takes it: NumPy's scalars and arrays, and enumerations, as Python's."""
    if isinstance(value, ScalarConstant):
        return value.value
    if isinstance(value, (np.ndarray, np.generic)):
        return value.ravel().tolist() if isinstance(value, np.ndarray) and value.ndim > 0 else value.item()
    if isinstance(value, (list, tuple)):
        flat: list[Any] = []
        for item in value:
            item = normalised(item)
            flat.extend(item if isinstance(item, list) else [item])
        return flat
    return value


def constant_of(operator: str, parameter: Row, value: Any) -> Any:
    """A constant argument as the table takes it; names of enumerations and types of NumPy as their numbers."""
    kind, argument = kind_of(parameter), f"{operator}: {parameter['name']}"
    if kind == _ELEMENT_TYPES:
        values = value if isinstance(value, (list, tuple)) else [value]
        return [enum_number("DALIDataType", argument, each) for each in values]
    if kind not in ENUMS:
        return normalised(value)
    value = normalised(value)
    return enum_number(kind, argument, value[0] if isinstance(value, list) and len(value) == 1 else value)


def is_shaped(value: Any) -> bool:
    """Whether a constant has more than one axis, which only a tensor can say."""
    return np.ndim(value) > 1 if isinstance(value, (list, tuple, np.ndarray)) else False


class Operator:
    """One operator of the table as a function."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.parameters = {parameter["name"]: parameter for parameter in row["parameters"]}
        self._deprecated = deprecations.arguments_of(row["name"], self.parameters)

    def __call__(self, *inputs: Any, **arguments: Any) -> Any:
        deprecations.warn_of_operator(self.row["name"])
        for name in self._deprecated.keys() & arguments.keys():
            deprecations.warn(self._deprecated[name])
        groups = [len(item) for item in inputs if isinstance(item, (list, tuple)) and _holds_nodes(item)]
        if groups and self.row["max_inputs"] <= len(self.row["inputs"]):
            return self._for_each(inputs, groups[0], arguments)
        return self._once(inputs, arguments)

    def _for_each(self, inputs: tuple[Any, ...], count: int, arguments: dict[str, Any]) -> Any:
        """Lists of nodes as inputs: the operator is added once for each of them. Gives a list, or a list for each of
        several outputs; what a list of one gives is not in a list."""
        rows = [item if isinstance(item, (list, tuple)) else [item] * count for item in inputs]
        if any(len(row) != count for row in rows):
            raise ValueError(f"fn.{self.row['name']}: lists given as inputs must be equally long")
        results = [self._once(row, dict(arguments)) for row in zip(*rows)]
        if count == 1:
            return results[0]
        return list(map(list, zip(*results))) if isinstance(results[0], list) else results

    def _once(self, inputs: tuple[Any, ...], arguments: dict[str, Any]) -> Any:
        row = self.row
        name = arguments.pop("name", None)
        device = arguments.pop("device", None)
        seed = arguments.pop("seed", None)
        if seed is not None and not row["is_random"] and "seed" not in self.parameters:
            deprecations.warn_of_seed(row["name"])
        pipeline = expressions.owner_of((*inputs, *arguments.values()))
        arguments, finish = features.adapt(row["name"], arguments, call)
        with pipeline._writing():
            nodes = [expressions.as_node(item) for item in self._check_inputs(inputs)]
            constants, tensors = self._sort(arguments)
            seed = None if seed is None else self._seed(seed)
            if "seed" in self.parameters and seed is not None:
                constants["seed"], seed = seed, None
            outputs = pipeline._add(
                row["name"], nodes, constants, tensors, name, device, seed, guarded=row["scope"] != "source"
            )
        return finish(outputs)

    def _seed(self, seed: Any) -> int | None:
        """As a number; None for a negative one, which stands for the pipeline's."""
        try:
            number = int(seed)
        except (TypeError, ValueError) as error:
            raise UnfitError(f"fn.{self.row['name']}: seed={seed!r} must be an integer") from error
        return None if number < 0 else number

    def _check_inputs(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        row = self.row
        if not row["min_inputs"] <= len(inputs) <= row["max_inputs"]:
            least, most = row["min_inputs"], row["max_inputs"]
            wanted = str(least) if least == most else f"{least} to {most}"
            raise WrongCountError(f"fn.{row['name']} takes {wanted} inputs, not {len(inputs)}; arguments are given by name")
        for item in inputs:
            if item is None or isinstance(item, str):
                raise TypeError(f"fn.{row['name']}: an input is a DataNode, not {item!r}")
        return inputs

    def _sort(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, DataNode]]:
        """Constants and tensors; TypeError for what the operator does not have or take."""
        constants: dict[str, Any] = {}
        tensors: dict[str, DataNode] = {}
        for key, value in arguments.items():
            parameter = self.parameters.get(key)
            if parameter is None:
                if key in _IGNORED:
                    continue
                hint = did_you_mean(key, [*self.parameters, *COMMON_ARGUMENTS])
                raise UnknownArgumentError(f"fn.{self.row['name']} has no argument '{key}'{hint}")
            if value is None:
                continue
            if arguments.get(parameter["newer_name"]) is not None:
                raise GivenTwiceError(
                    f"fn.{self.row['name']}: '{key}' is an old name of '{parameter['newer_name']}', which is given too"
                )
            if expressions.is_node(value) or (parameter["accepts_tensor"] and _is_shaped_node(value)):
                if not parameter["accepts_tensor"]:
                    raise TypeError(f"fn.{self.row['name']}: '{key}' is the same for all samples; it cannot be a DataNode")
                tensors[key] = expressions.as_node(value)
            else:
                constants[key] = constant_of(f"fn.{self.row['name']}", parameter, value)
        for key, parameter in self.parameters.items():
            if parameter["is_required"] and key not in constants and key not in tensors:
                raise WrongTypeError(f"fn.{self.row['name']} needs the argument '{key}'")
        return constants, tensors


def _holds_nodes(items: Any) -> bool:
    return any(expressions.is_node(item) for item in items)


def _is_shaped_node(value: Any) -> bool:
    """A list that holds nodes becomes a stack of them; a constant of several axes becomes a constant node."""
    if isinstance(value, (list, tuple)) and _holds_nodes(value):
        raise TypeError("a list of DataNodes cannot be an argument; join them with fn.stack")
    return is_shaped(value)


def signature_of(row: Row) -> inspect.Signature:
    """The signature: inputs, then arguments by name, in the order of the table."""
    parameters = []
    variadic = row["max_inputs"] > len(row["inputs"])
    for index, (name, _) in enumerate(row["inputs"]):
        is_last = index == len(row["inputs"]) - 1
        kind = inspect.Parameter.VAR_POSITIONAL if variadic and is_last else inspect.Parameter.POSITIONAL_ONLY
        optional = index >= row["min_inputs"] and not (variadic and is_last)
        default = None if optional else inspect.Parameter.empty
        parameters.append(inspect.Parameter(name, kind, default=default, annotation="DataNode"))
    keyword = inspect.Parameter.KEYWORD_ONLY
    for parameter in row["parameters"]:
        default = inspect.Parameter.empty if parameter["is_required"] else default_of(parameter)
        annotation = annotation_of(parameter)
        parameters.append(inspect.Parameter(parameter["name"], keyword, default=default, annotation=annotation))
    given = {parameter["name"] for parameter in row["parameters"]}
    if row["is_random"] and "seed" not in given:
        parameters.append(inspect.Parameter("seed", keyword, default=None, annotation="int | None"))
    parameters.append(inspect.Parameter("device", keyword, default=None, annotation="str | None"))
    parameters.append(inspect.Parameter("name", keyword, default=None, annotation="str | None"))
    return inspect.Signature(parameters, return_annotation="Any")


def document(row: Row) -> str:
    """The documentation, as reStructuredText."""
    lines = [row["doc"], ""]
    lines += [f":param {name}: {doc}" for name, doc in row["inputs"]]
    for parameter in row["parameters"]:
        text = parameter["doc"]
        if parameter["choices"]:
            text += " One of " + ", ".join(repr(choice) for choice in parameter["choices"]) + "."
        if parameter["accepts_tensor"]:
            text += " May be a tensor: a value a sample."
        lines.append(f":param {parameter['name']}: {text}")
    if row["is_random"]:
        lines.append(":param seed: Of this operator's random numbers; else they come from the pipeline's seed.")
    lines.append(":param device: 'cpu' or 'gpu'; without it, where the inputs are.")
    lines.append(":param name: Names the operator, in errors and for its random numbers.")
    lines.append(f":returns: {row['output_doc']}")
    notes = [f"Scope: {row['scope']}.", "Exact." if row["is_exact"] else "Close."]
    if row["source"]:
        notes.append(f"Matches: {row['source']}.")
    return "\n".join([*lines, "", " ".join(notes)])


def call(name: str, /, *inputs: Any, **arguments: Any) -> Any:
    """The operator of that name, added to the pipeline of its inputs."""
    row = next(row for row in table() if row["name"] == name)
    return Operator(row)(*inputs, **arguments)


def function_of(row: Row) -> Callable[..., Any]:
    operator = Operator(row)
    short = row["name"].rpartition(".")[2]

    def function(*inputs: Any, **arguments: Any) -> Any:
        return operator(*inputs, **arguments)

    function.__name__ = short
    function.__qualname__ = short
    function.__doc__ = document(row)
    function.__signature__ = signature_of(row)  # type: ignore[attr-defined]
    return function


def _member(root: str, short: str, namespace: dict[str, Any], known: Sequence[str]) -> python_types.ModuleType:
    """The module `root`.`short`, made and put into `namespace` where it is not there."""
    name = f"{root}.{short}"
    shown = name.partition(".")[2]
    if name not in sys.modules:
        module = python_types.ModuleType(name, f"Operators of `{shown}`.")
        module.__all__ = []  # type: ignore[attr-defined]
        module.__dir__ = lambda: sorted(module.__all__)  # type: ignore[method-assign]
        sys.modules[name] = namespace[short] = module
        namespace["__all__"].append(short)
    vars(sys.modules[name]).setdefault("__getattr__", refuse_operator(shown, known))
    return sys.modules[name]


def put(root: str, namespace: dict[str, Any], path: str, item: Any, known: Sequence[str]) -> str:
    """Puts `item` where `path` says, below the module `root` whose names are `namespace`; modules on the way are made.

    :param known: the names of all operators, for suggestions.
    :returns: the name of the module that got it.
    """
    *folders, short = path.split(".")
    for folder in folders:
        namespace = vars(_member(root, folder, namespace, known))
        root = f"{root}.{folder}"
    namespace[short] = item
    namespace["__all__"].append(short)
    return root


def add_functions(root: str, namespace: dict[str, Any], by_hand: Mapping[str, Callable[..., Any]]) -> None:
    """Puts the functions into `namespace` and its submodules, and their names into each one's `__all__`."""
    functions = {str(row["name"]): function_of(row) for row in table()}
    functions.update(by_hand)
    known = known_names()
    for path, function in functions.items():
        module = put(root, namespace, path, function, known)
        if path not in by_hand:
            function.__module__ = module
    for old, path in old_names().items():
        put(root, namespace, old, deprecations.under_old_name(old, path, functions[path]), known)


def add_function(root: str, namespace: dict[str, Any], row: Row) -> None:
    """Puts the function of an operator that a library has added where :func:`add_functions` has put the others."""
    path = str(row["name"])
    function = function_of(row)
    function.__module__ = put(root, namespace, path, function, known_names())
    known_names().append(path)
