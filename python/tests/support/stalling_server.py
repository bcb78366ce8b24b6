"""A web server on loopback that answers half of what it is asked for, and then nothing more."""

from __future__ import annotations

import contextlib
import http.server
import threading
from collections.abc import Iterator
from typing import Any

SIZE = 32 << 20


class StallingServer(http.server.ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.was_asked = threading.Event()
        self.may_end = threading.Event()

    @property
    def uri(self) -> str:
        return f"http://{self.server_address[0]!s}:{self.server_port}/big"


class Handler(http.server.BaseHTTPRequestHandler):
    server: StallingServer

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(SIZE))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", '"one"')
        self.end_headers()

    def do_GET(self) -> None:
        first, _, last = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
        end = int(last) if last else SIZE - 1
        self.send_response(206)
        self.send_header("Content-Length", str(end + 1 - int(first)))
        self.send_header("Content-Range", f"bytes {first}-{end}/{SIZE}")
        self.send_header("ETag", '"one"')
        self.end_headers()
        with contextlib.suppress(OSError):  # whoever asked may be gone
            self.wfile.write(bytes((end + 1 - int(first)) // 2))
            self.wfile.flush()
        self.server.was_asked.set()
        self.server.may_end.wait()

    def log_message(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def stalling_server() -> Iterator[StallingServer]:
    with StallingServer() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.may_end.set()
            server.shutdown()
            thread.join()
