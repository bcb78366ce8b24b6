"""The socket to the server: JSON messages with at most one file descriptor beside each.

The form of the messages is in src/forebay/serving/processes/worker_message.h.
"""

import json
import os
import socket
from typing import Any

SERVER_SOCKET = 3
_MOST_BYTES = 64 << 10
_MOST_ERROR_BYTES = 8 << 10
_MOST_CODE_BYTES = 100


class TooLong(Exception):
    """A message that does not fit."""

    code = "RESOURCE_EXHAUSTED"


class Connection:
    """To the server, which started this process with the socket as descriptor 3."""

    def __init__(self, descriptor: int = SERVER_SOCKET) -> None:
        self._socket = socket.socket(fileno=descriptor)
        self._socket.set_inheritable(False)

    def receive(self) -> tuple[dict[str, Any], int | None] | None:
        """The next message and the descriptor that came with it; None once the server has closed its end."""
        data, descriptors, _, _ = socket.recv_fds(self._socket, _MOST_BYTES, 16)
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        if not data:
            return None
        message: dict[str, Any] = json.loads(data)
        return message, descriptors[0] if descriptors else None

    def send(self, message: dict[str, Any], descriptor: int | None = None) -> None:
        """TooLong, with nothing sent, for one that is no message of the socket's."""
        encoded = json.dumps(message, separators=(",", ":")).encode()
        if len(encoded) > _MOST_BYTES:
            raise TooLong(f"names and shapes take {len(encoded)} bytes; a message has at most {_MOST_BYTES}")
        socket.send_fds(self._socket, [encoded], [] if descriptor is None else [descriptor])


def error_fields(code: str, message: str) -> dict[str, str]:
    """Of an answer or a failure; long texts are cut in the middle, so that the message fits."""
    whole = message.encode(errors="replace").decode()
    text = whole
    kept = min(len(whole), _MOST_ERROR_BYTES)
    while len(json.dumps(text)) > _MOST_ERROR_BYTES:  # JSON takes up to twelve bytes for a character
        kept //= 2
        text = f"{whole[: kept // 2]} ... {whole[len(whole) - kept // 2 :]}"
    return {"code": code[:_MOST_CODE_BYTES], "message": text}
