"""A proxy that holds GETs back until a test lets them through, and counts the bodies that were wanted to their end."""

from __future__ import annotations

import collections
import contextlib
import socket
import threading

from counting_proxy import CountingProxy, Handler, running


class GatedProxy(CountingProxy):
    """`gated` says of a path whether it waits at the gate; paths in `free` pass."""

    def __init__(self, port: int, suffix: str) -> None:
        super().__init__(port, GatedHandler)
        self.suffix = suffix
        self.changed = threading.Condition()
        self.is_open = False
        self.free: set[str] = set()
        self.held: list[str] = []
        self.bodies: collections.Counter[str] = collections.Counter()

    def is_gated(self, path: str) -> bool:
        return path.endswith(self.suffix)

    def open(self) -> None:
        with self.changed:
            self.is_open = True
            self.changed.notify_all()

    def let_through(self, paths: set[str]) -> None:
        with self.changed:
            self.free |= paths
            self.changed.notify_all()

    def pass_gate(self, path: str) -> None:
        with self.changed:
            self.held.append(path)
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.is_open or path in self.free)
            self.held.remove(path)

    def wait_until_held(self, paths: set[str]) -> None:
        """Until one of them waits at the gate."""
        with self.changed:
            self.changed.wait_for(lambda: not paths.isdisjoint(self.held))

    def wait_for_bodies(self, paths: set[str]) -> None:
        """Until each of them was wanted to its end."""
        with self.changed:
            self.changed.wait_for(lambda: all(self.bodies[path] > 0 for path in paths))

    def count_body(self, path: str, by: int) -> None:
        with self.changed:
            self.bodies[path] += by
            self.changed.notify_all()


class GatedHandler(Handler):
    server: GatedProxy
    last: str | None = None  # the path of the body that this connection brought last

    def handle(self) -> None:
        # A client that gives a request up closes its connection: what came by it last was not wanted to its end.
        with contextlib.suppress(ConnectionError):
            super().handle()
        if self.last is not None:
            self.server.count_body(self.last, -1)

    def do_GET(self) -> None:
        self.last = None
        if not self.server.is_gated(self.path):
            super().do_GET()
            return
        self.server.pass_gate(self.path)
        if self.is_given_up():
            self.close_connection = True
            return
        super().do_GET()
        self.server.count_body(self.path, 1)
        self.last = self.path

    def do_HEAD(self) -> None:
        self.last = None
        super().do_HEAD()

    def is_given_up(self) -> bool:
        try:
            return self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False


def gated_proxy(port: int, suffix: str) -> contextlib.AbstractContextManager[GatedProxy]:
    """Before the server at `port`; GETs of paths with this suffix wait at its gate."""
    return running(GatedProxy(port, suffix))
