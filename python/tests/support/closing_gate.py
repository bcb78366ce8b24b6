"""A way to a server that can be closed and opened: what comes while it is closed is turned away."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

HOST = "127.0.0.1"


class ClosingGate:
    def __init__(self, port: int) -> None:
        self.behind = port
        self.is_open = True
        self.lock = threading.Lock()
        self.connections: set[socket.socket] = set()
        self.listener = socket.create_server((HOST, 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def open(self) -> None:
        with self.lock:
            self.is_open = True

    def close(self) -> None:
        """Ends what goes through, too."""
        with self.lock:
            self.is_open = False
            for connection in self.connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                if not self.is_open:
                    near.close()
                    continue
                far = socket.create_connection((HOST, self.behind))
                self.connections |= {near, far}
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while part := source.recv(1 << 16):
                target.sendall(part)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        with self.lock:
            if source in self.connections:
                self.connections.discard(source)
                source.close()


@contextlib.contextmanager
def closing_gate(port: int) -> Iterator[ClosingGate]:
    gate = ClosingGate(port)
    try:
        yield gate
    finally:
        gate.close()
        gate.listener.close()
