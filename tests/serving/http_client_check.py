"""Exercises the HTTP door with Triton's own client and prints what came back, as one JSON object.

Runs in an environment that has `tritonclient[http]`; needs nothing of this package. Standard input: {"url": "127.0.0.1:8000",
"model": NAME, "input": NAME, "output": NAME, "pictures": [base64...], "count": 8}. Each picture is a row of BYTES.
"""

import asyncio
import base64
import json
import sys
from typing import Any

import numpy as np
import tritonclient.http as triton
import tritonclient.http.aio as triton_aio
from tritonclient.utils import InferenceServerException, serialize_byte_tensor, shared_memory

REGION = "forebay_http_check"


class Check:
    """One server, one model, and what to ask it."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self.asked = asked
        self.model: str = asked["model"]
        self.output: str = asked["output"]
        self.pictures = [base64.b64decode(each) for each in asked["pictures"]]
        self.client = triton.InferenceServerClient(asked["url"], concurrency=4)

    def inputs(self, pictures: list[bytes], kind: Any = triton, is_binary: bool = True) -> list[Any]:
        tensor = kind.InferInput(self.asked["input"], [len(pictures), 1], "BYTES")
        tensor.set_data_from_numpy(np.array(pictures, np.object_).reshape(-1, 1), binary_data=is_binary)
        return [tensor]

    def outputs(self, kind: Any = triton, **options: Any) -> list[Any]:
        return [kind.InferRequestedOutput(self.output, **options)]

    def values(self, result: Any) -> Any:
        array = result.as_numpy(self.output)
        if array.dtype == np.object_:
            return [each.decode() for each in array.ravel()]
        return array.tolist()

    def server(self) -> dict[str, Any]:
        return {
            "live": self.client.is_server_live(),
            "ready": self.client.is_server_ready(),
            "model_ready": self.client.is_model_ready(self.model),
            "server_metadata": self.client.get_server_metadata(),
            "metadata": self.client.get_model_metadata(self.model),
            "config": self.client.get_model_config(self.model),
            "index": self.client.get_model_repository_index(),
            "statistics": self.client.get_inference_statistics(self.model),
        }

    def forms(self) -> dict[str, Any]:
        """The same question with binary and plain outputs, as classes, and compressed."""
        ask = self.client.infer
        return {
            "binary": self.values(ask(self.model, self.inputs(self.pictures), outputs=self.outputs(binary_data=True))),
            "plain": self.values(ask(self.model, self.inputs(self.pictures), outputs=self.outputs(binary_data=False))),
            "all": self.values(ask(self.model, self.inputs(self.pictures), request_id="all")),
            "classes": self.values(ask(self.model, self.inputs(self.pictures), outputs=self.outputs(class_count=2))),
            "gzip": self.values(
                ask(
                    self.model,
                    self.inputs(self.pictures),
                    request_compression_algorithm="gzip",
                    response_compression_algorithm="gzip",
                )
            ),
        }

    def asynchronous(self) -> list[Any]:
        pending = [
            self.client.async_infer(self.model, self.inputs([self.pictures[number % len(self.pictures)]]))
            for number in range(self.asked["count"])
        ]
        return [self.values(each.get_result(timeout=60)) for each in pending]

    async def with_asyncio(self) -> list[Any]:
        async with triton_aio.InferenceServerClient(self.asked["url"]) as client:
            requests = [
                client.infer(self.model, self.inputs([self.pictures[number % len(self.pictures)]], triton_aio))
                for number in range(self.asked["count"])
            ]
            return [self.values(result) for result in await asyncio.gather(*requests)]

    def shared_memory(self) -> dict[str, Any]:
        """Pictures and answer in shared memory."""
        serialized = serialize_byte_tensor(np.array(self.pictures, np.object_))
        size, answer_size = len(serialized.item()), 4096
        handle = shared_memory.create_shared_memory_region(REGION, "/" + REGION, size + answer_size)
        try:
            shared_memory.set_shared_memory_region(handle, [serialized])
            self.client.register_system_shared_memory(REGION, "/" + REGION, size + answer_size)
            tensor = triton.InferInput(self.asked["input"], [len(self.pictures), 1], "BYTES")
            tensor.set_shared_memory(REGION, size)
            output = triton.InferRequestedOutput(self.output)
            output.set_shared_memory(REGION, answer_size, offset=size)
            result = self.client.infer(self.model, [tensor], outputs=[output])
            shape = result.get_output(self.output)["shape"]
            values = shared_memory.get_contents_as_numpy(handle, np.float32, shape, offset=size).tolist()
            status = self.client.get_system_shared_memory_status()
            self.client.unregister_system_shared_memory(REGION)
            return {"values": values, "status": status, "left": self.client.get_system_shared_memory_status()}
        finally:
            shared_memory.destroy_shared_memory_region(handle)

    def refusals(self) -> dict[str, str]:
        said = {}
        for what, model, inputs in (
            ("unknown", "there-is-no-such-model", self.inputs(self.pictures)),
            ("broken", self.model, self.inputs([b"not a picture"])),
            ("nameless", self.model, [triton.InferInput("wrong", [1, 1], "BYTES")]),
        ):
            if what == "nameless":
                inputs[0].set_data_from_numpy(np.array([[b"x"]], np.object_))
            try:
                self.client.infer(model, inputs)
                said[what] = "answered"
            except InferenceServerException as error:
                said[what] = f"{error.status()}: {error.message()}"
        return said

    def all(self) -> dict[str, Any]:
        return {
            "server": self.server(),
            "forms": self.forms(),
            "async": self.asynchronous(),
            "asyncio": asyncio.run(self.with_asyncio()),
            "shared_memory": self.shared_memory(),
            "refusals": self.refusals(),
        }


if __name__ == "__main__":
    print(json.dumps(Check(json.load(sys.stdin)).all()))
