"""Runs a model's process, as a module of Forebay or as a folder: then the package gets a name of its own."""

import importlib.util
import sys
from pathlib import Path


def _load_folder() -> str:
    """Imports this folder as a package; it is no place where the model's imports are looked for."""
    folder = Path(__file__).resolve().parent
    sys.path[:] = [path for path in sys.path if Path(path).resolve() != folder]
    name = "forebay_serving_worker"
    file = folder / "__init__.py"
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=[str(folder)])
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    spec.loader.exec_module(package)
    return name


if __name__ == "__main__":
    _package = __package__ or _load_folder()
    sys.exit(importlib.import_module(f"{_package}.process").main())
