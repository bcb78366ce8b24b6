"""A server in front of another one: passes requests on as they are, and counts the listings of S3 among them."""

from __future__ import annotations

import collections.abc
import contextlib
import http.client
import http.server
import threading
from typing import TypeVar

HOST = "127.0.0.1"


class CountingProxy(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, handler: type[Handler] | None = None) -> None:
        super().__init__((HOST, 0), handler or Handler)
        self.behind = port
        self.lists = 0
        self.others = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.server_port}"

    def count(self, path: str) -> None:
        with self.lock:
            if "list-type=2" in path:
                self.lists += 1
            else:
                self.others += 1


Proxy = TypeVar("Proxy", bound=CountingProxy)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: CountingProxy

    def do_GET(self) -> None:
        self.server.count(self.path)
        connection = http.client.HTTPConnection(HOST, self.server.behind)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            connection.putheader(name, value)
        connection.endheaders(self.rfile.read(int(self.headers.get("Content-Length", 0))) or None)
        answer = connection.getresponse()
        content = answer.read()
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                self.send_header(name, value)
        length = answer.getheader("content-length") if self.command == "HEAD" else str(len(content))
        self.send_header("Content-Length", length or "0")
        self.end_headers()
        self.wfile.write(content)
        connection.close()

    do_HEAD = do_PUT = do_POST = do_DELETE = do_GET

    def log_message(self, format: str, *arguments: object) -> None:
        pass


def counting_proxy(port: int) -> contextlib.AbstractContextManager[CountingProxy]:
    return running(CountingProxy(port))


@contextlib.contextmanager
def running(proxy: Proxy) -> collections.abc.Iterator[Proxy]:
    thread = threading.Thread(target=proxy.serve_forever)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        thread.join()
        proxy.server_close()
