"""Records which operators DALI has, as python/forebay/fn/dali_names.py: run with DALI's Python.

    python record_dali_names.py [dali_names.py]
"""

from __future__ import annotations

import inspect
import pathlib
import re
import sys
from types import ModuleType

import nvidia.dali
import nvidia.dali.fn
import nvidia.dali.ops

TARGET = pathlib.Path(__file__).resolve().parents[2] / "python" / "forebay" / "fn" / "dali_names.py"
INTERNAL = {"hidden", "Reload"}  # operators that others are made of, and what loads them
TEXT = '''"""The operators of nvidia-dali {version}. Written by tests/parity/record_dali_names.py from its wheel."""

VERSION = "{version}"

IN_FN = (
{in_fn})
"""Below `nvidia.dali.fn`, older names among them."""

ELSEWHERE = (
{elsewhere})
"""Below `nvidia.dali`: operators that need another library, and what `ops` has beside its operators."""
'''


def functions_in(module: ModuleType, prefix: str = "") -> list[str]:
    """What can be called below the module, by its path there."""
    found = []
    for name in dir(module):
        item = getattr(module, name)
        if name.startswith("_") or name in INTERNAL:
            continue
        if inspect.ismodule(item) and item.__name__.startswith(module.__name__):
            found += functions_in(item, f"{prefix}{name}.")
        elif callable(item):
            found.append(prefix + name)
    return found


def in_plugins() -> list[str]:
    """From their stubs, as importing them takes PyTorch, JAX and Numba."""
    plugins = pathlib.Path(nvidia.dali.__file__).parent / "plugin"
    found = []
    for stub in sorted(plugins.glob("*/fn/__init__.pyi")):
        names = set(re.findall(r"^def (\w+)", stub.read_text(), re.MULTILINE))
        found += [f"plugin.{stub.parent.parent.name}.fn.{name}" for name in sorted(names)]
    return found


def beside_operators() -> list[str]:
    """Functions of `ops`; operators are classes there."""
    ops = nvidia.dali.ops
    functions = {name: item for name, item in vars(ops).items() if inspect.isfunction(item) and not name.startswith("_")}
    own = [name for name, item in functions.items() if item.__module__.startswith(ops.__name__)]
    return [f"ops.{name}" for name in sorted(own) if name not in INTERNAL]


def main() -> None:
    def lines(names: list[str]) -> str:
        return "".join(f'    "{name}",\n' for name in names)

    text = TEXT.format(
        version=nvidia.dali.__version__,
        in_fn=lines(sorted(functions_in(nvidia.dali.fn))),
        elsewhere=lines(beside_operators() + in_plugins()),
    )
    (pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET).write_text(text)


if __name__ == "__main__":
    main()
