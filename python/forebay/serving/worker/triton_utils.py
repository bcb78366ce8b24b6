"""The module `triton_python_backend_utils` as models written for Triton's Python backend know it.

Source of the names and their meaning: the README of triton-inference-server/python_backend. Here a model answers
each request with one response; models that answer otherwise (decoupled), or call other models, are told so.
"""

import json
import logging
import struct
from typing import Any

import numpy as np

from .element_types import decode_bytes, encode_bytes, numpy_type, protocol_type

_log = logging.getLogger("triton")


class TritonModelException(Exception):
    """An error that the client is to see."""


class TritonError:
    """The error of a response."""

    UNKNOWN, INTERNAL, NOT_FOUND, INVALID_ARG, UNAVAILABLE, UNSUPPORTED, ALREADY_EXISTS, CANCELLED = range(8)

    def __init__(self, message: str, code: int = INTERNAL) -> None:
        self._message = message
        self._code = code

    def message(self) -> str:
        return self._message

    def code(self) -> int:
        return self._code


class _Capsule:
    """Memory handed over by DLPack without the object that it is of."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # kDLCPU


class Tensor:
    """A named array."""

    def __init__(self, name: str, array: np.ndarray[Any, Any]) -> None:
        if not isinstance(array, np.ndarray):
            raise TritonModelException(f"tensor '{name}' is of {type(array).__name__}, not of a NumPy array")
        self._name = name
        self._array = array

    def name(self) -> str:
        return self._name

    def as_numpy(self) -> np.ndarray[Any, Any]:
        return self._array

    def shape(self) -> list[int]:
        return list(self._array.shape)

    def triton_dtype(self) -> str:
        return protocol_type(self._array.dtype)

    def is_cpu(self) -> bool:
        return True

    def to_dlpack(self) -> Any:
        array = self._array if self._array.flags.writeable else self._array.copy()
        return array.__dlpack__()

    def __dlpack__(self, **_: Any) -> Any:
        return self.to_dlpack()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    @staticmethod
    def from_dlpack(name: str, tensor: Any) -> "Tensor":
        return Tensor(name, np.from_dlpack(tensor if hasattr(tensor, "__dlpack__") else _Capsule(tensor)))


class InferenceRequest:
    """What execute() is given."""

    def __init__(
        self,
        request_id: str = "",
        inputs: list[Tensor] | None = None,
        requested_output_names: list[str] | None = None,
        model_name: str = "",
        model_version: int = -1,
        parameters: Any = "{}",
        **_: Any,
    ) -> None:
        self._id = request_id
        self._inputs = inputs or []
        self._outputs = requested_output_names or []
        self._model = (model_name, model_version)
        self._parameters = parameters if isinstance(parameters, str) else json.dumps(parameters)

    def inputs(self) -> list[Tensor]:
        return self._inputs

    def requested_output_names(self) -> list[str]:
        return self._outputs

    def request_id(self) -> str:
        return self._id

    def correlation_id(self) -> int:
        return 0

    def flags(self) -> int:
        return 0

    def timeout(self) -> int:
        return 0

    def model_name(self) -> str:
        return self._model[0]

    def model_version(self) -> int:
        return self._model[1]

    def parameters(self) -> str:
        return self._parameters

    def is_cancelled(self) -> bool:
        return False

    def get_response_sender(self) -> Any:
        raise TritonModelException("models that send responses by themselves (decoupled) are not served here")

    def exec(self, **_: Any) -> Any:
        raise TritonModelException("models that call other models are not served here; use an ensemble")

    async_exec = exec


class InferenceResponse:
    """What execute() returns, one for each request."""

    def __init__(self, output_tensors: list[Tensor] | None = None, error: TritonError | str | None = None) -> None:
        self._outputs = list(output_tensors or [])
        self._error = TritonError(error) if isinstance(error, str) else error

    def output_tensors(self) -> list[Tensor]:
        return self._outputs

    def has_error(self) -> bool:
        return self._error is not None

    def error(self) -> TritonError | None:
        return self._error


class ModelConfig:
    """What auto_complete_config() completes."""

    def __init__(self, config: dict[str, Any]) -> None:
        self._config = config

    def as_dict(self) -> dict[str, Any]:
        return self._config

    def set_max_batch_size(self, size: int) -> None:
        self._config["max_batch_size"] = size

    def set_dynamic_batching(self) -> None:
        self._config.setdefault("dynamic_batching", {})

    def set_model_transaction_policy(self, policy: dict[str, Any]) -> None:
        self._config["model_transaction_policy"] = policy

    def add_input(self, tensor: dict[str, Any]) -> None:
        self._add("input", tensor)

    def add_output(self, tensor: dict[str, Any]) -> None:
        self._add("output", tensor)

    def _add(self, side: str, tensor: dict[str, Any]) -> None:
        tensors = self._config.setdefault(side, [])
        if all(known["name"] != tensor["name"] for known in tensors):
            tensors.append(tensor)


class Logger:
    """Messages to the server's log."""

    @staticmethod
    def log(message: str, level: int = logging.INFO) -> None:
        _log.log(level, message)

    @staticmethod
    def log_info(message: str) -> None:
        _log.info(message)

    @staticmethod
    def log_warn(message: str) -> None:
        _log.warning(message)

    @staticmethod
    def log_error(message: str) -> None:
        _log.error(message)

    @staticmethod
    def log_verbose(message: str) -> None:
        _log.debug(message)


def _find_tensor(tensors: list[Tensor], name: str) -> Tensor | None:
    return next((tensor for tensor in tensors if tensor.name() == name), None)


def get_input_tensor_by_name(inference_request: InferenceRequest, name: str) -> Tensor | None:
    return _find_tensor(inference_request.inputs(), name)


def get_output_tensor_by_name(inference_response: InferenceResponse, name: str) -> Tensor | None:
    return _find_tensor(inference_response.output_tensors(), name)


def _find_config(config: dict[str, Any], side: str, name: str) -> dict[str, Any] | None:
    return next((tensor for tensor in config.get(side, []) if tensor["name"] == name), None)


def get_input_config_by_name(model_config: dict[str, Any], name: str) -> dict[str, Any] | None:
    return _find_config(model_config, "input", name)


def get_output_config_by_name(model_config: dict[str, Any], name: str) -> dict[str, Any] | None:
    return _find_config(model_config, "output", name)


def using_decoupled_model_transaction_policy(model_config: dict[str, Any]) -> bool:
    return bool(model_config.get("model_transaction_policy", {}).get("decoupled", False))


def triton_string_to_numpy(triton_type_string: str) -> Any:
    return numpy_type(protocol_type(triton_type_string)).type


def numpy_to_triton_type(data_type: Any) -> str:
    name = protocol_type(data_type)
    return "TYPE_STRING" if name == "BYTES" else f"TYPE_{name}"


def serialize_byte_tensor(input_tensor: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """As an array of one object, the bytes of all elements, each behind its length; None for an empty array."""
    if input_tensor.size == 0:
        return None
    packed = np.empty(1, dtype=object)
    packed[0] = encode_bytes(input_tensor)
    return packed


def deserialize_bytes_tensor(encoded_tensor: bytes) -> np.ndarray[Any, Any]:
    count = 0
    at = 0
    while at < len(encoded_tensor):
        at += 4 + struct.unpack_from("<I", encoded_tensor, at)[0]
        count += 1
    return decode_bytes(encoded_tensor, count)
