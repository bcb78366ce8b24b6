"""The requests of the Open Inference Protocol as bytes that lie ready: of files or of pixels, one picture each."""

import base64
import json
import pathlib
import struct
from typing import Any

import numpy


def _picture(kind: str, inputs: pathlib.Path, name: str) -> tuple[dict[str, Any], bytes]:
    """The tensor without its content, and the content."""
    if kind == "encoded":
        content = (inputs / "files" / f"{name}.jpg").read_bytes()
        return {"name": "picture", "datatype": "BYTES", "shape": [1, 1]}, content
    pixels = numpy.load(inputs / "pixels" / f"{name}.npy")
    return {"name": "picture", "datatype": "UINT8", "shape": [1, *pixels.shape]}, pixels.tobytes()


def _extras(server: str, output: str, asks_split: bool) -> dict[str, Any]:
    """Scores as JSON, prepared pictures as bytes; with `asks_split` also where the time went."""
    is_binary = output == "prepared"
    outputs: list[dict[str, Any]] = [{"name": output, "parameters": {"binary_data": is_binary}}]
    if not asks_split:
        return {"outputs": outputs}
    if server == "forebay":
        return {"outputs": outputs, "parameters": {"timing": True}}
    return {"outputs": [*outputs, {"name": "spent", "parameters": {"binary_data": False}}]}


def _plain(kind: str, tensor: dict[str, Any], content: bytes) -> dict[str, Any]:
    """All in JSON, for servers that take nothing behind it."""
    if kind == "encoded":
        return {**tensor, "data": [base64.b64encode(content).decode()], "parameters": {"content_type": "base64"}}
    return {**tensor, "data": list(content), "parameters": {"content_type": "np"}}


def body_of(server: str, is_plain: bool, kind: str, inputs: pathlib.Path, name: str, asks_split: bool = False,
            output: str = "classes") -> tuple[bytes, dict[str, str]]:
    """A request's body and header fields."""
    tensor, content = _picture(kind, inputs, name)
    extras = _extras(server, output, asks_split)
    if is_plain:
        asked = {"inputs": [_plain(kind, tensor, content)], **extras}
        return json.dumps(asked).encode(), {"Content-Type": "application/json"}
    raw = struct.pack("<I", len(content)) + content if kind == "encoded" else content
    tensor["parameters"] = {"binary_data_size": len(raw)}
    head = json.dumps({"inputs": [tensor], **extras}).encode()
    return head + raw, {"Inference-Header-Content-Length": str(len(head)), "Content-Type": "application/octet-stream"}


def names(inputs: pathlib.Path) -> list[str]:
    return sorted(path.stem for path in (inputs / "files").iterdir())


def write(path: pathlib.Path, model: str, bodies: list[tuple[bytes, dict[str, str]]]) -> None:
    """Whole HTTP requests, each behind its length, as load.cc reads them."""
    with path.open("wb") as file:
        for body, fields in bodies:
            lines = [f"POST /v2/models/{model}/infer HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}",
                     *(f"{name}: {value}" for name, value in fields.items())]
            request = ("\r\n".join(lines) + "\r\n\r\n").encode() + body
            file.write(struct.pack("<I", len(request)) + request)
