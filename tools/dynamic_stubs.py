"""The stubs of forebay.dynamic, from the operator table."""

from __future__ import annotations

import importlib
import inspect
import re

from forebay.dynamic import operators, reader
from forebay.ops import class_path_of

EXPORTING = (
    "batch", "device", "dtypes", "eval_context", "eval_mode", "external_source", "imread", "streams", "tensor",
    "threads",
)
"""Modules whose names are those of the package."""
PLAIN = ("capture", "checkpoint", "math", "pytorch")
REEXPORTED = {
    "random": ("generators", ("RNG", "get_default_rng", "set_seed")),
    "readers": ("reader", ("Reader", "ReaderState")),
}

HEAD = '''"""Generated from the operator table by tools/generate_stubs.py."""

import builtins
import collections.abc
from typing import Any

from {root}enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from {own}batch import Batch
from {own}generators import RNG
from {own}reader import Reader
from {own}tensor import Tensor
'''

ALIASES = "\nTensorLike = Any\nDeviceLike = Any\n"


def lines_of(signature: inspect.Signature) -> list[str]:
    """The parameters of a stub, one a line."""
    lines: list[str] = []
    last = None
    for each in signature.parameters.values():
        if last is inspect.Parameter.POSITIONAL_ONLY and each.kind is not last:
            lines.append("/")
        if each.kind is inspect.Parameter.KEYWORD_ONLY and last not in (inspect.Parameter.VAR_POSITIONAL, each.kind):
            lines.append("*")
        star = "*" if each.kind is inspect.Parameter.VAR_POSITIONAL else ""
        default = "" if star or each.default is each.empty else " = ..."
        # `bool` is an element type there, and a reader is called Sequence.
        annotation = re.sub(r"\bbool\b", "builtins.bool", str(each.annotation))
        annotation = annotation.replace("Sequence[", "collections.abc.Sequence[")
        lines.append(f"{star}{each.name}: {annotation}{default}")
        last = each.kind
    return lines


def function_stub(name: str, row: operators.Row) -> str:
    lines = "".join(f"    {line},\n" for line in lines_of(operators.signature_of(row)))
    return f"\ndef {name.rpartition('.')[2]}(\n{lines}) -> Any: ...\n"


def class_stub(path: str, row: operators.Row) -> str:
    lines = "".join(f"        {line},\n" for line in lines_of(reader.signature_of(row)))
    return f"\nclass {path.rpartition('.')[2]}(Reader):\n    def __init__(\n        self,\n{lines}    ) -> None: ...\n"


def exports() -> str:
    """The lines by which the package has the names of its modules."""
    text = "".join(f"from . import {name} as {name}\n" for name in PLAIN)
    for module in EXPORTING:
        names = importlib.import_module(f"forebay.dynamic.{module}").__all__
        text += "".join(f"from .{module} import {name} as {name}\n" for name in sorted(names))
    return text


def modules(paths: list[str]) -> dict[str, list[str]]:
    """The modules of these paths ("" is the package), and those directly in each."""
    found: dict[str, list[str]] = {"": []}
    for path in sorted(paths):
        folders = path.split(".")[:-1]
        for depth, folder in enumerate(folders):
            inside = found[".".join(folders[:depth])]
            if folder not in inside:
                inside.append(folder)
            found.setdefault(".".join(folders[: depth + 1]), [])
    return found


def stubs() -> dict[str, str]:
    """By file name below the package `forebay`."""
    table = {str(row["name"]): row for row in operators.rows()}
    functions = {path: function_stub(path, table[name]) for path, name in operators.names().items()}
    classes = {class_path_of(str(row["name"])): row for row in reader.rows()}
    bodies = {**functions, **{path: class_stub(path, row) for path, row in classes.items()}}
    made = {}
    for module, inside in modules(list(bodies)).items():
        is_folder = not module or bool(inside)
        depth = module.count(".") + 1 if module else 0
        own = "." * (depth + 1 if is_folder else depth)
        text = HEAD.format(root=own + ".", own=own)
        text += "".join(f"from . import {name} as {name}\n" for name in inside)
        text += exports() if not module else ""
        if module in REEXPORTED:
            source, names = REEXPORTED[module]
            text += "".join(f"from {own}{source} import {name} as {name}\n" for name in names)
        text += ALIASES
        text += "".join(body for path, body in sorted(bodies.items()) if path.rpartition(".")[0] == module)
        path = module.replace(".", "/")
        made[f"dynamic/{path}/__init__.pyi".replace("//", "/") if is_folder else f"dynamic/{path}.pyi"] = text
    return made
