"""A web server on loopback that refuses, breaks off or changes its mind, as a test tells it to, and keeps what it was asked."""

from __future__ import annotations

import contextlib
import http.server
import itertools
import threading
from collections.abc import Iterator
from typing import Any

CONTENT = bytes(range(256)) * 8
# What it does to all requests: answers them; refuses the signature; is busy; has another version each time; breaks
# answers off; answers something else.
MODES = ("whole", "refused", "busy", "changed", "cut", "nonsense")
REFUSAL = b"<Error><Code>SignatureDoesNotMatch</Code><Message>The signature does not match.</Message></Error>"


class FaultyServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.mode = "whole"
        self.versions = itertools.count()
        self.asked: list[str] = []  # requests, with their headers

    @property
    def authority(self) -> str:
        return f"{self.server_address[0]!s}:{self.server_port}"

    @property
    def url(self) -> str:
        return f"http://{self.authority}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FaultyServer

    def answer(self) -> None:
        self.server.asked.append(f"{self.requestline}\n{self.headers}")
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        mode = self.server.mode
        if mode == "refused":
            self.send(403, REFUSAL)
        elif mode == "busy":
            self.send(503, b"", {"Retry-After": "0"})
        elif mode == "nonsense":
            self.send(200, b"<html>")
        else:
            self.send_object(is_cut=mode == "cut", version=next(self.server.versions) if mode == "changed" else 0)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer

    def send_object(self, is_cut: bool, version: int) -> None:
        headers = {"ETag": f'"{version}"', "Last-Modified": "Tue, 24 Nov 2026 12:00:00 GMT", "Accept-Ranges": "bytes"}
        wanted = self.headers.get("Range")
        if wanted is None:
            self.send(200, CONTENT, headers, is_cut)
            return
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        begin, end = int(first), min(int(last or len(CONTENT)) + 1, len(CONTENT))
        headers["Content-Range"] = f"bytes {begin}-{end - 1}/{len(CONTENT)}"
        self.send(206, CONTENT[begin:end], headers, is_cut)

    def send(self, status: int, body: bytes, headers: dict[str, str] | None = None, is_cut: bool = False) -> None:
        self.send_response_only(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            with contextlib.suppress(OSError):  # whoever asked may be gone
                self.wfile.write(body[: len(body) // 2] if is_cut else body)
        self.close_connection = is_cut

    def log_message(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def faulty_server() -> Iterator[FaultyServer]:
    with FaultyServer() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
