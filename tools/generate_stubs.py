"""Writes the type stubs that are generated: fn/*.pyi and dynamic/*.pyi from the operator table, nd/__init__.pyi and
nd/fluent.pyi from the table of array functions, graph/pipeline_function.pyi from the arguments of Pipeline, _core.pyi
from the built module.

    generate_stubs.py [--check]     --check: writes nothing, fails when a file is not as it would be written
"""

from __future__ import annotations

import inspect
import pathlib
import re
import subprocess
import sys
import tempfile

import dynamic_stubs
import output_counts
import pipeline_stubs
from forebay.fn import features, generate
from forebay.nd import function_table

PACKAGE = pathlib.Path(__file__).resolve().parent.parent / "python" / "forebay"

HEAD = '''"""Generated from the operator table by tools/generate_stubs.py. Several outputs come as a list, which is written as a
tuple here: types know the length of no list."""

from typing import Any, Literal, Sequence, overload

from {root}enum_arguments import DTypeLike, ImageTypeLike, InterpTypeLike
from {root}graph.data_node import DataNode
from {root}tfrecord import Feature
from {root}types import ScalarConstant
'''

# What nanobind did not make and the stub generator cannot read: methods by the raw C API.
RAW_ATTRIBUTES = {
    "__dlpack__: method_descriptor = ...": """def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        \"\"\"A DLPack capsule over the same memory, or BufferError.\"\"\"""",
    "__dlpack_device__: method_descriptor = ...": "def __dlpack_device__(self) -> tuple[int, int]: ...",
    "__dlpack_c_exchange_api__: PyCapsule = ...": "__dlpack_c_exchange_api__: object",
}

ARRAYS_HEAD = '''"""Generated from the table of array functions by tools/generate_stubs.py."""

from . import contrib as contrib
from . import random as random
from .context import Context as Context
from .context import cpu as cpu
from .context import cpu_pinned as cpu_pinned
from .context import current_context as current_context
from .context import gpu as gpu
from .context import num_gpus as num_gpus
from .ndarray import NDArray as NDArray
'''

METHODS_HEAD = '''"""Generated from the table of array functions by tools/generate_stubs.py."""

from collections.abc import Sequence

from .. import _core
from .ndarray import Axis, DType, NDArray, Shape
from .parts import Bounds

class FluentMethods(_core.NDArrayBase):
'''

OPERAND = "Operand = DataNode | ScalarConstant | int | float | Sequence[Any]\n"


def input_line(row: generate.Row, index: int, given: int | None) -> str:
    """`given`: how many inputs there are in this form; None: any number."""
    name = row["inputs"][index][0]
    if given is not None:
        return f"{name}: Operand" if index < given else f"{name}: None = ..."
    return f"{name}: Operand" + (" | None = ..." if index >= row["min_inputs"] else "")


def parameter_lines(row: generate.Row, form: output_counts.Form) -> list[str]:
    lines = []
    variadic = row["max_inputs"] > len(row["inputs"])
    positional = [name for name, _ in row["inputs"]]
    for index in range(len(positional) - variadic):
        lines.append(input_line(row, index, form.num_inputs))
    if lines:
        lines.append("/")
    lines.append(f"*{positional[-1]}: Operand" if variadic else "*")
    for parameter in row["parameters"]:
        choice = form.choices.get(parameter["name"])
        is_required = parameter["is_required"] if choice is None else not choice.is_default
        annotation = generate.annotation_of(parameter) if choice is None else choice.annotation
        adapter = features.ADAPTERS.get(row["name"])
        annotation = adapter.taken.get(parameter["name"], annotation) if adapter else annotation
        lines.append(f"{parameter['name']}: {annotation}" + ("" if is_required else " = ..."))
    if row["is_random"] and "seed" not in {parameter["name"] for parameter in row["parameters"]}:
        lines.append("seed: int | None = ...")
    return [*lines, "device: str | None = ...", "name: str | None = ..."]


def forms_of(row: generate.Row) -> list[output_counts.Form]:
    """What there are overloads for."""
    adapter = features.ADAPTERS.get(row["name"])
    return [output_counts.Form(adapter.returned)] if adapter else output_counts.forms_of(row)


def function_stub(row: generate.Row) -> str:
    short = row["name"].rpartition(".")[2]
    text = ""
    forms = forms_of(row)
    for form in forms:
        lines = "".join(f"    {line},\n" for line in parameter_lines(row, form))
        head = "@overload\n" if len(forms) > 1 else ""
        ignored = "  # type: ignore[overload-overlap]" if form.overlaps else ""
        text += f"\n{head}def {short}({ignored}\n{lines}) -> {form.returned}: ...\n"
    return text


def modules_of(rows: list[generate.Row]) -> dict[str, list[str]]:
    """The modules below `fn` ("" is itself, "experimental.decoders" is two levels down) and those directly in each."""
    paths = [*(str(row["name"]) for row in rows), *generate.old_names()]
    modules: dict[str, list[str]] = {"": []}
    for path in sorted(paths):
        *folders, _ = path.split(".")
        for depth, folder in enumerate(folders):
            inside = modules[".".join(folders[:depth])]
            if folder not in inside:
                inside.append(folder)
            modules.setdefault(".".join(folders[: depth + 1]), [])
    return modules


def old_name_imports(module: str, package_dots: str) -> str:
    """The lines by which `module` has operators under their older names. `package_dots` lead to `fn`."""
    lines = ""
    for old, path in generate.old_names().items():
        folder, _, short = old.rpartition(".")
        if folder == module:
            home, _, name = path.rpartition(".")
            lines += f"from {package_dots}{home} import {name} as {short}\n"
    return lines


def operator_stubs() -> dict[str, str]:
    """The stubs by file name: a module with modules in it is a folder."""
    rows = generate.table()
    stubs = {}
    for module, inside in modules_of(rows).items():
        is_folder = not module or bool(inside)
        depth = module.count(".") + 1 if module else 0
        dots = "." * (depth + 1 if is_folder else depth)
        text = HEAD.format(root=dots + ".")
        if not module:
            text += "from ..graph.external_source import external_source as external_source\n"
            text += "from ..graph.dlpack_function import dl_tensor_python_function as dl_tensor_python_function\n"
            text += "from ..graph.python_function import python_function as python_function\n"
        text += "".join(f"from . import {name} as {name}\n" for name in inside)
        text += old_name_imports(module, dots)
        text += "\n" + OPERAND
        text += "".join(function_stub(row) for row in rows if str(row["name"]).rpartition(".")[0] == module)
        path = module.replace(".", "/")
        stubs[f"fn/{path}/__init__.pyi".replace("//", "/") if is_folder else f"fn/{path}.pyi"] = text
    return stubs


def stale_files(stubs: dict[str, str]) -> list[pathlib.Path]:
    """Stubs of operators that nothing writes any more: a module became a folder, or is gone."""
    there = [path for folder in ("fn", "dynamic") for path in sorted((PACKAGE / folder).rglob("*.pyi"))]
    return [path for path in there if str(path.relative_to(PACKAGE)) not in stubs]


def array_functions_stub() -> str:
    rows = [(row.module, own, name) for row in function_table.TABLE for name, own in row.names().items()]
    imports = "".join(f"from .{module} import {own} as {name}\n" for module, own, name in sorted(rows))
    return f"{ARRAYS_HEAD}{imports}\ndef waitall() -> None: ...\n"


def method_stub(name: str, signature: inspect.Signature) -> str:
    """The function's signature with its first parameter as `self`."""
    arguments = list(signature.parameters.values())[1:]
    texts = [f"{each.name}: {each.annotation}" + ("" if each.default is each.empty else " = ...") for each in arguments]
    return f"    def {name}({', '.join(['self', *texts])}) -> {signature.return_annotation}: ...\n"


def methods_stub() -> str:
    methods = sorted(function_table.methods().items())
    return METHODS_HEAD + "".join(method_stub(name, inspect.signature(function)) for name, function in methods)


def core_stub() -> str:
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder) / "_core.pyi"
        command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "forebay._core", "-o", str(target)]
        subprocess.run(command, check=True)
        text = target.read_text()
    for bare, full in {"list": "list[Any]", "tuple": "tuple[Any, ...]", "dict": "dict[str, Any]"}.items():
        text = re.sub(rf"(-> |: ){bare}(?=[:,)])", rf"\g<1>{full}", text)
    text = text.replace("**kwargs)", "**kwargs: Any)")
    text = text.replace("forebay.nd.NDArray", "NDArray")
    for unread, written in RAW_ATTRIBUTES.items():
        text = text.replace(unread, written)
    return f"from typing import Any\n\nfrom .nd import NDArray\n{text}\n__version__: str\n"


def main() -> int:
    stubs = {**operator_stubs(), "_core.pyi": core_stub()}
    stubs |= dynamic_stubs.stubs()
    stubs["graph/pipeline_function.pyi"] = pipeline_stubs.stub()
    stubs |= {"nd/__init__.pyi": array_functions_stub(), "nd/fluent.pyi": methods_stub()}
    stale = [name for name, text in stubs.items() if not (PACKAGE / name).exists() or (PACKAGE / name).read_text() != text]
    unwanted = stale_files(stubs)
    if "--check" in sys.argv:
        for name in [*stale, *(str(path.relative_to(PACKAGE)) for path in unwanted)]:
            print(f"python/forebay/{name} is not what tools/generate_stubs.py writes; `make generate` calls it")
        return 1 if stale or unwanted else 0
    for path in unwanted:
        path.unlink()
    for name in stale:
        (PACKAGE / name).parent.mkdir(parents=True, exist_ok=True)
        (PACKAGE / name).write_text(stubs[name])
    return 0


if __name__ == "__main__":
    sys.exit(main())
