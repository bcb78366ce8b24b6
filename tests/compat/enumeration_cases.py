"""Cases: members of enumerations in branches, and in operators that keep them or compute."""

from __future__ import annotations

from typing import Any, Callable

import nvidia.dali.fn as fn
import nvidia.dali.types as types

from catalogue import Group
from pipelines import numbered, run_branches

case = Group("enumerations")


def type_of(body: Callable[[], Any]) -> Callable[[], Any]:
    """The element type of the one output; arrays cannot be made of DALI's."""
    return lambda: run_branches(body)[0].dtype


def chosen(member: Any, other: Any) -> Any:
    if numbered() > 1:
        value = member
    else:
        value = other
    return value


def linear() -> Any:
    return types.Constant(types.INTERP_LINEAR)


def list_of_two() -> Any:
    return types.Constant([types.INTERP_LINEAR, types.INTERP_NN])


BODIES: dict[str, Callable[[], Any]] = {
    "branches_of_constants": lambda: chosen(linear(), types.Constant(types.INTERP_NN)),
    "branches_of_members": lambda: chosen(types.INTERP_LINEAR, types.INTERP_NN),
    "branches_of_types": lambda: chosen(types.FLOAT, types.UINT8),
    "branches_of_two_enumerations": lambda: chosen(linear(), types.Constant(types.RGB)),
    "added_to_a_number_after_branches": lambda: chosen(linear(), types.Constant(types.INTERP_NN)) + 1,
    "stacked": lambda: fn.stack(linear(), linear()),
    "joined": lambda: fn.cat(fn.reshape(linear(), shape=[1]), fn.reshape(linear(), shape=[1])),
    "padded": lambda: fn.pad(fn.reshape(linear(), shape=[1]), shape=[3]),
    "full_like": lambda: fn.full_like(fn.zeros(shape=[2]), linear()),
    "zeros_like": lambda: fn.zeros_like(linear()),
    "one_hot": lambda: fn.one_hot(linear(), num_classes=4),
    "largest": lambda: fn.reductions.max(list_of_two()),
    "compared": lambda: linear() == linear(),
    "chosen_by_chance": lambda: fn.random.choice(list_of_two()),
    "copied": lambda: fn.copy(linear()),
    "with_an_axis": lambda: fn.expand_dims(linear(), axes=[0]),
    "cast": lambda: fn.cast(linear(), dtype=types.INT32),
    "cast_like": lambda: fn.cast_like(linear(), types.Constant(1)),
    "reinterpreted": lambda: fn.reinterpret(linear(), dtype=types.INT32),
}
case.table({name: type_of(body) for name, body in BODIES.items()})
