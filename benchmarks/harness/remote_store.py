"""A real S3 server behind a wire that is slow, for benchmarks: all contenders read through the same one.

The kernel's own means of slowing a connection are not there in every container, so a small relay stands in for the
wire. It passes bytes on as they are. The first bytes of each answer wait for `first_byte_s`; all answers together get
`bytes_per_second`. Needs `make servers`.
"""

import asyncio
import contextlib
import datetime
import hashlib
import hmac
import mmap
import pathlib
import sys
import tempfile
import threading
import time
import urllib.parse
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "python" / "tests" / "support"))

import http_bodies  # noqa: E402
import s3_server  # noqa: E402
import wire_file  # noqa: E402

BUCKET = "far"
PIECE_BYTES = 128 << 10
LOOK_S = 0.01


class Wire:
    """The relay, on a thread of its own."""

    def __init__(self, server: s3_server.S3Server, first_byte_s: float, bytes_per_second: float,
                 counter: pathlib.Path | None = None) -> None:
        """`counter`: a file for other processes (wire_file.py)."""
        self.first_byte_s = first_byte_s
        self.bytes_per_second = bytes_per_second
        self._told = memoryview(bytearray(wire_file.SIZE))
        if counter is not None:
            counter.write_bytes(bytes(wire_file.SIZE))
            with counter.open("r+b") as file:
                self._told = memoryview(mmap.mmap(file.fileno(), wire_file.SIZE))
        self._connections: set[asyncio.StreamWriter] = set()
        self._server = server
        self._free_at = 0.0  # when the wire has passed on what it was given
        self._loop = asyncio.new_event_loop()
        self._listening = self._loop.run_until_complete(asyncio.start_server(self._serve, s3_server.HOST, 0))
        self.port = self._listening.sockets[0].getsockname()[1]
        self._cut_while_away()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    def _is_away(self) -> bool:
        until = wire_file.AWAY_UNTIL.unpack_from(self._told, wire_file.AWAY_UNTIL_AT)[0]
        return time.monotonic_ns() < int(until)

    def _cut_while_away(self) -> None:
        if self._is_away():
            for writer in self._connections:
                writer.transport.abort()
        self._loop.call_later(LOOK_S, self._cut_while_away)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(writer)
        self._tell_connections()
        try:
            await self._relay(reader, writer)
        finally:
            self._connections.discard(writer)
            self._tell_connections()

    def _tell_connections(self) -> None:
        wire_file.CONNECTIONS.pack_into(self._told, wire_file.CONNECTIONS_AT, len(self._connections))

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_away():
            writer.transport.abort()
            return
        try:
            behind_reader, behind_writer = await asyncio.open_connection(s3_server.HOST, self._server.port,
                                                                         limit=4 * PIECE_BYTES)
        except OSError:
            writer.close()
            return
        asked = [0.0]  # when the request that is being answered came; 0: its first bytes were passed on
        bodies = http_bodies.ObjectBodies()
        await asyncio.gather(self._pass_requests(reader, behind_writer, asked, bodies),
                             self._pass_answers(behind_reader, writer, asked, bodies))

    async def _pass_requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter,
                             asked: list[float], bodies: http_bodies.ObjectBodies) -> None:
        with contextlib.suppress(OSError):
            while piece := await reader.read(PIECE_BYTES):
                asked[0] = self._loop.time()
                requests, object_requests = bodies.request(piece)
                self._count(requests=requests, object_requests=object_requests)
                writer.write(piece)
                await writer.drain()
        writer.close()

    def _count(self, **more: int) -> None:
        passed = wire_file.Passed(*wire_file.PASSED.unpack_from(self._told))
        counts = passed._replace(**{name: getattr(passed, name) + count for name, count in more.items()})
        wire_file.PASSED.pack_into(self._told, 0, *counts)

    async def _pass_answers(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter,
                            asked: list[float], bodies: http_bodies.ObjectBodies) -> None:
        with contextlib.suppress(OSError):
            while piece := await reader.read(PIECE_BYTES):
                if writer.is_closing():
                    break
                now = self._loop.time()
                begin = max(now, asked[0] + self.first_byte_s if asked[0] else now, self._free_at)
                asked[0] = 0
                self._free_at = begin + len(piece) / self.bytes_per_second
                self._count(bytes=len(piece), object_bytes=bodies.answer(piece))
                if self._free_at > now:
                    await asyncio.sleep(self._free_at - now)
                writer.write(piece)
                await writer.drain()
        writer.close()

    def environment(self) -> dict[str, str]:
        """The variables by which a contender finds the server through this wire."""
        return {**self._server.environment(), "AWS_ENDPOINT_URL": f"http://{s3_server.HOST}:{self.port}"}

    def signed_url(self, key: str) -> str:
        """For clients that cannot sign: a URL that may be read for a day."""
        now = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
        scope = f"{now[:8]}/{s3_server.REGION}/s3/aws4_request"
        path = "/" + urllib.parse.quote(f"{BUCKET}/{key}")
        host = f"{s3_server.HOST}:{self.port}"
        query = urllib.parse.urlencode({
            "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
            "X-Amz-Credential": f"{s3_server.ACCESS_KEY}/{scope}",
            "X-Amz-Date": now,
            "X-Amz-Expires": "86400",
            "X-Amz-SignedHeaders": "host",
        })
        request = f"GET\n{path}\n{query}\nhost:{host}\n\nhost\nUNSIGNED-PAYLOAD"
        text = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
        secret = f"AWS4{s3_server.SECRET_KEY}".encode()
        for part in scope.split("/"):
            secret = hmac.digest(secret, part.encode(), "sha256")
        signature = hmac.digest(secret, text.encode(), "sha256").hex()
        return f"http://{host}{path}?{query}&X-Amz-Signature={signature}"

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._listening.close()
        relays = asyncio.all_tasks(self._loop)
        for relay in relays:
            relay.cancel()
        self._loop.run_until_complete(asyncio.wait(relays, timeout=5) if relays else asyncio.sleep(0))
        self._loop.close()


def is_there() -> bool:
    """Whether the server was fetched."""
    return s3_server.program() is not None


@contextlib.contextmanager
def remote_store(files: dict[str, bytes]) -> Iterator[s3_server.S3Server]:
    """A server with a bucket that holds the files, by key."""
    with tempfile.TemporaryDirectory(prefix="forebay-far-") as folder:
        server = s3_server.S3Server(pathlib.Path(folder))
        try:
            server.put(BUCKET)
            for key, content in files.items():
                server.put(f"{BUCKET}/{key}", content)
            yield server
        finally:
            server.stop()


@contextlib.contextmanager
def wire_to(server: s3_server.S3Server, first_byte_s: float, bytes_per_second: float,
            counter: pathlib.Path | None = None) -> Iterator[Wire]:
    wire = Wire(server, first_byte_s, bytes_per_second, counter)
    try:
        yield wire
    finally:
        wire.stop()
