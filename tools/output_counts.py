"""How many outputs an operator has, and by which of its arguments: found by making it with one and another value, as
`num_outputs()` of the operator is the only place that says so.

A form is a way to call the operator for which the number is known: overloads of stubs.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping

from forebay import _core
from forebay.fn import generate

MOST_FORMS = 9
"""Where all values of all such arguments make more, a form changes one of them only."""
LENGTHS = (1, 2, 3, 4)
"""Of lists, where each entry is an output."""
ELEMENTS = {
    "str | Sequence[str]": ("str", "a"),
    "int | Sequence[int]": ("int", 1),
    "float | Sequence[float]": ("float", 0.5),
}
VALUES: dict[str, list[Any]] = {
    "bool": [False, True], "int": [1, 2, 3, 4, 0], "float": [0.5, 1.0], "str": ["a"], "TensorLayout": ["HWC", "xyXY"],
    "layout": ["HWC", "xyXY"], **{name: list(kind) for name, kind in generate.ENUMS.items()},
}
"""Of other kinds."""
MOST_ADDED = 2
"""Arguments that are not required one by one, but of which some must be given."""


@dataclass(frozen=True)
class Choice:
    """What one argument is in a form."""

    value: Any
    annotation: str
    is_default: bool = False


@dataclass
class Axis:
    """An argument that decides about the number. A `name` of None is the number of inputs."""

    name: str | None
    choices: list[Choice]
    is_list: bool = False


@dataclass(frozen=True)
class Form:
    returned: str
    choices: Mapping[str, Choice] = field(default_factory=dict)
    num_inputs: int | None = None
    overlaps: bool = False
    """With a later form that gives something else: what is right for one list among all."""


def count(row: generate.Row, constants: Mapping[str, Any], num_inputs: int) -> int | None:
    """The number of outputs; None where the operator refuses these arguments."""
    graph = _core.Graph()
    inputs = [(graph.add("external_source", "", "cpu", [], {"num_outputs": 1}, {}, [], None)[0], 0)
              for _ in range(num_inputs)]
    given = {name: generate.normalised(value) for name, value in constants.items()}
    try:
        return graph.add(row["name"], "", "cpu", inputs, given, {}, [], None)[1]
    except (ValueError, TypeError, RuntimeError):
        return None


def values_of(parameter: generate.Row) -> list[Any]:
    """Some that may make a difference."""
    kind = parameter["kind"]
    if kind in ELEMENTS:
        return [[ELEMENTS[kind][1]] * length for length in LENGTHS]
    if kind == "str" and parameter["choices"]:
        return list(parameter["choices"])
    return VALUES.get(kind, [])


def least_arguments(row: generate.Row) -> dict[str, Any] | None:
    """Values of what is required, with which the operator can be made; None: none were found."""
    required = [parameter for parameter in row["parameters"] if parameter["is_required"]]
    others = [parameter for parameter in row["parameters"] if not parameter["is_required"]]
    for number in range(MOST_ADDED + 1):
        for added in itertools.combinations(others, number):
            for values in itertools.product(*map(values_of, required), *(values_of(each)[:1] for each in added)):
                constants = {each["name"]: value for each, value in zip((*required, *added), values)}
                if count(row, constants, row["min_inputs"]) is not None:
                    return constants
    return None


def choices_of(row: generate.Row, parameter: generate.Row, counts: Mapping[int, int | None]) -> Axis:
    """`counts`: of the parameter's values, by their place."""
    name, kind, default = parameter["name"], parameter["kind"], parameter["default"]
    values = values_of(parameter)
    if parameter["newer_name"] or (default is None and not parameter["is_required"]):
        return Axis(name, [Choice(None, "None", True)])
    if kind in ELEMENTS:
        element = ELEMENTS[kind][0]
        is_required = parameter["is_required"]
        forms = [Choice(values[0], element, not is_required and len(default) == 1)]
        forms += [Choice(value, f"tuple[{', '.join([element] * len(value))}]") for value in values[1:]]
        return Axis(name, forms, is_list=True)
    if kind == "bool" or parameter["choices"]:
        groups: dict[int | None, list[Any]] = {}
        for place, value in enumerate(values):
            groups.setdefault(counts[place], []).append(value)
        return Axis(name, [
            Choice(default if default in group else group[0], f"Literal[{', '.join(map(repr, group))}]", default in group)
            for group in groups.values()
        ])
    return Axis(name, [Choice(default, f"Literal[{default!r}]", True)] if default is not None else [])


def axes_of(row: generate.Row, least: Mapping[str, Any]) -> list[Axis]:
    axes = []
    inputs = range(row["min_inputs"], min(row["max_inputs"], len(row["inputs"])) + 1)
    if len({count(row, least, number) for number in inputs} - {None}) > 1:
        axes.append(Axis(None, [Choice(number, "", number == row["min_inputs"]) for number in inputs]))
    for parameter in row["parameters"]:
        values = values_of(parameter)
        counts = {place: count(row, {**least, parameter["name"]: value}, row["min_inputs"])
                  for place, value in enumerate(values)}
        if len(set(counts.values()) - {None}) > 1:
            axes.append(choices_of(row, parameter, counts))
    return axes


def combinations(axes: list[Axis]) -> Iterator[tuple[Choice, ...]]:
    """What is given least first."""
    def given(choices: tuple[Choice, ...]) -> int:
        return sum(not choice.is_default for choice in choices)

    every = sorted(itertools.product(*(axis.choices for axis in axes)), key=given)
    return iter(every if len(every) <= MOST_FORMS else (choices for choices in every if given(choices) <= 1))


def tuple_of(number: int) -> str:
    return "DataNode" if number == 1 else f"tuple[{', '.join(['DataNode'] * number)}]"


def known_forms(row: generate.Row, least: Mapping[str, Any], axes: list[Axis]) -> list[tuple[int, Form]]:
    """With the number of outputs of each."""
    forms = []
    for choices in combinations(axes):
        chosen = {axis.name: choice for axis, choice in zip(axes, choices)}
        inputs = chosen.pop(None, None)
        constants = {name: choice.value for name, choice in chosen.items() if choice.value is not None}
        number = count(row, {**least, **constants}, row["min_inputs"] if inputs is None else inputs.value)
        if number is not None:
            named = {str(name): choice for name, choice in chosen.items()}
            own = None if inputs is None else inputs.value
            overlaps = number == 1 and any(axis.is_list and not chosen[axis.name].is_default for axis in axes)
            forms.append((number, Form(tuple_of(number), named, own, overlaps)))
    return forms


def forms_of(row: generate.Row) -> list[Form]:
    """The ways to call it, the last of which takes everything.

    :raises ValueError: no arguments were found with which it can be made.
    """
    least = least_arguments(row)
    if least is None:
        raise ValueError(f"{row['name']}: no values were found that its required arguments take; add some to values_of()")
    axes = axes_of(row, least)
    if not axes:
        number = count(row, least, row["min_inputs"])
        assert number is not None
        return [Form(tuple_of(number))]
    forms = known_forms(row, least, axes)
    many = "tuple[DataNode, ...]"
    gives_one = any(number == 1 for number, _ in forms) and not any(axis.is_list for axis in axes)
    return [*(form for _, form in forms), Form(f"DataNode | {many}" if gives_one else many)]
