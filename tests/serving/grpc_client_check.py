"""Exercises a gRPC door with Triton's own client and prints what came back, as one JSON object.

Runs in an environment that has `tritonclient[grpc]`; needs nothing of this package. What to ask comes on standard
input: {"url": "127.0.0.1:8001", "model": "NAME", "inputs": [{"name", "datatype", "shape", "data"}], "count": 8,
"token": "", "parameters": {}}. `data` is flat; elements of BYTES are base64, as they are in what is printed. `inputs`
may be a list of such lists: then each request of `async` and `stream` takes the next one.
"""

import asyncio
import base64
import json
import queue
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import tritonclient.grpc as triton
import tritonclient.grpc.aio as triton_aio
from tritonclient.utils import InferenceServerException, np_to_triton_dtype, triton_to_np_dtype

# No wait of this program is longer.
TIMEOUT_S = 60.0
UNKNOWN_MODEL = "there-is-no-such-model"


def make_inputs(described: list[dict[str, Any]]) -> list[triton.InferInput]:
    inputs = []
    for each in described:
        values: list[Any] = each["data"]
        if each["datatype"] == "BYTES":
            values = [base64.b64decode(value) for value in values]
        array = np.array(values, dtype=triton_to_np_dtype(each["datatype"])).reshape(each["shape"])
        tensor = triton.InferInput(each["name"], each["shape"], each["datatype"])
        tensor.set_data_from_numpy(array)
        inputs.append(tensor)
    return inputs


def tensor_json(array: np.ndarray) -> dict[str, Any]:
    if array.dtype == np.object_:
        values = [base64.b64encode(value).decode() for value in array.reshape(-1)]
    else:
        values = array.reshape(-1).tolist()
    return {"datatype": np_to_triton_dtype(array.dtype), "shape": list(array.shape), "data": values}


def result_json(result: triton.InferResult) -> dict[str, Any]:
    response = result.get_response()
    outputs = {output.name: tensor_json(result.as_numpy(output.name)) for output in response.outputs}
    return {"id": response.id, "model": response.model_name, "version": response.model_version, "outputs": outputs}


def error_json(error: InferenceServerException) -> dict[str, Any]:
    return {"status": error.status(), "message": error.message()}


def answer_json(result: triton.InferResult | None, error: InferenceServerException | None) -> dict[str, Any]:
    if error is not None:
        return {"error": error_json(error)}
    assert result is not None
    return result_json(result)


class Check:
    """One door and what to ask it."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self.asked = asked
        self.model: str = asked["model"]
        self.count: int = asked.get("count", 8)
        self.parameters: dict[str, Any] = asked.get("parameters", {})
        self.headers = {"authorization": "Bearer " + asked["token"]} if asked.get("token") else {}
        inputs = asked["inputs"]
        self.sets: list[list[dict[str, Any]]] = inputs if inputs and isinstance(inputs[0], list) else [inputs]
        self.client = triton.InferenceServerClient(asked["url"])

    def inputs(self, number: int) -> list[triton.InferInput]:
        return make_inputs(self.sets[number % len(self.sets)])

    def server(self) -> dict[str, Any]:
        ask = {"headers": self.headers, "client_timeout": TIMEOUT_S}
        as_json = ask | {"as_json": True}
        return {
            "live": self.client.is_server_live(**ask),
            "ready": self.client.is_server_ready(**ask),
            "model_ready": self.client.is_model_ready(self.model, **ask),
            "unknown_model_ready": self.client.is_model_ready(UNKNOWN_MODEL, **ask),
            "server_metadata": self.client.get_server_metadata(**as_json),
            "metadata": self.client.get_model_metadata(self.model, **as_json),
            "config": self.client.get_model_config(self.model, **as_json),
            "index": self.client.get_model_repository_index(**as_json),
            "trace_settings": self.client.get_trace_settings(**as_json),
            "log_settings": self.client.get_log_settings(**as_json),
            "cuda_regions": self.client.get_cuda_shared_memory_status(**as_json),
        }

    def sync(self) -> dict[str, Any]:
        result = self.client.infer(
            self.model, self.inputs(0), request_id="sync", headers=self.headers, parameters=self.parameters,
            client_timeout=TIMEOUT_S,
        )
        return result_json(result)

    def asynchronous(self) -> list[dict[str, Any]]:
        """By callbacks, all at a time; in the order of the requests."""
        answers: queue.Queue[dict[str, Any]] = queue.Queue()
        for number in range(self.count):
            self.client.async_infer(
                self.model, self.inputs(number),
                callback=lambda result, error: answers.put(answer_json(result, error)),
                request_id=f"async-{number:04}", headers=self.headers, parameters=self.parameters,
                client_timeout=TIMEOUT_S,
            )
        taken = [answers.get(timeout=TIMEOUT_S) for _ in range(self.count)]
        return sorted(taken, key=lambda answer: answer.get("id", ""))

    def stream(self) -> dict[str, Any]:
        """One bad request among the good ones: its error is an answer, and the others come all the same."""
        answers: list[dict[str, Any]] = []
        complete = threading.Event()

        def take(result: triton.InferResult | None, error: InferenceServerException | None) -> None:
            answers.append(answer_json(result, error))
            if len(answers) == self.count + 1:
                complete.set()

        self.client.start_stream(take, headers=self.headers, stream_timeout=TIMEOUT_S)
        self.client.async_stream_infer(UNKNOWN_MODEL, self.inputs(0), request_id="stream-unknown")
        for number in range(self.count):
            self.client.async_stream_infer(
                self.model, self.inputs(number), request_id=f"stream-{number:04}", parameters=self.parameters
            )
        is_complete = complete.wait(TIMEOUT_S)
        self.client.stop_stream()
        good = sorted((answer for answer in answers if "id" in answer), key=lambda answer: answer["id"])
        errors = [answer["error"] for answer in answers if "error" in answer]
        return {"complete": is_complete, "answers": good, "errors": errors}

    async def coroutines(self) -> list[dict[str, Any]]:
        async with triton_aio.InferenceServerClient(self.asked["url"]) as client:
            asked = [
                client.infer(
                    self.model, self.inputs(number), request_id=f"aio-{number:04}", headers=self.headers,
                    parameters=self.parameters, client_timeout=TIMEOUT_S,
                )
                for number in range(self.count)
            ]
            return [result_json(result) for result in await asyncio.gather(*asked)]

    def error_of(self, ask: Callable[[], object]) -> dict[str, Any] | None:
        """None where it is no error."""
        try:
            ask()
        except InferenceServerException as error:
            return error_json(error)
        return None

    def errors(self) -> dict[str, Any]:
        def infer(model: str, inputs: list[triton.InferInput], headers: dict[str, str]) -> Callable[[], object]:
            return lambda: self.client.infer(model, inputs, headers=headers, client_timeout=TIMEOUT_S)

        first = self.inputs(0)
        return {
            "unknown_model": self.error_of(infer(UNKNOWN_MODEL, first, self.headers)),
            "no_inputs": self.error_of(infer(self.model, [], self.headers)),
            "wrong_token": self.error_of(infer(self.model, first, {"authorization": "Bearer wrong"})),
            "unknown_metadata": self.error_of(
                lambda: self.client.get_model_metadata(UNKNOWN_MODEL, headers=self.headers)
            ),
        }

    def statistics(self) -> dict[str, Any]:
        return self.client.get_inference_statistics(self.model, headers=self.headers, as_json=True)


def main() -> int:
    check = Check(json.load(sys.stdin))
    found = check.server()
    found["sync"] = check.sync()
    found["async"] = check.asynchronous()
    found["stream"] = check.stream()
    found["aio"] = asyncio.run(check.coroutines())
    found["errors"] = check.errors()
    found["statistics"] = check.statistics()
    check.client.close()
    json.dump(found, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
