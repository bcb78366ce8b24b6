"""A client that is to be killed while it waits for answers, or in the middle of what it sends.

Runs in an environment that has `tritonclient[all]`; needs nothing of this package. Its one argument is JSON: {"kind": "http",
"grpc", "stream", "shared memory", "half a body" or "half a message", "http": "127.0.0.1:8000", "grpc": "127.0.0.1:8001",
"model": NAME, "value": 1.0}. It sends one request, and for each line of standard input some more, and prints a line each
time. It ends when standard input does.
"""

import json
import os
import socket
import struct
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import tritonclient.grpc as triton_grpc
import tritonclient.http as triton_http
from tritonclient.utils import shared_memory

MORE = 3
HALF_BYTES = 16 << 20
# HTTP/2 (RFC 9113, RFC 7541): the preface, frames, and header fields that are neither indexed nor compressed.
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, END_HEADERS = 0, 1, 4, 4
ALWAYS_ALLOWED_BYTES = 65535


def inputs(kind: Any, value: float) -> list[Any]:
    tensor = kind.InferInput("x", [1], "FP32")
    tensor.set_data_from_numpy(np.array([value], np.float32))
    return [tensor]


def ignore(*_: Any, **__: Any) -> None:
    """What an answer is given to."""


def over_http(asked: dict[str, Any], prepared: list[Any], outputs: list[Any] | None = None) -> Callable[[], None]:
    """Each request has a thread and a connection."""

    def ask() -> None:
        client = triton_http.InferenceServerClient(asked["http"], network_timeout=120)
        client.infer(asked["model"], prepared, outputs=outputs)

    return lambda: threading.Thread(target=ask, daemon=True).start()


def http(asked: dict[str, Any]) -> Callable[[], None]:
    return over_http(asked, inputs(triton_http, asked["value"]))


def in_shared_memory(asked: dict[str, Any]) -> Callable[[], None]:
    """The region and its file have one name; nobody takes either away."""
    name = f"forebay_doomed_{os.getpid()}"
    handle = shared_memory.create_shared_memory_region(name, "/" + name, 4096)
    shared_memory.set_shared_memory_region(handle, [np.array([asked["value"]], np.float32)])
    triton_http.InferenceServerClient(asked["http"]).register_system_shared_memory(name, "/" + name, 4096)
    tensor = triton_http.InferInput("x", [1], "FP32")
    tensor.set_shared_memory(name, 4)
    output = triton_http.InferRequestedOutput("y")
    output.set_shared_memory(name, 4, offset=2048)
    return over_http(asked, [tensor], [output])


def grpc(asked: dict[str, Any]) -> Callable[[], None]:
    client = triton_grpc.InferenceServerClient(asked["grpc"])
    prepared = inputs(triton_grpc, asked["value"])
    return lambda: client.async_infer(asked["model"], prepared, callback=ignore, client_timeout=120) and None


def stream(asked: dict[str, Any]) -> Callable[[], None]:
    client = triton_grpc.InferenceServerClient(asked["grpc"])
    client.start_stream(ignore, stream_timeout=120)
    prepared = inputs(triton_grpc, asked["value"])
    return lambda: client.async_stream_infer(asked["model"], prepared)


def connect(address: str) -> socket.socket:
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=60)


def half_a_body(asked: dict[str, Any]) -> Callable[[], None]:
    connections = []

    def send() -> None:
        connection = connect(asked["http"])
        connections.append(connection)
        head = f"POST /v2/models/{asked['model']}/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: {2 * HALF_BYTES}\r\n\r\n"
        connection.sendall(head.encode() + b"[" * HALF_BYTES)

    return send


def frame(kind: int, flags: int, stream_number: int, content: bytes) -> bytes:
    return struct.pack(">I", len(content))[1:] + struct.pack(">BBI", kind, flags, stream_number) + content


def plain_field(name: bytes, value: bytes) -> bytes:
    assert len(name) < 127 and len(value) < 127
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


def half_a_message(asked: dict[str, Any]) -> Callable[[], None]:
    connections = []
    fields = {
        b":method": b"POST", b":scheme": b"http", b":path": b"/inference.GRPCInferenceService/ModelInfer",
        b":authority": asked["grpc"].encode(), b"content-type": b"application/grpc", b"te": b"trailers",
    }

    def send() -> None:
        connection = connect(asked["grpc"])
        connections.append(connection)
        head = b"".join(plain_field(name, value) for name, value in fields.items())
        message = struct.pack(">BI", 0, 2 * ALWAYS_ALLOWED_BYTES) + b"\x0a" * 8000
        connection.sendall(PREFACE + frame(SETTINGS, 0, 0, b"") + frame(HEADERS, END_HEADERS, 1, head)
                           + frame(DATA, 0, 1, message))

    return send


KINDS = {
    "http": http, "grpc": grpc, "stream": stream, "shared memory": in_shared_memory, "half a body": half_a_body,
    "half a message": half_a_message,
}


def main() -> None:
    asked = json.loads(sys.argv[1])
    send = KINDS[asked["kind"]](asked)
    send()
    print("sent", flush=True)
    for _ in sys.stdin:
        for _ in range(MORE):
            send()
        print("sent more", flush=True)
    os._exit(0)  # whatever its threads wait for


if __name__ == "__main__":
    main()
