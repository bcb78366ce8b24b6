"""Loads a model's file."""

import importlib.util
import sys
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .declarations import Declarations
from .own_model import OwnModel
from .triton_model import TritonModel, provide_utils


class LoadedModel(Protocol):
    declarations: Declarations

    def infer(
        self, inputs: dict[str, np.ndarray[Any, Any]], request_id: str, outputs: list[str], parameters: dict[str, Any]
    ) -> dict[str, Any]: ...

    def close(self) -> None: ...


def load_model(path: str, config: dict[str, Any], name: str, version: str) -> LoadedModel:
    """Runs the file as the module `model`; what lies beside it can be imported."""
    file = Path(path).resolve()
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    sys.path.insert(0, str(file.parent))
    provide_utils()
    spec = importlib.util.spec_from_file_location("model", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no file of Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules["model"] = module
    spec.loader.exec_module(module)
    if hasattr(module, "TritonPythonModel"):
        return TritonModel(module, config, name, version, str(file.parent.parent))
    return OwnModel(module, config)
