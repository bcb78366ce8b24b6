"""python -m forebay.compat SCRIPT [arguments]: runs a script written for `nvidia.dali` or `mxnet`, unmodified.
python -m forebay.compat --operators [--json]: which of DALI's operators are here, and which depart from DALI's."""

import importlib.machinery
import io
import os
import runpy
import sys
import types

from . import SCRIPT_VARIABLE, install


def _run_file(script: str) -> None:
    """Runs it as `__main__`. Processes that it spawns run `spawned_script` first, as the module's spec says: only there
    are the stand-ins installed before the script is imported."""
    os.environ[SCRIPT_VARIABLE] = os.path.abspath(script)
    module = types.ModuleType("__main__")
    module.__file__ = script
    module.__spec__ = importlib.machinery.ModuleSpec("forebay.compat.spawned_script", None)
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    with io.open_code(os.path.abspath(script)) as file:
        code = compile(file.read(), script, "exec")
    exec(code, module.__dict__)


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(f"usage: {__doc__}")
        return 0 if len(sys.argv) > 1 else 2
    if sys.argv[1] == "--operators":
        from . import operators

        return operators.main(sys.argv[1:])
    script = sys.argv[1]
    if not os.path.exists(script):
        print(f"forebay.compat: {script}: no such file", file=sys.stderr)
        return 2
    install()
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    if script.endswith(".py"):
        _run_file(script)
    else:  # a folder or an archive with a __main__.py
        runpy.run_path(script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
