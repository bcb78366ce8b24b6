"""Cases: variables that two branches set to what cannot be merged. Most are fine as long as nobody uses them."""

from __future__ import annotations

import importlib.util
from typing import Any

from catalogue import Group
from files import new_folder
from pipelines import run_branches

case = Group("divergent")

# What either branch sets the variable to, and how it is used afterwards.
VALUES = {
    "strings": ("'a'", "'b'"),
    "none_and_a_node": ("None", "x"),
    "none_and_a_number": ("None", "3"),
    "a_string_and_a_node": ("'a'", "x"),
    "functions": ("fn.cast", "fn.copy"),
    "objects": ("Holder(1)", "Holder(2)"),
    "objects_with_nodes": ("Holder(x)", "Holder(x + 1)"),
    "types": ("types.FLOAT", "types.INT32"),
    "lists_of_numbers_of_two_lengths": ("[1, 2]", "[1, 2, 3]"),
    "lists_of_nodes_of_two_lengths": ("[x]", "[x, x]"),
    "a_tuple_and_a_list": ("(x, x)", "[x, x]"),
    "dictionaries_with_other_keys": ("{'a': x}", "{'b': x}"),
    "dictionaries_of_strings": ("{'a': 'p'}", "{'a': 'q'}"),
    "lists_of_strings": ("['a']", "['b']"),
    "a_string_and_a_list": ("'a'", "['b']"),
    "sets": ("{1}", "{2}"),
    "slices": ("slice(1)", "slice(2)"),
    "operator_objects": ("ops.Cast(dtype=types.FLOAT)", "ops.Cast(dtype=types.INT32)"),
    "lambdas": ("lambda v: v", "lambda v: v + 1"),
    "constants": ("types.Constant(1)", "types.Constant(2)"),
    "booleans": ("True", "False"),
    "an_int_and_a_float": ("1", "2.5"),
    "complex_numbers": ("1j", "2j"),
    "arrays_of_strings": ("np.array('a')", "np.array('b')"),
    "empty_lists": ("[]", "[]"),
    "lists_with_none": ("[None, x]", "[None, x]"),
    "ranges": ("range(2)", "range(3)"),
    "modules": ("np", "fn"),
    "classes": ("int", "float"),
    "bytes": ("b'a'", "b'b'"),
    "the_same_type": ("types.FLOAT", "types.FLOAT"),
    "the_same_string": ("'a'", "'a'"),
    "dictionaries_with_the_same_string": ("{'a': 'p', 'n': x}", "{'a': 'p', 'n': x + 1}"),
}
USES = {"unused": "z", "as_an_output": "z, y", "added": "z + y", "to_an_operator": "(z, fn.copy(y))"}
NOT_ADDED = "functions", "modules", "classes", "slices", "ranges", "sets"
TO_AN_OPERATOR = "strings", "none_and_a_node", "lists_of_numbers_of_two_lengths", "objects"
TEXT = """
import numpy as np
import nvidia.dali.fn as fn
import nvidia.dali.ops as ops
import nvidia.dali.types as types
from pipelines import numbered


class Holder:
    def __init__(self, value):
        self.value = value


def body():
    x = numbered()
    if x > 1:
        y = {first}
        z = x
    else:
        y = {second}
        z = x + 10
    return {used}
"""


def written(**parts: str) -> Any:
    """A pipeline whose body stands in a file, as both libraries rewrite functions by their text."""
    path = new_folder() / "body.py"
    path.write_text(TEXT.format(**parts))
    spec = importlib.util.spec_from_file_location("body", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return run_branches(module.body)


def is_tried(name: str, use: str) -> bool:
    return name in TO_AN_OPERATOR if use == "to_an_operator" else use != "added" or name not in NOT_ADDED


for _name, (_first, _second) in VALUES.items():
    for _use, _used in USES.items():
        if is_tried(_name, _use):
            parts = {"first": _first, "second": _second, "used": _used}
            case.add(f"{_name}_{_use}", lambda parts=parts: written(**parts))
