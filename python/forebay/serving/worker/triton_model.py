"""Models in the form of Triton's Python backend: a class `TritonPythonModel` in `model.py`."""

import json
import sys
from types import ModuleType
from typing import Any

import numpy as np

from . import triton_utils
from .declarations import read_declarations
from .faults import ModelFault

_CODES = {
    triton_utils.TritonError.NOT_FOUND: "NOT_FOUND",
    triton_utils.TritonError.INVALID_ARG: "INVALID_ARGUMENT",
    triton_utils.TritonError.UNAVAILABLE: "UNAVAILABLE",
    triton_utils.TritonError.UNSUPPORTED: "UNIMPLEMENTED",
    triton_utils.TritonError.ALREADY_EXISTS: "ALREADY_EXISTS",
    triton_utils.TritonError.CANCELLED: "CANCELLED",
}


def provide_utils() -> None:
    """`import triton_python_backend_utils` works from now on, in this process only."""
    sys.modules["triton_python_backend_utils"] = triton_utils


class TritonModel:
    """A loaded model of that form."""

    def __init__(self, module: ModuleType, config: dict[str, Any], name: str, version: str, folder: str) -> None:
        kind = module.TritonPythonModel
        self._name = name
        self._version = int(version) if version.isdigit() else -1
        if hasattr(kind, "auto_complete_config"):
            completed = kind.auto_complete_config(triton_utils.ModelConfig(dict(config)))
            config = config if completed is None else completed.as_dict()
        if triton_utils.using_decoupled_model_transaction_policy(config):
            raise NotImplementedError("models that send responses by themselves (decoupled) are not served here")
        if not config.get("input") and not config.get("output"):
            raise ValueError("a model of Triton's form needs a configuration with `input` and `output`")
        self.declarations = read_declarations(
            config.get("input", []), config.get("output", []), config.get("max_batch_size", 0)
        )
        self._model: Any = kind()
        if hasattr(self._model, "initialize"):
            self._model.initialize(
                {
                    "model_config": json.dumps(config),
                    "model_instance_kind": "CPU",
                    "model_instance_name": f"{name}_0",
                    "model_instance_device_id": "0",
                    "model_repository": folder,
                    "model_version": version,
                    "model_name": name,
                }
            )

    def infer(
        self, inputs: dict[str, np.ndarray[Any, Any]], request_id: str, outputs: list[str], parameters: dict[str, Any]
    ) -> dict[str, Any]:
        request = triton_utils.InferenceRequest(
            request_id=request_id,
            inputs=[triton_utils.Tensor(name, array) for name, array in inputs.items()],
            requested_output_names=outputs or [declared.name for declared in self.declarations.outputs],
            model_name=self._name,
            model_version=self._version,
            parameters=parameters,
        )
        responses = self._model.execute([request])
        if not isinstance(responses, (list, tuple)) or len(responses) != 1 or responses[0] is None:
            raise TypeError("execute() did not return a list with one InferenceResponse for the one request")
        error = responses[0].error()
        if error is not None:
            raise ModelFault(_CODES.get(error.code(), "INTERNAL"), error.message())
        return {tensor.name(): tensor.as_numpy() for tensor in responses[0].output_tensors()}

    def close(self) -> None:
        if hasattr(self._model, "finalize"):
            self._model.finalize()
