"""Models in Forebay's form: a class `Model`, or a function `infer`, in `model.py`.

    class Model:
        inputs = [("image", "UINT8", (-1, -1, 3))]
        outputs = [("scores", "FP32", (1000,))]
        max_batch_size = 16  # shapes above are then without the extent of the batch

        def __init__(self, config): ...
        def infer(self, image): return {"scores": ...}
        def close(self): ...  # if there is something to end
"""

import inspect
from types import ModuleType
from typing import Any

import numpy as np

from .declarations import Declarations, read_declarations


class OwnModel:
    """A loaded model of that form."""

    def __init__(self, module: ModuleType, config: dict[str, Any]) -> None:
        made = getattr(module, "Model", None)
        self._model: Any = made(config) if made is not None else module
        self._infer: Any = getattr(self._model, "infer", None)
        if self._infer is None:
            wanted = "no class `Model` with `infer`, no function `infer`, and no class `TritonPythonModel`"
            raise ValueError(f"{module.__file__} has {wanted}")
        self.declarations = self._read(config)
        self._wants_parameters = "parameters" in inspect.signature(self._infer).parameters

    def _read(self, config: dict[str, Any]) -> Declarations:
        def given(name: str, key: str) -> Any:
            value = getattr(self._model, name, config.get(key))
            if value is None:
                raise ValueError(f"the model has no `{name}`: list (name, type, shape) of each")
            return value

        size = getattr(self._model, "max_batch_size", config.get("max_batch_size", 0))
        return read_declarations(given("inputs", "input"), given("outputs", "output"), size)

    def infer(
        self, inputs: dict[str, np.ndarray[Any, Any]], request_id: str, outputs: list[str], parameters: dict[str, Any]
    ) -> dict[str, Any]:
        extra = {"parameters": parameters} if self._wants_parameters and "parameters" not in inputs else {}
        result = self._infer(**inputs, **extra)
        if not isinstance(result, dict):
            raise TypeError(f"infer() returned {type(result).__name__}, not a dict of arrays by output name")
        return result

    def close(self) -> None:
        end = getattr(self._model, "close", None)
        if end is not None:
            end()
